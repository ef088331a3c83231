// SPDX-License-Identifier: Apache-2.0
// What caches and a slice of memories do with given requests, by the rules of roles/overlay/sim: the fast
// model's partitions, MemorySystem for the slice, and the tile's rules one cycle at a time.
#pragma once

#include <array>
#include <deque>
#include <memory>
#include <vector>

#include "blocks/memory/sim/dram.h"
#include "blocks/memory/sim/sram.h"
#include "roles/overlay/sim/tile/cache.h"
#include "roles/overlay/sim/tile/memory.h"
#include "roles/overlay/sim/tile/memory_system.h"

namespace polyloom::overlay::test {

enum class MemOp : std::uint8_t { load, store, flush };

struct Access {
  Cycle at;
  unsigned tile, core, thread;  ///< thread of the core
  MemOp op;
  unsigned size;  ///< log2 of bytes
  bool sign;
  std::uint32_t addr, data;
};

struct Response {
  Cycle at;
  unsigned tile, core, thread;
  bool fill;  ///< came by the port of fills
  bool store;
  std::uint32_t data;  ///< 0 for stores
  bool operator==(const Response&) const = default;
};

struct Counts {
  std::uint64_t hits = 0, misses = 0, writebacks = 0;
  bool operator==(const Counts&) const = default;
};

class MemoryReference {
 public:
  MemoryReference(const BoardParams& board, const blocks::DramParams& dram, const blocks::SramParams& sram);

  /// Serves accesses, given in order of cycle, and all that follows from them; responses in order of cycle,
  /// tile, core, hits before fills.
  std::vector<Response> run(const std::vector<Access>& accesses);
  Counts counts() const { return counts_; }
  const Memory& memory() const { return memory_; }

 private:
  static constexpr unsigned kMisses = 32;
  struct Start {
    Cycle granted;
    bool flush, dirty;
    unsigned thread, slot;
    std::uint32_t wanted, victim;
    std::vector<std::uint8_t> bytes;  ///< of the victim
  };
  struct Tile final : MemoryClient {
    MemoryReference* owner = nullptr;
    unsigned index = 0, last = 0;
    std::vector<std::deque<Access>> queues;  ///< by core
    std::vector<CachePartition> parts;       ///< by thread of the tile
    std::vector<std::vector<std::uint8_t>> bytes;
    std::vector<Access> missing;   ///< by thread: what missed
    std::vector<unsigned> places;  ///< and the slot that its line gets
    std::deque<Start> starts;
    std::vector<Cycle> slots;  ///< from when each miss slot may be used
    Cycle port_free = 0;
    void memory_done(Cycle c, std::uint32_t tag, const std::uint8_t* line) override;
  };

  void cycle(Tile& tile, Cycle c);
  void serve(Tile& tile, const Access& a, Cycle c);
  void start(Tile& tile, Cycle c);
  std::uint32_t access(CachePartition& part, unsigned slot, const Access& a);
  unsigned thread_of(const Access& a) const { return a.core * board_.threads_per_core + a.thread; }

  BoardParams board_;
  CacheShape shape_;
  Memory memory_;
  MemorySystem system_;
  std::vector<std::unique_ptr<Tile>> tiles_;
  std::vector<Response> responses_;
  Counts counts_;
};

}  // namespace polyloom::overlay::test
