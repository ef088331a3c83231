// SPDX-License-Identifier: Apache-2.0
// The base of the conformance test's dummy nodes: turns windows into single events in order of time.
#pragma once

#include <deque>
#include <functional>
#include <memory>
#include <queue>
#include <string>
#include <vector>

#include "fabric/fabric.h"

namespace polyloom::fabric::testing {

/// Calls the on_... functions in order of (time, port, place in the link), timers after words of the same
/// time. What is sent waits for the link's serialiser. Everything seen goes into the digest.
class EventNode : public Node {
 public:
  explicit EventNode(std::vector<Port> ports);

  void advance(Time until) override;
  Time next_event() const override;
  std::string waiting_for() const override { return {}; }
  void digest(Digest& digest) const override;

 protected:
  /// Word i of a segment, at its own time. end: it is the last of its frame.
  virtual void on_word(int port, Time t, std::uint64_t word, bool end) = 0;
  virtual void on_pulse(int /*port*/, Time /*t*/) {}
  virtual void on_timer(Time /*t*/, std::uint64_t /*tag*/) {}

  void at(Time t, std::uint64_t tag) { timers_.push({t, tag}); }
  /// Sends at `t` or when the link is free; segments of a port leave in order of these calls.
  void send(int port, Time t, Segment segment);
  void send_frame(int port, Time t, std::vector<std::uint64_t> words);
  const Port& port(int i) const { return ports_[static_cast<std::size_t>(i)].port; }
  int ports() const { return static_cast<int>(ports_.size()); }
  void note(std::uint64_t fact) { seen_.add(fact); }

 private:
  struct Out {
    Time earliest;
    Segment segment;
  };
  struct State {
    Port port;
    std::size_t word = 0;  // of the front segment
    std::deque<Out> out;
  };
  struct Timer {
    Time t;
    std::uint64_t tag;
    bool operator>(const Timer& o) const { return t != o.t ? t > o.t : tag > o.tag; }
  };
  static Time arrival(const State& s);
  static Time departure(const State& s);
  void take_word(int port, State& s);

  std::vector<State> ports_;
  std::priority_queue<Timer, std::vector<Timer>, std::greater<>> timers_;
  Digest seen_;
};

/// A cluster of dummy nodes, described before it is built so that each process can build its part.
class Sketch {
 public:
  using Make = std::function<std::unique_ptr<Node>(std::vector<Port>)>;

  int node(std::string name, Make make, NodeHints hints = {});
  void link(int a, int b, LinkSpec ab, LinkSpec ba);
  void link(int a, int b, const LinkSpec& both) { link(a, b, both, both); }
  /// Builds everything; `partition` is called when it may divide the nodes.
  void build(Fabric& fabric, const std::function<void(Fabric&)>& partition = {}) const;

 private:
  struct NodeSketch {
    std::string name;
    Make make;
    NodeHints hints;
  };
  struct LinkSketch {
    int a, b;
    LinkSpec ab, ba;
  };
  std::vector<NodeSketch> nodes_;
  std::vector<LinkSketch> links_;
};

/// Reproducible numbers for scripts.
class Random {
 public:
  explicit Random(std::uint64_t seed) : state_(seed) {}
  std::uint64_t next() { return mix64(state_++); }
  std::uint64_t below(std::uint64_t n) { return next() % n; }

 private:
  std::uint64_t state_;
};

}  // namespace polyloom::fabric::testing
