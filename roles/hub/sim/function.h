// SPDX-License-Identifier: Apache-2.0
// The function of a hub: operators of the operator socket between a stream of bytes in and lanes of packets
// out.
//
// How: bytes for the function (from the DMA, or written to its address) enter a FIFO; `width` bits a function
//   cycle go from it to the operator's input, and from each output to the lane's writer, which makes writes
//   of at most a payload from the lane's base on, and the flag behind them. The function's clock is the
//   hub's with an enable: so many of five cycles.
// Overflow: what does not fit a lane's capacity is dropped; the flag and the state say so.
// Thread safety: none; part of a node. Tests: function_test.cc.
#pragma once

#include <deque>
#include <optional>
#include <vector>

#include "blocks/operators/sim/operator.h"
#include "roles/hub/sim/packet.h"
#include "roles/hub/sim/params.h"

namespace polyloom::hub {

class Function {
 public:
  explicit Function(const HubParams& params);

  bool exists() const { return slot_.has_value(); }
  // Registers.
  bool begin(std::uint64_t word);  ///< of function_control; false: it cannot now
  void flush();
  bool active() const { return active_; }
  std::uint64_t state() const;
  std::uint64_t status(unsigned word) const { return slot_ ? slot_->status(word) : 0; }
  bool error() const { return slot_ && slot_->errors() != 0; }
  std::uint64_t config = 0;
  std::optional<std::uint64_t> lane_register(unsigned lane, std::uint64_t offset) const;
  bool set_lane_register(unsigned lane, std::uint64_t offset, std::uint64_t value);

  // Stream in.
  std::size_t room() const { return kFifoBytes - fifo_.size(); }
  void input(const std::uint8_t* data, std::size_t bytes, bool last);

  /// One clock edge. True if something moved.
  bool step(Cycle k);
  /// Nothing happens until new input or a packet is taken.
  bool quiet() const;
  /// The next packet of the lanes, in turn; `take` it at once.
  bool offers() const { return next_offer() >= 0; }
  Packet take();

  void digest(fabric::Digest& digest) const;

 private:
  static constexpr std::size_t kFifoBytes = 2048;
  struct Writer {
    std::uint64_t base = 0, capacity = 0, flag = 0;  // registers
    std::uint64_t bytes = 0, sent = 0;               // produced, written
    std::vector<std::uint8_t> held;
    bool used = false, ended = false, done = false;
    unsigned busy = 0;  ///< function cycles until it takes the next beat
  };
  bool enabled(Cycle k) const { return (k * p_.function_cycles) % 5 < p_.function_cycles; }
  bool feed();
  bool collect();
  void finish(Writer& writer);
  int next_offer() const;
  bool has_packet(const Writer& w) const;

  const HubParams& p_;
  std::optional<blocks::operators::Slot> slot_;
  bool active_ = false;
  std::deque<std::uint8_t> fifo_;
  std::uint64_t in_ = 0, out_ = 0;  ///< bytes that entered and left the FIFO in this step
  std::deque<std::uint64_t> ends_;  ///< values of in_ at which streams end
  blocks::operators::Beat beat_;    ///< being filled
  unsigned filled_ = 0;
  bool full_ = false;
  std::vector<Writer> writers_;
  unsigned turn_ = 0;
};

}  // namespace polyloom::hub
