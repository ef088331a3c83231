// SPDX-License-Identifier: Apache-2.0
// When the steps of a schedule begin and end: the cycles of timing.h applied to its streams, without a cycle
// by cycle simulation.
//
// How: a stream is two numbers at each place, the edges at which its first and its last beat pass; a part
//   that moves slower than its source stretches the distance between them. Nodes go from step to step by
//   themselves.
// Left out: lanes that share nothing but a clock never disturb each other, so nothing of that kind is
//   modelled; a memory half that a step reads and writes moves each stream at half rate.
// Tests: schedule_test.cc, ../tests/test_time.py (against the model).
#pragma once

#include <map>
#include <utility>
#include <vector>

#include "roles/collective/host/schedule/cost.h"

namespace polyloom::collective {

class Timeline {
 public:
  Timeline(int ranks, const CostParameters& parameters, double scale = 1.0);
  /// The rank begins so late. Precondition: no step yet.
  void start(int rank, double cycle);
  /// All nodes' parts of the step, after those of the steps before it.
  void add(const Step& step);
  /// Cycle at which the rank's last step was done; 0: it had none.
  double done(int rank) const { return nodes_[static_cast<std::size_t>(rank)].done; }
  double earliest_done() const;
  double latest_done() const;
  /// Most beats that a receive buffer has had to hold because an operator waited for another stream.
  double most_held() const { return most_held_; }

 private:
  struct Node {
    double fetch = 1;  ///< the next instruction
    double free = 1;   ///< the next go at the earliest
    double go = 0, done = 0;
    unsigned instructions = 0;  ///< of the step
    bool active = false;
  };
  /// First and last beat's edge at some place.
  struct Span {
    double first = 0, last = 0;
  };
  void begin_steps(const Step& step);
  std::vector<double> begins(const Step& step);
  void move(const Step& step, std::size_t i, double begin, const std::vector<Span>& results);
  Span source(const Step& step, const Stream& s, double begin, const std::vector<Span>& results) const;
  /// A lane in cycles: its latency, and a word's time on its wire.
  struct Wire {
    double latency = 0, word = 0;
  };
  Wire wire(const Hop& hop) const;
  Span over_lane(const Stream& s, const Wire& wire, const Span& from, double opened, double& sent,
                 double& checked) const;
  static double arrival(const Wire& wire, double departure, double words);
  void finish(int rank, double cycle);
  Node& node(int rank) { return nodes_[static_cast<std::size_t>(rank)]; }
  double& pulse_of(int rank, int lane);
  double beats(const Stream& s) const;

  CostParameters p_;
  double scale_;
  double most_held_ = 0;
  std::vector<Node> nodes_;
  std::vector<std::map<int, double>> may_;        ///< [stream] by node: when what it passes on may begin
  std::map<std::pair<int, unsigned>, Span> fed_;  ///< [rank, input] of the step's operators
  std::vector<std::vector<double>> pulses_;  ///< [rank][lane] the pulse of the last block, when it counts
};

}  // namespace polyloom::collective
