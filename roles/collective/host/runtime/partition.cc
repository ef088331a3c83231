// SPDX-License-Identifier: Apache-2.0
// Communicator::partition: keys go to the rank that owns their bucket, by the operator in the nodes' slots.
//
// How: a pass for each dimension of the cluster. All channels of a node feed its partition, whose output m
//   goes to member m of the node's row or column; what comes is written to one channel for each member, with
//   open end. How much that is the sender's counts of keys say; the host reads them between passes.
// Order of memory: a pass reads one half of the channels and writes the other, as links do not push back.
#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "polyloom/collectives.h"
#include "roles/collective/arch/program.h"
#include "roles/collective/host/schedule/topology.h"

namespace polyloom::collective {
namespace {

using Words = std::span<const std::uint32_t>;

// Status words of the operator (blocks/operators/README.md), and what it can tell apart.
constexpr unsigned kBucketWord = 2, kMaxBits = 6, kMaxRouteBits = 5;
constexpr std::uint64_t kPair = 1 << 16;

/// Records in one channel of a rank.
struct Area {
  Buffer buffer;
  std::uint64_t bytes = 0;
  unsigned channel() const { return buffer.layout().pieces.front().channel; }
  std::uint64_t base() const { return buffer.layout().pieces.front().base; }
};
using Held = std::vector<Area>;  ///< of a rank: none empty, all in different channels

std::uint64_t total(const Held& held) {
  return std::accumulate(held.begin(), held.end(), std::uint64_t{0},
                         [](std::uint64_t sum, const Area& a) { return sum + a.bytes; });
}

int coordinate(const Topology& t, int dimension, int rank) {
  return dimension == 0 ? t.x_of(rank) : t.y_of(rank);
}

/// One dimension's pass over all ranks.
class Pass {
 public:
  Pass(Communicator& comm, const Partition& how, int dimension, bool pairs, Half to)
      : comm_(comm), how_(how), dimension_(dimension), pairs_(pairs), to_(to) {
    const std::size_t members = comm.topology().group(dimension, 0).size();
    const auto route_bits = std::min(how.bits, kMaxRouteBits);
    routes_.assign(members, 0);
    for (std::size_t b = 0; b < how.owners.size(); ++b) {
      const auto member = index(coordinate(comm.topology(), dimension, how.owners[b]));
      routes_[member] |= std::uint32_t{1} << (b >> (how.bits - route_bits));
      member_of_.push_back(member);
    }
  }

  /// Moves what is held; the status words of each rank that held something.
  std::vector<NodeRun> run(std::vector<Held>& held, double& seconds) {
    std::vector<Held> next(held.size());
    std::vector<std::vector<Instruction>> programs(held.size());
    for (int rank = 0; rank < comm_.size(); ++rank) {
      add_sends(rank, held[index(rank)], programs[index(rank)]);
      add_arrivals(rank, held, next[index(rank)], programs[index(rank)]);
      auto& program = programs[index(rank)];
      if (!program.empty()) program.push_back({.op = Op::go, .index = 1});
      program.emplace_back();
    }
    const auto status_words = kBucketWord + static_cast<unsigned>(member_of_.size());
    // At worst all goes over one lane.
    double bytes = 0;
    for (const Held& areas : held) {
      for (const Area& area : areas) bytes += static_cast<double>(area.bytes);
    }
    const CostParameters& p = *comm_.parameters();
    RunOptions options{.status_words = status_words};
    if (p.lane_rate > 0) options.patience = 2 * bytes / std::min(p.lane_rate, p.memory_rate);
    auto runs = comm_.run_programs(programs, options);
    std::uint64_t begin = UINT64_MAX, finish = 0;
    for (std::size_t r = 0; r < runs.size(); ++r) {
      begin = std::min(begin, runs[r].marks[0]);
      finish = std::max(finish, runs[r].marks[programs[r].size() > 1 ? 1 : 0]);
    }
    seconds += static_cast<double>(finish - begin) / comm_.clock_hz();
    for (int rank = 0; rank < comm_.size(); ++rank) settle(rank, next[index(rank)], runs);
    held = std::move(next);
    return runs;
  }

