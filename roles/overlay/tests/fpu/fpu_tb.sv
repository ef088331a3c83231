// SPDX-License-Identifier: Apache-2.0
// fpu_tb: parts of the FPU alone, and of what multiplies and divides integers where there is none, for cocotb; the
// FPU as a whole is compared by overlay_fpu_rtl_test.cc.
// verilog_format: off
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
    polyloom_overlay_fpu_round i_dut (.*);
  end

  if (1) begin : gen_prepare
    polyloom_overlay_fpu_prepare i_dut (.*);
  end

  if (1) begin : gen_sum
    polyloom_overlay_fpu_sum i_dut (.*);
  end

  if (1) begin : gen_pipe
    polyloom_overlay_fpu_pipe i_dut (.valid_o(done), .*);
  end

  for (genvar k = 0; k < 2; k++) begin : gen_divider
    polyloom_overlay_fpu_divider #(.Cfg(sized(k))) i_dut (.valid_o(done), .*);
  end

  for (genvar k = 0; k < 3; k++) begin : gen_queue
    polyloom_overlay_fpu_queue #(.Cfg(sized(k))) i_dut (.req_valid_i(requests), .*);
  end

  if (1) begin : gen_muldiv
    polyloom_overlay_muldiv #(.Cfg(sized(2))) i_dut (.req_valid_i(requests), .*);
  end

  for (genvar k = 0; k < 3; k++) begin : gen_muldiv_queue
    polyloom_overlay_muldiv_queue #(.Cfg(sized(k))) i_dut (.req_valid_i(requests), .*);
  end

  if (1) begin : gen_multiplier
    polyloom_overlay_muldiv_multiplier i_dut (.valid_o(done), .*);
  end

  for (genvar k = 0; k < 2; k++) begin : gen_muldiv_divider
    polyloom_overlay_muldiv_divider #(.Cfg(sized(k))) i_dut (.valid_o(done), .*);
  end
endmodule
