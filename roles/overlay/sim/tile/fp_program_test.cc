// SPDX-License-Identifier: Apache-2.0
// Covers: results and flags of every RV32F operation as programs on a core of the fast model see them,
// against rational arithmetic (isa/fp_vectors.py): all rounding modes, static and dynamic, one thread and
// sixteen with mixed modes, operands bent towards overflow, underflow, ties and NaN. Leaves out: timing
// (tile_test.cc), flags of several operations read at once (lockstep_test.cc, isa/qemu_test.cc), the plain
// moves (tests/isa).
#include <gtest/gtest.h>

#include <algorithm>
#include <cctype>
#include <cstdio>
#include <map>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "fabric/full_tests.h"
#include "roles/overlay/sim/tile/test_asm.h"
#include "roles/overlay/sim/tile/test_world.h"

namespace polyloom::overlay::test {
namespace {

/// As it lies in a thread's memory: a line of its own, so that the next one misses.
struct Record {
  std::uint32_t a = 0, b = 0, c = 0, frm = 0;
  std::uint32_t result = 0, flags = 0;  ///< of the program
  std::uint32_t spare[2] = {};
};
static_assert(sizeof(Record) == 32);

struct Vector {
  std::uint32_t a, b, c, rm, result, flags;
};

constexpr std::uint32_t kTable = 0x02000000;
constexpr unsigned kResultAt = 16, kFlagsAt = 20;

using Vectors = std::map<std::string, std::vector<Vector>>;

/// By operation, in an order in which modes and operands are mixed.
Vectors read_vectors() {
  const int count = fabric::full_tests() ? 20'000 : 120;
  const std::string command =
      "python3 '" POLYLOOM_ISA_FOLDER "/fp_vectors.py' " + std::to_string(count) + " 2";
  const std::unique_ptr<FILE, int (*)(FILE*)> pipe(popen(command.c_str(), "r"), pclose);
  if (!pipe) return {};
  Vectors vectors;
  char name[16];
  Vector v{};
  while (std::fscanf(pipe.get(), "%15s %x %x %x %u %x %x", name, &v.a, &v.b, &v.c, &v.rm, &v.result,
                     &v.flags) == 7) {
    vectors[name].push_back(v);
  }
  std::mt19937 random(3);
  for (auto& [_, list] : vectors) std::ranges::shuffle(list, random);
  return vectors;
}

const Vectors& vectors() {
  static const Vectors all = read_vectors();
  return all;
}

/// "fadd" is fadd.s, "fcvt_w_s" is fcvt.w.s.
Op op_of(const std::string& name) {
  std::string text = name.starts_with("fcvt") ? name : name + "_s";
  std::ranges::replace(text, '_', '.');
  for (std::size_t op = 1; op < kNumOps; ++op) {
    if (text == kOpInfo[op].text) return static_cast<Op>(op);
  }
  ADD_FAILURE() << "fp_vectors.py prints an unknown operation " << name;
  return Op::illegal;
}

/// Each thread works through `records` records of its own, beginning with flags that are clear. Between an
/// operation and the read of its flags comes a load that misses: the thread is left with flags raised.
std::vector<std::uint32_t> program(Op op, unsigned rm, unsigned records) {
  Asm a;
  const OpInfo& info = op_info(op);
  const unsigned own = (has_rm(info.form) ? rm : 0) << 12;
  a.csrrw(5, csr::hart_id, 0);
  a.li(6, records * sizeof(Record));
  a.r(Op::mul, 6, 5, 6);
  a.li(8, kTable);
  a.r(Op::add, 8, 8, 6);
  a.li(19, records);
  const std::uint32_t loop = a.here();
  a.load(Op::lw, 10, 12, 8);
  a.csrrw(0, csr::frm, 10);
  for (unsigned i = 0; i < 3; ++i) a.load(Op::flw, 1 + i, 4 * static_cast<std::int32_t>(i), 8);
  a.load(Op::lw, 1, 0, 8);
  a.csrrw(0, csr::fflags, 0);
  const unsigned rs2 =
      info.form == Form::frr || info.form == Form::frr_rm || info.form == Form::fcmp || info.form == Form::fr4
          ? 2
          : 0;
  a.words.push_back(info.match | 4u << 7 | 1u << 15 | rs2 << 20 | (info.form == Form::fr4 ? 3u << 27 : 0) |
                    own);
  a.load(Op::lw, 11, sizeof(Record), 8);
  a.csr_op(Op::csrrs, 12, csr::fflags, 0);
  writes_x(info.form) ? a.store(Op::sw, 4, kResultAt, 8) : a.store(Op::fsw, 4, kResultAt, 8);
  a.store(Op::sw, 12, kFlagsAt, 8);
  a.i(Op::addi, 8, 8, sizeof(Record));
  a.i(Op::addi, 19, 19, -1);
  const auto out = a.branch_forward(Op::beq, 19, 0);
  a.jal(0, loop);
  a.land(out);
  // What is still in the thread's lines goes to memory.
  a.i(Op::addi, 7, 0, 63);
  const std::uint32_t flush = a.here();
  a.csrrw(0, csr::flush, 7);
  a.i(Op::addi, 7, 7, -1);
  a.branch(Op::bge, 7, 0, flush);
  a.kill();
  a.jal(0, 0);
  return a.words;
}

/// Runs the vectors on `threads` threads of all cores; the number that came out wrong.
unsigned wrong_ones(const std::string& name, unsigned rm, const std::vector<Vector>& list, unsigned threads) {
  const auto records = static_cast<unsigned>((list.size() + threads - 1) / threads);
  const unsigned cores = std::min(threads, 4u);
  std::vector<Record> table(std::size_t{records} * threads);
  for (std::size_t i = 0; i < table.size(); ++i) {
    const Vector& v = list[i % list.size()];
    table[i] = {.a = v.a, .b = v.b, .c = v.c, .frm = rm == kDynamicRounding ? v.rm : (v.rm + 2) % 5};
  }
  World<Tile> w(one_tile(cores, threads / cores));
  w.load(program(op_of(name), rm, records));
  w.memory.write(0, kTable, table.data(), table.size() * sizeof(Record));
  for (unsigned t = 0; t < threads; ++t) w.tile.start_thread(0, t % cores, t / cores, 0);
  EXPECT_TRUE(w.finish(Cycle{4000} * (records + 10)));
  w.run(w.now + 20'000);
  w.memory.read(0, kTable, table.data(), table.size() * sizeof(Record));
  unsigned wrong = 0;
  for (std::size_t i = 0; i < table.size(); ++i) {
    const Vector& v = list[i % list.size()];
    const Record& r = table[i];
    if (r.result == v.result && r.flags == v.flags) continue;
    if (++wrong > 3) continue;
    ADD_FAILURE() << std::hex << name << "(" << v.a << ", " << v.b << ", " << v.c << ") mode " << v.rm
                  << (rm == kDynamicRounding ? " dynamic" : " static") << ", " << std::dec << threads
                  << " threads: " << std::hex << r.result << " flags " << r.flags << ", expected " << v.result
                  << " flags " << v.flags;
  }
  return wrong;
}

class FpProgram : public ::testing::TestWithParam<unsigned> {};

TEST_P(FpProgram, DynamicModes) {
  ASSERT_EQ(vectors().size(), 22u);
  for (const auto& [name, list] : vectors()) {
    EXPECT_EQ(wrong_ones(name, kDynamicRounding, list, GetParam()), 0u) << name;
  }
}

TEST_P(FpProgram, StaticModes) {
  ASSERT_EQ(vectors().size(), 22u);
  for (const auto& [name, list] : vectors()) {
    if (!has_rm(op_info(op_of(name)).form)) continue;
    for (unsigned rm = 0; rm < 5; ++rm) {
      std::vector<Vector> of_mode;
      std::ranges::copy_if(list, std::back_inserter(of_mode), [rm](const Vector& v) { return v.rm == rm; });
      EXPECT_EQ(wrong_ones(name, rm, of_mode, GetParam()), 0u) << name << " mode " << rm;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Threads, FpProgram, ::testing::Values(1u, 16u));

}  // namespace
}  // namespace polyloom::overlay::test
