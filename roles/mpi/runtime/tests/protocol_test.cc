// SPDX-License-Identifier: Apache-2.0
// Covers: every state that two engines reach in a few messages while the network loses, doubles and reorders
// at will: each message exactly once, in order for its tag and communicator, right bytes; and from each state
// an end (exploration.h). Leaves out: longer programs, three ranks, the RTL (tests/interop_test.cc).
#include <gtest/gtest.h>

#include <cstdio>
#include <cstdlib>

#include "fabric/full_tests.h"
#include "roles/mpi/runtime/tests/exploration.h"

namespace polyloom::mpi::testing {
namespace {

constexpr std::uint32_t kThree = 2 * kMaxPayload + 8;  // pieces
constexpr std::uint32_t kWrap = 0x10000;

bool full() { return fabric::full_tests(); }

Step send(std::int32_t tag, std::uint32_t bytes, std::uint16_t comm = 0) {
  return {Step::send, tag, bytes, comm};
}
Step ssend(std::int32_t tag, std::uint32_t bytes, std::uint16_t comm = 0) {
  return {Step::synchronous_send, tag, bytes, comm};
}
Step receive(std::int32_t tag, std::uint32_t bytes, int from, std::uint8_t error = POLYLOOM_OK,
             std::uint16_t comm = 0) {
  return {Step::receive, tag, bytes, comm, from, error};
}
Step wait(int step) { return {Step::wait, step}; }

// With POLYLOOM_TEST_FULL=1 the network keeps a packet more in each direction.
void check(Scenario scenario) {
  scenario.packets += full() ? 1 : 0;
  const Outcome outcome = explore(scenario);
  EXPECT_EQ(outcome.problem, "");
  EXPECT_GT(outcome.ends, 0u);
  std::printf("  %zu states, %zu different packets\n", outcome.states, outcome.packets);
}

TEST(Protocol, EagerMessagesOfTwoTags) {
  Scenario s;
  s.programs[0] = {send(5, 8), send(6, 4), send(5, 0), wait(0), wait(1), wait(2)};
  s.programs[1] = {receive(6, 8, 1), receive(5, 8, 0), receive(5, 8, 2), wait(0), wait(1), wait(2)};
  check(s);
}

TEST(Protocol, MoreMessagesThanCredits) {
  for (const std::uint16_t credits : {std::uint16_t{1}, std::uint16_t{2}}) {
    Scenario s;
    s.credits = credits;
    s.programs[0] = {send(5, 8), send(5, 4), send(5, 0), send(5, 8)};
    s.programs[1] = {receive(5, 8, 0), wait(0), receive(5, 8, 1), receive(5, 8, 2), receive(5, 8, 3)};
    check(s);
  }
}

TEST(Protocol, EagerMessagesBothWays) {
  Scenario s;
  s.programs[0] = {send(5, 8), send(5, 4), receive(7, 8, 1), wait(2)};
  s.programs[1] = {receive(5, 8, 0), send(7, 8), receive(5, 8, 1), wait(0), wait(2)};
  check(s);
}

TEST(Protocol, CommunicatorsAreApart) {
  Scenario s;
  s.programs[0] = {send(5, 8, 2), send(5, 4, 4), send(5, 6, 2)};
  s.programs[1] = {receive(5, 8, 1, POLYLOOM_OK, 4),
                   receive(5, 8, 0, POLYLOOM_OK, 2),
                   receive(5, 8, 2, POLYLOOM_OK, 2),
                   wait(0),
                   wait(1),
                   wait(2)};
  check(s);
}

TEST(Protocol, RendezvousOfThreePieces) {
  Scenario s;
  s.programs[0] = {send(5, kThree), wait(0)};
  s.programs[1] = {receive(5, kThree, 0), wait(0)};
  check(s);
}

TEST(Protocol, RendezvousAndAnEagerMessageOfItsTag) {
  Scenario s;
  s.programs[0] = {send(5, kMaxPayload + 8), send(5, 8), wait(0), wait(1)};
  s.programs[1] = {receive(5, kThree, 0), receive(5, kThree, 1), wait(0), wait(1)};
  check(s);
}

TEST(Protocol, HandlesAreUsedAgain) {
  Scenario s;
  s.programs[0] = {ssend(5, 16), wait(0), ssend(5, 16), wait(2)};
  s.programs[1] = {receive(5, 16, 0), wait(0), receive(5, 16, 2), wait(2)};
  check(s);
}

TEST(Protocol, MessagesThatEndAtTheirFirstWord) {
  Scenario s;
  s.programs[0] = {ssend(5, 0), ssend(5, 24), wait(0), wait(1)};
  s.programs[1] = {receive(5, 8, 0), receive(5, 16, 1, POLYLOOM_TRUNCATED), wait(0), wait(1)};
  check(s);
}

TEST(Protocol, RendezvousBothWays) {
  Scenario s;
  s.packets = 1;
  s.programs[0] = {send(5, kMaxPayload + 8), receive(7, 16, 1), wait(0), wait(1)};
  s.programs[1] = {receive(5, kThree, 0), ssend(7, 16), wait(0), wait(1)};
  check(s);
}

TEST(Protocol, NumbersWrap) {
  Scenario s;
  s.numbered = kWrap - 2;
  s.programs[0] = {send(5, 8), send(5, 4), send(5, 0), wait(0), wait(1), wait(2)};
  s.programs[1] = {receive(5, 8, 0), receive(5, 8, 1), receive(5, 8, 2), wait(0), wait(1), wait(2)};
  check(s);
  s.numbered = kWrap - 1;
  s.programs[0] = {ssend(5, 16), ssend(5, 16), wait(0), wait(1)};
  s.programs[1] = {receive(5, 16, 0), receive(5, 16, 1), wait(0), wait(1)};
  check(s);
}

}  // namespace
}  // namespace polyloom::mpi::testing
