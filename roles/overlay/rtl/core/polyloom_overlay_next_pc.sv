// SPDX-License-Identifier: Apache-2.0
// polyloom_overlay_next_pc: where a core's thread goes on.
// How:          the next instruction and the branch's target have adders of their own, no longer than the memory needs; jumps go
//               to the sum of the operands. Parts that are not it are zero, so that an OR joins them. What is told of a fault
//               comes from here too, as it is mostly where the thread wanted to go.
// Latency:      instruction in stage 5, sum and condition in stage 6, the pc in stage 7.
// Throughput:   an instruction a cycle.
// Backpressure: none; path from s6_sum_i to s6_goal_o.
// Order/loss:   in order.
// Reset:        none.
// Limits:       AddrBits 1 to 16.
// Cost:         about 90 LUT4 (ECP5; part of polyloom_overlay_core).
// Source:       own design.   Tests: test_polyloom_overlay_next_pc.py, test_polyloom_overlay_cores.py
module polyloom_overlay_next_pc #(
    parameter int unsigned AddrBits = 1  // of a word in the instruction memory
) (
    input  logic                clk_i,
    // Stage 5
    input  logic [AddrBits+1:2] s5_pc_i,        // inside the memory
    input  logic [        31:0] s5_word_i,
    input  logic                s5_illegal_i,   // s6_goal_o is the word
    input  logic                s5_branch_i,    // a branch that takes effect
    // Stage 6
    input  logic                s6_jump_i,
    input  logic                s6_accepted_i,  // a branch's condition
    input  logic [        31:0] s6_sum_i,       // where a jump goes
    input  logic                s6_start_i,     // the thread starts at s6_at_i
    input  logic [AddrBits+2:2] s6_at_i,
    input  logic                s6_stop_i,      // or stops, for other reasons than a branch, and gets 0
    output logic [AddrBits+2:2] s6_next_o,
    output logic [        31:0] s6_goal_o,      // of a branch, or the word; else s6_sum_i
    // Stage 7
    output logic [        31:2] s7_pc_o         // anything if the instruction goes round again
);

  // A branch's target may lie before or behind the memory; its sign is the rest.
  localparam int unsigned TargetBits = (AddrBits > 11 ? AddrBits + 2 : 13) + 2;

  logic [TargetBits-1:0] s5_target, s6_target_q;
  logic [31:0] s6_word_q;  // and the target are 0 unless they are the goal
  logic s6_branch_q, s6_branch_bad_q, s6_sums_q;
  assign s5_target = TargetBits'({s5_pc_i, 2'b00}) + TargetBits'($signed(
      {s5_word_i[31], s5_word_i[7], s5_word_i[30:25], s5_word_i[11:8], 1'b0}
  ));
  always_ff @(posedge clk_i) begin
    s6_next_o <= (AddrBits + 1)'(s5_pc_i) + 1'b1;
    s6_target_q <= s5_branch_i ? s5_target : '0;
    s6_word_q <= s5_illegal_i ? s5_word_i : '0;
    s6_sums_q <= !s5_branch_i && !s5_illegal_i;
    s6_branch_q <= s5_branch_i;
    s6_branch_bad_q <= s5_branch_i && s5_target[1];  // its target is not a word's
  end

  logic s6_goes;
  logic [31:2] s7_goal_q;  // one of these is 0
  logic [AddrBits+2:2] s7_next_q;
  assign s6_goal_o = ({32{s6_sums_q}} & s6_sum_i) | 32'($signed(s6_target_q)) | s6_word_q;
  assign s6_goes   = s6_jump_i || (s6_branch_q && s6_accepted_i);
  always_ff @(posedge clk_i) begin
    s7_goal_q <= s6_goes && !s6_branch_bad_q && !s6_stop_i ? s6_goal_o[31:2] : '0;
    s7_next_q <= s6_goes || s6_stop_i ? '0 : s6_start_i ? s6_at_i : s6_next_o;
  end
  assign s7_pc_o = s7_goal_q | 30'(s7_next_q);

endmodule
