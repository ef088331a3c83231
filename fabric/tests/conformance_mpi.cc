// SPDX-License-Identifier: Apache-2.0
// Covers: the mpi engine against the serial one (digest, end, windows, counters, waiting lines) on every
// scenario, one and two threads a process; exceptions and interrupts. Run by ctest under mpirun with 1, 2 and
// 3 processes. Leaves out: speed; death of a process (mpirun's part).
#include <cstdio>
#include <cstdlib>
#include <string>

#include "fabric/error.h"
#include "fabric/mpi/session.h"
#include "fabric/tests/dummies.h"

namespace polyloom::fabric::testing {
namespace {

int failures = 0;

void expect(bool good, const std::string& what) {
  if (good) return;
  std::fprintf(stderr, "FAILED: %s\n", what.c_str());
  ++failures;
}

void compare(const mpi::Session& session, const std::string& name, std::uint64_t seed, unsigned threads,
             Time limit) {
  Fabric split;
  scenario(name, seed).build(split, [&](Fabric& f) { session.partition(f); });
  const RunResult got =
      run(split, {.kind = EngineKind::mpi, .threads = threads, .limit = limit, .collect_counters = true});
  if (session.rank() == 0) {
    Fabric whole;
    scenario(name, seed).build(whole);
    const RunResult want = run(whole, {.limit = limit, .collect_counters = true});
    const std::string where = name + " seed " + std::to_string(seed) + " threads " + std::to_string(threads);
    expect(got.digest == want.digest, where + ": digest");
    expect(got.end == want.end && got.reason == want.reason, where + ": end");
    expect(got.windows == want.windows, where + ": windows");
    expect(got.counters == want.counters, where + ": counters");
    expect(got.waiting == want.waiting, where + ": waiting");
    std::printf("%-10s seed %2llu threads %u digest %016llx windows %llu, %.2f us each\n", name.c_str(),
                static_cast<unsigned long long>(seed), threads, static_cast<unsigned long long>(got.digest),
                static_cast<unsigned long long>(got.windows),
                got.wall_seconds * 1e6 / static_cast<double>(got.windows));
  }
}

class Thrower final : public EventNode {
 public:
  explicit Thrower(std::vector<Port> ports) : EventNode(std::move(ports)) { at(30'000'000, 0); }

 private:
  void on_word(int, Time, std::uint64_t, bool) override {}
  void on_timer(Time, std::uint64_t) override { throw UserError("out of paper"); }
};

void exception_reaches_all(const mpi::Session& session) {
  Sketch s;
  const auto gossip = [](std::vector<Port> ports) {
    return std::make_unique<Gossip>(std::move(ports), 5, Clock(250'000'000), 8u);
  };
  for (int i = 0; i < 4; ++i) s.node("g" + std::to_string(i), gossip);
  s.node("t", [](std::vector<Port> ports) { return std::make_unique<Thrower>(std::move(ports)); });
  for (int i = 0; i < 4; ++i) s.link(i, i + 1, {.latency = 60'000, .period = 5000});
  Fabric fabric;
  s.build(fabric, [&](Fabric& f) { session.partition(f); });
  std::string text = "nothing was thrown";
  try {
    run(fabric, {.kind = EngineKind::mpi});
  } catch (const UserError& e) {
    text = e.what();
  }
  expect(text == (fabric.owns(4) ? "out of paper" : "node t: out of paper"), "exception, got: " + text);
}

void interrupt_reaches_all(const mpi::Session& session) {
  Fabric fabric;
  scenario("stream", 1).build(fabric, [&](Fabric& f) { session.partition(f); });
  const std::atomic<bool> interrupt = session.rank() == session.size() - 1;
  const RunResult r = run(fabric, {.kind = EngineKind::mpi, .interrupt = &interrupt});
  expect(r.reason == RunEnd::interrupted && r.end == 0, "interrupt");
}

/// One process leaves with an error of its own while the others wait for it: mpirun must end them.
void leave_alone(const mpi::Session& session) {
  Fabric fabric;
  scenario("stream", 1).build(fabric, [&](Fabric& f) { session.partition(f); });
  if (session.rank() == session.size() - 1) throw UserError("this process alone cannot go on");
  run(fabric, {.kind = EngineKind::mpi});
}

int run_all(int argc, char** argv) {
  const mpi::Session session(argc, argv);
  if (argc > 1 && argv[1] == std::string("leave")) leave_alone(session);
  if (argc > 1) expect(session.size() == std::atoi(argv[1]), "started with the wrong number of processes");
  for (const std::string& name : scenario_names()) {
    const std::uint64_t seeds = name == "random" ? 4 : 1;
    for (std::uint64_t seed = 1; seed <= seeds; ++seed) compare(session, name, seed, 1, kNever);
  }
  compare(session, "random", 1, 2, kNever);
  compare(session, "ethernet", 2, 1, 50'000'000);
  exception_reaches_all(session);
  interrupt_reaches_all(session);
  return failures == 0 ? 0 : 1;
}

}  // namespace
}  // namespace polyloom::fabric::testing

int main(int argc, char** argv) {
  try {
    return polyloom::fabric::testing::run_all(argc, argv);
  } catch (const polyloom::UserError& e) {
    std::fprintf(stderr, "polyloom: %s\n", e.what());
    return 1;
  }
}
