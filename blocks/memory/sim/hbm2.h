// SPDX-License-Identifier: Apache-2.0
// Timing of one HBM2 channel behind its controller: two 256-bit pseudo-channels, a beat of 32 bytes a cycle
// each.
//
// How: the lower half of the channel's bytes lies in pseudo-channel 0, the upper half in 1. Each moves one
//   beat a cycle of the user clock, read or write. When both want the same one they alternate, reads first. A
//   read granted at edge g has its beat at edge g + read_latency; a write granted at g is acknowledged at g +
//   write_latency. The caller moves the bytes (backing_store.h) at the grant.
// Hardware: the two AXI ports of a channel of an HBM2 controller, and the 2x1 switch before them.
// Throughput: one read and one write a cycle if they lie in different halves; one of them a cycle else.
// Not modelled: row activation and refresh. Streams of the collective role are sequential, whose rows are
//   opened ahead in the other banks, and HBM2 refreshes single banks behind them; random access would be
//   slower (use DramParams::hbm2 of dram.h for that). No reordering: latency is the same for every beat.
// Thread safety: none; embedded in a node.
// Source: OPTWEB paper, section 2.C (two pseudo-channels of 256 bit, one read and one write stream at full
// rate). Tests: hbm2_test.cc.
#pragma once

#include <cstdint>

#include "blocks/cycle.h"

namespace polyloom::blocks {

struct Hbm2Params {
  std::uint64_t bytes = 512ull << 20;  ///< of the channel; even
  unsigned read_latency = 36;          ///< cycles from grant to beat
  unsigned write_latency = 12;         ///< cycles from grant to acknowledgement
};

class Hbm2Channel {
 public:
  static constexpr unsigned kBeatBytes = 32;
  struct Grant {
    bool read = false, write = false;
    bool operator==(const Grant&) const = default;
  };

  explicit Hbm2Channel(const Hbm2Params& params) : p_(params) {}
  const Hbm2Params& params() const { return p_; }

  unsigned pseudo_channel(std::uint64_t offset) const { return offset >= p_.bytes / 2 ? 1 : 0; }

  /// Which of the requests is served at this edge. To be called at most once for each edge.
  Grant arbitrate(bool read, std::uint64_t read_offset, bool write, std::uint64_t write_offset) {
    if (!(read && write)) return served({read, write}, read_offset, write_offset);
    const unsigned half = pseudo_channel(read_offset);
    if (half != pseudo_channel(write_offset)) return served({true, true}, read_offset, write_offset);
    ++conflicts_;
    return served({!read_last_[half], read_last_[half]}, read_offset, write_offset);
  }

  Cycle read_ready(Cycle granted) const { return granted + p_.read_latency; }
  Cycle write_done(Cycle granted) const { return granted + p_.write_latency; }
  /// Edges at which one of two had to wait.
  std::uint64_t conflicts() const { return conflicts_; }

 private:
  // Only a conflict alternates: a stream alone is served and the next conflict begins with the other.
  Grant served(Grant g, std::uint64_t read_offset, std::uint64_t write_offset) {
    if (g.read) read_last_[pseudo_channel(read_offset)] = true;
    if (g.write) read_last_[pseudo_channel(write_offset)] = false;
    return g;
  }

  Hbm2Params p_;
  bool read_last_[2] = {false, false};
  std::uint64_t conflicts_ = 0;
};

}  // namespace polyloom::blocks
