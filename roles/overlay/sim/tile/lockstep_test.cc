// SPDX-License-Identifier: Apache-2.0
// Covers: random programs on Tile and on ReferenceTile, cycle for cycle: all instructions, races, messages,
// counters. Leaves out: several tiles on one memory, instructions patched under a running thread.
#include <gtest/gtest.h>

#include <cstdlib>
#include <random>

#include "roles/overlay/sim/tile/reference_tile.h"
#include "roles/overlay/sim/tile/test_asm.h"
#include "roles/overlay/sim/tile/test_world.h"

namespace polyloom::overlay::test {
namespace {

/// Writes random programs that end. Registers: x5 id, x6, x7 scratch, x8 private memory, x9 memory shared by
/// all, x18 own send slot, x19 loop count, x10..x17 and x20..x27 data.
class Generator {
 public:
  explicit Generator(unsigned seed) : rng_(seed) {}

  std::vector<std::uint32_t> program() {
    start_others();
    a_.csrrw(5, csr::hart_id, 0);
    a_.i(Op::slli, 8, 5, 11);
    a_.u_type(Op::lui, 6, 0x02000000);
    a_.r(Op::add, 8, 8, 6);
    a_.u_type(Op::lui, 9, pick(2) != 0 ? 0x01800000 : 0x00800000);
    a_.i(Op::slli, 18, 5, 6);
    a_.u_type(Op::lui, 6, 0x8000);
    a_.r(Op::add, 18, 18, 6);
    a_.csrrw(0, csr::send_ptr, 18);
    for (unsigned r = 10; r < 28; ++r) {
      if (r != 18 && r != 19) a_.li(r, number());
    }
    for (unsigned f = 0; f < 32; ++f) a_.fp(Op::fmv_w_x, f, data(), 0, 0);
    a_.i(Op::addi, 19, 0, static_cast<std::int32_t>(3 + pick(20)));
    const std::uint32_t loop = a_.here();
    const unsigned length = 10 + pick(120);
    weights_ = pick(5);
    for (unsigned i = 0; i < length; ++i) instruction();
    a_.i(Op::addi, 19, 19, -1);
    const auto out = a_.branch_forward(Op::beq, 19, 0);
    a_.jal(0, loop);
    a_.land(out);
    if (pick(3) == 0) idle_loop();
    if (pick(6) == 0) a_.load(Op::lw, 6, 0, 0);  // faults
    if (pick(6) == 0) a_.jalr(1, 2, 0);
    a_.kill();
    a_.jal(0, 0);
    return a_.words;
  }

 private:
  /// Thread 0 of each core starts the others.
  void start_others() {
    a_.csrrw(5, csr::hart_id, 0);
    a_.i(Op::andi, 5, 5, 15);
    const auto skip = a_.branch_forward(Op::bne, 5, 0);
    a_.i(Op::addi, 6, 0, 1);
    a_.i(Op::addi, 7, 0, static_cast<std::int32_t>(1 + pick(16)));
    const std::uint32_t loop = a_.here();
    a_.csrrw(0, csr::new_thread, 6);
    a_.i(Op::addi, 6, 6, 1);
    a_.branch(Op::bltu, 6, 7, loop);
    a_.land(skip);
  }

  /// Receives and frees until the idle event.
  void idle_loop() {
    a_.i(Op::addi, 6, 0, 2 + 4 + 8 * static_cast<std::int32_t>(pick(2)));
    const std::uint32_t wait = a_.here();
    a_.csrrw(7, csr::wait_until, 6);
    a_.i(Op::andi, 7, 7, 2);
    const auto out = a_.branch_forward(Op::beq, 7, 0);
    a_.csrrw(7, csr::recv, 0);
    a_.load(Op::lw, data(), 0, 7);
    a_.csrrw(0, csr::free, 7);
    a_.jal(0, wait);
    a_.land(out);
  }

  void instruction() {
    static constexpr unsigned kChoices[5][8] = {
        // of 100: alu, branch, memory, scratchpad, fp, muldiv, csr, message
        {40, 10, 20, 5, 12, 5, 5, 3},
        {20, 5, 60, 2, 5, 2, 4, 2},
        {10, 5, 10, 2, 60, 8, 3, 2},
        {70, 20, 5, 1, 1, 1, 1, 1},
        {25, 5, 5, 2, 20, 40, 2, 1}};
    unsigned at = pick(100), kind = 0;
    while (at >= kChoices[weights_][kind]) at -= kChoices[weights_][kind++];
    switch (kind) {
      case 0:
        return alu();
      case 1: {
        const auto skip =
            a_.branch_forward(any({Op::beq, Op::bne, Op::blt, Op::bge, Op::bltu, Op::bgeu}), data(), data());
        alu();
        if (pick(2) != 0) memory();
        return a_.land(skip);
      }
      case 2:
        return memory();
      case 3:
        return scratchpad();
      case 4:
        return floating();
      case 5:
        return a_.r(any({Op::mul, Op::mulh, Op::mulhsu, Op::mulhu, Op::div, Op::divu, Op::rem, Op::remu}),
                    data(), data(), data());
      case 6:
        return counter();
      default:
        return message();
    }
  }

