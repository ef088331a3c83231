// SPDX-License-Identifier: Apache-2.0
// polyloom_overlay_counters: sums of what happens on a board, since reset.
// How:          pulses of all tiles --> sum of the cycle --> register --> 64-bit counter
// Latency:      2 cycles. Throughput: every cycle.
// Backpressure: none.
// Order/loss:   nothing is lost; counters do not overflow in a machine's life.
// Reset:        zero.
// Limits:       none.
// Cost:         eleven counters of 64 bits, an adder over the tiles each.
// Source: own design.   Tests: test_polyloom_overlay_counters.py.
module polyloom_overlay_counters
  import polyloom_overlay_pkg::*;
#(
    parameter  cfg_t        Cfg   = TINY,
    localparam int unsigned Tiles = Cfg.tiles_x * Cfg.tiles_y,
    localparam int unsigned Links = 4
) (
    input  logic                                   clk_i,
    input  logic                                   rst_ni,
    // Pulses
    input  logic        [Tiles-1:0][Cfg.cores-1:0] retired_i,
    input  tile_count_t [Tiles-1:0]                count_i,
    input  logic        [Links-1:0]                link_sent_i,
    input  logic        [Links-1:0]                link_received_i,
    input  logic        [Links-1:0]                link_again_i,
    input  logic        [Links-1:0]                link_bad_i,
    input  logic                                   host_out_i,
    // For programs: [0] messages out of the board, [1] those to other boards
    output logic        [      1:0][         31:0] router_sent_o,
    // Sums
    output logic        [     63:0]                instructions_o,
    output logic        [     63:0]                hits_o,
    output logic        [     63:0]                misses_o,
    output logic        [     63:0]                writebacks_o,
    output logic        [     63:0]                messages_sent_o,
    output logic        [     63:0]                messages_received_o,
    output logic        [     63:0]                link_sent_o,
    output logic        [     63:0]                link_received_o,
    output logic        [     63:0]                link_again_o,         // frames sent again
    output logic        [     63:0]                link_bad_o            // frames that came damaged
);
  typedef struct packed {
    logic [8:0] instructions;
    logic [6:0] hits;
    logic [6:0] misses;
    logic [6:0] writebacks;
    logic [6:0] sent;
    logic [6:0] received;
    logic [2:0] link_sent;
    logic [2:0] link_received;
    logic [2:0] link_again;
    logic [2:0] link_bad;
    logic       host_out;
  } sums_t;

  sums_t sums_d, sums_q;
  always_comb begin
    sums_d = '0;
    for (int unsigned t = 0; t < Tiles; t++) begin
      for (int unsigned k = 0; k < Cfg.cores; k++) sums_d.instructions += 9'(retired_i[t][k]);
      sums_d.hits += 7'(count_i[t].hit);
      sums_d.misses += 7'(count_i[t].miss);
      sums_d.writebacks += 7'(count_i[t].writeback);
      sums_d.sent += 7'(count_i[t].sent);
      sums_d.received += 7'(count_i[t].received);
    end
    for (int unsigned l = 0; l < Links; l++) begin
      sums_d.link_sent += 3'(link_sent_i[l]);
      sums_d.link_received += 3'(link_received_i[l]);
      sums_d.link_again += 3'(link_again_i[l]);
      sums_d.link_bad += 3'(link_bad_i[l]);
    end
    sums_d.host_out = host_out_i;
  end

  logic [31:0] to_host_q;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      sums_q              <= '0;
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
      to_host_q           <= '0;
    end else begin
      sums_q              <= sums_d;
      instructions_o      <= instructions_o + 64'(sums_q.instructions);
      hits_o              <= hits_o + 64'(sums_q.hits);
      misses_o            <= misses_o + 64'(sums_q.misses);
      writebacks_o        <= writebacks_o + 64'(sums_q.writebacks);
      messages_sent_o     <= messages_sent_o + 64'(sums_q.sent);
      messages_received_o <= messages_received_o + 64'(sums_q.received);
      link_sent_o         <= link_sent_o + 64'(sums_q.link_sent);
      link_received_o     <= link_received_o + 64'(sums_q.link_received);
      link_again_o        <= link_again_o + 64'(sums_q.link_again);
      link_bad_o          <= link_bad_o + 64'(sums_q.link_bad);
      to_host_q           <= to_host_q + 32'(sums_q.host_out);
    end
  end
  assign router_sent_o = {link_sent_o[31:0], link_sent_o[31:0] + to_host_q};
endmodule
