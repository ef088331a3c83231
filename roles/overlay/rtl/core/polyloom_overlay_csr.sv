// SPDX-License-Identifier: Apache-2.0
// polyloom_overlay_csr: the control and status registers of a core's threads.
// How:          numbers are decoded in stages 3 and 4; held registers come with the instruction and are
//               changed in stage 6, when the operand is there. No instruction comes here whose number names no register.
// Latency:      number in stage 3, operand in stage 6, result for stage 7.
// Throughput:   an instruction a cycle.
// Backpressure: none; paths from stage 6's inputs to what is done in stage 6.
// Order/loss:   in order.
// Reset:        counters start anew and count; held registers by s6_clear_i, once for each thread.
// Limits:       of SendLen, SendPtr and InstrAddr bits that are beyond their range are kept as one: csrrc clears it only if it
//               clears all.
// Cost:         about 260 LUT4 with its counters (ECP5; part of polyloom_overlay_core).
// Source:       Tinsel; roles/overlay/sim/tile/tile_control.cc.
//               Tests: test_polyloom_overlay_csr.py, test_polyloom_overlay_cores.py
module polyloom_overlay_csr
  import polyloom_overlay_pkg::*;
  import polyloom_overlay_csrs_pkg::*;
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
    input logic s5_keep_i,  // and has a result; else it is 0
    input logic [2:0] s5_f3_i,
    input logic s5_source_i,  // register or immediate that it names is not 0
    input logic [3:0] s5_thread_i,
    input logic [31:0] s5_operand_i,  // of CSR instructions the same as in stage 6, where the adder adds 0
    output logic s5_flush_o,  // it is a flush
    output logic s5_new_thread_o,  // it starts the thread that the operand names
    output logic [2:0] s5_frm_o,
    // Stage 6
    input logic s6_bubble_i,  // nothing was issued
    input logic [3:0] s6_thread_i,
    input logic [31:0] s6_operand_i,
    input logic [4:0] s6_flags_i,  // of the response that the thread has come back with
    input logic s6_clear_i,  // all that the thread holds
    input logic s6_stop_i,  // the thread stops: SendLen := 0
    input context_t s5_held_i,
    output context_t s7_held_o,  // pc as it was
    output csr_act_t s6_act_o,
    output logic [DEST_BITS-1:0] s6_dest_o,
    output logic s6_astray_o,  // SendPtr is no slot's address
    output logic [SLOT_BITS-1:0] s6_slot_o,
    output logic [2:0] s6_len_o,  // flits - 1; [2]: 5 or more
    output logic [AddrBits-1:0] s6_instr_addr_o,
    output logic s6_instr_ok_o,  // InstrAddr is inside
    output logic s6_thread_ok_o,  // the operand is a thread's number
    input logic [Cfg.threads-1:0] can_send_i,
    input logic s6_can_recv_i,
    input logic [8:0] s6_uart_i,  // valid, byte
    input logic s6_uart_accepted_i,  // the host can be told: ToUart's byte is taken, FromUart's is given
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
  // Which register it is, by pages: the upper eight bits of its number.
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
  } messages_t;
  typedef struct packed {
    logic cycle, flush, perf, idle, idle_u, cycle_u, sent_inter, sent, writebacks, hits, misses;
  } counters_t;
  typedef struct packed {logic fflags, frm, fcsr;} floats_t;
  typedef struct packed {
    messages_t m;  // 80
    counters_t c;  // c0
    logic hart_id;  // f1
    floats_t f;  // 00
  } sel_t;

  // ---- decoding ----
  // The page clears the registers of the numbers that are not in it, which takes no LUTs.
  sel_t s4_sel, s5_sel_q, s6_sel_q;
  logic [3:0] low_q;
  logic page_8_q, page_c_q, page_f_q, page_0_q;
  logic s6_keep_q;
  assign s4_sel = '{
          m: '{
              instr_addr: low_q == 4'(CSR_INSTR_ADDR),
              instr: low_q == 4'(CSR_INSTR),
              free: low_q == 4'(CSR_FREE),
              can_send: low_q == 4'(CSR_CAN_SEND),
              can_recv: low_q == 4'(CSR_CAN_RECV),
              send_len: low_q == 4'(CSR_SEND_LEN),
              send_ptr: low_q == 4'(CSR_SEND_PTR),
              send_dest: low_q == 4'(CSR_SEND_DEST),
              recv: low_q == 4'(CSR_RECV),
              wait_until: low_q == 4'(CSR_WAIT_UNTIL),
              from_uart: low_q == 4'(CSR_FROM_UART),
              to_uart: low_q == 4'(CSR_TO_UART),
              new_thread: low_q == 4'(CSR_NEW_THREAD),
              kill: low_q == 4'(CSR_KILL_THREAD)
          },
          c: '{
              cycle: low_q == 4'(CSR_CYCLE),
              flush: low_q == 4'(CSR_FLUSH),
              perf: low_q == 4'(CSR_PERF_COUNT),
              idle: low_q == 4'(CSR_CPU_IDLE_COUNT),
              idle_u: low_q == 4'(CSR_CPU_IDLE_COUNT_U),
              cycle_u: low_q == 4'(CSR_CYCLE_U),
              sent_inter: low_q == 4'(CSR_PROG_ROUTER_SENT_INTER),
              sent: low_q == 4'(CSR_PROG_ROUTER_SENT),
              writebacks: low_q == 4'(CSR_WRITEBACK_COUNT),
              hits: low_q == 4'(CSR_HIT_COUNT),
              misses: low_q == 4'(CSR_MISS_COUNT)
          },
          hart_id: low_q == 4'(CSR_HART_ID),
          f: '{fflags: low_q == 4'(CSR_FFLAGS), frm: low_q == 4'(CSR_FRM), fcsr: low_q == 4'(CSR_FCSR)}
      };

  always_ff @(posedge clk_i) begin
    low_q <= s3_number_i[3:0];
    page_8_q <= s3_number_i[11:4] == 8'(CSR_INSTR_ADDR >> 4);
    page_c_q <= s3_number_i[11:4] == 8'(CSR_CYCLE >> 4);
    page_f_q <= s3_number_i[11:4] == 8'(CSR_HART_ID >> 4);
    page_0_q <= Cfg.fpu && s3_number_i[11:4] == 8'(CSR_FFLAGS >> 4);
    s5_sel_q <= '0;
    if (page_8_q) s5_sel_q.m <= s4_sel.m;
    if (page_c_q) s5_sel_q.c <= s4_sel.c;
    if (page_f_q) s5_sel_q.hart_id <= s4_sel.hart_id;
    if (page_0_q) s5_sel_q.f <= s4_sel.f;
    s6_sel_q  <= s5_csr_i ? s5_sel_q : '0;
    s6_keep_q <= s5_csr_i && s5_keep_i;
  end

  // Which thing is done: csrrw always writes, the others if they name a register or a number other than 0.
  typedef enum logic [1:0] {
    KEEP,
    WRITE,
    SET,
    CLEAR
  } update_e;
  typedef logic [1:0] op_t;

  logic s5_writes, s6_writes_q;
  op_t s6_op_q, s6_dest_op_q, s6_slot_op_q, s6_len_op_q, s6_addr_op_q;
  assign s5_writes = s5_f3_i[1:0] == 2'd1 || s5_source_i;
  assign s5_flush_o = s5_csr_i && s5_writes && s5_sel_q.c.flush;
  assign s5_new_thread_o = s5_csr_i && s5_writes && s5_sel_q.m.new_thread;
  always_ff @(posedge clk_i) begin
    s6_writes_q <= s5_writes;
    s6_op_q <= s5_f3_i[1:0];
    s6_dest_op_q <= KEEP;
    s6_slot_op_q <= KEEP;
    s6_len_op_q <= KEEP;
    s6_addr_op_q <= KEEP;
    s6_act_o <= '0;
    if (s5_csr_i) begin
      s6_act_o.recv <= s5_sel_q.m.recv;
      s6_act_o.from_uart <= s5_sel_q.m.from_uart;
      if (s5_writes) begin
        if (s5_sel_q.m.send_dest) s6_dest_op_q <= s5_f3_i[1:0];
        if (s5_sel_q.m.send_ptr) s6_slot_op_q <= s5_f3_i[1:0];
        if (s5_sel_q.m.send_len) s6_len_op_q <= s5_f3_i[1:0];
        if (s5_sel_q.m.instr_addr) s6_addr_op_q <= s5_f3_i[1:0];
        s6_act_o.instr <= s5_sel_q.m.instr;
        s6_act_o.free <= s5_sel_q.m.free;
        s6_act_o.wait_until <= s5_sel_q.m.wait_until;
        s6_act_o.new_thread <= s5_sel_q.m.new_thread;
        s6_act_o.kill <= s5_sel_q.m.kill;
        s6_act_o.flush <= s5_sel_q.c.flush;
        s6_act_o.to_uart <= s5_sel_q.m.to_uart;
      end
    end
  end

  // ---- held registers ----
  // Whole words: a simulator takes a bit at a time as long.
  function automatic logic [31:0] updated(input logic [31:0] old, input logic [31:0] operand, input op_t op);
    case (op)
      WRITE:   return operand;
      SET:     return old | operand;
      CLEAR:   return old & ~operand;
      default: return old;
    endcase
  endfunction

  context_t s6_held_q, s6_held;
  // Of the bits beyond the address, and of those between it and the length.
  localparam int unsigned Beyond = AddrBits > 2 ? AddrBits : 2;
  logic any_high, any_low, all_high, all_low, len_beyond, addr_beyond;
  assign any_high = |s5_operand_i[31:Beyond];
  assign all_high = &s5_operand_i[31:Beyond];
  if (AddrBits > 2) begin : gen_between
    assign any_low = |s5_operand_i[AddrBits-1:2];
    assign all_low = &s5_operand_i[AddrBits-1:2];
  end else begin : gen_nothing_between
    assign any_low = 1'b0;
    assign all_low = 1'b1;
  end
  logic s6_any_high_q, s6_any_low_q, s6_all_high_q, s6_all_low_q, s6_any_astray_q, s6_all_astray_q;
  always_ff @(posedge clk_i) begin
    s6_any_high_q <= any_high;
    s6_any_low_q <= any_low;
    s6_all_high_q <= all_high;
    s6_all_low_q <= all_low;
    s6_any_astray_q <= |s5_operand_i[31:16] || |s5_operand_i[5:0];
    s6_all_astray_q <= &s5_operand_i[31:16] && &s5_operand_i[5:0];
    s6_thread_ok_o <= s5_operand_i[31:$clog2(Cfg.threads)] == '0;
  end
  assign len_beyond = s6_len_op_q == CLEAR ? s6_all_high_q && s6_all_low_q : s6_any_high_q || s6_any_low_q;
  if (AddrBits > 1) begin : gen_addr
    assign addr_beyond = s6_addr_op_q == CLEAR ? s6_all_high_q : s6_any_high_q;
  end else begin : gen_one_bit
    assign addr_beyond = s6_addr_op_q == CLEAR ? s6_all_high_q && s6_operand_i[1] : s6_any_high_q || s6_operand_i[1];
  end

  always_comb begin
    s6_held = s6_held_q;
    if (s6_dest_op_q != KEEP) begin
      s6_held.dest = DEST_BITS'(updated(32'(s6_held_q.dest), s6_operand_i, s6_dest_op_q));
    end
    if (s6_slot_op_q != KEEP) begin
      {s6_held.astray, s6_held.scratchpad, s6_held.slot} = (SLOT_BITS + 2)'(updated(
        32'({
          s6_held_q.astray, s6_held_q.scratchpad, s6_held_q.slot
        }),
        32'({
          s6_slot_op_q == CLEAR ? s6_all_astray_q : s6_any_astray_q, s6_operand_i[6+:SLOT_BITS+1]
        }),
        s6_slot_op_q
      ));
    end
    if (s6_len_op_q != KEEP) begin
      s6_held.len = 3'(updated(32'(s6_held_q.len), 32'({len_beyond, s6_operand_i[1:0]}), s6_len_op_q));
    end
    if (s6_addr_op_q != KEEP) begin
      s6_held.addr[AddrBits-1:0] = AddrBits'(updated(32'(s6_held_q.addr), s6_operand_i, s6_addr_op_q));
      s6_held.beyond = 1'(updated(32'(s6_held_q.beyond), 32'(addr_beyond), s6_addr_op_q));
    end
  end

  always_ff @(posedge clk_i) begin
    s6_held_q <= s5_held_i;
    s7_held_o <= s6_held;
    if (s6_clear_i) s7_held_o <= '0;
    if (s6_stop_i) s7_held_o.len <= '0;
  end
  assign s6_dest_o = s6_held_q.dest;
  assign s6_astray_o = s6_held_q.astray || !s6_held_q.scratchpad;
  assign s6_slot_o = s6_held_q.slot;
  assign s6_len_o = s6_held_q.len;
  assign s6_instr_addr_o = s6_held_q.addr[AddrBits-1:0];
  assign s6_instr_ok_o = !s6_held_q.beyond;

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
        if (s6_sel_q.f.fcsr) s6_fcsr_d = 8'(updated(32'(s6_old), s6_operand_i, s6_op_q));
        if (s6_sel_q.f.fflags) s6_fcsr_d[4:0] = 5'(updated(32'(s6_old[4:0]), s6_operand_i, s6_op_q));
        if (s6_sel_q.f.frm) s6_fcsr_d[7:5] = 3'(updated(32'(s6_old[7:5]), s6_operand_i, s6_op_q));
      end
      if (s6_clear_i) s6_fcsr_d = '0;
    end
    always_ff @(posedge clk_i) begin
      s6_fcsr_q <= s5_fcsr;
      if (!s6_bubble_i || s6_clear_i) fcsr_q[s6_thread_i] <= s6_fcsr_d;
    end
    assign s6_fp_value = ({8{s6_sel_q.f.fcsr}} & s6_old) | (8'(s6_old[4:0]) & {8{s6_sel_q.f.fflags}}) |
        (8'(s6_old[7:5]) & {8{s6_sel_q.f.frm}});
  end else begin : gen_no_fcsr
    logic unused;
    assign unused = ^{s5_thread_i, s6_op_q, s6_flags_i, s6_sel_q.f.fflags, s6_sel_q.f.frm, s6_sel_q.f.fcsr};
    assign s5_frm_o = '0;
    assign s6_fp_value = '0;
  end

  // ---- counters: of cycles and of those in which no thread could issue, as they were when the instruction issued ----
  logic [CALL_CYCLES-1:0] alive_q;  // the first instruction that can be was issued in the first cycle
  logic [39:0] cycle, idle;
  logic counting_q, perf;
  assign perf = s6_sel_q.c.perf && s6_writes_q;
  assign perf_reset_o = perf && !s6_any_high_q && !s6_any_low_q && s6_operand_i[1:0] == 2'd0;
  assign perf_counting_o = perf && !s6_any_high_q && !s6_any_low_q && (s6_operand_i[1] ^ s6_operand_i[0]) ? s6_operand_i[0] :
      counting_q;

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
  // The instruction that resets them is counted itself, and is no bubble.
  polyloom_overlay_count i_cycle (
      .clk_i  (free_clk_i),
      .clear_i(perf_reset_o || !alive),
      .first_i(perf_counting_o && alive),
      .count_i(perf_counting_o),
      .value_o(cycle)
  );
  polyloom_overlay_count i_idle (
      .clk_i  (free_clk_i),
      .clear_i(perf_reset_o || !alive),
      .first_i(1'b0),
      .count_i(perf_counting_o && s6_bubble_i),
      .value_o(idle)
  );

  // ---- result ----
  assign s6_outside_o = {
    s6_sel_q.c.sent_inter, s6_sel_q.c.sent, s6_sel_q.c.writebacks, s6_sel_q.c.hits, s6_sel_q.c.misses
  };
  // What is not asked for is zero, so that an OR joins the rest.
  logic [31:0] s7_cycle_q, s7_idle_q, s7_value_q;
  always_ff @(posedge clk_i) begin
    logic [31:0] value;
    logic can;
    s7_cycle_q <= '0;
    s7_idle_q  <= '0;
    s7_value_q <= '0;
    if (s6_keep_q) begin
      if (s6_sel_q.c.cycle) s7_cycle_q <= cycle[31:0];
      if (s6_sel_q.c.idle) s7_idle_q <= idle[31:0];
      can   = (s6_sel_q.m.can_send && can_send_i[index_t'(s6_thread_i)]) || (s6_sel_q.m.can_recv && s6_can_recv_i);
      value = '0;
      if (s6_sel_q.c.cycle_u) value |= 32'(cycle[39:32]);
      if (s6_sel_q.c.idle_u) value |= 32'(idle[39:32]);
      value |= s6_outside_i;
      if (s6_sel_q.hart_id) value |= 32'(core_id_i | 16'(s6_thread_i));
      if (s6_sel_q.m.from_uart && s6_uart_i[8] && s6_uart_accepted_i) value |= 32'(s6_uart_i);
      value |= 32'(s6_fp_value);
      value[0] |= can || (s6_act_o.to_uart && s6_uart_accepted_i);
      s7_value_q <= value;
    end
  end
  assign s7_result_o = s7_cycle_q | s7_idle_q | s7_value_q;

  logic unused;  // what acts through s6_act_o
  assign unused = ^{s5_f3_i, s5_operand_i, s6_sel_q};

endmodule
