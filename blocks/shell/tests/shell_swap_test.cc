// SPDX-License-Identifier: Apache-2.0
// Covers: random and mutated frames, the C++ shell and the Verilated one side by side: answers, memories,
// registers,
//         frames for the role; random stalls on every port; latencies and rates of the header; memory errors.
// Leaves out: reads with a later write of the same batch in front of their answer in the C++ model, which may
// overtake
//         there and not in RTL (the model gets one frame at a time); ChannelBytes above 64 KiB.
// Usage: program SEED ROUNDS
#include <string>

#include "blocks/shell/sim/shell.h"
#include "blocks/shell/tests/shell_rtl_bench.h"

namespace polyloom::blocks::test {
namespace {

const fabric::Clock kClock(250'000'000);

/// The C++ shell with the same board around it, one frame at a time.
class Model final : public ShellHandler {
 public:
  struct Tx final : fabric::Tx {
    void send(fabric::Segment s) override {
      s.period = 4000, free = s.end();
      if (s.head) frames.emplace_back();
      frames.back().insert(frames.back().end(), s.words.begin(), s.words.end());
    }
    fabric::Time free_at() const override { return free; }
    fabric::Time period() const override { return 4000; }
    fabric::Time free = 0;
    std::vector<Words> frames;
  };
  struct Rx final : fabric::Rx {
    const fabric::Segment* front() const override { return arrivals.empty() ? nullptr : &arrivals.front(); }
    void pop() override { arrivals.pop_front(); }
    std::deque<fabric::Segment> arrivals;
  };

  Model() : channels(CHANNELS, std::vector<std::uint8_t>(CHANNEL_BYTES)), program(PROGRAM_WORDS) {}

  void send(const Input& input) {
    fabric::Segment s;
    s.first = kClock.edge(now), s.period = 4000, s.tail = input.tail, s.words = input.words;
    rx.arrivals.push_back(s);
    settle();
  }
  void role_frame(const Words& words) { shell.send(now, words), settle(); }
  void settle() {
    for (; shell.next_event() != kNeverCycle; now += 64) shell.receive(now + 64), shell.transmit(now + 64);
  }

  bool has(const MemRange& r) const override {
    const std::uint64_t end = std::uint64_t{r.address} + r.bytes;
    if (r.space == Space::channel) return r.target < CHANNELS && end <= CHANNEL_BYTES;
    if (r.space == Space::program)
      return r.address % 8 == 0 && r.bytes % 8 == 0 && end <= 8ull * PROGRAM_WORDS;
    return false;
  }
  void write_word(Cycle, const MemRange& r, std::size_t index, std::uint64_t data, unsigned bytes) override {
    if (r.space == Space::program)
      program[r.address / 8 + index] = data;
    else
      std::memcpy(&channels[r.target][r.address + 8 * index], &data, bytes);
  }
  std::uint64_t read_word(Cycle, const MemRange& r, std::size_t index, unsigned bytes) override {
    if (r.space == Space::program) return program[r.address / 8 + index];
    std::uint64_t data = 0;
    std::memcpy(&data, &channels[r.target][r.address + 8 * index], bytes);
    return data;
  }
  Answer take(const Words& words) {
    if (!PASS_FRAMES) return Answer::refused;
    passed.push_back(words);
    return role_takes(words) ? Answer::done : Answer::refused;
  }
  Answer message(Cycle, const MsgFrame& f) override { return take(encode(f)); }
  Answer uart_in(Cycle, const UartInFrame& f) override { return take(encode(f)); }
  Answer start(Cycle, const StartFrame& f) override { return take(encode(f)); }
  std::optional<std::uint64_t> role_register(Cycle, std::uint32_t r) override {
    const std::uint32_t i = r - reg::role_base;
    return RoleRegisters::readable(i) ? std::optional(registers.value[i]) : std::nullopt;
  }
  bool set_role_register(Cycle, std::uint32_t r, std::uint64_t v) override {
    const std::uint32_t i = r - reg::role_base;
    if (!RoleRegisters::writable(i)) return false;
    registers.value[i] = v;
    return true;
  }
  void reset_counters(Cycle) override { ++counter_resets; }

  std::vector<std::vector<std::uint8_t>> channels;
  std::vector<std::uint64_t> program;
  RoleRegisters registers;
  std::vector<Words> passed;
  unsigned counter_resets = 0;
  Tx tx;
  Rx rx;
  Shell shell{{&tx, &rx}, *this, ShellParams{.role = RoleId::collective, .x = 2, .y = 3}, kClock};
  Cycle now = 0;
};

class Generator {
 public:
  explicit Generator(std::uint64_t seed) : rng_(seed) {}
  std::uint64_t below(std::uint64_t n) { return rng_() % n; }

