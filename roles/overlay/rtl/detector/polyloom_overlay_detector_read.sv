// SPDX-License-Identifier: Apache-2.0
// polyloom_overlay_detector_read: reports of the board itself and frames of its links as one stream of words.
// How:          a frame at a time; between frames the board's own report comes first, then the link after the last. The own
//               report is read from gather's outputs as it goes: they change only when the board is not passive, and then
//               it fails.
//                   links --->[mux]--> word
//                   own  ------^
// Latency:      0: the stream is the link's words.
// Throughput:   a word a cycle.
// Backpressure: in_ready_o depends on in_valid_i, step_ready_i and, between frames, own_start_i.
// Order/loss:   frames of a link in order, none lost.
// Reset:        no frame under way.
// Limits:       every frame ends with last; place_i constant.
// Cost:         see polyloom_overlay_detector, which is measured with it.
// Source:       own design.   Tests: test_polyloom_overlay_detector_read.py, overlay_detector_rtl_test.cc
module polyloom_overlay_detector_read
  import polyloom_overlay_detector_pkg::*;
(
    input  logic               clk_i,
    input  logic               rst_ni,
    input  place_t             place_i,
    // Control words from the links
    input  logic   [LINKS-1:0] in_valid_i,
    output logic   [LINKS-1:0] in_ready_o,
    input  word_t  [LINKS-1:0] in_data_i,
    input  logic   [LINKS-1:0] in_last_i,
    // The board's own report
    input  logic               own_start_i,     // wanted
    output logic               own_begin_o,     // its first word is taken
    input  logic               own_vote_i,
    input  count_t [LINKS-1:0] own_sent_i,
    input  count_t [LINKS-1:0] own_received_i,
    input  logic               epoch_i,
    // To combine
    output logic               step_valid_o,
    input  logic               step_ready_i,
    output step_t              step_o
);
  logic [LINKS-1:0] links;
  logic [2:0] turn_q, source;  // the one inside a frame, or the last one
  logic inside_q, accept, own_last;
  logic [LINKS-1:0] own_left_q, own_left_after;  // ends to come
  logic [1:0] own_link;
  head_t own_head;
  end_t own_end;
  assign links = links_of(place_i);
  assign own_left_after = own_left_q & (own_left_q - 1'b1);

  always_comb begin
    own_link = '0;
    for (int unsigned l = LINKS; l > 0; l--) if (own_left_q[l-1]) own_link = 2'(l - 1);
    own_head = '0;
    own_head.op = OP_REPORT;
    own_head.vote = own_vote_i;
    own_head.epoch = epoch_i;
    own_end = '{
        key: '{y: place_i.y, x: place_i.x, link: own_link},
        sent: own_sent_i[own_link],
        received: own_received_i[own_link]
    };
  end
  assign own_last = inside_q ? own_left_after == '0 : links == '0;

  always_comb begin
    source = turn_q;
    step_valid_o = 1'b0;
    if (inside_q) begin
      step_valid_o = turn_q == 3'(OWN) || in_valid_i[turn_q[1:0]];
    end else begin
      for (int unsigned k = LINKS; k > 0; k--) begin
        if (in_valid_i[turn_q[1:0]+2'(k)]) begin
          source = {1'b0, turn_q[1:0] + 2'(k)};
          step_valid_o = 1'b1;
        end
      end
      if (own_start_i) begin
        source = 3'(OWN);
        step_valid_o = 1'b1;
      end
    end
  end

  always_comb begin
    step_o.source = source;
    step_o.first = !inside_q;
    step_o.last = in_last_i[source[1:0]];
    step_o.word = in_data_i[source[1:0]];
    in_ready_o = '0;
    in_ready_o[source[1:0]] = accept && source != 3'(OWN);
    if (source == 3'(OWN)) begin
      step_o.last = own_last;
      step_o.word = inside_q ? own_end : own_head;
    end
  end
  assign accept = step_valid_o && step_ready_i;
  assign own_begin_o = accept && !inside_q && source == 3'(OWN);

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      inside_q <= 1'b0;
      turn_q <= '0;
      own_left_q <= '0;
    end else if (accept) begin
      inside_q <= !step_o.last;
      turn_q   <= source;
      if (source == 3'(OWN)) own_left_q <= inside_q ? own_left_after : links;
    end
  end
endmodule
