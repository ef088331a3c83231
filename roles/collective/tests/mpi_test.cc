// SPDX-License-Identifier: Apache-2.0
// Covers: collective nodes divided over processes against one process: digest, end, windows, counters, who
// waits, and the bytes of every memory, on random programs. Run by ctest under mpirun with 2 and 3 processes.
// Leaves out: the engines themselves (fabric/tests/conformance_mpi.cc).
#include <cstdio>
#include <cstring>

#include "fabric/mpi/session.h"
#include "roles/collective/tests/random_world.h"

namespace polyloom::collective::test {
namespace {

/// FNV-1a over the memories of the nodes of this process, per node; 0 for the others'.
std::vector<std::uint64_t> memory_hashes(Bench& b) {
  std::vector<std::uint64_t> hashes(static_cast<std::size_t>(b.nodes()), 0);
  for (int n = 0; n < b.nodes(); ++n) {
    if (!b.fabric().owns(n)) continue;
    std::uint64_t hash = 0xcbf29ce484222325ull;
    for (unsigned c = 0; c < b.options().params.channels; ++c) {
      for (std::uint64_t i = 0; i < RandomWorld::kBytes; ++i)
        hash = (hash ^ b.bytes(n, c)[i]) * 0x100000001b3ull;
    }
    hashes[static_cast<std::size_t>(n)] = hash;
  }
  return hashes;
}

struct Outcome {
  fabric::RunResult result;
  std::vector<std::uint64_t> memory;
};

Outcome play(unsigned seed, const std::function<void(fabric::Fabric&)>& partition,
             fabric::EngineOptions engine) {
  BenchOptions o;
  o.nodes = 3 + static_cast<int>(seed % 3);
  o.params = small_params(1 + seed % 3, RandomWorld::kBytes);
  o.params.block_check = seed % 2 != 0;
  o.link.latency = seed % 3 == 0 ? 40'000 : 400'000;
  if (seed % 4 == 0) o.link.bit_error_rate = 1e-6;
  RandomWorld world(seed, o.nodes, o.params.channels, o.params.rx_beats);
  o.links = world.links;
  o.partition = partition;
  Bench b(o);
  for (int n = 0; n < o.nodes; ++n) {
    if (!b.fabric().owns(n)) continue;
    const auto at = static_cast<std::size_t>(n);
    for (unsigned c = 0; c < o.params.channels; ++c) {
      std::memcpy(b.bytes(n, c), world.before[at][c].data(), RandomWorld::kBytes);
    }
    b.start(n, world.programs[at], seed * static_cast<unsigned>(n) % 300);
  }
  engine.collect_counters = true;
  Outcome out;
  out.result = b.run(fabric::kNever, engine);
  out.memory = memory_hashes(b);
  return out;
}

int failures = 0;
void expect(bool good, unsigned seed, const char* what) {
  if (good) return;
  std::fprintf(stderr, "FAILED: seed %u: %s\n", seed, what);
  ++failures;
}

int run_all(int argc, char** argv) {
  const fabric::mpi::Session session(argc, argv);
  if (argc > 1) expect(session.size() == std::atoi(argv[1]), 0, "number of processes");
  for (unsigned seed = 1; seed <= 24; ++seed) {
    const Outcome split = play(seed, [&](fabric::Fabric& f) { session.partition(f); },
                               {.kind = fabric::EngineKind::mpi, .threads = 1 + seed % 2});
    const Outcome whole = play(seed, {}, {});  // in every process, which has its own share to compare
    for (std::size_t n = 0; n < whole.memory.size(); ++n) {
      expect(split.memory[n] == 0 || split.memory[n] == whole.memory[n], seed, "memory");
    }
    if (session.rank() != 0) continue;
    expect(split.result.digest == whole.result.digest, seed, "digest");
    expect(split.result.end == whole.result.end && split.result.reason == whole.result.reason, seed, "end");
    expect(split.result.windows == whole.result.windows, seed, "windows");
    expect(split.result.counters == whole.result.counters, seed, "counters");
    expect(split.result.waiting == whole.result.waiting, seed, "waiting");
  }
  return failures == 0 ? 0 : 1;
}

}  // namespace
}  // namespace polyloom::collective::test

int main(int argc, char** argv) { return polyloom::collective::test::run_all(argc, argv); }
