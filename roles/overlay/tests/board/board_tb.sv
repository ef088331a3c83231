// SPDX-License-Identifier: Apache-2.0
// Test objects of board/: the distributor and the counters of a board of 2 x 2 tiles of 2 cores; whether it stands still.
// verilog_format: off
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
    polyloom_overlay_distribute #(.Cfg(Cfg)) i_dut (.*);
  end

  if (1) begin : gen_counters
    polyloom_overlay_counters #(.Cfg(Cfg)) i_dut (.messages_sent_o(sent), .messages_received_o(received),
        .link_sent_o(over_links), .link_received_o(from_links), .link_again_o(again), .link_bad_o(bad),
        .router_copies_o(copies), .router_links_o(links), .router_keys_o(keys), .router_beats_o(beats), .*);
  end

  if (1) begin : gen_still
    polyloom_overlay_still #(.Cycles(16)) i_dut (.*);
  end

  if (1) begin : gen_still_least
    polyloom_overlay_still #(.Cycles(2)) i_dut (.*);
  end
endmodule
