// SPDX-License-Identifier: Apache-2.0
// polyloom_ram_1r1w: a RAM with a write port and a read port of one clock, with byte enables.
// How:          a portable body in the form that synthesis takes for block RAM (simple dual port).
//                   we, waddr, wdata, be --> [ memory ] --> [ output register ] --> rdata
// Latency:      read: data follow the accepted address by one cycle and stand until the next read.
// Throughput:   one write and one read a cycle.
// Backpressure: none; both ports always take. No combinational path from an input to an output.
// Order/loss:   a read sees all writes of earlier cycles. A read of the word that is written in the same cycle
//               gives undefined data (families differ), of any other word its data.
// Reset:        none; contents and rdata_o are undefined until written and read.
// Limits:       Width a multiple of ByteWidth, Depth >= 2 (checked at elaboration); addresses below Depth (asserted).
//               Byte enables map to block RAM when ByteWidth is 8 or 9; no enables: ByteWidth = Width.
// Cost:         512 x 64: 1 BRAM36 (UltraScale+), 4 M10K (Cyclone V) or 2 EBR (ECP5), 1 LUT. 1024 x 32 with byte enables:
//               1, 16, 2 and 4 to 6 LUT; the open flow's M10K has no byte enables, a vendor's takes 4.
//               `polyloom synth ram_1r1w`, Yosys 0.70, 2026-11.
// Source:       own design, vendors' inference templates.   Tests: test_polyloom_ram_1r1w.py, test_ram_synth.py
module polyloom_ram_1r1w #(
    parameter int unsigned Width = 0,  // bits of a word
    parameter int unsigned Depth = 0,  // words
    parameter int unsigned ByteWidth = Width,  // bits that one enable covers
    localparam int unsigned AddrWidth = $clog2(Depth),
    localparam int unsigned Bytes = Width / ByteWidth
) (
    input  logic                 clk_i,
    // Write port
    input  logic                 we_i,
    input  logic [    Bytes-1:0] be_i,     // which parts of the word are written
    input  logic [AddrWidth-1:0] waddr_i,
    input  logic [    Width-1:0] wdata_i,
    // Read port
    input  logic                 re_i,
    input  logic [AddrWidth-1:0] raddr_i,
    output logic [    Width-1:0] rdata_o
);

  if (Depth < 2) begin : gen_bad_depth
    $error("%m: Depth %0d; at least 2", Depth);
  end
  if (Width == 0 || Width % ByteWidth != 0) begin : gen_bad_width
    $error("%m: Width %0d is no multiple of ByteWidth %0d", Width, ByteWidth);
  end

  (* no_rw_check *)
  logic [Width-1:0] memory[Depth];

  always_ff @(posedge clk_i) begin
    for (int unsigned i = 0; i < Bytes; i++) begin
      if (we_i && be_i[i]) memory[waddr_i][i*ByteWidth+:ByteWidth] <= wdata_i[i*ByteWidth+:ByteWidth];
    end
  end

  always_ff @(posedge clk_i) begin
    if (re_i) rdata_o <= memory[raddr_i];
  end

  if (Depth != 2 ** AddrWidth) begin : gen_check
    always_ff @(posedge clk_i) begin
      assert (!we_i || 32'(waddr_i) < Depth);
      assert (!re_i || 32'(raddr_i) < Depth);
    end
  end

endmodule
