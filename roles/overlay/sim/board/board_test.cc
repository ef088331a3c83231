// SPDX-License-Identifier: Apache-2.0
// Covers: one board as a node: shell frames, programs, messages with the host, barriers, faults, waiting_for,
// digests. Leaves out: links (mesh_test), instruction semantics (isa, tile tests).
#include "roles/overlay/sim/board/board.h"

#include <gtest/gtest.h>

#include <sstream>

#include "roles/overlay/arch/fault_codes.h"
#include "roles/overlay/sim/board/mesh_bench.h"

namespace polyloom::overlay {
namespace {

using test::Asm;
using test::MeshBench;
using test::MeshOptions;
using test::ScriptedHost;

constexpr std::uint32_t kHostDest = 0x20000 >> 6;

MeshOptions small_board() {
  MeshOptions options;
  options.params.board.tiles_x = options.params.board.tiles_y = 2;
  return options;
}

void print(Asm& a, unsigned reg) {
  const std::uint32_t again = a.here();
  a.csrrw(31, csr::to_uart, reg);
  a.branch(Op::beq, 31, 0, again);
}

/// x1 = thread id; all but thread `id` stop.
void only_thread(Asm& a, std::uint32_t id) {
  a.csrrw(1, csr::hart_id, 0);
  a.li(2, id);
  const std::size_t mine = a.branch_forward(Op::beq, 1, 2);
  a.kill();
  a.land(mine);
}

void idle(Asm& a, unsigned rd, bool vote) {
  a.li(30, kWaitRecv | kWaitIdle | (vote ? kWaitIdleVote : 0u));
  a.csrrw(rd, csr::wait_until, 30);
}

TEST(Board, SaysHelloThroughTheShell) {
  MeshBench bench(small_board());
  Asm a;
  only_thread(a, 0);
  for (const char c : std::string("hello")) {
    a.li(5, static_cast<std::uint32_t>(c));
    print(a, 5);
  }
  a.kill();
  bench.load(a);
  bench.start();
  const fabric::RunResult result = bench.run(10'000'000'000);
  EXPECT_EQ(bench.uart(), "hello");
  EXPECT_FALSE(result.stopped_by_limit) << "a board without work is quiet";
  const auto done = bench.frames<blocks::WriteDoneFrame>();
  ASSERT_EQ(done.size(), 1u);
  EXPECT_EQ(done[0].range.bytes, 4 * a.words.size());
}

/// The host keeps to the room that it is told of. 448 slots of thread 5's tile and 512 flits of the board's
/// buffer take messages of 4 flits before any thread receives: 576. A byte for a thread goes past them.
TEST(Board, MessagesThatNoThreadAcceptsHoldNothingElse) {
  MeshBench bench(small_board());
  Asm a;
  only_thread(a, 0);
  const std::uint32_t loop = a.here();
  a.csrrw(8, csr::from_uart, 0);
  a.branch(Op::beq, 8, 0, loop);
  a.csrrw(0, csr::to_uart, 8);
  a.kill();
  bench.load(a);
  bench.start();
  bench.run(100'000'000);
  const std::uint64_t payload[8] = {};
  const auto room = [&] {
    unsigned flits = kHostFlits;
    for (const auto& frame : bench.frames<blocks::FaultFrame>())
      if (frame.cause == kMessageRoom) flits += frame.value;
    return flits;
  };
  unsigned sent = 0;
  fabric::Time now = 100'000'000;
  for (unsigned before = 1; sent != before;) {
    before = sent;
    for (; 4 * (sent + 1) <= room(); ++sent)
      bench.send(0, blocks::encode(blocks::MsgFrame{0, 0, 1ull << 5, payload}));
    bench.run(now += 100'000'000);
  }
  EXPECT_EQ(sent, 576u);
  bench.send(0, blocks::encode(blocks::UartInFrame{.core = 0, .thread = 0, .byte = 'y'}));
  bench.run(now += 100'000'000);
  EXPECT_EQ(bench.uart(), "y");
}

TEST(Board, EchoesHostMessagesPlusOne) {
  MeshBench bench(small_board());
  Asm a;
  only_thread(a, 64 + 5);  // tile 1, thread 5
  a.li(4, kWaitRecv);
  a.li(6, 0x8000 + 5 * 64);
  a.csrrw(0, csr::send_ptr, 6);
  a.li(7, kHostDest);
  a.csrrw(0, csr::send_dest, 7);
  const std::uint32_t loop = a.here();
  a.csrrw(0, csr::wait_until, 4);
  a.csrrw(8, csr::recv, 0);
  a.load(Op::lw, 9, 0, 8);
  a.csrrw(0, csr::free, 8);
  a.i(Op::addi, 9, 9, 1);
  a.store(Op::sw, 9, 0, 6);
  a.li(11, 1);
  a.send(0, 11);
  a.jal(0, loop);
  bench.load(a);
  bench.start();
  bench.run(100'000'000);
  for (std::uint64_t i = 0; i < 20; ++i) {
    const std::uint64_t payload[2] = {1000 * i, 0};
    bench.send(0, blocks::encode(blocks::MsgFrame{0, 1, 1ull << 5, payload}));
  }
  bench.run();
  std::size_t n = 0;
  for (const auto& frame : bench.host().received) {
    const blocks::HostFrame decoded = blocks::decode(frame.words);
    if (const auto* m = std::get_if<blocks::MsgFrame>(&decoded)) {
      EXPECT_EQ(m->payload[0] & 0xffffffff, 1000 * n + 1);
      ++n;
    }
  }
  EXPECT_EQ(n, 20u);
  EXPECT_EQ(bench.board(0).net().activity.in_flight, 0);
  EXPECT_EQ(bench.board(0).detector().from_host(), 20u);
  EXPECT_NE(bench.board(0).waiting_for().find("1 thread waiting in can-recv (core 4 thread 5)"),
            std::string::npos)
      << bench.board(0).waiting_for();
}

TEST(Board, BarrierReleasesAllThreadsTogetherWithTheVote) {
  MeshBench bench(small_board());
  Asm a;
  a.li(5, 50);
  const std::uint32_t loop = a.here();
  idle(a, 7, false);
  a.i(Op::addi, 5, 5, -1);
  a.branch(Op::bne, 5, 0, loop);
  idle(a, 8, true);
  only_thread(a, 3);
  a.i(Op::srli, 7, 7, 2);
  a.i(Op::srli, 8, 8, 2);
  a.i(Op::addi, 7, 7, '0');
  a.i(Op::addi, 8, 8, '0');
  print(a, 7);
  print(a, 8);
  a.kill();
  bench.load(a);
  bench.start();
  bench.run();
  EXPECT_EQ(bench.uart(), "13");
  EXPECT_EQ(bench.board(0).detector().counters().barriers, 51u);

  // Each turn of the loop is one superstep, so all but the first and the last cost the same.
  std::vector<std::uint64_t> instructions;
  bench.board(0).tables([&](std::string_view table, std::string_view header, std::string_view row) {
    if (table != "supersteps") return;
    EXPECT_EQ(header, "board,step,end_ps,voted,instructions_in_step,message_hops_in_step");
    std::istringstream cells{std::string(row)};
    std::vector<std::string> cell(6);
    for (std::string& text : cell) std::getline(cells, text, ',');
    EXPECT_EQ(cell[1], std::to_string(instructions.size()));
    EXPECT_EQ(cell[3], instructions.size() == 50 ? "1" : "0");
    instructions.push_back(std::stoull(cell[4]));
  });
  ASSERT_EQ(instructions.size(), 51u);
  for (std::size_t step = 1; step < 50; ++step) EXPECT_EQ(instructions[step], instructions[1]) << step;
}

TEST(Board, AThreadThatNeverWaitsPreventsTheBarrierAndIsNamed) {
  MeshBench bench(small_board());
  Asm a;
  a.csrrw(1, csr::hart_id, 0);
  a.li(2, 17);
  const std::size_t others = a.branch_forward(Op::bne, 1, 2);
  a.li(4, kWaitRecv);
  a.csrrw(0, csr::wait_until, 4);
  a.land(others);
  idle(a, 7, false);
  a.kill();
  bench.load(a);
  bench.start();
  const fabric::RunResult result = bench.run();
  ASSERT_EQ(result.stuck.size(), 1u);
  EXPECT_NE(result.stuck[0].find("fpga.0.0: 1 thread waiting in can-recv (core 1 thread 1), "
                                 "255 threads waiting in tinselIdle"),
            std::string::npos)
      << result.stuck[0];
}

TEST(Board, MovesBytesBetweenHostAndMemories) {
  MeshBench bench(small_board());
  std::vector<std::uint8_t> bytes(100'000);
  for (std::size_t i = 0; i < bytes.size(); ++i) bytes[i] = static_cast<std::uint8_t>(i * 7 + i / 256);
  for (const blocks::Space space : {blocks::Space::slice0, blocks::Space::slice1}) {
    const blocks::MemRange range{space, 0, 0x0180'0004, static_cast<std::uint32_t>(bytes.size())};
    bench.send(0, blocks::encode(blocks::WriteFrame{7, range, blocks::pack_bytes(bytes)}));
    bench.send(0, blocks::encode(blocks::ReadFrame{8, range}));
    bytes[0] ^= 0xff;
  }
  const blocks::MemRange slot{blocks::Space::scratchpad, 3, 64, 8};
  const std::uint64_t word = 0x1122334455667788;
  bench.send(0, blocks::encode(blocks::WriteFrame{9, slot, {&word, 1}}));
  bench.send(0, blocks::encode(blocks::ReadFrame{10, slot}));
  bench.run();
  std::vector<std::vector<std::uint8_t>> read;
  for (const auto& frame : bench.host().received) {
    const blocks::HostFrame decoded = blocks::decode(frame.words);
    if (const auto* f = std::get_if<blocks::ReadDataFrame>(&decoded)) {
      read.push_back(blocks::unpack_bytes(f->data, f->range.bytes));
    }
  }
  ASSERT_EQ(read.size(), 3u);
  bytes[0] ^= 0xff;
  EXPECT_EQ(read[1], bytes);
  bytes[0] ^= 0xff;
  EXPECT_EQ(read[0], bytes);
  EXPECT_EQ(read[2], (std::vector<std::uint8_t>{0x88, 0x77, 0x66, 0x55, 0x44, 0x33, 0x22, 0x11}));
}

TEST(Board, RespondsToMoreReadsThanItsShellHolds) {
  MeshBench bench(small_board());
  constexpr std::uint16_t kReads = 50;
  for (std::uint16_t i = 0; i < kReads; ++i) {
    bench.send(0, blocks::encode(blocks::ReadFrame{i, {blocks::Space::slice0, 0, 0x0180'0000, 1000}}));
  }
  EXPECT_FALSE(bench.run(1'000'000'000).stopped_by_limit);
  const auto responses = std::count_if(
      bench.host().received.begin(), bench.host().received.end(), [](const ScriptedHost::Frame& frame) {
        return std::holds_alternative<blocks::ReadDataFrame>(blocks::decode(frame.words));
      });
  EXPECT_EQ(responses, kReads);
}

TEST(Board, RefusesWhatItCannotDo) {
  MeshBench bench(small_board());
  const std::uint64_t payload[2] = {0, 0};
  bench.send(0, blocks::encode(blocks::MsgFrame{1, 2, 1, payload}));        // tile (2,0) of 2 x 2
  bench.send(0, blocks::encode(blocks::MsgFrame{2, 1u << 4, 1, payload}));  // board (1,0) of 1 x 1
  bench.send(0, blocks::encode(blocks::ReadFrame{3, {blocks::Space::slice0, 0, 0x10, 4}}));
  bench.send(0, blocks::encode(blocks::ReadFrame{4, {blocks::Space::scratchpad, 4, 0, 4}}));
  bench.send(0, blocks::encode(blocks::StartFrame{.tag = 5, .first_core = 15, .cores = 2, .threads = 1}));
  bench.send(0, blocks::encode(blocks::RegReadFrame{6, 0x999}));
  bench.send(0, {0xee});
  bench.send(0, blocks::encode(blocks::RegReadFrame{8, Board::kTiles}));
  bench.run();
  const auto errors = bench.frames<blocks::FrameErrorFrame>();
  ASSERT_EQ(errors.size(), 7u);
  for (std::size_t i = 0; i < 6; ++i) {
    EXPECT_EQ(errors[i].tag, i + 1);
    EXPECT_EQ(errors[i].reason, blocks::FrameReason::refused);
  }
  EXPECT_EQ(errors[6].reason, blocks::FrameReason::unknown_op);
  ASSERT_EQ(bench.frames<blocks::RegDataFrame>().size(), 1u);
  EXPECT_EQ(bench.frames<blocks::RegDataFrame>()[0].value, 0x10040202u);
}

// A start takes its way down a core's pipeline (polyloom_overlay_issue.sv: stages 0 to 6, and the next may
// come), and the shell responds to what comes behind it when the last thread has started.
TEST(Board, StartsThreadsOneAfterTheOtherAndAllCoresTogether) {
  const auto cycles = [](std::uint16_t cores, std::uint8_t threads) {
    MeshBench bench(small_board());
    Asm a;
    a.kill();
    bench.load(a);
    const blocks::StartFrame start{.first_core = 0, .cores = cores, .threads = threads, .pc = 0};
    bench.send(0, blocks::encode(blocks::RegReadFrame{1, blocks::reg::cycle}));
    bench.send(0, blocks::encode(start));
    bench.send(0, blocks::encode(blocks::RegReadFrame{2, blocks::reg::cycle}));
    bench.run();
    const auto read = bench.frames<blocks::RegDataFrame>();
    EXPECT_EQ(read.size(), 2u);
    return read.back().value - read.front().value;
  };
  const unsigned slack = 16;  // frames on the link, windows
  EXPECT_NEAR(static_cast<double>(cycles(16, 16)), 16 * 8, slack);
  EXPECT_NEAR(static_cast<double>(cycles(16, 4)), 4 * 8, slack);
  EXPECT_NEAR(static_cast<double>(cycles(3, 5)), 15 * 8, slack);
}

TEST(Board, ReportsFaultsOfCoresAndOfTheNetwork) {
  MeshBench bench(small_board());
  Asm a;
  only_thread(a, 2);
  a.li(6, 0x8000 + 2 * 64);
  a.csrrw(0, csr::send_ptr, 6);
  a.li(7, 1);
  a.csrrw(0, csr::send_dest, 7);
  a.send(0, 0);  // empty mask
  const std::uint32_t pc = a.here();
  a.load(Op::lw, 9, 1, 6);  // misaligned
  bench.load(a);
  bench.start();
  bench.run();
  const auto faults = bench.frames<blocks::FaultFrame>();
  ASSERT_EQ(faults.size(), 2u);
  EXPECT_EQ(faults[0].cause, static_cast<std::uint8_t>(SendFault::no_receiver));
  EXPECT_EQ(faults[0].thread, 2u);
  EXPECT_EQ(faults[0].value, 1u);
  EXPECT_EQ(faults[1].cause, wire_cause(FaultCause::misaligned_load));
  EXPECT_EQ(faults[1].pc, pc);
  EXPECT_NE(bench.board(0).waiting_for().find("without receivers"), std::string::npos);
}

TEST(Board, SaysThatAByteOfTheHostWasLost) {
  MeshBench bench(small_board());
  for (const std::uint8_t byte : {7, 8}) {
    bench.send(0, blocks::encode(blocks::UartInFrame{.core = 15, .thread = 1, .byte = byte}));
  }
  bench.run();
  const auto faults = bench.frames<blocks::FaultFrame>();
  ASSERT_EQ(faults.size(), 1u);
  EXPECT_EQ(faults[0].cause, kConsoleFault);
  EXPECT_EQ(faults[0].thread, 5u << 6 | 3 * 16 | 1) << "tile (1,1), core 3";
}

TEST(Board, SaysThatAByteOfTheHostHasBeenRead) {
  constexpr std::uint32_t kReader = 5u << 6 | 3 * 16 | 1;  // tile (1,1), core 3
  MeshBench bench(small_board());
  Asm a;
  a.csrrw(5, csr::hart_id, 0);
  a.li(6, kReader);
  const auto other = a.branch_forward(Op::bne, 5, 6);
  const std::uint32_t loop = a.here();
  a.csrrw(7, csr::from_uart, 0);
  a.branch(Op::beq, 7, 0, loop);
  a.land(other);
  a.kill();
  bench.load(a);
  bench.send(0, blocks::encode(blocks::UartInFrame{.core = 15, .thread = 1, .byte = 7}));
  bench.start();
  bench.run();
  const auto reported = bench.frames<blocks::FaultFrame>();
  ASSERT_EQ(reported.size(), 1u);
  EXPECT_EQ(reported[0].cause, kConsoleRead);
  EXPECT_EQ(reported[0].thread, kReader);
}

TEST(Board, RunsAreReproducible) {
  const auto digest = [] {
    MeshBench bench(small_board());
    Asm a;
    a.li(5, 20);
    const std::uint32_t loop = a.here();
    idle(a, 7, false);
    a.i(Op::addi, 5, 5, -1);
    a.branch(Op::bne, 5, 0, loop);
    a.kill();
    bench.load(a);
    bench.start();
    return bench.run().digest;
  };
  EXPECT_EQ(digest(), digest());
}

}  // namespace
}  // namespace polyloom::overlay
