// SPDX-License-Identifier: Apache-2.0
// polyloom_overlay_board_router: the router on the south edge of a board: four links, the host, each column of tiles.
// How:          inputs, a switch, and a buffer behind each output towards a link or the host. With Cfg.routers each input has an
//               expander, which makes copies of messages with a key; two ports lead from the expanders to memory.
//
//                 links, host, columns --> input x9 --> switch --> exit x5 --> links, host
//                                          | ^            '-----------------> columns
//                          beats asked for v | beats
//                                        port x2 <--> memory slices
// Latency:      2 cycles a hop; a flit granted in cycle c can be taken from an exit in c+2.
// Throughput:   a flit a cycle and output.
// Backpressure: as the inputs and the switch; exits are emptied by valid and ready, a message's flits one at a time.
// Order/loss:   nothing lost, split or mixed. No deadlock: one order of dimensions (roles/overlay/README.md).
// Reset:        empty.
// Limits:       as polyloom_overlay_router. Towards a link that the mesh does not have nothing may be addressed but by a record.
// Cost:         4 columns, 2 slices: 27,916 LUT, 8,482 FF; without Cfg.routers 8,129 and 2,828 (UltraScale+; Yosys 0.70,
//               2026-11).
// Source:       Tinsel paper III, Multicast paper IV; own design.
// Tests:        test_polyloom_overlay_board_router.py, overlay_noc_test.cc
module polyloom_overlay_board_router
  import polyloom_overlay_pkg::*;
  import polyloom_overlay_noc_pkg::*;
  import polyloom_overlay_records_pkg::beat_t;