  void alu() {
    if (pick(2) != 0) {
      a_.r(any({Op::add, Op::sub, Op::sll, Op::slt, Op::sltu, Op::xor_, Op::srl, Op::sra, Op::or_, Op::and_}),
           data(), data(), data());
    } else {
      a_.i(any({Op::addi, Op::slti, Op::sltiu, Op::xori, Op::ori, Op::andi}), data(), data(),
           static_cast<std::int32_t>(pick(4096)) - 2048);
    }
    if (pick(20) == 0) a_.u_type(Op::auipc, data(), number());
    if (pick(20) == 0) a_.fp(any({Op::fsgnj_s, Op::fsgnjn_s, Op::fsgnjx_s}), pick(32), pick(32), pick(32), 0);
    if (pick(20) == 0) a_.jal(data(), a_.here() + 4);
  }

  void access(unsigned base, std::int32_t offset) {
    const std::int32_t word = offset & ~3;
    switch (pick(8)) {
      case 0:
        return a_.load(any({Op::lb, Op::lbu}), data(), offset, base);
      case 1:
        return a_.load(any({Op::lh, Op::lhu}), data(), offset & ~1, base);
      case 2:
      case 3:
        return a_.load(Op::lw, data(), word, base);
      case 4:
        return a_.load(Op::flw, pick(32), word, base);
      case 5:
        return a_.store(Op::sb, data(), offset, base);
      case 6:
        return pick(2) != 0 ? a_.store(Op::sh, data(), offset & ~1, base)
                            : a_.store(Op::fsw, pick(32), word, base);
      default:
        return a_.store(Op::sw, data(), word, base);
    }
  }

  void memory() {
    const unsigned base = pick(4) == 0 ? 9 : 8;
    if (pick(2) != 0) return access(base, static_cast<std::int32_t>(pick(256)));
    a_.i(Op::andi, 6, data(), 0x7fc);
    a_.r(Op::add, 6, 6, base);
    access(6, static_cast<std::int32_t>(pick(64)));
  }

  void scratchpad() { access(18, static_cast<std::int32_t>(pick(64))); }

  void floating() {
    static constexpr unsigned kModes[] = {0, 1, 2, 3, 4, 7, 7, 7};
    const unsigned rm = kModes[pick(8)];
    switch (pick(8)) {
      case 0:
      case 1:
        return a_.fp(any({Op::fadd_s, Op::fsub_s}), pick(32), pick(32), pick(32), rm);
      case 2:
        return a_.fp(Op::fmul_s, pick(32), pick(32), pick(32), rm);
      case 3:
        return a_.fp(any({Op::feq_s, Op::flt_s, Op::fle_s}), data(), pick(32), pick(32), 0);
      case 4:
        return pick(2) != 0 ? a_.fp(Op::fdiv_s, pick(32), pick(32), pick(32), rm)
                            : a_.fp(Op::fsqrt_s, pick(32), pick(32), 0, rm);
      case 5:
        return a_.fma(any({Op::fmadd_s, Op::fmsub_s, Op::fnmsub_s, Op::fnmadd_s}), pick(32), pick(32),
                      pick(32), pick(32), rm);
      case 6:
        return a_.fp(any({Op::fcvt_w_s, Op::fcvt_wu_s}), data(), pick(32), 0, rm);
      default:
        return a_.fp(any({Op::fcvt_s_w, Op::fcvt_s_wu}), pick(32), data(), 0, rm);
    }
  }

  void counter() {
    switch (pick(10)) {
      case 0:
        return a_.csrrw(
            data(), any_number({csr::cycle, csr::cycle_u, csr::cpu_idle_count, csr::cpu_idle_count_u}), 0);
      case 1:
        return a_.csrrw(data(),
                        any_number({csr::hit_count, csr::miss_count, csr::writeback_count, csr::emit}), 0);
      case 2:
        a_.i(Op::addi, 6, 0, static_cast<std::int32_t>(pick(3)));
        return a_.csrrw(0, csr::perf_count, 6);
      case 3:
        return a_.csr_op(Op::csrrwi, data(), csr::frm, pick(5));
      case 4:
        return a_.csr_op(any({Op::csrrs, Op::csrrc}), data(), csr::fflags, data());
      case 5:
        return a_.csrrw(0, csr::to_uart, data());
      case 6:
        return a_.csrrw(data(), csr::from_uart, 0);
      case 7:
        return a_.csrrw(0, csr::emit, data());
      case 8:
        return a_.csrrw(data(), any_number({csr::prog_router_sent, csr::prog_router_sent_inter, 0x123}), 0);
      default:
        a_.i(Op::andi, 6, data(), 0x3f);
        return a_.csrrw(0, csr::flush, 6);
    }
  }

