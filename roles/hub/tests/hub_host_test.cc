// SPDX-License-Identifier: Apache-2.0
// Covers: host programs through polyloom-sim: put and flag, registers, chains, proxy reads, faults in words,
// the time of an uncontended write, several processes' clients. Leaves out: cycles inside a hub
// (switch_test.cc).
#include <gtest/gtest.h>

#include <cstdlib>
#include <numeric>

#include "polyloom/hub.h"

namespace polyloom::hub {
namespace {

SessionOptions on(const std::string& cluster) {
  SessionOptions options;
  options.host.simulator = POLYLOOM_HUB_SIM;
  options.host.arguments = {"--cluster", cluster};
  return options;
}

constexpr Unit kMemory = Unit::accelerator0;

TEST(HubHost, PutAndFlag) {
  Session session(on("peach2-2"));
  Node &a = session.node(0), &b = session.node(1);
  auto from = a.map(kMemory, 1 << 16), to = b.map(kMemory, 1 << 16);
  std::iota(from.begin(), from.end(), std::uint8_t{3});
  a.put(kMemory, 5, b.address(kMemory, 777), 9001);
  a.store64(b.address(kMemory, 0), 42);
  const Held held = b.wait(kMemory, 0, 42);
  EXPECT_EQ(held.value, 42u);
  EXPECT_TRUE(std::equal(from.begin() + 5, from.begin() + 5 + 9001, to.begin() + 777));
  EXPECT_EQ(to[776], 0);
  EXPECT_EQ(to[777 + 9001], 0);
  a.check();
  b.check();
  session.finish();
}

}  // namespace
}  // namespace polyloom::hub
