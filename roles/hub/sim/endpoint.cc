// SPDX-License-Identifier: Apache-2.0
#include "roles/hub/sim/endpoint.h"

#include <algorithm>
#include <cstring>
#include <stdexcept>
#include <utility>

#include "fabric/cluster/units.h"
#include "fabric/error.h"

namespace polyloom::hub {

using fabric::kNever;
using fabric::Segment;

namespace {

constexpr std::uint64_t kLoadBytes = 8;

Time last_word(const Segment& s) { return s.words.empty() ? s.first : s.word_time(s.words.size() - 1); }

}  // namespace

Endpoint::Endpoint(std::string name, const EndpointParams& params, blocks::WireEnds wire)
    : name_(std::move(name)), p_(params), wire_(wire), lane_(wire.tx, 1), credits_(params.slots) {}

void Endpoint::check(bool good, const std::vector<std::uint64_t>& words, const char* what) const {
  if (good) return;
  throw UserError(name_ + ": its host program's command " +
                  std::to_string(words.empty() ? 0 : words[0] & 0xff) + " " + what);
}

void Endpoint::command(Time t, const std::vector<std::uint64_t>& w) {
  check(!w.empty(), w, "is empty");
  const auto op = static_cast<Command>(w[0] & 0xff);
  const std::uint64_t unit = w[0] >> 8 & 0xff;
  const auto shape = [&](std::size_t words, bool memory) {
    check(w.size() == words, w, "has another number of words than it should");
    check(!memory || unit < static_cast<unsigned>(Unit::hub), w, "names no memory: unit 0, 1 or 2");
  };
  Job job;
  job.ready = t + p_.store_latency;
  switch (op) {
    case Command::map:
      shape(5, true);
      // Packets on their way read and write what is mapped when they were asked for.
      check(memory_[unit].bytes() == 0, w, "maps a unit a second time");
      memory_[unit] = ClientMemory(name_, w[1], w[2], w[3], w[4]);
      return;
    case Command::put:
      shape(4, true);
      check(w[3] != 0 && memory_[unit].holds(w[1], w[3]), w, "puts bytes from outside of what is mapped");
      job.unit = static_cast<Unit>(unit);
      job.from = w[1], job.to = w[2], job.bytes = w[3];
      requests_.push_back(std::move(job));
      return;
    case Command::store:
      job.bytes = w[0] >> 32;
      shape(2 + (job.bytes + 7) / 8, false);
      check(job.bytes != 0, w, "stores nothing");
      job.to = w[1];
      job.data.resize(job.bytes);
      std::memcpy(job.data.data(), w.data() + 2, job.bytes);
      requests_.push_back(std::move(job));
      return;
    case Command::load:
      shape(2, false);
      check(w[1] % 8 == 0 && w[1] < kWindowBytes && node_of(w[1]) == p_.node && unit_of(w[1]) == Unit::hub, w,
            "reads what is not an aligned word of the own hub");
      job.type = TlpType::memory_read;
      job.to = w[1], job.bytes = kLoadBytes;
      requests_.push_back(std::move(job));
      return;
    case Command::wait: {
      shape(5, true);
      check(memory_[unit].holds(w[1], 8), w, "waits for a word outside of what is mapped");
      const auto how = static_cast<Compare>(w[0] >> 16 & 0xff);
      const Wait wait{unit, w[1], w[2], w[3], how, static_cast<Time>(w[4])};
      if (!judge(wait, t, std::min(t, landed_))) waits_.push_back(wait);
      return;
    }
    case Command::probe:
      shape(1, false);
      response(t, op, Status::ok, dropped_, static_cast<std::uint64_t>(t), first_dropped_);
      return;
  }
  check(false, w, "is none of map, put, store, load, wait, probe");
}

Time Endpoint::arrival() const {
  const Segment* s = wire_.rx != nullptr ? wire_.rx->front() : nullptr;
  return s == nullptr ? kNever : last_word(*s);
}

Time Endpoint::next_send() const {
  if (credits_ == 0) return kNever;
  Time ready = kNever;
  if (!requests_.empty()) ready = requests_.front().ready;
  if (!completions_.empty()) ready = std::min(ready, completions_.front().ready);
  return ready == kNever ? kNever : std::max({ready, wire_free_, now_});
}

Time Endpoint::next_event() const {
  Time next = std::min(arrival(), next_send());
  if (!landings_.empty()) next = std::min(next, landings_.front().time);
  for (const Wait& wait : waits_) next = std::min(next, wait.deadline);
  return next;
}

void Endpoint::advance(Time until) {
  for (Time t; (t = next_event()) < until;) {
    now_ = std::max(now_, t);
    if (!landings_.empty() && landings_.front().time <= t) {
      land();
    } else if (arrival() <= t) {
      arrive();
    } else if (next_send() <= t) {
      send(t);
    } else {
      expire(t);
    }
  }
}

/// Takes the next segment off the wire.
void Endpoint::arrive() {
  const Time t = arrival();
  const Segment s = wire_.rx->take();
  if (s.head && s.tail && s.words.empty()) {
    ++credits_;
    return;
  }
  if (s.head) incoming_.clear();
  incoming_.insert(incoming_.end(), s.words.begin(), s.words.end());
  incoming_keep_ = s.keep;
  if (s.tail) packet(t);
}

/// A packet has wholly come; it leaves its slot at once.
void Endpoint::packet(Time t) {
  const std::uint64_t bytes = incoming_.size() * 8 - 8 + incoming_keep_;
  const TlpHeader h = incoming_.size() < 2 ? TlpHeader{} : TlpHeader::from(incoming_[0], incoming_[1]);
  if (bytes < kTlpBeat || (h.has_payload() && bytes != kTlpBeat + h.length)) {
    throw std::logic_error(name_ + ": a packet whose payload is not as long as its header says");
  }
  lane_.pulse(t);
  ++packets_in_;
  seen_.add(static_cast<std::uint64_t>(t));
  for (const std::uint64_t word : incoming_) seen_.add(word);
  const auto* payload = reinterpret_cast<const std::uint8_t*>(incoming_.data() + 2);
  if (h.type == TlpType::memory_write) {
    landings_.push_back({t + p_.write_latency, h.address, {payload, payload + h.length}});
  } else if (h.type == TlpType::memory_read) {
    Job job{.type = TlpType::completion, .ready = t + p_.read_latency, .unit = unit_of(h.address)};
    job.from = offset_of(h.address), job.bytes = h.length, job.tag = h.tag;
    const bool own = h.address < kWindowBytes && node_of(h.address) == p_.node && job.unit != Unit::hub;
    job.poisoned = !own || !memory_[static_cast<unsigned>(job.unit)].holds(job.from, job.bytes);
    if (job.poisoned) job.unit = Unit::hub, job.data.assign(job.bytes, 0);
    completions_.push_back(std::move(job));
  } else {
    std::uint64_t word = 0;
    std::memcpy(&word, payload, std::min<std::size_t>(8, h.length));
    response(t + p_.poll_latency, Command::load, h.poisoned ? Status::failed : Status::ok, word,
             static_cast<std::uint64_t>(t));
  }
}

void Endpoint::drop(std::uint64_t address) {
  if (dropped_++ == 0) first_dropped_ = address;
}

void Endpoint::land() {
  const Landing landing = std::move(landings_.front());
  landings_.pop_front();
  landed_ = landing.time;
  const std::uint64_t a = landing.address, offset = offset_of(a), unit = static_cast<unsigned>(unit_of(a));
  const std::size_t n = landing.data.size();
  if (a >= kWindowBytes || node_of(a) != p_.node || !memory_[unit].holds(offset, n)) return drop(a);
  std::memcpy(memory_[unit].data() + offset, landing.data.data(), n);
  bytes_in_ += n;
  for (std::size_t i = 0; i < waits_.size();) {
    const Wait& wait = waits_[i];
    const bool touched = wait.unit == unit && offset < wait.offset + 8 && wait.offset < offset + n;
    if (touched && judge(wait, landing.time + p_.poll_latency, landing.time)) {
      waits_.erase(waits_.begin() + static_cast<std::ptrdiff_t>(i));
    } else {
      ++i;
    }
  }
}

std::uint64_t Endpoint::word_at(std::uint64_t unit, std::uint64_t offset) const {
  std::uint64_t word;
  std::memcpy(&word, memory_[unit].data() + offset, 8);
  return word;
}

/// Responds to the wait if its word is as it should be.
bool Endpoint::judge(const Wait& wait, Time seen, Time held) {
  const std::uint64_t word = word_at(wait.unit, wait.offset);
  if (!holds(wait.how, word, wait.mask, wait.value)) return false;
  response(seen, Command::wait, Status::ok, word, static_cast<std::uint64_t>(held));
  return true;
}

void Endpoint::expire(Time t) {
  for (auto it = waits_.begin(); it != waits_.end();) {
    if (it->deadline > t) {
      ++it;
      continue;
    }
    response(t, Command::wait, Status::late, word_at(it->unit, it->offset), static_cast<std::uint64_t>(t));
    it = waits_.erase(it);
  }
}

void Endpoint::response(Time t, Command op, Status status, std::uint64_t value, std::uint64_t held_at,
                        std::uint64_t second) {
  const std::uint64_t head = static_cast<std::uint64_t>(op) | static_cast<std::uint64_t>(status) << 8;
  const auto later = std::upper_bound(responses_.begin(), responses_.end(), t,
                                      [](Time a, const Response& b) { return a < b.time; });
  responses_.insert(later, Response{t, {head, value, held_at, second}});
}

void Endpoint::send(Time t) {
  const bool request = !requests_.empty() && requests_.front().ready <= t;
  const bool completion = !completions_.empty() && completions_.front().ready <= t;
  const bool complete = completion && (!request || completion_first_);
  completion_first_ = !complete;
  std::deque<Job>& queue = complete ? completions_ : requests_;
  Job& job = queue.front();
  send_piece(job, t);
  if (job.done == job.bytes) queue.pop_front();
}

/// One packet of a job; memory is read as it is now.
void Endpoint::send_piece(Job& job, Time t) {
  TlpHeader h{.type = job.type, .poisoned = job.poisoned, .tag = job.tag};
  std::uint64_t n = job.bytes - job.done;
  if (h.has_payload()) n = std::min<std::uint64_t>(n, p_.max_payload);
  h.address = job.to + job.done;
  if (job.type == TlpType::memory_write) n = std::min(n, kPage - h.address % kPage);
  if (job.type == TlpType::completion) h.address = (job.bytes - job.done) | job.done << 32;
  h.length = static_cast<std::uint32_t>(n);
  const std::size_t payload = h.has_payload() ? n : 0;
  std::vector<std::uint8_t> bytes(kTlpBeat + payload);
  std::memcpy(bytes.data(), h.words().data(), kTlpBeat);
  if (payload != 0) {
    const std::uint8_t* from =
        job.unit == Unit::hub ? job.data.data() : memory_[static_cast<unsigned>(job.unit)].data() + job.from;
    std::memcpy(bytes.data() + kTlpBeat, from + job.done, payload);
  }
  job.done += n;
  std::uint64_t words = 0;
  for (std::size_t at = 0; at < bytes.size(); at += kTlpBeat) {
    const std::size_t size = std::min<std::size_t>(kTlpBeat, bytes.size() - at);
    blocks::LaneBeat beat;
    std::memcpy(beat.data.data(), bytes.data() + at, size);
    beat.words = static_cast<unsigned>((size + 7) / 8);
    beat.keep = static_cast<unsigned>(size - 8 * (beat.words - 1));
    beat.last = at + size == bytes.size();
    words += beat.words;
    lane_.push(t, beat);
  }
  wire_free_ = t + static_cast<Time>(words) * (wire_.tx != nullptr ? wire_.tx->period() : 1);
  --credits_;
  ++packets_out_;
  bytes_out_ += payload;
}

bool Endpoint::has_deadline() const {
  return std::any_of(waits_.begin(), waits_.end(),
                     [](const Wait& wait) { return wait.deadline != fabric::kNever; });
}

std::string Endpoint::waiting_for() const {
  std::string text;
  const auto add = [&](const std::string& what) { text += (text.empty() ? "" : "; ") + name_ + " " + what; };
  for (const Wait& wait : waits_) {
    add("waits for the word at " + std::to_string(wait.offset) + " of unit " + std::to_string(wait.unit) +
        " to be " +
        (wait.how == Compare::not_equal  ? "other than "
         : wait.how == Compare::at_least ? "at least "
                                         : "") +
        std::to_string(wait.value) + "; it is " +
        std::to_string(word_at(wait.unit, wait.offset) & wait.mask));
  }
  if (credits_ == 0 && (!requests_.empty() || !completions_.empty())) add("has no credit of its hub");
  if (dropped_ != 0) {
    add("dropped " + std::to_string(dropped_) +
        " writes to memory that is not mapped, the first to address " + std::to_string(first_dropped_));
  }
  return text;
}

void Endpoint::counters(const fabric::CounterSink& sink) const {
  sink(name_ + ".packets_in", packets_in_);
  sink(name_ + ".packets_out", packets_out_);
  sink(name_ + ".bytes_in", bytes_in_);
  sink(name_ + ".bytes_out", bytes_out_);
  sink(name_ + ".dropped", dropped_);
}

void Endpoint::digest(fabric::Digest& digest) const {
  digest.add(seen_.value());
  for (const std::uint64_t n : {packets_in_, packets_out_, bytes_in_, bytes_out_, dropped_}) digest.add(n);
}

}  // namespace polyloom::hub
