// SPDX-License-Identifier: Apache-2.0
// Covers: a host that writes, reads, starts threads, sends messages and console bytes, legal and broken, to
// board (0,0) and to another: the C++ board and the Verilated shell with host side respond alike, word for
// word, faults of started threads and registers included. Every thread that starts faults at once, so that
// none changes what the host sees. Keys are of no records. Leaves out: messages to the host, console output
// (cocotb tests); frames cut by the link.
#include <gtest/gtest.h>

#include <algorithm>

#include "fabric/full_tests.h"
#include "roles/overlay/sim/board/mesh_bench.h"
#include "roles/overlay/tests/host/host_swap_rtl.h"

namespace polyloom::overlay {
namespace {

using blocks::HostOp;
using blocks::Space;
using test::HostRtl;
using test::Words;

/// Registers whose value depends on when responses leave and threads run.
constexpr std::array<std::uint32_t, 4> kTimed = {blocks::reg::status, blocks::reg::frames_out,
                                                 blocks::reg::bytes_read, Board::kInstructions};

constexpr std::uint32_t kKeyBit = 1u << 12;

class Generator {
 public:
  explicit Generator(std::uint64_t seed) : rng_(seed) {}
  std::uint64_t below(std::uint64_t n) { return rng_() % n; }

  Words frame() {
    Words w = legal();
    switch (below(16)) {
      case 0:
        w.resize(1 + below(w.size()));
        break;
      case 1:
        w.resize(w.size() + 1 + below(3), rng_());
        break;
      case 2:
        w[below(std::min<std::size_t>(w.size(), 2))] ^= 1ull << below(64);
        break;
      case 3:
        w.back() |= 0xffull << 56;
        break;
      default:
        break;
    }
    // These are looked at when all is quiet.
    const auto arg = static_cast<std::uint32_t>(w[0] >> 32);
    const bool timed = std::ranges::count(kTimed, arg) != 0 || arg == blocks::reg::cycle;
    if ((w[0] & 0xff) == static_cast<std::uint64_t>(HostOp::reg_read) && timed) w[0] |= 1ull << 8;
    // No copies are made.
    if ((w[0] & 0xff) == static_cast<std::uint64_t>(HostOp::msg) && arg == kKeyBit && w.size() > 1)
      w[1] &= ~0xffffffffull;
    // Messages are put into slots from 64 on, so those are not read.
    const bool reads_scratchpad = (w[0] & 0xffff) == (static_cast<std::uint64_t>(HostOp::read) | 3 << 8);
    if (reads_scratchpad && w.size() == 2 && arg + (w[1] & 0xffffffff) > 4096) w[1] &= ~0xffffffffull;
    return w;
  }

