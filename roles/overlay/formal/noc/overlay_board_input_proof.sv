// SPDX-License-Identifier: Apache-2.0
// overlay_board_input_proof: polyloom_overlay_board_input grants each copy once and in order, ends each message once, in time.
// How: a key names its message's number, and with it one of two tables, picked freely: up to two beats of one or two records,
// one of which may be an indirection to a beat more. A copy carries its place in the table; of the oldest message a bit for
// each copy that is still to come is kept. Memory responds when it likes, each request once. Room is counted again outside.
module overlay_board_input_proof
  import polyloom_overlay_pkg::*;
  import polyloom_overlay_noc_pkg::*;
  import polyloom_overlay_records_pkg::*;
#(
    parameter int unsigned Flits = 4,
    parameter int unsigned MaxFlits = 2,
    parameter int unsigned Places = 7
) (
    input logic              clk_i,
    input logic              rst_ni,
    // The tables: beats, two records in a beat (the last for the chain's), which record is an indirection
    input logic   [1:0][1:0] beats_i,
    input logic   [1:0][2:0] two_i,
    input logic   [1:0][3:0] indirection_i,
    // The writer
    input logic              start_i,
    input logic              key_i,
    input logic   [1:0]      flits_i,
    // Outputs, memory
    input logic              grant_i,
    input logic              request_ready_i,
    input logic              come_i,
    input place_t            come_place_i
);

  function automatic cfg_t sizes();
    sizes = TINY;
    sizes.noc_link_flits = Flits;
    sizes.max_flits = MaxFlits;
  endfunction
  localparam cfg_t CFG = sizes();
  localparam int unsigned PORTS = BOARD_EXITS + 1;
  localparam logic [25:0] FIRST = 26'h40000;  // beat; {chain, message, beat of the key} are its low bits

  logic started = 1'b0;
  logic [1:0][1:0] beats_q;
  logic [1:0][2:0] two_q;
  logic [1:0][3:0] indirection_q;
  always_ff @(posedge clk_i) begin
    started <= 1'b1;
    beats_q <= beats_i;
    two_q <= two_i;
    indirection_q <= indirection_i;
  end

  // A table's records: four of its beats, two of the chain's. Which are there, which are copies.
  logic [1:0][5:0] there, copies;
  for (genvar t = 0; t < 2; t++) begin : gen_table
    assign there[t][0] = beats_i[t] != '0;
    assign there[t][1] = there[t][0] && two_i[t][0];
    assign there[t][2] = beats_i[t] == 2'd2;
    assign there[t][3] = there[t][2] && two_i[t][1];
    assign there[t][4] = indirection_i[t] != '0;
    assign there[t][5] = there[t][4] && two_i[t][2];
    assign copies[t]   = there[t] & ~{2'b00, indirection_i[t]};
    always_comb begin
      assume (rst_ni == started);
      assume (beats_i[t] != 2'd3 && (indirection_i[t] & ~there[t][3:0]) == '0);
      assume ((indirection_i[t] & (indirection_i[t] - 1'b1)) == '0);
      if (started) assume (beats_i == beats_q && two_i == two_q && indirection_i == indirection_q);
    end
  end

  // ---- the writer: message n has table n mod 2 ----

  logic start, room, room_q;
  logic [1:0] coming_q, number_q, next_number_q;  // number: of the message on the wire; of messages with keys
  key_t  key;
  flit_t in;

  assign start = start_i && coming_q == '0 && room_q;
  assign key   = '{slice: 1'b0, beat: FIRST | 26'(next_number_q) << 2, beats: 5'(beats_i[next_number_q[0]])};
  always_comb begin
    assume (32'(flits_i) < MaxFlits);
    in = '0;
    in.first = start;
    in.last = start ? flits_i == '0 : coming_q == 2'd1;
    in.header.kind = key_i ? KIND_KEY : KIND_UNICAST;
    in.header.flits = flits_i;
    in.header.mask = key_i ? 64'(key) : '0;
    in.data[1:0] = start ? '0 : number_q;  // later flits only
  end
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      coming_q <= '0;
      room_q <= 1'b0;
      next_number_q <= '0;
    end else begin
      coming_q <= start ? flits_i : coming_q - 2'(coming_q != '0);
      room_q   <= room;
      if (start && key_i) next_number_q <= next_number_q + 1'b1;
    end
  end
  always_ff @(posedge clk_i) if (start) number_q <= next_number_q;

  // ---- memory ----

  logic request_valid;
  beat_request_t request;
  logic [7:0] waits_q;  // by place: a beat was asked for and has not come
  logic [7:0][4:0] requested_q;  // and which: {chain, message, beat}
  beat_t beat;

  always_comb begin
    logic chain, second, table_of;
    {chain, table_of, second} = {
      requested_q[come_place_i][4], requested_q[come_place_i][2], requested_q[come_place_i][0]
    };
    if (come_i) assume (waits_q[come_place_i]);
    beat = '0;
    for (int unsigned r = 0; r < 2; r++) begin
      logic [2:0] place;  // in the table
      place = {chain, second && !chain, 1'(r)};
      if (!chain && indirection_i[table_of][place[1:0]]) begin
        beat.chunk[4-r] = {
          RECORD_INDIRECTION, 13'b0, 1'b0, FIRST | 26'h10 | 26'(requested_q[come_place_i][3:2]) << 2, 5'd1
        };
      end else begin
        beat.chunk[4-r] = {RECORD_THREAD, 13'b0, 27'b0, requested_q[come_place_i][3:2], place};
      end
    end
    beat.count = 16'd1 + 16'((chain ? two_i[table_of][2] : second ? two_i[table_of][1] : two_i[table_of][0]));
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      waits_q <= '0;
    end else begin
      if (come_i) waits_q[come_place_i] <= 1'b0;
      if (request_valid && request_ready_i) waits_q[request.place] <= 1'b1;
    end
  end
  always_ff @(posedge clk_i) if (request_valid && request_ready_i) requested_q[request.place] <= request.beat[4:0];

  // ---- the input ----

  logic head_valid, head_long, grant, ending, copied, ended, fault_valid, idle;
  logic [PORTS-1:0] way;
  flit_t out;
  route_fault_t fault;
  assign grant = grant_i && head_valid;

  polyloom_overlay_board_input #(
      .Cfg(CFG),
      .From(PORT_COLUMN),
      .Places(Places)
  ) i_dut (
      .clk_i,
      .rst_ni,
      .idle_o         (idle),
      .board_i        ('0),
      .mesh_i         (8'h11),
      .valid_i        (start || coming_q != '0),
      .way_i          (key_i ? '0 : PORTS'(1)),
      .in_i           (in),
      .room_o         (room),
      .head_valid_o   (head_valid),
      .head_long_o    (head_long),
      .head_way_o     (way),
      .grant_i        (grant),
      .ending_o       (ending),
      .flit_o         (out),
      .request_valid_o(request_valid),
      .request_ready_i,
      .request_o      (request),
      .beat_valid_i   (come_i),
      .beat_place_i   (come_place_i),
      .beat_i         (beat),
      .fault_valid_o  (fault_valid),
      .fault_ready_i  (1'b1),
      .fault_o        (fault),
      .copy_o         (copied),
      .end_o          (ended)
  );

  // ---- what must be ----

  // The messages inside, oldest first, as they came: what each is, and its length.
  typedef struct packed {
    logic       key;
    logic [1:0] flits;
  } message_t;
  message_t [Flits-1:0] list_q, list;
  logic [2:0] count_q, count;
  logic [3:0] used_q, now;
  logic [1:0] oldest_q;  // number of the oldest message with a key
  logic [5:0] left_q, left;  // of its copies, those that have not been granted
  logic leaving_q, stays_q, gone;
  logic [1:0] index_q, length_q;

  assign now  = used_q + (start ? 4'(flits_i) + 4'd1 : '0);
  assign left = left_q & (left_q - 1'b1);
  assign gone = (grant && (!copied || ended)) || (ended && !copied);  // the head is no longer in the list
  always_comb begin
    list  = list_q;
    count = count_q;
    if (gone) begin
      list  = {message_t'('0), list_q[Flits-1:1]};
      count = count_q - 1'b1;
    end
    if (start) begin
      list[count[1:0]] = '{key: key_i, flits: flits_i};
      count = count + 1'b1;
    end
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      count_q <= '0;
      used_q <= '0;
      oldest_q <= '0;
      left_q <= copies[0];
      leaving_q <= 1'b0;
    end else begin
      count_q <= count;
      used_q <= now - ((gone && !(grant && head_long)) ? 4'(list_q[0].flits) + 4'd1 : '0) -
          ((ending && !stays_q) ? 4'(length_q) + 4'd1 : '0);
      leaving_q <= grant ? head_long : leaving_q && !ending;
      if (ended) begin
        oldest_q <= oldest_q + 1'b1;
        left_q   <= copies[!oldest_q[0]];
      end else if (copied) begin
        left_q <= left;
      end
    end
  end
  always_ff @(posedge clk_i) begin
    list_q  <= list;
    index_q <= grant ? 2'd1 : index_q + 1'b1;
    if (grant) begin
      stays_q  <= !gone;
      length_q <= list_q[0].flits;
    end
  end

  always_comb begin
    if (rst_ni) begin
      assert (room == (32'(now) + MaxFlits <= Flits));
      assert (idle == (count_q == '0 && !leaving_q));
      assert (!fault_valid);
      if (head_valid) assert (count_q != '0 && !leaving_q && head_long == (list_q[0].flits != '0));
      if (count_q != '0 && !leaving_q && !list_q[0].key) assert (head_valid && way == PORTS'(1));
      assert (copied == (grant && list_q[0].key));
      if (ended) assert (count_q != '0 && list_q[0].key && !leaving_q);
      if (leaving_q) assert (ending == (index_q == length_q) && !grant);
      // Each copy in its turn, the last is the last, an end when there is no more.
      if (copied) begin
        assert (out.first && out.header.kind == KIND_UNICAST && way == PORTS'(1) << PORT_COLUMN);
        assert (out.data[4:3] == oldest_q && left_q[out.data[2:0]] && (left_q & ((6'd1 << out.data[2:0]) - 6'd1)) == '0);
        assert (ended == (left == '0));
      end else if (ended) begin
        assert (left_q == '0);
      end
      // No place is asked for that is waited for; of one that still held a beat, copies would be lost.
      if (request_valid) assert (!waits_q[request.place]);
    end
  end

  logic three_q;  // copies of a message with an indirection have been granted: three at least
  logic [2:0] granted_q;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      granted_q <= '0;
      three_q   <= 1'b0;
    end else begin
      granted_q <= ended ? '0 : granted_q + 3'(copied);
      if (ended && copied && granted_q >= 3'd2 && indirection_i[oldest_q[0]] != '0) three_q <= 1'b1;
    end
  end
  always_comb begin
    cover (rst_ni && three_q);
    cover (rst_ni && oldest_q == 2'd2 && copies[0] != '0 && copies[1] == '0);
    cover (rst_ni && stays_q && leaving_q && ending && list_q[0].flits != '0);
    cover (rst_ni && count_q == 3'd3);
  end

endmodule
