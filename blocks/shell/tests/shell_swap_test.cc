// SPDX-License-Identifier: Apache-2.0
// Covers: random and mutated frames, the C++ shell and the Verilated one side by side: responses, memories,
//   registers, frames for the role; memory channels, and slices and memories of a role (ROLE_SPACES); random
//   stalls on every port; latencies and rates of the header; memory errors.
// Leaves out: reads with a later write of the same batch in front of their response in the C++ model, which may
//   overtake there and not in RTL (the model gets one frame at a time); ChannelBytes above 64 KiB.
// Usage: program SEED ROUNDS
#include <string>

#include "blocks/shell/tests/shell_swap_frames.h"
#include "blocks/shell/tests/shell_swap_model.h"

namespace polyloom::blocks::test {
namespace {

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

/// Frames by who made them: events and the role's frames may come between any two responses.
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
    if (rtl.cycle > limit) fail("RTL does not respond", rtl.frames.size());
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
      compare(events ? "role frames" : "responses", of_op(model.tx.frames, false, events),
              of_op(rtl.frames, false, events));
    }
    model.tx.frames.clear(), rtl.frames.clear();
    for (unsigned c = 0; c < CHANNELS; ++c) {
      if (model.channels[c] != rtl.channels[c].memory) fail("memory", c);
    }
    if (model.program != rtl.program.memory) fail("program memory", round);
    if (model.role.instr != rtl.role.store.instr) fail("instruction memories", round);
    if (model.role.pads != rtl.role.store.pads) fail("scratchpads", round);
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

/// Cycles from the last word of a frame to the first of its response, no stalls.
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
  if (!ROLE_SPACES) {
    timing();
    memory_errors();
  }
  for (std::uint64_t s = seed; s < seed + 5; ++s) swap(s, rounds);
}
