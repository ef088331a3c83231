// SPDX-License-Identifier: Apache-2.0
// The reference interpreter: one hart, one instruction at a time, no timing. It is the oracle that faster
// models are compared with, step for step.
//
// Contract. step() executes the instruction at hart.pc, or returns a Fault and leaves hart and environment as
// they were. What lies outside the hart (memories, custom CSRs, Send) is asked of an Environment; FlatMemory
// is the one for tests. Not thread-safe.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <vector>

#include "roles/overlay/arch/fault.h"
#include "roles/overlay/sim/isa/exec.h"
#include "roles/overlay/sim/isa/inst.h"

namespace polyloom::overlay {

struct Hart {
  std::uint32_t pc = 0;
  std::array<std::uint32_t, kNumXRegs> x{};  ///< x[0] stays 0; x[kSinkReg] is no register
  std::array<std::uint32_t, 32> f{};
  std::uint32_t fcsr = 0;
  std::uint64_t instret = 0;

  /// Same architectural state (the sink and instret aside).
  bool same_state(const Hart& other) const;
};

/// The world outside a hart. Addresses of words are 4-aligned.
class Environment {
 public:
  virtual ~Environment() = default;
  /// Instruction at a 4-aligned pc; nothing if there is none.
  virtual std::optional<std::uint32_t> fetch(std::uint32_t pc) = 0;
  virtual std::optional<std::uint32_t> load(std::uint32_t word_addr) = 0;
  /// False if nothing is there. Bit i of byte_enable: byte i of `lanes` is written.
  virtual bool store(std::uint32_t word_addr, std::uint32_t lanes, unsigned byte_enable) = 0;
  /// A CSR other than fflags, frm, fcsr. The result goes to rd if access.reads.
  virtual std::uint32_t access_csr(Op op, const CsrAccess& access) = 0;
  virtual void send(std::uint32_t mask_high, std::uint32_t mask_low) = 0;
};

/// Bytes at [base, base + size), code and data alike. Custom CSRs read 0 and ignore writes; sends vanish.
class FlatMemory : public Environment {
 public:
  FlatMemory(std::uint32_t base, std::uint32_t bytes) : base_(base), words_(bytes / 4) {}
  /// The word that holds `addr`. Precondition: inside.
  std::uint32_t& word(std::uint32_t addr) { return words_.at((addr - base_) / 4); }

  std::optional<std::uint32_t> fetch(std::uint32_t pc) override { return load(pc); }
  std::optional<std::uint32_t> load(std::uint32_t word_addr) override;
  bool store(std::uint32_t word_addr, std::uint32_t lanes, unsigned byte_enable) override;
  std::uint32_t access_csr(Op, const CsrAccess&) override { return 0; }
  void send(std::uint32_t, std::uint32_t) override {}

 private:
  std::uint32_t base_;
  std::vector<std::uint32_t> words_;
};

std::optional<Fault> step(Hart& hart, Environment& environment);

/// Steps until a fault or `max_steps` instructions; nothing if the steps ran out.
std::optional<Fault> run(Hart& hart, Environment& environment, std::uint64_t max_steps);

}  // namespace polyloom::overlay
