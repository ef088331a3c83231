// SPDX-License-Identifier: Apache-2.0
// One direction of a link: serialiser, faults, wire, arrival queue. Internal to the fabric; nodes see Tx and
// Rx.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "fabric/fault.h"
#include "fabric/node.h"

namespace polyloom::fabric {

class LinkTrace;

/// How one direction of a link behaves.
struct LinkSpec {
  Time latency = 0;           ///< ps from a word's departure to its arrival, > 0
  Time period = 0;            ///< ps a 64-bit word takes on the wire, > 0
  double bit_error_rate = 0;  ///< probability per bit
  double drop_rate = 0;       ///< probability per frame
  std::uint64_t seed = 0;     ///< of the fault draws
  std::string name = {};      ///< for counters and messages; made from the nodes' names when empty
};

/// What a sender has put on a link so far, faults included.
struct LinkTraffic {
  std::uint64_t frames = 0;  ///< whole frames (their tail has been sent), pulses included
  std::uint64_t pulses = 0;  ///< of those, frames of no words
  std::uint64_t segments = 0;
  std::uint64_t words = 0;
  std::uint64_t bits = 0;        ///< valid bits: a last word counts `keep` bytes
  std::uint64_t drops = 0;       ///< frames that were lost
  std::uint64_t bit_errors = 0;  ///< bits that were flipped
};

/// What the sends of one worker share: the window being advanced and where what was sent is collected.
struct SendContext {
  Time start = 0, until = 0;                       ///< the window: departures lie in [start, until)
  unsigned parity = 0;                             ///< which outbox this window fills
  int node = -1;                                   ///< the node being advanced
  Time earliest_arrival = kNever;                  ///< of this window's sends
  std::array<std::vector<class Link*>, 2> filled;  ///< links whose outbox of that parity is not empty
};

/// Segments in order of arrival. Popping is cheap; storage is compacted now and then.
class ArrivalQueue {
 public:
  bool empty() const { return head_ == items_.size(); }
  const Segment* front() const { return empty() ? nullptr : &items_[head_]; }
  Segment take();
  void push(Segment segment) { items_.push_back(std::move(segment)); }
  void pop() { take(); }
  /// Moves all of `from` behind what is here and empties it.
  void append(std::vector<Segment>& from);
  /// Time of the first word (or pulse) that arrives at `now` or later; kNever if none.
  Time next_arrival(Time now);

 private:
  std::vector<Segment> items_;
  std::size_t head_ = 0;
  std::size_t seen_ = 0;  ///< items before this one have wholly arrived
};

/// The sender's part and the receiver's part lie on their own cache lines; the two meet only in the outboxes,
/// of which the sender fills one while the receiver empties the other (the engine's barrier lies between).
class Link {
 public:
  Link(int id, int from, int to, LinkSpec spec);
  Link(const Link&) = delete;
  Link& operator=(const Link&) = delete;

  Tx* tx() { return &tx_; }
  Rx* rx() { return &rx_; }
  int id() const { return id_; }
  int from() const { return from_; }
  int to() const { return to_; }
  const LinkSpec& spec() const { return spec_; }
  const LinkTraffic& traffic() const { return tx_.traffic; }
  std::uint64_t digest() const { return tx_.digest; }
  Time next_arrival(Time now) { return rx_.queue.next_arrival(now); }

  // For engines.
  void attach(SendContext* context) { tx_.context = context; }
  void trace(LinkTrace* trace) { tx_.trace = trace; }
  std::vector<Segment>& outbox(unsigned parity) { return outbox_[parity]; }
  /// Moves an outbox to the arrival queue and returns the first arrival in it (kNever if it was empty).
  Time deliver(unsigned parity);
  /// Takes a segment that another process's sender has put on this link.
  void receive(Segment segment) { rx_.queue.push(std::move(segment)); }
  /// Another process's account of this link's sender.
  void restore(const LinkTraffic& traffic, std::uint64_t digest) {
    tx_.traffic = traffic, tx_.digest = digest;
  }

 private:
  struct alignas(64) Sender final : Tx {
    Sender(Link& owner, const LinkSpec& spec, int id);
    void send(Segment segment) override;
    Time free_at() const override { return free; }
    Time period() const override { return word_period; }
    void watch(std::function<void(const Segment&)> sees) override { watcher = std::move(sees); }
    void check(const Segment& segment) const;
    bool lost(const Segment& segment);
    void account(const Segment& segment);

    Link& link;
    Time word_period, latency;
    Time free = 0;          ///< when the serialiser is next free
    bool in_frame = false;  ///< a head has been sent, its tail not yet
    bool dropping = false;  ///< the frame in progress is lost
    bool faulty;
    SendContext* context = nullptr;
    LinkTrace* trace = nullptr;
    std::function<void(const Segment&)> watcher;
    FaultModel faults;
    LinkTraffic traffic;
    std::uint64_t digest;
  };
  struct alignas(64) Receiver final : Rx {
    const Segment* front() const override { return queue.front(); }
    void pop() override { queue.pop(); }
    Segment take() override { return queue.take(); }
    ArrivalQueue queue;
  };

  int id_, from_, to_;
  LinkSpec spec_;
  Sender tx_;
  Receiver rx_;
  std::array<std::vector<Segment>, 2> outbox_;
};

/// Hash of one segment as the receiver will see it; a link's digest chains these.
std::uint64_t segment_hash(const Segment& segment);

}  // namespace polyloom::fabric
