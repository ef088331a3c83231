// SPDX-License-Identifier: Apache-2.0
// All that the switch of a collective node joins: lanes, memory channels and the operator slot.
//
// Owns: the ports, and which of them have something to do in the step.
// Contract: add() makes the port of an instruction part of the step, clear_step() makes room for another
// step,
//   leave() drops the step amid its beats (a fault).
// Thread safety: none; embedded in an engine. Tests: ../tests/engine_test.cc.
#pragma once

#include <vector>

#include "blocks/wire_ends.h"
#include "roles/collective/sim/channel_port.h"
#include "roles/collective/sim/lane_port.h"
#include "roles/collective/sim/operator_port.h"

namespace polyloom::collective {

struct Ports {
  Ports(const CollectiveParams& params, const Edges& edges, const std::vector<blocks::WireEnds>& wires,
        blocks::BackingStore* memory, RunningStep& step)
      : slot(params, step) {
    lanes.reserve(wires.size());
    for (unsigned l = 0; l < wires.size(); ++l) lanes.emplace_back(l, wires[l], params, edges, step);
    channels.reserve(params.channels);
    for (unsigned c = 0; c < params.channels; ++c) channels.emplace_back(c, params, memory, step);
  }

  std::vector<LanePort> lanes;
  std::vector<ChannelPort> channels;
  OperatorPort slot;

  // Of the step.
  std::vector<unsigned> active_channels, sends;
  std::vector<unsigned> active_accepts;  ///< of blocks, not yet done

  /// False if the step cannot have it: a feed without an operator.
  bool add(const Instruction& i) {
    switch (i.op) {
      case Op::read:
        channels[i.index].load_read(i);
        active_channels.push_back(i.index);
        return true;
      case Op::write:
        if (!channels[i.index].reads()) active_channels.push_back(i.index);
        channels[i.index].load_write(i);
        return true;
      case Op::take:
        lanes[i.index].load_accept(i);
        return true;
      case Op::send:
        lanes[i.index].load_send(i);
        sends.push_back(i.index);
        return true;
      case Op::config:
        slot.load_config();
        return true;
      case Op::feed:
        if (!slot.active()) return false;
        slot.load_feed(i.index);
        return true;
      default:
        return false;
    }
  }

  void clear_step() {
    active_channels.clear();
    active_accepts.clear();
    sends.clear();
    slot.clear_step();
    for (LanePort& port : lanes) port.clear_step();
  }
  void leave() {
    clear_step();
    slot.leave();
    for (ChannelPort& port : channels) port.leave();
  }
};

}  // namespace polyloom::collective
