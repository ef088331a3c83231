// SPDX-License-Identifier: Apache-2.0
// Timing of one QDRII+ SRAM behind its controller: a read port and a write port that work at once,
// fixed latency. Holds no data (as Dram): the caller moves the bytes of a request when it is served.
//
// How: requests enter one queue and leave it in order, one a memory clock, for the small queue of their
//   port. A port moves one beat a memory clock and rests a clock after every `rest_after` requests. A
//   request to a line that the other port still has in hand waits for it.
// Hardware: one FIFO, one FIFO a port, an address comparator for each port entry.
// Latency: front_cycles + latency clocks + beats + back_cycles. All is known when a request is
//   submitted.
// Order: in each port in order of submission; same-line requests always.
// Source: QDRII+ data sheets (separate ports, no banks, no refresh); rates: blocks/memory/README.md.
// Tests: sram_test.cc, calibration_test.cc.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "blocks/memory/sim/memory_bus.h"
#include "fabric/node.h"

namespace polyloom::blocks {

struct SramParams {
  std::uint64_t core_hz = 250'000'000;
  std::uint64_t memory_hz = 225'000'000;  ///< clock of the 64-bit user side
  std::uint64_t bytes = std::uint64_t{8} << 20;
  unsigned request_bytes = 32;   ///< cache line
  unsigned beat_bytes = 8;       ///< a port moves in a memory clock
  unsigned bus_beat_bytes = 32;  ///< on-chip bus
  unsigned latency = 8;          ///< memory clocks from a port's first beat in to the first beat out
  unsigned queue = 8;            ///< requests before the ports
  unsigned port_queue = 16;      ///< requests a port holds besides the one it moves
  unsigned rest_after = 0;       ///< a port rests one clock after this many requests; 0 = never
  unsigned front_cycles = 4;     ///< core cycles from the bus to the queue's end
  unsigned back_cycles = 4;      ///< core cycles from the port to the response bus

  /// 8 MiB QDRII+, 1.8 GB/s each way, with the controller of the published boards (calibrated: README).
  static SramParams qdr2(unsigned line_bytes = 32);
};

struct SramCounters {
  std::uint64_t reads = 0, writes = 0, refused = 0;
};

class Sram {
 public:
  /// Throws UserError if a parameter is out of range. `bus` as for Dram.
  explicit Sram(const SramParams& params, MemoryBus* bus = nullptr);
  Sram(const Sram&) = delete;
  Sram& operator=(const Sram&) = delete;

  /// The request `queue` places ahead has not left the queue: submit() would refuse.
  bool full(Cycle c) const { return leave_[leave_next_] > static_cast<Tick>(c) * core_units_; }
  /// As Dram::submit.
  bool submit(Cycle c, std::uint64_t addr, bool write, std::uint32_t id);

  /// Calls sink(id, cycle) for everything served before `until`, in order of service.
  template <class Sink>
  void advance(Cycle until, Sink&& sink) {
    if (until > reached_) reached_ = until;
    deliver(until, sink);
  }

  /// As advance, for what is known to be served before `until`: all that was submitted.
  template <class Sink>
  void deliver(Cycle until, Sink&& sink) {
    for (;;) {
      Port* port = next_done();
      if (port == nullptr || port->done[port->head & port->mask].cycle >= until) return;
      const Done d = port->done[port->head++ & port->mask];
      sink(d.id, d.cycle);
    }
  }

  /// Cycle at which the next request is served; kNeverCycle if nothing is under way.
  Cycle next_event() const;
  unsigned in_flight() const { return ports_[0].count() + ports_[1].count(); }
  const SramCounters& counters() const { return counters_; }
  const SramParams& params() const { return p_; }
  void digest(fabric::Digest& d) const;

 private:
  using Tick = std::int64_t;
  struct Done {
    Cycle cycle;
    std::uint32_t id;
  };
  /// What a port has in hand, for hazards and for room in its queue.
  struct Held {
    std::uint64_t line = ~std::uint64_t{0};
    Tick start = 0, end = 0;
  };
  struct Port {
    Tick free_at = 0;
    std::vector<Held> held;  ///< ring of the last port_queue + 1 requests
    /// How many of `held` have each hash of a line: tells cheaply that none is for a line.
    std::array<std::uint16_t, 256> filter{};
    unsigned next = 0;
    unsigned since_rest = 0;
    std::vector<Done> done;  ///< ring of power-of-two size
    unsigned head = 0, tail = 0, mask = 0;
    unsigned count() const { return tail - head; }
  };

  Port* next_done();
  void push_done(Port& port, Cycle cycle, std::uint32_t id);

  SramParams p_;
  MemoryBus own_bus_;
  MemoryBus* bus_;
  Tick core_units_ = 1, clock_units_ = 1;
  unsigned beats_, bus_beats_;
  std::array<Port, 2> ports_;  ///< 0 reads, 1 writes
  std::vector<Tick> leave_;    ///< ring: when the last `queue` requests left the common queue
  unsigned leave_next_ = 0;
  Tick last_leave_;
  Cycle reached_ = 0, last_submit_ = 0;
  SramCounters counters_;
};

}  // namespace polyloom::blocks
