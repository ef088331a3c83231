// SPDX-License-Identifier: Apache-2.0
// Programs of collective nodes: docs/reference/registers.md. Made from spec/ by python -m spec; do not edit.
// clang-format off
#pragma once

#include <cstdint>

namespace polyloom::collective {

inline constexpr unsigned kBeatBytes = 32;  ///< 256 bit: an HBM2 pseudo-channel's width
inline constexpr unsigned kBeatWords = 4;  ///< of 64 bit
inline constexpr unsigned kInstructionWords = 4;  ///< of 64 bit
inline constexpr unsigned kMarks = 32;  ///< completion cycles that are kept

/// What an instruction says about the step that the next `go` starts.
enum class Op : std::uint8_t {
  /// program's end: reports to the host
  end = 0,
  /// R#index reads the pattern
  read = 1,
  /// W#index writes the pattern from `source`
  write = 2,
  /// tx lane index takes from `source`; one block. extra = signature
  send = 3,
  /// a block is expected on rx lane index; sinks select it elsewhere. extra = signature
  take = 4,
  /// operator input index takes from `source`
  feed = 5,
  /// operator output index: base = its configuration word, stride = mask of the inputs that it takes part of,
  /// extra[7:0] = operator, one that the slot holds
  config = 6,
  /// starts the step. index = mark that gets the completion cycle (0xff: none)
  go = 7,
};

/// Source numbers of write, send and feed.
inline constexpr std::uint8_t kFromRead = 0x00;  ///< + channel
inline constexpr std::uint8_t kFromLane = 0x80;  ///< + lane
inline constexpr std::uint8_t kFromOperator = 0xc0;  ///< + output
inline constexpr std::uint8_t kFromNone = 0xff;  ///< nothing

enum Flag : std::uint8_t {
  /// send, take: the block waits in the receiver's buffer; no ready pulse before, one pulse after it was drained.
  /// Both ends must say the same. Without it the receiver's pulse comes first (rendezvous)
  kEager = 1,
  /// send, take: no data, only the pulse (a barrier). Never with eager
  kPulseOnly = 2,
  /// write: the stream may end before the pattern does (its length is the data's); what came is written. Without it
  /// another length than the pattern's is a fault
  kOpenEnd = 4,
  /// go: no R# and no send begins before all ready pulses of the step are here, so that streams that an operator
  /// joins begin together on all nodes of a group
  kTogether = 1,
};

/// Frames of one word on a lane, low byte.
enum class LaneControl : std::uint8_t {
  /// node[31:16] port[15:8]: who is at the other end
  hello = 1,
  /// code[15:8] node[31:16]: a node has stopped the operation
  abort = 2,
  /// extra of `send` in [63:32]; block number on this lane, modulo 2^16, in [31:16]
  signature = 3,
  /// CRC-32 of the data frame's words in [63:32]; block number in [31:16]
  check = 4,
};

/// Why a node stopped: code of its fault event. value: what was found; lane: where (0xff: nowhere).
enum class Fault : std::uint8_t {
  /// instruction with an index, source or pattern that this node has not. value: its word 0; at go: of the go. A
  /// pattern that leaves its channel is found when the engine comes to that place; value: the offset there, modulo
  /// 2^40
  bad_program = 1,
  /// the peer's block belongs to another operation (count, type, root or order differ)
  signature = 2,
  /// a block ended before or after the place where its sink ends
  length = 3,
  /// a beat arrived with the receive buffer full
  overflow = 4,
  /// a block's CRC differs: the link has damaged it
  check = 5,
  /// a peer reported a fault
  aborted = 6,
  /// nothing moved for `watchdog` cycles. value: lanes that lack a pulse [31:0], data [63:32]; lane: the first above
  /// 31 that lacks either
  timeout = 7,
  /// data or a check on a lane where no block is expected and that is not eager
  unexpected = 8,
  /// the operator met what it cannot do. value: its status word 0 (of two partitions the bits of both)
  operator_error = 9,
};

namespace reg {  // from blocks::reg::role_base on; R read, W write
/// W: instruction index: starts the program there
inline constexpr std::uint32_t start = 0x000;
/// R: 0 idle, 1 running, 2 stopped by a fault
inline constexpr std::uint32_t state = 0x001;
/// RW: number of this node, sent in hello and abort
inline constexpr std::uint32_t node = 0x002;
/// W: any value: sends hello on all lanes
inline constexpr std::uint32_t hello = 0x003;
/// RW: cycles without progress before a timeout; 0: never
inline constexpr std::uint32_t watchdog = 0x004;
/// W: leaves `stopped`: buffers and lane counters to zero
inline constexpr std::uint32_t clear = 0x005;
/// R: what the node is made of: [7:0] channels, [15:8] lanes, [23:16] operator_ports, [47:32] rx_beats
inline constexpr std::uint32_t shape = 0x006;
/// R: instructions that fit
inline constexpr std::uint32_t program_size = 0x007;
/// R: cycle in which the program began
inline constexpr std::uint32_t begin = 0x008;
/// R: cycle in which it ended
inline constexpr std::uint32_t finish = 0x009;
/// R: + i: completion cycle of the step whose go named mark i
inline constexpr std::uint32_t mark = 0x020;
/// R: + lane: of the hello received: [7:0] port, [23:8] node, [31] valid
inline constexpr std::uint32_t peer = 0x080;
/// R: + i: status words of the operator; of the second partition from + 128 on
inline constexpr std::uint32_t status = 0x200;
}  // namespace reg

}  // namespace polyloom::collective
