// SPDX-License-Identifier: Apache-2.0
// Random routing tables of a board, and the memory in which the network in RTL and the fast model find them:
// responses take as long as they like, in any order, but for both the same.
#pragma once

#include <gtest/gtest.h>

#include <array>
#include <cstring>
#include <deque>
#include <map>
#include <random>
#include <vector>

#include "roles/overlay/sim/net/noc.h"

namespace polyloom::overlay::test {

using Random = std::mt19937_64;

/// Beats by slice and address.
using Beats = std::array<std::map<std::uint32_t, records::Beat>, 2>;

/// Keys that messages from an input of the board router may have.
class Tables {
 public:
  /// Without `sense` records, beats and keys that make none are among them, too.
  Tables(Random& random, const NetShared& shared, unsigned slices, unsigned input, bool sense, Beats& beats)
      : random_(random), shared_(shared), slices_(slices), input_(input), sense_(sense), beats_(beats) {
    for (unsigned i = 0; i < 40; ++i)
      keys.push_back(below(4) == 0 ? key(1 + below(3), 16) : key(0, below(6) == 0 ? 80 : 6));
    keys.push_back(0);
  }
  std::vector<std::uint32_t> keys;

 private:
  using Record = records::Record;
  using Tag = records::Tag;

  unsigned below(unsigned n) { return static_cast<unsigned>(random_() % n); }

  /// A key of up to `most` records with `chain` indirections behind each other.
  std::uint32_t key(unsigned chain, unsigned most) {
    if (!sense_ && below(10) == 0) return outside();
    std::vector<Record> list;
    for (unsigned left = below(8) == 0 ? 0 : 1 + below(most); left != 0; --left) list.push_back(record());
    for (unsigned left = chain == 0 ? 0 : sense_ ? 1 : 1 + below(2); left != 0; --left) {
      const auto at = list.begin() + below(static_cast<unsigned>(list.size()) + 1);
      list.insert(at, {.tag = Tag::indirection, .key = key(chain - 1, most)});
    }
    records::BeatWriter writer;
    for (const Record& r : list) writer.add(r);
    const unsigned slice = below(slices_);
    std::uint32_t& next = next_[below(3)];
    const records::Key key{slice, next, static_cast<unsigned>(writer.beats().size())};
    for (const records::Beat& beat : writer.beats()) {
      records::Beat& written = beats_[slice][next] = beat;
      if (!sense_ && below(12) == 0) written[records::kCountByte] = static_cast<std::uint8_t>(below(8));
      // A tag in the lowest chunk, not of an indirection: its key might have many beats.
      if (!sense_ && below(6) == 0) written[5] = static_cast<std::uint8_t>(below(256) | 0x20);
      next += 32;
    }
    next += 32 * below(3);
    return key.word();
  }

  /// Not all in memory: below it, beyond it, in a slice that is not there.
  std::uint32_t outside() {
    const std::uint32_t beats = 1 + below(31);
    const std::array<std::uint32_t, 3> starts{below(0x00800000) & ~31u, 0x80000000 - 32 * (beats - 1),
                                              0x80000000 | 0x00800000};
    return starts[below(slices_ == 1 ? 3 : 2)] | beats;
  }

  Record record() {
    const unsigned x = below(sense_ ? shared_.params.tiles_x : 8);
    const unsigned y = below(sense_ ? shared_.params.tiles_y : 8);
    switch (below(4)) {
      case 0: {
        std::vector<records::Direction> ways;
        for (unsigned d = 0; d < 4; ++d) {
          if (!sense_ || may_leave(d)) ways.push_back(static_cast<records::Direction>(d));
        }
        if (ways.empty()) return {.tag = Tag::thread, .tile_x = x, .tile_y = y, .words = random_()};
        return {.tag = Tag::router,
                .direction = ways[below(static_cast<unsigned>(ways.size()))],
                .key = static_cast<std::uint32_t>(random_())};
      }
      case 1:
        return {.tag = Tag::thread, .tile_x = x, .tile_y = y, .index = below(64), .words = random_()};
      case 2:
        return {.tag = Tag::thread_two, .tile_x = x, .tile_y = y, .index = below(64), .words = random_()};
      default: {
        const bool empty = !sense_ && below(6) == 0;
        const std::uint64_t mask = (random_() & random_()) | std::uint64_t{1} << below(64);
        return {.tag = Tag::tile, .tile_x = x, .tile_y = y, .words = random_(), .mask = empty ? 0 : mask};
      }
    }
  }

