// SPDX-License-Identifier: Apache-2.0
// The oracle of the tile: the same microarchitecture (README.md), one cycle and one instruction at a time,
// with plain containers and nothing run ahead. For tests only; slow.
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <set>
#include <vector>

#include "roles/overlay/sim/isa/reference.h"
#include "roles/overlay/sim/tile/memory_system.h"
#include "roles/overlay/sim/tile/tile.h"

namespace polyloom::overlay::test {

class ReferenceTile final : public CoreWakeups, public MemoryClient {
 public:
  ReferenceTile(const BoardParams& params, const TileTiming& timing, const TilePlace& place,
                const TileEnv& env);

  void start_thread(Cycle c, unsigned core, unsigned thread, std::uint32_t pc);
  void write_instr(unsigned pair, std::uint32_t index, std::uint32_t word) {
    code_.at(pair).at(index) = word;
  }
  bool uart_in(unsigned core, unsigned thread, std::uint8_t byte) {
    std::optional<std::uint8_t>& held = threads_[core * params_.threads_per_core + thread].uart;
    if (held) return false;
    held = byte;
    return true;
  }
  void advance_cores(Cycle from);
  void wake(Cycle c, unsigned thread, std::uint32_t bits) override;
  void memory_done(Cycle c, std::uint32_t tag, const std::uint8_t* line) override;

  TileCounters totals() const { return totals_; }
  std::uint64_t retired(unsigned core) const { return cores_[core].issued; }
  ThreadState thread_state(unsigned thread) const { return threads_[thread].state; }
  const Hart& hart(unsigned thread) const { return threads_[thread].hart; }

 private:
  struct Line {
    std::uint32_t addr = 0;  ///< 0: empty
    bool dirty = false;
    std::vector<std::uint8_t> bytes;
  };
  /// A cache set: lines, and for every inner node of a binary tree over them the side used last (0 left, 1
  /// right).
  struct Set {
    std::vector<Line> lines;
    std::map<std::pair<unsigned, unsigned>, unsigned> used;  ///< by (first way, ways) of the subtree
  };
  struct ThreadInfo {
    Hart hart;
    ThreadState state = ThreadState::off;
    std::uint32_t id = 0;
    csr::Held held;
    unsigned wait_rd = 0;
    std::optional<std::uint8_t> uart;
    std::vector<Set> sets;
    unsigned fill_way = 0;
    unsigned miss_slot = 0;
  };
  struct Counter {
    std::uint64_t value = 0;
  };
  struct Core {
    std::deque<unsigned> queue;
    std::map<Cycle, unsigned> returning;
    std::map<Cycle, std::set<unsigned>> responses;
    std::set<unsigned> waiting;
    std::uint64_t issued = 0;
    bool counting = true;
    std::uint64_t cycles = 0, idle = 0;  ///< as programs see them
  };
  struct Request {
    unsigned thread;  ///< of the tile
    unsigned latency;
    bool divides = false;
  };
  struct Queue {
    std::array<std::deque<Request>, 4> cores;
    unsigned last = 3;
    std::optional<Request> take();
  };
  class World;  // Environment of one instruction

  void cycle(Cycle c);
  void issue(unsigned core, Cycle c);
  void execute(unsigned thread, Cycle c);
  void step_thread(unsigned thread);
  void load_store(unsigned thread, Cycle c, const Inst& in);
  void csr(unsigned thread, Cycle c, const Inst& in);
  std::uint32_t csr_value(unsigned thread, Cycle c, unsigned number);
  void csr_effect(unsigned thread, Cycle c, unsigned number, std::uint32_t operand);
  void again(unsigned thread, Cycle c);
  void response(unsigned thread, Cycle c);
  void fault(unsigned thread, Cycle c, const Fault& f);
  void serve_cache(Cycle c, const Request& r);
  void serve_scratchpad(Cycle c, const Request& r);
  void start_miss(unsigned thread, Cycle c);
  void memory_write(Cycle c, Line& line);
  Line* lookup(ThreadInfo& t, std::uint32_t addr);
  Set& set_for(ThreadInfo& t, std::uint32_t addr);
  void use(Set& set, unsigned way) const;
  unsigned victim(const Set& set) const;
  unsigned core_of(unsigned thread) const { return thread / params_.threads_per_core; }
  std::uint32_t line_mask() const { return ~(params_.line_bytes - 1); }

  BoardParams params_;
  TileTiming timing_;
  TilePlace place_;
  TileEnv env_;
  unsigned slice_;
  std::vector<std::vector<std::uint32_t>> code_;
  std::vector<ThreadInfo> threads_;
  std::vector<Core> cores_;
  Queue cache_, fpu_, scratchpad_;
  std::vector<Cycle> slot_free_;  ///< by miss slot: from when it may be used; kNeverCycle while in use
  std::deque<unsigned> waiting_misses_;
  Cycle port_free_ = 0, divider_free_ = 0;
  TileCounters totals_, seen_;
  bool cache_counting_ = true;
  TileCounters program_;  ///< what the counter CSRs show
};

}  // namespace polyloom::overlay::test
