// SPDX-License-Identifier: Apache-2.0
// polyloom_overlay_fpu_divider: integer divide and remainder, fdiv and fsqrt, one at a time.
// How:          operations wait in block RAM. Integers: magnitudes are divided two bits a cycle, then signs are put right; division
//               by zero and overflow come out as RISC-V has them without special cases, but for the sign of a quotient of
//               zero. Floating point: CVFPU's unit (of T-Head), whose time depends on the operands; its result waits, so that
//               every operation takes as long.
//                 valid_i -> [ queue ] -read-> [ start ] -> integer steps | CVFPU -> result
// Latency:      DIVIDE_INTERVAL + 3 cycles from operation to result, if the divider is free.
// Throughput:   one operation in DIVIDE_INTERVAL cycles.
// Backpressure: none: the queue holds an operation of every thread.
// Order/loss:   in order; nothing lost.
// Reset:        empty.
// Limits:       op is one of the divider's; CVFPU's unit is done in time (asserted).
// Cost:         see polyloom_overlay_fpu.
// Source:       restoring division; own design.   Tests: overlay_fpu_rtl_test.cc, test_polyloom_overlay_fpu.py
module polyloom_overlay_fpu_divider
  import polyloom_overlay_pkg::*;
  import polyloom_overlay_fpu_pkg::*;
