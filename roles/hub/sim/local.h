// SPDX-License-Identifier: Apache-2.0
// Port L of a hub: registers, on-board memory, the two DMA channels and the function.
//
// How:  from the switch --> packet whole --> register, memory, function's stream, or data of a read
//       DMA channels, function's lanes --(in turn)--> packets to the switch's input L
//       reads of the DMA, answers to reads from N --> packets to the switch's input of replies
// Thread safety: none; part of a node. Tests: node_test.cc, dma_test.cc.
#pragma once

#include <deque>
#include <memory>
#include <string>
#include <vector>

#include "blocks/memory/sim/backing_store.h"
#include "roles/hub/sim/dma.h"
#include "roles/hub/sim/function.h"
#include "roles/hub/sim/switch.h"

namespace polyloom::hub {

class Local final : public LocalSide, private DmaSide {
 public:
  Local(const std::string& name, const HubParams& params, unsigned node);
  /// To be called once, before anything else: the two belong together.
  void join(Switch& network) { switch_ = &network; }

  /// One edge, before the switch's. True if something changed.
  bool step(Cycle k);
  /// The first edge after k at which it must be stepped although nothing changes before.
  Cycle next_due(Cycle k) const;

  // For the switch.
  bool takes_beat() override { return true; }
  bool stream_room() override { return !function_.active() || function_.room() >= p_.max_payload; }
  void beat(Cycle k, const Beat& beat, unsigned source) override;
  const Beat* offer(unsigned input) override;
  void taken(unsigned input) override;

  std::uint8_t* memory() { return memory_.data(); }
  Function& function() { return function_; }
  std::string waiting_for() const;
  void counters(const std::string& prefix, const fabric::CounterSink& sink) const;
  void digest(fabric::Digest& digest) const;

 private:
  static constexpr unsigned kChain = 0, kProxy = 1, kChannels = 2;
  struct Arrival {
    Cycle due;
    unsigned source;
    Packet packet;
  };
  /// A read of the on-board memory.
  struct MemoryRead {
    Cycle due;
    unsigned channel;
    std::uint64_t offset;
    std::uint32_t bytes;
  };
  struct Tag {
    bool used = false;
    unsigned channel = 0;
  };
  struct Outlet {
    std::deque<Packet> packets;
    unsigned next = 0;
    Beat beat;
    bool fresh = false;
  };

  void handle(Cycle k, const Arrival& arrival);
  void completion(const Arrival& arrival);
  void answer(Cycle k, const TlpHeader& read, unsigned source);
  bool write_registers(const Arrival& arrival, std::uint64_t offset);
  bool send();
  std::optional<std::uint64_t> read_register(Cycle k, std::uint64_t offset) const;
  bool write_register(std::uint64_t offset, std::uint64_t value);
  bool write_function_register(std::uint64_t offset, std::uint64_t value);
  std::uint64_t status() const;
  std::uint64_t shape() const;

  // DmaSide.
  unsigned node() const override { return node_; }
  bool has_north() const override { return (switch_->present & 1) != 0; }
  bool function_ready() const override { return function_.active(); }
  bool read(Cycle k, unsigned channel, std::uint64_t address, std::uint32_t bytes) override;
  std::size_t function_room() const override { return function_.room(); }
  void function_input(const std::uint8_t* data, std::size_t bytes, bool last) override {
    function_.input(data, bytes, last);
  }

  std::string name_;
  const HubParams& p_;
  unsigned node_;
  Switch* switch_ = nullptr;
  blocks::BackingStore memory_;
  Function function_;
  std::vector<Dma> dma_;
  std::deque<Descriptor> proxies_;
  Packet incoming_;
  bool inside_ = false;
  std::deque<Arrival> arrivals_;
  std::deque<MemoryRead> memory_reads_;
  Cycle memory_free_ = 0, written_ = 0;
  std::vector<Tag> tags_;
  unsigned next_tag_ = 0;
  Outlet outlets_[2];  ///< to L's input, to that of replies
  unsigned turn_ = 0;
  fabric::Digest seen_;
};

}  // namespace polyloom::hub
