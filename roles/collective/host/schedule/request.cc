// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <span>

#include "fabric/error.h"
#include "roles/collective/host/schedule/plan.h"

namespace polyloom::collective {
namespace {

constexpr const char* kOperationNames[] = {"barrier",        "unicast",    "scatter",    "gather",
                                           "broadcast",      "all_to_all", "all_gather", "reduce",
                                           "reduce_scatter", "all_reduce"};
constexpr const char* kReduceNames[] = {"sum", "min", "max", "average"};
constexpr const char* kTypeNames[] = {"fp32", "int32", "bytes"};

std::size_t parse(std::string name, std::span<const char* const> known, const char* what) {
  std::replace(name.begin(), name.end(), '-', '_');
  for (std::size_t i = 0; i < known.size(); ++i) {
    if (name == known[i]) return i;
  }
  throw UserError(fmt::format("{} '{}': known are {}", what, name, fmt::join(known, ", ")));
}

/// At most the largest number: what overflows fits in no memory and must not look small.
std::uint64_t plus(std::uint64_t a, std::uint64_t b) { return a + b < a ? UINT64_MAX : a + b; }
std::uint64_t sum(std::span<const std::uint64_t> v) {
  return std::accumulate(v.begin(), v.end(), std::uint64_t{0}, plus);
}

}  // namespace

const char* name_of(Operation operation) { return kOperationNames[static_cast<int>(operation)]; }
const char* name_of(ReduceOp op) { return kReduceNames[static_cast<int>(op)]; }
const char* name_of(DataType type) { return kTypeNames[static_cast<int>(type)]; }
Operation parse_operation(const std::string& name) {
  return static_cast<Operation>(parse(name, kOperationNames, "operation"));
}
ReduceOp parse_reduce_op(const std::string& name) {
  return static_cast<ReduceOp>(parse(name, kReduceNames, "reduction"));
}
DataType parse_data_type(const std::string& name) {
  return static_cast<DataType>(parse(name, kTypeNames, "data type"));
}
unsigned size_of(DataType type) { return type == DataType::bytes ? 1 : 4; }

std::uint64_t Request::total() const { return sum(sizes); }

std::uint64_t send_bytes(const Request& r, const Topology& t, int rank) {
  const auto n = static_cast<std::size_t>(t.size()), me = static_cast<std::size_t>(rank);
  switch (r.operation) {
    case Operation::barrier:
      return 0;
    case Operation::unicast:
    case Operation::broadcast:
    case Operation::scatter:
      return rank == r.root ? r.total() : 0;
    case Operation::gather:
    case Operation::all_gather:
      return r.sizes[me];
    case Operation::all_to_all:
      return sum(std::span(r.sizes).subspan(me * n, n));
    case Operation::reduce:
    case Operation::reduce_scatter:
    case Operation::all_reduce:
      return r.total();
  }
  return 0;
}

std::uint64_t recv_bytes(const Request& r, const Topology& t, int rank) {
  const auto n = static_cast<std::size_t>(t.size()), me = static_cast<std::size_t>(rank);
  switch (r.operation) {
    case Operation::barrier:
      return 0;
    case Operation::unicast:
      return rank == r.destination ? r.total() : 0;
    case Operation::broadcast:
      return rank == r.root ? 0 : r.total();
    case Operation::all_gather:
    case Operation::all_reduce:
      return r.total();
    case Operation::scatter:
    case Operation::reduce_scatter:
      return r.sizes[me];
    case Operation::gather:
    case Operation::reduce:
      return rank == r.root ? r.total() : 0;
    case Operation::all_to_all: {
      std::uint64_t all = 0;
      for (std::size_t i = 0; i < n; ++i) all = plus(all, r.sizes[i * n + me]);
      return all;
    }
  }
  return 0;
}

void check(const Request& r, const Topology& t) {
  const auto n = static_cast<std::size_t>(t.size());
  const std::size_t wanted = r.operation == Operation::barrier      ? 0
                             : r.operation == Operation::all_to_all ? n * n
                             : r.operation == Operation::unicast || r.operation == Operation::broadcast ||
                                     r.operation == Operation::reduce || r.operation == Operation::all_reduce
                                 ? 1
                                 : n;
  if (r.sizes.size() != wanted) {
    throw UserError(fmt::format("{}: {} sizes given, {} wanted for {} ranks", name_of(r.operation),
                                r.sizes.size(), wanted, n));
  }
  for (const int rank : {r.root, r.destination}) {
    if (rank < 0 || rank >= t.size()) {
      throw UserError(
          fmt::format("{}: rank {} is not one of 0..{}", name_of(r.operation), rank, t.size() - 1));
    }
  }
  if (r.reduces() && r.type == DataType::bytes) {
    throw UserError(
        fmt::format("{}: data type bytes cannot be reduced; use fp32 or int32", name_of(r.operation)));
  }
  for (const std::uint64_t s : r.sizes) {
    if (s % size_of(r.type) != 0) {
      throw UserError(fmt::format("{}: {} bytes are no whole number of {} elements", name_of(r.operation), s,
                                  name_of(r.type)));
    }
  }
}

}  // namespace polyloom::collective
