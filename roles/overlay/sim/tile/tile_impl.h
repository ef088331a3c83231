// SPDX-License-Identifier: Apache-2.0
// Inside of a tile: its cores, threads, instruction memories and shared units.
#pragma once

#include <array>
#include <bit>
#include <cstdint>
#include <deque>
#include <memory>
#include <string>
#include <vector>

#include "roles/overlay/sim/tile/barrel.h"
#include "roles/overlay/sim/tile/bits.h"
#include "roles/overlay/sim/tile/instr_memory.h"
#include "roles/overlay/sim/tile/thread.h"
#include "roles/overlay/sim/tile/tile.h"

namespace polyloom::overlay {

inline constexpr unsigned kMaxCores = 4;

/// A counter that programs reset, start and stop (CSR PerfCount). `raw` is the total that never stops.
struct ProgramCounter {
  std::uint64_t base = 0;  ///< while running: raw when the count was 0
  std::uint64_t held = 0;  ///< while stopped
  std::uint64_t value(bool running, std::uint64_t raw) const { return running ? raw - base : held; }
  /// `operand` as PerfCount takes it: 0 reset, 1 start, 2 stop.
  void control(std::uint32_t operand, bool running, std::uint64_t raw) {
    if (operand == 0) base = raw, held = 0;
    if (operand == 1 && !running) base = raw - held;
    if (operand == 2) held = value(running, raw);
  }
};

struct Core {
  Barrel barrel;
  std::uint64_t issued = 0;  ///< before the current window
  Barrel::Issue window{};    ///< of the current window
  bool counting = true;
  ProgramCounter cycles, idle;
};

/// Requests of the cores to a shared unit that takes one a cycle: in order of issue within a core,
/// round-robin over the cores that have one.
class UnitQueue {
 public:
  bool empty() const { return count_ == 0; }

  /// Takes what the unit serves in a window. `requests` bit 8*core + o: the thread in byte o of threads[core]
  /// asked at offset o. Byte o of the result: kGranted | core << 4 | thread for what is taken at offset o, or
  /// 0.
  template <bool fast>
  std::uint64_t serve(std::uint32_t requests, const std::array<std::uint64_t, kMaxCores>& threads) {
    std::uint32_t count = count_;
    for (unsigned k = 0; k < kMaxCores; ++k) {
      const std::uint64_t mask = spread_bits(requests >> (8 * k)) * 15;
      queue_[k] |= pack_nibbles<fast>(threads[k], mask) << (4 * ((count >> (8 * k)) & 0xffu) & 63);
    }
    std::uint64_t granted = 0;
    unsigned last = last_;
    for (unsigned o = 0; o < kWindow; ++o) {
      count += (requests >> o) & 0x01010101u;
      // A bit for each core with something queued: gathered by a multiplication whose partial products do not
      // collide.
      const unsigned waiting = ((((count + 0x7f7f7f7fu) >> 7) & 0x01010101u) * 0x01020408u) >> 24 & 15u;
      const std::uint32_t some = waiting != 0;
      last = kNextInTurn[last][waiting];
      granted |= static_cast<std::uint64_t>((some << 7) | last << 4 | (queue_[last] & 15u)) << (8 * o);
      queue_[last] >>= 4 * some;
      count -= some << (8 * last);
    }
    last_ = last;
    count_ = count;
    return granted;
  }
  static constexpr unsigned kGranted = 0x80;

 private:
  /// kNextInTurn[last][set]: first member of the set after `last`; `last` itself for the empty set.
  static constexpr auto kNextInTurn = [] {
    std::array<std::array<std::uint8_t, 16>, kMaxCores> table{};
    for (unsigned last = 0; last < kMaxCores; ++last) {
      for (unsigned set = 0; set < 16; ++set) {
        unsigned core = (last + 1) % kMaxCores;
        while (((set >> core) & 1) == 0 && core != last) core = (core + 1) % kMaxCores;
        table[last][set] = static_cast<std::uint8_t>(core);
      }
    }
    return table;
  }();

  std::array<std::uint64_t, kMaxCores> queue_{};  ///< nibbles, oldest lowest, zero beyond the count
  std::uint32_t count_ = 0;                       ///< byte per core
  unsigned last_ = kMaxCores - 1;
};

/// A miss of a thread: there is at most one.
struct Miss {
  std::uint32_t addr;
  std::uint8_t slot;  ///< that the line will fill
};

struct Tile::Impl {
  Impl(const BoardParams& params, const TileTiming& timing, const TilePlace& place, const TileEnv& env,
       Tile& self);

