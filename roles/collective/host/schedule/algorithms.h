// SPDX-License-Identifier: Apache-2.0
// The algorithms by name: which apply, what they want their buffers to look like, and their plans.
//
// Each operation has a row in algorithms.cc: its algorithms, the published ones first, when each applies, and
//   what plans them. What an operation is stands in its row of spec/collective.py. The paper's algorithms are
//   direct, dimension, store, aggressive and naive. Deadlock: see ../README.md.
#pragma once

#include <string>
#include <vector>

#include "roles/collective/host/schedule/pack.h"
#include "roles/collective/host/schedule/plan.h"

namespace polyloom::collective {

/// A request that is in order, and the cluster that it is for: what everything gets that plans. Requests are
/// checked here and nowhere else.
struct Situation {
  /// Number of sizes, element size, ranks. Throws UserError.
  Situation(const Request& request, const Topology& topology, const NodeShape& shape);

  const Request& request;
  const Topology& topology;
  const NodeShape& shape;
};

/// Throws UserError if the nodes lack something for a request, in words that say what to change.
void require_operator(const Situation& situation);
/// Names that apply, the paper's first; none where the nodes lack an operator. Those whose streams must all
/// meet at once need as many operator inputs.
std::vector<std::string> algorithms(const Situation& situation);
/// Throws UserError with the names that apply if `algorithm` does not.
void require_algorithm(const std::string& algorithm, const Situation& situation);
/// The phases of an algorithm that applies, and the memory that they need in between; joins may be of any
/// number of streams.
Plan phases_of(const std::string& algorithm, const Situation& situation);
/// Whether it averages integers in stages, which hand each other sums of 32 bits: those must not overflow.
/// (Where all inputs meet in one operator the sum is wide enough.)
bool hands_on_integer_sums(const Plan& plan, const Request& request);
/// Layouts (bases from 0) that let the algorithm use its lanes with the fewest steps.
Buffers preferred_buffers(const std::string& algorithm, const Situation& situation);

/// Joins of more streams than the operator has inputs become chains of phases over scratch memory.
void limit_fan_in(Plan& plan, const NodeShape& shape);

namespace detail {

using Dimensions = std::vector<int>;  ///< in the order in which an algorithm goes through them

/// Memory that an algorithm needs in between, allotted piece by piece.
class Scratch {
 public:
  Scratch(const Topology& topology, unsigned channels, int buffer = kScratch);
  /// A new piece of `bytes` bytes at `rank`, in channel `channel` modulo their number.
  Place add(int rank, std::uint64_t bytes, unsigned channel);
  /// Room for bytes [offset, offset + bytes) of a buffer, cut and in the channels as its layout has them.
  Place like(int rank, const Layout& layout, std::uint64_t offset, std::uint64_t bytes);
  std::vector<Layout> take() { return std::move(layouts_); }

 private:
  unsigned channels_;
  int buffer_;
  std::vector<Layout> layouts_;
  std::vector<std::vector<std::uint64_t>> next_;
};

/// Part of a vector that `owner` combines (reduce) or contributes (gather).
struct Part {
  std::uint64_t offset = 0, bytes = 0;
  int owner = 0;
};

/// Dimensions with more than one member, rows first; reversed if `columns_first`.
Dimensions dimensions(const Topology& topology, bool columns_first = false);
/// Shortest ways from a to b: one if they are neighbours, else by row first and by column first.
std::vector<Route> shortest(const Topology& topology, int a, int b);
/// Ways that share no lane: one over each lane group of a.
std::vector<Route> disjoint(const Topology& topology, int a, int b);
/// N parts of a vector, part i owned by rank i.
std::vector<Part> even_parts(std::uint64_t bytes, const Topology& topology);
/// Parts whose sizes are given, part i owned by rank i.
std::vector<Part> sized_parts(const std::vector<std::uint64_t>& sizes);
/// First or second half of each part, cut at beats.
std::vector<Part> half_of(const std::vector<Part>& parts, int half);
Work move_work(const Place& from, std::vector<Route> routes, const Place& to, std::uint64_t bytes);
/// Appends to phases[at], growing the list.
void add(std::vector<Phase>& phases, std::size_t at, Work work);
/// Pulses both ways between all neighbours of these dimensions, in one phase.
Phase pulses(const Topology& topology, const Dimensions& dims);

void plan_reduce(const std::string& algorithm, const Situation& situation, Plan& plan);
void plan_reduce_scatter(const std::string& algorithm, const Situation& situation, Plan& plan);
void plan_all_reduce(const std::string& algorithm, const Situation& situation, Plan& plan);
void plan_all_gather(const std::string& algorithm, const Situation& situation, Plan& plan);
void plan_broadcast(const std::string& algorithm, const Situation& situation, Plan& plan);
/// Each part goes from its owner to all ranks, dimension by dimension, from phase `at` on.
/// first: where the owner has it; here(rank, part): where a rank keeps it.
template <class First, class Here>
void spread(const Topology& topology, const std::vector<Part>& parts, const Dimensions& dims, std::size_t at,
            First first, Here here, std::vector<Phase>& phases);

}  // namespace detail
}  // namespace polyloom::collective
