// SPDX-License-Identifier: Apache-2.0
// polyloom_overlay_detector_combine: reports of the board and its children, compared as they come; their sum.
// How:          a RAM holds the last report of each source, a word for each link end. A word that comes in reads one word:
//               if its other end is a source's too, that one, which must agree (else `bad` for this pair of sources until
//               one of them reports again); if not, its own old value, to see whether the sum has changed.
//                   links, own --> [mux] --> A: head or end --> B: compare, write
//                                            | read RAM          | flags
//                   sum --> head, ends on the rim of the subtree (all on the board's own row) --> FIFO --> parent
//               So a report costs a cycle a word in and a cycle a word out, whatever the subtree's size. The sum waits in
//               a FIFO that takes all of it, so reading never waits for a link and what is sent is never half new.
// Latency:      last word of a report in to first word of the sum out: 4 cycles; to complete_o: 3.
// Throughput:   a word a cycle from all links together; none while a sum is put into the FIFO (its length in cycles).
// Backpressure: in_ready_o is low while another link has its turn (whole frames, in turn) and during a sum. It depends on
//               in_valid_i. Nothing waits for out_ready_i but the next sum.
// Order/loss:   frames of a link in order. A sum that is overtaken by a newer report before it was sent is never sent.
// Reset:        no source has reported; RAM not cleared: words of sources that have not reported count for nothing.
// Limits:       frames end with last; a report holds the ends of its source's rim, at most 9 (8 x 8 boards: asserted);
//               place_i constant.
// Cost:         COST_COMBINE
// Source:       own design; what is compared and why: README.md "Termination detection".
// Tests:        test_polyloom_overlay_detector.py, overlay_detector_rtl_test.cc; proof: formal/detector/proofs.toml
module polyloom_overlay_detector_combine
  import polyloom_overlay_detector_pkg::*;
