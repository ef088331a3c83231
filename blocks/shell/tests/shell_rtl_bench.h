// SPDX-License-Identifier: Apache-2.0
// A Verilated shell with its surroundings: takes frames, collects frames. Compiled with CHANNELS,
// CHANNEL_BYTES, PROGRAM_WORDS, PASS_FRAMES and ROLE_SPACES as the RTL's parameters are.
#pragma once

#include <memory>

#include "Vpolyloom_shell.h"
#include "blocks/shell/host_frames.h"
#include "blocks/shell/tests/shell_rtl_models.h"

namespace polyloom::blocks::test {

using Words = std::vector<std::uint64_t>;

/// What the host's link brings; `tail` false: the rest of the frame is lost.
struct Input {
  Words words;
  bool tail = true;
};

/// Does the test role take this frame? The same for both sides.
inline bool role_takes(const Words& frame) { return (frame[0] >> 16 & 3) != 0; }

class Bench {
 public:
  Bench(std::uint64_t seed, unsigned stall) : program(PROGRAM_WORDS, dice), role(dice) {
    dice.rng.seed(seed), dice.stall = stall;
    for (unsigned c = 0; c < CHANNELS; ++c) channels.emplace_back(c, CHANNEL_BYTES, dice);
    for (unsigned c = 0; ROLE_SPACES && c < CHANNELS; ++c) channels[c].base = slice_base(c);
    top.position_i = 0x30002;
    top.rst_ni = 0;
    for (int i = 0; i < 3; ++i) clock();
    top.rst_ni = 1;
    cycle = 0;
  }

  void send(const Input& input) {
    for (std::size_t i = 0; i < input.words.size(); ++i) {
      rx_.push_back({input.words[i], i + 1 == input.words.size() && input.tail, i == 0});
    }
  }
  void event(const EventFrame& f) { events_.push_back(f); }
  void role_frame(const Words& words) { role_tx_.push_back(words); }
  bool idle() const { return rx_.empty() && events_.empty() && role_tx_.empty(); }

  /// One clock cycle.
  void step() {
    drive();
    top.eval();
    role_register();
    role_range();
    top.eval();
    sample();
    clock();
    ++cycle;
  }
  void run(unsigned cycles) {
    while (cycles-- > 0) step();
  }

  Vpolyloom_shell top;
  Dice dice;
  std::vector<Channel> channels;
  Program program;
  RoleWords role;
  RoleRegisters registers;
  std::uint64_t cycle = 0;
  std::vector<Words> frames;            ///< to the host, whole
  std::vector<std::uint64_t> first_at;  ///< cycle in which each frame's first word was taken
  std::uint64_t last_rx = 0;            ///< cycle in which the last word from the host was taken
  std::uint64_t last_at = 0;            ///< cycle in which the last word to the host was taken
  std::vector<Words> passed;            ///< to the role
  unsigned mem_errors = 0, counter_resets = 0;

 private:
  struct RxWord {
    std::uint64_t data;
    bool last, first;
  };

  void clock() {
    top.clk_i = 0;
    top.eval();
    top.clk_i = 1;
    top.eval();
  }

  void drive() {
    if (!rx_valid_) rx_valid_ = !rx_.empty() && dice.go();
    top.cycle_i = cycle;
    top.host_rx_valid_i = rx_valid_;
    top.host_rx_data_i = rx_valid_ ? rx_.front().data : dice.rng();
    top.host_rx_last_i = rx_valid_ && rx_.front().last;
    top.host_rx_first_i = rx_valid_ && rx_.front().first;
    top.host_tx_ready_i = tx_ready_ = dice.go();
    for (Channel& c : channels) c.drive(top, cycle);
    ROLE_SPACES ? role.drive(top) : program.drive(top);
    if (!event_valid_) event_valid_ = !events_.empty() && dice.go();
    top.event_valid_i = event_valid_;
    if (event_valid_) {
      const EventFrame& e = events_.front();
      set_bits(top.event_i, 0, 64, e.value), set_bits(top.event_i, 64, 64, e.finish);
      set_bits(top.event_i, 128, 64, e.begin), set_bits(top.event_i, 192, 24, e.detail);
      set_bits(top.event_i, 216, 8, e.code);
    }
    if (!role_valid_) role_valid_ = !role_tx_.empty() && dice.go();
    top.role_tx_valid_i = role_valid_;
    if (role_valid_) {
      set_bits(top.role_tx_i, 0, 64, role_tx_.front()[role_index_]);
      set_bits(top.role_tx_i, 64, 1, role_index_ + 1 == role_tx_.front().size());
    }
    top.pass_ready_i = pass_ready_ = dice.go();
    top.pass_rsp_valid_i = pass_response_ = pass_whole_ && dice.go();
    top.pass_rsp_refused_i = pass_response_ && !role_takes(passed.back());
    top.reg_rsp_valid_i = 0;
  }

