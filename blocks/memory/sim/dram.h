// SPDX-License-Identifier: Apache-2.0
// Timing of one DRAM channel behind its controller. It holds no data: its caller moves the bytes
// of a request when it is served, so memory order is the order of service.
//
// How: requests enter a queue; the oldest `window_beats` of them are seen by the scheduler. A bank that
//   no request with an open row holds is precharged for the oldest request that needs another row; the
//   activate that can be given first is given first, and so is the column command (the oldest of
//   equals). So row hits and requests in the bus's present direction go ahead (FR-FCFS). A request
//   never passes an older one to the same burst. No request enters the window that is more than
//   `max_bypass` younger than the oldest one not served. Two requests in the window to the same burst
//   and in the same direction share it. Of bursts larger than a request what was read is kept in a RAM, by
//   a hash of the address: a read of the rest is answered from there when it enters the window, unless the
//   window holds a request to the same burst. A write to a kept burst drops it.
// Hardware: queue and window registers, a comparator tree over the window, a counter for each timing
//   rule; a block RAM of kept bursts and their tags. Row and column commands have their own slots in a
//   controller clock, so they do not compete.
// Latency: front_cycles + command timing + back_cycles; a read ends with its last beat on the response
//   bus. From a kept burst: front_cycles + 2 + back_cycles.
// Order: a request is never served before its cycle of submission; same-burst requests in order of
//   submission.
// Refresh: due every tREFI; the window's prepared requests finish first (at most a window of delay,
//   within the eight intervals that JESD79-3 allows), then all banks are closed for tRFC.
// Source: JESD79-3 (DDR3), speed bin 1600 11-11-11; free parameters: blocks/memory/README.md.
// Tests: dram_test.cc, calibration_test.cc.
#pragma once

#include <array>
#include <bit>
#include <cstdint>
#include <limits>
#include <vector>

#include "blocks/memory/sim/kept_bursts.h"
#include "blocks/memory/sim/memory_bus.h"
#include "fabric/node.h"

namespace polyloom::blocks {

/// Everything that fixes a channel. Times are command clocks (tCK) unless named otherwise.
struct DramParams {
  std::uint64_t core_hz = 250'000'000;    ///< clock of the cycles at the interface
  std::uint64_t memory_hz = 800'000'000;  ///< command clock
  std::uint64_t bytes = std::uint64_t{2} << 30;
  unsigned request_bytes = 32;  ///< cache line: bytes of one request
  unsigned burst_bytes = 64;    ///< bytes that one column command moves
  unsigned beat_bytes = 32;     ///< on-chip bus
  unsigned banks = 8;
  unsigned row_bytes = 8192;
  unsigned cl = 11, cwl = 8, rcd = 11, rp = 11, ras = 28, rc = 39;
  unsigned rrd = 5, faw = 24, ccd = 4, data = 4;  ///< data: clocks of a burst on the pins
  unsigned wtr = 6, rtw = 9, rtp = 6, wr = 12;    ///< rtw: read to write command
  unsigned refi = 6240, rfc = 208;
  // Controller.
  unsigned queue = 64;         ///< requests that it holds, the window's included
  unsigned window_beats = 32;  ///< bus beats the scheduler sees: a 64-byte line counts twice a 32-byte one
  unsigned max_bypass = 63;    ///< younger requests that may be served before the oldest, at most 63
  unsigned beat_clocks = 2;  ///< clocks in which the controller's local port moves a beat: a request's column
                             ///< commands are at least request beats * beat_clocks apart
  unsigned kept_bursts = 0;  ///< bursts that it keeps after a read, for the reads of the rest: a power of
                             ///< two, or 0; of no use unless a request is shorter than a burst
  unsigned front_cycles = 6;  ///< core cycles from the bus to the scheduler
  unsigned back_cycles = 6;   ///< core cycles from the pins to the response bus
  bool bank_hash = true;      ///< bank bits are XORed with the row's, so power-of-two strides spread

