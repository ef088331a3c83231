// SPDX-License-Identifier: Apache-2.0
// The operator socket: streams in, streams out, and an operator that works on data on its way. This is the
// model of rtl/polyloom_op_*.sv and equals it in every cycle.
//
// A cycle of the operator's owner (in any order; what is called here shows in the next cycle):
//   look       ready(), valid(), front(o), idle(), status(): the state at the start of the cycle
//   move       push(i, beat) only if ready() has bit i; pop(o) only if valid() has bit o; each once
//   configure  step(configs) in the cycle of step_i, flush() in the cycle of flush_i
//   clock()    the clock edge
// Both sides are registered, in the RTL too: ready() depends on no push of the same cycle, valid() on no pop.
// A cycle with quiet() may be left out: nothing happens until a push, a pop, a step or a flush.
//
// Contract with the sequencer: step() comes when the operator is idle; beats of the new step may be offered
//   in that very cycle. Status word 0, bits 7:0 are errors; an operator with an error goes on (wrong data, no
//   hang of its own making), the sequencer stops the node.
// Thread safety: none; one node owns it.
// Source: own design, docs/design.md, section 4.7.   Tests: operators_test.cc, operators_rtl_test.cc.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "blocks/cycle.h"
#include "blocks/operators/kinds.h"
#include "fabric/node.h"

namespace polyloom::blocks::operators {

inline constexpr unsigned kWords = 8;  ///< elements of 32 bit in a beat
inline constexpr unsigned kMaxPorts = 64;
inline constexpr std::uint32_t kKeepAll = 0xffffffff;

/// beat_t of rtl: data byte i is byte i of `word`, in memory too; keep bit i says that it counts (ones from
/// 0).
struct alignas(16) Beat {
  std::array<std::uint32_t, kWords> word{};
  std::uint32_t keep = kKeepAll;
  bool last = false;
  bool operator==(const Beat&) const = default;
};

/// Errors, bits of status word 0. They stay until the next step or flush.
enum Error : std::uint64_t {
  kErrorLength = 1,  ///< inputs of one join differ in length
  kErrorConfig = 2,  ///< mask empty, masks overlap, function or field unknown
  kErrorStray = 4,   ///< a beat on an input of which no output takes
  kErrorRecord = 8,  ///< partition: more keys than the record holds, or values than keys
  kErrorKind = 16,   ///< slot: kinds of one step differ, or the slot does not hold it
  kErrorTree = 32,   ///< let: a tree that is cut off or not breadth-first
  kErrorDepth = 64,  ///< let: more opened nodes wait for their children than it remembers
};
inline constexpr std::uint64_t kErrorBits = 0xff;
/// The errors of a status word in words, for messages.
std::string error_text(std::uint64_t status);

/// What a step says about one output.
struct Config {
  bool valid = false;
  Kind kind = Kind::none;
  std::uint64_t word = 0;  ///< meaning: the operator's header, README.md
  std::uint64_t mask = 0;  ///< inputs that the output takes part of
  bool operator==(const Config&) const = default;
};

class Operator {
 public:
  Operator(unsigned inputs, unsigned outputs, unsigned out_depth, unsigned status_words);
  virtual ~Operator() = default;
  Operator(const Operator&) = delete;
  Operator& operator=(const Operator&) = delete;

  unsigned inputs() const { return static_cast<unsigned>(in_.size()); }
  unsigned outputs() const { return static_cast<unsigned>(out_.size()); }

  std::uint64_t ready() const { return in_room_; }    ///< bit i: input i takes a beat in this cycle
  std::uint64_t valid() const { return out_valid_; }  ///< bit o: front(o) is there
  const Beat& front(unsigned o) const { return out_[o].beats[out_[o].head]; }

  void push(unsigned i, const Beat& beat) {
    InPort& port = in_[i];
    port.beats[(port.head + port.count) & 1] = beat;
    pushed_ |= std::uint64_t{1} << i;
  }
  void pop(unsigned o) { popped_ |= std::uint64_t{1} << o; }

  /// configs: one an output; outputs that it lacks are not used.
  void step(std::span<const Config> configs);
  void flush() { flush_pending_ = true; }
  void clock();

  bool idle() const { return in_valid_ == 0 && out_valid_ == 0 && !busy(); }
  bool quiet() const { return !active_ && (pushed_ | popped_) == 0 && !step_pending_ && !flush_pending_; }
  std::span<const std::uint64_t> status() const { return status_; }
  std::uint64_t errors() const { return status_[0] & kErrorBits; }

  /// Status and everything held.
  void digest(fabric::Digest& digest) const;

 protected:
  // For the operator's advance(): state at the start of the cycle, and what it does in it.
  std::uint64_t in_valid() const { return in_valid_; }
  const Beat& in(unsigned i) const { return in_[i].beats[in_[i].head]; }
  void take(std::uint64_t inputs) { taken_ |= inputs; }
  std::uint64_t out_room() const { return out_room_; }
  unsigned out_count(unsigned o) const { return out_[o].count; }
  /// Place of the beat that output o gets in this cycle, to be written in full.
  Beat& emit(unsigned o) {
    OutPort& port = out_[o];
    emitted_ |= std::uint64_t{1} << o;
    const unsigned at = port.head + port.count;
    return port.beats[at < port.beats.size() ? at : at - port.beats.size()];
  }
  std::uint64_t popped() const { return popped_; }  ///< outputs whose beat leaves in this cycle
  std::vector<std::uint64_t>& status_words() { return status_; }
  void error(Error bit) { status_[0] |= bit; }

