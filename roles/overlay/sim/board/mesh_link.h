// SPDX-License-Identifier: Apache-2.0
// One of a board's four links to its neighbours: messages and control words over a reliable link.
#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "fabric/node.h"
#include "roles/overlay/sim/net/message.h"
#include "roles/overlay/sim/types.h"

namespace polyloom::overlay {

struct MeshLinkConfig {
  std::uint64_t clock_hz = 0;
  bool header_every_flit = false;  ///< published: 4 words a flit; ours: 1 or 2 words a message, 2 a flit
  fabric::Time latency = 0;        ///< of the wire: sets the retransmission time-out
};

/// Order: messages among themselves and control words among themselves; control overtakes messages. Not
/// thread safe.
class MeshLink {
 public:
  /// Null ends are the rim of the mesh: exists() is false and nothing may be sent.
  MeshLink(fabric::Tx* tx, fabric::Rx* rx, const MeshLinkConfig& config);
  ~MeshLink();
  MeshLink(MeshLink&&) noexcept;

  bool exists() const;

  struct Arrival {
    fabric::Time time = 0;  ///< when its last word could be used
    unsigned epoch = 0;
    Message message;
  };
  struct Control {
    fabric::Time time = 0;
    std::vector<std::uint64_t> words;
  };
  /// Takes in what has arrived before `until`. Times of calls must not decrease.
  void advance(fabric::Time until);
  /// Oldest message that has arrived and was not popped; null if none.
  const Arrival* front() const;
  void pop();
  std::optional<Control> take_control();

  /// True if a message of any length can be handed over now.
  bool room() const;
  /// Hands a message over; its first word leaves at `ready` or later. Precondition: room().
  void send(fabric::Time ready, const Message& message, unsigned epoch);
  /// Control words, at most 255; there is always room.
  void send_control(fabric::Time ready, std::span<const std::uint64_t> words);
  /// Puts on the wire what leaves in the window that ends at `until`.
  void transmit(fabric::Time until);

  /// When something happens without a call of send: an arrival, a departure, a time-out; kNever if nothing.
  fabric::Time next_event() const;

  void counters(const std::string& prefix, const fabric::CounterSink& sink) const;
  void digest(fabric::Digest& digest) const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace polyloom::overlay
