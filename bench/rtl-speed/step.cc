// SPDX-License-Identifier: Apache-2.0
// Runs the cycles of a Verilated design without inputs but its clock. Usage: bench_rtl_step OBJECT CYCLES
// Prints {"seconds": host seconds, "rounds": what its port rounds_o grew by}.
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <exception>

#include "blocks/verilated/rtl_model.h"
#include "fabric/guarded.h"

namespace {

std::uint64_t value(const polyloom::blocks::RtlModel::Port& port) {
  std::uint64_t result = 0;
  std::memcpy(&result, port.data, sizeof result);
  return result;
}

void run(polyloom::blocks::RtlModel& model, long cycles) {
  for (long i = 0; i < cycles; ++i) {
    model.settle();
    model.step();
  }
  model.settle();
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 3) {
    std::fprintf(stderr, "usage: bench_rtl_step OBJECT CYCLES\n");
    return 2;
  }
  return polyloom::guarded([&] {
    polyloom::blocks::RtlModel model("design", argv[1], 1);
    const auto reset = model.input("rst_ni");
    const auto rounds = model.output("rounds_o");
    run(model, 4);
    reset.set_bit(0, true);
    run(model, 1000);
    const std::uint64_t before = value(rounds);
    const auto start = std::chrono::steady_clock::now();
    run(model, std::atol(argv[2]));
    const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - start;
    if (model.output("trap_o").bit(0)) throw std::runtime_error("a core has trapped");
    std::printf("{\"seconds\": %.6f, \"rounds\": %llu}\n", seconds.count(),
                static_cast<unsigned long long>(value(rounds) - before));
    return 0;
  });
}
