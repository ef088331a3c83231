// SPDX-License-Identifier: Apache-2.0
// The slot in RTL and as model side by side, for the tests that hold one against the other. Built once for
// each shape: INPUTS, OUTPUTS, KINDS, PARTITIONS, LET_GEOMETRY, LET_OPEN_DEPTH.
#pragma once

#include <gtest/gtest.h>
#include <verilated.h>

#include <cstdlib>
#include <cstring>
#include <deque>
#include <string>
#include <vector>

#include "Vpolyloom_op_slot_tb.h"
#include "blocks/operators/tests/operator_streams.h"

#ifndef LET_GEOMETRY
#define LET_GEOMETRY 0
#endif
#ifndef LET_OPEN_DEPTH
#define LET_OPEN_DEPTH 64
#endif

namespace polyloom::blocks::operators::test {

inline constexpr unsigned kInputs = INPUTS, kOutputs = OUTPUTS, kStatus = 2 + 64 + 8;
inline constexpr unsigned kPartitions = PARTITIONS, kIns = kInputs * kPartitions,
                          kOuts = kOutputs * kPartitions;
inline constexpr std::uint64_t kKinds = KINDS;
inline constexpr SlotParams kParams{.inputs = kInputs,
                                    .outputs = kOutputs,
                                    .reduce_outputs = 2,
                                    .partition_depth = 4,
                                    .partition_buckets = 64,
                                    .record_beats = 16,
                                    .partitions = kPartitions,
                                    .let_geometry = LET_GEOMETRY,
                                    .let_open_depth = LET_OPEN_DEPTH};

struct Stalls {
  unsigned offer = 16, take = 16;  ///< of 16: chance that an input offers its next beat, that an output takes
};

/// RTL and model side by side.
class Pair {
 public:
  explicit Pair(std::uint64_t seed)
      : random(seed), out(kOuts), slot_(kKinds, kParams), waiting_(kIns), offered_(kIns) {
    dut_.rst_ni = 0;
    edge();
    edge();
    dut_.rst_ni = 1;
    dut_.eval();
  }

  void step(const std::vector<Config>& configs) {
    for (unsigned o = 0; o < kOuts; ++o) {
      const Config config = o < configs.size() ? configs[o] : Config{};
      set(dut_.cfg_valid_i, o, config.valid);
      reinterpret_cast<std::uint8_t*>(&dut_.cfg_kind_i)[o] = static_cast<std::uint8_t>(config.kind);
      std::memcpy(reinterpret_cast<char*>(&dut_.cfg_word_i) + 8 * o, &config.word, 8);
      reinterpret_cast<std::uint8_t*>(&dut_.cfg_mask_i)[o] = static_cast<std::uint8_t>(config.mask);
    }
    dut_.step_i = 1;
    slot_.step(configs);
    cycle({.offer = 0, .take = 0});
    dut_.step_i = 0;
    // The configuration must have been sampled: whatever stands there now must not matter.
    for (unsigned b = 0; b < 8 * kOuts; ++b) reinterpret_cast<std::uint8_t*>(&dut_.cfg_word_i)[b] = 0x55;
    dut_.cfg_mask_i = 0x5555555555555555;
    dut_.cfg_valid_i = 0xa5;
    dut_.cfg_kind_i = 0x0102030201020302;
  }

  void flush() {
    dut_.flush_i = 1;
    slot_.flush();
    cycle({.offer = 8, .take = 8});
    dut_.flush_i = 0;
    for (auto& queue : waiting_) queue.clear();
    std::fill(offered_.begin(), offered_.end(), false);
  }

  void send(unsigned input, const Stream& stream) {
    waiting_[input].insert(waiting_[input].end(), stream.begin(), stream.end());
  }

  /// Until everything is sent and through, or `limit` cycles. Returns the cycles.
  unsigned run(Stalls stalls, unsigned limit) {
    unsigned quiet = 0, cycles = 0;
    for (; cycles < limit && quiet < 4; ++cycles) {
      bool sent = true;
      for (const auto& queue : waiting_) sent &= queue.empty();
      quiet = sent && slot_.idle() ? quiet + 1 : 0;
      cycle(stalls);
      if (::testing::Test::HasFatalFailure()) break;
    }
    return cycles;
  }

