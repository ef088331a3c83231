// SPDX-License-Identifier: Apache-2.0
// polyloom_overlay_detector: termination detection with vote: all threads of all boards wait, and no message is anywhere.
// How:          README.md "Termination detection" of the role; same words as sim/net/detector_tree.cc.
//                   gather --> own report -.
//                   children's reports ----+-> combine --> sum to the parent; the root decides
//                   release from the parent, or the decision --> to the children, and after the release tree to the tiles
//               Never early, in spite of delays. The proof wants of a snapshot only that the board was passive with these
//               counts at one time t; that the detector sees it later does not matter, because it also holds for snapshots
//               that are stale. What it excludes, the detector sees to:
//               - a message of the host after t: the gate opens only without a report of the own board (or with the root's
//                 grant), and a report is begun only if the gate has been closed, without host_in_i, for longer than
//                 gather and host take (Quiet): so the snapshot has whatever came in;
//               - what tiles showed before the release: after it the gathered state is ignored until it is younger (Blank);
//               - a report half overwritten: it is not valid until its last word has been compared.
// Latency:      passive_i to the first word of a report: 4 cycles and one for each link; frame to frame: 4 (reports), 3;
//               decision to the tiles' release: tiles_x + tiles_y.
// Throughput:   a control word a cycle; see combine.
// Backpressure: control words in: taken in a bounded number of cycles, whatever the links take: so control cannot deadlock.
//               At most one question, grant and release is ever waiting for a link.
// Order/loss:   none lost; a release leaves before a grant that came after it.
// Reset:        epoch 0, no reports, gate closed.
// Limits:       place_i and mesh constant, 1..8 boards each way (asserted). all_idle of tiles is low within 4 cycles after
//               release_o. A message of the host enters only in a cycle with may_inject_o (its first flit), and host_in_i
//               comes at most 6 cycles later. inject_i at board (0,0) only (asserted).
// Cost:         1,379 LUT4, 61 CCU2C, 366 FF, 2 EBR (ECP5, 67 MHz alone, nextpnr --speed 6); 922 LUT, 366 FF, 1 BRAM36
//               (UltraScale+). One tile, read, combine and sum included. Yosys 0.70, 2026-11.
// Source:       own design.
// Tests:        test_overlay_detector_formal.py, overlay_detector_rtl_test.cc; proof: formal/detector/proofs.toml
module polyloom_overlay_detector
  import polyloom_overlay_pkg::*;
  import polyloom_overlay_detector_pkg::*;
