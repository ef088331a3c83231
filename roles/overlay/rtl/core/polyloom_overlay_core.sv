// SPDX-License-Identifier: Apache-2.0
// polyloom_overlay_core: a barrel processor: up to 16 threads that take turns in a pipeline of 8 stages.
// How:          ready queue -> pc -> instruction memory -> decode, registers -> operands -> execute -> calls -> result
//                   0           0     1                     2 3                  4            5          6       7 8
//               A signal's prefix is the stage in which it is there; an instruction is in stage n n cycles after its issue. A
//               thread has one instruction in the pipeline, so nothing is forwarded but the response that the thread has come
//               back with (`pending`): it waits in polyloom_overlay_responses and is written in the first pass of its thread
//               that writes nothing itself; latent instructions never do. What the host and reset ask goes through the
//               pipeline in a slot in which no thread issues.
// Latency:      a thread issues every 8 cycles at most; calls are on the outputs in stage 6; a response of cycle A lets its
//               thread issue in A + 2.
// Throughput:   an instruction a cycle with 8 ready threads; 1/8 with one.
// Backpressure: none from units. Event register full: a thread that faults goes round again; ToUart and FromUart give 0.
// Order/loss:   a thread's instructions in order; the order of threads is that of roles/overlay/sim/tile/README.md "Issue".
// Reset:        all threads are off; what they hold but registers is cleared in 16 cycles, before any start.
// Limits:       threads a power of two up to 16, instr_words a power of two up to 65536 (checked at elaboration).
// Cost:         see README.md.
// Source:       Tinsel paper III; own design.   Tests: test_polyloom_overlay_core.py, test_polyloom_overlay_cores.py
module polyloom_overlay_core
  import polyloom_overlay_pkg::*;
