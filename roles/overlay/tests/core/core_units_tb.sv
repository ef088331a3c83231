// SPDX-License-Identifier: Apache-2.0
// core_units_tb: parts of a core alone, for cocotb; the cores as a whole are compared by core_rtl_test.cc.
module core_units_tb (
    input logic clk_i,
    input logic rst_ni
);
  if (1) begin : gen_ready_queue
    logic picked = 1'b0, again = 1'b0, valid, some, hold = 1'b0;
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
        .hold_i         (hold)
    );
  end

  for (genvar k = 0; k < 3; k++) begin : gen_resume
    localparam int unsigned Sizes[3] = '{16, 4, 1};
    localparam int unsigned Threads = Sizes[k];
    logic [3:0] turn = '0;
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
        .turn_i  (turn),
        .valid_i (valid),
        .thread_i(thread),
        .wake_i  (wake),
        .pick_o  (pick),
        .thread_o(picked)
    );
  end

  if (1) begin : gen_shifter
    logic valid = 1'b0, left = 1'b0, arith = 1'b0, ones;
    logic [31:0] data = '0, result;
    logic [4:0] amount = '0;
    polyloom_overlay_shifter i_dut (
        .clk_i,
        .s5_valid_i (valid),
        .s5_left_i  (left),
        .s5_arith_i (arith),
        .s5_data_i  (data),
        .s5_amount_i(amount),
        .s6_ones_o  (ones),
        .s7_result_o(result)
    );
  end

  if (1) begin : gen_regfile
    logic we = 1'b0;
    logic [3:0] thread = '0, wthread = '0;
    polyloom_overlay_pkg::reg_t [2:0] rs = '0;
    polyloom_overlay_pkg::reg_t rd = '0;
    logic [3:0] zero = '0;
    logic [3:0][31:0] data;
    logic [31:0] wdata = '0;
    polyloom_overlay_regfile #(
        .Fp(1'b1)
    ) i_dut (
        .clk_i,
        .thread_i (thread),
        .rs_i     (rs),
        .zero_i   (zero),
        .data_o   (data),
        .we_i     (we),
        .wthread_i(wthread),
        .rd_i     (rd),
        .wdata_i  (wdata)
    );
  end

  if (1) begin : gen_answers
    import polyloom_overlay_pkg::*;
    logic [4:0] valid = '0;  // hit, fill, pad, fpu, div from bit 0
    rsp_t [4:0] answer = '0;
    logic [15:0] wake = '0;
    logic [15:0][3:0] wake_bits = '0;
    logic [3:0] thread = '0, wthread = '0;
    logic [2:0] src = '0;
    logic side = 1'b0, side_now, we = 1'b0, wside = 1'b0;
    logic [31:0] data;
    logic [ 4:0] flags;
    polyloom_overlay_answers #(
        .Threads(16),
        .Fpu    (1'b1)
    ) i_dut (
        .clk_i,
        .hit_valid_i (valid[0]),
        .hit_i       (answer[0]),
        .fill_valid_i(valid[1]),
        .fill_i      (answer[1]),
        .pad_valid_i (valid[2]),
        .pad_i       (answer[2]),
        .fpu_valid_i (valid[3]),
        .fpu_i       (answer[3]),
        .div_valid_i (valid[4]),
        .div_i       (answer[4]),
        .wake_i      (wake),
        .wake_bits_i (wake_bits),
        .s2_thread_i (thread),
        .s2_src_i    (answer_src_e'(src)),
        .s2_side_i   (side),
        .s2_side_o   (side_now),
        .s7_we_i     (we),
        .s7_thread_i (wthread),
        .s7_side_i   (wside),
        .s4_data_o   (data),
        .s4_flags_o  (flags)
    );
  end
endmodule
