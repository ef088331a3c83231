// SPDX-License-Identifier: Apache-2.0
// A kernel's model behind circuit.h: its accesses as the pins of the circuit, cycle by cycle. DMA takes
// place at once although the model may be ahead, and costs as many cycles as the model says of the average.
#include <cstdio>
#include <cstdlib>
#include <memory>

#include "circuit.h"
#include "kernel_model.h"

using polyloom::hls::Access;
using polyloom::hls::KernelModel;
using polyloom::hls::Touch;

extern "C" KernelModel* polyloom_kernel_model();

namespace {

constexpr uint64_t kAhead = 1000;  // cycles; a kernel may never touch the outside again

std::unique_ptr<KernelModel> kernel;
const Access* next = nullptr;
uint64_t now = 0;
double lost = 0;                       // cycles of those before the next access, to DMA
bool high = false, requested = false;  // of a read: the request was taken
struct {
  bool valid, error;
  uint64_t data;
} response = {}, next_response = {};  // of DMA

void go_on() {
  requested = false;
  lost = 0;
  next = &kernel->run(now + kAhead);
}

uint64_t due() { return next->cycle + static_cast<uint64_t>(lost); }

bool at(Touch touch) { return next->touch == touch && due() <= now; }

void outputs(Pins& pins) {
  for (unsigned port = 0; port < kPorts; port++) {
    pins.push[port].valid = at(Touch::push) && next->port == port;
    pins.push[port].word = next->word;
    pins.pop[port].ready = at(Touch::pop) && next->port == port;
  }
  pins.dram_write_o = at(Touch::write);
  pins.dram_req_valid_o = pins.dram_write_o || (at(Touch::read) && !requested);
  pins.dram_addr_o = next->address;
  pins.dram_wdata_o = next->word;
  pins.dram_strb_o = next->strobe;
  pins.done_o = at(Touch::done);
  pins.dma_req_ready_o = true;
  pins.dma_rsp_valid_o = response.valid;
  pins.dma_rdata_o = response.data;
  pins.dma_error_o = response.error;
}

void complete(uint64_t word = 0) {
  kernel->complete(now, word);
  go_on();
}

void edge(const Pins& pins) {
  response = next_response;
  next_response = {};
  if (pins.dma_req_valid_i && now < due()) lost += kernel->cost_of_dma(pins.dma_addr_i);
  if (pins.dma_req_valid_i && pins.dma_write_i)
    kernel->dma_write(pins.dma_addr_i, pins.dma_wdata_i, pins.dma_strb_i);
  else if (pins.dma_req_valid_i)
    next_response = {true, !kernel->dma_read(pins.dma_addr_i, next_response.data), next_response.data};
  if (at(Touch::push) && pins.push[next->port].ready) {
    complete();
  } else if (at(Touch::pop) && pins.pop[next->port].valid) {
    complete(pins.pop[next->port].word);
  } else if (at(Touch::read)) {
    if (requested && pins.dram_rsp_valid_i)
      complete(pins.dram_rdata_i);
    else
      requested |= pins.dram_req_ready_i;
  } else if (at(Touch::write) && pins.dram_req_ready_i) {
    complete();
  } else if (at(Touch::cycle)) {
    complete(pins.cycle_i);
  } else if (at(Touch::pause)) {
    complete();
  }
  if (at(Touch::fault)) {
    std::printf("%s\n", kernel->message());
    std::exit(1);
  }
  now++;
}

}  // namespace

void circuit_start(unsigned) { kernel.reset(polyloom_kernel_model()); }

void circuit_eval(Pins& pins) {
  const bool rises = pins.clk_i && !high;
  high = pins.clk_i;
  if (!pins.rst_ni) return;
  if (next == nullptr) {
    kernel->start(pins.rank_i, now);
    go_on();
  }
  if (rises) edge(pins);
  outputs(pins);
}

void circuit_end() { kernel.reset(); }
