// SPDX-License-Identifier: Apache-2.0
// reliable_link_tb: parts of the reliable link alone, for cocotb; the link is compared by reliable_link_swap_test.cc.
// verilog_format: off
module reliable_link_tb
  import polyloom_reliable_link_pkg::*;
(
    input logic clk_i,
    input logic rst_ni
);
  if (1) begin : gen_framer
    typedef struct packed {
      logic last;
      logic [7:0] keep;
      logic [63:0] data;
    } word_t;
    word_t tx;
    polyloom_reliable_link_framer i_dut (.tx_data_o(tx.data), .tx_keep_o(tx.keep), .tx_last_o(tx.last), .*);
  end

  if (1) begin : gen_parser
    polyloom_reliable_link_parser i_dut (.*);
  end

  for (genvar k = 0; k < 3; k++) begin : gen_rx_channel
    localparam int unsigned Sizes[3] = '{3, 13, 1};  // 13: a ring that is no power of two, and room told by quarters
    localparam int unsigned Bits[3] = '{3, 8, 3};
    localparam int unsigned SeqBits = Bits[k];
    polyloom_reliable_link_rx_channel #(.Width(16), .Items(Sizes[k]), .SeqBits(SeqBits)) i_dut (.*);
  end

  for (genvar k = 0; k < 3; k++) begin : gen_tx_channel
    localparam int unsigned Sizes[3] = '{3, 13, 1};
    localparam int unsigned Far[3] = '{4, 20, 1};
    localparam int unsigned Bits[3] = '{3, 8, 3};
    localparam int unsigned Most[3] = '{2, 5, 1};  // items of a frame
    localparam int unsigned SeqBits = Bits[k];
    localparam int unsigned CountBits = $clog2(Most[k] + 1);
    typedef struct packed {
      logic last;
      logic [15:0] data;
    } item_t;
    logic may_send_next, request = 1'b0;
    item_t in = '0;
    logic [15:0] more_cycles = '0;
    polyloom_reliable_link_tx_channel #(.Width(16), .Items(Sizes[k]), .FarItems(Far[k]), .SeqBits(SeqBits),
        .MaxCount(Most[k])) i_dut (.in_i(in.data), .in_last_i(in.last), .timeout_i(more_cycles + 16'd2),
        .may_send_next_o(may_send_next), .act_i(request & ~may_send_next), .*);
  end
endmodule
