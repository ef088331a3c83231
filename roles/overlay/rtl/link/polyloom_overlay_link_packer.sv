// SPDX-License-Identifier: Apache-2.0
// polyloom_overlay_link_packer: makes link items of the messages that leave the board.
// How:          header item, for kind mask the mask, then the two halves of each flit; a message is one group of items, so it
//               leaves in one frame if the wire is idle. A key is in the header, in place of destination and thread: all keys
//               go to the router behind the link. Layout: sim/board/mesh_link.h.
// Latency:      none; a message of n flits takes 2 n + 1 cycles (2 n + 2 with a mask).
// Throughput:   an item a cycle.
// Backpressure: a flit is taken with its second half; combinational from item_ready_i to out_ready_o and from flit to item.
// Order/loss:   in order, nothing lost.
// Reset:        the next flit is a message's first.
// Limits:       flits begin with one that is first.
// Cost:         in polyloom_overlay_link.
// Source:       own design.   Tests: test_polyloom_overlay_link_packer.py, overlay_link_swap_test.cc
module polyloom_overlay_link_packer
  import polyloom_overlay_pkg::*;
(
    input  logic         clk_i,
    input  logic         rst_ni,
    // From the board router
    input  logic         out_valid_i,
    output logic         out_ready_o,
    input  flit_t        out_i,
    input  logic         epoch_i,       // that messages belong to
    // To the reliable link
    output logic         item_valid_o,
    input  logic         item_ready_i,
    output logic  [63:0] item_o,
    output logic         item_last_o,
    // To the detector
    output logic         sent_o         // a message was handed over
);

  typedef enum logic [1:0] {
    HEAD,
    MASK,
    LOW,
    HIGH
  } state_e;
  state_e state_q;

  // The mask's first thread says it all where there is one receiver.
  logic [5:0] thread;
  logic none;
  lzc #(
      .WIDTH(64),
      .MODE (1'b0)
  ) i_thread (
      .in_i   (out_i.header.mask),
      .cnt_o  (thread),
      .empty_o(none)
  );

  always_comb begin
    item_o = '0;
    unique case (state_q)
      HEAD: begin
        item_o[2:0] = out_i.header.kind;
        item_o[3]   = epoch_i;
        item_o[5:4] = out_i.header.flits;
        item_o[6]   = 1'b1;
        if (out_i.header.kind == KIND_KEY) item_o[47:16] = out_i.header.mask[31:0];
        else begin
          item_o[13:8]  = none ? '0 : thread;
          item_o[35:16] = out_i.header.dest;
        end
      end
      MASK: item_o = out_i.header.mask;
      LOW: item_o = out_i.data[63:0];
      default: item_o = out_i.data[127:64];
    endcase
  end
  assign item_valid_o = out_valid_i;
  assign item_last_o = state_q == HIGH && out_i.last;
  assign out_ready_o = state_q == HIGH && item_ready_i;
  assign sent_o = out_valid_i && item_ready_i && item_last_o;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) state_q <= HEAD;
    else if (out_valid_i && item_ready_i) begin
      unique case (state_q)
        HEAD: state_q <= out_i.header.kind == KIND_MASK ? MASK : LOW;
        MASK: state_q <= LOW;
        LOW: state_q <= HIGH;
        default: state_q <= out_i.last ? HEAD : LOW;
      endcase
      assert (state_q != HEAD || out_i.first);
    end
  end

endmodule
