// SPDX-License-Identifier: Apache-2.0
// fpu_tb: the rounding stages alone, for cocotb; the FPU as a whole is compared by overlay_fpu_rtl_test.cc.
module fpu_tb (
    input logic clk_i,
    input logic rst_ni
);
  import polyloom_overlay_fpu_pkg::*;

  if (1) begin : gen_round
    logic [1:0] valid = '0;
    normal_t normal = '0;
    owner_t owner;
    logic [31:0] word;
    logic [4:0] flags;
    polyloom_overlay_fpu_round i_dut (
        .clk_i,
        .valid_i (valid),
        .normal_i(normal),
        .owner_o (owner),
        .word_o  (word),
        .flags_o (flags)
    );
  end

  logic unused;
  assign unused = rst_ni;
endmodule
