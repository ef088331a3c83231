// SPDX-License-Identifier: Apache-2.0
// Visits every state that two engines and a hostile network can reach, breadth first.
//
// The engines are the real ones. Time stands still: a timer that runs may fire at any moment,
// acknowledgements' alone or with the others. The network keeps the packets of each direction, up to a
// number; any of them may be delivered at any moment, any number of times, so it loses, doubles and reorders.
// Where a new packet finds no place each choice of those that stay is followed. (Fewer than the most is not:
// who has more can do all that who has less can.) Each rank's program gives its commands in order, each at
// any moment.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "roles/mpi/runtime/engine/engine.h"

namespace polyloom::mpi::testing {

struct Step {
  enum What { send, synchronous_send, receive, wait } what;
  std::int32_t tag = 0;  ///< of a wait: the number of the step it waits for
  std::uint32_t bytes = 0;
  std::uint16_t comm = 0;
  /// Of a receive: the number of the other rank's step that it must get, and what it ends with.
  int from = -1;
  std::uint8_t error = POLYLOOM_OK;
};
using Program = std::vector<Step>;

struct Scenario {
  std::array<Program, 2> programs;
  std::uint16_t credits = 2;
  std::uint16_t eager_bytes = 8;
  std::uint32_t window = 2 * kMaxPayload;
  std::uint32_t places = 0;      ///< beyond the credits: an FPGA has none
  unsigned packets = 2;          ///< that the network keeps in each direction
  std::uint32_t numbered = 0;    ///< envelopes of both directions before it begins
  std::size_t most = 5'000'000;  ///< states: more is a failure
};

struct Outcome {
  std::string problem;  ///< with the events that lead there; empty if there is none
  std::size_t states = 0, packets = 0, ends = 0;
};

/// Checks in each state that what was received is what its program must get and stays so, that no packet
/// tells more than happened, and that a network that does its duty from here on lets both programs end.
Outcome explore(const Scenario& scenario);

}  // namespace polyloom::mpi::testing
