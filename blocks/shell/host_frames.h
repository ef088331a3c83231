// SPDX-License-Identifier: Apache-2.0
// Frames on the host link of a board: what a host process and a board's shell say to each other, in
// every role.
//
// Contract: a frame is one or more 64-bit words. Word 0 is
//   op[7:0]  aux[15:8]  tag[31:16]  arg[63:32]
// and the op fixes what follows. Bytes are packed little-endian: byte i of the data is bits 8*(i%8).. of
// word i/8; unused bytes of a last word are zero. `tag` is the sender's own; a reply repeats it.
//
//   op           dir    aux    arg              further words
//   msg          both   flits  dest             mask; 2 words a flit
//   write        h->b   space  address          bytes[31:0] target[63:32]; data
//   read         h->b   space  address          bytes[31:0] target[63:32]
//   reg_write    h->b   0      register         value
//   reg_read     h->b   0      register         -
//   uart_in      h->b   byte   core, thread     -          arg: core[15:0] thread[23:16] broadcast[31]
//   start        h->b   thr.   first, count     pc         arg: first core[15:0] cores[31:16]
//   write_done   b->h   space  address          bytes[31:0] target[63:32]
//   read_data    b->h   space  address          bytes[31:0] target[63:32]; data
//   reg_data     b->h   0      register         value
//   uart_out     b->h   byte   core, thread     -
//   fault        b->h   cause  thread id        pc[31:0] value[63:32]
//   event        b->h   code   detail           begin; finish; value
//   frame_error  b->h   code   -                word 0 of the frame complained of
// Hardware: a parser of one word a cycle; a `write` streams to memory without being stored (its length
//   is in word 1).
// Errors: decode() never throws: a malformed frame gives a FrameFault with its reason.
// Source: own design; message words as docs/sources/tinsel.md, 4 (host-mesh stream).
// Tests: host_frames_test.cc.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <variant>
#include <vector>