  /// A legal or broken frame. Registers whose value depends on when answers leave are left to the caller.
  Input input() {
    Words w = legal();
    bool tail = true;
    switch (below(12)) {
      case 0:
        w.resize(1 + below(w.size()));
        break;  // short
      case 1:
        for (std::uint64_t n = 1 + below(4); n > 0; --n) w.push_back(rng_() & -below(2));
        break;
      case 2:
        w[below(std::min<std::size_t>(w.size(), 2))] ^= 1ull << below(64);
        break;
      case 3:
        w.back() |= 0xffull << 56;
        break;  // padding
      case 4:
        w[0] = (w[0] & ~0xffull) | below(256);
        break;
      case 5:
        w.resize(30 + below(80), 7);
        break;  // around the longest short frame
      case 6:
        tail = below(2) == 0;
        w.resize(1 + below(w.size()));
        break;  // cut
      default:
        break;
    }
    const auto op = static_cast<HostOp>(w[0] & 0xff);
    const auto r = static_cast<std::uint32_t>(w[0] >> 32);
    const bool timed = r == reg::cycle || r == reg::status || r == reg::frames_out || r == reg::bytes_read;
    if (op == HostOp::reg_read && timed) w[0] |= 0xffull << 8;  // a field error instead
    if (op == HostOp::reg_write && r == reg::control) w[0] |= 0xffull << 8;
    return {w, tail};
  }

