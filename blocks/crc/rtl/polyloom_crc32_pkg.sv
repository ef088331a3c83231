// SPDX-License-Identifier: Apache-2.0
// polyloom_crc32_pkg: CRC-32 of IEEE 802.3 over 64-bit words, each taken as eight bytes, least significant first.
// How:          the state is the register of the bit-serial CRC, bits sent low first; a CRC's value is the complement of
//               the state after the last word, which starts as all ones. Everything here is linear over GF(2), so
//               hardware for many words is made of the columns that `word` gives for one-bit inputs.
// Source: IEEE 802.3 clause 3.2.9, blocks/crc/sim/crc32.h.   Tests: test_polyloom_crc32.py.
package polyloom_crc32_pkg;

  typedef logic [31:0] state_t;
  localparam state_t INITIAL = '1;
  localparam state_t POLYNOMIAL = 32'hedb88320;  // reflected

  // The state one word later.
  function automatic state_t word(input state_t state, input logic [63:0] data);
    state_t s = state;
    for (int unsigned i = 0; i < 64; i++) s = (s >> 1) ^ (s[0] ^ data[i] ? POLYNOMIAL : '0);
    return s;
  endfunction

  // The state `words` zero words later.
  function automatic state_t zeros(input state_t state, input int unsigned words);
    state_t s = state;
    for (int unsigned i = 0; i < words; i++) s = word(s, '0);
    return s;
  endfunction

  // Column b: what bit b of a state is after `words` zero words; and of a data word that `words` others follow.
  typedef logic [31:0][31:0] state_matrix_t;
  typedef logic [63:0][31:0] data_matrix_t;
  function automatic state_matrix_t state_columns(input int unsigned words);
    for (int unsigned b = 0; b < 32; b++) state_columns[b] = zeros(32'd1 << b, words);
  endfunction
  function automatic data_matrix_t data_columns(input int unsigned words);
    for (int unsigned b = 0; b < 64; b++) data_columns[b] = zeros(word('0, 64'd1 << b), words);
  endfunction

  // Matrix times vector: each bit of the result is one XOR of constant inputs.
  function automatic state_t state_times(input state_matrix_t columns, input state_t state);
    state_times = '0;
    for (int unsigned b = 0; b < 32; b++) state_times ^= columns[b] & {32{state[b]}};
  endfunction
  function automatic state_t data_times(input data_matrix_t columns, input logic [63:0] data);
    data_times = '0;
    for (int unsigned b = 0; b < 64; b++) data_times ^= columns[b] & {32{data[b]}};
  endfunction

endpackage
