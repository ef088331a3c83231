// SPDX-License-Identifier: Apache-2.0
// polyloom_reliable_link_parser: takes the frames of the other end apart and says which are good.
// How:          header and items go to the channels as they come, one word a cycle, before it is known that they are good;
//               the channels use them at good_o only. The CRC runs beside them and covers all words but the last, which is
//               compared with it.
//                   rx -> [ stage 1 ] -> header fields, items -> channels
//                   rx -> [ CRC, 2 cycles ] ------------- == ---> good_o
// Latency:      good_o or bad_o 1 cycle after a frame's last word.
// Throughput:   a word a cycle; frames may follow each other directly.
// Backpressure: none: wires never wait.
// Order/loss:   a frame of wrong check, type or length is bad; nothing else happens to it.
// Reset:        the next word is the first of a frame.
// Limits:       none: anything may come.
// Cost:         in polyloom_reliable_link.
// Source:       own design.   Tests: test_polyloom_reliable_link_parser.py
module polyloom_reliable_link_parser
  import polyloom_reliable_link_pkg::*;
(
    input  logic          clk_i,
    input  logic          rst_ni,
    // From the wire
    input  logic          rx_valid_i,
    input  logic   [63:0] rx_data_i,
    input  logic   [ 7:0] rx_keep_i,
    input  logic          rx_last_i,
    // To the channels: the word of this cycle
    output logic          data_head_o,     // is word 0
    output logic          control_head_o,  // is word 1
    output logic          data_item_o,     // is such an item
    output logic          control_item_o,
    output logic   [63:0] word_o,
    // The frame ends in this cycle
    output logic          good_o,
    output logic          bad_o,
    // Its header, for the last 5 words of a frame
    output word0_t        word0_o,
    output word1_t        word1_o,
    output logic          idle_o           // no word is held
);

  logic valid_q, last_q, keep_q;
  logic [63:0] word_q;
  word0_t word0_q, word0;
  word1_t word1_q;

  typedef enum logic [1:0] {
    FIRST,
    SECOND,
    REST
  } place_e;
  place_e place_q;
  logic begin_q;  // the wire's next word begins a frame

  logic crc_valid;
  logic [31:0] crc;
  polyloom_crc32 #(
      .Words(1)
  ) i_crc (
      .clk_i,
      .rst_ni,
      .valid_i    (rx_valid_i),
      .first_i    (begin_q),
      .count_i    (1'b1),
      .data_i     (rx_data_i),
      .crc_valid_o(crc_valid),
      .crc_o      (crc)
  );

  // Words that must come before the check, and items.
  logic [8:0] left_q, items;
  logic [4:0] control_q;
  logic [7:0] data_q;
  logic over_q;
  assign word0 = word0_t'(word_q);
  assign items = 9'(word0.control_count) + 9'(word0.data_count);

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      valid_q <= 1'b0;
      begin_q <= 1'b1;
      place_q <= FIRST;
    end else begin
      valid_q <= rx_valid_i;
      if (rx_valid_i) begin_q <= rx_last_i;
      if (valid_q) place_q <= last_q ? FIRST : place_q == FIRST ? SECOND : REST;
    end
  end

  always_ff @(posedge clk_i) begin
    if (rx_valid_i) begin
      word_q <= rx_data_i;
      last_q <= rx_last_i;
      keep_q <= rx_keep_i == 8'h0f;
    end
    if (valid_q) begin
      unique case (place_q)
        FIRST: begin
          word0_q   <= word0;
          control_q <= word0.control_count;
          data_q    <= word0.data_count;
          left_q    <= (items < 9'(MIN_ITEMS) ? 9'(MIN_ITEMS) : items) + 9'd1;
          over_q    <= 1'b0;
        end
        default: begin
          if (place_q == SECOND) word1_q <= word1_t'(word_q);
          else if (control_q != '0) control_q <= control_q - 1'b1;
          else if (data_q != '0) data_q <= data_q - 1'b1;
          if (left_q != '0) left_q <= left_q - 1'b1;
          else over_q <= 1'b1;
        end
      endcase
    end
  end

  assign word_o = word_q;
  assign data_head_o = valid_q && place_q == FIRST;
  assign control_head_o = valid_q && place_q == SECOND;
  assign control_item_o = valid_q && place_q == REST && control_q != '0;
  assign data_item_o = valid_q && place_q == REST && control_q == '0 && data_q != '0;

  logic ended, right_type;
  assign right_type = word1_q.zero == '0 && word1_q.ether_type == ETHER_TYPE && word1_q.mark == MARK;
  assign ended = valid_q && last_q;
  assign good_o = ended && place_q == REST && left_q == '0 && !over_q && keep_q && right_type && crc == word_q[31:0];
  assign bad_o = ended && !good_o;
  assign word0_o = word0_q;
  assign word1_o = word1_q;
  assign idle_o = !valid_q;

  logic unused;
  assign unused = crc_valid;
endmodule
