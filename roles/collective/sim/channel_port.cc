// SPDX-License-Identifier: Apache-2.0
#include "roles/collective/sim/channel_port.h"

namespace polyloom::collective {
namespace {

constexpr std::uint64_t kLargeWrite = 8 << 20;  ///< bytes from which on the system is told of a write

/// Of a beat that is written: the sum over all beats is part of the digest, so they may be hashed in any
/// order.
std::uint64_t beat_hash(const std::uint64_t* w, std::uint64_t offset) {
  std::uint64_t term = w[0] ^ std::rotl(w[1], 17) ^ std::rotl(w[2], 34) ^ std::rotl(w[3], 51);
  term += (offset + kBeatBytes) * 0x9e3779b97f4a7c15ull;
  term = (term ^ (term >> 32)) * 0xd6e8feb86659fd93ull;
  return term ^ (term >> 29);
}

}  // namespace

ChannelPort::ChannelPort(unsigned number, const CollectiveParams& params, blocks::BackingStore* memory,
                         RunningStep& step)
    : number_(number), p_(params), memory_(memory), step_(step), channel_(params.channel) {
  reader_.ready.resize(std::bit_ceil(p_.read_beats()));
  reader_.depth = p_.read_beats();
}

// ---- the step ----

void ChannelPort::load_read(const Instruction& i) {
  Reader& r = reader_;
  r.active = true;
  r.begun = false;
  r.even = true;
  r.issue = r.take = PatternCursor(i);
  r.span = span_of(i);
  r.head = r.count = 0;
}

void ChannelPort::load_write(const Instruction& i) {
  Writer& w = writer_;
  w.active = true;
  w.ended = w.full = false;
  w.open_end = (i.flags & kOpenEnd) != 0;
  w.data = w.grant = PatternCursor(i);
  w.span = span_of(i);
  w.held = w.coming = 0;
  step_.expect();
  const std::uint64_t size = w.span.high - w.span.low;
  if (memory_ != nullptr && size >= kLargeWrite && std::uint64_t{i.run_bytes} * i.runs >= size) {
    memory_->will_fill(number_ * p_.channel.bytes + w.span.low, size);
  }
}

void ChannelPort::leave() {
  end_read();
  reader_.count = 0;
  writer_.active = false;
  writer_.held = writer_.coming = 0;
}

bool ChannelPort::clock(Cycle k) {
  Reader& r = reader_;
  Writer& w = writer_;
  w.held += w.coming;
  w.coming = 0;
  w.full = w.held == kSwitchBeats;
  const bool read = r.begun && k >= r.request_from && !r.issue.done() && r.count < r.depth;
  const bool write = w.held != 0;
  if (!read && !write) return false;
  if (read && r.issue.offset() >= p_.channel.bytes) {
    step_.fault(k, Fault::bad_program, kNoLane, outside(r.issue.offset()));
    return true;
  }
  const auto grant =
      channel_.arbitrate(read, read ? r.issue.offset() : 0, write, write ? w.grant.offset() : 0);
  if (read && !grant.read) r.even = false;
  if (grant.read) {
    r.ready[(r.head + r.count) & mask()] = channel_.read_ready(k) + p_.timing.read_to_source;
    ++r.count;
    r.issue.next();
  }
  if (grant.write) {
    w.grant.next();
    if (--w.held == 0 && w.ended) {
      w.active = false;
      step_.part_done(channel_.write_done(k) + p_.timing.write_to_done);
    }
  }
  return true;
}

Cycle ChannelPort::next(Cycle now) const {
  if (writer_.held + writer_.coming != 0) return now;
  const Reader& r = reader_;
  return r.begun && !r.issue.done() && r.count < r.depth ? std::max(now, r.request_from) : kNeverCycle;
}

// ---- the switch ----

void ChannelPort::read(Beat& into) {
  Reader& r = reader_;
  const unsigned bytes = r.take.bytes();
  if (memory_ != nullptr) {
    const std::uint8_t* from = base() + r.take.offset();
    if (bytes == kBeatBytes) {
      std::memcpy(into.words.data(), from, kBeatBytes);
    } else {
      into.words = {};
      std::memcpy(into.words.data(), from, bytes);
    }
  } else {
    into.words = {};
  }
  into.bytes = static_cast<std::uint8_t>(bytes);
  into.last = r.take.last();
  r.take.next();
  r.head = (r.head + 1) & mask();
  --r.count;
  ++r.beats;
}

void ChannelPort::write(const Beat& beat, Cycle k) {
  Writer& w = writer_;
  const std::uint64_t offset = w.data.offset();
  const bool end = w.data.last();
  if (offset >= p_.channel.bytes) {
    step_.fault(k, Fault::bad_program, kNoLane, outside(offset));
    return;
  }
  if (memory_ != nullptr) {
    const unsigned bytes = std::min<unsigned>(w.data.bytes(), beat.bytes);
    std::memcpy(base() + offset, beat.words.data(), bytes);
    w.hash += beat_hash(beat.words.data(), offset);
  }
  ++w.coming;
  ++w.beats;
  w.data.next();
  w.ended = beat.last || end;
  const bool wrong = end ? !beat.last : beat.last && !w.open_end;
  // It shows a cycle later, when the beat is at the engine: an abort that explains it may come first.
  if (wrong) step_.fault(k + p_.timing.switch_cycles, Fault::length, kNoLane, offset);
}

// ---- many beats at once ----

/// The half in which the next beats of a pattern lie; 2: perhaps in both, or outside the channel.
unsigned ChannelPort::half_of(const PatternCursor& cursor, const PatternSpan& span, Cycle beats) const {
  const std::uint64_t half = p_.channel.bytes / 2;
  if (span.high > p_.channel.bytes) return 2;
  if (span.high <= half) return 0;
  if (span.low >= half) return 1;
  if (cursor.done() || cursor.whole() < beats) return 2;
  const std::uint64_t first = cursor.offset(), last = first + beats * kBeatBytes;
  return last <= half ? 0 : first >= half ? 1 : 2;
}

bool ChannelPort::halves_apart(Cycle beats) const {
  const Reader& r = reader_;
  const Writer& w = writer_;
  if (w.active && w.ended) return false;  // its last beats are on their way
  const bool reads = r.begun && !r.issue.done();
  const bool writes = w.active && !w.grant.done();
  const unsigned from = reads ? half_of(r.issue, r.span, beats) : 2;
  const unsigned into = writes ? half_of(w.grant, w.span, beats) : 2;
  return !((reads && from == 2) || (writes && into == 2) || (reads && writes && from == into));
}

void ChannelPort::grant_reads(std::uint64_t beats) {
  channel_.arbitrate(true, reader_.issue.offset(), false, 0);
  reader_.issue.skip(beats);
}

void ChannelPort::forget_times(std::uint64_t beats) {
  std::vector<Cycle>& ready = reader_.ready;
  const std::size_t size = ready.size(), at = (reader_.head + reader_.count) & (size - 1);
  const std::size_t marks = std::min<std::size_t>(beats, size), straight = std::min(marks, size - at);
  std::fill_n(ready.begin() + static_cast<std::ptrdiff_t>(at), straight, Cycle{0});
  std::fill_n(ready.begin(), marks - straight, Cycle{0});
}

Cycle ChannelPort::request(Cycle k, Cycle end, std::span<const Cycle> pops) {
  Reader& r = reader_;
  const Cycle requests = std::max(k, r.request_from);
  const std::uint64_t here = r.count;
  const std::uint64_t most = r.issue.done() ? 0 : r.issue.left();
  std::uint64_t requested = 0;
  Cycle edge = 0;
  for (; requested < most; ++requested) {
    Cycle when = requests + requested;
    if (here + requested >= r.depth) {  // after the beat whose place it takes has left
      const std::uint64_t before = here + requested - r.depth;
      if (before >= pops.size()) break;
      when = std::max(when, pops[before] + 1);
    }
    if (when >= end) break;
    edge = when;
    r.ready[(r.head + here + requested) & mask()] = when + latency();
  }
  if (requested != 0) grant_reads(requested);
  r.head = (r.head + static_cast<unsigned>(pops.size())) & mask();
  r.count = static_cast<unsigned>(here + requested - pops.size());
  return edge;
}

void ChannelPort::write(const std::uint64_t* words, std::size_t beats, unsigned bytes) {
  Writer& w = writer_;
  w.beats += beats;
  if (memory_ == nullptr) {
    w.data.skip(beats);
    return;
  }
  std::uint8_t* const to = base();
  while (beats != 0) {
    const std::uint64_t offset = w.data.offset();
    std::size_t n = bytes == kBeatBytes ? std::min<std::size_t>(beats, w.data.whole()) : 0;
    std::size_t size = n * kBeatBytes;
    if (n == 0) {
      n = 1;
      size = std::min(w.data.bytes(), bytes);
    }
    std::memcpy(to + offset, words, size);
    std::uint64_t hash = 0, at = offset;
    for (const std::uint64_t* beat = words; beat != words + n * kBeatWords;
         beat += kBeatWords, at += kBeatBytes) {
      hash += beat_hash(beat, at);
    }
    w.hash += hash;
    w.data.pass(n);
    words += n * kBeatWords;
    beats -= n;
  }
}

Cycle ChannelPort::settle(Cycle k, Cycle end, std::size_t beats, Cycle last, Cycle before) {
  Writer& w = writer_;
  const unsigned waited = w.coming;
  w.coming = beats != 0 && last == end - 1;
  const std::size_t granted = waited + beats - w.coming;
  if (granted == 0) return 0;
  channel_.arbitrate(false, 0, true, w.grant.offset());
  w.grant.skip(granted);
  return beats > w.coming ? (w.coming != 0 ? before : last) + 1 : k;
}

// ---- reports ----

void ChannelPort::counters(const std::string& prefix, const fabric::CounterSink& sink) const {
  sink(prefix + "beats_read", reader_.beats);
  sink(prefix + "beats_written", writer_.beats);
  sink(prefix + "conflicts", channel_.conflicts());
}

void ChannelPort::digest(fabric::Digest& d) const {
  d.add(reader_.beats);
  d.add(writer_.beats);
  d.add(writer_.hash);
  d.add(channel_.conflicts());
}

}  // namespace polyloom::collective