#(
    parameter  cfg_t        Cfg       = TINY,
    localparam int unsigned Ports     = BOARD_EXITS + Cfg.tiles_x,
    localparam int unsigned Slices    = Cfg.slices,
    localparam int unsigned LineBits  = 8 * Cfg.line_bytes,
    localparam int unsigned CountBits = $clog2(Ports + 1)
) (
    input logic clk_i,
    input logic rst_ni,
    output logic idle_o,  // no message is here
    input logic [2*BOARD_BITS-1:0] board_i,  // constant: {y, x}
    input logic [7:0] mesh_i,  // constant: {height, width}
    // From links and host, then columns. A message may begin in the cycle after one with room, or later.
    input logic [Ports-1:0] in_valid_i,
    input flit_t in_i[Ports],
    output logic [Ports-1:0] in_room_o,
    // To links and host
    output logic [BOARD_EXITS-1:0] exit_valid_o,
    output flit_t exit_o[BOARD_EXITS],
    input logic [BOARD_EXITS-1:0] exit_ready_i,
    // To columns
    output logic [Cfg.tiles_x-1:0] out_valid_o,
    output flit_t out_o[Cfg.tiles_x],
    input logic [Cfg.tiles_x-1:0] out_room_i,
    // Lines of records, from each slice to each port
    output logic [Slices-1:0][KEY_PORTS-1:0] line_valid_o,
    input logic [Slices-1:0][KEY_PORTS-1:0] line_ready_i,
    output line_req_t [Slices-1:0][KEY_PORTS-1:0] line_o,
    input logic [Slices-1:0][KEY_PORTS-1:0] line_rsp_valid_i,
    input logic [Slices-1:0][INDEX_BITS-1:0] line_rsp_tag_i,
    input logic [Slices-1:0][LineBits-1:0] line_rsp_data_i,
    // To the host: a record, or a key, that is passed over
    output logic fault_valid_o,
    input logic fault_ready_i,
    output route_fault_t fault_o,
    // In the cycle before
    output logic [CountBits-1:0] copy_o,  // copies granted
    output logic [2:0] copy_links_o,  // of these, towards links
    output logic [CountBits-1:0] ended_o,  // messages with a key that ended
    output logic [CountBits-1:0] up_o,  // messages granted towards tiles
    output logic [1:0] beats_o  // beats asked for
);

  localparam int unsigned XBits = field_bits(Cfg.tiles_x);
  localparam int unsigned YBits = field_bits(Cfg.tiles_y);

  // [out][in]: messages may go so, and with `copies` what is made of them.
  function automatic logic [Ports-1:0][Ports-1:0] turns(input bit copies);
    for (int unsigned o = 0; o < Ports; o++) begin
      for (int unsigned i = 0; i < Ports; i++) turns[o][i] = board_turn(o, i, copies);
    end
  endfunction
  function automatic logic [Ports-1:0] ways(input int unsigned from);
    for (int unsigned o = 0; o < Ports; o++) ways[o] = board_turn(o, from, 1'b0);
  endfunction

  logic [Ports-1:0] head_valid, head_long, ending, grant, all_valid, all_room, idle, copied, ended;
  logic [Ports-1:0] head_way[Ports];
  flit_t flit[Ports], all[Ports];
  logic [Ports-1:0] request_valid, request_ready, fault_valid, fault_ready;
  beat_request_t [Ports-1:0] request;
  route_fault_t [Ports-1:0] fault;
  logic [Ports-1:0][Slices-1:0] beat_valid;
  place_t [KEY_PORTS-1:0][Slices-1:0] beat_place;
  beat_t [KEY_PORTS-1:0][Slices-1:0] beat;

  for (genvar i = 0; i < Ports; i++) begin : gen_input
    logic [DEST_BITS-1:0] dest;
    logic [BOARD_BITS-1:0] to_x, to_y, at_x, at_y;
    logic [Ports-1:0] way;
    logic host, unused;

    assign dest = in_i[i].header.dest;
    assign host = in_i[i].header.kind == KIND_HOST;
    assign {at_y, at_x} = board_i;
    assign unused = ^dest;
    assign {to_y, to_x} = host ? '0 : dest[XBits+YBits+:2*BOARD_BITS];  // the host sits at board (0,0)

    always_comb begin
      way = '0;
      if (Cfg.routers && in_i[i].header.kind == KIND_KEY) way = '0;
      else if (to_x != at_x) way[to_x>at_x?PORT_EAST : PORT_WEST] = 1'b1;
      else if (to_y != at_y) way[to_y>at_y?PORT_NORTH : PORT_SOUTH] = 1'b1;
      else if (host) way[PORT_HOST] = 1'b1;
      else for (int unsigned x = 0; x < Cfg.tiles_x; x++) way[PORT_COLUMN+x] = dest[XBits-1:0] == XBits'(x);
    end

    localparam int unsigned KeyPort = i < BOARD_EXITS ? 0 : 1;
    polyloom_overlay_board_input #(
        .Cfg(Cfg),
        .From(i),
        .Allowed(ways(i))
    ) i_input (
        .clk_i,
        .rst_ni,
        .idle_o(idle[i]),
        .board_i,
        .mesh_i,
        .valid_i(in_valid_i[i]),
        .way_i(way),
        .in_i(in_i[i]),
        .room_o(in_room_o[i]),
        .head_valid_o(head_valid[i]),
        .head_long_o(head_long[i]),
        .head_way_o(head_way[i]),
        .grant_i(grant[i]),
        .ending_o(ending[i]),
        .flit_o(flit[i]),
        .request_valid_o(request_valid[i]),
        .request_ready_i(request_ready[i]),
        .request_o(request[i]),
        .beat_valid_i(beat_valid[i]),
        .beat_place_i(beat_place[KeyPort]),
        .beat_i(beat[KeyPort]),
        .fault_valid_o(fault_valid[i]),
        .fault_ready_i(fault_ready[i]),
        .fault_o(fault[i]),
        .copy_o(copied[i]),
        .end_o(ended[i])
    );
  end

  polyloom_overlay_noc_switch #(
      .Ports(Ports),
      .T(flit_t),
      .Turns(turns(Cfg.routers))
  ) i_switch (
      .clk_i,
      .rst_ni,
      .head_valid_i(head_valid),
      .head_long_i (head_long),
      .head_way_i  (head_way),
      .ending_i    (ending),
      .flit_i      (flit),
      .grant_o     (grant),
      .out_valid_o (all_valid),
      .out_o       (all),
      .out_room_i  (all_room)
  );

  for (genvar e = 0; e < BOARD_EXITS; e++) begin : gen_exit
    polyloom_overlay_noc_exit #(
        .Flits(EXIT_FLITS),
        .MaxFlits(Cfg.max_flits),
        .T(flit_t)
    ) i_exit (
        .clk_i,
        .rst_ni,
        .valid_i(all_valid[e]),
        .first_i(all[e].first),
        .last_i (all[e].last),
        .flits_i(all[e].header.flits),
        .in_i   (all[e]),
        .room_o (all_room[e]),
        .valid_o(exit_valid_o[e]),
        .ready_i(exit_ready_i[e]),
        .out_o  (exit_o[e])
    );
  end

  assign out_valid_o = all_valid[Ports-1:PORT_COLUMN];
  assign all_room[Ports-1:PORT_COLUMN] = out_room_i;
  for (genvar x = 0; x < Cfg.tiles_x; x++) begin : gen_column
    assign out_o[x] = all[PORT_COLUMN+x];
  end

  always_comb begin
    up_o = '0;
    for (int unsigned x = 0; x < Cfg.tiles_x; x++) up_o += CountBits'(out_valid_o[x] && out_o[x].first);
  end

  assign idle_o = &idle && !(|exit_valid_o) && !fault_valid_o;

  if (Cfg.routers) begin : gen_routers
    // ---- to memory ----

    for (genvar p = 0; p < KEY_PORTS; p++) begin : gen_port
      localparam int unsigned First = p == 0 ? 0 : PORT_COLUMN;
      localparam int unsigned Expanders = p == 0 ? BOARD_EXITS : Cfg.tiles_x;
      logic [Slices-1:0] line_valid, line_ready, rsp_valid;
      line_req_t [Slices-1:0] line;
      for (genvar s = 0; s < Slices; s++) begin : gen_slice
        assign line_valid_o[s][p] = line_valid[s];
        assign line_ready[s] = line_ready_i[s][p];
        assign line_o[s][p] = line[s];
        assign rsp_valid[s] = line_rsp_valid_i[s][p];
      end
      polyloom_overlay_router_port #(
          .Cfg(Cfg),
          .Expanders(Expanders)
      ) i_port (
          .clk_i,
          .rst_ni,
          .request_valid_i(request_valid[First+:Expanders]),
          .request_ready_o(request_ready[First+:Expanders]),
          .request_i(request[First+:Expanders]),
          .beat_valid_o(beat_valid[First+:Expanders]),
          .beat_place_o(beat_place[p]),
          .beat_o(beat[p]),
          .line_valid_o(line_valid),
          .line_ready_i(line_ready),
          .line_o(line),
          .line_rsp_valid_i(rsp_valid),
          .line_rsp_tag_i,
          .line_rsp_data_i
      );
    end

    // ---- to the host ----

    logic any_fault, fault_room;
    logic [cf_math_pkg::idx_width(Ports)-1:0] unused_idx;
    route_fault_t one_fault;
    rr_arb_tree #(
        .NumIn(Ports),
        .DataType(route_fault_t),
        .AxiVldRdy(1'b1),
        .LockIn(1'b1)
    ) i_faults (
        .clk_i,
        .rst_ni,
        .flush_i(1'b0),
        .rr_i('0),
        .req_i(fault_valid),
        .gnt_o(fault_ready),
        .data_i(fault),
        .req_o(any_fault),
        .gnt_i(fault_room),
        .data_o(one_fault),
        .idx_o(unused_idx)
    );
    polyloom_stream_lut_fifo #(
        .T(route_fault_t),
        .Depth(2)
    ) i_fault_fifo (
        .clk_i,
        .rst_ni,
        .flush_i(1'b0),
        .in_valid_i(any_fault),
        .in_ready_o(fault_room),
        .in_i(one_fault),
        .out_valid_o(fault_valid_o),
        .out_ready_i(fault_ready_i),
        .out_o(fault_o)
    );

    // ---- to detection and counters ----

    logic [Ports-1:0] to_link;
    for (genvar i = 0; i < Ports; i++) begin : gen_to_link
      assign to_link[i] = |head_way[i][PORT_HOST-1:0];
    end
    always_ff @(posedge clk_i or negedge rst_ni) begin
      if (!rst_ni) begin
        copy_o       <= '0;
        copy_links_o <= '0;
        ended_o      <= '0;
        beats_o      <= '0;
      end else begin
        copy_o <= CountBits'($countones(copied));
        copy_links_o <= 3'($countones(copied & to_link));
        ended_o <= CountBits'($countones(ended));
        beats_o <= 2'(|request_valid[BOARD_EXITS-1:0]) + 2'(|request_valid[Ports-1:PORT_COLUMN]);
      end
    end
  end else begin : gen_plain
    logic unused;
    assign unused = ^{line_ready_i, line_rsp_valid_i, line_rsp_tag_i, line_rsp_data_i, fault_ready_i, request_valid, request,
                      fault_valid, fault, copied, ended};
    assign request_ready = '0;
    assign beat_valid = '0;
    assign beat_place = '0;
    assign beat = '0;
    assign fault_ready = '0;
    assign line_valid_o = '0;
    assign line_o = '0;
    assign fault_valid_o = 1'b0;
    assign fault_o = '0;
    assign copy_o = '0;
    assign copy_links_o = '0;
    assign ended_o = '0;
    assign beats_o = '0;
  end

endmodule
