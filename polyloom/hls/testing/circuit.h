// SPDX-License-Identifier: Apache-2.0
// A kernel as the harness sees it: pins, and three functions. The harness is compiled once; circuit.cc, which
// makes this of a Verilated kernel, with each.
#pragma once
#include <cstdint>

constexpr int kPorts = 4;

struct Stream {
  bool valid, ready;
  uint64_t word;
};

// Named as in roles/mpi/ENGINE.md; push[0] is cmd, pop[0] is rsp. A port that a kernel lacks stays as it
// is.
struct Pins {
  bool clk_i, rst_ni, done_o;
  uint16_t rank_i;
  uint64_t cycle_i;
  Stream push[kPorts], pop[kPorts];
  bool dma_req_valid_i, dma_req_ready_o, dma_write_i, dma_rsp_valid_o, dma_error_o;
  bool dram_req_valid_o, dram_req_ready_i, dram_write_o, dram_rsp_valid_i;
  uint8_t dma_strb_i, dram_strb_o;
  uint32_t dma_addr_i, dram_addr_o;
  uint64_t dma_wdata_i, dma_rdata_o, dram_wdata_o, dram_rdata_i;
};

// What is not reset gets a value drawn with ``seed``.
void circuit_start(unsigned seed);
// Sets the inputs, lets the circuit settle, gets the outputs.
void circuit_eval(Pins& pins);
void circuit_end();
