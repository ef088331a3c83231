// SPDX-License-Identifier: Apache-2.0
// polyloom_overlay_fpu: what a tile's cores share for floating point, integer multiplication and division.
// How:          requests take turns; a pipeline does all that does not divide, the divider the rest, with responses of its own, so
//               that no two responses meet. Without floating point it is polyloom_overlay_muldiv, with the same times.
//                 req[core] -> queue -+-> pipe    -> rsp
//                                     '-> divider -> div
// Latency:      10 cycles from a request to its response if none is before it; 28 by the divider (sim/tile/timing.h).
// Throughput:   one operation a cycle; one in DIVIDE_INTERVAL cycles by the divider.
// Backpressure: none: a thread has one instruction in flight, and every thread has its place.
// Order/loss:   pipeline and divider in order of grants; nothing lost.
// Reset:        nothing is in flight; the first request may come in the first cycle after reset.
// Limits:       Cfg.cores 1, 2 or 4; Cfg.threads 1 to 16, powers of two (checked).
// Cost:         6,053 LUT4 (queue 1,264, pipeline 2,786, divider 1,987), 2,193 FF, 4 MULT18, 3 EBR, 83 MHz, which the queue's
//               arbiter limits; the pipeline alone 105 MHz (ECP5, one seed; Yosys 0.70, nextpnr 0.11, 2026-11). CVFPU in the
//               same flow: without division 7,809 LUT4 and 30 MHz with 8 registers spread over it, its divider 6,217 LUT4 and
//               37 MHz. With registers before its rounding, fpnew_fma takes the rounding mode for the underflow flag from its
//               input, another operation's by then.
// Source:       Tinsel paper, III; own design.   Tests: overlay_fpu_rtl_test.cc, test_polyloom_overlay_fpu.py
module polyloom_overlay_fpu
  import polyloom_overlay_pkg::*;
  import polyloom_overlay_fpu_pkg::*;
#(
    parameter cfg_t Cfg = TINY
) (
    input logic clk_i,
    input logic rst_ni,
    // From the cores
    input logic [Cfg.cores-1:0] req_valid_i,
    input fpu_req_t [Cfg.cores-1:0] req_i,
    // To the cores: responses of the pipeline and of the divider
    output logic [Cfg.cores-1:0] rsp_valid_o,
    output rsp_t rsp_o,
    output logic [Cfg.cores-1:0] div_valid_o,
    output rsp_t div_o
);

  if (!(Cfg.cores inside {1, 2, 4})) begin : gen_bad_cores
    $error("%m: Cfg.cores is %0d; it may be 1, 2 or 4", Cfg.cores);
  end
  if (!(Cfg.threads inside {1, 2, 4, 8, 16})) begin : gen_bad_threads
    $error("%m: Cfg.threads is %0d; it may be 1, 2, 4, 8 or 16", Cfg.threads);
  end

  if (!Cfg.fpu && !Cfg.muldiv) begin : gen_nothing
    assign rsp_valid_o = '0;
    assign rsp_o = '0;
    assign div_valid_o = '0;
    assign div_o = '0;
    logic unused;
    assign unused = ^{clk_i, rst_ni, req_valid_i, req_i};
  end else if (!Cfg.fpu) begin : gen_muldiv
    polyloom_overlay_muldiv #(
        .Cfg(Cfg)
    ) i_muldiv (
        .clk_i,
        .rst_ni,
        .req_valid_i,
        .req_i,
        .rsp_valid_o,
        .rsp_o,
        .div_valid_o,
        .div_o
    );
  end else begin : gen_fpu
    logic valid, divides;
    operation_t operation;
    polyloom_overlay_fpu_queue #(
        .Cfg(Cfg)
    ) i_queue (
        .clk_i,
        .rst_ni,
        .req_valid_i,
        .req_i,
        .valid_o(valid),
        .operation_o(operation)
    );
    assign divides = operation.op inside {FPU_DIV, FPU_DIVU, FPU_REM, FPU_REMU, FPU_FDIV, FPU_FSQRT};

    logic pipe_valid, divider_valid;
    owner_t pipe_owner, divider_owner;
    polyloom_overlay_fpu_pipe i_pipe (
        .clk_i,
        .rst_ni,
        .valid_i(valid && !divides),
        .operation_i(operation),
        .valid_o(pipe_valid),
        .owner_o(pipe_owner),
        .word_o(rsp_o.data),
        .flags_o(rsp_o.flags)
    );
    polyloom_overlay_fpu_divider #(
        .Cfg(Cfg)
    ) i_divider (
        .clk_i,
        .rst_ni,
        .valid_i(valid && divides),
        .operation_i(operation),
        .valid_o(divider_valid),
        .owner_o(divider_owner),
        .word_o(div_o.data),
        .flags_o(div_o.flags)
    );

    assign rsp_o.thread = pipe_owner.thread;
    assign div_o.thread = divider_owner.thread;
    for (genvar k = 0; k < Cfg.cores; k++) begin : gen_core
      assign rsp_valid_o[k] = pipe_valid && pipe_owner.core == 2'(k);
      assign div_valid_o[k] = divider_valid && divider_owner.core == 2'(k);
    end
  end

endmodule
