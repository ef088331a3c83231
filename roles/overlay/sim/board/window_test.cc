// SPDX-License-Identifier: Apache-2.0
// Covers: a board that runs every window ends as one that skips those in which nothing is announced, and so
// does a mesh whose fabric has shorter windows: congested traffic of several patterns over 1 to 4 boards,
// multicast, faulty links, barriers, host messages and frames, both detectors. Leaves out: windows of a tile
// alone (tile/), meshes of more boards.
#include <gtest/gtest.h>

#include "roles/overlay/sim/board/board.h"
#include "roles/overlay/sim/board/mesh_bench.h"

namespace polyloom::overlay {
namespace {

using test::Asm;
using test::MeshBench;
using test::MeshOptions;

enum class Pattern { hot_spot, multicast, everywhere, neighbour };

struct Load {
  std::string name;
  MeshSize mesh;
  Pattern pattern;
  unsigned flits = 1, rounds = 2, count = 4;
  bool published = false, host = false;
  double bit_errors = 0;
  unsigned tiles = 2;  ///< a side
};

std::ostream& operator<<(std::ostream& out, const Load& load) { return out << load.name; }

constexpr std::uint32_t kHostDest = 0x20000 >> 6;

/// `rounds` times: every thread sends `count` messages of the pattern, asleep while it can neither send nor
/// receive, frees what comes and waits for the barrier.
Asm storm(const Load& load) {
  enum : unsigned { kId = 1, kRandom, kTmp, kTmp2, kSlot, kHigh, kLow, kSent, kCount, kRound, kBits, kDest };
  Asm a;
  a.csrrw(kId, csr::hart_id, 0);
  a.i(Op::addi, kRandom, kId, 1);
  a.i(Op::andi, kTmp, kId, 63);
  a.i(Op::slli, kSlot, kTmp, 6);
  a.li(kTmp2, 0x8000);
  a.r(Op::add, kSlot, kSlot, kTmp2);
  a.csrrw(0, csr::send_ptr, kSlot);
  a.li(kTmp, load.flits - 1);
  a.csrrw(0, csr::send_len, kTmp);
  a.li(kHigh, 0);
  a.li(kLow, 1);
  a.li(kTmp, 31);
  a.r(Op::and_, kTmp, kTmp, kId);
  a.r(Op::sll, kLow, kLow, kTmp);
  if (load.pattern == Pattern::multicast) {
    a.li(kHigh, 0xffffffff);
    a.li(kLow, 0xffffffff);
  }
  a.li(kRound, load.rounds);
  const std::uint32_t round = a.here();
  a.li(kCount, load.count);
  const std::uint32_t loop = a.here();
  a.li(kBits, kWaitRecv | kWaitIdle);
  const std::size_t all_sent = a.branch_forward(Op::beq, kCount, 0);
  a.li(kBits, kWaitRecv | kWaitSend);
  a.land(all_sent);
  a.csrrw(kBits, csr::wait_until, kBits);
  a.i(Op::andi, kTmp, kBits, kWaitSend);
  const std::size_t cannot = a.branch_forward(Op::beq, kTmp, 0);
  a.li(kTmp, 1664525);
  a.r(Op::mul, kRandom, kRandom, kTmp);
  a.li(kTmp, 1013904223);
  a.r(Op::add, kRandom, kRandom, kTmp);
  a.li(kDest, 0);
  if (load.pattern != Pattern::hot_spot) {
    const auto field = [&](unsigned from, unsigned sizes, unsigned to) {
      a.i(Op::srli, kTmp, kRandom, static_cast<int>(from));
      a.i(Op::andi, kTmp, kTmp, static_cast<int>(sizes - 1));
      a.i(Op::slli, kTmp, kTmp, static_cast<int>(to));
      a.r(Op::add, kDest, kDest, kTmp);
    };
    if (load.pattern == Pattern::neighbour) {
      a.i(Op::srli, kDest, kId, 6);
      a.li(kTmp, (load.mesh.width - 1) << 4 | (load.mesh.height - 1) << 7);
      a.r(Op::xor_, kDest, kDest, kTmp);
    } else {
      field(16, load.tiles, 0);
      field(18, load.tiles, 2);
      field(20, load.mesh.width, 4);
      field(22, load.mesh.height, 7);
    }
  }
  if (load.host) {
    a.i(Op::srli, kTmp, kRandom, 24);
    a.i(Op::andi, kTmp, kTmp, 7);
    const std::size_t no = a.branch_forward(Op::bne, kTmp, 0);
    a.li(kDest, kHostDest);
    a.land(no);
  }
  a.csrrw(0, csr::send_dest, kDest);
  a.store(Op::sw, kRandom, 0, kSlot);
  a.send(kHigh, kLow);
  a.i(Op::addi, kCount, kCount, -1);
  a.land(cannot);
  a.i(Op::andi, kTmp, kBits, kWaitRecv);
  const std::size_t nothing = a.branch_forward(Op::beq, kTmp, 0);
  a.csrrw(kTmp, csr::recv, 0);
  a.csrrw(0, csr::free, kTmp);
  a.jal(0, loop);
  a.land(nothing);
  a.i(Op::andi, kTmp, kBits, kWaitIdle);
  a.branch(Op::beq, kTmp, 0, loop);
  a.i(Op::addi, kRound, kRound, -1);
  const std::size_t end = a.branch_forward(Op::beq, kRound, 0);
  a.jal(0, round);
  a.land(end);
  // What the host still sends must be freed.
  a.li(kBits, kWaitRecv);
  const std::uint32_t rest = a.here();
  a.csrrw(0, csr::wait_until, kBits);
  a.csrrw(kTmp, csr::recv, 0);
  a.csrrw(0, csr::free, kTmp);
  a.jal(0, rest);
  return a;
}

struct Seen {
  std::uint64_t run = 0;     ///< digest of boards and links, and of when the fabric's last window ended
  std::uint64_t digest = 0;  ///< of boards
  std::vector<std::pair<fabric::Time, std::vector<std::uint64_t>>> received;
  std::vector<std::string> barriers;
};

Seen run(const Load& load, bool every_window, fabric::Time fabric_window) {
  MeshOptions options;
  options.mesh = load.mesh;
  OverlayParams& params = options.params;
  params.board.tiles_x = params.board.tiles_y = load.tiles;
  if (load.published) {
    params.board.header_every_flit = params.board.scratchpad_single_port = true;
    params.board.noc_cycles_per_flit = 2;
    params.detector = DetectorKind::star;
    params.published_link = true;
  }
  options.link.bit_error_rate = load.bit_errors;
  options.link.drop_rate = load.bit_errors * 100;
  options.link.seed = 3;
  options.window = fabric_window;
  MeshBench bench(options);
  bench.load(storm(load));
  bench.start();
  if (every_window) {
    for (std::size_t b = 0; b < bench.boards(); ++b) bench.board(b).run_every_window();
  }
  if (load.host) {
    // Messages, some of them during barriers, reads of a register, and of memory more than the shell holds.
    for (std::uint64_t i = 0; i < 200; ++i) {
      const std::uint64_t payload[2] = {i, 0};
      const auto at = static_cast<fabric::Time>(5'000'000 + i * i * 3'456);
      const auto dest = static_cast<std::uint32_t>(i % load.tiles | (i % load.mesh.width) << 4);
      bench.host().send(0, at, blocks::encode(blocks::MsgFrame{0, dest, 1ull << i % 64, payload}));
      const auto tag = static_cast<std::uint16_t>(i);
      bench.host().send(0, at, blocks::encode(blocks::RegReadFrame{tag, Board::kInstructions}));
      if (i / 20 % 2 != 0) {
        const blocks::MemRange range{blocks::Space::scratchpad, 0, 64 * 64, 512};
        bench.host().send(0, at, blocks::encode(blocks::ReadFrame{tag, range}));
      }
    }
  }
  Seen seen;
  seen.run = bench.run(4'000'000'000).digest;
  fabric::Digest digest;
  for (std::size_t b = 0; b < bench.boards(); ++b) bench.board(b).digest(digest);
  seen.digest = digest.value();
  for (const auto& frame : bench.host().received) seen.received.emplace_back(frame.time, frame.words);
  for (std::size_t b = 0; b < bench.boards(); ++b) {
    seen.barriers.push_back(std::to_string(bench.board(b).detector().counters().barriers));
    bench.board(b).tables(
        [&](std::string_view, std::string_view, std::string_view row) { seen.barriers.emplace_back(row); });
  }
  return seen;
}

class Windows : public testing::TestWithParam<Load> {};

TEST_P(Windows, IdleOnesChangeNothing) {
  const Seen skipped = run(GetParam(), false, 0), every = run(GetParam(), true, 0);
  EXPECT_EQ(skipped.barriers, every.barriers);
  EXPECT_EQ(skipped.received, every.received);
  EXPECT_EQ(skipped.digest, every.digest);
  EXPECT_EQ(skipped.run, every.run);
}

TEST_P(Windows, OfTheFabricChangeNothing) {
  const Seen whole = run(GetParam(), false, 0);
  for (const fabric::Time window : {111'111, 30'000}) {
    const Seen pieces = run(GetParam(), false, window);
    EXPECT_EQ(whole.barriers, pieces.barriers);
    EXPECT_EQ(whole.received, pieces.received);
    EXPECT_EQ(whole.digest, pieces.digest);
  }
}

std::vector<Load> loads() {
  std::vector<Load> all;
  for (const bool published : {false, true}) {
    const std::string p = published ? "published_" : "";
    const auto add = [&](Load load) {
      load.name = p + load.name;
      load.published = published;
      all.push_back(load);
    };
    add({"hot_spot_1", {1, 1}, Pattern::hot_spot, 4});
    add({"hot_spot_2", {2, 1}, Pattern::hot_spot, 1, 3, 8});
    add({"hot_spot_4", {2, 2}, Pattern::hot_spot, 4, 2, 6});
    add({"multicast_1", {1, 1}, Pattern::multicast, 1, 2, 2});
    add({"multicast_4", {2, 2}, Pattern::multicast, 4, 1, 2});
    add({"everywhere_2", {1, 2}, Pattern::everywhere, 4, 3, 10});
    add({"everywhere_4", {2, 2}, Pattern::everywhere, 1, 3, 20});
    add({"neighbour_2", {2, 1}, Pattern::neighbour, 4, 3, 30});
    add({"neighbour_big", {2, 1}, Pattern::neighbour, 2, 2, 10, false, false, 0, 4});
    add({"lossy_4", {2, 2}, Pattern::everywhere, 4, 3, 10, false, false, 2e-5});
    add({"lossy_hot_2", {2, 1}, Pattern::hot_spot, 2, 2, 6, false, false, 2e-5});
    add({"host_1", {1, 1}, Pattern::everywhere, 2, 10, 4, false, true});
    add({"host_4", {2, 2}, Pattern::everywhere, 4, 6, 6, false, true});
    add({"host_hot_2", {2, 1}, Pattern::hot_spot, 4, 4, 6, false, true});
    add({"host_barriers_2", {2, 1}, Pattern::neighbour, 1, 40, 0, false, true});
    add({"barriers_4", {2, 2}, Pattern::neighbour, 1, 40, 1});
  }
  return all;
}

INSTANTIATE_TEST_SUITE_P(Board, Windows, testing::ValuesIn(loads()),
                         [](const auto& info) { return info.param.name; });

}  // namespace
}  // namespace polyloom::overlay
