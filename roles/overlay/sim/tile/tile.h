// SPDX-License-Identifier: Apache-2.0
// A tile of the overlay: barrel cores with their threads, shared FPU, shared data cache. Cycle-exact, timed
// by windows of kWindow cycles (README.md gives the microarchitecture and how it is simulated).
//
// Use, once a window, in this order: advance_cores() of every tile, MemorySystem::advance(), then the
// network, which responds with wake(). A window in which a tile has nothing to do (next_event() beyond it)
// need not be advanced. Not thread safe; a tile calls only its TileEnv.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "fabric/node.h"
#include "roles/overlay/arch/fault.h"
#include "roles/overlay/sim/tile/memory_system.h"
#include "roles/overlay/sim/tile/timing.h"
#include "roles/overlay/sim/tile_ports.h"
#include "roles/overlay/sim/types.h"

namespace polyloom::overlay {

class SharedCode;

/// What a tile tells its board as it happens. Threads are given by their global id.
class TileEvents {
 public:
  virtual ~TileEvents() = default;
  /// A byte for the host; false if the board cannot take it now (the program tries again).
  virtual bool uart_out(Cycle c, std::uint32_t thread_id, std::uint8_t byte) = 0;
  /// The thread has read the byte of the host's that it held.
  virtual void uart_read(Cycle c, std::uint32_t thread_id) = 0;
  /// The thread has stopped for good.
  virtual void fault(Cycle c, std::uint32_t thread_id, const Fault& fault) = 0;
  virtual void emit(Cycle c, std::uint32_t thread_id, std::uint32_t value) = 0;
  /// Counters of the board's router, for CSRs ProgRouterSent (inter_board false) and ProgRouterSentInter.
  virtual std::uint32_t router_sent(bool inter_board) = 0;
};

struct TileEnv {
  MailboxPort* mailbox = nullptr;
  MemorySystem* memory = nullptr;
  TileEvents* events = nullptr;
  Arena* arena = nullptr;      ///< for the threads; null: the tile has its own
  SharedCode* code = nullptr;  ///< for its programs; null: likewise
};

/// Where a tile sits.
struct TilePlace {
  unsigned index = 0;  ///< on its board: tile_y * tiles_x + tile_x; also its client number of the memory
  std::uint32_t first_thread_id =
      0;  ///< global id of core 0, thread 0; others follow: + core * threads_per_core + thread
};

/// A tile's totals since reset (never cleared by programs, unlike what their CSRs show).
struct TileCounters {
  std::uint64_t retired = 0;  ///< instructions issued, all cores
  std::uint64_t hits = 0, misses = 0, writebacks = 0;
  std::uint64_t fpu_ops = 0, scratchpad_words = 0;
};

enum class ThreadState : std::uint8_t { off, running, memory, mailbox, faulted };

class Tile final : public CoreWakeups, public MemoryClient {
 public:
  /// Throws UserError if a parameter is out of what a tile can be (more than 16 threads a core, 4 cores,
  /// ...).
  Tile(const BoardParams& params, const TileTiming& timing, const TilePlace& place, const TileEnv& env);
  ~Tile() override;

  // ----- control, between windows -----
  /// The thread runs from `pc`, first issue not before `c`. No effect on a running thread.
  void start_thread(Cycle c, unsigned core, unsigned thread, std::uint32_t pc);
  /// Writes word `index` of the instruction memory that cores 2*pair and 2*pair+1 share.
  void write_instr(unsigned pair, std::uint32_t index, std::uint32_t word);
  std::uint32_t read_instr(unsigned pair, std::uint32_t index) const;
  /// A byte from the host for the thread's UART; false, and it is lost, if the one before has not been read.
  bool uart_in(unsigned core, unsigned thread, std::uint8_t byte);

  // ----- time -----
  /// Runs all cores and units through [from, from + kWindow). `from` is a multiple of kWindow, larger than
  /// the last.
  void advance_cores(Cycle from);
  /// First cycle at which the tile does something by itself; kNeverCycle if it waits for memory or mailbox
  /// only.
  Cycle next_event() const { return next_; }
  void wake(Cycle c, unsigned thread, std::uint32_t bits) override;
  void memory_soon(std::uint32_t tag) override;
  void memory_done(Cycle c, std::uint32_t tag, const std::uint8_t* line) override;

  // ----- looking in -----
  TileCounters totals() const;
  /// Cycles in which core `core` issued nothing, up to cycle `now` (the end of the last window).
  std::uint64_t idle_cycles(unsigned core, Cycle now) const;
  std::uint64_t retired(unsigned core) const;
  ThreadState thread_state(unsigned thread) const;
  /// pc of the instruction the thread is at or stopped at. Running threads may be ahead of time by a few
  /// hundred.
  std::uint32_t thread_pc(unsigned thread) const;
  std::uint32_t thread_reg(unsigned thread, unsigned x) const;
  std::uint32_t thread_freg(unsigned thread, unsigned f) const;
  std::uint32_t thread_fcsr(unsigned thread) const;
  unsigned threads_in(ThreadState state) const;
  /// "3 running, 60 waiting in the mailbox, 1 faulted"; empty if every thread is off.
  std::string describe() const;

  /// Counts executed instructions by word of the instruction memory from now on (an instruction is counted
  /// when it is executed, up to some hundred before its cycle).
  void enable_profile();
  /// Counts of pair's memory, by word index; empty unless enabled.
  std::span<const std::uint64_t> profile(unsigned pair) const;

  void counters(const std::string& prefix, Cycle now, const fabric::CounterSink& sink) const;
  void digest(fabric::Digest& d) const;

  struct Impl;  ///< tile_impl.h; for the files of this folder

 private:
  std::unique_ptr<Impl> impl_;
  Cycle next_ = kNeverCycle;  ///< what next_event() says: asked in every window, of every tile
};

}  // namespace polyloom::overlay
