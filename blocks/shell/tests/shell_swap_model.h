// SPDX-License-Identifier: Apache-2.0
// The C++ shell of the swap test with the same board around it as the Verilated one has.
#pragma once

#include "blocks/shell/sim/shell.h"
#include "blocks/shell/tests/shell_rtl_bench.h"

namespace polyloom::blocks::test {

inline const fabric::Clock kClock(250'000'000);

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
    if (ROLE_SPACES) return role_has(r);
    const std::uint64_t end = std::uint64_t{r.address} + r.bytes;
    if (r.space == Space::channel) return r.target < CHANNELS && end <= CHANNEL_BYTES;
    if (r.space == Space::program)
      return r.address % 8 == 0 && r.bytes % 8 == 0 && end <= 8ull * PROGRAM_WORDS;
    return false;
  }
  void write_word(Cycle, const MemRange& r, std::size_t index, std::uint64_t data, unsigned bytes) override {
    if (r.space == Space::program)
      program[r.address / 8 + index] = data;
    else if (r.space == Space::instr || r.space == Space::scratchpad)
      role.write(r, index, data, bytes);
    else
      std::memcpy(bytes_at(r, index), &data, bytes);
  }
  std::uint64_t read_word(Cycle, const MemRange& r, std::size_t index, unsigned bytes) override {
    if (r.space == Space::program) return program[r.address / 8 + index];
    if (r.space == Space::instr || r.space == Space::scratchpad) return role.read(r, index, bytes);
    std::uint64_t data = 0;
    std::memcpy(&data, bytes_at(r, index), bytes);
    return data;
  }
  Response take(const Words& words) {
    if (!PASS_FRAMES) return Response::refused;
    passed.push_back(words);
    return role_takes(words) ? Response::done : Response::refused;
  }
  Response message(Cycle, const MsgFrame& f) override { return take(encode(f)); }
  Response uart_in(Cycle, const UartInFrame& f) override { return take(encode(f)); }
  Response start(Cycle, const StartFrame& f) override { return take(encode(f)); }
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

  /// Where the bytes of a word lie in a channel or slice.
  std::uint8_t* bytes_at(const MemRange& r, std::size_t index) {
    if (!ROLE_SPACES) return &channels[r.target][r.address + 8 * index];
    const unsigned slice = r.space == Space::slice0 ? 0 : 1;
    return &channels[slice][r.address - slice_base(slice) + 8 * index];
  }

  std::vector<std::vector<std::uint8_t>> channels;
  std::vector<std::uint64_t> program;
  RoleStore role;
  RoleRegisters registers;
  std::vector<Words> passed;
  unsigned counter_resets = 0;
  Tx tx;
  Rx rx;
  Shell shell{{&tx, &rx}, *this, ShellParams{.role = RoleId::collective, .x = 2, .y = 3}, kClock};
  Cycle now = 0;
};

}  // namespace polyloom::blocks::test
