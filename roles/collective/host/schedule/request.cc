// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <numeric>
#include <span>
#include <vector>

#include "fabric/error.h"
#include "roles/collective/host/schedule/algorithms.h"

namespace polyloom::collective {
namespace {

constexpr const char* kReduceNames[] = {"sum", "min", "max", "average"};
constexpr const char* kTypeNames[] = {"fp32", "int32", "bytes"};

template <class Names>
std::size_t parse(std::string name, const Names& known, const char* what) {
  std::replace(name.begin(), name.end(), '-', '_');
  for (std::size_t i = 0; i < std::size(known); ++i) {
    if (name == known[i]) return i;
  }
  throw UserError(fmt::format("{} '{}': known are {}", what, name, fmt::join(known, ", ")));
}

/// At most the largest number: what overflows fits in no memory and must not look small.
std::uint64_t plus(std::uint64_t a, std::uint64_t b) { return a + b < a ? UINT64_MAX : a + b; }
std::uint64_t sum(std::span<const std::uint64_t> v) {
  return std::accumulate(v.begin(), v.end(), std::uint64_t{0}, plus);
}

bool has(Who who, const Request& r, int rank) {
  switch (who) {
    case Who::none:
      return false;
    case Who::all:
      return true;
    case Who::root:
      return rank == r.root;
    case Who::others:
      return rank != r.root;
    case Who::destination:
      return rank == r.destination;
  }
  return false;
}

std::uint64_t bytes_of(Holds what, const Request& r, std::size_t ranks, std::size_t me) {
  std::uint64_t all = 0;
  switch (what) {
    case Holds::nothing:
      return 0;
    case Holds::vector:
    case Holds::blocks:
      return r.total();
    case Holds::block:
      return r.sizes[me];
    case Holds::row:
      return sum(std::span(r.sizes).subspan(me * ranks, ranks));
    case Holds::column:
      for (std::size_t i = 0; i < ranks; ++i) all = plus(all, r.sizes[i * ranks + me]);
      return all;
  }
  return 0;
}

/// The share of a rank's buffer that is of `other`: that it sends there, or gets from there.
struct Share {
  std::uint64_t at = 0, bytes = 0;
};
Share share_of(Holds what, const Request& r, std::size_t ranks, std::size_t me, std::size_t other) {
  Share share;
  switch (what) {
    case Holds::nothing:
      return {};
    case Holds::vector:
      return {0, r.total()};
    case Holds::block:
      return {0, r.sizes[me]};
    case Holds::blocks:
      return {sum(std::span(r.sizes).first(other)), r.sizes[other]};
    case Holds::row:
      return {sum(std::span(r.sizes).subspan(me * ranks, other)), r.sizes[me * ranks + other]};
    case Holds::column:
      for (std::size_t i = 0; i < other; ++i) share.at += r.sizes[i * ranks + me];
      share.bytes = r.sizes[other * ranks + me];
      return share;
  }
  return share;
}

}  // namespace

const char* name_of(Operation operation) { return traits(operation).name; }
const char* name_of(ReduceOp op) { return kReduceNames[static_cast<int>(op)]; }
const char* name_of(DataType type) { return kTypeNames[static_cast<int>(type)]; }
Operation parse_operation(const std::string& name) {
  std::vector<const char*> names;
  for (const Traits& one : kTraits) names.push_back(one.name);
  return static_cast<Operation>(parse(name, names, "operation"));
}
ReduceOp parse_reduce_op(const std::string& name) {
  return static_cast<ReduceOp>(parse(name, kReduceNames, "reduction"));
}
DataType parse_data_type(const std::string& name) {
  return static_cast<DataType>(parse(name, kTypeNames, "data type"));
}
unsigned size_of(DataType type) { return type == DataType::bytes ? 1 : 4; }

std::uint64_t Request::total() const { return sum(sizes); }

std::size_t sizes_of(Operation operation, int ranks) {
  const auto n = static_cast<std::size_t>(ranks);
  switch (traits(operation).sizes) {
    case SizeKind::none:
      return 0;
    case SizeKind::vector:
      return 1;
    case SizeKind::blocks:
      return n;
    case SizeKind::pairs:
      return n * n;
  }
  return 0;
}

std::uint64_t send_bytes(const Request& r, const Topology& t, int rank) {
  if (!has(r.traits().sender, r, rank)) return 0;
  return bytes_of(r.traits().sends, r, static_cast<std::size_t>(t.size()), static_cast<std::size_t>(rank));
}

std::uint64_t recv_bytes(const Request& r, const Topology& t, int rank) {
  if (!has(r.traits().receiver, r, rank)) return 0;
  return bytes_of(r.traits().receives, r, static_cast<std::size_t>(t.size()), static_cast<std::size_t>(rank));
}

Situation::Situation(const Request& r, const Topology& t, const NodeShape& nodes)
    : request(r), topology(t), shape(nodes) {
  const auto n = static_cast<std::size_t>(t.size());
  const std::size_t wanted = sizes_of(r.operation, t.size());
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

std::vector<Transfer> transfers(const Request& r, int ranks) {
  std::vector<Transfer> all;
  const auto n = static_cast<std::size_t>(ranks);
  for (int to = 0; to < ranks; ++to) {
    if (!has(r.traits().receiver, r, to)) continue;
    for (int from = 0; from < ranks; ++from) {
      if (!has(r.traits().sender, r, from)) continue;
      const auto i = static_cast<std::size_t>(from), j = static_cast<std::size_t>(to);
      const Share share = share_of(r.traits().sends, r, n, i, j);
      all.push_back({from, to, share.at, share.bytes, share_of(r.traits().receives, r, n, j, i).at});
    }
  }
  return all;
}

}  // namespace polyloom::collective
