// SPDX-License-Identifier: Apache-2.0
// Measures what the fabric itself costs: idle nodes, segments, the barrier, and the gain of a second thread.
// Prints a table; not part of any test. Usage: fabric_speed
#include <chrono>
#include <cstdio>
#include <thread>

#include "fabric/tests/event_node.h"

namespace polyloom::fabric::testing {
namespace {

constexpr Time kWindow = 32'000;

/// Active in each window, with `work` nanoseconds of wall clock in it (calibrated rounds of arithmetic).
struct Busy final : Node {
  explicit Busy(std::uint64_t rounds) : rounds(rounds) {}
  void advance(Time until) override {
    for (std::uint64_t i = 0; i < rounds; ++i)
      state = state * 6364136223846793005ull + 1442695040888963407ull;
    next = until;
  }
  Time next_event() const override { return next; }
  void digest(Digest& d) const override { d.add(state); }
  std::uint64_t rounds, state = 1;
  Time next = 0;
};

struct Idle final : Node {
  void advance(Time) override {}
  Time next_event() const override { return kNever; }
};

/// Sends `per_window` segments of `words` words a window and pops what comes.
struct Blaster final : Node {
  Blaster(Port port, int per_window, std::size_t words) : port(port), per_window(per_window), words(words) {}
  void advance(Time until) override {
    for (int i = 0; i < per_window; ++i) {
      Segment s;
      s.first = std::max(next, port.tx->free_at());
      s.words.assign(words, static_cast<std::uint64_t>(i));
      port.tx->send(std::move(s));
    }
    for (; port.rx->front() != nullptr && port.rx->front()->first < until; port.rx->pop()) ++got;
    next = until;
  }
  Time next_event() const override { return next; }
  Port port;
  int per_window;
  std::size_t words;
  Time next = 0;
  std::uint64_t got = 0;
};

void ring(Fabric& fabric, int nodes) {
  for (int i = 0; i < nodes; ++i) fabric.add_node("n" + std::to_string(i));
  const LinkSpec spec{.latency = kWindow, .period = 1};
  for (int i = 0; i < nodes; ++i) fabric.connect(spec, spec, i, (i + 1) % nodes);
}

double busy_seconds(int nodes, std::uint64_t rounds, EngineKind kind, unsigned threads, Time windows) {
  Fabric fabric;
  ring(fabric, nodes);
  for (int i = 0; i < nodes; ++i) fabric.set_node(i, std::make_unique<Busy>(rounds));
  return run(fabric, {.kind = kind, .threads = threads, .limit = windows * kWindow}).wall_seconds;
}

void idle_nodes() {
  for (const int nodes : {2, 49}) {
    Fabric fabric;
    ring(fabric, nodes);
    fabric.set_node(0, std::make_unique<Busy>(0));
    for (int i = 1; i < nodes; ++i) fabric.set_node(i, std::make_unique<Idle>());
    const RunResult r = run(fabric, {.limit = 1'000'000 * kWindow});
    std::printf("serial, 1 active and %2d idle nodes: %.1f ns a window\n", nodes - 1, r.wall_seconds * 1e3);
  }
  std::printf("serial, 48 active nodes that do nothing: %.1f ns a node and window\n",
              busy_seconds(48, 0, EngineKind::serial, 1, 100'000) * 1e9 / 4.8e6);
}

void segments() {
  for (const std::size_t words : {std::size_t{1}, std::size_t{16}, std::size_t{256}}) {
    Fabric fabric;
    fabric.add_node("a"), fabric.add_node("b");
    const LinkSpec spec{.latency = kWindow, .period = 1};
    const auto [a, b] = fabric.connect(spec, spec, 0, 1);
    fabric.set_node(0, std::make_unique<Blaster>(a, 20, words));
    fabric.set_node(1, std::make_unique<Blaster>(b, 20, words));
    const RunResult r = run(fabric, {.limit = 20'000 * kWindow});
    std::printf("send and deliver a segment of %3zu words: %.0f ns\n", words,
                r.wall_seconds * 1e9 / (40 * 20'000));
  }
}

void threads() {
  constexpr Time kWindows = 10'000;
  for (const std::uint64_t rounds :
       {std::uint64_t{0}, std::uint64_t{4'000}, std::uint64_t{20'000}, std::uint64_t{80'000}}) {
    const double one = busy_seconds(2, rounds, EngineKind::serial, 1, kWindows);
    const double two = busy_seconds(2, rounds, EngineKind::threads, 2, kWindows);
    std::printf("2 nodes, %6.2f us each a window: serial %.2f us, 2 threads %.2f us a window, gain %.2f\n",
                one * 1e6 / kWindows / 2, one * 1e6 / kWindows, two * 1e6 / kWindows, one / two);
  }
}

}  // namespace
}  // namespace polyloom::fabric::testing

int main() {
  using namespace polyloom::fabric::testing;
  idle_nodes();
  segments();
  threads();
}
