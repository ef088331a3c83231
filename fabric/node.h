// SPDX-License-Identifier: Apache-2.0
// The contract between the fabric and whatever is simulated: nodes with ports, moved forward in windows.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "fabric/segment.h"
#include "fabric/time.h"

namespace polyloom::fabric {

/// The sending end of one direction of a link. Owned by the fabric; a node keeps a reference for its
/// lifetime. Not thread safe: only the owning node's advance() may call it.
class Tx {
 public:
  virtual ~Tx() = default;
  /// Puts a segment on the wire: its first word leaves at `segment.first`, which must lie inside the window
  /// being advanced and not before free_at(). `segment.period` is overwritten with the link's. Throws
  /// std::logic_error on a violation (a bug of the node, not of the user).
  virtual void send(Segment segment) = 0;
  /// When the previous segment has left the link's serialiser: the earliest time of the next send.
  virtual Time free_at() const = 0;
  /// ps a 64-bit word takes at the link's rate.
  virtual Time period() const = 0;
  /// Shows `watcher` each segment that is sent from now on, as it departs, before any fault. It may throw
  /// UserError, which ends the run. Ends that are no link of a fabric have nothing to show.
  virtual void watch(std::function<void(const Segment&)>) {}
};

/// The receiving end of one direction of a link: segments in order of arrival. Same ownership and threading
/// as Tx.
class Rx {
 public:
  virtual ~Rx() = default;
  /// Oldest segment not yet popped, or null. May lie beyond the window (its first > until): leave it then.
  virtual const Segment* front() const = 0;
  virtual void pop() = 0;
  /// front() and pop() in one, without copying the words where the link can avoid it. Precondition: front()
  /// != null.
  virtual Segment take() {
    Segment segment = *front();
    pop();
    return segment;
  }
};

/// Receives (dotted name, value) pairs; names are stable, e.g. "fpga.3.tile.5.core.2.instret".
using CounterSink = std::function<void(std::string_view name, std::uint64_t value)>;

/// Receives rows of named tables for the run record: (table, header line, row), both comma separated. A table
/// is written as TABLE.csv; its header must be the same at every call. Used: "supersteps", "profile",
/// "mpi_*".
using TableSink = std::function<void(std::string_view table, std::string_view header, std::string_view row)>;

/// 64-bit running hash of state and traffic (FNV-1a over 64-bit words): equal runs have equal digests.
class Digest {
 public:
  void add(std::uint64_t word) {
    for (int i = 0; i < 8; ++i) {
      hash_ = (hash_ ^ ((word >> (8 * i)) & 0xff)) * 0x100000001b3ull;
    }
  }
  std::uint64_t value() const { return hash_; }

 private:
  std::uint64_t hash_ = 0xcbf29ce484222325ull;
};

/// Anything that the fabric moves forward in time: an FPGA model, a Verilated FPGA, a switch, a host.
/// The engine calls advance() from one thread at a time, with strictly growing `until`.
class Node {
 public:
  virtual ~Node() = default;

  /// Processes everything that happens strictly before `until`. Frames in its Rx ports with word times before
  /// `until` are all present when this is called; frames sent arrive in a later window.
  virtual void advance(Time until) = 0;

  /// Earliest time at which this node does something without new input; kNever if it only reacts.
  /// Called between windows, also right after construction.
  virtual Time next_event() const = 0;

  /// True when this node asks the whole run to end (a host whose program has left). Called between windows.
  virtual bool wants_stop() const { return false; }

  /// A number that changes when something useful was done here: an instruction, a message that arrived, a
  /// call of a host program; not a retransmission, a question that is asked again, an idle tick. If no node's
  /// changes for long, the run stands still (EngineOptions::standstill). Empty: each window in which this
  /// node does anything counts as work.
  virtual std::optional<std::uint64_t> work() const { return std::nullopt; }
  /// work() of a node that will go on by itself, though nothing has changed yet.
  static constexpr std::uint64_t kWillWork = ~std::uint64_t{0};

  /// One line for a person on what this node waits for; empty if nothing. Used when a run is stopped or
  /// stuck.
  virtual std::string waiting_for() const { return {}; }

  virtual void counters(const CounterSink&) const {}
  virtual void tables(const TableSink&) const {}
  virtual void digest(Digest&) const {}
};

}  // namespace polyloom::fabric
