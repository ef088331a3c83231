// SPDX-License-Identifier: Apache-2.0
// Test objects of board/: the distributor and the counters of a board of 2 x 2 tiles of 2 cores; whether it stands still.
module board_tb
  import polyloom_overlay_pkg::*;
(
    input logic clk_i,
    input logic rst_ni
);
  function automatic cfg_t four_tiles();
    automatic cfg_t cfg = TINY;
    cfg.tiles_x = 2;
    cfg.tiles_y = 2;
    cfg.cores   = 2;
    return cfg;
  endfunction
  localparam cfg_t Cfg = four_tiles();

  if (1) begin : gen_distribute
    logic ctl_valid = 1'b0, ctl_ready, rsp_valid;
    ctl_req_t ctl = ctl_req_t'('0);
    logic [31:0] rdata;
    logic [3:0] tile_valid, tile_ready = '0, tile_rsp_valid = '0;
    ctl_req_t tile;
    logic [3:0][31:0] tile_rdata = '0;
    polyloom_overlay_distribute #(
        .Cfg(Cfg)
    ) i_dut (
        .clk_i,
        .rst_ni,
        .ctl_valid_i     (ctl_valid),
        .ctl_ready_o     (ctl_ready),
        .ctl_i           (ctl),
        .rsp_valid_o     (rsp_valid),
        .rdata_o         (rdata),
        .tile_valid_o    (tile_valid),
        .tile_ready_i    (tile_ready),
        .tile_o          (tile),
        .tile_rsp_valid_i(tile_rsp_valid),
        .tile_rdata_i    (tile_rdata)
    );
  end

  if (1) begin : gen_counters
    logic [3:0][1:0] retired = '0;
    tile_count_t [3:0] count = '0;
    logic [3:0] link_sent = '0, link_received = '0, link_again = '0, link_bad = '0;
    logic host_out = 1'b0;
    logic [inputs_bits(Cfg.tiles_x)-1:0] router_up = '0, router_copies = '0, router_keys = '0;
    logic [2:0] router_links = '0;
    logic [1:0] router_beats = '0;
    logic [1:0][31:0] router_sent;
    logic [63:0] instructions, hits, misses, writebacks, sent, received, over_links, from_links, again, bad;
    logic [63:0] copies, links, keys, beats;
    polyloom_overlay_counters #(
        .Cfg(Cfg)
    ) i_dut (
        .clk_i,
        .rst_ni,
        .retired_i          (retired),
        .count_i            (count),
        .link_sent_i        (link_sent),
        .link_received_i    (link_received),
        .link_again_i       (link_again),
        .link_bad_i         (link_bad),
        .host_out_i         (host_out),
        .router_up_i        (router_up),
        .router_copies_i    (router_copies),
        .router_links_i     (router_links),
        .router_keys_i      (router_keys),
        .router_beats_i     (router_beats),
        .router_sent_o      (router_sent),
        .instructions_o     (instructions),
        .hits_o             (hits),
        .misses_o           (misses),
        .writebacks_o       (writebacks),
        .messages_sent_o    (sent),
        .messages_received_o(received),
        .link_sent_o        (over_links),
        .link_received_o    (from_links),
        .link_again_o       (again),
        .link_bad_o         (bad),
        .router_copies_o    (copies),
        .router_links_o     (links),
        .router_keys_o      (keys),
        .router_beats_o     (beats)
    );
  end

  if (1) begin : gen_still
    logic moves = 1'b0, still;
    polyloom_overlay_still #(
        .Cycles(16)
    ) i_dut (
        .clk_i,
        .rst_ni,
        .moves_i(moves),
        .still_o(still)
    );
  end

  if (1) begin : gen_still_least
    logic moves = 1'b0, still;
    polyloom_overlay_still #(
        .Cycles(2)
    ) i_dut (
        .clk_i,
        .rst_ni,
        .moves_i(moves),
        .still_o(still)
    );
  end
endmodule
