// SPDX-License-Identifier: Apache-2.0
// Covers: each frame on a fake board, cycle of handling, DMA pace, busy roles, bad and cut frames, registers.
// Leaves out: what roles do with messages, start and UART bytes (the roles' tests).
#include "blocks/shell/sim/shell.h"

#include <gtest/gtest.h>

#include <array>
#include <map>

#include "fabric/error.h"

namespace polyloom::blocks {
namespace {

using fabric::Time;
using Words = std::vector<std::uint64_t>;
const fabric::Clock kClock(250'000'000);
constexpr Time kPeriod = 2000;  // 32 Gb/s: two words a cycle

struct TestTx final : fabric::Tx {
  void send(fabric::Segment s) override {
    ASSERT_GE(s.first, free);
    s.period = kPeriod;
    free = s.end();
    sent.push_back(std::move(s));
  }
  Time free_at() const override { return free; }
  Time period() const override { return kPeriod; }
  Time free = 0;
  std::vector<fabric::Segment> sent;
};
struct TestRx final : fabric::Rx {
  const fabric::Segment* front() const override { return arrivals.empty() ? nullptr : &arrivals.front(); }
  void pop() override { arrivals.pop_front(); }
  std::deque<fabric::Segment> arrivals;
};

struct FakeBoard final : ShellHandler {
  bool has(const MemRange& r) const override {
    return r.space == Space::slice0 && r.address + r.bytes <= 0x100000;
  }
  void write_word(Cycle c, const MemRange& r, std::size_t index, std::uint64_t data,
                  unsigned bytes) override {
    for (unsigned i = 0; i < bytes; ++i)
      memory[r.address + 8 * index + i] = static_cast<std::uint8_t>(data >> (8 * i));
    writes.push_back(c);
  }
  std::uint64_t read_word(Cycle c, const MemRange& r, std::size_t index, unsigned bytes) override {
    std::uint64_t data = 0;
    for (unsigned i = 0; i < bytes; ++i) data |= std::uint64_t{memory[r.address + 8 * index + i]} << (8 * i);
    reads.push_back(c);
    return data;
  }
  Response message(Cycle c, const MsgFrame& f) override {
    if (c < busy_until) return Response::busy;
    messages.push_back({c, f.dest});
    return f.flits() > 4 ? Response::refused : Response::done;
  }
  Response uart_in(Cycle, const UartInFrame& f) override {
    uart += static_cast<char>(f.byte);
    return Response::done;
  }
  Response start(Cycle, const StartFrame& f) override {
    started = f.cores;
    return Response::done;
  }
  std::optional<std::uint64_t> role_register(Cycle, std::uint32_t r) override {
    return r == 0x100 ? std::optional<std::uint64_t>(role_value) : std::nullopt;
  }
  bool set_role_register(Cycle, std::uint32_t r, std::uint64_t v) override {
    role_value = v;
    return r == 0x100;
  }
  std::map<std::uint64_t, std::uint8_t> memory;
  std::vector<Cycle> writes, reads;
  std::vector<std::pair<Cycle, std::uint32_t>> messages;
  std::string uart;
  unsigned started = 0;
  std::uint64_t role_value = 0;
  Cycle busy_until = 0;
};

struct Bench {
  explicit Bench(const ShellParams& p = {}) : shell({&tx, &rx}, board, p, kClock) {}
  /// Queues a frame whose first word arrives at `first`.
  void arrive(Time first, const Words& words) {
    fabric::Segment s;
    s.first = first;
    s.period = kPeriod;
    s.words = words;
    rx.arrivals.push_back(std::move(s));
  }
  void run(Cycle until, Cycle window = 8) {
    for (; now < until; now += window) {
      shell.receive(now + window);
      shell.transmit(now + window);
    }
  }
  /// Frames sent, joined from their segments.
  std::vector<Words> frames() const {
    std::vector<Words> out;
    for (const auto& s : tx.sent) {
      EXPECT_EQ(s.head, out.empty() || closed_);
      if (s.head) out.emplace_back();
      out.back().insert(out.back().end(), s.words.begin(), s.words.end());
      closed_ = s.tail;
    }
    return out;
  }
  mutable bool closed_ = true;
  TestTx tx;
  TestRx rx;
  FakeBoard board;
  Shell shell;
  Cycle now = 0;
};

FrameReason error_of(const Words& words) {
  const HostFrame f = decode(words);
  return std::holds_alternative<FrameErrorFrame>(f) ? std::get<FrameErrorFrame>(f).reason : FrameReason{0};
}

TEST(Shell, HandlesAFrameAtTheEdgeAfterItsLastWord) {
  const std::array<std::uint64_t, 2> flit{1, 2};
  const Words msg = encode(MsgFrame{0, 77, 1, flit});
  // Four words: the last arrives 6 ns after the first. Edges lie 4 ns apart.
  for (const auto& [first, cycle] : {std::pair<Time, Cycle>{34'000, 10}, {34'001, 11}, {38'000, 11}}) {
    Bench b;
    b.arrive(first, msg);
    b.run(40);
    ASSERT_EQ(b.board.messages.size(), 1u);
    EXPECT_EQ(b.board.messages[0], (std::pair<Cycle, std::uint32_t>{cycle, 77}));
  }
}

TEST(Shell, WritesWhileTheFrameArrivesAndSaysWhenDone) {
  std::vector<std::uint8_t> bytes(1003);
  for (std::size_t i = 0; i < bytes.size(); ++i) bytes[i] = static_cast<std::uint8_t>(i * 7);
  const Words data = pack_bytes(bytes);
  const MemRange range{Space::slice0, 0, 0x1234, 1003};
  for (const unsigned pace : {4u, 1u}) {
    ShellParams p;
    p.dma_words_per_cycle = pace;
    Bench b(p);
    b.arrive(0, encode(WriteFrame{9, range, data}));
    b.run(400);
    ASSERT_EQ(b.board.writes.size(), 126u);
    // The link brings two words a cycle, the first datum at 4 ns; one a cycle is the slow engine's limit.
    EXPECT_EQ(b.board.writes.front(), 1u);
    EXPECT_EQ(b.board.writes.back(), pace == 1 ? 126u : 64u);
    for (std::size_t i = 0; i < bytes.size(); ++i) ASSERT_EQ(b.board.memory[0x1234 + i], bytes[i]);
    EXPECT_EQ(b.board.memory.size(), 1003u);
    ASSERT_EQ(b.frames().size(), 1u);
    EXPECT_EQ(b.frames()[0], encode(WriteDoneFrame{9, range}));
    EXPECT_EQ(b.tx.sent[0].first, kClock.edge(b.board.writes.back() + 1));
  }
}

TEST(Shell, ReadsBackWhatWasWrittenInShortSegments) {
  Bench b;
  std::vector<std::uint8_t> bytes(777);
  for (std::size_t i = 0; i < bytes.size(); ++i)
    b.board.memory[64 + i] = bytes[i] = static_cast<std::uint8_t>(i ^ 0x5a);
  const MemRange range{Space::slice0, 0, 64, 777};
  b.arrive(0, encode(ReadFrame{3, range}));
  b.run(1000);
  ASSERT_EQ(b.frames().size(), 1u);
  EXPECT_EQ(b.frames()[0], encode(ReadDataFrame{3, range, pack_bytes(bytes)}));
  // Two words of request: handled at cycle 1, the response 40 cycles later, the wire then kept busy.
  EXPECT_EQ(b.tx.sent.front().first, kClock.edge(41));
  for (const auto& s : b.tx.sent) EXPECT_LE(s.words.size(), 32u);
  EXPECT_LE(b.tx.free, kClock.edge(41) + 100 * kPeriod + 4 * 4000);
}

TEST(Shell, ABusyRoleHoldsTheFramesBehind) {
  const std::array<std::uint64_t, 2> flit{1, 2};
  Bench b;
  b.board.busy_until = 100;
  b.arrive(0, encode(MsgFrame{0, 1, 1, flit}));
  b.arrive(8'000, encode(UartInFrame{0, 0, 0, false, 'a'}));
  b.run(96);
  EXPECT_TRUE(b.board.messages.empty());
  EXPECT_EQ(b.board.uart, "");
  EXPECT_EQ(b.shell.next_event(), 96u);
  EXPECT_NE(b.shell.waiting_for(), "");
  b.run(112);
  EXPECT_EQ(b.board.messages.size(), 1u);
  EXPECT_EQ(b.board.uart, "a");
  EXPECT_EQ(b.shell.next_event(), kNeverCycle);
  EXPECT_EQ(b.shell.waiting_for(), "");
}

TEST(Shell, RefusesAndGoesOn) {
  const std::array<std::uint64_t, 10> flits{};
  Bench b;
  Time t = 0;
  const auto arrive = [&](const Words& w) { b.arrive(t, w), t += 1'000'000; };
  arrive({0x00ab00ff});                      // no such operation
  arrive(encode(MsgFrame{1, 0, 1, flits}));  // the role refuses five flits
  arrive({0x0602, 8, 1});                    // no such space
  arrive(encode(WriteFrame{2, {Space::slice0, 0, 0x0fffff, 2}, std::span(flits).first(1)}));
  arrive({0x0002, 16, 1});          // a write one word short
  arrive({0x0002, 8, 1, 2});        // and one too long
  arrive({0x0002, 3, 0xffffffff});  // padding
  arrive(Words(100, 0x01));         // endless
  arrive(encode(RegDataFrame{}));   // only boards send this
  arrive(encode(RegReadFrame{0, 99}));
  arrive(encode(UartInFrame{0, 0, 0, false, 'z'}));  // still works
  b.run(t / 4000 + 100);
  const auto frames = b.frames();
  std::vector<FrameReason> reasons;
  for (const Words& f : frames) reasons.push_back(error_of(f));
  using R = FrameReason;
  EXPECT_EQ(reasons, (std::vector<R>{R::unknown_op, R::refused, R::space, R::refused, R::length, R::length,
                                     R::field, R::length, R::refused, R::refused}));
  EXPECT_EQ(frames[0], encode(FrameErrorFrame{0xab, R::unknown_op, 0x00ab00ff}));
  EXPECT_EQ(b.board.uart, "z");
  EXPECT_TRUE(b.board.memory.empty());
}

TEST(Shell, AFrameWithoutItsTailIsReportedWhenTheNextBegins) {
  Bench b;
  fabric::Segment cut;
  cut.period = kPeriod;
  cut.tail = false;
  cut.words = {0x00070002, 64, 1, 2};
  b.rx.arrivals.push_back(cut);
  b.arrive(100'000, encode(UartInFrame{0, 0, 0, false, 'y'}));
  b.run(100);
  ASSERT_EQ(b.frames().size(), 1u);
  EXPECT_EQ(b.frames()[0], encode(FrameErrorFrame{7, FrameReason::length, 0x00070002}));
  EXPECT_EQ(b.board.uart, "y");
}

std::uint64_t read_register(Bench& b, std::uint32_t r) {
  const std::size_t before = b.frames().size();
  b.arrive(kClock.edge(b.now), encode(RegReadFrame{5, r}));
  b.run(b.now + 80);
  const auto frames = b.frames();
  EXPECT_EQ(frames.size(), before + 1);
  const HostFrame f = decode(frames.back());
  const auto* data = std::get_if<RegDataFrame>(&f);
  return data != nullptr && data->tag == 5 && data->reg == r ? data->value : ~std::uint64_t{0};
}

TEST(Shell, RegistersIdentifyCountAndReset) {
  ShellParams p;
  p.role = RoleId::hub, p.x = 2, p.y = 3;
  Bench b(p);
  EXPECT_EQ(read_register(b, reg::magic), reg::kMagic);
  EXPECT_EQ(read_register(b, reg::role), 4u);
  EXPECT_EQ(read_register(b, reg::position), 0x30002u);
  EXPECT_EQ(read_register(b, reg::clock_hz), 250'000'000u);
  const Cycle now = b.now;
  EXPECT_EQ(read_register(b, reg::cycle), now);
  EXPECT_EQ(read_register(b, reg::frames_in), 6u);
  b.arrive(kClock.edge(b.now), {0xff});
  b.run(b.now + 80);
  EXPECT_EQ(read_register(b, reg::status), reg::kBadFrameSeen);
  EXPECT_EQ(read_register(b, reg::bad_frames), 1u);
  b.arrive(kClock.edge(b.now),
           encode(RegWriteFrame{0, reg::control, reg::kResetCounters | reg::kClearStatus}));
  b.run(b.now + 80);
  EXPECT_EQ(read_register(b, reg::status), 0u);
  EXPECT_EQ(read_register(b, reg::bad_frames), 0u);
  b.arrive(kClock.edge(b.now), encode(RegWriteFrame{0, 0x100, 42}));
  b.run(b.now + 80);
  EXPECT_EQ(read_register(b, 0x100), 42u);
}

TEST(Shell, RolesSendAndABoardWithoutHostDropsWhatItSends) {
  Bench b;
  b.shell.send(10, encode(UartOutFrame{0, 1, 2, 'h'}));
  EXPECT_EQ(b.shell.next_event(), 10u);
  b.run(16);
  ASSERT_EQ(b.tx.sent.size(), 1u);
  EXPECT_EQ(b.tx.sent[0].first, kClock.edge(10));
  FakeBoard board;
  Shell alone({}, board, {}, kClock);
  alone.send(0, {1});
  alone.receive(100);
  alone.transmit(100);
  EXPECT_EQ(alone.backlog(), 0u);
  EXPECT_EQ(alone.next_event(), kNeverCycle);
  EXPECT_THROW(Shell({}, board, {.segment_words = 1}, kClock), UserError);
}

}  // namespace
}  // namespace polyloom::blocks
