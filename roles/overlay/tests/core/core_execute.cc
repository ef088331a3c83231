// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "roles/overlay/tests/core/core_bench.h"

namespace polyloom::overlay::test {
namespace {

bool has(const Inst& in) {
  const OpClass cls = op_class(in.op);
  if (cls == OpClass::mul || cls == OpClass::div) return Bench::kMulDiv;
  const bool fp_memory = in.op == Op::flw || in.op == Op::fsw;
  if (fp_memory || (cls >= OpClass::fp_move && cls <= OpClass::fp_sqrt)) return Bench::kFpu;
  return true;
}

}  // namespace

void Bench::start(unsigned k, unsigned t, std::uint32_t pc) {
  ThreadModel& th = thread(k, t);
  if (th.on) return;
  th.on = true;
  th.hart.pc = pc & ~3u;
  th.held.send_len = 0;
  cores[k].responses[cycle + 2].insert(t);
}

void Bench::response(Port port, unsigned k, unsigned t, std::uint32_t data, unsigned flags) {
  Cycle at = cycle + 2 + random(params.max_delay + 1);
  while (responses_[port].contains(at)) ++at;
  responses_[port][at] = {k, t, data, flags};
}

void Bench::wake(unsigned k, unsigned t, std::uint32_t bits) {
  wakes_[k][cycle + 1 + random(params.max_delay + 1)][t] = bits;
}

/// What happens in stage 0 of this cycle.
void Bench::issue_slot(unsigned k) {
  CoreModel& core = cores[k];
  join_again(core, cycle);
  const bool waiting = !core.queue.empty();
  join_responded(core, cycle);
  const bool store = store_at_[k] == cycle;
  const bool todo = (todo_ >> k & 1) != 0 && cycle >= busy_until_[k];
  const bool wait = cleared_[k] < 16 || todo;
  const bool control = !store && wait && (!waiting || core.patience == 7);
  core.patience = wait && !control ? std::min(core.patience + 1, 7u) : 0;
  Slot slot;
  slot.thread = issue(core, store || control);
  if (slot.thread) {
    const std::uint32_t index = thread(k, *slot.thread).hart.pc / 4;
    if (index < kWords) slot.word = code[k / 2][index];
  }
  if (control && cleared_[k] < 16) {
    ++cleared_[k];
  } else if (control) {
    const Control& c = *at_work_;
    if (c.op == Control::write_instr || c.op == Control::read_instr) {
      if (c.op == Control::read_instr) reads_.push_back(c.addr < kWords ? code[k / 2][c.addr] : 0);
      if (c.op == Control::write_instr && c.addr < kWords) patch(k / 2, c.addr, c.data, cycle + 1);
      todo_next_ &= ~(1u << k);
    } else {
      slot.op = c;
      busy_until_[k] = cycle + 7;
    }
  }
  slots_[k][cycle] = slot;
}

void Bench::execute_op(unsigned k, const Control& c) {
  if (c.op == Control::start) start(k, c.addr, c.data);
  if (c.op == Control::uart) {
    ThreadModel& t = thread(k, c.addr);
    if (!t.uart) {
      t.uart = c.data & 0xff;
    } else if (cores[k].event_full) {
      return;
    } else {
      cores[k].event_full = true;
      event_[k] = Event{k * kThreads + c.addr, true, 0x81, 0, 0};
      ++lost;
    }
  }
  todo_next_ &= ~(1u << k);
}

std::optional<Fault> Bench::memory(unsigned k, unsigned t, const Inst& in, Outputs& out, Fetched& env) {
  Hart& h = thread(k, t).hart;
  const std::uint32_t addr = h.x[in.rs1] + static_cast<std::uint32_t>(in.imm);
  const bool load = op_class(in.op) == OpClass::load;
  if (addr % access_size(in.op) != 0)
    return Fault{load ? FaultCause::misaligned_load : FaultCause::misaligned_store, h.pc, addr};
  const bool scratchpad = addr >= 0x8000 && addr < 0x10000;
  const bool cached = (addr >= 0x00800000 && addr < 0x80000000) || addr >= 0xc0000000;
  if (!scratchpad && !cached) return Fault{load ? FaultCause::bad_load : FaultCause::bad_store, h.pc, addr};
  Request r{.unit = scratchpad ? Request::pad : Request::cache, .inst = in, .addr = addr};
  r.data = in.op == Op::fsw ? h.f[in.rs2] : h.x[in.rs2];
  env.word = static_cast<std::uint32_t>(rng());
  overlay::step(h, env);
  r.response = load ? (in.op == Op::flw ? h.f[in.rd] : h.x[in.rd]) : static_cast<std::uint32_t>(rng());
  if (load && in.rd == kSinkReg) r.response = static_cast<std::uint32_t>(rng());
  const Port port = scratchpad ? pad : random(2) != 0 ? hit : fill;
  response(port, k, t, r.response, 0);
  (scratchpad ? out.pad : out.cache) = r;
  return std::nullopt;
}

void Bench::request_fpu(unsigned k, unsigned t, const Inst& in, const Hart& before, Fetched& env,
                        Outputs& out) {
  const Form form = op_info(in.op).form;
  const Hart& after = thread(k, t).hart;
  Request r{.unit = Request::fpu, .inst = in};
  const bool from_x = form == Form::r || form == Form::x2f_rm;
  r.a = from_x ? before.x[in.rs1] : before.f[in.rs1];
  r.b = form == Form::r ? before.x[in.rs2] : before.f[in.rs2];
  if (form == Form::fr4) r.c = before.f[in.rs3()];
  r.rm = has_rm(form) ? (in.rm() == kDynamicRounding ? before.fcsr >> 5 : in.rm()) : 0;
  r.response = writes_f(form) ? after.f[in.rd] : after.x[in.rd];
  Hart flags = before;
  flags.fcsr &= ~0x1fu;
  overlay::step(flags, env);
  r.flags = flags.fcsr & 0x1f;
  const bool divides = in.op == Op::div || in.op == Op::divu || in.op == Op::rem || in.op == Op::remu ||
                       in.op == Op::fdiv_s || in.op == Op::fsqrt_s;
  response(divides ? div : fpu, k, t, r.response, r.flags);
  out.fpu = r;
}

Bench::Outputs Bench::execute(unsigned k, unsigned t, std::optional<std::uint32_t> word) {
  ThreadModel& th = thread(k, t);
  CoreModel& core = cores[k];
  Fetched env(word);
  Outputs out;
  out.thread = t;
  Passed p{.core = k, .thread = t, .counted = true, .pc = th.hart.pc};
  const Inst in = word ? decode(*word) : Inst{};
  p.word = word.value_or(0);
  const OpClass cls = op_class(in.op);
  const Form form = op_info(in.op).form;
  bool latent = false, stop = false;
  std::optional<Fault> fault;
  if (word && !has(in)) {
    fault = Fault{FaultCause::illegal_instruction, th.hart.pc, *word};
  } else if (cls == OpClass::load || cls == OpClass::store) {
    fault = memory(k, t, in, out, env);
    latent = !fault;
  } else if (cls == OpClass::csr && !(kFpu && is_fp_csr(in.csr()))) {
    execute_csr(k, t, in, p, out, latent, stop);
  } else {
    const Hart before = th.hart;
    fault = overlay::step(th.hart, env);
    latent = !fault && (cls == OpClass::mul || cls == OpClass::div ||
                        (cls > OpClass::fp_move && cls <= OpClass::fp_sqrt));
    if (latent) request_fpu(k, t, in, before, env, out);
    if (!fault && cls == OpClass::send) {
      out.send = true;
      out.mask = std::uint64_t{before.x[in.rs1]} << 32 | before.x[in.rs2];
      out.dest = th.held.send_dest & 0xfffff;
      out.slot = th.held.send_ptr >> 6 & 511;
      out.astray = th.held.send_ptr >> 15 != 1 || th.held.send_ptr % 64 != 0;
      out.flits = th.held.send_len < 4 ? th.held.send_len : 4 | (th.held.send_len & 3);
      out.pc = p.pc;
    }
  }
  const bool writes = (writes_x(form) && in.rd != kSinkReg) || writes_f(form);
  bool again = !latent && !stop;
  if (fault) {
    again = core.event_full;
    (again ? replays : faults) += 1;
    p.counted = !again;
    if (!again) {
      th.on = false;
      th.held.send_len = 0;
      core.event_full = true;
      event_[k] = Event{k * kThreads + t, true, static_cast<std::uint32_t>(fault->cause) + 1, fault->pc,
                        fault->value};
    }
  } else {
    p.retired = true;
    ++passed;
    ++th.passes;
  }
  if (!fault && !latent && writes) {
    p.we = true, p.fp = writes_f(form), p.rd = in.rd;
    p.data = p.fp ? th.hart.f[in.rd] : th.hart.x[in.rd];
    if (th.pending && th.pending->fp == p.fp && th.pending->rd == p.rd) th.pending.reset();
  } else if (th.pending) {
    p.we = true, p.fp = th.pending->fp, p.rd = th.pending->rd, p.data = th.pending->data;
    th.pending.reset();
    ++merged;
  }
  if (latent && writes) {
    const bool fp = writes_f(form);
    th.pending = ThreadModel::Response{fp, in.rd, fp ? th.hart.f[in.rd] : th.hart.x[in.rd]};
  }
  if (again) core.returning[cycle + 2] = t;
  passed_[k][cycle + 2] = p;
  return out;
}

void Bench::execute_csr(unsigned k, unsigned t, const Inst& in, Passed&, Outputs& out, bool& latent,
                        bool& stop) {
  ThreadModel& th = thread(k, t);
  const CsrAccess a = csr_access(in.op, in, th.hart.x.data());
  std::uint32_t result = 0;
  if (a.writes && a.number == csr::wait_until) {
    std::uint32_t bits = a.operand & 15u;
    if ((bits & 8u) != 0) bits |= 4u;
    out.wait = Request{.unit = Request::wait, .inst = in, .data = bits};
    result = random(16);
    wake(k, t, result);
    latent = true;
  } else if (a.writes && a.number == csr::kill_thread) {
    th.on = false;
    th.held.send_len = 0;
    stop = true;
  } else if (a.writes && a.number == csr::flush) {
    out.cache = Request{.unit = Request::cache, .inst = in, .addr = a.operand, .flush = true};
    response(hit, k, t, static_cast<std::uint32_t>(rng()), 0);
    latent = true;
  } else {
    result = csr_effect(k, t, a, in.op, out);
  }
  th.hart.x[in.rd] = result;
  th.hart.x[0] = 0;
  th.hart.pc += 4;
}

std::uint32_t Bench::csr_effect(unsigned k, unsigned t, const CsrAccess& a, Op op, Outputs& out) {
  ThreadModel& th = thread(k, t);
  CoreModel& core = cores[k];
  const auto can = [&](std::uint64_t levels) {
    return static_cast<std::uint32_t>(levels >> (k * kThreads + t) & 1);
  };
  if (std::uint32_t* held = th.held.find(a.number)) {
    const std::uint32_t old = *held;
    if (a.writes) *held = csr_update(op, old, a.operand);
    return csr::is_read(a.number) ? old : 0;
  }
  switch (a.number) {
    case csr::instr:
      if (!a.writes || th.held.instr_addr >= kWords) return 0;
      patch(k / 2, th.held.instr_addr, a.operand, cycle + 2);
      store_at_[k] = cycle + 1;
      return 0;
    case csr::free:
      if (a.writes) out.free = a.operand >> 6 & 511;
      return 0;
    case csr::can_send:
      return can(can_send_);
    case csr::can_recv:
      return can(can_recv_);
    case csr::recv:
      if (can(can_recv_) == 0) return 0;
      out.recv = true;
      recv_slot_[k] = random(512);
      return 0x8000 | *recv_slot_[k] << 6;
    case csr::from_uart: {
      if (!th.uart || core.event_full) return 0;
      const std::uint32_t byte = 0x100 | *th.uart;
      th.uart.reset();
      core.event_full = true;
      event_[k] = Event{k * kThreads + t, true, 0x82, 0, 0};
      return byte;
    }
    case csr::to_uart:
      if (!a.writes || core.event_full) return 0;
      core.event_full = true;
      event_[k] = Event{k * kThreads + t, false, a.operand & 0xff, 0, 0};
      return 1;
    case csr::new_thread:
      if (a.writes && a.operand < kThreads) start(k, a.operand, 0);
      return 0;
    case csr::perf_count:
      if (!a.writes) return 0;
      if (a.operand == 0) core.cycles = core.idle = 0;
      if (a.operand == 0 && k == 0) counts_cleared_ = true;
      if (a.operand == 1 || a.operand == 2) core.counting = a.operand == 1;
      return 0;
    case csr::cycle:
      return static_cast<std::uint32_t>(core.cycles);
    case csr::cycle_u:
      return static_cast<std::uint32_t>(core.cycles >> 32) & 0xff;
    case csr::cpu_idle_count:
      return static_cast<std::uint32_t>(core.idle);
    case csr::cpu_idle_count_u:
      return static_cast<std::uint32_t>(core.idle >> 32) & 0xff;
    case csr::miss_count:
      return k == 0 ? cache_counts_[0] : 0;
    case csr::hit_count:
      return k == 0 ? cache_counts_[1] : 0;
    case csr::writeback_count:
      return k == 0 ? cache_counts_[2] : 0;
    case csr::hart_id:
      return 0x1240 + k * kThreads + t;
    case csr::prog_router_sent:
      return k == 0 ? 0x11111111 : 0;
    case csr::prog_router_sent_inter:
      return k == 0 ? 0x22222222 : 0;
    default:
      return 0;
  }
}

}  // namespace polyloom::overlay::test
