// SPDX-License-Identifier: Apache-2.0
// Port L of a hub, cycle for cycle as rtl/polyloom_hub_local.sv and what hangs on it: registers, on-board
// memory, DMA, function.
//
// How:  from the switch --> header, then beat by beat --> register, memory, function's stream, data of a read
//       DMA, function's lanes --(merge)--> the switch's input L
//       reads of the DMA, responses to reads from N --(merge)--> the switch's input of replies
// Use of an edge: begin(), the switch's step (which looks and notes what it takes), step().
// Thread safety: none; part of a node. Tests: local_test.cc, hub_swap_test.cc.
#pragma once

#include <deque>
#include <optional>
#include <string>

#include "blocks/memory/sim/backing_store.h"
#include "roles/hub/sim/dma.h"
#include "roles/hub/sim/function.h"
#include "roles/hub/sim/switch.h"

namespace polyloom::hub {

/// Writes payload to the on-board memory; knows when all is acknowledged.
class MemoryWrite {
 public:
  explicit MemoryWrite(unsigned latency) : latency_(latency) {}
  bool ready() const { return !active_; }
  bool data_ready() const { return active_ && !tail_; }
  bool idle() const { return open_ == 0 && !active_; }
  Cycle next_due() const { return responses_.empty() ? blocks::kNeverCycle : responses_.front(); }
  /// An edge: a burst begins, or a beat comes (its last?).
  bool move(Cycle k, const TlpHeader* begins, const Beat* beat);

 private:
  unsigned latency_;
  bool active_ = false, tail_ = false, spills_ = false;
  unsigned open_ = 0;
  std::deque<Cycle> responses_;
};

class Local final : public LocalSide {
 public:
  Local(const std::string& name, const HubParams& params, unsigned node);
  /// To be called once, before anything else: the two belong together.
  void join(Switch& network) { switch_ = &network; }

  void begin(Cycle k);
  /// True if something changed.
  bool step(Cycle k);
  /// The first edge at which it must be stepped although nothing changes before.
  Cycle next_due() const { return std::min(dma_.next_due(), memory_write_.next_due()); }
  /// Edges that were left out.
  void skipped(Cycle edges) { function_.skip(edges); }

  // For the switch.
  bool takes_beat(const Beat& beat, unsigned source) override;
  bool stream_room() override { return !function_.exists() || function_.room(); }
  void beat(Cycle, const Beat&, unsigned) override { accepted_ = true; }
  const Beat* offer(unsigned input) override;
  void taken(unsigned input) override { taken_[input - kLocalPort] = true; }

  std::uint8_t* memory() { return memory_.data(); }
  std::string waiting_for() const;
  void counters(const std::string& prefix, const fabric::CounterSink& sink) const;
  void digest(fabric::Digest& digest) const;

 private:
  enum class State : std::uint8_t {
    head,
    memory,
    word,
    proxy,
    stream,
    reads,
    fetch0,
    fetch1,
    fetch2,
    reply0,
    reply1,
    fault,
    skip
  };
  struct Kind {
    State state = State::skip;
    Cause cause = Cause::none;
  };
  struct Fault {
    Cause cause = Cause::none;
    unsigned source = 0;
    std::uint64_t address = 0;
  };
  /// What a register write does beyond the registers.
  struct Effects {
    std::optional<std::uint64_t> chain;
    bool clear = false, begin = false, flush = false;
    std::uint64_t command = 0;
  };

  Kind classify(const TlpHeader& h) const;
  bool last_word() const { return half_ || seen_.bytes <= 8; }
  std::uint64_t word() const { return seen_.data[half_ ? 1 : 0]; }
  bool word_bad() const;
  void advance(bool reply_taken);
  void head();
  void words(Effects& effects);
  Beat reply_beat() const;
  std::uint32_t valid_mask(unsigned input) const;

  // local_registers.cc
  bool may_write(std::uint64_t offset, std::uint64_t value) const;
  void write(std::uint64_t offset, std::uint64_t value, Effects& effects);
  std::optional<std::uint64_t> read_register(Cycle k, std::uint64_t offset) const;
  std::optional<std::uint64_t> read_counter(std::uint64_t offset) const;
  std::uint64_t status() const;
  std::uint64_t shape() const;

  std::string name_;
  const HubParams& p_;
  unsigned node_;
  Switch* switch_ = nullptr;
  blocks::BackingStore memory_;
  MemoryWrite memory_write_;
  Dma dma_;
  Function function_;
  Merge writers_, to_north_;

  // What the switch shows and does at this edge.
  Beat seen_;
  unsigned seen_source_ = 0;
  bool seen_valid_ = false, accepted_ = false, settled_ = false;
  bool taken_[2] = {false, false};
  int choice_[2] = {-1, -1};
  Beat offered_[2];

  State state_ = State::head, after_ = State::head;
  TlpHeader header_;
  Fault fault_;
  unsigned source_ = 0;
  std::uint64_t at_ = 0;  ///< place of the next payload byte: register, memory
  bool half_ = false, bad_ = false;
  std::optional<std::uint64_t> counter_, value_;
  std::uint64_t response_ = 0;
  Descriptor proxy_{};
  unsigned proxy_at_ = 0;
  fabric::Digest seen_digest_;
};

}  // namespace polyloom::hub
