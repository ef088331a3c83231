// SPDX-License-Identifier: Apache-2.0
// fpu_tb: parts of the FPU alone, and of what multiplies and divides integers where there is none, for cocotb; the
// FPU as a whole is compared by overlay_fpu_rtl_test.cc.
module fpu_tb (
    input logic clk_i,
    input logic rst_ni
);
  import polyloom_overlay_pkg::*;
  import polyloom_overlay_fpu_pkg::*;

  typedef int unsigned numbers_t[3];
  localparam numbers_t CORES = '{4, 1, 2};
  localparam numbers_t THREADS = '{16, 1, 2};  // dividers: the first two

  function automatic cfg_t sized(input int unsigned which);
    cfg_t cfg;
    cfg = TINY;
    cfg.cores = CORES[which];
    cfg.threads = THREADS[which];
    return cfg;
  endfunction

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

  if (1) begin : gen_prepare
    logic [1:0] valid = '0;
    operation_t operation = '0;
    logic signed [32:0] x, y;
    beside_t beside;
    logic [23:0] addend;
    logic [6:0] shift;
    polyloom_overlay_fpu_prepare i_dut (
        .clk_i,
        .valid_i    (valid),
        .operation_i(operation),
        .x_o        (x),
        .y_o        (y),
        .beside_o   (beside),
        .addend_o   (addend),
        .shift_o    (shift)
    );
  end

  if (1) begin : gen_sum
    logic [4:0] valid = '0;
    logic signed [32:0] x = '0, y = '0;
    beside_t beside = '0;
    logic [23:0] addend = '0;
    logic [6:0] shift = '0;
    normal_t normal;
    polyloom_overlay_fpu_sum i_dut (
        .clk_i,
        .valid_i (valid),
        .x_i     (x),
        .y_i     (y),
        .beside_i(beside),
        .addend_i(addend),
        .shift_i (shift),
        .normal_o(normal)
    );
  end

  if (1) begin : gen_pipe
    logic valid = 1'b0, done;
    operation_t operation = '0;
    owner_t owner;
    logic [31:0] word;
    logic [4:0] flags;
    polyloom_overlay_fpu_pipe i_dut (
        .clk_i,
        .rst_ni,
        .valid_i    (valid),
        .operation_i(operation),
        .valid_o    (done),
        .owner_o    (owner),
        .word_o     (word),
        .flags_o    (flags)
    );
  end

  for (genvar k = 0; k < 2; k++) begin : gen_divider
    logic valid = 1'b0, done;
    operation_t operation = '0;
    owner_t owner;
    logic [31:0] word;
    logic [4:0] flags;
    polyloom_overlay_fpu_divider #(
        .Cfg(sized(k))
    ) i_dut (
        .clk_i,
        .rst_ni,
        .valid_i    (valid),
        .operation_i(operation),
        .valid_o    (done),
        .owner_o    (owner),
        .word_o     (word),
        .flags_o    (flags)
    );
  end

  for (genvar k = 0; k < 3; k++) begin : gen_queue
    logic [CORES[k]-1:0] asks = '0;
    fpu_req_t [CORES[k]-1:0] req = '0;
    logic valid;
    operation_t operation;
    polyloom_overlay_fpu_queue #(
        .Cfg(sized(k))
    ) i_dut (
        .clk_i,
        .rst_ni,
        .req_valid_i(asks),
        .req_i      (req),
        .valid_o    (valid),
        .operation_o(operation)
    );
  end

  if (1) begin : gen_muldiv
    logic [CORES[2]-1:0] asks = '0, rsp_valid, div_valid;
    fpu_req_t [CORES[2]-1:0] req = '0;
    rsp_t rsp, div;
    polyloom_overlay_muldiv #(
        .Cfg(sized(2))
    ) i_dut (
        .clk_i,
        .rst_ni,
        .req_valid_i(asks),
        .req_i      (req),
        .rsp_valid_o(rsp_valid),
        .rsp_o      (rsp),
        .div_valid_o(div_valid),
        .div_o      (div)
    );
  end

  for (genvar k = 0; k < 3; k++) begin : gen_muldiv_queue
    logic [CORES[k]-1:0] asks = '0;
    fpu_req_t [CORES[k]-1:0] req = '0;
    logic valid;
    muldiv_t operation;
    polyloom_overlay_muldiv_queue #(
        .Cfg(sized(k))
    ) i_dut (
        .clk_i,
        .rst_ni,
        .req_valid_i(asks),
        .req_i      (req),
        .valid_o    (valid),
        .operation_o(operation)
    );
  end

  if (1) begin : gen_multiplier
    logic valid = 1'b0, done;
    muldiv_t operation = '0;
    owner_t owner;
    logic [31:0] word;
    polyloom_overlay_muldiv_multiplier i_dut (
        .clk_i,
        .rst_ni,
        .valid_i    (valid),
        .operation_i(operation),
        .valid_o    (done),
        .owner_o    (owner),
        .word_o     (word)
    );
  end

  for (genvar k = 0; k < 2; k++) begin : gen_muldiv_divider
    logic valid = 1'b0, done;
    muldiv_t operation = '0;
    owner_t owner;
    logic [31:0] word;
    polyloom_overlay_muldiv_divider #(
        .Cfg(sized(k))
    ) i_dut (
        .clk_i,
        .rst_ni,
        .valid_i    (valid),
        .operation_i(operation),
        .valid_o    (done),
        .owner_o    (owner),
        .word_o     (word)
    );
  end
endmodule
