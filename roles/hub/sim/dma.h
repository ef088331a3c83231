// SPDX-License-Identifier: Apache-2.0
// The DMA controller of a hub, cycle for cycle as rtl/polyloom_hub_dma*.sv.
//
// How:  proxy queue --.
//       chain --------+--> Control --> Walk --+--> Read --> memory, N
//                           ^-- descriptors --+----'  | data
//                                             '--> Write --> packets, or the function's stream
//   A block is checked before the first of its bytes is asked for; an error stops the chain when what was
//   asked for before has come and gone.
// Use: look() finds what happens at an edge from the state before it, move() does it.
// Thread safety: none; part of a node. Tests: local_test.cc, hub_swap_test.cc.
#pragma once

#include <array>
#include <deque>
#include <optional>

#include "roles/hub/arch/window.h"
#include "roles/hub/sim/params.h"
#include "roles/hub/sim/stages.h"

namespace polyloom::hub {

/// What the DMA sees of its hub before an edge.
struct DmaInputs {
  Cycle k = 0;
  unsigned node = 0;
  bool north = false;            ///< N has a link
  bool function_active = false;  ///< a step is begun
  bool function_ready = false;   ///< its stream takes a beat
  bool settled = false;          ///< what left the DMA for the own node is there
  bool mrd_taken = false, packet_taken = false;
  std::optional<std::uint64_t> start = std::nullopt;  ///< a chain begins
  bool clear = false;                                 ///< errors
  const Descriptor* proxy = nullptr;                  ///< for the queue
  const Beat* completion = nullptr;                   ///< a beat of a response from N
  bool completion_final = false, completion_bad = false;
};

/// A block of a descriptor, for the write side.
struct DmaBlock {
  unsigned channel = 0;
  bool final_block = false, to_stream = false, stream_end = false, flag = false;
  std::uint64_t flag_address = 0, address = 0;
  std::uint32_t id = 0, bytes = 0;
};
struct DmaRequest {
  bool valid = false, fetch = false;
  std::uint64_t address = 0;
  std::uint32_t bytes = 0;
};
struct DmaData {
  Beat beat;
  bool final_beat = false, bad = false;
};

/// Walks over the blocks of a descriptor.
class DmaWalk {
 public:
  enum class State : std::uint8_t { idle, check, verdict, reads };
  explicit DmaWalk(const HubParams& params) : p_(params) {}
  bool checks() const { return state_ == State::check; }
  DmaRequest request() const;
  bool block_valid(bool stop) const { return state_ == State::verdict && error_ == DmaError::none && !stop; }
  DmaBlock block() const;
  /// It ends at this edge, if its request is taken or not.
  bool done(bool stop, bool taken) const;
  DmaError error() const { return state_ == State::verdict ? error_ : DmaError::none; }
  bool to_own(unsigned node) const { return !stream() && node_of(d_.destination) % kMaxNodes == node; }
  void begin(unsigned channel, const Descriptor& d);
  void move(const DmaInputs& in, bool stop, bool block_ready, bool taken);

 private:
  bool stream() const { return (d_.control & kFunction) != 0; }
  bool final_read() const { return request().bytes == left_; }
  DmaError judge(const DmaInputs& in) const;

  const HubParams& p_;
  State state_ = State::idle;
  Descriptor d_{};  ///< source, destination, blocks: of the block in work
  unsigned channel_ = 0;
  std::uint64_t place_ = 0;
  std::uint32_t left_ = 0;
  DmaError error_ = DmaError::none;
};

/// Reads, from the on-board memory or through N, in order.
class DmaRead {
 public:
  DmaRead(const HubParams& params, const std::uint8_t* memory);
  bool ready(const DmaRequest& request) const;
  bool expected(std::uint8_t tag) const { return north_.valid() && north_.front().tag == tag; }
  bool mrd_valid() const { return mrd_.valid(); }
  Beat mrd() const { return mrd_.front(); }
  bool data_valid() const { return data_.valid(); }
  const DmaData& data() const { return data_.front(); }
  bool fetch_valid() const { return fetch_valid_; }
  bool fetch_bad() const { return fetch_bad_; }
  const Descriptor& fetched() const { return fetch_; }
  bool idle() const { return open_ == 0 && !fetch_open_ && !mrd_.valid() && !ar_.valid(); }
  /// The first edge from k on at which the memory has a beat.
  Cycle next_due() const { return bursts_.empty() ? blocks::kNeverCycle : bursts_.front().ready; }
  bool ar_waits() const { return ar_.valid(); }
  void move(const DmaInputs& in, const DmaRequest* accepted, bool data_taken);

 private:
  struct Burst {
    bool fetch;
    std::uint64_t address;
    std::uint32_t bytes;  ///< left
    Cycle ready;
  };
  struct Order {
    bool fetch;
    std::uint8_t tag;
  };
  void memory_beat(Cycle k);
  void north_beat(const DmaInputs& in);
  void fetch_beat(const Beat& beat, bool end, bool bad);

