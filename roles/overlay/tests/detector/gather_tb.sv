// SPDX-License-Identifier: Apache-2.0
// gather_tb: gather for boards of several sizes, for test_polyloom_overlay_gather.py.
module gather_tb
  import polyloom_overlay_pkg::*;
  import polyloom_overlay_detector_pkg::*;
(
    input logic clk_i,
    input logic rst_ni
);
  function automatic cfg_t config_of(int unsigned tiles_x, int unsigned tiles_y);
    cfg_t c;
    c = TINY;
    c.tiles_x = tiles_x;
    c.tiles_y = tiles_y;
    return c;
  endfunction

  for (genvar s = 0; s < 4; s++) begin : gen_size  // 1x1, 2x1, 1x4, 4x2
    localparam int unsigned TilesX = s == 1 ? 2 : s == 3 ? 4 : 1;
    localparam int unsigned TilesY = s == 2 ? 4 : s == 3 ? 2 : 1;
    localparam int unsigned Tiles = TilesX * TilesY;

    logic [Tiles-1:0] all_idle = '0, all_vote = '0;
    logic [16*Tiles-1:0] in_flight = '0;
    logic [3:0] sent = '0, received = '0;
    logic host_in = '0, host_out = '0;
    logic passive, vote;
    count_t [LINKS-1:0] sent_count, received_count;

    polyloom_overlay_gather #(
        .Cfg(config_of(TilesX, TilesY))
    ) i_gather (
        .clk_i,
        .rst_ni,
        .all_idle_i (all_idle),
        .all_vote_i (all_vote),
        .in_flight_i(in_flight),
        .sent_i     (sent),
        .received_i (received),
        .host_in_i  (host_in),
        .host_out_i (host_out),
        .passive_o  (passive),
        .vote_o     (vote),
        .sent_o     (sent_count),
        .received_o (received_count)
    );
  end
endmodule
