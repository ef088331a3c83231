// SPDX-License-Identifier: Apache-2.0
#include "roles/overlay/tests/detector/detector_world.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace polyloom::overlay::test {
namespace {

constexpr Cycle kWireLatency = 195;
constexpr double kWordCycles = 1.6;  ///< 64 bits of 10 Gb/s at 250 MHz
constexpr Cycle kOnBoard = 3;        ///< least cycles of a message between periphery and tiles

/// When a frame of n words, whole at cycle c, can be used behind an idle reliable link
/// (blocks/reliable_link).
Cycle over_the_link(Cycle c, std::size_t n) {
  const double words = static_cast<double>(std::max<std::size_t>(8, n + 3) - 1);
  return c + 1 + kWireLatency + static_cast<Cycle>(words * kWordCycles + 0.999) + 2;
}

}  // namespace

World::World(const WorldOptions& options)
    : options_(options),
      random_(options.seed),
      boards_(options.mesh.boards()),
      host_left_(options.host_messages) {
  for (unsigned i = 0; i < boards_.size(); ++i) {
    Board& b = boards_[i];
    b.at = {i % options.mesh.width, i / options.mesh.width};
    b.rtl = options.is_rtl(b.at);
    if (b.rtl) {
      b.end =
          std::make_unique<RtlEnd>(detector_object(), b.at, options.mesh, random_(), !options.exact_links);
    } else {
      b.end = std::make_unique<ModelEnd>(b.at, options.mesh);
    }
    b.end->out = [this, &b](Cycle first, Cycle last, unsigned link, std::vector<std::uint64_t> frame) {
      send_frame(b, first, last, link, std::move(frame));
    };
    for (Tile& t : b.tiles) {
      t.vote = options.loop != 0 || choose(b, t, 1, 8) != 0;
      if (options.budget == 0) t.sends_left = 0;
    }
  }
}

World::Board* World::neighbour(const Board& board, unsigned link) {
  static constexpr int kDx[] = {0, 1, 0, -1}, kDy[] = {1, 0, -1, 0};
  const int x = static_cast<int>(board.at.x) + kDx[link], y = static_cast<int>(board.at.y) + kDy[link];
  const int width = static_cast<int>(options_.mesh.width), height = static_cast<int>(options_.mesh.height);
  if (x < 0 || y < 0 || x >= width || y >= height) return nullptr;
  return &boards_[static_cast<std::size_t>(y * width + x)];
}

void World::send_frame(Board& board, Cycle, Cycle last, unsigned link, std::vector<std::uint64_t> frame) {
  Board* to = neighbour(board, link);
  ASSERT_NE(to, nullptr) << "control words for a link that is not there";
  if ((frame.front() & 0xff) == 1)
    last_reports[{static_cast<unsigned>(&board - boards_.data()), board.barriers}] = frame;
  longest_frame = std::max(longest_frame, frame.size());
  Cycle& free = board.control_last[link];
  free = std::max(free, options_.exact_links ? over_the_link(last, frame.size()) : last + delay());
  to->end->in[opposite(link)].push_back({free, std::move(frame)});
}

void World::cycle() {
  for (Board& board : boards_) board_cycle(board);
  ++now_;
}

void World::board_cycle(Board& board) {
  const bool host_board = &board == boards_.data();
  if (host_board && host_left_ > 0 && draw(256) == 0) host_waits_ = true;
  const DetectorWires detector = board.end->begin(now_, host_board && host_waits_);
  if (detector.release) released(board, detector.vote);
  BoardWires wires;
  for (unsigned t = 0; t < kTiles; ++t) wires.in_flight[t] = board.tiles[t].in_flight;
  take_in(board, detector, wires);
  if (host_board) host(board, detector, wires);
  make_copies(board, wires);
  travel(board, detector, wires);
  for (unsigned t = 0; t < kTiles; ++t) run_tile(board, t, wires);
  board.end->end(now_, wires);
}

