// SPDX-License-Identifier: Apache-2.0
// polyloom_ethernet_fcs_tx: sends frames to a lane with their check sequence and the silence between frames.
// How:          words pass to the lane and into the CRC; the CRC's two cycles are hidden by holding each word for two
//               beats. After the last word follow the four bytes of the check sequence, then GapWords cycles of silence,
//               which stand for preamble and gap (blocks/switch).
//                   in -> [ stage 1 ] -> [ stage 2 ] -> lane, then the check sequence
// Latency:      2 cycles from a word to the lane.
// Throughput:   a frame of n words takes n + 1 + GapWords cycles.
// Backpressure: in_ready_o depends on the lane's ready in the same cycle. If `in` pauses inside a frame so does the lane: who
//               needs frames without holes puts a store before it.
// Order/loss:   in order, nothing lost.
// Reset:        the valid bits.
// Limits:       whole words only (a frame may be padded, its inner length counts).
// Cost:         with CRC 480 LUT, 240 FF (estimate until `polyloom synth` has it).
// Source:       IEEE 802.3 clauses 3.2.9, 4.4.2.   Tests: test_polyloom_ethernet_fcs_tx.py
module polyloom_ethernet_fcs_tx #(
    parameter int unsigned GapWords = 2  // cycles of silence after a frame
) (
    input  logic        clk_i,
    input  logic        rst_ni,
    // Frames of whole words
    input  logic        in_valid_i,
    output logic        in_ready_o,
    input  logic [63:0] in_data_i,
    input  logic        in_last_i,
    // To the lane
    output logic        tx_valid_o,
    input  logic        tx_ready_i,
    output logic [63:0] tx_data_o,
    output logic [ 7:0] tx_keep_o,
    output logic        tx_last_o,
    output logic        idle_o       // no frame, and its silence is over
);

  typedef enum logic [1:0] {
    WORDS,
    CHECK,
    GAP
  } state_e;
  state_e state_q;
  logic [$clog2(GapWords+1)-1:0] gap_q;
  logic first_q, crc_valid;
  logic [31:0] crc;
  logic [1:0] valid_q, last_q;
  logic [63:0] data1_q, data2_q;
  logic accept, move, closed_q;

  // Both stages move when the word at the lane passes or there is none.
  assign move = state_q == WORDS && (!valid_q[1] || tx_ready_i);
  assign in_ready_o = move && !closed_q;
  assign accept = in_valid_i && in_ready_o;

  polyloom_crc32 #(
      .Words(1)
  ) i_crc (
      .clk_i,
      .rst_ni,
      .valid_i    (accept),
      .first_i    (first_q),
      .count_i    (1'b1),
      .data_i     (in_data_i),
      .crc_valid_o(crc_valid),
      .crc_o      (crc)
  );

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      state_q <= WORDS;
      gap_q <= '0;
      first_q <= 1'b1;
      valid_q <= '0;
      closed_q <= 1'b0;
    end else begin
      if (accept) first_q <= in_last_i;
      if (accept && in_last_i) closed_q <= 1'b1;
      if (move) valid_q <= {valid_q[0], accept};
      unique case (state_q)
        WORDS: if (valid_q[1] && last_q[1] && tx_ready_i) state_q <= CHECK;
        CHECK:
        if (tx_ready_i) begin
          state_q <= GAP;
          gap_q   <= ($bits(gap_q))'(GapWords);
        end
        default: begin
          gap_q <= gap_q - 1'b1;
          if (gap_q <= 1) begin
            state_q  <= WORDS;
            closed_q <= 1'b0;
          end
        end
      endcase
    end
  end

  always_ff @(posedge clk_i) begin
    if (move) begin
      data1_q <= in_data_i;
      data2_q <= data1_q;
      last_q  <= {last_q[0], in_last_i};
    end
  end

  assign tx_valid_o = state_q == CHECK || (state_q == WORDS && valid_q[1]);
  assign tx_last_o = state_q == CHECK;
  assign tx_keep_o = state_q == CHECK ? 8'h0f : 8'hff;
  assign tx_data_o = state_q == CHECK ? 64'(crc) : data2_q;

  assign idle_o = state_q == WORDS && valid_q == '0 && first_q && !closed_q;

  logic unused;
  assign unused = crc_valid;
endmodule
