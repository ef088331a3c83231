// SPDX-License-Identifier: Apache-2.0
// polyloom_reliable_link: one end of a reliable link: two streams of 64-bit items over Ethernet frames that may be lost.
// How:          rules, wire format and cycles of blocks/reliable_link/sim in its standard form; link_frame.h has the layout.
//                   data_in    -> [ TX channel ] -.            .-> tx       frame due: items and room for them, a response,
//                   control_in -> [ TX channel ] --> [ framer ]             time-out, room to be asked for
//                                   ^ ack, limit, nack
//                   data_out    <- [ RX channel ] <-- [ parser ] <- rx      response due: AckDelay after items came, at
//                   control_out <- [ RX channel ] <-'                       once after a gap or a poll, or with much new room
//               Control goes before data in every frame and has buffers of its own.
// Latency:      a group that ends at edge c on an idle link: first word in cycle c + 1. Items of a frame whose last word is seen at
//               edge e: on data_out in cycle e + 2. Equal to the model's.
// Throughput:   60 items in 65 + 2 words of wire.
// Backpressure: full buffers: see the channels. data_out that is not taken stops the far side's data, not its control.
// Order/loss:   each stream delivers every item once, in order, as long as some frames get through.
// Reset:        both ends must be reset together: numbers start at 0.
// Limits:       MaxItems 1..180 and at most TxItems, TxItems and RxItems up to 16384, ControlItems up to 64, AckDelay
//               1..255 (checked at elaboration), timeout_i at least 2. A frame waits for a clock faster than the wire.
// Cost:         2,140 LUT, 976 FF, 4 BRAM36 (UltraScale+); README.md.
// Source:       docs/sources/tinsel.md, 3.3; own design for control, room and complaints.
// Tests:        reliable_link_swap_test.cc (test_polyloom_reliable_link.py); proof: formal/proofs.toml
module polyloom_reliable_link
  import polyloom_reliable_link_pkg::*;
