// SPDX-License-Identifier: Apache-2.0
// polyloom_ram_2rw_be: a RAM with two ports of one clock, each of which reads or writes, with byte enables.
// How:          a portable body in the form that synthesis takes for block RAM (true dual port, output unchanged by writes).
//                   en, we, be, addr, wdata --> [ memory ] --> [ output register ] --> rdata, twice
// Latency:      read: data follow the accepted address by one cycle and stand until the port's next read.
// Throughput:   two accesses a cycle.
// Backpressure: none; both ports always take. No combinational path from an input to an output.
// Order/loss:   a read sees all writes of earlier cycles. If a port writes a word, the other does not use it in that cycle
//               (asserted): families differ in what they would do. Unless MayCollide: then the data of a read, and the
//               bytes that both write, are undefined (here those before, and those of port 1).
// Reset:        none; contents and rdata_o are undefined until written and read. In simulation contents begin as
//               blocks/noise.h says; the lanes of polyloom/rtl/lanes see to it themselves.
// Limits:       Width a multiple of ByteWidth, Depth >= 2 (checked at elaboration); addresses below Depth (asserted).
//               Byte enables map to block RAM when ByteWidth is 8 or 9.
// Cost:         4096 x 256: 32 BRAM36, 102 LUT (UltraScale+); 64 EBR, 152 LUT4 (ECP5). Yosys 0.70, 2026-11.
// Source:       own design, vendors' inference templates.   Tests: test_polyloom_ram_2rw_be.py
module polyloom_ram_2rw_be #(
    parameter int unsigned Width = 0,  // bits of a word
    parameter int unsigned Depth = 0,  // words
    parameter int unsigned ByteWidth = 8,  // bits that one enable covers
    parameter bit MayCollide = 1'b0,  // the user bears what a collision does
    localparam int unsigned AddrWidth = $clog2(Depth),
    localparam int unsigned Bytes = Width / ByteWidth
) (
    input  logic                      clk_i,
    // The ports
    input  logic [1:0]                en_i,
    input  logic [1:0]                we_i,     // write; else read
    input  logic [1:0][    Bytes-1:0] be_i,     // which parts of the word are written
    input  logic [1:0][AddrWidth-1:0] addr_i,
    input  logic [1:0][    Width-1:0] wdata_i,
    output logic [1:0][    Width-1:0] rdata_o
);

  if (Depth < 2) begin : gen_bad_depth
    $error("%m: Depth %0d; at least 2", Depth);
  end
  if (Width == 0 || Width % ByteWidth != 0) begin : gen_bad_width
    $error("%m: Width %0d is no multiple of ByteWidth %0d", Width, ByteWidth);
  end

  (* no_rw_check *)
  logic [Width-1:0] memory[Depth];

`ifdef VERILATOR
  function automatic logic [31:0] noise(input int unsigned index);
    automatic logic [31:0] x = (index + 1) * 32'h9e3779b9;
    x = (x ^ (x >> 16)) * 32'h85ebca6b;
    return x ^ (x >> 13);
  endfunction
  localparam int unsigned Words = (Width + 31) / 32;
  initial begin
    for (int unsigned i = 0; i < Depth; i++) begin
      for (int unsigned k = 0; k < Words; k++) memory[i] = (memory[i] << 32) | Width'(noise(i * Words + Words - 1 - k));
    end
  end
`endif

  always_ff @(posedge clk_i) begin
    for (int unsigned p = 0; p < 2; p++) begin
      if (en_i[p] && we_i[p]) begin
        for (int unsigned i = 0; i < Bytes; i++) begin
          if (be_i[p][i]) memory[addr_i[p]][i*ByteWidth+:ByteWidth] <= wdata_i[p][i*ByteWidth+:ByteWidth];
        end
      end
      if (en_i[p] && !we_i[p]) rdata_o[p] <= memory[addr_i[p]];
    end
  end

  if (!MayCollide) begin : gen_no_collision
    always_ff @(posedge clk_i) begin
      if (&en_i && |we_i) assert (addr_i[0] != addr_i[1]);
    end
  end

  if (Depth != 2 ** AddrWidth) begin : gen_check
    always_ff @(posedge clk_i) begin
      for (int unsigned p = 0; p < 2; p++) assert (!en_i[p] || 32'(addr_i[p]) < Depth);
    end
  end

endmodule
