// SPDX-License-Identifier: Apache-2.0
// Covers: Verilated nodes on the mpi engine against the serial one (digest, end, windows, counters). Run by
// ctest under mpirun; processes that need the same model build it once. Leaves out: other numbers of
// processes.
#include <cstdio>

#include "blocks/verilated/tests/demo_cluster.h"
#include "fabric/error.h"
#include "fabric/mpi/session.h"

namespace polyloom::blocks::testing {
namespace {

using namespace fabric;

int compare(int argc, char** argv) {
  const mpi::Session session(argc, argv);
  int failures = 0;
  for (const std::uint64_t seed : {1u, 5u}) {
    Fabric split;
    build_cluster(split, seed, true, [&](Fabric& f) { session.partition(f); });
    const RunResult got =
        run(split, {.kind = EngineKind::mpi, .limit = kClusterEnd, .collect_counters = true});
    if (session.rank() != 0) continue;
    Fabric whole;
    build_cluster(whole, seed, true);
    const RunResult want = run(whole, {.limit = kClusterEnd, .collect_counters = true});
    const bool same = got.digest == want.digest && got.end == want.end && got.windows == want.windows &&
                      got.counters == want.counters;
    std::printf("seed %llu digest %016llx %s\n", static_cast<unsigned long long>(seed),
                static_cast<unsigned long long>(got.digest), same ? "equal" : "DIFFERS");
    failures += !same;
  }
  return failures == 0 ? 0 : 1;
}

}  // namespace
}  // namespace polyloom::blocks::testing

int main(int argc, char** argv) {
  try {
    return polyloom::blocks::testing::compare(argc, argv);
  } catch (const polyloom::UserError& e) {
    std::fprintf(stderr, "polyloom: %s\n", e.what());
    return 1;
  }
}
