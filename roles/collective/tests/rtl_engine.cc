// SPDX-License-Identifier: Apache-2.0
// Engines back to back: what arrives is compared with byte-level references, when it arrives with timing.h,
// and every fault is provoked. Covers: all paths of the switch, both protocols, relays, barriers, patterns,
// random stalls of memories and wires, random start skew. Leaves out: the shell, other operators than pass,
// more than three nodes. Usage: rtl_engine [SEED]; prints a line a case, ends with 0 if all hold.
#include "roles/collective/arch/timing.h"
#include "rtl_harness.h"

using namespace polyloom::collective;
using namespace polyloom::collective::test;

namespace {

constexpr Timing kT;
constexpr bool kChecks = BLOCK_CHECK != 0;
using Program = std::vector<Instruction>;

unsigned beats(std::uint64_t bytes) { return static_cast<unsigned>((bytes + kBeatBytes - 1) / kBeatBytes); }

/// Copies run by run what a pattern reads to where another one writes; both walk beats, so runs may differ.
struct Walk {
  std::uint64_t base;
  std::uint32_t bytes, runs;
  std::int64_t stride;
  /// Byte offsets in order, one entry a byte slot of the stream; -1 for slots that do not count.
  std::vector<std::int64_t> slots() const {
    std::vector<std::int64_t> r;
    for (std::uint32_t run = 0; run < runs; ++run) {
      const std::int64_t at = static_cast<std::int64_t>(base) + stride * run;
      for (std::uint32_t i = 0; i < beats(bytes) * kBeatBytes; ++i) r.push_back(i < bytes ? at + i : -1);
    }
    return r;
  }
};
/// Bytes outside a run are zero when read; keep of a run's end travels only inside a node or in the last
/// beat.
void reference_move(const Bytes& from, const Walk& r, Bytes& to, const Walk& w, bool over_lane) {
  const auto a = r.slots(), b = w.slots();
  expect_eq(a.size(), b.size(), "test: patterns of one length");
  for (std::size_t i = 0; i < a.size(); ++i) {
    const bool last_beat = i / kBeatBytes == a.size() / kBeatBytes - 1;
    if (b[i] >= 0 && (a[i] >= 0 || (over_lane && !last_beat))) {
      to[static_cast<std::size_t>(b[i])] = a[i] >= 0 ? from[static_cast<std::size_t>(a[i])] : 0;
    }
  }
}

void expect_same(const Bytes& got, const Bytes& want, const std::string& what) {
  const auto d = std::mismatch(got.begin(), got.end(), want.begin());
  if (d.first != got.end())
    fail(what + ": first difference at byte " + std::to_string(d.first - got.begin()));
}
void pair(Bench& b) { b.connect(0, 0, 1, 0); }
void triangle(Bench& b) {
  b.connect(0, 0, 1, 0);
  b.connect(0, 1, 2, 0);
  b.connect(1, 1, 2, 1);
}
void fill_all(Bench& b, unsigned nodes) {
  for (unsigned i = 0; i < nodes; ++i)
    for (auto& c : b[i].channels) b.fill(c.data);
}

void registers(unsigned seed) {
  Bench b(3, {}, seed);
  triangle(b);
  expect_eq(b.read_reg(0, reg::state), 0, "state");
  expect_eq(b.read_reg(0, reg::shape) & 0xffff, kChannels | kLanes << 8, "shape");
  expect_eq(b.read_reg(0, reg::program_size), 256, "program size");
  for (unsigned i = 0; i < 3; ++i) b.write_reg(i, reg::node, 100 + i);
  for (unsigned i = 0; i < 3; ++i) b.write_reg(i, reg::hello, 0);
  b.steps(100);
  expect_eq(b.read_reg(0, reg::peer + 1), 1u << 31 | 102 << 8 | 0, "peer of 0 on lane 1");
  expect_eq(b.read_reg(2, reg::peer + 1), 1u << 31 | 101 << 8 | 1, "peer of 2 on lane 1");
  expect_eq(b.read_reg(1, reg::node), 101, "node");
  expect(!b.reg_access(0, true, reg::start, 256).first, "start past the memory refused");
  expect(!b.reg_access(0, true, reg::state, 1).first, "state is read-only");
  expect(!b.reg_access(0, false, 0x1ff, 0).first, "no such register");
  // The shell reads its program back.
  b.load(1, {read_from(1, 64, 99), end()}, 5);
  auto& t = *b[1].top;
  t.prog_valid_i = 1;
  t.prog_write_i = 0;
  t.prog_addr_i = 5 * 4 + 1;
  b.step();
  t.prog_valid_i = 0;
  b.step();
  expect_eq(t.prog_data_o, 64, "program word read back");
}

void copy_timing(unsigned seed) {
  for (const unsigned n : {1u, 2u, 40u, 300u}) {
    Options o;
    o.read_latency = 64;  // the most that the buffer covers
    Bench b(1, o, seed);
    fill_all(b, 1);
    const Bytes want = b[0].channels[0].data;
    const auto e =
        b.run({{read_from(0, 4096, n * 32), write_to(1, from_read(0), 992, n * 32), go(3), end()}});
    const std::uint64_t s = e[0].begin + 3;
    const std::uint64_t done = s + kT.go_to_begin + kT.begin_to_request + o.read_latency + kT.read_to_source +
                               kT.switch_cycles + n - 1 + o.write_latency + kT.write_to_done;
    const std::uint64_t mark = b.read_reg(0, reg::mark + 3);
    std::printf("copy %3u beats: done %lu cycles after go, closed form %lu\n", n, mark - s, done - s);
    expect_eq(mark, done, "cycle of the mark");
    expect_eq(e[0].finish, done + kT.done_to_go, "cycle of the end");
    for (unsigned i = 0; i < n * 32; ++i) expect_eq(b[0].channels[1].data[992 + i], want[4096 + i], "byte");
  }
}

/// Patterns that differ on both sides, short run ends, one-beat runs, negative strides; inside the node.
void copy_patterns(unsigned seed) {
  Options o;
  o.memory_stall = seed % 2 ? 30 : 0;
  Bench b(1, o, seed);
  for (unsigned round = 0; round < 25; ++round) {
    fill_all(b, 1);
    Bytes want = b[0].channels[2].data;
    const unsigned run_beats = 1 + b.draw(round % 3 ? 4 : 70), runs = 1 + b.draw(12);
    const unsigned bytes = run_beats * 32 - b.draw(32);
    const std::int64_t stride = std::int64_t{32} * (run_beats + b.draw(43)) * (b.draw(2) ? 1 : -1);
    const Walk r{512 * 1024 + 32u * b.draw(64), bytes, runs, stride};
    const Walk w = round % 2 ? Walk{128 * 1024 + 32u * b.draw(64), run_beats * 32 - b.draw(32), runs,
                                    32 * run_beats + 64}
                             : Walk{256 * 1024 + 32u * b.draw(128), run_beats * runs * 32 - b.draw(32), 1, 0};
    reference_move(b[0].channels[1].data, r, want, w, false);
    b.run({{write_to(2, from_read(1), w.base, w.bytes, w.runs, w.stride),
            read_from(1, r.base, r.bytes, r.runs, r.stride), go(), end()}});
    expect(b[0].channels[2].data == want, "copied bytes, round " + std::to_string(round));
  }
}

void one_beat_runs_at_full_rate(unsigned seed) {
  Options o;
  o.read_latency = 64;
  Bench b(1, o, seed);
  const unsigned n = 400;
  b.run({{read_from(0, 0, 32, n, 64), write_to(1, from_read(0), 65536, 20, n, 96), go(0), end()}});
  const std::uint64_t took = b.read_reg(0, reg::mark) - b.read_reg(0, reg::begin) - 3;
  const std::uint64_t least = kT.go_to_begin + kT.begin_to_request + 64 + kT.read_to_source +
                              kT.switch_cycles + n - 1 + o.write_latency + kT.write_to_done;
  std::printf("%u runs of a beat: %lu cycles, closed form %lu\n", n, took, least);
  expect_eq(took, least, "one-beat runs");
}

void unicast_timing(unsigned seed) {
  for (const bool eager : {false, true}) {
    for (const unsigned n : {1u, 20u}) {
      Bench b(2, {}, seed);
      pair(b);
      fill_all(b, 2);
      const Options& o = b.o;
      const std::uint8_t f = eager ? kEager : 0;
      const auto e = b.run({{read_from(0, 0, n * 32), send(0, from_read(0), f), go(0), end()},
                            {take(0, f), write_to(1, from_lane(0), 64, n * 32), go(0), end()}});
      const std::uint64_t s = e[0].begin + 3;
      expect_eq(e[0].begin, e[1].begin, "test: started together");
      const unsigned pulse = eager ? kT.go_to_begin : kT.go_to_pulse + o.wire_latency + kT.pulse_to_count;
      const std::uint64_t done = s + pulse + kT.begin_to_request + o.read_latency + kT.read_to_source +
                                 kT.switch_cycles + kT.tx_cycles + o.wire_latency + kT.rx_cycles +
                                 kT.switch_cycles + n - 1 + o.write_latency + kT.write_to_done;
      const std::uint64_t mark = b.read_reg(1, reg::mark);
      std::printf("unicast %s %2u beats: %lu cycles, closed form %lu%s\n",
                  eager ? "eager     " : "rendezvous", n, mark - s, done - s,
                  kChecks ? " (without checks)" : "");
      if (!kChecks) expect_eq(mark, done, "unicast");
      for (unsigned i = 0; i < n * 32; ++i)
        expect_eq(b[1].channels[1].data[64 + i], b[0].channels[0].data[i], "byte");
    }
  }
}

void relay(unsigned seed) {
  for (const unsigned stall : {0u, 25u}) {
    Options o;
    o.wire_stall = stall;
    Bench b(3, o, seed);
    triangle(b);
    fill_all(b, 3);
    const unsigned n = 150;  // more than the relay's buffer holds
    Bytes kept = b[1].channels[0].data, want = b[2].channels[2].data;
    const Walk r{320, n * 32 - 5, 1, 0};
    reference_move(b[0].channels[1].data, r, kept, {0, n * 32 - 5, 1, 0}, true);
    reference_move(b[0].channels[1].data, r, want, {64, n * 32 - 5, 1, 0}, true);
    // 0 -> 1 -> 2, and 1 keeps a copy of what it relays.
    const auto e =
        b.run({{read_from(1, 320, n * 32 - 5), send(0, from_read(1)), go(0), end()},
               {take(0), send(1, from_lane(0)), write_to(0, from_lane(0), 0, n * 32 - 5), go(0), end()},
               {take(1), write_to(2, from_lane(1), 64, n * 32 - 5), go(0), end()}});
    expect(b[1].channels[0].data == kept, "relay keeps");
    expect(b[2].channels[2].data == want, "relayed");
    // The relay has an instruction more, so all else waits for its go.
    const std::uint64_t s = e[1].begin + 4, w = o.wire_latency;
    const std::uint64_t begun =
        std::max(e[2].begin + 3 + kT.go_to_pulse + w + kT.pulse_to_count, s + kT.go_to_begin);
    const std::uint64_t done = begun + 1 + w + kT.pulse_to_count + kT.begin_to_request + o.read_latency +
                               kT.read_to_source + kT.switch_cycles + kT.tx_cycles + w + kT.rx_cycles +
                               kT.switch_cycles + kT.tx_cycles + w + kT.rx_cycles + kT.switch_cycles + n - 1 +
                               o.write_latency + kT.write_to_done;
    const std::uint64_t mark = b.read_reg(2, reg::mark);
    std::printf("relay %u beats, stall %2u %%: %lu cycles, closed form without stall %lu\n", n, stall,
                mark - s, done - s);
    if (stall == 0 && !kChecks) expect_eq(mark, done, "relay");
  }
}

Program all_to_all(unsigned self, unsigned bytes, std::uint8_t flags, std::uint64_t at) {
  Program p;
  unsigned lane = 0;
  for (unsigned peer = 0; peer < 3; ++peer) {
    if (peer == self) {
      p.push_back(read_from(self, 0, bytes));
      p.push_back(write_to(self, from_read(self), at, bytes));
      continue;
    }
    p.push_back(read_from(peer, 0, bytes));
    p.push_back(send(lane, from_read(peer), flags));
    p.push_back(take(lane, flags));
    p.push_back(write_to(peer, from_lane(lane), at, bytes));
    ++lane;
  }
  return p;
}

/// All-to-all, broadcast, barrier, gather through pass operators, in random order, both protocols, random
/// sizes and skew.
void random_programs(unsigned seed) {
  Options o;
  o.memory_stall = seed % 3 * 20;
  o.wire_stall = seed % 2 * 30;
  o.wire_latency = 1 + seed % 40;
  Bench b(3, o, seed);
  triangle(b);
  // Lane of node i to node j.
  const auto lane = [](unsigned i, unsigned j) { return j - (j > i ? 1u : 0u); };
  for (unsigned round = 0; round < 6; ++round) {
    fill_all(b, 3);
    Program p[3];
    Bytes want[3][kChannels];
    for (unsigned i = 0; i < 3; ++i)
      for (unsigned c = 0; c < kChannels; ++c) want[i][c] = b[i].channels[c].data;
    for (unsigned step = 0; step < 8; ++step) {
      const bool eager = b.draw(2) != 0;
      const unsigned bytes = eager ? 1 + b.draw(32 * 32) : 1 + b.draw(5000);
      const std::uint8_t f = eager ? kEager : 0;
      const unsigned root = b.draw(3), kind = b.draw(4);
      const std::uint32_t at = 512 * 1024 + 8192 * step;
      // A block of 8 bytes or less goes as 16 without checks, which only an open end would show.
      for (unsigned i = 0; i < 3; ++i) {
        if (kind == 0) {
          const auto a = all_to_all(i, bytes, f, at);
          p[i].insert(p[i].end(), a.begin(), a.end());
          for (unsigned j = 0; j < 3; ++j) std::copy_n(want[j][i].begin(), bytes, want[i][j].begin() + at);
        } else if (kind == 1) {  // broadcast from root's channel 0, the root writes its own copy to channel 1
          if (i == root) {
            p[i].insert(p[i].end(), {read_from(0, 64, bytes), send(0, from_read(0), f),
                                     send(1, from_read(0), f), write_to(1, from_read(0), at, bytes)});
          } else {
            p[i].insert(p[i].end(),
                        {take(lane(i, root), f), write_to(1, from_lane(lane(i, root)), at, bytes)});
          }
          std::copy_n(want[root][0].begin() + 64, bytes, want[i][1].begin() + at);
        } else if (kind == 2) {  // barrier
          for (unsigned l = 0; l < 2; ++l) {
            p[i].push_back(send(l, kFromNone, kPulseOnly));
            p[i].push_back(take(l, kPulseOnly));
          }
        } else {  // gather at root, through the pass operator
          if (i == root) {
            for (unsigned j = 0, l = 0; j < 3; ++j) {
              if (j == root) continue;
              p[i].insert(p[i].end(),
                          {take(l, f), feed(l, from_lane(l)), config(l, OperatorKind::pass, 0, 1u << l),
                           write_to(j, from_op(l), at, bytes)});
              std::copy_n(want[j][2].begin() + 96, bytes, want[root][j].begin() + at);
              ++l;
            }
          } else {
            p[i].insert(p[i].end(), {read_from(2, 96, bytes), send(lane(i, root), from_read(2), f)});
          }
        }
        p[i].push_back(go(step, b.draw(2) && kind != 3 ? kTogether : 0));
      }
    }
    for (auto& q : p) q.push_back(end());
    b.run({p[0], p[1], p[2]}, {b.draw(300), b.draw(300), b.draw(300)});
    for (unsigned i = 0; i < 3; ++i)
      for (unsigned c = 0; c < kChannels; ++c)
        expect_same(b[i].channels[c].data, want[i][c],
                    "memory of node " + std::to_string(i) + " channel " + std::to_string(c) + " round " +
                        std::to_string(round));
  }
}

void open_end(unsigned seed) {
  Options o;
  o.memory_stall = seed % 2 * 40;
  Bench b(2, o, seed);
  pair(b);
  for (const unsigned bytes : {17u, 32u, 100u, 3000u, 4096u}) {
    fill_all(b, 2);
    Bytes want = b[1].channels[0].data;
    std::copy_n(b[0].channels[1].data.begin() + 64, bytes, want.begin() + 320);
    b.run({{read_from(1, 64, bytes), send(0, from_read(1)), go(), end()},
           {take(0), write_to(0, from_lane(0), 320, 4096, 1, 0, kOpenEnd), go(), end()}});
    expect(b[1].channels[0].data == want, "open end, " + std::to_string(bytes) + " bytes");
  }
}

void barrier_timing(unsigned seed) {
  Bench b(2, {}, seed);
  pair(b);
  const Program p{send(0, kFromNone, kPulseOnly), take(0, kPulseOnly), go(0), end()};
  const auto e = b.run({p, p}, {0, 0});
  const std::uint64_t s = e[0].begin + 3;
  const std::uint64_t done = s + kT.go_to_pulse + b.o.wire_latency + kT.pulse_to_count + kT.write_to_done;
  std::printf("barrier: %lu cycles, closed form %lu\n", b.read_reg(0, reg::mark) - s, done - s);
  expect_eq(b.read_reg(0, reg::mark), done, "barrier");
}

/// Runs programs of which node `at` must stop with `fault`; then all nodes are stopped or ended, cleared, and
/// work again.
void provoke(Bench& b, const std::string& what, const std::vector<Program>& programs, unsigned at,
             Fault fault, std::uint64_t value = ~std::uint64_t{0}) {
  for (unsigned i = 0; i < programs.size(); ++i) b.load(i, programs[i]);
  b.start(std::vector<unsigned>(programs.size()));
  const auto e = b.finish();
  std::printf("fault %-40s code %u lane %u value %lx\n", what.c_str(), e[at].code, e[at].lane, e[at].value);
  expect_eq(e[at].code, static_cast<unsigned>(fault), what);
  if (value != ~std::uint64_t{0}) expect_eq(e[at].value, value, what + ": value");
  b.tamper = nullptr;
  b.steps(300);
  for (unsigned i = 0; i < programs.size(); ++i) {
    if (i != at && b[i].events.empty() && e[i].code == 0) continue;
    if (i != at)
      expect_eq(e[i].code != 0 ? e[i].code : b[i].events.front().code, 6, what + ": the peer heard abort");
    b[i].events.clear();
  }
  for (unsigned i = 0; i < programs.size(); ++i) {
    expect_eq(b.read_reg(i, reg::state), 2, what + ": stopped");
    expect(!b.reg_access(i, true, reg::start, 0).first, what + ": start refused while stopped");
  }
  for (unsigned i = 0; i < programs.size(); ++i) b.write_reg(i, reg::clear, 0);
  b.steps(100);
  fill_all(b, 2);
  b.run({{read_from(0, 0, 900), send(0, from_read(0)), go(), end()},
         {take(0), write_to(0, from_lane(0), 0, 900), go(), end()}});
  expect(std::equal(b[0].channels[0].data.begin(), b[0].channels[0].data.begin() + 900,
                    b[1].channels[0].data.begin()),
         what + ": works again after clear");
}

void faults(unsigned seed) {
  Options o;
  o.wire_stall = o.memory_stall = seed % 2 * 20;
  Bench b(2, o, seed);
  pair(b);
  b.write_reg(0, reg::node, 4);
  b.write_reg(1, reg::node, 5);
  const Program waits{take(0), write_to(0, from_lane(0), 0, 64), go(), end()};
  const auto bad = [&](const char* what, Instruction i, bool at_go = false) {
    provoke(b, what, {{take(1, kPulseOnly), i, go(), end()}, waits}, 0, Fault::bad_program,
            (at_go ? go() : i).words()[0]);
  };
  bad("unknown op", {static_cast<Op>(9)});
  bad("no such channel", read_from(kChannels, 0, 32));
  bad("no such lane", take(kLanes));
  bad("no such source", send(0, from_lane(kLanes)));
  bad("empty pattern", read_from(0, 0, 0));
  bad("no runs", read_from(0, 0, 32, 0));
  bad("unaligned base", read_from(0, 8, 32));
  bad("base past the channel", read_from(0, kChannelBytes, 32));
  bad("operator to operator", feed(0, from_op(0)));
  bad("kind that the slot has not", config(0, OperatorKind::partition, 0, 1));
  bad("eager pulse", take(0, kEager | kPulseOnly));
  bad("source without sink", read_from(0, 0, 32), true);
  bad("sink without source", write_to(0, from_read(1), 0, 32), true);
  provoke(b, "read runs out of the channel",
          {{read_from(0, kChannelBytes - 64, 96), send(0, from_read(0)), go(), end()},
           {take(0), write_to(0, from_lane(0), 0, 96), go(), end()}},
          0, Fault::bad_program);
  provoke(b, "write runs out of the channel",
          {{read_from(0, 0, 96), send(0, from_read(0)), go(), end()},
           {take(0), write_to(0, from_lane(0), kChannelBytes - 64, 96), go(), end()}},
          1, Fault::bad_program);
  const auto sends = [](unsigned bytes, std::uint8_t f = 0, std::uint32_t signature = 7) {
    return Program{read_from(0, 0, bytes), send(0, from_read(0), f, signature), go(), end()};
  };
  const auto takes = [](unsigned bytes, std::uint8_t f = 0, std::uint32_t signature = 7) {
    return Program{take(0, f, signature), write_to(0, from_lane(0), 4064, bytes), go(), end()};
  };
  provoke(b, "block too short", {sends(640), takes(6400)}, 1, Fault::length);
  provoke(b, "block too long", {sends(6400), takes(640)}, 1, Fault::length);
  provoke(b, "longer than an open end",
          {sends(6400), {take(0), write_to(0, from_lane(0), 0, 640, 1, 0, kOpenEnd), go(), end()}}, 1,
          Fault::length);
  provoke(b, "eager block larger than the buffer",
          {sends(32 * (RX_BEATS + 1), kEager), {send(0, kFromNone, kPulseOnly), go(), end()}}, 1,
          Fault::overflow);
  provoke(b, "eager data where permission comes first",
          {sends(320, kEager),
           {read_from(1, 0, 32 * 100), write_to(2, from_read(1), 0, 32 * 100), go(), take(0),
            write_to(0, from_lane(0), 4064, 320), go(), end()}},
          1, kChecks ? Fault::unexpected : Fault::unexpected);
  if (kChecks) {
    provoke(b, "other operation", {sends(640, 0, 0x1234), takes(640, 0, 0x9999)}, 1, Fault::signature,
            0x999900001234);
    b.tamper = [](unsigned, unsigned, LaneBeat& x) {
      if (!x.last) x.words[3] ^= 0x100;
      return true;
    };
    provoke(b, "damaged bit", {sends(640), takes(640)}, 1, Fault::check);
  } else {
    b.tamper = [](unsigned, unsigned, LaneBeat& x) {
      if (x.last) x.keep = 0xff;
      return true;
    };
    provoke(b, "word that is neither block nor control", {sends(20), takes(20)}, 1, Fault::unexpected);
  }
  b.write_reg(0, reg::watchdog, 500);
  b.write_reg(1, reg::watchdog, 2000);
  provoke(b, "peer never takes", {sends(64), {take(1), write_to(0, from_lane(1), 0, 64), go(), end()}}, 0,
          Fault::timeout, 1);
  provoke(b, "peer never sends", {{take(0), write_to(0, from_lane(0), 0, 64), go(), end()}, waits}, 0,
          Fault::timeout, std::uint64_t{1} << 32);
}

}  // namespace

int main(int argc, char** argv) {
  const unsigned seed = argc > 1 ? static_cast<unsigned>(std::atoi(argv[1])) : 1;
  std::setvbuf(stdout, nullptr, _IOLBF, 0);
  std::printf("seed %u, block checks %d\n", seed, kChecks);
  registers(seed);
  copy_timing(seed);
  for (unsigned i = 0; i < 2; ++i) copy_patterns(seed + i);
  one_beat_runs_at_full_rate(seed);
  unicast_timing(seed);
  barrier_timing(seed);
  relay(seed);
  for (unsigned i = 0; i < 2; ++i) open_end(seed + i);
  for (unsigned i = 0; i < 6; ++i) random_programs(seed + i);
  for (unsigned i = 0; i < 2; ++i) faults(seed + i);
  std::printf("all hold\n");
}