#(
    parameter cfg_t Cfg = TINY
) (
    input  logic              clk_i,
    input  logic              rst_ni,
    input  logic              valid_i,
    input  operation_t        operation_i,
    output logic              valid_o,
    output owner_t            owner_o,
    output logic       [31:0] word_o,
    output logic       [ 4:0] flags_o
);

  typedef struct packed {
    owner_t      owner;
    fpu_op_e     op;
    logic [2:0]  rm;
    logic [31:0] a;
    logic [31:0] b;
  } entry_t;

  localparam int unsigned Entries = Cfg.cores * Cfg.threads > 1 ? Cfg.cores * Cfg.threads : 2;
  localparam int unsigned EntryBits = $clog2(Entries);
  localparam int unsigned Steps = 16;  // of two bits
  typedef logic [$clog2(DIVIDE_INTERVAL+1)-1:0] cycles_t;

  // The queue.
  logic [EntryBits-1:0] write_q, read_q;
  logic [EntryBits:0] waiting_q;
  cycles_t gap_q;  // cycles before the next read
  logic read, start_q;
  entry_t entry;
  assign read = waiting_q != '0 && gap_q == '0;

  polyloom_ram_1r1w #(
      .Width($bits(entry_t)),
      .Depth(Entries)
  ) i_queue (
      .clk_i,
      .we_i(valid_i),
      .be_i(1'b1),
      .waddr_i(write_q),
      .wdata_i({operation_i.owner, operation_i.op, operation_i.rm, operation_i.a, operation_i.b}),
      .re_i(read),
      .raddr_i(read_q),
      .rdata_o(entry)
  );

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      write_q <= '0;
      read_q <= '0;
      waiting_q <= '0;
      gap_q <= '0;
      start_q <= 1'b0;
    end else begin
      write_q <= write_q + EntryBits'(valid_i);
      read_q <= read_q + EntryBits'(read);
      waiting_q <= waiting_q + (EntryBits + 1)'(valid_i) - (EntryBits + 1)'(read);
      if (read) gap_q <= cycles_t'(DIVIDE_INTERVAL - 1);
      else if (gap_q != '0) gap_q <= gap_q - 1'b1;
      start_q <= read;
    end
  end

  // One operation: cycles that are left, of which the last gives the result.
  cycles_t left_q;
  logic last;
  assign last = left_q == cycles_t'(1);
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      left_q  <= '0;
      valid_o <= 1'b0;
    end else begin
      if (start_q) left_q <= cycles_t'(DIVIDE_INTERVAL);
      else if (left_q != '0) left_q <= left_q - 1'b1;
      valid_o <= last;
    end
  end

  // Integers.
  typedef struct packed {
    logic [31:0] remainder;
    logic [31:0] quotient;   // behind what is left of the dividend
  } work_t;

  function automatic work_t step(input work_t work, input logic [31:0] divisor);
    logic [32:0] partial, less;
    partial = {work.remainder, work.quotient[31]};
    less = partial - {1'b0, divisor};
    return '{remainder: less[32] ? partial[31:0] : less[31:0], quotient: {work.quotient[30:0], !less[32]}};
  endfunction

  work_t work_q;
  owner_t owner_q;
  logic [31:0] divisor_q;
  logic integer_q, remainder_q, negate_q;
  logic is_signed, negative_a, negative_b;
  assign is_signed  = entry.op inside {FPU_DIV, FPU_REM};
  assign negative_a = is_signed && entry.a[31];
  assign negative_b = is_signed && entry.b[31];

  always_ff @(posedge clk_i) begin
    if (start_q) begin
      owner_q <= entry.owner;
      integer_q <= entry.op inside {FPU_DIV, FPU_DIVU, FPU_REM, FPU_REMU};
      remainder_q <= entry.op inside {FPU_REM, FPU_REMU};
      negate_q <= entry.op == FPU_REM ? negative_a : (negative_a ^ negative_b) && entry.b != '0;
      work_q <= '{remainder: '0, quotient: negative_a ? -entry.a : entry.a};
      divisor_q <= negative_b ? -entry.b : entry.b;
    end else if (left_q > cycles_t'(DIVIDE_INTERVAL - Steps)) begin
      work_q <= step(step(work_q, divisor_q), divisor_q);
    end
  end

  // Floating point. The entry stands until the next read, by when the unit has taken it.
  logic offer_q, fp_ready, fp_valid, got_q;
  logic [31:0] fp_word, fp_word_q;
  logic [4:0] fp_flags, fp_flags_q;
  logic fp_start;
  logic [5:0] unused;
  assign unused[5] = ^operation_i.c;
  assign fp_start  = start_q && entry.op inside {FPU_FDIV, FPU_FSQRT};

  fpnew_divsqrt_th_32 #(
      .NumPipeRegs(0)
  ) i_fp (
      .clk_i,
      .rst_ni,
      .operands_i({entry.b, entry.a}),
      .is_boxed_i('1),
      .rnd_mode_i(fpnew_pkg::roundmode_e'(entry.rm)),
      .op_i(entry.op == FPU_FSQRT ? fpnew_pkg::SQRT : fpnew_pkg::DIV),
      .tag_i(1'b0),
      .mask_i(1'b1),
      .aux_i(1'b0),
      .in_valid_i(fp_start || offer_q),
      .in_ready_o(fp_ready),
      .flush_i(1'b0),
      .result_o(fp_word),
      .status_o(fp_flags),
      .extension_bit_o(unused[0]),
      .tag_o(unused[1]),
      .mask_o(unused[2]),
      .aux_o(unused[3]),
      .out_valid_o(fp_valid),
      .out_ready_i(1'b1),
      .busy_o(unused[4]),
      .reg_ena_i('0)
  );

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      offer_q <= 1'b0;
      got_q   <= 1'b0;
    end else begin
      offer_q <= (fp_start || offer_q) && !fp_ready;
      got_q   <= !last && (got_q || fp_valid);
    end
  end
  always_ff @(posedge clk_i) begin
    if (fp_valid) begin
      fp_word_q  <= fp_word;
      fp_flags_q <= fp_flags;
    end
  end

  // The result.
  logic [31:0] magnitude;
  assign magnitude = remainder_q ? work_q.remainder : work_q.quotient;
  always_ff @(posedge clk_i) begin
    if (last) begin
      owner_o <= owner_q;
      if (integer_q) begin
        word_o  <= negate_q ? -magnitude : magnitude;
        flags_o <= '0;
      end else begin
        word_o  <= fp_word_q;
        flags_o <= fp_flags_q;
      end
    end
  end
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (rst_ni) begin
      assert (!last || integer_q || got_q)
      else $error("%m: CVFPU's unit takes longer than DIVIDE_INTERVAL allows");
    end
  end

endmodule
