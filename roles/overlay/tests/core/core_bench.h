// SPDX-License-Identifier: Apache-2.0
// Verilated cores with their surroundings: units that respond after random times, a mailbox that says
// anything, a host. Every cycle's outputs must be those of core_model.h; the first difference ends the run
// with Mismatch.
#pragma once

#include <verilated.h>

#include <memory>
#include <random>
#include <stdexcept>
#include <string>

#include "Vcore_tb.h"
#include "roles/overlay/tests/core/core_model.h"

namespace polyloom::overlay::test {

struct Mismatch : std::runtime_error {
  using std::runtime_error::runtime_error;
};

struct BenchParams {
  std::uint64_t seed = 1;
  unsigned max_delay = 20;   ///< of a unit's response, in cycles beyond the shortest
  unsigned event_stall = 2;  ///< events are taken one cycle in this many
};

/// A control request of the host.
struct Control {
  enum Op { write_instr, read_instr, start = 4, uart = 5 } op;
  bool all;
  unsigned target, addr;
  std::uint32_t data;
};

class Bench {
 public:
  static constexpr unsigned kCores = TB_CORES, kThreads = TB_THREADS, kWords = TB_WORDS;
  static constexpr unsigned kPairs = (kCores + 1) / 2;
  static constexpr bool kFpu = TB_FPU, kMulDiv = TB_MULDIV;

  explicit Bench(const BenchParams& params);

  void step();
  void run(unsigned cycles) {
    while (cycles-- > 0) step();
  }
  void control(const Control& c) { controls_.push_back(c); }
  /// Runs until the host's requests are done.
  void settle() {
    do step();
    while (!controls_.empty() || todo_ != 0);
  }
  unsigned random(unsigned below) { return static_cast<unsigned>(rng() % below); }
  ThreadModel& thread(unsigned core, unsigned t) { return cores[core].threads[t]; }

  std::mt19937_64 rng;
  BenchParams params;
  std::array<CoreModel, kCores> cores;
  std::array<std::vector<std::uint32_t>, kPairs> code;
  std::vector<Event> events;             ///< taken by the host
  std::vector<std::uint32_t> responses;  ///< of read_instr
  std::uint64_t issued = 0, passed = 0, faults = 0, replays = 0, merged = 0;
  std::uint64_t lost = 0;  ///< bytes of the host that came too early
  Cycle cycle = 0;

 private:
  struct Slot {
    std::optional<unsigned> thread;
    std::optional<std::uint32_t> word;  ///< what it fetched
    std::optional<Control> op;
  };
  struct Outputs {
    std::optional<Request> cache, pad, fpu, wait;
    std::optional<unsigned> free;
    bool recv = false, send = false, astray = false;
    unsigned thread = 0;
    std::uint32_t dest = 0, slot = 0, flits = 0, pc = 0;
    std::uint64_t mask = 0;
  };
  struct Response {
    unsigned core, thread;
    std::uint32_t data;
    unsigned flags;
  };
  enum Port { hit, fill, pad, fpu, div, kPorts };

  // core_bench.cc
  void drive();
  void drive_responses();
  void sample();
  void check_requests(unsigned k, const Outputs& want);
  void check_trace(unsigned k);
  void check_control();
  void check_events();
  // core_execute.cc
  void issue_slot(unsigned k);
  Outputs execute(unsigned k, unsigned t, std::optional<std::uint32_t> word);
  void execute_csr(unsigned k, unsigned t, const Inst& in, Passed& p, Outputs& out, bool& latent, bool& stop);
  std::uint32_t csr_effect(unsigned k, unsigned t, const CsrAccess& a, Op op, Outputs& out);
  void execute_op(unsigned k, const Control& c);
  void start(unsigned k, unsigned t, std::uint32_t pc);
  std::optional<Fault> memory(unsigned k, unsigned t, const Inst& in, Outputs& out, Fetched& env);
  void request_fpu(unsigned k, unsigned t, const Inst& in, const Hart& before, Fetched& env, Outputs& out);
  void response(Port port, unsigned k, unsigned t, std::uint32_t data, unsigned flags);
  void wake(unsigned k, unsigned t, std::uint32_t bits);
  void patch(unsigned pair, unsigned at, std::uint32_t word, Cycle from) {
    patches_[from].push_back({pair, at, word});
  }

  std::uint64_t bits(const void* port, unsigned lo, unsigned count) const;
  void expect(std::uint64_t got, std::uint64_t want, const char* what, unsigned k) const;

  VerilatedContext context_;
  std::unique_ptr<Vcore_tb> top_;
  std::array<std::map<Cycle, Slot>, kCores> slots_;
  std::array<std::map<Cycle, Passed>, kCores> passed_;
  std::array<std::optional<Event>, kCores> event_;
  std::array<std::map<Cycle, Response>, kPorts> responses_;
  std::array<std::map<Cycle, std::map<unsigned, std::uint32_t>>, kCores> wakes_;
  struct Patch {
    unsigned pair, at;
    std::uint32_t word;
  };
  std::map<Cycle, std::vector<Patch>> patches_;  ///< by the first cycle whose fetches see them
  std::array<std::uint32_t, 3> cache_counts_{};  ///< misses, hits, write-backs
  bool counts_cleared_ = false;                  ///< in this cycle
  std::array<Cycle, kCores> store_at_{};         ///< the cycle in which a thread's word goes to the memory
  std::array<Cycle, kCores> busy_until_{};
  std::array<std::optional<unsigned>, kCores> recv_slot_;  ///< to be said in this cycle
  std::array<unsigned, kCores> cleared_{};
  std::uint64_t can_send_ = 0, can_recv_ = 0;
  std::deque<Control> controls_;
  std::optional<Control> at_work_;
  unsigned todo_ = 0, todo_next_ = 0;
  std::deque<std::uint32_t> reads_;  ///< responses of read_instr to come
};

}  // namespace polyloom::overlay::test
