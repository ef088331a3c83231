// SPDX-License-Identifier: Apache-2.0
// overlay_input_proof: polyloom_overlay_noc_input keeps order, loses nothing, shows each head in time, counts room exactly.
// How: one message, picked freely, is marked and followed by the number of messages before it; when none is, its way and
// length must be shown, and with its grant its flits leave one after the other. Room is counted again outside.
module overlay_input_proof #(
    parameter int unsigned Flits = 4,
    parameter int unsigned MaxFlits = 3
) (
    input logic       clk_i,
    input logic       rst_ni,
    input logic       start_i,
    input logic [1:0] flits_i,
    input logic [1:0] way_i,
    input logic       grant_i,
    input logic       pick_i
);

  typedef struct packed {
    logic       mark;
    logic [1:0] index;
  } small_t;

  logic started = 1'b0;
  always_ff @(posedge clk_i) started <= 1'b1;
  always_comb assume (rst_ni == started);

  // ---- the writer ----

  logic start, room, room_q, pick, picked_q;
  logic [1:0] coming_q, left_q, flits_q;
  small_t in, out, in_q;

  assign start = start_i && coming_q == '0 && room_q;
  assign pick  = start && pick_i && !picked_q;
  assign in    = start ? '{mark: pick, index: '0} : '{mark: in_q.mark, index: in_q.index + 1'b1};

  always_comb begin
    assume (32'(flits_i) < MaxFlits);
    assume (way_i == 2'b01 || way_i == 2'b10);
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      coming_q <= '0;
      room_q   <= 1'b0;
    end else begin
      coming_q <= start ? flits_i : coming_q - 2'(coming_q != '0);
      room_q   <= room;
    end
  end
  always_ff @(posedge clk_i) in_q <= in;

  // ---- the arbiter ----

  logic head_valid, head_long, grant, ending;
  logic [1:0] head_way;
  assign grant = grant_i && head_valid;

  polyloom_overlay_noc_input #(
      .Flits(Flits),
      .MaxFlits(MaxFlits),
      .Ways(2),
      .T(small_t)
  ) i_dut (
      .clk_i,
      .rst_ni,
      .valid_i     (start || coming_q != '0),
      .first_i     (start),
      .flits_i,
      .way_i,
      .in_i        (in),
      .room_o      (room),
      .head_valid_o(head_valid),
      .head_long_o (head_long),
      .head_way_o  (head_way),
      .grant_i     (grant),
      .stay_i      (1'b0),
      .drop_i      (1'b0),
      .ending_o    (ending),
      .flit_o      (out)
  );

  // ---- what must be ----

  localparam int unsigned CountWidth = $clog2(Flits + 1);
  typedef logic [CountWidth-1:0] count_t;

  count_t used_q, ahead_q, inside_q;  // flits; messages before the picked one; messages not granted
  count_t lengths_q;  // flits of the message that leaves
  logic followed_q, leaving_q, leaving_mark_q;
  logic [1:0] mark_flits_q, mark_way_q;
  logic tail;

  assign tail = (grant && !head_long) || ending;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      used_q <= '0;
      inside_q <= '0;
      picked_q <= 1'b0;
      followed_q <= 1'b0;
      left_q <= '0;
      leaving_mark_q <= 1'b0;
    end else begin
      used_q <= used_q + (start ? count_t'(flits_i) + count_t'(1) : '0) - (tail ? (ending ? lengths_q : count_t'(1)) : '0);
      inside_q <= inside_q + count_t'(start) - count_t'(grant);
      if (pick) picked_q <= 1'b1;
      if (pick) followed_q <= 1'b1;
      else if (grant && ahead_q == '0) followed_q <= 1'b0;
      leaving_mark_q <= (followed_q && grant && head_long && ahead_q == '0) || (leaving_mark_q && !ending);
    end
  end
  always_ff @(posedge clk_i) begin
    if (pick) begin
      ahead_q <= inside_q - count_t'(grant);
      mark_flits_q <= flits_i;
      mark_way_q <= way_i;
    end else if (grant && followed_q) begin
      ahead_q <= ahead_q - 1'b1;
    end
    // Lengths of others are seen when they have left: index of the last flit.
    if (grant) lengths_q <= count_t'(2);
    else if (leaving_q) lengths_q <= lengths_q + count_t'(1);
  end
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) leaving_q <= 1'b0;
    else leaving_q <= (grant && head_long) || (leaving_q && !ending);
  end

  count_t now;
  assign now = used_q + (start ? count_t'(flits_i) + count_t'(1) : '0);
  always_comb begin
    if (rst_ni) begin
      assert (room == (32'(now) + MaxFlits <= Flits));
      assert (head_valid == (inside_q != '0 && !leaving_q));  // in time, and never amid a message
      if (grant) assert (out.index == '0);
      if (leaving_q) assert (count_t'(out.index) + count_t'(1) == lengths_q);
      if (ending) assert (leaving_q);
      if (leaving_mark_q) assert (leaving_q && out.mark && ending == (out.index == mark_flits_q));
      if (leaving_q && !leaving_mark_q) assert (!out.mark);
      if (followed_q && head_valid && ahead_q == '0) begin
        assert (head_way == mark_way_q && head_long == (mark_flits_q != '0));
        if (grant) assert (out.mark);
      end else if (grant) begin
        assert (!out.mark);
      end
    end
  end

  logic full_q, second_q;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      full_q   <= 1'b0;
      second_q <= 1'b0;
    end else begin
      if (followed_q && used_q == count_t'(Flits)) full_q <= 1'b1;
      if (followed_q && ahead_q != '0) second_q <= 1'b1;
    end
  end
  always_comb begin
    cover (rst_ni && full_q && picked_q && !followed_q && !leaving_q);
    cover (rst_ni && second_q && leaving_mark_q && ending && 32'(mark_flits_q) == MaxFlits - 1);
  end

endmodule
