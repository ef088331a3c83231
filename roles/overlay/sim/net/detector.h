// SPDX-License-Identifier: Apache-2.0
// Termination detection with vote: what a board tells its detector, and what a detector does.
//
// Two protocols: the overlay's own (detector_tree.h) and the published one (detector_star.h). Both see a
// board as Activity and counts of messages that crossed its links, and talk to other boards by control words,
// which travel on the links' own control channel, in order and never blocked by data.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "roles/overlay/sim/net/noc.h"

namespace polyloom::overlay {

/// What a detector asks of its board.
class DetectorEnv {
 public:
  virtual ~DetectorEnv() = default;
  /// Sends control words to the neighbour behind `link` (a BoardPort), leaving not before cycle `c`.
  virtual void send_control(Cycle c, unsigned link, std::span<const std::uint64_t> words) = 0;
  /// Every thread of the board that waits in tinselIdle goes on, with the result "idle" or "idle and all
  /// voted".
  virtual void release_threads(Cycle c, bool voted) = 0;
  /// Sets Activity::frozen; at its end, waits are looked at again.
  virtual void freeze_threads(Cycle c, bool frozen) = 0;
};

struct DetectorConfig {
  BoardCoord board;
  MeshSize mesh;
  unsigned threads = 0;  ///< hardware threads of a board: all must wait
  /// Cycles to gather "all threads wait, nothing in flight" over a board, and again to release its threads.
  Cycle gather = 8;
  /// Cycles that a board takes to respond or pass on control words.
  Cycle turn = 3;
  /// Tree: cycles for each end of a link in a report that a board reads, and again in one that it sends.
  Cycle end = 1;
  /// Star only: hop from board (0,0) to the master board west of it, in cycles.
  Cycle bridge_hop = 195;
};

struct DetectorCounters {
  std::uint64_t barriers = 0;       ///< times that this board's threads were released
  std::uint64_t reports = 0;        ///< reports or token replies that this board sent for itself
  std::uint64_t control_words = 0;  ///< 64-bit words sent to neighbours
  std::uint64_t held_messages = 0;  ///< messages that waited at a link for this board's release
  std::uint64_t grants = 0;         ///< times that the host's gate had to ask
};

class Detector {
 public:
  Detector(DetectorConfig config, const Activity& activity, DetectorEnv& env)
      : config_(config), activity_(activity), env_(env) {}
  virtual ~Detector() = default;

  // Data messages. Call sent() when a message is handed to a link, received() when one is let in from it
  // (after may_enter()); host_in() and host_out() likewise for the host link of board (0,0).
  void sent(unsigned link) { ++sent_[link], ++version_; }
  virtual void received(Cycle, unsigned link) { ++received_[link], ++version_; }
  void host_in() { ++host_in_, ++version_; }
  void host_out() { ++host_out_, ++version_; }
  /// One bit that every data message on a link carries.
  virtual unsigned epoch_bit() const = 0;
  /// May a message that carries `epoch` enter the board now? If not it waits at the link.
  virtual bool may_enter(unsigned epoch) const = 0;
  /// May the host's messages enter now? If not, ask again in every window: the detector sees to it.
  virtual bool may_inject(Cycle c) = 0;

  /// Control words from the neighbour behind `link`, complete at cycle `c`.
  virtual void control(Cycle c, unsigned link, std::span<const std::uint64_t> words) = 0;
  /// Looks at the board at the end of a board window. Call whenever the window had anything to do, and for
  /// the first window that ends at next_event() or later.
  virtual void step(Cycle window_end) = 0;
  virtual Cycle next_event() const = 0;

  const DetectorCounters& counters() const { return counters_; }
  /// Messages that crossed a link, for counters.
  std::uint64_t sent_on(unsigned link) const { return sent_[link]; }
  std::uint64_t received_on(unsigned link) const { return received_[link]; }
  std::uint64_t from_host() const { return host_in_; }
  std::uint64_t to_host() const { return host_out_; }
  void count_held() { ++counters_.held_messages; }
  /// For people: what the detector waits for.
  virtual std::string describe() const = 0;
  virtual std::uint64_t state_hash() const;

 protected:
  bool all_wait() const { return activity_.idle_waiting == config_.threads; }
  bool passive() const { return all_wait() && activity_.in_flight == 0; }
  bool all_vote() const { return activity_.idle_votes == config_.threads; }
  void send(Cycle c, unsigned link, std::span<const std::uint64_t> words) {
    counters_.control_words += words.size();
    env_.send_control(c, link, words);
  }
  bool has_link(unsigned link) const { return overlay::has_link(config_.board, config_.mesh, link); }
  BoardCoord beyond(unsigned link) const;

  const DetectorConfig config_;
  const Activity& activity_;
  DetectorEnv& env_;
  std::array<std::uint64_t, kLinks> sent_{}, received_{};
  std::uint64_t host_in_ = 0, host_out_ = 0;
  std::uint64_t version_ = 0;  ///< changes whenever a message crosses the board's periphery
  DetectorCounters counters_;
};

/// "tree" (ours) or "star" (published).
enum class DetectorKind { tree, star };
std::unique_ptr<Detector> make_detector(DetectorKind kind, const DetectorConfig& config,
                                        const Activity& activity, DetectorEnv& env);

}  // namespace polyloom::overlay
