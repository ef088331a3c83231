// SPDX-License-Identifier: Apache-2.0
// Prints what instructions cost on this host: fp.h operation by operation, and an untimed interpreter built
// on exec.h (the ceiling of a run-ahead interpreter). Usage: overlay_isa_speed. Numbers are printed, never
// checked.
#include <cstdio>
#include <ctime>
#include <vector>

#include "roles/overlay/sim/isa/exec.h"
#include "roles/overlay/sim/isa/fp_operands.h"

namespace {

using namespace polyloom::overlay;
/// CPU time, so that other work on the machine disturbs little.
double cpu_seconds() { return static_cast<double>(std::clock()) / CLOCKS_PER_SEC; }

/// Executes predecoded code until a system instruction; x[31] is a counter that the code counts down. One
/// case of the switch per instruction, each an instance of the shared definition.
std::uint64_t interpret(const Inst* code, std::uint32_t* x, std::uint32_t* f, std::uint32_t& fcsr) {
  std::uint64_t count = 0;
  std::uint32_t pc = 0;
  for (;;) {
    const Inst& in = code[pc >> 2];
    ++count;
    switch (in.op) {
#define RUN_alu(id) execute_alu(Op::id, in, pc, x);
#define RUN_mul(id) x[in.rd] = multiply(Op::id, x[in.rs1], x[in.rs2]);
#define RUN_div(id) x[in.rd] = divide(Op::id, x[in.rs1], x[in.rs2]);
#define RUN_branch(id)                              \
  if (branch_taken(Op::id, x[in.rs1], x[in.rs2])) { \
    pc = jump_target(Op::id, pc, 0, in.imm);        \
    continue;                                       \
  }
#define RUN_jump(id)                                                         \
  {                                                                          \
    const std::uint32_t target = jump_target(Op::id, pc, x[in.rs1], in.imm); \
    x[in.rd] = pc + 4;                                                       \
    pc = target;                                                             \
    continue;                                                                \
  }
#define RUN_fp(id) \
  if (!execute_fp(Op::id, in, x, f, fcsr)) return count;
#define RUN_fp_move(id) RUN_fp(id)
#define RUN_fp_compare(id) RUN_fp(id)
#define RUN_fp_convert(id) RUN_fp(id)
#define RUN_fp_add(id) RUN_fp(id)
#define RUN_fp_mul(id) RUN_fp(id)
#define RUN_fp_fma(id) RUN_fp(id)
#define RUN_fp_div(id) RUN_fp(id)
#define RUN_fp_sqrt(id) RUN_fp(id)
#define RUN_load(id) return count;
#define RUN_store(id) return count;
#define RUN_csr(id) return count;
#define RUN_send(id) return count;
#define RUN_system(id) return count;
#define X(id, text, mask, match, form, cls) \
  case Op::id:                              \
    RUN_##cls(id) break;
      POLYLOOM_RV_OPS(X)
#undef X
      case Op::illegal:
        return count;
    }
    pc += 4;
  }
}

void print_interpreter(const char* name, const std::vector<std::uint32_t>& words) {
  std::vector<Inst> code;
  for (const std::uint32_t word : words) code.push_back(decode(word));
  std::uint32_t x[kNumXRegs] = {}, f[32] = {}, fcsr = 0;
  for (unsigned i = 1; i < 31; ++i) x[i] = i * 0x9e3779b9u;
  for (unsigned i = 0; i < 32; ++i) f[i] = 0x3f800000u + i * 0x12345u;
  x[31] = 10'000'000;
  const double start = cpu_seconds();
  const std::uint64_t count = interpret(code.data(), x, f, fcsr);
  std::printf("%-34s %7.0f million instructions/s\n", name,
              1e-6 * static_cast<double>(count) / (cpu_seconds() - start));
}

template <typename F>
void print_operation(const char* name, F operation) {
  constexpr unsigned kValues = 4096, kRepeats = 2000;
  std::vector<std::uint32_t> values;
  fp::Operands operands(1);
  while (values.size() < kValues + 2) {
    // Magnitudes 2^-16 .. 2^16, as in ordinary programs.
    values.push_back((operands.any() & 0x007fffff) | (127 - 16 + operands.any() % 32) << 23);
  }
  std::uint32_t sink = 0;
  std::uint8_t flags = 0;
  const double start = cpu_seconds();
  for (unsigned r = 0; r < kRepeats; ++r) {
    for (unsigned i = 0; i < kValues; ++i)
      sink = sink * 3 + operation(values[i], values[i + 1], values[i + 2], flags);
  }
  const double ns = 1e9 * (cpu_seconds() - start) / (double{kValues} * kRepeats);
  std::printf("%-34s %7.2f ns  (check %08x)\n", name, ns, sink + flags);
}

void print_operations(const char* mode_name, fp::RoundingMode rm) {
  const auto print = [&](const char* name, auto operation) {
    print_operation((std::string(name) + ", " + mode_name).c_str(), operation);
  };
  using Bits = std::uint32_t;
  using Flags = std::uint8_t;
  print("fadd", [&](Bits a, Bits b, Bits, Flags& f) { return fp::fadd(a, b, rm, f); });
  print("fmul", [&](Bits a, Bits b, Bits, Flags& f) { return fp::fmul(a, b, rm, f); });
  print("fdiv", [&](Bits a, Bits b, Bits, Flags& f) { return fp::fdiv(a, b, rm, f); });
  print("fsqrt", [&](Bits a, Bits, Bits, Flags& f) { return fp::fsqrt(a, rm, f); });
  print("fmadd", [&](Bits a, Bits b, Bits c, Flags& f) { return fp::fmadd(a, b, c, rm, f); });
  print("fcvt.w.s", [&](Bits a, Bits, Bits, Flags& f) { return fp::fcvt_w_s(a, rm, f); });
  print("fcvt.s.w", [&](Bits a, Bits, Bits, Flags& f) { return fp::fcvt_s_w(a, rm, f); });
}

}  // namespace

