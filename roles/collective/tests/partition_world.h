// SPDX-License-Identifier: Apache-2.0
// For tests: random programs of several nodes whose steps deal keys with the operator partition, and what
// must be true of the memories afterwards: no key is lost or doubled, and each lies where its bits send it.
#pragma once

#include <functional>
#include <map>
#include <random>
#include <string>
#include <vector>

#include "blocks/operators/sim/partition.h"
#include "roles/collective/tests/bench.h"

namespace polyloom::collective::test {

/// Nodes with 4 channels, 4 operator ports and one or two partitions, fully connected. Keys lie in the lower
/// half of the channels, a quarter a step, results in the same quarter of the upper half: no half is both
/// read and written, so that cycles are exact.
class PartitionWorld {
 public:
  using Bytes = std::vector<std::uint8_t>;
  static constexpr unsigned kPorts = 4, kSteps = 4, kStatus = 128;
  static constexpr std::uint64_t kBytes = 1 << 16, kHalf = kBytes / 2, kArea = kHalf / kSteps;

  PartitionWorld(unsigned seed, int nodes, unsigned partitions);

  std::vector<std::vector<Instruction>> programs;    ///< [node]
  std::vector<std::vector<Bytes>> before;            ///< [node][channel]
  std::vector<std::map<unsigned, unsigned>> status;  ///< [node]: words of the last step that are known
  std::string kinds;                                 ///< of the steps, for messages

  /// What is wrong with the memories, "" if nothing is.
  std::string wrong(const std::vector<std::vector<Bytes>>& after) const;

 private:
  using Words = std::vector<std::uint32_t>;
  using Target = std::function<int(std::uint32_t)>;  ///< the output of a key; -1: any
  using Setup = blocks::operators::PartitionSetup;
  struct Deal {
    Setup setup;
    std::array<std::uint32_t, kPorts> routes{};
    std::vector<unsigned> used;  ///< outputs
    Target target;
  };
  /// Where keys of a step must lie: in this channel those of `output`.
  struct Area {
    unsigned step;
    int node;
    unsigned channel;
    int output;
    Target target;
    bool pair;
    std::uint32_t mask;  ///< what was done to words before they were sent: values are keys, masked
  };
  static std::size_t at(int n) { return static_cast<std::size_t>(n); }
  unsigned below(unsigned n) { return static_cast<unsigned>(rng_() % n); }
  std::uint64_t area(bool upper) const { return (upper ? kHalf : 0) + step_ * kArea; }

  void make_step();
  Deal make_deal(bool pair, std::vector<unsigned> used);
  Words make_keys(bool pair, unsigned most);
  void load(int node, unsigned channel, const Words& words);
  void configure(int node, const Deal& deal, unsigned partition, std::uint64_t inputs);
  void store(int node, unsigned channel, unsigned source, int output, const Deal& deal);
  std::uint64_t read_all(int node, unsigned channels, unsigned first_input, bool pair);
  void close(unsigned flags = 0);

  void histogram(int node);
  void local(int node);
  void recorded();
  void exchange(bool fused);
  void received();
  void chained(int node);
  void side_by_side(int node);
  void passed(int node);

  std::mt19937 rng_;
  int nodes_;
  unsigned partitions_, step_ = 0, eager_ = 0;
  std::vector<std::vector<Instruction>> code_;  ///< of the step that is made
  std::vector<Area> areas_;
  std::map<unsigned, Words> sent_;  ///< [step]: all words that areas must hold
  std::uint32_t mask_ = 0;
};

}  // namespace polyloom::collective::test
