// SPDX-License-Identifier: Apache-2.0
// Covers: an RTL node and the C++ engine of the same protocol exchange messages of all kinds in both
// directions, with frames lost, damaged, doubled and delayed past each other, at random and in all short
// schedules. Leaves out: more than two ranks (test_mpe_faults.py, RTL alone), engine against engine
// (runtime/tests).
#include <gtest/gtest.h>

#include <cstring>
#include <functional>
#include <random>

#include "blocks/verilated/verilated_node.h"
#include "roles/mpi/sim/address.h"
#include "roles/mpi/tests/disturber.h"
#include "roles/mpi/tests/engine_node.h"

namespace polyloom::mpi::testing {
namespace {

using fabric::Time;

constexpr Time kWord = 6400, kLatency = 500'000;
constexpr std::uint32_t kDram = 0x8000'0000, kScript = 0, kResponses = 0x10'0000, kBuffers = 0x20'0000;
constexpr unsigned kSlot = 0x4000;  // of a buffer
constexpr unsigned kLost = 8;       // frames of which each subset is lost

struct Faults {
  double drop = 0, bits = 0;
  Disturber::Faults wire = {};
};

struct Case {
  unsigned messages;
  Faults faults;
  std::uint64_t seed;
  std::function<Disturber::Fate(unsigned)> schedule = {};
};

class Interop : public ::testing::Test {
 protected:
  void run(const Case& c) {
    random_.seed(c.seed);
    make_messages(c.messages);
    fabric::Fabric fabric;
    const int host = fabric.add_node("host"), wire = fabric.add_node("wire"), fpga = fabric.add_node("fpga");
    const fabric::LinkSpec link{.latency = kLatency,
                                .period = kWord,
                                .bit_error_rate = c.faults.bits,
                                .drop_rate = c.faults.drop,
                                .seed = c.seed};
    const fabric::LinkSpec clean{.latency = kLatency, .period = kWord};
    const auto [h, wh] = fabric.connect(link, link, host, wire);
    const auto [wf, f] = fabric.connect(clean, clean, wire, fpga);
    auto engine = std::make_unique<EngineNode>(h, config_, set_up());
    auto node = make_fpga(f);
    load(*node);
    engine->begin = [this](mpi::Engine& e, Time now) { begin(e, now); };
    engine->check = [this, fpga_node = node.get()](mpi::Engine& e, Time) { return finished(e, *fpga_node); };
    engine->read(0x010, 10);
    EngineNode* host_node = engine.get();
    blocks::VerilatedNode* fpga_node = node.get();
    fabric.set_node(host, std::move(engine));
    auto disturber = std::make_unique<Disturber>(std::array{wh, wf}, c.faults.wire, c.seed);
    disturber->schedule = c.schedule;
    fabric.set_node(wire, std::move(disturber));
    fabric.set_node(fpga, std::move(node));
    fabric::EngineOptions options;
    options.limit = Time{400'000'000'000};
    fabric::run(fabric, options);
    compare(*fpga_node);
    counters_ = host_node->values;
    sent_again_ = host_node->engine().counters().sent_again;
  }

  std::vector<std::uint64_t> counters_;
  std::uint64_t sent_again_ = 0;
  std::vector<unsigned> sizes_;  ///< of the messages, if not random
  mpi::Config config_{.job = 99,
                      .rank = 0,
                      .size = 2,
                      .eager_bytes = 256,
                      .credits = 4,
                      .retransmission = 30'000'000,
                      .ack_delay = 2'000'000,
                      .window = 5760,
                      .retries = 0xFFFF};

 private:
  struct Message {
    std::vector<std::byte> data, got;
    bool synchronous;
    int handle = -1;
  };

  void make_messages(unsigned count) {
    static constexpr unsigned kSizes[] = {0, 1, 8, 63, 128, 255, 256, 257, 1440, 1441, 5760, 9001, 16000};
    for (auto* list : {&down_, &up_}) {
      list->clear();
      for (unsigned i = 0; i < count; ++i) {
        Message m;
        m.data.resize(sizes_.empty() ? kSizes[random_() % std::size(kSizes)] : sizes_[i % sizes_.size()]);
        for (std::byte& b : m.data) b = static_cast<std::byte>(random_());
        m.got.resize(m.data.size());
        m.synchronous = sizes_.empty() ? random_() % 4 == 0 : i == 2;
        list->push_back(std::move(m));
      }
    }
  }

  std::vector<EngineNode::Write> set_up() const {
    const auto entry = [](int node, unsigned port) {
      return std::array<std::uint64_t, 2>{mac_of_node(node), ip_of_node(node) | std::uint64_t{port} << 32};
    };
    const auto a = entry(0, 2718), b = entry(1, 2718), manager = entry(0, 2720);
    constexpr std::uint64_t kCycles = 1'000'000'000'000 / 156'250'000;
    const auto cycles = [](Time t) { return static_cast<std::uint64_t>(t) / kCycles; };
    return {{0x100, {a[0], a[1], b[0], b[1], manager[0], manager[1]}},
            {0x004,
             {1u | 2u << 16, config_.eager_bytes | std::uint64_t{config_.credits} << 16,
              cycles(config_.retransmission) | cycles(config_.ack_delay) << 32,
              config_.window | std::uint64_t{config_.retries} << 32}},
            {0x003, {config_.job}},
            {0x001, {1}}};
  }

  std::unique_ptr<blocks::VerilatedNode> make_fpga(fabric::Port port) {
    blocks::VerilatedParams params;
    params.name = "fpga";
    params.shape.top = "polyloom_kernel_shell";
    params.shape.files = {"roles/mpi/rtl/kernel_shell.f"};
    params.shape.app = "polyloom_kernel_app";
    params.shape.app_files = {"roles/mpi/tests/player.f"};
    params.clock_hz = 156'250'000;
    params.lanes = {{port.tx, port.rx}};
    params.tx_beats = 0;
    params.strap = ip_of_node(1);
    std::vector<std::unique_ptr<blocks::AxiMemory>> memories;
    memories.push_back(blocks::make_fixed_memory(
        {.bytes = 64 << 20, .beat_bytes = 8, .read_latency = 20, .write_latency = 8, .bursts = 64}));
    return std::make_unique<blocks::VerilatedNode>(std::move(params), std::move(memories));
  }

  // The FPGA's rank: receive and send number i at the same time, then wait for both. Odd buffers lie at odd
  // addresses.
  std::uint32_t buffer(unsigned i, bool up) const {
    return kBuffers + (2 * i + (up ? 1 : 0)) * kSlot + i % 8;
  }

  void load(blocks::VerilatedNode& node) {
    std::vector<std::uint64_t> script{0};
    const auto add = [&](unsigned op, std::int32_t tag, unsigned handle, std::uint32_t address,
                         std::size_t bytes) {
      script.push_back(polyloom_word0(op, 0, 0, tag));
      script.push_back(7u | std::uint64_t{handle} << 16 | std::uint64_t{kDram + address} << 32);
      script.push_back(bytes);
      ++script[0];
    };
    for (unsigned i = 0; i < down_.size(); ++i) {
      const Message& up = up_[i];
      node.memory(0).write(buffer(i, true),
                           std::span(reinterpret_cast<const std::uint8_t*>(up.data.data()), up.data.size()));
      const auto tag = static_cast<std::int32_t>(i);
      add(POLYLOOM_RECV, tag, 0, buffer(i, false), kSlot - 8);
      add(up.synchronous ? POLYLOOM_SSEND : POLYLOOM_SEND, tag, 0, buffer(i, true), up.data.size());
      add(POLYLOOM_WAIT, 0, 4 * i, 0, 0);
      add(POLYLOOM_WAIT, 0, 4 * i + 1, 0, 0);
    }
    node.memory(0).write(kScript,
                         std::span(reinterpret_cast<const std::uint8_t*>(script.data()), 8 * script.size()));
  }

  void begin(mpi::Engine& e, Time now) {
    for (unsigned i = 0; i < down_.size(); ++i) {
      const mpi::Envelope envelope{1, static_cast<std::int32_t>(i), 7, 0};
      up_[i].handle =
          e.receive(envelope, up_[i].got.data(), static_cast<std::uint32_t>(up_[i].got.size()), now);
      down_[i].handle = e.send(envelope, down_[i].data.data(),
                               static_cast<std::uint32_t>(down_[i].data.size()), down_[i].synchronous, now);
      ASSERT_GE(up_[i].handle, 0);
      ASSERT_GE(down_[i].handle, 0);
    }
  }

  std::uint64_t word(blocks::VerilatedNode& node, std::uint32_t address) const {
    std::uint64_t value = 0;
    node.memory(0).read(address, std::span(reinterpret_cast<std::uint8_t*>(&value), 8));
    return value;
  }

  bool finished(mpi::Engine& e, blocks::VerilatedNode& node) const {
    for (const auto* list : {&down_, &up_}) {
      for (const Message& m : *list) {
        if (!e.complete(static_cast<unsigned>(m.handle))) return false;
      }
    }
    // The player's last response.
    return down_.empty() ||
           polyloom_response_done(
               word(node, kResponses + 16 * (4 * static_cast<std::uint32_t>(down_.size()) - 1))) != 0;
  }

  void compare(blocks::VerilatedNode& node) {
    for (unsigned i = 0; i < down_.size(); ++i) {
      EXPECT_EQ(up_[i].got, up_[i].data)
          << "message " << i << " of the FPGA, " << up_[i].data.size() << " bytes";
      std::vector<std::byte> got(down_[i].data.size());
      node.memory(0).read(buffer(i, false),
                          std::span(reinterpret_cast<std::uint8_t*>(got.data()), got.size()));
      EXPECT_EQ(got, down_[i].data) << "message " << i << " to the FPGA, " << got.size() << " bytes";
      const std::uint64_t response = word(node, kResponses + 16 * (4 * i + 2));
      EXPECT_EQ(response, 1u << 8 | std::uint64_t{i} << 32) << "response to receive " << i;
      EXPECT_EQ(word(node, kResponses + 16 * (4 * i + 2) + 8), down_[i].data.size());
    }
  }

  std::mt19937_64 random_;
  std::vector<Message> down_, up_;
};

TEST_F(Interop, WithoutFaultsNothingIsSentAgain) {
  config_.retransmission = 1'000'000'000;  // longer than a message waits for its receive
  run({30, {}, 1});
  EXPECT_EQ(sent_again_, 0u);
  ASSERT_EQ(counters_.size(), 10u);
  EXPECT_EQ(counters_[2] + counters_[3] + counters_[4] + counters_[7] + counters_[8], 0u);
  EXPECT_EQ(counters_[5], 30u);
  EXPECT_EQ(counters_[6], 30u);
}

TEST_F(Interop, FramesAreLost) {
  run({40, {.drop = 0.05}, 2});
  EXPECT_GT(sent_again_ + counters_.at(7), 0u);
}

TEST_F(Interop, FramesAreDoubledAndOutOfOrder) { run({40, {.wire = {.twice = 0.1, .late = 0.2}}, 3}); }

TEST_F(Interop, EverythingAtOnce) {
  run({60, {.drop = 0.05, .bits = 2e-6, .wire = {.twice = 0.05, .late = 0.1}}, 4});
  EXPECT_GT(counters_.at(2), 0u);  // damaged frames
}

// The same few messages each way, eager, of two pieces and synchronous, under each of many short schedules.
class Schedules : public Interop {
 protected:
  Schedules() { sizes_ = {100, 1448, 8}; }

