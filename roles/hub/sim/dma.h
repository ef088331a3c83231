// SPDX-License-Identifier: Apache-2.0
// One channel of a hub's DMA: reads what a descriptor names, writes it where it names, then its flag.
//
// How:  descriptor --> check --> reads of at most 512 bytes, several under way --> FIFO --> writes of at most
// a
//       payload --> flag --> next descriptor
//   A block is checked before the first of its bytes is asked for; an error stops the chain when what was
//   asked for before has come and gone. The chain reads its descriptors by itself; the proxy channel gets
//   them from its queue, one after the other.
// Thread safety: none; part of a node. Tests: dma_test.cc.
#pragma once

#include <deque>
#include <optional>
#include <vector>

#include "roles/hub/sim/packet.h"
#include "roles/hub/sim/params.h"
#include "roles/hub/window.h"

namespace polyloom::hub {

/// What a channel uses of its hub.
class DmaSide {
 public:
  virtual ~DmaSide() = default;
  virtual unsigned node() const = 0;
  virtual bool has_north() const = 0;
  virtual bool function_ready() const = 0;
  /// Asks for bytes that lie in one unit of the own node; false if no request can be taken now.
  virtual bool read(Cycle k, unsigned channel, std::uint64_t address, std::uint32_t bytes) = 0;
  virtual std::size_t function_room() const = 0;
  virtual void function_input(const std::uint8_t* data, std::size_t bytes, bool last) = 0;
};

class Dma {
 public:
  Dma(const HubParams& params, DmaSide& side, unsigned channel);

  bool busy() const { return state_ != State::idle; }
  /// Begins a chain at this descriptor. Precondition: !busy().
  void start(std::uint64_t descriptor);
  /// Begins a descriptor that is here. Precondition: !busy().
  void start(const Descriptor& descriptor);
  std::uint64_t descriptor_address() const { return address_; }
  /// DmaError | address << 16.
  std::uint64_t error() const { return error_; }
  void clear_error() { error_ = 0; }
  std::uint32_t done() const { return done_; }

  /// What was read, in the order of requests.
  void data(const std::uint8_t* bytes, std::size_t n, bool poisoned);
  /// One edge. True if something changed.
  bool step(Cycle k);
  bool offers() const { return packet_.has_value(); }
  Packet take();

 private:
  enum class State : std::uint8_t { idle, fetch, check, run, flag, stop };
  DmaError bad_descriptor() const;
  DmaError bad_block() const;
  void fail(DmaError error);
  void next_descriptor();
  bool fetch(Cycle k);
  bool read(Cycle k);
  bool write();
  bool write_function();
  bool all_written();
  void consume(std::size_t n);
  void advance_block(std::uint32_t& block, std::uint64_t& at, std::uint64_t n);

  const HubParams& p_;
  DmaSide& side_;
  unsigned channel_;
  State state_ = State::idle;
  std::uint64_t address_ = 0;  ///< of the descriptor in work
  bool chain_ = false;
  unsigned count_ = 0;
  Descriptor d_{};
  std::uint32_t read_block_ = 0, write_block_ = 0;
  std::uint64_t read_at_ = 0, write_at_ = 0;  ///< in the block
  bool asked_ = false;                        ///< for the descriptor
  DmaError pending_ = DmaError::none;         ///< to be reported when what is under way has come
  std::uint64_t under_way_ = 0;               ///< bytes asked for
  std::vector<std::uint8_t> fifo_;
  std::size_t fifo_head_ = 0;
  std::optional<Packet> packet_;
  std::uint64_t error_ = 0;
  std::uint32_t done_ = 0;
};

}  // namespace polyloom::hub
