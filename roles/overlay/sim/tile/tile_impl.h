// SPDX-License-Identifier: Apache-2.0
// Inside of a tile: its cores, threads, instruction memories and shared units.
#pragma once

#include <array>
#include <bit>
#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "roles/overlay/sim/tile/barrel.h"
#include "roles/overlay/sim/tile/bits.h"
#include "roles/overlay/sim/tile/instr_memory.h"
#include "roles/overlay/sim/tile/thread.h"
#include "roles/overlay/sim/tile/tile.h"
#include "roles/overlay/sim/tile/unit_queue.h"

namespace polyloom::overlay {

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
  bool counting = true;
  ProgramCounter cycles, idle;
};

struct Tile::Impl {
  Impl(const BoardParams& params, const TileTiming& timing, const TilePlace& place, const TileEnv& env,
       Tile& self);

  // ----- tile.cc -----
  void advance(Cycle from);
  void resume_later(Cycle from);
  void far_token(unsigned slot);
  void prefetch(unsigned index, std::uint64_t lines) const;
  void prefetch(unsigned index) const;  ///< with the lines that it used last
  Cycle next_event() const;
  /// Runs a thread ahead from its pc and hands the first token to its core.
  void reload(unsigned core, unsigned thread);
  /// Lets a thread join its core's queue at cycle `c`.
  void schedule(Cycle c, unsigned core, unsigned thread);
  void start(Cycle c, unsigned core, unsigned thread, std::uint32_t pc);
  void write_instr(unsigned pair, std::uint32_t index, std::uint32_t word);
  void run_from(Thread& t, InstrMemory& memory) { t.memory = &memory, t.code = memory.code(); }

  // ----- tile_units.cc; `granted` as UnitQueue::serve gives it -----
  void serve_cache(Cycle from, std::uint64_t granted);
  void serve_scratchpad(std::uint64_t granted);
  void serve_divider(Cycle from, std::uint64_t granted);
  void miss(unsigned core, unsigned thread, Cycle c);
  void start_miss(unsigned index, Cycle c);
  void write_back(std::uint32_t addr, const std::uint8_t* line, Cycle c);
  void flush(unsigned core, unsigned thread, Cycle c);
  void access_scratchpad(unsigned core, unsigned thread);
  void line_arrived(Cycle c, unsigned index, const std::uint8_t* line);

  // ----- tile_control.cc -----
  /// What becomes of a thread whose control instruction has been executed.
  enum class After : std::uint8_t { issue_again, suspended };
  /// Executes a window's control instructions in order of cycle and core: bit 8*core + offset. Returns those
  /// whose threads issue again kWindow cycles later.
  std::uint32_t run_controls(Cycle from, std::uint32_t requests);
  void poll(unsigned core, unsigned thread);
  After control(unsigned core, unsigned thread, Cycle c);
  After jump(unsigned core, unsigned thread, Cycle c, const Inst& in);
  After control_csr(unsigned core, unsigned thread, Cycle c, const Inst& in);
  std::uint32_t read_csr(unsigned core, unsigned thread, Cycle c, unsigned number);
  std::uint32_t read_counter(unsigned core, Cycle c, unsigned number);
  void write_csr(unsigned core, unsigned thread, Cycle c, unsigned number, std::uint32_t operand);
  void send(unsigned index, Cycle c, std::uint64_t mask, std::uint32_t dest, std::uint32_t pointer,
            std::uint32_t len, std::uint32_t pc);
  void noted(unsigned core, unsigned thread, Cycle c, std::uint8_t code);
  void stop(unsigned core, unsigned thread, ThreadState state);
  After fault(unsigned core, unsigned thread, Cycle c, FaultCause cause, std::uint32_t value);
  void perf_count(unsigned core, Cycle c, std::uint32_t operand);
  std::uint64_t idle_at(unsigned core, Cycle c) const;

  unsigned index_of(unsigned core, unsigned thread) const { return core * threads_per_core + thread; }
  Thread& thread_at(unsigned core, unsigned thread) { return threads[index_of(core, thread)]; }
  std::uint8_t* cache_line(unsigned index, unsigned slot) const {
    return &lines[(std::size_t{index} * CacheShape::kMaxLines + slot) << shape.line_shift];
  }
  void finish(Thread& t, std::uint32_t rd, std::uint32_t value) {
    t.x[rd] = value;
    t.pc += 4;
  }

  Tile& self;
  TileEnv env;
  TileTiming timing;
  unsigned index, slice, num_cores, threads_per_core;
  CacheShape shape;
  Latencies fpu_latency;  ///< by FpuOp; with kDivides where the operation may have to wait for the divider
  static constexpr unsigned kDivides = 0x80;
  Cycle divider_free = 0;  ///< it can start again

  Cycle now = 0;              ///< start of the window after the last one advanced
  bool busy = false;          ///< something happens in the window that starts at `now`
  bool fast;                  ///< the host has what advance_fast needs
  std::uint64_t woken = 0;    ///< threads that run ahead when the next window begins
  std::uint64_t special = 0;  ///< by slot: threads that wait for the cache with something else than a hit
  UnitQueue cache_queue, fpu_queue, scratchpad_queue;
  std::uint32_t issued = 0;           ///< in the current window: bit 8*core + offset
  Barrels::Threads issued_threads{};  ///< which threads
  Barrels barrels;
  Progress progress;
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
  // The cores' counter CSRs see what the cache had counted at the start of the window: control instructions
  // are executed before the cache serves it.
  bool cache_counting = true;
  ProgramCounter hit_count, miss_count, writeback_count;

  /// Cache slots that hold a line, and those used of late, when the thread last ran ahead.
  std::array<std::uint64_t, Progress::kSlots> held{}, lately{};
  Arena own_arena;
  SharedCode own_code;
  unsigned sharing = 0;            ///< bit a pair of cores: threads of it run what others run
  std::span<TokenBuffer> buffers;  ///< by slot
  std::span<Thread> threads;
  std::span<std::uint8_t> lines;  ///< of all threads' caches
  std::vector<ThreadState> states;
  std::vector<std::uint8_t> wait_rd;
  std::vector<std::optional<std::uint8_t>> uart;  ///< byte from the host, by thread
  std::vector<std::unique_ptr<InstrMemory>> memories;
};

/// Runs a window on any host, and on one with AVX2 and BMI2 (tile_window.h).
void advance_portable(Tile::Impl& tile, Cycle from);
void advance_fast(Tile::Impl& tile, Cycle from);

}  // namespace polyloom::overlay