  unsigned frames() {  // without faults
    unsigned count = 0;
    run({3, {}, 1, [&](unsigned) {
           ++count;
           return Disturber::Fate::pass;
         }});
    return count;
  }
  void run_all(unsigned count, const std::function<Disturber::Fate(unsigned, unsigned)>& fate) {
    for (unsigned i = 0; i < count && !HasFailure(); ++i) {
      SCOPED_TRACE("schedule " + std::to_string(i));
      run({3, {}, 1, [&](unsigned number) { return fate(i, number); }});
    }
  }
};

TEST_F(Schedules, AnyOfTheFirstFramesAreLost) {
  run_all(1u << kLost, [](unsigned which, unsigned number) {
    return number < kLost && (which >> number & 1) != 0 ? Disturber::Fate::lost : Disturber::Fate::pass;
  });
}

TEST_F(Schedules, EachFrameIsDoubled) {
  run_all(frames(), [](unsigned which, unsigned number) {
    return number == which ? Disturber::Fate::twice : Disturber::Fate::pass;
  });
}

TEST_F(Schedules, EachFrameIsOvertakenByTheNext) {
  run_all(frames(), [](unsigned which, unsigned number) {
    return number == which ? Disturber::Fate::late : Disturber::Fate::pass;
  });
}

TEST_F(Schedules, EachFrameIsLost) {
  run_all(frames(), [](unsigned which, unsigned number) {
    return number == which ? Disturber::Fate::lost : Disturber::Fate::pass;
  });
}

}  // namespace
}  // namespace polyloom::mpi::testing
