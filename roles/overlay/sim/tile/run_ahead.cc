// SPDX-License-Identifier: Apache-2.0
// The run-ahead interpreter: executes a thread's private instructions ahead of time.
//
// Each operation is a small function that ends by calling the next one's, which the compiler turns into a
// jump (threaded code: one indirect branch an instruction, predicted from where it stands). Without that
// optimisation the calls nest, no deeper than one call fills a token buffer.
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <utility>

#include "roles/overlay/sim/isa/exec.h"
#include "roles/overlay/sim/isa/host_flags.h"
#include "roles/overlay/sim/tile/instr_memory.h"
#include "roles/overlay/sim/tile/memory.h"
#include "roles/overlay/sim/tile/private_csr.h"
#include "roles/overlay/sim/tile/thread.h"
#include "roles/overlay/sim/tile_ports.h"

namespace polyloom::overlay {
namespace {

/// A taken jump, and every kCheckEvery-th word, notes the plain instructions so far if there are as many:
/// with both, a run never exceeds what a token holds.
constexpr std::uint32_t kRunLimit = 60, kCheckEvery = 64;
static_assert(kRunLimit + kCheckEvery <= Token::kMaxPlain);
/// Two tokens stay free for the end of the buffer.
constexpr std::uintptr_t kFull = sizeof(Token) * (kTokens - 2);
constexpr std::uintptr_t kBufferMask = sizeof(Token) * kTokens - 1;

#define UOP_ARGS Thread &t, const Uop *u, Token *out, std::uint32_t plain

std::uint32_t pc_of(const Thread& t, const Uop* u) { return static_cast<std::uint32_t>(u - t.code) * 4; }

constexpr Token token(std::uint32_t plain, std::uint32_t code) {
  return {static_cast<std::uint16_t>(plain | code << 8)};
}
Token last_token(std::uint32_t plain, std::uint32_t code) { return token(plain | Token::kFar, code); }

/// Ends the buffer before `u`, which nothing prevents from being executed later.
[[gnu::noinline]] void stop_for_refill(UOP_ARGS) {
  if (plain != 0) *out++ = token(plain - 1, event::plain);
  *out = last_token(0, event::refill);
  t.pc = pc_of(t, u);
  Token* first = t.buffer->tokens.data();
  for (std::ptrdiff_t at = kTokenPiece - kTokenNotice; at < out - first; at += kTokenPiece)
    first[at].bits |= Token::kFar;
}

/// Ends the buffer with an event that the timing engine executes: `u` itself, at its cycle.
void stop_before(UOP_ARGS, std::uint8_t code) {
  *out++ = last_token(plain, code);
  *out = token(0, event::blocked);
  t.pc = pc_of(t, u);
}
[[gnu::noinline]] void stop_for_control(UOP_ARGS) { stop_before(t, u, out, plain, event::control); }

/// Notes an event that is done, and goes on with the next instruction.
#define NEXT_AFTER_EVENT(code)                                          \
  do {                                                                  \
    *out++ = token(plain, code);                                        \
    ++u;                                                                \
    if ((reinterpret_cast<std::uintptr_t>(out) & kBufferMask) == kFull) \
      return stop_for_refill(t, u, out, 0);                             \
    return u->run(t, u, out, 0);                                        \
  } while (false)

/// A load or store that is neither in the cache nor in the scratchpad: missing, or with a bad address.
[[gnu::noinline]] void uncached(UOP_ARGS) {
  const Inst& in = u->inst;
  const std::uint32_t addr = t.x[in.rs1] + static_cast<std::uint32_t>(in.imm);
  const Region region = region_of(addr);
  if (region == Region::unmapped || addr % access_size(in.op) != 0) return stop_for_control(t, u, out, plain);
  const unsigned slot = t.cache.victim(addr);
  *t.miss = {addr & t.cache.line_mask, t.cache.is_dirty(slot) ? t.cache.tags[slot] : CachePartition::kEmpty,
             static_cast<std::uint8_t>(slot)};
  t.cache.drop(slot);
  stop_before(t, u, out, plain, event::miss);
}

template <Op op>
void do_alu(UOP_ARGS) {
  const Inst& in = u->inst;
  if constexpr (op == Op::auipc) {
    t.x[in.rd] = static_cast<std::uint32_t>(in.imm);  // summed when predecoded
  } else {
    execute_alu(op, in, 0, t.x);
  }
  ++u;
  return u->run(t, u, out, plain + 1);
}

/// Notes a run of plain instructions that has grown long, and goes on with `u`.
[[gnu::noinline]] void note_run(UOP_ARGS) {
  *out++ = token(plain - 1, event::plain);
  if ((reinterpret_cast<std::uintptr_t>(out) & kBufferMask) == kFull) return stop_for_refill(t, u, out, 0);
  return u->run(t, u, out, 0);
}

/// The operation `bytes` further, a multiple of 4.
const Uop* further(const Uop* u, std::int32_t bytes) {
  static_assert(sizeof(Uop) == 16);
  return u + (std::ptrdiff_t{bytes} >> 2);
}

/// Continues at `target` after a taken jump.
#define JUMP_TO(target)                                        \
  do {                                                         \
    u = (target);                                              \
    ++plain;                                                   \
    if (plain >= kRunLimit) return note_run(t, u, out, plain); \
    return u->run(t, u, out, plain);                           \
  } while (false)

template <Op op>
void do_branch(UOP_ARGS) {
  const Inst& in = u->inst;
  if (branch_taken(op, t.x[in.rs1], t.x[in.rs2])) JUMP_TO(further(u, in.imm));
  ++u;
  return u->run(t, u, out, plain + 1);
}

void do_jal(UOP_ARGS) {
  const Inst& in = u->inst;
  t.x[in.rd] = pc_of(t, u) + 4;
  JUMP_TO(further(u, in.imm));
}

void do_jalr(UOP_ARGS) {
  const Inst& in = u->inst;
  const std::uint32_t target = jump_target(Op::jalr, 0, t.x[in.rs1], in.imm);
  if ((target & 3) != 0) return stop_for_control(t, u, out, plain);
  t.x[in.rd] = pc_of(t, u) + 4;
  if (target >= t.code_bytes) [[unlikely]] {  // faults when it is fetched
    stop_for_refill(t, u, out, plain + 1);
    t.pc = target;
    return;
  }
  JUMP_TO(t.code + target / 4);
}

/// A load or store of some bytes whose line was not the last one used of its kind: looks for it in the cache,
/// then executes `u` again or gives up.
template <unsigned bytes>
[[gnu::noinline]] void find_line(UOP_ARGS) {
  const Inst& in = u->inst;
  const std::uint32_t addr = t.x[in.rs1] + static_cast<std::uint32_t>(in.imm);
  if (!t.cache.search(addr, bytes)) return uncached(t, u, out, plain);
  return t.memory->handler(u)(t, u, out, plain);
}
[[gnu::noinline]] void stop_for_scratchpad(UOP_ARGS) { stop_before(t, u, out, plain, event::scratchpad); }

template <Op op>
constexpr bool is_aligned_in_scratchpad(std::uint32_t addr) {
  return (addr & ~(kScratchpadEnd - kScratchpadBase - access_size(op))) == kScratchpadBase;
}

/// The register that a load writes or a store reads.
template <Op op>
std::uint32_t& data_register(Thread& t, unsigned number) {
  constexpr Form form = op_info(op).form;
  return (form == Form::fload || form == Form::fstore ? t.f : t.x)[number];
}

/// Not in the line last used of its kind. A load from the message that the thread holds is done at once; what
/// else lies in the scratchpad, at its cycle.
template <Op op>
[[gnu::noinline]] void load_elsewhere(UOP_ARGS) {
  const Inst& in = u->inst;
  const std::uint32_t addr = t.x[in.rs1] + static_cast<std::uint32_t>(in.imm);
  if (!is_aligned_in_scratchpad<op>(addr)) return find_line<access_size(op)>(t, u, out, plain);
  if ((addr & ~(Thread::kMessageBytes - 1)) != t.message) return stop_for_scratchpad(t, u, out, plain);
  data_register<op>(t, in.rd) = load_value(op, t.scratchpad[addr / 4 & t.scratchpad_mask], addr);
  NEXT_AFTER_EVENT(event::scratchpad_load);
}

/// Not in the line last used of its kind. A store to the scratchpad is noted.
template <Op op>
[[gnu::noinline]] void store_elsewhere(UOP_ARGS) {
  const Inst& in = u->inst;
  const std::uint32_t addr = t.x[in.rs1] + static_cast<std::uint32_t>(in.imm);
  if (!is_aligned_in_scratchpad<op>(addr)) return find_line<access_size(op)>(t, u, out, plain);
  t.let_go(addr);
  if (t.mailbox == nullptr || !t.notes.room(1)) return stop_for_scratchpad(t, u, out, plain);
  const std::uint32_t lanes = store_lanes(data_register<op>(t, in.rs2), addr);
  t.notes.put(std::uint64_t{lanes} << 32 | store_byte_enable(op, addr) << 16 | (addr & 0xfffcu));
  NEXT_AFTER_EVENT(event::scratchpad_store);
}

template <Op op>
void do_load(UOP_ARGS) {
  const Inst& in = u->inst;
  const std::uint32_t addr = t.x[in.rs1] + static_cast<std::uint32_t>(in.imm);
  const CacheShape::Slot* line = t.cache.find_recent(addr, access_size(op));
  if (line == nullptr) [[unlikely]]
    return load_elsewhere<op>(t, u, out, plain);
  t.cache.touch(*line);
  std::uint32_t bytes = 0;
  std::memcpy(&bytes, t.cache.byte(*line, addr), access_size(op));
  data_register<op>(t, in.rd) = load_value(op, bytes, 0);
  NEXT_AFTER_EVENT(event::hit);
}

template <Op op>
void do_store(UOP_ARGS) {
  const Inst& in = u->inst;
  const std::uint32_t addr = t.x[in.rs1] + static_cast<std::uint32_t>(in.imm);
  const CacheShape::Slot* line = t.cache.find_recent(addr, access_size(op));
  if (line == nullptr) [[unlikely]]
    return store_elsewhere<op>(t, u, out, plain);
  t.cache.touch(*line);
  t.cache.set_dirty(line->slot);
  std::memcpy(t.cache.byte(*line, addr), &data_register<op>(t, in.rs2), access_size(op));
  NEXT_AFTER_EVENT(event::hit);
}

constexpr FpuOp fpu_op(OpClass cls) {
  switch (cls) {
    case OpClass::mul:
      return FpuOp::mul;
    case OpClass::div:
      return FpuOp::div;
    case OpClass::fp_compare:
      return FpuOp::compare;
    case OpClass::fp_convert:
      return FpuOp::convert;
    case OpClass::fp_add:
      return FpuOp::add;
    case OpClass::fp_mul:
      return FpuOp::fmul;
    case OpClass::fp_fma:
      return FpuOp::fma;
    case OpClass::fp_div:
      return FpuOp::fdiv;
    default:
      return FpuOp::sqrt;
  }
}

template <Op op>
constexpr std::uint8_t kFpuEvent = static_cast<std::uint8_t>(event::fpu +
                                                             static_cast<unsigned>(fpu_op(op_class(op))));

template <Op op>
void do_muldiv(UOP_ARGS) {
  const Inst& in = u->inst;
  const std::uint32_t a = t.x[in.rs1], b = t.x[in.rs2];
  t.x[in.rd] = op_class(op) == OpClass::mul ? multiply(op, a, b) : divide(op, a, b);
  NEXT_AFTER_EVENT(kFpuEvent<op>);
}

template <Op op>
void do_fp(UOP_ARGS) {
  if (!execute_fp(op, u->inst, t.x, t.f, t.fcsr)) [[unlikely]]
    return stop_for_control(t, u, out, plain);
  if constexpr (op_class(op) == OpClass::fp_move) {
    ++u;
    return u->run(t, u, out, plain + 1);
  } else {
    NEXT_AFTER_EVENT(kFpuEvent<op>);
  }
}

/// The host's operation on what the instruction reads.
template <Op op>
[[gnu::always_inline]] inline float on_host(const Inst& in, const std::uint32_t* f) {
  const float a = fp::raised_from_here(fp::detail::as_float(f[in.rs1]));
  const float b = fp::detail::as_float(f[in.rs2]);
  if constexpr (op == Op::fadd_s) return a + b;
  if constexpr (op == Op::fsub_s) return a - b;
  if constexpr (op == Op::fmul_s) return a * b;
  if constexpr (op_class(op) == OpClass::fp_fma) {
    const float c = fp::detail::as_float(f[in.rs3()]);
    const float product_of = op == Op::fnmsub_s || op == Op::fnmadd_s ? -a : a;
    return __builtin_fmaf(product_of, b, op == Op::fmsub_s || op == Op::fnmadd_s ? -c : c);
  }
}

/// Operations that round to nearest and give a number, whose flags the host keeps (host_flags.h). What is not
/// so is left to do_fp(), whose call comes last so that nothing is saved for it. A thread that rounds
/// otherwise executes nothing here: what the host raises stays raised, and a result to nearest may overflow
/// or be tiny where the thread's is not.
#define DO_ON_HOST                                                    \
  constexpr std::uint32_t kRounding = 7u << 5;                        \
  if ((t.fcsr & kRounding) != 0) [[unlikely]]                         \
    return do_fp<op>(t, u, out, plain);                               \
  const float result = on_host<op>(u->inst, t.f);                     \
  if (result != result) [[unlikely]] /* it raised no flag too many */ \
    return do_fp<op>(t, u, out, plain);                               \
  t.f[u->inst.rd] = fp::detail::as_bits(result);                      \
  NEXT_AFTER_EVENT(kFpuEvent<op>)

template <Op op>
void do_host_fp(UOP_ARGS) {
  DO_ON_HOST;
}

#ifdef __x86_64__
template <Op op>
[[gnu::target("fma")]] void do_host_fma(UOP_ARGS) {
  DO_ON_HOST;
}
const bool host_fuses = __builtin_cpu_supports("fma") != 0;
#endif

/// The handler for an operation that rounds to nearest or as its thread says; null if the host cannot do it.
template <Op op>
Handler host_handler() {
  if constexpr (fp::kHostFlags) {
    constexpr OpClass cls = op_class(op);
    if constexpr (cls == OpClass::fp_add || cls == OpClass::fp_mul) return do_host_fp<op>;
#ifdef __x86_64__
    if constexpr (cls == OpClass::fp_fma) return host_fuses ? do_host_fma<op> : nullptr;
#endif
  }
  return nullptr;
}

void note_host_flags(Thread& t) { t.fcsr |= fp::take_host_flags(); }

void do_private_csr(UOP_ARGS) {
  if (is_fp_csr(u->inst.csr())) note_host_flags(t);
  execute_private_csr(t, u->inst);
  ++u;
  return u->run(t, u, out, plain + 1);
}

// ----- messages: what can be known or noted ahead of time -----

bool has_message(const Thread& t) {
  return t.mailbox != nullptr && t.mailbox->queued(t.index) > t.recvs_ahead;
}

void do_can_recv(UOP_ARGS) {
  if (!has_message(t)) return stop_before(t, u, out, plain, event::can_recv);
  t.x[u->inst.rd] = 1;
  ++u;
  return u->run(t, u, out, plain + 1);
}

void do_can_send(UOP_ARGS) {
  if (t.mailbox == nullptr || t.sends_ahead != 0 || !t.mailbox->can_send(t.index))
    return stop_for_control(t, u, out, plain);
  t.x[u->inst.rd] = 1;
  ++u;
  return u->run(t, u, out, plain + 1);
}

void do_recv(UOP_ARGS) {
  if (!has_message(t)) return stop_for_control(t, u, out, plain);
  t.x[u->inst.rd] = t.message = scratchpad_address(t.mailbox->peek(t.index, t.recvs_ahead++));
  NEXT_AFTER_EVENT(event::recv);
}

void do_free(UOP_ARGS) {
  const CsrAccess access = csr_access(u->inst.op, u->inst, t.x);
  t.let_go(access.operand);
  if (t.mailbox == nullptr || !t.notes.room(1)) return stop_for_control(t, u, out, plain);
  t.notes.put(access.operand);
  t.x[u->inst.rd] = 0;
  NEXT_AFTER_EVENT(event::free);
}

void do_send(UOP_ARGS) {
  if (t.mailbox == nullptr || !t.notes.room(3)) return stop_for_control(t, u, out, plain);
  t.notes.put(std::uint64_t{t.x[u->inst.rs1]} << 32 | t.x[u->inst.rs2]);
  t.notes.put(std::uint64_t{t.held.send_dest} << 32 | t.held.send_ptr);
  t.notes.put(std::uint64_t{t.held.send_len} << 32 | pc_of(t, u));
  ++t.sends_ahead;
  NEXT_AFTER_EVENT(event::send);
}

/// A flush of a line that holds nothing new is private; one that writes back is not.
void do_flush(UOP_ARGS) {
  const std::uint32_t operand = csr_access(u->inst.op, u->inst, t.x).operand;
  const unsigned slot = flushed_slot(*t.cache.shape, operand);
  if (t.cache.is_dirty(slot)) return stop_before(t, u, out, plain, event::flush_dirty);
  t.cache.drop(slot);
  t.x[u->inst.rd] = 0;
  NEXT_AFTER_EVENT(event::flush_clean);
}

/// At every kCheckEvery-th word. The check is passed the second time, with a count of zero.
void do_checked(UOP_ARGS) {
  if (plain >= kRunLimit) return note_run(t, u, out, plain);
  return t.memory->handler(u)(t, u, out, plain);
}

void do_counted(UOP_ARGS) {
  if (plain >= kRunLimit) return note_run(t, u, out, plain);
  t.memory->count(u);
  return t.memory->handler(u)(t, u, out, plain);
}

template <Op op>
constexpr Handler handler_of() {
  switch (op_class(op)) {
    case OpClass::alu:
      return do_alu<op>;
    case OpClass::jump:
      return op == Op::jal ? do_jal : do_jalr;
    case OpClass::branch:
      return do_branch<op>;
    case OpClass::load:
      return do_load<op>;
    case OpClass::store:
      return do_store<op>;
    case OpClass::mul:
    case OpClass::div:
      return do_muldiv<op>;
    case OpClass::fp_move:
    case OpClass::fp_compare:
    case OpClass::fp_convert:
    case OpClass::fp_add:
    case OpClass::fp_mul:
    case OpClass::fp_fma:
    case OpClass::fp_div:
    case OpClass::fp_sqrt:
      return do_fp<op>;
    case OpClass::send:
      return do_send;
    default:
      return stop_for_control;
  }
}

template <std::size_t... ops>
constexpr auto make_handlers(std::index_sequence<ops...>) {
  return std::array<Handler, kNumOps>{handler_of<static_cast<Op>(ops)>()...};
}
template <std::size_t... ops>
auto make_host_handlers(std::index_sequence<ops...>) {
  return std::array<Handler, kNumOps>{host_handler<static_cast<Op>(ops)>()...};
}
constexpr auto kHandlers = make_handlers(std::make_index_sequence<kNumOps>());
const auto host_handlers = make_host_handlers(std::make_index_sequence<kNumOps>());

}  // namespace

bool is_checked(std::uint32_t index) { return index % kCheckEvery == kCheckEvery - 1; }

Handler handler_for(const Inst& inst, std::uint32_t index, std::uint32_t words) {
  const OpClass cls = op_class(inst.op);
  if (cls == OpClass::branch || inst.op == Op::jal) {
    // Jumps that leave the memory are left to the timing engine.
    const std::int64_t target = std::int64_t{4} * index + inst.imm;
    if (target < 0 || target >= std::int64_t{4} * words || target % 4 != 0) return stop_for_control;
  }
  if (cls == OpClass::csr) {
    if (is_private_csr(inst.csr())) return do_private_csr;
    const bool writes = inst.op == Op::csrrw || inst.op == Op::csrrwi || inst.rs1 != 0;
    if (inst.csr() == csr::flush) return writes ? do_flush : do_private_csr;
    if (inst.csr() == csr::free && writes) return do_free;
    if (inst.csr() == csr::can_recv) return do_can_recv;
    if (inst.csr() == csr::can_send) return do_can_send;
    if (inst.csr() == csr::recv) return do_recv;
  }
  const auto op = static_cast<std::size_t>(inst.op);
  const bool nearest = has_rm(op_info(inst.op).form) && (inst.rm() == 0 || inst.rm() == kDynamicRounding);
  return nearest && host_handlers[op] != nullptr ? host_handlers[op] : kHandlers[op];
}

Handler checking_handler() { return do_checked; }
Handler counting_handler() { return do_counted; }
Handler end_handler() { return stop_for_control; }

void run_ahead(Thread& t) {
  Token* out = t.buffer->tokens.data();
  if ((t.pc & 3) != 0 || t.pc >= t.code_bytes) {
    out[0] = last_token(0, event::control);
    out[1] = token(0, event::blocked);
    return;
  }
  const Uop* u = t.code + t.pc / 4;
  fp::take_host_flags();  // of others
  u->run(t, u, out, 0);
  note_host_flags(t);
}

}  // namespace polyloom::overlay
