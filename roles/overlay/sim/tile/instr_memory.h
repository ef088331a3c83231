// SPDX-License-Identifier: Apache-2.0
// The instruction memory of a pair of cores, predecoded: one micro-operation a word, each with the function
// that executes it.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "roles/overlay/sim/isa/inst.h"
#include "roles/overlay/sim/tile/thread.h"

namespace polyloom::overlay {

struct Uop;

/// Executes `u` and everything after it until the thread has to stop, by calling the next operation's
/// function as its last act (compiled to a jump). `out` is where the next token goes; `plain` counts
/// instructions since the last one.
using Handler = void (*)(Thread& t, const Uop* u, Token* out, std::uint32_t plain);

struct Uop {
  Handler run;
  Inst inst;  ///< as decoded, except: auipc holds its sum in imm
};
static_assert(sizeof(Uop) == 16);

class InstrMemory {
 public:
  explicit InstrMemory(std::uint32_t words);
  InstrMemory(const InstrMemory&) = default;
  InstrMemory& operator=(const InstrMemory&) = delete;

  /// Writes beyond the end are dropped, as by the hardware's address decoder.
  void write(std::uint32_t index, std::uint32_t word);
  std::uint32_t read(std::uint32_t index) const { return index < words_.size() ? words_[index] : 0; }
  std::uint32_t size() const { return static_cast<std::uint32_t>(words_.size()); }
  /// One more operation than words: the last one stops a thread that runs off the end.
  const Uop* code() const { return uops_.data(); }

  /// From now on every executed instruction is counted.
  void enable_profile();
  std::span<const std::uint64_t> profile() const { return counts_; }
  /// Threads may run the other's operations for its own: they are not counted.
  bool same(const InstrMemory& other) const { return counts_.empty() && words_ == other.words_; }

  void count(const Uop* u) { ++counts_[index_of(u)]; }
  /// What the operation does once it has been checked or counted.
  Handler handler(const Uop* u) const { return handlers_[index_of(u)]; }

 private:
  std::size_t index_of(const Uop* u) const { return static_cast<std::size_t>(u - uops_.data()); }
  void predecode(std::uint32_t index);

  std::vector<std::uint32_t> words_;
  std::vector<Uop> uops_;
  std::vector<std::uint64_t> counts_;  ///< empty: no profile
  std::vector<Handler> handlers_;
};

/// One copy of the instruction memories of a board that hold the same program: what its threads run stays in
/// the host's cache.
class SharedCode {
 public:
  /// The copy, made of the first memory that is asked for, or `own` if that holds something else.
  InstrMemory& of(InstrMemory& own) {
    if (copy_ == nullptr) copy_ = std::make_unique<InstrMemory>(own);
    return own.same(*copy_) ? *copy_ : own;
  }

 private:
  std::unique_ptr<InstrMemory> copy_;
};

/// The function for an instruction at word `index` of `words` (run_ahead.cc).
Handler handler_for(const Inst& inst, std::uint32_t index, std::uint32_t words);
/// Words whose operation first looks how long the run of plain instructions has grown, and the function that
/// does so.
bool is_checked(std::uint32_t index);
Handler checking_handler();
/// Does so too, counts the operation, then executes it.
Handler counting_handler();
/// Stops the thread where there is no instruction.
Handler end_handler();

/// Runs the thread ahead from t.pc and fills its tokens from the start: at least one event.
void run_ahead(Thread& t);

}  // namespace polyloom::overlay
