// SPDX-License-Identifier: Apache-2.0
// A message between mailboxes, and the pool that holds those in flight on one board.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "roles/overlay/arch/message_kind.h"

namespace polyloom::overlay {

struct Message {
  std::uint64_t mask = 0;  ///< receivers within the destination tile; a key in [31:0] for key destinations
  std::uint32_t dest = 0;  ///< mailbox id with the extra address bits
  std::uint8_t flits = 1;  ///< 1..kMaxFlits
  MessageKind kind = MessageKind::unicast;
  std::array<std::uint32_t, kSlotWords> data{};  ///< only the first flits * kFlitWords words mean anything

  unsigned words() const { return flits * kFlitWords; }
};

using MessageId = std::uint32_t;

/// Storage of the messages in flight on a board, by index. Never shrinks. Not thread safe.
class MessagePool {
 public:
  MessageId allocate() {
    if (free_.empty()) {
      messages_.emplace_back();
      return static_cast<MessageId>(messages_.size() - 1);
    }
    const MessageId id = free_.back();
    free_.pop_back();
    return id;
  }
  void release(MessageId id) { free_.push_back(id); }
  Message& operator[](MessageId id) { return messages_[id]; }
  const Message& operator[](MessageId id) const { return messages_[id]; }
  std::size_t in_use() const { return messages_.size() - free_.size(); }

 private:
  std::vector<Message> messages_;
  std::vector<MessageId> free_;
};

}  // namespace polyloom::overlay
