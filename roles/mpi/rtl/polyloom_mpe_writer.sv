// SPDX-License-Identifier: Apache-2.0
// polyloom_mpe_writer: moves payload to the kernel's memory, at any byte address, or to the store.
// How:          words come from the packet at hand or from the store; for memory each is shifted to the address' byte, the rest
//               carried to the next word. What the buffer does not want is thrown away up to the packet's end.
//                   payload --+--> shift --> memory port
//                   store   --'         '--> store
// Latency:      2 cycles from a job to its first word (3 from the store).
// Throughput:   a word a cycle.
// Backpressure: ready_o while no job waits. Payload waits for the memory port's ready (combinational). Bytes of req_data_o
//               that are not written may change while it waits.
// Order/loss:   in order. idle_o when all is written.
// Reset:        no job.
// Limits:       a job from the packet ends with the packet's last word; none with no payload word at all.
// Cost:         not measured alone.   Source: own design.   Tests: test_polyloom_mpe_writer.py, interop_test.cc
module polyloom_mpe_writer
  import polyloom_mpe_pkg::*;
(
    input  logic                        clk_i,
    input  logic                        rst_ni,
    // Jobs: an address, unless it is the store's; then the job
    input  logic                        address_valid_i,
    input  logic       [          31:0] address_i,
    input  logic                        job_valid_i,
    input  write_job_t                  job_i,
    output logic                        ready_o,          // no job waits
    output logic                        idle_o,           // and none runs
    // Payload of the packet at hand
    input  logic                        in_valid_i,
    output logic                        in_ready_o,
    input  logic       [          63:0] in_data_i,
    input  logic                        in_last_i,
    // Store
    output logic                        store_we_o,
    output logic                        store_en_o,
    output logic       [STORE_BITS-1:0] store_addr_o,
    output logic       [          63:0] store_wdata_o,
    input  logic       [          63:0] store_rdata_i,
    // Kernel's memory
    output logic                        req_valid_o,
    input  logic                        req_ready_i,
    output logic       [          31:0] req_addr_o,
    output logic       [          63:0] req_data_o,
    output logic       [           7:0] req_strb_o
);

  logic busy_q, from_store_q, store_valid_q, ended_q, first_q;
  logic to_memory_q, to_store_q;
  logic [STORE_BITS-1:0] store_q;
  logic [28:0] word_q;  // of memory
  logic [2:0] shift_q;  // bytes
  logic [11:0] rest_q;  // bytes to be written, from the begin of the word at hand
  logic [10:0] source_q;  // bytes of the source not yet taken that the buffer wants
  logic [63:0] carry_q;

  logic have, want_in, out, out_ready, out_step, in_step, skip;
  logic [63:0] in_word;
  logic [63:0] half, turned;  // the word at hand, its bytes turned round by the shift, in two stages
  logic [7:0] until_end;
  logic store_re;
  assign have = from_store_q ? store_valid_q : in_valid_i;
  assign in_word = from_store_q ? store_rdata_i : in_data_i;
  assign out = busy_q && rest_q != '0;
  assign want_in = source_q != '0;
  assign out_ready = to_memory_q ? req_ready_i : 1'b1;
  assign out_step = out && (have || !want_in) && out_ready;
  assign skip = busy_q && rest_q == '0 && !from_store_q && !ended_q;  // the packet has more
  assign in_step = (out_step && want_in) || (skip && in_valid_i);
  assign in_ready_o = !from_store_q && in_step;

  always_comb begin
    unique case (shift_q[1:0])
      2'd0: half = in_word;
      2'd1: half = {in_word[55:0], in_word[63:56]};
      2'd2: half = {in_word[47:0], in_word[63:48]};
      default: half = {in_word[39:0], in_word[63:40]};
    endcase
    turned = shift_q[2] ? {half[31:0], half[63:32]} : half;
    for (int unsigned b = 0; b < 8; b++) req_data_o[8*b+:8] = 3'(b) < shift_q ? carry_q[8*b+:8] : turned[8*b+:8];
  end
  assign until_end = rest_q >= 12'd8 ? 8'hff : ~(8'hff << rest_q[2:0]);
  assign req_valid_o = out && (have || !want_in) && to_memory_q;
  assign req_addr_o = {word_q, 3'b0};
  assign req_strb_o = until_end & (first_q ? 8'hff << shift_q : 8'hff);

  assign store_we_o = out_step && to_store_q;
  assign store_addr_o = store_q;
  assign store_wdata_o = in_data_i;
  assign store_en_o = store_we_o || store_re;
  assign store_re = busy_q && from_store_q && source_q != '0 && (!store_valid_q || (in_step && source_q > 11'd8));

  logic over;
  assign over = busy_q && rest_q == '0 && (from_store_q || ended_q);

  // One job waits while another runs.
  logic waits_q, accept;
  logic [31:0] address_q;
  write_job_t job_q;
  assign accept  = waits_q && !busy_q;
  assign ready_o = !waits_q;
  assign idle_o  = !waits_q && !busy_q;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      busy_q <= 1'b0;
      store_valid_q <= 1'b0;
      waits_q <= 1'b0;
    end else begin
      assert (!(job_valid_i && waits_q));
      if (job_valid_i) waits_q <= 1'b1;
      else if (accept) waits_q <= 1'b0;
      if (accept) busy_q <= 1'b1;
      else if (over) busy_q <= 1'b0;
      if (store_re) store_valid_q <= 1'b1;
      else if (in_step || over) store_valid_q <= 1'b0;
    end
  end

  always_ff @(posedge clk_i) begin
    if (address_valid_i) address_q <= address_i;
    if (job_valid_i) job_q <= job_i;
    if (!busy_q) begin
      from_store_q <= job_q.from_store;
      to_store_q <= job_q.to_store;
      to_memory_q <= job_q.to_memory;
      store_q <= job_q.word[STORE_BITS-1:0];
      word_q <= address_q[31:3];
      shift_q <= job_q.to_memory ? address_q[2:0] : '0;
      rest_q <= !(job_q.to_memory || job_q.to_store) || job_q.bytes == '0 ? '0 :
          12'(job_q.bytes) + (job_q.to_memory ? 12'(address_q[2:0]) : '0);
      source_q <= job_q.to_memory || job_q.to_store ? job_q.bytes : '0;
      ended_q <= 1'b0;
      first_q <= 1'b1;
    end else begin
      if (out_step) begin
        rest_q  <= rest_q > 12'd8 ? rest_q - 12'd8 : '0;
        word_q  <= word_q + 1'b1;
        first_q <= 1'b0;
        carry_q <= turned;
      end
      if (out_step && want_in) source_q <= source_q > 11'd8 ? source_q - 11'd8 : '0;
      if (from_store_q ? store_re : out_step) store_q <= store_q + 1'b1;
      if (in_step && !from_store_q && in_last_i) ended_q <= 1'b1;
    end
  end
endmodule
