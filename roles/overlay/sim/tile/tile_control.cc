// SPDX-License-Identifier: Apache-2.0
// Instructions that others can see or that depend on time: CSRs, Send, faults. Executed at their cycle.
#include <algorithm>
#include <bit>
#include <utility>

#include "roles/overlay/sim/isa/exec.h"
#include "roles/overlay/sim/tile/memory.h"
#include "roles/overlay/sim/tile/tile_impl.h"

namespace polyloom::overlay {

std::uint32_t Tile::Impl::run_controls(Cycle from, std::uint32_t requests) {
  std::uint32_t again = 0;
  const std::uint32_t half = requests | requests >> 16;
  for (std::uint32_t offsets = (half | half >> 8) & 0xffu; offsets != 0; offsets &= offsets - 1) {
    const auto o = static_cast<unsigned>(std::countr_zero(offsets));
    for (std::uint32_t requesting = requests & 0x01010101u << o; requesting != 0;
         requesting &= requesting - 1) {
      const auto at = static_cast<unsigned>(std::countr_zero(requesting));
      const std::uint32_t bit = 1u << at;
      const unsigned k = at / 8, thread = byte_of(issued_threads[k], o);
      const std::uint8_t code = progress.current[slot_of(k, thread)];
      if (code == event::control) {
        if (control(k, thread, from + o) == After::suspended) continue;
        reload(k, thread);
      } else if (code == event::can_recv) {
        poll(k, thread);
      } else {
        noted(k, thread, from + o, code);
      }
      again |= bit;
    }
  }
  return again;
}

/// Reads CanRecv: what threads do most of all that cannot be known ahead.
void Tile::Impl::poll(unsigned core, unsigned thread) {
  Thread& t = thread_at(core, thread);
  finish(t, t.code[t.pc / 4].inst.rd, env.mailbox->can_recv(index_of(core, thread)) ? 1 : 0);
  reload(core, thread);
}

Tile::Impl::After Tile::Impl::control(unsigned core, unsigned thread, Cycle c) {
  Thread& t = thread_at(core, thread);
  if ((t.pc & 3) != 0 || t.pc >= t.code_bytes) return fault(core, thread, c, FaultCause::bad_fetch, t.pc);
  const Inst& in = t.code[t.pc / 4].inst;
  const std::uint32_t addr = t.x[in.rs1] + static_cast<std::uint32_t>(in.imm);
  switch (op_class(in.op)) {
    case OpClass::jump:
    case OpClass::branch:
      return jump(core, thread, c, in);
    case OpClass::load:
      return fault(core, thread, c,
                   addr % access_size(in.op) != 0 ? FaultCause::misaligned_load : FaultCause::bad_load, addr);
    case OpClass::store:
      return fault(core, thread, c,
                   addr % access_size(in.op) != 0 ? FaultCause::misaligned_store : FaultCause::bad_store,
                   addr);
    case OpClass::csr:
      return control_csr(core, thread, c, in);
    case OpClass::send:
      send(index_of(core, thread), c, std::uint64_t{t.x[in.rs1]} << 32 | t.x[in.rs2], t.held.send_dest,
           t.held.send_ptr, t.held.send_len, t.pc);
      t.pc += 4;
      return After::issue_again;
    case OpClass::system:
      if (in.op == Op::ebreak) return fault(core, thread, c, FaultCause::breakpoint, t.pc);
      return fault(core, thread, c, FaultCause::environment_call, t.x[17]);
    default:  // no such instruction, or floating point with a reserved rounding mode
      return fault(core, thread, c, FaultCause::illegal_instruction, t.memory->read(t.pc / 4));
  }
}

/// A jump that leaves the instruction memory, or would if it were taken.
Tile::Impl::After Tile::Impl::jump(unsigned core, unsigned thread, Cycle c, const Inst& in) {
  Thread& t = thread_at(core, thread);
  if (op_class(in.op) == OpClass::branch && !branch_taken(in.op, t.x[in.rs1], t.x[in.rs2])) {
    t.pc += 4;
    return After::issue_again;
  }
  const std::uint32_t target = jump_target(in.op, t.pc, t.x[in.rs1], in.imm);
  if ((target & 3) != 0) return fault(core, thread, c, FaultCause::misaligned_jump, target);
  if (op_class(in.op) == OpClass::jump) t.x[in.rd] = t.pc + 4;
  t.pc = target;
  return After::issue_again;
}

void Tile::Impl::stop(unsigned core, unsigned thread, ThreadState state) {
  states[index_of(core, thread)] = state;
  env.mailbox->thread_stopped(index_of(core, thread));
}

Tile::Impl::After Tile::Impl::fault(unsigned core, unsigned thread, Cycle c, FaultCause cause,
                                    std::uint32_t value) {
  const Thread& t = thread_at(core, thread);
  stop(core, thread, ThreadState::faulted);
  env.events->fault(c, t.id, Fault{cause, t.pc, value});
  return After::suspended;
}

void Tile::Impl::send(unsigned i, Cycle c, std::uint64_t mask, std::uint32_t dest, std::uint32_t pointer,
                      std::uint32_t len, std::uint32_t pc) {
  env.mailbox->send(c, i,
                    {.dest = dest,
                     .mask = mask,
                     .slot_addr = slot_address(pointer),
                     .flits = SendRequest::flits_of(len),
                     .pc = pc});
}

/// What the thread has met ahead of time takes effect.
void Tile::Impl::noted(unsigned core, unsigned thread, Cycle c, std::uint8_t code) {
  const unsigned i = index_of(core, thread);
  Thread& t = threads[i];
  if (code == event::recv) {
    --t.recvs_ahead;
    env.mailbox->recv(c, i);
  } else if (code == event::free) {
    env.mailbox->free_slot(c, static_cast<std::uint32_t>(t.notes.take()));
  } else {
    --t.sends_ahead;
    const std::uint64_t mask = t.notes.take(), where = t.notes.take(), rest = t.notes.take();
    const auto low = [](std::uint64_t v) { return static_cast<std::uint32_t>(v); };
    send(i, c, mask, low(where >> 32), low(where), low(rest >> 32), low(rest));
  }
}

Tile::Impl::After Tile::Impl::control_csr(unsigned core, unsigned thread, Cycle c, const Inst& in) {
  const unsigned i = index_of(core, thread);
  Thread& t = threads[i];
  const CsrAccess access = csr_access(in.op, in, t.x);
  if (access.number == csr::wait_until && access.writes) {
    std::uint32_t bits = access.operand & (kWaitSend | kWaitRecv | kWaitIdle | kWaitIdleVote);
    if ((bits & kWaitIdleVote) != 0) bits |= kWaitIdle;
    wait_rd[i] = in.rd;
    states[i] = ThreadState::mailbox;
    env.mailbox->wait(c, i, bits);
    return After::suspended;
  }
  if (access.number == csr::kill_thread && access.writes) {
    stop(core, thread, ThreadState::off);
    return After::suspended;
  }
  std::uint32_t result = 0;
  if (access.number == csr::to_uart) {
    if (access.writes)
      result = env.events->uart_out(c, t.id, static_cast<std::uint8_t>(access.operand)) ? 1 : 0;
  } else {
    if (access.writes) write_csr(core, thread, c, access.number, access.operand);
    result = read_csr(core, thread, c, access.number);
  }
  finish(t, in.rd, result);
  return After::issue_again;
}

void Tile::Impl::write_csr(unsigned core, unsigned thread, Cycle c, unsigned number, std::uint32_t operand) {
  Thread& t = thread_at(core, thread);
  switch (number) {
    case csr::instr:
      return write_instr(core / 2, t.held.instr_addr, operand);
    case csr::free:
      return env.mailbox->free_slot(c, operand);
    case csr::new_thread:
      // The new thread's first instruction issues no sooner than one that follows this.
      if (operand < threads_per_core) start(c + kWindow, core, operand, 0);
      return;
    case csr::emit:
      return env.events->emit(c, t.id, operand);
    case csr::perf_count:
      return perf_count(core, c, operand);
    default:
      return;  // read-only
  }
}

std::uint32_t Tile::Impl::read_csr(unsigned core, unsigned thread, Cycle c, unsigned number) {
  const unsigned i = index_of(core, thread);
  switch (number) {
    case csr::can_send:
      return env.mailbox->can_send(i) ? 1 : 0;
    case csr::can_recv:
      return env.mailbox->can_recv(i) ? 1 : 0;
    case csr::recv: {
      // Whether or not a register takes the result: the hardware looks at the number only.
      if (!env.mailbox->can_recv(i)) return 0;
      const std::uint32_t addr = scratchpad_address(env.mailbox->recv(c, i));
      if (threads[i].mailbox != nullptr) threads[i].message = addr;
      return addr;
    }
    case csr::from_uart: {
      const auto byte = std::exchange(uart[i], std::nullopt);
      if (!byte) return 0;
      env.events->uart_read(c, threads[i].id);
      return 0x100u | *byte;
    }
    case csr::prog_router_sent:
    case csr::prog_router_sent_inter:
      return index == 0 && core == 0 ? env.events->router_sent(number == csr::prog_router_sent_inter) : 0;
    default:
      return read_counter(core, c, number);
  }
}

std::uint32_t Tile::Impl::read_counter(unsigned core_index, Cycle c, unsigned number) {
  const Core& core = cores[core_index];
  const auto high = [](std::uint64_t value) { return static_cast<std::uint32_t>(value >> 32) & 0xffu; };
  switch (number) {
    case csr::cycle:
      return static_cast<std::uint32_t>(core.cycles.value(core.counting, c));
    case csr::cycle_u:
      return high(core.cycles.value(core.counting, c));
    case csr::cpu_idle_count:
      return static_cast<std::uint32_t>(core.idle.value(core.counting, idle_at(core_index, c)));
    case csr::cpu_idle_count_u:
      return high(core.idle.value(core.counting, idle_at(core_index, c)));
    default:
      break;
  }
  if (core_index != 0) return 0;  // the cache's counters are wired to the first core
  switch (number) {
    case csr::miss_count:
      return static_cast<std::uint32_t>(miss_count.value(cache_counting, totals.misses));
    case csr::hit_count:
      return static_cast<std::uint32_t>(hit_count.value(cache_counting, totals.hits));
    case csr::writeback_count:
      return static_cast<std::uint32_t>(writeback_count.value(cache_counting, totals.writebacks));
    default:
      return 0;  // write-only
  }
}

std::uint64_t Tile::Impl::idle_at(unsigned core, Cycle c) const {
  const std::uint32_t from_now = (issued >> (8 * core) & 0xffu) >> (c % kWindow);
  return c - (barrels.issued(core) - count_bits(from_now));
}

void Tile::Impl::perf_count(unsigned core_index, Cycle c, std::uint32_t operand) {
  if (operand > 2) return;
  Core& core = cores[core_index];
  core.cycles.control(operand, core.counting, c);
  core.idle.control(operand, core.counting, idle_at(core_index, c));
  if (core_index == 0) {
    miss_count.control(operand, cache_counting, totals.misses);
    hit_count.control(operand, cache_counting, totals.hits);
    writeback_count.control(operand, cache_counting, totals.writebacks);
  }
  if (operand == 0) return;
  core.counting = operand == 1;
  if (core_index == 0) cache_counting = operand == 1;
}

}  // namespace polyloom::overlay