void World::take_in(Board& board, const DetectorWires& detector, BoardWires& wires) {
  for (unsigned link = 0; link < kLinks; ++link) {
    auto& queue = board.data_in[link];
    if (queue.empty() || queue.front().at > now_ || queue.front().epoch != detector.epoch || draw(4) == 0)
      continue;
    EXPECT_EQ(queue.front().barrier, board.barriers) << "a message of another epoch came in";
    queue.pop_front();
    wires.received[link] = true;
    ++board.on_board;
    if (!options_.scripted && draw(4) == 0) {
      board.keys.push_back(any_key(board, board.tiles[0], 0));
    } else {
      board.travels.push_back({now_ + kOnBoard + draw(20), false, draw(kTiles)});
    }
  }
}

void World::host(Board& board, const DetectorWires& detector, BoardWires& wires) {
  if (host_waits_ && detector.may_inject && (!board.rtl || draw(4) != 0)) {
    host_waits_ = false;
    --host_left_;
    ++injected_;
    ++board.on_board;
    if (host_left_ > 0 && draw(2) == 0) host_waits_ = true;  // the next one is there already
    host_pulses_.push_back(
        std::max(now_ + (board.rtl ? draw(7) : 0), host_pulses_.empty() ? 0 : host_pulses_.back() + 1));
    if (draw(4) == 0) {
      board.keys.push_back(any_key(board, board.tiles[0], 0));
      board.keys.back().at += 6;
    } else {
      board.travels.push_back({now_ + kOnBoard + 6 + draw(20), false, draw(kTiles)});
    }
  }
  if (!host_pulses_.empty() && host_pulses_.front() <= now_) {
    host_pulses_.pop_front();
    wires.host_in = true;
  }
}

World::Key World::any_key(const Board& board, const Tile& tile, unsigned what) {
  Key key{now_ + kOnBoard + draw(20), {}};
  for (unsigned copies = choose(board, tile, what, 4); copies > 0; --copies) {
    const unsigned to = choose(board, tile, what + copies, kLinks + 1 + kTiles);
    if (to < kLinks ? neighbour(board, to) != nullptr : to != kLinks || host_is_at(board))
      key.to.push_back(to);
  }
  return key;
}

/// A key makes at most a copy a cycle, and ends with the last or later.
void World::make_copies(Board& board, BoardWires& wires) {
  std::erase_if(board.keys, [&](Key& key) {
    if (key.at > now_ || std::max(wires.copies, wires.ended) == kLinks + 1 + kTilesX) return false;
    if (!key.to.empty()) {
      const unsigned to = key.to.back();
      key.to.pop_back();
      ++wires.copies;
      ++board.on_board;
      const bool leaves = to <= kLinks;
      board.travels.push_back({now_ + kOnBoard + draw(20), leaves, leaves ? to : to - kLinks - 1});
      if (!key.to.empty() || draw(2) == 0) {
        key.at = now_ + 1 + draw(8);
        return false;
      }
    }
    ++wires.ended;
    --board.on_board;
    return true;
  });
}

void World::travel(Board& board, const DetectorWires& detector, BoardWires& wires) {
  std::erase_if(board.travels, [&](const Travel& t) {
    if (t.at > now_) return false;
    if (!t.leaves) {
      Tile& tile = board.tiles[t.to];
      wake(board, tile);
      tile.held.push_back(now_ + 2 + draw(64));
      std::sort(tile.held.begin(), tile.held.end());
      return true;
    }
    if (t.to == kLinks) {  // to the host
      if (wires.host_out) return false;
      wires.host_out = true;
    } else {
      if (wires.sent[t.to]) return false;
      wires.sent[t.to] = true;
      Cycle& free = board.data_last[t.to];
      free = std::max(free, now_ + delay());
      neighbour(board, t.to)->data_in[opposite(t.to)].push_back({free, detector.epoch, board.barriers});
    }
    --board.on_board;
    return true;
  });
}