#(
    parameter  cfg_t        Cfg      = TINY,
    localparam int unsigned AddrBits = $clog2(Cfg.instr_words)
) (
    input logic clk_i,
    input logic free_clk_i,  // the same, but never stands still
    input logic rst_ni,
    input logic [3:0] turn_i,  // of polyloom_overlay_resume
    // Instruction memory
    output logic imem_we_o,
    output logic [AddrBits-1:0] imem_addr_o,
    output logic [31:0] imem_wdata_o,
    input logic [31:0] imem_rdata_i,
    // Control: an operation stands until it is done
    input logic ctl_valid_i,
    input ctl_req_t ctl_i,
    output logic ctl_done_o,
    output logic ctl_rdata_valid_o,
    output logic [31:0] ctl_rdata_o,
    // Requests
    output logic cache_req_valid_o,
    output mem_req_t cache_req_o,
    output logic scratchpad_req_valid_o,
    output mem_req_t scratchpad_req_o,
    output logic fpu_req_valid_o,
    output fpu_req_t fpu_req_o,
    // Responses
    input logic hit_valid_i,
    input rsp_t hit_i,
    input logic fill_valid_i,
    input rsp_t fill_i,
    input logic scratchpad_valid_i,
    input rsp_t scratchpad_i,
    input logic fpu_valid_i,
    input rsp_t fpu_i,
    input logic div_valid_i,
    input rsp_t div_i,
    // Mailbox
    input logic [Cfg.threads-1:0] can_send_i,
    input logic [Cfg.threads-1:0] can_recv_i,
    output logic recv_valid_o,
    output logic [3:0] recv_thread_o,
    input logic [SLOT_BITS-1:0] recv_slot_i,  // a cycle later
    output logic free_valid_o,
    output logic [SLOT_BITS-1:0] free_slot_o,
    output logic send_valid_o,
    output send_t send_o,
    output logic wait_valid_o,
    output logic [3:0] wait_thread_o,
    output logic [3:0] wait_bits_o,
    input logic [Cfg.threads-1:0] wake_i,
    input logic [Cfg.threads-1:0][3:0] wake_bits_i,
    // Constants and counters from outside
    input logic [15:0] core_id_i,  // of the core's thread 0
    output logic [4:0] outside_o,  // which: misses, hits, write-backs, router's two
    input logic [31:0] outside_i,
    output logic perf_reset_o,
    output logic perf_counting_o,
    // Event
    output logic event_valid_o,
    input logic event_ready_i,
    output tile_event_t event_o,
    // What it does
    output logic idle_o,  // no thread waits to issue, and nothing for the host
    output logic retired_o,
    output trace_t trace_o
);
  if (Cfg.threads < 1 || Cfg.threads > 16 || 2 ** $clog2(Cfg.threads) != Cfg.threads) begin : gen_bad_threads
    $error("%m: threads %0d; 1, 2, 4, 8 or 16", Cfg.threads);
  end
  if (Cfg.instr_words < 2 || Cfg.instr_words > 65536 || 2 ** AddrBits != Cfg.instr_words) begin : gen_bad_words
    $error("%m: instr_words %0d; a power of two from 2 to 65536", Cfg.instr_words);
  end
  if (Cfg.max_flits < 1 || Cfg.max_flits > 4) begin : gen_bad_flits
    $error("%m: max_flits %0d; 1 to 4", Cfg.max_flits);
  end

  localparam int unsigned IndexBits = Cfg.threads > 1 ? $clog2(Cfg.threads) : 1;
  typedef logic [IndexBits-1:0] index_t;
  localparam bit HasFpu = Cfg.fpu || Cfg.muldiv;

  // ---- stage 0: which thread, its pc ----
  logic s0_valid, s0_read, s0_accepted, s0_inside, cores_idle;
  core_op_t s0_op;
  logic [3:0] s0_thread;
  logic [AddrBits+2:2] s0_pc;
  core_op_t s6_op_q;
  logic s6_start, s7_again_q, s7_pc_we_q, s7_store_q;
  logic [3:0] s6_started_q, s7_thread_q;
  logic [31:2] s7_pc;
  logic [AddrBits-1:0] s7_store_addr_q;
  logic [31:0] s7_store_data_q;

  localparam int unsigned Ports = HasFpu ? 6 : 4;
  logic [Ports-1:0] response_valid;
  logic [Ports-1:0][3:0] response_thread;
  assign response_valid[3:0]  = {s6_start, scratchpad_valid_i, fill_valid_i, hit_valid_i};
  assign response_thread[3:0] = {s6_started_q, scratchpad_i.thread, fill_i.thread, hit_i.thread};
  if (HasFpu) begin : gen_fpu_responses
    assign response_valid[5:4]  = {div_valid_i, fpu_valid_i};
    assign response_thread[5:4] = {div_i.thread, fpu_i.thread};
  end

  polyloom_overlay_issue #(
      .Threads(Cfg.threads),
      .Ports  (Ports),
      .Words  (Cfg.instr_words)
  ) i_issue (
      .clk_i,
      .rst_ni,
      .turn_i,
      .response_valid_i (response_valid),
      .response_thread_i(response_thread),
      .wake_i,
      .ctl_valid_i,
      .ctl_i,
      .imem_we_o,
      .imem_addr_o,
      .imem_wdata_o,
      .s0_valid_o       (s0_valid),
      .s0_op_o          (s0_op),
      .s0_thread_o      (s0_thread),
      .s0_pc_o          (s0_pc),
      .s0_read_o        (s0_read),
      .s0_inside_o      (s0_inside),
      .s0_accepted_o    (s0_accepted),
      .idle_o           (cores_idle),
      .s6_op_i          (s6_op_q),
      .s7_again_i       (s7_again_q),
      .s7_thread_i      (s7_thread_q),
      .s7_pc_we_i       (s7_pc_we_q),
      .s7_pc_i          (s7_pc[AddrBits+2:2]),
      .s7_store_i       (s7_store_q),
      .s7_store_addr_i  (s7_store_addr_q),
      .s7_store_data_i  (s7_store_data_q)
  );

  // ---- stages 1 and 2: the word ----
  logic s1_valid_q, s2_valid_q, s1_read_q, s2_read_q, s1_inside_q, s2_inside_q;
  core_op_t s1_op_q, s2_op_q;
  logic [3:0] s1_thread_q, s2_thread_q;
  logic [AddrBits+2:2] s1_pc_q, s2_pc_q;
  logic [31:0] s2_word_q;
  context_t s2_read, s2_held, s7_held, s7_context;
  logic s7_held_we_q;

  always_ff @(posedge clk_i) begin
    s1_thread_q <= s0_thread;
    s1_pc_q <= s0_pc;
    s1_inside_q <= s0_inside;
    s2_thread_q <= s1_thread_q;
    s2_pc_q <= s1_pc_q;
    s2_inside_q <= s1_inside_q;
    s2_word_q <= imem_rdata_i;
  end
  polyloom_overlay_context #(
      .AddrBits(AddrBits)
  ) i_context (
      .clk_i,
      .s0_thread_i (s0_thread),
      .s2_context_o(s2_read),
      .s7_we_i     (s7_held_we_q),
      .s7_thread_i (s7_thread_q),
      .s7_context_i(s7_context)
  );
  always_comb begin
    s2_held = s2_read;
    s2_held.pc[AddrBits+2:2] = s2_pc_q;
    s7_context = s7_held;
    s7_context.pc = s7_pc;
  end

  assign ctl_rdata_valid_o = s2_read_q;
  assign ctl_rdata_o = s2_inside_q ? s2_word_q : '0;

  decoded_t s2_decoded;
  reg_t [2:0] s2_rs;
  polyloom_overlay_decode #(
      .Fp    (Cfg.fpu),
      .MulDiv(Cfg.muldiv)
  ) i_decode (
      .word_i   (s2_word_q),
      .decoded_o(s2_decoded),
      .rs_o     (s2_rs)
  );

  pending_t s2_pending;

  // ---- stage 3: what has the thread come back with ----
  logic s3_valid_q;
  passing_t s3_q, s4_q, s5_q, s6_q;
  core_op_t s3_op_q;
  logic [31:0] s3_imm;
  polyloom_overlay_immediate i_immediate (
      .word_i(s3_q.word[31:2]),
      .uses_i(s3_q.decoded.b_imm),
      .sub_i (s3_q.decoded.sub),
      .imm_o (s3_imm)
  );

  always_ff @(posedge clk_i) begin
    s3_q <= '{
        held: s2_held,
        word: s2_word_q,
        zero: '0,
        bad: s2_held.pc[31:AddrBits+2] != '0,
        thread: s2_thread_q,
        pending: s2_pending,
        decoded: s2_decoded
    };
    s4_q <= s3_q;
    s5_q <= s4_q;
    s6_q <= s5_q;
  end

  logic s2_side, s3_side_q, s4_side_q, s5_side_q, s6_side_q;  // as polyloom_overlay_responses has it
  logic s7_pending_we, s7_pending_side;
  always_ff @(posedge clk_i) {s6_side_q, s5_side_q, s4_side_q, s3_side_q} <= {s5_side_q, s4_side_q, s3_side_q, s2_side};

  // ---- stages 3 and 4: operands ----
  logic s4_valid_q;
  core_op_t s4_op_q;
  logic s5_source;
  logic [31:0] s5_response, s5_a, s5_b, s5_rs2, s5_c;
  logic [4:0] s5_flags;
  logic s8_we;  // the result of stage 7
  logic [3:0] s8_thread;
  reg_t s8_rd;
  logic [31:0] s8_data;
  polyloom_overlay_operands #(
      .Cfg(Cfg)
  ) i_operands (
      .clk_i,
      .hit_valid_i,
      .hit_i,
      .fill_valid_i,
      .fill_i,
      .scratchpad_valid_i,
      .scratchpad_i,
      .fpu_valid_i,
      .fpu_i,
      .div_valid_i,
      .div_i,
      .wake_i,
      .wake_bits_i,
      .s2_thread_i  (s2_thread_q),
      .s2_rs_i      (s2_rs),
      .s2_pending_i (s2_pending),
      .s2_side_o    (s2_side),
      .s3_i         (s3_q),
      .s3_imm_i     (s3_imm),
      .s5_source_o  (s5_source),
      .s5_a_o       (s5_a),
      .s5_b_o       (s5_b),
      .s5_rs2_o     (s5_rs2),
      .s5_c_o       (s5_c),
      .s5_response_o(s5_response),
      .s5_flags_o   (s5_flags),
      .s7_we_i      (s7_pending_we),
      .s7_thread_i  (s7_thread_q),
      .s7_side_i    (s7_pending_side),
      .s8_we_i      (s8_we),
      .s8_thread_i  (s8_thread),
      .s8_rd_i      (s8_rd),
      .s8_data_i    (s8_data)
  );

  // ---- stage 5: execute ----
  logic s5_valid_q, s5_live, s5_mem, s5_reserved;
  core_op_t s5_op_q;
  logic [31:0] s5_sum;
  logic s5_cached, s5_scratchpad, s5_aligned, s5_flush, s5_new_thread;
  logic [2:0] s5_frm, s5_rm;

  logic [31:0] s6_sum, s7_result, s7_csr;
  logic s6_own_we, s6_accepted, s6_branch_fault;  // it writes a register itself; a branch's condition holds
  polyloom_overlay_alu #(
      .Fp(Cfg.fpu)
  ) i_alu (
      .clk_i,
      .s5_i         (s5_q.decoded),
      .s5_a_i       (s5_a),
      .s5_b_i       (s5_b),
      .s5_sign_i    (s5_rs2[31]),
      .s5_own_i     (s5_live && s5_q.decoded.rd_we && s5_q.decoded.computes),
      .s5_sum_o     (s5_sum),
      .s6_sum_o     (s6_sum),
      .s5_bad_i     (s5_live && s5_q.decoded.branch && s5_q.word[8]),
      .s6_bad_o     (s6_branch_fault),
      .s6_accepted_o(s6_accepted),
      .s7_result_o  (s7_result)
  );

  // A word at a bad place is no instruction.
  assign s5_live = s5_valid_q && !s5_q.bad && !s5_q.decoded.illegal;
  assign s5_rm = !s5_q.decoded.rm ? 3'd0 : s5_q.decoded.f3 == 3'd7 ? s5_frm : s5_q.decoded.f3;
  assign s5_reserved = s5_rm > 3'd4;

  assign s5_scratchpad = s5_sum[31:15] == 17'd1;
  assign s5_cached = s5_sum[31] ? s5_sum[30] : s5_sum[30:23] != '0;
  assign s5_aligned = s5_q.decoded.f3[1] ? s5_sum[1:0] == '0 : !(s5_q.decoded.f3[0] && s5_sum[0]);

  // ---- stage 6: calls ----
  logic s6_valid_q, s6_illegal_q, s6_mem_bad, s6_aligned_q;
  logic [31:0] s6_response_q;
  logic [ 4:0] s6_flags_q;
  logic s6_jump_q, s6_latent_q;
  logic s6_mem_q, s6_divides_q, s6_wrong_q, s6_own_q;
  mem_op_e s6_mem_op_q;
  logic [31:0] s6_a_q, s6_b_q, s6_c_q;
  logic [2:0] s6_rm_q;

  always_ff @(posedge clk_i) begin
    s6_response_q <= s5_response;
    s6_flags_q <= s5_flags;
    s6_aligned_q <= s5_aligned;
    s6_illegal_q <= s5_q.decoded.illegal || s5_reserved;
    s6_jump_q <= s5_q.decoded.jump && s5_live;
    s6_wrong_q <= s5_q.bad || s5_q.decoded.illegal || s5_reserved || s5_q.decoded.ecall || s5_q.decoded.ebreak;
    s6_own_q <= s5_live && s5_q.decoded.rd_we && !s5_q.decoded.load && !s5_q.decoded.store && !s5_q.decoded.fpu;
    s6_mem_q <= s5_q.decoded.load || s5_q.decoded.store;
    s6_divides_q <= s5_q.decoded.op inside {FPU_DIV, FPU_DIVU, FPU_REM, FPU_REMU, FPU_FDIV, FPU_FSQRT};
    s6_latent_q <= s5_q.decoded.load || s5_q.decoded.store || s5_q.decoded.fpu;
    s6_mem_op_q <= s5_flush ? MEM_FLUSH : s5_q.decoded.store ? MEM_STORE : MEM_LOAD;
    s6_a_q <= s5_a;
    s6_b_q <= s5_rs2;
    s6_c_q <= s5_c;
    s6_rm_q <= s5_rm;
  end

  assign s5_mem = s5_live && s5_aligned && (s5_q.decoded.load || s5_q.decoded.store);
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      cache_req_valid_o <= 1'b0;
      scratchpad_req_valid_o <= 1'b0;
      fpu_req_valid_o <= 1'b0;
      send_valid_o <= 1'b0;
    end else begin
      cache_req_valid_o <= (s5_mem && s5_cached) || s5_flush;
      scratchpad_req_valid_o <= s5_mem && s5_scratchpad;
      fpu_req_valid_o <= HasFpu && s5_live && s5_q.decoded.fpu && !s5_reserved;
      send_valid_o <= s5_live && s5_q.decoded.send;
    end
  end
  assign cache_req_o = '{
          op: s6_mem_op_q,
          size: s6_q.decoded.f3[1:0],
          sign: !s6_q.decoded.f3[2],
          thread: s6_q.thread,
          addr: s6_sum,
          data: s6_b_q
      };
  assign scratchpad_req_o = cache_req_o;
  assign fpu_req_o = '{op: s6_q.decoded.op, rm: s6_rm_q, thread: s6_q.thread, a: s6_a_q, b: s6_b_q, c: s6_c_q};
  csr_act_t s6_act;
  logic [AddrBits-1:0] s6_instr_addr;
  logic s6_instr_ok, s6_thread_ok, s6_stop, s6_uart_accepted, s6_recv, s6_can_recv;
  logic [8:0] s6_uart;
  polyloom_overlay_csr #(
      .Cfg(Cfg)
  ) i_csr (
      .clk_i,
      .free_clk_i,
      .rst_ni,
      .s3_number_i       (s3_q.word[31:20]),
      .s5_csr_i          (s5_live && s5_q.decoded.csr),
      .s5_keep_i         (s5_q.decoded.rd_we),
      .s5_f3_i           (s5_q.decoded.f3),
      .s5_source_i       (s5_source),
      .s5_thread_i       (s5_q.thread),
      .s5_operand_i      (s5_a),
      .s5_flush_o        (s5_flush),
      .s5_new_thread_o   (s5_new_thread),
      .s5_frm_o          (s5_frm),
      .s6_bubble_i       (!s6_valid_q),
      .s6_thread_i       (s6_q.thread),
      .s6_operand_i      (s6_sum),
      .s6_flags_i        (s6_flags_q),
      .s6_clear_i        (s6_op_q.clear),
      .s6_stop_i         (s6_stop),
      .s5_held_i         (s5_q.held),
      .s7_held_o         (s7_held),
      .s6_act_o          (s6_act),
      .s6_dest_o         (send_o.dest),
      .s6_astray_o       (send_o.astray),
      .s6_slot_o         (send_o.slot),
      .s6_len_o          (send_o.flits),
      .s6_instr_addr_o   (s6_instr_addr),
      .s6_instr_ok_o     (s6_instr_ok),
      .s6_thread_ok_o    (s6_thread_ok),
      .can_send_i,
      .s6_can_recv_i     (s6_can_recv),
      .s6_uart_i         (s6_uart),
      .s6_uart_accepted_i(s6_uart_accepted),
      .core_id_i,
      .s6_outside_o      (outside_o),
      .s6_outside_i      (outside_i),
      .perf_reset_o,
      .perf_counting_o,
      .s7_result_o       (s7_csr)
  );

  assign send_o.thread = s6_q.thread;
  assign send_o.mask = {s6_a_q, s6_b_q};
  assign send_o.pc = {s6_q.held.pc, 2'b00};
  assign recv_valid_o = s6_recv;
  assign recv_thread_o = s6_q.thread;
  assign free_valid_o = s6_act.free;
  assign free_slot_o = s6_sum[6+:SLOT_BITS];
  assign wait_valid_o = s6_act.wait_until;
  assign wait_thread_o = s6_q.thread;
  assign wait_bits_o = {s6_sum[3], s6_sum[2] | s6_sum[3], s6_sum[1:0]};

  // Recv gives 0 and takes nothing where there is nothing.
  assign s6_can_recv = can_recv_i[index_t'(s6_q.thread)];
  assign s6_recv = s6_act.recv && s6_can_recv;

  // Faults: nothing of the instruction takes effect.
  logic s6_early, s6_fault, s6_replay, s6_pass, s6_live, s6_latent;
  logic [31:0] s6_goal, s6_value;  // of branches and jumps; of an event
  assign s6_mem_bad = s6_mem_q && !cache_req_valid_o && !scratchpad_req_valid_o;  // or is none for other reasons
  // A branch writes no register, so what concerns registers need not wait for its condition.
  assign s6_early = s6_wrong_q || s6_mem_bad || (s6_jump_q && s6_sum[1]);
  assign s6_fault = s6_valid_q && (s6_early || s6_branch_fault);
  assign s6_replay = s6_fault && event_valid_o;
  assign s6_pass = s6_valid_q && !s6_fault;
  assign s6_live = s6_valid_q && !s6_early;
  assign s6_latent = s6_live && (s6_latent_q || s6_act.wait_until || s6_act.flush);
  assign s6_own_we = s6_own_q && !(s6_jump_q && s6_sum[1]) && !s6_act.wait_until && !s6_act.flush;
  assign s6_stop = (s6_fault && !event_valid_o) || s6_act.kill || s6_op_q.clear;

  always_comb begin
    s6_value = s6_goal;
    if (s6_jump_q) s6_value[0] = 1'b0;
  end

  polyloom_overlay_event i_event (
      .clk_i,
      .rst_ni,
      .fault_i(s6_fault),
      .why_i(
      '{
          bad_fetch: s6_q.bad,
          illegal: s6_illegal_q,
          trap: s6_q.decoded.ecall || s6_q.decoded.ebreak,
          ebreak: s6_q.decoded.ebreak,
          memory: s6_mem_q,
          store: s6_q.decoded.store,
          aligned: s6_aligned_q
      }
      ),
      .uart_i(s6_act.to_uart),
      .byte_i(s6_sum[7:0]),
      .lost_i(s6_op_q.uart && s6_uart[8]),
      .read_i(s6_act.from_uart && s6_uart[8]),
      .thread_i(s6_q.thread),
      .pc_i(s6_q.held.pc),
      .value_i(s6_value),
      .event_valid_o,
      .event_ready_i,
      .event_o
  );

  // ---- starts, and bytes for threads ----
  logic on_q[16];  // the thread runs
  logic [8:0] uart_q[16];
  logic s6_on;
  // Written a cycle late, as faults are.
  logic s7_on_we_q, s7_on_q;
  logic [3:0] s7_started_q;
  assign s6_on = s7_on_we_q && s7_started_q == s6_started_q ? s7_on_q : on_q[s6_started_q];
  assign s6_start = !s6_on && (s6_op_q.start || (s6_act.new_thread && s6_thread_ok));
  assign s6_uart = uart_q[s6_q.thread];
  assign s6_uart_accepted = !event_valid_o;
  assign ctl_done_o = s0_accepted || s6_op_q.start || (s6_op_q.uart && (!s6_uart[8] || !event_valid_o));

  always_ff @(posedge clk_i) begin
    s7_on_we_q <= s6_start || s6_stop;
    s7_on_q <= s6_start;
    s7_started_q <= s6_started_q;
    s6_started_q <= s5_new_thread ? s5_a[3:0] : s5_q.thread;
    if (s7_on_we_q) on_q[s7_started_q] <= s7_on_q;
    if (s6_op_q.clear || (s6_act.from_uart && s6_uart_accepted) || (s6_op_q.uart && !s6_uart[8])) begin
      uart_q[s6_q.thread] <= {s6_op_q.uart, ctl_i.data[7:0]};
    end
  end

  // ---- stage 7: the thread goes round, with a pc; its registers are written in stage 8 ----
  logic [AddrBits+2:2] s6_next;
  polyloom_overlay_next_pc #(
      .AddrBits(AddrBits)
  ) i_next_pc (
      .clk_i,
      .s5_pc_i      (s5_q.held.pc[AddrBits+1:2]),
      .s5_word_i    (s5_q.word),
      .s5_illegal_i (s5_q.decoded.illegal || s5_reserved),
      .s5_branch_i  (s5_q.decoded.branch && s5_live),
      .s6_jump_i    (s6_jump_q),
      .s6_accepted_i(s6_accepted),
      .s6_sum_i     (s6_sum),
      .s6_start_i   (s6_op_q.start),
      .s6_at_i      (ctl_i.data[AddrBits+2:2]),
      .s6_stop_i    ((s6_valid_q && s6_early) || s6_act.kill || s6_op_q.clear),
      .s6_next_o    (s6_next),
      .s6_goal_o    (s6_goal),
      .s7_pc_o      (s7_pc)
  );

  response_src_e s6_src;
  always_comb begin
    s6_src = cache_req_valid_o ? SRC_CACHE : SRC_SCRATCHPAD;
    if (s6_q.decoded.fpu) s6_src = s6_divides_q ? SRC_DIVIDER : SRC_FPU;
    if (s6_act.flush) s6_src = SRC_ZERO;
    if (s6_act.wait_until) s6_src = SRC_WAKE;
  end

  always_ff @(posedge clk_i) begin
    s7_thread_q  <= s6_q.thread;
    s7_pc_we_q   <= (s6_valid_q && !s6_replay) || s6_op_q.clear || (s6_op_q.start && s6_start);
    s7_held_we_q <= (s6_valid_q && !s6_replay) || s6_op_q.clear;
  end

  polyloom_overlay_writeback i_writeback (
      .clk_i,
      .rst_ni,
      .s2_thread_i  (s2_thread_q),
      .s2_pending_o (s2_pending),
      .s7_we_o      (s7_pending_we),
      .s7_side_o    (s7_pending_side),
      .s6_side_i    (s6_side_q),
      .s6_i         (s6_q),
      .s6_valid_i   (s6_valid_q),
      .s6_clear_i   (s6_op_q.clear),
      .s6_pass_i    (s6_pass),
      .s6_latent_i  (s6_latent),
      .s6_own_we_i  (s6_own_we),
      .s6_src_i     (s6_src),
      .s6_response_i(s6_response_q),
      .s6_jump_i    (s6_jump_q),
      .s6_link_i    (32'({s6_next, 2'b00})),
      .s6_recv_i    (s6_recv),
      .s7_slot_i    (recv_slot_i),
      .s7_result_i  (s7_result | s7_csr),
      .s8_we_o      (s8_we),
      .s8_thread_o  (s8_thread),
      .s8_rd_o      (s8_rd),
      .s8_data_o    (s8_data),
      .trace_o
  );

  // ---- control state ----
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      {s1_valid_q, s2_valid_q, s3_valid_q, s4_valid_q, s5_valid_q, s6_valid_q} <= '0;
      {s1_op_q, s2_op_q, s3_op_q, s4_op_q, s5_op_q, s6_op_q} <= '0;
      {s1_read_q, s2_read_q} <= '0;
      s7_again_q <= 1'b0;
      s7_store_q <= 1'b0;
      retired_o <= 1'b0;
    end else begin
      {s6_valid_q, s5_valid_q, s4_valid_q, s3_valid_q, s2_valid_q, s1_valid_q} <= {
        s5_valid_q, s4_valid_q, s3_valid_q, s2_valid_q, s1_valid_q, s0_valid
      };
      {s6_op_q, s5_op_q, s4_op_q, s3_op_q, s2_op_q, s1_op_q} <= {s5_op_q, s4_op_q, s3_op_q, s2_op_q, s1_op_q, s0_op};
      {s2_read_q, s1_read_q} <= {s1_read_q, s0_read};
      s7_again_q <= s6_valid_q && !s6_latent && !s6_stop;
      s7_store_q <= s6_act.instr && s6_instr_ok;
      retired_o <= s6_valid_q && !s6_replay;
    end
  end
  always_ff @(posedge clk_i) begin
    s7_store_addr_q <= s6_act.instr && s6_instr_ok ? s6_instr_addr : '0;
    s7_store_data_q <= s6_sum;
  end

  assign idle_o = cores_idle && !event_valid_o;
  logic unused;
  assign unused = ^{ctl_i, s5_sum};
endmodule
