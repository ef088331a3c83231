// SPDX-License-Identifier: Apache-2.0
// Covers: programs that must fail, on the fast model and on the RTL: the same code, instruction, lane and
// value on every node, and both work again after `clear`. Leaves out: the cycles from a fault to its event,
// and what was on the wires until the peers had stopped.
#include <gtest/gtest.h>

#include "roles/collective/tests/bench.h"
#include "roles/collective/tests/swap_bench.h"

namespace polyloom::collective {
namespace {

using namespace swap;
using test::end;
using test::go;
using test::read;
using test::send;
using test::take;
using test::write;

struct FaultCase {
  std::string name;
  Program first, second;  ///< of the two nodes
  int node;               ///< that finds it
  Fault fault;
  std::uint64_t value = ~std::uint64_t{0};  ///< if it is known
  Tamper tamper = {};
};

Program sends(unsigned bytes, unsigned flags = 0, std::uint32_t signature = 7) {
  return {read(0, {0, bytes, 1, 0}), send(0, kFromRead, flags, signature), go(0), end()};
}
Program takes(unsigned bytes, unsigned flags = 0, std::uint32_t signature = 7) {
  return {take(0, flags, signature), write(0, {kSwapBytes / 2, bytes, 1, 0}, kFromLane), go(0), end()};
}

std::vector<FaultCase> cases(bool checks) {
  std::vector<FaultCase> all;
  const auto bad = [&](const char* name, const Instruction& i) {
    all.push_back(
        {name, {take(1, kPulseOnly), i, go(), end()}, takes(64), 0, Fault::bad_program, i.words()[0]});
  };
  Instruction unknown;
  unknown.op = static_cast<Op>(9);
  bad("unknown op", unknown);
  bad("no such channel", read(kSwapChannels, {0, 32, 1, 0}));
  bad("no such lane", take(kSwapLanes));
  bad("no such source", send(0, kFromLane + kSwapLanes));
  bad("empty pattern", read(0, {0, 0, 1, 0}));
  bad("no runs", read(0, {0, 32, 0, 0}));
  bad("unaligned base", read(0, {8, 32, 1, 0}));
  bad("base past the channel", read(0, {kSwapBytes, 32, 1, 0}));
  bad("eager pulse", take(0, kEager | kPulseOnly));
  bad("lane named twice", take(1, kPulseOnly));
  const Program loose{read(0, {0, 32, 1, 0}), go(), end()};
  all.push_back({"source without sink", loose, takes(64), 0, Fault::bad_program, go().words()[0]});
  const Program unfed{write(0, {0, 32, 1, 0}, kFromRead + 1), go(), end()};
  all.push_back({"sink without source", unfed, takes(64), 0, Fault::bad_program, go().words()[0]});
  all.push_back({"read leaves the channel",
                 {read(0, {kSwapBytes - 64, 96, 1, 0}), send(0, kFromRead), go(), end()},
                 takes(96),
                 0,
                 Fault::bad_program,
                 kSwapBytes});
  all.push_back({"write leaves the channel",
                 sends(96),
                 {take(0), write(0, {kSwapBytes - 64, 96, 1, 0}, kFromLane), go(), end()},
                 1,
                 Fault::bad_program,
                 kSwapBytes});
  all.push_back({"block too short", sends(640), takes(6400), 1, Fault::length});
  all.push_back({"block too long", sends(6400), takes(640), 1, Fault::length});
  all.push_back({"eager block larger than the buffer",
                 sends(32 * 129, kEager),
                 {send(0, kFromNone, kPulseOnly), go(), end()},
                 1,
                 Fault::overflow});
  all.push_back({"peer never takes",
                 sends(64),
                 {take(1, kEager), write(0, {0, 64, 1, 0}, kFromLane + 1), go(), end()},
                 0,
                 Fault::timeout,
                 1});
  if (checks) {
    all.push_back({"other operation", sends(640, 0, 0x1234), takes(640, 0, 0x9999), 1, Fault::signature,
                   0x999900001234});
    all.push_back({"damaged bit", sends(640), takes(640), 1, Fault::check, ~std::uint64_t{0},
                   [](std::size_t wire, std::size_t word, std::uint64_t value) {
                     return wire == 0 && word == 20 ? value ^ 0x100 : value;
                   }});
  }
  return all;
}

void play(const CollectiveParams& params) {
  for (const FaultCase& c : cases(params.block_check)) {
    Scene s;
    s.params = params;
    s.links = {{0, 1}, {0, 1}};
    s.programs = {{c.first, c.second}, {sends(900), takes(900)}};
    s.memory.resize(2);
    s.memory[0] = {Bytes(4096)};
    for (std::size_t i = 0; i < 4096; ++i) s.memory[0][0][i] = static_cast<std::uint8_t>(i * 7 + i / 256);
    s.watchdog = 2000;
    s.skew = {0, 500};  // so that one of two that wait gives up first
    s.tamper = c.tamper;
    const Outcome model = run(s, 0);
    for (const std::uint64_t mask : {0u, 1u, 2u, 3u}) {
      const Outcome out = mask == 0 ? model : run(s, mask);
      const std::string what = c.name + ", nodes " + std::to_string(mask) + " as RTL";
      for (std::size_t n = 0; n < 2; ++n) {
        const auto& events = out.nodes[n].events;
        ASSERT_EQ(events.size(), 2u) << what << ", node " << n;
        const bool finds = static_cast<int>(n) == c.node;
        EXPECT_EQ(events[0].code, static_cast<unsigned>(finds ? c.fault : Fault::aborted))
            << what << ", node " << n;
        if (finds && c.value != ~std::uint64_t{0}) {
          EXPECT_EQ(events[0].value, c.value) << what;
        }
        EXPECT_EQ(events[0].value, model.nodes[n].events[0].value) << what << ", node " << n;
        EXPECT_EQ(events[0].detail, model.nodes[n].events[0].detail) << what << ", node " << n;
        EXPECT_EQ(events[1].code, 0u) << what << ": works again, node " << n;
      }
      const Bytes& got = out.nodes[1].channels[0];
      EXPECT_TRUE(
          std::equal(s.memory[0][0].begin(), s.memory[0][0].begin() + 900, got.begin() + kSwapBytes / 2))
          << what << ": works again";
    }
    if (testing::Test::HasFailure()) return;
  }
}

TEST(SwapFaults, WithBlockChecks) { play(checked_params()); }
TEST(SwapFaults, WithoutBlockChecks) { play(plain_params()); }

}  // namespace
}  // namespace polyloom::collective
