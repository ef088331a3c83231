// SPDX-License-Identifier: Apache-2.0
// polyloom_overlay_gather: is the board passive, and what has crossed its periphery: all of one past cycle.
// How:          flags and in-flight counts of the tiles meet in a tree with a register for each tile that a wire passes.
//               Pulses of periphery and router are delayed as long, and counted at the end. So all outputs are of one cut of the board:
//                   tiles       --> [tile]-[tree: tiles_x - 1 + tiles_y - 1]--(+)-> passive, vote
//                   periphery, router --> [the same delay]---------------------> counters
//               The messages on the board are: sends accepted - frees by the last receiver (tiles), + let in - handed out
//               (periphery), + copies - keys that have ended (router). A count may be a cycle older than another, as a message stays
//               on a board for longer than that: it then adds 0 or 1, never -1, so a sum of zero still means that none is
//               there. A message with a key counts until its last copy does, which is counted in the same cycle at the latest.
// Latency:      tiles_x + tiles_y cycles from each input to each output.
// Throughput:   every cycle.
// Backpressure: none.
// Order/loss:   none.
// Reset:        all: not passive, counts zero.
// Limits:       tiles_x, tiles_y powers of two up to 8 (checked at elaboration). Fewer than 2^16 messages on the board.
//               Inputs of a tile are at most a cycle older than others; a thread waits no sooner than 2 cycles after it
//               has sent, and frees no sooner than 2 cycles after the message came to its board.
// Cost:         1 tile: 65 LUT4, 114 CCU2C, 238 FF; 4 x 4: 95, 234, 928 (ECP5). UltraScale+: 63 LUT, 333 LUT. Yosys 0.70, 2026-11.
// Source:       own design; cut and counts: README.md "Termination detection".
// Tests:        test_polyloom_overlay_gather.py, overlay_detector_rtl_test.cc
module polyloom_overlay_gather
  import polyloom_overlay_pkg::*;
  import polyloom_overlay_detector_pkg::*;
