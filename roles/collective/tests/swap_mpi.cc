// SPDX-License-Identifier: Apache-2.0
// Covers: a cluster of models and RTL nodes on the mpi engine against the serial one (digest). Run by ctest
// under mpirun. Leaves out: other numbers of processes.
#include <cstdio>

#include "fabric/error.h"
#include "fabric/mpi/session.h"
#include "roles/collective/tests/swap_bench.h"
#include "roles/collective/tests/swap_operations.h"

namespace polyloom::collective::swap {
namespace {

int compare(int argc, char** argv) {
  const fabric::mpi::Session session(argc, argv);
  const auto cases = operation_cases(3, kSwapBytes, 1024, 900, 11);
  int failures = 0;
  for (std::size_t i = 0; i < cases.size(); i += 7) {
    Scene s;
    s.nodes = 3;
    s.links = mesh(3);
    s.programs = {cases[i].programs};
    s.memory = cases[i].before;
    const auto whole = session.rank() == 0 ? run(s, 6).digest : 0;
    s.engine.kind = fabric::EngineKind::mpi;
    s.partition = [&](fabric::Fabric& f) { session.partition(f); };
    const auto split = run(s, 6).digest;
    if (session.rank() != 0) continue;
    std::printf("%s: digest %016llx %s\n", cases[i].name.c_str(), static_cast<unsigned long long>(split),
                split == whole ? "equal" : "DIFFERS");
    failures += split != whole;
  }
  return failures == 0 ? 0 : 1;
}

}  // namespace
}  // namespace polyloom::collective::swap

int main(int argc, char** argv) {
  try {
    return polyloom::collective::swap::compare(argc, argv);
  } catch (const polyloom::UserError& e) {
    std::fprintf(stderr, "polyloom: %s\n", e.what());
    return 1;
  }
}
