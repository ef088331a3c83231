// SPDX-License-Identifier: Apache-2.0
// A board's detector for tests, as RTL or as the fast model, behind one interface of one cycle.
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "blocks/verilated/rtl_model.h"
#include "roles/overlay/sim/net/detector_tree.h"

namespace polyloom::overlay::test {

inline constexpr unsigned kTilesX = 2, kTilesY = 1, kTiles = kTilesX * kTilesY;

/// What a board shows its detector in a cycle.
struct BoardWires {
  bool idle[kTiles] = {}, vote[kTiles] = {};
  std::uint16_t in_flight[kTiles] = {};  ///< one cycle old
  bool sent[kLinks] = {}, received[kLinks] = {};
  bool host_in = false, host_out = false;
  unsigned copies = 0, ended = 0;  ///< in the router: of messages with a key; such messages
};

/// What a detector shows its board in a cycle.
struct DetectorWires {
  bool epoch = false, release = false, vote = false, may_inject = false;
};

struct Frame {
  Cycle at;
  std::vector<std::uint64_t> words;
};

/// One cycle: begin(), the board reacts, end().
class DetectorEnd {
 public:
  virtual ~DetectorEnd() = default;
  virtual DetectorWires begin(Cycle c, bool inject) = 0;
  virtual void end(Cycle c, const BoardWires& wires) = 0;
  virtual std::uint64_t barriers() const = 0;
  virtual std::uint64_t grants() const = 0;

  /// Frames that have come from the neighbour behind a link, whole at their cycle.
  std::deque<Frame> in[kLinks];
  /// A frame leaves: cycles of its first and of its last word.
  std::function<void(Cycle first, Cycle last, unsigned link, std::vector<std::uint64_t>)> out;
};

/// Design; links pause at random when `stalls`.
class RtlEnd final : public DetectorEnd {
 public:
  RtlEnd(const std::string& object, BoardCoord at, MeshSize mesh, std::uint64_t seed, bool stalls);
  DetectorWires begin(Cycle c, bool inject) override;
  void end(Cycle c, const BoardWires& wires) override;
  std::uint64_t barriers() const override { return barriers_now_; }
  std::uint64_t grants() const override { return word(grants_); }

 private:
  using Port = blocks::RtlModel::Port;
  static std::uint32_t word(const Port& port);
  static void set(const Port& port, unsigned byte, std::uint64_t value, unsigned bytes);

  blocks::RtlModel model_;
  std::mt19937_64 random_;
  bool stalls_;
  Port idle_, vote_, in_flight_, sent_, received_, host_in_, host_out_, copies_, ended_, inject_, in_valid_,
      in_data_, in_last_, out_ready_;
  Port in_ready_, out_valid_, out_data_, out_last_, epoch_, release_, release_vote_, may_inject_, barriers_,
      grants_;
  std::uint64_t barriers_now_ = 0;  ///< in the cycle that begin() was called for
  std::size_t in_word_[kLinks] = {};
  bool in_shown_[kLinks] = {};  ///< a word once shown stays
  std::vector<std::uint64_t> out_words_[kLinks];
  Cycle out_first_[kLinks] = {};
};

/// Fast model, stepped every cycle.
class ModelEnd final : public DetectorEnd, public DetectorEnv {
 public:
  ModelEnd(BoardCoord at, MeshSize mesh);
  DetectorWires begin(Cycle c, bool inject) override;
  void end(Cycle c, const BoardWires& wires) override;
  std::uint64_t barriers() const override { return barriers_now_; }
  std::uint64_t grants() const override { return detector_.counters().grants; }

  void send_control(Cycle c, unsigned link, std::span<const std::uint64_t> words) override;
  void release_threads(Cycle c, bool voted) override;
  void freeze_threads(Cycle, bool) override {}

 private:
  Activity activity_;
  TreeDetector detector_;
  unsigned waking_ = 0;  ///< cycles in which released tiles may still say that they wait: a board's do not
  std::int64_t periphery_ = 0;  ///< messages let in - handed out, + copies - keys that have ended
  std::uint64_t barriers_now_ = 0;
  bool released_ = false, voted_ = false;
};

/// Builds the design on the first call.
const std::string& detector_object();

}  // namespace polyloom::overlay::test