namespace polyloom::blocks {

enum class HostOp : std::uint8_t {
  msg = 0x01,
  write = 0x02,
  read = 0x03,
  reg_write = 0x04,
  reg_read = 0x05,
  uart_in = 0x06,
  start = 0x07,
  write_done = 0x42,
  read_data = 0x43,
  reg_data = 0x45,
  uart_out = 0x46,
  fault = 0x48,
  event = 0x49,
  frame_error = 0x4f,
};

/// Address spaces of write and read.
enum class Space : std::uint8_t {
  slice0 = 0,  ///< thread-view 32-bit byte addresses of memory slice 0 (SRAM and DRAM)
  slice1 = 1,  ///< the same of slice 1
  instr =
      2,  ///< instruction memory: address = *word* index; target = core pair, or kBroadcast; bytes % 4 == 0
  scratchpad = 3,  ///< mailbox scratchpad: byte address; target = tile
  channel = 4,     ///< memory channel of a collective node: byte address; target = channel
  program = 5,     ///< program memory of a collective node: byte address; target 0
};
inline constexpr unsigned kSpaces = 6;
inline constexpr std::uint32_t kBroadcast = 0xffffffffu;  ///< write to every instruction memory of the board

inline constexpr unsigned kMaxFrameFlits = 16;           ///< a board refuses more than its own max_flits
inline constexpr std::uint32_t kMaxDmaBytes = 1u << 24;  ///< one write or read moves 1..16 MiB

/// Message into or out of the mesh: destination in mailbox form with the extra address bits
/// (docs/sources/tinsel.md, 1.4) and the mask of threads, or the key in mask[31:0].
struct MsgFrame {
  std::uint16_t tag = 0;
  std::uint32_t dest = 0;
  std::uint64_t mask = 0;
  std::span<const std::uint64_t> payload;  ///< 2 words a flit, 1..kMaxFrameFlits flits
  unsigned flits() const { return static_cast<unsigned>(payload.size() / 2); }
};

/// What write, read, write_done and read_data have in common: where the bytes lie.
struct MemRange {
  Space space = Space::slice0;
  std::uint32_t target = 0;  ///< see Space; 0 where it names nothing
  std::uint32_t address = 0;
  std::uint32_t bytes = 0;  ///< 1..kMaxDmaBytes
  std::size_t words() const { return (static_cast<std::size_t>(bytes) + 7) / 8; }
  bool operator==(const MemRange&) const = default;
};
struct WriteFrame {
  std::uint16_t tag = 0;
  MemRange range;
  std::span<const std::uint64_t> data;  ///< range.words() words
};
struct ReadFrame {
  std::uint16_t tag = 0;
  MemRange range;
};
struct WriteDoneFrame {
  std::uint16_t tag = 0;
  MemRange range;
};
struct ReadDataFrame {
  std::uint16_t tag = 0;
  MemRange range;
  std::span<const std::uint64_t> data;
};

struct RegWriteFrame {
  std::uint16_t tag = 0;
  std::uint32_t reg = 0;
  std::uint64_t value = 0;
};
struct RegReadFrame {
  std::uint16_t tag = 0;
  std::uint32_t reg = 0;
};
struct RegDataFrame {
  std::uint16_t tag = 0;
  std::uint32_t reg = 0;
  std::uint64_t value = 0;
};

/// A byte for the virtual UART of a thread; `broadcast` sends it to that thread index of every core.
struct UartInFrame {
  std::uint16_t tag = 0;
  std::uint16_t core = 0;   ///< on the board
  std::uint8_t thread = 0;  ///< in the core
  bool broadcast = false;
  std::uint8_t byte = 0;
};
struct UartOutFrame {
  std::uint16_t tag = 0;
  std::uint16_t core = 0;
  std::uint8_t thread = 0;
  std::uint8_t byte = 0;
};
/// Starts threads 0..threads-1 of `cores` cores from `first_core` on, at byte address pc.
struct StartFrame {
  std::uint16_t tag = 0;
  std::uint16_t first_core = 0;
  std::uint16_t cores = 0;   ///< >= 1
  std::uint8_t threads = 0;  ///< >= 1
  std::uint32_t pc = 0;
};
/// A thread broke a rule and has stopped. `cause` is the role's (0 is never used); a role may have causes
/// that tell of a thread what is no fault.
struct FaultFrame {
  std::uint16_t tag = 0;
  std::uint8_t cause = 1;
  std::uint32_t thread = 0;  ///< global thread id
  std::uint32_t pc = 0;
  std::uint32_t value = 0;  ///< bad address or instruction word
};
/// A program of a collective node has ended (code 0) or was stopped (code = its collective::Fault).
struct EventFrame {
  std::uint16_t tag = 0;
  std::uint8_t code = 0;
  std::uint32_t detail = 0;  ///< instruction index in [15:0]; with a fault the lane in [23:16]; rest zero
  std::uint64_t begin = 0;   ///< cycle in which the program began
  std::uint64_t finish = 0;  ///< cycle in which it ended or was stopped
  std::uint64_t value = 0;   ///< what was found
};

/// Why a frame was refused.
enum class FrameReason : std::uint8_t {
  empty = 1,   ///< no words
  unknown_op,  ///< op is not in HostOp
  length,      ///< words do not match what word 0 and 1 announce
  space,       ///< address space not in Space, or target given where there is none
  range,       ///< bytes 0 or above kMaxDmaBytes, not whole words, or runs past the end of the address space
  field,       ///< a field that must be zero is not, or one that must not be zero is
  refused,     ///< well formed, but this board cannot (no such core, tile, register, direction)
};
std::string_view reason_text(FrameReason reason);

struct FrameErrorFrame {
  std::uint16_t tag = 0;
  FrameReason reason = FrameReason::empty;
  std::uint64_t word0 = 0;  ///< of the frame complained of
};

/// Result of decode() for a malformed frame.
struct FrameFault {
  FrameReason reason = FrameReason::empty;
  std::uint64_t word0 = 0;
};

/// Payload and data spans point into the decoded words: use them before those go.
using HostFrame = std::variant<FrameFault, MsgFrame, WriteFrame, ReadFrame, RegWriteFrame, RegReadFrame,
                               UartInFrame, StartFrame, WriteDoneFrame, ReadDataFrame, RegDataFrame,
                               UartOutFrame, FaultFrame, EventFrame, FrameErrorFrame>;

HostFrame decode(std::span<const std::uint64_t> words);

/// Words of a frame. Preconditions are the limits above (std::logic_error: a defect of the caller).
std::vector<std::uint64_t> encode(const MsgFrame& f);
std::vector<std::uint64_t> encode(const WriteFrame& f);
std::vector<std::uint64_t> encode(const ReadFrame& f);
std::vector<std::uint64_t> encode(const RegWriteFrame& f);
std::vector<std::uint64_t> encode(const RegReadFrame& f);
std::vector<std::uint64_t> encode(const UartInFrame& f);
std::vector<std::uint64_t> encode(const StartFrame& f);
std::vector<std::uint64_t> encode(const WriteDoneFrame& f);
std::vector<std::uint64_t> encode(const ReadDataFrame& f);
std::vector<std::uint64_t> encode(const RegDataFrame& f);
std::vector<std::uint64_t> encode(const UartOutFrame& f);
std::vector<std::uint64_t> encode(const FaultFrame& f);
std::vector<std::uint64_t> encode(const EventFrame& f);
std::vector<std::uint64_t> encode(const FrameErrorFrame& f);

/// For a parser that streams: what words 0 and 1 say before the data is there.
bool is_streamed(std::uint64_t word0);  ///< op is write or read_data
/// Range of a write, read, write_done or read_data from its first two words; the reason if they are wrong.
std::variant<FrameReason, MemRange> decode_range(std::uint64_t word0, std::uint64_t word1);
/// The first two words of such a frame.
void encode_range(HostOp op, std::uint16_t tag, const MemRange& range, std::vector<std::uint64_t>& out);

/// Bytes to words and back, little-endian, zero padded.
std::vector<std::uint64_t> pack_bytes(std::span<const std::uint8_t> bytes);
std::vector<std::uint8_t> unpack_bytes(std::span<const std::uint64_t> words, std::size_t bytes);

/// Management registers of every shell (reg_read, reg_write); from `role_base` on they are the role's.
namespace reg {
inline constexpr std::uint32_t magic = 0;           ///< R  kMagic
inline constexpr std::uint32_t version = 1;         ///< R  kVersion
inline constexpr std::uint32_t role = 2;            ///< R  RoleId
inline constexpr std::uint32_t position = 3;        ///< R  x[15:0] y[31:16] of the board in its mesh
inline constexpr std::uint32_t clock_hz = 4;        ///< R  core clock
inline constexpr std::uint32_t cycle = 5;           ///< R  core cycles since reset
inline constexpr std::uint32_t status = 6;          ///< R  status bits below
inline constexpr std::uint32_t control = 7;         ///< W  control bits below
inline constexpr std::uint32_t frames_in = 8;       ///< R  whole frames from the host
inline constexpr std::uint32_t frames_out = 9;      ///< R  whole frames to the host
inline constexpr std::uint32_t bad_frames = 10;     ///< R  frames refused
inline constexpr std::uint32_t bytes_written = 11;  ///< R  by DMA
inline constexpr std::uint32_t bytes_read = 12;     ///< R  by DMA
inline constexpr std::uint32_t count = 13;
inline constexpr std::uint32_t role_base = 0x100;

inline constexpr std::uint64_t kMagic = 0x4d4f4f4c594c4f50;  ///< "POLYLOOM" in byte order
inline constexpr std::uint64_t kVersion = 1;
enum Status : std::uint64_t { kBadFrameSeen = 1, kDmaBusy = 2 };
enum Control : std::uint64_t { kResetCounters = 1, kClearStatus = 2 };
}  // namespace reg

/// Value of reg::role.
enum class RoleId : std::uint8_t { overlay = 1, mpi = 2, collective = 3, hub = 4 };

}  // namespace polyloom::blocks