  void cycle(Stalls stalls) {
    for (unsigned i = 0; i < kIns; ++i) {
      if (waiting_[i].empty())
        offered_[i] = false;
      else if (!offered_[i])
        offered_[i] = below(random, 16) < stalls.offer;
      set(dut_.in_valid_i, i, offered_[i]);
      const Beat beat = offered_[i] ? waiting_[i].front() : Beat{.word = {7, 7, 7, 7, 7, 7, 7, 7}};
      set(dut_.in_last_i, i, beat.last);
      std::memcpy(&dut_.in_keep_i[i], &beat.keep, 4);
      std::memcpy(&dut_.in_data_i[8 * i], beat.word.data(), 32);
    }
    std::uint64_t takes = 0;
    for (unsigned o = 0; o < kOuts; ++o) takes |= std::uint64_t{below(random, 16) < stalls.take} << o;
    dut_.out_ready_i = static_cast<std::uint8_t>(takes);
    dut_.eval();
    compare();
    for (unsigned i = 0; i < kIns; ++i) {
      if (!offered_[i] || (slot_.ready() >> i & 1) == 0) continue;
      slot_.push(i, waiting_[i].front());
      waiting_[i].pop_front();
      offered_[i] = false;
    }
    for (unsigned o = 0; o < kOuts; ++o) {
      if (((takes & slot_.valid()) >> o & 1) == 0) continue;
      out[o].push_back(slot_.front(o));
      slot_.pop(o);
      ++beats_out;
    }
    edge();
    slot_.clock();
    ++now_;
  }

  Slot& slot() { return slot_; }
  Random random;
  std::uint64_t beats_out = 0;
  std::vector<Stream> out;  ///< of each output; its reader empties it

 private:
  template <typename Port>
  static void set(Port& port, unsigned bit, bool value) {
    port = static_cast<Port>((port & ~(1u << bit)) | (unsigned{value} << bit));
  }
  void edge() {
    dut_.clk_i = 1;
    dut_.eval();
    dut_.clk_i = 0;
    dut_.eval();
  }
  void compare() {
    const std::string where = "cycle " + std::to_string(now_);
    ASSERT_EQ(dut_.in_ready_o, slot_.ready()) << where;
    ASSERT_EQ(dut_.out_valid_o, slot_.valid()) << where;
    ASSERT_EQ(dut_.idle_o, slot_.idle()) << where;
    for (unsigned o = 0; o < kOuts; ++o) {
      if ((slot_.valid() >> o & 1) == 0) continue;
      const Beat& beat = slot_.front(o);
      ASSERT_EQ(dut_.out_keep_o[o], beat.keep) << where << " output " << o;
      ASSERT_EQ(dut_.out_last_o >> o & 1, beat.last) << where << " output " << o;
      for (unsigned w = 0; w < kWords; ++w) {
        ASSERT_EQ(dut_.out_data_o[8 * o + w], beat.word[w]) << where << " output " << o << " word " << w;
      }
    }
    // The histogram follows its keys by a cycle or two; it is complete when idle.
    const unsigned words = slot_.kind() == Kind::partition && !slot_.idle() ? 2 : kStatus;
    for (unsigned n = 0; n < 2 * words; ++n) {
      const unsigned p = n / words, w = n % words;
      std::uint64_t value;
      std::memcpy(&value, reinterpret_cast<const char*>(&dut_.status_o) + 8 * (kStatus * p + w), 8);
      ASSERT_EQ(value, slot_.status(Slot::kStatusStride * p + w))
          << where << " status word " << w << " of " << p;
    }
  }

  Vpolyloom_op_slot_tb dut_;
  Slot slot_;
  std::vector<std::deque<Beat>> waiting_;
  std::vector<bool> offered_;
  std::uint64_t now_ = 0;
};

inline bool holds(Kind kind) { return kKinds >> static_cast<unsigned>(kind) & 1; }
inline unsigned rounds(unsigned n) {
  const char* more = std::getenv("ROUNDS");
  return more != nullptr ? n * static_cast<unsigned>(std::atoi(more)) : n;
}
inline Stalls any_stalls(Random& random) {
  static constexpr std::array<unsigned, 4> kRates = {16, 16, 9, 3};
  return {kRates[below(random, 4)], kRates[below(random, 4)]};
}

}  // namespace polyloom::blocks::operators::test
