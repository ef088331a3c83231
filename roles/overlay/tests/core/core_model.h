// SPDX-License-Identifier: Apache-2.0
// What a tile's cores must do, a cycle at a time: issue order by the words of
// roles/overlay/sim/tile/README.md, instructions by the reference interpreter. Units, mailbox and host are
// the bench's (core_bench.h).
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <set>
#include <vector>

#include "roles/overlay/sim/isa/reference.h"

namespace polyloom::overlay::test {

using Cycle = std::uint64_t;

/// What an instruction asks of a unit.
struct Request {
  enum Unit { cache, pad, fpu, wait } unit;
  Inst inst;
  std::uint32_t addr = 0, data = 0;   ///< memory; data: of a store; bits of a wait
  std::uint32_t a = 0, b = 0, c = 0;  ///< fpu
  unsigned rm = 0;
  bool flush = false;
  std::uint32_t response = 0;  ///< fpu: what it must say
  unsigned flags = 0;
};

/// What a core's register file takes, and of which instruction.
struct Passed {
  unsigned core, thread;
  bool retired = false;  ///< else it faulted, or goes round again
  bool counted = false;  ///< issued for good: also one that faults
  std::uint32_t pc = 0, word = 0;
  bool we = false, fp = false;
  unsigned rd = 0;
  std::uint32_t data = 0;
};

struct Event {
  unsigned thread;  ///< of the tile
  bool fault;
  std::uint32_t cause, pc, value;
  bool operator==(const Event&) const = default;
};

struct ThreadModel {
  Hart hart;
  bool on = false;
  csr::Held held;
  std::optional<unsigned> uart;
  struct Response {
    bool fp;
    unsigned rd;
    std::uint32_t data;
  };
  std::optional<Response> pending;   ///< came back, not yet in the register file
  std::optional<Request> requested;  ///< the thread waits for this
  std::uint64_t passes = 0;          ///< instructions that passed
};

struct CoreModel {
  std::deque<unsigned> queue;
  std::map<Cycle, unsigned> returning;
  std::map<Cycle, std::set<unsigned>> responses;  ///< by the cycle in which they can join
  std::set<unsigned> waiting;
  bool event_full = false;
  bool counting = true;
  std::uint64_t cycles = 0, idle = 0;
  unsigned patience = 0;  ///< cycles that the host has waited for a slot
  std::vector<ThreadModel> threads;
};

/// The issue rule of a core. `stolen`: the slot is used for something else.
inline std::optional<unsigned> issue(CoreModel& core, bool stolen) {
  if (core.queue.empty() || stolen) return std::nullopt;
  const unsigned thread = core.queue.front();
  core.queue.pop_front();
  return thread;
}

/// Who comes round joins at the start of cycle c.
inline void join_again(CoreModel& core, Cycle c) {
  const auto it = core.returning.find(c);
  if (it == core.returning.end()) return;
  core.queue.push_back(it->second);
  core.returning.erase(it);
}

/// Then one whose response has come.
inline void join_responded(CoreModel& core, Cycle c) {
  if (const auto it = core.responses.find(c); it != core.responses.end()) {
    core.waiting.insert(it->second.begin(), it->second.end());
    core.responses.erase(it);
  }
  if (core.waiting.empty()) return;
  auto first = core.waiting.lower_bound(static_cast<unsigned>(c / 8 % 16));
  if (first == core.waiting.end()) first = core.waiting.begin();
  core.queue.push_back(*first);
  core.waiting.erase(first);
}

/// Environment of one instruction, which has been fetched before; what it loads is `word`.
class Fetched : public Environment {
 public:
  explicit Fetched(std::optional<std::uint32_t> instruction) : instruction_(instruction) {}
  std::optional<std::uint32_t> fetch(std::uint32_t) override { return instruction_; }
  std::optional<std::uint32_t> load(std::uint32_t) override { return word; }
  bool store(std::uint32_t, std::uint32_t, unsigned) override { return true; }
  std::uint32_t access_csr(Op, const CsrAccess&) override { return 0; }
  void send(std::uint32_t, std::uint32_t) override {}

  std::uint32_t word = 0;

 private:
  std::optional<std::uint32_t> instruction_;
};

}  // namespace polyloom::overlay::test
