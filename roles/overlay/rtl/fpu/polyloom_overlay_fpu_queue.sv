// SPDX-License-Identifier: Apache-2.0
// polyloom_overlay_fpu_queue: takes the cores' requests to the FPU and grants one a cycle.
// How:          a FIFO for each core; cores take turns, the next after the last granted. A request is in its FIFO the cycle after
//               it came, so every grant is made a cycle late: in the same order as if it were made at once.
// Latency:      2 cycles from a request to a granted operation, if none is before it.
// Throughput:   one operation a cycle.
// Backpressure: none: a thread has one instruction in flight, so a FIFO of all threads of a core never overflows.
// Order/loss:   in order within a core; nothing lost.
// Reset:        empty; core 0 has the first turn. Requests are taken in the first cycle after reset.
// Limits:       Cfg.cores 1, 2 or 4 and Cfg.threads 1 to 16, powers of two (checked by polyloom_overlay_fpu); a request into a full FIFO (asserted).
// Cost:         see polyloom_overlay_fpu.
// Source:       own design; the order is that of roles/overlay/sim/tile/unit_queue.h.
// Tests:        test_polyloom_overlay_fpu_queue.py, overlay_fpu_rtl_test.cc, test_polyloom_overlay_fpu.py
module polyloom_overlay_fpu_queue
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
    // To the units
    output logic valid_o,
    output operation_t operation_o
);

  logic [Cfg.cores-1:0] waiting, accepted, full;
  fpu_req_t [Cfg.cores-1:0] head;

  for (genvar k = 0; k < Cfg.cores; k++) begin : gen_core
    logic ready;
    polyloom_stream_lut_fifo #(
        .T(fpu_req_t),
        .Depth(Cfg.threads)
    ) i_fifo (
        .clk_i,
        .rst_ni,
        .flush_i(1'b0),
        .in_valid_i(req_valid_i[k]),
        .in_ready_o(ready),
        .in_i(req_i[k]),
        .out_valid_o(waiting[k]),
        .out_ready_i(accepted[k]),
        .out_o(head[k])
    );
    assign full[k] = !ready;
  end

  // One bit for each core that comes after the one granted last: of those that wait, the lowest in this set goes first.
  logic [Cfg.cores-1:0] later_q, later, candidates;
  assign later = waiting & later_q;
  assign candidates = later != '0 ? later : waiting;
  assign accepted = candidates & (~candidates + 1'b1);

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      later_q <= '0;
      valid_o <= 1'b0;
    end else begin
      if (waiting != '0) later_q <= ~(accepted | (accepted - 1'b1));
      valid_o <= waiting != '0;
      assert ((req_valid_i & full) == '0)
      else $error("%m: a core has more requests than threads");
    end
  end

  always_ff @(posedge clk_i) begin
    if (waiting != '0) begin
      for (int unsigned k = 0; k < Cfg.cores; k++) begin
        if (accepted[k]) begin
          operation_o <= '{
              owner: '{core: 2'(k), thread: head[k].thread},
              op: head[k].op,
              rm: head[k].rm,
              a: head[k].a,
              b: head[k].b,
              c: head[k].c
          };
        end
      end
    end
  end

endmodule
