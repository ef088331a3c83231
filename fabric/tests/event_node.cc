// SPDX-License-Identifier: Apache-2.0
#include "fabric/tests/event_node.h"

#include <algorithm>
#include <utility>

namespace polyloom::fabric::testing {

EventNode::EventNode(std::vector<Port> ports) {
  for (const Port& port : ports) ports_.push_back({port, 0, {}});
}

Time EventNode::arrival(const State& s) {
  const Segment* front = s.port.rx->front();
  return front == nullptr ? kNever : front->word_time(s.word);
}

Time EventNode::departure(const State& s) {
  return s.out.empty() ? kNever : std::max(s.out.front().earliest, s.port.tx->free_at());
}

Time EventNode::next_event() const {
  Time t = timers_.empty() ? kNever : timers_.top().t;
  for (const State& s : ports_) t = std::min(t, departure(s));
  return t;
}

void EventNode::take_word(int port, State& s) {
  const Segment& front = *s.port.rx->front();
  const Time t = front.word_time(s.word);
  note(static_cast<std::uint64_t>(t));
  if (front.words.empty()) {
    s.port.rx->pop();
    return on_pulse(port, t);
  }
  const std::uint64_t word = front.words[s.word++];
  const bool last = s.word == front.words.size(), end = last && front.tail;
  note(word);
  if (last) {
    s.word = 0;
    s.port.rx->pop();
  }
  on_word(port, t, word, end);
}

void EventNode::advance(Time until) {
  for (;;) {
    Time best = until;
    int port = -1;
    for (int i = 0; i < ports(); ++i) {
      const Time t = arrival(ports_[static_cast<std::size_t>(i)]);
      if (t < best) best = t, port = i;
    }
    if (!timers_.empty() && timers_.top().t < best) best = timers_.top().t, port = ports();
    for (int i = 0; i < ports(); ++i) {
      const Time t = departure(ports_[static_cast<std::size_t>(i)]);
      if (t < best) best = t, port = ports() + 1 + i;
    }
    if (best >= until) return;
    if (port < ports()) {
      take_word(port, ports_[static_cast<std::size_t>(port)]);
    } else if (port == ports()) {
      const Timer timer = timers_.top();
      timers_.pop();
      on_timer(timer.t, timer.tag);
    } else {
      State& s = ports_[static_cast<std::size_t>(port - ports() - 1)];
      Segment segment = std::move(s.out.front().segment);
      s.out.pop_front();
      segment.first = best;
      s.port.tx->send(std::move(segment));
    }
  }
}

void EventNode::send(int port, Time t, Segment segment) {
  ports_[static_cast<std::size_t>(port)].out.push_back({t, std::move(segment)});
}

void EventNode::send_frame(int port, Time t, std::vector<std::uint64_t> words) {
  Segment segment;
  segment.words = std::move(words);
  send(port, t, std::move(segment));
}

void EventNode::digest(Digest& digest) const { digest.add(seen_.value()); }

int Sketch::node(std::string name, Make make, NodeHints hints) {
  nodes_.push_back({std::move(name), std::move(make), hints});
  return static_cast<int>(nodes_.size()) - 1;
}

void Sketch::link(int a, int b, LinkSpec ab, LinkSpec ba) {
  links_.push_back({a, b, std::move(ab), std::move(ba)});
}

void Sketch::build(Fabric& fabric, const std::function<void(Fabric&)>& partition) const {
  for (const NodeSketch& n : nodes_) fabric.add_node(n.name, n.hints);
  if (partition) partition(fabric);
  std::vector<std::vector<Port>> ports(nodes_.size());
  for (const LinkSketch& l : links_) {
    const auto [a, b] = fabric.connect(l.ab, l.ba, l.a, l.b);
    ports[static_cast<std::size_t>(l.a)].push_back(a);
    ports[static_cast<std::size_t>(l.b)].push_back(b);
  }
  for (std::size_t i = 0; i < nodes_.size(); ++i) {
    if (fabric.owns(static_cast<int>(i))) fabric.set_node(static_cast<int>(i), nodes_[i].make(ports[i]));
  }
}

}  // namespace polyloom::fabric::testing
