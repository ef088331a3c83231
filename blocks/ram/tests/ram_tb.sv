// SPDX-License-Identifier: Apache-2.0
// ram_tb: all test objects of the folder in one binary; a test drives the signals of one scope.
// verilog_format: off
module ram_tb (
    input logic clk_i,
    input logic rst_ni  // the RAMs have no reset
);

  for (genvar i = 0; i < 3; i++) begin : gen_ram  // 2 x 8 bits, 13 x 32 in bytes, 64 x 27 in nines
    localparam int unsigned Width = i == 0 ? 8 : i == 1 ? 32 : 27;
    localparam int unsigned Depth = i == 0 ? 2 : i == 1 ? 13 : 64;
    localparam int unsigned ByteWidth = i == 2 ? 9 : 8;

    logic we = 1'b0;
    logic [Width/ByteWidth-1:0] be = '0;
    logic [$clog2(Depth)-1:0] waddr = '0;
    logic [Width-1:0] wdata = '0;

    polyloom_ram_1r1w #(.Width(Width), .Depth(Depth), .ByteWidth(ByteWidth)) i_two (.we_i(we), .be_i(be),
        .waddr_i(waddr), .wdata_i(wdata), .*);

    polyloom_ram_1rw #(.Width(Width), .Depth(Depth), .ByteWidth(ByteWidth)) i_one (.we_i(we), .be_i(be), .addr_i(waddr),
        .wdata_i(wdata), .rdata_o(rdata_one), .*);

    polyloom_ram_2rw #(.Width(Width), .Depth(Depth)) i_both (.en_i(en_both), .we_i(we_both), .addr_i(addr_both),
        .wdata_i(wdata_both), .rdata_o(rdata_both), .*);

    polyloom_ram_2rw_be #(.Width(Width), .Depth(Depth), .ByteWidth(ByteWidth)) i_both_be (.en_i(en_be2), .we_i(we_be2),
        .be_i(be_be2), .addr_i(addr_be2), .wdata_i(wdata_be2), .rdata_o(rdata_be2), .*);
  end

  logic unused;
  assign unused = rst_ni;

endmodule
