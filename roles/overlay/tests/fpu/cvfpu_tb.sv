// SPDX-License-Identifier: Apache-2.0
// cvfpu_tb: the overlay's FPU, for one thread, beside CVFPU: both are asked the same.
// verilog_format: off
module cvfpu_tb
  import polyloom_overlay_pkg::*;
(
    input logic clk_i,
    input logic rst_ni,
    // The overlay's
    input logic req_valid_i,
    input logic [4:0] op_i,
    input logic [2:0] rm_i,
    input logic [31:0] a_i,
    input logic [31:0] b_i,
    input logic [31:0] c_i,
    output logic valid_o,
    output logic [31:0] data_o,
    output logic [4:0] flags_o,
    // CVFPU
    input logic cv_valid_i,
    output logic cv_ready_o,
    input logic [3:0] cv_op_i,
    input logic cv_mod_i,
    input logic [2:0] cv_rm_i,
    input logic [2:0][31:0] cv_operands_i,
    output logic cv_valid_o,
    output logic [31:0] cv_data_o,
    output logic [4:0] cv_flags_o
);
  function automatic cfg_t smallest();
    cfg_t cfg;
    cfg = TINY;
    cfg.cores = 1;
    cfg.threads = 1;
    return cfg;
  endfunction

  fpu_req_t req;
  rsp_t rsp, div;
  logic rsp_valid, div_valid;
  assign req = '{op: fpu_op_e'(op_i), rm: rm_i, thread: '0, a: a_i, b: b_i, c: c_i};
  assign valid_o = rsp_valid || div_valid;
  assign data_o = div_valid ? div.data : rsp.data;
  assign flags_o = div_valid ? div.flags : rsp.flags;
  polyloom_overlay_fpu #(.Cfg(smallest())) i_fpu (.req_valid_i(req_valid_i), .req_i(req), .rsp_valid_o(rsp_valid),
      .rsp_o(rsp), .div_valid_o(div_valid), .div_o(div), .*);

  // Without registers: with some before its rounding, it takes the mode for the underflow flag from another operation.
  fpnew_pkg::status_t status;
  assign cv_flags_o = status;
  fpnew_top #(.Features(fpnew_pkg::RV32F), .Implementation(fpnew_pkg::DEFAULT_NOREGS), .PulpDivsqrt(1'b0)) i_cvfpu
      (.operands_i(cv_operands_i), .rnd_mode_i(fpnew_pkg::roundmode_e'(cv_rm_i)),
      .op_i(fpnew_pkg::operation_e'(cv_op_i)), .op_mod_i(cv_mod_i), .src_fmt_i(fpnew_pkg::FP32),
      .dst_fmt_i(fpnew_pkg::FP32), .int_fmt_i(fpnew_pkg::INT32), .vectorial_op_i(1'b0), .tag_i(1'b0), .simd_mask_i('1),
      .in_valid_i(cv_valid_i), .in_ready_o(cv_ready_o), .flush_i(1'b0), .result_o(cv_data_o), .status_o(status),
      .tag_o(unused_tag), .out_valid_o(cv_valid_o), .out_ready_i(1'b1), .busy_o(unused_busy), .*);
endmodule
