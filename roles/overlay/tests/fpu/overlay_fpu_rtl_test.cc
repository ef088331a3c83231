// SPDX-License-Identifier: Apache-2.0
// Covers: every operation of polyloom_overlay_fpu (with its queue, prepare, sum, round, pipe and divider)
//   against the fast model's arithmetic, results and flags: pairs of corner values in every rounding mode,
//   random operands of hard kinds; every response in exactly the cycle that TileTiming says, under full load
//   and with random gaps, cores in turn, the divider busy; FPUs of 4 x 16, 1 x 1 and 2 x 2 threads; reset in
//   between.
// Leaves out: requests that a core cannot make (a thread's second, reserved rounding modes).
#include <gtest/gtest.h>
#include <verilated.h>

#include <array>
#include <bit>
#include <cstdlib>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <random>
#include <vector>

#include "Voverlay_fpu_tb.h"
#include "roles/overlay/sim/isa/exec.h"
#include "roles/overlay/sim/isa/fp_operands.h"
#include "roles/overlay/sim/tile/timing.h"

namespace polyloom::overlay {
namespace {

/// fpu_op_e of the RTL, in its order; with TB_MULDIV those of M only.
#ifdef TB_MULDIV
constexpr std::array kOps{Op::mul, Op::mulh, Op::mulhsu, Op::mulhu, Op::div, Op::divu, Op::rem, Op::remu};
#else
constexpr std::array kOps{Op::mul,       Op::mulh,     Op::mulhsu,   Op::mulhu,    Op::div,      Op::divu,
                          Op::rem,       Op::remu,     Op::fadd_s,   Op::fsub_s,   Op::fmul_s,   Op::fdiv_s,
                          Op::fsqrt_s,   Op::fmadd_s,  Op::fmsub_s,  Op::fnmsub_s, Op::fnmadd_s, Op::fmin_s,
                          Op::fmax_s,    Op::feq_s,    Op::flt_s,    Op::fle_s,    Op::fclass_s, Op::fcvt_w_s,
                          Op::fcvt_wu_s, Op::fcvt_s_w, Op::fcvt_s_wu};
#endif

bool divides(Op op) {
  const OpClass c = op_class(op);
  return c == OpClass::div || c == OpClass::fp_div || c == OpClass::fp_sqrt;
}

struct Request {
  unsigned op = 0;  ///< index in kOps
  unsigned rm = 0;
  std::uint32_t a = 0, b = 0, c = 0;
};

struct Response {
  unsigned thread;
  std::uint32_t data;
  unsigned flags;
  Request request;
};

/// What the instruction gives, by the fast model's execution of it.
Response execute(unsigned thread, const Request& r) {
  const Op op = kOps[r.op];
  const OpClass cls = op_class(op);
  if (cls == OpClass::mul) return {thread, multiply(op, r.a, r.b), 0, r};
  if (cls == OpClass::div) return {thread, divide(op, r.a, r.b), 0, r};
  std::array<std::uint32_t, kNumXRegs> x{};
  std::array<std::uint32_t, 32> f{};
  x[1] = f[1] = r.a, x[2] = f[2] = r.b, f[3] = r.c;
  Inst in{};
  in.op = op, in.rd = 4, in.rs1 = 1, in.rs2 = 2;
  const bool fused = op == Op::fmadd_s || op == Op::fmsub_s || op == Op::fnmsub_s || op == Op::fnmadd_s;
  in.imm = static_cast<std::int32_t>(r.rm | (fused ? 3u << 8 : 0u));
  std::uint32_t fcsr = 0;
  if (!execute_fp(op, in, x.data(), f.data(), fcsr)) ADD_FAILURE() << "illegal";
  return {thread, x[4] | f[4], fcsr, r};
}

/// An FPU as the fast model has it: when each request is answered, and with what.
class Model {
 public:
  Model(unsigned first, unsigned cores, unsigned threads)
      : first_(first), cores_(cores), threads_(threads), queues_(cores), busy_(cores * threads) {}

  unsigned first_, cores_, threads_;
  bool busy(unsigned core, unsigned thread) const { return busy_[core * threads_ + thread]; }

