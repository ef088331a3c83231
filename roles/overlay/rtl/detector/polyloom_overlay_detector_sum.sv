// SPDX-License-Identifier: Apache-2.0
// polyloom_overlay_detector_sum: sends the parent the sum of all reports, and questions for the host's gate.
// How:          the ends that are left are those on the boundary of the subtree, which all belong to boards of the own row: in
//               the root's column, the row's ends towards the parent; elsewhere, a part of the row with its ends north and
//               south, and the own one towards the parent. They are read in this order from combine's RAM into a FIFO.
//                   head, combine's RAM --> FIFO --> parent's link
// Latency:      start_o to the first word at the output: 1 cycle.
// Throughput:   a word a cycle; a sum starts only when the FIFO is empty, so that it takes all of it.
// Backpressure: busy_o stops combine for a cycle an end, whatever the link takes. A sum that cannot start waits, and is then
//               of the newest reports.
// Order/loss:   frames leave as they were put in; none lost.
// Reset:        FIFO empty.
// Limits:       at most 9 ends (8 x 8 boards), the FIFO takes 16 words (asserted); place_i constant.
// Cost:         see polyloom_overlay_detector, which is measured with it.
// Source:       own design.   Tests: test_polyloom_overlay_detector_sum.py, overlay_detector_rtl_test.cc
module polyloom_overlay_detector_sum
  import polyloom_overlay_detector_pkg::*;
(
    input  logic                   clk_i,
    input  logic                   rst_ni,
    input  place_t                 place_i,
    // From combine
    input  logic                   wanted_i,            // all have reported and agree, and it would be news
    input  logic                   vote_i,
    input  logic   [GATE_BITS-1:0] gate_i,
    input  logic                   epoch_i,
    output logic                   start_o,
    // Its RAM, a cycle an end
    output logic                   busy_o,
    output key_t                   key_o,
    input  count_t                 sent_i,              // of the key of the cycle before
    input  count_t                 received_i,
    // Questions
    input  logic                   request_i,           // until request_accepted_o
    output logic                   request_accepted_o,
    // To the parent
    output logic                   out_valid_o,
    input  logic                   out_ready_i,
    output word_t                  out_data_o,
    output logic                   out_last_o
);
  localparam int unsigned FifoWords = 16;

  logic [LINKS-1:0] links, parent, left_q;
  logic [2:0] x_q, to_q, periphery_from, periphery_to;
  logic [1:0] link;
  key_t key_q;
  logic busy_q, push_q, push_last_q, last_of_x, on_column;
  logic push, fifo_ready;
  logic [7:0] periphery_ends;
  logic [$bits(word_t):0] push_word;  // last, word
  head_t head, question;
  end_t periphery_end;

  // Ends of the board at x of the own row that are on the boundary.
  function automatic logic [LINKS-1:0] periphery_at(place_t p, logic [2:0] x);
    logic [LINKS-1:0] periphery;
    periphery = '0;
    if (p.x != middle(p.width)) begin
      periphery[NORTH] = {1'b0, p.y} + 4'd1 < p.height;
      periphery[SOUTH] = p.y != '0;
    end
    if (x == p.x || p.x == middle(p.width)) periphery |= parent_of(p);
    return periphery;
  endfunction

  assign links = links_of(place_i);
  assign parent = parent_of(place_i);
  assign on_column = place_i.x == middle(place_i.width);
  always_comb begin
    // A row without neighbours north and south has its end towards the parent only.
    periphery_from = place_i.x;
    periphery_to   = place_i.x;
    if (on_column || place_i.height != 4'd1) begin
      if (on_column || parent[EAST]) periphery_from = '0;
      if (on_column || parent[WEST]) periphery_to = 3'(place_i.width - 4'd1);
    end
    periphery_ends = 8'(periphery_to - periphery_from) + 8'd1;
    if (!on_column) begin
      if (place_i.height == 4'd1) periphery_ends = 8'd1;
      else if (links[NORTH] && links[SOUTH]) periphery_ends = 8'd2 * periphery_ends + 8'd1;
      else periphery_ends = periphery_ends + 8'd1;
    end
  end

  always_comb begin
    head = '0;
    head.op = OP_REPORT;
    head.vote = vote_i;
    head.epoch = epoch_i;
    head.ends = periphery_ends;
    head.gate = gate_i;
    question = '0;
    question.op = OP_REQUEST;
    link = '0;
    for (int unsigned l = LINKS; l > 0; l--) if (left_q[l-1]) link = 2'(l - 1);
    periphery_end = '{key: key_q, sent: sent_i, received: received_i};
  end
  assign last_of_x = (left_q & (left_q - 1'b1)) == '0;
  assign key_o = '{y: place_i.y, x: x_q, link: link};
  assign busy_o = busy_q;
  assign start_o = wanted_i && !busy_q && !push_q && !out_valid_o;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      busy_q <= 1'b0;
      push_q <= 1'b0;
    end else begin
      if (start_o) busy_q <= 1'b1;
      else if (last_of_x && x_q == to_q) busy_q <= 1'b0;
      push_q <= busy_q;
    end
  end
  always_ff @(posedge clk_i) begin
    if (start_o) begin
      x_q <= periphery_from;
      to_q <= periphery_to;
      left_q <= periphery_at(place_i, periphery_from);
    end else if (busy_q) begin
      left_q <= left_q & (left_q - 1'b1);
      if (last_of_x) begin
        x_q <= x_q + 3'd1;
        left_q <= periphery_at(place_i, x_q + 3'd1);
      end
    end
    key_q <= key_o;
    push_last_q <= last_of_x && x_q == to_q;
  end

  assign request_accepted_o = request_i && fifo_ready && !start_o && !busy_q && !push_q;
  assign push = start_o || push_q || request_accepted_o;
  always_comb begin
    push_word = {push_last_q, periphery_end};
    if (start_o) push_word = {1'b0, head};
    else if (request_accepted_o) push_word = {1'b1, question};
  end
  polyloom_stream_lut_fifo #(
      .Width($bits(word_t) + 1),
      .Depth(FifoWords)
  ) i_out (
      .clk_i,
      .rst_ni,
      .flush_i   (1'b0),
      .in_valid_i(push),
      .in_ready_o(fifo_ready),
      .in_i      (push_word),
      .out_valid_o,
      .out_ready_i,
      .out_o     ({out_last_o, out_data_o})
  );

  always_ff @(posedge clk_i) begin
    assert (!push || fifo_ready);
    assert (!start_o || (periphery_ends <= 8'd9 && parent != '0));
  end
endmodule
