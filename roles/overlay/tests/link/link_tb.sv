// SPDX-License-Identifier: Apache-2.0
// link_tb: parts of the boards' links alone, for cocotb; the link as a whole is compared by overlay_link_swap_test.cc.
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
    logic out_valid = 1'b0, out_ready, epoch = 1'b0, item_valid, item_ready = 1'b0, sent;
    flit_t out = '0;
    word_t item;
    polyloom_overlay_link_packer i_dut (
        .clk_i,
        .rst_ni,
        .out_valid_i (out_valid),
        .out_ready_o (out_ready),
        .out_i       (out),
        .epoch_i     (epoch),
        .item_valid_o(item_valid),
        .item_ready_i(item_ready),
        .item_o      (item.word),
        .item_last_o (item.last),
        .sent_o      (sent)
    );
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
    logic item_valid = 1'b0, item_ready, in_valid, room = 1'b0, epoch = 1'b0, held, received, idle;
    logic [63:0] item = '0;
    flit_t in;
    polyloom_overlay_link_unpacker #(
        .Cfg(config_of(k))
    ) i_dut (
        .clk_i,
        .rst_ni,
        .item_valid_i(item_valid),
        .item_ready_o(item_ready),
        .item_i      (item),
        .in_valid_o  (in_valid),
        .in_o        (in),
        .in_room_i   (room),
        .epoch_i     (epoch),
        .held_o      (held),
        .received_o  (received),
        .idle_o      (idle)
    );
  end

  if (1) begin : gen_control
    logic leave_valid = 1'b0, leave_ready, out_valid, out_ready = 1'b0;
    logic in_valid = 1'b0, in_ready, come_valid, come_ready = 1'b0, idle;
    logic [63:0] in = '0;
    word_t leave = '0, out, come;
    polyloom_overlay_link_control i_dut (
        .clk_i,
        .rst_ni,
        .ctl_in_valid_i (leave_valid),
        .ctl_in_ready_o (leave_ready),
        .ctl_in_i       (leave.word),
        .ctl_in_last_i  (leave.last),
        .out_valid_o    (out_valid),
        .out_ready_i    (out_ready),
        .out_o          (out.word),
        .out_last_o     (out.last),
        .in_valid_i     (in_valid),
        .in_ready_o     (in_ready),
        .in_i           (in),
        .ctl_out_valid_o(come_valid),
        .ctl_out_ready_i(come_ready),
        .ctl_out_o      (come.word),
        .ctl_out_last_o (come.last),
        .idle_o         (idle)
    );
  end
endmodule
