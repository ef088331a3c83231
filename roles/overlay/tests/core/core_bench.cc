// SPDX-License-Identifier: Apache-2.0
#include "roles/overlay/tests/core/core_bench.h"

#include <cstring>

#include "roles/overlay/sim/isa/inst.h"

namespace polyloom::overlay::test {
namespace {

// Widths of the packed structs at the ports (polyloom_overlay_pkg); fields are listed from the last.
constexpr unsigned kMemBits = 2 + 2 + 1 + 4 + 32 + 32, kFpuBits = 5 + 3 + 4 + 96,
                   kSendBits = 4 + 20 + 64 + 1 + 9 + 3 + 32;
constexpr unsigned kTraceBits = 1 + 4 + 32 + 32 + 1 + 1 + 5 + 32;

/// fpu_op_e of an operation, in the order of the package.
unsigned fpu_op(Op op) {
  static const std::map<Op, unsigned> table{
      {Op::mul, 0},       {Op::mulh, 1},      {Op::mulhsu, 2},    {Op::mulhu, 3},     {Op::div, 4},
      {Op::divu, 5},      {Op::rem, 6},       {Op::remu, 7},      {Op::fadd_s, 8},    {Op::fsub_s, 9},
      {Op::fmul_s, 10},   {Op::fdiv_s, 11},   {Op::fsqrt_s, 12},  {Op::fmadd_s, 13},  {Op::fmsub_s, 14},
      {Op::fnmsub_s, 15}, {Op::fnmadd_s, 16}, {Op::fmin_s, 17},   {Op::fmax_s, 18},   {Op::feq_s, 19},
      {Op::flt_s, 20},    {Op::fle_s, 21},    {Op::fclass_s, 22}, {Op::fcvt_w_s, 23}, {Op::fcvt_wu_s, 24},
      {Op::fcvt_s_w, 25}, {Op::fcvt_s_wu, 26}};
  return table.at(op);
}

template <typename Port>
void put(Port& port, unsigned lo, unsigned count, std::uint64_t value) {
  auto* bytes = reinterpret_cast<std::uint8_t*>(&port);
  for (unsigned i = 0; i < count; ++i) {
    const auto mask = static_cast<std::uint8_t>(1u << ((lo + i) % 8));
    std::uint8_t& b = bytes[(lo + i) / 8];
    b = static_cast<std::uint8_t>((value >> i & 1) != 0 ? b | mask : b & ~mask);
  }
}

}  // namespace

Bench::Bench(const BenchParams& p) : rng(p.seed), params(p) {
  context_.randReset(2);
  context_.randSeed(static_cast<int>(p.seed % 0x7fffffff));
  top_ = std::make_unique<Vcore_tb>(&context_);
  for (CoreModel& core : cores) core.threads.resize(kThreads);
  for (auto& words : code) words.resize(kWords);
  for (auto& c : store_at_) c = ~Cycle{0};
  top_->ctl_valid_i = 0;
  top_->rst_ni = 0;
  top_->clk_i = 0;
  top_->hart_base_i = 0x1240;
  top_->tile0_i = 1;
  top_->router_sent_i = 0x2222222211111111;
  top_->cache_hit_i = top_->cache_miss_i = top_->cache_writeback_i = 0;
  for (int i = 0; i < 4; ++i) {
    drive();
    top_->eval();
    top_->clk_i = 1;
    top_->eval();
    top_->clk_i = 0;
  }
  top_->rst_ni = 1;
}

std::uint64_t Bench::bits(const void* port, unsigned lo, unsigned count) const {
  const auto* bytes = static_cast<const std::uint8_t*>(port);
  std::uint64_t value = 0;
  for (unsigned i = 0; i < count; ++i)
    value |= std::uint64_t{bytes[(lo + i) / 8] >> ((lo + i) % 8) & 1u} << i;
  return value;
}

void Bench::expect(std::uint64_t got, std::uint64_t want, const char* what, unsigned k) const {
  if (got == want) return;
  char text[200];
  std::snprintf(text, sizeof text, "cycle %llu, core %u: %s is 0x%llx, not 0x%llx",
                static_cast<unsigned long long>(cycle), k, what, static_cast<unsigned long long>(got),
                static_cast<unsigned long long>(want));
  throw Mismatch(text);
}

void Bench::drive_responses() {
  top_->hit_valid_i = top_->fill_valid_i = top_->scratchpad_valid_i = top_->fpu_valid_i = top_->div_valid_i =
      0;
  for (unsigned port = 0; port < kPorts; ++port) {
    const auto it = responses_[port].find(cycle);
    std::uint64_t low = rng();
    unsigned valid = 0;
    if (it != responses_[port].end()) {
      const Response& a = it->second;
      valid = 1u << a.core;
      low = std::uint64_t{a.thread} << 37 | std::uint64_t{a.data} << 5 | a.flags;
      cores[a.core].responses[cycle + 2].insert(a.thread);
      responses_[port].erase(it);
    }
    low &= (std::uint64_t{1} << 41) - 1;
    if (port == hit) top_->hit_i = low, top_->hit_valid_i = valid;
    if (port == fill) top_->fill_i = low, top_->fill_valid_i = valid;
    if (port == pad) top_->scratchpad_i = low, top_->scratchpad_valid_i = valid;
    if (port == fpu) top_->fpu_i = low, top_->fpu_valid_i = valid;
    if (port == div) top_->div_i = low, top_->div_valid_i = valid;
  }
  for (unsigned k = 0; k < kCores; ++k) {
    const auto it = wakes_[k].find(cycle);
    for (unsigned t = 0; t < kThreads; ++t) {
      const bool woken = it != wakes_[k].end() && it->second.contains(t);
      put(top_->wake_i, k * kThreads + t, 1, woken ? 1 : 0);
      put(top_->wake_bits_i, 4 * (k * kThreads + t), 4, woken ? it->second.at(t) : rng());
      if (woken) cores[k].responses[cycle + 2].insert(t);
    }
    if (it != wakes_[k].end()) wakes_[k].erase(it);
    put(top_->recv_slot_i, 9 * k, 9, recv_slot_[k] ? *recv_slot_[k] : rng());
    recv_slot_[k].reset();
  }
}

void Bench::drive() {
  top_->phase_i = cycle % 128;
  can_send_ = rng(), can_recv_ = rng();
  put(top_->can_send_i, 0, kCores * kThreads, can_send_);
  put(top_->can_recv_i, 0, kCores * kThreads, can_recv_);
  top_->event_ready_i = random(params.event_stall) == 0;
  drive_responses();
  top_->ctl_valid_i = !controls_.empty();
  if (controls_.empty()) return;
  const Control& c = controls_.front();
  put(top_->ctl_i, 0, 32, c.data);
  put(top_->ctl_i, 32, 16, c.addr);
  put(top_->ctl_i, 48, 10, c.target);
  put(top_->ctl_i, 58, 1, c.all ? 1 : 0);
  put(top_->ctl_i, 59, 3, c.op);
}

void Bench::check_requests(unsigned k, const Outputs& want) {
  const unsigned k_mem = k * kMemBits, k_send = k * kSendBits, k_fpu = k * kFpuBits;
  const auto memory = [&](const char* unit, const void* valid, const void* port,
                          const std::optional<Request>& r) {
    expect(bits(valid, k, 1), r ? 1 : 0, unit, k);
    if (!r) return;
    const bool store = op_class(r->inst.op) == OpClass::store;
    expect(bits(port, k_mem + 71, 2), r->flush ? 2 : store ? 1 : 0, "memory operation", k);
    expect(bits(port, k_mem + 32, 32), r->addr, "memory address", k);
    expect(bits(port, k_mem + 64, 4), want.thread, "the thread of a memory request", k);
    if (r->flush) return;
    const unsigned size = access_size(r->inst.op);
    expect(1u << bits(port, k_mem + 69, 2), size, "memory size", k);
    const std::uint32_t mask = size == 4 ? ~0u : (1u << (8 * size)) - 1;
    if (store) expect(bits(port, k_mem, 32) & mask, r->data & mask, "stored data", k);
    if (!store && size != 4) {
      expect(bits(port, k_mem + 68, 1), r->inst.op == Op::lb || r->inst.op == Op::lh, "memory sign", k);
    }
  };
  memory("cache request", &top_->cache_req_valid_o, &top_->cache_req_o, want.cache);
  memory("scratchpad request", &top_->scratchpad_req_valid_o, &top_->scratchpad_req_o, want.pad);
  expect(bits(&top_->fpu_req_valid_o, k, 1), want.fpu ? 1 : 0, "FPU request", k);
  if (want.fpu) {
    const Form form = op_info(want.fpu->inst.op).form;
    expect(bits(&top_->fpu_req_o, k_fpu + 103, 5), fpu_op(want.fpu->inst.op), "FPU operation", k);
    expect(bits(&top_->fpu_req_o, k_fpu + 96, 4), want.thread, "the thread of an FPU request", k);
    expect(bits(&top_->fpu_req_o, k_fpu + 100, 3), want.fpu->rm, "rounding mode", k);
    expect(bits(&top_->fpu_req_o, k_fpu + 64, 32), want.fpu->a, "FPU operand a", k);
    if (form != Form::x2f_rm && form != Form::f2x && form != Form::f2x_rm && form != Form::fr_rm) {
      expect(bits(&top_->fpu_req_o, k_fpu + 32, 32), want.fpu->b, "FPU operand b", k);
    }
    if (form == Form::fr4) expect(bits(&top_->fpu_req_o, k_fpu, 32), want.fpu->c, "FPU operand c", k);
  }
  expect(bits(&top_->recv_valid_o, k, 1), want.recv ? 1 : 0, "recv", k);
  if (want.recv) expect(bits(&top_->recv_thread_o, 4 * k, 4), want.thread, "the thread of a recv", k);
  expect(bits(&top_->free_valid_o, k, 1), want.free ? 1 : 0, "free", k);
  if (want.free) expect(bits(&top_->free_slot_o, 9 * k, 9), *want.free, "freed slot", k);
  expect(bits(&top_->wait_valid_o, k, 1), want.wait ? 1 : 0, "wait", k);
  if (want.wait) expect(bits(&top_->wait_thread_o, 4 * k, 4), want.thread, "the thread that waits", k);
  if (want.wait) expect(bits(&top_->wait_bits_o, 4 * k, 4), want.wait->data, "bits waited for", k);
  expect(bits(&top_->send_valid_o, k, 1), want.send ? 1 : 0, "send", k);
  if (!want.send) return;
  expect(bits(&top_->send_o, k_send + 129, 4), want.thread, "the thread of a send", k);
  expect(bits(&top_->send_o, k_send, 32), want.pc, "pc of a send", k);
  expect(bits(&top_->send_o, k_send + 32, 3), want.flits, "flits of a send", k);
  expect(bits(&top_->send_o, k_send + 35, 9), want.slot, "slot of a send", k);
  expect(bits(&top_->send_o, k_send + 44, 1), want.astray ? 1 : 0, "a send from no slot", k);
  expect(bits(&top_->send_o, k_send + 45, 64), want.mask, "mask of a send", k);
  expect(bits(&top_->send_o, k_send + 109, 20), want.dest, "destination of a send", k);
}

void Bench::check_trace(unsigned k) {
  const auto retiring = passed_[k].find(cycle + 1);
  expect(bits(&top_->retired_o, k, 1), retiring != passed_[k].end() && retiring->second.counted ? 1 : 0,
         "retired", k);
  const auto it = passed_[k].find(cycle);
  const unsigned at = k * kTraceBits;
  const bool any = it != passed_[k].end();
  expect(bits(&top_->trace_o, at + 107, 1), any && it->second.retired ? 1 : 0, "a retired instruction", k);
  expect(bits(&top_->trace_o, at + 38, 1), any && it->second.we ? 1 : 0, "a register's write", k);
  if (!any) return;
  const Passed& p = it->second;
  expect(bits(&top_->trace_o, at + 103, 4), p.thread, "the retired thread", k);
  if (p.retired) {
    expect(bits(&top_->trace_o, at + 71, 32), p.pc, "the retired pc", k);
    expect(bits(&top_->trace_o, at + 39, 32), p.word, "the retired word", k);
  }
  if (p.we) {
    expect(bits(&top_->trace_o, at + 37, 1), p.fp ? 1 : 0, "the file written", k);
    expect(bits(&top_->trace_o, at + 32, 5), p.rd, "the register written", k);
    expect(bits(&top_->trace_o, at, 32), p.data, "the value written", k);
  }
  passed_[k].erase(it);
}

void Bench::check_events() {
  if (top_->event_valid_o == 0) return;
  const void* e = &top_->event_o;
  const unsigned thread = static_cast<unsigned>(bits(e, 72, 6)), k = thread / kThreads;
  if (k >= kCores || !event_[k])
    throw Mismatch("cycle " + std::to_string(cycle) + ": an event out of nothing");
  const Event& want = *event_[k];
  expect(thread, want.thread, "an event's thread", k);
  expect(bits(e, 78, 1), want.fault ? 1 : 0, "whether an event is a fault", k);
  expect(bits(e, 64, 8), want.cause, "an event's cause", k);
  if (want.fault) {
    expect(bits(e, 32, 32), want.pc, "a fault's pc", k);
    const std::string value = "the value of a fault of cause " + std::to_string(want.cause);
    expect(bits(e, 0, 32), want.value, value.c_str(), k);
  }
  if (top_->event_ready_i == 0) return;
  events.push_back(want);
  event_[k].reset();
  cores[k].event_full = false;
}

void Bench::check_control() {
  if (top_->ctl_rsp_valid_o != 0) {
    if (reads_.empty())
      throw Mismatch("cycle " + std::to_string(cycle) + ": a response that nothing asked for");
    expect(top_->ctl_rdata_o, reads_.front(), "a word of the instruction memory", 0);
    responses.push_back(reads_.front());
    reads_.pop_front();
  }
  expect(top_->ctl_ready_o, todo_ == 0 ? 1 : 0, "ctl_ready", 0);
  if (top_->ctl_ready_o == 0 || controls_.empty()) return;
  const Control c = controls_.front();
  controls_.pop_front();
  at_work_ = c;
  const bool instr = c.op == Control::write_instr || c.op == Control::read_instr;
  for (unsigned k = 0; k < kCores; ++k) {
    const bool mine = instr
                          ? k % 2 == 0 && (c.all ? k == 0 || c.op == Control::write_instr : c.target == k / 2)
                          : (c.all || c.target == k) && c.addr < kThreads;
    if (mine) todo_next_ |= 1u << k;
  }
}

/// One cycle.
void Bench::step() {
  drive();
  const std::array<unsigned, 3> pulses{random(2), random(2), random(2)};
  top_->cache_miss_i = pulses[0], top_->cache_hit_i = pulses[1], top_->cache_writeback_i = pulses[2];
  top_->eval();
  for (const Patch& p : patches_[cycle]) code[p.pair][p.at] = p.word;
  patches_.erase(cycle);
  counts_cleared_ = false;
  todo_next_ = todo_;
  check_control();
  for (unsigned k = 0; k < kCores; ++k) {
    issue_slot(k);
    const auto slot = cycle >= 6 ? slots_[k].extract(cycle - 6).mapped() : Slot{};
    if (slot.op) execute_op(k, *slot.op);
    const Outputs want = slot.thread ? execute(k, *slot.thread, slot.word) : Outputs{};
    issued += slot.thread ? 1 : 0;
    check_requests(k, want);
    check_trace(k);
    CoreModel& core = cores[k];
    if (cycle >= 6 && core.counting) {
      ++core.cycles;
      core.idle += slot.thread ? 0 : 1;
    }
  }
  for (unsigned i = 0; i < 3; ++i) {
    cache_counts_[i] += cores[0].counting ? pulses[i] : 0;
    if (counts_cleared_) cache_counts_[i] = 0;
  }
  check_events();
  todo_ = todo_next_;
  top_->clk_i = 1;
  top_->eval();
  top_->clk_i = 0;
  top_->eval();
  ++cycle;
}

}  // namespace polyloom::overlay::test
