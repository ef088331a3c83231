// SPDX-License-Identifier: Apache-2.0
#include "fabric/tests/dummies.h"

#include <stdexcept>

namespace polyloom::fabric::testing {
namespace {

std::uint64_t check_word(const std::vector<std::uint64_t>& words, std::size_t count) {
  std::uint64_t h = 1;
  for (std::size_t i = 0; i < count; ++i) h = mix64(h ^ words[i]);
  return h;
}

bool intact(const std::vector<std::uint64_t>& frame) {
  return frame.size() >= 2 && frame.back() == check_word(frame, frame.size() - 1);
}

}  // namespace

EthernetSender::EthernetSender(std::vector<Port> ports, std::uint64_t count, Time timeout, std::uint64_t seed)
    : EventNode(std::move(ports)), count_(count), seed_(seed), timeout_(timeout) {
  if (count_ != 0) at(0, 0);
}

std::vector<std::uint64_t> EthernetSender::payload(std::uint64_t seed, std::uint64_t number) {
  Random random(seed ^ (number << 20));
  std::vector<std::uint64_t> words(1 + random.below(180));
  for (auto& word : words) word = random.next();
  return words;
}

void EthernetSender::transmit(Time t) {
  std::vector<std::uint64_t> frame{number_};
  const auto body = payload(seed_, number_);
  frame.insert(frame.end(), body.begin(), body.end());
  frame.push_back(check_word(frame, frame.size()));
  at(t + timeout_, ++attempt_);
  send_frame(0, t, std::move(frame));
}

void EthernetSender::on_timer(Time t, std::uint64_t tag) {
  if (tag != attempt_ || number_ == count_) return;  // answered meanwhile
  resent += tag != 0;
  transmit(t);
}

void EthernetSender::on_word(int, Time t, std::uint64_t word, bool end) {
  frame_.push_back(word);
  if (!end) return;
  const bool good = intact(frame_) && frame_[0] == number_;
  frame_.clear();
  if (!good || number_ == count_) return;
  if (++number_ == count_) {
    done_at = t;
  } else {
    transmit(t);
  }
}

std::string EthernetSender::waiting_for() const {
  return number_ == count_ ? "" : "the acknowledgement of frame " + std::to_string(number_);
}

void EthernetReceiver::on_word(int, Time t, std::uint64_t word, bool end) {
  frame_.push_back(word);
  if (!end) return;
  const auto frame = std::exchange(frame_, {});
  if (!intact(frame)) {
    ++damaged;
    return;
  }
  if (frame[0] == received.size()) received.emplace_back(frame.begin() + 1, frame.end() - 1);
  std::vector<std::uint64_t> response{frame[0]};
  response.push_back(check_word(response, 1));
  send_frame(0, t, std::move(response));
}

StreamSource::StreamSource(std::vector<Port> ports, std::uint64_t count, std::uint64_t seed)
    : EventNode(std::move(ports)), count_(count), random_(seed) {
  at(0, 0);
}

void StreamSource::stream(Time t) {
  while (credit_ != 0 && sent_ < count_) {
    Segment segment;
    segment.head = sent_ == 0;
    segment.tail = false;
    for (auto n = 1 + random_.below(8); n != 0 && credit_ != 0 && sent_ < count_; --n, --credit_) {
      segment.words.push_back(sent_++);
    }
    send(0, t, std::move(segment));
    t += static_cast<Time>(random_.below(3)) * 5000;
  }
}

void StreamSource::on_timer(Time t, std::uint64_t) { stream(t); }

void StreamSource::on_pulse(int, Time t) {
  credit_ += 8;
  stream(t);
}

void StreamRelay::on_word(int, Time t, std::uint64_t word, bool) {
  Segment segment;
  segment.head = !std::exchange(started_, true);
  segment.tail = false;
  segment.words = {word};
  send(1, out(t), std::move(segment));
}

void StreamRelay::on_pulse(int, Time t) { send(0, out(t), {}); }

void StreamSink::on_word(int, Time t, std::uint64_t word, bool) {
  words.push_back(word);
  times.push_back(t);
  if (words.size() % 8 == 0) send(0, t, {});
}

CreditedPeer::CreditedPeer(std::vector<Port> ports, std::uint64_t packets, Time hold, std::uint64_t seed)
    : EventNode(std::move(ports)), packets_(packets), hold_(hold), random_(seed) {
  next_units_ = 1 + random_.below(9);
  at(0, 0);
}

// Words: a TLP starts with its number of units (top bit clear), a credit update has the top bit set.
void CreditedPeer::push(Time t) {
  while (packets_ != 0 && credits_ >= next_units_) {
    std::vector<std::uint64_t> words{next_units_};
    while (words.size() < 2 * next_units_) words.push_back(random_.next() >> 1);
    credits_ -= next_units_;
    units_sent += next_units_;
    send_frame(0, t, std::move(words));
    --packets_;
    next_units_ = 1 + random_.below(9);
  }
}

void CreditedPeer::on_timer(Time t, std::uint64_t tag) {
  if (tag == 0) return push(t);
  held_ -= tag;
  send_frame(0, t, {tag | (std::uint64_t{1} << 63)});
}

void CreditedPeer::on_word(int, Time t, std::uint64_t word, bool end) {
  if (word >> 63) {
    credits_ += word & 0xffff;
    return push(t);
  }
  ++words_in_;
  if (words_in_ % 2 == 0) most_held = std::max(most_held, ++held_);
  if (!end) return;
  units_received += words_in_ / 2;
  ++packets_received;
  at(t + hold_, words_in_ / 2);
  words_in_ = 0;
}

std::string CreditedPeer::waiting_for() const {
  return packets_ == 0 ? "" : "credits to send " + std::to_string(next_units_) + " units";
}

UdpHost::UdpHost(std::vector<Port> ports, std::vector<Send> plan)
    : EventNode(std::move(ports)), plan_(std::move(plan)) {
  for (std::size_t i = 0; i < plan_.size(); ++i) at(plan_[i].at, i);
}

void UdpHost::on_timer(Time t, std::uint64_t tag) {
  std::vector<std::uint64_t> words(plan_[tag].words, tag);
  words[0] = static_cast<std::uint64_t>(plan_[tag].to);
  send_frame(0, t, std::move(words));
}

void UdpHost::on_word(int, Time t, std::uint64_t, bool end) {
  if (!end) return;
  ++received;
  times.push_back(t);
}

UdpSwitch::UdpSwitch(std::vector<Port> ports, std::size_t queue, Time delay)
    : EventNode(std::move(ports)),
      limit_(queue),
      delay_(delay),
      assembling_(static_cast<std::size_t>(this->ports())),
      outputs_(static_cast<std::size_t>(this->ports())) {}

void UdpSwitch::on_word(int port, Time t, std::uint64_t word, bool end) {
  auto& frame = assembling_[static_cast<std::size_t>(port)];
  frame.push_back(word);
  if (!end) return;
  Output& out = outputs_.at(frame[0] % outputs_.size());
  const int to = static_cast<int>(frame[0] % outputs_.size());
  if (out.queue.size() >= limit_) {
    ++dropped;
    frame.clear();
    return;
  }
  out.queue.push_back(std::exchange(frame, {}));
  if (!out.busy) start(to, t + delay_);
}

/// The frame at the head of a queue keeps its place until its last word has left.
void UdpSwitch::start(int port, Time t) {
  Output& out = outputs_[static_cast<std::size_t>(port)];
  out.busy = true;
  const auto length = static_cast<Time>(out.queue.front().size()) * this->port(port).tx->period();
  send_frame(port, t, out.queue.front());
  at(t + length, static_cast<std::uint64_t>(port));
}

void UdpSwitch::on_timer(Time t, std::uint64_t tag) {
  Output& out = outputs_[tag];
  out.queue.pop_front();
  out.busy = false;
  ++forwarded;
  if (!out.queue.empty()) start(static_cast<int>(tag), t);
}

Gossip::Gossip(std::vector<Port> ports, std::uint64_t seed, Clock clock, std::uint64_t starts)
    : EventNode(std::move(ports)), random_(seed), clock_(clock) {
  for (std::uint64_t i = 0; i < starts; ++i) at(clock_.edge(random_.below(50'000)), i);
}

void Gossip::spread(Time t, std::uint64_t life) {
  if (life == 0 || ports() == 0) return;
  const Time edge = clock_.edge(clock_.first_edge_from(t) + random_.below(6));
  const int to = static_cast<int>(random_.below(static_cast<std::uint64_t>(ports())));
  if (random_.below(8) == 0) send(to, edge, {});  // a pulse
  std::vector<std::uint64_t> words(1 + random_.below(12));
  for (auto& word : words) word = random_.next();
  words.back() = life - 1;
  send_frame(to, edge, std::move(words));
}

void Gossip::on_word(int, Time t, std::uint64_t word, bool end) {
  note(word);
  if (!end) return;
  spread(t, word % 32);
  if (random_.below(10) == 0) spread(t, word % 16);
}

void Gossip::on_timer(Time t, std::uint64_t) { spread(t, 20); }

}  // namespace polyloom::fabric::testing
