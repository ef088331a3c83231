// SPDX-License-Identifier: Apache-2.0
// Covers: every operation and algorithm on 1 to 64 nodes, fully connected and hypercubes, doubled links, few
//   channels, both protocols, random and variable sizes, random start order, operations back to back; bytes
//   against an obvious reference, exclusive use of engines and lanes (Machine), nothing left behind. Leaves
//   out: time (the model's tests).
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <bit>
#include <cstring>
#include <map>
#include <random>

#include "fabric/error.h"
#include "roles/collective/host/schedule/algorithms.h"
#include "roles/collective/host/schedule/cost.h"
#include "roles/collective/host/schedule/machine.h"
#include "roles/collective/host/schedule/timeline.h"

namespace polyloom::collective {
namespace {

using Bytes = std::vector<std::uint8_t>;
using Random = std::mt19937_64;

struct Case {
  Topology topology;
  NodeShape shape;
  std::string name;
};

std::vector<Case> cases() {
  NodeShape wide{64, 63, 8, 0};
  std::vector<Case> all;
  const auto add = [&](Topology t, NodeShape s, const std::string& n) {
    all.push_back({std::move(t), s, n});
  };
  for (const int n : {1, 2, 3, 4, 5, 7, 8, 16}) {
    NodeShape s{static_cast<unsigned>(n), static_cast<unsigned>(n), 1, 0};
    add(Topology::fully_connected(n), s, fmt::format("fc{}", n));
  }
  add(Topology::fully_connected(8, 2), {16, 16, 2, 1024}, "fc8x2");
  add(Topology::fully_connected(6), {3, 8, 1, 256}, "fc6 three channels, eager");
  add(Topology::fully_connected(8), {8, 3, 1, 0}, "fc8 three operator inputs");
  add(Topology::hypercube(4, 2), {8, 8, 2, 0}, "4x2");
  add(Topology::hypercube(4, 2, 1, 2), {8, 8, 2, 4096}, "4x2 doubled y, eager");
  add(Topology::hypercube(3, 3), {9, 8, 2, 0}, "3x3");
  add(Topology::hypercube(2, 5), {5, 5, 1, 64}, "2x5 five channels");
  add(Topology::hypercube(4, 4), wide, "4x4");
  return all;
}

Bytes random_bytes(std::uint64_t n, DataType type, Random& random) {
  Bytes bytes(n);
  for (auto& b : bytes) b = static_cast<std::uint8_t>(random());
  if (type == DataType::fp32) {  // small whole numbers: sums are exact in any order
    for (std::size_t i = 0; i + 4 <= n; i += 4) {
      const float f = static_cast<float>(static_cast<int>(random() % 2001) - 1000);
      std::memcpy(bytes.data() + i, &f, 4);
    }
  } else if (type == DataType::int32) {  // sums of 64 do not wrap, so averages are those of the exact sums
    for (std::size_t i = 0; i + 4 <= n; i += 4) {
      const auto v = static_cast<std::int32_t>(random() % 2000001) - 1000000;
      std::memcpy(bytes.data() + i, &v, 4);
    }
  }
  return bytes;
}

Request random_request(Operation op, const Topology& t, Random& random, std::uint64_t largest) {
  Request r;
  r.operation = op;
  r.type = r.reduces() ? (random() % 2 ? DataType::fp32 : DataType::int32) : DataType::bytes;
  r.reduce = static_cast<ReduceOp>(random() % 4);
  r.root = static_cast<int>(random() % static_cast<unsigned>(t.size()));
  r.destination = static_cast<int>(random() % static_cast<unsigned>(t.size()));
  const std::size_t count = sizes_of(op, t.size());
  const bool variable = random() % 2;
  const std::uint64_t same = 1 + random() % largest;
  for (std::size_t i = 0; i < count; ++i) {
    const std::uint64_t s = variable ? (random() % 4 == 0 ? 0 : random() % largest) : same;
    r.sizes.push_back(s / size_of(r.type) * size_of(r.type));
  }
  return r;
}

std::uint32_t reference_element(const Request& r, const std::vector<Bytes>& send, std::size_t at) {
  double sum = 0, low = 0, high = 0;
  for (std::size_t i = 0; i < send.size(); ++i) {
    double v = 0;
    if (r.type == DataType::fp32) {
      float f;
      std::memcpy(&f, send[i].data() + at, 4);
      v = f;
    } else {
      std::int32_t k;
      std::memcpy(&k, send[i].data() + at, 4);
      v = k;
    }
    sum += v;
    low = i == 0 ? v : std::min(low, v);
    high = i == 0 ? v : std::max(high, v);
  }
  const double n = static_cast<double>(send.size());
  const double result = r.reduce == ReduceOp::sum   ? sum
                        : r.reduce == ReduceOp::min ? low
                        : r.reduce == ReduceOp::max ? high
                                                    : sum / n;
  if (r.type == DataType::fp32) {
    // An average is the sum times the rounded reciprocal.
    const float f = r.reduce == ReduceOp::average ? static_cast<float>(sum) * (1.0f / static_cast<float>(n))
                                                  : static_cast<float>(result);
    return std::bit_cast<std::uint32_t>(f == 0 ? 0.0f : f);
  }
  return static_cast<std::uint32_t>(static_cast<std::int32_t>(result));  // toward zero
}

/// What each rank must end up with; said by definition, block by block.
std::vector<Bytes> reference(const Request& r, const Topology& t, const std::vector<Bytes>& send) {
  const auto n = static_cast<std::size_t>(t.size());
  std::vector<Bytes> recv(n);
  const auto root = static_cast<std::size_t>(r.root);
  const auto slice = [](const Bytes& from, std::uint64_t at, std::uint64_t bytes) {
    return Bytes(from.begin() + static_cast<std::ptrdiff_t>(at),
                 from.begin() + static_cast<std::ptrdiff_t>(at + bytes));
  };
  Bytes combined, gathered;
  if (r.reduces()) {
    combined.resize(r.total());
    for (std::size_t at = 0; at < combined.size(); at += 4) {
      const std::uint32_t e = reference_element(r, send, at);
      std::memcpy(combined.data() + at, &e, 4);
    }
  }
  if (r.operation == Operation::gather || r.operation == Operation::all_gather) {
    for (const Bytes& b : send) gathered.insert(gathered.end(), b.begin(), b.end());
  }
  std::uint64_t offset = 0;
  for (std::size_t i = 0; i < n; ++i) {
    switch (r.operation) {
      case Operation::barrier:
        break;
      case Operation::unicast:
        if (static_cast<int>(i) == r.destination) recv[i] = send[root];
        break;
      case Operation::broadcast:
        if (i != root) recv[i] = send[root];
        break;
      case Operation::scatter:
        recv[i] = slice(send[root], offset, r.sizes[i]);
        offset += r.sizes[i];
        break;
      case Operation::gather:
        if (i == root) recv[i] = gathered;
        break;
      case Operation::all_gather:
        recv[i] = gathered;
        break;
      case Operation::reduce:
        if (i == root) recv[i] = combined;
        break;
      case Operation::all_reduce:
        recv[i] = combined;
        break;
      case Operation::reduce_scatter:
        recv[i] = slice(combined, offset, r.sizes[i]);
        offset += r.sizes[i];
        break;
      case Operation::all_to_all:
        for (std::size_t j = 0; j < n; ++j) {
          std::uint64_t at = 0;
          for (std::size_t k = 0; k < i; ++k) at += r.sizes[j * n + k];
          const Bytes block = slice(send[j], at, r.sizes[j * n + i]);
          recv[i].insert(recv[i].end(), block.begin(), block.end());
        }
        break;
    }
  }
  return recv;
}

void store(Machine& m, int rank, const Layout& layout, const Bytes& bytes) {
  for (const Piece& p : layout.pieces) {
    std::memcpy(m.channel(rank, p.channel).data() + p.base, bytes.data() + p.offset, p.bytes);
  }
}
Bytes fetch(Machine& m, int rank, const Layout& layout) {
  Bytes bytes(layout.bytes);
  for (const Piece& p : layout.pieces) {
    std::memcpy(bytes.data() + p.offset, m.channel(rank, p.channel).data() + p.base, p.bytes);
  }
  return bytes;
}

/// Runs one algorithm on the machine and compares every rank's receive buffer.
void run_and_compare(Machine& machine, const std::string& algorithm, const Request& r, const Case& c,
                     Random& random) {
  SCOPED_TRACE(fmt::format("{} {} on {}: root {} total {} type {} op {}", name_of(r.operation), algorithm,
                           c.name, r.root, r.operation == Operation::barrier ? 0 : r.total(), name_of(r.type),
                           name_of(r.reduce)));
  const Compiled prepared = compile(algorithm, {r, c.topology, c.shape});
  machine.watch_memory(prepared.half_bytes, c.shape.rx_bytes);
  std::vector<Bytes> send;
  std::vector<int> order;
  for (int rank = 0; rank < c.topology.size(); ++rank) {
    send.push_back(random_bytes(send_bytes(r, c.topology, rank), r.type, random));
    ASSERT_EQ(prepared.buffers.of(rank, kSend).bytes, send.back().size());
    store(machine, rank, prepared.buffers.of(rank, kSend), send.back());
    order.push_back(rank);
  }
  std::shuffle(order.begin(), order.end(), random);
  auto codes =
      programs(prepared.schedule, c.topology.size(), {static_cast<std::uint32_t>(random()), 0xff, true});
  for (int rank = 0; rank < c.topology.size(); ++rank)
    machine.load(rank, codes[static_cast<std::size_t>(rank)]);
  machine.run(order);
  EXPECT_TRUE(machine.quiet());
  const auto expected = reference(r, c.topology, send);
  for (int rank = 0; rank < c.topology.size(); ++rank) {
    const auto me = static_cast<std::size_t>(rank);
    ASSERT_EQ(prepared.buffers.of(rank, kRecv).bytes, expected[me].size()) << "rank " << rank;
    ASSERT_EQ(fetch(machine, rank, prepared.buffers.of(rank, kRecv)), expected[me]) << "rank " << rank;
  }
}

TEST(Schedule, EveryAlgorithmMovesTheRightBytes) {
  Random random(1);
  for (const Case& c : cases()) {
    Machine machine(c.topology, c.shape.channels, c.shape.operator_inputs, c.shape.operator_outputs);
    for (const Operation op : kOperations) {
      for (const std::uint64_t largest : {40u, 3000u}) {
        for (int repeat = 0; repeat < 3; ++repeat) {
          const Request r = random_request(op, c.topology, random, largest);
          for (const std::string& name : algorithms({r, c.topology, c.shape})) {
            run_and_compare(machine, name, r, c, random);
            if (testing::Test::HasFatalFailure()) return;
          }
        }
      }
    }
  }
}

TEST(Schedule, SixtyFourNodes) {
  Random random(2);
  for (const Case& c : {Case{Topology::hypercube(8, 8), {64, 16, 2, 0}, "8x8"},
                        Case{Topology::fully_connected(64), {64, 63, 1, 0}, "fc64"}}) {
    Machine machine(c.topology, c.shape.channels, c.shape.operator_inputs, c.shape.operator_outputs);
    for (const Operation op : kOperations) {
      Request r = random_request(op, c.topology, random, 300);
      for (const std::string& name : algorithms({r, c.topology, c.shape})) {
        run_and_compare(machine, name, r, c, random);
        if (testing::Test::HasFatalFailure()) return;
      }
    }
  }
}

/// Pulses and blocks are counted over all of a communicator's life: whatever follows whatever must work.
TEST(Schedule, EveryOrderedPairBackToBack) {
  Random random(3);
  for (const Case& c : {Case{Topology::hypercube(3, 2), {6, 6, 2, 128}, "3x2"},
                        Case{Topology::fully_connected(5), {5, 5, 1, 128}, "fc5"}}) {
    Machine machine(c.topology, c.shape.channels, c.shape.operator_inputs, c.shape.operator_outputs);
    for (const Operation first : kOperations) {
      for (const Operation second : kOperations) {
        for (const Operation op : {first, second}) {
          const Request r = random_request(op, c.topology, random, 400);
          const auto names = algorithms({r, c.topology, c.shape});
          run_and_compare(machine, names[random() % names.size()], r, c, random);
          if (testing::Test::HasFatalFailure()) return;
        }
      }
    }
  }
}

Request uniform(Operation op, const Topology& t, std::uint64_t bytes) {
  Request r;
  r.operation = op;
  r.type = DataType::fp32;
  const std::size_t count = sizes_of(op, t.size());
  r.sizes.assign(count, count == 1 ? bytes : bytes / index(t.size()));
  r.destination = t.size() - 1;
  return r;
}

/// Sum over the steps of the longest stream: seconds times the rate of a lane, start-ups aside.
std::uint64_t stream_bytes(const std::string& name, Operation op, const Topology& t, const NodeShape& s,
                           std::uint64_t bytes) {
  const Compiled p = compile(name, {uniform(op, t, bytes), t, s});
  std::uint64_t sum = 0;
  for (const Step& step : p.schedule.steps) sum += step.bytes;
  return sum;
}

TEST(Schedule, LoadsAreThoseOfTheFormulas) {
  const std::uint64_t L = 1 << 20;
  const Topology fc8 = Topology::fully_connected(8), g42 = Topology::hypercube(4, 2),
                 g42d = Topology::hypercube(4, 2, 1, 2), g88 = Topology::hypercube(8, 8);
  const NodeShape eight{8, 16, 2, 0}, sixteen{16, 16, 2, 0};
  // Fully connected: L/N for the exchange, twice that for the average, all of L for a plain broadcast.
  EXPECT_EQ(stream_bytes("direct", Operation::all_to_all, fc8, eight, L), L / 8);
  EXPECT_EQ(stream_bytes("aggressive", Operation::all_reduce, fc8, eight, L), 2 * L / 8);
  EXPECT_EQ(stream_bytes("direct", Operation::broadcast, fc8, eight, L), L);
  EXPECT_LE(stream_bytes("forward", Operation::broadcast, fc8, eight, L), L / 7 + kBeatBytes);
  EXPECT_LE(stream_bytes("forward", Operation::reduce, fc8, eight, L), L / 7 + kBeatBytes);
  EXPECT_LE(stream_bytes("striped", Operation::unicast, fc8, eight, L), L / 7 + kBeatBytes);
  // The published exchange: L (1/(dx+1) + 1/(dy+1)); the improved: L/4 of FC's speed, L/2 with doubled links.
  EXPECT_EQ(stream_bytes("dimension", Operation::all_to_all, g42, eight, L), L / 4 + L / 2);
  EXPECT_EQ(stream_bytes("cut-through", Operation::all_to_all, g42, eight, L), L / 2);
  EXPECT_EQ(stream_bytes("cut-through", Operation::all_to_all, g42d, eight, L), L / 4);
  EXPECT_EQ(stream_bytes("cut-through", Operation::all_to_all, g88, sixteen, L), L / 8);
  // Averaging at 8x8: published 2 L (1/8 + 1/8); hierarchical 2 L (1/8 + 1/64) less what stays at home.
  EXPECT_EQ(stream_bytes("aggressive", Operation::all_reduce, g88, sixteen, L), 4 * L / 8);
  EXPECT_EQ(stream_bytes("hierarchical", Operation::all_reduce, g88, sixteen, L), 2 * (L / 8 + L / 64));
  EXPECT_EQ(stream_bytes("halves", Operation::all_reduce, g88, sixteen, L), L / 8 + L / 64);
  EXPECT_EQ(stream_bytes("halves", Operation::all_reduce, g42, eight, L), 2 * (L / 4 + L / 16));
}

/// Links do not push back: whatever the skew with which nodes come to an operation, no receive buffer may
/// have to hold more than it can because an operator waits for another stream.
TEST(Schedule, JoinedStreamsBeginTogether) {
  Random random(4);
  CostParameters p;
  p.link_latency = 170e-9;
  p.lane_rate = 45e9 / 8;
  p.memory_rate = 6.4e9;
  p.read_latency = 120e-9;
  p.write_latency = 40e-9;
  for (const Case& c : cases()) {
    for (const Operation op : {Operation::reduce, Operation::reduce_scatter, Operation::all_reduce}) {
      Request r = random_request(op, c.topology, random, 1);
      for (auto& s : r.sizes) s = 400000 / r.sizes.size() / 4 * 4;
      for (const std::string& name : algorithms({r, c.topology, c.shape})) {
        if (name == "one-shot") continue;  // bound by its own feed, not by skew
        const Compiled prepared = compile(name, {r, c.topology, c.shape});
        Timeline timeline(c.topology.size(), p);
        for (int rank = 0; rank < c.topology.size(); ++rank) {
          timeline.start(rank, static_cast<double>(random() % 20000));
        }
        for (const Step& step : prepared.schedule.steps) timeline.add(step);
        EXPECT_LE(timeline.most_held(), static_cast<double>(c.shape.rx_bytes / kBeatBytes))
            << name_of(op) << " " << name << " on " << c.name;
      }
    }
  }
}

/// Where lanes differ, nothing that a join or a relay takes from a lane is longer than a receive buffer.
TEST(Schedule, WhatMeetsOverUnevenLanesFitsIntoBuffers) {
  const Topology t = Topology::hypercube(3, 2);
  NodeShape s{8, 6, 2, 0};
  s.even_rates = false;
  for (const Operation op : kOperations) {
    if (op == Operation::barrier) continue;
    const Request r = uniform(op, t, 96000);
    for (const std::string& name : algorithms({r, t, s})) {
      bool cut = false, whole = false;
      for (const Step& step : compile(name, {r, t, s}).schedule.steps) {
        for (const Stream& stream : step.streams) {
          const bool relays = std::any_of(stream.hops.begin(), stream.hops.end(),
                                          [&](const Hop& h) { return h.from != stream.rank; });
          const bool meets = !stream.hops.empty() && !stream.feeds.empty();
          if (relays || meets) {
            EXPECT_LE(stream.beat_bytes(), s.rx_bytes) << name_of(op) << " " << name;
            cut = true;
          } else {
            whole = whole || stream.beat_bytes() > s.rx_bytes;
          }
        }
      }
      EXPECT_TRUE(cut || whole) << name_of(op) << " " << name;
    }
  }
}

TEST(Machine, FindsAHalfThatIsReadAndWritten) {
  const Topology t = Topology::fully_connected(2);
  for (const std::uint32_t bytes : {4096u, 4128u}) {
    Machine machine(t, 1, 2, 1);
    machine.watch_memory(1 << 20, 4096);
    for (const int rank : {0, 1}) {
      Instruction read, send, take, write, go, end;
      read.op = Op::read;
      read.run_bytes = bytes;
      read.runs = 1;
      send.op = Op::send;
      send.source = kFromRead;
      take.op = Op::take;
      write = read;
      write.op = Op::write;
      write.base = 8192;
      write.source = kFromLane;
      go.op = Op::go;
      machine.load(rank, {read, send, take, write, go, end});
    }
    if (bytes > 4096) {
      EXPECT_THROW(machine.run(), ProgramError);
    } else {
      EXPECT_NO_THROW(machine.run());
    }
  }
}

TEST(Schedule, EqualExchangeIsOneStep) {
  for (const int n : {2, 3, 8, 16}) {
    const Topology t = Topology::fully_connected(n);
    const NodeShape s{static_cast<unsigned>(n), 8, 1, 0};
    EXPECT_EQ(compile("direct", {uniform(Operation::all_to_all, t, 4096u * static_cast<unsigned>(n)), t, s})
                  .schedule.steps.size(),
              1u);
  }
}

TEST(Schedule, RefusesWhatCannotBe) {
  const Topology t = Topology::fully_connected(4);
  const NodeShape s{4, 4, 1, 0};
  Request r = uniform(Operation::all_reduce, t, 4096);
  EXPECT_THROW(compile("halves", {r, t, s}), UserError);
  r.type = DataType::bytes;
  EXPECT_THROW(compile("aggressive", {r, t, s}), UserError);
  r.type = DataType::int32;
  r.sizes = {4097};
  EXPECT_THROW(compile("aggressive", {r, t, s}), UserError);
  r.sizes = {4096, 1};
  EXPECT_THROW(compile("aggressive", {r, t, s}), UserError);
  // A block that begins inside of a beat cannot be sent from a plain vector.
  Request odd = uniform(Operation::all_to_all, t, 40);
  odd.type = DataType::bytes;
  const Situation situation{odd, t, s};
  Buffers buffers = preferred_buffers("direct", situation);
  buffers.send[0] = Layout::striped(40, 4, 1);
  EXPECT_THROW(make_schedule(make_plan("direct", situation), buffers, t, s), UserError);
}

TEST(Machine, FindsACircleOfWaits) {
  const Topology t = Topology::fully_connected(2);
  Machine machine(t, 2, 2, 1);
  // Both first send, rendezvous, and take only in their second step.
  for (const int rank : {0, 1}) {
    Instruction read, send, take, write, go, end;
    read.op = Op::read;
    read.run_bytes = 32;
    read.runs = 1;
    send.op = Op::send;
    send.source = kFromRead;
    take.op = Op::take;
    write.op = Op::write;
    write.index = 1;
    write.source = kFromLane;
    write.run_bytes = 32;
    write.runs = 1;
    go.op = Op::go;
    machine.load(rank, {read, send, go, take, write, go, end});
  }
  EXPECT_THROW(machine.run(), ProgramError);
}

}  // namespace
}  // namespace polyloom::collective
