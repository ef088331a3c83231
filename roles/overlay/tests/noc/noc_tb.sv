// SPDX-License-Identifier: Apache-2.0
// noc_tb: parts of the network alone, for cocotb; the network as a whole is compared by overlay_noc_test.cc.
module noc_tb (
    input logic clk_i,
    input logic rst_ni
);
  localparam int unsigned FLITS[4] = '{16, 32, 4, 1};
  localparam int unsigned MAX_FLITS[4] = '{4, 3, 4, 1};

  for (genvar k = 0; k < 4; k++) begin : gen_room
    logic arrive = 1'b0, leave = 1'b0, leave_one = 1'b0, room;
    logic [1:0] arrive_flits = '0, leave_flits = '0;
    polyloom_overlay_noc_room #(
        .Flits   (FLITS[k]),
        .MaxFlits(MAX_FLITS[k])
    ) i_dut (
        .clk_i,
        .rst_ni,
        .arrive_i      (arrive),
        .arrive_flits_i(arrive_flits),
        .leave_i       (leave),
        .leave_flits_i (leave_flits),
        .leave_one_i   (leave_one),
        .room_o        (room)
    );
  end

  for (genvar k = 0; k < 4; k++) begin : gen_exit
    logic in_valid = 1'b0, first = 1'b0, last = 1'b0, room, out_valid, out_ready = 1'b0;
    logic [1:0] flits = '0;
    logic [31:0] in = '0, out;
    polyloom_overlay_noc_exit #(
        .Flits   (FLITS[k]),
        .MaxFlits(MAX_FLITS[k]),
        .T       (logic [31:0])
    ) i_dut (
        .clk_i,
        .rst_ni,
        .valid_i(in_valid),
        .first_i(first),
        .last_i (last),
        .flits_i(flits),
        .in_i   (in),
        .room_o (room),
        .valid_o(out_valid),
        .ready_i(out_ready),
        .out_o  (out)
    );
  end
endmodule
