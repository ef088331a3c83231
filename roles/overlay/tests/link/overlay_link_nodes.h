// SPDX-License-Identifier: Apache-2.0
// Boards that have one link and nothing else, for tests of the link: as C++ model and as Verilated RTL.
#pragma once

#include <deque>
#include <functional>
#include <memory>
#include <random>
#include <vector>

#include "blocks/reliable_link/sim/link_straps.h"
#include "blocks/verilated/lane.h"
#include "blocks/verilated/rtl_model.h"
#include "fabric/fabric.h"
#include "roles/overlay/sim/board/mesh_link.h"

namespace polyloom::overlay::testing {

using Packet = std::vector<std::uint64_t>;

/// Destination of messages with a key behind the link: the bit that says so, on boards of one tile.
inline constexpr std::uint32_t kKeyDest = 0x1000;

/// What a board does. Messages go in phases as between barriers: each carries its phase's epoch bit, and a
/// board goes to the next phase when it has sent and taken all of the present one.
struct Plan {
  std::uint64_t messages = 0;  ///< to send in a phase
  unsigned phases = 1;
  std::function<Message(std::uint64_t n)> message;  ///< number n of this board, in all phases
  std::function<Packet(std::uint64_t n)> packet;    ///< control packet number n; none: no packets
  unsigned packet_gap = 500;                        ///< cycles between packets, on average
  unsigned moody = 0;    ///< of 256: cycles in which nothing is offered, nothing taken
  Cycle deaf_until = 0;  ///< takes no messages before
  std::uint64_t seed = 1;
};

/// What came, and when. `error` says what was against the rules.
struct Log {
  std::vector<Message> messages;
  std::vector<Cycle> message_at;  ///< first flit
  std::vector<Packet> packets;
  std::vector<Cycle> packet_at;
  std::uint64_t sent = 0, received = 0, held_cycles = 0, packets_sent = 0;
};

class LinkBoard : public fabric::Node {
 public:
  LinkBoard(Plan plan, std::uint64_t far_messages, fabric::Clock clock)
      : plan_(std::move(plan)), far_messages_(far_messages), clock_(clock), rng_(plan_.seed) {}
  fabric::Time next_event() const override { return clock_.edge(cycle_); }
  Log log;

 protected:
  unsigned epoch() const { return phase_ & 1; }
  /// Number of the message to be sent next in this phase; false if there is none.
  bool next_message(std::uint64_t& n) const {
    n = log.sent;
    return log.sent < (phase_ + 1) * plan_.messages;
  }
  /// `cycles` have gone by. Some time after all is done: the other board is then often ahead, and its
  /// messages wait.
  void end_phase(Cycle cycles) {
    if (phase_ + 1 < plan_.phases && log.sent == (phase_ + 1) * plan_.messages &&
        log.received == (phase_ + 1) * far_messages_ && rng_() % 1024 < cycles)
      ++phase_;
  }
  bool moody() { return rng_() % 256 < plan_.moody; }

  Plan plan_;
  std::uint64_t far_messages_;
  fabric::Clock clock_;
  std::mt19937_64 rng_;
  Cycle cycle_ = 0;
  std::uint64_t phase_ = 0;
};

/// A MeshLink in board windows of 8 cycles.
class ModelBoard final : public LinkBoard {
 public:
  ModelBoard(Plan plan, std::uint64_t far_messages, const fabric::Port& port, fabric::Clock clock,
             fabric::Time latency);
  void advance(fabric::Time until) override;

 private:
  void window(Cycle from, Cycle to);
  MeshLink link_;
  Cycle fabric_from_ = 0;
};

/// polyloom_overlay_link.
class RtlBoard final : public LinkBoard {
 public:
  RtlBoard(Plan plan, std::uint64_t far_messages, const fabric::Port& port, fabric::Clock clock,
           fabric::Time latency);
  void advance(fabric::Time until) override;
  bool idle() const { return idle_; }

 private:
  void cycle(Cycle k);
  void drive_out(Cycle k);
  void drive_wire(fabric::Time t, fabric::Time next);
  void sample(Cycle k);
  bool bit(const char* output) const { return model_.output(output).bit(0); }
  void set(const char* input, bool value) const { model_.input(input).set_bit(0, value); }

  blocks::RtlModel model_;
  blocks::LaneRx rx_;
  blocks::LaneTx tx_;
  bool tx_ready_ = false, idle_ = false;
  Message out_;  ///< being sent
  unsigned out_flit_ = 0;
  bool out_valid_ = false, room_ = false;
  Message in_;  ///< being received
  unsigned in_flit_ = 0;
  std::deque<Packet> packets_;
  std::size_t packet_word_ = 0;
  Packet packet_in_;
  bool ctl_taken_ = false, ctl_valid_ = false;
};

/// Two boards and the link between them; `rtl[i]` chooses what board i is.
struct TwoBoards {
  TwoBoards(const Plan (&plans)[2], const bool (&rtl)[2], fabric::LinkSpec wire,
            fabric::Clock clock = fabric::Clock(250'000'000));
  void run(Cycle cycles);
  RtlBoard& rtl(unsigned i) { return dynamic_cast<RtlBoard&>(*board[i]); }
  fabric::Fabric fabric;
  fabric::Clock clock;
  LinkBoard* board[2] = {};
};

/// Useful payload (16 bytes a flit) as a share of the bits that the wire could carry, both directions loaded
/// with unicast messages of `flits` flits; everything else counts as waste: headers, acknowledgements,
/// checks, gaps.
double payload_share(unsigned flits, bool rtl, Cycle cycles);

}  // namespace polyloom::overlay::testing
