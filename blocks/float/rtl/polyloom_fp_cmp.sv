// SPDX-License-Identifier: Apache-2.0
// polyloom_fp_cmp: compares two floating-point numbers: less, equal, unordered; greater is what is left.
// How:          magnitudes compare as integers; signs decide the rest; -0 is equal to +0.
// Latency:      1 enabled cycle.
// Throughput:   one a enabled cycle.
// Backpressure: none: the register stands while en_i is low.
// Order/loss:   kept.
// Reset:        none; data only (rst_ni is there because every unit has it).
// Limits:       Width is 32 or 64. With a NaN, only unordered_o is set.
// Cost:         120 LUT4, 3 FF; Width 64: 221 LUT4, 3 FF (ECP5, Yosys 0.70, 2026-11; MHz: README.md).
// Source: IEEE 754-2019, 5.11; own design.   Tests: test_polyloom_fp_cmp.py
module polyloom_fp_cmp
  import polyloom_fp_pkg::*;
#(
    parameter int unsigned Width = 32
) (
    input  logic             clk_i,
    input  logic             rst_ni,
    input  logic             en_i,
    input  logic [Width-1:0] a_i,
    input  logic [Width-1:0] b_i,
    output logic             lt_o,
    output logic             eq_o,
    output logic             unordered_o
);

  localparam int unsigned Exp = exp_bits(Width);
  localparam int unsigned Man = man_bits(Width);

  logic unused;
  assign unused = rst_ni;

  wire a_nan = (&a_i[Man+:Exp]) & (|a_i[Man-1:0]);
  wire b_nan = (&b_i[Man+:Exp]) & (|b_i[Man-1:0]);
  wire zeros = ~|{a_i[Width-2:0], b_i[Width-2:0]};
  wire less = a_i[Width-2:0] < b_i[Width-2:0];
  wire same = a_i[Width-2:0] == b_i[Width-2:0];
  wire same_signs = a_i[Width-1] == b_i[Width-1];

  always_ff @(posedge clk_i) begin
    if (en_i) begin
      unordered_o <= a_nan | b_nan;
      eq_o        <= ~a_nan & ~b_nan & (zeros | (same & same_signs));
      if (a_nan | b_nan | zeros) lt_o <= 1'b0;
      else if (!same_signs) lt_o <= a_i[Width-1];
      else lt_o <= ~same & (less ^ a_i[Width-1]);
    end
  end

  if (Width != 32 && Width != 64) begin : gen_bad_width
    $error("%m: Width must be 32 or 64");
  end

endmodule