  /// DDR3-1600 with the controller of the published boards (calibrated: README).
  static DramParams ddr3_1600_published(unsigned line_bytes = 32);
  /// DDR3-1600 with ours: a deeper window, a faster port, kept bursts.
  static DramParams ddr3_1600(unsigned line_bytes = 32);
  /// One pseudo channel of an HBM2 stack at 2 Gb/s a pin, 16 GB/s.
  static DramParams hbm2(unsigned line_bytes = 32);
};

struct DramCounters {
  std::uint64_t reads = 0, writes = 0;
  std::uint64_t activates = 0, bursts = 0, refreshes = 0;
  std::uint64_t shared_bursts = 0;  ///< requests served by another's burst
  std::uint64_t kept_reads = 0;     ///< reads served from a kept burst
  std::uint64_t refused = 0;        ///< submissions answered with false
};

/// What the channel's command bus carried; for tests and traces. Times in command clocks, as real numbers.
struct DramCommand {
  enum Kind { precharge, activate, read, write, refresh } kind;
  double clock;
  unsigned bank;      ///< not for refresh, which closes all
  std::uint32_t row;  ///< of activate, read and write
};

class Dram {
 public:
  /// Throws UserError if a parameter is out of range. A `bus` shared with other memories outlives this;
  /// without one the channel has its own.
  explicit Dram(const DramParams& params, MemoryBus* bus = nullptr);
  Dram(const Dram&) = delete;
  Dram& operator=(const Dram&) = delete;

  /// Offers a request at cycle c: false if the bus or the queue has no room then (offer it again later).
  /// Cycles of successive calls must not decrease, nor lie before the last advance().
  bool submit(Cycle c, std::uint64_t addr, bool write, std::uint32_t id);
  /// submit() at cycle c would find the queue full; all cycles before c are simulated.
  bool full(Cycle) const { return waiting_ >= p_.queue; }

  /// Simulates all cycles before `until` and calls sink(id, cycle) for what was served in them, in order of
  /// service.
  template <class Sink>
  void advance(Cycle until, Sink&& sink) {
    if (waiting_ != 0) run(until);
    if (until > reached_) reached_ = until;
    deliver(until, sink);
  }

  /// As advance, for what is served before `until` whatever is submitted from now on. Once all cycles before
  /// c are simulated, that is all before c + 4 at usual clocks: column command to last beat.
  template <class Sink>
  void deliver(Cycle until, Sink&& sink) {
    while (done_count_ != 0 && done_[done_head_].cycle < until) {
      const Done d = done_[done_head_];
      done_head_ = (done_head_ + 1) & (static_cast<unsigned>(done_.size()) - 1);
      --done_count_;
      sink(d.id, d.cycle);
    }
  }

  /// Earliest cycle at which advance() may have something to do; kNeverCycle if nothing is under way.
  Cycle next_event() const;
  /// Requests taken and not yet delivered.
  unsigned in_flight() const { return waiting_ + done_count_; }
  const DramCounters& counters() const { return counters_; }
  const DramParams& params() const { return p_; }
  void digest(fabric::Digest& d) const;
  /// Appends every command to `out` (not always in order of time) from now on; null ends that.
  void trace(std::vector<DramCommand>* out) { trace_ = out; }

 private:
  using Tick = std::int64_t;  ///< units: 1 / lcm(core_hz, memory_hz) seconds
  static constexpr Tick kNotReady = std::numeric_limits<Tick>::max();
  struct Request {
    std::uint64_t burst;
    Tick arrival;
    std::uint64_t order;  ///< counts submissions: the smaller the older
    std::uint32_t id;
    std::uint32_t row;
    std::uint8_t bank;
    bool write;
  };
  /// The slot with the earliest time, the oldest of equals.
  struct Choice {
    Tick when = kNotReady;
    std::uint64_t order = 0;
    unsigned slot = 0;
    void offer(Tick t, std::uint64_t o, unsigned s) {
      const bool better = (t < when) | ((t == when) & (o < order));
      when = better ? t : when;
      order = better ? o : order;
      slot = better ? s : slot;
    }
  };
  struct Bank {
    Tick act_ok = 0, pre_ok = 0, column_ok = 0;
    std::uint32_t row = 0;
    bool open = false;
    unsigned pending = 0;       ///< prepared requests not yet served
    std::uint64_t waiting = 0;  ///< slots of requests that are not prepared
    unsigned next = 0;          ///< slot whose row it turns to, if it is in wanted_
  };
  struct Done {
    Cycle cycle;
    std::uint32_t id;
  };

