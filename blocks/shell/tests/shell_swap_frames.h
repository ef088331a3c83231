// SPDX-License-Identifier: Apache-2.0
// Random host frames of the swap test, legal and broken ones.
#pragma once

#include <algorithm>
#include <random>

#include "blocks/shell/tests/shell_rtl_bench.h"

namespace polyloom::blocks::test {

class Generator {
 public:
  explicit Generator(std::uint64_t seed) : rng_(seed) {}
  std::uint64_t below(std::uint64_t n) { return rng_() % n; }

  /// A legal or broken frame. Registers whose value depends on when responses leave are left to the caller.
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
  /// Of the spaces and sizes of a role with memories of its own; now and then a little outside.
  MemRange role_range() {
    MemRange r;
    r.space = static_cast<Space>(below(20) == 0 ? below(8) : below(4));
    const bool words = r.space == Space::instr || r.space == Space::scratchpad;
    const std::uint64_t size = r.space == Space::instr        ? 4 * kInstrWords
                               : r.space == Space::scratchpad ? kPadBytes
                                                              : CHANNEL_BYTES;
    const std::uint64_t most[] = {8, 40, 200, 1500};
    r.bytes = static_cast<std::uint32_t>(1 + below(most[below(4)]));
    std::uint64_t at = below(below(10) == 0 ? 2 * size : size);
    if (below(4) == 0) at = size - std::min<std::uint64_t>(size, r.bytes);
    if (words && below(8) != 0) at &= ~3ull, r.bytes = (r.bytes + 3) & ~3u;
    if (r.space == Space::instr) at /= 4;
    if (!words) at += slice_base(r.space == Space::slice0 ? 0 : 1);
    r.address = static_cast<std::uint32_t>(at);
    if (words) r.target = static_cast<std::uint32_t>(below(below(8) == 0 ? 6 : 3));
    if (words && below(5) == 0) r.target = kBroadcast;
    if (below(40) == 0) r.target ^= 1u << below(32);
    return r;
  }
  MemRange range() {
    if (ROLE_SPACES) return role_range();
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

}  // namespace polyloom::blocks::test
