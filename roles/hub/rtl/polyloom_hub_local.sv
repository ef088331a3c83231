// SPDX-License-Identifier: Apache-2.0
// polyloom_hub_local: takes what arrives at L: memory writes, register writes, proxy descriptors, function input,
//               completions of the DMA's reads, reads of registers.
// How:          one TLP after the other; its header says which of them it is.
//                 beats --> [ header ] --+--> memory write      (waits for the memory alone)
//                                        +--> registers, proxy  (after all memory writes are acknowledged)
//                                        +--> function          (only if it has room for all of it)
//                                        +--> DMA               (has kept room)
//                                        '--> response to N       (N always drains)
//               So L always drains, whatever the rings do.
// Latency:      header taken at edge k, first payload beat at k + 1; a register word acts at the edge after it is taken.
// Throughput:   a beat a cycle; registers a word a cycle; one cycle more a TLP that is memory write across a beat.
// Backpressure: in_ready_o depends on registers and on the ready of the part that takes the beat.
// Order/loss:   in order; what cannot be taken is a fault and dropped.
// Reset:        waits for a header.
// Limits:       TLPs as polyloom_hub_input lets through.
// Cost:         see polyloom_hub_node.
// Source: own design.   Tests: test_polyloom_hub_local.py.
module polyloom_hub_local
  import polyloom_hub_pkg::*;
  import polyloom_hub_registers_pkg::*;
