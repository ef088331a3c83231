// SPDX-License-Identifier: Apache-2.0
// reliable_link_channel_proof: what comes out of polyloom_reliable_link_rx_channel is what went into
// polyloom_reliable_link_tx_channel, each item once and in order, whatever is lost or damaged between them.
// How: frames go from one to the other, and reports back, at any time. A frame may be lost or damaged: then the receiver sees
// any number and any items, and no commit (that the check finds damage is the parser's part). A report may take any time, so
// many frames may pass before it comes, and may be lost. One item is picked by its number: as any may be picked, what
// holds for it holds for all. Prompt: there is always an item, both ends go on whenever they may and reports take their shortest
// time; then what is lost or damaged, still free, is made good within the bound.
module reliable_link_channel_proof #(
    parameter int unsigned Width   = 1,
    parameter int unsigned TxItems = 3,
    parameter int unsigned RxItems = 4,
    parameter int unsigned SeqBits = 3,
    parameter bit          Prompt  = 1'b0
) (
    input logic               clk_i,
    input logic               rst_ni,
    input logic               in_valid_i,
    input logic               in_last_i,
    input logic [  Width-1:0] in_i,
    input logic               out_ready_i,
    // What happens on the wires
    input logic               send_i,          // a frame starts if it may
    input logic               empty_i,         // even without items
    input logic               fewer_i,         // with one item less than it may have
    input logic               act_i,           // time-outs are looked at
    input logic               good_i,          // the frame or report that starts will come, unharmed
    input logic [SeqBits-1:0] noise_seq_i,     // what a damaged one shows
    input logic [  Width-1:0] noise_i,
    input logic               report_start_i,  // a report starts
    input logic               report_good_i,
    input logic               arrive_i,        // the report comes
    input logic [        3:0] pick_i
);

  localparam int unsigned MaxCount = 2;

  // The reset comes first.
  logic started = 1'b0;
  always_ff @(posedge clk_i) started <= 1'b1;
  always_comb if (!started) assume (!rst_ni);

  logic [3:0] pick_q;  // stands
  always_ff @(posedge clk_i) pick_q <= pick_q;
  if (Prompt) begin : gen_prompt
    always_comb
      assume (rst_ni == started && in_valid_i && in_last_i && out_ready_i && send_i && !empty_i && act_i && arrive_i);
  end
  always_comb if (!started) assume (pick_q == pick_i);

  // Forward: start, then number, two places for items, commit.
  logic in_ready, may_send, poll, start, late, may_send_next, act, unlocked, again, timeout, go_back, tx_idle;
  logic [1:0] count, accept, left_q;
  logic [SeqBits-1:0] seq, seq_q;
  logic [Width-1:0] item, out;
  logic [2:0] phase_q;
  logic good_q, read, item_due_q, any_q, forced_q;
  assign accept = fewer_i && count != '0 ? count - 1'b1 : count;
  assign start = phase_q == '0 && (poll || forced_q || (send_i && (may_send || empty_i)));
  assign act = act_i && phase_q == '0 && !start;
  assign read = (phase_q == 3'd1 || phase_q == 3'd2) && left_q != '0;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      phase_q <= '0;
      item_due_q <= 1'b0;
      forced_q <= 1'b0;
    end else begin
      forced_q <= timeout;  // a frame follows at once
      if (start) phase_q <= 3'd1;
      else if (phase_q == 3'd4) phase_q <= '0;
      else if (phase_q != '0) phase_q <= phase_q + 1'b1;
      item_due_q <= read;
    end
  end
  always_ff @(posedge clk_i) begin
    if (start) begin
      seq_q  <= seq;
      left_q <= accept;
      any_q  <= accept != '0;
      good_q <= good_i;
    end else if (read) left_q <= left_q - 1'b1;
  end

  // Back: a report is taken down when it starts and comes at least 3 cycles later.
  logic [SeqBits-1:0] ack, limit, ack_q, limit_q;
  logic nack, nack_q, reporting_q, report_good_q, report_start, report, done;
  logic [1:0] age_q;
  assign report_start = report_start_i && !reporting_q;
  assign done = reporting_q && age_q == 2'd2 && arrive_i;
  assign report = done && report_good_q;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      reporting_q <= 1'b0;
      age_q <= '0;
    end else begin
      if (report_start) reporting_q <= 1'b1;
      else if (done) reporting_q <= 1'b0;
      if (report_start) age_q <= '0;
      else if (age_q != 2'd2) age_q <= age_q + 1'b1;
    end
  end
  always_ff @(posedge clk_i) begin
    if (report_start) begin
      ack_q <= ack;
      limit_q <= limit;
      nack_q <= nack;
      report_good_q <= report_good_i;
    end
  end

  polyloom_reliable_link_tx_channel #(
      .Width   (Width),
      .Items   (TxItems),
      .FarItems(RxItems),
      .SeqBits (SeqBits),
      .MaxCount(MaxCount)
  ) i_tx (
      .clk_i,
      .rst_ni,
      .in_valid_i,
      .in_ready_o     (in_ready),
      .in_i,
      .in_last_i,
      .may_send_o     (may_send),
      .count_o        (count),
      .seq_o          (seq),
      .poll_o         (poll),
      .start_i        (start),
      .accept_i       (accept),
      .read_i         (read),
      .item_o         (item),
      .report_i       (report),
      .ack_i          (ack_q),
      .limit_i        (limit_q),
      .nack_i         (nack_q),
      .timeout_i      (16'd3),
      .late_o         (late),
      .may_send_next_o(may_send_next),
      .unlocked_o     (unlocked),
      .act_i          (act && !may_send_next),
      .again_o        (again),
      .timeout_o      (timeout),
      .go_back_o      (go_back),
      .idle_o         (tx_idle)
  );

  logic out_valid, complain, report_room, gap, duplicate, rx_idle;
  polyloom_reliable_link_rx_channel #(
      .Width  (Width),
      .Items  (RxItems),
      .SeqBits(SeqBits)
  ) i_rx (
      .clk_i,
      .rst_ni,
      .head_i      (phase_q == 3'd1),
      .seq_i       (good_q ? seq_q : noise_seq_i),
      .item_valid_i(item_due_q),
      .item_i      (good_q ? item : noise_i),
      .commit_i    (phase_q == 3'd4 && good_q),
      .any_i       (any_q),
      .ack_o       (ack),
      .limit_o     (limit),
      .nack_o      (nack),
      .start_i     (report_start),
      .complain_o  (complain),
      .report_o    (report_room),
      .out_valid_o (out_valid),
      .out_ready_i,
      .out_o       (out),
      .gap_o       (gap),
      .duplicate_o (duplicate),
      .idle_o      (rx_idle)
  );

  // The picked item, and how many went in (whole groups) and came out.
  logic push, pop;
  logic [4:0] pushed_q, whole_q, popped_q;
  logic [Width-1:0] value_q;
  assign push = in_valid_i && in_ready;
  assign pop  = out_valid && out_ready_i;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      pushed_q <= '0;
      whole_q  <= '0;
      popped_q <= '0;
    end else begin
      pushed_q <= pushed_q + 5'(push);
      if (push && in_last_i) whole_q <= pushed_q + 1'b1;
      popped_q <= popped_q + 5'(pop);
    end
  end
  always_ff @(posedge clk_i) if (push && pushed_q == 5'(pick_q)) value_q <= in_i;

  // What the sender forgets has come, and the receiver has room for all that is sent.
  logic [4:0] missing;
  assign missing = pushed_q - popped_q;
  always_comb begin
    if (rst_ni) begin
      assert (popped_q <= whole_q);
      if (out_valid) assert (popped_q < whole_q);
      if (out_valid && popped_q == 5'(pick_q)) assert (out == value_q);
      assert (missing <= 5'(TxItems + RxItems));
    end
  end

  // It is not for want of trying.
  logic was_gap_q, was_back_q, was_late_q, was_double_q, was_poll_q, was_noise_q;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) {was_gap_q, was_back_q, was_late_q, was_double_q, was_poll_q, was_noise_q} <= '0;
    else begin
      was_gap_q <= was_gap_q || gap;
      was_back_q <= was_back_q || (go_back && was_gap_q);
      was_late_q <= was_late_q || timeout;
      was_double_q <= was_double_q || duplicate;
      was_poll_q <= was_poll_q || poll;
      was_noise_q <= was_noise_q || (phase_q == 3'd4 && !good_q && any_q);
    end
  end
  always_comb begin
    // Each stands in the proof whose bound holds it.
    if (RxItems > 1 && Prompt) cover (rst_ni && was_back_q && popped_q == 5'd2);  // a gap, the complaint, and all came
    if ((RxItems > 1) != Prompt) begin
      cover (rst_ni && was_late_q && was_noise_q && popped_q == 5'd2);  // lost, time was up, and all came
      cover (rst_ni && was_double_q && popped_q == 5'd2);
    end
    if (RxItems == 1 && !Prompt) cover (rst_ni && was_poll_q && popped_q == 5'd1);  // room was asked for
  end

  logic unused;
  assign unused = &{late, unlocked, again, tx_idle, complain, report_room, rx_idle};
endmodule