 private:
  std::size_t place_of(int rank) const { return index(coordinate(comm_.topology(), dimension_, rank)); }
  /// Both ends of the lane from one rank to another.
  std::pair<std::uint8_t, std::uint8_t> lane(int from, int to) const {
    const int out = comm_.topology().lanes_to(from, to).front();
    const int in = comm_.topology().lanes[index(from)][index(out)].lane;
    return {static_cast<std::uint8_t>(out), static_cast<std::uint8_t>(in)};
  }

  void add_sends(int rank, const Held& held, std::vector<Instruction>& program) const {
    if (held.empty()) return;
    const std::uint64_t mask = (std::uint64_t{1} << held.size()) - 1;
    for (std::size_t i = 0; i < held.size(); ++i) {
      const auto channel = static_cast<std::uint8_t>(held[i].channel());
      program.push_back({.op = Op::read,
                         .index = channel,
                         .run_bytes = static_cast<std::uint32_t>(held[i].bytes),
                         .base = held[i].base(),
                         .runs = 1});
      program.push_back({.op = Op::feed,
                         .index = static_cast<std::uint8_t>(i),
                         .source = static_cast<std::uint8_t>(kFromRead + channel)});
    }
    const std::vector<int> group = comm_.topology().group(dimension_, rank);
    for (std::size_t m = 0; m < group.size(); ++m) {
      if (routes_[m] == 0) continue;
      const auto output = static_cast<std::uint8_t>(m);
      const std::uint64_t word =
          how_.shift | std::uint64_t{how_.bits} << 8 | (pairs_ ? kPair : 0) | std::uint64_t{routes_[m]} << 32;
      program.push_back({.op = Op::config,
                         .index = output,
                         .base = word,
                         .stride = static_cast<std::int64_t>(mask),
                         .extra = static_cast<std::uint32_t>(OperatorKind::partition)});
      if (group[m] == rank) continue;
      program.push_back({.op = Op::send,
                         .index = lane(rank, group[m]).first,
                         .source = static_cast<std::uint8_t>(kFromOperator + output)});
    }
  }

  /// What comes from member s goes to channel s; there may be as much of it as the member holds.
  void add_arrivals(int rank, const std::vector<Held>& held, Held& next,
                    std::vector<Instruction>& program) const {
    const std::size_t place = place_of(rank);
    if (routes_[place] == 0) return;
    const std::vector<int> group = comm_.topology().group(dimension_, rank);
    for (std::size_t s = 0; s < group.size(); ++s) {
      const std::uint64_t most = total(held[index(group[s])]);
      if (most == 0) continue;
      std::uint8_t source = static_cast<std::uint8_t>(kFromOperator + place);
      if (group[s] != rank) {
        const std::uint8_t in = lane(group[s], rank).second;
        program.push_back({.op = Op::take, .index = in});
        source = static_cast<std::uint8_t>(kFromLane + in);
      }
      next.push_back({room(rank, static_cast<unsigned>(s), most), 0});
      program.push_back({.op = Op::write,
                         .index = static_cast<std::uint8_t>(s),
                         .source = source,
                         .flags = kOpenEnd,
                         .run_bytes = static_cast<std::uint32_t>(most),
                         .base = next.back().base(),
                         .runs = 1});
    }
  }

  Buffer room(int rank, unsigned channel, std::uint64_t bytes) const {
    const std::uint64_t middle = comm_.channel_bytes() / 2;
    Buffer buffer = comm_.allocate(rank, channel, bytes, to_);
    const std::uint64_t base = buffer.layout().pieces.front().base;
    // In the half that the pass reads it could not be written as fast as links bring it.
    if (to_ == Half::first ? base + bytes <= middle : base >= middle) return buffer;
    throw UserError(fmt::format(
        "partition: rank {} needs room for all {} bytes of a sender in one half of channel {}, which has {} "
        "bytes in all; send less at once, or free buffers",
        rank, bytes, channel, middle));
  }

