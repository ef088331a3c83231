// SPDX-License-Identifier: Apache-2.0
// How fast the model is: an all-to-all on 8 nodes. Usage: collective_speed [BYTES A NODE] [THREADS] [check]
#include <sys/resource.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "roles/collective/tests/bench.h"

namespace {

/// Of this process so far: in the program, and in the system for it (mostly first touches of memory).
std::pair<double, double> processor_seconds() {
  rusage used{};
  ::getrusage(RUSAGE_SELF, &used);
  const auto seconds = [](const timeval& t) {
    return static_cast<double>(t.tv_sec) + 1e-6 * static_cast<double>(t.tv_usec);
  };
  return {seconds(used.ru_utime), seconds(used.ru_stime)};
}

}  // namespace

int main(int argc, char** argv) {
  using namespace polyloom;
  using namespace polyloom::collective;
  using namespace polyloom::collective::test;
  const std::uint64_t bytes = argc > 1 ? std::strtoull(argv[1], nullptr, 0) : 64u << 20;
  const unsigned threads = argc > 2 ? static_cast<unsigned>(std::atoi(argv[2])) : 1;
  BenchOptions o{.params = small_params(8, std::max<std::uint64_t>(1 << 16, bytes / 4)),
                 .links = full_mesh(8),
                 .nodes = 8};
  o.params.block_check = argc > 3;
  Bench b(o);
  const auto block = static_cast<std::uint32_t>(bytes / 8);
  for (int n = 0; n < 8; ++n) {
    std::vector<Instruction> program;
    for (unsigned c = 0; c < 8; ++c) {
      std::memset(b.bytes(n, c), n * 8 + static_cast<int>(c), block);
      program.push_back(read(c, {0, block, 1, 0}));
      const int peer = static_cast<int>(c);
      const Pattern to{o.params.channel.bytes / 2, block, 1, 0};
      if (peer == n) {
        program.push_back(write(c, to, kFromRead + c));
        continue;
      }
      program.push_back(send(b.lane(n, peer), kFromRead + c));
      program.push_back(take(b.lane(n, peer)));
      program.push_back(write(c, to, kFromLane + b.lane(n, peer)));
    }
    program.push_back(go());
    program.push_back(end());
    b.start(n, program);
  }
  fabric::EngineOptions engine;
  if (threads > 1) engine.kind = fabric::EngineKind::threads, engine.threads = threads;
  const auto before = processor_seconds();
  const auto result = b.run(fabric::kNever, engine);
  const auto after = processor_seconds();
  if (!b.idle()) return 1;
  for (int n = 0; n < 8; ++n) {
    for (unsigned c = 0; c < 8; ++c) {
      const std::uint8_t* got = b.bytes(n, c) + o.params.channel.bytes / 2;
      const auto want = static_cast<std::uint8_t>(static_cast<int>(c) * 8 + n);
      if (got[0] != want || std::memcmp(got, got + 1, block - 1) != 0) return 2;
    }
  }
  const double seconds = static_cast<double>(b.engine(0).finish()) * 5e-9;
  const double beats = static_cast<double>(bytes) / 32 * 8;
  std::printf("%llu bytes a node: %.3f ms simulated, %.1f Gb/s a node, %.2f s wall, %.1f ns a lane-beat\n",
              static_cast<unsigned long long>(bytes), seconds * 1e3,
              8e-9 * static_cast<double>(bytes) / seconds, result.wall_seconds,
              result.wall_seconds * 1e9 / beats);
  std::printf("processor: %.1f ns a lane-beat, and %.1f in the system\n",
              (after.first - before.first) * 1e9 / beats, (after.second - before.second) * 1e9 / beats);
}
