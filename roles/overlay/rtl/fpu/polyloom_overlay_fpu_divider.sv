// SPDX-License-Identifier: Apache-2.0
// polyloom_overlay_fpu_divider: integer divide and remainder, fdiv and fsqrt, one at a time.
// How:          operations wait in block RAM. Operands are made magnitudes, mantissas moved to their leading bit; then 16 steps
//               of two bits, of a quotient or of a root; then the sign, or a shift to where subnormal numbers lie, and the
//               same rounding as in the pipeline. Work before and after the steps overlaps with those of the next operation.
//               Division by zero and overflow of integers come out as RISC-V has them, but for the sign of that quotient.
//                 valid_i -> [ queue ] -> 1 read -> 2 count -> 3 move -> 4 start -> 16 steps -> end -> move -> round (2)
// Latency:      26 cycles from operation to result, if the divider is free.
// Throughput:   one operation in DIVIDE_INTERVAL cycles.
// Backpressure: none: the queue holds an operation of every thread.
// Order/loss:   in order; nothing lost.
// Reset:        empty.
// Limits:       op is one of the divider's; rm is 0 to 4.
// Cost:         see polyloom_overlay_fpu.
// Source:       restoring division and square root: Muller and others, Handbook of Floating-Point Arithmetic; own design. CVFPU's
//               unit (of T-Head) takes 6,217 LUT4 and runs at 37 MHz on ECP5.
// Tests:        test_polyloom_overlay_fpu_divider.py, overlay_fpu_rtl_test.cc, test_polyloom_overlay_fpu.py
module polyloom_overlay_fpu_divider
  import polyloom_overlay_pkg::*;
  import polyloom_overlay_fpu_pkg::*;