  /// One cycle of the operator's own logic. True if it might do something in the next cycle without a beat
  /// coming or going (data on the way in a pipeline).
  virtual bool advance() = 0;
  /// A step begins: configuration and status (already zero) from now on. configs has one entry an output.
  virtual void configure(std::span<const Config> configs) = 0;
  /// Drops what is between the buffers of both sides, and the configuration.
  virtual void drop() = 0;
  /// Something is between the buffers of both sides.
  virtual bool busy() const = 0;
  virtual void digest_inner(fabric::Digest&) const {}

 private:
  struct InPort {
    std::array<Beat, 2> beats;
    std::uint8_t head = 0, count = 0;
  };
  struct OutPort {
    std::vector<Beat> beats;
    unsigned head = 0, count = 0;
  };
  void commit();

  std::vector<InPort> in_;
  std::vector<OutPort> out_;
  std::uint64_t in_room_ = 0, in_valid_ = 0, out_room_ = 0, out_valid_ = 0;
  std::uint64_t pushed_ = 0, popped_ = 0, taken_ = 0, emitted_ = 0;
  std::vector<std::uint64_t> status_;
  std::vector<Config> pending_;
  bool step_pending_ = false, flush_pending_ = false, active_ = false;
};

/// Shape of a slot; operators take from it what they need.
struct SlotParams {
  unsigned inputs = 8, outputs = 8;
  unsigned reduce_outputs = 2;      ///< groups that reduce joins at once (at most `outputs`)
  unsigned partition_depth = 16;    ///< beats between an input and an output of partition
  unsigned partition_buckets = 64;  ///< power of two
  unsigned record_beats = 1024;     ///< beats of keys an input that partition remembers
  unsigned partitions = 1;          ///< partitions side by side, each of `inputs` and `outputs` (Slot)
  unsigned let_geometry = 0;        ///< cycles of let's geometry pipe; 0: those of its arithmetic
  unsigned let_open_depth = 4096;   ///< opened nodes an output whose children let waits for
};

/// What a slot may be made of. Built-in operators are there from the start; a user adds others with add(), in
/// a program of his own or in shared libraries that POLYLOOM_OPERATORS names (joined by ":"), for programs
/// that are not. Such a library has extern "C" void polyloom_add_operators(Registry&). Throws UserError if it
/// has not.
class Registry {
 public:
  using Factory = std::function<std::unique_ptr<Operator>(const SlotParams&)>;
  static Registry& instance();
  /// Throws std::invalid_argument if the kind is taken, none, or a built-in's.
  void add(Kind kind, std::string name, Factory factory);
  std::unique_ptr<Operator> make(Kind kind,
                                 const SlotParams& params) const;  ///< std::out_of_range: not there
  std::span<const Kind> kinds() const { return kinds_; }
  const std::string& name(Kind kind) const;
  std::optional<Kind> find(std::string_view name) const;
  std::string names() const;  ///< joined by ", "

 private:
  struct Entry {
    std::string name;
    Factory factory;
  };
  Registry();
  const Entry& find(Kind kind) const;
  std::vector<Kind> kinds_;
  std::vector<Entry> entries_;
};

/// polyloom_op_slot: several operators behind one port; a step's configuration chooses one. Same cycle rules.
/// With `partitions` = 2 it holds that operator twice: ports 0 to inputs - 1 are the first's, those from
/// there on the second's, so a step can deal what leaves a node and what comes to it. Masks are of a
/// partition's own inputs, at its place; bits beyond are ignored. The status words of the second begin at
/// kStatusStride.
class Slot {
 public:
  static constexpr unsigned kStatusStride = 128;

  /// kinds: bit k for Kind k below 64.
  Slot(std::uint64_t kinds, const SlotParams& params);

  std::uint64_t ready() const {
    return !active_ ? 0 : second_ ? active_->ready() | second_->ready() << inputs_ : active_->ready();
  }
  std::uint64_t valid() const {
    return !active_ ? 0 : second_ ? active_->valid() | second_->valid() << outputs_ : active_->valid();
  }
  const Beat& front(unsigned o) const {
    return o < outputs_ ? active_->front(o) : second_->front(o - outputs_);
  }
  void push(unsigned i, const Beat& beat) {
    i < inputs_ ? active_->push(i, beat) : second_->push(i - inputs_, beat);
  }
  void pop(unsigned o) { o < outputs_ ? active_->pop(o) : second_->pop(o - outputs_); }
  void step(std::span<const Config> configs);
  void flush();
  void clock();
  bool idle() const { return (!active_ || active_->idle()) && (!second_ || second_->idle()); }
  bool quiet() const {
    return !changing_ && (!active_ || active_->quiet()) && (!second_ || second_->quiet());
  }
  std::uint64_t status(unsigned word) const;  ///< 0 beyond what the operator has
  std::uint64_t errors() const { return (status(0) | (second_ ? second_->errors() : 0)) & kErrorBits; }
  Kind kind() const { return kind_; }
  void digest(fabric::Digest& digest) const;

 private:
  Operator* find(Kind kind) const;
  void step_twin(std::span<const Config> configs);
  std::vector<std::pair<Kind, std::unique_ptr<Operator>>> operators_;
  std::unique_ptr<Operator> twin_;  ///< the second partition
  unsigned inputs_, outputs_;       ///< of one operator
  Operator* second_ = nullptr;      ///< the twin, in a step of partitions
  Operator* active_ = nullptr;      ///< of the step that runs
  Operator* next_ = nullptr;        ///< from the next clock on
  Kind kind_ = Kind::none, next_kind_ = Kind::none;
  std::uint64_t error_ = 0, next_error_ = 0;
  bool changing_ = false;
};

}  // namespace polyloom::blocks::operators
