// SPDX-License-Identifier: Apache-2.0
// axi_tb: all test objects of the folder in one binary; a test drives the signals of one scope.
// verilog_format: off
module axi_tb (
    input logic clk_i,
    input logic rst_ni
);

  import polyloom_axi_pkg::*;

  for (genvar m = 0; m < 2; m++) begin : gen_mux  // by id, by order
    logic [1:0] aw_valid = '0, aw_ready, w_valid = '0, w_ready, b_valid, b_ready = '0;
    logic [1:0] ar_valid = '0, ar_ready, r_valid, r_ready = '0;
    ax_t [1:0] aw = '0, ar = '0;
    w_t [1:0] w = '0;
    b_t [1:0] b;
    r_t [1:0] r;
    logic m_aw_valid, m_aw_ready = 1'b0, m_w_valid, m_w_ready = 1'b0, m_b_valid = 1'b0, m_b_ready;
    logic m_ar_valid, m_ar_ready = 1'b0, m_r_valid = 1'b0, m_r_ready;
    ax_t m_aw, m_ar;
    w_t m_w;
    b_t m_b = '0;
    r_t m_r = '0;

    req_t [1:0] in_req;
    rsp_t [1:0] in_rsp;
    req_t out_req;
    rsp_t out_rsp;
    logic [2:0][7:0] broken;

    for (genvar i = 0; i < 2; i++) begin : gen_in
      assign in_req[i] = '{aw_valid[i], aw[i], w_valid[i], w[i], b_ready[i], ar_valid[i], ar[i], r_ready[i]};
      assign {aw_ready[i], w_ready[i], b_valid[i], b[i], ar_ready[i], r_valid[i], r[i]} = in_rsp[i];
      polyloom_axi_checker i_checker (.req_i(in_req[i]), .rsp_i(in_rsp[i]), .broken_o(broken[i]), .*);
    end
    assign {m_aw_valid, m_aw, m_w_valid, m_w, m_b_ready, m_ar_valid, m_ar, m_r_ready} = out_req;
    assign out_rsp = '{m_aw_ready, m_w_ready, m_b_valid, m_b, m_ar_ready, m_r_valid, m_r};

    polyloom_axi_mux #(.ByOrder(m == 1), .Outstanding(4)) i_dut (.in_req_i(in_req), .in_rsp_o(in_rsp),
        .out_req_o(out_req), .out_rsp_i(out_rsp), .*);
    polyloom_axi_checker i_checker (.req_i(out_req), .rsp_i(out_rsp), .broken_o(broken[2]), .*);
  end

  if (1) begin : gen_checker  // both ends driven by the test
    logic aw_valid = 1'b0, w_valid = 1'b0, b_ready = 1'b0, ar_valid = 1'b0, r_ready = 1'b0;
    logic aw_ready = 1'b0, w_ready = 1'b0, b_valid = 1'b0, ar_ready = 1'b0, r_valid = 1'b0;
    ax_t aw = '0, ar = '0;
    w_t w = '0;
    b_t b = '0;
    r_t r = '0;
    polyloom_axi_checker #(.Stop(1'b0)) i_dut (.req_i('{aw_valid, aw, w_valid, w, b_ready, ar_valid, ar, r_ready}),
        .rsp_i('{aw_ready, w_ready, b_valid, b, ar_ready, r_valid, r}), .*);
  end

  if (1) begin : gen_arbiter
    polyloom_axi_mux_arbiter i_dut (.*);
  end

  for (genvar d = 0; d < 3; d++) begin : gen_list  // 2, 3, 8 entries
    localparam int unsigned Depths[3] = '{2, 3, 8};
    polyloom_axi_mux_list #(.Depth(Depths[d])) i_dut (.who_i(who_in), .*);
  end

endmodule
