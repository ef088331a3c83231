// SPDX-License-Identifier: Apache-2.0
// The host's side of a hub's port N: root complex and memory of one node, driven by a client's commands
// (endpoint_frames.h).
//
// How: works on the wire's own times, it has no clock. A write from N lands `write_latency` after its last
//   word; a read is answered from `read_latency` on, in pieces of at most a payload. What the client sends
//   (put, store) comes to the wire `store_latency` after the command; responses to the hub and the client's
//   packets take turns. Every packet takes a credit of the hub's N; every packet from N is drained at once.
// Memory: the client's own pages (client_memory.h). The caller sees to it that no client computes while
//   advance() runs (HostNode::settle), so a client sees memory as it is at the time of its call.
// Faults: a write to memory that is not mapped is dropped and counted; such a read is answered by a poisoned
//   completion. Neither disturbs anything else.
// Tests: endpoint_test.cc.
#pragma once

#include <array>
#include <deque>
#include <string>
#include <vector>

#include "blocks/verilated/lane.h"
#include "blocks/wire_ends.h"
#include "fabric/node.h"
#include "roles/hub/arch/endpoint_frames.h"
#include "roles/hub/arch/window.h"
#include "roles/hub/sim/client_memory.h"
#include "roles/hub/sim/tlp.h"

namespace polyloom::hub {

using fabric::Time;

struct EndpointParams {
  unsigned node = 0;  ///< in the window
  unsigned max_payload = 512;
  unsigned slots = 8;      ///< of the hub's input N
  Time store_latency = 0;  ///< from a command to its first word on the wire
  Time write_latency = 0;  ///< from the last word of a write to its bytes in memory
  Time read_latency = 0;   ///< from a read's header to its first word back
  Time poll_latency = 0;   ///< from what a client waits for to the client
};

class Endpoint {
 public:
  struct Response {
    Time time;
    std::array<std::uint64_t, kResponseWords> words;
  };

  Endpoint(std::string name, const EndpointParams& params, blocks::WireEnds wire);

  /// A client's frame at time t, not before the last advance()'s.
  void command(Time t, const std::vector<std::uint64_t>& words);
  /// The earliest time at which it does something, arrivals that are known included.
  Time next_event() const;
  /// Does what happens before `until`.
  void advance(Time until);
  /// Puts on the wire what leaves before `until`, the end of the window.
  void flush(Time until) { lane_.flush(until); }
  Time next_departure() const { return lane_.next_event(); }
  /// Responses not taken yet, in order of time.
  std::deque<Response>& responses() { return responses_; }
  const std::deque<Response>& responses() const { return responses_; }

  std::string waiting_for() const;
  /// Whether a client waits for it until a deadline, so goes on whatever comes.
  bool has_deadline() const;
  void counters(const fabric::CounterSink& sink) const;
  void digest(fabric::Digest& digest) const;

  /// Memory of its own instead of a client's, for tests.
  ClientMemory& memory(Unit unit) { return memory_[static_cast<unsigned>(unit)]; }

 private:
  /// Something to send: a copy from memory, bytes of the command, a read, or a response to a read.
  struct Job {
    TlpType type = TlpType::memory_write;
    Time ready = 0;
    Unit unit = Unit::hub;           ///< source; hub: `data`
    std::uint64_t from = 0, to = 0;  ///< offset in the unit; address
    std::uint64_t bytes = 0, done = 0;
    std::uint8_t tag = 0;
    bool poisoned = false;
    std::vector<std::uint8_t> data = {};
  };
  struct Landing {
    Time time;
    std::uint64_t address;
    std::vector<std::uint8_t> data;
  };
  struct Wait {
    std::uint64_t unit, offset, mask, value;
    Compare how;
    Time deadline;
  };

  Time arrival() const;
  Time next_send() const;
  void arrive();
  void packet(Time t);
  void land();
  void send(Time t);
  void send_piece(Job& job, Time t);
  void expire(Time t);
  void response(Time t, Command op, Status status, std::uint64_t value, std::uint64_t held_at,
                std::uint64_t second = 0);
  bool judge(const Wait& wait, Time seen, Time held);
  std::uint64_t word_at(std::uint64_t unit, std::uint64_t offset) const;
  void drop(std::uint64_t address);
  void check(bool good, const std::vector<std::uint64_t>& words, const char* what) const;

  std::string name_;
  EndpointParams p_;
  blocks::WireEnds wire_;
  blocks::LaneTx lane_;
  Time wire_free_ = 0, now_ = 0;
  unsigned credits_;
  std::array<ClientMemory, kUnits> memory_;

  std::vector<std::uint64_t> incoming_;  ///< words of the packet that arrives
  unsigned incoming_keep_ = 8;
  std::deque<Landing> landings_;
  std::deque<Job> requests_, completions_;
  bool completion_first_ = true;
  std::deque<Wait> waits_;
  std::deque<Response> responses_;

  std::uint64_t packets_in_ = 0, packets_out_ = 0, bytes_in_ = 0, bytes_out_ = 0, dropped_ = 0;
  Time landed_ = 0;  ///< of the last write: nothing in memory is younger
  std::uint64_t first_dropped_ = 0;
  fabric::Digest seen_;
};

}  // namespace polyloom::hub
