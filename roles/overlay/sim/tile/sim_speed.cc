// SPDX-License-Identifier: Apache-2.0
// How fast the timing model of a tile runs: million simulated instructions a second of host CPU time, timing
// on, for a board of 16 tiles with all 1,024 threads busy. Prints one line a program; takes a few seconds.
//   overlay_tile_speed [cycles [name]]
#include <array>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <memory>
#include <string>
#include <vector>

#include "blocks/memory/sim/dram.h"
#include "blocks/memory/sim/sram.h"
#include "roles/overlay/sim/tile/test_asm.h"
#include "roles/overlay/sim/tile/tile.h"

namespace polyloom::overlay {
namespace {

using test::Asm;

/// No thread sends here: all only compute. The scratchpad reads as 0.
class NoMailbox : public MailboxPort {
 public:
  bool can_send(unsigned) const override { return true; }
  void send(Cycle, unsigned, const SendRequest&) override {}
  bool can_recv(unsigned) const override { return false; }
  std::uint32_t recv(Cycle, unsigned) override { return 0; }
  void free_slot(Cycle, std::uint32_t) override {}
  void wait(Cycle, unsigned, std::uint32_t) override {}
  void thread_stopped(unsigned) override {}
  std::uint32_t load(std::uint32_t) const override { return 0; }
  void store(std::uint32_t, std::uint32_t, unsigned) override {}
  std::span<const std::uint32_t> words() const override { return nothing_; }
  bool foreseeable() const override { return true; }
  unsigned queued(unsigned) const override { return 0; }
  std::uint32_t peek(unsigned, unsigned) const override { return 0; }