  void check() const;
  void note(DramCommand::Kind kind, Tick t, unsigned bank, std::uint32_t row) {
    if (trace_ == nullptr) return;
    trace_->push_back({kind, static_cast<double>(t) / static_cast<double>(clock_units_), bank, row});
  }
  void set_ticks();
  void run(Cycle until);
  void fill_window();
  void enter(const Request& r);
  bool in_window(std::uint64_t burst, bool only_writes) const;
  void serve_kept(const Request& r);
  /// The next request of the queue may enter the window: it takes a slot, and may not be too far from the
  /// oldest.
  bool has_room() const {
    return window_count_ < window_size_ && order_ - fifo_count_ - base_ <= p_.max_bypass;
  }
  void want_row(unsigned bank);
  void offer_row(const Bank& b);
  void plan_rows();
  void prepare(unsigned slot);
  void activate(unsigned slot, Tick when);
  void plan_column();
  void consider_refresh();
  void serve(unsigned slot, Tick when);
  void finish(unsigned slot, Tick when);
  void retire(std::uint64_t order);
  void share_burst(const Request& served, Tick when);
  void push_done(Cycle cycle, std::uint32_t id);
  void skip_idle_refreshes(Tick t);
  void refresh();
  Cycle cycle_of(Tick t);  ///< first core cycle not before t

  DramParams p_;
  MemoryBus own_bus_;
  MemoryBus* bus_;
  Tick core_units_ = 1, clock_units_ = 1;
  // Timings in units.
  struct {
    Tick cl, cwl, rcd, rp, ras, rc, rrd, faw, ccd, data, wtr, rtw, rtp, wr, refi, rfc;
  } t_{};
  unsigned burst_shift_, row_shift_, bank_mask_, bank_bits_, beats_;

  std::vector<Request> fifo_;  ///< ring of power-of-two size
  unsigned fifo_head_ = 0, fifo_count_ = 0;
  static constexpr unsigned kMaxWindow = 63;
  // The window: slots, and a bit for each slot in the sets below.
  std::array<Request, kMaxWindow + 1> window_;
  std::array<Tick, kMaxWindow + 1> ready_;  ///< of prepared requests: when the bank allows the column command
  std::uint64_t used_ = 0;
  std::uint64_t prepared_ = 0;  ///< their row is open, or told to open
  std::uint64_t behind_ = 0;    ///< an older request to the same burst is in the window
  std::uint64_t base_ = 0;      ///< order of the oldest request not yet served
  std::uint64_t early_ = 0;     ///< bit i: request base_ + i has been served already
  std::array<std::uint8_t, 256> burst_filter_{};
  KeptBursts kept_;
  std::uint64_t order_ = 0;
  unsigned window_size_ = 0, window_count_ = 0;
  unsigned waiting_ = 0;  ///< in queue and window
  std::vector<Bank> banks_;
  std::array<Tick, 4> last_acts_{};
  unsigned act_index_ = 0;
  Tick now_ = 0;  ///< of the scheduler
  Tick next_read_ = 0, next_write_ = 0;
  Tick next_refresh_ = 0;
  std::uint64_t wanted_ = 0;    ///< banks that wait for an activate
  bool refresh_waits_ = false;  ///< for prepared requests to finish
  // The next activate and column command, as long as they are known.
  bool row_known_ = false, column_known_ = false;
  Choice row_choice_, column_choice_;
  Tick next_event_ = 0;  ///< nothing happens before, if requests wait

  std::vector<Done> done_;  ///< ring of power-of-two size
  unsigned done_head_ = 0, done_count_ = 0;
  Cycle last_done_ = 0, response_free_ = 0;
  Cycle reached_ = 0, last_submit_ = 0;
  Cycle known_cycle_ = 0;  ///< cycle_of() counts on from here
  Tick known_tick_ = 0;
  std::vector<DramCommand>* trace_ = nullptr;
  DramCounters counters_;
};

}  // namespace polyloom::blocks
