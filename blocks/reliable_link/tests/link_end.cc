// SPDX-License-Identifier: Apache-2.0
#include "blocks/reliable_link/tests/link_end.h"

#include <bit>
#include <cstring>
#include <stdexcept>
#include <string>

#include "fabric/fault.h"

namespace polyloom::blocks::testing {

using fabric::Segment;
using fabric::Time;

Outcome ModelEnd::cycle(Cycle k, const Offer& offer) {
  Outcome result;
  link.receive(k + 1);
  for (unsigned ch = 0; ch < kChannels; ++ch) {
    const Offer::Side& in = offer.side[ch];
    Outcome::Side& out = result.side[ch];
    auto& group = group_[ch];
    const std::size_t space = ch == kData ? link.data_space() : link.control_space();
    if (in.valid && group.size() < space) {
      out.pushed = true;
      group.push_back(in.item);
      if (in.last) {
        for (const std::uint64_t item : group) push(ch, k, item);
        group.clear();
      }
    }
    if (in.take && visible(ch, k) != 0) {
      out.popped = true;
      out.item = pop(ch, k);
    }
  }
  link.transmit(k + 1);
  return result;
}

RtlShape link_shape(const ReliableLinkParams& p) {
  return {"polyloom_reliable_link",
          {"blocks/reliable_link/rtl/reliable_link.f"},
          {{"MaxItems", std::to_string(p.max_items)},
           {"TxItems", std::to_string(p.tx_items)},
           {"RxItems", std::to_string(p.rx_items)},
           {"ControlItems", std::to_string(p.control_items)},
           {"AckDelay", std::to_string(p.ack_delay)}},
          false};
}

/// Gives what arrives to two readers.
class RtlEnd::Copies {
 public:
  explicit Copies(fabric::Rx& rx) : rx_(rx), first_(*this), second_(*this) {}
  fabric::Rx& first() { return first_; }
  fabric::Rx& second() { return second_; }

 private:
  struct End final : fabric::Rx {
    explicit End(Copies& c) : copies(c) {}
    const Segment* front() const override {
      copies.fetch();
      return queue.empty() ? nullptr : &queue.front();
    }
    void pop() override { queue.pop_front(); }
    Copies& copies;
    std::deque<Segment> queue;
  };
  void fetch() {
    for (; rx_.front() != nullptr; rx_.pop()) {
      first_.queue.push_back(*rx_.front());
      second_.queue.push_back(*rx_.front());
    }
  }
  fabric::Rx& rx_;
  End first_, second_;
};

/// A wire that ends here: keeps the words with their times; `through` gets them too.
class RtlEnd::Recorder final : public fabric::Tx {
 public:
  Recorder(Time period, fabric::Tx* through) : period_(period), through_(through) {}
  void send(Segment s) override {
    s.period = period_;
    for (std::size_t i = 0; i < s.words.size(); ++i) {
      const bool last = s.tail && i + 1 == s.words.size();
      words.push_back({s.word_time(i), last ? s.words[i] & 0xffffffff : s.words[i], last});
      if (last && s.keep != 4) throw std::logic_error("the last word has 4 bytes");
    }
    free_ = s.end();
    if (through_ != nullptr) through_->send(std::move(s));
  }
  Time free_at() const override { return free_; }
  Time period() const override { return period_; }
  std::deque<Word> words;

