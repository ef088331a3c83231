// SPDX-License-Identifier: Apache-2.0
// polyloom_mpe_builder: makes a datagram of a packet: header words, then payload from memory or from the replay store.
// How:          the payload is asked for while the header is sent. An eager payload from memory is written to the replay store
//               on its way, in blocks of REPLAY_BYTES / REPLAY_BLOCKS bytes, so it can be sent again.
//                   packet --> words 5 to 8 --+--> datagram
//                   memory, replay store -----'
// Latency:      1 cycle to the first word.
// Throughput:   a word a cycle; packet_ready_o comes with the header's last word, so the next one can be got ready.
// Backpressure: the datagram may wait (combinational to the reader).
// Order/loss:   in order.   Reset: no packet.
// Limits:       recorded payloads fit the blocks from `block` on (the engine sees to it).
// Cost:         1 BRAM36; not measured alone.   Source: PROTOCOL.md "Packet".   Tests: test_polyloom_mpe.py, test_mpe_faults.py, interop_test.cc
module polyloom_mpe_builder
  import polyloom_mpe_pkg::*;
  import polyloom_udp_pkg::endpoint_t;
(
    input  logic             clk_i,
    input  logic             rst_ni,
    input  cfg_t             cfg_i,
    // Packets: stand until taken
    input  logic             packet_valid_i,
    output logic             packet_ready_o,
    input  packet_t          packet_i,
    input  endpoint_t        to_i,
    input  seq_t             ack_i,
    input  seq_t             credit_i,
    // The payload has been copied
    output logic             copied_o,
    output req_t             copied_idx_o,
    output logic             copied_bad_o,
    // From the reader of memory
    output logic             read_valid_o,
    input  logic             read_ready_i,
    output logic      [31:0] read_address_o,
    output logic      [10:0] read_bytes_o,
    input  logic             words_valid_i,
    output logic             words_ready_o,
    input  logic      [63:0] words_i,
    input  logic             words_last_i,
    input  logic             words_bad_i,
    // Datagrams, from word 5 of the frame on
    output logic             out_valid_o,
    input  logic             out_ready_i,
    output logic      [63:0] out_data_o,
    output logic             out_last_o,
    output endpoint_t        out_to_o,
    output logic      [15:0] out_bytes_o,
    output logic             idle_o
);

  localparam int unsigned BLOCK_WORDS = REPLAY_BYTES / REPLAY_BLOCKS / 8;
  localparam int unsigned WORDS = REPLAY_BYTES / 8;
  typedef logic [$clog2(WORDS)-1:0] replay_t;

  typedef enum logic [1:0] {
    IDLE,
    HEADER,
    PAYLOAD
  } state_e;
  state_e state_q;
  logic [1:0] word_q;
  payload_e payload_q;
  logic asked_q;  // the reader has the job
  logic finish_q;
  req_t idx_q;
  replay_t replay_q;
  logic [10:0] left_q;  // bytes of the replayed payload not yet sent
  logic replay_valid_q, replay_re;
  logic [63:0] replay_word;

  logic step, no_payload, from_memory, header_end;
  assign from_memory = packet_i.payload == P_MEMORY || packet_i.payload == P_RECORD;
  assign no_payload = packet_i.bytes == '0;
  assign step = out_valid_o && out_ready_i;
  assign header_end = state_q == HEADER && step && word_q == 2'd3;
  assign packet_ready_o = header_end;

  assign read_valid_o = state_q == HEADER && from_memory && !no_payload && !asked_q;
  assign read_address_o = packet_i.address;
  assign read_bytes_o = packet_i.bytes;

  logic replaying, payload_valid, payload_last;
  assign replaying = payload_q == P_REPLAY;
  assign payload_valid = replaying ? replay_valid_q : words_valid_i;
  assign payload_last = replaying ? left_q <= 11'd8 : words_last_i;
  assign words_ready_o = state_q == PAYLOAD && !replaying && out_ready_i;

  header_t h;
  assign h = '{
          offset: packet_i.offset,
          length: packet_i.length,
          credit: credit_i,
          comm: packet_i.comm,
          tag: packet_i.tag,
          ack: ack_i,
          seq: packet_i.seq,
          dst: 16'(packet_i.dst),
          src: 16'(cfg_i.rank),
          dtype: packet_i.dtype,
          kind: packet_i.kind,
          job: cfg_i.job
      };
  always_comb begin
    unique case (word_q)
      2'd0: out_data_o = {h.dtype, h.kind, h.job, 16'd0};
      2'd1: out_data_o = {h.ack, h.seq, h.dst, h.src};
      2'd2: out_data_o = {h.credit, h.comm, h.tag};
      default: out_data_o = {h.offset, h.length};
    endcase
    if (state_q == PAYLOAD) out_data_o = replaying ? replay_word : words_i;
  end
  // The header's last word waits until the reader can have its job.
  assign out_valid_o = (state_q == HEADER && !(word_q == 2'd3 && read_valid_o && !read_ready_i)) ||
      (state_q == PAYLOAD && payload_valid);
  assign out_last_o = state_q == HEADER ? word_q == 2'd3 && no_payload : payload_last;
  assign out_to_o = to_i;
  assign out_bytes_o = 16'd30 + 16'(packet_i.bytes);
  assign idle_o = state_q == IDLE && !packet_valid_i;

  logic payload_end;
  assign payload_end = state_q == PAYLOAD && step && payload_last;
  assign copied_o = (payload_end && finish_q) || (header_end && no_payload && packet_i.finish);
  assign copied_idx_o = state_q == HEADER ? packet_i.idx : idx_q;
  assign copied_bad_o = state_q == PAYLOAD && !replaying && words_bad_i;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      state_q <= IDLE;
      word_q <= '0;
      asked_q <= 1'b0;
      replay_valid_q <= 1'b0;
    end else begin
      unique case (state_q)
        IDLE: if (packet_valid_i) state_q <= HEADER;
        HEADER: begin
          if (read_valid_o && read_ready_i) asked_q <= 1'b1;
          if (step) word_q <= word_q + 1'b1;
          if (header_end) begin
            state_q <= no_payload ? IDLE : PAYLOAD;
            asked_q <= 1'b0;
          end
        end
        default: if (payload_end) state_q <= packet_valid_i ? HEADER : IDLE;
      endcase
      if (replay_re) replay_valid_q <= 1'b1;
      else if (state_q == PAYLOAD && step) replay_valid_q <= 1'b0;
    end
  end

  assign replay_re = state_q == PAYLOAD && replaying && (!replay_valid_q || (step && left_q > 11'd8));
  always_ff @(posedge clk_i) begin
    if (header_end) begin
      payload_q <= packet_i.payload;
      finish_q <= packet_i.finish;
      idx_q <= packet_i.idx;
      left_q <= packet_i.bytes;
      replay_q <= replay_t'(packet_i.block) * replay_t'(BLOCK_WORDS);
    end else begin
      if (replaying ? replay_re : state_q == PAYLOAD && step) replay_q <= replay_q + 1'b1;
      if (state_q == PAYLOAD && step) left_q <= left_q - 11'd8;
    end
  end

  polyloom_ram_1r1w #(
      .Width(64),
      .Depth(WORDS)
  ) i_replay (
      .clk_i,
      .we_i   (state_q == PAYLOAD && step && payload_q == P_RECORD),
      .be_i   (1'b1),
      .waddr_i(replay_q),
      .wdata_i(words_i),
      .re_i   (replay_re),
      .raddr_i(replay_q),
      .rdata_o(replay_word)
  );
endmodule
