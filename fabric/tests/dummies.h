// SPDX-License-Identifier: Apache-2.0
// Dummy nodes that use the fabric as real ones will: the kinds of link traffic named in docs/design.md,
// section 2.2.
#pragma once

#include <sys/types.h>

#include <array>
#include <deque>
#include <memory>
#include <string>
#include <vector>

#include "fabric/tests/event_node.h"

namespace polyloom::fabric::testing {

/// Sends `count` frames over a lossy Ethernet by stop-and-wait: number, payload, check word; resends after a
/// timeout.
class EthernetSender final : public EventNode {
 public:
  EthernetSender(std::vector<Port> ports, std::uint64_t count, Time timeout, std::uint64_t seed);
  static std::vector<std::uint64_t> payload(std::uint64_t seed, std::uint64_t number);
  std::string waiting_for() const override;
  std::uint64_t resent = 0;
  Time done_at = -1;

 private:
  void on_word(int port, Time t, std::uint64_t word, bool end) override;
  void on_timer(Time t, std::uint64_t tag) override;
  void transmit(Time t);

  std::uint64_t count_, seed_, number_ = 0, attempt_ = 0;
  Time timeout_;
  std::vector<std::uint64_t> frame_;
};

class EthernetReceiver final : public EventNode {
 public:
  using EventNode::EventNode;
  std::vector<std::vector<std::uint64_t>> received;  ///< payloads, in order and without doubles
  std::uint64_t damaged = 0;

 private:
  void on_word(int port, Time t, std::uint64_t word, bool end) override;
  std::vector<std::uint64_t> frame_;
};

/// Streams words without packets; may be eight words ahead of each ready pulse, sixteen at the start.
class StreamSource final : public EventNode {
 public:
  StreamSource(std::vector<Port> ports, std::uint64_t count, std::uint64_t seed);

 private:
  void on_word(int, Time, std::uint64_t, bool) override {}
  void on_pulse(int port, Time t) override;
  void on_timer(Time t, std::uint64_t tag) override;
  void stream(Time t);

  std::uint64_t count_, sent_ = 0, credit_ = 16;
  Random random_;
};

/// Passes words from port 0 to 1 and pulses from 1 to 0, each two cycles after the edge that sees it.
class StreamRelay final : public EventNode {
 public:
  StreamRelay(std::vector<Port> ports, Clock clock) : EventNode(std::move(ports)), clock_(clock) {}

 private:
  void on_word(int port, Time t, std::uint64_t word, bool end) override;
  void on_pulse(int port, Time t) override;
  Time out(Time t) const { return clock_.edge(clock_.first_edge_from(t) + 2); }

  Clock clock_;
  bool started_ = false;
};

class StreamSink final : public EventNode {
 public:
  using EventNode::EventNode;
  std::vector<std::uint64_t> words;
  std::vector<Time> times;

 private:
  void on_word(int port, Time t, std::uint64_t word, bool end) override;
};

/// Both ends of a credited link of 128-bit units. A TLP is a header unit and up to 8 data units; one credit a
/// unit. Units are freed `hold` after they came, in updates of one word.
class CreditedPeer final : public EventNode {
 public:
  static constexpr std::uint64_t kCredits = 24;
  CreditedPeer(std::vector<Port> ports, std::uint64_t packets, Time hold, std::uint64_t seed);
  std::string waiting_for() const override;
  std::uint64_t units_sent = 0, units_received = 0, most_held = 0, packets_received = 0;

 private:
  void on_word(int port, Time t, std::uint64_t word, bool end) override;
  void on_timer(Time t, std::uint64_t tag) override;
  void push(Time t);

  std::uint64_t packets_, next_units_, credits_ = kCredits, held_ = 0, words_in_ = 0;
  Time hold_;
  Random random_;
};

/// Sends datagrams (word 0: destination port, word 1: number) and counts what comes.
class UdpHost final : public EventNode {
 public:
  struct Send {
    Time at;
    int to;
    unsigned words;
  };
  UdpHost(std::vector<Port> ports, std::vector<Send> plan);
  std::uint64_t received = 0;
  std::vector<Time> times;  ///< of each datagram's last word

 private:
  void on_word(int port, Time t, std::uint64_t word, bool end) override;
  void on_timer(Time t, std::uint64_t tag) override;
  std::vector<Send> plan_;
};

/// Store and forward: a frame is queued when its last word is here; a full output queue drops it.
class UdpSwitch final : public EventNode {
 public:
  UdpSwitch(std::vector<Port> ports, std::size_t queue, Time delay);
  std::uint64_t forwarded = 0, dropped = 0;

 private:
  void on_word(int port, Time t, std::uint64_t word, bool end) override;
  void on_timer(Time t, std::uint64_t tag) override;
  struct Output {
    std::deque<std::vector<std::uint64_t>> queue;
    bool busy = false;
  };
  void start(int port, Time t);

  std::size_t limit_;
  Time delay_;
  std::vector<std::vector<std::uint64_t>> assembling_;
  std::vector<Output> outputs_;
};

/// A node whose responses come from another process: simulated time waits until it has answered.
class ProcessNode final : public EventNode {
 public:
  explicit ProcessNode(std::vector<Port> ports);
  ~ProcessNode() override;
  std::uint64_t calls = 0;

 private:
  void on_word(int port, Time t, std::uint64_t word, bool end) override;
  int socket_ = -1;
  pid_t child_ = -1;
};

/// Asks the process `count` times, each time with a function of the response before.
class ProcessClient final : public EventNode {
 public:
  ProcessClient(std::vector<Port> ports, std::uint64_t count);
  std::uint64_t value = 1;

 private:
  void on_word(int port, Time t, std::uint64_t word, bool end) override;
  void on_timer(Time t, std::uint64_t tag) override;
  std::uint64_t left_;
};

/// Passes changed copies of what it gets to random ports until a frame's life is over.
class Gossip final : public EventNode {
 public:
  Gossip(std::vector<Port> ports, std::uint64_t seed, Clock clock, std::uint64_t starts);

 private:
  void on_word(int port, Time t, std::uint64_t word, bool end) override;
  void on_timer(Time t, std::uint64_t tag) override;
  void spread(Time t, std::uint64_t life);

  Random random_;
  Clock clock_;
};

/// Named clusters of the above, for tests that only compare engines.
const std::vector<std::string>& scenario_names();
Sketch scenario(const std::string& name, std::uint64_t seed);

}  // namespace polyloom::fabric::testing
