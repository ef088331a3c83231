// SPDX-License-Identifier: Apache-2.0
// polyloom_overlay_regfile: the registers of all threads of a core, in block RAM, a copy for each operand.
// How:          addresses {file, thread, register}; RAM's output goes straight into a register, as it is late.
// Latency:      2 cycles from an address to its data.
// Throughput:   one read of each copy and one write a cycle.
// Backpressure: none. No path from an input to an output.
// Order/loss:   a read sees the writes of earlier cycles; a read of the register that is written in the same cycle gives
//               undefined data.
// Reset:        none; registers are undefined until written.
// Limits:       none; without Fp there are no floating-point registers and no third operand.
// Cost:         2 EBR, with Fp 5 (ECP5).
// Source:       own design.   Tests: test_polyloom_overlay_regfile.py, test_polyloom_overlay_cores.py
module polyloom_overlay_regfile
  import polyloom_overlay_pkg::*;
#(
    parameter bit Fp = 0  // floating-point registers
) (
    input  logic              clk_i,
    // Operands
    input  logic [ 3:0]       thread_i,
    input  reg_t [ 2:0]       rs_i,       // the third is a floating-point register
    input  logic [ 3:0]       zero_i,     // a cycle later: this operand is to be 0
    output logic [ 3:0][31:0] data_o,     // the fourth is the second once more
    // Result
    input  logic              we_i,
    input  logic [ 3:0]       wthread_i,
    input  reg_t              rd_i,
    input  logic [31:0]       wdata_i
);

  localparam int unsigned AddrBits = Fp ? 10 : 9;
  logic [2:0][31:0] rdata;
  logic [3:0][31:0] data_q;

  for (genvar i = 0; i < 2; i++) begin : gen_copy
    polyloom_ram_1r1w #(
        .Width(32),
        .Depth(2 ** AddrBits)
    ) i_ram (
        .clk_i,
        .we_i,
        .be_i   (1'b1),
        .waddr_i(AddrBits'({rd_i.f, wthread_i, rd_i.index})),
        .wdata_i,
        .re_i   (1'b1),
        .raddr_i(AddrBits'({rs_i[i].f, thread_i, rs_i[i].index})),
        .rdata_o(rdata[i])
    );
  end

  if (Fp) begin : gen_third
    polyloom_ram_1r1w #(
        .Width(32),
        .Depth(512)
    ) i_ram (
        .clk_i,
        .we_i   (we_i && rd_i.f),
        .be_i   (1'b1),
        .waddr_i({wthread_i, rd_i.index}),
        .wdata_i,
        .re_i   (1'b1),
        .raddr_i({thread_i, rs_i[2].index}),
        .rdata_o(rdata[2])
    );
  end else begin : gen_no_third
    logic unused;
    assign unused   = ^{rs_i, rd_i.f};
    assign rdata[2] = '0;
  end

  always_ff @(posedge clk_i) begin
    for (int unsigned i = 0; i < 4; i++) data_q[i] <= zero_i[i] ? '0 : rdata[i==3?1 : i];
  end
  assign data_o = data_q;

endmodule
