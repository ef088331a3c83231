// SPDX-License-Identifier: Apache-2.0
// An HBM2 channel behind an AXI port: the timing of blocks/memory/sim/hbm2.h, the bytes of a backing store.
//
// How: at each edge the oldest read burst and the oldest write data ask for a beat each, and the channel
//   grants them: both, if they lie in different pseudo-channels. A request that is accepted at an edge may be
//   granted at it.
// Latency: an AR accepted at edge a has its first beat valid before edge a + read_latency, the others one a
//   cycle; B is valid before w + write_latency, w = the edge that accepts the last W. More if the other
//   stream is granted.
// Backpressure: W waits when `write_buffer` beats do; reads pause when read_latency + read_buffer beats were
//   granted and not taken.
// Source: own design.   Tests: hbm2_memory_test.cc.
#pragma once

#include <memory>

#include "blocks/memory/sim/backing_store.h"
#include "blocks/memory/sim/hbm2.h"
#include "blocks/verilated/axi_memory.h"

namespace polyloom::blocks {

struct Hbm2MemoryParams {
  Hbm2Params channel;
  unsigned bursts = 64;       ///< of each kind under way
  unsigned write_buffer = 2;  ///< beats
  unsigned read_buffer = 64;  ///< beats, beyond those in flight
};

/// The channel's bytes are [base, base + channel.bytes) of `store`, which several channels may share.
std::unique_ptr<AxiMemory> make_hbm2_memory(const Hbm2MemoryParams& params,
                                            std::shared_ptr<BackingStore> store, std::uint64_t base);

}  // namespace polyloom::blocks
