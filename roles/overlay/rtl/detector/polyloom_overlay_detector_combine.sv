// SPDX-License-Identifier: Apache-2.0
// polyloom_overlay_detector_combine: compares reports of the board and its children, word by word as they come.
// How:          a RAM holds the last report of each source, a word for each link end. A word that comes in reads one word:
//               if its other end is a source's too, that one, which must agree (else `bad` for this pair of sources until
//               one of them reports again); if not, its own old value, to see whether the sum has changed.
//                   step --> A: head or end --> B: compare, write
//                            | read RAM          | flags
//               So a report costs a cycle a word, whatever the subtree's size.
// Latency:      last word of a report to complete_o: 3 cycles.
// Throughput:   a word a cycle; none while the sum reads the RAM.
// Backpressure: step_ready_o falls while the sum reads (sum_busy_i), for a bounded time.
// Order/loss:   words in order. A source counts when the last word of its report has been compared, not before.
// Reset:        no source has reported; RAM not cleared: words of sources that have not reported count for nothing.
// Limits:       reports come from children, and hold no link with both ends inside (asserted); place_i constant.
// Cost:         see polyloom_overlay_detector, which is measured with it.
// Source:       own design; what is compared and why: README.md "Termination detection".
// Tests:        test_polyloom_overlay_detector_combine.py, test_overlay_detector_formal.py, overlay_detector_rtl_test.cc
module polyloom_overlay_detector_combine
  import polyloom_overlay_detector_pkg::*;