 private:
  MemRange range() {
    MemRange r;
    r.space = below(4) == 0 ? Space::program : Space::channel;
    if (below(20) == 0) r.space = static_cast<Space>(below(8));
    const std::uint64_t size = r.space == Space::program ? 8 * PROGRAM_WORDS : CHANNEL_BYTES;
    const std::uint64_t most[] = {8, 40, 200, 1500, 5000};
    r.bytes = static_cast<std::uint32_t>(1 + below(most[below(5)]));
    r.address = static_cast<std::uint32_t>(below(below(10) == 0 ? 2 * size : size));
    if (below(4) == 0) r.address = static_cast<std::uint32_t>(size - std::min<std::uint64_t>(size, r.bytes));
    if (below(3) == 0) r.address &= ~31u;
    if (r.space == Space::program && below(8) != 0) r.address &= ~7u, r.bytes = (r.bytes + 7) & ~7u;
    if (r.space == Space::channel)
      r.target = static_cast<std::uint32_t>(below(below(10) == 0 ? CHANNELS + 2 : CHANNELS));
    if (below(40) == 0) r.target |= 1u << below(32);
    return r;
  }
  std::uint64_t header(HostOp op, std::uint64_t aux, std::uint64_t arg) {
    return static_cast<std::uint64_t>(op) | aux << 8 | (rng_() & 0xffff) << 16 | arg << 32;
  }
  std::uint32_t reg_number() {
    switch (below(3)) {
      case 0:
        return static_cast<std::uint32_t>(below(15));
      case 1:
        return static_cast<std::uint32_t>(reg::role_base + below(10));
      default:
        return static_cast<std::uint32_t>(rng_() >> below(33));
    }
  }
  Words legal() {
    const std::uint64_t kind = below(14);
    if (kind < 4) {
      const MemRange r = range();
      Words w{header(HostOp::write, static_cast<std::uint64_t>(r.space), r.address),
              r.bytes | std::uint64_t{r.target} << 32};
      for (std::size_t i = 0; i < r.words(); ++i) w.push_back(rng_());
      if (r.bytes % 8 != 0) w.back() &= (1ull << 8 * (r.bytes % 8)) - 1;
      return w;
    }
    if (kind < 8) {
      const MemRange r = range();
      return {header(HostOp::read, static_cast<std::uint64_t>(r.space), r.address),
              r.bytes | std::uint64_t{r.target} << 32};
    }
    if (kind == 8) return {header(HostOp::reg_write, 0, reg_number()), rng_()};
    if (kind == 9) return {header(HostOp::reg_read, 0, reg_number())};
    if (kind == 10) {
      Words w{header(HostOp::msg, 1 + below(16), rng_() >> 32), rng_()};
      w.resize(2 + 2 * (w[0] >> 8 & 0xff), rng_());
      return w;
    }
    if (kind == 11) return {header(HostOp::uart_in, below(256), below(1 << 24))};
    if (kind == 12)
      return {header(HostOp::start, 1 + below(255), below(0x8000) | (1 + below(0x8000)) << 16),
              below(1ull << 32)};
    const std::uint8_t ops[] = {0x42, 0x43, 0x45, 0x46, 0x48, 0x49, 0x4f};
    const auto op = static_cast<HostOp>(ops[below(7)]);
    switch (op) {
      case HostOp::write_done:
        return {header(op, below(7), below(1000)), 1 + below(100)};
      case HostOp::read_data: {
        Words w{header(op, 4, below(1000)), 1 + below(100)};
        w.resize(2 + (w[1] + 7) / 8, 0xff);
        return w;
      }
      case HostOp::reg_data:
        return {header(op, 0, 3), rng_()};
      case HostOp::uart_out:
        return {header(op, 65, below(1 << 24))};
      case HostOp::fault:
        return {header(op, 1 + below(3), 3), rng_()};
      case HostOp::event:
        return {header(op, 1, below(1 << 24)), 1, 2, 3};
      default:
        return {header(op, 1 + below(7), 0), rng_()};
    }
  }
  std::mt19937_64 rng_;
};

[[noreturn]] void fail(const char* what, std::size_t index) {
  std::fprintf(stderr, "differ: %s, number %zu\n", what, index);
  std::exit(1);
}
void compare(const char* what, const std::vector<Words>& model, const std::vector<Words>& rtl) {
  for (std::size_t i = 0; i < std::min(model.size(), rtl.size()); ++i) {
    if (model[i] == rtl[i]) continue;
    for (const auto* side : {&model[i], &rtl[i]}) {
      for (std::size_t j = 0; j < std::min<std::size_t>(side->size(), 4); ++j)
        std::fprintf(stderr, "%016llx ", (unsigned long long)(*side)[j]);
      std::fprintf(stderr, "(%zu words)\n", side->size());
    }
    fail(what, i);
  }
  if (model.size() != rtl.size()) fail(what, std::min(model.size(), rtl.size()));
}

/// Frames by who made them: events and the role's frames may come between any two answers.
std::vector<Words> of_op(const std::vector<Words>& frames, bool events, bool roles) {
  std::vector<Words> out;
  for (const Words& f : frames) {
    const auto op = static_cast<HostOp>(f[0] & 0xff);
    if ((op == HostOp::event) == events && (op == HostOp::uart_out) == roles) out.push_back(f);
  }
  return out;
}

/// Runs until the RTL has sent as many frames as the model and everything is quiet.
void catch_up(Bench& rtl, const Model& model) {
  const std::uint64_t limit = rtl.cycle + 2'000'000;
  while (rtl.frames.size() < model.tx.frames.size() || !rtl.idle()) {
    rtl.step();
    if (rtl.cycle > limit) fail("RTL does not answer", rtl.frames.size());
  }
  rtl.run(60);
}

void swap(std::uint64_t seed, unsigned rounds) {
  Generator make(seed);
  Model model;
  Bench rtl(seed, static_cast<unsigned>(seed % 5));
  unsigned frames = 0;
  const auto both = [&](const Input& in) { model.send(in), rtl.send(in), ++frames; };
  for (unsigned round = 0; round < rounds; ++round) {
    for (std::uint64_t n = make.below(40); n > 0; --n) {
      const std::uint64_t kind = make.below(20);
      if (kind == 0) {
        const EventFrame e{0,
                           static_cast<std::uint8_t>(make.below(256)),
                           static_cast<std::uint32_t>(make.below(1 << 24)),
                           make.below(1ull << 60),
                           7,
                           make.below(9)};
        model.role_frame(encode(e)), rtl.event(e);
      } else if (kind == 1) {
        const Words w = encode(UartOutFrame{0, 1, 2, static_cast<std::uint8_t>(make.below(256))});
        model.role_frame(w), rtl.role_frame(w);
      } else {
        both(make.input());
      }
    }
    both({encode(RegReadFrame{1, reg::frames_in}), true});  // a cut frame is seen when the next begins
    catch_up(rtl, model);
    for (const bool events : {false, true}) {
      compare("events", of_op(model.tx.frames, true, false), of_op(rtl.frames, true, false));
      compare(events ? "role frames" : "answers", of_op(model.tx.frames, false, events),
              of_op(rtl.frames, false, events));
    }
    model.tx.frames.clear(), rtl.frames.clear();
    for (unsigned c = 0; c < CHANNELS; ++c) {
      if (model.channels[c] != rtl.channels[c].memory) fail("memory", c);
    }
    if (model.program != rtl.program.memory) fail("program memory", round);
    compare("frames for the role", model.passed, rtl.passed);
    for (std::uint32_t r = 0; r < 16; ++r) {
      if (r == reg::cycle) continue;
      both({encode(RegReadFrame{static_cast<std::uint16_t>(r), r}), true});
      catch_up(rtl, model);
    }
    compare("registers", model.tx.frames, rtl.frames);
    if (make.below(3) == 0) both({encode(RegWriteFrame{0, reg::control, 1 + make.below(4)}), true});
    catch_up(rtl, model);
    CHECK(model.counter_resets == rtl.counter_resets);
    for (int i = 0; i < 8; ++i) CHECK(model.registers.value[i] == rtl.registers.value[i]);
  }
  CHECK(rtl.mem_errors == 0);
  std::printf("swap: seed %llu, %u frames, %llu cycles: equal\n", (unsigned long long)seed, frames,
              (unsigned long long)rtl.cycle);
}

/// Cycles from the last word of a frame to the first of its answer, no stalls.
std::uint64_t latency(Bench& b, const Words& words) {
  const std::size_t before = b.frames.size();
  b.send({words});
  while (b.frames.size() == before) b.step();
  const std::uint64_t cycles = b.first_at.back() - b.last_rx;
  b.run(300);
  return cycles;
}

void timing() {
  Bench b(1, 0);
  const Words data(1, 5);
  CHECK(latency(b, {0xff}) == 5);
  CHECK(latency(b, encode(RegReadFrame{0, reg::magic})) == 6);
  CHECK(latency(b, encode(WriteFrame{0, {Space::channel, 0, 64, 8}, data})) == 11);
  CHECK(latency(b, encode(WriteFrame{0, {Space::program, 0, 64, 8}, data})) == 6);
  // A read's data: 6 cycles and the memory's, one more for an address inside a word.
  for (const std::uint64_t memory : {1, 40}) {
    b.channels[0].latency = memory;
    for (const std::uint32_t offset : {0u, 3u}) {
      latency(b, encode(ReadFrame{0, {Space::channel, 0, 64 + offset, 8}}));
      CHECK(b.last_at - b.last_rx == 6 + memory + (offset != 0));
    }
  }
  // The cycle register tells the cycle in which it is read, 3 after the word was taken.
  b.frames.clear();
  latency(b, encode(RegReadFrame{0, reg::cycle}));
  CHECK(b.frames[0][1] == b.last_rx + 3);
  // A long transfer keeps the host's stream busy: a word a cycle, both ways, a read's memory latency hidden.
  for (unsigned c = 0; c < CHANNELS; ++c) b.channels[c].latency = 60;
  const Words block(CHANNEL_BYTES / 8 - 8, 3);
  const MemRange range{Space::channel, CHANNELS - 1, 3, static_cast<std::uint32_t>(8 * block.size())};
  for (const bool write : {true, false}) {
    const std::uint64_t from = b.cycle;
    const std::size_t before = b.frames.size();
    b.send({write ? encode(WriteFrame{0, range, block}) : encode(ReadFrame{0, range})});
    const std::size_t words = write ? 2 : 2 + block.size();
    while (b.frames.size() == before || b.frames.back().size() < words) b.step();
    CHECK(b.cycle - from < block.size() + block.size() / 50 + 100);
    if (!write) CHECK(b.frames.back() == encode(ReadDataFrame{0, range, block}));
    b.run(20);
  }
}

void memory_errors() {
  Bench b(2, 3);
  b.channels[0].bad_from = 1024, b.channels[0].bad_to = 2048;
  const Words data(100, 9);
  b.send({encode(WriteFrame{1, {Space::channel, 0, 700, 800}, data})});
  b.send({encode(WriteFrame{2, {Space::channel, 0, 2048, 800}, data})});
  b.send({encode(ReadFrame{3, {Space::channel, 0, 1000, 64}})});
  b.run(4000);
  CHECK(b.frames.size() == 3);
  CHECK(b.frames[0] ==
        encode(FrameErrorFrame{1, FrameReason::refused,
                               encode(WriteFrame{1, {Space::channel, 0, 700, 800}, data})[0]}));
  CHECK(b.frames[1] == encode(WriteDoneFrame{2, {Space::channel, 0, 2048, 800}}));
  CHECK(b.frames[2].size() == 10);
  CHECK(b.mem_errors >= 2);
}

}  // namespace
}  // namespace polyloom::blocks::test

int main(int argc, char** argv) {
  using namespace polyloom::blocks::test;
  const std::uint64_t seed = argc > 1 ? std::stoull(argv[1]) : 1;
  const auto rounds = static_cast<unsigned>(argc > 2 ? std::stoul(argv[2]) : 20);
  timing();
  memory_errors();
  for (std::uint64_t s = seed; s < seed + 5; ++s) swap(s, rounds);
}
