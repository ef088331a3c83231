// SPDX-License-Identifier: Apache-2.0
// The environment's side of a model's contract (polyloom/hls/README.md, The model), for test_model.py's
// kernel.
#include <cstdio>
#include <cstdlib>

#include "kernel_model.h"

using namespace polyloom::hls;

extern "C" KernelModel* polyloom_kernel_model();

namespace {

void expect(bool right, const char* what) {
  if (right) return;
  std::printf("wrong: %s\n", what);
  std::exit(1);
}

// The word of a push that is asked for now, taken so many cycles later.
u64 pushed(KernelModel& kernel, u64 late = 0) {
  const Access& access = kernel.run();
  expect(access.touch == Touch::push, "a push comes");
  kernel.complete(access.cycle + late);
  return access.word;
}

void response(KernelModel& kernel, u64 word) {
  const Access& access = kernel.run();
  expect(access.touch == Touch::pop, "a pop comes");
  kernel.complete(access.cycle, word);
}

// Cycle of the first push of a kernel that began in ``start`` and is held for ``late`` cycles before.
u64 second_push(u64 start, u64 late) {
  KernelModel* kernel = polyloom_kernel_model();
  kernel->start(0, start);
  pushed(*kernel, late);
  const u64 cycle = kernel->run().cycle;
  delete kernel;
  return cycle;
}

}  // namespace

int main() {
  expect(second_push(1000, 0) == second_push(0, 0) + 1000, "a later start moves everything");
  expect(second_push(0, 17) == second_push(0, 0) + 17, "a late push moves what follows");

  KernelModel* kernel = polyloom_kernel_model();
  kernel->start(0, 0);
  const u32 box = static_cast<u32>(pushed(*kernel)), table = static_cast<u32>(pushed(*kernel));
  u64 word = 0;
  expect(kernel->dma_read(table + 8, word) && word == (u64{4} << 32 | 3),
         "DMA reads what was there at the start");
  expect(!kernel->dma_write(table, 9, 0xFF), "DMA does not write a constant");
  expect(kernel->find(table, true) == nullptr, "a constant is not to be written");
  expect(kernel->dma_read(table, word) && word == (u64{2} << 32 | 1), "and it has not");
  expect(!kernel->dma_read(8, word) && !kernel->dma_write(0x8000'0000, 1, 0xFF), "no object is there");

  expect(kernel->dma_write(box, 0x1111'1111'1111'1111, 0xFF), "DMA writes");
  expect(kernel->dma_write(box, 0x2222'2222'2222'2222, 0x0C), "some bytes");
  expect(kernel->dma_write(box + 56, 5, 0xFF), "the last word");
  response(*kernel, 1);
  const u64 sum = 0x1111'1111'2222'1111 + 5;
  expect(pushed(*kernel) == sum, "a load after the pop sees what DMA wrote");
  expect(kernel->dma_read(box, word) && word == sum, "DMA sees what was stored before the push");
  std::memset(kernel->find(box, true), 0, 8);
  response(*kernel, 1);
  expect(pushed(*kernel) == 5, "find gives the memory itself");

  response(*kernel, 0);  // now it looks at the last word until that is 99
  u64 last = 0;
  for (u64 limit = 10'000; limit <= 50'000; limit += 10'000) {
    const Access& access = kernel->run(limit);
    expect(access.touch == Touch::pause, "no access: a pause");
    expect(access.cycle >= limit && access.cycle < limit + 100 && access.cycle > last, "near the limit");
    last = access.cycle;
  }
  kernel->complete(last + 1'000'000);
  expect(kernel->run(last + 1'000'001).cycle > last + 1'000'000, "a pause may be long");
  kernel->dma_write(box + 56, 99, 0xFF);
  expect(kernel->run().touch == Touch::done, "it has seen the word, and ends");
  delete kernel;
  std::printf("right\n");
  return 0;
}