  const HubParams& p_;
  const std::uint8_t* memory_;
  unsigned open_ = 0;
  bool memory_kind_ = false, fetch_open_ = false, fetch_valid_ = false, fetch_bad_ = false;
  std::uint8_t tag_ = 0;
  Fifo<Burst> ar_;
  std::deque<Burst> bursts_;  ///< in the memory
  Fifo<Beat> mrd_;
  Fifo<Order> north_;
  std::deque<DmaData> data_in_;  ///< comes at this edge
  Fifo<DmaData> data_;
  Descriptor fetch_{};
  unsigned fetch_at_ = 0;
};

/// Makes packets, or the function's stream, of what was read; then the flag.
class DmaWrite {
 public:
  explicit DmaWrite(const HubParams& params)
      : p_(params), blocks_(kBlocks), pack_(kTlpBeat), packets_(params.max_payload) {}
  bool block_ready() const { return blocks_.ready(); }
  bool data_ready() const { return pack_.ready() && feed_ != 0; }
  bool stream_valid() const {
    return state_ == State::move && pack_.valid(take()) && block_.to_stream && !failed();
  }
  Beat stream() const;
  bool packet_valid() const { return packets_.valid(); }
  Beat packet() const { return packets_.beat(); }
  unsigned failed_channels() const { return failed_; }
  /// A descriptor of this channel is done at this edge; -1: none.
  int done() const;
  bool idle() const { return state_ == State::idle && !blocks_.valid() && packets_.idle(); }
  /// True if something changed.
  bool move(const DmaInputs& in, const DmaBlock* block, const DmaData* data, bool clear_failed);

 private:
  static constexpr std::size_t kBlocks = 8;
  enum class State : std::uint8_t { idle, move, flag };
  bool failed() const { return (failed_ >> block_.channel & 1) != 0; }
  unsigned take() const { return std::min(chunk_, kTlpBeat); }
  bool room() const { return packets_.data_ready() && packets_.commit_ready(); }
  bool flag_now() const { return state_ == State::flag && block_.flag && !failed(); }
  void load(const DmaBlock& block);
  Beat payload() const;

  const HubParams& p_;
  Fifo<DmaBlock> blocks_;
  Pack pack_;
  Packets packets_;
  State state_ = State::idle;
  DmaBlock block_;
  std::uint32_t left_ = 0, feed_ = 0;
  unsigned chunk_ = 0, size_ = 0;
  unsigned failed_ = 0;
};

class Dma {
 public:
  Dma(const HubParams& params, const std::uint8_t* memory);

  // Before an edge.
  bool proxy_ready() const { return queue_.ready(); }
  unsigned queued() const { return static_cast<unsigned>(queue_.size()); }
  bool chain_busy() const;
  bool proxy_busy() const;
  bool expects(std::uint8_t tag) const { return read_.expected(tag); }
  bool mrd_valid() const { return read_.mrd_valid(); }
  Beat mrd() const { return read_.mrd(); }
  bool packet_valid() const { return write_.packet_valid(); }
  Beat packet() const { return write_.packet(); }
  bool stream_valid() const { return write_.stream_valid(); }
  Beat stream() const { return write_.stream(); }
  std::uint64_t chain_address() const { return address_; }
  std::uint64_t error(unsigned channel) const { return error_[channel]; }
  std::uint32_t done(unsigned channel) const { return done_[channel]; }
  /// Nothing changes without input.
  bool idle() const;
  Cycle next_due() const { return read_.next_due(); }

  /// One edge. True if something changed.
  bool step(const DmaInputs& in);

 private:
  static constexpr unsigned kChain = 0, kProxy = 1;
  enum class State : std::uint8_t { turn, fetch, wait, check, prefetch, walk, failed };
  struct Verdict {
    State next;
    DmaError error = DmaError::none;
    bool ends = false;
  };
  DmaError bad_address(std::uint64_t a, const DmaInputs& in) const;
  DmaError fetch_error(const DmaInputs& in) const;
  DmaError descriptor_error(const DmaInputs& in) const;
  bool wants_next(const DmaInputs& in) const;
  bool accept_proxy() const { return state_ == State::turn && queue_.valid() && !(proxy_last_ && chain_); }
  bool accept_chain() const { return state_ == State::turn && !accept_proxy() && chain_; }
  DmaRequest control_request(const DmaInputs& in) const;
  Verdict judge(const DmaInputs& in, bool request_ready, bool walk_done) const;
  void control(const DmaInputs& in, const Verdict& v, bool requested, bool own, bool settled);
  void report(const DmaInputs& in, const Verdict& v, bool stop_chain, int done, unsigned failed);

  const HubParams& p_;
  Fifo<Descriptor> queue_;
  DmaWalk walk_;
  DmaRead read_;
  DmaWrite write_;
  State state_ = State::turn;
  bool chain_ = false, next_ = false, requested_ = false, proxy_ = false, proxy_last_ = false, own_ = false;
  std::uint64_t address_ = 0, next_address_ = 0;
  std::uint32_t count_ = 0;
  Descriptor d_{}, ahead_{};
  std::array<std::uint32_t, 2> done_{}, issued_{};
  std::array<std::uint64_t, 2> error_{};
};

}  // namespace polyloom::hub
