// SPDX-License-Identifier: Apache-2.0
// board_parts_tb: the three parts that a board is wired of, each alone: what is around four tiles (themselves played by
// hand, tile_by_hand.sv), the peripheries of two boards (links: link_by_hand.sv), and what a board turns to its host.
// verilog_format: off
module board_parts_tb
  import polyloom_overlay_pkg::*;
(
    input logic clk_i,
    input logic rst_ni
);
  function automatic cfg_t sizes();
    cfg_t c;
    c = TINY;
    c.tiles_x = 2;
    c.tiles_y = 2;
    c.cores = 2;
    c.threads = 2;
    c.instr_words = 256;
    c.cache_ways = 2;
    c.cache_sets = 1;
    c.slices = 2;
    c.mailbox_slots = 128;
    c.noc_link_flits = 4;
    c.fpu = 1'b0;
    c.muldiv = 1'b0;
    return c;
  endfunction
  localparam cfg_t Cfg = sizes();
  localparam int unsigned Tiles = 4;
  localparam int unsigned Slices = 2;
  localparam int unsigned Memories = 3 * Slices;
  localparam int unsigned IdBits = 9;
  localparam int unsigned LineBits = 256;
  localparam int unsigned Links = 4;

  typedef struct packed {
    line_req_t             request;
    logic [LineBits-1:0]   wdata;
    logic [LineBits/8-1:0] wstrb;
  } line_t;
  typedef struct packed {
    logic [IdBits-1:0] id;
    logic [39:0]       addr;
    logic [7:0]        len;
  } ax_t;
  typedef struct packed {
    logic [255:0] data;
    logic [31:0]  strb;
    logic         last;
  } w_t;
  typedef struct packed {
    logic [IdBits-1:0] id;
    logic [255:0]      data;
    logic              last;
  } r_t;
  typedef struct packed {
    logic [7:0]  tile;
    tile_event_t what;
  } reported_t;

  if (1) begin : gen_tiles
    logic [6:0] phase_q;
    line_t [Slices-1:0] line = '0;
    line_req_t [Slices-1:0] line_request;
    logic [Slices-1:0][LineBits-1:0] line_wdata;
    logic [Slices-1:0][LineBits/8-1:0] line_wstrb;
    flit_t out[Tiles], in[Tiles];
    flit_t [Tiles-1:0] in_flits = '0;
    reported_t reported;
    logic [Memories-1:0] r_last, w_last;
    ax_t [Memories-1:0] ar, aw;
    w_t [Memories-1:0] w;
    r_t [Memories-1:0] r = '0;
    logic [Memories-1:0][39:0] ar_addr, aw_addr;
    logic [Memories-1:0][7:0] ar_len, aw_len;
    logic [Memories-1:0][IdBits-1:0] ar_id, aw_id, r_id;
    logic [Memories-1:0][255:0] r_data, w_data;
    logic [Memories-1:0][31:0] w_strb;
    always_ff @(posedge clk_i or negedge rst_ni) begin
      if (!rst_ni) phase_q <= '0;
      else phase_q <= phase_q + 1'b1;
    end
    always_comb begin
      for (int unsigned s = 0; s < Slices; s++) begin
        line_request[s] = line[s].request;
        line_wdata[s]   = line[s].wdata;
        line_wstrb[s]   = line[s].wstrb;
      end
      for (int unsigned m = 0; m < Memories; m++) begin
        ar[m] = '{id: ar_id[m], addr: ar_addr[m], len: ar_len[m]};
        aw[m] = '{id: aw_id[m], addr: aw_addr[m], len: aw_len[m]};
        w[m] = '{data: w_data[m], strb: w_strb[m], last: w_last[m]};
        r_id[m] = r[m].id;
        r_data[m] = r[m].data;
        r_last[m] = r[m].last;
      end
      for (int unsigned t = 0; t < Tiles; t++) in[t] = in_flits[t];
    end
    polyloom_overlay_tiles #(.Cfg(Cfg), .Gate(1'b1)) i_dut (.phase_i(phase_q), .dma_valid_i(line_valid),
        .dma_ready_o(line_ready), .dma_i(line_request), .dma_wdata_i(line_wdata), .dma_wstrb_i(line_wstrb),
        .dma_rsp_valid_o(line_rsp_valid), .dma_rsp_tag_o(line_rsp_tag), .dma_rsp_data_o(line_rsp_data), .out_o(out),
        .in_i(in), .event_valid_o(reported_valid), .event_ready_i(reported_ready), .event_o(reported.what),
        .event_tile_o(reported.tile), .release_i(let_go), .release_vote_i(let_go_vote), .mem_ar_valid_o(ar_valid),
        .mem_ar_ready_i(ar_ready), .mem_ar_addr_o(ar_addr), .mem_ar_len_o(ar_len), .mem_ar_id_o(ar_id),
        .mem_r_valid_i(r_valid), .mem_r_ready_o(r_ready), .mem_r_data_i(r_data), .mem_r_last_i(r_last),
        .mem_r_id_i(r_id), .mem_aw_valid_o(aw_valid), .mem_aw_ready_i(aw_ready), .mem_aw_addr_o(aw_addr),
        .mem_aw_len_o(aw_len), .mem_aw_id_o(aw_id), .mem_w_valid_o(w_valid), .mem_w_ready_i(w_ready),
        .mem_w_data_o(w_data), .mem_w_strb_o(w_strb), .mem_w_last_o(w_last), .mem_b_valid_i(b_valid),
        .mem_b_ready_o(b_ready), .*);
  end

  // Two boards beside each other, one with clocks that stand still; a test carries the detector's words between them.
  for (genvar b = 0; b < 2; b++) begin : gen_periphery
    logic [Links-1:0] tx_last;
    logic [Links-1:0][$bits(flit_t)-1:0] exit = '0, enter;
    logic [Links-1:0][72:0] tx, rx = '0;  // last, keep, data
    logic [Links-1:0][63:0] tx_data, rx_data;
    logic [Links-1:0][7:0] tx_keep, rx_keep;
    logic [Links-1:0] rx_last;
    flit_t exit_of[Links], enter_of[Links];
    always_comb begin
      for (int unsigned l = 0; l < Links; l++) begin
        exit_of[l] = exit[l];
        enter[l] = enter_of[l];
        tx[l] = {tx_last[l], tx_keep[l], tx_data[l]};
        {rx_last[l], rx_keep[l], rx_data[l]} = rx[l];
      end
    end
    polyloom_overlay_periphery #(.Cfg(Cfg), .Gate(1'(b))) i_dut (.board_i(6'(b)), .mesh_i(8'h12), .tx_data_o(tx_data),
        .tx_keep_o(tx_keep), .tx_last_o(tx_last), .rx_data_i(rx_data), .rx_keep_i(rx_keep), .rx_last_i(rx_last),
        .exit_i(exit_of), .enter_o(enter_of), .release_o(let_go), .release_vote_o(let_go_vote), .*);
  end

  if (1) begin : gen_frontend
    polyloom_shell_pkg::host_word_t rx = '0, tx;
    line_t [Slices-1:0] line;
    line_req_t [Slices-1:0] line_request;
    logic [Slices-1:0][LineBits-1:0] line_wdata;
    logic [Slices-1:0][LineBits/8-1:0] line_wstrb;
    reported_t reported = '0;
    always_comb begin
      for (int unsigned s = 0; s < Slices; s++) begin
        line[s] = '{request: line_request[s], wdata: line_wdata[s], wstrb: line_wstrb[s]};
      end
    end
    polyloom_overlay_frontend #(.Cfg(Cfg), .Gate(1'b1)) i_dut (.host_rx_valid_i(rx_valid), .host_rx_ready_o(rx_ready),
        .host_rx_data_i(rx.data), .host_rx_last_i(rx.last), .host_tx_valid_o(tx_valid), .host_tx_ready_i(tx_ready),
        .host_tx_data_o(tx.data), .host_tx_last_o(tx.last), .line_o(line_request), .line_wdata_o(line_wdata),
        .line_wstrb_o(line_wstrb), .event_valid_i(reported_valid), .event_ready_o(reported_ready), .event_i(reported.what),
        .event_tile_i(reported.tile), .fault_valid_i(route_valid), .fault_ready_o(route_ready), .fault_i(route),
        .enter_room_i(room), .exit_valid_i(leave_valid), .exit_ready_o(leave_ready), .exit_i(leave), .inject_o(wanted),
        .*);
  end
endmodule
