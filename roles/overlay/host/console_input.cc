// SPDX-License-Identifier: Apache-2.0
#include "roles/overlay/host/console_input.h"

namespace polyloom::overlay {

void ConsoleInput::send(Thread to, std::uint8_t byte) const {
  blocks::UartInFrame frame;
  frame.core = static_cast<std::uint16_t>(to.core);
  frame.thread = static_cast<std::uint8_t>(to.thread);
  frame.byte = byte;
  send_(to.board, frame);
}

void ConsoleInput::put(Thread to, std::uint8_t byte) {
  const auto [at, free] = behind_.try_emplace(to);
  if (free) return send(to, byte);
  at->second.push_back(byte);
}

void ConsoleInput::put_to_all(unsigned board, unsigned cores, unsigned thread, std::uint8_t byte) {
  bool all_free = true;
  for (unsigned core = 0; core < cores && all_free; ++core)
    all_free = !behind_.contains({board, core, thread});
  if (!all_free) {
    for (unsigned core = 0; core < cores; ++core) put({board, core, thread}, byte);
    return;
  }
  for (unsigned core = 0; core < cores; ++core) behind_[{board, core, thread}];
  blocks::UartInFrame frame;
  frame.thread = static_cast<std::uint8_t>(thread);
  frame.broadcast = true;
  frame.byte = byte;
  send_(board, frame);
}

void ConsoleInput::has_read(Thread thread) {
  const auto held = behind_.find(thread);
  if (held == behind_.end()) return;  // another's byte
  if (held->second.empty()) {
    behind_.erase(held);
    return;
  }
  send(thread, held->second.front());
  held->second.pop_front();
}

}  // namespace polyloom::overlay
