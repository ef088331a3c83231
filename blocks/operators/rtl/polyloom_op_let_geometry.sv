// SPDX-License-Identifier: Apache-2.0
// polyloom_op_let_geometry: whether a target is so far from a node that the node need not be opened; one node a cycle.
// How:          d = distance to the target's box (a sphere is a point and a radius), per axis by comparison; far if
//               (kappa * q + radius)^2 * (1 + 2^-20) < d^2. Neither division nor square root. Cycles:
//                 position --1--> outside? --1--> nearest --5--> d --6--> d*d --5--> xx+yy --5--> +zz --.
//                 q --6--> kappa*q --5--> +radius --6--> squared --6--> *guard ------------------------+--1--> far
//               All rounded to nearest even at each step, as make_let.h does; a NaN anywhere is not far.
// Latency:      Latency enabled cycles (at least 24); what is more is a delay of the result.
// Throughput:   one node an enabled cycle.
// Backpressure: none: all stages stand while en_i is low.
// Order/loss:   kept.
// Reset:        none; data only.
// Limits:       Latency >= 24. The target stands while nodes are in the pipe.
// Cost:         6,447 LUT, 3,735 FF, 18 DSP (UltraScale+, Yosys 0.70, 2026-11).
// Source: PEACH2 section 4.2; own folding of the criteria to one.   Tests: test_polyloom_op_let_geometry.py, let_rtl_test.cc.
module polyloom_op_let_geometry
  import polyloom_operator_pkg::*;
#(
    parameter int unsigned Latency = LET_GEOMETRY
) (
    input  logic                          clk_i,
    input  logic                          rst_ni,
    input  logic                          en_i,
    input  let_target_t                   target_i,
    // The node, of which all lanes share the first delays
    input  logic        [ 2:0][2:0][31:0] position_i,  // [k]: that of the node that came k cycles ago
    input  logic        [31:0]            q_i,
    output logic                          far_o
);

  localparam logic [31:0] GUARD = 32'h3f800008;  // 1 + 2^-20

  logic [2:0][31:0] square;
  for (genvar a = 0; a < 3; a++) begin : gen_axis
    logic below, above;
    logic [31:0] nearest_q, d;
    logic [3:0] unused_cmp;
    polyloom_fp_cmp #(
        .Width(32)
    ) i_below (
        .clk_i,
        .rst_ni,
        .en_i,
        .a_i        (position_i[0][a]),
        .b_i        (target_i.low[a]),
        .lt_o       (below),
        .eq_o       (unused_cmp[0]),
        .unordered_o(unused_cmp[1])
    );
    polyloom_fp_cmp #(
        .Width(32)
    ) i_above (
        .clk_i,
        .rst_ni,
        .en_i,
        .a_i        (target_i.high[a]),
        .b_i        (position_i[0][a]),
        .lt_o       (above),
        .eq_o       (unused_cmp[2]),
        .unordered_o(unused_cmp[3])
    );
    always_ff @(posedge clk_i) begin
      if (en_i) begin
        nearest_q <= below ? target_i.low[a] : above ? target_i.high[a] : position_i[1][a];
      end
    end
    polyloom_fp_add #(
        .Width(32),
        .Deep (1'b1)
    ) i_distance (
        .clk_i,
        .rst_ni,
        .en_i,
        .sub_i(1'b1),
        .a_i  (position_i[2][a]),
        .b_i  (nearest_q),
        .z_o  (d)
    );
    polyloom_fp_mul #(
        .Width(32),
        .Deep (1'b1)
    ) i_square (
        .clk_i,
        .rst_ni,
        .en_i,
        .a_i(d),
        .b_i(d),
        .z_o(square[a])
    );
  end

  logic [31:0] xy, s;
  logic [4:0][31:0] zz_q;
  always_ff @(posedge clk_i) if (en_i) zz_q <= {zz_q[3:0], square[2]};
  polyloom_fp_add #(
      .Width(32),
      .Deep (1'b1)
  ) i_xy (
      .clk_i,
      .rst_ni,
      .en_i,
      .sub_i(1'b0),
      .a_i  (square[0]),
      .b_i  (square[1]),
      .z_o  (xy)
  );
  polyloom_fp_add #(
      .Width(32),
      .Deep (1'b1)
  ) i_s (
      .clk_i,
      .rst_ni,
      .en_i,
      .sub_i(1'b0),
      .a_i  (xy),
      .b_i  (zz_q[4]),
      .z_o  (s)
  );

  logic [31:0] kq, t, tt, u;
  polyloom_fp_mul #(
      .Width(32),
      .Deep (1'b1)
  ) i_kq (
      .clk_i,
      .rst_ni,
      .en_i,
      .a_i(target_i.kappa),
      .b_i(q_i),
      .z_o(kq)
  );
  polyloom_fp_add #(
      .Width(32),
      .Deep (1'b1)
  ) i_t (
      .clk_i,
      .rst_ni,
      .en_i,
      .sub_i(1'b0),
      .a_i  (kq),
      .b_i  (target_i.radius),
      .z_o  (t)
  );
  polyloom_fp_mul #(
      .Width(32),
      .Deep (1'b1)
  ) i_tt (
      .clk_i,
      .rst_ni,
      .en_i,
      .a_i(t),
      .b_i(t),
      .z_o(tt)
  );
  polyloom_fp_mul #(
      .Width(32),
      .Deep (1'b1)
  ) i_u (
      .clk_i,
      .rst_ni,
      .en_i,
      .a_i(tt),
      .b_i(GUARD),
      .z_o(u)
  );

  logic far;
  logic [1:0] unused_far;
  polyloom_fp_cmp #(
      .Width(32)
  ) i_far (
      .clk_i,
      .rst_ni,
      .en_i,
      .a_i        (u),
      .b_i        (s),
      .lt_o       (far),
      .eq_o       (unused_far[0]),
      .unordered_o(unused_far[1])
  );

  if (Latency > LET_GEOMETRY) begin : gen_later
    logic [Latency-LET_GEOMETRY-1:0] far_q;
    always_ff @(posedge clk_i) if (en_i) far_q <= (Latency - LET_GEOMETRY)'({far_q, far});
    assign far_o = far_q[Latency-LET_GEOMETRY-1];
  end else begin : gen_now
    assign far_o = far;
  end

  if (Latency < LET_GEOMETRY) begin : gen_bad_latency
    $error("%m: Latency %0d; at least %0d", Latency, LET_GEOMETRY);
  end

endmodule