#(
    parameter cfg_t Cfg = TINY,
    localparam int unsigned Tiles = Cfg.tiles_x * Cfg.tiles_y
) (
    input  logic                     clk_i,
    input  logic                     rst_ni,
    // The board's place, constant
    input  logic   [      5:0]       board_i,          // {y, x}
    input  logic   [      7:0]       mesh_i,           // {height, width}
    // From gather
    input  logic                     passive_i,
    input  logic                     vote_i,
    input  count_t [LINKS-1:0]       sent_i,
    input  count_t [LINKS-1:0]       received_i,
    // Control words from and to the links
    input  logic   [LINKS-1:0]       ctl_in_valid_i,
    output logic   [LINKS-1:0]       ctl_in_ready_o,
    input  logic   [LINKS-1:0][63:0] ctl_in_data_i,
    input  logic   [LINKS-1:0]       ctl_in_last_i,
    output logic   [LINKS-1:0]       ctl_out_valid_o,
    input  logic   [LINKS-1:0]       ctl_out_ready_i,
    output logic   [LINKS-1:0][63:0] ctl_out_data_o,
    output logic   [LINKS-1:0]       ctl_out_last_o,
    // To the links
    output logic                     epoch_o,          // of messages that leave and that may come in
    // To the tiles
    output logic   [Tiles-1:0]       release_o,        // threads that wait in idle go on
    output logic   [Tiles-1:0]       release_vote_o,
    // The host's messages
    input  logic                     inject_i,         // one waits, whole
    output logic                     may_inject_o,     // it may enter in this cycle
    input  logic                     host_in_i,        // one has entered
    // Counters
    output logic   [     31:0]       barriers_o,
    output logic   [     31:0]       grants_o          // times that the gate had to ask
);
  localparam int unsigned GatherDelay = Cfg.tiles_x + Cfg.tiles_y;
  localparam int unsigned Quiet = GatherDelay + 8;
  localparam int unsigned Blank = GatherDelay + 4;
  localparam int unsigned ReleaseDelay = Cfg.tiles_x + Cfg.tiles_y;  // registers, the tiles' own included

  place_t place;
  logic [LINKS-1:0] links, children, parent;
  logic root, at_host;
  assign place = '{y: board_i[5:3], x: board_i[2:0], height: mesh_i[7:4], width: mesh_i[3:0]};
  assign links = links_of(place);
  assign children = children_of(place);
  assign parent = parent_of(place);
  assign root = is_root(place);
  assign at_host = board_i == '0;

  logic decided_q, epoch_q, releasing;
  logic decide, accept_back;
  logic own_start, own_wanted, own_begin, own_keep, own_valid, complete, vote;
  logic [GATE_BITS-1:0] gate, gate_q, granted_q;
  logic got_release, got_vote, got_request, got_grant, request_accepted;
  logic request_q, requested_q;
  logic step_valid, step_ready, sum_wanted, sum_start, sum_busy, out_valid, out_last;
  step_t step;
  key_t  sum_key;
  count_t sum_sent, sum_received;
  word_t out_data;
  word_t [LINKS-1:0] words_in;
  logic unused;

  polyloom_overlay_detector_read i_read (
      .clk_i,
      .rst_ni,
      .place_i       (place),
      .in_valid_i    (ctl_in_valid_i & links),
      .in_ready_o    (ctl_in_ready_o),
      .in_data_i     (words_in),
      .in_last_i     (ctl_in_last_i),
      .own_start_i   (own_start && own_wanted),
      .own_begin_o   (own_begin),
      .own_vote_i    (vote_i),
      .own_sent_i    (sent_i),
      .own_received_i(received_i),
      .epoch_i       (epoch_q),
      .step_valid_o  (step_valid),
      .step_ready_i  (step_ready),
      .step_o        (step)
  );

  polyloom_overlay_detector_combine i_combine (
      .clk_i,
      .rst_ni,
      .place_i        (place),
      .step_valid_i   (step_valid),
      .step_ready_o   (step_ready),
      .step_i         (step),
      .own_begin_i    (own_begin),
      .own_wanted_o   (own_wanted),
      .own_start_i    (own_start),
      .own_keep_i     (own_keep),
      .own_valid_o    (own_valid),
      .epoch_i        (epoch_q),
      .clear_i        (releasing),
      .hold_i         (decided_q),
      .gate_i         (at_host ? gate_q : '0),
      .complete_o     (complete),
      .vote_o         (vote),
      .gate_o         (gate),
      .sum_wanted_o   (sum_wanted),
      .sum_start_i    (sum_start),
      .sum_busy_i     (sum_busy),
      .sum_key_i      (sum_key),
      .read_sent_o    (sum_sent),
      .read_received_o(sum_received),
      .release_o      (got_release),
      .release_vote_o (got_vote),
      .request_o      (got_request),
      .grant_o        (got_grant)
  );

  polyloom_overlay_detector_sum i_sum (
      .clk_i,
      .rst_ni,
      .place_i           (place),
      .wanted_i          (sum_wanted && !root),
      .vote_i            (vote),
      .gate_i            (gate),
      .epoch_i           (epoch_q),
      .start_o           (sum_start),
      .busy_o            (sum_busy),
      .key_o             (sum_key),
      .sent_i            (sum_sent),
      .received_i        (sum_received),
      .request_i         (request_q),
      .request_accepted_o(request_accepted),
      .out_valid_o       (out_valid),
      .out_ready_i       (|(ctl_out_ready_i & parent)),
      .out_data_o        (out_data),
      .out_last_o        (out_last)
  );

  always_comb begin
    unused = 1'b0;
    for (int unsigned l = 0; l < LINKS; l++) begin
      words_in[l] = ctl_in_data_i[l][55:0];
      unused ^= ^ctl_in_data_i[l][63:56];
    end
  end

  // ---- decision and release ----

  logic release_vote_q;
  logic [LINKS-1:0] release_pending_q;
  assign decide = (root && complete && gate == granted_q) || (got_release && !decided_q);

  logic [ReleaseDelay-2:0] release_pipe_q;
  assign releasing = release_pipe_q[ReleaseDelay-2];
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      decided_q <= 1'b0;
      release_pipe_q <= '0;
      release_o <= '0;
      epoch_q <= 1'b0;
      barriers_o <= '0;
      release_pending_q <= '0;
    end else begin
      release_pipe_q <= (ReleaseDelay - 1)'({release_pipe_q, decide});
      release_o <= {Tiles{releasing}};
      release_pending_q <= release_pending_q & ~ctl_out_ready_i;
      if (decide) begin
        decided_q <= 1'b1;
        release_pending_q <= children;
      end
      if (releasing) begin
        decided_q  <= 1'b0;
        epoch_q    <= !epoch_q;
        barriers_o <= barriers_o + 32'd1;
      end
    end
  end
  always_ff @(posedge clk_i) begin
    if (decide) release_vote_q <= root ? vote : got_vote;
    if (releasing) release_vote_o <= {Tiles{release_vote_q}};
  end
  assign epoch_o = epoch_q;

  // ---- the board's own report ----

  logic [$clog2(Blank+1)-1:0] blank_q;
  logic [$clog2(Quiet+1)-1:0] quiet_q;
  logic passive;
  assign passive   = passive_i && blank_q == '0 && !decided_q;
  assign own_start = passive && quiet_q == '0 && !inject_i && !got_grant;
  assign own_keep  = passive && !got_grant && !accept_back;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      blank_q <= '0;
      quiet_q <= '0;
    end else begin
      if (releasing) blank_q <= ($clog2(Blank + 1))'(Blank);
      else if (blank_q != '0) blank_q <= blank_q - 1'b1;
      if (may_inject_o || host_in_i) quiet_q <= ($clog2(Quiet + 1))'(Quiet);
      else if (quiet_q != '0) quiet_q <= quiet_q - 1'b1;
    end
  end

  // ---- the host's gate ----

  logic grant_pending_q, open, request;
  assign open = inject_i && !own_valid && !decided_q && !decide;
  assign accept_back = root && inject_i && own_valid && !decided_q && !decide;
  assign request = !root && inject_i && own_valid && !decided_q && !requested_q && !got_grant;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      may_inject_o <= 1'b0;
      request_q <= 1'b0;
      requested_q <= 1'b0;
      gate_q <= '0;
      granted_q <= '0;
      grants_o <= '0;
      grant_pending_q <= 1'b0;
    end else begin
      may_inject_o <= open;
      if (accept_back || request) grants_o <= grants_o + 32'd1;
      if (request_accepted) request_q <= 1'b0;
      if (request || (got_request && !root)) request_q <= 1'b1;
      if (request) requested_q <= 1'b1;
      if ((grant_pending_q && |(ctl_out_ready_i & gate_child_of(place) & ~release_pending_q))) grant_pending_q <= 1'b0;
      if (got_request && root) begin
        granted_q <= granted_q + 1'b1;
        grant_pending_q <= 1'b1;
      end
      if (got_grant) begin
        if (at_host) begin
          requested_q <= 1'b0;
          gate_q <= gate_q + 1'b1;
        end else grant_pending_q <= 1'b1;
      end
    end
  end

  // ---- frames to neighbours ----

  for (genvar l = 0; l < LINKS; l++) begin : gen_out
    logic  grants;
    head_t word;
    assign grants = grant_pending_q && (gate_child_of(place) & (LINKS'(1) << l)) != '0;
    always_comb begin
      word = '0;
      word.op = release_pending_q[l] ? OP_RELEASE : OP_GRANT;
      word.vote = release_pending_q[l] && release_vote_q;
    end
    assign ctl_out_valid_o[l] = parent[l] ? out_valid : release_pending_q[l] || grants;
    assign ctl_out_data_o[l]  = 64'(parent[l] ? out_data : word_t'(word));
    assign ctl_out_last_o[l]  = !parent[l] || out_last;
  end

  logic awake_q;  // board and mesh may come out of registers that reset does not set
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) awake_q <= 1'b0;
    else awake_q <= 1'b1;
  end
  always_ff @(posedge clk_i) begin
    assert (!inject_i || at_host)
    else $error("%m: a host message at board (%0d,%0d); only (0,0) has a host", place.x, place.y);
    assert (!awake_q || (place.width <= 4'd8 && place.height <= 4'd8 && {1'b0, place.x} < place.width &&
                         {1'b0, place.y} < place.height))
    else $error("%m: board (%0d,%0d) in a mesh of %0d x %0d", place.x, place.y, place.width, place.height);
    assert (!(decide && release_pending_q != '0))
    else $error("%m: a decision before the last release has left");
    assert (!(decide && grant_pending_q))
    else $error("%m: a decision before a grant has left");
    assert (!(got_release && (decided_q || root)))
    else $error("%m: a release that nothing waits for");
  end
endmodule
