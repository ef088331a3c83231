// SPDX-License-Identifier: Apache-2.0
// Covers: clusters of models and RTL nodes on several threads against one thread: the same digest, the same
// words, the same cycles. Leaves out: processes (swap_mpi.cc).
#include <gtest/gtest.h>

#include "roles/collective/tests/swap_bench.h"
#include "roles/collective/tests/swap_operations.h"

namespace polyloom::collective {
namespace {

using namespace swap;

TEST(SwapEngines, ThreadsAreBitIdentical) {
  const auto cases = operation_cases(3, kSwapBytes, 0, 900, 9);
  for (std::size_t i = 0; i < cases.size(); i += 5) {
    Scene s;
    s.nodes = 3;
    s.links = mesh(3);
    s.programs = {cases[i].programs};
    s.memory = cases[i].before;
    const Outcome serial = run(s, 5);
    for (const unsigned threads : {2u, 4u}) {
      s.engine = {.kind = fabric::EngineKind::threads, .threads = threads};
      const Outcome parallel = run(s, 5);
      EXPECT_EQ(parallel.digest, serial.digest) << cases[i].name;
      EXPECT_EQ(difference(serial, parallel), "") << cases[i].name;
    }
  }
}

}  // namespace
}  // namespace polyloom::collective
