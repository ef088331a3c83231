// SPDX-License-Identifier: Apache-2.0
// What a collective node executes: programs of steps. Shared by the host library (which writes them), the
// fast model and the RTL (rtl/polyloom_collective_pkg.sv repeats the numbers; program_test compares the two).
//
// Contract: a program is a sequence of instructions of four 64-bit words, at any instruction index of the
//   program memory. Instructions before a `go` describe one step in shadow registers, in any order; `go`
//   waits for the step before it, makes the shadow registers active in one clock and clears them. What a step
//   does not mention stands still. `end` waits for the last step and reports.
// A step: streams of beats (kBeatBytes) flow from sources to the sinks that select them. A source that
// several
//   sinks select is copied to all of them and advances when all have taken the beat (the distributor).
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

namespace polyloom::collective {

inline constexpr unsigned kBeatBytes = 32;  ///< 256 bit: an HBM2 pseudo-channel's width
inline constexpr unsigned kBeatWords = 4;
inline constexpr unsigned kInstructionWords = 4;
inline constexpr unsigned kMaxChannels = 128, kMaxLanes = 64, kMaxOperatorPorts = 63;

enum class Op : std::uint8_t {
  end = 0,     ///< program's end: reports to the host
  read = 1,    ///< R#index reads the pattern
  write = 2,   ///< W#index writes the pattern from `source`
  send = 3,    ///< tx lane index takes from `source`; one block. extra = signature
  take = 4,    ///< a block is expected on rx lane index; sinks select it elsewhere. extra = signature
  feed = 5,    ///< operator input index takes from `source`
  config = 6,  ///< operator output index: base = its configuration word, stride = mask of the inputs that it
               ///< takes part of, extra[7:0] = OperatorKind (must be one that the slot holds)
  go = 7,      ///< starts the step. index = mark that gets the completion cycle (0xff: none)
};

/// Source numbers of write, send and feed.
inline constexpr std::uint8_t kFromRead = 0x00;      ///< + channel
inline constexpr std::uint8_t kFromLane = 0x80;      ///< + lane
inline constexpr std::uint8_t kFromOperator = 0xc0;  ///< + output
inline constexpr std::uint8_t kFromNone = 0xff;

enum Flag : std::uint8_t {
  /// send, take: the block waits in the receiver's buffer; no ready pulse before, one pulse after it was
  /// drained.
  /// Both ends must say the same. Without it the receiver's pulse comes first (rendezvous).
  kEager = 1,
  /// send, take: no data, only the pulse (a barrier). Never with kEager.
  kPulseOnly = 2,
  /// write: the stream may end before the pattern does (its length is the data's); what came is written.
  /// Without it another length than the pattern's is a fault.
  kOpenEnd = 4,
  /// go: no R# and no send begins before all ready pulses of the step are here, so that streams that an
  /// operator
  /// joins begin together on all nodes of a group.
  kTogether = 1,
};

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

/// Frames of one word on a lane, low byte: head and tail in one, kept whole by the link. With block checks
/// on, a block is: signature frame, data frame, check frame; else the data frame alone. A data frame is the
/// block's beats, 4 words each; only its last beat may be shorter: as many words as it has bytes, `keep`
/// bytes of the last word. A step that moves nothing to a peer does not mention its lane; a stream that turns
/// out empty (an output of partition without keys) is sent as one word of zeros with `keep` 0. The first word
/// on a lane that is not inside a data frame is a control word when block checks are on; without them only
/// hello and abort exist, as frames of one word whose word 0 has 0xfe00 in [63:48]. Data frames then have at
/// least two words: a block of 16 bytes or less is sent as two, rounded up to elements of 4 bytes
/// (short_keep()).
enum class LaneControl : std::uint8_t {
  hello = 1,      ///< node[31:16] port[15:8]: who is at the other end
  abort = 2,      ///< code[15:8] node[31:16]: a node has stopped the operation
  signature = 3,  ///< extra of `send` in [63:32]; block number on this lane, modulo 2^16, in [31:16]
  check = 4,      ///< CRC-32 of the data frame's words in [63:32]; block number in [31:16]
};

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

/// Why a node stopped: code of its fault event. value: what was found; lane: where (0xff: nowhere).
enum class Fault : std::uint8_t {
  bad_program = 1,  ///< instruction with an index, source or pattern that this node has not. value: its word
                    ///< 0; at go: of the go. A pattern that leaves its channel is found when the engine comes
                    ///< to that place; value: the offset there, modulo 2^40
  signature = 2,    ///< the peer's block belongs to another operation (count, type, root or order differ)
  length = 3,       ///< a block ended before or after the place where its sink ends
  overflow = 4,     ///< a beat arrived with the receive buffer full
  check = 5,        ///< a block's CRC differs: the link has damaged it
  aborted = 6,      ///< a peer reported a fault
  timeout = 7,  ///< nothing moved for `watchdog` cycles. value: lanes that lack a pulse [31:0], data [63:32];
                ///< lane: the first above 31 that lacks either
  unexpected = 8,      ///< data or a check on a lane where no block is expected and that is not eager
  operator_error = 9,  ///< the operator met what it cannot do. value: its status word 0 (of two
                       ///< partitions the bits of both)
};

/// Registers, from blocks::reg::role_base on.
namespace reg {
inline constexpr std::uint32_t start = 0x00;     ///< W  instruction index: starts the program there
inline constexpr std::uint32_t state = 0x01;     ///< R  0 idle, 1 running, 2 stopped by a fault
inline constexpr std::uint32_t node = 0x02;      ///< RW number of this node, sent in hello and abort
inline constexpr std::uint32_t hello = 0x03;     ///< W  any value: sends hello on all lanes
inline constexpr std::uint32_t watchdog = 0x04;  ///< RW cycles without progress before a timeout; 0: never
inline constexpr std::uint32_t clear = 0x05;     ///< W  leaves `stopped`: buffers and lane counters to zero
inline constexpr std::uint32_t shape =
    0x06;  ///< R  channels[7:0] lanes[15:8] operator ports[23:16] rx beats[47:32]
inline constexpr std::uint32_t program_size = 0x07;  ///< R  instructions that fit
inline constexpr std::uint32_t begin = 0x08;         ///< R  cycle in which the program began
inline constexpr std::uint32_t finish = 0x09;        ///< R  cycle in which it ended
inline constexpr std::uint32_t mark = 0x20;  ///< R  + i: completion cycle of the step whose go named mark i
inline constexpr std::uint32_t marks = 32;
inline constexpr std::uint32_t peer =
    0x80;  ///< R  + lane: valid[31] node[23:8] port[7:0] of the hello received
inline constexpr std::uint32_t status =
    0x200;  ///< R  + i: status words of the operator; of the second partition from + 128 on
}  // namespace reg

}  // namespace polyloom::collective