  void issue(unsigned core, unsigned thread, const Request& r) {
    busy_[core * threads_ + thread] = true;
    queues_[core].push_back({thread, r});
    ++requested;
  }
  /// Grants one request in cycle `c`.
  void grant(Cycle c) {
    for (unsigned i = 1; i <= cores_; ++i) {
      const unsigned core = (last_ + i) % cores_;
      if (queues_[core].empty()) continue;
      last_ = core;
      const auto [thread, request] = queues_[core].front();
      queues_[core].pop_front();
      const OpClass cls = op_class(kOps[request.op]);
      Cycle start = c;
      if (divides(kOps[request.op])) {
        start = std::max(c, divider_free_);
        divider_free_ = start + timing_.divide_interval;
      }
      auto& port = divides(kOps[request.op]) ? div : rsp;
      const auto [at, fresh] = port.emplace(start + latency(cls), std::pair{core, execute(thread, request)});
      if (!fresh) ADD_FAILURE() << "two responses in cycle " << at->first;
      return;
    }
  }
  void responded(unsigned core, unsigned thread) { busy_[core * threads_ + thread] = false; }
  bool idle() const { return requested == done; }

  std::map<Cycle, std::pair<unsigned, Response>> rsp, div;  ///< by cycle: core and response
  std::uint64_t requested = 0, done = 0;

 private:
  unsigned latency(OpClass c) const {
    switch (c) {
      case OpClass::mul:
        return timing_.mul;
      case OpClass::div:
        return timing_.div;
      case OpClass::fp_compare:
        return timing_.fp_compare;
      case OpClass::fp_convert:
        return timing_.fp_convert;
      case OpClass::fp_add:
        return timing_.fp_add;
      case OpClass::fp_mul:
        return timing_.fp_mul;
      case OpClass::fp_fma:
        return timing_.fp_fma;
      case OpClass::fp_div:
        return timing_.fp_div;
      case OpClass::fp_sqrt:
        return timing_.fp_sqrt;
      default:
        ADD_FAILURE() << "not an FPU operation";
        return 0;
    }
  }

  TileTiming timing_;
  std::vector<std::deque<std::pair<unsigned, Request>>> queues_;
  std::vector<bool> busy_;
  unsigned last_ = cores_ - 1;
  Cycle divider_free_ = 0;
};

class Bench {
 public:
  Bench() : top_(std::make_unique<Voverlay_fpu_tb>()) { reset(); }

  void reset() {
    models_ = {Model{0, 4, 16}, Model{4, 1, 1}, Model{5, 2, 2}};
    top_->rst_ni = 0;
    top_->req_valid_i = 0;
    tick();
    tick();
    top_->rst_ni = 1;
    now_ = 0;
  }
  /// A cycle: each core asks if `offer` says so for its port and has a thread that may.
  void cycle(const std::function<bool(unsigned port, Request&)>& offer) {
    top_->req_valid_i = 0;
    for (Model& m : models_) {
      for (unsigned core = 0; core < m.cores_; ++core) issue(m, core, offer);
      m.grant(now_);
    }
    top_->eval();
    for (unsigned i = 0; i < models_.size(); ++i) {
      check(models_[i], models_[i].rsp, top_->rsp_valid_o, "rsp",
            {top_->rsp_thread_o[i], top_->rsp_data_o[i], top_->rsp_flags_o[i], {}});
      check(models_[i], models_[i].div, top_->div_valid_o, "div",
            {top_->div_thread_o[i], top_->div_data_o[i], top_->div_flags_o[i], {}});
    }
    tick();
    ++now_;
  }
  void drain() {
    const auto none = [](unsigned, Request&) { return false; };
    for (unsigned n = 0; n < 3000 && !idle(); ++n) cycle(none);
    EXPECT_TRUE(idle());
    for (unsigned n = 0; n < 40; ++n) cycle(none);
  }
  bool idle() const { return models_[0].idle() && models_[1].idle() && models_[2].idle(); }
  const Model& model(unsigned i) const { return models_[i]; }
  Cycle now() const { return now_; }
  std::mt19937_64 rng{7};

