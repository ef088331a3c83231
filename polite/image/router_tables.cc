// SPDX-License-Identifier: Apache-2.0
#include "polite/image/router_tables.h"

#include <algorithm>
#include <bit>
#include <string>
#include <utility>

#include "fabric/error.h"
#include "fabric/parallel.h"
#include "polite/mapper/key_tree.h"
#include "polite/mapper/routes.h"

namespace polyloom::polite {

namespace {

namespace records = overlay::records;
using records::Record, records::Tag;

// A key has no more records for messages on its board than tiles, or kMostCopies, and four for links, of
// which all beats but the last hold four chunks at least: no indirections.
constexpr unsigned kMostRecords = std::max(16u, kMostCopies);
static_assert((kMostRecords * 2 + 4 + records::kChunks - 2) / (records::kChunks - 1) < records::kMostBeats);

class Builder {
 public:
  Builder(const Routes& routes, const Placement& placement, const ElementLayout& layout,
          const std::vector<std::vector<Sent>>& sent)
      : routes_(routes),
        machine_(placement.machine),
        way_(placement.sending.way),
        sent_(sent),
        word_is_key_(layout.payload_offset >= 4),
        home_(routes.rows()),
        tree_(routes.rows(), 0),
        first_key_(routes.rows() + 1, 0) {}

  RouterTables build(unsigned host_threads) {
    plant();
    result_.boards.resize(machine_.boards());
    result_.sizes.resize(machine_.boards());
    fabric::parallel_for(machine_.boards(), host_threads,
                         [&](std::size_t b) { number(static_cast<unsigned>(b)); });
    for (unsigned b = 0; b < machine_.boards(); ++b) check_size(b);
    fabric::parallel_for(machine_.boards(), host_threads,
                         [&](std::size_t b) { fill(static_cast<unsigned>(b)); });
    result_.key.assign(routes_.rows(), 0);
    for (std::size_t row = 0; row < routes_.rows(); ++row) {
      if (tree_[row] != 0) result_.key[row] = key_of(row, home_[row]);
    }
    return std::move(result_);
  }

 private:
  /// The boards that each row's messages pass, and room for a key of each.
  void plant() {
    for (std::size_t row = 0; row < routes_.rows(); ++row)
      home_[row] = static_cast<std::uint8_t>(machine_.board_of(routes_.thread[routes_.sender(row)]));
    for (unsigned m = 0; m < sent_.size(); ++m) {
      const unsigned board = m / machine_.tiles();
      for (const Sent& s : sent_[m]) {
        if (goes_by_key(s, board)) tree_[s.row] |= board_bit(board);
      }
    }
    for (std::size_t row = 0; row < routes_.rows(); ++row) {
      if (tree_[row] != 0) tree_[row] = tree_to(machine_, home_[row], tree_[row]);
      first_key_[row + 1] = first_key_[row] + static_cast<std::uint64_t>(std::popcount(tree_[row]));
    }
    keys_.resize(first_key_.back());
  }

  bool goes_by_key(const Sent& s, unsigned board) const {
    return !s.local && by_key(way_[s.row], home_[s.row], board);
  }
  /// Keys of a row lie in order of boards.
  std::uint32_t& key_of(std::size_t row, unsigned board) {
    return keys_[first_key_[row] +
                 static_cast<std::uint64_t>(std::popcount(tree_[row] & (board_bit(board) - 1)))];
  }

  /// What a key has records for.
  struct Parts {
    std::vector<Record> links, threads, tiles;
  };
  /// Calls f(row, parts) for each row that passes a board, in order. `next_key(row, board)` is what links
  /// lead to.
  template <typename NextKey, typename F>
  void for_each_key(unsigned board, NextKey&& next_key, F&& f) {
    std::vector<std::size_t> next(machine_.tiles(), 0);
    Parts parts;
    for (std::size_t row = 0; row < routes_.rows(); ++row) {
      if (!holds(tree_[row], board)) continue;
      parts.links.clear(), parts.threads.clear(), parts.tiles.clear();
      for_each_branch(machine_, home_[row], tree_[row], board, [&](unsigned direction, unsigned to) {
        parts.links.push_back({.tag = Tag::router,
                               .direction = static_cast<records::Direction>(direction),
                               .key = next_key(row, to)});
      });
      for (unsigned tile = 0; tile < machine_.tiles(); ++tile) {
        const std::vector<Sent>& here = sent_[board * machine_.tiles() + tile];
        for (std::size_t& at = next[tile]; at < here.size() && here[at].row <= row; ++at) {
          if (here[at].row == row && goes_by_key(here[at], board)) add(here[at], tile, parts);
        }
      }
      f(row, parts);
    }
  }
  void add(const Sent& s, unsigned tile, Parts& parts) const {
    Record record{.tag = Tag::tile,
                  .tile_x = tile % machine_.tiles_x,
                  .tile_y = tile / machine_.tiles_x,
                  .words = s.key,
                  .mask = s.mask};
    // The shorter record replaces a whole word, so only where the message's own begins behind that.
    if (!word_is_key_ || !std::has_single_bit(s.mask)) return parts.tiles.push_back(record);
    record.tag = Tag::thread;
    record.index = static_cast<unsigned>(std::countr_zero(s.mask));
    parts.threads.push_back(record);
  }

