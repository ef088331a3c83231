// SPDX-License-Identifier: Apache-2.0
// What a collective node executes: programs of steps. Shared by the host library (which writes them), the
// fast model and the RTL. Numbers: encoding.h (docs/reference/registers.md).
//
// Contract: a program is a sequence of instructions of four 64-bit words, at any instruction index of the
//   program memory. Instructions before a `go` describe one step in shadow registers, in any order; `go`
//   waits for the step before it, makes the shadow registers active in one clock and clears them. What a step
//   does not mention stands still. `end` waits for the last step and reports.
// A step: streams of beats (kBeatBytes) flow from sources to the sinks that select them. A source that
//   several sinks select is copied to all of them and advances when all have taken the beat (the
//   distributor).
//     sources   R#c   what DMA engine c reads from channel c
//               rx l  what arrives on lane l
//               op o  output o of the operator in the data-processing slot
//     sinks     W#c   what DMA engine c writes to channel c
//               tx l  what leaves on lane l
//               op i  input i of the operator; from an output only where the slot holds two partitions: the
//                     first's output, the second's input
//   Every sink takes from one source. R# -> W# is a copy inside the node; rx -> tx is cut-through.
// Words, little-endian fields:
//   word 0   op[7:0] index[15:8] source[23:16] flags[31:24] run_bytes[63:32]
//   word 1   base          byte offset in the channel, multiple of kBeatBytes
//   word 2   stride        signed bytes from one run's start to the next, multiple of kBeatBytes, below 2^39
//   word 3   runs[31:0] extra[63:32]
// Source: own design, after OPTWEB sections 2.C and Fig. 2 (M_DMAC, distributed switch, command sequencer).
#pragma once

#include <array>
#include <cstdint>

#include "blocks/operators/kinds.h"
#include "roles/collective/arch/encoding.h"

namespace polyloom::collective {

inline constexpr unsigned kMaxChannels = 128, kMaxLanes = 64, kMaxOperatorPorts = 63;

/// One instruction. Fields that an op does not use are zero.
/// A pattern is `runs` runs of `run_bytes` bytes, `stride` apart. A run that is no multiple of kBeatBytes
/// ends in a beat of which only the first run_bytes % kBeatBytes bytes count; so each run is a whole number
/// of beats on the way. runs >= 1 and run_bytes >= 1.
struct Instruction {
  Op op = Op::end;
  std::uint8_t index = 0;
  std::uint8_t source = kFromNone;
  std::uint8_t flags = 0;
  std::uint32_t run_bytes = 0;
  std::uint64_t base = 0;
  std::int64_t stride = 0;
  std::uint32_t runs = 0;
  std::uint32_t extra = 0;

  std::array<std::uint64_t, kInstructionWords> words() const {
    return {static_cast<std::uint64_t>(op) | std::uint64_t{index} << 8 | std::uint64_t{source} << 16 |
                std::uint64_t{flags} << 24 | std::uint64_t{run_bytes} << 32,
            base, static_cast<std::uint64_t>(stride), runs | std::uint64_t{extra} << 32};
  }
  static Instruction from_words(const std::uint64_t* w) {
    return {static_cast<Op>(w[0] & 0xff),           static_cast<std::uint8_t>(w[0] >> 8),
            static_cast<std::uint8_t>(w[0] >> 16),  static_cast<std::uint8_t>(w[0] >> 24),
            static_cast<std::uint32_t>(w[0] >> 32), w[1],
            static_cast<std::int64_t>(w[2]),        static_cast<std::uint32_t>(w[3]),
            static_cast<std::uint32_t>(w[3] >> 32)};
  }
  bool operator==(const Instruction&) const = default;
};

// Frames of one word on a lane (LaneControl) are head and tail in one, kept whole by the link. With block
// checks on, a block is: signature frame, data frame, check frame; else the data frame alone. A data frame is
// the block's beats, 4 words each; only its last beat may be shorter: as many words as it has bytes, `keep`
// bytes of the last word. A step that moves nothing to a peer does not mention its lane; a stream that turns
// out empty (an output of partition without keys) is sent as one word of zeros with `keep` 0. The first word
// on a lane that is not inside a data frame is a control word when block checks are on; without them only
// hello and abort exist, as frames of one word whose word 0 has 0xfe00 in [63:48]. Data frames then have at
// least two words: a block of 16 bytes or less is sent as two, rounded up to elements of 4 bytes
// (short_keep()).

/// Without block checks: `keep` of the second word of a block of 0 to 16 bytes. 12 and 16 bytes are what they
/// seem, and as no block ends amid an element, three lengths are free to stand for none, 4 and 8 bytes.
constexpr std::uint8_t short_keep(unsigned bytes) {
  const unsigned elements = (bytes + 3) / 4;
  return static_cast<std::uint8_t>(elements <= 2 ? elements + 1 : 4 * elements - 8);
}
/// The bytes that a data frame of so many bytes holds: undoes short_keep().
constexpr std::uint8_t bytes_of_frame(unsigned bytes) {
  return static_cast<std::uint8_t>(bytes >= 9 && bytes <= 11 ? 4 * (bytes - 9) : bytes);
}

/// Operators that the slot may hold.
using OperatorKind = blocks::operators::Kind;

}  // namespace polyloom::collective
