// SPDX-License-Identifier: Apache-2.0
// polyloom_ethernet_store: stores whole frames and hands on only those that ended well.
// How:          a ring of words in block RAM. A frame becomes visible to the reader when its last word is written; a bad
//               one, or one that finds the ring full, is taken back.
//                   in -> [ ring of words and last flags ] -> [ RAM's output ] -> out
// Latency:      from a frame's last word to its first word at the output 2 cycles, if nothing is before it.
// Throughput:   a word a cycle in and out.
// Backpressure: in_ready_o is low while the ring is full; a writer that cannot wait (Waits = 0) ignores it and the frame is
//               lost. No combinational path from an input to an output.
// Order/loss:   in order; losses only as said, told by dropped_o. With Waits = 1 a frame of more than Words words would
//               never end: it must not come.
// Reset:        emptied.
// Limits:       Words 4 to 512; at most 32 frames are held, one more finds no room.
// Cost:         512 words: 1 BRAM36.   Source: own design.   Tests: test_polyloom_ethernet_store.py
module polyloom_ethernet_store #(
    parameter int unsigned Words = 0,
    parameter bit Waits = 1'b0  // the writer waits for in_ready_o
) (
    input  logic        clk_i,
    input  logic        rst_ni,
    // Frames as they come
    input  logic        in_valid_i,
    output logic        in_ready_o,
    input  logic [63:0] in_data_i,
    input  logic [ 3:0] in_bytes_i,   // of this word that count: 1 to 8
    input  logic        in_last_i,
    input  logic        in_bad_i,     // with the last word: forget the frame
    // Whole frames
    output logic        out_valid_o,
    input  logic        out_ready_i,
    output logic [63:0] out_data_o,
    output logic [ 3:0] out_bytes_o,
    output logic        out_last_o,
    output logic [12:0] out_size_o,   // bytes of the whole frame, with each of its words
    // What happened
    output logic        dropped_o,    // a good frame found no room
    output logic        empty_o       // nothing is stored, not even a part
);

  if (Words < 4 || Words > 512) begin : gen_check
    $error("%m: Words is %0d, must be 4 to 512", Words);
  end

  localparam int unsigned AddrBits = $clog2(Words);
  typedef logic [AddrBits-1:0] addr_t;
  typedef logic [AddrBits:0] count_t;
  typedef struct packed {
    logic        last;
    logic [2:0]  bytes;  // - 1
    logic [63:0] data;
  } word_t;

  function automatic addr_t after(input addr_t a);
    return a == addr_t'(Words - 1) ? '0 : a + 1'b1;
  endfunction

  addr_t write_q, start_q, read_q;
  count_t used_q, part_q, ready_q;  // words held, of the frame being written, of whole frames not yet read
  logic lost_q;  // the rest of this frame is not written
  logic full, write, commit, forget, read, pop, valid_q;
  word_t in, out;

  logic size_ready, size_valid;
  logic [12:0] size;
  assign full = used_q == count_t'(Words) || !size_ready;
  assign in_ready_o = !full;
  assign write = in_valid_i && !full && !lost_q;
  assign forget = in_valid_i && in_last_i && !(Waits && full) && (in_bad_i || lost_q || full);
  assign commit = write && in_last_i && !in_bad_i;
  assign dropped_o = !Waits && forget && !in_bad_i;
  assign empty_o = used_q == '0;

  assign pop = out_valid_o && out_ready_i;
  assign read = ready_q != '0 && (!valid_q || pop);

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      write_q <= '0;
      start_q <= '0;
      read_q  <= '0;
      used_q  <= '0;
      part_q  <= '0;
      ready_q <= '0;
      lost_q  <= 1'b0;
      valid_q <= 1'b0;
    end else begin
      if (in_valid_i && in_last_i && !(Waits && full)) lost_q <= 1'b0;
      else if (!Waits && in_valid_i && full) lost_q <= 1'b1;
      if (forget) write_q <= start_q;
      else if (write) write_q <= after(write_q);
      if (commit) start_q <= after(write_q);
      if (commit || forget) part_q <= '0;
      else if (write) part_q <= part_q + 1'b1;
      used_q  <= used_q + count_t'(write && !forget) - count_t'(pop) - (forget ? part_q : '0);
      ready_q <= ready_q + (commit ? part_q + 1'b1 : '0) - count_t'(read);
      if (read) read_q <= after(read_q);
      if (read) valid_q <= 1'b1;
      else if (pop) valid_q <= 1'b0;
    end
  end

  assign size = 13'({part_q, 3'b0}) + 13'(in_bytes_i);
  polyloom_stream_lut_fifo #(
      .Width(13),
      .Depth(32)
  ) i_sizes (
      .clk_i,
      .rst_ni,
      .flush_i    (1'b0),
      .in_valid_i (commit),
      .in_ready_o (size_ready),
      .in_i       (size),
      .out_valid_o(size_valid),
      .out_ready_i(pop && out.last),
      .out_o      (out_size_o)
  );
  logic unused;
  assign unused = size_valid;

  assign in = '{last: in_last_i, bytes: 3'(in_bytes_i - 1'b1), data: in_data_i};
  polyloom_ram_1r1w #(
      .Width($bits(word_t)),
      .Depth(Words)
  ) i_ram (
      .clk_i,
      .we_i   (write),
      .be_i   (1'b1),
      .waddr_i(write_q),
      .wdata_i(in),
      .re_i   (read),
      .raddr_i(read_q),
      .rdata_o(out)
  );

  assign out_valid_o = valid_q;
  assign out_data_o  = out.data;
  assign out_bytes_o = {1'b0, out.bytes} + 4'd1;
  assign out_last_o  = out.last;
endmodule
