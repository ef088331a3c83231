// SPDX-License-Identifier: Apache-2.0
#include "roles/overlay/tests/memory/memory_reference.h"

#include <algorithm>
#include <cstring>
#include <tuple>

namespace polyloom::overlay::test {

MemoryReference::MemoryReference(const BoardParams& board, const blocks::DramParams& dram,
                                 const blocks::SramParams& sram)
    : board_(board), shape_(board), memory_(board), system_(board, memory_, board.tiles() + 1, dram, sram) {
  for (unsigned t = 0; t < board.tiles(); ++t) {
    auto tile = std::make_unique<Tile>();
    tile->owner = this;
    tile->index = t;
    tile->last = board.cores_per_tile - 1;
    tile->queues.resize(board.cores_per_tile);
    tile->missing.resize(board.threads_per_tile());
    tile->places.resize(board.threads_per_tile());
    tile->slots.resize(kMisses);
    for (unsigned i = 0; i < board.threads_per_tile(); ++i) {
      tile->bytes.emplace_back(std::size_t{CacheShape::kMaxLines} * board.line_bytes);
      CachePartition part{};
      part.data = tile->bytes.back().data();
      part.line_mask = shape_.line_mask;
      part.clear();
      tile->parts.push_back(part);
      tile->parts.back().shape = &shape_;
    }
    tiles_.push_back(std::move(tile));
  }
}

std::vector<Response> MemoryReference::run(const std::vector<Access>& accesses) {
  auto next = accesses.begin();
  Cycle from = 0;
  const auto busy = [this] {
    if (system_.next_event() != kNeverCycle) return true;
    return std::any_of(tiles_.begin(), tiles_.end(), [](const auto& tile) {
      return !tile->starts.empty() || std::any_of(tile->queues.begin(), tile->queues.end(),
                                                  [](const auto& queue) { return !queue.empty(); });
    });
  };
  for (; next != accesses.end() || busy(); from += kWindow) {
    for (Cycle c = from; c < from + kWindow; ++c) {
      for (; next != accesses.end() && next->at == c; ++next) {
        tiles_[next->tile]->queues[next->core].push_back(*next);
      }
      for (auto& tile : tiles_) cycle(*tile, c);
    }
    system_.advance(from);
  }
  const auto key = [](const Response& a) { return std::tuple(a.at, a.tile, a.core, a.fill); };
  std::sort(responses_.begin(), responses_.end(),
            [&](const Response& a, const Response& b) { return key(a) < key(b); });
  return responses_;
}

void MemoryReference::cycle(Tile& tile, Cycle c) {
  for (unsigned i = 1; i <= tile.queues.size(); ++i) {
    const auto core = static_cast<unsigned>((tile.last + i) % tile.queues.size());
    if (tile.queues[core].empty()) continue;
    const Access a = tile.queues[core].front();
    tile.queues[core].pop_front();
    tile.last = core;
    serve(tile, a, c);
    break;
  }
  start(tile, c);
}

std::uint32_t MemoryReference::access(CachePartition& part, unsigned slot, const Access& a) {
  part.touch(slot);
  if (a.op == MemOp::store) {
    part.store(slot, a.addr, a.data, 1u << a.size);
    return 0;
  }
  std::uint32_t value = 0;
  std::memcpy(&value, part.byte(shape_.slots[slot], a.addr), std::size_t{1} << a.size);
  const unsigned bits = 8u << a.size;
  if (a.sign && bits < 32 && (value >> (bits - 1) & 1) != 0) value |= ~std::uint32_t{0} << bits;
  return value;
}

void MemoryReference::serve(Tile& tile, const Access& a, Cycle c) {
  CachePartition& part = tile.parts[thread_of(a)];
  const Response soon{c + 4, tile.index, a.core, a.thread, false, a.op == MemOp::store, 0};
  const bool flush = a.op == MemOp::flush;
  unsigned slot = flush ? (a.addr / 16 % shape_.sets) * shape_.ways + a.addr % 16 % shape_.ways
                        : part.find(a.addr, 1u << a.size);
  if (!flush && slot != CachePartition::kNoLine) {
    ++counts_.hits;
    responses_.push_back(soon);
    responses_.back().data = access(part, slot, a);
    return;
  }
  if (!flush) slot = part.victim(a.addr);
  const bool dirty = part.is_dirty(slot);
  Start s{c, flush, dirty, thread_of(a), slot, a.addr & shape_.line_mask, part.tags[slot], {}};
  s.bytes.assign(part.line(slot), part.line(slot) + shape_.line_bytes);
  if (flush) {
    responses_.push_back(soon);
  } else {
    ++counts_.misses;
    tile.missing[thread_of(a)] = a;
    tile.places[thread_of(a)] = slot;
  }
  part.drop(slot);
  if (!flush || dirty) tile.starts.push_back(std::move(s));
}

/// What lookups ask for goes on in their order; a miss waits for a slot, and all behind it.
void MemoryReference::start(Tile& tile, Cycle c) {
  while (!tile.starts.empty()) {
    const Start& s = tile.starts.front();
    const auto slot = std::min_element(tile.slots.begin(), tile.slots.end());
    if (!s.flush && *slot > c) return;
    if (!s.flush) {
      *slot = kNeverCycle;
      const Cycle at = std::max(c + 4, tile.port_free);
      tile.port_free = at + 1;
      system_.read(at, tile.index, tile, 0, s.wanted, s.thread);
    }
    if (s.dirty) {
      const Cycle at = std::max(c + 4, tile.port_free);
      tile.port_free = at + 1;
      system_.write(at, tile.index, 0, s.victim, s.bytes.data());
      ++counts_.writebacks;
    }
    tile.starts.pop_front();
  }
}

void MemoryReference::Tile::memory_done(Cycle c, std::uint32_t tag, const std::uint8_t* line) {
  const Access& a = missing[tag];
  parts[tag].fill(places[tag], a.addr, line);
  const std::uint32_t data = owner->access(parts[tag], places[tag], a);
  owner->responses_.push_back({c + 4, index, a.core, a.thread, true, a.op == MemOp::store, data});
  *std::find(slots.begin(), slots.end(), kNeverCycle) = c + 8;
}

}  // namespace polyloom::overlay::test
