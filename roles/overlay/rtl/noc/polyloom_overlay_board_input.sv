// SPDX-License-Identifier: Apache-2.0
// polyloom_overlay_board_input: an input of the board router: the buffer of messages, and what makes copies of those with a key.
// How:          a message without a key waits for its grant at the head of the buffer. One with a key stays there while its
//               expander shows copies, and each is granted as if it were a message: the first flit from the expander, the rest
//               from the buffer, again and again.
//
//                 wire --+--> buffer --> head -------> grant, flits
//                        '--> expander --> copy --'
//                                ^--- beats of records
// Latency:      as polyloom_overlay_noc_input, polyloom_overlay_expander.
// Throughput:   a flit a cycle.
// Backpressure: as polyloom_overlay_noc_input.
// Order/loss:   in order: what comes behind a message with a key waits until its last copy has left.
// Reset:        empty.
// Limits:       as its parts.
// Cost:         see polyloom_overlay_board_router.
// Source:       Noc in roles/overlay/sim/net/noc.h.   Tests: test_polyloom_overlay_board_router.py, overlay_noc_test.cc;
//               proof: proofs.toml [overlay_board_input]
module polyloom_overlay_board_input
  import polyloom_overlay_pkg::*;
  import polyloom_overlay_noc_pkg::*;
  import polyloom_overlay_records_pkg::beat_t;
#(
    parameter  cfg_t                    Cfg     = TINY,
    parameter  int unsigned             From    = PORT_HOST,                  // which one
    parameter  int unsigned             Places  = BEAT_PLACES,                // of its expander
    localparam int unsigned             Ports   = BOARD_EXITS + Cfg.tiles_x,
    parameter  logic        [Ports-1:0] Allowed = '1                          // ways of messages without a key
) (
    input  logic                             clk_i,
    input  logic                             rst_ni,
    output logic                             idle_o,           // no message is here
    // Constant: where the board is, {y, x}; the mesh, {height, width}
    input  logic          [2*BOARD_BITS-1:0] board_i,
    input  logic          [             7:0] mesh_i,
    // From the wire; way_i with the first flit, no bit with a key
    input  logic                             valid_i,
    input  logic          [       Ports-1:0] way_i,
    input  flit_t                            in_i,
    output logic                             room_o,
    // To and from the outputs
    output logic                             head_valid_o,
    output logic                             head_long_o,
    output logic          [       Ports-1:0] head_way_o,
    input  logic                             grant_i,
    output logic                             ending_o,
    output flit_t                            flit_o,
    // To and from memory
    output logic                             request_valid_o,
    input  logic                             request_ready_i,
    output beat_request_t                    request_o,
    input  logic          [  Cfg.slices-1:0] beat_valid_i,
    input  place_t        [  Cfg.slices-1:0] beat_place_i,
    input  beat_t         [  Cfg.slices-1:0] beat_i,
    // To the host
    output logic                             fault_valid_o,
    input  logic                             fault_ready_i,
    output route_fault_t                     fault_o,
    // In this cycle: a copy is granted, a message with a key ends
    output logic                             copy_o,
    output logic                             end_o
);

  localparam int unsigned Flits = From < BOARD_EXITS ? EXIT_FLITS : Cfg.noc_link_flits;

  logic head_valid, stay, drop, waits;
  logic [Ports-1:0] head_way;
  flit_t flit;

  assign idle_o = !waits;

  polyloom_overlay_noc_input #(
      .Flits(Flits),
      .MaxFlits(Cfg.max_flits),
      .Ways(Ports),
      .Allowed(Allowed),
      .Replay(Cfg.routers),
      .T(flit_t)
  ) i_buffer (
      .clk_i,
      .rst_ni,
      .valid_i,
      .first_i     (in_i.first),
      .flits_i     (in_i.header.flits),
      .way_i,
      .in_i,
      .room_o,
      .head_valid_o(head_valid),
      .head_long_o,
      .head_way_o  (head_way),
      .grant_i,
      .stay_i      (stay),
      .drop_i      (drop),
      .ending_o,
      .flit_o      (flit)
  );

  // A message at the head, or one that leaves.
  logic leaving_q;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) leaving_q <= 1'b0;
    else if (grant_i) leaving_q <= head_long_o;
    else if (ending_o) leaving_q <= 1'b0;
  end
  assign waits = head_valid || leaving_q;

  if (Cfg.routers) begin : gen_expander
    logic key, shown, ends, last;
    logic [Ports-1:0] copy_way;
    copy_t copy;

    assign key = head_way == '0;

    polyloom_overlay_expander #(
        .Cfg(Cfg),
        .From(From),
        .Messages(Flits),
        .Places(Places)
    ) i_expander (
        .clk_i,
        .rst_ni,
        .board_i,
        .mesh_i,
        .key_valid_i(valid_i && in_i.first && in_i.header.kind == KIND_KEY),
        .key_i      (in_i.header.mask[31:0]),
        .request_valid_o,
        .request_ready_i,
        .request_o,
        .beat_valid_i,
        .beat_place_i,
        .beat_i,
        .shown_o    (shown),
        .end_o      (ends),
        .last_o     (last),
        .way_o      (copy_way),
        .copy_o     (copy),
        .accepted_i (copy_o || drop),
        .fault_valid_o,
        .fault_ready_i,
        .fault_o
    );

    assign head_valid_o = head_valid && (!key || (shown && !ends));
    assign head_way_o = key ? copy_way : head_way;
    assign stay = key && !last;
    assign drop = head_valid && key && shown && ends;
    assign copy_o = grant_i && key;
    assign end_o = (copy_o && last) || drop;

    always_comb begin
      flit_o = flit;
      if (head_valid && key) begin
        flit_o.header.kind = copy.kind;
        flit_o.header.dest = copy.dest;
        flit_o.header.mask = copy.mask;
        if (copy.replaces[0]) flit_o.data[15:0] = copy.words[15:0];
        if (copy.replaces[1]) flit_o.data[31:16] = copy.words[31:16];
        if (copy.replaces[2]) flit_o.data[63:32] = copy.words[63:32];
      end
    end
  end else begin : gen_plain
    logic unused;
    assign unused = ^{board_i, mesh_i, request_ready_i, beat_valid_i, beat_place_i, beat_i, fault_ready_i};
    assign head_valid_o = head_valid;
    assign head_way_o = head_way;
    assign flit_o = flit;
    assign stay = 1'b0;
    assign drop = 1'b0;
    assign request_valid_o = 1'b0;
    assign request_o = '0;
    assign fault_valid_o = 1'b0;
    assign fault_o = '0;
    assign copy_o = 1'b0;
    assign end_o = 1'b0;
  end

endmodule
