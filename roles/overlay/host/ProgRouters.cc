// SPDX-License-Identifier: Apache-2.0
#include "roles/overlay/host/ProgRouters.h"

#include <config.h>

#include <array>
#include <deque>
#include <iterator>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "fabric/error.h"
#include "roles/overlay/arch/records/records.h"
#include "roles/overlay/host/HostLink.h"
#include "roles/overlay/host/host_core.h"

namespace polyloom::overlay {

using records::Direction, records::Record, records::Tag;

/// Records and keys of one board. What lies in memory is made of them at the end, when indirections are set.
class RouterTable {
 public:
  struct Key {
    std::uint32_t word;
    std::size_t first, count;                ///< of `all`
    std::vector<const Record*> indirection;  ///< of which a key may have one
  };

  RouterTable() : slices_(slices_of_last_session()) { end_.fill(TinselPOLiteProgRouterBase); }

  void add(const Record& record) { all.push_back(record); }
  Record* add_indirection() {
    Record* const record = &indirections_.emplace_back(Record{.tag = Tag::indirection});
    pending_.push_back(record);
    return record;
  }

  /// What does not fit one key is chained: each part but the last goes on to the next one.
  std::uint32_t close() {
    std::size_t first = std::exchange(open_, all.size());
    std::uint32_t first_word = 0;
    Record* before = nullptr;
    for (;;) {
      std::size_t count = longest_part(first, !pending_.empty());
      const bool last = first + count == all.size();
      std::vector<const Record*> tail;
      Record* link = nullptr;
      if (last) {
        tail.swap(pending_);
      } else {
        count = longest_part(first, true);
        link = &indirections_.emplace_back(Record{.tag = Tag::indirection});
        tail.push_back(link);
      }
      const std::uint32_t word = place(first, count, std::move(tail));
      (before == nullptr ? first_word : before->key) = word;
      if (last) return first_word;
      before = link;
      first += count;
    }
  }

  std::vector<records::Beat> beats_of(const Key& key) const {
    records::BeatWriter writer;
    for (std::size_t i = 0; i < key.count; ++i) writer.add(all[key.first + i]);
    for (const Record* indirection : key.indirection) writer.add(*indirection);
    return writer.beats();
  }
  /// Nothing if there is none.
  const std::size_t* find(std::uint32_t word) const {
    const auto at = number_.find(word);
    return at == number_.end() ? nullptr : &at->second;
  }
  std::uint64_t bytes(unsigned slice) const { return end_[slice] - TinselPOLiteProgRouterBase; }
  /// Records that have no key: nothing can lead to them.
  std::size_t unnamed() const { return all.size() - open_ + pending_.size(); }

  static constexpr unsigned kMostSlices = 1u << records::key::kSlice.width;  ///< that a key can name
  std::deque<Record> all;                                                    ///< but indirections
  std::vector<Key> keys;

 private:
  /// A key of as many beats as its field can say needs an indirection (docs/sources/tinsel.md, 3.5).
  static constexpr unsigned kMostBeats = records::kMostBeats - 1;

  /// How many records from `first` on fit a key, with an indirection behind them or without.
  std::size_t longest_part(std::size_t first, bool indirection) const {
    unsigned beats = 0, left = 0;
    std::size_t at = first;
    for (; at < all.size(); ++at) {
      const unsigned needed = records::chunks(all[at].tag);
      if (left < needed) ++beats, left = records::kChunks;
      left -= needed;
      if (beats + (indirection && left == 0) > kMostBeats) break;
    }
    return at - first;
  }

  std::uint32_t place(std::size_t first, std::size_t count, std::vector<const Record*> tail) {
    keys.push_back({0, first, count, std::move(tail)});
    records::Key key;
    key.beats = static_cast<unsigned>(beats_of(keys.back()).size());
    if (key.beats != 0) {
      for (unsigned slice = 1; slice < slices_; ++slice) {
        if (end_[slice] < end_[key.slice]) key.slice = slice;
      }
      key.address = static_cast<std::uint32_t>(end_[key.slice]);
      end_[key.slice] += std::uint64_t{key.beats} * records::kBeatBytes;
    }
    keys.back().word = key.word();
    number_.emplace(key.word(), keys.size() - 1);
    return key.word();
  }

