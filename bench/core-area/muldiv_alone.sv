// SPDX-License-Identifier: Apache-2.0
// muldiv_alone: the FPU of a tile between registers, of which only integer multiplication and division are asked, so that
// synthesis leaves out the rest: what M takes beside the cores.
module muldiv_alone
  import polyloom_overlay_pkg::*;
#(
    parameter int unsigned Cores = 4
) (
    input logic clk_i,
    input logic rst_ni,
    input logic [Cores-1:0] req_valid_i,
    input logic [Cores-1:0][2:0] req_op_i,
    input logic [Cores-1:0][3:0] req_thread_i,
    input logic [Cores-1:0][31:0] req_a_i,
    input logic [Cores-1:0][31:0] req_b_i,
    output logic [Cores-1:0] rsp_valid_o,
    output logic [3:0] rsp_thread_o,
    output logic [31:0] rsp_data_o,
    output logic [Cores-1:0] div_valid_o,
    output logic [3:0] div_thread_o,
    output logic [31:0] div_data_o
);
  function automatic cfg_t sizes();
    sizes = TINY;
    sizes.cores = Cores;
    sizes.fpu = 1'b0;
  endfunction

  logic [Cores-1:0] req_valid_q, rsp_valid, div_valid;
  logic [Cores-1:0][2:0] req_op_q;
  logic [Cores-1:0][3:0] req_thread_q;
  logic [Cores-1:0][31:0] req_a_q, req_b_q;
  fpu_req_t [Cores-1:0] req;
  rsp_t rsp, div;

  always_ff @(posedge clk_i) begin
    req_valid_q  <= req_valid_i;
    req_op_q     <= req_op_i;
    req_thread_q <= req_thread_i;
    req_a_q      <= req_a_i;
    req_b_q      <= req_b_i;
    rsp_valid_o  <= rsp_valid;
    rsp_thread_o <= rsp.thread;
    rsp_data_o   <= rsp.data;
    div_valid_o  <= div_valid;
    div_thread_o <= div.thread;
    div_data_o   <= div.data;
  end

  for (genvar i = 0; i < Cores; i++) begin : gen_req
    assign req[i] = '{
            op: fpu_op_e'({2'b0, req_op_q[i]}),
            rm: '0,
            thread: req_thread_q[i],
            a: req_a_q[i],
            b: req_b_q[i],
            c: '0
        };
  end

  polyloom_overlay_fpu #(
      .Cfg(sizes())
  ) i_fpu (
      .clk_i,
      .rst_ni,
      .req_valid_i(req_valid_q),
      .req_i      (req),
      .rsp_valid_o(rsp_valid),
      .rsp_o      (rsp),
      .div_valid_o(div_valid),
      .div_o      (div)
  );
endmodule
