// SPDX-License-Identifier: Apache-2.0
// vexriscv_ipc: VexRiscv (Lite or Min) with a memory that answers in the cycle of the request.
module vexriscv_ipc;
  logic clk = 0, rst_n = 0;
  always #5 clk = !clk;
  initial begin
    repeat (10) @(negedge clk);
    rst_n = 1;
  end
  logic code_req, code_ack, data_req, data_ack, data_we;
  logic [3:0] data_be;
  logic [31:0] code_addr, code_data, data_addr, data_wdata, data_rdata;

  assign code_addr[1:0] = '0;
  assign data_addr[1:0] = '0;
  VexRiscv i_core (
      .clk(clk),
      .reset(!rst_n),
      .externalResetVector(32'b0),
      .timerInterrupt(1'b0),
      .softwareInterrupt(1'b0),
      .externalInterruptArray(32'b0),
      .iBusWishbone_CYC(),
      .iBusWishbone_STB(code_req),
      .iBusWishbone_ACK(code_ack),
      .iBusWishbone_WE(),
      .iBusWishbone_ADR(code_addr[31:2]),
      .iBusWishbone_DAT_MISO(code_data),
      .iBusWishbone_DAT_MOSI(),
      .iBusWishbone_SEL(),
      .iBusWishbone_ERR(1'b0),
      .iBusWishbone_CTI(),
      .iBusWishbone_BTE(),
      .dBusWishbone_CYC(),
      .dBusWishbone_STB(data_req),
      .dBusWishbone_ACK(data_ack),
      .dBusWishbone_WE(data_we),
      .dBusWishbone_ADR(data_addr[31:2]),
      .dBusWishbone_DAT_MISO(data_rdata),
      .dBusWishbone_DAT_MOSI(data_wdata),
      .dBusWishbone_SEL(data_be),
      .dBusWishbone_ERR(1'b0),
      .dBusWishbone_CTI(),
      .dBusWishbone_BTE()
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
