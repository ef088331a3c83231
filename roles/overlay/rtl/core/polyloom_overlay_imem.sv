// SPDX-License-Identifier: Apache-2.0
// polyloom_overlay_imem: the instruction memory of one core or of two, a port for each.
// How:          a block RAM of two ports; a core's port reads or writes, as the core says.
// Latency:      the word follows its address by one cycle, late in it: put nothing but a register behind it.
// Throughput:   an access of each port a cycle.
// Backpressure: none. No path from an input to an output.
// Order/loss:   a read sees the writes of earlier cycles; while the other port writes the word it gives undefined data.
// Reset:        none; words are undefined until written.
// Limits:       Words a power of two from 2 on; Ports 1 or 2 (checked at elaboration).
// Cost:         2,048 words: 4 EBR (ECP5).
// Source:       Tinsel paper III.   Tests: test_polyloom_overlay_imem.py, test_polyloom_overlay_cores.py
module polyloom_overlay_imem #(
    parameter int unsigned Words = 0,
    parameter int unsigned Ports = 0,
    localparam int unsigned AddrBits = $clog2(Words)
) (
    input  logic                           clk_i,
    input  logic [Ports-1:0]               we_i,
    input  logic [Ports-1:0][AddrBits-1:0] addr_i,
    input  logic [Ports-1:0][        31:0] wdata_i,
    output logic [Ports-1:0][        31:0] rdata_o
);

  if (Words < 2 || 2 ** AddrBits != Words) begin : gen_bad_words
    $error("%m: Words %0d; a power of two from 2 on", Words);
  end
  if (Ports != 1 && Ports != 2) begin : gen_bad_ports
    $error("%m: Ports %0d; 1 or 2", Ports);
  end

  if (Ports == 2) begin : gen_two
    polyloom_ram_2rw #(
        .Width(32),
        .Depth(Words)
    ) i_ram (
        .clk_i,
        .en_i(2'b11),
        .we_i,
        .addr_i,
        .wdata_i,
        .rdata_o
    );
  end else begin : gen_one
    polyloom_ram_1rw #(
        .Width(32),
        .Depth(Words)
    ) i_ram (
        .clk_i,
        .en_i(1'b1),
        .we_i(we_i[0]),
        .be_i(1'b1),
        .addr_i(addr_i[0]),
        .wdata_i(wdata_i[0]),
        .rdata_o(rdata_o[0])
    );
  end

endmodule
