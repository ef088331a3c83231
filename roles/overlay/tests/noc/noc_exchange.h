// SPDX-License-Identifier: Apache-2.0
// Traffic through the network in RTL alone: tiles send what they are told as soon as there is room, and take
// everything. Used by tests and by the measurement of the neighbour exchange.
#pragma once

#include <numeric>
#include <random>

#include "roles/overlay/arch/address.h"
#include "roles/overlay/tests/noc/noc_dut.h"

namespace polyloom::overlay::test {

class Flow {
 public:
  Flow() : dut_(0, 0), layout_(params()) {}

  void send(unsigned from, unsigned to, unsigned flits) {
    Message m;
    m.dest = layout_.mailbox_id({0, 0}, to % kTilesX, to / kTilesX);
    m.mask = 1;
    m.flits = static_cast<std::uint8_t>(flits);
    m.data[0] = ++sent_;
    waiting_[from].push_back(m);
  }
  std::size_t waiting(unsigned from) const { return waiting_[from].size(); }

  void cycle() {
    dut_.drive(~0u, 0);
    for (unsigned t = 0; t < kTiles; ++t) {
      if (!waiting_[t].empty() && dut_.idle(t) && dut_.in_room(t)) {
        dut_.start(t, waiting_[t].front());
        waiting_[t].pop_front();
      }
      flits_at[t] += dut_.out_valid(t);
    }
    dut_.collect([](unsigned, const Message&) {}, [](unsigned, const Message&) {});
    dut_.edge();
  }

  std::array<std::uint64_t, kTiles> flits_at{};  ///< that have come to a mailbox

 private:
  static BoardParams params() {
    BoardParams p;
    p.tiles_x = kTilesX;
    p.tiles_y = kTilesY;
    return p;
  }
  Dut dut_;
  AddressLayout layout_;
  std::array<std::deque<Message>, kTiles> waiting_;
  std::uint32_t sent_ = 0;
};

/// Flits that come to a tile in a cycle when every tile sends to its neighbours in turn, as fast as the
/// network takes them. The ports of the mailboxes allow 1.
inline double neighbour_exchange(unsigned flits, unsigned cycles) {
  Flow flow;
  std::array<unsigned, kTiles> turn{};
  for (unsigned t = 0; t < kTiles; ++t) turn[t] = t;  // not all in step
  const auto next = [&](unsigned t) {
    const int x = static_cast<int>(t % kTilesX), y = static_cast<int>(t / kTilesX);
    constexpr int kSteps[4][2] = {{1, 0}, {0, 1}, {-1, 0}, {0, -1}};
    for (;;) {
      const auto& step = kSteps[turn[t]++ % 4];
      const int nx = x + step[0], ny = y + step[1];
      if (nx < 0 || ny < 0 || nx >= static_cast<int>(kTilesX) || ny >= static_cast<int>(kTilesY)) continue;
      return static_cast<unsigned>(ny) * kTilesX + static_cast<unsigned>(nx);
    }
  };
  std::uint64_t before = 0, after = 0;
  for (unsigned c = 0; c < cycles + 200; ++c) {
    for (unsigned t = 0; t < kTiles; ++t) {
      while (flow.waiting(t) < 2) flow.send(t, next(t), flits);
    }
    if (c == 200) before = std::accumulate(flow.flits_at.begin(), flow.flits_at.end(), std::uint64_t{0});
    flow.cycle();
  }
  after = std::accumulate(flow.flits_at.begin(), flow.flits_at.end(), std::uint64_t{0});
  return static_cast<double>(after - before) / cycles / kTiles;
}

}  // namespace polyloom::overlay::test
