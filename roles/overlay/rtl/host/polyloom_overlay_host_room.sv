// SPDX-License-Identifier: Apache-2.0
// polyloom_overlay_host_room: tells the host that messages of its have gone on, so that others find room.
// How:          counts flits; Flits of them are an event, which takes turns with those of the tiles.
// Latency:      2 cycles from the last flit to the event, if no tile has one; none from a tile's event.
// Throughput:   an event a cycle; 1 cycle lost before one of its own.
// Backpressure: reported_ready_i -> event_ready_o is combinational. Flits never wait: what is owed is counted.
// Order/loss:   the tiles' events in order.
// Reset:        nothing is counted or owed.
// Limits:       at most 7 events owed: the host has no more than 4 * Flits flits under way.
// Cost:         in polyloom_overlay_host.
// Source:       Board::host_messages_in in roles/overlay/sim/board/board.cc.   Tests: test_polyloom_overlay_host_room.py
module polyloom_overlay_host_room
  import polyloom_overlay_pkg::*;
#(
    parameter int unsigned Flits = HOST_FLITS / 4
) (
    input logic clk_i,
    input logic rst_ni,
    input logic gone_i,  // a flit of the host's has gone on

    // From the tiles
    input  logic              event_valid_i,
    output logic              event_ready_o,
    input  tile_event_t       event_i,
    input  logic        [7:0] event_tile_i,

    // To the host
    output logic              reported_valid_o,
    input  logic              reported_ready_i,
    output tile_event_t       reported_o,
    output logic        [7:0] reported_tile_o,

    output logic idle_o  // nothing is owed
);
  localparam int unsigned CountBits = Flits > 1 ? $clog2(Flits) : 1;

  logic [CountBits-1:0] count_q;
  logic [2:0] owed_q;
  logic whole, mine_q, done;  // the event that stands is its own
  assign whole            = gone_i && count_q == CountBits'(Flits - 1);
  assign done             = mine_q && reported_ready_i;

  assign reported_valid_o = mine_q || event_valid_i;
  assign reported_o       = mine_q ? '{fault: 1'b1, thread: '0, cause: CAUSE_ROOM, pc: '0, value: Flits} : event_i;
  assign reported_tile_o  = mine_q ? '0 : event_tile_i;
  assign event_ready_o    = reported_ready_i && !mine_q;
  assign idle_o           = owed_q == '0;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      count_q <= '0;
      owed_q  <= '0;
      mine_q  <= 1'b0;
    end else begin
      if (gone_i) count_q <= whole ? '0 : count_q + 1'b1;
      owed_q <= owed_q + 3'(whole) - 3'(done);
      // An event that stands stays until it is taken.
      if (mine_q) mine_q <= !reported_ready_i;
      else mine_q <= owed_q != '0 && (!event_valid_i || event_ready_o);
      assert (!(whole && owed_q == '1));
    end
  end

endmodule
