// SPDX-License-Identifier: Apache-2.0
#include "roles/mpi/sim/mpe/engine.h"

#include <algorithm>
#include <utility>

namespace polyloom::mpi::mpe {
namespace {

constexpr unsigned kFrameStore = 512, kFrames = 32;  // words and frames of each store of frames
constexpr unsigned kStoreLatency = 2;                // from a frame's last word to its first word out
constexpr unsigned kUdpHeader = 5, kMpiHeader = 30;
constexpr unsigned kBytesIn = kCounters, kBytesOut = kCounters + 1;  // numbers of counters, too

std::uint64_t mac_of(std::uint32_t ip) { return std::uint64_t{0x0250} << 32 | ip; }
std::uint64_t swap(std::uint64_t word) { return __builtin_bswap64(word); }
std::uint32_t low(std::uint64_t word) { return static_cast<std::uint32_t>(word); }
std::uint32_t high(std::uint64_t word) { return static_cast<std::uint32_t>(word >> 32); }

}  // namespace

// Into the store, when their last word is there.
inline void Engine::admit(Cycle k) {
  for (; !arriving_.empty() && arriving_.front().visible <= k + kStoreLatency; arriving_.pop_front()) {
    const auto words = static_cast<unsigned>(arriving_.front().words.size());
    if (received_words_ + words > kFrameStore || received_.size() == kFrames) {
      ++counters_[kNFull];
      continue;
    }
    received_words_ += words;
    received_.push_back(std::move(arriving_.front()));
  }
}

Event Engine::event(Cycle k, bool command_valid) const {
  const bool sends = builder_.ready() && ((flags_ & kFManage) != 0 ? stored_ == 0 : (flags_ & kFSend) != 0);
  if ((flags_ & kFStop) != 0 && writer_.idle() && builder_.idle()) return EV_STOP;
  if ((flags_ & kFResponse) != 0 && writer_.idle() && !response_valid_) return EV_RESPONSE;
  if (builder_.copied()) return EV_COPIED;
  if (sends && (flags_ & kFStop) == 0) return EV_SEND;
  if (pending_ && head_manage_ && writer_.idle()) return EV_MANAGE;
  if (pending_ && !head_manage_ && writer_.ready()) return EV_PACKET;
  if (command_valid) return EV_COMMAND;
  if (ack_.is_over(k)) return EV_ACK;
  if ((flags_ & kFSweep) != 0 || tick_.is_over(k)) return EV_SWEEP;
  return EV_NONE;
}

std::uint32_t Engine::input(Input number, Cycle k, const Inputs& in, Event why) const {
  switch (number) {
    case I_WORD_LOW:
      return payload_.empty() ? 0 : low(payload_.front().data);
    case I_WORD_HIGH:
      return payload_.empty() ? 0 : high(payload_.front().data);
    case I_COMMAND_LOW:
      return low(in.command);
    case I_COMMAND_HIGH:
      return high(in.command);
    case I_CYCLE_LOW:
      return low(k);
    case I_CYCLE_HIGH:
      return high(k);
    case I_COUNTER_LOW:
      return low(counters_[counter_]);
    case I_COUNTER_HIGH:
      return high(counters_[counter_]);
    case I_MAC:
      return low(head_from_.mac);
    case I_PORT_MAC:
      return std::uint32_t{head_from_.port} << 16 | high(head_from_.mac);
    case I_IP:
      return head_from_.ip;
    case I_STATUS:
      return std::uint32_t{head_more_} << 30 | std::uint32_t{builder_.copied_bad()} << 29 |
             std::uint32_t{in.kernel_done && started_} << 28 | (head_bytes_ & 0x1FFF);
    case I_EVENT:
      return why;
    default: {
      const std::uint64_t word = head_[number / 2];
      return number % 2 == 1 ? high(word) : low(word);
    }
  }
}

// What the program branches on.
unsigned Engine::outside(bool command_valid) const {
  return unsigned{!command_valid} | unsigned{response_valid_} << 1 | unsigned{payload_.empty()} << 2 |
         unsigned{!payload_.empty() && payload_.front().last} << 3 | unsigned{!writer_.ready()} << 4;
}

bool Engine::step(Cycle k, const Inputs& in) {
  forget_popped(k);
  admit(k);
  const bool command_valid = in.command_valid && started_;
  const Event why = sequencer_.rests() ? event(k, command_valid) : EV_NONE;
  const Output out = sequencer_.output();
  const std::uint32_t value = sequencer_.reads_input() ? input(sequencer_.input(), k, in, why) : 0;
  const std::uint32_t result = sequencer_.step(value, outside(command_valid));

  const bool room = !payload_.full();
  const bool taken = writer_.step(payload(), in.write_taken, store_);
  if ((taken || out == O_POP_WORD) && !payload_.empty()) payload_.pop();
  build(k, in);
  take_words(k, room);
  if (in.response_taken) response_valid_ = false;
  if (out != O_NONE) put_out(out, result, k);
  return out == O_POP_COMMAND;
}

Cycle Engine::compute(Cycle k, Cycle end, const Inputs& in) {
  if (!writer_.idle() || !builder_.idle() || !reader_.ready()) return k;
  if (!in_frame_) {
    end = std::min(end, next_frame());
  } else if (!frame_waits(!payload_.full())) {
    return k;
  }
  const unsigned outside = this->outside(in.command_valid && started_);
  for (; k < end && !sequencer_.rests() && sequencer_.output() == O_NONE; ++k) {
    sequencer_.step(sequencer_.reads_input() ? input(sequencer_.input(), k, in, EV_NONE) : 0, outside);
  }
  return k;
}

void Engine::put_out(Output out, std::uint32_t result, Cycle k) {
  switch (out) {
    case O_TX_LOW:
      low_ = result;
      break;
    case O_FLAGS:
      flags_ = result & 0x1FF;
      break;
    case O_TX_HIGH:
    case O_TX_END:
      builder_.header(std::uint64_t{result} << 32 | low_, out == O_TX_END);
      break;
    case O_MAC:
      to_.mac = (to_.mac & 0xFFFF'0000'0000) | result;
      break;
    case O_PORT_MAC:
      to_.mac = (to_.mac & 0xFFFF'FFFF) | std::uint64_t{result & 0xFFFF} << 32;
      to_.port = static_cast<std::uint16_t>(result >> 16);
      break;
    case O_IP:
      to_.ip = result;
      break;
    case O_BYTES:
      bytes_ = result & 0x1FFFF;
      break;
    case O_READ_AT:
      builder_.address(result);
      break;
    case O_READ:
      builder_.job(result);
      break;
    case O_WRITE_AT:
      writer_.address(result);
      break;
    case O_WRITE:
      writer_.job(result);
      break;
    case O_RESPONSE:
      response_ = std::uint64_t{result} << 32 | low_;
      response_valid_ = true;
      break;
    case O_ACK_TIMER:
      ack_.start(k, result);
      break;
    case O_TICK_TIMER:
      tick_.start(k, result >> 2);
      break;
    case O_NO_ACK:
      ack_.runs = false;
      break;
    case O_NO_TICK:
      tick_.runs = false;
      break;
    case O_CONTROL:
      started_ = (result & 1) != 0;
      response_valid_ = false;
      break;
    case O_JOB:
      job_ = result;
      break;
    case O_RANK:
      size_ = static_cast<std::uint16_t>(result >> 16);
      rank_ = static_cast<std::uint16_t>(result);
      break;
    case O_EAGER:
      eager_ = static_cast<std::uint16_t>(result);
      break;
    case O_HEAD_DONE:
      pending_ = false;
      break;
    case O_COUNT:
      ++counters_[result & 15];
      break;
    case O_COUNTER:
      counter_ = result & 15;
      break;
    case O_REPORTED:
      builder_.reported();
      break;
    default:
      break;
  }
}

// The frame that can be taken from, if one can: of this node first, unless one of the lane is under way.
Frame* Engine::front(Cycle k) {
  const bool back = !waiting_.empty() && std::max(waiting_.front().visible, store_free_) <= k;
  if (!in_frame_) from_back_ = back;
  if (from_back_) return back ? &waiting_.front() : nullptr;
  return !received_.empty() && received_.front().visible <= k ? &received_.front() : nullptr;
}

// The cycle from which on there is one.
Cycle Engine::next_frame() const {
  Cycle at = kNeverCycle;
  if (!received_.empty()) at = std::min(at, received_.front().visible);
  if (!arriving_.empty()) at = std::min(at, arriving_.front().visible);
  if (!waiting_.empty()) at = std::min(at, std::max(waiting_.front().visible, store_free_));
  return at;
}

// The parser does not take the word of a datagram that is at hand.
bool Engine::frame_waits(bool room) const {
  return position_ >= kUdpHeader && good_frame_ && !ended_ && (word_ == 4 ? !room && good_ : pending_);
}

// polyloom_udp_rx: what the first five words say.
void Engine::begin_frame(const Frame& frame) {
  const auto word = [&](unsigned n) { return n < frame.words.size() ? swap(frame.words[n]) : 0; };
  const auto half = [](std::uint64_t w, unsigned at) { return static_cast<std::uint16_t>(w >> 16 * at); };
  const std::uint64_t w1 = word(1), w2 = word(2), w3 = word(3), w4 = word(4);
  const unsigned ip_bytes = half(w2, 3), udp_bytes = half(w4, 0), port = half(w4, 1);
  const bool ip_ok = half(w1, 1) == 0x0800 && (w1 >> 8 & 0xFF) == 0x45;
  const bool ip_fits = ip_bytes >= 28 && ip_bytes + 14 <= frame.bytes && (w2 & 0x3FFF'0000) == 0;
  const bool for_us = half(w3, 0) == ip_ >> 16 && half(w4, 3) == (ip_ & 0xFFFF);
  const bool port_ok = port == kMpiPort || port == kManagementPort;
  good_frame_ = word(0) >> 16 == mac_of(ip_) && ip_ok && ip_fits && (w2 & 0xFF) == 17 && for_us && port_ok &&
                udp_bytes >= 8 && udp_bytes <= ip_bytes - 20 && frame.words.size() > kUdpHeader;
  manage_frame_ = port == kManagementPort;
  from_ = {(word(0) & 0xFFFF) << 32 | w1 >> 32, static_cast<std::uint32_t>(w3 >> 16), half(w4, 2)};
  datagram_bytes_ = udp_bytes - 8;
  left_ = udp_bytes - 6;
  ended_ = false;
}

// A word of a frame; a datagram's, if the parser has room for it.
void Engine::take_words(Cycle k, bool room) {
  Frame* frame = front(k);
  if (frame == nullptr) return;
  in_frame_ = true;
  if (position_ == 0) begin_frame(*frame);
  if (frame_waits(room)) return;
  const bool emits = position_ >= kUdpHeader && good_frame_ && !ended_;
  const bool last = position_ + 1 == frame->words.size();
  if (emits) {
    const bool ends = left_ <= 8;
    if (!parse(frame->words[position_], ends)) ++counters_[kNForeign];
    ended_ = ends;
    left_ -= 8;
  } else if (last && !good_frame_) {
    ++counters_[kNForeign];
  }
  ++position_;
  --(from_back_ ? stored_ : received_words_);
  if (!last) return;
  ++counters_[kNFramesIn];
  counters_[kBytesIn] += frame->bytes;
  position_ = 0;
  in_frame_ = false;
  if (from_back_) {
    waiting_.pop_front();
    --stored_frames_;
    store_free_ = k + 1;
    send_ready();
  } else {
    received_.pop_front();
  }
}

// polyloom_mpe_parse: PROTOCOL.md, Filter.
bool Engine::is_right(std::uint64_t data) const {
  const unsigned bytes = datagram_bytes_ - kMpiHeader;
  const std::uint32_t length = low(data), offset = high(data);
  const unsigned kind = head_[0] >> 48 & 0xFF;
  switch (word_) {
    case 0: {
      const unsigned given = data >> 48 & 0xFF;
      return job_ != 0 && low(data >> 16) == job_ && given >= 1 && given <= 7 &&
             datagram_bytes_ >= kMpiHeader;
    }
    case 1:
      return (data & 0xFFFF) <= size_ && (data >> 16 & 0xFFFF) == rank_;
    case 3:
      if (kind == 1) return length == bytes && bytes <= eager_ && offset == 0 && bytes <= kMaxPayload;
      if (kind == 5) {
        return bytes != 0 && bytes <= kMaxPayload && offset % 8 == 0 && offset < length &&
               bytes <= length - offset;
      }
      return bytes == 0;
    default:
      return true;
  }
}

// False if it is the last word of a datagram that breaks the rules.
bool Engine::parse(std::uint64_t data, bool last) {
  if (word_ == 4) {
    const bool good = good_;
    if (good) payload_.push({data, last});
    if (last) {
      word_ = 0;
      good_ = true;
    }
    return good || !last;
  }
  const bool end_of_head = word_ == (manage_frame_ ? 1 : 3);
  const bool keep = good_ && (manage_frame_ || is_right(data));
  head_[word_] = data;
  head_manage_ = manage_frame_;
  head_bytes_ = datagram_bytes_ - (manage_frame_ ? 0 : kMpiHeader);
  head_from_ = from_;
  head_more_ = !last;
  word_ = last ? 0 : end_of_head ? 4 : word_ + 1;
  good_ = last || keep;
  if (end_of_head && keep) pending_ = true;
  return !last || (end_of_head && keep);
}

// --- sending

bool Engine::store_full() const { return stored_ == kFrameStore || stored_frames_ == kFrames; }

inline void Engine::forget_popped(Cycle k) {
  for (; !pops_.empty() && pops_.front() < k; pops_.pop_front()) --stored_;
  for (; !last_pops_.empty() && last_pops_.front() < k; last_pops_.pop_front()) --stored_frames_;
}

// The builder's words become a frame: five words of headers first, polyloom_udp_tx.
void Engine::build(Cycle k, const Inputs& in) {
  const bool valid = builder_.valid(reader_), room = !store_full();
  const bool next = valid && room && header_ == kUdpHeader;
  if (valid && room) {
    if (header_ == 0) {
      building_to_ = to_;
      building_.bytes = bytes_;
    }
    ++stored_;
    if (next) {
      const Word word = builder_.word(reader_);
      const bool first = building_.words.empty();
      building_.words.push_back(first ? word.data & ~std::uint64_t{0xFFFF} : word.data);
      if (word.last) {
        header_ = 0;
        const std::uint32_t bytes = building_.bytes & 0xFFFF, total = bytes + 28;
        const std::uint16_t port = building_.bytes >> 16 != 0 ? kManagementPort : kMpiPort;
        std::uint32_t sum = 0xC511 + total + (ip_ >> 16) + (ip_ & 0xFFFF) + (building_to_.ip >> 16) +
                            (building_to_.ip & 0xFFFF);
        sum = (sum & 0xFFFF) + (sum >> 16);
        const std::uint64_t check = ~(sum + (sum >> 16)) & 0xFFFF;
        const std::uint64_t own = mac_of(ip_), to = building_to_.ip;
        const std::uint64_t headers[kUdpHeader] = {
            building_to_.mac << 16 | own >> 32, (own & 0xFFFFFFFF) << 32 | 0x0800'4500,
            std::uint64_t{total & 0xFFFF} << 48 | 0x0000'4000'4011,
            check << 48 | std::uint64_t{ip_} << 16 | to >> 16,
            (to & 0xFFFF) << 48 | std::uint64_t{port} << 32 | std::uint64_t{building_to_.port} << 16 |
                ((bytes + 8) & 0xFFFF)};
        Frame frame;
        frame.words.reserve(kUdpHeader + building_.words.size());
        for (const std::uint64_t header : headers) frame.words.push_back(swap(header));
        frame.words.insert(frame.words.end(), building_.words.begin(), building_.words.end());
        frame.bytes = static_cast<unsigned>(8 * frame.words.size());
        frame.visible = k + kStoreLatency;
        building_.words.clear();
        ++stored_frames_;
        waiting_.push_back(std::move(frame));
        send_ready();
      }
    } else {
      ++header_;
    }
  }
  builder_.step(next, reader_, in.read_taken, in.read, store_);
}

// Frames for the wire, up to one for this node itself.
void Engine::send_ready() {
  while (!waiting_.empty()) {
    const Frame& frame = waiting_.front();
    if (swap(frame.words[0]) >> 16 == mac_of(ip_)) return;
    wire_.send(frame, std::max(frame.visible, store_free_), pops_);
    last_pops_.push_back(pops_.back());
    store_free_ = pops_.back() + 1;
    ++counters_[kNFramesOut];
    counters_[kBytesOut] += frame.bytes;
    waiting_.pop_front();
  }
}

bool Engine::in_progress() const {
  return !sequencer_.rests() || !writer_.idle() || !reader_.ready() || !builder_.idle() || in_frame_ ||
         !payload_.empty();
}

Cycle Engine::next(Cycle k) const {
  if (in_progress()) return k;
  Event now = event(k, false);
  if (now != EV_NONE) return k;
  Cycle at = next_frame();
  if (ack_.runs) at = std::min(at, ack_.over);
  if (tick_.runs) at = std::min(at, tick_.over);
  if ((flags_ & kFManage) != 0 && !pops_.empty()) at = std::min(at, pops_.back() + 1);
  return std::max(at, k);
}

}  // namespace polyloom::mpi::mpe
