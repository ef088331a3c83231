// SPDX-License-Identifier: Apache-2.0
// The Verilated message network with its wires as messages: what is put in flows a flit a cycle, what comes
// out is put together and checked for gaps and mixtures. Built once for each shape: TILES_X, TILES_Y,
// MAX_FLITS, LINK_FLITS, SLICES, LINE_BYTES, ROUTERS.
#pragma once

#include <gtest/gtest.h>
#include <verilated.h>

#include <array>
#include <cstring>
#include <deque>
#include <vector>

#include "Voverlay_noc_tb.h"
#include "roles/overlay/sim/net/message.h"

namespace polyloom::overlay::test {

inline constexpr unsigned kTilesX = TILES_X, kTilesY = TILES_Y, kTiles = kTilesX * kTilesY;
inline constexpr unsigned kMaxFlitsOfTest = MAX_FLITS, kLinkFlitsOfTest = LINK_FLITS, kExits = 5,
                          kSlices = SLICES;

/// A flit as overlay_noc_tb packs it.
struct Wire {
  std::array<std::uint32_t, kFlitWords> data;
  std::uint64_t mask;
  std::uint32_t rest, nothing;

  bool first() const { return rest >> 25 & 1; }
  bool last() const { return rest >> 26 & 1; }
};
static_assert(sizeof(Wire) == 32);

/// Flit `i` of a message. Only the first has a header: that of the others is rubbish.
inline Wire flit_of(const Message& message, unsigned i) {
  Wire wire{};
  std::copy_n(&message.data[i * kFlitWords], kFlitWords, wire.data.begin());
  wire.mask = i == 0 ? message.mask : ~message.mask;
  wire.rest = i == 0 ? (message.dest | (message.flits - 1u) << 20 | unsigned(message.kind) << 22 | 1u << 25)
                     : 0x1a5a5a5u;
  if (i + 1u == message.flits) wire.rest |= 1u << 26;
  return wire;
}

/// Puts messages together from flits; `gapless`: they must come in consecutive cycles.
class Assembler {
 public:
  explicit Assembler(bool gapless) : gapless_(gapless) {}

  /// Call every cycle. True: `message` is complete.
  bool take(bool valid, const Wire& wire) {
    if (!valid) {
      EXPECT_TRUE(!gapless_ || got_ == 0) << "a gap in a message";
      return false;
    }
    EXPECT_EQ(wire.first(), got_ == 0) << "messages mixed";
    if (got_ == 0) {
      message = {};
      message.mask = wire.mask;
      message.dest = wire.rest & 0xfffff;
      message.flits = static_cast<std::uint8_t>((wire.rest >> 20 & 3) + 1);
      message.kind = static_cast<MessageKind>(wire.rest >> 22 & 7);
    }
    std::copy_n(wire.data.begin(), kFlitWords, &message.data[got_ * kFlitWords]);
    ++got_;
    EXPECT_EQ(wire.last(), got_ == message.flits) << "a message of another length";
    if (!wire.last()) return false;
    got_ = 0;
    return true;
  }
  unsigned got() const { return got_; }

  Message message;

 private:
  bool gapless_;
  unsigned got_ = 0;
};

class Dut {
 public:
  explicit Dut(unsigned board_x, unsigned board_y)
      : sources_(kTiles + kExits), mailboxes(kTiles, Assembler(true)), exits(kExits, Assembler(false)) {
    dut_.board_i = static_cast<std::uint8_t>(board_y << 3 | board_x);
    dut_.rst_ni = 0;
    edge();
    edge();
    dut_.rst_ni = 1;
  }
  ~Dut() { dut_.final(); }

  /// Source `tile`, or kTiles + port: the message begins on the wire in the next cycle. Precondition: the one
  /// before ends in this cycle or has ended.
  void start(unsigned source, const Message& message) {
    ASSERT_TRUE(sources_[source].empty());
    for (unsigned i = 0; i < message.flits; ++i) sources_[source].push_back(flit_of(message, i));
  }
  /// The source's wire is free in the next cycle.
  bool idle(unsigned source) const { return sources_[source].empty(); }

