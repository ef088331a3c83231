// SPDX-License-Identifier: Apache-2.0
// detector_sum_proof: a detector between a child and its parent loses no report and sends no sum of reports that disagree.
// How: board (2,0) of 4 x 1 boards: its parent is west, its child east. The board's state and the child's reports come as
// they like. When all has been quiet for a while, the last frame to the parent must be the sum of the last reports if they
// agree, and no frame may be left if they do not. With Free the board is passive and the parent ready, and no report begins
// from step Free on: so a bound that is short for a solver holds two reports of the child and the quiet behind them.
module detector_sum_proof
  import polyloom_overlay_pkg::*;
  import polyloom_overlay_detector_pkg::*;
#(
    parameter int unsigned Settle = 12,  // cycles of quiet after which all is sent
    parameter int unsigned Free   = 0    // steps in which a report may begin; 0: all
) (
    input logic       clk_i,
    input logic       rst_ni,
    input logic       passive_i,
    input logic       vote_i,
    input logic [1:0] sent_east_i,
    input logic [1:0] received_east_i,
    input logic [1:0] sent_west_i,
    input logic [1:0] received_west_i,
    input logic       child_valid_i,
    input logic       child_vote_i,
    input logic [1:0] child_sent_i,
    input logic [1:0] child_received_i,
    input logic       parent_ready_i
);
  localparam key_t ChildKey = '{y: 3'd0, x: 3'd3, link: 2'(WEST)};
  localparam key_t OwnKey = '{y: 3'd0, x: 3'd2, link: 2'(WEST)};

  count_t [LINKS-1:0] count_sent, count_received;
  logic [LINKS-1:0] in_valid, in_ready, in_last, out_valid, out_ready, out_last;
  logic [LINKS-1:0][63:0] in_data, out_data;
  logic in_end_q;  // the child's next word is an end
  head_t child_head, got_head_q, out_head;
  end_t child_end, out_end, got_end_q;
  assign out_head = out_data[WEST][55:0];
  assign out_end  = out_data[WEST][55:0];

  always_comb begin
    count_sent = '0;
    count_received = '0;
    count_sent[EAST] = count_t'(sent_east_i);
    count_sent[WEST] = count_t'(sent_west_i);
    count_received[EAST] = count_t'(received_east_i);
    count_received[WEST] = count_t'(received_west_i);
    child_head = '0;
    child_head.op = OP_REPORT;
    child_head.vote = child_vote_i;
    child_head.ends = 8'd1;
    child_end = '{key: ChildKey, sent: count_t'(child_sent_i), received: count_t'(child_received_i)};
    in_valid = '0;
    in_data = '0;
    in_last = '0;
    out_ready = '0;
    in_valid[EAST] = child_valid_i;
    in_data[EAST] = {8'b0, in_end_q ? child_end : child_head};
    in_last[EAST] = in_end_q;
    out_ready[WEST] = parent_ready_i;
  end

  logic epoch, release_out, release_vote, may_inject;
  logic [31:0] barriers, grants;
  polyloom_overlay_detector i_dut (
      .clk_i,
      .rst_ni,
      .board_i        (6'd2),
      .mesh_i         (8'h14),
      .passive_i,
      .vote_i,
      .sent_i         (count_sent),
      .received_i     (count_received),
      .ctl_in_valid_i (in_valid),
      .ctl_in_ready_o (in_ready),
      .ctl_in_data_i  (in_data),
      .ctl_in_last_i  (in_last),
      .ctl_out_valid_o(out_valid),
      .ctl_out_ready_i(out_ready),
      .ctl_out_data_o (out_data),
      .ctl_out_last_o (out_last),
      .epoch_o        (epoch),
      .release_o      (release_out),
      .release_vote_o (release_vote),
      .inject_i       (1'b0),
      .may_inject_o   (may_inject),
      .host_in_i      (1'b0),
      .barriers_o     (barriers),
      .grants_o       (grants)
  );

  logic started = 1'b0;
  always_ff @(posedge clk_i) started <= 1'b1;
  always_comb assume (rst_ni == started);

  // Gather's outputs: a passive board changes only by becoming active. The child's words stand while they wait.
  logic passive_q, waits_q;
  logic [8:0] state_q;
  logic [4:0] child_q;
  always_ff @(posedge clk_i) begin
    passive_q <= started && passive_i;
    state_q   <= {vote_i, sent_east_i, received_east_i, sent_west_i, received_west_i};
    waits_q   <= started && child_valid_i && !in_ready[EAST];
    child_q   <= {child_vote_i, child_sent_i, child_received_i};
  end
  always_comb begin
    if (passive_q && passive_i) begin
      assume (state_q == {vote_i, sent_east_i, received_east_i, sent_west_i, received_west_i});
    end
    if (waits_q) assume (child_valid_i && child_q == {child_vote_i, child_sent_i, child_received_i});
  end

  // The child's last whole report, the last frame to the parent, cycles of quiet.
  logic head_vote_q, reported_q, vote_q, sent_any_q, out_inside_q;
  logic [1:0] sent_q, received_q, reports_q, sums_q;
  logic [3:0] quiet_q;
  logic [4:0] step_q = '0;
  always_ff @(posedge clk_i) if (step_q != '1) step_q <= step_q + 1'b1;
  always_comb begin
    if (Free != 0) begin
      assume (passive_i && parent_ready_i);
      if (32'(step_q) >= Free) assume (child_valid_i == (in_end_q || waits_q));
    end
  end
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      in_end_q <= 1'b0;
      reported_q <= 1'b0;
      sent_any_q <= 1'b0;
      out_inside_q <= 1'b0;
      quiet_q <= '0;
      reports_q <= '0;
      sums_q <= '0;
    end else begin
      if (child_valid_i && in_ready[EAST]) begin
        in_end_q <= !in_end_q;
        if (in_end_q) begin
          reported_q <= 1'b1;
          if (reports_q != '1) reports_q <= reports_q + 1'b1;
        end
      end
      if (!passive_i || child_valid_i || !parent_ready_i || in_end_q) quiet_q <= '0;
      else if (quiet_q != '1) quiet_q <= quiet_q + 1'b1;
      if (out_valid[WEST] && parent_ready_i) begin
        out_inside_q <= !out_last[WEST];
        if (out_last[WEST]) begin
          sent_any_q <= 1'b1;
          if (sums_q != '1) sums_q <= sums_q + 1'b1;
        end
      end
    end
  end
  always_ff @(posedge clk_i) begin
    if (child_valid_i && in_ready[EAST]) begin
      if (!in_end_q) head_vote_q <= child_vote_i;
      else begin
        vote_q <= head_vote_q;
        sent_q <= child_sent_i;
        received_q <= child_received_i;
      end
    end
    if (out_valid[WEST] && parent_ready_i) begin
      if (!out_inside_q) got_head_q <= out_head;
      else got_end_q <= out_end;
    end
  end

  logic agree;
  end_t want_end;
  assign want_end = '{key: OwnKey, sent: count_t'(sent_west_i), received: count_t'(received_west_i)};
  assign agree = reported_q && sent_q == received_east_i && received_q == sent_east_i;
  always_comb begin
    if (rst_ni) begin
      assert (out_valid[EAST] == 1'b0 && release_out == 1'b0 && may_inject == 1'b0);
      if (out_valid[WEST]) begin
        assert (out_last[WEST] == out_inside_q);
        if (!out_inside_q)
          assert (out_head.op == OP_REPORT && out_head.ends == 8'd1 && out_head.gate == '0 && !out_head.epoch);
          else assert (out_end.key == OwnKey);
      end
      if (passive_i && 32'(quiet_q) >= Settle) begin
        assert (!out_valid[WEST]);
        if (agree) begin
          assert (sent_any_q && got_head_q.vote == (vote_q && vote_i));
          assert (got_end_q == want_end);
        end
      end
      // Without a report of the child that agrees nothing has been sent.
      if (!reported_q) assert (!out_valid[WEST] && !sent_any_q);
    end
    if (Free == 0) cover (rst_ni && sums_q == 2'd1 && reports_q == 2'd2);
    if (Free != 0)
      cover (rst_ni && passive_i && 32'(quiet_q) >= Settle && agree && sums_q == 2'd1 && reports_q == 2'd2);
    if (Free != 0) cover (rst_ni && passive_i && 32'(quiet_q) >= Settle && reports_q == 2'd2 && !agree);
  end
endmodule
