// SPDX-License-Identifier: Apache-2.0
// The overlay's termination detection: reports of link counts up a tree of boards, the decision down it.
//
// A board whose threads all wait in tinselIdle and that has nothing in flight reports, for each of its links,
// how many messages it has sent and received. A combiner cancels links with both ends inside its subtree when
// the counts of both ends agree, and passes on the rest; while they disagree it waits for newer reports. When
// everything cancels at the root, no board has changed since its report and no message is under way (proof:
// roles/overlay/README.md), so one wave suffices and no thread is ever disabled. Cost: the diameter of the
// mesh, once up and once down.
//
// Epochs: the decision reaches boards at different times. A released board's messages carry the new epoch's
// bit and wait at the link of a board that has not been released, so no thread there takes one before its own
// release. The host's gate: messages from the host can make board (0,0) active after it reported, which the
// proof excludes; so once it has reported, they wait for the root's grant, and the root waits for a report
// made after the grant.
#pragma once

#include <map>
#include <optional>
#include <vector>

#include "roles/overlay/sim/net/detector.h"

namespace polyloom::overlay {

class TreeDetector final : public Detector {
 public:
  TreeDetector(const DetectorConfig& config, const Activity& activity, DetectorEnv& env);

  unsigned epoch_bit() const override { return epoch_ & 1; }
  bool may_enter(unsigned epoch) const override { return epoch == epoch_bit(); }
  bool may_inject(Cycle c) override;
  void control(Cycle c, unsigned link, std::span<const std::uint64_t> words) override;
  void step(Cycle window_end) override;
  Cycle next_event() const override;
  std::string describe() const override;
  std::uint64_t state_hash() const override;

  /// The board of smallest eccentricity: the middle, rounded down.
  static BoardCoord root_of(MeshSize mesh) { return {(mesh.width - 1) / 2, (mesh.height - 1) / 2}; }
  bool is_root() const { return config_.board == root_of(config_.mesh); }

 private:
  /// One end of a link, as its board saw it when it reported. Counts are modulo 2^24: more than a link can
  /// hold.
  struct LinkEnd {
    std::uint32_t sent = 0, received = 0;
    bool operator==(const LinkEnd&) const = default;
  };
  struct Report {
    std::map<unsigned, LinkEnd> ends;  ///< by end_key()
    bool vote = true;
    unsigned gate = 0;   ///< grants that board (0,0) had used, modulo 2^16
    unsigned epoch = 0;  ///< bit
    bool operator==(const Report&) const = default;
  };
  enum Op : std::uint64_t { kReport = 1, kRelease = 2, kRequest = 3, kGrant = 4 };

  static unsigned end_key(BoardCoord board, unsigned link) { return (board.y << 5) | (board.x << 2) | link; }
  static unsigned other_end(unsigned key);

  void look(Cycle now);
  void release();
  void take_snapshot(Cycle now);
  /// When a report is read that is there at `c`: reports are read one at a time.
  Cycle read(Cycle c, const Report& report);
  void combine(Cycle c);
  /// Moves the ends of `from` into `into`, cancelling links whose two ends agree; false if two do not.
  static bool merge(Report& into, const Report& from);
  void decide(Cycle c, bool voted);
  void send_report(Cycle c, const Report& report);
  Report parse(std::span<const std::uint64_t> words) const;
  void request(Cycle c);
  void grant(Cycle c);

  std::optional<unsigned> parent_;  ///< link; none at the root
  std::vector<unsigned> children_;  ///< links
  unsigned epoch_ = 0;

  Cycle passive_since_ = kNeverCycle;
  std::uint64_t passive_version_ = 0;  ///< version_ when it was last seen passive
  std::optional<Report> own_;          ///< the last snapshot of this epoch
  std::uint64_t own_version_ = 0;
  bool own_valid_ = false;  ///< the board has not changed since own_
  std::array<std::optional<Report>, kLinks> from_child_;
  Cycle reader_free_ = 0;
  std::optional<Report> forwarded_;  ///< last report sent to the parent in this epoch
  Cycle release_at_ = kNeverCycle;
  bool release_vote_ = false;

  bool requested_ = false;          ///< board (0,0): waits for a grant
  unsigned gate_ = 0;               ///< board (0,0): grants used
  unsigned granted_ = 0;            ///< root: grants given
  unsigned gate_link_ = kHostPort;  ///< towards board (0,0), learnt from its question
};

}  // namespace polyloom::overlay