  /// The inputs of a cycle; then the outputs below are of that cycle, until edge().
  void drive(std::uint32_t out_room, unsigned exit_ready) {
    const Wire rubbish{{0xdead, 0xbeef, 0xdead, 0xbeef}, ~0ull, 0x7ffffff, 0};
    std::uint32_t in_valid = 0, enter_valid = 0;
    for (unsigned s = 0; s < kTiles + kExits; ++s) {
      Wire wire = rubbish;
      if (!sources_[s].empty()) {
        wire = sources_[s].front();
        sources_[s].pop_front();
        (s < kTiles ? in_valid : enter_valid) |= 1u << (s < kTiles ? s : s - kTiles);
      }
      std::memcpy(s < kTiles ? &dut_.in_i[8 * s] : &dut_.enter_i[8 * (s - kTiles)], &wire, sizeof wire);
    }
    dut_.in_valid_i = in_valid;
    dut_.enter_valid_i = static_cast<std::uint8_t>(enter_valid);
    dut_.out_room_i = out_room;
    dut_.exit_ready_i = static_cast<std::uint8_t>(exit_ready);
    dut_.eval();
  }
  /// Which requests for lines are taken in this cycle, a bit for each slice and port; the line that a slice
  /// gives back, if one is there. Call before drive().
  void ready(unsigned bits) { dut_.line_ready_i = static_cast<std::uint8_t>(bits); }
  void no_lines() { dut_.line_rsp_valid_i = 0; }
  void line(unsigned slice, unsigned port, unsigned tag, const std::uint8_t* bytes) {
    dut_.line_rsp_valid_i |= static_cast<std::uint8_t>(1u << (2 * slice + port));
    std::memcpy(&dut_.line_rsp_i[17 * slice], bytes, LINE_BYTES);
    dut_.line_rsp_i[17 * slice + 16] = tag;
  }
  bool line_valid(unsigned slice, unsigned port) const { return dut_.line_valid_o >> (2 * slice + port) & 1; }
  std::uint32_t line_tag(unsigned slice, unsigned port) const { return line_o(slice, port, 0); }
  std::uint32_t line_address(unsigned slice, unsigned port) const { return line_o(slice, port, 1); }
  /// Of the board router, in the cycle before.
  unsigned copies() const { return dut_.count_o & 0xff; }
  unsigned ended() const { return dut_.count_o >> 8 & 0xff; }
  unsigned up() const { return dut_.count_o >> 16 & 0xff; }
  unsigned beats() const { return dut_.count_o >> 24 & 0xff; }
  unsigned copies_links() const { return dut_.count_o >> 32 & 0xff; }
  bool fault() const { return dut_.fault_valid_o != 0; }
  unsigned fault_why() const { return dut_.fault_o[2]; }
  std::uint32_t fault_key() const { return dut_.fault_o[1]; }
  std::uint32_t fault_value() const { return dut_.fault_o[0]; }

  bool in_room(unsigned tile) const { return dut_.in_room_o >> tile & 1; }
  bool enter_room(unsigned port) const { return dut_.enter_room_o >> port & 1; }
  bool exit_valid(unsigned port) const { return dut_.exit_valid_o >> port & 1; }
  bool out_valid(unsigned tile) const { return dut_.out_valid_o >> tile & 1; }
  /// Calls `delivered(tile, message)` and `left(port, message)` for what ends in this cycle.
  template <typename Delivered, typename Left>
  void collect(Delivered delivered, Left left) {
    Wire wire;
    for (unsigned t = 0; t < kTiles; ++t) {
      std::memcpy(&wire, &dut_.out_o[8 * t], sizeof wire);
      if (mailboxes[t].take(out_valid(t), wire)) delivered(t, mailboxes[t].message);
    }
    for (unsigned p = 0; p < kExits; ++p) {
      std::memcpy(&wire, &dut_.exit_o[8 * p], sizeof wire);
      const bool taken = exit_valid(p) && (dut_.exit_ready_i >> p & 1);
      if (exits[p].take(taken, wire)) left(p, exits[p].message);
    }
  }
  void edge() {
    dut_.clk_i = 1;
    dut_.eval();
    dut_.clk_i = 0;
    dut_.eval();
  }

 private:
  /// Half of a request for a line: tag (and a bit that would say a write), address.
  std::uint32_t line_o(unsigned slice, unsigned port, unsigned word) const {
    return dut_.line_o[2 * (2 * slice + port) + word];
  }

  Voverlay_noc_tb dut_;
  std::vector<std::deque<Wire>> sources_;

 public:
  std::vector<Assembler> mailboxes, exits;
};

}  // namespace polyloom::overlay::test
