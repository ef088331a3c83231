// SPDX-License-Identifier: Apache-2.0
// The function of a hub, cycle for cycle as rtl/polyloom_hub_function.sv: operators of the operator socket
// between a stream of bytes in and lanes of packets out.
//
// How:  network, DMA --> pack to 256 bits --> [ beats ] ==> operator ==> [ beats ] --> lane --> packets
//   ==> is the border to the function's clock: the hub's with an enable, so many of five edges while it has
//   something to do. With a width of 128 bits a beat crosses every second edge of it.
// Overflow: what does not fit a lane's capacity is dropped; the flag and the state say so.
// Thread safety: none; part of a node. Tests: local_test.cc, hub_swap_test.cc.
#pragma once

#include <optional>
#include <vector>

#include "blocks/operators/sim/operator.h"
#include "roles/hub/sim/params.h"
#include "roles/hub/sim/stages.h"

namespace polyloom::hub {

/// Writes an output of the function to memory.
class FunctionLane {
 public:
  explicit FunctionLane(const HubParams& params) : p_(params), packets_(params.max_payload) {}
  std::uint64_t base = 0, capacity = 0, flag = 0;  ///< registers

  /// Also while the last half of a beat goes on, if that does not end the stream.
  bool ready() const {
    const bool last_half = upper_ || beat_.keep >> 16 == 0;
    return state_ == State::wait || (state_ == State::halves && room() && last_half && !beat_.last);
  }
  bool valid() const { return packets_.valid(); }
  Beat beat() const { return packets_.beat(); }
  std::uint64_t bytes() const { return bytes_; }
  bool done() const { return done_; }
  bool overflow() const { return over_; }
  bool idle() const { return state_ == State::wait && packets_.idle(); }
  void move(const blocks::operators::Beat* in, bool taken, bool flush, bool step);

 private:
  enum class State : std::uint8_t { wait, halves, flag, flush };
  bool room() const { return packets_.data_ready() && packets_.commit_ready(); }
  bool half(Beat& data, Packets::Commit& commit, bool& puts, bool& commits);

  const HubParams& p_;
  Packets packets_;
  State state_ = State::wait;
  blocks::operators::Beat beat_;
  bool upper_ = false, done_ = false, over_ = false;
  std::uint64_t bytes_ = 0, place_ = 0;
  std::uint32_t size_ = 0;  ///< bytes in the open packet
};

class Function {
 public:
  explicit Function(const HubParams& params);

  bool exists() const { return slot_.has_value(); }
  std::uint64_t config = 0;
  std::vector<FunctionLane> lanes;

  // Before an edge.
  bool active() const { return step_ || active_; }
  std::uint64_t state() const;
  std::uint64_t status(unsigned word) const { return slot_ ? slot_->status(word) : 0; }
  bool error() const { return slot_ && slot_->errors() != 0; }
  /// Beats of 16 bytes that the network may still write; 0: no step.
  unsigned free() const;
  bool room() const { return !takes() || space() > most_ + 6; }
  bool network_ready() const { return pack_.ready(); }
  bool dma_ready(bool network_now) const {
    return (pack_.ready() && space() > most_ + 8 && !network_now) || !takes();
  }
  bool idle() const;
  /// Nothing changes without input, but for the phase of its clock.
  bool quiet() const;
  void skip(Cycle edges) {
    if (run_) phase_ = static_cast<unsigned>((phase_ + edges % kDen * p_.function_cycles) % kDen);
  }

  struct Inputs {
    const Beat* network = nullptr;
    const Beat* dma = nullptr;
    bool begin = false, flush = false;  ///< commands
    std::uint64_t command = 0;          ///< word of function_control
    int taken = -1;                     ///< lane whose beat was taken
  };
  void step(const Inputs& in);
  void digest(fabric::Digest& digest) const;

 private:
  using OpBeat = blocks::operators::Beat;
  int space() const;
  /// Input is taken; after an error of the operator it is thrown away.
  bool takes() const { return step_ || (active_ && !error_); }
  bool enable() const { return p_.function_cycles == kDen || (run_ && phase_ < p_.function_cycles); }
  void begin_step();
  void take_out(unsigned lane, bool enabled, bool step, const Inputs& in);

  static constexpr unsigned kDen = 5;
  const HubParams& p_;
  int most_;  ///< beats of the largest payload
  std::optional<blocks::operators::Slot> slot_;
  bool step_ = false, flush_ = false, active_ = false, error_ = false, run_ = false, in_gap_ = false;
  std::uint64_t used_ = 0;
  std::uint8_t kind_ = 0;
  unsigned phase_ = 0;
  Pack pack_;
  Fifo<OpBeat> in_;
  std::vector<Fifo<OpBeat>> out_;
  std::vector<bool> gaps_;
};

}  // namespace polyloom::hub
