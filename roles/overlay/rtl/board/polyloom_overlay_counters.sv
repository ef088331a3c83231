// SPDX-License-Identifier: Apache-2.0
// polyloom_overlay_counters: sums of what happens on a board, since reset.
// How:          pulses of tiles, links, router --> sum of the cycle --> register --> 64-bit counter
// Latency:      2 cycles. Throughput: every cycle.
// Backpressure: none.
// Order/loss:   nothing is lost; counters do not overflow in a machine's life.
// Reset:        zero.
// Limits:       none.
// Cost:         14 counters of 64 bits and two of 32, adders over the tiles.
// Source: own design.   Tests: test_polyloom_overlay_counters.py.
module polyloom_overlay_counters
  import polyloom_overlay_pkg::*;
#(
    parameter  cfg_t        Cfg        = TINY,
    localparam int unsigned Tiles      = Cfg.tiles_x * Cfg.tiles_y,
    localparam int unsigned InputsBits = inputs_bits(Cfg.tiles_x),
    localparam int unsigned Links      = 4
) (
    input  logic                                        clk_i,
    input  logic                                        rst_ni,
    // Pulses
    input  logic        [     Tiles-1:0][Cfg.cores-1:0] retired_i,
    input  tile_count_t [     Tiles-1:0]                count_i,
    input  logic        [     Links-1:0]                link_sent_i,
    input  logic        [     Links-1:0]                link_received_i,
    input  logic        [     Links-1:0]                link_again_i,
    input  logic        [     Links-1:0]                link_bad_i,
    input  logic                                        host_out_i,
    // Of the router, how many in this cycle: messages up into columns, copies, those of them to links, keys
    // that ended, beats asked for
    input  logic        [InputsBits-1:0]                router_up_i,
    input  logic        [InputsBits-1:0]                router_copies_i,
    input  logic        [           2:0]                router_links_i,
    input  logic        [InputsBits-1:0]                router_keys_i,
    input  logic        [           1:0]                router_beats_i,
    // For programs: [0] messages out of the router, [1] those to other boards
    output logic        [           1:0][         31:0] router_sent_o,
    // Sums
    output logic        [          63:0]                instructions_o,
    output logic        [          63:0]                hits_o,
    output logic        [          63:0]                misses_o,
    output logic        [          63:0]                writebacks_o,
    output logic        [          63:0]                messages_sent_o,
    output logic        [          63:0]                messages_received_o,
    output logic        [          63:0]                link_sent_o,
    output logic        [          63:0]                link_received_o,
    output logic        [          63:0]                link_again_o,         // frames sent again
    output logic        [          63:0]                link_bad_o,           // frames that came damaged
    output logic        [          63:0]                router_copies_o,
    output logic        [          63:0]                router_links_o,
    output logic        [          63:0]                router_keys_o,
    output logic        [          63:0]                router_beats_o
);
  // Registers of their own, no struct: a simulator would shift them into its words.
  logic [8:0] instructions_d, instructions_q;
  logic [6:0] hits_d, hits_q;
  logic [6:0] misses_d, misses_q;
  logic [6:0] writebacks_d, writebacks_q;
  logic [6:0] sent_d, sent_q;
  logic [6:0] received_d, received_q;
  logic [2:0] link_sent_d, link_sent_q;
  logic [2:0] link_received_d, link_received_q;
  logic [2:0] link_again_d, link_again_q;
  logic [2:0] link_bad_d, link_bad_q;
  logic host_out_q;
  logic [InputsBits-1:0] router_up_q, router_copies_q, router_keys_q;
  logic [2:0] router_links_q;
  logic [1:0] router_beats_q;
  always_comb begin
    instructions_d = '0;
    hits_d = '0;
    misses_d = '0;
    writebacks_d = '0;
    sent_d = '0;
    received_d = '0;
    link_sent_d = '0;
    link_received_d = '0;
    link_again_d = '0;
    link_bad_d = '0;
    for (int unsigned t = 0; t < Tiles; t++) begin
      for (int unsigned k = 0; k < Cfg.cores; k++) instructions_d += 9'(retired_i[t][k]);
      hits_d += 7'(count_i[t].hit);
      misses_d += 7'(count_i[t].miss);
      writebacks_d += 7'(count_i[t].writeback);
      sent_d += 7'(count_i[t].sent);
      received_d += 7'(count_i[t].received);
    end
    for (int unsigned l = 0; l < Links; l++) begin
      link_sent_d += 3'(link_sent_i[l]);
      link_received_d += 3'(link_received_i[l]);
      link_again_d += 3'(link_again_i[l]);
      link_bad_d += 3'(link_bad_i[l]);
    end
  end

  logic [31:0] elsewhere_q;  // messages out of the router, but to links
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      instructions_q      <= '0;
      hits_q              <= '0;
      misses_q            <= '0;
      writebacks_q        <= '0;
      sent_q              <= '0;
      received_q          <= '0;
      link_sent_q         <= '0;
      link_received_q     <= '0;
      link_again_q        <= '0;
      link_bad_q          <= '0;
      host_out_q          <= '0;
      router_up_q         <= '0;
      router_copies_q     <= '0;
      router_links_q      <= '0;
      router_keys_q       <= '0;
      router_beats_q      <= '0;
      instructions_o      <= '0;
      hits_o              <= '0;
      misses_o            <= '0;
      writebacks_o        <= '0;
      messages_sent_o     <= '0;
      messages_received_o <= '0;
      link_sent_o         <= '0;
      link_received_o     <= '0;
      link_again_o        <= '0;
      link_bad_o          <= '0;
      router_copies_o     <= '0;
      router_links_o      <= '0;
      router_keys_o       <= '0;
      router_beats_o      <= '0;
      elsewhere_q         <= '0;
    end else begin
      instructions_q      <= instructions_d;
      hits_q              <= hits_d;
      misses_q            <= misses_d;
      writebacks_q        <= writebacks_d;
      sent_q              <= sent_d;
      received_q          <= received_d;
      link_sent_q         <= link_sent_d;
      link_received_q     <= link_received_d;
      link_again_q        <= link_again_d;
      link_bad_q          <= link_bad_d;
      host_out_q          <= host_out_i;
      router_up_q         <= router_up_i;
      router_copies_q     <= router_copies_i;
      router_links_q      <= router_links_i;
      router_keys_q       <= router_keys_i;
      router_beats_q      <= router_beats_i;
      instructions_o      <= instructions_o + 64'(instructions_q);
      hits_o              <= hits_o + 64'(hits_q);
      misses_o            <= misses_o + 64'(misses_q);
      writebacks_o        <= writebacks_o + 64'(writebacks_q);
      messages_sent_o     <= messages_sent_o + 64'(sent_q);
      messages_received_o <= messages_received_o + 64'(received_q);
      link_sent_o         <= link_sent_o + 64'(link_sent_q);
      link_received_o     <= link_received_o + 64'(link_received_q);
      link_again_o        <= link_again_o + 64'(link_again_q);
      link_bad_o          <= link_bad_o + 64'(link_bad_q);
      router_copies_o     <= router_copies_o + 64'(router_copies_q);
      router_links_o      <= router_links_o + 64'(router_links_q);
      router_keys_o       <= router_keys_o + 64'(router_keys_q);
      router_beats_o      <= router_beats_o + 64'(router_beats_q);
      elsewhere_q         <= elsewhere_q + 32'(host_out_q) + 32'(router_up_q);
    end
  end
  assign router_sent_o = {link_sent_o[31:0], link_sent_o[31:0] + elsewhere_q};
endmodule