#(
    parameter cfg_t Cfg = TINY,
    localparam int unsigned Tiles = Cfg.tiles_x * Cfg.tiles_y,
    localparam int unsigned InputsBits = inputs_bits(Cfg.tiles_x)
) (
    input  logic                                    clk_i,
    input  logic                                    rst_ni,
    // From the tiles
    input  logic   [     Tiles-1:0]                 all_idle_i,   // every thread waits in idle
    input  logic   [     Tiles-1:0]                 all_vote_i,
    input  logic   [     Tiles-1:0][LOCAL_BITS-1:0] in_flight_i,  // sends accepted - last frees
    // From the periphery: pulses, a message each
    input  logic   [     LINKS-1:0]                 sent_i,       // handed to a link
    input  logic   [     LINKS-1:0]                 received_i,   // let in from a link
    input  logic                                    host_in_i,
    input  logic                                    host_out_i,
    // From the board router: in this cycle
    input  logic   [InputsBits-1:0]                 copies_i,     // made of messages with a key
    input  logic   [InputsBits-1:0]                 ended_i,      // messages with a key that are no more
    // To the detector
    output logic                                    passive_o,    // all threads wait, no message on the board
    output logic                                    vote_o,
    output count_t [     LINKS-1:0]                 sent_o,
    output count_t [     LINKS-1:0]                 received_o
);
  localparam int unsigned LevelsX = $clog2(Cfg.tiles_x);
  localparam int unsigned Levels = $clog2(Tiles);
  localparam int unsigned TreeDelay = 1 + (Cfg.tiles_x - 1) + (Cfg.tiles_y - 1);

  if (Cfg.tiles_x != 2 ** LevelsX || Tiles != 2 ** Levels || Cfg.tiles_x > 8 || Cfg.tiles_y > 8) begin : gen_bad_tiles
    $error("%m: %0d x %0d tiles; powers of two up to 8", Cfg.tiles_x, Cfg.tiles_y);
  end

  typedef struct packed {
    logic                  idle;
    logic                  vote;
    logic [LOCAL_BITS-1:0] local_count;
  } state_t;

  // Node n has the children 2n and 2n + 1; tiles are the nodes from Tiles on. Pairs in x first.
  state_t node_q[2*Tiles];
  assign node_q[0] = '0;

  for (genvar t = 0; t < Tiles; t++) begin : gen_tile
    state_t leaf_q;
    always_ff @(posedge clk_i or negedge rst_ni) begin
      if (!rst_ni) leaf_q <= '0;
      else leaf_q <= '{idle: all_idle_i[t], vote: all_vote_i[t], local_count: in_flight_i[t]};
    end
    assign node_q[Tiles+t] = leaf_q;
  end

  for (genvar l = 0; l < Levels; l++) begin : gen_level
    // Tiles between the two that meet.
    localparam int unsigned Distance = l < LevelsX ? 2 ** l : 2 ** (l - LevelsX);
    for (genvar n = Tiles >> (l + 1); n < Tiles >> l; n++) begin : gen_node
      state_t [Distance-1:0] pipe_q;
      state_t sum;
      assign sum = '{
              idle: node_q[2*n].idle && node_q[2*n+1].idle,
              vote: node_q[2*n].vote && node_q[2*n+1].vote,
              local_count: node_q[2*n].local_count + node_q[2*n+1].local_count
          };
      always_ff @(posedge clk_i or negedge rst_ni) begin
        if (!rst_ni) pipe_q <= '0;
        else begin
          pipe_q[0] <= sum;
          for (int unsigned d = 1; d < Distance; d++) pipe_q[d] <= pipe_q[d-1];
        end
      end
      assign node_q[n] = pipe_q[Distance-1];
    end
  end

  // ---- the periphery, delayed like the tiles ----

  typedef struct packed {
    logic [LINKS-1:0]      sent;
    logic [LINKS-1:0]      received;
    logic                  host_in;
    logic                  host_out;
    logic [InputsBits-1:0] copies;
    logic [InputsBits-1:0] ended;
  } periphery_t;
  periphery_t [TreeDelay-1:0] periphery_q;
  periphery_t periphery;
  assign periphery = periphery_q[TreeDelay-1];
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) periphery_q <= '0;
    else begin
      periphery_q[0] <= '{
          sent: sent_i,
          received: received_i,
          host_in: host_in_i,
          host_out: host_out_i,
          copies: copies_i,
          ended: ended_i
      };
      for (int unsigned d = 1; d < TreeDelay; d++) periphery_q[d] <= periphery_q[d-1];
    end
  end

  // What periphery and router add before the cycle of node_q[1]; pulses are counted one cycle later.
  logic [LOCAL_BITS-1:0] periphery_local_q, periphery_change, periphery_local;
  always_comb begin
    periphery_change = LOCAL_BITS'(periphery.host_in) - LOCAL_BITS'(periphery.host_out) + LOCAL_BITS'(periphery.copies) - LOCAL_BITS'(periphery.ended);
    for (int unsigned l = 0; l < LINKS; l++) begin
      periphery_change += LOCAL_BITS'(periphery.received[l]) - LOCAL_BITS'(periphery.sent[l]);
    end
    periphery_local = periphery_local_q + periphery_change;
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      periphery_local_q <= '0;
      sent_o <= '0;
      received_o <= '0;
      passive_o <= 1'b0;
      vote_o <= 1'b0;
    end else begin
      periphery_local_q <= periphery_local;
      for (int unsigned l = 0; l < LINKS; l++) begin
        sent_o[l] <= sent_o[l] + count_t'(periphery.sent[l]);
        received_o[l] <= received_o[l] + count_t'(periphery.received[l]);
      end
      passive_o <= node_q[1].idle && LOCAL_BITS'(node_q[1].local_count + periphery_local) == '0;
      vote_o <= node_q[1].vote;
    end
  end
endmodule
