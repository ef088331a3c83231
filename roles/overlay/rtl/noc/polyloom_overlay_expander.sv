// SPDX-License-Identifier: Apache-2.0
// polyloom_overlay_expander: what makes copies of the key messages of one input of the board router, one for each record.
// How:          keys are fetched in order as long as there are places for beats, and decoded in order, a record a cycle, into
//               one register: a copy, or that the message has ended. An indirection makes its key the chain, decoded when all of
//               the key before it is; it has a place of its own, so keys that are fetched ahead never keep it from going on.
//
//                 wire --+--> keys to fetch --> ask -------------> memory
//                        |                                           |
//                        |      .--- chain <--- indirection          v
//                        |      v                   ^           places 0..6, 7
//                        +--> keys to decode --> record at work <----'
//                                                   |
//                                                   '--> copy or end --> input
// Latency:      a key on the wire in cycle r-1 is asked for in r; a beat that comes in cycle b can be decoded in b+1, and its
//               copy is shown in the cycle after. A place can be asked for again in the cycle after its last record.
// Throughput:   a record a cycle: a copy may be loaded in the cycle in which the one before is taken.
// Backpressure: the register is loaded when it is empty or taken; a fault waits for fault_ready_i and all behind it.
//               Combinational: accepted_i and fault_ready_i to nothing but registers.
// Order/loss:   copies in order of records, messages in order. Each ends once: with its last copy, or by an end.
// Reset:        empty; memories are not cleared.
// Limits:       Messages 1 to 32: no more are in the input's buffer; Places 1 to 7 (checked at elaboration). A beat comes once
//               for each that was asked for.
// Cost:         1,471 LUT with polyloom_overlay_expander_record, 344 FF at 2 slices (UltraScale+; Yosys 0.70, 2026-11).
// Source:       Multicast paper IV; Expanders in roles/overlay/sim/net/expanders.h.
// Tests:        test_polyloom_overlay_expander.py, overlay_noc_test.cc; proof: proofs.toml [overlay_board_input]
module polyloom_overlay_expander
  import polyloom_overlay_pkg::*;
  import polyloom_overlay_noc_pkg::*;
  import polyloom_overlay_records_pkg::*;
