// SPDX-License-Identifier: Apache-2.0
// For tests: a cluster whose nodes are the fast model or the RTL, one by one; every node has a host that
// loads it by frames, and a tap on every link notes what passes, so that two runs can be compared word by
// word.
#pragma once

#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "blocks/shell/host_frames.h"
#include "fabric/fabric.h"
#include "roles/collective/sim/node.h"
#include "roles/collective/sim/rtl_node.h"

namespace polyloom::collective::swap {

using Bytes = std::vector<std::uint8_t>;
using Program = std::vector<Instruction>;

struct Word {
  fabric::Time time;
  std::uint64_t value;
  bool last;
  unsigned keep;
  bool operator==(const Word&) const = default;
};
/// One direction of a link: words and pulses with the times at which they were in its middle.
struct Wire {
  std::vector<Word> words;
  std::vector<fabric::Time> pulses;
};

/// What one program did on one node.
struct NodeResult {
  std::vector<blocks::EventFrame> events;
  std::vector<std::uint64_t> marks;
  std::vector<std::uint64_t> status;  ///< the operator's words that the scene names
  std::vector<Bytes> channels;
};
struct Outcome {
  std::vector<NodeResult> nodes;
  std::vector<Wire> wires;  ///< two a link: from its first node, from its second
  std::uint64_t digest = 0;
};

/// May change a word in the middle of a link: (wire, number of the word on it, value).
using Tamper = std::function<std::uint64_t(std::size_t, std::size_t, std::uint64_t)>;

inline constexpr unsigned kSwapLanes = 3, kSwapChannels = 4, kSwapPorts = 4, kSwapRecord = 60;
inline constexpr std::uint64_t kSwapBytes = 1 << 16;  ///< of a channel

/// The two shapes of the RTL that all swap tests share, so that each is built once.
CollectiveParams checked_params();  ///< block checks, no extra cycles; two partitions
CollectiveParams plain_params();    ///< no block checks; command_cycles and step_cycles; one partition

struct Scene {
  CollectiveParams params = checked_params();
  fabric::LinkSpec link{.latency = 250'000, .period = 1'422};  ///< 45 Gb/s
  int nodes = 2;
  std::vector<std::pair<int, int>> links;  ///< lanes of a node are numbered in this order
  /// [round][node]. Round r + 1 begins, with `clear`, a while after every node has reported round r's end.
  std::vector<std::vector<Program>> programs;
  std::vector<std::vector<Bytes>> memory;  ///< [node][channel]; shorter ones: the rest is zero
  std::vector<Cycle> skew = {};            ///< [node]: start of round 0 so many cycles late
  std::uint64_t watchdog = 0;
  /// Rounds begin so far apart, whatever the nodes report; 0: as `programs` says. For nodes that stop at
  /// times of their own: all must have stopped before the first is cleared.
  fabric::Time every = 0;
  std::vector<unsigned> status = {};  ///< words of the operator that the hosts read at the end
  Tamper tamper = {};
  fabric::EngineOptions engine = {};
  std::function<void(fabric::Fabric&)> partition = {};  ///< for MPI
};

/// Runs with the nodes of the mask as RTL.
Outcome run(const Scene& setup, std::uint64_t rtl);

/// The first difference in words, empty if there is none. `cycles`: also when things happened.
std::string difference(const Outcome& a, const Outcome& b, bool cycles = true);

std::vector<std::pair<int, int>> mesh(int nodes);

}  // namespace polyloom::collective::swap
