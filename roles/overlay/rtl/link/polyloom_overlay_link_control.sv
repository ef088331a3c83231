// SPDX-License-Identifier: Apache-2.0
// polyloom_overlay_link_control: the detector's words over a link: puts their number into the first and takes it out.
// How:          a packet that leaves is stored until its length is known, then goes to the link as one group of items. One that
//               comes passes through; its length tells where it ends.
// Latency:      leaving: as many cycles as words, and one; coming: none.
// Throughput:   leaving: a packet of n words in 2 n cycles; coming: a word a cycle.
// Backpressure: no word is taken while a packet leaves. Coming: combinational from ctl_out_ready_i to item_ready_o.
// Order/loss:   in order, nothing lost.
// Reset:        no packet.
// Limits:       1 to 31 words a packet, bits [63:56] of the first zero (asserted).
// Cost:         in polyloom_overlay_link.
// Source:       own design, sim/board/mesh_link.cc.   Tests: test_polyloom_overlay_link_control.py, overlay_link_swap_test.cc
module polyloom_overlay_link_control (
    input  logic        clk_i,
    input  logic        rst_ni,
    // From the detector
    input  logic        ctl_in_valid_i,
    output logic        ctl_in_ready_o,
    input  logic [63:0] ctl_in_i,
    input  logic        ctl_in_last_i,
    // To the reliable link
    output logic        out_valid_o,
    input  logic        out_ready_i,
    output logic [63:0] out_o,
    output logic        out_last_o,
    // From the reliable link
    input  logic        in_valid_i,
    output logic        in_ready_o,
    input  logic [63:0] in_i,
    // To the detector
    output logic        ctl_out_valid_o,
    input  logic        ctl_out_ready_i,
    output logic [63:0] ctl_out_o,
    output logic        ctl_out_last_o,
    output logic        idle_o            // nothing is held
);

  // Leaving
  logic [4:0] stored_q, left_q;
  logic sending_q, first_q, room, accept, leaves;
  logic [63:0] oldest;
  assign ctl_in_ready_o = !sending_q && room;
  assign accept = ctl_in_valid_i && ctl_in_ready_o;
  assign leaves = out_valid_o && out_ready_i;

  logic waiting;
  polyloom_stream_lut_fifo #(
      .Width(64),
      .Depth(31)
  ) i_words (
      .clk_i,
      .rst_ni,
      .flush_i    (1'b0),
      .in_valid_i (accept),
      .in_ready_o (room),
      .in_i       (ctl_in_i),
      .out_valid_o(waiting),
      .out_ready_i(leaves),
      .out_o      (oldest)
  );
  assign out_valid_o = sending_q;
  assign out_o = {first_q ? {3'd0, stored_q} : oldest[63:56], oldest[55:0]};
  assign out_last_o = left_q == 5'd1;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      stored_q <= '0;
      sending_q <= 1'b0;
      first_q <= 1'b1;
      left_q <= '0;
    end else begin
      if (accept) begin
        stored_q <= stored_q + 1'b1;
        left_q <= stored_q + 1'b1;
        sending_q <= ctl_in_last_i;
      end
      if (leaves) begin
        left_q  <= left_q - 1'b1;
        first_q <= out_last_o;
        if (out_last_o) begin
          sending_q <= 1'b0;
          stored_q  <= '0;
        end
      end
      assert (!sending_q || waiting);
      assert (!accept || stored_q != '0 || ctl_in_i[63:56] == '0);
      assert (!accept || stored_q != 5'd30 || ctl_in_last_i);
    end
  end

  // Coming
  logic [4:0] coming_q;  // words of the packet that are still to come; none: the next is a first one
  logic begins;
  assign begins = coming_q == '0;
  assign ctl_out_valid_o = in_valid_i;
  assign in_ready_o = ctl_out_ready_i;
  assign ctl_out_o = {begins ? 8'd0 : in_i[63:56], in_i[55:0]};
  assign ctl_out_last_o = begins ? in_i[63:56] == 8'd1 : coming_q == 5'd1;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) coming_q <= '0;
    else if (in_valid_i && ctl_out_ready_i) coming_q <= begins ? in_i[60:56] - 1'b1 : coming_q - 1'b1;
  end

  assign idle_o = stored_q == '0 && !ctl_out_valid_o;

endmodule