  /// From the rule, not from the model: there is a board, and X comes before Y. N, S, E, W.
  bool may_leave(unsigned direction) const {
    const BoardCoord at = shared_.board;
    const std::array<bool, 4> there{at.y + 1 < shared_.mesh.height, at.y > 0, at.x + 1 < shared_.mesh.width,
                                    at.x > 0};
    if (!there[direction]) return false;
    if (input_ == kLinkNorth) return direction == 1;
    if (input_ == kLinkSouth) return direction == 0;
    if (input_ == kLinkEast) return direction != 2;
    if (input_ == kLinkWest) return direction != 3;
    return true;
  }

  Random& random_;
  const NetShared& shared_;
  unsigned slices_, input_;
  bool sense_;
  Beats& beats_;
  /// Where the next key's beats lie in SRAM A, SRAM B, DRAM: its last bytes.
  std::array<std::uint32_t, 3> next_{0x00800000u + 0x40000u * input_, 0x01000000u + 0x40000u * input_,
                                     0x7ff00000u + 0x10000u * input_};
};

/// The memory of both. The model asks in the cycle of a grant, the RTL when its request has come to the
/// slice.
class LineMemory final : public RecordMemory {
 public:
  LineMemory(Random& random, unsigned slices, unsigned line_bytes)
      : random_(random), slices_(slices), line_bytes_(line_bytes) {}

  struct Line {
    unsigned port = 0, tag = 0;
    std::vector<std::uint8_t> bytes;
  };

  void read(Cycle at, unsigned port, unsigned slice, std::uint32_t address, unsigned tag) override {
    EXPECT_LT(slice, slices_);
    requested_[slice][port].push_back({at, tag, address / line_bytes_ * line_bytes_});
  }
  /// The RTL's request is taken in cycle `now`: the model's next, and in time if none was held back.
  void taken(Cycle now, unsigned slice, unsigned port, std::uint32_t address, unsigned tag, bool held_back) {
    auto& requested = requested_[slice][port];
    ASSERT_FALSE(requested.empty()) << "a request that the model does not make, cycle " << now;
    const Request r = requested.front();
    requested.pop_front();
    EXPECT_EQ(address, r.address);
    EXPECT_EQ(tag, r.tag);
    EXPECT_GE(now + 1, r.at);
    if (!held_back) EXPECT_EQ(now + 1, r.at) << "port " << port << ", slice " << slice;
    coming_[slice].push_back({now + 1 + random_() % (1 + slowest), port, r.tag, r.address});
  }
  /// The line that leaves the slice's memories in cycle `now`, if one does.
  bool leaves(Cycle now, unsigned slice, Line& line) {
    auto& coming = coming_[slice];
    for (std::size_t i = 0; i < coming.size(); ++i) {
      const Coming c = coming[i];
      if (c.at > now) continue;
      coming.erase(coming.begin() + static_cast<std::ptrdiff_t>(i));
      line = {c.port, c.tag, std::vector<std::uint8_t>(line_bytes_)};
      for (unsigned offset = 0; offset < line_bytes_; offset += 32) {
        const auto it = beats[slice].find(c.address + offset);
        if (it != beats[slice].end()) std::memcpy(&line.bytes[offset], it->second.data(), 32);
      }
      return true;
    }
    return false;
  }

  Beats beats;
  unsigned slowest = 40;  ///< cycles

 private:
  struct Request {
    Cycle at;
    unsigned tag;
    std::uint32_t address;
  };
  struct Coming {
    Cycle at;
    unsigned port, tag;
    std::uint32_t address;
  };
  Random& random_;
  unsigned slices_, line_bytes_;
  std::array<std::array<std::deque<Request>, 2>, 2> requested_;  ///< by slice and port
  std::array<std::deque<Coming>, 2> coming_;
};

}  // namespace polyloom::overlay::test
