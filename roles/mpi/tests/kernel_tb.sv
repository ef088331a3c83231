// SPDX-License-Identifier: Apache-2.0
// kernel_tb: three kernel nodes with command players and memories, and the parts of a node alone; a test drives the lanes'
// words, and may make memories and lanes wait.
// verilog_format: off
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
  logic [NODES-1:0][72:0] tx;  // last, keep, data

  for (genvar n = 0; n < NODES; n++) begin : gen_node
    logic ar_valid, ar_ready = 1'b1, r_valid, aw_valid, aw_ready = 1'b1, w_valid, w_ready = 1'b1, b_valid;
    logic [47:0] ar, aw;  // length, address
    logic [72:0] w;  // last, data, strobe
    logic [63:0] r_data;
    logic r_ready, b_ready, pulse, r_late = 1'b0, b_late = 1'b0;  // late: no response in this cycle
    polyloom_kernel_node i_dut (.strap_i(64'h0a50_0001 + 64'(n)), .cycle_i(cycle_q), .idle_o(idle[n]),
        .lane_rx_valid_i(rx_valid[n]), .lane_rx_data_i(rx_data[n]), .lane_rx_keep_i(rx_keep[n]),
        .lane_rx_last_i(rx_last[n]), .lane_rx_pulse_i(1'b0), .lane_tx_pulse_o(pulse), .lane_tx_valid_o(tx_valid[n]),
        .lane_tx_ready_i(tx_ready[n]), .lane_tx_data_o(tx_data[n]), .lane_tx_keep_o(tx_keep[n]),
        .lane_tx_last_o(tx_last[n]), .mem_ar_valid_o(ar_valid), .mem_ar_ready_i(ar_ready), .mem_ar_addr_o(ar[39:0]),
        .mem_ar_len_o(ar[47:40]), .mem_r_valid_i(r_valid), .mem_r_ready_o(r_ready), .mem_r_data_i(r_data),
        .mem_r_last_i(1'b1), .mem_aw_valid_o(aw_valid), .mem_aw_ready_i(aw_ready), .mem_aw_addr_o(aw[39:0]),
        .mem_aw_len_o(aw[47:40]), .mem_w_valid_o(w_valid), .mem_w_ready_i(w_ready), .mem_w_data_o(w[71:8]),
        .mem_w_strb_o(w[7:0]), .mem_w_last_o(w[72]), .mem_b_valid_i(b_valid), .mem_b_ready_o(b_ready), .*);

    assign tx[n] = {tx_last[n], tx_keep[n], tx_data[n]};

    // A memory that responds after four cycles, or later. Of each kind at most 32 accesses are under way.
    logic [63:0] dram[WORDS];
    logic [63:0] reads[64];  // rings of words read, of addresses and data of writes
    logic [17:0] places[64];
    logic [71:0] words[64];
    logic [3:0] read_q, write_q;  // under way, by age
    logic [5:0] reads_q, responses_q, places_q, words_q, writes_q;  // read, answered; addresses, data, both
    logic [5:0] r_due_q, b_due_q;  // old enough, not answered
    logic write;
    assign write   = places_q != writes_q && words_q != writes_q;
    assign r_valid = (r_due_q != '0 || read_q[3]) && !r_late;
    assign b_valid = (b_due_q != '0 || write_q[3]) && !b_late;
    assign r_data  = reads[responses_q];
    always_ff @(posedge clk_i or negedge rst_ni) begin
      if (!rst_ni) begin
        {read_q, write_q} <= '0;
        {reads_q, responses_q, places_q, words_q, writes_q, r_due_q, b_due_q} <= '0;
      end else begin
        read_q <= {read_q[2:0], ar_valid && ar_ready};
        write_q <= {write_q[2:0], write};
        reads_q <= reads_q + 6'(ar_valid && ar_ready);
        places_q <= places_q + 6'(aw_valid && aw_ready);
        words_q <= words_q + 6'(w_valid && w_ready);
        writes_q <= writes_q + 6'(write);
        responses_q <= responses_q + 6'(r_valid);
        r_due_q <= r_due_q + 6'(read_q[3]) - 6'(r_valid);
        b_due_q <= b_due_q + 6'(write_q[3]) - 6'(b_valid);
      end
    end
    always_ff @(posedge clk_i) begin
      reads[reads_q]   <= dram[ar[20:3]];
      places[places_q] <= aw[20:3];
      words[words_q]   <= w[71:0];
      for (int unsigned b = 0; b < 8; b++) begin
        if (write && words[writes_q][b]) dram[places[writes_q]][8*b+:8] <= words[writes_q][8+8*b+:8];
      end
    end

    logic unused;
    assign unused = ^{b_ready, r_ready, pulse, w[72], ar, aw};
  end

  kernel_units i_units (.*);
endmodule