  const unsigned slices_;
  std::array<std::uint64_t, kMostSlices> end_;  ///< of what is taken of each slice
  std::size_t open_ = 0;                        ///< first record that has no key yet
  std::deque<Record> indirections_;
  std::vector<const Record*> pending_;  ///< indirections that have no key yet
  std::unordered_map<std::uint32_t, std::size_t> number_;
};

namespace {

constexpr const char* kNames[] = {"URM1", "URM2", "RR", "MRM", "IND"};
constexpr const char* kDirections[] = {"north", "south", "east", "west"};
constexpr unsigned kOpposite[] = {1, 0, 3, 2};

/// Whether messages can go along all records of all boards. None can wait for itself where they go in X
/// first, then in Y, and never back (roles/overlay/README.md). Each key is looked at once for each way in
/// which a message comes to it.
class MeshCheck {
 public:
  MeshCheck(const ClusterFacts& facts, unsigned width, std::vector<const RouterTable*> tables)
      : facts_(facts), width_(width), tables_(std::move(tables)) {}

  void run() {
    for (unsigned b = 0; b < tables_.size(); ++b) {
      seen_.emplace_back(tables_[b]->keys.size() * kArrivals, false);
      for (std::size_t k = 0; k < tables_[b]->keys.size(); ++k) come_to({b, k, kFree});
      check_chains(b);
      check_size(b);
    }
    while (!left_.empty()) {
      const Place at = left_.back();
      left_.pop_back();
      leave(at);
    }
  }

 private:
  /// How a message has come to a board: over no link, or in the direction of one.
  static constexpr unsigned kFree = 4, kArrivals = 5;
  /// Keys that a message can go through on a board, by 255 indirections.
  static constexpr std::size_t kLongestChain = 256;
  static constexpr std::size_t kNoEnd = ~std::size_t{0};  ///< length of a chain whose end is being looked for
  struct Place {
    unsigned board;
    std::size_t key;
    unsigned arrival;
  };

  const RouterTable::Key& key_of(const Place& at) const { return tables_[at.board]->keys[at.key]; }
  std::string board_name(unsigned board) const {
    return "board (" + std::to_string(board % width_) + "," + std::to_string(board / width_) + ")";
  }
  [[noreturn]] static void refuse(const std::string& what) {
    throw UserError("ProgRouterMesh::write: " + what);
  }
  [[noreturn]] void refuse(const Place& at, std::size_t record, const std::string& why) const {
    const RouterTable::Key& key = key_of(at);
    const Tag tag = record < key.count ? tables_[at.board]->all[key.first + record].tag : Tag::indirection;
    refuse(board_name(at.board) + ", key " + hex(key.word) + ", record " + std::to_string(record) + " (" +
           kNames[static_cast<unsigned>(tag)] + "): " + why);
  }

  void come_to(const Place& at) {
    auto seen = seen_[at.board].begin() + static_cast<std::ptrdiff_t>(at.key * kArrivals + at.arrival);
    if (!*seen) left_.push_back(at);
    *seen = true;
  }

  void leave(const Place& at) {
    const RouterTable::Key& key = key_of(at);
    for (std::size_t i = 0; i < key.count; ++i) {
      const Record& record = tables_[at.board]->all[key.first + i];
      if (record.tag == Tag::router) {
        pass_on(at, i, record);
      } else if (at.arrival == kFree) {
        check_receiver(at, i, record);
      }
    }
    for (std::size_t i = 0; i < key.indirection.size(); ++i) {
      if (i != 0) refuse(at, key.count + i, "a key has one indirection at most");
      look_up({at.board, 0, at.arrival}, key.indirection[i]->key, at, key.count);
    }
  }

