// SPDX-License-Identifier: Apache-2.0
// polyloom_overlay_link_unpacker: makes messages of the items that come over a link and lets them into the board.
// How:          collects the items of one message; when it is whole, of this board's epoch, and the board has room, its flits
//               follow each other. Where a message has one receiver the mask is made of the header's thread; a key is the mask
//               itself, its destination the bit that says so.
//                   items -> HEAD -> [MASK] -> DATA... -> WHOLE -> SEND... -> in
// Latency:      2 cycles from a message's last item to its first flit; a message of n flits has 2 n + 1 items (2 n + 2).
// Throughput:   a message of n flits in 3 n + 2 cycles; the wire brings one in 5.2 cycles (1 flit) to 15.6 (4 flits).
// Backpressure: no items are taken while a whole message waits; room is looked at one cycle before the first flit.
// Order/loss:   in order, nothing lost. A message of another epoch waits, and all behind it.
// Reset:        the next item is a header.
// Limits:       messages of at most Cfg.max_flits flits.
// Cost:         in polyloom_overlay_link.
// Source:       own design.   Tests: test_polyloom_overlay_link_unpacker.py, overlay_link_swap_test.cc
module polyloom_overlay_link_unpacker
  import polyloom_overlay_pkg::*;
#(
    parameter cfg_t Cfg = TINY
) (
    input  logic         clk_i,
    input  logic         rst_ni,
    // From the reliable link
    input  logic         item_valid_i,
    output logic         item_ready_o,
    input  logic  [63:0] item_i,
    // To the board router
    output logic         in_valid_o,
    output flit_t        in_o,
    input  logic         in_room_i,     // for the longest message
    // From and to the detector
    input  logic         epoch_i,
    output logic         held_o,        // a whole message waits for the next epoch
    output logic         received_o,    // a message is let in
    output logic         idle_o         // nothing is held
);

  if (Cfg.max_flits < 1 || Cfg.max_flits > 4) begin : gen_check
    $error("%m: Cfg.max_flits is %0d, must be 1 to 4", Cfg.max_flits);
  end

  typedef enum logic [2:0] {
    HEAD,
    MASK,
    LOW,
    HIGH,
    WHOLE,
    SEND
  } state_e;
  state_e state_q;
  logic [1:0] flit_q;
  header_t header_q;
  logic epoch_q;
  logic [63:0] low_q[4];
  logic [63:0] high_q[4];

  logic accept, last, let_in, is_key;
  assign is_key = kind_e'(item_i[2:0]) == KIND_KEY;
  assign item_ready_o = state_q != WHOLE && state_q != SEND;
  assign accept = item_valid_i && item_ready_o;
  assign last = flit_q == header_q.flits;
  assign held_o = state_q == WHOLE && epoch_q != epoch_i;
  assign let_in = state_q == WHOLE && epoch_q == epoch_i && in_room_i;
  assign received_o = let_in;
  assign idle_o = state_q == HEAD;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      state_q <= HEAD;
      flit_q  <= '0;
    end else begin
      unique case (state_q)
        HEAD: if (accept) state_q <= kind_e'(item_i[2:0]) == KIND_MASK ? MASK : LOW;
        MASK: if (accept) state_q <= LOW;
        LOW: if (accept) state_q <= HIGH;
        HIGH: if (accept) state_q <= last ? WHOLE : LOW;
        WHOLE: if (let_in) state_q <= SEND;
        default: if (last) state_q <= HEAD;
      endcase
      if ((state_q == HIGH && accept) || state_q == SEND) flit_q <= last ? '0 : flit_q + 1'b1;
      assert (state_q != HEAD || !accept || 32'(item_i[5:4]) < Cfg.max_flits);
    end
  end

  always_ff @(posedge clk_i) begin
    if (accept) begin
      unique case (state_q)
        HEAD: begin
          header_q.kind <= kind_e'(item_i[2:0]);
          epoch_q <= item_i[3];
          header_q.flits <= item_i[5:4];
          header_q.mask <= is_key ? 64'(item_i[47:16]) : 64'd1 << item_i[13:8];
          header_q.dest <= is_key ? key_bit(Cfg.tiles_x, Cfg.tiles_y) : item_i[35:16];
        end
        MASK: header_q.mask <= item_i;
        LOW: low_q[flit_q] <= item_i;
        default: high_q[flit_q] <= item_i;
      endcase
    end
  end

  assign in_valid_o = state_q == SEND;
  assign in_o = '{first: flit_q == '0, last: last, header: header_q, data: {high_q[flit_q], low_q[flit_q]}};

endmodule
