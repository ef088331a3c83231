// SPDX-License-Identifier: Apache-2.0
// A mesh of boards for tests of detection: threads that wait and wake, messages on boards and links, those
// with a key that become copies in routers, a host; and an observer who sees all of it. Detectors are the
// design's, the fast model's, or some of each.
#pragma once

#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <random>
#include <vector>

#include "roles/overlay/tests/detector/detector_ends.h"

namespace polyloom::overlay::test {

struct WorldOptions {
  MeshSize mesh;
  unsigned seed = 1;
  Cycle hop = 20, jitter = 100;  ///< of frames and of messages on links
  bool exact_links = false;      ///< control takes what a reliable link of 195 cycles takes; nothing stalls
  std::function<bool(BoardCoord)> is_rtl = [](BoardCoord) { return true; };
  unsigned budget = 6;         ///< messages that a tile may send in an epoch, below
  unsigned host_messages = 0;  ///< to board (0,0)
  bool scripted = false;       ///< what a tile sends and votes depends on board and barrier only, not on time
  Cycle loop = 0;              ///< cycles until a released thread waits again; 0: random
};

class World {
 public:
  explicit World(const WorldOptions& options);
  /// One cycle of all boards. What is wrong is reported by GoogleTest; stop when something was.
  void cycle();
  Cycle now() const { return now_; }
  /// Barriers that a board has seen.
  std::uint64_t barriers(unsigned board) const { return boards_[board].barriers; }
  std::size_t boards() const { return boards_.size(); }
  const DetectorEnd& detector(unsigned board) const { return *boards_[board].end; }
  unsigned injected() const { return injected_; }
  /// A board's tile 0 never waits again.
  void keep_busy(unsigned board);
  std::size_t longest_frame = 0;
  /// The last report that each board sent before its release, by (board, barrier).
  std::map<std::pair<unsigned, std::uint64_t>, std::vector<std::uint64_t>> last_reports;

 private:
  struct Data {
    Cycle at;
    bool epoch;
    std::uint64_t barrier;  ///< barriers that its sender had seen: what the epoch bit stands for
  };
  struct Tile {
    bool waiting = false, vote = true;
    Cycle busy_until = 0, last_send = 0, wake_at = kNeverCycle;
    std::uint16_t in_flight = 0, shown = 0;
    std::deque<Cycle> held;  ///< messages, to be freed at
    unsigned sends_left = 3;
  };
  struct Travel {
    Cycle at;
    bool leaves;
    unsigned to;  ///< link or tile
  };
  struct Key {
    Cycle at;                  ///< of the next copy, or of the end
    std::vector<unsigned> to;  ///< copies to come: by a link, to the host (kLinks), to a tile (behind it)
  };
  struct Board {
    BoardCoord at;
    std::unique_ptr<DetectorEnd> end;
    bool rtl = false;
    Tile tiles[kTiles];
    std::vector<Travel> travels;
    std::vector<Key> keys;  ///< messages in the router
    std::deque<Data> data_in[kLinks];
    Cycle data_last[kLinks] = {}, control_last[kLinks] = {};  ///< of what it sends: links keep the order
    unsigned on_board = 0;                                    ///< messages, for the observer
    std::uint64_t barriers = 0;
  };

  Board* neighbour(const Board& board, unsigned link);
  bool host_is_at(const Board& board) const { return board.at == BoardCoord{0, 0}; }
  unsigned draw(unsigned below) { return static_cast<unsigned>(random_() % below); }
  Cycle delay() { return options_.hop + (options_.jitter != 0 ? random_() % options_.jitter : 0); }
  void send_frame(Board& board, Cycle first, Cycle last, unsigned link, std::vector<std::uint64_t> words);
  void board_cycle(Board& board);
  void take_in(Board& board, const DetectorWires& detector, BoardWires& wires);
  void host(Board& board, const DetectorWires& detector, BoardWires& wires);
  void travel(Board& board, const DetectorWires& detector, BoardWires& wires);
  void run_tile(Board& board, unsigned index, BoardWires& wires);
  void make_copies(Board& board, BoardWires& wires);
  void wake(const Board& board, Tile& tile);
  /// For the router, with up to three copies; `what`: as choose() takes it.
  Key any_key(const Board& board, const Tile& tile, unsigned what);
  /// A number below `below`: random, or drawn from board, tile, barrier and `what` if scripted.
  unsigned choose(const Board& board, const Tile& tile, unsigned what, unsigned below);
  void released(Board& board, bool vote);
  void expect_quiet(const Board& board, const char* when);

  WorldOptions options_;
  std::mt19937_64 random_;
  std::vector<Board> boards_;
  Cycle now_ = 0;
  unsigned host_left_, injected_ = 0;
  bool host_waits_ = false;
  std::deque<Cycle> host_pulses_;
  bool voted_ = false;  ///< by all, at the last decision
};

}  // namespace polyloom::overlay::test
