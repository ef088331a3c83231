// SPDX-License-Identifier: Apache-2.0
// polyloom_crc32: running CRC-32 of a frame of 64-bit words, up to Words of them a cycle.
// How:          words -> moved to the end of the beat -> B (constant XORs) -> register --+
//               state -> A^n for the beat's number of words n -----------------------------+-> XOR -> state
//               Moving makes a short beat look like a full one that begins with zero words, which add nothing. The
//               data's part is registered first, so the loop holds only 32 bits times one of Words constant matrices.
// Latency:      crc_o holds the CRC of all words up to a beat 2 cycles after the edge that took it (crc_valid_o then).
// Throughput:   one beat a cycle; frames may follow each other directly.
// Backpressure: none, takes a beat in every cycle.
// Order/loss:   in order, nothing lost.
// Reset:        the valid bits. crc_o means nothing before the first beat of a frame.
// Limits:       Words 1..8; count_i 1..Words with valid_i; the first beat after reset has first_i.
// Cost:         LUT / FF: Words 1: 454 / 68; 4: 1,955 / 70; 8: 4,705 / 71 (Yosys 0.70 synth_xilinx -family xcup, 2026-11).
// Source:       IEEE 802.3 clause 3.2.9; matrix form is textbook.
// Tests:        test_polyloom_crc32.py (zlib, and crc32_rtl_test.cc against blocks/crc/sim).
module polyloom_crc32
  import polyloom_crc32_pkg::*;
#(
    parameter  int unsigned Words,
    localparam int unsigned CountBits = $clog2(Words + 1)
) (
    input logic clk_i,
    input logic rst_ni,

    input logic                       valid_i,
    input logic                       first_i,  // of a frame
    input logic [CountBits-1:0]       count_i,  // words that count, from word 0
    input logic [    Words-1:0][63:0] data_i,

    output logic        crc_valid_o,
    output logic [31:0] crc_o
);

  if (Words < 1 || Words > 8) begin : gen_check
    $error("%m: Words is %0d, must be 1 to 8", Words);
  end

  // Stage 1: the data's part.
  state_t data_part, data_q;
  logic [CountBits-1:0] count_q;
  logic valid_q, first_q;
  logic [Words-1:0][63:0] moved;
  state_t part[Words];
  for (genvar w = 0; w < Words; w++) begin : gen_word
    localparam data_matrix_t COLUMNS = data_columns(Words - 1 - w);
    // Word w of a full beat: word w + n - Words of n.
    always_comb begin
      moved[w] = '0;
      for (int unsigned n = 1; n <= Words; n++) begin
        if (w + n >= Words && count_i == CountBits'(n)) moved[w] = data_i[w+n-Words];
      end
    end
    // Without data it is nothing, so that a simulator can pass it by.
    always_comb begin
      part[w] = '0;
      if (valid_i) part[w] = data_times(COLUMNS, moved[w]);
    end
  end
  always_comb begin
    data_part = '0;
    for (int unsigned w = 0; w < Words; w++) data_part ^= part[w];
  end

  // Stage 2: the state's part.
  state_t state_q, previous;
  state_t later[Words];
  state_t chosen;
  logic crc_valid_q;
  assign previous = first_q ? INITIAL : state_q;
  for (genvar n = 1; n <= Words; n++) begin : gen_later
    localparam state_matrix_t COLUMNS = state_columns(n);
    assign later[n-1] = state_times(COLUMNS, previous);
  end
  always_comb begin
    chosen = '0;
    for (int unsigned n = 1; n <= Words; n++) begin
      if (count_q == CountBits'(n)) chosen = later[n-1];
    end
  end
  assign crc_valid_o = crc_valid_q;
  assign crc_o = ~state_q;

  logic legal;
  if (Words + 1 == 1 << CountBits) begin : gen_all_legal
    assign legal = 1'b1;
  end else begin : gen_some_legal
    assign legal = count_i <= CountBits'(Words);
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      valid_q <= 1'b0;
      crc_valid_q <= 1'b0;
    end else begin
      valid_q <= valid_i;
      crc_valid_q <= valid_q;
      assert (!valid_i || (count_i != 0 && legal));
    end
  end

  always_ff @(posedge clk_i) begin
    if (valid_i) begin
      data_q  <= data_part;
      count_q <= count_i;
      first_q <= first_i;
    end
    if (valid_q) state_q <= chosen ^ data_q;
  end

endmodule
