// SPDX-License-Identifier: Apache-2.0
// A store-and-forward Ethernet switch, static address table, finite output queues; a node of the fabric.
//
// How: a frame is stored whole; if its check sequence is right, it is queued at the port of its
//   destination address, or dropped if that queue has no room (tail drop). A group address (broadcast,
//   multicast) goes to all other ports. A frame to an unknown address or back to its own port is
//   dropped.
// Frames: Ethernet without preamble: words[0][47:0] is the destination (byte 0 on the wire lowest), the
//   last four bytes are the check sequence, CRC-32 little-endian. kGapWords words of silence between
//   frames stand for preamble and gap, as in the reliable link.
// Hardware: a frame buffer an input, a queue of `queue_bytes` an output, a table of 48-bit addresses.
// Latency: forward_latency from the last word in to the first word out of an empty queue.
// Order/loss: frames from one port to another keep their order; losses only as said, each counted.
//   Frames that are complete at the same time are handled in order of their input port.
// Source: own design; SwitchSpec of the cluster file.
// Tests: ethernet_switch_test.cc.
#pragma once

#include <cstdint>
#include <deque>
#include <string>
#include <unordered_map>
#include <vector>

#include "blocks/wire_ends.h"

namespace polyloom::blocks {

struct SwitchParams {
  fabric::Time forward_latency = 0;
  std::uint64_t queue_bytes = 128 * 1024;  ///< of each output; a frame counts until its last word has left
  bool check_frames = true;                ///< drop frames with a wrong check sequence
};

struct SwitchPortCounters {
  std::uint64_t received = 0, sent = 0;
  std::uint64_t dropped_full = 0;  ///< counted at the output
  std::uint64_t dropped_bad = 0;   ///< counted at the input, as the next two
  std::uint64_t dropped_unknown = 0;
  std::uint64_t most_queued = 0;  ///< bytes
};

/// Not thread safe (a node is advanced by one thread at a time).
class EthernetSwitch final : public fabric::Node {
 public:
  using MacTable = std::unordered_map<std::uint64_t, unsigned>;  ///< 48-bit address to port

  /// Throws UserError if an address does not fit 48 bits, is a group address, or names no port.
  EthernetSwitch(std::string name, std::vector<WireEnds> ports, MacTable table, const SwitchParams& params);

  void advance(fabric::Time until) override;
  fabric::Time next_event() const override;
  std::string waiting_for() const override;
  void counters(const fabric::CounterSink& sink) const override;
  void digest(fabric::Digest& digest) const override;

  const SwitchPortCounters& port_counters(unsigned port) const { return outputs_[port].counters; }

 private:
  struct Stored {
    fabric::Time at;  ///< when its last word was there
    unsigned port;
    std::uint8_t keep;
    std::vector<std::uint64_t> words;
    std::uint64_t bytes() const { return 8 * (words.size() - 1) + keep; }
  };
  struct Queued {
    fabric::Time start, end;  ///< of its words on the wire
    std::uint64_t bytes;
    std::uint8_t keep;
    std::vector<std::uint64_t> words;
  };
  struct Input {
    std::vector<std::uint64_t> words;
    bool in_frame = false;
  };
  struct Output {
    std::deque<Queued> queue;  ///< those sent stay until their end
    std::size_t sent = 0;      ///< frames at the front that are on the wire
    std::uint64_t bytes = 0;
    fabric::Time free_at = 0;
    SwitchPortCounters counters;
  };

  void collect(unsigned port, fabric::Time until);
  void forward(Stored& frame);
  void enqueue(Output& output, fabric::Tx& tx, const Stored& frame);

  std::string name_;
  std::vector<WireEnds> ports_;
  MacTable table_;
  SwitchParams p_;
  std::vector<Input> inputs_;
  std::vector<Output> outputs_;
  std::vector<Stored> stored_;  ///< of the window being advanced
};

}  // namespace polyloom::blocks