 private:
  Time period_, free_ = 0;
  fabric::Tx* through_;
};

RtlEnd::RtlEnd(fabric::Tx& tx, fabric::Rx& rx, const ReliableLinkParams& params, fabric::Clock clock,
               const RtlOptions& options)
    : clock_(clock),
      options_(options),
      copies_(std::make_unique<Copies>(rx)),
      recorder_(std::make_unique<Recorder>(tx.period(), nullptr)),
      sent_(std::make_unique<Recorder>(tx.period(), &tx)),
      model_("link", build_rtl(link_shape(params)), options.seed),
      lane_rx_(&copies_->first(), 1),
      lane_tx_(sent_.get(), options.fifo_beats),
      ring_{std::bit_ceil(params.control_items), std::bit_ceil(params.tx_items)} {
  if (options.stall == 0) {
    shadow_ = std::make_unique<ModelEnd>(*recorder_, copies_->second(), params, clock);
  }
  const LinkStraps straps = link_straps(clock, params, tx.period());
  std::memcpy(model_.input("timeout_i").data, &straps.timeout, 2);
  std::memcpy(model_.input("word_time_i").data, &straps.word_time, 2);
  const RtlModel::Port reset = model_.input("rst_ni");
  reset.set_bit(0, true);
  model_.settle();
  reset.set_bit(0, false);
  for (int i = 0; i < 4; ++i) model_.settle(), model_.step();
  reset.set_bit(0, true);
  model_.settle(), model_.step();  // the first cycle, in which nothing is taken
}

RtlEnd::~RtlEnd() = default;

namespace {

const char* const kNames[kChannels] = {"control", "data"};

[[noreturn]] void differs(Cycle k, const std::string& what) {
  throw std::runtime_error("cycle " + std::to_string(k) + ": " + what);
}

std::uint64_t word_of(const RtlModel::Port& port) {
  std::uint64_t value;
  std::memcpy(&value, port.data, 8);
  return value;
}

}  // namespace

Outcome RtlEnd::cycle(Cycle k, const Offer& offer) {
  const Time t = clock_.edge(k), next = clock_.edge(k + 1);
  lane_rx_.collect(t);
  const LaneBeat* beat = lane_rx_.beat();
  model_.input("rx_valid_i").set_bit(0, beat != nullptr);
  if (beat != nullptr) {
    std::memcpy(model_.input("rx_data_i").data, beat->data.data(), 8);
    *model_.input("rx_keep_i").data = static_cast<std::uint8_t>((1u << beat->keep) - 1);
    model_.input("rx_last_i").set_bit(0, beat->last);
    lane_rx_.pop_beat();
  }
  const bool stalled = fabric::mix64(options_.seed ^ fabric::mix64(draws_++)) % 8 < options_.stall;
  const bool ready = lane_tx_.ready(t, next) && !stalled;
  model_.input("tx_ready_i").set_bit(0, ready);
  for (unsigned ch = 0; ch < kChannels; ++ch) {
    const std::string name = kNames[ch];
    const Offer::Side& in = offer.side[ch];
    model_.input(name + "_in_valid_i").set_bit(0, in.valid);
    std::memcpy(model_.input(name + "_in_i").data, &in.item, 8);
    model_.input(name + "_in_last_i").set_bit(0, in.last);
    model_.input(name + "_out_ready_i").set_bit(0, in.take);
  }
  model_.settle();
  if (model_.output("tx_valid_o").bit(0) && ready) {
    LaneBeat out;
    out.words = 1;
    out.data[0] = word_of(model_.output("tx_data_o"));
    out.last = model_.output("tx_last_o").bit(0);
    out.keep = out.last ? 4 : 8;
    if (*model_.output("tx_keep_o").data != (out.last ? 0x0f : 0xff)) differs(k, "tx_keep_o");
    lane_tx_.push(t, out);
  }
  Outcome result;
  if (shadow_) shadow_->link.receive(k + 1);
  for (unsigned ch = 0; ch < kChannels; ++ch) {
    const std::string name = kNames[ch];
    const Offer::Side& in = offer.side[ch];
    Outcome::Side& out = result.side[ch];
    const bool valid = model_.output(name + "_out_valid_o").bit(0);
    if (shadow_ && valid != (shadow_->visible(ch, k) != 0)) differs(k, name + " is visible at one end only");
    out.pushed = in.valid && model_.output(name + "_in_ready_o").bit(0);
    out.popped = in.take && valid;
    if (out.popped) out.item = word_of(model_.output(name + "_out_o"));
    if (!shadow_) continue;
    if (out.popped && shadow_->pop(ch, k) != out.item) differs(k, "another " + name + " item");
    if (out.pushed) group_[ch].push_back(in.item), pushed_[ch].push_back(in.item);
    if (out.pushed && in.last) {
      for (const std::uint64_t item : group_[ch]) {
        if (!shadow_->push(ch, k, item)) differs(k, "the model has no space for " + name);
      }
      group_[ch].clear();
    }
  }
  count();
  model_.step();
  if (shadow_) shadow_->link.transmit(k + 1);
  return result;
}

void RtlEnd::count() {
  unsigned bits = 0;  // reliable_link_pkg.sv: events_t
  std::memcpy(&bits, model_.output("events_o").data, 2);
  const auto ones = [&](unsigned from, unsigned n) {
    std::uint64_t sum = 0;
    for (unsigned i = from; i < from + n; ++i) sum += bits >> i & 1;
    return sum;
  };
  counters_.gaps += ones(0, 2);
  counters_.duplicates += ones(2, 2);
  counters_.bad_frames += ones(4, 1);
  counters_.frames_received += ones(5, 1);
  counters_.go_backs += ones(6, 2);
  counters_.timeouts += ones(8, 2);
  counters_.items_again += ones(10, 1);  // frames, not items
  counters_.pure_acks += ones(11, 1);
  counters_.frames_sent += ones(12, 1);
  idle_ = model_.output("idle_o").bit(0);
}

/// Whether this word of the present frame is an item that took the place of the one that the model sends.
bool RtlEnd::replaced(std::uint64_t value) const {
  const std::uint64_t control = word0_ >> 56 & 0x1f, data = word0_ >> 48 & 0xff;
  if (place_ < kHeaderWords || place_ >= kHeaderWords + control + data) return false;
  const std::uint64_t i = place_ - kHeaderWords;
  const unsigned ch = i < control ? kControl : kData, bits = LinkFormat{}.seq_bits(ch);
  const std::uint64_t number = ch == kControl ? (word1_ & 0xff) + i : (word0_ & 0xffff) + i - control;
  const std::vector<std::uint64_t>& all = pushed_[ch];
  // Any later item in the same place of the ring.
  for (std::uint64_t n = unwrap_ahead(0, number, bits); n < all.size(); n += std::uint64_t{1} << bits) {
    for (std::uint64_t later = n + ring_[ch]; later < all.size() && later <= n + 2 * ring_[ch];
         later += ring_[ch]) {
      if (all[later] == value) return true;
    }
  }
  return false;
}

bool RtlEnd::compare(const Word& ours, const Word& theirs) {
  if (place_ == 0) word0_ = theirs.value, replaced_ = false;
  if (place_ == 1) word1_ = theirs.value;
  bool same = ours == theirs;
  if (!same && ours.time == theirs.time && ours.last == theirs.last) {
    same = ours.last ? replaced_ : replaced(ours.value);
    replaced_ = true;
  }
  place_ = ours.last ? 0 : place_ + 1;
  return same;
}

void RtlEnd::flush(Time until) {
  lane_tx_.flush(until);
  auto &ours = sent_->words, &theirs = recorder_->words;
  for (; shadow_ && !ours.empty() && !theirs.empty(); ours.pop_front(), theirs.pop_front(), ++compared_) {
    if (compare(ours.front(), theirs.front())) continue;
    const auto text = [](const Word& w) {
      return std::to_string(w.value) + " at " + std::to_string(w.time) + (w.last ? " (last)" : "");
    };
    throw std::runtime_error("sent word " + std::to_string(compared_) + ": RTL " + text(ours.front()) +
                             ", model " + text(theirs.front()));
  }
  // The model sends whole frames, the RTL words.
  if (shadow_ && theirs.size() > 200) throw std::runtime_error("the RTL does not send what the model sends");
  if (shadow_ && !ours.empty() && ours.front().time < until) {
    throw std::runtime_error("the RTL sends what the model does not send");
  }
  if (!shadow_) ours.clear();
}

}  // namespace polyloom::blocks::testing
