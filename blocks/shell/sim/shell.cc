// SPDX-License-Identifier: Apache-2.0
#include "blocks/shell/sim/shell.h"

#include <algorithm>

#include "fabric/error.h"

namespace polyloom::blocks {
namespace {

constexpr std::size_t kLongestShortFrame = 2 + 2 * kMaxFrameFlits;

template <class... Fs>
struct Overload : Fs... {
  using Fs::operator()...;
};
template <class... Fs>
Overload(Fs...) -> Overload<Fs...>;

std::uint16_t request_tag(std::uint64_t word0) { return static_cast<std::uint16_t>(word0 >> 16); }
bool is_write(std::uint64_t word0) { return static_cast<HostOp>(word0 & 0xff) == HostOp::write; }
/// Bytes that count in word `index` of a range.
unsigned bytes_of(const MemRange& range, std::size_t index) {
  return static_cast<unsigned>(std::min<std::size_t>(8, range.bytes - 8 * index));
}

}  // namespace

Shell::Shell(WireEnds host, ShellHandler& handler, const ShellParams& params, fabric::Clock clock)
    : host_(host), handler_(handler), p_(params), clock_(clock) {
  if (p_.dma_words_per_cycle == 0 || p_.segment_words < 2 || p_.max_reads == 0) {
    throw UserError("shell: dma_words_per_cycle and max_reads are at least 1, segment_words at least 2");
  }
}

// ---- from the host ----

void Shell::receive(Cycle until) {
  const Cycle from = received_until_;
  received_until_ = until;
  if (host_.rx == nullptr || until == from) return;
  if (complete_ && !handle(from)) return;
  while (const fabric::Segment* s = host_.rx->front()) {
    if (s->words.empty()) {  // a pulse says nothing to a shell
      host_.rx->pop();
      continue;
    }
    const Cycle c = std::max(from, static_cast<Cycle>(clock_.first_edge_from(s->word_time(position_))));
    if (c >= until) return;
    const bool end = position_ + 1 == s->words.size();
    if (s->head && position_ == 0 && (state_ != State::header || !frame_.empty())) {
      // The tail of the last frame was lost.
      if (state_ != State::skip) refuse(c, FrameReason::length, frame_[0]);
      state_ = State::header;
      frame_.clear();
    }
    if (!feed(s->words[position_], c, until, end && s->tail)) return;
    ++position_;
    if (end) {
      host_.rx->pop();
      position_ = 0;
    }
    if (complete_ && !handle(c)) return;
  }
}

/// Takes one word; false if it must wait.
bool Shell::feed(std::uint64_t word, Cycle c, Cycle until, bool last) {
  switch (state_) {
    case State::write:
      return take_write_word(word, c, until, last);
    case State::skip:
      if (last) state_ = State::header;
      return true;
    case State::header:
      break;
  }
  frame_.push_back(word);
  if (frame_.size() == 2 && is_write(frame_[0])) {
    begin_write(c, last);
  } else if (last) {
    ++frames_in_;
    complete_ = true;
  } else if (frame_.size() == kLongestShortFrame) {
    refuse(c, FrameReason::length, frame_[0]);
    frame_.clear();
    state_ = State::skip;
  }
  return true;
}

void Shell::begin_write(Cycle c, bool last) {
  const auto parsed = decode_range(frame_[0], frame_[1]);
  std::optional<FrameReason> wrong;
  if (const auto* reason = std::get_if<FrameReason>(&parsed)) {
    wrong = *reason;
  } else if (last) {
    wrong = FrameReason::length;
  } else if (!handler_.has(std::get<MemRange>(parsed))) {
    wrong = FrameReason::refused;
  }
  if (wrong) {
    refuse(c, *wrong, frame_[0]);
    frame_.clear();
    state_ = last ? State::header : State::skip;
    return;
  }
  write_ = std::get<MemRange>(parsed);
  write_index_ = 0;
  state_ = State::write;
}

bool Shell::take_write_word(std::uint64_t word, Cycle c, Cycle until, bool last) {
  const std::uint64_t slot = std::max<std::uint64_t>(dma_slot_, c * p_.dma_words_per_cycle);
  const Cycle at = slot / p_.dma_words_per_cycle;
  if (at >= until) return false;
  dma_slot_ = slot + handler_.write_slots(write_);
  const unsigned bytes = bytes_of(write_, write_index_);
  const bool full = write_index_ + 1 == write_.words();
  if (full != last || (full && bytes < 8 && word >> (8 * bytes) != 0)) {
    refuse(at, full != last ? FrameReason::length : FrameReason::field, frame_[0]);
    state_ = last ? State::header : State::skip;
    frame_.clear();
    return true;
  }
  handler_.write_word(at, write_, write_index_++, word, bytes);
  bytes_written_ += bytes;
  if (!last) return true;
  ++frames_in_;
  dma_slot_ += std::uint64_t{p_.write_turnaround} * p_.dma_words_per_cycle;
  send(at + p_.response_cycles, encode(WriteDoneFrame{request_tag(frame_[0]), write_}));
  frame_.clear();
  state_ = State::header;
  return true;
}

/// Gives a whole short frame to whom it concerns; false if it must wait.
bool Shell::handle(Cycle c) {
  using Response = ShellHandler::Response;
  const HostFrame decoded = decode(frame_);
  const auto as_response = [](bool done) { return done ? Response::done : Response::refused; };
  std::optional<FrameReason> wrong;
  const Response response =
      std::visit(Overload{
                     [&](const FrameFault& f) {
                       wrong = f.reason;
                       return Response::refused;
                     },
                     [&](const MsgFrame& f) { return handler_.message(c, f); },
                     [&](const UartInFrame& f) { return handler_.uart_in(c, f); },
                     [&](const StartFrame& f) { return handler_.start(c, f); },
                     [&](const ReadFrame& f) { return read(c, f); },
                     [&](const RegReadFrame& f) { return as_response(read_register(c, f)); },
                     [&](const RegWriteFrame& f) { return as_response(write_register(c, f)); },
                     [](const auto&) { return Response::refused; },  // what only boards send
                 },
                 decoded);
  if (response == Response::busy) return false;
  if (response == Response::refused) refuse(c, wrong.value_or(FrameReason::refused), frame_[0]);
  frame_.clear();
  complete_ = false;
  return true;
}

ShellHandler::Response Shell::read(Cycle c, const ReadFrame& f) {
  if (!handler_.has(f.range)) return ShellHandler::Response::refused;
  if (reads_ == p_.max_reads) return ShellHandler::Response::busy;
  Out out;
  out.ready = c + p_.read_cycles;
  encode_range(HostOp::read_data, f.tag, f.range, out.words);
  out.range = f.range;
  out.read = true;
  out_.push_back(std::move(out));
  ++reads_;
  return ShellHandler::Response::done;
}

std::optional<std::uint64_t> Shell::register_value(Cycle c, std::uint32_t r) {
  switch (r) {
    case reg::magic:
      return reg::kMagic;
    case reg::version:
      return reg::kVersion;
    case reg::role:
      return static_cast<std::uint64_t>(p_.role);
    case reg::position:
      return p_.x | std::uint64_t{p_.y} << 16;
    case reg::clock_hz:
      return clock_.hz();
    case reg::cycle:
      return c;
    case reg::status:
      return bad_seen_ * std::uint64_t{reg::kBadFrameSeen} + (reads_ != 0) * std::uint64_t{reg::kDmaBusy};
    case reg::frames_in:
      return frames_in_;
    case reg::frames_out:
      return frames_out_;
    case reg::bad_frames:
      return bad_frames_;
    case reg::bytes_written:
      return bytes_written_;
    case reg::bytes_read:
      return bytes_read_;
    default:
      return r >= reg::role_base ? handler_.role_register(c, r) : std::nullopt;
  }
}

bool Shell::read_register(Cycle c, const RegReadFrame& f) {
  const auto value = register_value(c, f.reg);
  if (!value) return false;
  send(c + p_.response_cycles, encode(RegDataFrame{f.tag, f.reg, *value}));
  return true;
}

bool Shell::write_register(Cycle c, const RegWriteFrame& f) {
  if (f.reg >= reg::role_base) return handler_.set_role_register(c, f.reg, f.value);
  if (f.reg != reg::control || (f.value & ~(reg::kResetCounters | reg::kClearStatus)) != 0) return false;
  if (f.value & reg::kResetCounters) {
    frames_in_ = frames_out_ = bad_frames_ = bytes_written_ = bytes_read_ = 0;
    handler_.reset_counters(c);
  }
  if (f.value & reg::kClearStatus) bad_seen_ = false;
  return true;
}

void Shell::refuse(Cycle c, FrameReason reason, std::uint64_t word0) {
  ++bad_frames_;
  bad_seen_ = true;
  send(c + p_.response_cycles, encode(FrameErrorFrame{request_tag(word0), reason, word0}));
}

// ---- to the host ----

void Shell::send(Cycle ready, std::vector<std::uint64_t> words) {
  if (host_.tx == nullptr) return;
  Out out;
  out.ready = ready;
  out.words = std::move(words);
  out_.push_back(std::move(out));
}

std::uint64_t Shell::out_word(const Out& out, std::size_t i, Cycle c) {
  if (i < out.words.size()) return out.words[i];
  const std::size_t index = i - out.words.size();
  const unsigned bytes = bytes_of(out.range, index);
  bytes_read_ += bytes;
  return handler_.read_word(c, out.range, index, bytes);
}

void Shell::transmit(Cycle until) {
  while (!out_.empty()) {
    Out& out = out_.front();
    const Cycle free = clock_.first_edge_from(host_.tx->free_at());
    const Cycle c = std::max({out.ready, free, sent_until_, tx_free_});
    if (c >= until) break;
    fabric::Segment s;
    s.first = clock_.edge(c);
    s.head = out.sent == 0;
    const std::size_t end = std::min(out.size(), out.sent + p_.segment_words);
    for (; out.sent < end; ++out.sent) s.words.push_back(out_word(out, out.sent, c));
    tx_free_ = c + p_.word_cycles * s.words.size();
    s.tail = end == out.size();
    const bool done = s.tail;
    host_.tx->send(std::move(s));
    if (!done) continue;
    tx_free_ += p_.frame_turnaround;
    ++frames_out_;
    reads_ -= out.read;
    out_.pop_front();
  }
  sent_until_ = until;
}

// ---- the rest ----

Cycle Shell::next_input() const {
  Cycle next = complete_ ? received_until_ : kNeverCycle;
  if (host_.rx != nullptr && host_.rx->front() != nullptr) {
    const fabric::Segment& s = *host_.rx->front();
    const fabric::Time t = s.words.empty() ? s.first : s.word_time(position_);
    next = std::min<Cycle>(next, std::max<Cycle>(clock_.first_edge_from(t), received_until_));
  }
  return next;
}

Cycle Shell::next_event() const {
  Cycle next = next_input();
  if (!out_.empty()) {
    const Cycle free = clock_.first_edge_from(host_.tx->free_at());
    next = std::min(next, std::max({out_.front().ready, free, sent_until_, tx_free_}));
  }
  return next;
}

std::string Shell::waiting_for() const {
  if (complete_)
    return "the host's frame waits for the board (operation " + std::to_string(frame_[0] & 0xff) + ")";
  if (state_ == State::write) {
    return "the host's write has " + std::to_string(write_.words() - write_index_) + " words to come";
  }
  return {};
}

void Shell::counters(const std::string& prefix, const fabric::CounterSink& sink) const {
  sink(prefix + "frames_in", frames_in_);
  sink(prefix + "frames_out", frames_out_);
  sink(prefix + "bad_frames", bad_frames_);
  sink(prefix + "bytes_written", bytes_written_);
  sink(prefix + "bytes_read", bytes_read_);
}

void Shell::digest(fabric::Digest& d) const {
  for (const std::uint64_t v : {frames_in_, frames_out_, bad_frames_, bytes_written_, bytes_read_, dma_slot_,
                                static_cast<std::uint64_t>(out_.size())}) {
    d.add(v);
  }
}

}  // namespace polyloom::blocks
