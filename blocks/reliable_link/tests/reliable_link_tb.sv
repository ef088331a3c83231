// SPDX-License-Identifier: Apache-2.0
// reliable_link_tb: parts of the reliable link alone, for cocotb; the link is compared by reliable_link_swap_test.cc.
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
    logic [15:0] word_time = '0;
    logic due = 1'b0, start, free_next, free, control_read, data_read, tx_valid, tx_ready = 1'b0, idle;
    word0_t word0 = '0;
    logic [23:0] word1 = '0;
    logic [63:0] control_item = '0, data_item = '0;
    word_t tx;
    polyloom_reliable_link_framer i_dut (
        .clk_i,
        .rst_ni,
        .word_time_i   (word_time),
        .due_i         (due),
        .word0_i       (word0),
        .word1_i       (word1),
        .start_o       (start),
        .free_next_o   (free_next),
        .free_o        (free),
        .control_read_o(control_read),
        .control_item_i(control_item),
        .data_read_o   (data_read),
        .data_item_i   (data_item),
        .tx_valid_o    (tx_valid),
        .tx_ready_i    (tx_ready),
        .tx_data_o     (tx.data),
        .tx_keep_o     (tx.keep),
        .tx_last_o     (tx.last),
        .idle_o        (idle)
    );
  end

  if (1) begin : gen_parser
    logic rx_valid = 1'b0, rx_last = 1'b0, data_head, control_head, data_item, control_item, good, bad, idle;
    logic [63:0] rx_data = '0, word;
    logic [7:0] rx_keep = '0;
    word0_t word0;
    word1_t word1;
    polyloom_reliable_link_parser i_dut (
        .clk_i,
        .rst_ni,
        .rx_valid_i    (rx_valid),
        .rx_data_i     (rx_data),
        .rx_keep_i     (rx_keep),
        .rx_last_i     (rx_last),
        .data_head_o   (data_head),
        .control_head_o(control_head),
        .data_item_o   (data_item),
        .control_item_o(control_item),
        .word_o        (word),
        .good_o        (good),
        .bad_o         (bad),
        .word0_o       (word0),
        .word1_o       (word1),
        .idle_o        (idle)
    );
  end

  for (genvar k = 0; k < 3; k++) begin : gen_rx_channel
    localparam int unsigned Sizes[3] = '{3, 13, 1};  // 13: a ring that is no power of two, and room told by quarters
    localparam int unsigned Bits[3] = '{3, 8, 3};
    localparam int unsigned SeqBits = Bits[k];
    logic head = 1'b0, item_valid = 1'b0, commit = 1'b0, any = 1'b0, nack, start = 1'b0, complain, tell;
    logic out_valid, out_ready = 1'b0, gap, duplicate, idle;
    logic [SeqBits-1:0] seq = '0, ack, limit;
    logic [15:0] item = '0, out;
    polyloom_reliable_link_rx_channel #(
        .Width  (16),
        .Items  (Sizes[k]),
        .SeqBits(SeqBits)
    ) i_dut (
        .clk_i,
        .rst_ni,
        .head_i      (head),
        .seq_i       (seq),
        .item_valid_i(item_valid),
        .item_i      (item),
        .commit_i    (commit),
        .any_i       (any),
        .ack_o       (ack),
        .limit_o     (limit),
        .nack_o      (nack),
        .start_i     (start),
        .complain_o  (complain),
        .tell_o      (tell),
        .out_valid_o (out_valid),
        .out_ready_i (out_ready),
        .out_o       (out),
        .gap_o       (gap),
        .duplicate_o (duplicate),
        .idle_o      (idle)
    );
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
    logic in_valid = 1'b0, in_ready, may_send, poll, start = 1'b0, read = 1'b0, report = 1'b0, nack = 1'b0, late;
    logic may_send_next, unlocked, wish = 1'b0, again, timeout, go_back, idle;
    item_t in = '0;
    logic [CountBits-1:0] count, take = '0;
    logic [SeqBits-1:0] seq, ack = '0, limit = '0;
    logic [15:0] item, more_cycles = '0;
    polyloom_reliable_link_tx_channel #(
        .Width   (16),
        .Items   (Sizes[k]),
        .FarItems(Far[k]),
        .SeqBits (SeqBits),
        .MaxCount(Most[k])
    ) i_dut (
        .clk_i,
        .rst_ni,
        .in_valid_i     (in_valid),
        .in_ready_o     (in_ready),
        .in_i           (in.data),
        .in_last_i      (in.last),
        .may_send_o     (may_send),
        .count_o        (count),
        .seq_o          (seq),
        .poll_o         (poll),
        .start_i        (start),
        .take_i         (take),
        .read_i         (read),
        .item_o         (item),
        .report_i       (report),
        .ack_i          (ack),
        .limit_i        (limit),
        .nack_i         (nack),
        .timeout_i      (more_cycles + 16'd2),    // never less, not even in another's test
        .late_o         (late),
        .may_send_next_o(may_send_next),
        .unlocked_o     (unlocked),
        .act_i          (wish & ~may_send_next),  // a time-out has a frame of its own
        .again_o        (again),
        .timeout_o      (timeout),
        .go_back_o      (go_back),
        .idle_o         (idle)
    );
  end
endmodule
