// SPDX-License-Identifier: Apache-2.0
// A rank of the published system (ZRLMPI) by timing: four packets a message, one call at a time, in our
// network.
//
// Models: request, clear-to-send, data, acknowledgement for each message of at most 346 words; a header cache
// that keeps what came early; a serial engine; packets of 32 header bytes over UDP. Does not model: contents,
// losses, timeouts, the paper's data centre. Where the paper gives no cost of its own, the optimistic one is
// taken (an FPGA moves a 64-bit word a cycle, a CPU needs one call a packet), so the preset is a lower bound
// of the published way. Source: ZRLMPI, sections IV-B to IV-D, V; constants of the public code (1416 bytes a
// packet).
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "blocks/wire_ends.h"

namespace polyloom::bench {

/// What a rank does next.
struct Step {
  enum class Kind { send, receive, compute } kind = Kind::compute;
  int peer = 0;
  std::uint64_t words = 0;  ///< of 32 bits; a compute step: unused
  fabric::Time time = 0;    ///< of a compute step
};

struct ZrlmpiCosts {
  fabric::Time control = 0;  ///< of sending or receiving a packet without data
  fabric::Time data = 0;     ///< the same of a data packet, before its words
  fabric::Time word = 0;     ///< for each 64-bit word of data, in and out
};

/// Appends a message of any length, cut as the paper's transpiler cut it.
void add_message(std::vector<Step>& script, Step::Kind kind, int peer, std::uint64_t words);

class ZrlmpiNode final : public fabric::Node {
 public:
  ZrlmpiNode(int rank, std::vector<Step> script, ZrlmpiCosts costs, blocks::WireEnds wire);

  void advance(fabric::Time until) override;
  fabric::Time next_event() const override;
  std::string waiting_for() const override;

  bool finished() const { return step_ == script_.size(); }
  fabric::Time finished_at() const { return time_; }
  std::uint64_t packets() const { return packets_; }

 private:
  enum class Packet : std::uint8_t { request = 1, clear_to_send, data, acknowledge };
  void progress();
  bool take(Packet kind, int peer);
  void emit(Packet kind, int peer, std::uint64_t words);

  int rank_;
  std::vector<Step> script_;
  ZrlmpiCosts costs_;
  blocks::WireEnds wire_;
  std::size_t step_ = 0;
  bool begun_ = false;  ///< the step's request (send) or clear-to-send (receive) has been sent
  bool data_sent_ = false;
  fabric::Time time_ = 0;                               ///< up to which the rank is busy
  std::map<std::pair<Packet, int>, unsigned> arrived_;  ///< and not yet used: the header cache
  std::deque<fabric::Segment> out_;
  std::uint64_t packets_ = 0;
};

}  // namespace polyloom::bench
