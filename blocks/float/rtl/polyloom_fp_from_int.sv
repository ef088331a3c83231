// SPDX-License-Identifier: Apache-2.0
// polyloom_fp_from_int: converts an integer to floating point, rounded to nearest even.
// How:          1 magnitude and its leading zeros; 2 it moves left to its leading bit and is rounded.
// Latency:      2 enabled cycles.
// Throughput:   one a enabled cycle.
// Backpressure: none: all stages stand while en_i is low.
// Order/loss:   kept.
// Reset:        none; data only (rst_ni is there because every unit has it).
// Limits:       Width and IntWidth are 32 or 64.
// Cost:         333 LUT4, 70 FF; both widths 64: 731 LUT4, 135 FF (ECP5, Yosys 0.70, 2026-11; MHz: README.md).
// Source: IEEE 754-2019, 5.4.1; own design.   Tests: test_polyloom_fp_from_int.py
module polyloom_fp_from_int
  import polyloom_fp_pkg::*;
#(
    parameter int unsigned Width = 32,
    parameter int unsigned IntWidth = 32
) (
    input  logic                clk_i,
    input  logic                rst_ni,
    input  logic                en_i,
    input  logic                signed_i,
    input  logic [IntWidth-1:0] a_i,
    output logic [   Width-1:0] z_o
);

  localparam int unsigned Exp = exp_bits(Width);
  localparam int unsigned Man = man_bits(Width);
  localparam int unsigned TopExp = 2 ** (Exp - 1) - 1 + IntWidth - 1;  // of an integer with its top bit set
  localparam int unsigned Cnt = $clog2(IntWidth);

  logic unused;
  assign unused = rst_ni;

  wire negative = signed_i & a_i[IntWidth-1];
  wire [IntWidth-1:0] magnitude = (a_i ^ {IntWidth{negative}}) + IntWidth'(negative);
  logic [Cnt-1:0] zeros, zeros1_q;
  logic none, none1_q, sign1_q;
  logic [IntWidth-1:0] magnitude1_q;
  lzc #(
      .WIDTH(IntWidth),
      .MODE (1'b1)
  ) i_zeros (
      .in_i(magnitude),
      .cnt_o(zeros),
      .empty_o(none)
  );

  // Below the integer stand zeros, so that fraction, guard and sticky bits are there for every pair of widths.
  wire [IntWidth+Man:0] norm = {magnitude1_q << zeros1_q, {(Man + 1) {1'b0}}};
  wire [Man-1:0] frac = norm[IntWidth+Man-1-:Man];
  wire guard = norm[IntWidth-1];
  wire sticky = |norm[IntWidth-2:0];
  wire [Exp-1:0] exp = Exp'(TopExp) - Exp'(zeros1_q);
  wire up = guard & (frac[0] | sticky);
  wire [Width-2:0] rounded = {exp, frac} + (Width - 1)'(up);

  always_ff @(posedge clk_i) begin
    if (en_i) begin
      magnitude1_q <= magnitude;
      zeros1_q     <= zeros;
      none1_q      <= none;
      sign1_q      <= negative;
      z_o          <= none1_q ? '0 : {sign1_q, rounded};
    end
  end

  if ((Width != 32 && Width != 64) || (IntWidth != 32 && IntWidth != 64)) begin : gen_bad_width
    $error("%m: Width and IntWidth must be 32 or 64");
  end

endmodule