#(
    parameter int unsigned MaxItems = 60,  // of both channels in a frame
    parameter int unsigned TxItems = 1024,  // data items kept until acknowledged
    parameter int unsigned RxItems = 1024,  // data items received and not taken; the same at the far side
    parameter int unsigned ControlItems = 64,  // the same for control, each way
    parameter int unsigned AckDelay = 32  // cycles that an acknowledgement waits for a frame to ride on
) (
    input  logic           clk_i,
    input  logic           rst_ni,
    // Constant while it runs
    input  logic    [15:0] timeout_i,            // cycles without progress before all is sent again
    input  logic    [15:0] word_time_i,          // cycles a word takes on the wire, 4.12 bits; 0: the MAC keeps the gap
    // From the user; last: items up to here may leave
    input  logic           data_in_valid_i,
    output logic           data_in_ready_o,
    input  logic    [63:0] data_in_i,
    input  logic           data_in_last_i,
    input  logic           control_in_valid_i,
    output logic           control_in_ready_o,
    input  logic    [63:0] control_in_i,
    input  logic           control_in_last_i,
    // To the user
    output logic           data_out_valid_o,
    input  logic           data_out_ready_i,
    output logic    [63:0] data_out_o,
    output logic           control_out_valid_o,
    input  logic           control_out_ready_i,
    output logic    [63:0] control_out_o,
    // To the wire
    output logic           tx_valid_o,
    input  logic           tx_ready_i,
    output logic    [63:0] tx_data_o,
    output logic    [ 7:0] tx_keep_o,
    output logic           tx_last_o,
    // From the wire
    input  logic           rx_valid_i,
    input  logic    [63:0] rx_data_i,
    input  logic    [ 7:0] rx_keep_i,
    input  logic           rx_last_i,
    // To counters, and to what stops the clock
    output events_t        events_o,
    output logic           idle_o                // nothing happens without input
);

  if (MaxItems < 1 || MaxItems > 180 || MaxItems > TxItems) begin : gen_check_items
    $error("%m: MaxItems is %0d, must be 1 to 180 and at most TxItems, which is %0d", MaxItems, TxItems);
  end
  if (TxItems > 16384 || RxItems > 16384 || ControlItems > 64) begin : gen_check_buffers
    $error(
        "%m: TxItems is %0d, RxItems %0d, ControlItems %0d; at most 16384, 16384, 64", TxItems, RxItems, ControlItems
    );
  end
  if (AckDelay < 1 || AckDelay > 255) begin : gen_check_delay
    $error("%m: AckDelay is %0d, must be 1 to 255", AckDelay);
  end

  localparam int unsigned MaxControl = MaxItems < MAX_CONTROL ? MaxItems : MAX_CONTROL;

  // From the parser
  logic data_head, control_head, data_item, control_item, good, bad, parser_idle;
  logic [63:0] word;
  word0_t rx_word0;
  word1_t rx_word1;

  // From the framer
  logic start, free_next, free, control_read, data_read, framer_idle;

  // From the channels; element 0 control, 1 data.
  logic [1:0] may_send, may_send_next, unlocked, late, poll, again, timeouts, go_backs, tx_idle;
  logic [1:0] nack, complain, report, gaps, duplicates, rx_idle;
  logic [$clog2(MaxControl+1)-1:0] control_count;
  logic [$clog2(MaxItems+1)-1:0] data_count, data_room, data_accept;
  logic [7:0] control_seq, control_ack, control_limit;
  logic [15:0] data_seq, data_ack, data_limit;
  logic [63:0] control_word, data_word;

  // A time-out is handled with a frame of its own making: not when control waits, nor for data's sake when data wait,
  // nor with data that waited for room and may go in this very cycle.
  logic act;
  assign act = free_next && !may_send_next[0] &&
      ((late[0] && !(free && unlocked[1])) || (late[1] && !may_send_next[1]));

  polyloom_reliable_link_tx_channel #(
      .Items   (ControlItems),
      .FarItems(ControlItems),
      .SeqBits (CONTROL_SEQ_BITS),
      .MaxCount(MaxControl)
  ) i_control_tx (
      .clk_i,
      .rst_ni,
      .in_valid_i     (control_in_valid_i),
      .in_ready_o     (control_in_ready_o),
      .in_i           (control_in_i),
      .in_last_i      (control_in_last_i),
      .may_send_o     (may_send[0]),
      .count_o        (control_count),
      .seq_o          (control_seq),
      .poll_o         (poll[0]),
      .start_i        (start),
      .accept_i       (control_count),
      .read_i         (control_read),
      .item_o         (control_word),
      .report_i       (good),
      .ack_i          (rx_word1.control_ack),
      .limit_i        (rx_word1.control_limit),
      .nack_i         (rx_word0.control_nack),
      .timeout_i,
      .late_o         (late[0]),
      .may_send_next_o(may_send_next[0]),
      .unlocked_o     (unlocked[0]),
      .act_i          (act),
      .again_o        (again[0]),
      .timeout_o      (timeouts[0]),
      .go_back_o      (go_backs[0]),
      .idle_o         (tx_idle[0])
  );

  assign data_room   = ($bits(data_room))'(MaxItems) - ($bits(data_room))'(control_count);
  assign data_accept = data_count < data_room ? data_count : data_room;
  polyloom_reliable_link_tx_channel #(
      .Items   (TxItems),
      .FarItems(RxItems),
      .SeqBits (DATA_SEQ_BITS),
      .MaxCount(MaxItems)
  ) i_data_tx (
      .clk_i,
      .rst_ni,
      .in_valid_i     (data_in_valid_i),
      .in_ready_o     (data_in_ready_o),
      .in_i           (data_in_i),
      .in_last_i      (data_in_last_i),
      .may_send_o     (may_send[1]),
      .count_o        (data_count),
      .seq_o          (data_seq),
      .poll_o         (poll[1]),
      .start_i        (start),
      .accept_i       (data_accept),
      .read_i         (data_read),
      .item_o         (data_word),
      .report_i       (good),
      .ack_i          (rx_word0.data_ack),
      .limit_i        (rx_word0.data_limit),
      .nack_i         (rx_word0.data_nack),
      .timeout_i,
      .late_o         (late[1]),
      .may_send_next_o(may_send_next[1]),
      .unlocked_o     (unlocked[1]),
      .act_i          (act),
      .again_o        (again[1]),
      .timeout_o      (timeouts[1]),
      .go_back_o      (go_backs[1]),
      .idle_o         (tx_idle[1])
  );

  polyloom_reliable_link_rx_channel #(
      .Items  (ControlItems),
      .SeqBits(CONTROL_SEQ_BITS)
  ) i_control_rx (
      .clk_i,
      .rst_ni,
      .head_i      (control_head),
      .seq_i       (word[7:0]),
      .item_valid_i(control_item),
      .item_i      (word),
      .commit_i    (good),
      .any_i       (rx_word0.control_count != '0),
      .ack_o       (control_ack),
      .limit_o     (control_limit),
      .nack_o      (nack[0]),
      .start_i     (start),
      .complain_o  (complain[0]),
      .report_o    (report[0]),
      .out_valid_o (control_out_valid_o),
      .out_ready_i (control_out_ready_i),
      .out_o       (control_out_o),
      .gap_o       (gaps[0]),
      .duplicate_o (duplicates[0]),
      .idle_o      (rx_idle[0])
  );

  polyloom_reliable_link_rx_channel #(
      .Items  (RxItems),
      .SeqBits(DATA_SEQ_BITS)
  ) i_data_rx (
      .clk_i,
      .rst_ni,
      .head_i      (data_head),
      .seq_i       (word[15:0]),
      .item_valid_i(data_item),
      .item_i      (word),
      .commit_i    (good),
      .any_i       (rx_word0.data_count != '0),
      .ack_o       (data_ack),
      .limit_o     (data_limit),
      .nack_o      (nack[1]),
      .start_i     (start),
      .complain_o  (complain[1]),
      .report_o    (report[1]),
      .out_valid_o (data_out_valid_o),
      .out_ready_i (data_out_ready_i),
      .out_o       (data_out_o),
      .gap_o       (gaps[1]),
      .duplicate_o (duplicates[1]),
      .idle_o      (rx_idle[1])
  );

  polyloom_reliable_link_parser i_parser (
      .clk_i,
      .rst_ni,
      .rx_valid_i,
      .rx_data_i,
      .rx_keep_i,
      .rx_last_i,
      .data_head_o   (data_head),
      .control_head_o(control_head),
      .data_item_o   (data_item),
      .control_item_o(control_item),
      .word_o        (word),
      .good_o        (good),
      .bad_o         (bad),
      .word0_o       (rx_word0),
      .word1_o       (rx_word1),
      .idle_o        (parser_idle)
  );

  // When an acknowledgement is due.
  logic response_q, response_now, response_later;
  logic [7:0] response_left_q;
  assign response_now   = (good && (rx_word0.poll || |complain)) || |report;
  assign response_later = good && (rx_word0.control_count != '0 || rx_word0.data_count != '0);
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      response_q <= 1'b0;
      response_left_q <= '0;
    end else begin
      response_q <= response_now || response_later || (response_q && !start);
      if (response_now) response_left_q <= '0;
      else if (!response_q || start) response_left_q <= 8'(AckDelay);
      else if (response_left_q != '0) response_left_q <= response_left_q - 1'b1;
    end
  end

  logic   due;
  word0_t tx_word0;
  assign due = |may_send || |poll || (response_q && response_left_q == '0);
  always_comb begin
    tx_word0 = '0;
    tx_word0.poll = |poll;
    tx_word0.data_nack = nack[1];
    tx_word0.control_nack = nack[0];
    tx_word0.control_count = 5'(control_count);
    tx_word0.data_count = 8'(data_accept);
    tx_word0.data_limit = data_limit;
    tx_word0.data_ack = data_ack;
    tx_word0.data_seq = data_seq;
  end

  polyloom_reliable_link_framer i_framer (
      .clk_i,
      .rst_ni,
      .word_time_i,
      .due_i         (due),
      .word0_i       (tx_word0),
      .word1_i       ({control_limit, control_ack, control_seq}),
      .start_o       (start),
      .free_next_o   (free_next),
      .free_o        (free),
      .control_read_o(control_read),
      .control_item_i(control_word),
      .data_read_o   (data_read),
      .data_item_i   (data_word),
      .tx_valid_o,
      .tx_ready_i,
      .tx_data_o,
      .tx_keep_o,
      .tx_last_o,
      .idle_o        (framer_idle)
  );

  always_comb begin
    events_o = '0;
    events_o.frame_sent = start;
    events_o.pure_ack = start && control_count == '0 && data_accept == '0;
    events_o.frame_again = start && ((again[0] && control_count != '0) || (again[1] && data_accept != '0));
    events_o.timeout = timeouts;
    events_o.go_back = go_backs;
    events_o.frame_received = good;
    events_o.bad_frame = bad;
    events_o.duplicate = duplicates;
    events_o.gap = gaps;
  end
  assign idle_o = &tx_idle && &rx_idle && framer_idle && parser_idle && !response_q;

endmodule
