// SPDX-License-Identifier: Apache-2.0
// polyloom_mpe_writer: moves payload to the kernel's memory, at any byte address, or to the pool.
// How:          words come from the packet at hand or from the pool; for memory each is shifted to the address' byte, the rest
//               carried to the next word. What the buffer does not want is thrown away up to the packet's end.
//                   payload --+--> shift --> memory port
//                   pool    --'         '--> pool
// Latency:      1 cycle from a job to its first word (2 from the pool).
// Throughput:   a word a cycle.
// Backpressure: job_ready_o while no job runs. Payload waits for the memory port's ready (combinational).
// Order/loss:   in order. done_o once a job that has to tell, when its last word has passed.
// Reset:        no job.
// Limits:       a job from the packet ends with the packet's last word; none with no payload word at all.
// Cost:         not measured alone.   Source: own design.   Tests: test_polyloom_mpe.py, test_mpe_faults.py, interop_test.cc
module polyloom_mpe_writer
  import polyloom_mpe_pkg::*;
(
    input  logic         clk_i,
    input  logic         rst_ni,
    // Jobs
    input  move_t        job_i,
    output logic         job_ready_o,
    output logic         done_o,
    output req_t         done_idx_o,
    // Payload of the packet at hand
    input  logic         in_valid_i,
    output logic         in_ready_o,
    input  logic  [63:0] in_data_i,
    input  logic         in_last_i,
    // Pool
    output logic         pool_we_o,
    output logic  [ 9:0] pool_waddr_o,
    output logic  [63:0] pool_wdata_o,
    output logic         pool_re_o,
    output logic  [ 9:0] pool_raddr_o,
    input  logic  [63:0] pool_rdata_i,
    // Kernel's memory
    output logic         req_valid_o,
    input  logic         req_ready_i,
    output logic  [31:0] req_addr_o,
    output logic  [63:0] req_data_o,
    output logic  [ 7:0] req_strb_o
);

  logic busy_q, from_pool_q, pool_valid_q, ended_q, first_q;
  logic to_memory_q, to_pool_q, finish_q;
  req_t idx_q;
  logic [9:0] pool_q;
  logic [28:0] word_q;  // of memory
  logic [2:0] shift_q;  // bytes
  logic [32:0] rest_q;  // bytes to be written, from the begin of the word at hand
  logic [32:0] source_q;  // bytes of the source not yet taken that the buffer wants
  logic [63:0] carry_q;

  logic have, want_in, out, out_ready, out_step, in_step, skip;
  logic [ 63:0] in_word;
  logic [127:0] wide;
  logic [  7:0] until_end;
  assign have = from_pool_q ? pool_valid_q : in_valid_i;
  assign in_word = from_pool_q ? pool_rdata_i : in_data_i;
  assign out = busy_q && rest_q != '0;
  assign want_in = source_q != '0;
  assign out_ready = to_memory_q ? req_ready_i : 1'b1;
  assign out_step = out && (have || !want_in) && out_ready;
  assign skip = busy_q && rest_q == '0 && !from_pool_q && !ended_q;  // the packet has more
  assign in_step = (out_step && want_in) || (skip && in_valid_i);
  assign in_ready_o = !from_pool_q && in_step;

  assign wide = {64'd0, want_in ? in_word : 64'd0} << {shift_q, 3'b0};
  assign until_end = rest_q >= 33'd8 ? 8'hff : ~(8'hff << rest_q[2:0]);
  assign req_valid_o = out && (have || !want_in) && to_memory_q;
  assign req_addr_o = {word_q, 3'b0};
  assign req_data_o = wide[63:0] | carry_q;
  assign req_strb_o = until_end & (first_q ? 8'hff << shift_q : 8'hff);

  assign pool_we_o = out_step && to_pool_q;
  assign pool_waddr_o = pool_q;
  assign pool_wdata_o = in_data_i;
  assign pool_raddr_o = pool_q;
  assign pool_re_o = busy_q && from_pool_q && source_q != '0 && (!pool_valid_q || (in_step && source_q > 33'd8));

  logic over;
  assign over = busy_q && rest_q == '0 && (from_pool_q || ended_q);
  assign done_o = over && finish_q;
  assign done_idx_o = idx_q;
  assign job_ready_o = !busy_q;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      busy_q <= 1'b0;
      pool_valid_q <= 1'b0;
    end else begin
      if (!busy_q) busy_q <= job_i.valid;
      else if (over) busy_q <= 1'b0;
      if (pool_re_o) pool_valid_q <= 1'b1;
      else if (in_step || over) pool_valid_q <= 1'b0;
    end
  end

  always_ff @(posedge clk_i) begin
    if (!busy_q) begin
      from_pool_q <= job_i.from_pool;
      to_pool_q <= job_i.to_pool;
      to_memory_q <= job_i.to_memory;
      finish_q <= job_i.finish;
      idx_q <= job_i.idx;
      pool_q <= job_i.pool;
      word_q <= job_i.address[31:3];
      shift_q <= job_i.to_memory ? job_i.address[2:0] : '0;
      rest_q <= !(job_i.to_memory || job_i.to_pool) || job_i.bytes == '0 ? '0 :
          33'(job_i.bytes) + (job_i.to_memory ? 33'(job_i.address[2:0]) : '0);
      source_q <= job_i.to_memory || job_i.to_pool ? 33'(job_i.bytes) : '0;
      ended_q <= 1'b0;
      first_q <= 1'b1;
      carry_q <= '0;
    end else begin
      if (out_step) begin
        rest_q  <= rest_q > 33'd8 ? rest_q - 33'd8 : '0;
        word_q  <= word_q + 1'b1;
        first_q <= 1'b0;
        carry_q <= wide[127:64];
      end
      if (out_step && want_in) source_q <= source_q > 33'd8 ? source_q - 33'd8 : '0;
      if (from_pool_q ? pool_re_o : out_step) pool_q <= pool_q + 1'b1;
      if (in_step && !from_pool_q && in_last_i) ended_q <= 1'b1;
    end
  end
endmodule
