// SPDX-License-Identifier: Apache-2.0
// polyloom_ethernet_fcs_rx: checks the frame check sequence of what a lane receives and takes it off.
// How:          all words of the frame, check sequence included, go through the CRC; the bytes after the frame's end are
//               zero. The register of a good frame is then a constant, one for each number of zero bytes, so no byte-wise
//               CRC is needed. A word is held until the next one shows whether the frame's end lies in it.
//                   lane -> [ held ] -> cut -> [ delay 1 ] -> [ delay 2 ] -> out, with the verdict at the last word
// Latency:      3 cycles from a word to itself at the output, or 2 from the word after it if that comes later.
// Throughput:   a word a cycle; frames may follow each other directly.
// Backpressure: none: wires never wait.
// Order/loss:   in order. A frame of up to 4 bytes comes out as nothing.
// Reset:        the valid bits; the first beat is then the first of a frame.
// Limits:       keep is a run of ones from bit 0; all ones but in the last word of a frame.
// Cost:         with CRC 590 LUT, 300 FF (estimate until `polyloom synth` has it).
// Source:       IEEE 802.3 clause 3.2.9; the residue of a CRC is textbook.   Tests: test_polyloom_ethernet_fcs_rx.py
module polyloom_ethernet_fcs_rx
  import polyloom_crc32_pkg::*;
(
    input  logic        clk_i,
    input  logic        rst_ni,
    // From the lane
    input  logic        rx_valid_i,
    input  logic [63:0] rx_data_i,
    input  logic [ 7:0] rx_keep_i,
    input  logic        rx_last_i,
    // Frames without check sequence
    output logic        out_valid_o,
    output logic [63:0] out_data_o,
    output logic [ 7:0] out_keep_o,
    output logic        out_last_o,
    output logic        out_bad_o,    // with the last word: the frame is damaged
    output logic        idle_o        // no word is held
);

  localparam state_t RESIDUE = 32'hdebb20e3;  // the register after a frame and its own check sequence

  // The state after a good frame of which the last word has `bytes` bytes and zeros after them.
  function automatic state_t good(input int unsigned bytes);
    state_t s = RESIDUE;
    for (int unsigned i = 0; i < 8 * (8 - bytes); i++) s = (s >> 1) ^ (s[0] ? POLYNOMIAL : '0);
    return s;
  endfunction

  logic [63:0] masked;
  logic [ 3:0] bytes;
  always_comb begin
    bytes = '0;
    for (int unsigned b = 0; b < 8; b++) begin
      masked[8*b+:8] = rx_keep_i[b] ? rx_data_i[8*b+:8] : '0;
      if (rx_keep_i[b]) bytes = 4'(b + 1);
    end
  end

  logic first_q, crc_valid;
  logic [31:0] crc;
  polyloom_crc32 #(
      .Words(1)
  ) i_crc (
      .clk_i,
      .rst_ni,
      .valid_i    (rx_valid_i),
      .first_i    (first_q),
      .count_i    (1'b1),
      .data_i     (masked),
      .crc_valid_o(crc_valid),
      .crc_o      (crc)
  );

  // The verdict of a frame is there two cycles after its last word.
  logic [1:0] last_q;
  logic [1:0][3:0] bytes_q;
  logic bad_now, bad_q;
  state_t wanted;
  always_comb begin
    wanted = good(8);
    for (int unsigned n = 1; n < 8; n++) if (bytes_q[1] == 4'(n)) wanted = good(n);
  end
  assign bad_now = ~crc != wanted;

  // Held word, and what leaves it: `late` is a last word that keeps more bytes than the check sequence has.
  typedef struct packed {
    logic [63:0] data;
    logic [7:0]  keep;
    logic        last, late;
  } word_t;
  logic held_q, cut, valid0;
  word_t held_word_q, word0, word1_q, word2_q;
  logic valid1_q, valid2_q;
  assign cut = rx_valid_i && rx_last_i && bytes <= 4'd4;  // the frame ended in the word before, or at its end
  assign valid0 = held_q && (rx_valid_i || held_word_q.last);
  always_comb begin
    word0 = held_word_q;
    if (!held_word_q.last && cut) begin
      word0.last = 1'b1;
      word0.keep = 8'hff >> (4'd4 - bytes);
    end
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      first_q  <= 1'b1;
      held_q   <= 1'b0;
      valid1_q <= 1'b0;
      valid2_q <= 1'b0;
      last_q   <= '0;
    end else begin
      if (rx_valid_i) first_q <= rx_last_i;
      if (rx_valid_i) held_q <= !cut;
      else if (held_word_q.last) held_q <= 1'b0;
      valid1_q <= valid0;
      valid2_q <= valid1_q;
      last_q   <= {last_q[0], rx_valid_i && rx_last_i};
    end
  end

  always_ff @(posedge clk_i) begin
    bytes_q <= {bytes_q[0], bytes};
    if (last_q[1]) bad_q <= bad_now;
    if (rx_valid_i) begin
      held_word_q.data <= rx_data_i;
      held_word_q.last <= rx_last_i;
      held_word_q.late <= rx_last_i;
      held_word_q.keep <= rx_last_i ? 8'hff >> (4'd12 - bytes) : 8'hff;
    end else if (valid0) held_word_q.last <= 1'b0;
    word1_q <= word0;
    word2_q <= word1_q;
  end

  assign out_valid_o = valid2_q;
  assign out_data_o = word2_q.data;
  assign out_keep_o = word2_q.keep;
  assign out_last_o = word2_q.last;
  assign out_bad_o = word2_q.late ? bad_q : bad_now;

  assign idle_o = !held_q && !valid1_q && !valid2_q;

  logic unused;
  assign unused = crc_valid;
endmodule
