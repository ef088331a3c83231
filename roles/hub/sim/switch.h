// SPDX-License-Identifier: Apache-2.0
// The switch of a hub, cycle for cycle as rtl/polyloom_hub_switch.sv: inputs with slots, routing rules,
// outputs with credits.
//
// How: step(k) looks at all registers as they stand before edge k, then moves them. A packet's header asks
//   for its output two edges after it came in; the output takes one packet after the other, round robin over
//   inputs, while beats of it still arrive (virtual cut-through). Packets for E, for W and for all else wait
//   in queues of their own, which share the input's slots. A slot is free, and its credit goes back, when the
//   last beat has left it.
// Deadlock: a packet that enters a ring direction (from N, S or L to E or W) starts only with two credits,
//   one that goes on in it needs one; so a ring never fills up (bubble rule). What comes by S leaves by N or
//   L in shipped routing tables, so the rings do not wait for one another. Reads and responses have an input of
//   their own that leads to N alone, which always drains.
// Faults: a packet that cannot be routed is taken from its slot beat by beat as it arrives and counted;
//   nothing else is touched.
// Thread safety: none; part of a node. Tests: switch_test.cc, hub_swap_test.cc.
#pragma once

#include <array>
#include <deque>
#include <string>
#include <vector>

#include "blocks/wire_ends.h"
#include "roles/hub/sim/packet.h"
#include "roles/hub/sim/params.h"

namespace polyloom::hub {

inline constexpr unsigned kLinks = 4;      ///< ports that are links: N, E, S, W
inline constexpr unsigned kInputs = 6;     ///< links, L, replies
inline constexpr unsigned kLocalPort = 4;  ///< L, as input and output
inline constexpr unsigned kReply = 5;      ///< input of reads and responses, to N only
inline constexpr unsigned kQueues = 3;     ///< of an input: others, E, W

/// What L does with the switch. Calls of an edge come in this order, each at most once an edge.
class LocalSide {
 public:
  virtual ~LocalSide() = default;
  /// Before the edge: L takes a beat; the function's stream has room for a packet from N.
  virtual bool takes_beat(const Beat& beat, unsigned source) = 0;
  virtual bool stream_room() = 0;
  virtual void beat(Cycle k, const Beat& beat, unsigned source) = 0;
  /// The beat that L (or replies) offers to the switch, or null; and that it was taken.
  virtual const Beat* offer(unsigned input) = 0;
  virtual void taken(unsigned input) = 0;
};

class Switch {
 public:
  Switch(std::string name, const HubParams& params, std::array<blocks::WireEnds, kLinks> links,
         LocalSide& local);

  /// Edge k at time t, the next one at `next`. False if nothing changed, so nothing will before an arrival or
  /// what L does.
  bool step(Cycle k, fabric::Time t, fabric::Time next);
  void flush(fabric::Time until);
  fabric::Time next_arrival() const;
  fabric::Time next_departure() const;
  /// Accounts for edges that were left out because nothing could move.
  void skipped(Cycle edges);

  // Registers.
  std::array<std::array<std::uint64_t, 2>, kPorts> rules{};
  unsigned present = 0;  ///< links, a bit each
  std::uint64_t counter(unsigned port, Counter which) const;
  std::uint64_t drops(Cause cause) const { return drops_[static_cast<unsigned>(cause)]; }
  std::uint64_t status() const { return status_; }
  /// A fault of this edge stays.
  void clear();
  /// No input of the switch has noted a fault at this edge, so L may.
  bool fault_free() const { return !noted_; }
  /// Nothing is on its way to L or from it.
  bool local_idle() const {
    const Input& in = inputs_[kLocalPort];
    const Output& out = outputs_[kLocalPort];
    return in.held == 0 && !in.pulse && out.granted < 0 && out.buffer.empty();
  }
  /// Notes a fault. L: of a packet that it cannot use, from `in`.
  void fault(Cause cause, unsigned in, std::uint64_t address);

  std::string waiting_for() const;
  /// Words of packets that have come and gone, over all ports.
  std::uint64_t beats() const;
  void counters(const std::string& prefix, const fabric::CounterSink& sink) const;
  void digest(fabric::Digest& digest) const;

 private:
  struct Route {
    Cause cause = Cause::none;
    unsigned output = kPorts;
    bool stream = false;
    std::uint64_t address = 0;
  };
  /// Packets of an input that wait in order: for E, for W, for all else.
  struct Queue {
    std::deque<Beat> beats;
    std::deque<Route> routes;
    bool active = false, dropping = false;
  };
  struct Input {
    std::array<Queue, kQueues> queues;
    Beat beat;  ///< came at the last edge
    bool fresh = false, fresh_header = false;
    unsigned queue = 0;           ///< that the packet in `beat` goes to
    bool inside = false;          ///< of a packet that comes
    unsigned held = 0, left = 0;  ///< packets in slots; credits that are to go back
    bool pulse = false;           ///< one goes back at the next edge
    bool stalled = false;
  };
  struct Output {
    int granted = -1;
    unsigned last = kInputs - 1, credits = 0;
    std::deque<std::pair<Beat, unsigned>> buffer;
  };
  struct Link {
    blocks::LaneRx rx;
    blocks::LaneTx tx;
  };
  /// What happens at an edge, found before anything moves.
  struct Moves {
    std::array<std::array<bool, kQueues>, kInputs> pop{}, last_out{}, front{}, granted{}, dropped{};
    std::array<bool, kInputs> room{};
    std::array<bool, kPorts> ends{}, sent{};
    std::array<int, kPorts> source{-1, -1, -1, -1, -1};  ///< whose beat an output takes
  };
  using Counts = std::array<std::uint64_t, 6>;

  Route route(const TlpHeader& header, unsigned in) const;
  Cause match(std::uint64_t address, unsigned& output) const;
  void look(Moves& m, fabric::Time t, fabric::Time next);
  bool grant(Moves& m);
  bool drop(Moves& m);
  bool move(const Moves& m, Cycle k, fabric::Time t);
  bool receive(const Moves& m, Cycle k, fabric::Time t);
  void take(Cycle k, unsigned i, const Beat& beat);
  void put(unsigned i);
  std::uint64_t& count(unsigned port, Counter which) { return counts_[port][static_cast<unsigned>(which)]; }

  std::string name_;
  const HubParams& p_;
  LocalSide& local_;
  std::array<Input, kInputs> inputs_;
  std::array<Output, kPorts> outputs_;
  std::vector<Link> links_;
  std::array<Counts, kInputs> counts_{};
  std::array<std::uint64_t, kCauses> drops_{};
  std::uint64_t status_ = 0;
  bool noted_ = false;  ///< a fault of this edge: last_
  Cause last_cause_ = Cause::none;
  unsigned last_in_ = 0;
  std::uint64_t last_address_ = 0;
  fabric::Digest seen_;
};

}  // namespace polyloom::hub
