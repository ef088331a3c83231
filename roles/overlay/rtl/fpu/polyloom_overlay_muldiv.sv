// SPDX-License-Identifier: Apache-2.0
// polyloom_overlay_muldiv: what a tile's cores share for M where there is no floating point.
// How:          as polyloom_overlay_fpu: requests take turns; the multiplier and the divider have responses of their own.
//                 req[core] -> queue -+-> multiplier -> rsp
//                                     '-> divider    -> div
// Latency:      LATENCY cycles from a request to its response if none is before it; 28 by the divider (sim/tile/timing.h).
// Throughput:   one operation a cycle; one in DIVIDE_INTERVAL cycles by the divider.
// Backpressure: none: a thread has one instruction in flight, and every thread has its place.
// Order/loss:   multiplier and divider in order of grants; nothing lost.
// Reset:        nothing is in flight; the first request may come in the first cycle after reset.
// Limits:       Cfg.cores 1, 2 or 4; Cfg.threads 1 to 16, powers of two (checked by polyloom_overlay_fpu).
// Cost:         see bench/core-area.
// Source:       Tinsel paper, III; own design.
// Tests:        test_polyloom_overlay_muldiv.py, overlay_fpu_rtl_test.cc, test_polyloom_overlay_fpu.py
module polyloom_overlay_muldiv
  import polyloom_overlay_pkg::*;
  import polyloom_overlay_fpu_pkg::*;
#(
    parameter cfg_t Cfg = TINY
) (
    input  logic                     clk_i,
    input  logic                     rst_ni,
    // From the cores
    input  logic     [Cfg.cores-1:0] req_valid_i,
    input  fpu_req_t [Cfg.cores-1:0] req_i,
    // To the cores: responses of the multiplier and of the divider
    output logic     [Cfg.cores-1:0] rsp_valid_o,
    output rsp_t                     rsp_o,
    output logic     [Cfg.cores-1:0] div_valid_o,
    output rsp_t                     div_o
);

  logic valid;
  muldiv_t operation;
  polyloom_overlay_muldiv_queue #(
      .Cfg(Cfg)
  ) i_queue (
      .clk_i,
      .rst_ni,
      .req_valid_i,
      .req_i,
      .valid_o(valid),
      .operation_o(operation)
  );

  logic product_valid, quotient_valid;
  owner_t product_owner, quotient_owner;
  polyloom_overlay_muldiv_multiplier i_multiplier (
      .clk_i,
      .rst_ni,
      .valid_i(valid && !operation.op[2]),
      .operation_i(operation),
      .valid_o(product_valid),
      .owner_o(product_owner),
      .word_o(rsp_o.data)
  );
  polyloom_overlay_muldiv_divider #(
      .Cfg(Cfg)
  ) i_divider (
      .clk_i,
      .rst_ni,
      .valid_i(valid && operation.op[2]),
      .operation_i(operation),
      .valid_o(quotient_valid),
      .owner_o(quotient_owner),
      .word_o(div_o.data)
  );

  assign rsp_o.thread = product_owner.thread;
  assign div_o.thread = quotient_owner.thread;
  assign rsp_o.flags  = '0;
  assign div_o.flags  = '0;
  for (genvar k = 0; k < Cfg.cores; k++) begin : gen_core
    assign rsp_valid_o[k] = product_valid && product_owner.core == 2'(k);
    assign div_valid_o[k] = quotient_valid && quotient_owner.core == 2'(k);
  end

endmodule