 private:
  void tick() {
    top_->clk_i = 0;
    top_->eval();
    top_->clk_i = 1;
    top_->eval();
  }
  void issue(Model& m, unsigned core, const std::function<bool(unsigned, Request&)>& offer) {
    const auto start = static_cast<unsigned>(rng() % m.threads_);
    unsigned thread = start;
    while (m.busy(core, thread)) {
      thread = (thread + 1) % m.threads_;
      if (thread == start) return;
    }
    const unsigned port = m.first_ + core;
    Request r;
    if (!offer(port, r)) return;
    m.issue(core, thread, r);
    top_->req_valid_i |= 1u << port;
    top_->op_i[port] = static_cast<CData>(r.op);
    top_->rm_i[port] = static_cast<CData>(r.rm);
    top_->thread_i[port] = static_cast<CData>(thread);
    top_->a_i[port] = r.a;
    top_->b_i[port] = r.b;
    top_->c_i[port] = r.c;
  }
  void check(Model& m, std::map<Cycle, std::pair<unsigned, Response>>& due, unsigned valid, const char* port,
             const Response& got) {
    const unsigned cores = valid >> m.first_ & ((1u << m.cores_) - 1);
    const auto it = due.find(now_);
    if (it == due.end()) {
      ASSERT_EQ(cores, 0u) << port << " of the FPU at port " << m.first_
                           << ": a response that is not due, cycle " << now_;
      return;
    }
    const auto [core, want] = it->second;
    due.erase(it);
    m.responded(core, want.thread);
    ++m.done;
    const Request& r = want.request;
    ASSERT_EQ(cores, 1u << core) << port << ", cycle " << now_ << ", operation " << r.op;
    ASSERT_TRUE(got.thread == want.thread && got.data == want.data && got.flags == want.flags)
        << std::hex << port << ": operation " << r.op << " (" << op_info(kOps[r.op]).text << ") mode " << r.rm
        << " of 0x" << r.a << " 0x" << r.b << " 0x" << r.c << " gives 0x" << got.data << " flags 0x"
        << got.flags << " for thread " << got.thread << "; right is 0x" << want.data << " flags 0x"
        << want.flags << " thread " << want.thread;
  }

  std::unique_ptr<Voverlay_fpu_tb> top_;
  std::vector<Model> models_;
  Cycle now_ = 0;
};

bool takes_integer(Op op) {
  return op_class(op) == OpClass::mul || op_class(op) == OpClass::div || op == Op::fcvt_s_w ||
         op == Op::fcvt_s_wu;
}

/// Corner values: of numbers and of integers, both signs.
const std::vector<std::uint32_t>& corners() {
  static const std::vector<std::uint32_t> all = [] {
    std::vector<std::uint32_t> v;
    for (const std::uint32_t bits :
         {0u,          1u,          2u,          0x003fffffu, 0x007fffffu, 0x00800000u, 0x00800001u,
          0x00ffffffu, 0x01000000u, 0x33800000u, 0x33800001u, 0x3effffffu, 0x3f000000u, 0x3f000001u,
          0x3f7fffffu, 0x3f800000u, 0x3f800001u, 0x3fc00000u, 0x40000000u, 0x4b7fffffu, 0x4effffffu,
          0x4f000000u, 0x4f000001u, 0x4f7fffffu, 0x4f800000u, 0x7e7fffffu, 0x7f7fffffu, 0x7f800000u,
          0x7f800001u, 0x7fc00000u, 0x7fffffffu}) {
      v.push_back(bits);
      v.push_back(bits | 0x80000000u);
    }
    return v;
  }();
  return all;
}

/// Random requests of one kind of operation.
class Requests {
 public:
  explicit Requests(std::uint64_t seed) : operands_(seed), rng_(seed) {}

  Request of(unsigned op) {
    Request r{op, static_cast<unsigned>(rng_() % 5), 0, 0, 0};
    if (takes_integer(kOps[op])) {
      r.a = operands_.integer(), r.b = operands_.integer();
      return r;
    }
    r.a = operands_.any();
    r.b = operands_.near(r.a);
    r.c = operands_.near(rng_() % 2 != 0 ? r.a : r.b);
    if (rng_() % 8 == 0) just_below_normal(r);
    if (rng_() % 8 == 0) cancel(r);
    return r;
  }
  unsigned pipelined() { return any_of(false); }
  unsigned divide() { return any_of(true); }
  unsigned any() { return static_cast<unsigned>(rng_() % kOps.size()); }

