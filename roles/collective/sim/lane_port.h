// SPDX-License-Identifier: Apache-2.0
// One lane of a collective node and the blocks that the step sends and accepts on it.
//
// Owns: the lane's two ways, and of the step's send and accept on it what they are and how far they are.
// Contract: a send begins (begin_send()) once may_begin(), then its beats are given to send_beat(); an accept
//   begins with the step (begin_accept()), beats leave its buffer by pop() once beat_ready(), and
//   finish_accept() ends it. Both report their end and a wrong signature to the step. Credit by pulses:
//   ../README.md, "Lanes and pulses".
// Thread safety: none; embedded in an engine. Tests: ../tests/engine_test.cc, fault_test.cc, burst_test.cc.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>

#include "roles/collective/sim/edges.h"
#include "roles/collective/sim/lane_in.h"
#include "roles/collective/sim/lane_out.h"
#include "roles/collective/sim/params.h"
#include "roles/collective/sim/running_step.h"

namespace polyloom::collective {

class LanePort {
 public:
  LanePort(unsigned number, blocks::WireEnds wire, const CollectiveParams& params, const Edges& edges,
           RunningStep& step)
      : out(wire.tx, params.block_check),
        in(wire.rx, out.beat_time(), params),
        connected_(wire.tx != nullptr && wire.rx != nullptr),
        number_(number),
        p_(params),
        edges_(edges),
        step_(step) {}

  LaneOut out;
  LaneIn in;
  bool connected() const { return connected_; }

  // ---- the step
  void clear_step() {
    send_ = {};
    accept_ = {};
  }
  void load_send(const Instruction& i);
  void load_accept(const Instruction& i);

  // ---- the send
  bool may_begin() const {
    const auto credit = static_cast<std::int32_t>(in.pulses() - out.begun);
    return send_.eager ? credit >= 0 : credit >= 1;
  }
  bool begun() const { return send_.begun; }
  bool sends_pulse_only() const { return send_.pulse_only; }
  void begin_send(Cycle k);
  void send_beat(const Beat& beat, Cycle k);
  /// The first edge, not before `guess`, at which a beat may be taken for it: LaneOut::room() asks for the
  /// edge before.
  Cycle sees_room(Cycle guess) const { return sees_room(out.room_from(), guess); }
  Cycle sees_room(Time room_from, Cycle guess) const { return edges_.from(room_from + 1, guess - 1) + 1; }

  // ---- the accept
  bool accepts() const { return accept_.active; }
  bool accepts_pulse_only() const { return accept_.pulse_only; }
  /// Its ready pulse, unless that waits for the lanes to which the block is copied (`relays`).
  void begin_accept(Cycle k, bool relays);
  /// Those lanes have begun.
  void begin_relay(Cycle k) {
    if (!accept_.relay_pulse) return;
    accept_.relay_pulse = false;
    out.send_pulse(edges_.at(k + p_.timing.go_to_pulse));
  }
  /// Beats leave the buffer from this edge on; kNeverCycle: the signature has not been compared.
  Cycle opens() const { return accept_.from; }
  bool beat_ready(Cycle k) const { return accept_.from <= k && in.holds_beat(k); }
  Cycle beat_from() const {
    const Cycle held = in.beat_from();
    return held == kNeverCycle || accept_.from == kNeverCycle ? kNeverCycle : std::max(held, accept_.from);
  }
  /// The beat at the front has moved.
  void pop(bool last, Cycle k);
  /// Compares the signature when it is here. True if the accept is done.
  bool finish_accept(Cycle k);

  // ---- the node
  void hello(Cycle c, std::uint16_t node);
  void abort(Cycle k, std::uint16_t node, Fault code);
  /// Forgets blocks and pulses; the peer stays known.
  void clear() {
    in.clear();
    out.begun = 0;
  }

  // ---- reports
  bool lacks_pulse() const { return send_.active && !send_.begun && !may_begin(); }
  bool lacks_data() const { return accept_.active && !accept_.moved && !accept_.pulse_only; }
  /// Calls add(text) for what the step waits for here.
  template <typename Add>
  void waiting(Add add) const {
    if (lacks_pulse()) {
      add("send on " + name() + " has no pulse from the other end (" + std::to_string(in.pulses()) +
          " came, block " + std::to_string(out.begun) + ")");
    }
    if (accept_.active && accept_.relay_pulse) {
      add("take on " + name() + " waits for the lanes that it is copied to");
    } else if (lacks_data() && in.held() == 0) {
      add("take on " + name() + " has no data");
    } else if (accept_.active && accept_.moved && p_.block_check) {
      add("take on " + name() + " has no check frame");
    }
  }
  void counters(const std::string& prefix, const fabric::CounterSink& sink) const;
  void reset_counters() {
    out.counted = {};
    in.counted = {};
  }
  void digest(fabric::Digest& d) const;

 private:
  struct Send {
    bool active = false, begun = false, eager = false, pulse_only = false;
    std::uint32_t signature = 0;
  };
  struct Accept {
    bool active = false, eager = false, pulse_only = false;
    bool relay_pulse = false;  ///< the ready pulse waits for the lanes that copy the block
    bool moved = false;        ///< the last beat has left the buffer
    Cycle from = kNeverCycle, moved_at = 0;
    std::uint32_t signature = 0;
    std::uint32_t block = 0;
  };

  std::string name() const;

  const bool connected_;
  const unsigned number_;
  const CollectiveParams& p_;
  const Edges& edges_;
  RunningStep& step_;
  Send send_;
  Accept accept_;
};

}  // namespace polyloom::collective
