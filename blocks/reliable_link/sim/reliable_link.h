// SPDX-License-Identifier: Apache-2.0
// One end of a reliable link between boards: streams of 64-bit items over Ethernet frames that may be
// lost.
//
// How: items wait in a transmit buffer until acknowledged. Whenever the wire is free and something is
//   due, a frame takes what there is, control items first. The far side drops frames with a wrong CRC,
//   takes the items it has not had, and acknowledges with every frame it sends. Go-back-N: when an item
//   is missed, the receiver says so once and the sender starts again from there; a time-out covers the
//   rest.
// Channels: two, numbered apart: control is never behind data except for the frame on the wire, and has
//   its own buffers. In both the receiver tells in each frame up to which item it has room (a count, so
//   a lost frame costs nothing), and the sender keeps to it: a full buffer loses nothing.
// Published mode: one channel, frames of up to 20 items, a frame is dropped if fewer than 21 places are
//   free, no complaint about gaps, time-out only (docs/sources/tinsel.md, 3.3).
// Hardware: two RAMs a channel (transmit, receive), a frame builder and a parser of one word a cycle,
//   CRC-32 in line; a full frame is stored before its items are used because its check comes last.
// Latency: an item pushed at cycle c on an idle link leaves with a frame whose first word is sent at
//   cycle c + tx_cycles and is visible rx_cycles after the edge at or after its last word's arrival.
// Throughput: max_items items in max_items + 5 words of wire: 92 % with 60, 80 % with the published 20.
// Idle: a link with nothing to say is silent (the published one repeats acknowledgements, which say
//   nothing new).
// Order/loss: each channel delivers every item once, in order, as long as some frames get through.
// Source: docs/sources/tinsel.md, 3.3; own design for control channel, room and complaints.
// Tests: reliable_link_test.cc, reliable_link_loss_test.cc.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "blocks/reliable_link/sim/link_channel.h"
#include "blocks/reliable_link/sim/link_frame.h"
#include "fabric/node.h"

namespace polyloom::blocks {

/// Both ends of a link must have the same. Cycles are of the board's core clock.
struct ReliableLinkParams {
  bool published = false;
  unsigned max_items = 60;      ///< of both channels, in one frame
  unsigned tx_items = 1024;     ///< data items kept until acknowledged
  unsigned rx_items = 1024;     ///< data items received and not popped
  unsigned control_items = 64;  ///< the same for control, each way
  unsigned ack_delay = 32;      ///< cycles that an acknowledgement waits for a frame to ride on
  unsigned timeout = 1024;      ///< cycles without progress before everything is sent again
  unsigned tx_cycles = 1;       ///< from push to the first word of a frame
  unsigned rx_cycles = 2;       ///< from the last word's edge to the pop side

  /// Ours, with a time-out that suits the wire: two latencies, four full frames, the delay of an
  /// acknowledgement.
  static ReliableLinkParams standard(fabric::Clock clock, fabric::Time latency, fabric::Time word_period);
  static ReliableLinkParams as_published();
};

struct ReliableLinkCounters {
  std::uint64_t frames_sent = 0, pure_acks = 0, items_sent = 0, items_again = 0, timeouts = 0, go_backs = 0;
  std::uint64_t frames_received = 0, bad_frames = 0, items_received = 0, duplicates = 0, gaps = 0;
  std::uint64_t refused = 0;  ///< published mode: frames dropped for want of room
};

/// Not thread safe. Use in each board window [from, until): receive(until); pops and pushes at cycles of the
/// window; transmit(until). advance(until) does both when there is nothing to push or pop.
class ReliableLink {
 public:
  /// Throws UserError if a parameter is out of range. tx and rx outlive this.
  ReliableLink(fabric::Tx& tx, fabric::Rx& rx, const ReliableLinkParams& params, fabric::Clock clock);
  ReliableLink(const ReliableLink&) = delete;
  ReliableLink& operator=(const ReliableLink&) = delete;

  // Sending side. Cycles of pushes to one channel must not decrease, nor lie before the last transmit().
  std::size_t data_space() const { return tx_[kData].space(); }
  std::size_t control_space() const { return tx_[kControl].space(); }
  /// False if there is no space.
  bool push_data(Cycle c, std::uint64_t item) { return push(kData, c, item); }
  /// As push_data. The published mode has no control channel: std::logic_error.
  bool push_control(Cycle c, std::uint64_t item);