void World::wake(const Board& board, Tile& tile) {
  tile.waiting = false;
  tile.vote = choose(board, tile, 1, 8) != 0;
  if (tile.busy_until != kNeverCycle) tile.busy_until = now_ + 8 + draw(150);
}

unsigned World::choose(const Board& board, const Tile& tile, unsigned what, unsigned below) {
  if (!options_.scripted) return draw(below);
  std::mt19937_64 script(options_.seed + 10 * board.barriers + 1000 * board.at.x + 10'000 * board.at.y +
                         100'000 * static_cast<std::uint64_t>(&tile - board.tiles) + 1'000'000 * what);
  return static_cast<unsigned>(script() % below);
}

void World::run_tile(Board& board, unsigned index, BoardWires& wires) {
  Tile& tile = board.tiles[index];
  if (tile.wake_at <= now_) {
    tile.wake_at = kNeverCycle;
    tile.waiting = false;
  }
  while (!tile.held.empty() && tile.held.front() <= now_) {
    tile.held.pop_front();
    --tile.in_flight;
    --board.on_board;
  }
  if (!tile.waiting && tile.sends_left > 0 && draw(16) == 0) {
    const unsigned link = choose(board, tile, 2 + tile.sends_left, kLinks + 2);
    const bool to_host = link == kLinks && host_is_at(board);
    --tile.sends_left;
    if (link >= kLinks || neighbour(board, link) != nullptr) {
      ++tile.in_flight;
      ++board.on_board;
      tile.last_send = now_;
      const bool leaves = link < kLinks || to_host;
      if (link > kLinks) {
        board.keys.push_back(any_key(board, tile, 100 + 10 * tile.sends_left));
      } else {
        board.travels.push_back({now_ + kOnBoard + draw(30), leaves, leaves ? link : draw(kTiles)});
      }
    }
  }
  const bool done = !options_.scripted || tile.sends_left == 0;
  if (!tile.waiting && done && tile.busy_until < now_ && now_ > tile.last_send + 8) tile.waiting = true;
  wires.idle[index] = tile.waiting;
  wires.vote[index] = tile.waiting && tile.vote;
}

void World::keep_busy(unsigned board) {
  boards_[board].tiles[0].busy_until = kNeverCycle;
  boards_[board].tiles[0].waiting = false;
}

// ---- the observer ----

void World::expect_quiet(const Board& board, const char* when) {
  for (const Tile& tile : board.tiles) {
    ASSERT_TRUE(tile.waiting && tile.wake_at == kNeverCycle) << "a thread is not waiting " << when;
  }
  ASSERT_EQ(board.on_board, 0u) << "a message is on a board " << when;
}

void World::released(Board& board, bool vote) {
  bool first = true;
  for (const Board& b : boards_) first = first && b.barriers <= board.barriers;
  if (first) {
    voted_ = true;
    for (const Board& b : boards_) {
      ASSERT_EQ(b.barriers, board.barriers) << "a board was not released at the last barrier";
      expect_quiet(b, "at the decision");
      for (const auto& queue : b.data_in) ASSERT_TRUE(queue.empty()) << "a message is on a link";
      for (const Tile& tile : b.tiles) voted_ = voted_ && tile.vote;
    }
  }
  expect_quiet(board, "at its release");
  EXPECT_EQ(vote, voted_);
  ++board.barriers;
  for (Tile& tile : board.tiles) {
    tile.wake_at = now_ + (options_.loop == 0 ? draw(4) : 0);
    tile.busy_until = now_ + (options_.loop == 0 ? 16 + draw(150) : options_.loop);
    tile.vote = options_.loop != 0 || choose(board, tile, 1, 8) != 0;
    tile.sends_left = options_.budget == 0 ? 0 : choose(board, tile, 0, options_.budget);
  }
}

}  // namespace polyloom::overlay::test
