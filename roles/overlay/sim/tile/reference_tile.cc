// SPDX-License-Identifier: Apache-2.0
#include "roles/overlay/sim/tile/reference_tile.h"

#include <algorithm>
#include <cstring>

#include "roles/overlay/sim/isa/exec.h"

namespace polyloom::overlay::test {

/// Lets isa/reference execute one instruction of a thread: memory is a single word, prepared by the tile.
class ReferenceTile::World : public Environment {
 public:
  World(ReferenceTile& tile, ThreadInfo& thread, unsigned pair) : tile_(tile), thread_(thread), pair_(pair) {}
  std::optional<std::uint32_t> fetch(std::uint32_t pc) override {
    const auto& code = tile_.code_[pair_];
    if (pc / 4 >= code.size()) return std::nullopt;
    return code[pc / 4];
  }
  std::optional<std::uint32_t> load(std::uint32_t) override { return word; }
  bool store(std::uint32_t, std::uint32_t lanes, unsigned byte_enable) override {
    if (!word) return false;
    word = merge_bytes(*word, lanes, byte_enable);
    enabled = byte_enable;
    written = lanes;
    return true;
  }
  std::uint32_t access_csr(Op op, const CsrAccess& access) override {
    if (access.number == csr::hart_id) return thread_.id;
    std::uint32_t* held = thread_.held.find(access.number);
    if (held == nullptr) return 0;
    const std::uint32_t old = *held;
    if (access.writes) *held = csr_update(op, old, access.operand);
    return csr::is_read(access.number) ? old : 0;
  }
  void send(std::uint32_t, std::uint32_t) override {}

  std::optional<std::uint32_t> word;
  unsigned enabled = 0;
  std::uint32_t written = 0;

