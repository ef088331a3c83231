// SPDX-License-Identifier: Apache-2.0
#include "blocks/reliable_link/sim/reliable_link.h"

#include <algorithm>
#include <array>
#include <cassert>
#include <stdexcept>

#include "fabric/error.h"

namespace polyloom::blocks {
namespace {

void need(bool ok, const std::string& what) {
  if (!ok) throw UserError("reliable link: " + what);
}

constexpr std::uint64_t kNoLimit = ~std::uint64_t{0};

}  // namespace

ReliableLinkParams ReliableLinkParams::standard(fabric::Clock clock, fabric::Time latency,
                                                fabric::Time word_period) {
  ReliableLinkParams p;
  const fabric::Time frame = word_period * static_cast<fabric::Time>(frame_words(p.max_items) + kGapWords);
  p.timeout = static_cast<unsigned>(clock.first_edge_from(2 * latency + 4 * frame)) + p.ack_delay + 64;
  return p;
}

ReliableLinkParams ReliableLinkParams::as_published() {
  ReliableLinkParams p;
  p.published = true;
  p.max_items = 20;
  p.tx_items = 1024;
  p.rx_items = 512;
  p.control_items = 0;
  p.ack_delay = 40;
  p.timeout = 1024;
  return p;
}

ReliableLink::ReliableLink(fabric::Tx& tx, fabric::Rx& rx, const ReliableLinkParams& params,
                           fabric::Clock clock)
    : wire_out_(tx),
      wire_in_(rx),
      p_(params),
      format_{params.published},
      clock_(clock),
      tx_{{params.control_items, params.control_items, (1u << format_.seq_bits(kControl)) - 1},
          {params.tx_items, params.published ? kNoLimit : params.rx_items,
           (1u << format_.seq_bits(kData)) - 1}},
      rx_{RxChannel(params.control_items), RxChannel(params.rx_items)} {
  const unsigned most = p_.published ? 127 : kMaxFrameItems;
  need(p_.max_items >= 1 && p_.max_items <= most, "max_items is 1.." + std::to_string(most));
  need(p_.tx_items >= p_.max_items && p_.tx_items <= 16384, "tx_items is max_items..16384");
  need(p_.rx_items > p_.max_items && p_.rx_items <= 16384, "rx_items is max_items+1..16384");
  need(!p_.published || p_.tx_items <= 1024, "the published sequence numbers allow tx_items up to 1024");
  need(p_.published || (p_.control_items >= 1 && p_.control_items <= 64), "control_items is 1..64");
  need(p_.timeout >= 1, "timeout is at least 1 cycle");
}

bool ReliableLink::push_control(Cycle c, std::uint64_t item) {
  if (p_.published) throw std::logic_error("reliable link: the published link has no control channel");
  return push(kControl, c, item);
}

bool ReliableLink::push(Channel ch, Cycle c, std::uint64_t item) {
  TxChannel& t = tx_[ch];
  assert(c >= sent_until_ && "push into the past");
  if (t.space() == 0) return false;
  const Cycle from = c + p_.tx_cycles;
  assert(t.end == t.base || t.ring[t.end - 1].from <= from);
  // All was acknowledged and more comes: waiting for room starts now.
  if (t.end == t.base) t.progress = c;
  t.ring[t.end++] = {item, from};
  changed_ = true;
  return true;
}

Cycle ReliableLink::visible(Channel ch) const {
  const RxChannel& r = rx_[ch];
  return r.taken == r.expected ? kNeverCycle : r.ring[r.taken].from;
}

std::size_t ReliableLink::count(Channel ch, Cycle c) const {
  const RxChannel& r = rx_[ch];
  std::size_t n = r.held();
  while (n != 0 && r.ring[r.taken + n - 1].from > c) --n;
  return n;
}

std::uint64_t ReliableLink::pop(Channel ch, Cycle c) {
  RxChannel& r = rx_[ch];
  assert(visible(ch) <= c && "pop of an item that is not there yet");
  if (!p_.published) r.pops.push_back(c);
  changed_ = true;
  return r.ring[r.taken++].item;
}

// ---- receiving ----

void ReliableLink::receive(Cycle until) {
  const fabric::Segment* s = wire_in_.front();
  if (s == nullptr) return;
  const fabric::Time limit = clock_.edge(until);
  for (; s != nullptr; s = wire_in_.front()) {
    const fabric::Time last = s->words.empty() ? s->first : s->word_time(s->words.size() - 1);
    if (last >= limit) return;
    fabric::Segment taken = wire_in_.take();
    if (taken.head) {
      assembling_ = std::move(taken.words);
      in_frame_ = true;
    } else {
      assembling_.insert(assembling_.end(), taken.words.begin(), taken.words.end());
    }
    if (taken.tail && in_frame_) {
      in_frame_ = false;
      take_frame(clock_.first_edge_from(last) + p_.rx_cycles);
    }
  }
}

void ReliableLink::take_frame(Cycle at) {
  Report report{};
  report.at = at;
  if (!parse_frame(format_, assembling_, report.header)) {
    ++counters_.bad_frames;
    return;
  }
  ++counters_.frames_received;
  const LinkHeader& h = report.header;
  report.response_now = h.poll;
  report.response = h.poll;
  const std::uint64_t* items = assembling_.data() + kHeaderWords;
  for (unsigned ch = 0; ch < kChannels; ++ch) {
    accept(ch, h, items, report);
    items += h.count[ch];
    report.expected[ch] = rx_[ch].expected;
  }
  reports_.push_back(report);
  changed_ = true;
}

/// Takes what the frame has for one channel that was not had before.
void ReliableLink::accept(unsigned ch, const LinkHeader& h, const std::uint64_t* items, Report& report) {
  const unsigned count = h.count[ch];
  if (count == 0) return;
  RxChannel& r = rx_[ch];
  const std::uint64_t seq = unwrap_near(r.expected, h.seq[ch], format_.seq_bits(ch));
  if (p_.published) {
    if (seq != r.expected) {
      ++(seq > r.expected ? counters_.gaps : counters_.duplicates);
      report.response = seq < r.expected;  // the acknowledgement was lost
      return;
    }
    if (r.capacity - r.held() <= p_.max_items) {
      ++counters_.refused;
      return;
    }
  }
  report.response = true;
  if (seq > r.expected) {
    ++counters_.gaps;
    report.complain[ch] = !r.nack_sent;
    report.response_now |= !r.nack_sent;
    r.nack_sent = true;
    return;
  }
  const std::uint64_t had = std::min<std::uint64_t>(r.expected - seq, count);
  counters_.duplicates += had == count;
  for (std::uint64_t i = had; i < count; ++i) {
    assert(r.held() < r.capacity && "the sender went past its limit");
    r.ring[r.expected++] = {items[i], report.at};
    ++counters_.items_received;
  }
  if (had < count) r.nack_sent = false;
}

// ---- sending ----

/// What a frame from the far side changes for the sending side.
void ReliableLink::apply(const Report& report) {
  for (unsigned ch = 0; ch < kChannels; ++ch) {
    TxChannel& t = tx_[ch];
    if (report.expected[ch] != rx_[ch].expected_reported) complain_[ch] = false;  // the gap has closed
    rx_[ch].expected_reported = report.expected[ch];
    complain_[ch] |= report.complain[ch];
    if (p_.published && ch == kControl) continue;
    const unsigned bits = format_.seq_bits(ch);
    const std::uint64_t ack = unwrap_ahead(t.base, report.header.ack[ch], bits);
    if (ack > t.base && ack <= t.high) {
      t.base = ack;
      t.next = std::max(t.next, ack);  // after going back, items may turn out to have arrived
      t.progress = report.at;
    }
    if (!p_.published) t.limit = unwrap_ahead(t.limit, report.header.limit[ch], bits);
    if (report.header.nack[ch] && ack == t.base && t.base < t.next) {
      ++counters_.go_backs;
      go_back(t, report.at);
    }
  }
  if (report.response_now) {
    response_at_ = std::min(response_at_, report.at);
  } else if (report.response) {
    response_at_ = std::min(response_at_, report.at + p_.ack_delay);
  }
}

void ReliableLink::go_back(TxChannel& t, Cycle at) {
  t.next = t.base;
  t.progress = at;
  t.resend_from = at;
}

/// Counts pops before a cycle into the room that is told, in order of time; a quarter of the buffer is worth
/// a frame of its own, which tells of none that come later.
void ReliableLink::report_pops(Cycle before) {
  std::array<std::size_t, kChannels> reported{};
  for (;;) {
    unsigned ch = kChannels;
    for (unsigned k = 0; k < kChannels; ++k) {
      if (reported[k] == rx_[k].pops.size() || rx_[k].pops[reported[k]] >= before) continue;
      if (ch == kChannels || rx_[k].pops[reported[k]] < rx_[ch].pops[reported[ch]]) ch = k;
    }
    if (ch == kChannels) break;
    RxChannel& r = rx_[ch];
    const std::uint64_t quarter = std::max<std::uint64_t>(1, r.capacity / 4);
    const Cycle at = r.pops[reported[ch]++];
    if (++r.taken_reported + r.capacity - r.limit_sent != quarter) continue;
    response_at_ = std::min(response_at_, at + p_.tx_cycles);
    before = std::min(before, response_at_);
  }
  for (unsigned k = 0; k < kChannels; ++k) {
    auto& pops = rx_[k].pops;
    pops.erase(pops.begin(), pops.begin() + static_cast<std::ptrdiff_t>(reported[k]));
  }
}

/// First cycle at which a frame is due, and why, by what is known now.
Cycle ReliableLink::due(Reason& reason) const {
  Cycle first = kNeverCycle;
  reason = Reason::none;
  const auto consider = [&](Cycle c, Reason r) {
    c = std::max(c, wire_free_);
    if (c < first) first = c, reason = r;
  };
  for (const TxChannel& t : tx_) {
    if (t.may_send()) consider(std::max(t.ring[t.next].from, t.resend_from), Reason::payload);
    if (t.waits_for_ack()) consider(t.progress + p_.timeout, Reason::timeout);
    if (t.waits_for_room()) consider(t.progress + p_.timeout, Reason::poll);
  }
  if (response_at_ != kNeverCycle) consider(response_at_, Reason::response);
  return first;
}

void ReliableLink::transmit(Cycle until) {
  if (!changed_ && idle_until_ >= until) {
    sent_until_ = until;
    return;
  }
  Cycle known = sent_until_;  // nothing leaves before the news that allowed it
  for (;;) {
    Reason reason;
    const Cycle first = due(reason);
    const Cycle at = first == kNeverCycle ? first : std::max(first, known);
    // What is learnt before that frame may change it, or make one due earlier.
    const bool news = next_report() <= at && next_report() < until;
    const Cycle response_before = response_at_;
    report_pops(news ? next_report() : std::min(at, until));
    if (response_at_ != response_before) continue;
    if (news) {
      known = std::max(known, next_report());
      apply(reports_[reports_done_++]);
      continue;
    }
    if (at >= until) {
      idle_until_ = at;
      break;
    }
    send_frame(at, reason);
  }
  if (reports_done_ == reports_.size()) {
    reports_.clear();
    reports_done_ = 0;
  }
  sent_until_ = until;
  changed_ = reports_done_ < reports_.size() || !rx_[kData].pops.empty() || !rx_[kControl].pops.empty();
}

/// Adds the items of a channel that may go at `at` to the frame.
unsigned ReliableLink::gather(unsigned ch, Cycle at, unsigned room, LinkHeader& h) {
  TxChannel& t = tx_[ch];
  h.seq[ch] = static_cast<std::uint16_t>(t.next & ((1u << format_.seq_bits(ch)) - 1));
  const std::uint64_t stop = std::min(t.stop(), t.next + room);
  unsigned n = 0;
  if (t.resend_from > at) return 0;
  for (; t.next < stop && t.ring[t.next].from <= at; ++t.next, ++n) {
    if (!t.waits_for_ack()) t.progress = at;
    items_.push_back(t.ring[t.next].item);
    if (t.next < t.high) ++counters_.items_again;
  }
  t.high = std::max(t.high, t.next);
  h.count[ch] = static_cast<std::uint8_t>(n);
  return n;
}

void ReliableLink::send_frame(Cycle at, Reason reason) {
  LinkHeader h;
  if (reason == Reason::timeout || reason == Reason::poll) {
    for (TxChannel& t : tx_) {
      if (t.progress + p_.timeout > at) continue;
      if (t.waits_for_ack()) {
        ++counters_.timeouts;
        go_back(t, at);
      } else if (t.waits_for_room()) {
        h.poll = true;
        t.progress = at;
      }
    }
  }
  items_.clear();
  const unsigned control =
      p_.published ? 0 : gather(kControl, at, std::min(p_.max_items, format_.max_control()), h);
  gather(kData, at, p_.max_items - control, h);
  for (unsigned ch = 0; ch < kChannels; ++ch) {
    RxChannel& r = rx_[ch];
    const std::uint64_t mask = (std::uint64_t{1} << format_.seq_bits(ch)) - 1;
    r.limit_sent = r.taken_reported + r.capacity;
    h.ack[ch] = static_cast<std::uint16_t>(r.expected_reported & mask);
    h.limit[ch] = static_cast<std::uint16_t>(r.limit_sent & mask);
    h.nack[ch] = complain_[ch];
    complain_[ch] = false;
  }
  response_at_ = kNeverCycle;
  fabric::Segment s;
  s.first = clock_.edge(at);
  s.keep = 4;
  s.words = build_frame(format_, h, items_);
  wire_out_.send(std::move(s));
  wire_free_ =
      clock_.first_edge_from(wire_out_.free_at() + static_cast<fabric::Time>(kGapWords) * wire_out_.period());
  ++counters_.frames_sent;
  counters_.items_sent += items_.size();
  counters_.pure_acks += items_.empty();
}

// ---- the rest ----

Cycle ReliableLink::next_event() const {
  return std::min(changed_ ? sent_until_ : idle_until_, next_frame());
}

Cycle ReliableLink::next_frame() const {
  const fabric::Segment* s = wire_in_.front();
  if (s == nullptr) return kNeverCycle;
  return clock_.first_edge_from(s->words.empty() ? s->first : s->word_time(s->words.size() - 1));
}

bool ReliableLink::drained() const {
  for (unsigned ch = 0; ch < kChannels; ++ch) {
    if (tx_[ch].base != tx_[ch].end || rx_[ch].held() != 0) return false;
  }
  return true;
}

void ReliableLink::counters(const std::string& prefix, const fabric::CounterSink& sink) const {
  const auto put = [&](const char* name, std::uint64_t value) { sink(prefix + name, value); };
  put("frames_sent", counters_.frames_sent);
  put("pure_acks", counters_.pure_acks);
  put("items_sent", counters_.items_sent);
  put("items_again", counters_.items_again);
  put("timeouts", counters_.timeouts);
  put("go_backs", counters_.go_backs);
  put("frames_received", counters_.frames_received);
  put("bad_frames", counters_.bad_frames);
  put("items_received", counters_.items_received);
  put("duplicates", counters_.duplicates);
  put("gaps", counters_.gaps);
  put("refused", counters_.refused);
}

void ReliableLink::digest(fabric::Digest& d) const {
  for (unsigned ch = 0; ch < kChannels; ++ch) {
    for (const std::uint64_t v : {tx_[ch].base, tx_[ch].next, tx_[ch].end, rx_[ch].expected, rx_[ch].taken})
      d.add(v);
  }
  d.add(counters_.frames_sent);
  d.add(counters_.bad_frames);
}

std::string ReliableLink::waiting_for() const {
  std::string text;
  const char* names[kChannels] = {"control", "data"};
  for (unsigned ch = 0; ch < kChannels; ++ch) {
    const TxChannel& t = tx_[ch];
    const auto add = [&](const std::string& what) { text += (text.empty() ? "" : "; ") + what; };
    if (t.waits_for_room()) {
      add("room for " + std::to_string(t.end - t.next) + " " + names[ch] + " items at the far side");
    } else if (t.base != t.end) {
      add("acknowledgement of " + std::to_string(t.end - t.base) + " " + names[ch] + " items");
    }
    if (rx_[ch].held() != 0)
      add(std::to_string(rx_[ch].held()) + " received " + names[ch] + " items not taken");
  }
  return text;
}

}  // namespace polyloom::blocks
