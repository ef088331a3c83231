// SPDX-License-Identifier: Apache-2.0
// A hardware thread's state, and the tokens by which running ahead tells the timing engine what it did.
#pragma once

#include <array>
#include <cstdint>

#include "roles/overlay/sim/isa/inst.h"
#include "roles/overlay/sim/tile/cache.h"

namespace polyloom::overlay {

/// What ends a run of plain instructions. The high nibble is the unit that serves it (enum Unit), the low
/// nibble the operation.
enum class Unit : std::uint8_t { none, cache, fpu, scratchpad, control };
inline constexpr unsigned kUnits = 5;

namespace event {
enum : std::uint8_t {
  refill = 0x00,       ///< no event: the thread must run ahead again before anything is known
  blocked = 0x01,      ///< follows an event that the timing engine executes; never reached
  plain = 0x02,        ///< a plain instruction
  hit = 0x10,          ///< load or store that hits: done
  flush_clean = 0x11,  ///< flush of a clean line: done
  miss = 0x12,         ///< load or store that misses
  flush_dirty = 0x13,
  fpu = 0x20,  ///< + FpuOp: done
  scratchpad = 0x30,
  control = 0x40,  ///< everything that others can see or that depends on time; also faults
};
}  // namespace event

/// Latency classes of the shared FPU.
enum class FpuOp : std::uint8_t { mul, div, compare, convert, add, fmul, fma, fdiv, sqrt };
inline constexpr unsigned kFpuOps = 9;

constexpr Unit unit_of(std::uint8_t event_code) { return static_cast<Unit>(event_code >> 4); }

/// `plain` plain instructions, then the event.
struct Token {
  std::uint16_t bits;
  std::uint8_t plain() const { return static_cast<std::uint8_t>(bits); }
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
struct Uop;

/// State of one thread. All of it is private to the thread, so it may run ahead. In order of use: a thousand
/// threads do not fit a host's cache.
struct alignas(64) Thread {
  std::uint32_t x[kNumXRegs];
  std::uint32_t pc;  ///< where to run ahead from, or the instruction that the timing engine executes
  std::uint32_t fcsr;
  std::uint32_t code_bytes;
  const Uop* code;  ///< of the instruction memory
  TokenBuffer* buffer;
  CachePartition cache;
  std::uint32_t f[32];
  InstrMemory* memory;
  std::uint32_t id;  ///< global
  std::uint32_t send_len, send_ptr, send_dest, instr_addr;

  /// Asks the host to bring in what running ahead touches first.
  void prefetch() const {
    constexpr std::size_t kLine = 64;
    const auto* p = reinterpret_cast<const char*>(this);
    for (std::size_t at = 0; at < sizeof(Thread); at += kLine) __builtin_prefetch(p + at);
  }
};

}  // namespace polyloom::overlay