  /// Lengths of what has come; places where nothing came are given back.
  void settle(int rank, Held& next, const std::vector<NodeRun>& runs) const {
    const std::vector<int> group = comm_.topology().group(dimension_, rank);
    for (Area& area : next) {
      const auto& status = runs[index(group[area.channel()])].status;
      for (std::size_t b = 0; b < member_of_.size(); ++b) {
        if (member_of_[b] == place_of(rank)) area.bytes += status[kBucketWord + b] * (pairs_ ? 8 : 4);
      }
    }
    std::erase_if(next, [](const Area& a) { return a.bytes == 0; });
  }

  Communicator& comm_;
  const Partition& how_;
  int dimension_;
  bool pairs_;
  Half to_;
  std::vector<std::uint32_t> routes_;   ///< [member] bit r: route r is its
  std::vector<std::size_t> member_of_;  ///< [bucket]
};

void check_columns(const Communicator& comm, std::span<const Words> keys, std::span<const Words> values,
                   Partition& how) {
  const int n = comm.size();
  if (how.bits > kMaxBits || how.shift > 31) {
    throw UserError(fmt::format("partition by {} bits from bit {}: allowed are 0 to {} bits from 0 to 31",
                                how.bits, how.shift, kMaxBits));
  }
  const std::size_t buckets = std::size_t{1} << how.bits;
  if (how.owners.empty()) {
    for (std::size_t b = 0; b < buckets; ++b)
      how.owners.push_back(static_cast<int>(b * index(n) >> how.bits));
  }
  if (how.owners.size() != buckets) {
    throw UserError(fmt::format("{} owners for {} buckets", how.owners.size(), buckets));
  }
  for (std::size_t b = 0; b < buckets; ++b) {
    if (how.owners[b] < 0 || how.owners[b] >= n) {
      throw UserError(
          fmt::format("the owner of bucket {} is rank {}, not one of 0..{}", b, how.owners[b], n - 1));
    }
    if (how.bits > kMaxRouteBits && how.owners[b] != how.owners[b ^ 1]) {
      throw UserError(fmt::format(
          "buckets {} and {} have different owners: with {} bits the operator sends neighbours the same way; "
          "use {} bits, or owners of pairs",
          b & ~std::size_t{1}, b | 1, how.bits, kMaxRouteBits));
    }
  }
  if (keys.size() != index(n) || (!values.empty() && values.size() != index(n))) {
    throw UserError(
        fmt::format("{} columns of keys and {} of values for {} ranks", keys.size(), values.size(), n));
  }
  for (std::size_t r = 0; r < values.size(); ++r) {
    if (keys[r].size() == values[r].size()) continue;
    throw UserError(fmt::format("rank {} has {} keys and {} values", r, keys[r].size(), values[r].size()));
  }
}

/// A dimension needs an output and a channel for each member.
void check_shape(const Communicator& comm, int dimension) {
  const std::size_t members = comm.topology().group(dimension, 0).size();
  const std::size_t most = std::min(comm.shape().channels, comm.shape().operator_inputs);
  if (members > most || comm.partitions() == 0) {
    throw UserError(fmt::format(
        "partition between {} ranks needs nodes with a partition operator of {} ports and {} channels; these "
        "have {} operators of {} ports, {} channels",
        members, members, members, comm.partitions(), comm.shape().operator_inputs, comm.shape().channels));
  }
}

std::vector<Held> load(Communicator& comm, std::span<const Words> keys, std::span<const Words> values) {
  std::vector<Held> held(keys.size());
  const unsigned stripes = std::min(comm.shape().channels, comm.shape().operator_inputs);
  for (int rank = 0; rank < comm.size(); ++rank) {
    std::vector<std::uint32_t> mixed;
    Words words = keys[index(rank)];
    if (!values.empty()) {
      for (std::size_t i = 0; i < words.size(); ++i) {
        mixed.insert(mixed.end(), {words[i], values[index(rank)][i]});
      }
      words = mixed;
    }
    unsigned channel = 0;
    for (const std::uint64_t bytes : cut_evenly(words.size_bytes(), stripes)) {
      if (bytes == 0) continue;
      held[index(rank)].push_back({comm.allocate(rank, channel++, bytes, Half::first), bytes});
      comm.write<std::uint32_t>(held[index(rank)].back().buffer, words.first(bytes / 4));
      words = words.subspan(bytes / 4);
    }
  }
  return held;
}

void fetch(Communicator& comm, const Held& held, bool pairs, Partitioned& to, std::size_t rank) {
  for (const Area& area : held) {
    std::vector<std::uint32_t> words(area.bytes / 4);
    comm.read(area.buffer, 0, bytes_of(std::span(words)));
    if (!pairs) to.keys[rank].insert(to.keys[rank].end(), words.begin(), words.end());
    for (std::size_t i = 0; pairs && i + 1 < words.size(); i += 2) {
      to.keys[rank].push_back(words[i]);
      to.values[rank].push_back(words[i + 1]);
    }
  }
}

void natively(std::span<const Words> keys, std::span<const Words> values, const Partition& how,
              Partitioned& to) {
  const std::uint32_t mask = (1u << how.bits) - 1;
  for (std::size_t r = 0; r < keys.size(); ++r) {
    for (std::size_t i = 0; i < keys[r].size(); ++i) {
      const std::uint32_t bucket = keys[r][i] >> how.shift & mask;
      ++to.histogram[r][bucket];
      const auto owner = index(how.owners[bucket]);
      to.keys[owner].push_back(keys[r][i]);
      if (!values.empty()) to.values[owner].push_back(values[r][i]);
    }
  }
}

}  // namespace

Partitioned Communicator::partition(std::span<const Words> keys, std::span<const Words> values,
                                    const Partition& wanted) {
  Partition how = wanted;
  check_columns(*this, keys, values, how);
  const std::size_t n = keys.size();
  const bool pairs = !values.empty();
  Partitioned to;
  to.keys.resize(n);
  to.values.resize(pairs ? n : 0);
  to.histogram.assign(n, std::vector<std::uint64_t>(how.owners.size(), 0));
  to.result = {.operation = "partition", .algorithm = "native", .ranks = size()};
  for (const Words& column : keys) to.result.bytes += column.size_bytes() * (pairs ? 2 : 1) / n;
  to.result.bus_factor = bus_factor(Operation::all_to_all, size());
  if (native()) {
    natively(keys, values, how, to);
    return to;
  }
  std::vector<int> dimensions;
  for (const int d : {0, 1}) {
    if (topology().group(d, 0).size() > 1) dimensions.push_back(d);
  }
  if (dimensions.empty()) dimensions.push_back(0);  // one rank: it still counts
  for (const int d : dimensions) check_shape(*this, d);
  std::vector<Held> held = load(*this, keys, values);
  double seconds = 0;
  Half half = Half::second;
  for (const int d : dimensions) {
    const auto runs = Pass(*this, how, d, pairs, half).run(held, seconds);
    half = half == Half::second ? Half::first : Half::second;
    if (d != dimensions.front()) continue;
    for (std::size_t r = 0; r < n; ++r) {
      for (std::size_t b = 0; b < how.owners.size() && !keys[r].empty(); ++b) {
        to.histogram[r][b] = runs[r].status[kBucketWord + b];
      }
    }
  }
  for (std::size_t r = 0; r < n; ++r) fetch(*this, held[r], pairs, to, r);
  to.result.algorithm = dimensions.size() > 1 ? "dimension" : "direct";
  to.result.steps = dimensions.size();
  to.result.simulated_seconds = seconds;
  return to;
}

}  // namespace polyloom::collective
