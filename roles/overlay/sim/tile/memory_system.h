// SPDX-License-Identifier: Apache-2.0
// Timing of a board's off-chip memories: the network from caches to slices, DRAM and SRAM channels.
//
// Requests of a window are merged in cycle order (ties by client), so results do not depend on the order in
// which clients ran. A line's bytes move at the moment the channel serves the request. Data channels:
// blocks/memory.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "fabric/node.h"
#include "roles/overlay/sim/tile/memory.h"
#include "roles/overlay/sim/types.h"

namespace polyloom::blocks {
struct DramParams;
struct SramParams;
}  // namespace polyloom::blocks

namespace polyloom::overlay {

/// The channels of a board: its clock on their core side, a line a request.
blocks::DramParams fitted(blocks::DramParams params, const BoardParams& board);
blocks::SramParams fitted(blocks::SramParams params, const BoardParams& board);

/// What reads memory: a tile's cache, a board's router.
class MemoryClient {
 public:
  virtual ~MemoryClient() = default;
  /// The memory has taken the request with `tag`: the host should bring in what memory_done() will need.
  virtual void memory_soon(std::uint32_t /*tag*/) {}
  /// The line asked for with `tag` left the channel at cycle `c`; `line` holds line_bytes() bytes, valid
  /// during the call.
  virtual void memory_done(Cycle c, std::uint32_t tag, const std::uint8_t* line) = 0;
};

class MemorySystem {
 public:
  /// `clients` is how many may ask (their numbers are below it). Channels run at params.clock_hz on their
  /// core side and move params.line_bytes a request, whatever `dram` and `sram` say. Throws UserError on bad
  /// parameters.
  MemorySystem(const BoardParams& params, Memory& memory, unsigned clients, const blocks::DramParams& dram,
               const blocks::SramParams& sram);
  ~MemorySystem();

  /// Asks for a line, or writes one; `at` is when the request reaches the slice's queue, not before the
  /// window being simulated. `addr` is a line-aligned thread-view address in SRAM or DRAM. Requests of one
  /// client to one line are served in the order given.
  void read(Cycle at, unsigned client, MemoryClient& who, unsigned slice, std::uint32_t addr,
            std::uint32_t tag);
  void write(Cycle at, unsigned client, unsigned slice, std::uint32_t addr, const std::uint8_t* line);

  /// Serves the window [from, from + kWindow); calls memory_done for reads that complete in it.
  void advance(Cycle from);
  /// Earliest cycle at which something may happen without new requests; kNeverCycle if nothing is under way.
  Cycle next_event() const;

  /// Adds "<prefix>dram.0.reads" and the like.
  void counters(const std::string& prefix, const fabric::CounterSink& sink) const;
  void digest(fabric::Digest& d) const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace polyloom::overlay
