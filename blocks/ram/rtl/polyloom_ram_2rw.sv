// SPDX-License-Identifier: Apache-2.0
// polyloom_ram_2rw: a RAM with two ports of one clock, each of which reads or writes.
// How:          a portable body in the form that synthesis takes for block RAM (true dual port, output unchanged by writes).
//                   en, we, addr, wdata --> [ memory ] --> [ output register ] --> rdata, twice
// Latency:      read: data follow the accepted address by one cycle and stand until the next read.
// Throughput:   two accesses a cycle.
// Backpressure: none; both ports always take. No combinational path from an input to an output.
// Order/loss:   a read sees all writes of earlier cycles. A read of the word that the other port writes in the same cycle gives
//               undefined data; of two writes to one word, that of port 1 stands.
// Reset:        none; contents and rdata_o are undefined until written and read.
// Limits:       Depth >= 2 (checked at elaboration); addresses below Depth (asserted).
// Cost:         1024 x 64: 2 BRAM36, 9 LUT (UltraScale+; `polyloom synth mpe`, Yosys 0.70, 2026-11).
// Source:       own design, vendors' inference templates.   Tests: test_polyloom_ram_2rw.py
module polyloom_ram_2rw #(
    parameter int unsigned Width = 0,  // bits of a word
    parameter int unsigned Depth = 0,  // words
    localparam int unsigned AddrWidth = $clog2(Depth)
) (
    input  logic                      clk_i,
    // The ports
    input  logic [1:0]                en_i,
    input  logic [1:0]                we_i,     // write; else read
    input  logic [1:0][AddrWidth-1:0] addr_i,
    input  logic [1:0][    Width-1:0] wdata_i,
    output logic [1:0][    Width-1:0] rdata_o
);

  if (Depth < 2) begin : gen_bad_depth
    $error("%m: Depth %0d; at least 2", Depth);
  end
  if (Width == 0) begin : gen_bad_width
    $error("%m: Width %0d; at least 1", Width);
  end

  (* no_rw_check *)
  logic [Width-1:0] memory[Depth];

  always_ff @(posedge clk_i) begin
    if (en_i[0] && we_i[0]) memory[addr_i[0]] <= wdata_i[0];
    if (en_i[1] && we_i[1]) memory[addr_i[1]] <= wdata_i[1];
    if (en_i[0] && !we_i[0]) rdata_o[0] <= memory[addr_i[0]];
    if (en_i[1] && !we_i[1]) rdata_o[1] <= memory[addr_i[1]];
  end

  if (Depth != 2 ** AddrWidth) begin : gen_check
    always_ff @(posedge clk_i) begin
      for (int unsigned p = 0; p < 2; p++) assert (!en_i[p] || 32'(addr_i[p]) < Depth);
    end
  end

endmodule