 private:
  unsigned any_of(bool divide) {
    unsigned op = any();
    while (divides(kOps[op]) != divide) op = any();
    return op;
  }
  std::uint32_t few() { return static_cast<std::uint32_t>(rng_() % 7) - 3; }
  /// A product next to the smallest normal number, and a quotient.
  void just_below_normal(Request& r) {
    r.a = (r.a & 0x807fffffu) | (70u + static_cast<std::uint32_t>(rng_() % 50)) << 23;
    const double other = 0x1p-126 / static_cast<double>(std::bit_cast<float>(r.a));
    r.b = std::bit_cast<std::uint32_t>(static_cast<float>(other)) + few();
    r.c = (rng_() % 2 != 0 ? static_cast<std::uint32_t>(rng_() % 4) : 0u) | (r.c & 0x80000000u);
  }
  /// An addend next to the product.
  void cancel(Request& r) {
    const float product = -std::bit_cast<float>(r.a) * std::bit_cast<float>(r.b);
    r.c = (std::bit_cast<std::uint32_t>(product) + few()) ^ static_cast<std::uint32_t>(rng_() & 0x80000000u);
  }

  fp::Operands operands_;
  std::mt19937_64 rng_;
};

unsigned rounds() {
  const char* text = std::getenv("ROUNDS");
  return text == nullptr ? 1 : static_cast<unsigned>(std::strtoul(text, nullptr, 0));
}

/// Every operation but the fused ones on all pairs of corners in all modes; the divider's take turns in the
/// modes.
TEST(OverlayFpu, CornerPairs) {
  Bench bench;
  for (unsigned op = 0; op < kOps.size(); ++op) {
    const auto& values = corners();
    const unsigned modes = divides(kOps[op]) ? 1 : 5;
    std::size_t at = 0;
    const std::size_t all = values.size() * values.size() * modes;
    const auto offer = [&](unsigned, Request& r) {
      if (at >= all) return false;
      const std::size_t pair = at / modes;
      r = {op, static_cast<unsigned>(divides(kOps[op]) ? at * 7 % 5 : at % 5), values[pair % values.size()],
           values[pair / values.size()], values[at * 31 % values.size()]};
      ++at;
      return true;
    };
    while (at < all && !::testing::Test::HasFailure()) bench.cycle(offer);
    bench.drain();
    if (::testing::Test::HasFailure()) return;
  }
}

/// Full load of one kind: one response a cycle, or one in the divider's interval.
TEST(OverlayFpu, RandomOperandsUnderFullLoad) {
  for (const bool dividing : {false, true}) {
    Bench bench;
    Requests requests(11);
    const auto offer = [&](unsigned, Request& r) {
      r = requests.of(dividing ? requests.divide() : requests.pipelined());
      return true;
    };
    const Cycle cycles = (dividing ? 300'000 : 200'000) * rounds();
    while (bench.now() < cycles && !::testing::Test::HasFailure()) bench.cycle(offer);
    const std::uint64_t done = bench.model(0).done;
    if (dividing) {
      EXPECT_GE(done, cycles / TileTiming{}.divide_interval - 10);
    } else {
      EXPECT_GE(done, cycles - 40);
    }
    bench.drain();
  }
}

/// Operations of all kinds, requests as often as each port's own dice say, which change; resets in between.
TEST(OverlayFpu, MixedOperationsWithGaps) {
  Bench bench;
  Requests requests(23);
  std::array<unsigned, 7> often{};
  for (unsigned phase = 0; phase < 200 * rounds() && !::testing::Test::HasFailure(); ++phase) {
    for (unsigned& o : often) o = static_cast<unsigned>(bench.rng() % 3 == 0 ? 100 : bench.rng() % 40);
    const bool few_divides = phase % 2 == 0;
    const auto offer = [&](unsigned port, Request& r) {
      if (bench.rng() % 100 >= often[port]) return false;
      r = requests.of(few_divides && bench.rng() % 16 != 0 ? requests.pipelined() : requests.any());
      return true;
    };
    const Cycle until = bench.now() + 100 + bench.rng() % 1500;
    while (bench.now() < until && !::testing::Test::HasFailure()) bench.cycle(offer);
    if (phase % 5 == 4) bench.drain();
    if (phase % 23 == 22) bench.reset();  // whatever is in flight
  }
  bench.drain();
}

/// Four cores that always ask are served alike.
TEST(OverlayFpu, CoresTakeTurns) {
  Bench bench;
  Requests requests(5);
  std::array<unsigned, 7> requested{};
  const auto offer = [&](unsigned port, Request& r) {
    r = requests.of(requests.pipelined());
    ++requested[port];
    return true;
  };
  while (bench.now() < 4000) bench.cycle(offer);
  for (unsigned port = 0; port < 4; ++port) EXPECT_NEAR(requested[port], 1000, 20);
  bench.drain();
}

}  // namespace
}  // namespace polyloom::overlay
