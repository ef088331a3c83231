// SPDX-License-Identifier: Apache-2.0
// One end of a reliable link, stepped a cycle at a time, as C++ model or as Verilated RTL with the model
// beside it.
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <memory>
#include <vector>

#include "blocks/reliable_link/sim/link_straps.h"
#include "blocks/verilated/lane.h"
#include "blocks/verilated/rtl_model.h"

namespace polyloom::blocks::testing {

/// What a user does at one edge; arrays by Channel.
struct Offer {
  struct Side {
    bool valid = false, last = true;  ///< an item is offered; its group ends with it
    std::uint64_t item = 0;
    bool take = false;  ///< an item would be taken
  };
  std::array<Side, kChannels> side;
};
struct Outcome {
  struct Side {
    bool pushed = false, popped = false;
    std::uint64_t item = 0;  ///< popped
  };
  std::array<Side, kChannels> side;
};

class LinkEnd {
 public:
  virtual ~LinkEnd() = default;
  /// Edge k; edges in order, none left out.
  virtual Outcome cycle(Cycle k, const Offer& offer) = 0;
  virtual ReliableLinkCounters counters() const = 0;
};

/// The model in windows of one cycle. Groups are pushed when they are whole.
class ModelEnd final : public LinkEnd {
 public:
  ModelEnd(fabric::Tx& tx, fabric::Rx& rx, const ReliableLinkParams& params, fabric::Clock clock)
      : link(tx, rx, params, clock) {}
  Outcome cycle(Cycle k, const Offer& offer) override;
  ReliableLinkCounters counters() const override { return link.counters(); }
  std::size_t visible(unsigned channel, Cycle k) const {
    return channel == kData ? link.data_count(k) : link.control_count(k);
  }
  std::uint64_t pop(unsigned channel, Cycle k) {
    return channel == kData ? link.pop_data(k) : link.pop_control(k);
  }
  /// False if there was no space.
  bool push(unsigned channel, Cycle k, std::uint64_t item) {
    return channel == kData ? link.push_data(k, item) : link.push_control(k, item);
  }
  ReliableLink link;

 private:
  std::array<std::vector<std::uint64_t>, kChannels> group_;
};

struct RtlOptions {
  unsigned fifo_beats = 0;  ///< before the wire (LaneTx)
  unsigned stall = 0;  ///< of 8 cycles in which the wire takes no word; the model beside it is left out then
  std::uint64_t seed = 1;
};

/// The RTL on the wire, and a model that sees the same items and the same frames but sends nothing: what
/// both send and hand out must be equal word by word and cycle by cycle, or cycle() and flush() throw. One
/// thing may differ: the model makes a frame at once, the RTL reads items as they leave; an item that is sent
/// again and is acknowledged before it leaves may have given its place to a later one. The far side ignores
/// it.
class RtlEnd final : public LinkEnd {
 public:
  RtlEnd(fabric::Tx& tx, fabric::Rx& rx, const ReliableLinkParams& params, fabric::Clock clock,
         const RtlOptions& options);
  ~RtlEnd() override;
  Outcome cycle(Cycle k, const Offer& offer) override;
  ReliableLinkCounters counters() const override { return counters_; }
  /// To be called at the end of each fabric window.
  void flush(fabric::Time until);
  std::uint64_t words_compared() const { return compared_; }
  bool idle() const { return idle_; }
  ReliableLinkCounters model_counters() const { return shadow_->counters(); }

 private:
  struct Word {
    fabric::Time time;
    std::uint64_t value;
    bool last;
    bool operator==(const Word&) const = default;
  };
  class Copies;
  class Recorder;
  void count();
  bool compare(const Word& ours, const Word& theirs);
  bool replaced(std::uint64_t value) const;

  fabric::Clock clock_;
  RtlOptions options_;
  std::unique_ptr<Copies> copies_;
  std::unique_ptr<Recorder> recorder_, sent_;
  RtlModel model_;
  LaneRx lane_rx_;
  LaneTx lane_tx_;
  std::unique_ptr<ModelEnd> shadow_;
  std::array<std::vector<std::uint64_t>, kChannels> group_, pushed_;
  std::array<std::size_t, kChannels> ring_;
  ReliableLinkCounters counters_;
  std::uint64_t compared_ = 0, draws_ = 0;
  // The frame that is being compared.
  std::uint64_t place_ = 0, word0_ = 0, word1_ = 0;
  bool replaced_ = false;
  bool idle_ = false;
};

/// File list and parameters of the RTL for these parameters.
RtlShape link_shape(const ReliableLinkParams& params);

}  // namespace polyloom::blocks::testing
