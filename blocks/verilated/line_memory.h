// SPDX-License-Identifier: Apache-2.0
// A DRAM or SRAM channel behind an AXI port: the timing of blocks/memory/sim (dram.h, sram.h), the bytes of a
// backing store.
//
// Contract: a burst is one request of the channel: request_bytes long and aligned. AR, or AW with the first
//   of its W beats, both accepted at edge k, is submit(k) of the channel; if the channel's bus has been taken
//   in that cycle, by the other address channel or by another memory, it is submitted at the next edge that
//   has room. A request served at cycle d has its last R beat valid before edge d (later if the master let R
//   wait), or its B.
// Ready: room in the channel and on the bus; it never waits for valid. W is ready while data are owed.
// Order: responses come in order of service. Bytes are read and written in that order, so requests to one line
//   act in the order in which they were accepted.
// Limits: of two reads under way none has the id of another; the W beats of a burst follow each other faster
//   than the channel serves the burst. Otherwise UserError.
// Source: own design.   Tests: line_memory_test.cc.
#pragma once

#include <memory>

#include "blocks/memory/sim/backing_store.h"
#include "blocks/memory/sim/dram.h"
#include "blocks/memory/sim/memory_bus.h"
#include "blocks/memory/sim/sram.h"
#include "blocks/verilated/axi_memory.h"

namespace polyloom::blocks {

/// Bytes [base, base + params.bytes) of `store` behind a port of `beat_bytes` beats. `bus`: what memories of
/// a slice share; null: a bus of its own. Throws UserError on parameters that do not fit each other.
std::unique_ptr<AxiMemory> make_dram_memory(const DramParams& params, std::shared_ptr<BackingStore> store,
                                            std::uint64_t base, std::shared_ptr<MemoryBus> bus,
                                            unsigned beat_bytes = 32);
std::unique_ptr<AxiMemory> make_sram_memory(const SramParams& params, std::shared_ptr<BackingStore> store,
                                            std::uint64_t base, std::shared_ptr<MemoryBus> bus,
                                            unsigned beat_bytes = 32);

}  // namespace polyloom::blocks
