// SPDX-License-Identifier: Apache-2.0
// hub_tb: the role's modules, each alone, and the whole hub, in one binary; a test drives the signals of one scope.
// verilog_format: off
module hub_tb
  import polyloom_hub_pkg::*;
  import polyloom_hub_registers_pkg::*;
(
    input logic clk_i,
    input logic rst_ni
);
  hub_parts i_parts (.*);
  hub_dma_parts i_dma (.*);

  for (genvar p = 0; p < 6; p++) begin : gen_route  // of each input
    polyloom_hub_route #(.Port(p)) i_dut (.*);
  end

  if (1) begin : gen_switch
    polyloom_hub_switch i_dut (.*);
  end

  for (genvar w = 0; w < 2; w++) begin : gen_pack  // to 16, to 32 bytes
    localparam int unsigned Bytes = 16 << w;
    localparam int unsigned CountW = $clog2(Bytes + 33);
    logic [CountW-1:0] accept = CountW'(Bytes);
    struct packed {
      logic last;
      logic [CountW-1:0] bytes;
      logic [8*Bytes-1:0] data;
    } out;
    polyloom_hub_pack #(.OutBytes(Bytes)) i_dut (.accept_i(accept), .out_data_o(out.data), .out_bytes_o(out.bytes),
        .out_last_o(out.last), .*);
  end

  if (1) begin : gen_packets
    struct packed {
      logic no;
      logic [ADDR_W-1:0] address;
      logic [9:0] bytes;
    } commit = '0;
    polyloom_hub_packets i_dut (.commit_void_i(commit.no), .commit_address_i(commit.address),
        .commit_bytes_i(commit.bytes), .*);
  end

  if (1) begin : gen_merge
    polyloom_hub_merge #(.Inputs(3)) i_dut (.*);
  end

  if (1) begin : gen_memory_write
    logic [41:0] start = '0;  // address, bytes
    logic mem_ar_valid = 1'b0, mem_ar_ready = 1'b0, mem_r_valid = 1'b0, mem_r_ready = 1'b0;
    logic [47:0] mem_aw, mem_ar = '0;
    logic [144:0] mem_w;
    logic [128:0] mem_r = '0;
    polyloom_hub_memory_write i_dut (.start_address_i(start[41:10]), .start_bytes_i(start[9:0]),
        .mem_aw_addr_o(mem_aw[47:8]), .mem_aw_len_o(mem_aw[7:0]), .mem_w_data_o(mem_w[144:17]),
        .mem_w_strb_o(mem_w[16:1]), .mem_w_last_o(mem_w[0]), .*);
  end

  if (1) begin : gen_faults
    polyloom_hub_faults #(.Sources(3)) i_dut (.*);
  end

  for (genvar c = 0; c < 3; c++) begin : gen_clock  // 1 of 1, 3 of 5, 5 of 16
    // 1 of 1, 3 of 5, 5 of 16
    logic clk;
    logic [15:0] edges = '0;
    polyloom_hub_clock #(.Num(c == 0 ? 1 : c == 1 ? 3 : 5), .Den(c == 0 ? 1 : c == 1 ? 5 : 16)) i_dut (.clk_o(clk), .*);
    always_ff @(posedge clk) edges <= edges + 16'd1;
  end

  if (1) begin : gen_lane
    polyloom_hub_lane i_dut (.*);
  end

  // The whole hub: with a function of full width, and one of half width on 3 of 5 edges.
  for (genvar f = 0; f < 2; f++) begin : gen_node
    logic [7:0] strap = 8'hf5;
    logic [LINKS-1:0] rx_ready = '1;
    beat_t [LINKS-1:0] rx = '0, tx;
    logic [LINKS-1:0][127:0] rx_data, tx_data;
    logic [LINKS-1:0][15:0] rx_keep, tx_keep;
    logic [LINKS-1:0] rx_last, tx_last;
    logic [47:0] mem_aw, mem_ar;  // address, length
    logic [144:0] mem_w;  // data, strobes, last
    logic [128:0] mem_r = '0;  // data, last
    // What the timing test looks at inside.
    logic [LINKS-1:0] links_seen;
    logic slot_in_valid, slot_in_ready, function_active;
    logic [1:0] slot_out_valid, slot_out_ready;
    assign links_seen = i_dut.links;
    assign slot_in_valid = i_dut.gen_function.i_function.slot_in_valid;
    assign slot_in_ready = i_dut.gen_function.i_function.in_go;
    assign slot_out_valid = i_dut.gen_function.i_function.slot_valid;
    assign slot_out_ready = i_dut.gen_function.i_function.slot_ready;
    assign function_active = i_dut.gen_function.i_function.active_q;
    for (genvar l = 0; l < int'(LINKS); l++) begin : gen_lane
      assign rx_data[l] = rx[l].data;
      assign rx_last[l] = rx[l].last;
      assign rx_keep[l] = 16'((32'd2 << rx[l].top) - 32'd1);
      assign tx[l] = '{last: tx_last[l], top: 4'($countones(tx_keep[l]) - 1), data: tx_data[l]};
    end
    polyloom_hub_node #(
        .MaxPayload   (128),
        .Slots        (4),
        .Tags         (4),
        .MemoryBits   (16),
        .ChainMax     (8),
        .Lanes        (2),
        .FunctionKinds(f == 0 ? 8 : 24),     // pass; and LET
        .OpenDepth    (64),
        .FunctionWidth(f == 0 ? 256 : 128),
        .FunctionNum  (f == 0 ? 1 : 3),
        .FunctionDen  (f == 0 ? 1 : 5)
    ) i_dut (
        .strap_i(strap),
        .lane_rx_valid_i(rx_valid),
        .lane_rx_data_i(rx_data),
        .lane_rx_keep_i(rx_keep),
        .lane_rx_last_i(rx_last),
        .lane_rx_pulse_i(credit),
        .lane_tx_valid_o(tx_valid),
        .lane_tx_ready_i(tx_ready),
        .lane_tx_data_o(tx_data),
        .lane_tx_keep_o(tx_keep),
        .lane_tx_last_o(tx_last),
        .lane_tx_pulse_o(left),
        .mem_ar_addr_o(mem_ar[47:8]),
        .mem_ar_len_o(mem_ar[7:0]),
        .mem_r_data_i(mem_r[128:1]),
        .mem_r_last_i(mem_r[0]),
        .mem_aw_addr_o(mem_aw[47:8]),
        .mem_aw_len_o(mem_aw[7:0]),
        .mem_w_data_o(mem_w[144:17]),
        .mem_w_strb_o(mem_w[16:1]),
        .mem_w_last_o(mem_w[0]),
        .*
    );
  end

endmodule
