// SPDX-License-Identifier: Apache-2.0
#include "roles/overlay/sim/tile/tile.h"

#include <algorithm>
#include <cassert>
#include <cstdlib>

#include "fabric/error.h"
#include "roles/overlay/sim/tile/tile_impl.h"

namespace polyloom::overlay {
namespace {

/// POLYLOOM_PORTABLE=1 in the environment: tests of the portable engine on any host.
bool host_is_fast() {
#if defined(__x86_64__)
  return __builtin_cpu_supports("avx2") != 0 && __builtin_cpu_supports("bmi2") != 0 &&
         std::getenv("POLYLOOM_PORTABLE") == nullptr;
#else
  return false;
#endif
}

void check(bool ok, const std::string& message) {
  if (!ok) throw UserError("overlay: " + message);
}

void check_params(const BoardParams& p, const TileTiming& t) {
  check(p.cores_per_tile >= 1 && p.cores_per_tile <= kMaxCores,
        "cores_per_tile is " + std::to_string(p.cores_per_tile) + "; it may be 1..4");
  check(p.threads_per_core >= 1 && p.threads_per_core <= Barrels::kMaxThreads,
        "threads_per_core is " + std::to_string(p.threads_per_core) + "; it may be 1..16");
  check(p.dram_channels >= 1 && p.tiles() % p.dram_channels == 0,
        "dram_channels is " + std::to_string(p.dram_channels) + "; it must divide the board's " +
            std::to_string(p.tiles()) + " tiles evenly");
  for (const unsigned latency : {t.mul, t.div, t.fp_compare, t.fp_convert, t.fp_add, t.fp_mul, t.fp_fma,
                                 t.fp_div, t.fp_sqrt, t.scratchpad, t.cache_hit}) {
    check(latency <= kMaxUnitLatency, "a unit's latency is " + std::to_string(latency) + "; it may be 0.." +
                                          std::to_string(kMaxUnitLatency));
  }
  check(t.from_memory >= kWindow && t.from_memory <= kMaxUnitLatency,
        "from_memory is " + std::to_string(t.from_memory) + "; it may be 8.." +
            std::to_string(kMaxUnitLatency));
  check(t.divide_interval >= 1 && t.divide_interval <= kMaxUnitLatency,
        "divide_interval is " + std::to_string(t.divide_interval) + "; it may be 1.." +
            std::to_string(kMaxUnitLatency));
  check(t.cache_max_misses >= 1, "cache_max_misses must be at least 1");
}

}  // namespace

Tile::Impl::Impl(const BoardParams& params, const TileTiming& times, const TilePlace& place,
                 const TileEnv& environment, Tile& tile)
    : self(tile),
      env(environment),
      timing(times),
      index(place.index),
      slice(place.index / std::max(1u, params.tiles() / std::max(1u, params.dram_channels))),
      num_cores(params.cores_per_tile),
      threads_per_core(params.threads_per_core),
      shape(params),
      fast(host_is_fast()),
      misses(params.threads_per_tile()),
      states(params.threads_per_tile(), ThreadState::off),
      wait_rd(params.threads_per_tile()),
      uart(params.threads_per_tile()) {
  const std::array<unsigned, kFpuOps> cycles{times.mul,        times.div,    times.fp_compare,
                                             times.fp_convert, times.fp_add, times.fp_mul,
                                             times.fp_fma,     times.fp_div, times.fp_sqrt};
  std::copy(cycles.begin(), cycles.end(), fpu_latency.begin());
  if (times.divide_interval > 1) {  // else the arbiter's one grant a cycle never lets two meet
    for (const FpuOp op : {FpuOp::div, FpuOp::fdiv, FpuOp::sqrt})
      fpu_latency[static_cast<std::size_t>(op)] |= kDivides;
  }
  Arena& arena = env.arena != nullptr ? *env.arena : own_arena;
  buffers = arena.take_array<TokenBuffer>(Progress::kSlots);
  progress.buffers = buffers.data();
  threads = arena.take_array<Thread>(params.threads_per_tile());
  lines = arena.take_array<std::uint8_t>(threads.size() * CacheShape::kMaxLines * params.line_bytes);
  for (unsigned pair = 0; 2 * pair < num_cores; ++pair) {
    memories.push_back(std::make_unique<InstrMemory>(params.instr_words));
  }
  for (unsigned i = 0; i < threads.size(); ++i) {
    Thread& t = threads[i];
    t.id = place.first_thread_id + i;
    t.buffer = &buffers[slot_of(i / threads_per_core, i % threads_per_core)];
    run_from(t, *memories[i / threads_per_core / 2]);
    t.code_bytes = 4 * params.instr_words;
    t.cache.clear();
    t.cache.shape = &shape;
    t.cache.line_mask = shape.line_mask;
    t.mailbox = env.mailbox->foreseeable() ? env.mailbox : nullptr;
    t.scratchpad = env.mailbox->words().data();
    t.scratchpad_mask = static_cast<std::uint32_t>(env.mailbox->words().size() - 1);
    t.index = static_cast<std::uint8_t>(i);
    t.cache.data = cache_line(i, 0);
    t.miss = &misses[i];
  }
}

void Tile::Impl::reload(unsigned core, unsigned thread) {
  Thread& t = thread_at(core, thread);
  run_ahead(t);
  const unsigned slot = slot_of(core, thread);
  held[slot] = t.cache.valid;
  lately[slot] = t.cache.lately;
  progress.take(slot, Progress::first_token(slot));
}

void Tile::Impl::schedule(Cycle c, unsigned core, unsigned thread) {
  assert(c >= now);
  self.next_ = std::min(self.next_, c / kWindow * kWindow);
  // `now` may be the window being advanced: responses to it lie in later ones.
  if (c < now + Barrels::kCalendar) return barrels.resume_at(core, c, thread);
  later.push_back({c, static_cast<std::uint8_t>(core), static_cast<std::uint8_t>(thread)});
}

void Tile::Impl::start(Cycle c, unsigned core, unsigned thread, std::uint32_t pc) {
  const unsigned i = index_of(core, thread);
  if (states[i] == ThreadState::running || states[i] == ThreadState::memory ||
      states[i] == ThreadState::mailbox)
    return;
  Thread& t = threads[i];
  run_from(t, (env.code != nullptr ? *env.code : own_code).of(*memories[core / 2]));
  sharing |= 1u << core / 2;
  t.pc = pc;
  t.held.send_len = 0;
  t.forget_messages();
  states[i] = ThreadState::running;
  reload(core, thread);
  schedule(c, core, thread);
}

void Tile::Impl::write_instr(unsigned pair, std::uint32_t word_index, std::uint32_t word) {
  InstrMemory& own = *memories.at(pair);
  own.write(word_index, word);
  if ((sharing >> pair & 1u) == 0) return;
  sharing &= ~(1u << pair);
  for (unsigned i = 0; i < threads.size(); ++i)
    if (i / threads_per_core / 2 == pair) run_from(threads[i], own);
}

/// A token that is not simply the next one: the buffer has been used up, or a piece of it, or all but an
/// event after which the thread runs ahead again. Then what is needed next is brought into the host's cache:
/// a thousand threads do not fit it.
void Tile::Impl::far_token(unsigned slot) {
  const Token* token = progress.token(progress.at[slot]);
  if (token->event() == event::refill) return reload(core_of_slot(slot), slot % 16);
  progress.take(slot, progress.at[slot]);
  const bool stops = token[1].event() == event::blocked;
  if (!stops && token + kTokenPiece < buffers[slot].tokens.end())
    return __builtin_prefetch(token + kTokenNotice);
  const unsigned i = index_of(core_of_slot(slot), slot % 16);
  // One that misses goes on long after, when its memory says so (memory_soon()).
  if (token->event() == event::miss) return __builtin_prefetch(cache_line(i, misses[i].slot));
  // After a long run any line may be next, after a short one most likely those of before.
  stops ? prefetch(i) : prefetch(i, held[slot]);
}

void Tile::Impl::prefetch(unsigned i) const {
  prefetch(i, lately[slot_of(i / threads_per_core, i % threads_per_core)]);
}

/// Asks the host to bring in a thread and lines of its cache, a bit a slot.
void Tile::Impl::prefetch(unsigned i, std::uint64_t slots) const {
  threads[i].prefetch();
  if (shape.line_bytes == 32)
    slots = (slots | slots >> 1) & 0x5555555555555555ull;  // two share a line of the host
  for (; slots != 0; slots &= slots - 1)
    __builtin_prefetch(cache_line(i, static_cast<unsigned>(std::countr_zero(slots))));
}

void Tile::Impl::resume_later(Cycle from) {
  std::erase_if(later, [&](const Later& l) {
    if (l.at >= from + Barrels::kCalendar) return false;
    barrels.resume_at(l.core, std::max(l.at, from), l.thread);
    return true;
  });
}

void Tile::Impl::advance(Cycle from) {
  assert(from % kWindow == 0 && from >= now);
  now = from;
  if (!later.empty()) resume_later(from);
  for (; woken != 0; woken &= woken - 1) {
    const auto i = static_cast<unsigned>(std::countr_zero(woken));
    reload(i / threads_per_core, i % threads_per_core);
  }
  fast ? advance_fast(*this, from) : advance_portable(*this, from);
  now = from + kWindow;
  self.next_ = busy ? now : next_event();
}

Cycle Tile::Impl::next_event() const {
  if (!cache_queue.empty() || !fpu_queue.empty() || !scratchpad_queue.empty()) return now;
  Cycle next = barrels.next_event(now);
  for (const Later& l : later) next = std::min(next, l.at);
  return next;
}

// ----- the tile as its board sees it -----

Tile::Tile(const BoardParams& params, const TileTiming& timing, const TilePlace& place, const TileEnv& env) {
  check_params(params, timing);
  impl_ = std::make_unique<Impl>(params, timing, place, env, *this);
}
Tile::~Tile() = default;

void Tile::start_thread(Cycle c, unsigned core, unsigned thread, std::uint32_t pc) {
  impl_->start(std::max(c, impl_->now), core, thread, pc);
}
void Tile::write_instr(unsigned pair, std::uint32_t index, std::uint32_t word) {
  impl_->write_instr(pair, index, word);
}
std::uint32_t Tile::read_instr(unsigned pair, std::uint32_t index) const {
  return impl_->memories.at(pair)->read(index);
}
bool Tile::uart_in(unsigned core, unsigned thread, std::uint8_t byte) {
  std::optional<std::uint8_t>& held = impl_->uart.at(impl_->index_of(core, thread));
  if (held) return false;
  held = byte;
  return true;
}

void Tile::advance_cores(Cycle from) { impl_->advance(from); }

void Tile::wake(Cycle c, unsigned thread, std::uint32_t bits) {
  assert(impl_->states.at(thread) == ThreadState::mailbox);
  impl_->states[thread] = ThreadState::running;
  impl_->finish(impl_->threads[thread], impl_->wait_rd[thread], bits);
  // By then the host has what it needs.
  impl_->prefetch(thread);
  impl_->woken |= std::uint64_t{1} << thread;
  impl_->schedule(c, thread / impl_->threads_per_core, thread % impl_->threads_per_core);
}
void Tile::memory_soon(std::uint32_t tag) { impl_->prefetch(tag); }
void Tile::memory_done(Cycle c, std::uint32_t tag, const std::uint8_t* line) {
  impl_->line_arrived(c, tag, line);
}

TileCounters Tile::totals() const {
  TileCounters t = impl_->totals;
  for (unsigned k = 0; k < impl_->num_cores; ++k) t.retired += impl_->barrels.issued(k);
  return t;
}
std::uint64_t Tile::idle_cycles(unsigned core, Cycle now) const { return now - retired(core); }
std::uint64_t Tile::retired(unsigned core) const { return impl_->barrels.issued(core); }
ThreadState Tile::thread_state(unsigned thread) const { return impl_->states.at(thread); }
std::uint32_t Tile::thread_pc(unsigned thread) const { return impl_->threads[thread].pc; }
std::uint32_t Tile::thread_reg(unsigned thread, unsigned x) const { return impl_->threads[thread].x[x & 31]; }
std::uint32_t Tile::thread_freg(unsigned thread, unsigned f) const {
  return impl_->threads[thread].f[f & 31];
}
std::uint32_t Tile::thread_fcsr(unsigned thread) const { return impl_->threads[thread].fcsr; }

unsigned Tile::threads_in(ThreadState state) const {
  return static_cast<unsigned>(std::count(impl_->states.begin(), impl_->states.end(), state));
}

std::string Tile::describe() const {
  static constexpr std::array<std::pair<ThreadState, const char*>, 4> kWords{
      {{ThreadState::running, "running"},
       {ThreadState::memory, "waiting for memory"},
       {ThreadState::mailbox, "waiting in the mailbox"},
       {ThreadState::faulted, "faulted"}}};
  std::string text;
  for (const auto& [state, words] : kWords) {
    if (const unsigned n = threads_in(state); n != 0) {
      text += (text.empty() ? "" : ", ") + std::to_string(n) + " " + words;
    }
  }
  return text;
}

void Tile::enable_profile() {
  for (auto& m : impl_->memories) m->enable_profile();
}
std::span<const std::uint64_t> Tile::profile(unsigned pair) const {
  return impl_->memories.at(pair)->profile();
}

void Tile::counters(const std::string& prefix, Cycle now, const fabric::CounterSink& sink) const {
  for (unsigned k = 0; k < impl_->num_cores; ++k) {
    const std::string core = prefix + "core." + std::to_string(k) + ".";
    sink(core + "instret", retired(k));
    sink(core + "idle_cycles", idle_cycles(k, now));
  }
  const TileCounters t = totals();
  sink(prefix + "cache.hits", t.hits);
  sink(prefix + "cache.misses", t.misses);
  sink(prefix + "cache.writebacks", t.writebacks);
  sink(prefix + "fpu.operations", t.fpu_ops);
  sink(prefix + "scratchpad.words", t.scratchpad_words);
}

void Tile::digest(fabric::Digest& d) const {
  const TileCounters t = totals();
  for (const std::uint64_t v : {t.retired, t.hits, t.misses, t.writebacks, t.fpu_ops, t.scratchpad_words})
    d.add(v);
  for (unsigned i = 0; i < impl_->threads.size(); ++i) {
    const Thread& thread = impl_->threads[i];
    d.add(std::uint64_t{thread.pc} << 8 | static_cast<std::uint64_t>(impl_->states[i]));
    for (unsigned r = 1; r < 32; ++r) d.add(std::uint64_t{thread.x[r]} << 32 | thread.f[r]);
    d.add(std::uint64_t{thread.f[0]} << 32 | thread.fcsr);
    d.add(thread.cache.dirty);
  }
}

}  // namespace polyloom::overlay
