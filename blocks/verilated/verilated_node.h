// SPDX-License-Identifier: Apache-2.0
// A Verilated FPGA as a node of the fabric: lanes, host link, memories around one RTL model.
//
// How: each clock edge k (time t) runs in this order: what has arrived at or before t is driven (lane.h: one
//   beat, one pulse a lane; one host word; what memories drive), `ready` of each transmit lane, cycle_i = k;
//   the design settles; its outputs are read: a lane's pulse leaves, a beat that is valid and ready enters
//   the lane's FIFO, a host word passes, memories step; then the edge itself. So a register that takes an
//   input at edge k shows at the outputs at edge k + 1.
// Reset: rst_ni is low for `reset_cycles` edges before edge 0, with cycle_i = 0 and all other inputs low.
// Idle: with the output idle_o edges are skipped while it is high before an edge at which no input was
//   driven, no transmit valid or pulse is high and all memories are idle, until something arrives. The design
//   promises that such edges would change nothing, whatever ready inputs and cycle_i do. A design that
//   promises less, that nothing would come out, asks for idle_edges: they are run when something arrives, or
//   at the run's end. Without idle_o no edge is skipped and the simulation never becomes quiet.
// Latency: none of its own. Errors: what the design asserts, and illegal traffic, end the run as UserError.
// Source: own design.   Tests: verilated_node_test.cc, verilated_engines_test.cc.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "blocks/verilated/node_ports.h"
#include "blocks/wire_ends.h"
#include "fabric/time.h"
#include "fabric/wave.h"

namespace polyloom::blocks {

struct VerilatedParams {
  std::string name;  ///< of the node: for messages, counters
  RtlShape shape;    ///< the top has ports for exactly these lanes, memories, host (README.md)
  std::uint64_t clock_hz = 250'000'000;
  std::vector<WireEnds> lanes;  ///< by lane; ends may be missing
  WireEnds host;                ///< used if the top has host ports
  unsigned tx_beats = 4;        ///< FIFO before each lane's wire; 0: a beat is taken when it leaves (lane.h)
  unsigned reset_cycles = 8;
  std::uint64_t strap = 0;  ///< value of the port strap_i, if the top has one
  std::uint64_t seed = 1;   ///< of registers without reset
  bool skip_idle = true;    ///< false: to check what idle_o promises
  bool idle_edges = false;  ///< run those of idle cycles too, late: the design has counters of cycles
  std::vector<std::string>
      counters;  ///< for the run record: names of ports count_NAME_o of 64 bits, there with _ for a dot
  std::vector<std::string>
      work;  ///< those of them that say whether it works (Node::work); none: it does if it runs
  bool lanes_work =
      false;  ///< words on its lanes say so too: they are never repeated and never mere questions
  /// What the design waits for, said from its outputs on request; may be missing.
  std::function<std::string(const RtlModel&)> waiting_for;
  const fabric::WaveRequest* wave = nullptr;  ///< read by the constructor only
};

class VerilatedNode : public fabric::Node {
 public:
  /// Builds the shape if need be (build_rtl). Throws UserError.
  VerilatedNode(VerilatedParams params, std::vector<std::unique_ptr<AxiMemory>> memories);
  ~VerilatedNode() override;

  void advance(fabric::Time until) override;
  fabric::Time next_event() const override;
  std::optional<std::uint64_t> work() const override;
  std::string waiting_for() const override;
  void counters(const fabric::CounterSink& sink) const override;
  void digest(fabric::Digest& digest) const override;

  AxiMemory& memory(std::size_t channel) { return *memories_.at(channel); }
  /// Edges that were run, not skipped.
  std::uint64_t edges_run() const { return edges_run_; }

 private:
  struct Lane {
    LaneRx rx;
    LaneTx tx;
  };
  void reset();
  /// The next edge at which something may come out; kNeverCycle if the design sleeps and nothing arrives.
  Cycle next_edge() const;
  void edge(Cycle k, fabric::Time t);
  bool drive(Cycle k, fabric::Time t);
  bool sample(Cycle k, fabric::Time t);
  std::uint64_t counter(std::size_t index) const;
  void note(Cycle k, std::uint64_t what, std::uint64_t word);
  void dump(fabric::Time t, bool before);

  VerilatedParams params_;
  fabric::Clock clock_;
  RtlModel model_;
  std::vector<std::unique_ptr<AxiMemory>> memories_;
  LanePorts lane_ports_;
  HostPorts host_ports_;
  MemoryPorts memory_ports_;
  RtlModel::Port reset_, cycle_, idle_;
  std::vector<RtlModel::Port> counters_;  ///< as params_.counters
  std::vector<Lane> lanes_;
  Lane host_;
  std::optional<fabric::WaveRequest> wave_;

  Cycle edge_ = 0;  ///< all before it were run or skipped
  bool awake_ = true;
  bool host_waits_ = false;  ///< a word of the host was not taken at the last edge
  std::uint64_t edges_run_ = 0, host_pulses_ = 0;
  fabric::Digest seen_;
};

}  // namespace polyloom::blocks
