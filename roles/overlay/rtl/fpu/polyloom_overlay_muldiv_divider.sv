// SPDX-License-Identifier: Apache-2.0
// polyloom_overlay_muldiv_divider: integer divide and remainder, one at a time.
// How:          operations wait in block RAM. The dividend is made a magnitude, the divisor one with a carry to come; then 16
//               steps of two bits, not restoring: a remainder below zero has the divisor added in the next step, and at the
//               end; then the sign. Work before and after the steps overlaps with those of the next operation. Division by
//               zero and overflow come out as RISC-V has them, but for the sign of that quotient.
//                 valid_i -> [ queue ] -> 1 read -> 2 signs -> 3 start -> 16 steps -> mend -> choose -> sign
// Latency:      24 cycles from operation to result, if the divider is free.
// Throughput:   one operation in DIVIDE_INTERVAL cycles.
// Backpressure: none: the queue holds an operation of every thread.
// Order/loss:   in order; nothing lost.
// Reset:        empty.
// Limits:       op is one of the divider's.
// Cost:         see polyloom_overlay_muldiv.
// Source:       non-restoring division: Ercegovac and Lang, Digital Arithmetic; own design.
// Tests:        test_polyloom_overlay_muldiv_divider.py, overlay_fpu_rtl_test.cc, test_polyloom_overlay_fpu.py
module polyloom_overlay_muldiv_divider
  import polyloom_overlay_pkg::*;
  import polyloom_overlay_fpu_pkg::*;
#(
    parameter cfg_t Cfg = TINY
) (
    input  logic           clk_i,
    input  logic           rst_ni,
    input  logic           valid_i,
    input  muldiv_t        operation_i,
    output logic           valid_o,
    output owner_t         owner_o,
    output logic    [31:0] word_o
);

  typedef struct packed {
    owner_t      owner;
    logic        remainder;
    logic        not_signed;
    logic [31:0] a;
    logic [31:0] b;
  } entry_t;

  typedef struct packed {
    owner_t owner;
    logic   remainder;  // is asked for
    logic   negates;
  } job_t;

  // ---- the queue; stage 1 is its memory's ----
  entry_t entry_q;
  logic [3:2] stage_q;  // an operation is in this stage before the steps
  polyloom_overlay_divider_queue #(
      .Cfg  (Cfg),
      .Width($bits(entry_t)),
      .Depth(512)              // so that it is a block RAM
  ) i_queue (
      .clk_i,
      .rst_ni,
      .valid_i,
      .entry_i({operation_i.owner, operation_i.op[1:0], operation_i.a, operation_i.b}),
      .valid_o(stage_q[2]),
      .entry_o(entry_q)
  );
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) stage_q[3] <= '0;
    else stage_q[3] <= stage_q[2];
  end

  // ---- stage 2: signs ----
  logic negative_a, negative_b;
  assign negative_a = !entry_q.not_signed && entry_q.a[31];
  assign negative_b = !entry_q.not_signed && entry_q.b[31];

  job_t job3_q;
  logic [31:0] positive_a_q, negated_a_q;  // one of them is 0
  logic [31:0] b3_q;  // the divisor's magnitude, less the carry
  logic carry3_q;
  always_ff @(posedge clk_i) begin
    job3_q <= '{
        owner: entry_q.owner,
        remainder: entry_q.remainder,
        negates: entry_q.remainder ? negative_a : (negative_a ^ negative_b) && entry_q.b != '0
    };
    positive_a_q <= negative_a ? '0 : entry_q.a;
    negated_a_q <= negative_a ? -entry_q.a : '0;
    b3_q <= entry_q.b ^ {32{negative_b}};
    carry3_q <= negative_b;
  end

  // ---- stage 3 and the steps ----
  typedef struct packed {
    logic [32:0] remainder;  // with its sign
    logic [31:0] result;     // behind what is left of the dividend
  } work_t;

  work_t work_q;
  job_t job_q;
  logic [31:0] b_q;
  logic carry_q;

  // Signs are equal or not: the divisor is subtracted from what is not below zero, and added to the rest.
  function automatic work_t step(input work_t work, input logic [31:0] divisor, input logic carry);
    logic less;
    logic [32:0] sum;
    less = !work.remainder[32];
    sum  = {work.remainder[31:0], work.result[31]} + ({1'b0, divisor} ^ {33{less}}) + 33'(carry ^ less);
    return '{remainder: sum, result: {work.result[30:0], !sum[32]}};
  endfunction

  logic [15:0] steps_q;  // the steps to come, a bit each
  logic ended_q;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      steps_q <= '0;
      ended_q <= 1'b0;
    end else begin
      steps_q <= {steps_q[14:0], stage_q[3]};
      ended_q <= steps_q[15];
    end
  end
  always_ff @(posedge clk_i) begin
    if (stage_q[3]) begin
      job_q <= job3_q;
      b_q <= b3_q;
      carry_q <= carry3_q;
      work_q <= '{remainder: '0, result: positive_a_q | negated_a_q};
    end else begin
      work_q <= step(step(work_q, b_q, carry_q), b_q, carry_q);
    end
  end

  // ---- a remainder below zero is mended; what is asked for, as it is or inverted; the sign ----
  job_t   mended_job_q;
  owner_t chosen_owner_q;
  logic   negates_q;
  logic [31:0] remainder_q, result_q, back_q, chosen_q;
  logic back_carry_q, mended_valid_q, chosen_valid_q;
  always_ff @(posedge clk_i) begin
    mended_job_q <= job_q;
    remainder_q <= work_q.remainder[31:0];
    result_q <= work_q.result;
    back_q <= work_q.remainder[32] ? b_q : '0;
    back_carry_q <= work_q.remainder[32] && carry_q;
    chosen_owner_q <= mended_job_q.owner;
    negates_q <= mended_job_q.negates;
    chosen_q <= (mended_job_q.remainder ? remainder_q + back_q + 32'(back_carry_q) : result_q) ^
        {32{mended_job_q.negates}};
    owner_o <= chosen_owner_q;
    word_o <= chosen_q + 32'(negates_q);
  end
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) {valid_o, chosen_valid_q, mended_valid_q} <= '0;
    else {valid_o, chosen_valid_q, mended_valid_q} <= {chosen_valid_q, mended_valid_q, ended_q};
  end

endmodule
