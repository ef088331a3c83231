// SPDX-License-Identifier: Apache-2.0
// polyloom_collective_crc: CRC-32 (IEEE 802.3) of a frame of beats, up to four words a cycle.
// How:          state(k words later) = A_k state xor B_k data, all over GF(2). The matrices are constants found by
//               running the serial CRC on unit vectors. B_k data is registered first, so the loop holds A_k only.
// Latency:      crc_o is right 2 cycles after the last beat.
// Throughput:   one beat a cycle; frames may follow each other directly.
// Backpressure: none.
// Order/loss:   none.
// Reset:        control only; first_i starts a frame.
// Limits:       words_i 1..4 when valid_i.
// Cost:         about 900 LUT and 100 FF.
// Source: IEEE 802.3; matrix form is textbook.   Tests: rtl_engine.cc (both ends agree, damage is found).
module polyloom_collective_crc (
    input  logic         clk_i,
    input  logic         rst_ni,
    input  logic         valid_i,
    input  logic         first_i,  // of a frame
    input  logic [  2:0] words_i,
    input  logic [255:0] data_i,
    output logic [ 31:0] crc_o
);
  typedef logic [31:0] word_t;

  function automatic word_t step_bits(word_t state, int unsigned bits);
    word_t s;
    s = state;
    for (int unsigned i = 0; i < bits; i++) s = (s >> 1) ^ (s[0] ? 32'hedb88320 : 32'd0);
    return s;
  endfunction

  // Column i of "64 bits later": what bit i of the state becomes. A data bit i of a word enters like state
  // bit i for the low half (i < 32); the high half enters 32 bits later.
  typedef logic [31:0][31:0] matrix_t;
  function automatic matrix_t columns(int unsigned bits);
    matrix_t m;
    for (int unsigned i = 0; i < 32; i++) m[i] = step_bits(32'd1 << i, bits);
    return m;
  endfunction
  localparam matrix_t [8:1] Later = '{
      columns(256),
      columns(224),
      columns(192),
      columns(160),
      columns(128),
      columns(96),
      columns(64),
      columns(32)
  };

  function automatic word_t times(matrix_t m, word_t v);
    word_t r;
    r = '0;
    for (int unsigned i = 0; i < 32; i++) if (v[i]) r ^= m[i];
    return r;
  endfunction

  // Stage 1: the data's part, for 1..4 words.
  word_t part_d, part_q;
  logic valid_q, first_q;
  logic [2:0] words_q;
  always_comb begin
    part_d = '0;
    for (int unsigned k = 1; k <= 4; k++) begin
      if (words_i == k[2:0]) begin
        for (int unsigned h = 0; h < 2 * k; h++) part_d ^= times(Later[2*k-h], data_i[32*h+:32]);
      end
    end
  end
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) valid_q <= 1'b0;
    else valid_q <= valid_i;
  end
  always_ff @(posedge clk_i) begin
    first_q <= first_i;
    words_q <= words_i;
    part_q  <= part_d;
  end

  // Stage 2: the state's part.
  word_t state_q, start, later;
  always_comb begin
    start = first_q ? '1 : state_q;
    unique case (words_q)
      3'd1: later = times(Later[2], start);
      3'd2: later = times(Later[4], start);
      3'd3: later = times(Later[6], start);
      default: later = times(Later[8], start);
    endcase
  end
  always_ff @(posedge clk_i) if (valid_q) state_q <= later ^ part_q;
  assign crc_o = ~state_q;
endmodule
