// SPDX-License-Identifier: Apache-2.0
// picorv32_alone: a PicoRV32 with a memory of 4 KiB that holds the loop of device.c.
// How:          see picorv32_array.
// Latency:      a memory access is answered one cycle after it is asked for. Throughput: an access in 2 cycles.
// Backpressure: none. Order/loss: none. Reset: the core's.
// Limits:       none.
// Cost:         not for synthesis.
// Source:       own.   Tests: bench/rtl-speed.
module picorv32_alone (
    input  logic clk_i,
    input  logic rst_ni,
    output logic trap_o,
    output logic round_o  // the loop's first instruction is fetched
);
  localparam int unsigned Words = 1024;
  localparam logic [31:0] ADDI_X1_3 = 32'h0030_8093;  // addi x1, x1, 3
  localparam logic [31:0] XORI_X1_5 = 32'h0050_c093;  // xori x1, x1, 5
  localparam logic [31:0] SW_X1 = 32'h4010_2023;  // sw x1, 1024(x0)
  localparam logic [31:0] LW_X6 = 32'h4000_2303;  // lw x6, 1024(x0)
  localparam logic [31:0] COUNT = 32'hfff1_8193;  // addi x3, x3, -1
  localparam logic [31:0] LI_COUNT = 32'h8000_01b7;  // lui x3, 0x80000
  localparam logic [31:0] BRANCH = 32'hf601_9ee3;  // bnez x3, -132

  logic valid, ready_q, instr, we;
  logic [31:0] addr, wdata, rdata_q;
  logic [ 3:0] wstrb;
  logic [31:0] memory_q[Words];

  initial begin
    memory_q[0] = LI_COUNT;
    for (int unsigned i = 0; i < 4; i++) begin
      for (int unsigned j = 0; j < 3; j++) begin
        memory_q[8*i+2*j+1] = ADDI_X1_3;
        memory_q[8*i+2*j+2] = XORI_X1_5;
      end
      memory_q[8*i+7] = SW_X1;
      memory_q[8*i+8] = LW_X6;
    end
    memory_q[33] = COUNT;
    memory_q[34] = BRANCH;
  end

  assign we = valid && !ready_q && wstrb != '0;
  always_ff @(posedge clk_i) begin
    ready_q <= valid && !ready_q;
    rdata_q <= memory_q[addr[11:2]];
    if (we) memory_q[addr[11:2]] <= wdata;  // the loop stores whole words
  end
  assign round_o = valid && !ready_q && instr && addr == 32'd4;

  picorv32 #(
      .ENABLE_COUNTERS(1'b1)
  ) i_cpu (
      .clk         (clk_i),
      .resetn      (rst_ni),
      .trap        (trap_o),
      .mem_valid   (valid),
      .mem_instr   (instr),
      .mem_ready   (ready_q),
      .mem_addr    (addr),
      .mem_wdata   (wdata),
      .mem_wstrb   (wstrb),
      .mem_rdata   (rdata_q),
      .mem_la_read (),
      .mem_la_write(),
      .mem_la_addr (),
      .mem_la_wdata(),
      .mem_la_wstrb(),
      .pcpi_valid  (),
      .pcpi_insn   (),
      .pcpi_rs1    (),
      .pcpi_rs2    (),
      .pcpi_wr     (1'b0),
      .pcpi_rd     ('0),
      .pcpi_wait   (1'b0),
      .pcpi_ready  (1'b0),
      .irq         ('0),
      .eoi         (),
      .trace_valid (),
      .trace_data  ()
  );
endmodule
