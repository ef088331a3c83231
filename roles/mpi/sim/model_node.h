// SPDX-License-Identifier: Apache-2.0
// A kernel node as a fast model: what polyloom_kernel_node does, with the kernel as code of this machine that
// runs ahead of the node, and the engine (mpe/) stepped only in cycles in which it does something.
//
// Same words on the wire in the same cycles as the RTL node, but for two things: where kernel and engine want
// the same port of a block RAM in a cycle, the engine never waits and the kernel does on average
// (KernelModel::cost_of_dma); and ARP is not answered.
#pragma once

#include <array>
#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "blocks/wire_ends.h"
#include "fabric/fabric.h"
#include "roles/mpi/arch/history.h"
#include "roles/mpi/arch/kernel_model.h"
#include "roles/mpi/sim/mpe/engine.h"
#include "roles/mpi/sim/node_memory.h"
#include "roles/mpi/sim/role.h"

namespace polyloom::mpi {

/// A lane behind polyloom_ethernet_fcs_tx and before polyloom_ethernet_fcs_rx, in whole frames.
class FrameLane final : public mpe::Wire {
 public:
  FrameLane(blocks::WireEnds ends, const fabric::Clock& clock) : ends_(ends), clock_(clock) {}

  void send(const mpe::Frame& frame, Cycle from, std::deque<Cycle>& pops) override;
  /// Frames whose words the fabric has delivered, in order: each with the cycle in which it can be seen. One
  /// without words was damaged.
  std::optional<mpe::Frame> receive();
  /// Sends what leaves before `until`.
  void flush(fabric::Time until);
  fabric::Time next_event() const { return out_.empty() ? fabric::kNever : out_.front().first; }
  std::uint64_t words_in() const { return words_in_; }
  std::uint64_t words_out() const { return words_out_; }

 private:
  Cycle put(Cycle from, std::uint64_t word, bool head, bool tail);

  blocks::WireEnds ends_;
  fabric::Clock clock_;
  Cycle free_ = 0;              ///< the first cycle in which the transmitter takes a frame
  fabric::Time wire_free_ = 0;  ///< when the wire has sent all that it was given
  std::deque<fabric::Segment> out_;
  std::vector<std::uint64_t> partial_;  ///< of a frame that is coming in
  Cycle seen_ = 0;                      ///< the cycle after that of its last word
  std::uint64_t words_in_ = 0, words_out_ = 0;
};

class ModelNode final : public fabric::Node {
 public:
  /// `code`: of the kernel (kernel_code.h). `ip`: its straps.
  ModelNode(std::string name, const KernelParams& params, std::string code, std::uint32_t ip,
            blocks::WireEnds lane);

  void advance(fabric::Time until) override;
  fabric::Time next_event() const override;
  void counters(const fabric::CounterSink& sink) const override;
  void tables(const fabric::TableSink& sink) const override;
  void digest(fabric::Digest& digest) const override;

 private:
  void receive();
  Cycle next_cycle() const;
  Cycle kernel_next() const;
  Cycle due() const { return access_->cycle + static_cast<Cycle>(lost_); }
  bool wants(hls::Touch touch, Cycle k) const {
    return access_ != nullptr && access_->touch == touch && due() <= k;
  }
  void step(Cycle k);
  /// Steps cycles before `end` in which the engine computes and nothing moves; most are such.
  void compute(Cycle end);
  /// What the engine asks for in the kernel's block RAM, and what it and the kernel ask for in DRAM.
  void access_block_ram(Cycle k, const mpe::MemoryRequest& write, const mpe::MemoryRequest& read,
                        mpe::Inputs& engine);
  bool access_dram(Cycle k, const mpe::MemoryRequest& write, const mpe::MemoryRequest& read,
                   mpe::Inputs& engine);
  void start_kernel(Cycle k);
  void complete(Cycle k, std::uint64_t word = 0);
  void record(Cycle k, std::uint64_t word);
  std::string where() const;
  void go_on(Cycle k);

  std::string name_, code_;
  fabric::Clock clock_;
  FrameLane lane_;
  mpe::Engine engine_;
  NodeMemory memory_;

  std::unique_ptr<hls::KernelModel> kernel_;
  const hls::Access* access_ = nullptr;  ///< what the kernel does next; null: it is in reset
  double lost_ = 0;                      ///< cycles before that which the engine's accesses have cost it
  bool requested_ = false;               ///< the memory has taken its read
  bool write_turn_ = false;
  std::optional<mpe::Reader::Response> response_,
      later_response_;  ///< of block RAM, in this cycle and the next one

  mpi::History history_;
  std::vector<std::uint64_t> counts_;    ///< of a kernel that has ended: where its cycles went
  Cycle begin_ = 0, command_since_ = 0;  ///< of the kernel, of its last command
  unsigned rank_ = 0;
  std::string standing_;                    ///< where() of a kernel that was stopped
  std::array<std::uint64_t, 3> command_{};  ///< words that the engine has taken
  std::array<std::uint64_t, 2> responded_{};
  unsigned pushed_ = 0, popped_ = 0;

  Cycle cycle_ = 0;  ///< all before it were stepped or skipped
  std::uint64_t steps_ = 0, waited_ = 0;
};

}  // namespace polyloom::mpi