int main() {
  // Loops of ten instructions: work, count down, branch back; then ebreak.
  const std::vector<std::uint32_t> integer = {
      0x002081b3,  // add   x3, x1, x2
      0x00319213,  // slli  x4, x3, 3
      0x004242b3,  // xor   x5, x4, x4
      0x0012f313,  // andi  x6, x5, 1
      0x40628133,  // sub   x2, x5, x6
      0x00312433,  // slt   x8, x2, x3
      0x00c0d093,  // srli  x1, x1, 12
      0x008080b3,  // add   x1, x1, x8
      0xffff8f93,  // addi  x31, x31, -1
      0xfc0f9ee3,  // bnez  x31, -36
      0x00100073,  // ebreak
  };
  const std::vector<std::uint32_t> floating = {
      0x002081d3,  // fadd.s  f3, f1, f2, rne
      0x1031f253,  // fmul.s  f4, f3, f3, dyn
      0x082272d3,  // fsub.s  f5, f4, f2, dyn
      0x10417353,  // fmul.s  f6, f2, f4, dyn
      0x28627443,  // fmadd.s f8, f4, f6, f5, dyn
      0xa08314d3,  // flt.s   x9, f6, f8
      0x00b474d3,  // fadd.s  f9, f8, f11, dyn
      0x00950533,  // add     x10, x10, x9
      0xffff8f93,  // addi    x31, x31, -1
      0xfc0f9ee3,  // bnez    x31, -36
      0x00100073,  // ebreak
  };
  print_interpreter("interpreter, integer loop", integer);
  print_interpreter("interpreter, fp32 loop", floating);
  print_operations("rne", fp::RoundingMode::rne);
  print_operations("rtz", fp::RoundingMode::rtz);
  return 0;
}
