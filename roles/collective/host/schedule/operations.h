// SPDX-License-Identifier: Apache-2.0
// Collective operations. Made from spec/ by python -m spec; do not edit.
// clang-format off
#pragma once

#include <cstdint>

namespace polyloom::collective {

enum class Operation {
  barrier,
  unicast,
  scatter,
  gather,
  broadcast,
  all_to_all,
  all_gather,
  reduce,
  reduce_scatter,
  all_reduce,
};

inline constexpr Operation kOperations[] = {
    Operation::barrier,
    Operation::unicast,
    Operation::scatter,
    Operation::gather,
    Operation::broadcast,
    Operation::all_to_all,
    Operation::all_gather,
    Operation::reduce,
    Operation::reduce_scatter,
    Operation::all_reduce,
};

/// What a request's sizes are.
enum class SizeKind : std::uint8_t {
  /// there are none
  none = 0,
  /// one: the whole vector
  vector = 1,
  /// a block for each rank
  blocks = 2,
  /// a block for each pair: sizes[i * ranks + j] goes from i to j
  pairs = 3,
};

/// Which ranks have a buffer.
enum class Who : std::uint8_t {
  /// none of them
  none = 0,
  /// every rank
  all = 1,
  /// the request's root
  root = 2,
  /// all but the root
  others = 3,
  /// the request's destination
  destination = 4,
};

/// What lies in a buffer.
enum class Holds : std::uint8_t {
  /// no byte
  nothing = 0,
  /// all bytes, as one vector
  vector = 1,
  /// the rank's own block
  block = 2,
  /// all blocks, one after the other in the order of ranks
  blocks = 3,
  /// the blocks from the rank to each, in their order
  row = 4,
  /// the blocks from each to the rank, in their order
  column = 5,
};

/// Bus bandwidth by algorithm bandwidth of n ranks, as nccl-tests counts.
enum class Bus : std::uint8_t {
  /// 0: nothing moves
  none = 0,
  /// 1
  whole = 1,
  /// (n - 1) / n
  share = 2,
  /// 2 (n - 1) / n
  twice = 3,
};

/// What an operation is.
struct Traits {
  const char* name;
  SizeKind sizes;
  Who sender;
  Holds sends;
  Who receiver;
  Holds receives;
  Bus bus;
  bool reduces;  ///< elements of all ranks are combined on their way
};
inline constexpr Traits kTraits[] = {
    {"barrier", SizeKind::none, Who::none, Holds::nothing, Who::none, Holds::nothing, Bus::none, false},
    {"unicast", SizeKind::vector, Who::root, Holds::vector, Who::destination, Holds::vector, Bus::whole, false},
    {"scatter", SizeKind::blocks, Who::root, Holds::blocks, Who::all, Holds::block, Bus::share, false},
    {"gather", SizeKind::blocks, Who::all, Holds::block, Who::root, Holds::blocks, Bus::share, false},
    {"broadcast", SizeKind::vector, Who::root, Holds::vector, Who::others, Holds::vector, Bus::whole, false},
    {"all_to_all", SizeKind::pairs, Who::all, Holds::row, Who::all, Holds::column, Bus::share, false},
    {"all_gather", SizeKind::blocks, Who::all, Holds::block, Who::all, Holds::blocks, Bus::share, false},
    {"reduce", SizeKind::vector, Who::all, Holds::vector, Who::root, Holds::vector, Bus::whole, true},
    {"reduce_scatter", SizeKind::blocks, Who::all, Holds::blocks, Who::all, Holds::block, Bus::share, true},
    {"all_reduce", SizeKind::vector, Who::all, Holds::vector, Who::all, Holds::vector, Bus::twice, true},
};
constexpr const Traits& traits(Operation one) { return kTraits[static_cast<int>(one)]; }

}  // namespace polyloom::collective
