// SPDX-License-Identifier: Apache-2.0
// Runs a kernel's model as fast as it goes: nothing waits, DRAM responds in the next cycle.
//
// Arguments: FILE SEED STALL CYCLES RANK, as of harness.cc, whose SEED and STALL mean nothing here.
// Output: as of harness.cc without stalls.
#include <cinttypes>
#include <cstdio>
#include <cstdlib>
#include <deque>
#include <memory>
#include <unordered_map>

#include "kernel_model.h"

using polyloom::hls::Access;
using polyloom::hls::KernelModel;
using polyloom::hls::Touch;

extern "C" KernelModel* polyloom_kernel_model();

namespace {

constexpr unsigned kPorts = 4;

std::deque<uint64_t> words[kPorts];
std::unordered_map<uint32_t, uint64_t> dram;

void load(const char* path) {
  std::FILE* file = std::fopen(path, "r");
  unsigned port = 0;
  uint64_t word = 0;
  while (file != nullptr && std::fscanf(file, "%u %" SCNu64, &port, &word) == 2)
    words[port % kPorts].push_back(word);
}

void write(const Access& access) {
  for (int i = 0; i < 8; i++) {
    const uint64_t mask = uint64_t{0xFF} << (8 * i);
    uint64_t& word = dram[access.address];
    if (access.strobe >> i & 1) word = (word & ~mask) | (access.word & mask);
  }
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 6) return 2;
  load(argv[1]);
  const uint64_t limit = std::strtoull(argv[4], nullptr, 10);
  const std::unique_ptr<KernelModel> kernel(polyloom_kernel_model());
  kernel->start(static_cast<uint32_t>(std::atoi(argv[5])), 0);
  for (;;) {
    const Access& access = kernel->run(limit);
    if (access.cycle >= limit || (access.touch == Touch::pop && words[access.port].empty())) {
      std::printf("stuck %" PRIu64 "\n", access.cycle);
      return 0;
    }
    switch (access.touch) {
      case Touch::push:
        std::printf("%u %" PRIu64 "\n", access.port, access.word);
        kernel->complete(access.cycle);
        break;
      case Touch::pop:
        kernel->complete(access.cycle, words[access.port].front());
        words[access.port].pop_front();
        break;
      case Touch::read:
        kernel->complete(access.cycle + 1, dram[access.address]);
        break;
      case Touch::write:
        write(access);
        kernel->complete(access.cycle);
        break;
      case Touch::cycle:
        kernel->complete(access.cycle, access.cycle);
        break;
      case Touch::done:
        std::printf("cycles %" PRIu64 "\n", access.cycle);
        return 0;
      case Touch::fault:
        std::printf("%s\n", kernel->message());
        return 1;
      case Touch::pause:
        break;
    }
  }
}
