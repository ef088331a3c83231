// SPDX-License-Identifier: Apache-2.0
// Partition: sends each key of its inputs to the output of the key's bucket (rtl/polyloom_op_partition.sv).
// Configuration: all used outputs have the same low half of the word, PartitionSetup::word(), and the same
//   mask of inputs. High half: the routes that leave by this output. The route of a bucket is its number
//   (with 6 bits: half its number); zero on all outputs: the top log2(outputs) bits of the bucket's number
//   name the output. Every route needs an output. A route with several is dealt to them in turn, so a
//   frequent bucket can be split.
// Elements: 8 keys a beat; with `pair` 4 records of 64 bit, key in the low word. A word counts if its lowest
//   byte does. Modes: record (remember where the keys go), steer (the beats are values; they go where the
//   recorded keys went, beat by beat and word by word), silent (nothing leaves).
// Order: what comes by one input and leaves by one output keeps its order; inputs mix.
// End: when all inputs have ended, every used output ends: only its last beat may be short, and it has no
//   bytes only if the output got none. Bytes that do not count are zero.
// Status: [0] errors, [1] beats that came, [2 + b] keys of bucket b, [2 + buckets + o] words that left by
//   output o (complete when idle): how long a stream was that a route with several outputs was dealt to.
// Latency: 8 cycles (RTL header). Throughput: README.md, "Accept rate".
// Tests: operators_test.cc, operators_rtl_test.cc.
#pragma once

#include <vector>

#include "blocks/operators/sim/operator.h"

namespace polyloom::blocks::operators {

/// What the host chooses for a step.
struct PartitionSetup {
  unsigned shift = 0, bits = 3;
  bool pair = false, record = false, steer = false, silent = false;
  /// Of one output. routes: bit r says that route r leaves by it; zero on all outputs: the default.
  std::uint64_t word(std::uint32_t routes = 0) const {
    return shift | std::uint64_t{bits} << 8 | std::uint64_t{pair} << 16 | std::uint64_t{record} << 17 |
           std::uint64_t{steer} << 18 | std::uint64_t{silent} << 19 | std::uint64_t{routes} << 32;
  }
};

class Partition : public Operator {
 public:
  /// outputs: power of two, 2 to 32; buckets: power of two, 2 to 64.
  Partition(unsigned inputs, unsigned outputs, unsigned depth, unsigned buckets, unsigned record_beats);

 protected:
  bool advance() override;
  void configure(std::span<const Config> configs) override;
  void drop() override;
  bool busy() const override { return busy_; }
  void digest_inner(fabric::Digest& digest) const override;

 private:
  using Targets = std::array<std::uint8_t, kWords>;
  struct Stage {
    bool valid = false, last = false;
    std::uint8_t there = 0;  ///< words that count
    Targets target;
    std::array<std::uint8_t, kWords> bucket;
    std::array<std::uint32_t, kWords> word;
  };
  struct Group {
    std::array<std::uint32_t, kWords> word;
    std::uint8_t count;
    bool ends;
  };
  /// Groups of one input for one output: `count` complete ones, behind them (at `tail`) the one that fills.
  struct Buffer {
    std::vector<Group> groups;
    Group* tail = nullptr;
    unsigned head = 0, count = 0, fill = 0;
    void clear() {
      tail = groups.data();
      head = count = fill = 0;
    }
    void close(unsigned words, bool ends) {
      tail->count = static_cast<std::uint8_t>(words);
      tail->ends = ends;
      if (++tail == groups.data() + groups.size()) tail = groups.data();
      ++count;
      fill = 0;
    }
  };
  struct Input {
    Stage one, two;
    bool ending = false;
    unsigned turn = 0;                ///< phase that routes with several outputs are dealt by
    unsigned beat = 0, recorded = 0;  ///< of the record
    std::uint64_t full = 0;           ///< outputs whose buffer is full
    std::vector<Buffer> buffers;      ///< one an output
    std::vector<Targets> record;
  };
  struct Output {
    std::array<std::uint32_t, 2 * kWords> word;
    unsigned fill = 0, turn = 0;
    bool final = false;
    std::uint64_t ended = 0, waiting = 0;  ///< inputs
  };
  void collect(unsigned o);
  void pack(unsigned i, bool room);
  void count_keys(const Stage& stage);
  void classify(unsigned i, const Beat& beat);
  void close(unsigned i, unsigned o, unsigned words, bool ends);

  unsigned depth_, buckets_, out_bits_, record_beats_;
  std::vector<Input> ins_;
  std::vector<Output> outs_;
  PartitionSetup setup_;
  std::uint64_t mask_ = 0, on_ = 0;
  /// [route][phase]: the output.
  std::array<std::array<std::uint8_t, 32>, 32> deal_{};
  bool split_ = false;                    ///< a route has several outputs
  std::array<std::uint8_t, 64> whole_{};  ///< [bucket]: the output, if none has
  bool busy_ = false;
};

}  // namespace polyloom::blocks::operators
