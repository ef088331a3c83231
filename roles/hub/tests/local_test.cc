// SPDX-License-Identifier: Apache-2.0
// Covers: DMA chains with strides against plain loops, on all sorts of memory; flags; proxy descriptors;
// every error of a descriptor and every cause of a fault, each with nothing else disturbed; registers; the
// function with one and several outputs, overflow, the LET operator against make_let. Leaves out: cycle
// counts (hub_swap_test.cc).
#include <algorithm>
#include <random>

#include "blocks/operators/sim/let.h"
#include "roles/hub/tests/hub_bench.h"
#include "roles/hub/tests/random_tree.h"

namespace polyloom::hub {
namespace {

using namespace test;
using Bytes = std::vector<std::uint8_t>;

constexpr std::uint64_t kDescriptors = 0x8000;  ///< in a node's memory

void fill(std::span<std::uint8_t> memory, unsigned seed) {
  std::mt19937 random(seed);
  for (std::uint8_t& byte : memory) byte = static_cast<std::uint8_t>(random());
}

Descriptor from_to(std::uint64_t source, std::uint64_t destination) {
  Descriptor d{};
  d.source = source;
  d.destination = destination;
  return d;
}

/// Descriptors in the node's own memory from kDescriptors on, linked and ended, unless they say otherwise.
void chain(Bench& b, unsigned n, std::vector<Descriptor> list, bool link = true) {
  for (std::size_t i = 0; i < list.size(); ++i) {
    if (link) {
      list[i].next = address(n, kMemory, kDescriptors + (i + 1) * kDescriptorBytes);
      if (i + 1 == list.size()) list[i].control |= kLast;
    }
    std::memcpy(b.memory(n).data() + kDescriptors + i * kDescriptorBytes, &list[i], kDescriptorBytes);
  }
}
void start(Bench& b, Time t, unsigned n) {
  b.store64(t, n, address(n, Unit::hub, reg::chain), address(n, kMemory, kDescriptors));
}
std::uint64_t response(Bench& b, unsigned n) {
  EXPECT_FALSE(b.host(n).heard.empty());
  return b.host(n).heard.empty() ? ~0ull : b.host(n).heard.back().words[1];
}

/// The memory that an address leads to.
std::uint8_t* place(Bench& b, std::uint64_t a) {
  if (unit_of(a) != Unit::hub) return b.memory(node_of(a)).data() + offset_of(a);
  return b.hub(node_of(a)).local().memory() + (offset_of(a) - kHubMemory);
}
/// What a descriptor does, byte by byte.
void obey(Bench& b, std::map<std::uint64_t, std::uint8_t>& after, const Descriptor& d) {
  for (std::uint32_t k = 0; k < d.blocks; ++k) {
    for (std::uint32_t i = 0; i < d.block_bytes; ++i) {
      const std::uint64_t from = d.source + static_cast<std::uint64_t>(d.source_stride) * k + i;
      after[d.destination + static_cast<std::uint64_t>(d.destination_stride) * k + i] = *place(b, from);
    }
  }
}

TEST(HubDma, ChainsWithStridesAgainstPlainLoops) {
  std::mt19937 random(5);
  for (unsigned round = 0; round < 12; ++round) {
    BenchOptions o = ring(3);
    o.params.max_payload = 128u << round % 3;
    o.params.tags = 1 + round % 5;
    Bench b(o);
    for (unsigned n = 0; n < 3; ++n) fill(b.memory(n).subspan(0, kDescriptors), 10 * round + n);
    fill({b.hub(0).local().memory(), 1 << 16}, 99 + round);
    std::map<std::uint64_t, std::uint8_t> after;
    std::vector<Descriptor> list;
    std::uint64_t place_at = 0x40000;  // destinations do not overlap
    for (unsigned i = 0; i < 1 + round % 6; ++i) {
      Descriptor d{};
      const bool onboard = random() % 3 == 0, to_hub = random() % 4 == 0;
      d.block_bytes = 1 + static_cast<std::uint32_t>(random() % (i % 2 == 0 ? 700 : 20));
      d.blocks = 1 + static_cast<std::uint32_t>(random() % 7);
      d.source_stride = static_cast<std::int64_t>(random() % 1200);
      d.source = onboard ? address(0, Unit::hub, kHubMemory + random() % 3000)
                         : address(0, kMemory, random() % 3000);
      if (random() % 2 == 0) {
        d.source += static_cast<std::uint64_t>(d.source_stride) * (d.blocks - 1);
        d.source_stride = -d.source_stride;
      }
      const unsigned to = static_cast<unsigned>(random() % 3);
      d.destination = to_hub ? address(to, Unit::hub, kHubMemory + place_at) : address(to, kMemory, place_at);
      d.destination_stride = d.block_bytes + static_cast<std::int64_t>(random() % 50);
      place_at += 0x4000;
      if (i % 3 == 0) d.control |= kFlag, d.id = 77 + i, d.flag = address(to, kMemory, 0x20000 + 8 * i);
      list.push_back(d);
      obey(b, after, d);
      if ((d.control & kFlag) != 0) {
        const std::uint64_t flag = d.id;
        for (unsigned k = 0; k < 8; ++k) after[d.flag + k] = static_cast<std::uint8_t>(flag >> (8 * k));
      }
    }
    chain(b, 0, list);
    start(b, kReady, 0);
    b.load(kReady + 500 * kUs, 0, reg::dma_done);
    const auto result = b.run();
    EXPECT_EQ(result.stuck, std::vector<std::string>{});
    for (const auto& [a, byte] : after)
      ASSERT_EQ(*place(b, a), byte) << "round " << round << " address " << a;
    EXPECT_EQ(response(b, 0), list.size());
    for (unsigned n = 0; n < 3; ++n) EXPECT_EQ(b.hub(n).network().status(), 0u);
  }
}

TEST(HubDma, NothingBesideTheBlocksIsWritten) {
  Bench b(ring(2));
  fill(b.memory(0).first(4096), 3);
  Descriptor d = from_to(address(0, kMemory, 1), address(1, kMemory, 4099));
  d.block_bytes = 33, d.blocks = 5, d.source_stride = 40, d.destination_stride = 100;
  chain(b, 0, {d});
  start(b, kReady, 0);
  b.run();
  Bytes expected(b.options().memory);
  for (unsigned k = 0; k < 5; ++k) {
    std::copy_n(b.memory(0).data() + 1 + 40 * k, 33, expected.begin() + 4099 + 100 * k);
  }
  EXPECT_TRUE(std::ranges::equal(b.memory(1), expected));
}

TEST(HubProxy, RemoteMemoryIsReadByItsOwnHub) {
  Bench b(ring(8));
  fill(b.memory(5).first(8192), 21);
  for (unsigned i = 0; i < 3; ++i) {
    Descriptor d = from_to(address(5, kMemory, 100 * i), address(2, kMemory, 1000 * i));
    d.block_bytes = 900, d.blocks = 1, d.control = kLast | kFlag;
    d.id = i + 1, d.flag = address(2, kMemory, 0x10000);
    b.store(kReady, 2, address(5, Unit::hub, reg::proxy), &d, sizeof d);
  }
  b.wait(kReady, 2, 0x10000, 3);
  b.run();
  ASSERT_EQ(b.host(2).heard.size(), 1u);
  for (unsigned i = 0; i < 3; ++i) {
    EXPECT_TRUE(std::equal(b.memory(5).begin() + 100 * i, b.memory(5).begin() + 100 * i + 900,
                           b.memory(2).begin() + 1000 * i));
  }
}

TEST(HubProxy, AFullQueueRefusesAndSaysSo) {
  Bench b(ring(2));
  for (unsigned i = 0; i < 40; ++i) {
    Descriptor d = from_to(address(1, kMemory, 0), address(0, kMemory, 0));
    d.block_bytes = 60'000, d.blocks = 1, d.control = kLast | kFlag;
    d.id = i + 1, d.flag = address(0, kMemory, 0x40000 + 8 * i);
    b.store(kReady, 0, address(1, Unit::hub, reg::proxy), &d, sizeof d);
  }
  b.run();
  unsigned done = 0;
  for (unsigned i = 0; i < 40; ++i) done += b.word(0, 0x40000 + 8 * i) == i + 1;
  EXPECT_GE(done, kProxyDepth);
  EXPECT_EQ(done + b.hub(1).network().drops(Cause::proxy_full), 40u);
  EXPECT_EQ(static_cast<Cause>(b.hub(1).network().status() & 0xff), Cause::proxy_full);
}

/// What a wrong descriptor gives, with a good one before it, and after it one that must not run.
void expect_error(Descriptor bad, DmaError error, const std::string& what) {
  Bench b(ring(2));
  fill(b.memory(0).first(4096), 8);
  Descriptor good = from_to(address(0, kMemory, 0), address(1, kMemory, 0));
  good.block_bytes = 100, good.blocks = 1;
  Descriptor after = good;
  after.destination = address(1, kMemory, 0x3000);
  bad.flag = bad.flag == 0 ? address(1, kMemory, 0x5000) : bad.flag;
  bad.control |= kFlag, bad.id = 9;
  chain(b, 0, {good, bad, after});
  start(b, kReady, 0);
  b.load(kReady + 200 * kUs, 0, reg::chain_error);
  b.load(kReady + 210 * kUs, 0, reg::status);
  b.store64(kReady + 220 * kUs, 0, address(0, Unit::hub, reg::status_clear), 1);
  b.load(kReady + 230 * kUs, 0, reg::status);
  b.load(kReady + 240 * kUs, 0, reg::dma_state);
  // The hub goes on as if nothing had happened.
  const auto result = b.run();
  EXPECT_EQ(result.stuck, std::vector<std::string>{}) << what;
  const auto& heard = b.host(0).heard;
  ASSERT_EQ(heard.size(), 4u) << what;
  EXPECT_EQ(static_cast<DmaError>(heard[0].words[1] & 0xff), error) << what;
  // A poisoned completion may come when the next descriptor is in work already.
  const std::uint64_t at = address(0, kMemory, kDescriptors + kDescriptorBytes),
                      reported = heard[0].words[1] >> 16;
  EXPECT_TRUE(reported == at || (error == DmaError::poisoned && reported > at)) << what;
  EXPECT_EQ(heard[1].words[1] >> 13 & 1, 1u) << what;
  EXPECT_EQ(heard[2].words[1], 0u) << what;
  EXPECT_EQ(heard[3].words[1] & 1, 0u) << what << ": idle again";
  EXPECT_TRUE(std::equal(b.memory(0).begin(), b.memory(0).begin() + 100, b.memory(1).begin())) << what;
  EXPECT_EQ(b.word(1, 0x5000), 0u) << what << ": no flag";
  EXPECT_EQ(b.memory(1)[0x3000], 0u) << what << ": the chain stopped";
}

TEST(HubDma, EveryErrorStopsTheChainAndNothingElse) {
  const Descriptor base = [] {
    Descriptor d = from_to(address(0, kMemory, 0), address(1, kMemory, 0x2000));
    d.block_bytes = 64, d.blocks = 1;
    return d;
  }();
  const auto with = [&](auto change) {
    Descriptor d = base;
    change(d);
    return d;
  };
  expect_error(with([](auto& d) { d.source = address(1, kMemory, 0); }), DmaError::not_local, "another node");
  expect_error(with([](auto& d) { d.source = address(0, Unit::hub, 0); }), DmaError::not_local, "registers");
  expect_error(with([](auto& d) { d.source = address(0, Unit::hub, kHubMemory + (1 << 20) - 8); }),
               DmaError::not_local, "beyond the memory");
  expect_error(with([](auto& d) { d.source = address(0, Unit::accelerator1) - 8; }), DmaError::not_local,
               "across units");
  expect_error(with([](auto& d) { d.source = kWindowBytes; }), DmaError::outside, "source outside");
  expect_error(with([](auto& d) { d.destination = kWindowBytes + 5; }), DmaError::outside,
               "destination outside");
  expect_error(with([](auto& d) { d.destination = kWindowBytes - 8; }), DmaError::crosses, "across the end");
  expect_error(with([](auto& d) { d.block_bytes = 0; }), DmaError::zero, "no bytes");
  expect_error(with([](auto& d) { d.blocks = 0; }), DmaError::zero, "no blocks");
  expect_error(with([](auto& d) { d.flag = address(1, kMemory, 0x5004); }), DmaError::misaligned, "flag");
  expect_error(with([](auto& d) { d.control = 8; }), DmaError::reserved, "interrupt bit");
  expect_error(with([](auto& d) { d.control = kFunction; }), DmaError::function, "no step");
  expect_error(with([](auto& d) { d.source = address(0, kMemory, 2 << 20); }), DmaError::poisoned,
               "the endpoint has no such memory");
}

TEST(HubDma, LoopsEndAndMisalignedDescriptorsAreRefused) {
  Bench b(ring(2));
  Descriptor d = from_to(address(0, kMemory, 0), address(0, Unit::hub, kHubMemory + 4096));
  d.block_bytes = 1, d.blocks = 1;
  d.next = address(0, Unit::hub, kHubMemory);
  b.store(kReady, 0, address(0, Unit::hub, kHubMemory), &d, sizeof d);
  d.source = address(0, Unit::hub, kHubMemory + 512);
  b.store(kReady, 0, address(0, Unit::hub, kHubMemory), &d, sizeof d);
  b.store64(kReady + kUs, 0, address(0, Unit::hub, reg::chain), address(0, Unit::hub, kHubMemory));
  const Time end = kReady + 100'000 * kUs;
  b.load(end, 0, reg::chain_error);
  b.load(end, 0, reg::dma_done);
  b.store64(end + kUs, 0, address(0, Unit::hub, reg::status_clear), 1);
  b.store64(end + 2 * kUs, 0, address(0, Unit::hub, reg::chain), address(0, Unit::hub, kHubMemory + 32));
  b.load(end + 20 * kUs, 0, reg::chain_error);
  b.run();
  const auto& heard = b.host(0).heard;
  ASSERT_EQ(heard.size(), 3u);
  EXPECT_EQ(static_cast<DmaError>(heard[0].words[1] & 0xff), DmaError::loop);
  EXPECT_EQ(heard[1].words[1], kChainMax);
  EXPECT_EQ(static_cast<DmaError>(heard[2].words[1] & 0xff), DmaError::misaligned);
}

/// One packet that cannot be delivered, with good ones around it.
void expect_fault(const std::function<void(Bench&)>& prepare, Cause cause, unsigned at, unsigned port,
                  std::uint64_t bad_address, const std::string& what) {
  Bench b(ring(4));
  prepare(b);
  for (unsigned i = 0; i < 4; ++i) {
    b.store64(kReady + i, 0, address(1, kMemory, 8 * i), i + 1);
    if (i == 1) b.store64(kReady + i, 0, bad_address, 666);
  }
  const auto result = b.run();
  EXPECT_EQ(result.stuck, std::vector<std::string>{}) << what;
  for (unsigned i = 0; i < 4; ++i) EXPECT_EQ(b.word(1, 8 * i), i + 1) << what;
  const std::uint64_t status = b.hub(at).network().status();
  EXPECT_EQ(static_cast<Cause>(status & 0xff), cause) << what;
  EXPECT_EQ(status >> 8 & 15, port) << what;
  EXPECT_EQ(status >> 16, bad_address & 0xffff'ffff'ffff) << what;
  EXPECT_EQ(b.hub(at).network().drops(cause), 1u) << what;
}

TEST(HubFaults, EachCauseIsToldAndNothingElseDisturbed) {
  const auto none = [](Bench&) {};
  const auto node = [](unsigned n) { return std::uint64_t{n} << 11; };
  expect_fault(none, Cause::unmapped, 0, 0, kWindowBytes + 64, "outside the window");
  expect_fault(none, Cause::unmapped, 0, 0, address(9, kMemory), "no rule");
  const auto late = [&](unsigned n, Port port, std::uint64_t word) {
    return [=](Bench& b) {
      const auto p = static_cast<unsigned>(port);
      b.store64(5 * kUs, n, address(n, Unit::hub, reg::rules + 16 * p + 8), word);
    };
  };
  expect_fault(late(0, Port::north, rule(0x7800, node(3), node(3))), Cause::overlap, 0, 0,
               address(3, kMemory), "overlapping rules");
  expect_fault(late(0, Port::south, rule(0x7800, node(12), node(12))), Cause::absent, 0, 0,
               address(12, kMemory), "a port without a link");
  expect_fault(
      [&](Bench& b) {
        late(0, Port::east, rule(0x7800, node(12), node(12)))(b);
        late(1, Port::west, rule(0x7800, node(12), node(12)))(b);
      },
      Cause::u_turn, 1, static_cast<unsigned>(Port::west), address(12, kMemory), "back where it came from");
  expect_fault(none, Cause::refused, 0, 0, address(0, Unit::hub, 0x7ff8), "no such register");
  expect_fault(none, Cause::refused, 1, static_cast<unsigned>(Port::west), address(1, Unit::hub, reg::status),
               "a register that is read only");
  expect_fault(none, Cause::refused, 0, 0, address(0, Unit::hub, kHubMemory + (1 << 20)),
               "beyond the memory");
  expect_fault(none, Cause::function_full, 0, 0, address(0, Unit::hub, kHubFunction), "no step");
}

/// Packets that no endpoint sends: a wire of our own into N.
TEST(HubFaults, BadPacketsOnAWire) {
  struct Sender final : fabric::Node {
    fabric::Port port;
    std::vector<fabric::Segment> out;
    std::vector<TlpHeader> heard;
    void advance(Time until) override {
      while (port.rx->front() != nullptr && port.rx->front()->first < until) {
        const auto s = port.rx->take();
        if (s.head && s.words.size() >= 2) heard.push_back(TlpHeader::from(s.words[0], s.words[1]));
      }
      for (; !out.empty() && out.front().first < until; out.erase(out.begin())) port.tx->send(out.front());
    }
    Time next_event() const override { return out.empty() ? fabric::kNever : out.front().first; }
  };
  fabric::Fabric f;
  const int hub = f.add_node("hub"), host = f.add_node("host");
  const fabric::LinkSpec spec{.latency = 100 * kNs, .period = 2 * kNs};
  const auto [a, c] = f.connect(spec, spec, hub, host);
  HubSite site{.name = "hub", .node = 0};
  site.links[0] = {a.tx, a.rx};
  auto owned = std::make_unique<HubNode>(bench_params(), site);
  HubNode& node = *owned;
  f.set_node(hub, std::move(owned));
  auto made = std::make_unique<Sender>();
  Sender& sender = *made;
  sender.port = c;
  f.set_node(host, std::move(made));
  const auto send = [&](Time t, TlpHeader h, unsigned payload_words) {
    fabric::Segment s{.first = t};
    const auto words = h.words();
    s.words.assign(words.begin(), words.end());
    s.words.resize(2 + payload_words, 0x55);
    sender.out.push_back(s);
  };
  const std::uint64_t own = address(0, Unit::hub, kHubMemory);
  send(1 * kUs, {.poisoned = true, .length = 8, .address = own}, 1);
  send(2 * kUs, {.type = static_cast<TlpType>(0x44), .length = 8, .address = own}, 1);
  send(3 * kUs, {.length = 16, .address = own + 4096 - 8}, 2);
  send(4 * kUs, {.type = TlpType::memory_read, .length = 8, .address = address(0, kMemory)}, 0);
  send(5 * kUs, {.type = TlpType::completion, .tag = 3, .length = 8, .address = 8}, 1);
  send(6 * kUs, {.type = TlpType::memory_read, .tag = 5, .length = 4, .address = address(0, Unit::hub)}, 0);
  send(7 * kUs, {.type = TlpType::memory_read, .tag = 6, .length = 8, .address = address(0, Unit::hub)}, 0);
  send(8 * kUs, {.length = 8, .address = own + 64}, 1);
  fabric::run(f);
  Switch& n = node.network();
  EXPECT_EQ(n.drops(Cause::poisoned), 1u);
  EXPECT_EQ(n.drops(Cause::malformed), 2u);
  EXPECT_EQ(n.drops(Cause::refused), 3u);
  EXPECT_EQ(static_cast<Cause>(n.status() & 0xff), Cause::poisoned);
  EXPECT_EQ(n.status() >> 12 & 1, 1u) << "more since";
  ASSERT_EQ(sender.heard.size(), 2u);
  EXPECT_TRUE(sender.heard[0].poisoned);
  EXPECT_EQ(sender.heard[0].tag, 5);
  EXPECT_FALSE(sender.heard[1].poisoned);
  EXPECT_EQ(node.local().memory()[0], 0) << "nothing of the bad ones is written";
  EXPECT_EQ(node.local().memory()[64], 0x55);
}

TEST(HubRegisters, ReadAsWritten) {
  Bench b(ring(2));
  b.store64(kReady, 0, address(0, Unit::hub, reg::rules + 16 * 2), rule(0x7fff, 5, 9));
  b.load(kReady + kUs, 0, reg::rules + 16 * 2);
  b.load(kReady + 2 * kUs, 0, reg::id);
  b.load(kReady + 3 * kUs, 0, reg::node);
  b.load(kReady + 4 * kUs, 0, reg::links);
  b.load(kReady + 5 * kUs, 0, reg::shape);
  b.load(kReady + 6 * kUs, 0, 0x7ff8);
  b.run();
  const auto& h = b.host(0).heard;
  ASSERT_EQ(h.size(), 6u);
  EXPECT_EQ(h[0].words[1], rule(0x7fff, 5, 9));
  EXPECT_EQ(h[1].words[1], kMagic);
  EXPECT_EQ(h[2].words[1], 0u);
  EXPECT_EQ(h[3].words[1], 0b1011u);
  EXPECT_EQ(h[4].words[1] & 0x3ff, 512u);
  EXPECT_EQ(h[4].words[1] >> 10 & 63, 8u);
  EXPECT_EQ(static_cast<Status>(h[5].words[0] >> 8), Status::failed);
}

/// Configures lanes, begins a step.
void begin(Bench& b, Time t, unsigned n, blocks::operators::Kind kind, std::uint64_t config,
           const std::vector<std::array<std::uint64_t, 3>>& lanes) {
  std::uint64_t used = 0;
  for (std::uint32_t o = 0; o < lanes.size(); ++o) {
    if (lanes[o][1] == 0) continue;
    used |= std::uint64_t{1} << o;
    b.store(t, n, address(n, Unit::hub, reg::lanes + 32 * o), lanes[o].data(), 24);
  }
  b.store64(t, n, address(n, Unit::hub, reg::function_config), config);
  b.store64(t, n, address(n, Unit::hub, reg::function_control),
            1 | static_cast<std::uint64_t>(kind) << 8 | used << 16);
}

TEST(HubFunction, PassesAStreamToSeveralMemories) {
  using blocks::operators::Kind;
  for (const unsigned width : {128u, 256u}) {
    for (const std::uint32_t bytes : {1u, 31u, 32u, 512u, 5000u}) {
      BenchOptions o = ring(4);
      o.params.function_width = width;
      o.params.function_cycles = width == 128 ? 3 : 5;
      Bench b(o);
      fill(b.memory(0).first(8192), bytes);
      std::vector<std::array<std::uint64_t, 3>> lanes;
      for (unsigned n = 0; n < 4; ++n) {
        lanes.push_back({address(n, kMemory, 0x10000), 1 << 14, address(n, kMemory, 0x20000)});
      }
      begin(b, kReady, 0, Kind::pass, 0, lanes);
      Descriptor d = from_to(address(0, kMemory, 7), 0);
      d.block_bytes = bytes, d.blocks = 1, d.control = kFunction;
      chain(b, 0, {d});
      start(b, kReady, 0);
      b.load(kReady + 500 * kUs, 0, reg::function_state);
      b.run();
      for (unsigned n = 0; n < 4; ++n) {
        EXPECT_EQ(b.word(n, 0x20000), bytes) << "lane " << n;
        EXPECT_TRUE(std::equal(b.memory(0).begin() + 7, b.memory(0).begin() + 7 + bytes,
                               b.memory(n).begin() + 0x10000));
        EXPECT_EQ(b.memory(n)[0x10000 + bytes], 0);
      }
      EXPECT_EQ(response(b, 0), 2 | 15u << 16);
    }
  }
}

TEST(HubFunction, OverflowIsCutAndTold) {
  Bench b(ring(2));
  fill(b.memory(0).first(8192), 1);
  begin(b, kReady, 0, blocks::operators::Kind::pass, 0,
        {{address(1, kMemory, 0), 1024, address(1, kMemory, 0x8000)}});
  Descriptor d = from_to(address(0, kMemory, 0), 0);
  d.block_bytes = 3000, d.blocks = 1, d.control = kFunction;
  chain(b, 0, {d});
  start(b, kReady, 0);
  b.load(kReady + 100 * kUs, 0, reg::function_state);
  b.run();
  EXPECT_EQ(b.word(1, 0x8000), 3000 | kFlagOverflow);
  EXPECT_TRUE(std::equal(b.memory(0).begin(), b.memory(0).begin() + 1024, b.memory(1).begin()));
  EXPECT_EQ(b.memory(1)[1024], 0);
  EXPECT_EQ(response(b, 0) >> 32, 1u);
}

TEST(HubFunction, RemoteWritesAreAStreamToo) {
  Bench b(ring(2));
  begin(b, kReady, 1, blocks::operators::Kind::pass, 0,
        {{address(0, kMemory, 0x4000), 4096, address(0, kMemory, 0x8000)}});
  fill(b.memory(0).first(1000), 4);
  b.put(kReady + 20 * kUs, 0, 0, address(1, Unit::hub, kHubFunction), 960);
  b.put(kReady + 21 * kUs, 0, 960, address(1, Unit::hub, kHubFunction + kFunctionLast), 40);
  b.run();
  EXPECT_EQ(b.word(0, 0x8000), 1000u);
  EXPECT_TRUE(std::equal(b.memory(0).begin(), b.memory(0).begin() + 1000, b.memory(0).begin() + 0x4000));
}

TEST(HubFunction, LetsForSeveralPeersInOnePass) {
  using namespace blocks::operators;
  BenchOptions o = ring(4);
  o.params.kinds = {Kind::let, Kind::pass};
  Bench b(o);
  const auto tree = random_tree(4, 5, 3, 1);
  const std::vector<LetTarget> targets{
      {{-1, -1, -1}, {1, 1, 1}, 1, 0}, {{30, 0, 0}, {30, 0, 0}, 1, 2}, {{500, 0, 0}, {501, 1, 1}, 1, 0}};
  std::memcpy(b.memory(0).data() + 0x10000, targets.data(), targets.size() * sizeof(LetTarget));
  std::memcpy(b.memory(0).data() + 0x20000, tree.data(), tree.size() * sizeof(NodeRecord));
  std::vector<std::array<std::uint64_t, 3>> lanes;
  for (unsigned n = 1; n < 4; ++n)
    lanes.push_back({address(n, kMemory, 0x40000), 1 << 16, address(n, kMemory, 0x60000)});
  begin(b, kReady, 0, Kind::let, LetSetup{}.word(), lanes);
  Descriptor head = from_to(address(0, kMemory, 0x10000), 0), body = from_to(address(0, kMemory, 0x20000), 0);
  head.block_bytes = static_cast<std::uint32_t>(targets.size() * sizeof(LetTarget));
  body.block_bytes = static_cast<std::uint32_t>(tree.size() * sizeof(NodeRecord));
  head.blocks = body.blocks = 1;
  head.control = body.control = kFunction;
  chain(b, 0, {head, body});
  start(b, kReady, 0);
  b.run();
  for (unsigned n = 1; n < 4; ++n) {
    const auto expected = make_let(tree, targets[n - 1]);
    ASSERT_EQ(b.word(n, 0x60000), expected.size() * sizeof(NodeRecord)) << n;
    EXPECT_EQ(
        std::memcmp(b.memory(n).data() + 0x40000, expected.data(), expected.size() * sizeof(NodeRecord)), 0)
        << n;
  }
  EXPECT_GT(make_let(tree, targets[0]).size(), make_let(tree, targets[2]).size());
}

}  // namespace
}  // namespace polyloom::hub