  // ----- tile.cc -----
  template <bool fast>
  void advance(Cycle from);
  template <bool fast>
  std::uint32_t issue(Cycle from);
  /// Takes the next token of every thread whose run has ended: bit 8*core + o of `events`.
  void take_events(std::uint32_t events);
  void far_token(unsigned slot);
  Cycle next_event() const;
  /// Runs a thread ahead from its pc and hands the first token to its core.
  void reload(unsigned core, unsigned thread);
  /// Lets a thread join its core's queue at cycle `c`.
  void schedule(Cycle c, unsigned core, unsigned thread);
  void start(Cycle c, unsigned core, unsigned thread, std::uint32_t pc);

  // ----- tile_units.cc; `granted` as UnitQueue::serve gives it -----
  void serve_cache(Cycle from, std::uint64_t granted);
  void serve_fpu(Cycle from, std::uint64_t granted);
  void serve_scratchpad(Cycle from, std::uint64_t granted);
  void miss(unsigned core, unsigned thread, Cycle c);
  void start_miss(unsigned index, Cycle c);
  void write_back(Thread& t, unsigned slot, Cycle c);
  void flush(unsigned core, unsigned thread, Cycle c);
  void access_scratchpad(unsigned core, unsigned thread, Cycle c);
  void line_arrived(Cycle c, unsigned index, const std::uint8_t* line);

  // ----- tile_control.cc -----
  /// What becomes of a thread whose control instruction has been executed.
  enum class After : std::uint8_t { issue_again, suspended };
  /// Executes a window's control instructions in order of cycle and core: bit 8*core + offset. Returns those
  /// whose threads issue again kWindow cycles later.
  std::uint32_t run_controls(Cycle from, std::uint32_t requests);
  After control(unsigned core, unsigned thread, Cycle c);
  After jump(unsigned core, unsigned thread, Cycle c, const Inst& in);
  After control_csr(unsigned core, unsigned thread, Cycle c, const Inst& in);
  std::uint32_t read_csr(unsigned core, unsigned thread, Cycle c, unsigned number);
  std::uint32_t read_counter(unsigned core, Cycle c, unsigned number);
  void write_csr(unsigned core, unsigned thread, Cycle c, unsigned number, std::uint32_t operand);
  void send(unsigned index, Cycle c, const Inst& in);
  void stop(unsigned core, unsigned thread, ThreadState state);
  After fault(unsigned core, unsigned thread, Cycle c, FaultCause cause, std::uint32_t value);
  void perf_count(unsigned core, Cycle c, std::uint32_t operand);
  std::uint64_t idle_at(const Core& core, Cycle c) const;

  unsigned index_of(unsigned core, unsigned thread) const { return core * threads_per_core + thread; }
  Thread& thread_at(unsigned core, unsigned thread) { return threads[index_of(core, thread)]; }
  void finish(Thread& t, std::uint32_t rd, std::uint32_t value) {
    t.x[rd] = value;
    t.pc += 4;
  }

  Tile& self;
  TileEnv env;
  TileTiming timing;
  unsigned index, slice, num_cores, threads_per_core;
  unsigned max_flits;
  CacheShape shape;
  std::array<unsigned, kFpuOps> fpu_latency;

  Cycle now = 0;                                 ///< start of the window after the last one advanced
  bool fast;                                     ///< fast_packing()
  std::array<UnitQueue, kUnits> units;           ///< by Unit; none and control have no queue
  std::array<std::uint32_t, kUnits> requests{};  ///< of the current window, by unit: bit 8*core + offset
  std::array<std::uint64_t, kMaxCores> issued_threads{};  ///< of the current window, by core: byte per offset
  // By 16 * core + thread: plain instructions left before the next event, what it is, which event is under
  // way, and how many tokens have been taken.
  static constexpr unsigned kSlots = kMaxCores * Barrel::kMaxThreads;
  std::array<std::uint8_t, kSlots> left{}, next{}, current{}, taken{};
  std::array<Core, kMaxCores> cores;

  // Slots for misses in flight. `freed`: from which cycle on the slot of a finished one may be used again, in
  // order.
  unsigned miss_slots_used = 0;  ///< at any time since reset
  std::deque<Cycle> freed;
  std::deque<std::uint8_t> waiting_misses;
  Cycle memory_port_free = 0;
  std::vector<Miss> misses;  ///< by thread

  /// Threads to be resumed too far ahead for the calendar.
  struct Later {
    Cycle at;
    std::uint8_t core, thread;
  };
  std::vector<Later> later;

  TileCounters totals;
  // What the cores' counter CSRs see of the cache: its counters cross over at the end of each window.
  TileCounters seen;
  bool cache_counting = true;
  ProgramCounter hit_count, miss_count, writeback_count;

  std::vector<TokenBuffer> buffers;  ///< by 16 * core + thread
  std::vector<Thread> threads;
  std::vector<ThreadState> states;
  std::vector<std::uint8_t> wait_rd;
  std::vector<std::string> uart;  ///< bytes from the host, by thread
  std::vector<std::unique_ptr<InstrMemory>> memories;
  std::vector<std::uint8_t> lines;  ///< data of all partitions
};

}  // namespace polyloom::overlay