#(
    parameter  cfg_t        Cfg      = TINY,
    parameter  int unsigned From     = PORT_HOST,                 // port by which its messages come
    parameter  int unsigned Messages = 32,                        // that its input holds
    parameter  int unsigned Places   = BEAT_PLACES,               // for beats of its keys, used in turn
    localparam int unsigned Ports    = BOARD_EXITS + Cfg.tiles_x
) (
    input  logic                             clk_i,
    input  logic                             rst_ni,
    // Constant: where the board is, {y, x}; the mesh, {height, width}
    input  logic          [2*BOARD_BITS-1:0] board_i,
    input  logic          [             7:0] mesh_i,
    // From the wire: a first flit of a key message
    input  logic                             key_valid_i,
    input  key_t                             key_i,
    // To memory
    output logic                             request_valid_o,
    input  logic                             request_ready_i,
    output beat_request_t                    request_o,
    // From memory, by slice
    input  logic          [  Cfg.slices-1:0] beat_valid_i,
    input  place_t        [  Cfg.slices-1:0] beat_place_i,
    input  beat_t         [  Cfg.slices-1:0] beat_i,
    // To the input: of the oldest message that has not ended
    output logic                             shown_o,          // there is a copy, or an end
    output logic                             end_o,            // an end
    output logic                             last_o,           // the copy is the last
    output logic          [       Ports-1:0] way_o,
    output copy_t                            copy_o,
    input  logic                             accepted_i,       // in this cycle
    // To the host
    output logic                             fault_valid_o,
    input  logic                             fault_ready_i,
    output route_fault_t                     fault_o
);

  if (Messages < 1 || Messages > 32 || Places < 1 || Places > BEAT_PLACES) begin : gen_bad
    $error("%m: Messages %0d, Places %0d; 1 to 32, 1 to %0d", Messages, Places, BEAT_PLACES);
  end

  typedef logic [4:0] beats_t;  // key_t::beats
  typedef struct packed {
    key_t key;
    logic none;  // no beats, or none that may be read
  } listed_t;

  function automatic place_t after(input place_t place);
    return place == place_t'(Places - 1) ? '0 : place + 1'b1;
  endfunction

  // ---- lists of keys ----

  logic fetch_valid, fetched, list_valid, ended, decode_none, fetch_room, list_room;
  key_t fetch;
  listed_t first;
  assign decode_none = key_i.beats == '0 || key_outside(key_i, Cfg.slices);

  polyloom_stream_lut_fifo #(
      .T(key_t),
      .Depth(Messages)
  ) i_to_fetch (
      .clk_i,
      .rst_ni,
      .flush_i(1'b0),
      .in_valid_i(key_valid_i && !decode_none),
      .in_ready_o(fetch_room),
      .in_i(key_i),
      .out_valid_o(fetch_valid),
      .out_ready_i(fetched),
      .out_o(fetch)
  );

  polyloom_stream_lut_fifo #(
      .T(listed_t),
      .Depth(Messages)
  ) i_to_decode (
      .clk_i,
      .rst_ni,
      .flush_i(1'b0),
      .in_valid_i(key_valid_i),
      .in_ready_o(list_room),
      .in_i('{key: key_i, none: decode_none}),
      .out_valid_o(list_valid),
      .out_ready_i(ended),
      .out_o(first)
  );

  // ---- fetching ----

  place_t put_q, accept_q, used_q;
  beats_t requested_q;  // beats of `fetch`
  logic chain_wants_q, requests_beat, freed;
  key_t   chain_q;  // the key of an indirection, whose beats are fetched
  beats_t chain_beat;  // of them: that is asked for next

  assign requests_beat = request_valid_o && request_ready_i && !chain_wants_q;
  assign request_valid_o = chain_wants_q || (fetch_valid && used_q != place_t'(Places));
  assign request_o = chain_wants_q ?
      '{slice: chain_q.slice, beat: chain_q.beat + 26'(chain_beat), place: CHAIN_PLACE} :
      '{slice: fetch.slice, beat: fetch.beat + 26'(requested_q), place: put_q};
  assign fetched = requests_beat && requested_q + beats_t'(1) == fetch.beats;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      put_q <= '0;
      accept_q <= '0;
      used_q <= '0;
      requested_q <= '0;
    end else begin
      if (requests_beat) put_q <= after(put_q);
      if (requests_beat) requested_q <= fetched ? '0 : requested_q + 1'b1;
      if (freed) accept_q <= after(accept_q);
      if (requests_beat != freed) used_q <= requests_beat ? used_q + 1'b1 : used_q - 1'b1;
    end
  end

  // ---- beats that have come ----

  logic [BEAT_PLACES:0] there_q, come;
  place_t place;  // at work
  beat_t held[2];  // its beat, by key_t::slice
  for (genvar s = 0; s < 2; s++) begin : gen_slice
    if (s < Cfg.slices) begin : gen_memory
      beat_t mem_q[BEAT_PLACES+1];
      always_ff @(posedge clk_i) if (beat_valid_i[s]) mem_q[beat_place_i[s]] <= beat_i[s];
      assign held[s] = mem_q[place];
    end else begin : gen_none
      assign held[s] = '0;
    end
  end
  always_comb begin
    come = '0;
    for (int unsigned s = 0; s < Cfg.slices; s++) if (beat_valid_i[s]) come[beat_place_i[s]] = 1'b1;
  end

  // ---- the key at work: of the oldest message, or the chain ----

  logic chain_none_q, in_chain_q, has_next_q;  // has_next: an indirection of this key has been decoded
  listed_t next_q, at_work;  // next: the key of an indirection of the chain
  beats_t done_q;  // beats of the key at work
  logic [7:0] indirections_q;  // of the message
  logic [2:0] consumed_q;  // chunks of the beat at work
  logic [2:0] decoded_q;  // and records

  assign at_work = in_chain_q ? '{key: chain_q, none: chain_none_q} : first;
  assign place = in_chain_q ? CHAIN_PLACE : accept_q;
  assign chain_beat = in_chain_q ? done_q : '0;

  // ---- its next record ----

  beat_t beat;
  logic [1:0][CHUNK_BITS-1:0] chunk;
  logic two, copies, indirection, record, good, beat_ends;
  copy_t copy;
  logic [Ports-1:0] way;
  route_why_e why;
  key_t other;
  logic go, loads_end;

  assign beat = held[at_work.key.slice];
  always_comb begin
    chunk = '0;  // below the last
    for (int unsigned c = 0; c < CHUNKS; c++) begin
      if (consumed_q == 3'(c)) chunk[1] = beat.chunk[CHUNKS-1-c];
      if (consumed_q + 3'd1 == 3'(c)) chunk[0] = beat.chunk[CHUNKS-1-c];
    end
  end
  polyloom_overlay_expander_record #(
      .Cfg (Cfg),
      .From(From)
  ) i_record (
      .board_i,
      .mesh_i,
      .chunk_i      (chunk),
      .two_o        (two),
      .copies_o     (copies),
      .copy_o       (copy),
      .way_o        (way),
      .indirection_o(indirection),
      .key_o        (other),
      .why_o        (why)
  );

  // A record is there, if the beat has more and its chunks are there; what its tag says is another question.
  assign record = beat.count != '0 && 32'(consumed_q) + 32'(two) < CHUNKS;
  assign good = record && (copies || indirection || why != ROUTE_RECORD);
  assign beat_ends = !good || beat.count == 16'(decoded_q) + 16'd1;

  // ---- what becomes of it ----

  logic other_none, other_outside, chained, key_ends, message_ends, faulty;
  route_fault_t fault;

  assign other_outside = key_outside(other, Cfg.slices);
  assign other_none = other.beats == '0 || other_outside;
  assign chained = go && !at_work.none && record && indirection && !has_next_q && indirections_q != '1;

  assign go = (in_chain_q || list_valid) && (at_work.none || there_q[place]) && (!shown_o || accepted_i) &&
      (!fault_valid_o || fault_ready_i);
  assign key_ends = at_work.none || (beat_ends && done_q + beats_t'(1) == at_work.key.beats);
  assign message_ends = key_ends && !has_next_q && !chained;
  assign ended = go && message_ends;
  assign freed = go && !at_work.none && beat_ends && !in_chain_q;
  assign loads_end = message_ends && (at_work.none || !record || !copies);

  always_comb begin
    faulty = go && !at_work.none && !(record && copies);
    fault  = '{why: why, key: at_work.key, value: chunk[1][CHUNK_BITS-1-:32]};
    if (at_work.none) begin
      faulty = go && !in_chain_q && at_work.key.beats != '0;
      fault  = '{why: ROUTE_MEMORY, key: at_work.key, value: '0};
    end else if (!record) begin
      fault.why = ROUTE_RECORD;
    end else if (chained) begin
      faulty = other_outside;
      fault  = '{why: ROUTE_MEMORY, key: other, value: '0};
    end else if (indirection) begin
      fault.why   = ROUTE_CHAIN;
      fault.value = other;
    end
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      there_q <= '0;
      chain_wants_q <= 1'b0;
      in_chain_q <= 1'b0;
      has_next_q <= 1'b0;
      done_q <= '0;
      indirections_q <= '0;
      consumed_q <= '0;
      decoded_q <= '0;
    end else begin
      there_q <= there_q | come;
      if (request_ready_i && chain_wants_q) chain_wants_q <= 1'b0;
      if (go && !at_work.none) begin
        consumed_q <= consumed_q + (two ? 3'd2 : 3'd1);
        decoded_q  <= decoded_q + 1'b1;
        if (chained) begin
          has_next_q <= 1'b1;
          indirections_q <= indirections_q + 1'b1;
          if (!in_chain_q && !other_none) chain_wants_q <= 1'b1;
        end
        if (beat_ends) begin
          consumed_q <= '0;
          decoded_q <= '0;
          done_q <= done_q + 1'b1;
          there_q[place] <= 1'b0;
          if (in_chain_q && !key_ends) chain_wants_q <= 1'b1;
        end
      end
      if (go && key_ends) begin
        done_q <= '0;
        has_next_q <= 1'b0;
        in_chain_q <= !message_ends;
        if (message_ends) indirections_q <= '0;
        else if (in_chain_q) chain_wants_q <= !(chained ? other_none : next_q.none);
      end
    end
  end

  always_ff @(posedge clk_i) begin
    if (in_chain_q) begin
      if (chained) next_q <= '{key: other, none: other_none};
      if (go && key_ends) {chain_q, chain_none_q} <= chained ? {other, other_none} : next_q;
    end else if (chained) begin
      {chain_q, chain_none_q} <= {other, other_none};
    end
  end

  // ---- the register, and faults ----

  logic load;
  assign load = go && (loads_end || (!at_work.none && record && copies));

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      shown_o <= 1'b0;
      fault_valid_o <= 1'b0;
    end else begin
      if (load || accepted_i) shown_o <= load;
      if (faulty || fault_ready_i) fault_valid_o <= faulty;
    end
  end

  always_ff @(posedge clk_i) begin
    if (load) begin
      end_o  <= loads_end;
      last_o <= message_ends;
      way_o  <= way;
      copy_o <= copy;
    end
    if (faulty) fault_o <= fault;
  end

  always_ff @(posedge clk_i) begin
    assert (!key_valid_i || (list_room && (decode_none || fetch_room)))
    else $error("%m: more messages than the input holds");
    assert (!accepted_i || shown_o);
  end

endmodule