 private:
  std::array<std::uint32_t, 16> nothing_{};
};

class Loud : public TileEvents {
 public:
  bool uart_out(Cycle, std::uint32_t, std::uint8_t) override { return true; }
  void uart_read(Cycle, std::uint32_t) override {}
  void fault(Cycle c, std::uint32_t id, const Fault& f) override {
    std::fprintf(stderr, "cycle %llu: thread %u faults at 0x%x: %s, 0x%x\n",
                 static_cast<unsigned long long>(c), id, f.pc, fault_name(f.cause), f.value);
    std::exit(1);
  }
  void emit(Cycle, std::uint32_t, std::uint32_t) override {}
  std::uint32_t router_sent(bool) override { return 0; }
};

/// s0 = base of the thread's own 1 KiB in DRAM: 0x02000000 + id * 1 KiB, spread so that threads share no
/// line.
void own_memory(Asm& a) {
  a.csrrw(5, csr::hart_id, 0);
  a.i(Op::slli, 8, 5, 14);
  a.u_type(Op::lui, 6, 0x02000000);
  a.r(Op::add, 8, 8, 6);
}

/// Nothing but additions and a jump.
std::vector<std::uint32_t> plain() {
  Asm a;
  own_memory(a);
  const auto loop = a.here();
  for (int i = 0; i < 30; ++i)
    a.i(Op::addi, 10 + static_cast<unsigned>(i) % 8, 10 + static_cast<unsigned>(i + 3) % 8, i);
  a.jal(0, loop);
  return a.words;
}

/// Integer code as compilers emit it, all hits: a hash over a table of the thread's own 512 bytes. Of 20
/// instructions, 3 load, 1 stores, 3 branch (one of them taken at random).
std::vector<std::uint32_t> integer_mix() {
  Asm a;
  own_memory(a);
  a.li(20, 0x9e3779b9);
  a.i(Op::addi, 9, 5, 1);  // x
  const auto loop = a.here();
  a.i(Op::slli, 11, 9, 13);
  a.r(Op::xor_, 9, 9, 11);
  a.i(Op::srli, 11, 9, 17);
  a.r(Op::xor_, 9, 9, 11);
  a.i(Op::slli, 11, 9, 5);
  a.r(Op::xor_, 9, 9, 11);
  a.i(Op::andi, 12, 9, 0x1fc);
  a.r(Op::add, 12, 12, 8);
  a.load(Op::lw, 13, 0, 12);
  a.r(Op::add, 14, 13, 9);
  const auto skip = a.branch_forward(Op::blt, 14, 0);
  a.i(Op::addi, 14, 14, 77);
  a.r(Op::sub, 15, 15, 14);
  a.land(skip);
  a.store(Op::sw, 14, 0, 12);
  a.load(Op::lbu, 16, 256, 8);
  a.r(Op::add, 17, 17, 16);
  const auto skip2 = a.branch_forward(Op::bgeu, 16, 20);
  a.load(Op::lw, 18, 64, 8);
  a.r(Op::add, 19, 19, 18);
  a.land(skip2);
  a.jal(0, loop);
  return a.words;
}

/// The inner loop of a dense update y[i] = a * x[i] + y[i] with a norm: of 14 instructions, 4 use the FPU, 3
/// memory.
std::vector<std::uint32_t> fp32() {
  Asm a;
  own_memory(a);
  a.i(Op::addi, 9, 0, 3);
  a.fp(Op::fcvt_s_w, 10, 9);
  a.u_type(Op::lui, 9, 0x3c000000);
  a.fp(Op::fmv_w_x, 11, 9, 0, 0);
  const auto outer = a.here();
  a.i(Op::addi, 12, 8, 0);
  a.i(Op::addi, 13, 8, 256);
  const auto loop = a.here();
  a.load(Op::flw, 1, 0, 12);
  a.load(Op::flw, 2, 256, 12);
  a.fp(Op::fmul_s, 3, 1, 10);
  a.fp(Op::fadd_s, 4, 3, 2);
  a.i(Op::addi, 14, 14, 1);
  a.fp(Op::fmul_s, 5, 4, 11);
  a.i(Op::slli, 15, 14, 2);
  a.fp(Op::fadd_s, 6, 6, 5);
  a.r(Op::xor_, 16, 15, 14);
  a.store(Op::fsw, 4, 256, 12);
  a.i(Op::addi, 12, 12, 4);
  a.i(Op::andi, 16, 16, 255);
  a.r(Op::add, 17, 17, 16);
  a.branch(Op::bltu, 12, 13, loop);
  a.jal(0, outer);
  return a.words;
}

/// Every load goes to a new line: as many misses as the memory serves.
std::vector<std::uint32_t> missing() {
  Asm a;
  own_memory(a);
  a.i(Op::addi, 9, 0, 0);
  a.u_type(Op::lui, 11, 0x4000);
  a.i(Op::addi, 11, 11, -1);
  const auto loop = a.here();
  for (int i = 0; i < 4; ++i) {
    a.r(Op::add, 12, 8, 9);
    a.load(Op::lw, 13, 0, 12);
    a.r(Op::add, 14, 14, 13);
    a.store(Op::sw, 14, 4, 12);
    a.i(Op::addi, 9, 9, 32);
    a.r(Op::and_, 9, 9, 11);
    for (unsigned k = 0; k < 6; ++k) a.i(Op::addi, 15 + k, 14, 1);
  }
  a.jal(0, loop);
  return a.words;
}

/// What a message handler does between messages: polls the mailbox, reads and writes its scratchpad slot.
std::vector<std::uint32_t> handlers() {
  Asm a;
  own_memory(a);
  a.u_type(Op::lui, 9, 0x8000);
  const auto loop = a.here();
  a.csrrw(10, csr::can_recv, 0);
  a.branch(Op::bne, 10, 0, loop);
  for (int i = 0; i < 3; ++i) {
    a.load(Op::lw, 11, 4 * i, 9);
    a.load(Op::lw, 12, 4 * i, 8);
    a.r(Op::add, 13, 11, 12);
    a.i(Op::slli, 14, 13, 2);
    a.r(Op::xor_, 15, 15, 14);
    a.store(Op::sw, 13, 4 * i, 8);
    for (unsigned k = 0; k < 4; ++k) a.i(Op::addi, 16 + k, 15, 1);
  }
  a.csrrw(10, csr::can_send, 0);
  a.store(Op::sw, 15, 16, 9);
  a.jal(0, loop);
  return a.words;
}

double cpu_seconds() { return static_cast<double>(std::clock()) / CLOCKS_PER_SEC; }

void run(const char* name, const std::vector<std::uint32_t>& words, Cycle cycles) {
  BoardParams params;
  Memory memory(params);
  MemorySystem system(params, memory, params.tiles(), blocks::DramParams::ddr3_1600(params.line_bytes),
                      blocks::SramParams::qdr2(params.line_bytes));
  NoMailbox mailbox;
  Loud events;
  std::vector<std::unique_ptr<Tile>> tiles;
  for (unsigned i = 0; i < params.tiles(); ++i) {
    tiles.push_back(std::make_unique<Tile>(params, TileTiming{}, TilePlace{i, i * params.threads_per_tile()},
                                           TileEnv{&mailbox, &system, &events}));
    for (unsigned pair = 0; pair < params.cores_per_tile / 2; ++pair) {
      for (std::uint32_t w = 0; w < words.size(); ++w) tiles[i]->write_instr(pair, w, words[w]);
    }
    for (unsigned t = 0; t < params.threads_per_tile(); ++t) {
      tiles[i]->start_thread(t % 16, t / params.threads_per_core, t % params.threads_per_core, 0);
    }
  }
  const double start = cpu_seconds();
  for (Cycle c = 0; c < cycles; c += kWindow) {
    for (auto& t : tiles) {
      if (t->next_event() < c + kWindow) t->advance_cores(c);
    }
    if (system.next_event() < c + kWindow) system.advance(c);
  }
  const double seconds = cpu_seconds() - start;
  TileCounters sum;
  for (auto& t : tiles) {
    const TileCounters n = t->totals();
    sum.retired += n.retired, sum.hits += n.hits, sum.misses += n.misses, sum.fpu_ops += n.fpu_ops;
  }
  const auto share = [&](std::uint64_t n) {
    return 100.0 * static_cast<double>(n) / static_cast<double>(sum.retired);
  };
  std::printf(
      "%-12s %7.1f M instructions/s   %5.2f ns each   IPC %.3f   hits %4.1f%%  misses %4.1f%%  fpu %4.1f%%\n",
      name, static_cast<double>(sum.retired) / seconds / 1e6,
      seconds * 1e9 / static_cast<double>(sum.retired),
      static_cast<double>(sum.retired) / static_cast<double>(cycles * params.tiles() * params.cores_per_tile),
      share(sum.hits), share(sum.misses), share(sum.fpu_ops));
  std::fflush(stdout);
}

}  // namespace
}  // namespace polyloom::overlay

int main(int argc, char** argv) {
  using namespace polyloom::overlay;
  const Cycle cycles = argc > 1 ? std::strtoull(argv[1], nullptr, 0) / kWindow * kWindow : 800'000;
  const auto wanted = [&](const char* name) { return argc < 3 || std::strcmp(argv[2], name) == 0; };
  if (wanted("plain")) run("plain", plain(), cycles);
  if (wanted("integer")) run("integer", integer_mix(), cycles);
  if (wanted("fp32")) run("fp32", fp32(), cycles);
  if (wanted("handlers")) run("handlers", handlers(), cycles);
  if (wanted("missing")) run("missing", missing(), cycles);
  return 0;
}