#(
    parameter cfg_t Cfg = SMALL
) (
    input  logic           clk_i,
    input  logic           rst_ni,
    input  logic   [  3:0] node_i,
    // From the switch
    input  logic           in_valid_i,
    output logic           in_ready_o,
    input  beat_t          in_i,
    input  logic   [  2:0] source_i,
    // To memory writes
    output logic           memory_start_o,
    input  logic           memory_ready_i,
    output logic   [ 31:0] memory_address_o,
    output logic   [  9:0] memory_bytes_o,
    output logic           memory_valid_o,
    input  logic           memory_data_ready_i,
    input  logic           memory_idle_i,        // all acknowledged
    // To the registers
    output logic           write_o,
    output logic   [ 15:0] waddr_o,
    output logic   [ 63:0] wdata_o,
    input  logic           write_ok_i,
    output logic   [ 15:0] raddr_o,
    input  logic   [ 63:0] rdata_i,
    input  logic           read_ok_i,
    // To the DMA
    output logic           proxy_valid_o,
    input  logic           proxy_ready_i,
    output logic   [511:0] proxy_o,
    output logic           reads_header_o,       // a completion's header stands
    output logic   [  7:0] reads_tag_o,
    input  logic           reads_expected_i,
    output logic           reads_valid_o,
    output logic           reads_final_o,        // the read ends with this completion
    output logic           reads_bad_o,
    // To the function
    output logic           stream_valid_o,
    input  logic           stream_ready_i,
    output beat_t          stream_o,
    input  logic   [  9:0] stream_free_i,        // beats; 0: no step active
    // Responses
    output logic           reply_valid_o,
    input  logic           reply_ready_i,
    output beat_t          reply_o,
    // Faults
    output logic           fault_valid_o,
    input  logic           fault_ready_i,
    output fault_t         fault_o,
    output beat_t          beat_o,               // the beat for memory write and DMA
    output logic           idle_o
);
  typedef enum logic [3:0] {
    HEAD,
    MEMORY,
    REGISTER,
    PROXY,
    STREAM,
    READS,
    FETCH0,
    FETCH1,
    FETCH2,
    REPLY0,
    REPLY1,
    FAULT,
    SKIP
  } state_e;
  state_e state_q, state_d, after_q, after_d, kind;

  header_t header, header_q;
  fault_t fault_q;
  cause_e cause;
  logic half_q, bad_q, accept, word_bad, last_word;
  logic [ 15:0] waddr_q;
  logic [  2:0] source_q;
  logic [383:0] proxy_q;
  logic [127:0] response_q;

  // What a header is. `cause`: not to be taken.
  logic own, is_memory, is_register, is_proxy, is_stream;
  logic [6:0] payload_beats;
  assign header = in_i.data;
  assign own = header.address[38:35] == node_i && header.address[34:33] == 2'd3;
  assign is_memory = header.address[32] && (header.address[31:0] >> Cfg.memory_bits) == '0;
  assign is_register = header.address[32:16] == '0 && header.address[2:0] == '0 && header.length[2:0] == '0;
  assign is_proxy = is_register && header.address[15:0] == REG_PROXY;
  assign is_stream = header.address[32:28] == 5'd1;
  assign payload_beats = 7'((header.length[9:0] + 10'd15) >> 4);
  always_comb begin
    kind  = SKIP;
    cause = CAUSE_NONE;
    if (header.kind == TYPE_COMPLETION) begin
      kind = READS;
      if (!reads_expected_i) cause = CAUSE_REFUSED;
      else if (header.poisoned) cause = CAUSE_POISONED;
    end else if (header.kind == TYPE_READ) begin
      kind = FETCH0;
      if (!own || !is_register || header.length[9:0] != 10'd8) cause = CAUSE_REFUSED;
    end else if (!own) cause = CAUSE_REFUSED;
    else if (is_memory) kind = MEMORY;
    else if (is_proxy) begin
      kind = PROXY;
      if (header.length[9:0] != 10'(DESCRIPTOR_BYTES)) cause = CAUSE_REFUSED;
      else if (!proxy_ready_i) cause = CAUSE_PROXY_FULL;
    end else if (is_register) kind = REGISTER;
    else if (is_stream) begin
      kind = STREAM;
      if (stream_free_i < 10'(payload_beats)) cause = CAUSE_FUNCTION_FULL;
    end else cause = CAUSE_REFUSED;
  end
  assign reads_header_o = state_q == HEAD && in_valid_i && header.kind == TYPE_COMPLETION;
  assign reads_tag_o = header.tag;

  assign last_word = half_q || !in_i.top[3];
  assign word_bad = state_q == REGISTER && in_valid_i && memory_idle_i && !write_ok_i;
  assign accept = in_valid_i && in_ready_o;

  always_comb begin
    state_d = state_q;
    after_d = after_q;
    in_ready_o = 1'b0;
    unique case (state_q)
      HEAD: begin
        in_ready_o = cause != CAUSE_NONE || kind != MEMORY || memory_ready_i;
        if (accept) begin
          state_d = kind;
          if (cause != CAUSE_NONE) begin
            state_d = FAULT;
            after_d = SKIP;
            if (cause == CAUSE_POISONED) after_d = READS;
            if (kind == FETCH0) after_d = REPLY0;
          end
        end
      end
      MEMORY: begin
        in_ready_o = memory_data_ready_i;
        if (accept && in_i.last) state_d = HEAD;
      end
      REGISTER: begin
        in_ready_o = memory_idle_i && (last_word || word_bad);
        if (word_bad) begin
          state_d = FAULT;
          after_d = in_i.last ? HEAD : SKIP;
        end else if (accept && in_i.last) state_d = HEAD;
      end
      PROXY: begin
        in_ready_o = memory_idle_i;
        if (accept && in_i.last) state_d = HEAD;
      end
      STREAM: begin
        in_ready_o = stream_ready_i;
        if (accept && in_i.last) state_d = HEAD;
      end
      READS: begin
        in_ready_o = 1'b1;
        if (accept && in_i.last) state_d = HEAD;
      end
      FETCH0:  state_d = FETCH1;
      FETCH1:  state_d = FETCH2;
      FETCH2: begin
        state_d = read_ok_i ? REPLY0 : FAULT;
        after_d = REPLY0;
      end
      REPLY0:  if (reply_ready_i) state_d = REPLY1;
      REPLY1:  if (reply_ready_i) state_d = HEAD;
      FAULT:   if (fault_ready_i) state_d = after_q;
      SKIP: begin
        in_ready_o = 1'b1;
        if (accept && in_i.last) state_d = HEAD;
      end
      default: state_d = HEAD;
    endcase
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      state_q <= HEAD;
      after_q <= HEAD;
    end else begin
      state_q <= state_d;
      after_q <= after_d;
    end
  end
  always_ff @(posedge clk_i) begin
    if (state_q == HEAD) begin
      header_q <= header;
      source_q <= source_i;
      waddr_q  <= header.address[15:0];
      half_q   <= 1'b0;
      bad_q    <= header.poisoned || cause != CAUSE_NONE;
      fault_q  <= '{cause: cause, port: source_i, address: header.address[47:0]};
      response_q <= '1;
    end
    if (state_q == REGISTER) begin
      if (in_valid_i && memory_idle_i) begin
        waddr_q <= waddr_q + 16'd8;
        half_q  <= !last_word;
      end
      fault_q <= '{cause: CAUSE_REFUSED, port: source_q, address: header_q.address[47:0]};
    end
    if (state_q == PROXY && accept) proxy_q <= {in_i.data, proxy_q[383:128]};
    if (state_q == FETCH2) begin
      response_q <= {64'd0, read_ok_i ? rdata_i : '1};
      bad_q    <= !read_ok_i;
      fault_q  <= '{cause: CAUSE_REFUSED, port: source_q, address: header_q.address[47:0]};
    end
  end

  assign beat_o = in_i;
  assign memory_start_o = state_q == HEAD && in_valid_i && cause == CAUSE_NONE && kind == MEMORY;
  assign memory_address_o = header.address[31:0];
  assign memory_bytes_o = header.length[9:0];
  assign memory_valid_o = state_q == MEMORY && in_valid_i;
  assign write_o = state_q == REGISTER && in_valid_i && memory_idle_i;
  assign waddr_o = waddr_q;
  assign wdata_o = half_q ? in_i.data[127:64] : in_i.data[63:0];
  assign raddr_o = header_q.address[15:0];
  assign proxy_valid_o = state_q == PROXY && accept && in_i.last;
  assign proxy_o = {in_i.data, proxy_q};
  assign reads_valid_o = state_q == READS && in_valid_i;
  assign reads_final_o = header_q.address[31:0] == header_q.length;
  assign reads_bad_o = header_q.poisoned;
  assign stream_valid_o = state_q == STREAM && in_valid_i;
  assign stream_o = '{last: in_i.last && header_q.address[27], top: in_i.top, data: in_i.data};

  header_t reply;
  assign reply = '{
          address: 64'd8,
          length: 32'd8,
          zero: '0,
          tag: header_q.tag,
          reserved: '0,
          poisoned: bad_q,
          kind: TYPE_COMPLETION
      };
  assign reply_valid_o = state_q == REPLY0 || state_q == REPLY1;
  assign reply_o = state_q == REPLY0 ?
      '{last: 1'b0, top: 4'd15, data: reply}
      : '{last: 1'b1, top: 4'd7, data: {64'd0, response_q[63:0]}};
  assign fault_valid_o = state_q == FAULT;
  assign fault_o = fault_q;
  assign idle_o = state_q == HEAD && !in_valid_i;

  logic unused;
  assign unused = ^{header.zero, header.reserved, header_q.zero, header_q.reserved, header_q.kind, response_q[127:64]};
endmodule