  /// The role's registers respond in the cycle of the request or later.
  void role_register() {
    if (!top.reg_req_valid_o || !dice.go()) return;
    const bool write = get_bits(top.reg_req_o, 96, 1);
    const auto index = static_cast<std::uint32_t>(get_bits(top.reg_req_o, 64, 32));
    const bool ok = write ? RoleRegisters::writable(index) : RoleRegisters::readable(index);
    if (ok && write) registers.value[index] = get_bits(top.reg_req_o, 0, 64);
    top.reg_rsp_valid_i = 1;
    set_bits(top.reg_rsp_i, 0, 64, ok && !write ? registers.value[index] : dice.rng());
    set_bits(top.reg_rsp_i, 64, 1, !ok);
  }

  /// Whether the role has the bytes that the shell asks for; without spaces of its own it says yes to all.
  void role_range() {
    MemRange r{static_cast<Space>(get_bits(top.range_o, 89, 8)),
               static_cast<std::uint32_t>(get_bits(top.range_o, 57, 32)),
               static_cast<std::uint32_t>(get_bits(top.range_o, 25, 32)),
               static_cast<std::uint32_t>(get_bits(top.range_o, 0, 25))};
    top.range_ok_i = !ROLE_SPACES || role_has(r);
  }

  void sample() {
    if (rx_valid_ && top.host_rx_ready_o) rx_.pop_front(), rx_valid_ = false, last_rx = cycle;
    const Words tx{top.host_tx_data_o, static_cast<std::uint64_t>(top.host_tx_last_o)};
    if (!tx_before_.empty()) CHECK(top.host_tx_valid_o && tx == tx_before_);
    tx_before_ = top.host_tx_valid_o && !tx_ready_ ? tx : Words{};
    if (top.host_tx_valid_o && tx_ready_) {
      if (!tx_open_) frames.emplace_back(), first_at.push_back(cycle);
      frames.back().push_back(tx[0]);
      tx_open_ = tx[1] == 0;
      last_at = cycle;
    }
    unsigned used = 0;
    for (Channel& c : channels) {
      c.used = false;
      c.sample(top, cycle);
      used += c.used;
    }
    CHECK(used <= 1);
    ROLE_SPACES ? role.sample(top) : program.sample(top);
    if (event_valid_ && top.event_ready_o) events_.pop_front(), event_valid_ = false;
    if (role_valid_ && top.role_tx_ready_o) {
      role_valid_ = false;
      if (++role_index_ == role_tx_.front().size()) role_tx_.pop_front(), role_index_ = 0;
    }
    if (pass_response_) pass_whole_ = false;
    if (top.pass_valid_o && pass_ready_) {
      CHECK(PASS_FRAMES && !pass_whole_);
      if (!pass_open_) passed.emplace_back();
      passed.back().push_back(get_bits(top.pass_o, 0, 64));
      pass_open_ = get_bits(top.pass_o, 64, 1) == 0;
      pass_whole_ = !pass_open_;
    }
    mem_errors += top.mem_error_o;
    counter_resets += top.reset_counters_o;
  }

  std::deque<RxWord> rx_;
  std::deque<EventFrame> events_;
  std::deque<Words> role_tx_;
  std::size_t role_index_ = 0;
  bool rx_valid_ = false, tx_ready_ = false, tx_open_ = false, event_valid_ = false, role_valid_ = false;
  bool pass_ready_ = false, pass_open_ = false, pass_whole_ = false, pass_response_ = false;
  Words tx_before_;
};

}  // namespace polyloom::blocks::test
