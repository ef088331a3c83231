// SPDX-License-Identifier: Apache-2.0
// ibex_ipc: Ibex with a memory that takes a request a cycle and answers in the next.
module ibex_ipc;
  logic clk = 0, rst_n = 0;
  always #5 clk = !clk;
  initial begin
    repeat (10) @(negedge clk);
    rst_n = 1;
  end
  logic code_req, code_ack, data_req, data_ack, data_we;
  logic [3:0] data_be;
  logic [31:0] code_addr, code_data, data_addr, data_wdata, data_rdata;

  ibex_alone #(
      .Boot(32'h0000_0000)  // it starts at 80 from there
  ) i_core (
      .clk_i(clk),
      .rst_ni(rst_n),
      .instr_req_o(code_req),
      .instr_gnt_i(1'b1),
      .instr_rvalid_i(code_ack),
      .instr_addr_o(code_addr),
      .instr_rdata_i(code_data),
      .data_req_o(data_req),
      .data_gnt_i(1'b1),
      .data_rvalid_i(data_ack),
      .data_we_o(data_we),
      .data_be_o(data_be),
      .data_addr_o(data_addr),
      .data_wdata_o(data_wdata),
      .data_rdata_i(data_rdata)
  );

  ipc_memory #(
      .Same     (1'b0),
      .Pipelined(1'b1)
  ) i_memory (
      .clk_i       (clk),
      .code_req_i  (code_req),
      .code_addr_i (code_addr),
      .code_ack_o  (code_ack),
      .code_data_o (code_data),
      .data_req_i  (data_req),
      .data_we_i   (data_we),
      .data_be_i   (data_be),
      .data_addr_i (data_addr),
      .data_wdata_i(data_wdata),
      .data_ack_o  (data_ack),
      .data_rdata_o(data_rdata)
  );
endmodule