 private:
  ReferenceTile& tile_;
  ThreadInfo& thread_;
  unsigned pair_;
};

ReferenceTile::ReferenceTile(const BoardParams& params, const TileTiming& timing, const TilePlace& place,
                             const TileEnv& env)
    : params_(params),
      timing_(timing),
      place_(place),
      env_(env),
      slice_(place.index * params.dram_channels / params.tiles()),
      code_((params.cores_per_tile + 1) / 2, std::vector<std::uint32_t>(params.instr_words)),
      threads_(params.threads_per_tile()),
      cores_(params.cores_per_tile),
      slot_free_(timing.cache_max_misses, 0) {
  for (unsigned i = 0; i < threads_.size(); ++i) {
    threads_[i].id = place.first_thread_id + i;
    threads_[i].sets.resize(params.cache_sets_per_thread);
    for (Set& s : threads_[i].sets) {
      s.lines.resize(params.cache_ways);
      for (Line& l : s.lines) l.bytes.resize(params.line_bytes);
    }
  }
}

std::optional<ReferenceTile::Request> ReferenceTile::Queue::take() {
  for (unsigned i = 1; i <= 4; ++i) {
    const unsigned core = (last + i) % 4;
    if (cores[core].empty()) continue;
    last = core;
    const Request r = cores[core].front();
    cores[core].pop_front();
    return r;
  }
  return std::nullopt;
}

void ReferenceTile::start_thread(Cycle c, unsigned core, unsigned thread, std::uint32_t pc) {
  ThreadInfo& t = threads_[core * params_.threads_per_core + thread];
  if (t.state != ThreadState::off && t.state != ThreadState::faulted) return;
  t.hart.pc = pc;
  t.held.send_len = 0;
  t.state = ThreadState::running;
  cores_[core].responses[c].insert(thread);
}

void ReferenceTile::advance_cores(Cycle from) {
  // The cache's counters cross over to the cores before every eighth cycle.
  if (cache_counting_) {
    program_.hits += totals_.hits - seen_.hits;
    program_.misses += totals_.misses - seen_.misses;
    program_.writebacks += totals_.writebacks - seen_.writebacks;
  }
  seen_ = totals_;
  for (Cycle c = from; c < from + kWindow; ++c) cycle(c);
}

void ReferenceTile::cycle(Cycle c) {
  for (unsigned k = 0; k < cores_.size(); ++k) issue(k, c);
  if (const auto r = scratchpad_.take()) serve_scratchpad(c, *r);
  if (const auto r = cache_.take()) serve_cache(c, *r);
  if (const auto r = fpu_.take()) {
    Cycle start = c;
    if (r->divides) {
      start = std::max(c, divider_free_);
      divider_free_ = start + timing_.divide_interval;
    }
    response(r->thread, start + kWindow + r->latency);
    ++totals_.fpu_ops;
  }
}

void ReferenceTile::issue(unsigned k, Cycle c) {
  Core& core = cores_[k];
  if (const auto it = core.returning.find(c); it != core.returning.end()) {
    core.queue.push_back(it->second);
    core.returning.erase(it);
  }
  if (const auto it = core.responses.find(c); it != core.responses.end()) {
    core.waiting.insert(it->second.begin(), it->second.end());
    core.responses.erase(it);
  }
  if (!core.waiting.empty()) {
    auto first = core.waiting.lower_bound(static_cast<unsigned>(c / 8 % 16));
    if (first == core.waiting.end()) first = core.waiting.begin();
    core.queue.push_back(*first);
    core.waiting.erase(first);
  }
  const bool idle = core.queue.empty();
  if (!idle) {
    const unsigned thread = core.queue.front();
    core.queue.pop_front();
    execute(k * params_.threads_per_core + thread, c);
    ++core.issued;
    ++totals_.retired;
  }
  if (core.counting) {
    ++core.cycles;
    core.idle += idle;
  }
}

void ReferenceTile::again(unsigned thread, Cycle c) {
  cores_[core_of(thread)].returning[c + kWindow] = thread % params_.threads_per_core;
}
void ReferenceTile::response(unsigned thread, Cycle c) {
  cores_[core_of(thread)].responses[c].insert(thread % params_.threads_per_core);
}

void ReferenceTile::fault(unsigned thread, Cycle c, const Fault& f) {
  threads_[thread].state = ThreadState::faulted;
  env_.mailbox->thread_stopped(thread);
  env_.events->fault(c, threads_[thread].id, f);
}

void ReferenceTile::execute(unsigned thread, Cycle c) {
  ThreadInfo& t = threads_[thread];
  World world(*this, t, core_of(thread) / 2);
  const auto word = world.fetch(t.hart.pc);
  const Inst in = word ? decode(*word) : Inst{};
  const OpClass cls = op_class(in.op);
  if (cls == OpClass::load || cls == OpClass::store) return load_store(thread, c, in);
  if (cls == OpClass::csr && !is_fp_csr(in.csr())) return csr(thread, c, in);
  if (cls == OpClass::send) {
    env_.mailbox->send(c, thread,
                       {t.held.send_dest, std::uint64_t{t.hart.x[in.rs1]} << 32 | t.hart.x[in.rs2],
                        slot_address(t.held.send_ptr), SendRequest::flits_of(t.held.send_len)});
  }
  if (const auto f = step(t.hart, world)) return fault(thread, c, *f);
  const std::map<OpClass, unsigned> latency{{OpClass::mul, timing_.mul},
                                            {OpClass::div, timing_.div},
                                            {OpClass::fp_compare, timing_.fp_compare},
                                            {OpClass::fp_convert, timing_.fp_convert},
                                            {OpClass::fp_add, timing_.fp_add},
                                            {OpClass::fp_mul, timing_.fp_mul},
                                            {OpClass::fp_fma, timing_.fp_fma},
                                            {OpClass::fp_div, timing_.fp_div},
                                            {OpClass::fp_sqrt, timing_.fp_sqrt}};
  const auto it = latency.find(cls);
  if (it == latency.end()) return again(thread, c);
  const bool divides = cls == OpClass::div || cls == OpClass::fp_div || cls == OpClass::fp_sqrt;
  fpu_.cores[core_of(thread)].push_back({thread, it->second, divides});
}

void ReferenceTile::load_store(unsigned thread, Cycle c, const Inst& in) {
  ThreadInfo& t = threads_[thread];
  const std::uint32_t addr = t.hart.x[in.rs1] + static_cast<std::uint32_t>(in.imm);
  const bool load = op_class(in.op) == OpClass::load;
  if (addr % access_size(in.op) != 0) {
    return fault(thread, c,
                 {load ? FaultCause::misaligned_load : FaultCause::misaligned_store, t.hart.pc, addr});
  }
  const bool scratchpad = addr >= 0x8000 && addr < 0x10000;
  const bool cached = (addr >= 0x00800000 && addr < 0x80000000) || addr >= 0xc0000000;
  if (scratchpad) return scratchpad_.cores[core_of(thread)].push_back({thread, 0});
  if (cached) return cache_.cores[core_of(thread)].push_back({thread, 0});
  fault(thread, c, {load ? FaultCause::bad_load : FaultCause::bad_store, t.hart.pc, addr});
}

void ReferenceTile::serve_scratchpad(Cycle c, const Request& r) {
  ThreadInfo& t = threads_[r.thread];
  World world(*this, t, core_of(r.thread) / 2);
  const Inst in = decode(*world.fetch(t.hart.pc));
  const std::uint32_t addr = (t.hart.x[in.rs1] + static_cast<std::uint32_t>(in.imm)) & ~3u;
  world.word = env_.mailbox->load(addr);
  step(t.hart, world);
  if (world.enabled != 0) env_.mailbox->store(addr, world.written, world.enabled);
  response(r.thread, c + kWindow + timing_.scratchpad);
  ++totals_.scratchpad_words;
}

// ----- cache -----

ReferenceTile::Set& ReferenceTile::set_for(ThreadInfo& t, std::uint32_t addr) {
  return t.sets[addr / params_.line_bytes % params_.cache_sets_per_thread];
}

ReferenceTile::Line* ReferenceTile::lookup(ThreadInfo& t, std::uint32_t addr) {
  Set& set = set_for(t, addr);
  for (unsigned way = 0; way < set.lines.size(); ++way) {
    if (set.lines[way].addr != (addr & line_mask())) continue;
    use(set, way);
    return &set.lines[way];
  }
  return nullptr;
}

void ReferenceTile::use(Set& set, unsigned way) const {
  for (unsigned first = 0, ways = params_.cache_ways; ways > 1; ways /= 2) {
    const unsigned right = way >= first + ways / 2;
    set.used[{first, ways}] = right;
    if (right != 0) first += ways / 2;
  }
}

unsigned ReferenceTile::victim(const Set& set) const {
  unsigned first = 0;
  for (unsigned ways = params_.cache_ways; ways > 1; ways /= 2) {
    const auto it = set.used.find({first, ways});
    // Never used: as if the right side had been.
    if (it != set.used.end() && it->second == 0) first += ways / 2;
  }
  return first;
}

void ReferenceTile::memory_write(Cycle c, Line& line) {
  port_free_ = std::max(c + timing_.to_memory, port_free_) + 1;
  env_.memory->write(port_free_ - 1, place_.index, slice_, line.addr, line.bytes.data());
  ++totals_.writebacks;
}

void ReferenceTile::serve_cache(Cycle c, const Request& r) {
  ThreadInfo& t = threads_[r.thread];
  World world(*this, t, core_of(r.thread) / 2);
  const Inst in = decode(*world.fetch(t.hart.pc));
  const Cycle done = c + kWindow + timing_.cache_hit;
  if (op_class(in.op) == OpClass::csr) {  // flush
    const std::uint32_t operand = csr_access(in.op, in, t.hart.x.data()).operand;
    Line& line =
        t.sets[operand / 16 % params_.cache_sets_per_thread].lines[operand % 16 % params_.cache_ways];
    if (line.dirty) memory_write(c, line);
    line.addr = 0;
    line.dirty = false;
    step(t.hart, world);
    return response(r.thread, done);
  }
  const std::uint32_t addr = (t.hart.x[in.rs1] + static_cast<std::uint32_t>(in.imm)) & ~3u;
  if (Line* line = lookup(t, addr)) {
    std::uint8_t* word = &line->bytes[addr % params_.line_bytes];
    world.word.emplace();
    std::memcpy(&*world.word, word, 4);
    step(t.hart, world);
    std::memcpy(word, &*world.word, 4);
    line->dirty |= world.enabled != 0;
    ++totals_.hits;
    return response(r.thread, done);
  }
  ++totals_.misses;
  t.state = ThreadState::memory;
  const auto slot = std::min_element(slot_free_.begin(), slot_free_.end());
  if (*slot == kNeverCycle) return waiting_misses_.push_back(r.thread);
  t.miss_slot = static_cast<unsigned>(slot - slot_free_.begin());
  start_miss(r.thread, std::max(c, *slot));
}

void ReferenceTile::start_miss(unsigned thread, Cycle c) {
  ThreadInfo& t = threads_[thread];
  slot_free_[t.miss_slot] = kNeverCycle;
  const Inst in = decode(code_[core_of(thread) / 2][t.hart.pc / 4]);
  const std::uint32_t addr = (t.hart.x[in.rs1] + static_cast<std::uint32_t>(in.imm)) & line_mask();
  port_free_ = std::max(c + timing_.to_memory, port_free_) + 1;
  env_.memory->read(port_free_ - 1, place_.index, *this, slice_, addr, thread);
  Set& set = set_for(t, addr);
  t.fill_way = victim(set);
  Line& line = set.lines[t.fill_way];
  if (line.dirty) memory_write(c, line);
  line.addr = 0;
  line.dirty = false;
}

void ReferenceTile::memory_done(Cycle c, std::uint32_t tag, const std::uint8_t* bytes) {
  ThreadInfo& t = threads_[tag];
  World world(*this, t, core_of(tag) / 2);
  const Inst in = decode(*world.fetch(t.hart.pc));
  const std::uint32_t addr = (t.hart.x[in.rs1] + static_cast<std::uint32_t>(in.imm)) & ~3u;
  Set& set = set_for(t, addr);
  Line& line = set.lines[t.fill_way];
  line.addr = addr & line_mask();
  std::copy_n(bytes, params_.line_bytes, line.bytes.begin());
  use(set, t.fill_way);
  std::uint8_t* word = &line.bytes[addr % params_.line_bytes];
  world.word.emplace();
  std::memcpy(&*world.word, word, 4);
  step(t.hart, world);
  std::memcpy(word, &*world.word, 4);
  line.dirty = world.enabled != 0;
  t.state = ThreadState::running;
  response(tag, c + timing_.from_memory);
  slot_free_[t.miss_slot] = c + kWindow;
  if (waiting_misses_.empty()) return;
  const unsigned next = waiting_misses_.front();
  waiting_misses_.pop_front();
  threads_[next].miss_slot = t.miss_slot;
  start_miss(next, c + kWindow);
}

// ----- CSRs -----

void ReferenceTile::wake(Cycle c, unsigned thread, std::uint32_t bits) {
  ThreadInfo& t = threads_[thread];
  if (t.wait_rd != kSinkReg) t.hart.x[t.wait_rd] = bits;
  t.hart.pc += 4;
  t.state = ThreadState::running;
  response(thread, c);
}

void ReferenceTile::csr(unsigned thread, Cycle c, const Inst& in) {
  ThreadInfo& t = threads_[thread];
  const CsrAccess access = csr_access(in.op, in, t.hart.x.data());
  World world(*this, t, core_of(thread) / 2);
  if (access.writes && access.number == csr::wait_until) {
    std::uint32_t bits = access.operand & 15u;
    if ((bits & 8u) != 0) bits |= 4u;
    t.wait_rd = in.rd;
    t.state = ThreadState::mailbox;
    return env_.mailbox->wait(c, thread, bits);
  }
  if (access.writes && access.number == csr::kill_thread) {
    t.state = ThreadState::off;
    return env_.mailbox->thread_stopped(thread);
  }
  if (access.writes && access.number == csr::flush) {
    return cache_.cores[core_of(thread)].push_back({thread, 0});
  }
  std::uint32_t result = 0;
  const bool has_value = access.number != csr::hart_id && !csr::is_held(access.number);
  if (access.writes) csr_effect(thread, c, access.number, access.operand);
  if (access.number == csr::to_uart) {
    if (access.writes) result = env_.events->uart_out(c, t.id, static_cast<std::uint8_t>(access.operand));
  } else if (has_value) {
    result = csr_value(thread, c, access.number);
  }
  step(t.hart, world);
  if (has_value && in.rd != kSinkReg) t.hart.x[in.rd] = result;
  again(thread, c);
}

void ReferenceTile::csr_effect(unsigned thread, Cycle c, unsigned number, std::uint32_t operand) {
  ThreadInfo& t = threads_[thread];
  Core& core = cores_[core_of(thread)];
  if (number == csr::instr && t.held.instr_addr < params_.instr_words)
    code_[core_of(thread) / 2][t.held.instr_addr] = operand;
  if (number == csr::free) env_.mailbox->free_slot(c, operand);
  if (number == csr::emit) env_.events->emit(c, t.id, operand);
  if (number == csr::new_thread && operand < params_.threads_per_core) {
    start_thread(c + kWindow, core_of(thread), operand, 0);
  }
  if (number != csr::perf_count || operand > 2) return;
  if (operand == 0) core.cycles = core.idle = 0;
  if (operand != 0) core.counting = operand == 1;
  if (core_of(thread) != 0) return;
  if (operand == 0) program_ = {};
  if (operand != 0) cache_counting_ = operand == 1;
}

std::uint32_t ReferenceTile::csr_value(unsigned thread, Cycle c, unsigned number) {
  ThreadInfo& t = threads_[thread];
  const Core& core = cores_[core_of(thread)];
  const bool first = core_of(thread) == 0;
  switch (number) {
    case csr::can_send:
      return env_.mailbox->can_send(thread);
    case csr::can_recv:
      return env_.mailbox->can_recv(thread);
    case csr::recv:
      return env_.mailbox->can_recv(thread) ? (env_.mailbox->recv(c, thread) & 0x7fffu) | 0x8000u : 0;
    case csr::from_uart: {
      if (!t.uart) return 0;
      const std::uint32_t byte = *t.uart;
      t.uart.reset();
      env_.events->uart_read(c, t.id);
      return 0x100 | byte;
    }
    case csr::cycle:
      return static_cast<std::uint32_t>(core.cycles);
    case csr::cycle_u:
      return core.cycles >> 32 & 0xff;
    case csr::cpu_idle_count:
      return static_cast<std::uint32_t>(core.idle);
    case csr::cpu_idle_count_u:
      return core.idle >> 32 & 0xff;
    case csr::hit_count:
      return first ? static_cast<std::uint32_t>(program_.hits) : 0;
    case csr::miss_count:
      return first ? static_cast<std::uint32_t>(program_.misses) : 0;
    case csr::writeback_count:
      return first ? static_cast<std::uint32_t>(program_.writebacks) : 0;
    case csr::prog_router_sent:
    case csr::prog_router_sent_inter:
      return first && place_.index == 0 ? env_.events->router_sent(number == csr::prog_router_sent_inter) : 0;
    default:
      return 0;
  }
}

}  // namespace polyloom::overlay::test
