// SPDX-License-Identifier: Apache-2.0
// One Verilated kernel behind circuit.h. Included by a file that includes what Verilator wrote, too.
#include "circuit.h"

#include "Vpolyloom_kernel_app.h"

namespace {

Vpolyloom_kernel_app* top;

// A kernel has ports besides port 0 only if it uses them.
#define POLYLOOM_PORT(N)                                                                            \
  template <typename T>                                                                             \
  void inputs_##N(T& to, const Pins& pins) {                                                        \
    if constexpr (requires { to.push_##N##_ready_i; }) to.push_##N##_ready_i = pins.push[N].ready;  \
    if constexpr (requires { to.pop_##N##_valid_i; }) {                                             \
      to.pop_##N##_valid_i = pins.pop[N].valid;                                                     \
      to.pop_##N##_i = pins.pop[N].word;                                                            \
    }                                                                                               \
  }                                                                                                 \
  template <typename T>                                                                             \
  void outputs_##N(const T& from, Pins& pins) {                                                     \
    if constexpr (requires { from.push_##N##_valid_o; }) {                                          \
      pins.push[N].valid = from.push_##N##_valid_o;                                                 \
      pins.push[N].word = from.push_##N##_o;                                                        \
    }                                                                                               \
    if constexpr (requires { from.pop_##N##_ready_o; }) pins.pop[N].ready = from.pop_##N##_ready_o; \
  }

POLYLOOM_PORT(1)
POLYLOOM_PORT(2)
POLYLOOM_PORT(3)

void inputs(const Pins& pins) {
  top->clk_i = pins.clk_i;
  top->rst_ni = pins.rst_ni;
  top->rank_i = pins.rank_i;
  top->cycle_i = pins.cycle_i;
  top->cmd_ready_i = pins.push[0].ready;
  top->rsp_valid_i = pins.pop[0].valid;
  top->rsp_i = pins.pop[0].word;
  inputs_1(*top, pins);
  inputs_2(*top, pins);
  inputs_3(*top, pins);
  top->dma_req_valid_i = pins.dma_req_valid_i;
  top->dma_write_i = pins.dma_write_i;
  top->dma_addr_i = pins.dma_addr_i;
  top->dma_wdata_i = pins.dma_wdata_i;
  top->dma_strb_i = pins.dma_strb_i;
  top->dram_req_ready_i = pins.dram_req_ready_i;
  top->dram_rsp_valid_i = pins.dram_rsp_valid_i;
  top->dram_rdata_i = pins.dram_rdata_i;
}

void outputs(Pins& pins) {
  pins.done_o = top->done_o;
  pins.push[0].valid = top->cmd_valid_o;
  pins.push[0].word = top->cmd_o;
  pins.pop[0].ready = top->rsp_ready_o;
  outputs_1(*top, pins);
  outputs_2(*top, pins);
  outputs_3(*top, pins);
  pins.dma_req_ready_o = top->dma_req_ready_o;
  pins.dma_rsp_valid_o = top->dma_rsp_valid_o;
  pins.dma_rdata_o = top->dma_rdata_o;
  pins.dma_error_o = top->dma_error_o;
  pins.dram_req_valid_o = top->dram_req_valid_o;
  pins.dram_write_o = top->dram_write_o;
  pins.dram_addr_o = top->dram_addr_o;
  pins.dram_wdata_o = top->dram_wdata_o;
  pins.dram_strb_o = top->dram_strb_o;
}

}  // namespace

void circuit_start(unsigned seed) {
  Verilated::defaultContextp()->randReset(2);
  Verilated::defaultContextp()->randSeed(static_cast<int>(seed % 1000000 + 1));
  top = new Vpolyloom_kernel_app;
}

void circuit_eval(Pins& pins) {
  inputs(pins);
  top->eval();
  outputs(pins);
}

void circuit_end() {
  top->final();
  delete top;
}
