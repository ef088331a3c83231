// SPDX-License-Identifier: Apache-2.0
#include "roles/overlay/sim/board/waiting_text.h"

#include "roles/overlay/sim/tile_ports.h"

namespace polyloom::overlay {

std::string wait_name(std::uint32_t bits) {
  if (bits & kWaitIdle) return "tinselIdle";
  if ((bits & kWaitSend) && (bits & kWaitRecv)) return "can-send or can-recv";
  return bits & kWaitSend ? "can-send" : "can-recv";
}

void ThreadGroups::note(const std::string& what, unsigned tile, unsigned thread) {
  Group& group = groups_[what];
  if (group.count++ == 0) group.tile = tile, group.thread = thread;
}

unsigned ThreadGroups::count(const std::string& what) const {
  const auto found = groups_.find(what);
  return found == groups_.end() ? 0 : found->second.count;
}

std::string ThreadGroups::text() const {
  std::string text;
  for (const auto& [what, group] : groups_) {
    if (!text.empty()) text += ", ";
    text += std::to_string(group.count) + (group.count == 1 ? " thread " : " threads ") + what;
    if (group.count < board_.threads() / 2 || group.count == 1) {
      text += " (" + std::string(group.count > 1 ? "the first is " : "") + "core " +
              std::to_string(group.tile * board_.cores_per_tile + group.thread / board_.threads_per_core) +
              " thread " + std::to_string(group.thread % board_.threads_per_core) + ")";
    }
  }
  return text;
}

void Blocking::note(bool can_send, bool can_recv, unsigned tile, unsigned thread) {
  if (can_recv) receivers.note("with messages not received", tile, thread);
  if (!can_send) senders.note("with a message that cannot leave", tile, thread);
}

std::string Blocking::text() const {
  std::string text;
  for (const ThreadGroups* groups : {&receivers, &senders}) {
    if (const std::string what = groups->text(); !what.empty()) text += "; " + what;
  }
  return text;
}

}  // namespace polyloom::overlay
