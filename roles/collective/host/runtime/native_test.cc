// SPDX-License-Identifier: Apache-2.0
// Covers: every operation against its definition, element types and reductions against the operator's own
// words (special numbers included), sizes on both sides of blocks and threads, spans that overlap or are not
// aligned, and the communicator's native operations on buffers. Leaves out: named algorithms
// (schedule_test.cc), speed (bench).
#include "roles/collective/host/runtime/native.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <random>

#include "polyloom/collectives.h"
#include "roles/collective/host/runtime/native_reduce.h"
#include "roles/collective/host/schedule/machine.h"
#include "roles/collective/host/schedule/pack.h"

namespace polyloom::collective {
namespace {

using Bytes = std::vector<std::uint8_t>;
using Words = std::vector<std::uint32_t>;

std::vector<std::span<const std::uint8_t>> ins(const std::vector<Bytes>& v) { return {v.begin(), v.end()}; }
std::vector<std::span<std::uint8_t>> outs(std::vector<Bytes>& v) { return {v.begin(), v.end()}; }

/// Random bytes of every size that the request wants, and what comes of it.
std::vector<Bytes> run(const Request& r, int ranks, std::vector<Bytes>& send, unsigned seed = 1) {
  const Topology t = Topology::fully_connected(ranks);
  std::mt19937 random(seed);
  std::vector<Bytes> recv;
  send.clear();
  for (int rank = 0; rank < ranks; ++rank) {
    send.emplace_back(send_bytes(r, t, rank));
    for (auto& b : send.back()) b = static_cast<std::uint8_t>(random());
    recv.emplace_back(recv_bytes(r, t, rank));
  }
  run_native(r, ins(send), outs(recv));
  return recv;
}

Bytes slice(const Bytes& from, std::size_t at, std::size_t bytes) {
  return Bytes(from.begin() + static_cast<std::ptrdiff_t>(at),
               from.begin() + static_cast<std::ptrdiff_t>(at + bytes));
}

TEST(Native, WhatMovesArrivesWhereTheDefinitionSays) {
  // 3 MB and 700 KB take several threads and pieces.
  const std::vector<std::uint64_t> sizes{5, 0, 3000000, 700001};
  std::vector<Bytes> send;
  auto recv =
      run({.operation = Operation::unicast, .sizes = {3000000}, .root = 2, .destination = 1}, 4, send);
  EXPECT_EQ(recv[1], send[2]);
  recv = run({.operation = Operation::broadcast, .sizes = {1000001}, .root = 3}, 4, send);
  for (const std::size_t i : {0u, 1u, 2u}) EXPECT_EQ(recv[i], send[3]);
  recv = run({.operation = Operation::scatter, .sizes = sizes, .root = 1}, 4, send);
  EXPECT_EQ(recv[0], slice(send[1], 0, 5));
  EXPECT_EQ(recv[2], slice(send[1], 5, 3000000));
  EXPECT_EQ(recv[3], slice(send[1], 3000005, 700001));
  recv = run({.operation = Operation::gather, .sizes = sizes, .root = 1}, 4, send);
  Bytes all;
  for (const Bytes& s : send) all.insert(all.end(), s.begin(), s.end());
  EXPECT_EQ(recv[1], all);
  recv = run({.operation = Operation::all_gather, .sizes = sizes}, 4, send, 2);
  all.clear();
  for (const Bytes& s : send) all.insert(all.end(), s.begin(), s.end());
  for (const Bytes& got : recv) EXPECT_EQ(got, all);
}

TEST(Native, BlocksOfAnExchangeMayDiffer) {
  Request r{.operation = Operation::all_to_all, .sizes = {}};
  for (std::uint64_t i = 0; i < 9; ++i) r.sizes.push_back(i == 4 ? 0 : i == 5 ? 2000000 : 10 * i);
  std::vector<Bytes> send;
  const auto recv = run(r, 3, send);
  for (std::size_t to = 0; to < 3; ++to) {
    Bytes wanted;
    for (std::size_t from = 0; from < 3; ++from) {
      std::size_t at = 0;
      for (std::size_t j = 0; j < to; ++j) at += r.sizes[3 * from + j];
      const Bytes block = slice(send[from], at, r.sizes[3 * from + to]);
      wanted.insert(wanted.end(), block.begin(), block.end());
    }
    EXPECT_EQ(recv[to], wanted) << to;
  }
}

/// Random bits, many of them special.
Words random_words(std::size_t n, std::mt19937& random) {
  const float special[] = {0.0f, -0.0f, INFINITY, -INFINITY, NAN, -NAN, 1e-40f, -1e-40f, 3e38f, -3e38f, 1.0f};
  Words words(n);
  for (auto& w : words)
    w = random() % 3 == 0 ? std::bit_cast<std::uint32_t>(special[random() % 11]) : random();
  return words;
}

/// The operator's result. A float average is the mean: within one place of it, and of the largest value as a
/// double.
testing::AssertionResult is_right(std::uint32_t got, const Combine& combine,
                                  const std::vector<std::optional<std::uint32_t>>& element) {
  const std::uint32_t operators = combine_words(element, operator_word(combine));
  if (combine.op != ReduceOp::average || combine.type != DataType::fp32) {
    return got == operators ? testing::AssertionSuccess()
                            : testing::AssertionFailure() << got << ", the operator's is " << operators;
  }
  long double sum = 0, most = 0;
  for (const auto& word : element) {
    const auto value = std::bit_cast<float>(*word);
    sum += value;
    most = std::max<long double>(most, std::abs(value));
  }
  const long double mean = sum / combine.divisor;
  const auto found = std::bit_cast<float>(got);
  const bool right = std::isnan(mean) ? got == 0x7fc00000
                     : std::isinf(mean)
                         ? found == mean
                         : std::abs(found - mean) <= std::abs(mean) * 0x1p-23L + most * 0x1p-50L + 0x1p-149L;
  return right ? testing::AssertionSuccess()
               : testing::AssertionFailure() << found << ", the mean is " << static_cast<double>(mean);
}

TEST(Native, ReductionsAreTheOperatorsBitByBit) {
  std::mt19937 random(3);
  for (const std::size_t ranks : {1u, 2u, 3u, 5u, 8u, 13u, 64u}) {
    for (const DataType type : {DataType::fp32, DataType::int32}) {
      for (const ReduceOp op : {ReduceOp::sum, ReduceOp::min, ReduceOp::max, ReduceOp::average}) {
        for (const std::size_t count : {std::size_t{1}, std::size_t{7}, kBlockElements}) {
          std::vector<Words> in;
          std::vector<const std::uint32_t*> from;
          for (std::size_t r = 0; r < ranks; ++r) in.push_back(random_words(count, random));
          for (const Words& w : in) from.push_back(w.data());
          const Combine combine{op, type, static_cast<unsigned>(ranks)};
          Words got(count);
          reduce_block(combine, from, got.data(), count);
          for (std::size_t e = 0; e < count; ++e) {
            std::vector<std::optional<std::uint32_t>> element;
            for (const Words& w : in) element.emplace_back(w[e]);
            ASSERT_TRUE(is_right(got[e], combine, element))
                << name_of(op) << " " << name_of(type) << " of " << ranks << " ranks, element " << e;
          }
        }
      }
    }
  }
}

TEST(Native, IntegerAveragesAreExact) {
  // Sums next to multiples of the divisor, near the largest: where a quotient that is rounded would be one
  // off.
  for (const int n : {3, 7, 49, 63}) {
    for (const std::int32_t near : {INT32_MAX, INT32_MIN, 1, -1, 1 << 30}) {
      for (int less = 0; less < n; ++less) {
        Words in(static_cast<std::size_t>(n), static_cast<std::uint32_t>(near));
        in[0] = static_cast<std::uint32_t>(near < 0 ? near + less : near - less);
        std::vector<const std::uint32_t*> from;
        for (const auto& w : in) from.push_back(&w);
        std::uint32_t got = 0;
        reduce_block({ReduceOp::average, DataType::int32, static_cast<unsigned>(n)}, from, &got, 1);
        const std::int64_t sum = std::int64_t{near} * n + (near < 0 ? less : -less);
        ASSERT_EQ(static_cast<std::int32_t>(got), sum / n) << near << " " << n << " " << less;
      }
    }
  }
}

Bytes sum_of(const std::vector<Bytes>& send, std::size_t at, std::size_t bytes) {
  Bytes result(bytes);
  for (std::size_t e = 0; e < bytes; e += 4) {
    std::uint32_t sum = 0;
    for (const Bytes& s : send) {
      std::uint32_t word;
      std::memcpy(&word, s.data() + at + e, 4);
      sum += word;
    }
    std::memcpy(result.data() + e, &sum, 4);
  }
  return result;
}

TEST(Native, LongVectorsAreReducedInPieces) {
  const std::uint64_t bytes = 4 * 700001;  // several jobs, no whole number of blocks
  std::vector<Bytes> send;
  Request r{.operation = Operation::all_reduce, .sizes = {bytes}, .type = DataType::int32};
  for (const Bytes& got : run(r, 5, send)) EXPECT_EQ(got, sum_of(send, 0, bytes));
  r.operation = Operation::reduce;
  r.root = 3;
  EXPECT_EQ(run(r, 5, send)[3], sum_of(send, 0, bytes));
  r.operation = Operation::reduce_scatter;
  r.sizes = {4, 0, 800000, 4000, 2000004};
  const auto parts = run(r, 5, send);
  std::size_t at = 0;
  for (std::size_t i = 0; i < 5; at += r.sizes[i++]) EXPECT_EQ(parts[i], sum_of(send, at, r.sizes[i]));
}

TEST(Native, SpansMayOverlap) {
  std::vector<Bytes> data(3, Bytes(24)), before;
  for (std::size_t r = 0; r < 3; ++r) {
    for (std::size_t i = 0; i < 24; ++i) data[r][i] = static_cast<std::uint8_t>(50 * r + i);
  }
  before = data;
  run_native({.operation = Operation::all_to_all, .sizes = std::vector<std::uint64_t>(9, 8)}, ins(data),
             outs(data));
  for (std::size_t to = 0; to < 3; ++to) {
    for (std::size_t from = 0; from < 3; ++from)
      EXPECT_EQ(slice(data[to], 8 * from, 8), slice(before[from], 8 * to, 8));
  }
  before = data;
  run_native({.operation = Operation::all_reduce, .sizes = {24}, .type = DataType::int32}, ins(data),
             outs(data));
  for (const Bytes& d : data) EXPECT_EQ(d, sum_of(before, 0, 24));
}

TEST(Native, BytesNeedNotBeAligned) {
  Bytes a(4001, 1), b(4001, 2), c(4001), d(4001);
  const std::vector<std::span<const std::uint8_t>> from{std::span(a).subspan(1), std::span(b).first(4000)};
  const std::vector<std::span<std::uint8_t>> to{std::span(c).subspan(1), std::span(d).subspan(1)};
  run_native({.operation = Operation::all_reduce, .sizes = {4000}, .type = DataType::int32}, from, to);
  EXPECT_EQ(c[0], 0);
  EXPECT_EQ(slice(c, 1, 4000), Bytes(4000, 3));
  EXPECT_EQ(slice(d, 1, 4000), Bytes(4000, 3));
}

TEST(NativeCommunicator, BuffersHoldOperationsInOrder) {
  Communicator comm({.on = "native", .native_ranks = 3});
  const Request gather{.operation = Operation::all_gather, .sizes = {8, 0, 16}};
  EXPECT_EQ(comm.choose(gather), "memory");
  EXPECT_EQ(comm.algorithms(gather), (std::vector<std::string>{"memory", "direct"}));
  const auto at_once = comm.prepare(gather), by_steps = comm.prepare(gather, "direct");
  for (const auto* p : {&at_once, &by_steps}) {
    comm.write(p->send[0], Bytes(8, 1));
    comm.write(p->send[2], Bytes(16, 3));
  }
  const Communicator::Prepared* both[] = {&by_steps, &at_once, &by_steps};
  comm.run_all(both);
  Bytes wanted(8, 1);
  wanted.insert(wanted.end(), 16, 3);
  for (const auto* p : {&at_once, &by_steps}) {
    for (const Buffer& b : p->recv) {
      Bytes got(24);
      comm.read(b, got);
      EXPECT_EQ(got, wanted);
    }
  }
  EXPECT_EQ(comm.view(at_once.recv[1]).size(), 1u) << "in one piece";
  EXPECT_EQ(comm.run(at_once).algorithm, "memory");
  EXPECT_EQ(comm.run(by_steps).algorithm, "direct");
  EXPECT_EQ(comm.run(by_steps).bytes, 24u);
}

// Memory in between is allotted for each run: what lies there since the run before must stay as it is.
TEST(NativeCommunicator, ARunSparesWhatWasAllottedSinceTheOneBefore) {
  Communicator comm({.on = "native", .native_ranks = 3});
  const Request sum{.operation = Operation::reduce, .sizes = {3072}, .type = DataType::int32};
  const auto prepared = comm.prepare(sum, "scatter-gather");
  const std::vector<std::int32_t> ones(768, 1), threes(768, 3);
  for (const Buffer& b : prepared.send) comm.write<std::int32_t>(b, ones);
  comm.run(prepared);
  std::vector<Buffer> since;
  for (int rank = 0; rank < comm.size(); ++rank) {
    for (unsigned c = 0; c < comm.shape().channels; ++c) {
      since.push_back(comm.allocate(rank, c, 4096, Half::second));
      comm.write(since.back(), Bytes(4096, 0x77));
    }
  }
  comm.run(prepared);
  std::vector<std::int32_t> got(768);
  comm.read<std::int32_t>(prepared.recv[0], got);
  EXPECT_EQ(got, threes);
  for (const Buffer& b : since) {
    Bytes kept(4096);
    comm.read(b, kept);
    EXPECT_EQ(kept, Bytes(4096, 0x77)) << "rank " << b.rank();
  }
}

}  // namespace
}  // namespace polyloom::collective
