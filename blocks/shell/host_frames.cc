// SPDX-License-Identifier: Apache-2.0
#include "blocks/shell/host_frames.h"

#include <stdexcept>
#include <string>

namespace polyloom::blocks {
namespace {

using Words = std::vector<std::uint64_t>;

std::uint64_t word0(HostOp op, std::uint8_t aux, std::uint16_t tag, std::uint32_t arg) {
  return static_cast<std::uint64_t>(op) | std::uint64_t{aux} << 8 | std::uint64_t{tag} << 16 |
         std::uint64_t{arg} << 32;
}
std::uint8_t aux_of(std::uint64_t w) { return static_cast<std::uint8_t>(w >> 8); }
std::uint16_t tag_of(std::uint64_t w) { return static_cast<std::uint16_t>(w >> 16); }
std::uint32_t arg_of(std::uint64_t w) { return static_cast<std::uint32_t>(w >> 32); }
std::uint32_t low(std::uint64_t w) { return static_cast<std::uint32_t>(w); }
std::uint32_t high(std::uint64_t w) { return static_cast<std::uint32_t>(w >> 32); }

void require(bool ok, const char* what) {
  if (!ok) throw std::logic_error(std::string("host frame: ") + what);
}

/// Null if the range is legal.
const FrameReason* check(const MemRange& r) {
  static constexpr FrameReason kSpace = FrameReason::space, kRange = FrameReason::range;
  if (static_cast<unsigned>(r.space) >= kSpaces) return &kSpace;
  const bool single = r.space == Space::slice0 || r.space == Space::slice1 || r.space == Space::program;
  if (single && r.target != 0) return &kSpace;
  if (r.bytes == 0 || r.bytes > kMaxDmaBytes) return &kRange;
  const bool instr = r.space == Space::instr;
  if (instr && r.bytes % 4 != 0) return &kRange;
  const std::uint64_t end = std::uint64_t{r.address} + (instr ? r.bytes / 4 : r.bytes);
  if (end > std::uint64_t{1} << 32) return &kRange;
  return nullptr;
}

/// True if the bytes of the last word that lie past the range are zero.
bool padded(const MemRange& r, std::span<const std::uint64_t> data) {
  const unsigned used = r.bytes % 8;
  return used == 0 || data.back() >> (8 * used) == 0;
}

Words encode_bulk(HostOp op, std::uint16_t tag, const MemRange& range, std::span<const std::uint64_t> data) {
  require(data.size() == range.words(), "data does not fill the range");
  require(padded(range, data), "bytes past the end are not zero");
  Words out;
  out.reserve(2 + data.size());
  encode_range(op, tag, range, out);
  out.insert(out.end(), data.begin(), data.end());
  return out;
}

using Span = std::span<const std::uint64_t>;
HostFrame fault(FrameReason reason, Span w) { return FrameFault{reason, w.empty() ? 0 : w[0]}; }

HostFrame decode_msg(Span w) {
  const unsigned flits = aux_of(w[0]);
  if (flits == 0 || flits > kMaxFrameFlits) return fault(FrameReason::field, w);
  if (w.size() != 2 + 2 * flits) return fault(FrameReason::length, w);
  return MsgFrame{tag_of(w[0]), arg_of(w[0]), w[1], w.subspan(2)};
}

HostFrame decode_memory(Span w) {
  if (w.size() < 2) return fault(FrameReason::length, w);
  const auto parsed = decode_range(w[0], w[1]);
  if (const auto* reason = std::get_if<FrameReason>(&parsed)) return fault(*reason, w);
  const MemRange range = std::get<MemRange>(parsed);
  const bool bulk = is_streamed(w[0]);
  if (w.size() != 2 + (bulk ? range.words() : 0)) return fault(FrameReason::length, w);
  if (bulk && !padded(range, w.subspan(2))) return fault(FrameReason::field, w);
  const std::uint16_t tag = tag_of(w[0]);
  switch (static_cast<HostOp>(w[0] & 0xff)) {
    case HostOp::write:
      return WriteFrame{tag, range, w.subspan(2)};
    case HostOp::read:
      return ReadFrame{tag, range};
    case HostOp::write_done:
      return WriteDoneFrame{tag, range};
    default:
      return ReadDataFrame{tag, range, w.subspan(2)};
  }
}

HostFrame decode_register(Span w) {
  const bool has_value = static_cast<HostOp>(w[0] & 0xff) != HostOp::reg_read;
  if (w.size() != (has_value ? 2u : 1u)) return fault(FrameReason::length, w);
  if (aux_of(w[0]) != 0) return fault(FrameReason::field, w);
  switch (static_cast<HostOp>(w[0] & 0xff)) {
    case HostOp::reg_write:
      return RegWriteFrame{tag_of(w[0]), arg_of(w[0]), w[1]};
    case HostOp::reg_read:
      return RegReadFrame{tag_of(w[0]), arg_of(w[0])};
    default:
      return RegDataFrame{tag_of(w[0]), arg_of(w[0]), w[1]};
  }
}

HostFrame decode_uart(Span w) {
  if (w.size() != 1) return fault(FrameReason::length, w);
  const std::uint32_t arg = arg_of(w[0]);
  const auto core = static_cast<std::uint16_t>(arg);
  const auto thread = static_cast<std::uint8_t>(arg >> 16);
  const bool in = static_cast<HostOp>(w[0] & 0xff) == HostOp::uart_in;
  const bool broadcast = (arg >> 31) != 0;
  if ((arg >> 24 & 0x7f) != 0 || (broadcast && (!in || core != 0))) return fault(FrameReason::field, w);
  if (in) return UartInFrame{tag_of(w[0]), core, thread, broadcast, aux_of(w[0])};
  return UartOutFrame{tag_of(w[0]), core, thread, aux_of(w[0])};
}

HostFrame decode_start(Span w) {
  if (w.size() != 2) return fault(FrameReason::length, w);
  const std::uint32_t arg = arg_of(w[0]);
  const StartFrame f{tag_of(w[0]), static_cast<std::uint16_t>(arg), static_cast<std::uint16_t>(arg >> 16),
                     aux_of(w[0]), low(w[1])};
  if (f.cores == 0 || f.threads == 0 || high(w[1]) != 0) return fault(FrameReason::field, w);
  if (f.first_core + f.cores > 0x10000) return fault(FrameReason::range, w);
  return f;
}

HostFrame decode_fault(Span w) {
  if (w.size() != 2) return fault(FrameReason::length, w);
  if (aux_of(w[0]) == 0) return fault(FrameReason::field, w);
  return FaultFrame{tag_of(w[0]), aux_of(w[0]), arg_of(w[0]), low(w[1]), high(w[1])};
}

HostFrame decode_event(Span w) {
  if (w.size() != 4) return fault(FrameReason::length, w);
  if (arg_of(w[0]) >> 24 != 0) return fault(FrameReason::field, w);
  return EventFrame{tag_of(w[0]), aux_of(w[0]), arg_of(w[0]), w[1], w[2], w[3]};
}

HostFrame decode_frame_error(Span w) {
  if (w.size() != 2) return fault(FrameReason::length, w);
  const std::uint8_t code = aux_of(w[0]);
  const bool known = code >= 1 && code <= static_cast<std::uint8_t>(FrameReason::refused);
  if (!known || arg_of(w[0]) != 0) return fault(FrameReason::field, w);
  return FrameErrorFrame{tag_of(w[0]), static_cast<FrameReason>(code), w[1]};
}

}  // namespace

HostFrame decode(std::span<const std::uint64_t> w) {
  if (w.empty()) return fault(FrameReason::empty, w);
  switch (static_cast<HostOp>(w[0] & 0xff)) {
    case HostOp::msg:
      return decode_msg(w);
    case HostOp::write:
    case HostOp::read:
    case HostOp::write_done:
    case HostOp::read_data:
      return decode_memory(w);
    case HostOp::reg_write:
    case HostOp::reg_read:
    case HostOp::reg_data:
      return decode_register(w);
    case HostOp::uart_in:
    case HostOp::uart_out:
      return decode_uart(w);
    case HostOp::start:
      return decode_start(w);
    case HostOp::fault:
      return decode_fault(w);
    case HostOp::event:
      return decode_event(w);
    case HostOp::frame_error:
      return decode_frame_error(w);
  }
  return fault(FrameReason::unknown_op, w);
}

bool is_streamed(std::uint64_t word0) {
  const auto op = static_cast<HostOp>(word0 & 0xff);
  return op == HostOp::write || op == HostOp::read_data;
}

std::variant<FrameReason, MemRange> decode_range(std::uint64_t word0, std::uint64_t word1) {
  const MemRange range{static_cast<Space>(aux_of(word0)), high(word1), arg_of(word0), low(word1)};
  if (const FrameReason* reason = check(range)) return *reason;
  return range;
}

void encode_range(HostOp op, std::uint16_t tag, const MemRange& range, std::vector<std::uint64_t>& out) {
  require(check(range) == nullptr, "illegal memory range");
  out.push_back(word0(op, static_cast<std::uint8_t>(range.space), tag, range.address));
  out.push_back(std::uint64_t{range.bytes} | std::uint64_t{range.target} << 32);
}

std::vector<std::uint64_t> encode(const MsgFrame& f) {
  require(f.payload.size() % 2 == 0 && f.flits() >= 1 && f.flits() <= kMaxFrameFlits, "message length");
  Words out{word0(HostOp::msg, static_cast<std::uint8_t>(f.flits()), f.tag, f.dest), f.mask};
  out.insert(out.end(), f.payload.begin(), f.payload.end());
  return out;
}
std::vector<std::uint64_t> encode(const WriteFrame& f) {
  return encode_bulk(HostOp::write, f.tag, f.range, f.data);
}
std::vector<std::uint64_t> encode(const ReadDataFrame& f) {
  return encode_bulk(HostOp::read_data, f.tag, f.range, f.data);
}
std::vector<std::uint64_t> encode(const ReadFrame& f) {
  Words out;
  encode_range(HostOp::read, f.tag, f.range, out);
  return out;
}
std::vector<std::uint64_t> encode(const WriteDoneFrame& f) {
  Words out;
  encode_range(HostOp::write_done, f.tag, f.range, out);
  return out;
}
std::vector<std::uint64_t> encode(const RegWriteFrame& f) {
  return {word0(HostOp::reg_write, 0, f.tag, f.reg), f.value};
}
std::vector<std::uint64_t> encode(const RegReadFrame& f) {
  return {word0(HostOp::reg_read, 0, f.tag, f.reg)};
}
std::vector<std::uint64_t> encode(const RegDataFrame& f) {
  return {word0(HostOp::reg_data, 0, f.tag, f.reg), f.value};
}
std::vector<std::uint64_t> encode(const UartInFrame& f) {
  require(!f.broadcast || f.core == 0, "a broadcast byte names no core");
  const std::uint32_t arg = f.core | std::uint32_t{f.thread} << 16 | std::uint32_t{f.broadcast} << 31;
  return {word0(HostOp::uart_in, f.byte, f.tag, arg)};
}
std::vector<std::uint64_t> encode(const UartOutFrame& f) {
  return {word0(HostOp::uart_out, f.byte, f.tag, f.core | std::uint32_t{f.thread} << 16)};
}
std::vector<std::uint64_t> encode(const StartFrame& f) {
  require(f.cores > 0 && f.threads > 0 && f.first_core + f.cores <= 0x10000, "start range");
  const std::uint32_t arg = f.first_core | std::uint32_t{f.cores} << 16;
  return {word0(HostOp::start, f.threads, f.tag, arg), f.pc};
}
std::vector<std::uint64_t> encode(const FaultFrame& f) {
  require(f.cause != 0, "fault without a cause");
  return {word0(HostOp::fault, f.cause, f.tag, f.thread), std::uint64_t{f.pc} | std::uint64_t{f.value} << 32};
}
std::vector<std::uint64_t> encode(const EventFrame& f) {
  require(f.detail >> 24 == 0, "an event's detail has 24 bits");
  return {word0(HostOp::event, f.code, f.tag, f.detail), f.begin, f.finish, f.value};
}
std::vector<std::uint64_t> encode(const FrameErrorFrame& f) {
  return {word0(HostOp::frame_error, static_cast<std::uint8_t>(f.reason), f.tag, 0), f.word0};
}

std::string_view reason_text(FrameReason reason) {
  switch (reason) {
    case FrameReason::empty:
      return "empty frame";
    case FrameReason::unknown_op:
      return "unknown operation";
    case FrameReason::length:
      return "length does not match what the first words announce";
    case FrameReason::space:
      return "no such address space, or a target where there is none";
    case FrameReason::range:
      return "bytes or addresses out of range";
    case FrameReason::field:
      return "field out of range";
    case FrameReason::refused:
      return "this board cannot do that";
  }
  return "unknown reason";
}

std::vector<std::uint64_t> pack_bytes(std::span<const std::uint8_t> bytes) {
  Words out((bytes.size() + 7) / 8, 0);
  for (std::size_t i = 0; i < bytes.size(); ++i) out[i / 8] |= std::uint64_t{bytes[i]} << (8 * (i % 8));
  return out;
}

std::vector<std::uint8_t> unpack_bytes(std::span<const std::uint64_t> words, std::size_t bytes) {
  require(bytes <= words.size() * 8, "fewer words than bytes asked for");
  std::vector<std::uint8_t> out(bytes);
  for (std::size_t i = 0; i < bytes; ++i) out[i] = static_cast<std::uint8_t>(words[i / 8] >> (8 * (i % 8)));
  return out;
}

}  // namespace polyloom::blocks