  void message() {
    if (pick(3) == 0) {
      a_.csrrw(6, csr::can_recv, 0);
      const auto skip = a_.branch_forward(Op::beq, 6, 0);
      a_.csrrw(7, csr::recv, 0);
      a_.load(Op::lw, data(), 4, 7);
      a_.csrrw(0, csr::free, 7);
      return a_.land(skip);
    }
    if (pick(3) == 0) {
      a_.i(Op::addi, 6, 0, 1);
      return a_.csrrw(data(), csr::wait_until, 6);
    }
    if (pick(3) == 0) return drain();
    a_.csrrw(6, csr::can_send, 0);
    const auto skip = a_.branch_forward(Op::beq, 6, 0);
    a_.csr_op(Op::csrrwi, 0, csr::send_len, pick(4));
    a_.store(Op::sw, data(), 4, 18);
    a_.i(Op::andi, 6, data(), 1);
    a_.i(Op::andi, 7, data(), 0x84);
    a_.send(6, 7);
    a_.land(skip);
  }

  /// Takes every message that is there, as the softswitch does; sometimes more stores than a thread can note
  /// ahead of time, a second send, or a load from a message that has been freed.
  void drain() {
    const std::uint32_t loop = a_.here();
    a_.csrrw(6, csr::can_recv, 0);
    const auto out = a_.branch_forward(Op::beq, 6, 0);
    a_.csrrw(7, csr::recv, 0);
    a_.load(Op::lw, data(), 0, 7);
    a_.load(any({Op::lbu, Op::lb}), data(), 5, 7);
    for (unsigned n = pick(2) * pick(24); n != 0; --n) {
      a_.store(any({Op::sw, Op::sb}), data(), 4 * static_cast<std::int32_t>(pick(16)), 18);
    }
    a_.load(Op::lw, data(), 4, pick(2) != 0 ? 18 : 7);
    a_.csrrw(0, csr::free, 7);
    if (pick(2) != 0) a_.load(Op::lhu, data(), 2, 7);
    if (pick(2) != 0) {
      a_.csrrw(6, csr::can_send, 0);
      const auto busy = a_.branch_forward(Op::beq, 6, 0);
      a_.i(Op::andi, 7, data(), 0x1);
      a_.send(0, 7);
      a_.csrrw(data(), csr::can_send, 0);
      a_.land(busy);
    }
    if (pick(3) != 0) a_.jal(0, loop);
    a_.land(out);
  }

  unsigned pick(unsigned n) { return static_cast<unsigned>(rng_() % n); }
  unsigned data() { return pick(2) != 0 ? 10 + pick(8) : 20 + pick(8); }
  Op any(std::initializer_list<Op> ops) { return *(ops.begin() + pick(static_cast<unsigned>(ops.size()))); }
  unsigned any_number(std::initializer_list<unsigned> n) {
    return *(n.begin() + pick(static_cast<unsigned>(n.size())));
  }
  /// Integers and floating-point patterns of all kinds.
  std::uint32_t number() {
    switch (pick(4)) {
      case 0:
        return pick(64);
      case 1:
        return 0x3f000000u + pick(0x1000000);
      case 2:
        return 0u - pick(4096);
      default:
        return static_cast<std::uint32_t>(rng_());
    }
  }

