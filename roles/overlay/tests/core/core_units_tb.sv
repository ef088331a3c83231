// SPDX-License-Identifier: Apache-2.0
// core_units_tb: parts of a core alone, for cocotb; the cores as a whole are compared by core_rtl_test.cc.
module core_units_tb (
    input logic clk_i,
    input logic rst_ni
);
  if (1) begin : gen_ready_queue
    logic picked = 1'b0, again = 1'b0, valid, some, pop = 1'b0;
    logic [3:0] picked_thread = '0, again_thread = '0, head;
    polyloom_overlay_ready_queue i_dut (
        .clk_i,
        .rst_ni,
        .picked_i       (picked),
        .picked_thread_i(picked_thread),
        .again_i        (again),
        .again_thread_i (again_thread),
        .valid_o        (valid),
        .some_o         (some),
        .head_o         (head),
        .pop_i          (pop)
    );
  end

  for (genvar k = 0; k < 3; k++) begin : gen_resume
    localparam int unsigned Sizes[3] = '{16, 4, 1};
    localparam int unsigned Threads = Sizes[k];
    logic [6:0] phase = '0;
    logic [2:0] valid = '0;
    logic [2:0][3:0] thread = '0;
    logic [Threads-1:0] wake = '0;
    logic pick;
    logic [3:0] picked;
    polyloom_overlay_resume #(
        .Threads(Threads),
        .Ports  (3)
    ) i_dut (
        .clk_i,
        .rst_ni,
        .phase_i (phase),
        .valid_i (valid),
        .thread_i(thread),
        .wake_i  (wake),
        .pick_o  (pick),
        .thread_o(picked)
    );
  end
endmodule
