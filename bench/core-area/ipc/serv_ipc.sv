// SPDX-License-Identifier: Apache-2.0
// serv_ipc: SERV with a memory that answers in the next cycle. It fetches each instruction once, so its fetches are the
// number of instructions of the program.
module serv_ipc;
  logic clk = 0, rst_n = 0;
  always #5 clk = !clk;
  initial begin
    repeat (10) @(negedge clk);
    rst_n = 1;
  end
  logic code_req, code_ack, data_req, data_ack, data_we;
  logic [3:0] data_be;
  logic [31:0] code_addr, code_data, data_addr, data_wdata, data_rdata;

  serv_rf_top i_core (
      .clk(clk),
      .i_rst(!rst_n),
      .i_timer_irq(1'b0),
      .o_ibus_adr(code_addr),
      .o_ibus_cyc(code_req),
      .i_ibus_rdt(code_data),
      .i_ibus_ack(code_ack),
      .o_dbus_adr(data_addr),
      .o_dbus_dat(data_wdata),
      .o_dbus_sel(data_be),
      .o_dbus_we(data_we),
      .o_dbus_cyc(data_req),
      .i_dbus_rdt(data_rdata),
      .i_dbus_ack(data_ack),
      .o_ext_rs1(),
      .o_ext_rs2(),
      .o_ext_funct3(),
      .i_ext_rd(32'b0),
      .i_ext_ready(1'b0),
      .o_mdu_valid()
  );

  ipc_memory #(
      .Same     (1'b0),
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