  // Receiving side: items become visible in order.
  /// When the oldest item not popped may be used; kNeverCycle if there is none.
  Cycle data_visible() const { return visible(kData); }
  Cycle control_visible() const { return visible(kControl); }
  /// Items that may be used at cycle c, and the i-th of them.
  std::size_t data_count(Cycle c) const { return count(kData, c); }
  std::size_t control_count(Cycle c) const { return count(kControl, c); }
  std::uint64_t data_item(std::size_t i) const { return rx_[kData].ring[rx_[kData].taken + i].item; }
  std::uint64_t control_item(std::size_t i) const { return rx_[kControl].ring[rx_[kControl].taken + i].item; }
  /// Takes the oldest item. Precondition: visible at c.
  std::uint64_t pop_data(Cycle c) { return pop(kData, c); }
  std::uint64_t pop_control(Cycle c) { return pop(kControl, c); }

  /// Takes in the frames whose last word arrives before cycle `until`.
  void receive(Cycle until);
  /// Sends the frames that start before cycle `until`.
  void transmit(Cycle until);
  void advance(Cycle until) {
    receive(until);
    transmit(until);
  }

  /// When the oldest frame counts that was received but not by transmit(): what it acknowledges makes space
  /// then. kNeverCycle if there is none.
  Cycle next_report() const {
    return reports_done_ == reports_.size() ? kNeverCycle : reports_[reports_done_].at;
  }
  /// When the next frame that was not received is complete, or a part of it; kNeverCycle if none has come.
  Cycle next_frame() const;
  /// Earliest cycle at which receive() or transmit() may have something to do without a push or pop.
  Cycle next_event() const;
  /// True if nothing pushed is without its acknowledgement and nothing received is unpopped.
  bool drained() const;
  /// True if something sent waits for its acknowledgement.
  bool waits_for_ack() const { return tx_[kControl].waits_for_ack() || tx_[kData].waits_for_ack(); }

  const ReliableLinkCounters& counters() const { return counters_; }
  /// Adds "<prefix>frames_sent" and the like.
  void counters(const std::string& prefix, const fabric::CounterSink& sink) const;
  void digest(fabric::Digest& d) const;
  /// What this end waits for, for a person; empty if nothing.
  std::string waiting_for() const;

 private:
  /// What a good frame told the sending side, and when.
  struct Report {
    Cycle at;
    LinkHeader header;
    std::uint64_t expected[kChannels];  ///< after the frame
    bool response;                      ///< it must be acknowledged
    bool response_now;
    bool complain[kChannels];
  };
  enum class Reason { none, payload, response, timeout, poll };

  bool push(Channel ch, Cycle c, std::uint64_t item);
  std::uint64_t pop(Channel ch, Cycle c);
  Cycle visible(Channel ch) const;
  std::size_t count(Channel ch, Cycle c) const;
  void take_frame(Cycle at);
  void accept(unsigned ch, const LinkHeader& h, const std::uint64_t* items, Report& report);
  void apply(const Report& report);
  void go_back(TxChannel& t, Cycle at);
  void report_pops(Cycle before);
  Cycle due(Reason& reason) const;
  void send_frame(Cycle at, Reason reason);
  unsigned gather(unsigned ch, Cycle at, unsigned room, LinkHeader& h);

  fabric::Tx& wire_out_;
  fabric::Rx& wire_in_;
  ReliableLinkParams p_;
  LinkFormat format_;
  fabric::Clock clock_;
  TxChannel tx_[kChannels];
  RxChannel rx_[kChannels];
  std::vector<std::uint64_t> assembling_;  ///< words of the frame that is arriving
  bool in_frame_ = false;
  std::vector<Report> reports_;  ///< in order of time, from reports_done_ on
  std::size_t reports_done_ = 0;
  std::vector<std::uint64_t> items_;  ///< of the frame being built
  Cycle wire_free_ = 0;               ///< first cycle at which the next frame may start
  Cycle response_at_ = kNeverCycle;   ///< when an acknowledgement is due
  bool complain_[kChannels] = {};
  Cycle sent_until_ = 0;
  Cycle idle_until_ = 0;  ///< transmit() has nothing to do before, unless something changes
  bool changed_ = true;
  ReliableLinkCounters counters_;
};

}  // namespace polyloom::blocks