  void check_receiver(const Place& at, std::size_t i, const Record& record) const {
    const unsigned threads = facts_.cores_per_tile * facts_.threads_per_core;
    if (record.tile_x >= facts_.tiles_x || record.tile_y >= facts_.tiles_y) {
      refuse(at, i,
             "there is no tile (" + std::to_string(record.tile_x) + "," + std::to_string(record.tile_y) +
                 "): a board of cluster '" + facts_.name + "' has " + std::to_string(facts_.tiles_x) + " x " +
                 std::to_string(facts_.tiles_y));
    }
    const bool exist = record.tag == Tag::tile
                           ? record.mask != 0 && (threads == 64 || record.mask >> threads == 0)
                           : record.index < threads;
    if (!exist)
      refuse(at, i,
             "it names no thread, or one that a tile has not: they are 0 to " + std::to_string(threads - 1));
  }

  void pass_on(const Place& at, std::size_t i, const Record& record) {
    const auto direction = static_cast<unsigned>(record.direction);
    if (direction >= std::size(kDirections))
      refuse(at, i, std::to_string(direction) + " is no direction: 0 north, 1 south, 2 east, 3 west");
    const std::string to = std::string("to the ") + kDirections[direction];
    const unsigned x = at.board % width_ + (direction == 2) - (direction == 3);
    const unsigned y = at.board / width_ + (direction == 0) - (direction == 1);
    if (x >= width_ || y >= tables_.size() / width_) refuse(at, i, "there is no board " + to);
    if (at.arrival != kFree && direction == kOpposite[at.arrival])
      refuse(at, i, to + " a message goes back over the link by which it has come");
    if (at.arrival < 2 && direction >= 2)
      refuse(at, i,
             to + " a message turns that has come from the " + kDirections[kOpposite[at.arrival]] +
                 "; messages go in X first, then in Y");
    look_up({y * width_ + x, 0, direction}, record.key, at, i);
  }

  /// Goes on to a key of `to`'s board, which a record names.
  void look_up(Place to, std::uint32_t word, const Place& at, std::size_t record) {
    if (records::Key::of(word).beats == 0) return;
    const std::size_t* const number = tables_[to.board]->find(word);
    if (number == nullptr) refuse(at, record, board_name(to.board) + " has no key " + hex(word));
    to.key = *number;
    come_to(to);
  }

  void check_size(unsigned board) const {
    if (const std::size_t unnamed = tables_[board]->unnamed(); unnamed != 0) {
      refuse(board_name(board) + " has " + std::to_string(unnamed) +
             " records without a key: genKey() after them is missing");
    }
    for (unsigned slice = 0; slice < RouterTable::kMostSlices; ++slice) {
      const std::uint64_t bytes = tables_[board]->bytes(slice);
      if (bytes <= TinselPOLiteProgRouterLength) continue;
      refuse("the table of " + board_name(board) + " does not fit: " + std::to_string(bytes) +
             " bytes in slice " + std::to_string(slice) + ", which has " +
             std::to_string(TinselPOLiteProgRouterLength) + " for it");
    }
  }

  /// A message that comes to a key a second time comes there for ever.
  void check_chains(unsigned board) const {
    const RouterTable& table = *tables_[board];
    std::vector<std::size_t> length(table.keys.size(), 0);  // of the chain from each key on; 0: not known yet
    std::vector<std::size_t> path;
    const auto next = [&](std::size_t k) {
      const RouterTable::Key& key = table.keys[k];
      return key.indirection.empty() ? nullptr : table.find(key.indirection[0]->key);
    };
    const auto refuse_at = [&](std::size_t k, const std::string& why) {
      refuse({board, k, kFree}, table.keys[k].count, why);
    };
    for (std::size_t k = 0; k < table.keys.size(); ++k) {
      for (const std::size_t* at = &k; at != nullptr && length[*at] == 0; at = next(*at)) {
        length[*at] = kNoEnd;
        path.push_back(*at);
        const std::size_t* const then = next(*at);
        if (then != nullptr && length[*then] == kNoEnd)
          refuse_at(*at, "a message would come back to key " + hex(table.keys[*then].word) + " for ever");
      }
      for (; !path.empty(); path.pop_back()) {
        const std::size_t* const then = next(path.back());
        length[path.back()] = 1 + (then == nullptr ? 0 : length[*then]);
        if (length[path.back()] > kLongestChain)
          refuse_at(
              path.back(),
              "a message goes through more than " + std::to_string(kLongestChain - 1) +
                  " indirections on this board (a key has room for about 150 records, more are chained)");
      }
    }
  }