 private:
  std::uint64_t header(HostOp op, std::uint64_t aux, std::uint64_t arg) {
    return static_cast<std::uint64_t>(op) | aux << 8 | (rng_() & 0xffff) << 16 | arg << 32;
  }
  /// Around the ends of what a space has; no bytes are reached by two addresses.
  Words range(HostOp op) {
    const std::uint64_t space = below(24) == 0 ? below(8) : below(4);
    std::uint64_t bytes = 1 + below(below(3) == 0 ? 1500 : 40), at = below(4096), target = 0;
    if (below(3) == 0) at = 4096 - std::min<std::uint64_t>(bytes, 4096);
    if (space < 2) {
      // The end of the interleaved view is the end of DRAM seen otherwise.
      const std::uint64_t windows[2][3] = {{kSramABase, kDramEnd - 4096ull, kInterleavedBase},
                                           {kSramABase, kSramBBase, (1ull << 32) - 4096}};
      at += windows[space][below(3)];
      if (below(20) == 0) at -= below(8192);
    } else {
      // Slots 0 to 63 of a scratchpad: messages are put into others.
      if (below(10) != 0) at &= ~3ull, bytes = (bytes + 3) & ~3ull;
      if (space == 2) at = below(3) == 0 ? HostRtl::kInstrWords - bytes / 4 + below(2) : at / 4;
      if (space == 3) at = std::min(at, 4096 - bytes);
      if (space == 3 && below(10) == 0 && op == HostOp::write) at = 32768 - bytes + 4 * below(2);
      target = below(below(8) == 0 ? 12 : space == 2 ? HostRtl::kPairs : HostRtl::kTiles);
      if (space == 2 && below(4) == 0) target = blocks::kBroadcast;
    }
    Words w{header(op, space, at & 0xffffffff), bytes | target << 32};
    if (op == HostOp::read) return w;
    for (std::uint64_t i = 0; i < (bytes + 7) / 8; ++i) w.push_back(rng_());
    if (bytes % 8 != 0) w.back() &= (1ull << 8 * (bytes % 8)) - 1;
    return w;
  }
  Words legal() {
    const std::uint64_t kind = below(12);
    if (kind < 3) return range(HostOp::write);
    if (kind < 6) return range(HostOp::read);
    if (kind == 6) {
      Words w{header(HostOp::msg, 1 + below(5),
                     below(6) == 0 ? below(1 << 12) : (below(9) / 4 | below(2) << 2 | below(2) << 4)),
              below(3) == 0 ? rng_() : 1ull << below(64)};
      if (below(20) == 0) w[1] = 0;
      if (below(3) == 0)
        w[0] = header(HostOp::msg, 1 + below(5), kKeyBit | (below(4) == 0 ? 1u << below(20) : 0u));
      w.resize(2 + 2 * (w[0] >> 8 & 0xff), rng_());
      return w;
    }
    if (kind < 9) {
      const bool all = below(3) == 0;
      return {header(HostOp::uart_in, below(256),
                     (all ? 1ull << 31 : below(18)) | below(below(4) == 0 ? 256 : 17) << 16)};
    }
    if (kind == 9) {
      // Nothing to execute there.
      const std::uint64_t pc = below(2) == 0 ? below(8192) | 1 : 8192 + below(1ull << 31);
      return {header(HostOp::start, 1 + below(18), below(16) | (1 + below(6)) << 16), pc};
    }
    const std::uint64_t number = below(2) == 0 ? below(16) : 0x100 + below(8);
    if (kind == 10) return {header(HostOp::reg_read, 0, number)};
    return {header(HostOp::reg_write, 0, number), rng_()};
  }
  std::mt19937_64 rng_;
};

/// Faults come when threads run, so their place among responses is open; the rest keeps its order.
std::vector<Words> faults_last(const std::vector<Words>& frames) {
  std::vector<Words> rest, faults;
  for (const Words& f : frames)
    (static_cast<HostOp>(f[0] & 0xff) == HostOp::fault ? faults : rest).push_back(f);
  std::sort(faults.begin(), faults.end());
  rest.insert(rest.end(), faults.begin(), faults.end());
  return rest;
}

class HostSwap : public testing::TestWithParam<std::tuple<unsigned, unsigned>> {};

TEST_P(HostSwap, BoardsRespondAlike) {
  const auto [seed, x] = GetParam();
  test::MeshOptions options;
  options.mesh = {2, 1};
  options.params.board.tiles_x = options.params.board.tiles_y = 2;
  test::MeshBench sim(options);
  HostRtl rtl(seed, seed % 4, x, 0, 2, 1);
  Generator make(seed);
  std::size_t seen = 0;
  unsigned bytes = 0, messages = 0, refused = 0, faults = 0;
  for (unsigned round = 0; round < 12; ++round) {
    for (unsigned n = 0; n < 20; ++n) {
      const Words frame = make.frame();
      const std::size_t before = sim.host().received.size();
      sim.send(x, frame);
      sim.run();  // one by one: a read must not see what is written after it
      const auto& responses = sim.host().received;
      const bool silent = responses.size() == before;
      const bool refuses =
          !silent && (responses[before].words[0] & 0xff) == static_cast<std::uint64_t>(HostOp::frame_error);
      bytes += !refuses && (frame[0] & 0xff) == static_cast<std::uint64_t>(HostOp::uart_in);
      messages += silent && (frame[0] & 0xff) == static_cast<std::uint64_t>(HostOp::msg);
      rtl.send(frame);
    }
    rtl.settle();
    for (const std::uint32_t r : kTimed) {
      const Words frame = blocks::encode(blocks::RegReadFrame{0, r});
      sim.send(x, frame), sim.run();
      rtl.send(frame), rtl.settle();
    }
    std::vector<Words> expected;
    for (; seen < sim.host().received.size(); ++seen) expected.push_back(sim.host().received[seen].words);
    const std::vector<Words> wanted = faults_last(expected), got = faults_last(rtl.frames);
    for (std::size_t i = 0; i < std::min(wanted.size(), got.size()); ++i) {
      ASSERT_EQ(wanted[i], got[i]) << "seed " << seed << " round " << round << " response " << i;
    }
    ASSERT_EQ(wanted.size(), got.size()) << "seed " << seed << " round " << round;
    for (const Words& f : expected) {
      refused += (f[0] & 0xff) == static_cast<std::uint64_t>(HostOp::frame_error);
      faults += (f[0] & 0xff) == static_cast<std::uint64_t>(HostOp::fault);
    }
    rtl.frames.clear();
  }
  EXPECT_EQ(rtl.bytes, bytes);
  EXPECT_EQ(rtl.messages, messages);
  EXPECT_EQ(sim.board(x).detector().from_host(), messages);
  EXPECT_EQ(messages == 0, x != 0);
  EXPECT_GT(bytes, 5u);
  EXPECT_GT(refused, 20u);
  EXPECT_GT(faults, 20u);
  std::printf("seed %u: %u frames refused, %u faults, %u messages, %llu cycles\n", seed, refused, faults,
              messages, static_cast<unsigned long long>(rtl.cycles));
}

/// Seeds and boards; POLYLOOM_TEST_FULL=1: many.
std::vector<std::tuple<unsigned, unsigned>> runs() {
  const unsigned count = fabric::full_tests() ? 150 : 4;
  std::vector<std::tuple<unsigned, unsigned>> out;
  for (unsigned seed = 1; seed <= count; ++seed) out.emplace_back(seed, seed % 3 == 0);
  return out;
}
INSTANTIATE_TEST_SUITE_P(Seeds, HostSwap, testing::ValuesIn(runs()));

}  // namespace
}  // namespace polyloom::overlay
