// SPDX-License-Identifier: Apache-2.0
// What an operation is, and what an algorithm makes of it: phases of work, not yet cut into steps.
//
// Contract: a Flow is one stream: from a place in memory or out of a join, over a tree of lanes, to places in
//   memory and into joins. A Work is what must run in one step because its streams meet: its flows all have
//   `bytes` bytes, and byte i of each is processed together. Works of a phase are independent of each other;
//   a phase may use what the phases before it wrote. Hazards are local to a node, whose steps run in order,
//   so phases need no barrier between them.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "roles/collective/host/schedule/layout.h"
#include "roles/collective/host/schedule/operations.h"
#include "roles/collective/host/schedule/topology.h"

namespace polyloom::collective {

/// "all_to_all"; parse also takes '-' for '_' and throws UserError with the known names.
const char* name_of(Operation operation);
Operation parse_operation(const std::string& name);

enum class ReduceOp : std::uint8_t { sum = 0, min = 1, max = 2, average = 3 };
enum class DataType : std::uint8_t { fp32 = 0, int32 = 1, bytes = 2 };
const char* name_of(ReduceOp op);
const char* name_of(DataType type);
ReduceOp parse_reduce_op(const std::string& name);
DataType parse_data_type(const std::string& name);
unsigned size_of(DataType type);

/// What ranks ask for together. What its sizes are, in bytes, and who gives and gets what: operations.h.
struct Request {
  Operation operation = Operation::barrier;
  std::vector<std::uint64_t> sizes{};
  int root = 0;         ///< also the source of a unicast
  int destination = 0;  ///< of a unicast
  ReduceOp reduce = ReduceOp::sum;
  DataType type = DataType::bytes;

  std::uint64_t total() const;
  const Traits& traits() const { return collective::traits(operation); }
  bool reduces() const { return traits().reduces; }
};
/// How many sizes a request of so many ranks has.
std::size_t sizes_of(Operation operation, int ranks);
/// Bytes of the buffers that `rank` gives and gets; 0: none.
std::uint64_t send_bytes(const Request& request, const Topology& topology, int rank);
std::uint64_t recv_bytes(const Request& request, const Topology& topology, int rank);
/// Bytes of its send buffer that one rank gives another, or itself, and where they lie in both buffers.
struct Transfer {
  int from = 0, to = 0;
  std::uint64_t at = 0, bytes = 0, into = 0;
};
/// All transfers of an operation that combines nothing; a receive buffer's parts come in the order of
/// senders.
std::vector<Transfer> transfers(const Request& request, int ranks);

/// A channel reads and writes at full rate at once only in different halves, so what a phase reads and what
/// it writes should lie in different ones: send and kLow lie in the first, kScratch in the second, recv in
/// the second too unless the plan says otherwise.
enum BufferId { kSend = 0, kRecv = 1, kScratch = 2, kLow = 3 };

/// A place in a buffer of a rank.
struct Place {
  int rank = 0;
  int buffer = kSend;
  std::uint64_t offset = 0;
};
struct Edge {
  int from = 0, to = 0;
};
using Route = std::vector<Edge>;  ///< a tree, parents before children; empty: stays in the node

struct Flow {
  int join = -1;              ///< comes out of that join of its work; -1: from memory at `source`
  Place source;               ///< .rank also when it comes out of a join
  std::vector<Route> routes;  ///< alternatives, at least one
  std::vector<Place> writes;  ///< at nodes of the tree, the root included
  std::vector<int> feeds;     ///< joins of the work, at nodes of the tree; a join's inputs in flow order
};

/// Element-wise combination of a join's inputs.
struct Combine {
  ReduceOp op = ReduceOp::sum;
  DataType type = DataType::fp32;
  unsigned divisor = 1;  ///< average: the sum is divided by it (also by more than there are inputs)
  bool operator==(const Combine&) const = default;
};
struct Join {
  int rank = 0;
  Combine combine;
};

/// bytes 0: a pulse over each edge (barrier); flows then have routes only.
struct Work {
  std::uint64_t bytes = 0;
  std::vector<Flow> flows;
  std::vector<Join> joins;
};
using Phase = std::vector<Work>;

/// Buffers of each rank as they lie in its channels; [rank].
struct Buffers {
  std::vector<Layout> send, recv, scratch, low;
  bool operator==(const Buffers&) const = default;
  const Layout& of(int rank, int buffer) const {
    const auto& all = buffer == kSend ? send : buffer == kRecv ? recv : buffer == kLow ? low : scratch;
    return all.at(static_cast<std::size_t>(rank));
  }
};

struct Plan {
  std::string algorithm;
  std::vector<Phase> phases;
  std::vector<Layout> scratch, low;  ///< what each rank needs, bases from 0; empty layouts: nothing
  bool recv_low = false;             ///< receive buffers lie in the first halves
};

}  // namespace polyloom::collective
