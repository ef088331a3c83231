// SPDX-License-Identifier: Apache-2.0
// The published termination detection (Tinsel paper III, "Termination detection"; docs/sources/tinsel.md,
// 3.4): a master asks every board in rounds. For the calibration presets and as what ours is measured
// against.
//
// The master is the bridge board, one hop west of board (0,0); the model of board (0,0) contains it, with
// that hop's latency. Rounds: probe all boards until all are white and their counts sum to zero, then "done"
// to all (threads go on but can neither send nor receive), then "release" to all. Tokens cross the mesh X
// first, one control word each.
#pragma once

#include <deque>

#include "roles/overlay/sim/net/detector.h"

namespace polyloom::overlay {

class StarDetector final : public Detector {
 public:
  StarDetector(const DetectorConfig& config, const Activity& activity, DetectorEnv& env);

  void received(Cycle c, unsigned link) override;
  unsigned epoch_bit() const override { return 0; }
  bool may_enter(unsigned) const override { return true; }
  bool may_inject(Cycle) override {
    host_waits_ = is_corner() && stage_ != Stage::probe;
    return !host_waits_;
  }
  void control(Cycle c, unsigned link, std::span<const std::uint64_t> words) override;
  void step(Cycle window_end) override;
  Cycle next_event() const override;
  std::string describe() const override;

 private:
  enum Op : std::uint64_t { kProbe = 1, kDone = 2, kRelease = 3, kReply = 4, kAck = 5 };
  enum class Stage { probe, done, release };
  /// A token: op[7:0] vote[8] black[9] board[23:16] (x in the low nibble); a reply's second word is its
  /// count.
  struct Token {
    Op op;
    bool vote = false, black = false;
    BoardCoord board;  ///< the one asked, or the one that responds
    std::int64_t count = 0;
    bool to_master() const { return op == kReply || op == kAck; }
  };
  struct Timed {
    Cycle at;
    Token token;
  };

  bool is_corner() const { return config_.board == BoardCoord{0, 0}; }
  void route(Cycle c, const Token& token);
  void to_board(Cycle c, const Token& token);
  void to_master(Cycle c, const Token& token);
  void broadcast(Cycle c, Op op, bool vote);
  void thaw(Cycle c);
  std::int64_t count() const;

  // Every board.
  bool black_ = true;
  bool token_held_ = false;
  Cycle held_since_ = 0;
  bool frozen_ = false;
  Cycle passive_since_ = kNeverCycle;
  Cycle release_at_ = kNeverCycle;
  bool release_vote_ = false;

  // Board (0,0): what is on the hop to and from the master, and the master itself.
  std::deque<Timed> to_master_, from_master_;
  Stage stage_ = Stage::probe;
  bool started_ = false;
  unsigned responses_ = 0;
  bool all_white_ = true, all_vote_ = true;
  std::int64_t sum_ = 0;
  std::uint64_t host_seen_ = 0;  ///< host messages when the round began: the master's own colour
  unsigned probes_ = 0;
  bool host_waits_ = false;  ///< may_inject() has refused
};

}  // namespace polyloom::overlay
