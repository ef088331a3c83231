// SPDX-License-Identifier: Apache-2.0
// polyloom_overlay_csr: the control and status registers of a core's threads.
// How:          numbers are decoded in stages 3 and 4; held registers (LUT RAM, a word a thread) are read in stage 5 and
//               written in stage 6, when the operand is there. Numbers that name no register read 0 and ignore writes.
// Latency:      number in stage 3, operand in stage 6, result for stage 7.
// Throughput:   an instruction a cycle.
// Backpressure: none; paths from stage 6's inputs to what is done in stage 6.
// Order/loss:   in order.
// Reset:        counters start anew and count; held registers by s6_clear_i, once for each thread.
// Limits:       of SendLen and InstrAddr bits that are beyond their range are kept as one: csrrc clears it only if it clears all.
// Cost:         about 450 LUT4 (ECP5; part of polyloom_overlay_core).
// Source:       Tinsel; roles/overlay/sim/tile/tile_control.cc.   Tests: test_polyloom_overlay_cores.py
module polyloom_overlay_csr
  import polyloom_overlay_pkg::*;
#(
    parameter  cfg_t        Cfg      = TINY,
    localparam int unsigned AddrBits = $clog2(Cfg.instr_words)
) (
    input logic clk_i,
    input logic free_clk_i,  // runs while clk_i stands still: counters
    input logic rst_ni,
    // Stages 3 and 5
    input logic [11:0] s3_number_i,
    input logic s5_csr_i,  // a CSR instruction that takes effect
    input logic [2:0] s5_f3_i,
    input logic s5_source_i,  // register or immediate that it names is not 0
    input logic [3:0] s5_thread_i,
    output logic s5_flush_o,  // it is a flush
    output logic [2:0] s5_frm_o,
    // Stage 6
    input logic s6_bubble_i,  // nothing was issued
    input logic [3:0] s6_thread_i,
    input logic [31:0] s6_operand_i,
    input logic [4:0] s6_flags_i,  // of the answer that the thread has come back with
    input logic s6_clear_i,  // all that the thread holds
    input logic s6_stop_i,  // the thread stops: SendLen := 0
    output csr_act_t s6_act_o,
    output logic [DEST_BITS-1:0] s6_dest_o,
    output logic [SLOT_BITS-1:0] s6_slot_o,
    output logic [1:0] s6_len_o,  // flits - 1
    output logic [AddrBits-1:0] s6_instr_addr_o,
    output logic s6_instr_ok_o,  // InstrAddr is inside
    input logic [Cfg.threads-1:0] can_send_i,
    input logic s6_can_recv_i,
    input logic [8:0] s6_uart_i,  // valid, byte
    input logic s6_uart_taken_i,  // ToUart's byte is taken
    input logic s6_keep_i,  // the instruction has this result; else it is 0
    // Constants and counters from outside
    input logic [15:0] core_id_i,  // of the core's thread 0
    output logic [4:0] s6_outside_o,  // which: misses, hits, write-backs, router's two
    input logic [31:0] s6_outside_i,
    output logic perf_reset_o,
    output logic perf_counting_o,
    // Stage 7
    output logic [31:0] s7_result_o
);

  localparam int unsigned IndexBits = Cfg.threads > 1 ? $clog2(Cfg.threads) : 1;
  typedef logic [IndexBits-1:0] index_t;
  typedef struct packed {
    logic instr_addr,
        instr,
        free,
        can_send,
        can_recv,
        send_len,
        send_ptr,
        send_dest,
        recv,
        wait_until,
        from_uart,
        to_uart,
        new_thread,
        kill
    ;
    logic cycle, flush, perf, misses, hits, writebacks, idle, idle_u, cycle_u, sent, sent_inter, hart_id;
    logic fflags, frm, fcsr;
  } sel_t;

  // ---- decoding ----
  sel_t s4_sel_q, s5_sel_q, s6_sel_q;
  logic [3:0] low;
  logic page_8, page_c, page_f, page_0;
  assign low = s3_number_i[3:0];
  assign page_8 = s3_number_i[11:4] == 8'h80;
  assign page_c = s3_number_i[11:4] == 8'hc0;
  assign page_f = s3_number_i[11:4] == 8'hf1;
  assign page_0 = Cfg.fpu && s3_number_i[11:4] == 8'h00;

  always_ff @(posedge clk_i) begin
    s4_sel_q <= '{
        instr_addr: page_8 && low == 4'h0,
        instr: page_8 && low == 4'h1,
        free: page_8 && low == 4'h2,
        can_send: page_8 && low == 4'h3,
        can_recv: page_8 && low == 4'h5,
        send_len: page_8 && low == 4'h6,
        send_ptr: page_8 && low == 4'h7,
        send_dest: page_8 && low == 4'h8,
        recv: page_8 && low == 4'h9,
        wait_until: page_8 && low == 4'ha,
        from_uart: page_8 && low == 4'hb,
        to_uart: page_8 && low == 4'hc,
        new_thread: page_8 && low == 4'hd,
        kill: page_8 && low == 4'he,
        cycle: page_c && low == 4'h0,
        flush: page_c && low == 4'h1,
        perf: page_c && low == 4'h7,
        misses: page_c && low == 4'h8,
        hits: page_c && low == 4'h9,
        writebacks: page_c && low == 4'ha,
        idle: page_c && low == 4'hb,
        idle_u: page_c && low == 4'hc,
        cycle_u: page_c && low == 4'hd,
        sent: page_c && low == 4'he,
        sent_inter: page_c && low == 4'hf,
        hart_id: page_f && low == 4'h4,
        fflags: page_0 && low == 4'h1,
        frm: page_0 && low == 4'h2,
        fcsr: page_0 && low == 4'h3
    };
    s5_sel_q <= s4_sel_q;
    s6_sel_q <= s5_csr_i ? s5_sel_q : '0;
  end

  // Which thing is done: csrrw always writes, the others if they name a register or a number other than 0.
  logic s5_writes, s6_writes_q;
  logic [1:0] s6_op_q;
  assign s5_writes  = s5_f3_i[1:0] == 2'd1 || s5_source_i;
  assign s5_flush_o = s5_csr_i && s5_writes && s5_sel_q.flush;
  always_ff @(posedge clk_i) begin
    s6_writes_q <= s5_writes;
    s6_op_q <= s5_f3_i[1:0];
    s6_act_o <= '0;
    if (s5_csr_i) begin
      s6_act_o.recv <= s5_sel_q.recv;
      s6_act_o.from_uart <= s5_sel_q.from_uart;
      if (s5_writes) begin
        s6_act_o.instr <= s5_sel_q.instr;
        s6_act_o.free <= s5_sel_q.free;
        s6_act_o.wait_until <= s5_sel_q.wait_until;
        s6_act_o.new_thread <= s5_sel_q.new_thread;
        s6_act_o.kill <= s5_sel_q.kill;
        s6_act_o.flush <= s5_sel_q.flush;
        s6_act_o.to_uart <= s5_sel_q.to_uart;
      end
    end
  end

  // ---- held registers ----
  typedef enum logic [1:0] {
    ZERO,
    WRITE,
    SET,
    CLEAR
  } update_e;
  // Whole words: a simulator takes a bit at a time as long.
  function automatic logic [31:0] updated(input logic [31:0] old, input logic [31:0] operand, input logic [1:0] op);
    case (op)
      WRITE:   return operand;
      SET:     return old | operand;
      CLEAR:   return old & ~operand;
      default: return '0;
    endcase
  endfunction

  logic [DEST_BITS-1:0] dest_q[16];
  logic [SLOT_BITS-1:0] slot_q[16];
  logic [2:0] len_q[16];  // [2]: 4 or more
  logic [AddrBits:0] addr_q[16];  // [AddrBits]: beyond the end
  logic [DEST_BITS-1:0] s6_dest_d;
  logic [SLOT_BITS-1:0] s6_slot_d;
  logic [2:0] s6_len_q, s6_len_d, len_operand;
  logic [AddrBits:0] s6_addr_q, s6_addr_d, addr_operand;
  logic [1:0] op;
  logic len_beyond, addr_beyond;

  assign op = s6_clear_i || s6_stop_i ? ZERO : s6_op_q;
  assign len_beyond = op == CLEAR ? &s6_operand_i[31:2] : |s6_operand_i[31:2];
  assign addr_beyond = op == CLEAR ? &s6_operand_i[31:AddrBits] : |s6_operand_i[31:AddrBits];
  assign len_operand = {len_beyond, s6_operand_i[1:0]};
  assign addr_operand = {addr_beyond, s6_operand_i[AddrBits-1:0]};

  always_comb begin
    s6_dest_d = DEST_BITS'(updated(32'(s6_dest_o), s6_operand_i, op));
    s6_slot_d = SLOT_BITS'(updated(32'(s6_slot_o), 32'(s6_operand_i[31:6]), op));
    s6_len_d  = 3'(updated(32'(s6_len_q), 32'(len_operand), op));
    s6_addr_d = (AddrBits + 1)'(updated(32'(s6_addr_q), 32'(addr_operand), op));
  end

  always_ff @(posedge clk_i) begin
    s6_dest_o <= dest_q[s5_thread_i];
    s6_slot_o <= slot_q[s5_thread_i];
    s6_len_q  <= len_q[s5_thread_i];
    s6_addr_q <= addr_q[s5_thread_i];
    if (s6_clear_i || (s6_writes_q && s6_sel_q.send_dest)) dest_q[s6_thread_i] <= s6_dest_d;
    if (s6_clear_i || (s6_writes_q && s6_sel_q.send_ptr)) slot_q[s6_thread_i] <= s6_slot_d;
    if (s6_clear_i || s6_stop_i || (s6_writes_q && s6_sel_q.send_len)) len_q[s6_thread_i] <= s6_len_d;
    if (s6_clear_i || (s6_writes_q && s6_sel_q.instr_addr)) addr_q[s6_thread_i] <= s6_addr_d;
  end

  localparam logic [2:0] MAX_LEN = 3'(Cfg.max_flits - 1);
  assign s6_len_o = s6_len_q > MAX_LEN ? MAX_LEN[1:0] : s6_len_q[1:0];
  assign s6_instr_addr_o = s6_addr_q[AddrBits-1:0];
  assign s6_instr_ok_o = !s6_addr_q[AddrBits];

  // ---- floating point: rounding mode in [7:5], flags in [4:0] ----
  logic [7:0] s6_fp_value;  // as the CSR shows it
  if (Cfg.fpu) begin : gen_fcsr
    logic [7:0] fcsr_q[16];
    logic [7:0] s5_fcsr, s6_fcsr_q, s6_old, s6_fcsr_d;
    assign s5_fcsr  = fcsr_q[s5_thread_i];
    assign s5_frm_o = s5_fcsr[7:5];
    assign s6_old   = s6_fcsr_q | 8'(s6_flags_i);
    always_comb begin
      s6_fcsr_d = s6_old;
      if (s6_writes_q) begin
        if (s6_sel_q.fcsr) s6_fcsr_d = 8'(updated(32'(s6_old), s6_operand_i, s6_op_q));
        if (s6_sel_q.fflags) s6_fcsr_d[4:0] = 5'(updated(32'(s6_old[4:0]), s6_operand_i, s6_op_q));
        if (s6_sel_q.frm) s6_fcsr_d[7:5] = 3'(updated(32'(s6_old[7:5]), s6_operand_i, s6_op_q));
      end
      if (s6_clear_i) s6_fcsr_d = '0;
    end
    always_ff @(posedge clk_i) begin
      s6_fcsr_q <= s5_fcsr;
      if (!s6_bubble_i || s6_clear_i) fcsr_q[s6_thread_i] <= s6_fcsr_d;
    end
    assign s6_fp_value = ({8{s6_sel_q.fcsr}} & s6_old) | (8'(s6_old[4:0]) & {8{s6_sel_q.fflags}}) |
        (8'(s6_old[7:5]) & {8{s6_sel_q.frm}});
  end else begin : gen_no_fcsr
    logic unused;
    assign unused = ^{s6_flags_i, s6_sel_q.fflags, s6_sel_q.frm, s6_sel_q.fcsr};
    assign s5_frm_o = '0;
    assign s6_fp_value = '0;
  end

  // ---- counters: of cycles and of those in which no thread could issue, as they were when the instruction issued ----
  logic [CALL_CYCLES-1:0] alive_q;  // the first instruction that can be was issued in the first cycle
  logic [39:0] cycle_q, idle_q;
  logic counting_q, perf;
  assign perf = s6_sel_q.perf && s6_writes_q;
  assign perf_reset_o = perf && s6_operand_i == 32'd0;
  assign perf_counting_o = perf && (s6_operand_i == 32'd1 || s6_operand_i == 32'd2) ? s6_operand_i[0] : counting_q;

  logic alive;
  assign alive = alive_q[CALL_CYCLES-1];

  always_ff @(posedge free_clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      alive_q <= '0;
      counting_q <= 1'b1;
    end else begin
      alive_q <= {alive_q[CALL_CYCLES-2:0], 1'b1};
      counting_q <= perf_counting_o;
    end
  end
  always_ff @(posedge free_clk_i) begin
    cycle_q <= cycle_q + 40'(perf_counting_o);
    idle_q  <= idle_q + 40'(perf_counting_o && s6_bubble_i);
    if (perf_reset_o || !alive) begin  // the instruction that resets them is counted itself, and is no bubble
      cycle_q <= 40'(perf_counting_o && alive);
      idle_q  <= '0;
    end
  end

  // ---- result ----
  assign s6_outside_o = {s6_sel_q.sent_inter, s6_sel_q.sent, s6_sel_q.writebacks, s6_sel_q.hits, s6_sel_q.misses};
  logic [31:0] value;
  logic can;
  always_comb begin
    can   = (s6_sel_q.can_send && can_send_i[index_t'(s6_thread_i)]) || (s6_sel_q.can_recv && s6_can_recv_i);
    value = '0;
    if (s6_sel_q.cycle) value |= cycle_q[31:0];
    if (s6_sel_q.cycle_u) value |= 32'(cycle_q[39:32]);
    if (s6_sel_q.idle) value |= idle_q[31:0];
    if (s6_sel_q.idle_u) value |= 32'(idle_q[39:32]);
    value |= s6_outside_i;
    if (s6_sel_q.hart_id) value |= 32'(core_id_i | 16'(s6_thread_i));
    if (s6_sel_q.from_uart && s6_uart_i[8]) value |= 32'(s6_uart_i);
    value |= 32'(s6_fp_value);
    value[0] |= can || (s6_act_o.to_uart && s6_uart_taken_i);
  end
  always_ff @(posedge clk_i) s7_result_o <= s6_keep_i ? value : '0;

  logic unused;  // what acts through s6_act_o
  assign unused = ^{s5_f3_i, s6_sel_q};

endmodule