(
    input  logic                   clk_i,
    input  logic                   rst_ni,
    input  place_t                 place_i,
    // Words of frames
    input  logic                   step_valid_i,
    output logic                   step_ready_o,
    input  step_t                  step_i,
    // The board's own report
    input  logic                   own_begin_i,      // its first word is taken
    output logic                   own_wanted_o,     // there is none, nor one on its way
    input  logic                   own_start_i,      // may be made; not so while it is on its way: it fails
    input  logic                   own_keep_i,       // not so: it counts no more
    output logic                   own_valid_o,
    // State of the detector
    input  logic                   epoch_i,
    input  logic                   clear_i,          // the epoch ends with this cycle; own_keep_i has been low
    input  logic                   hold_i,           // decided: nothing is complete
    input  logic   [GATE_BITS-1:0] gate_i,           // board (0,0): grants used
    // All reports together
    output logic                   complete_o,       // all sources have reported and agree
    output logic                   vote_o,
    output logic   [GATE_BITS-1:0] gate_o,
    // To the sum
    output logic                   sum_wanted_o,     // complete, and not what was sent last
    input  logic                   sum_start_i,      // it is sent now
    input  logic                   sum_busy_i,       // it reads
    input  key_t                   sum_key_i,
    output count_t                 read_sent_o,
    output count_t                 read_received_o,
    // Frames that are no reports, a pulse each
    output logic                   release_o,
    output logic                   release_vote_o,
    output logic                   request_o,
    output logic                   grant_o
);
  logic a_valid_q, a_advance;
  step_t a_q;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) a_valid_q <= 1'b0;
    else if (step_ready_o) a_valid_q <= step_valid_i;
  end
  always_ff @(posedge clk_i) if (step_ready_o && step_valid_i) a_q <= step_i;

  // ---- A: read the other end, or the old value ----

  key_t a_key, a_far;
  logic [SOURCES-1:0] a_other;  // source of the other end
  logic a_is_end;
  logic report_q, a_report;  // the frame is a report
  assign step_ready_o = !a_valid_q || a_advance;
  assign a_advance = a_valid_q && !sum_busy_i;
  assign a_key = a_q.word[55:48];
  assign a_far = other_end(a_key);
  assign a_other = source_of(place_i, a_far.y, a_far.x);
  assign a_report = a_q.first ? a_q.word[7:0] == OP_REPORT : report_q;
  assign a_is_end = a_report && !a_q.first;

  logic read_en;
  key_t read_key;
  assign read_en  = a_advance || sum_busy_i;
  assign read_key = sum_busy_i ? sum_key_i : a_other != '0 ? a_far : a_key;

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
  assign differs = read_sent_o != b_end.received || read_received_o != b_end.sent;
  assign changed = read_sent_o != b_end.sent || read_received_o != b_end.received;

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
      .rdata_o({read_sent_o, read_received_o})
  );

  logic renewed_q;  // the sum has ends that were not sent
  logic own_busy_q, own_failed_q;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      valid_q <= '0;
      bad_q <= '0;
      own_busy_q <= 1'b0;
      own_failed_q <= 1'b0;
      renewed_q <= 1'b0;
    end else begin
      if (sum_start_i) renewed_q <= 1'b0;
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

      // Own: whole in B; of no use if the board has changed meanwhile.
      if (own_begin_i) begin
        own_busy_q   <= 1'b1;
        own_failed_q <= 1'b0;
      end else if (own_busy_q && !own_start_i) own_failed_q <= 1'b1;
      if (b_valid_q && b_source[OWN] && b_q.last) begin
        own_busy_q   <= 1'b0;
        valid_q[OWN] <= own_start_i && !own_failed_q;
      end else if (!own_keep_i) valid_q[OWN] <= 1'b0;
    end
  end
  always_ff @(posedge clk_i) begin
    if (b_report && b_q.first) begin
      vote_q[b_q.source] <= b_head.vote;
      if (!b_source[OWN]) epoch_q[b_q.source[1:0]] <= b_head.epoch;
      if ((b_source[LINKS-1:0] & gate_child_of(place_i)) != '0) child_gate_q <= b_head.gate;
    end
  end
  assign own_valid_o  = valid_q[OWN];
  assign own_wanted_o = !valid_q[OWN] && !own_busy_q;

  logic unused;
  assign unused = ^{b_head.zero1, b_head.zero2, b_head.zero3, b_head.ends};

  logic b_other_frame;
  assign b_other_frame = b_valid_q && b_q.first && !b_source[OWN];
  assign release_o = b_other_frame && b_head.op == OP_RELEASE;
  assign release_vote_o = b_head.vote;
  assign request_o = b_other_frame && b_head.op == OP_REQUEST;
  assign grant_o = b_other_frame && b_head.op == OP_GRANT;

  // ---- all together ----

  logic [LINKS-1:0] current, children;
  logic forwarded_q, forwarded_vote_q;
  logic [GATE_BITS-1:0] forwarded_gate_q;
  assign children = children_of(place_i);
  // Reports of the last epoch stay, and count no more.
  for (genvar l = 0; l < LINKS; l++) begin : gen_current
    assign current[l] = valid_q[l] && epoch_q[l] == epoch_i;
  end
  assign complete_o = valid_q[OWN] && (children & ~current) == '0 && bad_q == '0 && !b_valid_q && !hold_i;
  assign vote_o = ({1'b1, children} & ~vote_q) == '0;
  assign gate_o = gate_child_of(place_i) != '0 ? child_gate_q : gate_i;
  assign sum_wanted_o = complete_o && !a_valid_q &&
      (renewed_q || !forwarded_q || forwarded_vote_q != vote_o || forwarded_gate_q != gate_o);
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) forwarded_q <= 1'b0;
    else if (clear_i) forwarded_q <= 1'b0;
    else if (sum_start_i) forwarded_q <= 1'b1;
  end
  always_ff @(posedge clk_i) begin
    if (sum_start_i) begin
      forwarded_vote_q <= vote_o;
      forwarded_gate_q <= gate_o;
    end
  end

  always_ff @(posedge clk_i) begin
    assert (!(b_report && b_q.first && !b_source[OWN]) || (b_source[LINKS-1:0] & children) != '0)
    else $error("%m: a report from a board that is no child");
    assert (!(b_valid_q && b_is_end_q) || (b_other_q & b_source) == '0)
    else $error("%m: a report with a link inside its subtree");
  end
endmodule
