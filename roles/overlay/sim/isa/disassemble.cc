// SPDX-License-Identifier: Apache-2.0
#include <cstdio>

#include "roles/overlay/sim/isa/inst.h"

namespace polyloom::overlay {
namespace {

const char* x_name(unsigned r) {
  static constexpr const char* kNames[] = {"zero", "ra", "sp", "gp", "tp", "t0",  "t1", "t2", "s0",
                                           "s1",   "a0", "a1", "a2", "a3", "a4",  "a5", "a6", "a7",
                                           "s2",   "s3", "s4", "s5", "s6", "s7",  "s8", "s9", "s10",
                                           "s11",  "t3", "t4", "t5", "t6", "zero"};
  return kNames[r];  // the last is kSinkReg
}
const char* f_name(unsigned r) {
  static constexpr const char* kNames[] = {"ft0", "ft1", "ft2",  "ft3",  "ft4", "ft5", "ft6",  "ft7",
                                           "fs0", "fs1", "fa0",  "fa1",  "fa2", "fa3", "fa4",  "fa5",
                                           "fa6", "fa7", "fs2",  "fs3",  "fs4", "fs5", "fs6",  "fs7",
                                           "fs8", "fs9", "fs10", "fs11", "ft8", "ft9", "ft10", "ft11"};
  return kNames[r];
}

std::string number(const char* format, std::uint32_t v) {
  char text[24];
  std::snprintf(text, sizeof text, format, v);
  return text;
}
std::string decimal(std::int32_t v) { return std::to_string(v); }
std::string hex(std::uint32_t v) { return number("0x%x", v); }

/// The assembler's default rounding mode, dyn, is not written.
std::string rounding(const Inst& in) {
  static constexpr const char* kNames[] = {", rne", ", rtz", ", rdn", ", rup", ", rmm", "", "", ""};
  return kNames[in.rm()];
}

std::string operands(const Inst& in, Form form, std::uint32_t pc) {
  const std::string sep = ", ";
  const auto xd = [&] { return std::string(x_name(in.rd)); };
  const auto fd = [&] { return std::string(f_name(in.rd)); };
  const auto x1 = [&] { return std::string(x_name(in.rs1)); };
  const auto x2 = [&] { return std::string(x_name(in.rs2)); };
  const auto f1 = [&] { return std::string(f_name(in.rs1)); };
  const auto f2 = [&] { return std::string(f_name(in.rs2)); };
  const auto memory = [&] { return decimal(in.imm) + "(" + x1() + ")"; };
  const std::uint32_t target = pc + static_cast<std::uint32_t>(in.imm);
  switch (form) {
    case Form::none:
      return "";
    case Form::r:
      return xd() + sep + x1() + sep + x2();
    case Form::i:
      return xd() + sep + x1() + sep + decimal(in.imm);
    case Form::shift:
      return xd() + sep + x1() + sep + hex(static_cast<std::uint32_t>(in.imm));
    case Form::u:
      return xd() + sep + hex(static_cast<std::uint32_t>(in.imm) >> 12);
    case Form::jal:
      return xd() + sep + hex(target);
    case Form::branch:
      return x1() + sep + x2() + sep + hex(target);
    case Form::jalr:
    case Form::load:
      return xd() + sep + memory();
    case Form::fload:
      return fd() + sep + memory();
    case Form::store:
      return x2() + sep + memory();
    case Form::fstore:
      return f2() + sep + memory();
    case Form::csr:
      return xd() + sep + hex(in.csr()) + sep + x1();
    case Form::csri:
      return xd() + sep + hex(in.csr()) + sep + decimal(in.rs1);
    case Form::frr:
      return fd() + sep + f1() + sep + f2();
    case Form::frr_rm:
      return fd() + sep + f1() + sep + f2() + rounding(in);
    case Form::fr_rm:
      return fd() + sep + f1() + rounding(in);
    case Form::fr4:
      return fd() + sep + f1() + sep + f2() + sep + f_name(in.rs3()) + rounding(in);
    case Form::fcmp:
      return xd() + sep + f1() + sep + f2();
    case Form::f2x:
      return xd() + sep + f1();
    case Form::f2x_rm:
      return xd() + sep + f1() + rounding(in);
    case Form::x2f:
      return fd() + sep + x1();
    case Form::x2f_rm:
      return fd() + sep + x1() + rounding(in);
    case Form::send:
      return x1() + sep + x2();
  }
  return "";
}

}  // namespace

std::string disassemble(std::uint32_t word, std::uint32_t pc) {
  const Inst in = decode(word);
  if (in.op == Op::illegal) return number(".word 0x%08x", word);
  const OpInfo& info = op_info(in.op);
  const std::string args = operands(in, info.form, pc);
  return args.empty() ? info.text : std::string(info.text) + " " + args;
}

}  // namespace polyloom::overlay
