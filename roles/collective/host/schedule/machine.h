// SPDX-License-Identifier: Apache-2.0
// Executes programs on bytes only, without time: nodes, lanes, pulses and blocks as program.h has them.
//
// Contract: what a program may not do (an index that the node lacks, a sink used twice in a step, ends of a
//   lane that disagree about a block, a stream of another length than its sink) throws ProgramError. Pulses
//   are counted as on the wire, so a wait in a circle is found: run() throws and names what waits for what.
// Native fidelity runs programs and named algorithms on it, and tests check schedules with it.
#pragma once

#include <cstdint>
#include <deque>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

#include "roles/collective/arch/program.h"
#include "roles/collective/host/schedule/channel_bytes.h"
#include "roles/collective/host/schedule/topology.h"

namespace polyloom::collective {

struct ProgramError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

class Machine {
 public:
  Machine(Topology topology, unsigned channels, unsigned operator_inputs, unsigned operator_outputs,
          std::uint64_t channel_bytes = std::uint64_t{1} << 30);

  std::span<std::uint8_t> channel(int rank, unsigned c) {
    return memory_.at(static_cast<std::size_t>(rank)).at(c);
  }
  /// From now on a step is refused in which a channel reads and writes the same half, if one of the streams
  /// is longer than a receive buffer and cannot wait: it comes from a lane or goes to an operator.
  void watch_memory(std::uint64_t half_bytes, std::uint64_t rx_bytes);
  void load(int rank, std::vector<Instruction> program);
  /// Runs all loaded programs to their ends. `order`: ranks are tried in this order, again and again (empty:
  /// ascending), so that tests can start them with any skew.
  void run(std::span<const int> order = {});
  /// Forgets programs, blocks on the way and counts of pulses, as a node's `clear` does.
  void clear();
  /// Nothing left on a lane, and every block has had its pulse: no operation leaves state behind.
  bool quiet() const;

 private:
  struct Block {
    std::vector<std::uint8_t> bytes;  ///< each beat padded to kBeatBytes
    std::vector<std::uint8_t> keep;   ///< valid bytes of each beat
    std::uint32_t signature = 0;
    std::uint8_t flags = 0;
  };
  /// One direction of a lane, at the end that sends.
  struct Out {
    std::uint32_t pulses = 0, blocks = 0;
    std::deque<Block> flying;
  };
  struct Sink {
    Instruction instruction;
    bool done = false;
  };
  struct Node {
    std::vector<Instruction> program;
    std::size_t at = 0;
    bool in_step = false, ended = true, together = false;
    std::vector<Instruction> reads, configs;
    std::vector<Sink> sinks;  ///< write, send, feed
    std::vector<Sink> takes;
    std::vector<bool> pulse_sent;              ///< [take]
    std::vector<std::optional<Block>> inputs;  ///< of the operator
  };

  bool advance(int rank);
  void begin_step(int rank);
  bool run_step(int rank);
  void check_step(int rank) const;
  void check_memory(int rank) const;
  bool send_pulses(int rank);
  bool run_source(int rank, std::uint8_t source);
  bool may_send(int rank, const Instruction& send) const;
  bool sends_may_begin(int rank, std::uint8_t source) const;
  std::optional<Block> block_of(int rank, std::uint8_t source);
  Block read_block(int rank, const Instruction& read);
  std::optional<Block> combined(int rank, unsigned output);
  void deliver(int rank, Sink& sink, const Block& block);
  void write_block(int rank, const Instruction& write, const Block& block);
  Out& out_of(int rank, int lane) {
    return out_[static_cast<std::size_t>(rank)][static_cast<std::size_t>(lane)];
  }
  const Out& out_of(int rank, int lane) const {
    return out_[static_cast<std::size_t>(rank)][static_cast<std::size_t>(lane)];
  }
  Out& far_out(int rank, int lane);
  const Out& far_out(int rank, int lane) const;
  std::string waiting() const;
  [[noreturn]] void fail(int rank, const std::string& what) const;

  Topology topology_;
  unsigned inputs_, outputs_;
  std::uint64_t half_bytes_ = 0, rx_bytes_ = 0;  ///< 0: memory is not watched
  std::vector<std::vector<ChannelBytes>> memory_;
  std::vector<std::vector<Out>> out_;
  std::vector<Node> nodes_;
};

/// One element of a reduction as the operator defines it (blocks/operators): a balanced tree over the input
/// numbers in which an input that is not there (no value) lets its partner through.
std::uint32_t combine_words(std::span<const std::optional<std::uint32_t>> inputs,
                            std::uint64_t operator_word);

}  // namespace polyloom::collective
