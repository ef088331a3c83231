// SPDX-License-Identifier: Apache-2.0
// polyloom_overlay_router_port: the way of some expanders to the memory slices: beats asked for, beats that have come.
// How:          expanders take turns; the granted one is noted by a tag {expander, place}, which the line comes back with.
//
//                 expanders --> turn --> 6 registers --> FIFO a slice --> slices
//                 expanders <-- half of a line <-- register <-- register <-'
// Latency:      a beat asked for in cycle g can be taken by its slice in g+7, so it is among the slice's requests in g+8; a line
//               that comes in cycle l (one after it has left its memory) is with its expander in l+2.
// Throughput:   one request a cycle, one beat a cycle from each slice.
// Backpressure: none towards expanders: there is room for all that they may have under way. line_valid_o depends on registers.
// Order/loss:   a slice's requests in order; nothing lost.
// Reset:        empty.
// Limits:       Expanders 1 to 8; lines of 32 or 64 bytes (checked at elaboration).
// Cost:         295 LUT, 1,064 FF at 2 slices, 32-byte lines (UltraScale+, mean of 5 and 4 expanders; Yosys 0.70, 2026-11).
// Source:       Expanders::fetch in roles/overlay/sim/net/expanders.cc.
// Tests:        test_polyloom_overlay_router_port.py, overlay_noc_test.cc
module polyloom_overlay_router_port
  import polyloom_overlay_pkg::*;
  import polyloom_overlay_noc_pkg::*;
  import polyloom_overlay_records_pkg::*;
#(
    parameter  cfg_t        Cfg       = TINY,
    parameter  int unsigned Expanders = 2,
    localparam int unsigned LineBits  = 8 * Cfg.line_bytes
) (
    input  logic                                           clk_i,
    input  logic                                           rst_ni,
    // From and to the expanders
    input  logic          [ Expanders-1:0]                 request_valid_i,
    output logic          [ Expanders-1:0]                 request_ready_o,
    input  beat_request_t [ Expanders-1:0]                 request_i,
    output logic          [ Expanders-1:0][Cfg.slices-1:0] beat_valid_o,
    output place_t        [Cfg.slices-1:0]                 beat_place_o,
    output beat_t         [Cfg.slices-1:0]                 beat_o,
    // To and from the slices
    output logic          [Cfg.slices-1:0]                 line_valid_o,
    input  logic          [Cfg.slices-1:0]                 line_ready_i,
    output line_req_t     [Cfg.slices-1:0]                 line_o,
    input  logic          [Cfg.slices-1:0]                 line_rsp_valid_i,
    input  logic          [Cfg.slices-1:0][INDEX_BITS-1:0] line_rsp_tag_i,
    input  logic          [Cfg.slices-1:0][  LineBits-1:0] line_rsp_data_i
);

  localparam int unsigned STAGES = 6;  // for the way from the south periphery to the slices

  if (Expanders < 1 || Expanders > 8) begin : gen_bad_expanders
    $error("%m: Expanders %0d; 1 to 8", Expanders);
  end
  if (!(Cfg.line_bytes inside {32, 64})) begin : gen_bad_line
    $error("%m: line_bytes %0d; 32 or 64", Cfg.line_bytes);
  end

  typedef logic [2:0] expander_t;
  typedef struct packed {
    expander_t expander;
    place_t    place;
  } tag_t;
  typedef struct packed {
    logic        slice;
    logic [25:0] beat;
    tag_t        tag;
  } request_t;

  // ---- which one is granted: the next after the last ----

  logic any;
  expander_t turn, last_q;
  request_t request;

  assign any = |request_valid_i;
  always_comb begin
    turn = '0;
    for (int unsigned e = Expanders; e-- > 0;) if (request_valid_i[e]) turn = expander_t'(e);
    for (int unsigned e = Expanders; e-- > 0;) if (request_valid_i[e] && e > 32'(last_q)) turn = expander_t'(e);
    request = '0;
    for (int unsigned e = 0; e < Expanders; e++) begin
      request_ready_o[e] = request_valid_i[e] && turn == expander_t'(e);
      if (turn == expander_t'(e)) begin
        request = '{
            slice: request_i[e].slice,
            beat: request_i[e].beat,
            tag: '{expander: expander_t'(e), place: request_i[e].place}
        };
      end
    end
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) last_q <= expander_t'(Expanders - 1);
    else if (any) last_q <= turn;
  end

  // ---- to the slices ----

  logic [STAGES-1:0] valid_q;
  request_t [STAGES-1:0] request_q;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) valid_q <= '0;
    else valid_q <= {valid_q[STAGES-2:0], any};
  end
  always_ff @(posedge clk_i) request_q <= {request_q[STAGES-2:0], request};

  for (genvar s = 0; s < Cfg.slices; s++) begin : gen_slice
    logic into, room;
    logic [31:0] addr;
    assign into = valid_q[STAGES-1] && 32'(request_q[STAGES-1].slice) == s;
    assign addr = {1'b0, request_q[STAGES-1].beat, 5'b0} & ~32'(Cfg.line_bytes - 1);
    polyloom_stream_lut_fifo #(
        .T(line_req_t),
        .Depth(Expanders * (BEAT_PLACES + 1))
    ) i_fifo (
        .clk_i,
        .rst_ni,
        .flush_i(1'b0),
        .in_valid_i(into),
        .in_ready_o(room),
        .in_i('{write: 1'b0, tag: request_q[STAGES-1].tag, addr: addr}),
        .out_valid_o(line_valid_o[s]),
        .out_ready_i(line_ready_i[s]),
        .out_o(line_o[s])
    );
    always_ff @(posedge clk_i) begin
      assert (!into || room)
      else $error("%m: more beats are under way than there are places");
    end
  end

  // ---- from the slices ----

  logic [2**INDEX_BITS-1:0] half;  // by tag: which half of the line the beat is
  if (LineBits == BEAT_BITS) begin : gen_whole
    assign half = '0;
  end else begin : gen_halves
    logic [2**INDEX_BITS-1:0] half_q;
    always_ff @(posedge clk_i) if (any) half_q[request.tag] <= request.beat[0];
    assign half = half_q;
  end

  for (genvar s = 0; s < Cfg.slices; s++) begin : gen_back
    logic rsp_valid_q;
    tag_t rsp_tag_q;
    logic [LineBits-1:0] line_q;
    always_ff @(posedge clk_i or negedge rst_ni) begin
      if (!rst_ni) rsp_valid_q <= 1'b0;
      else rsp_valid_q <= line_rsp_valid_i[s];
    end
    always_ff @(posedge clk_i) begin
      if (line_rsp_valid_i[s]) begin
        rsp_tag_q <= line_rsp_tag_i[s];
        line_q <= line_rsp_data_i[s];
      end
    end
    for (genvar e = 0; e < Expanders; e++) begin : gen_valid
      always_ff @(posedge clk_i or negedge rst_ni) begin
        if (!rst_ni) beat_valid_o[e][s] <= 1'b0;
        else beat_valid_o[e][s] <= rsp_valid_q && rsp_tag_q.expander == expander_t'(e);
      end
    end
    always_ff @(posedge clk_i) begin
      if (rsp_valid_q) begin
        beat_place_o[s] <= rsp_tag_q.place;
        beat_o[s] <= half[rsp_tag_q] ? line_q[LineBits-1-:BEAT_BITS] : line_q[BEAT_BITS-1:0];
      end
    end
  end

endmodule
