// SPDX-License-Identifier: Apache-2.0
// The units that a tile's cores share: data cache, FPU, scratchpad port.
#include <algorithm>
#include <cassert>

#include "roles/overlay/sim/isa/exec.h"
#include "roles/overlay/sim/tile/private_csr.h"
#include "roles/overlay/sim/tile/tile_impl.h"

namespace polyloom::overlay {
namespace {

const Inst& inst_at(const Thread& t) { return t.code[t.pc / 4].inst; }

std::uint32_t address_of(const Thread& t, const Inst& in) {
  return t.x[in.rs1] + static_cast<std::uint32_t>(in.imm);
}

void set_loaded(Thread& t, const Inst& in, std::uint32_t word, std::uint32_t addr) {
  (op_info(in.op).form == Form::fload ? t.f : t.x)[in.rd] = load_value(in.op, word, addr);
}
std::uint32_t stored(const Thread& t, const Inst& in) {
  return (op_info(in.op).form == Form::fstore ? t.f : t.x)[in.rs2];
}

}  // namespace

/// Calls take(core, thread, cycle) for each grant of a window.
template <class Take>
[[gnu::always_inline]] inline void each_grant(Cycle from, std::uint64_t granted, Take&& take) {
  for (std::uint64_t left = granted & (UnitQueue::kGranted * kBytesOfOne); left != 0; left &= left - 1) {
    const auto o = static_cast<unsigned>(std::countr_zero(left)) / 8;
    take(byte_of(granted, o) >> 4 & 7u, byte_of(granted, o) & 15u, from + o);
  }
}

// ----- scratchpad -----

void Tile::Impl::serve_scratchpad(std::uint64_t granted) {
  each_grant(0, granted, [this](unsigned core, unsigned thread, Cycle) {
    const std::uint8_t code = progress.current[slot_of(core, thread)];
    if (code == event::scratchpad) return access_scratchpad(core, thread);
    if (code != event::scratchpad_store) return;
    const std::uint64_t note = thread_at(core, thread).notes.take();
    env.mailbox->store(note & 0xffffu, static_cast<std::uint32_t>(note >> 32), note >> 16 & 15u);
  });
}

/// An access that could not be executed ahead of time.
void Tile::Impl::access_scratchpad(unsigned core, unsigned thread) {
  Thread& t = thread_at(core, thread);
  const Inst& in = inst_at(t);
  const std::uint32_t addr = address_of(t, in);
  if (op_class(in.op) == OpClass::load) {
    set_loaded(t, in, env.mailbox->load(addr & ~3u), addr);
  } else {
    env.mailbox->store(addr & ~3u, store_lanes(stored(t, in), addr), store_byte_enable(in.op, addr));
  }
  t.pc += 4;
  reload(core, thread);
}

// ----- divider -----

/// One operation at a time, in order of their grants.
void Tile::Impl::serve_divider(Cycle from, std::uint64_t granted) {
  each_grant(from, granted, [this](unsigned core, unsigned thread, Cycle c) {
    const unsigned operation = progress.current[slot_of(core, thread)] & 15u;
    const Cycle start = std::max(c, divider_free);
    divider_free = start + timing.divide_interval;
    schedule(start + kWindow + (fpu_latency[operation] & ~kDivides), core, thread);
  });
}

// ----- data cache -----

void Tile::Impl::serve_cache(Cycle from, std::uint64_t granted) {
  each_grant(from, granted, [this](unsigned core, unsigned thread, Cycle c) {
    const std::uint8_t code = progress.current[slot_of(core, thread)];
    special &= ~(std::uint64_t{code != event::hit} << slot_of(core, thread));
    if (code == event::miss) return miss(core, thread, c);
    if (code == event::flush_dirty) flush(core, thread, c);
    totals.hits += code == event::hit;
    barrels.resume_at(core, c + kWindow + timing.cache_hit, thread);
  });
}

void Tile::Impl::flush(unsigned core, unsigned thread, Cycle c) {
  Thread& t = thread_at(core, thread);
  const Inst& in = inst_at(t);
  const unsigned slot = flushed_slot(shape, csr_access(in.op, in, t.x).operand);
  write_back(t.cache.tags[slot], t.cache.line(slot), c);
  t.cache.drop(slot);
  finish(t, in.rd, 0);
  reload(core, thread);
}

void Tile::Impl::write_back(std::uint32_t addr, const std::uint8_t* line, Cycle c) {
  const Cycle at = std::max(c + timing.to_memory, memory_port_free);
  memory_port_free = at + 1;
  env.memory->write(at, index, slice, addr, line);
  ++totals.writebacks;
}

void Tile::Impl::miss(unsigned core, unsigned thread, Cycle c) {
  const unsigned i = index_of(core, thread);
  ++totals.misses;
  states[i] = ThreadState::memory;
  if (miss_slots_used < timing.cache_max_misses) {
    ++miss_slots_used;
    return start_miss(i, c);
  }
  if (!freed.empty()) {
    const Cycle when = std::max(c, freed.front());
    freed.pop_front();
    return start_miss(i, when);
  }
  waiting_misses.push_back(static_cast<std::uint8_t>(i));
}

/// Asks for the line of a missing thread at cycle `c`, then writes back what it replaces.
void Tile::Impl::start_miss(unsigned i, Cycle c) {
  const Miss& m = misses[i];
  const Cycle at = std::max(c + timing.to_memory, memory_port_free);
  memory_port_free = at + 1;
  env.memory->read(at, index, self, slice, m.addr, i);
  if (m.replaced != CachePartition::kEmpty) write_back(m.replaced, cache_line(i, m.slot), c);
}

void Tile::Impl::line_arrived(Cycle c, unsigned i, const std::uint8_t* line) {
  Thread& t = threads[i];
  const Inst& in = inst_at(t);
  const std::uint32_t addr = address_of(t, in);
  const unsigned slot = misses[i].slot;
  t.cache.fill(slot, addr, line);
  t.cache.touch(slot);
  if (op_class(in.op) == OpClass::load) {
    set_loaded(t, in, t.cache.word(slot, addr), addr);
  } else {
    t.cache.store(slot, addr, stored(t, in), access_size(in.op));
  }
  t.pc += 4;
  states[i] = ThreadState::running;
  reload(i / threads_per_core, i % threads_per_core);
  schedule(c + timing.from_memory, i / threads_per_core, i % threads_per_core);

  if (!waiting_misses.empty()) {
    const unsigned next = waiting_misses.front();
    waiting_misses.pop_front();
    return start_miss(next, c + kWindow);
  }
  freed.insert(std::upper_bound(freed.begin(), freed.end(), c + kWindow), c + kWindow);
}

}  // namespace polyloom::overlay
