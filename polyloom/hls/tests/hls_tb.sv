// SPDX-License-Identifier: Apache-2.0
// hls_tb: what generated kernels instantiate, for cocotb.
module hls_tb (
    input logic clk_i,
    input logic rst_ni
);
  for (genvar k = 0; k < 3; k++) begin : gen_divide
    localparam int unsigned Widths[3] = '{2, 13, 64};
    localparam int unsigned Width = Widths[k];
    logic en = 1'b0, start = 1'b0, is_signed = 1'b0;
    logic [Width-1:0] a = '0, b = '0, quotient, remainder;
    polyloom_hls_divide #(
        .Width(Width)
    ) i_dut (
        .clk_i,
        .en_i       (en),
        .start_i    (start),
        .signed_i   (is_signed),
        .a_i        (a),
        .b_i        (b),
        .quotient_o (quotient),
        .remainder_o(remainder)
    );
  end

  for (genvar k = 0; k < 3; k++) begin : gen_multiply
    localparam int unsigned Widths[3] = '{1, 32, 64};
    localparam int unsigned Latencies[3] = '{1, 2, 4};
    logic en = 1'b0;
    logic [Widths[k]-1:0] a = '0, b = '0, z;
    polyloom_hls_multiply #(
        .Width  (Widths[k]),
        .Latency(Latencies[k])
    ) i_dut (
        .clk_i,
        .en_i(en),
        .a_i (a),
        .b_i (b),
        .z_o (z)
    );
  end

  for (genvar k = 0; k < 2; k++) begin : gen_memory
    localparam int unsigned Words = k == 0 ? 2 : 13;
    localparam int unsigned WordBits = $clog2(Words);
    logic advance = 1'b0, a_en = 1'b0, a_we = 1'b0, b_en = 1'b0, b_we = 1'b0, dma_en = 1'b0, dma_we = 1'b0;
    logic [WordBits+2:0] a_addr = '0, b_addr = '0;
    logic [WordBits-1:0] dma_word = '0;
    logic [7:0] a_be = '0, b_be = '0, dma_be = '0;
    logic [63:0] a_wdata = '0, b_wdata = '0, dma_wdata = '0, a_rdata, b_rdata, dma_rdata;
    polyloom_hls_memory #(
        .Words    (Words),
        .InitWords(2),
        .Init     (128'hfedc_ba98_7654_3210_0f1e_2d3c_4b5a_6978)
    ) i_dut (
        .clk_i,
        .advance_i  (advance),
        .a_en_i     (a_en),
        .a_we_i     (a_we),
        .a_addr_i   (a_addr),
        .a_be_i     (a_be),
        .a_wdata_i  (a_wdata),
        .a_rdata_o  (a_rdata),
        .b_en_i     (b_en),
        .b_we_i     (b_we),
        .b_addr_i   (b_addr),
        .b_be_i     (b_be),
        .b_wdata_i  (b_wdata),
        .b_rdata_o  (b_rdata),
        .dma_en_i   (dma_en),
        .dma_we_i   (dma_we),
        .dma_word_i (dma_word),
        .dma_be_i   (dma_be),
        .dma_wdata_i(dma_wdata),
        .dma_rdata_o(dma_rdata)
    );
  end

  logic unused;
  assign unused = rst_ni;
endmodule
