// SPDX-License-Identifier: Apache-2.0
// detector_units_tb: parts of termination detection alone, for cocotb: gather on boards of several sizes, and what the
// detector is made of. The detector as a whole: detector_tb.sv.
// verilog_format: off
module detector_units_tb
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


    polyloom_overlay_gather #(.Cfg(config_of(TilesX, TilesY))) i_gather (.sent_o(sent_count),
        .received_o(received_count), .*);
  end

  if (1) begin : gen_read
    polyloom_overlay_detector_read i_dut (.in_data_i(in), .*);
  end

  if (1) begin : gen_combine
    polyloom_overlay_detector_combine i_dut (.gate_i(own_gate), .read_sent_o(sent), .read_received_o(received),
        .release_o(released), .release_vote_o(released_vote), .*);
  end

  if (1) begin : gen_sum
    logic [$bits(word_t):0] out;  // last, word
    polyloom_overlay_detector_sum i_dut (.out_data_o(out[$bits(word_t)-1:0]), .out_last_o(out[$bits(word_t)]), .*);
  end
endmodule