  const ClusterFacts& facts_;
  const unsigned width_;
  const std::vector<const RouterTable*> tables_;
  std::vector<std::vector<bool>> seen_;
  std::vector<Place> left_;
};

void write_table(HostCore& hosts, unsigned x, unsigned y, const RouterTable& table) {
  std::vector<std::vector<records::Beat>> beats(RouterTable::kMostSlices);
  for (const RouterTable::Key& key : table.keys) {
    auto& of_slice = beats[records::Key::of(key.word).slice];
    for (const records::Beat& beat : table.beats_of(key)) of_slice.push_back(beat);
  }
  for (unsigned slice = 0; slice < beats.size(); ++slice) {
    if (beats[slice].empty()) continue;
    hosts.write("ProgRouterMesh::write", {x, y, slice}, TinselPOLiteProgRouterBase, beats[slice].data(),
                beats[slice].size() * records::kBeatBytes);
  }
}

}  // namespace
}  // namespace polyloom::overlay

using polyloom::overlay::RouterTable;
namespace records = polyloom::overlay::records;

ProgRouter::ProgRouter() : table_(new RouterTable) {}
ProgRouter::~ProgRouter() { delete table_; }

void ProgRouter::addURM1(uint32_t mboxX, uint32_t mboxY, uint32_t threadId, uint32_t key) {
  table_->add(
      {.tag = records::Tag::thread, .tile_x = mboxX, .tile_y = mboxY, .index = threadId, .words = key});
}
void ProgRouter::addURM2(uint32_t mboxX, uint32_t mboxY, uint32_t threadId, uint32_t keyHigh,
                         uint32_t keyLow) {
  table_->add({.tag = records::Tag::thread_two,
               .tile_x = mboxX,
               .tile_y = mboxY,
               .index = threadId,
               .words = uint64_t{keyHigh} << 32 | keyLow});
}
void ProgRouter::addRR(uint32_t dir, uint32_t key) {
  // A number that is no direction stays none.
  const auto direction = static_cast<records::Direction>(dir < 256 ? dir : 255);
  table_->add({.tag = records::Tag::router, .direction = direction, .key = key});
}
void ProgRouter::addMRM(uint32_t mboxX, uint32_t mboxY, uint32_t threadsHigh, uint32_t threadsLow,
                        uint16_t key) {
  table_->add({.tag = records::Tag::tile,
               .tile_x = mboxX,
               .tile_y = mboxY,
               .words = key,
               .mask = uint64_t{threadsHigh} << 32 | threadsLow});
}
uint8_t* ProgRouter::addIND() { return reinterpret_cast<uint8_t*>(table_->add_indirection()); }
void ProgRouter::setIND(uint8_t* ind, uint32_t key) { reinterpret_cast<records::Record*>(ind)->key = key; }
uint32_t ProgRouter::genKey() { return table_->close(); }

ProgRouterMesh::ProgRouterMesh(uint32_t numBoardsX, uint32_t numBoardsY)
    : table(new ProgRouter*[numBoardsY]), boards_x_(numBoardsX), boards_y_(numBoardsY) {
  for (uint32_t y = 0; y < boards_y_; ++y) table[y] = new ProgRouter[boards_x_];
}
ProgRouterMesh::~ProgRouterMesh() {
  for (uint32_t y = 0; y < boards_y_; ++y) delete[] table[y];
  delete[] table;
}

void ProgRouterMesh::write(HostLink* hostLink) {
  hostLink->takeRoutingTables("ProgRouterMesh::write");
  hostLink->core_->guard([&] {
    polyloom::overlay::HostCore& hosts = hostLink->core_->hosts();
    std::vector<const RouterTable*> tables;
    for (uint32_t y = 0; y < boards_y_; ++y) {
      for (uint32_t x = 0; x < boards_x_; ++x) tables.push_back(table[y][x].table_);
    }
    polyloom::overlay::MeshCheck(hosts.facts(), boards_x_, tables).run();
    for (uint32_t b = 0; b < tables.size(); ++b)
      polyloom::overlay::write_table(hosts, b % boards_x_, b / boards_x_, *tables[b]);
  });
}
