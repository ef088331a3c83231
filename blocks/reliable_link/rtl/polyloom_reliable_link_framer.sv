// SPDX-License-Identifier: Apache-2.0
// polyloom_reliable_link_framer: puts frames on the wire: header, items, zeros up to the minimum, check, silence.
// How:          when the wire is free and a frame is due, its header leaves in the same cycle and the rest follows, a word
//               whenever the wire takes one. A word enters the CRC when the next one leaves, so the header's late
//               bits have a cycle to themselves, and the check is the CRC's next state, not yet stored.
//                   word 0 -> SECOND -> CONTROL... -> DATA... -> FILL... -> CHECK
//               How long the wire is busy is added up from word_time_i, so that the silence after a frame lasts two
//               words of wire whatever the clock, and the next frame starts with the first edge after it.
// Latency:      none: a frame that is due when the wire is free starts in that cycle.
// Throughput:   a word a cycle; a frame of n items takes max(8, n + 3) + 2 words of wire.
// Backpressure: tx_valid_o does not wait for tx_ready_i and has no holes inside a frame.
// Order/loss:   in order, nothing lost.
// Reset:        no frame; the wire is free.
// Limits:       word_time_i stands; it counts wire time from when words are taken, be there a FIFO in between or not.
// Cost:         in polyloom_reliable_link.
// Source:       own design, IEEE 802.3 clauses 3.2 and 4.4.2.   Tests: test_polyloom_reliable_link_framer.py
module polyloom_reliable_link_framer
  import polyloom_reliable_link_pkg::*;
  import polyloom_crc32_pkg::*;
(
    input  logic          clk_i,
    input  logic          rst_ni,
    input  logic   [15:0] word_time_i,     // clock cycles that a word takes on the wire, 4.12 bits
    // A frame
    input  logic          due_i,           // one should leave; stands until start_o
    input  word0_t        word0_i,
    input  logic   [23:0] word1_i,         // low bits of word 1
    output logic          start_o,         // it starts in this cycle, as it is described now
    output logic          free_next_o,     // none starts now, and in the next cycle one may
    output logic          free_o,          // likewise, and one might have started now
    // Items: asked for here, there in the next cycle
    output logic          control_read_o,
    input  logic   [63:0] control_item_i,
    output logic          data_read_o,
    input  logic   [63:0] data_item_i,
    // To the wire
    output logic          tx_valid_o,
    input  logic          tx_ready_i,
    output logic   [63:0] tx_data_o,
    output logic   [ 7:0] tx_keep_o,
    output logic          tx_last_o,
    output logic          idle_o           // nothing, and the silence is over
);

  typedef enum logic [2:0] {
    IDLE,
    FIRST,    // word 0 waits
    SECOND,
    CONTROL,
    DATA,
    FILL,
    CHECK
  } state_e;
  state_e state_q, follows;
  logic [ 4:0] control_q;  // items that were not asked for
  logic [ 7:0] data_q;
  logic [ 2:0] fill_q;
  logic [23:0] word1_q;

  // Wire time that has been used up ahead of the clock.
  localparam int unsigned DebtBits = 24;
  typedef logic [DebtBits-1:0] debt_t;
  localparam debt_t ONE = debt_t'(1) << RATE_FRACTION;
  debt_t debt_q, used, sum;
  logic free, leaves;
  assign free   = debt_q == '0;
  assign leaves = tx_valid_o && tx_ready_i;
  always_comb begin
    used = '0;
    if (leaves) used = debt_t'(word_time_i);
    if (leaves && state_q == CHECK) used += debt_t'({word_time_i, 1'b0});  // two words of silence
  end
  assign sum = debt_q + used;
  assign start_o = state_q == IDLE && free && due_i;
  assign free_next_o = state_q == IDLE && !start_o && debt_q <= ONE;
  assign free_o = state_q == IDLE && !start_o && free;
  assign idle_o = state_q == IDLE && free;

  always_comb begin
    follows = CHECK;
    if (control_q != '0) follows = CONTROL;
    else if (data_q != '0) follows = DATA;
    else if (fill_q != '0) follows = FILL;
  end
  logic onward;  // a word leaves and another of this frame follows it
  assign onward = leaves && state_q != IDLE && state_q != FIRST && state_q != CHECK;
  assign control_read_o = onward && follows == CONTROL;
  assign data_read_o = onward && follows == DATA;

  logic [8:0] items;
  assign items = 9'(word0_i.control_count) + 9'(word0_i.data_count);

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      state_q <= IDLE;
      debt_q  <= '0;
    end else begin
      debt_q <= sum > ONE ? sum - ONE : '0;
      if (start_o) state_q <= tx_ready_i ? SECOND : FIRST;
      else if (leaves) state_q <= state_q == FIRST ? SECOND : state_q == CHECK ? IDLE : follows;
    end
  end

  state_t crc_q, crc_next;
  logic [63:0] word_q;  // the last one that left (or waits to, in FIRST)
  localparam state_matrix_t STATE = state_columns(1);
  localparam data_matrix_t WORD = data_columns(0);
  assign crc_next = state_times(STATE, crc_q) ^ data_times(WORD, word_q);

  logic [63:0] body;
  always_comb begin
    unique case (state_q)
      IDLE: body = word0_i;
      FIRST: body = word_q;
      SECOND: body = {16'h0, ETHER_TYPE, MARK, word1_q};
      CONTROL: body = control_item_i;
      DATA: body = data_item_i;
      default: body = '0;
    endcase
  end

  always_ff @(posedge clk_i) begin
    if (start_o) begin
      control_q <= word0_i.control_count;
      data_q <= word0_i.data_count;
      fill_q <= items < 9'(MIN_ITEMS) ? 3'(9'(MIN_ITEMS) - items) : '0;
      word1_q <= word1_i;
      crc_q <= INITIAL;
    end
    if (start_o || onward) word_q <= body;
    if (onward) begin
      crc_q <= crc_next;
      if (follows == CONTROL) control_q <= control_q - 1'b1;
      if (follows == DATA) data_q <= data_q - 1'b1;
      if (follows == FILL) fill_q <= fill_q - 1'b1;
    end
  end

  assign tx_valid_o = state_q != IDLE || start_o;
  assign tx_data_o  = state_q == CHECK ? {32'h0, ~crc_next} : body;
  assign tx_keep_o  = state_q == CHECK ? 8'h0f : 8'hff;
  assign tx_last_o  = state_q == CHECK;

endmodule
