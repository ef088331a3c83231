// SPDX-License-Identifier: Apache-2.0
// The C++ engine of the protocol as a fabric node: rank 0 of a job, which also sets up the other rank by
// management.
#pragma once

#include <deque>
#include <functional>
#include <vector>

#include "fabric/fabric.h"
#include "roles/mpi/arch/packet.h"
#include "roles/mpi/runtime/engine/engine.h"

namespace polyloom::mpi::testing {

class EngineNode final : public fabric::Node, private mpi::Sink {
 public:
  /// `peer` is node 1 of the cluster; this is node 0. `set_up`: what is written to its registers, in order.
  struct Write {
    std::uint32_t first;
    std::vector<std::uint64_t> values;
  };
  EngineNode(fabric::Port port, const mpi::Config& config, std::vector<Write> set_up);

  /// Called when the peer is set up; may start requests.
  std::function<void(mpi::Engine&, fabric::Time)> begin;
  /// Called whenever something may have changed. True: all that this rank wants is done.
  std::function<bool(mpi::Engine&, fabric::Time)> check;
  mpi::Engine& engine() { return engine_; }
  /// Reads registers of the peer after `check` said true; the responses are in `values`.
  void read(std::uint32_t first, unsigned count) {
    reads_.push_back({mpi::ManagementOp::read, static_cast<std::uint8_t>(count), 0, first, {}});
  }
  std::vector<std::uint64_t> values;

  void advance(fabric::Time until) override;
  fabric::Time next_event() const override;
  bool wants_stop() const override { return stop_; }

 private:
  void send(std::uint16_t to, const mpi::Header& header, mpi::Bytes payload) override;
  void take(const std::vector<std::uint64_t>& words, unsigned keep, fabric::Time at);
  void request(fabric::Time now);
  void act(fabric::Time now);
  fabric::Time next_own() const;

  fabric::Port port_;
  mpi::Engine engine_;
  mpi::Endpoint own_, peer_;
  std::deque<mpi::Management> requested_, reads_;
  fabric::Time request_at_ = 0, look_at_ = 0, now_ = 0;
  bool begun_ = false, done_ = false, stop_ = false;
  std::uint16_t seq_ = 0;
  std::deque<std::pair<fabric::Time, mpi::LinkFrame>> out_;
  std::vector<std::uint64_t> partial_;
};

}  // namespace polyloom::mpi::testing
