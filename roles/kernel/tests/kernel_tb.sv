// SPDX-License-Identifier: Apache-2.0
// kernel_tb: three kernel nodes with command players and memories; a test drives the lanes' words.
module kernel_tb (
    input logic clk_i,
    input logic rst_ni
);
  localparam int unsigned NODES = 3;
  localparam int unsigned WORDS = 1 << 18;  // of each DRAM

  logic [63:0] cycle_q;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) cycle_q <= '0;
    else cycle_q <= cycle_q + 1'b1;
  end

  logic [NODES-1:0] rx_valid = '0, rx_last = '0, tx_valid, tx_last, idle;
  logic [NODES-1:0] tx_ready = '1;
  logic [NODES-1:0][63:0] rx_data = '0, tx_data;
  logic [NODES-1:0][7:0] rx_keep = '0, tx_keep;

  for (genvar n = 0; n < NODES; n++) begin : gen_node
    logic ar_valid, ar_ready, r_valid, aw_valid, w_valid, b_valid;
    logic [39:0] ar_addr, aw_addr;
    logic [63:0] r_data, w_data;
    logic [7:0] w_strb, ar_len, aw_len;
    logic r_ready, w_last, b_ready, pulse;
    polyloom_kernel_node i_dut (
        .clk_i,
        .rst_ni,
        .strap_i        (64'h0a50_0001 + 64'(n)),
        .cycle_i        (cycle_q),
        .idle_o         (idle[n]),
        .lane_rx_valid_i(rx_valid[n]),
        .lane_rx_data_i (rx_data[n]),
        .lane_rx_keep_i (rx_keep[n]),
        .lane_rx_last_i (rx_last[n]),
        .lane_rx_pulse_i(1'b0),
        .lane_tx_pulse_o(pulse),
        .lane_tx_valid_o(tx_valid[n]),
        .lane_tx_ready_i(tx_ready[n]),
        .lane_tx_data_o (tx_data[n]),
        .lane_tx_keep_o (tx_keep[n]),
        .lane_tx_last_o (tx_last[n]),
        .mem_ar_valid_o (ar_valid),
        .mem_ar_ready_i (ar_ready),
        .mem_ar_addr_o  (ar_addr),
        .mem_ar_len_o   (ar_len),
        .mem_r_valid_i  (r_valid),
        .mem_r_ready_o  (r_ready),
        .mem_r_data_i   (r_data),
        .mem_r_last_i   (1'b1),
        .mem_aw_valid_o (aw_valid),
        .mem_aw_ready_i (1'b1),
        .mem_aw_addr_o  (aw_addr),
        .mem_aw_len_o   (aw_len),
        .mem_w_valid_o  (w_valid),
        .mem_w_ready_i  (1'b1),
        .mem_w_data_o   (w_data),
        .mem_w_strb_o   (w_strb),
        .mem_w_last_o   (w_last),
        .mem_b_valid_i  (b_valid),
        .mem_b_ready_o  (b_ready)
    );

    // A memory that answers after four cycles.
    logic [63:0] dram[WORDS];
    logic [3:0] read_q, write_q;
    logic [3:0][63:0] data_q;
    assign ar_ready = 1'b1;
    always_ff @(posedge clk_i or negedge rst_ni) begin
      if (!rst_ni) begin
        read_q  <= '0;
        write_q <= '0;
      end else begin
        read_q  <= {read_q[2:0], ar_valid};
        write_q <= {write_q[2:0], w_valid};
      end
    end
    always_ff @(posedge clk_i) begin
      data_q <= {data_q[2:0], dram[ar_addr[20:3]]};
      for (int unsigned b = 0; b < 8; b++) if (w_valid && w_strb[b]) dram[aw_addr[20:3]][8*b+:8] <= w_data[8*b+:8];
    end
    assign r_valid = read_q[3];
    assign r_data  = data_q[3];
    assign b_valid = write_q[3];

    logic unused;
    assign unused = ^{ar_len, aw_len, w_last, b_ready, r_ready, pulse, aw_valid, ar_addr, aw_addr};
  end
endmodule