#(
    parameter cfg_t Cfg = TINY
) (
    input  logic              clk_i,
    input  logic              rst_ni,
    input  logic              valid_i,
    input  operation_t        operation_i,
    output logic              valid_o,
    output owner_t            owner_o,
    output logic       [31:0] word_o,
    output logic       [ 4:0] flags_o
);

  localparam int unsigned Steps = 16;

  typedef struct packed {
    owner_t      owner;
    fpu_op_e     op;
    logic [2:0]  rm;
    logic [31:0] a;
    logic [31:0] b;
  } entry_t;

  // What an operation carries beside its numbers.
  typedef struct packed {
    beside_t beside;
    logic is_int;
    logic is_root;
    logic gives_remainder;
    logic negates;
    logic signed [9:0] exponent;
  } job_t;

  // ---- the queue; stage 1 is its memory's ----
  entry_t entry_q;
  logic [4:2] stage_q;  // an operation is in this stage before the steps
  polyloom_overlay_divider_queue #(
      .Cfg  (Cfg),
      .Width($bits(entry_t))
  ) i_queue (
      .clk_i,
      .rst_ni,
      .valid_i,
      .entry_i({operation_i.owner, operation_i.op, operation_i.rm, operation_i.a, operation_i.b}),
      .valid_o(stage_q[2]),
      .entry_o(entry_q)
  );
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) stage_q[4:3] <= '0;
    else stage_q[4:3] <= stage_q[3:2];
  end
  logic unused;
  assign unused = ^operation_i.c;

  // ---- stage 2: leading zeros, and results that are known ----
  number_t a, b;
  job_t job2_d, job2_q;
  logic [4:0] zeros_a, zeros_b, zeros_a_q, zeros_b_q;
  logic [1:0] empty;
  logic [31:0] a2_q, b2_q;
  logic negative_a2_q, negative_b2_q, no_a_fraction_q, no_b_fraction_q;
  assign a = unpacked(entry_q.a);
  assign b = unpacked(entry_q.b);
  lzc #(
      .WIDTH(24),
      .MODE (1'b1)
  ) i_zeros_a (
      .in_i(a.mantissa),
      .cnt_o(zeros_a),
      .empty_o(empty[0])
  );
  lzc #(
      .WIDTH(24),
      .MODE (1'b1)
  ) i_zeros_b (
      .in_i(b.mantissa),
      .cnt_o(zeros_b),
      .empty_o(empty[1])
  );

  logic is_signed, negative_a, negative_b;
  assign is_signed  = entry_q.op inside {FPU_DIV, FPU_REM};
  assign negative_a = is_signed && entry_q.a[31];
  assign negative_b = is_signed && entry_q.b[31];

  always_comb begin
    logic invalid, by_zero, infinite, zero;
    job2_d = '0;
    job2_d.beside.owner = entry_q.owner;
    job2_d.beside.rm = entry_q.rm;
    job2_d.is_int = !(entry_q.op inside {FPU_FDIV, FPU_FSQRT});
    job2_d.is_root = entry_q.op == FPU_FSQRT;
    job2_d.gives_remainder = entry_q.op inside {FPU_REM, FPU_REMU};
    job2_d.negates = entry_q.op == FPU_REM ? negative_a : (negative_a ^ negative_b) && entry_q.b != '0;
    if (job2_d.is_root) begin
      invalid = a.signaling || (a.sign && !a.zero && !a.nan);
      by_zero = 1'b0;
      infinite = a.infinite;
      zero = a.zero;
      job2_d.beside.sign = a.sign;
      job2_d.exponent = 10'(a.exponent) + 10'd127;
      job2_d.beside.word = a.nan || invalid ? QUIET_NAN : {a.sign, infinite ? INFINITE : 31'b0};
      job2_d.beside.known = a.nan || invalid || infinite || zero;
    end else begin
      invalid = a.signaling || b.signaling || (a.infinite && b.infinite) || (a.zero && b.zero);
      by_zero = b.zero && !a.zero && !a.infinite && !a.nan;
      infinite = a.infinite || b.zero;
      zero = a.zero || b.infinite;
      job2_d.beside.sign = a.sign ^ b.sign;
      job2_d.exponent = 10'(a.exponent) - 10'(b.exponent) + 10'd127;
      job2_d.beside.word = a.nan || b.nan || invalid ? QUIET_NAN : {job2_d.beside.sign, infinite ? INFINITE : 31'b0};
      job2_d.beside.known = a.nan || b.nan || invalid || infinite || zero;
    end
    job2_d.beside.flags = (invalid ? INVALID : '0) | (by_zero ? DIVIDED_BY_ZERO : '0);
    if (job2_d.is_int) job2_d.beside.flags = '0;
  end
  always_ff @(posedge clk_i) begin
    if (stage_q[2]) begin
      job2_q <= job2_d;
      zeros_a_q <= empty[0] ? '0 : zeros_a;
      zeros_b_q <= empty[1] ? '0 : zeros_b;
      no_a_fraction_q <= !a.mantissa[23];
      no_b_fraction_q <= !b.mantissa[23];
      negative_a2_q <= negative_a;
      negative_b2_q <= negative_b;
      a2_q <= entry_q.a;
      b2_q <= entry_q.b;
    end
  end

  // ---- stage 3: magnitudes, or mantissas at their leading bit ----
  job_t job3_q;
  logic [31:0] a3_q, b3_q;
  logic signed [9:0] moved_exponent;
  assign moved_exponent = job2_q.exponent - $signed(
      {5'b0, zeros_a_q}
  ) + (job2_q.is_root ? 10'sd0 : $signed(
      {5'b0, zeros_b_q}
  ));
  always_ff @(posedge clk_i) begin
    if (stage_q[3]) begin
      job3_q <= job2_q;
      job3_q.exponent <= job2_q.is_root ? moved_exponent >>> 1 : moved_exponent;
      if (job2_q.is_int) begin
        a3_q <= negative_a2_q ? -a2_q : a2_q;
        b3_q <= negative_b2_q ? -b2_q : b2_q;
      end else begin
        a3_q <= 32'({!no_a_fraction_q, a2_q[22:0]} << zeros_a_q);
        b3_q <= 32'({!no_b_fraction_q, b2_q[22:0]} << zeros_b_q);
        // The radicand, of an even exponent: two bits before its point. Biased and sum with 127: odd is even.
        if (job2_q.is_root) begin
          b3_q <= 32'({!no_a_fraction_q, a2_q[22:0]} << zeros_a_q) << (moved_exponent[0] ? 8 : 7);
        end
      end
    end
  end

  // ---- stage 4 and the steps ----
  typedef struct packed {
    logic [32:0] remainder;
    logic [31:0] result;     // behind what is left of the dividend
    logic [31:0] other;      // divisor, or what is left of the radicand
  } work_t;

  function automatic work_t step(input work_t work, input logic is_root);
    logic [34:0] partial, trial;
    /* verilator lint_off UNUSEDSIGNAL */  // what is left is below twice the root, or the divisor
    logic [35:0] less;
    /* verilator lint_on UNUSEDSIGNAL */
    partial = is_root ? {work.remainder, work.other[31:30]} : {1'b0, work.remainder, work.result[31]};
    trial = is_root ? {1'b0, work.result, 2'b01} : {3'b0, work.other};
    less = {1'b0, partial} - {1'b0, trial};
    return
    '{
        remainder: less[35] ? partial[32:0] : less[32:0],
        result: {work.result[30:0], !less[35]},
        other: is_root ? {work.other[29:0], 2'b00} : work.other
    }
    ;
  endfunction

  work_t work_q;
  job_t job_q;
  logic [4:0] steps_q;
  logic ended_q;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      steps_q <= '0;
      ended_q <= 1'b0;
    end else begin
      if (stage_q[4]) steps_q <= 5'(Steps);
      else if (steps_q != '0) steps_q <= steps_q - 1'b1;
      ended_q <= steps_q == 5'd1;
      assert (!stage_q[4] || steps_q == '0)
      else $error("%m: DIVIDE_INTERVAL is shorter than the steps");
    end
  end
  always_ff @(posedge clk_i) begin
    if (stage_q[4]) begin
      job_q <= job3_q;
      work_q.other <= b3_q;
      if (job3_q.is_int) begin
        work_q.remainder <= '0;
        work_q.result <= a3_q;
      end else if (job3_q.is_root) begin
        work_q.remainder <= '0;
        work_q.result <= '0;
      end else begin
        // The first quotient bit is that of the integers 1 and 0.
        work_q.remainder <= 33'(a3_q[23:1]);
        work_q.result <= {a3_q[0], 31'b0};
      end
    end else if (steps_q != '0) begin
      work_q <= step(step(work_q, job_q.is_root), job_q.is_root);
    end
  end

  // ---- the end: sign of integers; numbers with their leading bit at the top ----
  beside_t beside5_q;
  logic [31:0] magnitude, digits_q;
  logic signed [9:0] exponent_d, exponent_q;
  logic rest5_q, valid5_q, valid6_q;
  assign magnitude  = job_q.gives_remainder ? work_q.remainder[31:0] : work_q.result;
  assign exponent_d = job_q.exponent - (work_q.result[31] ? 10'sd0 : 10'sd1);
  always_ff @(posedge clk_i) begin
    if (ended_q) begin
      beside5_q <= job_q.beside;
      if (job_q.is_int) begin
        beside5_q.known <= 1'b1;
        beside5_q.word  <= job_q.negates ? -magnitude : magnitude;
      end
      digits_q <= work_q.result[31] ? work_q.result : {work_q.result[30:0], 1'b0};
      exponent_q <= exponent_d;
      rest5_q <= work_q.remainder != '0;
    end
  end

  // ---- to where subnormal numbers lie ----
  normal_t normal_d, normal_q;
  logic is_small;
  logic signed [9:0] lacking;
  logic [4:0] right;
  /* verilator lint_off UNUSEDSIGNAL */  // the leading bit is the exponent's
  logic [62:0] placed;
  /* verilator lint_on UNUSEDSIGNAL */
  assign is_small = exponent_q < 10'sd1;
  assign lacking = 10'sd1 - exponent_q;
  assign right = !is_small ? '0 : lacking > 10'sd31 ? '1 : lacking[4:0];
  assign placed = {digits_q, 31'b0} >> right;
  always_comb begin
    normal_d = '0;
    normal_d.beside = beside5_q;
    normal_d.sign = beside5_q.sign;
    normal_d.keep = {1'b0, is_small ? 8'b0 : exponent_q[7:0], placed[61:39]};
    {normal_d.half, normal_d.next} = placed[38:37];
    normal_d.rest = {placed[36:0], 13'b0};
    normal_d.sticky = rest5_q;
    normal_d.beyond = exponent_q >= 10'sd255;
  end
  always_ff @(posedge clk_i) if (valid5_q) normal_q <= normal_d;

  logic valid7_q;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) {valid5_q, valid6_q, valid7_q, valid_o} <= '0;
    else {valid5_q, valid6_q, valid7_q, valid_o} <= {ended_q, valid5_q, valid6_q, valid7_q};
  end

  polyloom_overlay_fpu_round i_round (
      .clk_i,
      .valid_i ({valid7_q, valid6_q}),
      .normal_i(normal_q),
      .owner_o,
      .word_o,
      .flags_o
  );

endmodule
