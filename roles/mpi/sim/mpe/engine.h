// SPDX-License-Identifier: Apache-2.0
// polyloom_mpe as C++, a cycle at a time: the same program on the same units, so it has the circuit's limits,
// words and cycles. Frames come and go whole, as the stores on both sides of the circuit keep them.
//
// Not modelled: ARP (no node of a simulated cluster uses it). The cycles in which a counter is behind its
// event.
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <utility>
#include <vector>

#include "blocks/cycle.h"
#include "roles/mpi/sim/mpe/sequencer.h"
#include "roles/mpi/sim/mpe/units.h"

namespace polyloom::mpi::mpe {

using blocks::Cycle;
using blocks::kNeverCycle;

/// A frame without its check sequence, in whole words.
struct Frame {
  std::vector<std::uint64_t> words;
  unsigned bytes = 0;
  Cycle visible = 0;  ///< the cycle from which on its first word can be taken
};

/// What the node hands the engine in a cycle, all as it stands before the clock's edge.
struct Inputs {
  bool command_valid = false, kernel_done = false, response_taken = false;
  std::uint64_t command = 0;
  bool write_taken = false, read_taken = false;
  const Reader::Response* read = nullptr;
};

/// Where whole frames go.
class Wire {
 public:
  virtual ~Wire() = default;
  /// The frame's first word can be taken in cycle `from`. `pops`: gets the cycle in which each word is.
  virtual void send(const Frame& frame, Cycle from, std::deque<Cycle>& pops) = 0;
};

class Engine {
 public:
  /// `ip`: its straps.
  Engine(std::uint32_t ip, Wire& wire) : ip_(ip), wire_(wire) {}

  /// A frame of the lane that has ended well, or will have before it is visible; in their order.
  void receive(Frame frame) { arriving_.push_back(std::move(frame)); }
  /// A frame of the lane was damaged.
  void damaged() { ++counters_[kNBad]; }

  MemoryRequest write_request() const { return writer_.request(payload()); }
  MemoryRequest read_request() const { return reader_.request(); }
  bool kernel_runs() const { return started_; }
  std::uint16_t rank() const { return rank_; }
  std::uint16_t size() const { return size_; }
  bool response_valid() const { return response_valid_; }
  std::uint64_t response() const { return response_; }

  /// True if the command's word is taken.
  bool step(Cycle k, const Inputs& in);
  /// Steps cycles from k on, in all of which the node hands in `in`, up to `end` or to the first one in which
  /// more happens than the program computing: returns that.
  Cycle compute(Cycle k, Cycle end, const Inputs& in);
  /// The first cycle from k on in which something may happen without the kernel; kNeverCycle if none.
  Cycle next(Cycle k) const;
  std::uint64_t counter(unsigned index) const { return counters_[index]; }

 private:
  struct Endpoint {
    std::uint64_t mac = 0;
    std::uint32_t ip = 0;
    std::uint16_t port = 0;
  };
  struct Timer {
    bool runs = false;
    Cycle over = 0;
    bool is_over(Cycle k) const { return runs && over <= k; }
    void start(Cycle k, std::uint32_t cycles) {
      if (!runs) over = k + 1 + cycles;
      runs = true;
    }
  };

  const Word* payload() const { return payload_.empty() ? nullptr : &payload_.front(); }
  Event event(Cycle k, bool command_valid) const;
  std::uint32_t input(Input number, Cycle k, const Inputs& in, Event why) const;
  void put_out(Output out, std::uint32_t result, Cycle k);
  bool in_progress() const;
  unsigned outside(bool command_valid) const;

  // receiving
  void admit(Cycle k);
  Frame* front(Cycle k);
  Cycle next_frame() const;
  bool frame_waits(bool room) const;
  void take_words(Cycle k, bool room);
  void begin_frame(const Frame& frame);
  bool parse(std::uint64_t data, bool last);
  bool is_right(std::uint64_t data) const;

  // sending
  bool store_full() const;
  void forget_popped(Cycle k);
  void build(Cycle k, const Inputs& in);
  void send_ready();

  const std::uint32_t ip_;
  Wire& wire_;
  Sequencer sequencer_;
  Writer writer_;
  Reader reader_;
  Builder builder_;
  Store store_{};

  // Settings and what goes to the kernel
  std::uint32_t job_ = 0;
  std::uint16_t size_ = 0, rank_ = 0, eager_ = 0;
  bool started_ = false, response_valid_ = false;
  std::uint64_t response_ = 0;
  std::uint32_t low_ = 0;
  Endpoint to_;
  std::uint32_t bytes_ = 0;
  unsigned flags_ = 0, counter_ = 0;
  Timer ack_, tick_;
  std::array<std::uint64_t, 16> counters_{};

  // Frames from the lane, then of this node to itself; the frame at hand
  std::deque<Frame> arriving_, received_;
  unsigned received_words_ = 0, position_ = 0;
  bool in_frame_ = false, from_back_ = false;
  bool good_frame_ = false, manage_frame_ = false, ended_ = false;
  Endpoint from_;
  unsigned datagram_bytes_ = 0, left_ = 0;

  // polyloom_mpe_parse
  unsigned word_ = 0;  ///< 0 to 3: header; 4: payload
  bool good_ = true, pending_ = false;
  std::array<std::uint64_t, 4> head_{};
  bool head_manage_ = false, head_more_ = false;
  unsigned head_bytes_ = 0;
  Endpoint head_from_;
  Fifo<Word, 32> payload_;

  // polyloom_mpe_out: the frame that is written, those that wait behind one to this node, words in the store
  Frame building_;
  unsigned header_ = 0;  ///< words of headers of that frame so far
  Endpoint building_to_;
  std::deque<Frame> waiting_;
  std::deque<Cycle> pops_;       ///< of words that were given to the wire
  std::deque<Cycle> last_pops_;  ///< of these, the last ones of frames
  unsigned stored_ = 0, stored_frames_ = 0;
  Cycle store_free_ = 0;  ///< the first cycle in which the store's next frame can be seen
};

}  // namespace polyloom::mpi::mpe
