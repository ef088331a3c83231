// SPDX-License-Identifier: Apache-2.0
// One of a board's four links to its neighbours: messages and control words over a reliable link.
//
// On the link, in items of 64 bits (sizes and reasons: roles/overlay/README.md):
//   message, ours        header, [mask if kind is mask], 2 items a flit
//   message, published   header, [mask if kind is mask, or a key], 2 items of payload; for each flit
//   header               kind[2:0] epoch[3] flits-1[5:4] last[6] thread[13:8] dest[35:16], or a key[47:16]
//   control              the detector's words, their number in [63:56] of the first. On the control channel;
//                        the published link has none, there they follow a header of kind control among
//                        messages
#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "blocks/reliable_link/sim/reliable_link.h"
#include "fabric/node.h"
#include "roles/overlay/sim/net/message.h"
#include "roles/overlay/sim/types.h"

namespace polyloom::overlay {

struct MeshLinkConfig {
  std::uint64_t clock_hz = 0;
  bool header_every_flit = false;
  bool published = false;      ///< the published reliable link
  fabric::Time latency = 0;    ///< of the wire
  std::uint32_t key_dest = 0;  ///< destination of key messages, which says no more than that they are such
};

/// Order: messages among themselves, control among itself; control overtakes messages. Nothing depends on how
/// time is cut into fabric windows. In each: begin(); in board windows, in each of which all calls have its
/// end for cycle `to`, receive(), then taking and sending; then end(). Not thread safe.
class MeshLink {
 public:
  MeshLink(fabric::Tx& tx, fabric::Rx& rx, const MeshLinkConfig& config);

  /// A fabric window begins that ends at cycle `until`. Frames are taken in for all of it at once, but for
  /// the published link, which drops those for which it has no room when they come.
  void begin(Cycle until) {
    if (!config_.published) link_.receive(until);
  }
  /// The board window that ends at `to` begins.
  void receive(Cycle to) {
    if (config_.published) link_.receive(to);
  }
  /// Sends the frames that start before cycle `until`, the end of the fabric window.
  void end(Cycle until) {
    link_.receive(until);
    link_.transmit(until);
  }

  struct Arrival {
    Cycle at = 0;  ///< when its last word could be used
    unsigned epoch = 0;
    Message message;
  };
  struct Control {
    Cycle at = 0;
    std::vector<std::uint64_t> words;
  };
  /// Oldest message that can be used at cycle `at`; null if none.
  const Arrival* front(Cycle at);
  void pop() { arrival_ready_ = false; }
  std::optional<Control> take_control(Cycle at);

  /// True if a message of any length can be handed over at `to`.
  bool room(Cycle to) { return space(blocks::kData, kLongestMessage, to); }
  /// A cycle of the first board window at whose end there may be room, kNeverCycle if none is known.
  Cycle next_room() const { return next_room(blocks::kData, kLongestMessage); }
  /// Hands a message over. Precondition: room().
  void send(Cycle to, const Message& message, unsigned epoch);
  /// Control words, 1 to 31, to leave at cycle `c` >= `to` or later; there is always room.
  void send_control(Cycle to, Cycle c, std::span<const std::uint64_t> words);
  /// Control words for which the link had no room go on if it has now.
  void push_waiting(Cycle to);

  /// When something that arrived can be used; kNeverCycle if nothing has arrived that was not looked at.
  Cycle next_arrival() const;
  /// When the link itself does something.
  Cycle next_event() const { return link_.next_event(); }
  bool waits_for_ack() const { return link_.waits_for_ack(); }

  void counters(const std::string& prefix, const fabric::CounterSink& sink) const {
    link_.counters(prefix, sink);
  }
  void digest(fabric::Digest& digest) const { link_.digest(digest); }
  std::string waiting_for() const { return link_.waiting_for(); }

 private:
  static constexpr std::size_t kLongestMessage = 4 * kMaxFlits + 1;

  struct Pending {
    Cycle at;
    std::vector<std::uint64_t> words;
  };
  /// Takes items of the message that is arriving; true when it is whole.
  bool assemble(Cycle at);
  void unpack();
  std::size_t items_needed() const;
  bool has_space(blocks::Channel channel, std::size_t items) const;
  bool space(blocks::Channel channel, std::size_t items, Cycle to);
  /// The end of a fabric window makes space too, of which no later frame tells.
  Cycle next_room(blocks::Channel channel, std::size_t items) const {
    return has_space(channel, items) ? 0 : link_.next_report();
  }
  blocks::Channel pending_channel() const { return config_.published ? blocks::kData : blocks::kControl; }

  MeshLinkConfig config_;
  blocks::ReliableLink link_;
  std::vector<std::uint64_t> items_;  ///< of the message that is arriving
  Cycle items_at_ = 0;
  Arrival arrival_;
  bool arrival_ready_ = false;
  std::vector<std::uint64_t> control_items_;
  Cycle control_at_ = 0;
  std::deque<Control> control_;  ///< arrived among messages (published)
  std::deque<Pending> pending_;  ///< control words for which the link had no room
  Cycle pushed_[2] = {0, 0};     ///< cycle of the last push, by channel
};

}  // namespace polyloom::overlay
