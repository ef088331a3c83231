// SPDX-License-Identifier: Apache-2.0
// picorv32_ipc: PicoRV32 with a memory that answers in the cycle of the request.
module picorv32_ipc;
  logic clk = 0, rst_n = 0;
  always #5 clk = !clk;
  initial begin
    repeat (10) @(negedge clk);
    rst_n = 1;
  end
  logic code_req, code_ack, data_req, data_ack, data_we;
  logic [3:0] data_be;
  logic [31:0] code_addr, code_data, data_addr, data_wdata, data_rdata;

  logic valid, instr;
  assign code_req  = valid && instr;
  assign data_req  = valid && !instr;
  assign data_addr = code_addr;
  assign data_we   = data_be != 0;
  picorv32 i_core (
      .clk(clk),
      .resetn(rst_n),
      .trap(),
      .mem_valid(valid),
      .mem_instr(instr),
      .mem_ready(code_ack || data_ack),
      .mem_addr(code_addr),
      .mem_wdata(data_wdata),
      .mem_wstrb(data_be),
      .mem_rdata(instr ? code_data : data_rdata),
      .mem_la_read(),
      .mem_la_write(),
      .mem_la_addr(),
      .mem_la_wdata(),
      .mem_la_wstrb(),
      .pcpi_valid(),
      .pcpi_insn(),
      .pcpi_rs1(),
      .pcpi_rs2(),
      .pcpi_wr(1'b0),
      .pcpi_rd(32'b0),
      .pcpi_wait(1'b0),
      .pcpi_ready(1'b0),
      .irq(32'b0),
      .eoi(),
      .trace_valid(),
      .trace_data()
  );

  ipc_memory #(
      .Same     (1'b1),
      .Pipelined(1'b0)
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
