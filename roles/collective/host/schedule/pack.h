// SPDX-License-Identifier: Apache-2.0
// Puts units of work into steps, and steps into programs.
//
// How: a work is cut where its places cross pieces of their layouts; cuts that follow one another at constant
//   strides on the same way become one stream of several runs (cut.h). These units are placed first-fit,
//   largest first, into steps of their phase, so that in a step each R#, W#, lane and operator port of a node
//   is used once.
// Rates: links do not push back, so what arrives must be taken as it comes. A stream from a lane is not
//   written where the same step reads, nor what an operator joins read where it writes, if it is longer than
//   a receive buffer (they would share a half of the channel); and streams that an operator joins begin
//   together: where the nodes' own pulses do not make sure of it, steps of pulses go before (synchronise).
//   Where lanes differ so much that neither helps, streams that meet or are relayed are cut into parts that a
//   receive buffer holds.
// Order: all nodes see the same sequence of steps and leave out those in which they have no part.
#pragma once

#include <array>
#include <cstdint>
#include <set>
#include <utility>
#include <vector>

#include "roles/collective/arch/program.h"
#include "roles/collective/host/schedule/plan.h"

namespace polyloom::collective {

/// What a node offers; all nodes of a communicator are alike.
struct NodeShape {
  unsigned channels = 8;
  unsigned operator_inputs = 16, operator_outputs = 2;
  std::uint64_t eager_bytes =
      0;  ///< blocks up to this size wait in the receiver's buffer; 0: always rendezvous
  std::uint64_t rx_bytes = 4096;          ///< receive buffer of a lane
  std::uint64_t half_bytes = UINT64_MAX;  ///< where a channel's second half begins
  /// All lanes have one rate; their latencies differ by less than a receive buffer makes up for.
  bool even_rates = true, even_latencies = true;
  bool reduces = true;  ///< the slot holds the reduce operator
};

struct Pattern {
  unsigned channel = 0;
  std::uint64_t base = 0;
  std::uint32_t run_bytes = 0, runs = 1;
  std::int64_t stride = 0;

  /// Which halves of its channel it touches: bit 0 the first, bit 1 the second.
  unsigned halves(std::uint64_t half_bytes) const;
};

struct Hop {
  int from = 0, tx = 0, to = 0, rx = 0;
};
struct Feed {
  int rank = 0;
  unsigned input = 0;
};
struct Write {
  int rank = 0;
  Pattern pattern;
};

/// One stream in its step.
struct Stream {
  std::uint64_t bytes = 0;  ///< 0: pulse only
  int rank = 0;             ///< where it begins
  int output = -1;          ///< of the operator there; -1: read from memory
  Pattern read;
  std::vector<Hop> hops;
  std::vector<Write> writes;
  std::vector<Feed> feeds;
  bool eager = false;

  std::uint64_t beat_bytes() const;  ///< whole beats: what a receive buffer must hold
};
struct OperatorUse {
  int rank = 0;
  unsigned output = 0;
  std::uint64_t inputs = 0;  ///< mask
  Combine combine;
};
struct Step {
  std::vector<Stream> streams;
  std::vector<OperatorUse> operators;
  std::uint64_t bytes = 0;     ///< of its longest stream
  std::vector<bool> together;  ///< [rank]
};

struct Schedule {
  std::string algorithm;
  std::vector<Step> steps;
  std::uint64_t lane_bytes(const Topology& topology, int rank, int lane) const;  ///< sent on that lane
};

/// Lanes (rank, tx) whose last block was a rendezvous one. Its pulse came before it, so it does not say that
/// the block was drained: an eager block behind it could find the buffer full, or its check frame could
/// overtake.
using Undrained = std::set<std::pair<int, int>>;
/// Makes eager streams rendezvous where such a block may be before them. Schedules of one program share
/// `lanes`.
void settle_eager(Schedule& schedule, Undrained& lanes);

struct Unit;  // cut.h
/// Steps that have all units of a phase.
std::vector<Step> pack(std::vector<Unit> units, const Topology& topology, const NodeShape& shape);
/// The steps, and before each as many of pulses as let what its operators join begin together.
std::vector<Step> synchronise(std::vector<Step> steps, const Topology& topology, const NodeShape& shape);

struct ProgramOptions {
  std::uint32_t signature = 0;    ///< of the operation: count, type, root, order (Request's fingerprint)
  std::uint8_t last_mark = 0xff;  ///< mark of the go of a rank's last step
  bool end = true;                ///< finish with `end`; false: another operation's program follows
};
/// Instructions of each rank.
std::vector<std::vector<Instruction>> programs(const Schedule& schedule, int ranks,
                                               const ProgramOptions& options = {});

/// Configuration word of the reduce operator (blocks/operators).
std::uint64_t operator_word(const Combine& combine);

}  // namespace polyloom::collective