  /// Calls put(record) for each record: first those that have the longest way; then wide ones, and narrow
  /// ones where none of them fits.
  template <typename F>
  static void in_order(const Parts& parts, F&& put) {
    for (const Record& r : parts.links) put(r);
    auto wide = parts.tiles.begin();
    auto narrow = parts.threads.begin();
    std::size_t left = records::kChunks - parts.links.size();
    while (wide != parts.tiles.end() || narrow != parts.threads.end()) {
      const bool is_wide =
          wide != parts.tiles.end() && (left >= 2 || left == 0 || narrow == parts.threads.end());
      put(is_wide ? *wide++ : *narrow++);
      const std::size_t needed = is_wide ? 2 : 1;
      if (left < needed) left = records::kChunks;
      left -= needed;
    }
  }

  /// Gives the keys of a board their places, each in the slice that has fewest beats.
  void number(unsigned board) {
    std::array<std::uint64_t, RouterTables::kMostSlices> end{};
    const auto unknown = [](std::size_t, unsigned) { return 0u; };
    for_each_key(board, unknown, [&](std::size_t row, const Parts& parts) {
      unsigned slice = 0;
      for (unsigned s = 1; s < machine_.slices; ++s) {
        if (end[s] < end[slice]) slice = s;
      }
      unsigned beats = 0, left = 0;
      in_order(parts, [&](const Record& record) {
        const unsigned needed = records::chunks(record.tag);
        if (left < needed) ++beats, left = records::kChunks;
        left -= needed;
      });
      const std::uint64_t address = Machine::kRouterBase + end[slice] * records::kBeatBytes;
      key_of(row, board) = records::Key{slice, static_cast<std::uint32_t>(address), beats}.word();
      end[slice] += beats;
      ++result_.sizes[board].keys;
    });
    for (unsigned s = 0; s < machine_.slices; ++s) {
      result_.boards[board][s].reserve(end[s]);
      result_.sizes[board].beats += end[s];
    }
    fullest_[board] = *std::max_element(end.begin(), end.end());
  }

  void check_size(unsigned board) const {
    const std::uint64_t bytes = fullest_[board] * records::kBeatBytes;
    if (bytes <= machine_.router_bytes) return;
    throw UserError("the graph does not fit: the routing table of board (" +
                    std::to_string(board % machine_.boards_x) + "," +
                    std::to_string(board / machine_.boards_x) + ") needs " + std::to_string(bytes) +
                    " bytes of a memory slice, which has " + std::to_string(machine_.router_bytes) +
                    " for it; what helps: --pins local, more boards (now " +
                    std::to_string(machine_.boards()) + "), or a placer that cuts fewer edges");
  }

  void fill(unsigned board) {
    records::BeatWriter writer;
    const auto known = [this](std::size_t row, unsigned next) { return key_of(row, next); };
    for_each_key(board, known, [&](std::size_t row, const Parts& parts) {
      writer.clear();
      in_order(parts, [&](const Record& record) { writer.add(record); });
      RouterTables::Slice& slice = result_.boards[board][records::Key::of(key_of(row, board)).slice];
      slice.insert(slice.end(), writer.beats().begin(), writer.beats().end());
    });
  }

  const Routes& routes_;
  const Machine& machine_;
  const std::vector<Way>& way_;
  const std::vector<std::vector<Sent>>& sent_;
  const bool word_is_key_;
  std::vector<std::uint8_t> home_;  ///< board of each row's sender
  std::vector<Boards> tree_;        ///< of each row that goes by key
  std::vector<std::uint64_t> first_key_;
  std::vector<std::uint32_t> keys_;
  std::array<std::uint64_t, 64> fullest_{};  ///< beats of each board's fullest slice
  RouterTables result_;
};

}  // namespace

RouterTables build_router_tables(const Routes& routes, const Placement& placement,
                                 const ElementLayout& layout, const std::vector<std::vector<Sent>>& sent,
                                 unsigned host_threads) {
  return Builder(routes, placement, layout, sent).build(host_threads);
}

}  // namespace polyloom::polite