(
    input  logic                   clk_i,
    input  logic                   rst_ni,
    input  place_t                 place_i,
    // Control words from the links
    input  logic   [    LINKS-1:0] in_valid_i,
    output logic   [    LINKS-1:0] in_ready_o,
    input  word_t  [    LINKS-1:0] in_data_i,
    input  logic   [    LINKS-1:0] in_last_i,
    // The board's own report
    input  logic                   own_start_i,     // may be made now
    input  logic                   own_keep_i,      // still holds
    input  logic                   own_vote_i,
    input  count_t [    LINKS-1:0] own_sent_i,
    input  count_t [    LINKS-1:0] own_received_i,
    output logic                   own_valid_o,
    // State of the detector
    input  logic                   epoch_i,
    input  logic                   clear_i,         // the epoch ends with this cycle
    input  logic                   hold_i,          // decided: no more sums
    input  logic   [GATE_BITS-1:0] gate_i,          // board (0,0): grants used
    output logic                   complete_o,      // all have reported and agree
    output logic                   vote_o,
    output logic   [GATE_BITS-1:0] gate_o,          // of the sum
    // Frames that are no reports, a pulse each
    output logic                   release_o,
    output logic                   release_vote_o,
    output logic                   ask_o,
    output logic                   grant_o,
    // To the parent: sums, and questions
    input  logic                   ask_i,           // send one; until ask_taken_o
    output logic                   ask_taken_o,
    output logic                   out_valid_o,
    input  logic                   out_ready_i,
    output word_t                  out_data_o,
    output logic                   out_last_o
);
  localparam int unsigned FifoWords = 16;  // the longest sum, 10, and more

  logic [LINKS-1:0] links, children;
  assign links = links_of(place_i);
  assign children = children_of(place_i);

  // ---- who comes in ----

  typedef struct packed {
    logic [2:0] source;
    logic       first;
    logic       last;
    word_t      word;
  } step_t;

  logic a_valid_q, a_ready, a_advance;
  step_t a_q, next;
  logic next_valid;
  logic [2:0] turn_q, source;  // who is in the middle of a frame, or was last
  logic inside_q;  // a frame has begun
  logic own_busy_q, own_failed_q, own_last;
  logic [LINKS-1:0] own_left_q;  // ends to come
  logic [1:0] own_link;
  logic own_go, own_valid_q;
  head_t own_head;
  end_t  own_end;

  assign own_go = own_start_i && !own_valid_q && !own_busy_q;
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

  // The source of the next word: who is inside a frame; else the board itself, else the link after the last.
  always_comb begin
    source = turn_q;
    next_valid = 1'b0;
    if (inside_q) begin
      next_valid = turn_q == 3'(OWN) || in_valid_i[turn_q[1:0]];
    end else begin
      for (int unsigned k = LINKS; k > 0; k--) begin
        if (in_valid_i[turn_q[1:0]+2'(k)]) begin
          source = {1'b0, turn_q[1:0] + 2'(k)};
          next_valid = 1'b1;
        end
      end
      if (own_go) begin
        source = 3'(OWN);
        next_valid = 1'b1;
      end
    end
  end
  assign own_last = inside_q ? (own_left_q & (own_left_q - 1'b1)) == '0 : links == '0;
  always_comb begin
    next.source = source;
    next.first  = !inside_q;
    next.last   = source == 3'(OWN) ? own_last : in_last_i[source[1:0]];
    next.word   = in_data_i[source[1:0]];
    if (source == 3'(OWN)) next.word = inside_q ? own_end : own_head;
    in_ready_o = '0;
    in_ready_o[source[1:0]] = next_valid && a_ready && source != 3'(OWN);
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      a_valid_q <= 1'b0;
      inside_q <= 1'b0;
      turn_q <= '0;
      own_left_q <= '0;
    end else if (a_ready) begin
      a_valid_q <= next_valid;
      if (next_valid) begin
        inside_q <= !next.last;
        turn_q   <= source;
        if (source == 3'(OWN)) own_left_q <= inside_q ? own_left_q & (own_left_q - 1'b1) : links;
      end
    end
  end
  always_ff @(posedge clk_i) if (a_ready && next_valid) a_q <= next;

  // ---- A: read the other end, or the old value ----

  logic sum_busy_q;
  key_t a_key, a_far;
  logic [SOURCES-1:0] a_other;  // source of the other end
  logic a_is_end;
  logic report_q, a_report;  // the frame is a report
  assign a_ready = !a_valid_q || a_advance;
  assign a_advance = a_valid_q && !sum_busy_q;
  assign a_key = a_q.word[55:48];
  assign a_far = other_end(a_key);
  assign a_other = source_of(place_i, a_far.y, a_far.x);
  assign a_report = a_q.first ? a_q.word[7:0] == OP_REPORT : report_q;
  assign a_is_end = a_report && !a_q.first;

  logic read_en;
  key_t read_key, sum_key;
  count_t read_sent, read_received;
  assign read_en  = a_advance || sum_busy_q;
  assign read_key = sum_busy_q ? sum_key : a_other != '0 ? a_far : a_key;

  logic b_valid_q, b_is_end_q;
  step_t b_q;
  logic [SOURCES-1:0] b_other_q;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      b_valid_q <= 1'b0;
      report_q  <= 1'b0;
    end else begin
      b_valid_q <= a_advance;
      if (a_advance) report_q <= a_report;
    end
  end
  always_ff @(posedge clk_i) begin
    if (a_advance) begin
      b_q <= a_q;
      b_other_q <= a_other;
      b_is_end_q <= a_is_end;
    end
  end

  // ---- B: compare and write ----

  head_t b_head;
  end_t  b_end;
  logic b_report, differs, changed;
  logic [SOURCES-1:0] b_source, valid_q, vote_q;
  logic [LINKS-1:0] epoch_q;
  logic [SOURCES-1:0][SOURCES-1:0] bad_q;  // [newer][older]
  logic [GATE_BITS-1:0] child_gate_q;
  assign b_head = head_t'(b_q.word);
  assign b_end = end_t'(b_q.word);
  assign b_source = SOURCES'(1) << b_q.source;
  assign b_report = b_valid_q && (b_q.first ? b_head.op == OP_REPORT : b_is_end_q);
  assign differs = read_sent != b_end.received || read_received != b_end.sent;
  assign changed = read_sent != b_end.sent || read_received != b_end.received;

  polyloom_ram_1r1w #(
      .Width(2 * COUNT_BITS),
      .Depth(256)
  ) i_ends (
      .clk_i,
      .we_i   (b_valid_q && b_is_end_q),
      .be_i   (1'b1),
      .waddr_i(b_end.key),
      .wdata_i({b_end.sent, b_end.received}),
      .re_i   (read_en),
      .raddr_i(read_key),
      .rdata_o({read_sent, read_received})
  );

  logic renewed_q, forwarded_q, forwarded_vote_q;  // the sum has ends that were not sent
  logic [GATE_BITS-1:0] forwarded_gate_q;
  logic sum_start;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      valid_q <= '0;
      bad_q <= '0;
      own_busy_q <= 1'b0;
      own_failed_q <= 1'b0;
      renewed_q <= 1'b0;
    end else begin
      if (sum_start) renewed_q <= 1'b0;
      if (b_report && b_q.first) begin
        valid_q <= valid_q & ~b_source;
        for (int unsigned s = 0; s < SOURCES; s++) begin
          bad_q[s] <= b_source[s] ? '0 : bad_q[s] & ~b_source;
        end
      end
      if (b_valid_q && b_is_end_q) begin
        if (b_other_q == '0) begin
          if (changed) renewed_q <= 1'b1;
        end else if (differs) begin
          bad_q[b_q.source] <= bad_q[b_q.source] | (b_other_q & valid_q);
        end
      end
      if (b_report && b_q.last && !b_source[OWN]) valid_q[b_q.source] <= 1'b1;

      // Own: begun with own_go, whole in B; of no use if the board has changed meanwhile.
      if (a_ready && next_valid && !inside_q && source == 3'(OWN)) begin
        own_busy_q   <= 1'b1;
        own_failed_q <= 1'b0;
      end else if (own_busy_q && !own_start_i) own_failed_q <= 1'b1;
      if (b_valid_q && b_source[OWN] && b_q.last) begin
        own_busy_q   <= 1'b0;
        valid_q[OWN] <= own_start_i && !own_failed_q;
      end else if (!own_keep_i) valid_q[OWN] <= 1'b0;

      if (clear_i) begin
        valid_q[OWN] <= 1'b0;
        for (int unsigned l = 0; l < LINKS; l++) if (epoch_q[l] == epoch_i) valid_q[l] <= 1'b0;
      end
    end
  end
  always_ff @(posedge clk_i) begin
    if (b_report && b_q.first) begin
      vote_q[b_q.source] <= b_head.vote;
      if (!b_source[OWN]) epoch_q[b_q.source[1:0]] <= b_head.epoch;
      if ((b_source[LINKS-1:0] & gate_child_of(place_i)) != '0) child_gate_q <= b_head.gate;
    end
  end
  assign own_valid_q = valid_q[OWN];
  assign own_valid_o = own_valid_q;

  logic unused;
  assign unused = ^{b_head.zero1, b_head.zero2, b_head.zero3, b_head.ends};

  logic b_other_frame;
  assign b_other_frame = b_valid_q && b_q.first && !b_source[OWN];
  assign release_o = b_other_frame && b_head.op == OP_RELEASE;
  assign release_vote_o = b_head.vote;
  assign ask_o = b_other_frame && b_head.op == OP_ASK;
  assign grant_o = b_other_frame && b_head.op == OP_GRANT;

  // ---- the sum ----

  logic [LINKS-1:0] current;
  for (genvar l = 0; l < LINKS; l++) begin : gen_current
    assign current[l] = valid_q[l] && epoch_q[l] == epoch_i;
  end
  assign complete_o = own_valid_q && (children & ~current) == '0 && bad_q == '0 && !b_valid_q && !hold_i;
  assign vote_o = (({1'b1, children} & ~vote_q) == '0);
  assign gate_o = gate_child_of(place_i) != '0 ? child_gate_q : gate_i;

  logic fifo_empty_n, push_q, push_last_q, push, fifo_ready, sum_new;
  logic [56:0] push_word, fifo_word;  // last, word
  assign sum_new = renewed_q || !forwarded_q || forwarded_vote_q != vote_o || forwarded_gate_q != gate_o;
  assign sum_start = complete_o && sum_new && !is_root(
      place_i
  ) && !a_valid_q && !sum_busy_q && !push_q && !fifo_empty_n;

  // Ends on the rim of the subtree: at x from sum_x_q, on the own row.
  logic [LINKS-1:0] parent, sum_left_q;
  logic [2:0] sum_x_q, sum_to_q;
  logic [1:0] sum_link;
  key_t sum_key_q;
  logic sum_last_of_x;
  logic [2:0] rim_from, rim_to;
  logic on_column;
  logic [7:0] rim_ends;
  head_t sum_head;
  end_t sum_end;

  function automatic logic [LINKS-1:0] rim_at(place_t p, logic [2:0] x);
    logic [LINKS-1:0] rim;
    rim = '0;
    if (p.x != middle(p.width)) begin
      rim[NORTH] = {1'b0, p.y} + 4'd1 < p.height;
      rim[SOUTH] = p.y != '0;
    end
    if (x == p.x || p.x == middle(p.width)) rim |= parent_of(p);
    return rim;
  endfunction

  assign parent = parent_of(place_i);
  assign on_column = place_i.x == middle(place_i.width);
  always_comb begin
    rim_from = place_i.x;
    rim_to   = place_i.x;
    if (on_column || place_i.height != 4'd1) begin
      if (on_column || parent[EAST]) rim_from = '0;
      if (on_column || parent[WEST]) rim_to = 3'(place_i.width - 4'd1);
    end
    rim_ends = 8'(rim_to - rim_from) + 8'd1;
    if (!on_column) begin
      if (place_i.height == 4'd1) rim_ends = 8'd1;
      else if (links[NORTH] && links[SOUTH]) rim_ends = 8'd2 * rim_ends + 8'd1;
      else rim_ends = rim_ends + 8'd1;
    end
    sum_head = '0;
    sum_head.op = OP_REPORT;
    sum_head.vote = vote_o;
    sum_head.epoch = epoch_i;
    sum_head.ends = rim_ends;
    sum_head.gate = gate_o;
    sum_link = '0;
    for (int unsigned l = LINKS; l > 0; l--) if (sum_left_q[l-1]) sum_link = 2'(l - 1);
    sum_end = '{key: sum_key_q, sent: read_sent, received: read_received};
  end
  assign sum_last_of_x = (sum_left_q & (sum_left_q - 1'b1)) == '0;
  assign sum_key = '{y: place_i.y, x: sum_x_q, link: sum_link};

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      sum_busy_q <= 1'b0;
      push_q <= 1'b0;
      forwarded_q <= 1'b0;
    end else begin
      if (sum_start) sum_busy_q <= 1'b1;
      else if (sum_last_of_x && sum_x_q == sum_to_q) sum_busy_q <= 1'b0;
      push_q <= sum_busy_q;
      if (clear_i) forwarded_q <= 1'b0;
      else if (sum_start) forwarded_q <= 1'b1;
    end
  end
  always_ff @(posedge clk_i) begin
    if (sum_start) begin
      sum_x_q <= rim_from;
      sum_to_q <= rim_to;
      sum_left_q <= rim_at(place_i, rim_from);
      forwarded_vote_q <= vote_o;
      forwarded_gate_q <= gate_o;
    end else if (sum_busy_q) begin
      sum_left_q <= sum_left_q & (sum_left_q - 1'b1);
      if (sum_last_of_x) begin
        sum_x_q <= sum_x_q + 3'd1;
        sum_left_q <= rim_at(place_i, sum_x_q + 3'd1);
      end
    end
    sum_key_q   <= sum_key;
    push_last_q <= sum_last_of_x && sum_x_q == sum_to_q;
  end

  // ---- to the parent ----

  assign ask_taken_o = ask_i && fifo_ready && !sum_start && !sum_busy_q && !push_q;
  assign push = sum_start || push_q || ask_taken_o;
  always_comb begin
    push_word = {push_last_q, sum_end};
    if (sum_start) push_word = {1'b0, sum_head};
    else if (ask_taken_o) push_word = {1'b1, 48'b0, OP_ASK};
  end
  polyloom_stream_lut_fifo #(
      .Width(57),
      .Depth(FifoWords)
  ) i_out (
      .clk_i,
      .rst_ni,
      .flush_i    (1'b0),
      .in_valid_i (push),
      .in_ready_o (fifo_ready),
      .in_i       (push_word),
      .out_valid_o(fifo_empty_n),
      .out_ready_i,
      .out_o      (fifo_word)
  );
  assign out_valid_o = fifo_empty_n;
  assign {out_last_o, out_data_o} = fifo_word;

  always_ff @(posedge clk_i) begin
    assert (!push || fifo_ready);
    assert (!(b_report && b_q.first && !b_source[OWN]) || (b_source[LINKS-1:0] & children) != '0)
    else $error("%m: a report from a board that is no child");
    assert (!(b_valid_q && b_is_end_q) || (b_other_q & b_source) == '0)
    else $error("%m: a report with a link inside its subtree");
  end
endmodule
