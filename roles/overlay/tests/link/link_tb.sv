// SPDX-License-Identifier: Apache-2.0
// link_tb: parts of the boards' links alone, for cocotb; the link as a whole is compared by overlay_link_swap_test.cc.
// verilog_format: off
module link_tb
  import polyloom_overlay_pkg::*;
(
    input logic clk_i,
    input logic rst_ni
);
  typedef struct packed {
    logic        last;
    logic [63:0] word;
  } word_t;

  if (1) begin : gen_packer
    word_t item;
    polyloom_overlay_link_packer i_dut (.item_o(item.word), .item_last_o(item.last), .*);
  end

  function automatic cfg_t config_of(int unsigned which);
    config_of = TINY;
    if (which == 1) begin
      config_of.max_flits = 3;
      config_of.tiles_x   = 5;
      config_of.tiles_y   = 9;
    end else if (which == 2) begin
      config_of.max_flits = 1;
      config_of.tiles_x   = 8;
    end
  endfunction

  for (genvar k = 0; k < 3; k++) begin : gen_unpacker
    polyloom_overlay_link_unpacker #(.Cfg(config_of(k))) i_dut (.in_room_i(room), .*);
  end

  if (1) begin : gen_control
    word_t leave = '0, out, come;
    polyloom_overlay_link_control i_dut (.ctl_in_valid_i(leave_valid), .ctl_in_ready_o(leave_ready),
        .ctl_in_i(leave.word), .ctl_in_last_i(leave.last), .out_o(out.word), .out_last_o(out.last),
        .ctl_out_valid_o(come_valid), .ctl_out_ready_i(come_ready), .ctl_out_o(come.word), .ctl_out_last_o(come.last),
        .*);
  end
endmodule
