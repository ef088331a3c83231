// SPDX-License-Identifier: Apache-2.0
// What the tests of Verilated nodes share: a scripted node that sends and notes what comes when, and a
// cluster.
#pragma once

#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <vector>

#include "blocks/verilated/verilated_node.h"
#include "fabric/fabric.h"

namespace polyloom::blocks::testing {

/// Sends segments at given times (or when the wire is free) and notes words and pulses with their times.
class Probe final : public fabric::Node {
 public:
  struct Word {
    fabric::Time time;
    std::uint64_t value;
    bool last;
    unsigned keep;
    bool operator==(const Word&) const = default;
  };
  explicit Probe(std::vector<fabric::Port> ports) : ports_(std::move(ports)), out_(ports_.size()) {
    words.resize(ports_.size());
    pulses.resize(ports_.size());
    position_.resize(ports_.size());
  }
  /// In order of time, for each port. No words: a pulse.
  void send(std::size_t port, fabric::Time at, std::vector<std::uint64_t> frame, unsigned keep = 8);
  /// Something is to do at `t`: keeps a run with a limit from ending before.
  void stay_until(fabric::Time t) { stay_ = t; }

  void advance(fabric::Time until) override;
  fabric::Time next_event() const override;
  void digest(fabric::Digest& digest) const override;

  std::vector<std::vector<Word>> words;  ///< by port
  std::vector<std::vector<fabric::Time>> pulses;

 private:
  std::vector<fabric::Port> ports_;
  std::vector<std::deque<fabric::Segment>> out_;
  std::vector<std::size_t> position_;
  fabric::Time stay_ = 0, now_ = 0;
};

inline constexpr const char* kDemoFiles = "blocks/verilated/tests/rtl/demo_node.f";

/// The two shapes that all tests share, so that each is built once.
RtlShape wide_shape();    ///< 2 lanes of 256 bit, Shift 1, a memory of 256 bit
RtlShape narrow_shape();  ///< 3 lanes of 64 bit, Shift 0, two memories of 64 bit

/// One node of `shape`: lane l is joined to port l of a probe, the host link to the probe's port `lanes`.
struct Bench {
  Bench(const RtlShape& shape, const fabric::LinkSpec& link, std::uint64_t clock_hz = 250'000'000,
        const fabric::WaveRequest* wave = nullptr);
  VerilatedNode& dut() { return dynamic_cast<VerilatedNode&>(*fabric.node(1)); }

  fabric::Fabric fabric;
  unsigned lanes;
  Probe* probe;
};

/// Random traffic through wide, wide and narrow nodes of three clocks: probe -> wide -> wide -> narrow ->
/// probe, with frames, pulses and host commands.
void build_cluster(fabric::Fabric& fabric, std::uint64_t seed, bool skip_idle,
                   const std::function<void(fabric::Fabric&)>& partition = {});
inline constexpr fabric::Time kClusterEnd = 60'000'000;

}  // namespace polyloom::blocks::testing
