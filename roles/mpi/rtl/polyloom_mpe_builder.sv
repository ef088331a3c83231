// SPDX-License-Identifier: Apache-2.0
// polyloom_mpe_builder: joins the headers that the program writes, word by word, with payload from memory or the store.
// How:          header words wait in a small FIFO; the last one says if payload follows. One payload moves, one job may wait. An
//               eager payload from memory is written to the store on its way, so that it can be sent again.
//                   words --> [ FIFO ] --+--> datagram
//                   memory, store -------'
// Latency:      1 cycle from a word to the datagram; payload is asked for as soon as its job comes and the one before is over.
// Throughput:   a word a cycle.
// Backpressure: ready_o: the FIFO is empty and no job waits, so a whole header fits. The datagram may wait (combinational to
//               the reader).
// Order/loss:   in order.   Reset: nothing to send.
// Limits:       a header of at most 16 words, unless the datagram is known not to wait. A job is written before the last word of
//               its header. The next job that reports must wait until reported_i.
// Cost:         not measured alone.   Source: PROTOCOL.md "Packet".   Tests: test_polyloom_mpe_builder.py, interop_test.cc
module polyloom_mpe_builder
  import polyloom_mpe_pkg::*;
(
    input  logic                       clk_i,
    input  logic                       rst_ni,
    output logic                       ready_o,
    output logic                       idle_o,
    // Header words
    input  logic                       word_valid_i,
    input  logic                       word_last_i,
    input  logic      [          63:0] word_i,
    // Jobs
    input  logic                       address_valid_i,
    input  logic      [          31:0] address_i,
    input  logic                       job_valid_i,
    input  read_job_t                  job_i,
    output logic                       copied_o,         // a job that tells is over, until reported_i
    output logic                       copied_bad_o,     // some of it lies outside the memory
    input  logic                       reported_i,
    // From the reader of memory
    output logic                       read_valid_o,
    input  logic                       read_ready_i,
    output logic      [          31:0] read_address_o,
    output logic      [          10:0] read_bytes_o,
    input  logic                       words_valid_i,
    output logic                       words_ready_o,
    input  logic      [          63:0] words_i,
    input  logic                       words_last_i,
    input  logic                       words_bad_i,
    // Store
    output logic                       store_en_o,
    output logic                       store_we_o,
    output logic      [STORE_BITS-1:0] store_addr_o,
    output logic      [          63:0] store_wdata_o,
    input  logic      [          63:0] store_rdata_i,
    // Datagrams, from word 5 of the frame on
    output logic                       out_valid_o,
    input  logic                       out_ready_i,
    output logic      [          63:0] out_data_o,
    output logic                       out_last_o
);

  // Header words: last of the header, payload follows.
  logic head_valid, head_ready, head_last, head_pays, promised_q, unused_ready;
  logic [63:0] head;
  polyloom_stream_lut_fifo #(
      .Width(66),
      .Depth(16)
  ) i_words (
      .clk_i,
      .rst_ni,
      .flush_i    (1'b0),
      .in_valid_i (word_valid_i),
      .in_ready_o (unused_ready),
      .in_i       ({word_last_i, promised_q, word_i}),
      .out_valid_o(head_valid),
      .out_ready_i(head_ready),
      .out_o      ({head_last, head_pays, head})
  );

  // Jobs: one waits, one runs.
  logic waits_q, runs_q, accept;
  read_job_t wait_q, run_q;
  logic [31:0] address_q;
  logic [STORE_BITS-1:0] word_q;
  logic [10:0] left_q;  // bytes of the replayed payload not yet sent
  assign accept = waits_q && !runs_q && !copied_o && (wait_q.replay || read_ready_i);
  assign read_valid_o = waits_q && !runs_q && !copied_o && !wait_q.replay;
  assign read_address_o = address_q;
  assign read_bytes_o = wait_q.bytes;

  // Payload
  logic paying_q, stored_q, payload_valid, payload_last, payload_end, step;
  assign step = out_valid_o && out_ready_i;
  assign payload_valid = runs_q && (run_q.replay ? stored_q : words_valid_i);
  assign payload_last = run_q.replay ? left_q <= 11'd8 : words_last_i;
  assign payload_end = paying_q && step && payload_last;
  assign words_ready_o = paying_q && runs_q && !run_q.replay && out_ready_i;
  assign head_ready = !paying_q && out_ready_i;
  assign out_valid_o = paying_q ? payload_valid : head_valid;
  assign out_data_o = !paying_q ? head : run_q.replay ? store_rdata_i : words_i;
  assign out_last_o = paying_q ? payload_last : head_last && !head_pays;

  assign store_we_o = !run_q.replay;
  assign store_en_o = paying_q && runs_q && (run_q.replay ? !stored_q || (step && left_q > 11'd8) : run_q.record && step);
  assign store_addr_o = word_q;
  assign store_wdata_o = words_i;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      promised_q <= 1'b0;
      waits_q <= 1'b0;
      runs_q <= 1'b0;
      paying_q <= 1'b0;
      stored_q <= 1'b0;
      copied_o <= 1'b0;
    end else begin
      if (job_valid_i) promised_q <= 1'b1;
      else if (word_valid_i && word_last_i) promised_q <= 1'b0;
      if (job_valid_i) waits_q <= 1'b1;
      else if (accept) waits_q <= 1'b0;
      if (accept) runs_q <= 1'b1;
      else if (payload_end) runs_q <= 1'b0;
      if (!paying_q) paying_q <= step && head_last && head_pays;
      else if (payload_end) paying_q <= 1'b0;
      if (store_en_o && run_q.replay) stored_q <= 1'b1;
      else if (step) stored_q <= 1'b0;
      if (payload_end && run_q.report) copied_o <= 1'b1;
      else if (reported_i) copied_o <= 1'b0;
      assert (!(word_valid_i && !unused_ready));
      assert (!(job_valid_i && waits_q));
    end
  end

  always_ff @(posedge clk_i) begin
    if (address_valid_i) address_q <= address_i;
    if (job_valid_i) wait_q <= job_i;
    if (accept) begin
      run_q  <= wait_q;
      word_q <= wait_q.word[STORE_BITS-1:0];
      left_q <= wait_q.bytes;
    end else begin
      if (store_en_o) word_q <= word_q + 1'b1;
      if (paying_q && step) left_q <= left_q - 11'd8;
    end
    if (payload_end && run_q.report) copied_bad_o <= !run_q.replay && words_bad_i;
  end

  assign ready_o = !head_valid && !waits_q;
  assign idle_o  = ready_o && !runs_q && !paying_q;
endmodule
