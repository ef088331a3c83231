// SPDX-License-Identifier: Apache-2.0
// A memory channel as a node's RTL sees it: an AXI4 slave, stepped once a clock edge (INCR bursts, beats of
// the full width). Responses to one id come in order; those to others, as the memory likes.
//
// Contract, edge k of the node's clock, k growing, edges without any activity may be skipped:
//   1. outputs(k): what the slave drives before edge k. It depends on earlier edges only.
//   2. step(k, from): what the master drove before edge k. A transfer is valid and ready, both before the
//   edge.
// A read accepted at edge a has its first beat valid before edge a + latency at the earliest.
// Thread safety: none; used by the node that owns it.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "blocks/cycle.h"
#include "fabric/node.h"

namespace polyloom::blocks {

/// Driven by the slave. Pointers are valid until the next step().
struct AxiSlaveOut {
  bool ar_ready = false, aw_ready = false, w_ready = false, b_valid = false;
  bool r_valid = false, r_last = false;
  std::uint32_t r_id = 0, b_id = 0;
  const std::uint8_t* r_data = nullptr;  ///< beat_bytes() of them, if r_valid
};

/// Driven by the master. Pointers are valid during the call.
struct AxiMasterOut {
  bool ar_valid = false, aw_valid = false, w_valid = false, w_last = false, r_ready = false, b_ready = false;
  std::uint64_t ar_addr = 0, aw_addr = 0;
  std::uint8_t ar_len = 0, aw_len = 0;     ///< beats - 1
  std::uint32_t ar_id = 0, aw_id = 0;      ///< 0 if the design has no ids
  const std::uint8_t* w_data = nullptr;    ///< beat_bytes() of them
  const std::uint8_t* w_strobe = nullptr;  ///< a bit a byte
};

class AxiMemory {
 public:
  virtual ~AxiMemory() = default;

  virtual unsigned beat_bytes() const = 0;
  virtual std::uint64_t size() const = 0;

  virtual const AxiSlaveOut& outputs(Cycle k) = 0;
  /// Throws UserError on what a memory cannot do (an address outside it, a burst of another length than
  /// told).
  virtual void step(Cycle k, const AxiMasterOut& from) = 0;
  /// True if no response is owed and none under way: edges need not be stepped until the master drives
  /// something.
  virtual bool idle() const = 0;

  /// The host's way, past the timing. Precondition: inside size().
  virtual void write(std::uint64_t address, std::span<const std::uint8_t> bytes) = 0;
  virtual void read(std::uint64_t address, std::span<std::uint8_t> bytes) const = 0;

  virtual void counters(const std::string& prefix, const fabric::CounterSink& sink) const = 0;
  virtual void digest(fabric::Digest& digest) const = 0;
};

/// What every AxiMemory refuses, as UserError: a burst that is not wholly inside or not aligned, and W's last
/// at another beat than the last of its burst.
void check_burst(const char* what, std::uint64_t address, unsigned beats, unsigned beat_bytes,
                 std::uint64_t size);
void check_last(bool last, unsigned beats_left);

/// A memory of fixed latencies, one beat a cycle each way, bursts served in order.
struct FixedMemoryParams {
  std::uint64_t bytes = 1 << 20;
  unsigned beat_bytes = 32;
  unsigned read_latency = 8;  ///< from the edge that accepts AR to the first at which R may pass
  unsigned write_latency =
      4;                 ///< from the edge that accepts the last W (or AW, if that is later) to B's first
  unsigned bursts = 16;  ///< accepted and not yet answered, of each kind; one more has to wait
};
std::unique_ptr<AxiMemory> make_fixed_memory(const FixedMemoryParams& params);

}  // namespace polyloom::blocks
