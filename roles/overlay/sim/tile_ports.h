// SPDX-License-Identifier: Apache-2.0
// What a tile's cores and its mailbox say to each other. The mailbox implements MailboxPort, the cores
// CoreWakeups. Calls of one window come with non-decreasing cycles per tile; responses are those of the state
// that the previous window left plus the core's own earlier calls, so cores can run a window before the
// network does.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>

#include "roles/overlay/sim/types.h"

namespace polyloom::overlay {

/// Events a thread may wait for (bit mask of tinselWaitUntil and tinselIdle: CSR 0x80a).
enum WaitBits : std::uint32_t { kWaitSend = 1, kWaitRecv = 2, kWaitIdle = 4, kWaitIdleVote = 8 };

/// A send request as the Send instruction leaves it.
struct SendRequest {
  static constexpr std::uint32_t kNoSlot = ~0u;  ///< the thread's pointer is no slot's address
  static constexpr std::uint8_t flits_of(std::uint32_t send_len) {
    return static_cast<std::uint8_t>(std::min(send_len, 4u) + 1);
  }

  std::uint32_t dest;       ///< mailbox id with the extra address bits (docs/sources/tinsel.md, 1.4)
  std::uint64_t mask;       ///< threads of the destination mailbox; a key in [31:0] for key destinations
  std::uint32_t slot_addr;  ///< scratchpad byte address of the message (any slot), or kNoSlot
  std::uint8_t flits;       ///< 1..max_flits, or more: a message that is refused
  std::uint32_t pc = 0;     ///< of the Send instruction, for messages about it
};

class MailboxPort {
 public:
  virtual ~MailboxPort() = default;
  /// True if the thread's previous send has left the scratchpad. `thread` is the index in the tile, 0..63.
  virtual bool can_send(unsigned thread) const = 0;
  virtual void send(Cycle c, unsigned thread, const SendRequest& request) = 0;
  virtual bool can_recv(unsigned thread) const = 0;
  /// Next message's scratchpad byte address. Precondition: can_recv(thread).
  virtual std::uint32_t recv(Cycle c, unsigned thread) = 0;
  /// Drops one reference of the slot holding `addr`. A slot never received is left alone.
  virtual void free_slot(Cycle c, std::uint32_t addr) = 0;
  /// The thread stops until one of `bits` (WaitBits) holds; the mailbox responds with CoreWakeups::wake, never
  /// in the same window. kWaitIdle/kWaitIdleVote take part in termination detection; `vote` is meaningful
  /// with them: bits contains kWaitIdle always, and kWaitIdleVote when the thread votes true.
  virtual void wait(Cycle c, unsigned thread, std::uint32_t bits) = 0;
  /// The thread has stopped for good (killed or faulted): it never waits again, so detection never fires.
  virtual void thread_stopped(unsigned thread) = 0;
  /// Word access to the scratchpad. `addr` is 4-aligned, modulo the scratchpad's size; `byte_enable` bit i =
  /// byte i.
  virtual std::uint32_t load(std::uint32_t addr) const = 0;
  virtual void store(std::uint32_t addr, std::uint32_t data, unsigned byte_enable) = 0;
  /// All words of the scratchpad, a power of two, to look into.
  virtual std::span<const std::uint32_t> words() const = 0;

  // What a thread can know ahead of time: a message that is queued stays queued until the thread takes it.
  /// False if the network may forbid threads to send or receive for a while: then nothing can be known.
  virtual bool foreseeable() const = 0;
  /// Messages that wait for the thread.
  virtual unsigned queued(unsigned thread) const = 0;
  /// What recv() will give when `n` more have been taken. Precondition: n < queued(thread).
  virtual std::uint32_t peek(unsigned thread, unsigned n) const = 0;
};

class CoreWakeups {
 public:
  virtual ~CoreWakeups() = default;
  /// Ends a thread's wait: it may issue again from cycle `c` on; `bits` becomes the result of the wait CSR.
  /// `c` lies at or after the end of the window being processed by the network.
  virtual void wake(Cycle c, unsigned thread, std::uint32_t bits) = 0;
};

}  // namespace polyloom::overlay
