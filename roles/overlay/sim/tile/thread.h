// SPDX-License-Identifier: Apache-2.0
// A hardware thread's state, and the tokens by which running ahead tells the timing engine what it did.
#pragma once

#include <array>
#include <cstdint>

#include "roles/overlay/sim/isa/inst.h"
#include "roles/overlay/sim/tile/cache.h"

namespace polyloom::overlay {

/// What ends a run of plain instructions. A bit of the high nibble tells the unit that serves it, the low
/// nibble the operation.
namespace event {
enum : std::uint8_t { kCache = 0x10, kFpu = 0x20, kScratchpad = 0x40, kControl = 0x80 };
enum : std::uint8_t {
  refill = 0x00,             ///< no event: the thread must run ahead again before anything is known
  blocked = 0x01,            ///< follows an event that the timing engine executes; never reached
  plain = 0x02,              ///< a plain instruction
  hit = kCache,              ///< load or store that hits: done
  flush_clean = kCache | 1,  ///< flush of a clean line: done
  miss = kCache | 2,         ///< load or store that misses
  flush_dirty = kCache | 3,
  fpu = kFpu,  ///< + FpuOp: done
  scratchpad = kScratchpad,
  scratchpad_load = kScratchpad | 1,   ///< of a message that the thread holds: done
  scratchpad_store = kScratchpad | 2,  ///< executed from the thread's notes
  control = kControl,   ///< everything that others can see or that depends on time; also faults
  recv = kControl | 1,  ///< result known; these three are executed from the thread's notes
  free = kControl | 2,
  send = kControl | 3,
  can_recv = kControl | 4,  ///< nothing was queued when the thread ran ahead: asked at its cycle
};
}  // namespace event

/// Latency classes of the shared FPU.
enum class FpuOp : std::uint8_t { mul, div, compare, convert, add, fmul, fma, fdiv, sqrt };
inline constexpr unsigned kFpuOps = 9;

/// `plain` plain instructions, then the event.
struct Token {
  /// Set in the token that ends a buffer (refill, or an event after which the thread runs ahead again), and
  /// where the host should fetch what comes next.
  static constexpr unsigned kFar = 0x80;
  static constexpr unsigned kMaxPlain = 0x7f;
  std::uint16_t bits;
  bool far() const { return (bits & kFar) != 0; }
  std::uint8_t plain() const { return bits & kMaxPlain; }
  std::uint8_t event() const { return static_cast<std::uint8_t>(bits >> 8); }
};

/// Tokens of one thread; aligned to its size, so that running ahead finds the end by the pointer's low bits.
inline constexpr unsigned kTokens = 128;
/// What the host needs next is fetched each time this many tokens (a line of its cache) are used up but for
/// the notice.
inline constexpr unsigned kTokenPiece = 32, kTokenNotice = 4;
struct alignas(sizeof(Token) * kTokens) TokenBuffer {
  std::array<Token, kTokens> tokens{};
};

class InstrMemory;
class MailboxPort;
struct Uop;

/// Operands of a thread's instructions that have been met ahead of time and take effect at their cycle, in
/// order.
class Notes {
 public:
  static constexpr unsigned kMax = 16;
  bool room(unsigned n) const { return written_ - read_ + n <= kMax; }
  void put(std::uint64_t note) { notes_[written_++ % kMax] = note; }
  std::uint64_t take() {
    const std::uint64_t note = notes_[read_++ % kMax];
    if (read_ == written_) read_ = written_ = 0;  // few notes are all in one line of the host's cache
    return note;
  }

 private:
  std::uint32_t written_ = 0, read_ = 0;
  std::array<std::uint64_t, kMax> notes_;
};

/// What a load or store that missed asks of memory. The line it replaces has left the tags.
struct Miss {
  std::uint32_t addr;      ///< of the line
  std::uint32_t replaced;  ///< address of a line to be written back, or CachePartition::kEmpty
  std::uint8_t slot;       ///< where that line still is, and the new one will be
};

/// State of one thread. All of it is private to the thread, so it may run ahead. In order of use: a thousand
/// threads do not fit a host's cache.
struct alignas(64) Thread {
  std::uint32_t x[kNumXRegs];
  std::uint32_t pc;  ///< where to run ahead from, or the instruction that the timing engine executes
  std::uint32_t fcsr;
  std::uint32_t code_bytes;
  const Uop* code;  ///< of the instruction memory
  TokenBuffer* buffer;
  Miss* miss;  ///< the tile's note of it: there is at most one
  InstrMemory* memory;
  /// Tells what the mailbox will respond; null if that cannot be known.
  const MailboxPort* mailbox;
  const std::uint32_t* scratchpad;  ///< its words
  std::uint32_t scratchpad_mask;    ///< number of words less one
  /// Scratchpad address of the message last received, which does not change while the thread holds it;
  /// kNoMessage if it has been freed or written.
  std::uint32_t message;
  static constexpr std::uint32_t kNoMessage = 1, kMessageBytes = 64;
  std::uint8_t index;                     ///< in the tile
  std::uint8_t recvs_ahead, sends_ahead;  ///< executed ahead of time, to take effect
  std::uint32_t id;                       ///< global
  csr::Held held;
  CachePartition cache;
  Notes notes;
  std::uint32_t f[32];

  void forget_messages() {
    recvs_ahead = sends_ahead = 0;
    message = kNoMessage;
    notes = {};
  }
  /// A message has been freed or is written.
  void let_go(std::uint32_t addr) {
    if ((addr & ~(kMessageBytes - 1)) == message) message = kNoMessage;
  }

  /// Asks the host to bring in what running ahead touches first.
  void prefetch() const {
    constexpr std::size_t kLine = 64;
    const auto* p = reinterpret_cast<const char*>(this);
    for (std::size_t at = 0; at < sizeof(Thread); at += kLine) __builtin_prefetch(p + at);
  }
};

}  // namespace polyloom::overlay
