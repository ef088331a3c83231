// SPDX-License-Identifier: Apache-2.0
// polyloom_overlay_host_regs: the board's registers, and the count of its instructions.
// How:          numbers as enum Register of roles/overlay/sim/board/board.h; all are read only. Retired instructions are
//               added up a tile, then over the tiles, then into the counter.
// Latency:      0 cycles for a read; a retired instruction counts 3 cycles later.
// Throughput:   an access a cycle.
// Backpressure: none; req_valid_i -> rsp_valid_o is combinational.
// Order/loss:   none.
// Reset:        the counter.
// Limits:       none.
// Cost:         91 LUT, 70 FF (UltraScale+); 90 ALM (Intel, estimated); 229 LUT4 (ECP5). TINY, Yosys 0.70, 2026-11.
// Source:       Board::role_register in roles/overlay/sim/board/board_shell.cc.   Tests: test_polyloom_overlay_host_regs.py
module polyloom_overlay_host_regs
  import polyloom_overlay_pkg::*;
#(
    parameter cfg_t Cfg = TINY,
    localparam int unsigned Tiles = Cfg.tiles_x * Cfg.tiles_y
) (
    input logic       clk_i,
    input logic       rst_ni,
    input logic [7:0] mesh_i,  // {height, width}

    // From the shell
    input  logic                         req_valid_i,
    input  polyloom_shell_pkg::reg_req_t req_i,
    output logic                         rsp_valid_o,
    output polyloom_shell_pkg::reg_rsp_t rsp_o,

    // From the tiles and detection
    input logic [Tiles-1:0][Cfg.cores-1:0] retired_i,
    input logic [     63:0]                barriers_i,

    output logic idle_o
);
  localparam int unsigned SumBits = $clog2(Tiles * Cfg.cores + 1);

  logic [Tiles-1:0][2:0] tile_q;
  logic [SumBits-1:0] sum_d, sum_q;
  logic [63:0] count_q;

  always_comb begin
    sum_d = '0;
    for (int unsigned t = 0; t < Tiles; t++) sum_d += SumBits'(tile_q[t]);
  end
  assign idle_o = retired_i == 0 && tile_q == 0 && sum_q == 0;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      tile_q  <= '0;
      sum_q   <= '0;
      count_q <= '0;
    end else begin
      for (int unsigned t = 0; t < Tiles; t++) tile_q[t] <= 3'($countones(retired_i[t]));
      sum_q   <= sum_d;
      count_q <= count_q + 64'(sum_q);
    end
  end

  assign rsp_valid_o = req_valid_i;
  always_comb begin
    rsp_o = '{error: req_i.write, rdata: '0};
    case (req_i.index)
      0: rsp_o.rdata = {44'd0, mesh_i[7:4], 12'd0, mesh_i[3:0]};
      1: rsp_o.rdata = {32'd0, 8'(Cfg.threads), 8'(Cfg.cores), 8'(Cfg.tiles_y), 8'(Cfg.tiles_x)};
      2: rsp_o.rdata = 64'(Cfg.slices);
      3: rsp_o.rdata = 64'(Cfg.extra_send_slot);
      4: rsp_o.rdata = barriers_i;
      5: rsp_o.rdata = count_q;
      default: rsp_o.error = 1'b1;
    endcase
  end

  logic unused;
  assign unused = ^req_i.wdata;

endmodule
