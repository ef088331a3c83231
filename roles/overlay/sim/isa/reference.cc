// SPDX-License-Identifier: Apache-2.0
#include "roles/overlay/sim/isa/reference.h"

#include <algorithm>

namespace polyloom::overlay {

bool Hart::same_state(const Hart& other) const {
  return pc == other.pc && std::equal(x.begin(), x.begin() + kSinkReg, other.x.begin()) && f == other.f &&
         fcsr == other.fcsr;
}

std::optional<std::uint32_t> FlatMemory::load(std::uint32_t word_addr) {
  const std::uint32_t index = (word_addr - base_) / 4;
  if (word_addr < base_ || index >= words_.size()) return std::nullopt;
  return words_[index];
}

bool FlatMemory::store(std::uint32_t word_addr, std::uint32_t lanes, unsigned byte_enable) {
  const std::uint32_t index = (word_addr - base_) / 4;
  if (word_addr < base_ || index >= words_.size()) return false;
  words_[index] = merge_bytes(words_[index], lanes, byte_enable);
  return true;
}

namespace {

using MaybeFault = std::optional<Fault>;

/// Jumps to `target`, writing the link register first if it may be reached.
MaybeFault jump(Hart& hart, const Inst& in, std::uint32_t target, bool link) {
  if ((target & 3) != 0) return Fault{FaultCause::misaligned_jump, hart.pc, target};
  if (link) hart.x[in.rd] = hart.pc + 4;
  hart.pc = target;
  return std::nullopt;
}

MaybeFault load(Hart& hart, const Inst& in, Environment& environment) {
  const std::uint32_t addr = hart.x[in.rs1] + static_cast<std::uint32_t>(in.imm);
  if (addr % access_size(in.op) != 0) return Fault{FaultCause::misaligned_load, hart.pc, addr};
  const auto word = environment.load(addr & ~3u);
  if (!word) return Fault{FaultCause::bad_load, hart.pc, addr};
  (in.op == Op::flw ? hart.f[in.rd] : hart.x[in.rd]) = load_value(in.op, *word, addr);
  return std::nullopt;
}

MaybeFault store(Hart& hart, const Inst& in, Environment& environment) {
  const std::uint32_t addr = hart.x[in.rs1] + static_cast<std::uint32_t>(in.imm);
  if (addr % access_size(in.op) != 0) return Fault{FaultCause::misaligned_store, hart.pc, addr};
  const std::uint32_t value = in.op == Op::fsw ? hart.f[in.rs2] : hart.x[in.rs2];
  if (!environment.store(addr & ~3u, store_lanes(value, addr), store_byte_enable(in.op, addr))) {
    return Fault{FaultCause::bad_store, hart.pc, addr};
  }
  return std::nullopt;
}

void access_csr(Hart& hart, const Inst& in, Environment& environment) {
  if (is_fp_csr(in.csr())) {
    execute_fp_csr(in, hart.x.data(), hart.fcsr);
    return;
  }
  const CsrAccess access = csr_access(in.op, in, hart.x.data());
  const std::uint32_t value = environment.access_csr(in.op, access);
  if (access.reads) hart.x[in.rd] = value;
}

/// Executes everything but jumps and branches; the caller moves pc.
MaybeFault execute(Hart& hart, const Inst& in, std::uint32_t word, Environment& environment) {
  std::uint32_t* x = hart.x.data();
  switch (op_class(in.op)) {
    case OpClass::alu:
      execute_alu(in.op, in, hart.pc, x);
      return std::nullopt;
    case OpClass::load:
      return load(hart, in, environment);
    case OpClass::store:
      return store(hart, in, environment);
    case OpClass::mul:
      x[in.rd] = multiply(in.op, x[in.rs1], x[in.rs2]);
      return std::nullopt;
    case OpClass::div:
      x[in.rd] = divide(in.op, x[in.rs1], x[in.rs2]);
      return std::nullopt;
    case OpClass::csr:
      access_csr(hart, in, environment);
      return std::nullopt;
    case OpClass::send:
      environment.send(x[in.rs1], x[in.rs2]);
      return std::nullopt;
    case OpClass::system:
      return in.op == Op::ebreak ? Fault{FaultCause::breakpoint, hart.pc, hart.pc}
                                 : Fault{FaultCause::environment_call, hart.pc, x[17]};
    case OpClass::illegal:
      return Fault{FaultCause::illegal_instruction, hart.pc, word};
    default:
      if (execute_fp(in.op, in, x, hart.f.data(), hart.fcsr)) return std::nullopt;
      return Fault{FaultCause::illegal_instruction, hart.pc, word};
  }
}

}  // namespace

std::optional<Fault> step(Hart& hart, Environment& environment) {
  if ((hart.pc & 3) != 0) return Fault{FaultCause::misaligned_jump, hart.pc, hart.pc};
  const auto word = environment.fetch(hart.pc);
  if (!word) return Fault{FaultCause::bad_fetch, hart.pc, hart.pc};
  const Inst in = decode(*word);
  const OpClass cls = op_class(in.op);
  MaybeFault fault;
  if (cls == OpClass::jump) {
    fault = jump(hart, in, jump_target(in.op, hart.pc, hart.x[in.rs1], in.imm), true);
  } else if (cls == OpClass::branch && branch_taken(in.op, hart.x[in.rs1], hart.x[in.rs2])) {
    fault = jump(hart, in, jump_target(in.op, hart.pc, 0, in.imm), false);
  } else {
    if (cls != OpClass::branch) fault = execute(hart, in, *word, environment);
    if (!fault) hart.pc += 4;
  }
  if (!fault) ++hart.instret;
  return fault;
}

std::optional<Fault> run(Hart& hart, Environment& environment, std::uint64_t max_steps) {
  for (std::uint64_t i = 0; i < max_steps; ++i) {
    if (auto fault = step(hart, environment)) return fault;
  }
  return std::nullopt;
}

}  // namespace polyloom::overlay
