// SPDX-License-Identifier: Apache-2.0
// polyloom_overlay_distribute: hands the shell's requests to the tiles that they are for.
// How:          request --> [ held, a bit per tile that has not taken it ] --> tiles; taken by all: next.
//               The response of a read comes back through a register.
// Latency:      1 cycle to a tile, 1 back. Throughput: a request in 2 cycles if tiles take at once.
// Backpressure: a tile that does not take a request holds back the next one for all.
// Order/loss:   in order; a request for no tile is taken and dropped (the host side has checked it).
// Reset:        empty.
// Limits:       at most one read under way (asserted by the requester: polyloom_overlay_host waits for its response).
// Cost:         a register of a request, 1 LUT a tile and bit of the response.
// Source: own design.   Tests: test_polyloom_overlay_distribute.py.
module polyloom_overlay_distribute
  import polyloom_overlay_pkg::*;
#(
    parameter  cfg_t        Cfg   = TINY,
    localparam int unsigned Tiles = Cfg.tiles_x * Cfg.tiles_y
) (
    input logic clk_i,
    input logic rst_ni,

    // From the host side
    input  logic            ctl_valid_i,
    output logic            ctl_ready_o,
    input  ctl_req_t        ctl_i,
    output logic            rsp_valid_o,
    output logic     [31:0] rdata_o,

    // To the tiles
    output logic     [Tiles-1:0]       tile_valid_o,
    input  logic     [Tiles-1:0]       tile_ready_i,
    output ctl_req_t                   tile_o,
    input  logic     [Tiles-1:0]       tile_rsp_valid_i,
    input  logic     [Tiles-1:0][31:0] tile_rdata_i
);
  localparam int unsigned Pairs = (Cfg.cores + 1) / 2;

  logic [Tiles-1:0] pending_q, pending_d, targets;
  ctl_req_t ctl_q;

  // A read of all is a read of the first: all hold the same.
  always_comb begin
    for (int unsigned t = 0; t < Tiles; t++) begin
      case (ctl_i.op)
        CTL_WRITE_INSTR, CTL_READ_INSTR: targets[t] = 32'(ctl_i.target) / Pairs == t;
        CTL_START, CTL_UART: targets[t] = 32'(ctl_i.target) / Cfg.cores == t;
        default: targets[t] = 32'(ctl_i.target) == t;
      endcase
    end
    if (ctl_i.all) targets = ctl_i.op == CTL_READ_INSTR || ctl_i.op == CTL_READ_SCRATCHPAD ? Tiles'(1) : '1;
  end

  assign ctl_ready_o  = pending_q == '0;
  assign tile_valid_o = pending_q;
  assign tile_o       = ctl_q;
  always_comb begin
    pending_d = pending_q & ~tile_ready_i;
    if (ctl_valid_i && ctl_ready_o) pending_d = targets;
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      pending_q   <= '0;
      rsp_valid_o <= 1'b0;
    end else begin
      pending_q   <= pending_d;
      rsp_valid_o <= |tile_rsp_valid_i;
    end
  end
  logic [31:0] rdata;
  always_comb begin
    rdata = '0;
    for (int unsigned t = 0; t < Tiles; t++) if (tile_rsp_valid_i[t]) rdata |= tile_rdata_i[t];
  end
  always_ff @(posedge clk_i) begin
    if (ctl_valid_i && ctl_ready_o) ctl_q <= ctl_i;
    rdata_o <= rdata;
  end
endmodule
