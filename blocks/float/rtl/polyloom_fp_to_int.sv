// SPDX-License-Identifier: Apache-2.0
// polyloom_fp_to_int: converts floating point to an integer as C does: toward zero.
// How:          1 the mantissa is put to the top of an integer, and the places to its unit are counted; 2 it moves
//               there, and is negated if the sign says so. Mantissa bits that a narrow integer cannot have fall off.
// Latency:      2 enabled cycles.
// Throughput:   one a enabled cycle.
// Backpressure: none: all stages stand while en_i is low.
// Order/loss:   kept.
// Reset:        none; data only (rst_ni is there because every unit has it).
// Limits:       Width and IntWidth are 32 or 64. NaN and numbers out of range give any value, as in C; so signed_i
//               makes no difference: in range, only signed integers come from negative numbers below -1.
// Cost:         307 LUT4, 62 FF; both widths 64: 656 LUT4, 124 FF (ECP5, Yosys 0.70, 2026-11; MHz: README.md).
// Source: ISO C 6.3.1.4; own design.   Tests: test_polyloom_fp_to_int.py
module polyloom_fp_to_int
  import polyloom_fp_pkg::*;
#(
    parameter int unsigned Width = 32,
    parameter int unsigned IntWidth = 32
) (
    input  logic                clk_i,
    input  logic                rst_ni,
    input  logic                en_i,
    input  logic                signed_i,
    input  logic [   Width-1:0] a_i,
    output logic [IntWidth-1:0] z_o
);

  localparam int unsigned Exp = exp_bits(Width);
  localparam int unsigned Man = man_bits(Width);
  localparam int unsigned TopExp = 2 ** (Exp - 1) - 1 + IntWidth - 1;  // of an integer with its top bit set
  localparam int unsigned Cnt = $clog2(IntWidth);

  logic unused;
  assign unused = rst_ni ^ signed_i;

  // A mantissa's top IntWidth bits, zeros below if it has fewer.
  wire [IntWidth-1:0] top = IntWidth'({1'b1, a_i[Man-1:0], {IntWidth{1'b0}}} >> (Man + 1));
  wire [Cnt-1:0] places = Cnt'(Exp'(TopExp) - a_i[Man+:Exp]);
  wire below_one = a_i[Man+:Exp] < Exp'(2 ** (Exp - 1) - 1);

  logic [IntWidth-1:0] top1_q;
  logic [Cnt-1:0] right1_q;
  logic sign1_q;
  wire [IntWidth-1:0] moved = top1_q >> right1_q;

  always_ff @(posedge clk_i) begin
    if (en_i) begin
      top1_q   <= below_one ? '0 : top;
      right1_q <= places;
      sign1_q  <= a_i[Width-1];
      z_o      <= (moved ^ {IntWidth{sign1_q}}) + IntWidth'(sign1_q);
    end
  end

  if ((Width != 32 && Width != 64) || (IntWidth != 32 && IntWidth != 64)) begin : gen_bad_width
    $error("%m: Width and IntWidth must be 32 or 64");
  end

endmodule