  Asm a_;
  std::mt19937 rng_;
  unsigned weights_ = 0;
};

struct Machine {
  BoardParams params;
  TileTiming timing;
};

Machine machine(unsigned seed) {
  std::mt19937 rng(seed * 977 + 5);
  Machine s;
  s.params = one_tile(1 + rng() % 4, 1 + rng() % 16);
  if (rng() % 2 == 0) s.params = one_tile();
  s.params.cache_ways = 1u << rng() % 5;
  s.params.cache_sets_per_thread = 1u << rng() % 3;
  s.params.line_bytes = rng() % 2 == 0 ? 32 : 64;
  s.timing.cache_max_misses = rng() % 2 == 0 ? 32 : 1 + rng() % 6;
  s.timing.cache_hit = rng() % 8;
  s.timing.scratchpad = rng() % 4;
  s.timing.from_memory = 8 + rng() % 8;
  s.timing.fp_add = rng() % 20;
  s.timing.fp_mul = rng() % 20;
  s.timing.div = rng() % 40;
  s.timing.fp_div = rng() % 40;
  s.timing.divide_interval = rng() % 3 == 0 ? 1 : 1 + rng() % 40;
  return s;
}

template <class T>
void start(World<T>& w, const Machine& s, const std::vector<std::uint32_t>& words) {
  w.load(words);
  for (unsigned core = 0; core < s.params.cores_per_tile; ++core) w.tile.start_thread(3 * core, core, 0, 0);
  for (unsigned i = 0; i < 6; ++i)
    w.tile.uart_in(0, i % s.params.threads_per_core, static_cast<std::uint8_t>(50 + i));
}

void expect_equal(const Machine& s, World<Tile>& fast, World<ReferenceTile>& slow) {
  EXPECT_EQ(fast.now, slow.now);
  ASSERT_EQ(fast.log.size(), slow.log.size());
  for (std::size_t i = 0; i < fast.log.size(); ++i) ASSERT_EQ(fast.log[i], slow.log[i]) << "entry " << i;
  for (unsigned t = 0; t < s.params.threads_per_tile(); ++t) {
    const Hart& hart = slow.tile.hart(t);
    ASSERT_EQ(fast.tile.thread_state(t), slow.tile.thread_state(t)) << "thread " << t;
    ASSERT_EQ(fast.tile.thread_pc(t), hart.pc) << "thread " << t;
    ASSERT_EQ(fast.tile.thread_fcsr(t), hart.fcsr) << "thread " << t;
    for (unsigned r = 0; r < 32; ++r) {
      ASSERT_EQ(fast.tile.thread_reg(t, r), hart.x[r]) << "thread " << t << " x" << r;
      ASSERT_EQ(fast.tile.thread_freg(t, r), hart.f[r]) << "thread " << t << " f" << r;
    }
  }
  const TileCounters a = fast.tile.totals(), b = slow.tile.totals();
  EXPECT_EQ(a.retired, b.retired);
  EXPECT_EQ(a.hits, b.hits);
  EXPECT_EQ(a.misses, b.misses);
  EXPECT_EQ(a.writebacks, b.writebacks);
  EXPECT_EQ(a.fpu_ops, b.fpu_ops);
  EXPECT_EQ(a.scratchpad_words, b.scratchpad_words);
  for (unsigned k = 0; k < s.params.cores_per_tile; ++k)
    EXPECT_EQ(fast.tile.retired(k), slow.tile.retired(k));
  EXPECT_EQ(fast.memory.digest(), slow.memory.digest());
  EXPECT_TRUE(std::ranges::equal(fast.mailbox.words(), slow.mailbox.words()));
}

class Lockstep : public ::testing::TestWithParam<unsigned> {};

TEST_P(Lockstep, RandomProgram) {
  const Machine s = machine(GetParam());
  const auto words = Generator(GetParam()).program();
  // A quarter of the programs on the engine for hosts without vector instructions.
  GetParam() % 4 == 3 ? setenv("POLYLOOM_PORTABLE", "1", 1) : unsetenv("POLYLOOM_PORTABLE");
  World<Tile> fast(s.params, s.timing);
  World<ReferenceTile> slow(s.params, s.timing);
  start(fast, s, words);
  start(slow, s, words);
  constexpr Cycle kLimit = 60'000;
  const bool ended = slow.finish(kLimit);
  EXPECT_EQ(fast.finish(kLimit), ended);
  if (!ended) {
    // Compare what is exact at any time: what was said and counted so far.
    EXPECT_EQ(fast.log, slow.log);
    return;
  }
  // Let write-backs reach the memory.
  fast.run(fast.now + 4000);
  slow.run(slow.now + 4000);
  expect_equal(s, fast, slow);
}

/// A window that one engine runs and another skips would make a board's results depend on its host.
TEST_P(Lockstep, EnginesSkipTheSameWindows) {
  const Machine s = machine(GetParam());
  const auto words = Generator(GetParam()).program();
  unsetenv("POLYLOOM_PORTABLE");
  World<Tile> fast(s.params, s.timing);
  setenv("POLYLOOM_PORTABLE", "1", 1);
  World<Tile> portable(s.params, s.timing);
  unsetenv("POLYLOOM_PORTABLE");
  start(fast, s, words);
  start(portable, s, words);
  while (fast.now < 4000) {
    fast.run(fast.now + kWindow);
    portable.run(portable.now + kWindow);
    ASSERT_EQ(fast.tile.next_event(), portable.tile.next_event()) << "after cycle " << fast.now;
  }
}

unsigned seeds() {
  const char* text = std::getenv("POLYLOOM_LOCKSTEP_SEEDS");
  return text != nullptr ? static_cast<unsigned>(std::strtoul(text, nullptr, 0)) : 60;
}
INSTANTIATE_TEST_SUITE_P(Seeds, Lockstep, ::testing::Range(0u, seeds()));

}  // namespace
}  // namespace polyloom::overlay::test
