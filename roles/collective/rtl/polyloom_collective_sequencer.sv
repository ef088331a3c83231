// SPDX-License-Identifier: Apache-2.0
// polyloom_collective_sequencer: runs a program: collects a step in shadow registers, starts it with one go.
// How:          instruction -> check -> shadow registers --go--> all engines at once (M_DMAC)
//               go waits until the step before it is done. Two bitmaps, sources mentioned and sources used, must be
//               equal at go: else a stream would have an end only.
// Latency:      go_o to done: done_i is looked at from the cycle after go; step done to the next go 2 cycles (done_to_go)
//               and step_cycles; start to the first instruction 1 cycle and command_cycles.
// Throughput:   one instruction a cycle.
// Backpressure: go and end wait for the step before; nothing else waits.
// Order/loss:   program order.
// Reset:        idle, shadow registers empty.
// Limits:       what it refuses is a bad_program fault with word 0 of the instruction: unknown op, index or source that
//               the node has not, path that the switch has not (from an operator back into it, but from the first
//               partition to the second, is none), pattern that is empty or not aligned, operator kind
//               that the slot has not, flags that the op has not, an engine named twice in a step; at go (its word) a
//               source without sink, a sink without source, feed without config. Only an operator may have an output
//               without sink.
// Cost:         531 LUT, 3,277 FF; 820 ALM
//               (of 7 lanes, 8 channels, no operator; see polyloom_collective_engine).
// Source:       own design, after OPTWEB section 2.C (command sequencer).
// Tests:        test_polyloom_collective_sequencer.py, rtl_engine.cc
module polyloom_collective_sequencer
  import polyloom_collective_pkg::*;
  import polyloom_collective_encoding_pkg::*;
  import polyloom_operator_kinds_pkg::KIND_PARTITION;
#(
    parameter cfg_t Cfg = SMALL,
    localparam int unsigned N = Cfg.op_inputs * Cfg.partitions,  // of the slot
    localparam int unsigned M = Cfg.op_outputs * Cfg.partitions,
    localparam int unsigned Sources = Cfg.channels + Cfg.lanes + M,
    localparam int unsigned Sinks = Cfg.channels + Cfg.lanes + N,
    localparam int unsigned Outputs = M > 0 ? M : 1,
    localparam int unsigned Inputs = N > 0 ? N : 1
) (
    input logic clk_i,
    input logic rst_ni,
    input logic stop_i,
    input logic flush_i,
    input logic start_i,
    input logic [15:0] start_index_i,
    output logic running_o,
    // from program
    input logic valid_i,
    input instruction_t instruction_i,
    input logic [15:0] index_i,
    output logic next_o,
    // to registers
    output logic mark_o,  // a step is done in this cycle
    output logic [7:0] mark_index_o,
    output logic end_o,  // the program is done in this cycle
    output logic [15:0] step_o,  // instruction of the last go or of what is refused
    output fault_t fault_o,
    // to all engines: the step
    output logic go_o,
    output logic together_o,
    output dma_step_t [Cfg.channels-1:0] read_o,
    output dma_step_t [Cfg.channels-1:0] write_o,
    output lane_step_t [Cfg.lanes-1:0] send_o,
    output lane_step_t [Cfg.lanes-1:0] accept_o,
    output logic [Cfg.lanes-1:0] relay_o,
    output logic [Inputs-1:0] feed_o,
    output config_step_t [Outputs-1:0] config_o,
    output logic [Sinks-1:0][Sources-1:0] select_o,
    // from all engines
    input logic active_i  // any is at work
);
  localparam int unsigned C = Cfg.channels;
  localparam int unsigned L = Cfg.lanes;

  instruction_t in;
  assign in = instruction_i;

  // Source number to one bit; none if the node has no such source.
  logic [Sources-1:0] source;
  always_comb begin
    source = '0;
    for (int unsigned c = 0; c < C; c++) source[c] = in.source == FROM_READ + c[7:0];
    for (int unsigned l = 0; l < L; l++) source[C+l] = in.source == FROM_LANE + l[7:0];
    for (int o = 0; o < int'(M); o++) source[int'(C+L)+o] = in.source == FROM_OPERATOR + o[7:0];
  end
  logic from_read, from_lane, from_operator, to_second;
  assign from_read = |source[C-1:0];
  assign from_lane = |source[C+L-1:C];
  assign from_operator = (source >> (C + L)) != '0;
  // Nothing goes back into the operator, but from the first partition to the second.
  assign to_second = from_operator && (source >> (C + L + Cfg.op_outputs)) == '0 && 32'(in.index) >= Cfg.op_inputs;

  // Shadow registers.
  logic store, clear;
  logic [Sinks-1:0] sink_used_q;
  typedef struct packed {
    logic [1:0]  flags;
    logic [31:0] signature;
  } shadow_lane_t;
  typedef struct packed {
    logic [7:0]  kind;
    logic [63:0] word;
    logic [63:0] inputs;
  } shadow_config_t;
  pattern_t [C-1:0] read_q, write_q;
  logic [C-1:0] read_valid_q, open_q;
  shadow_lane_t [L-1:0] send_q, accept_q;
  logic [L-1:0] relay_q, send_valid_q, accept_valid_q;
  logic [Inputs-1:0] feed_q;
  logic [Outputs-1:0] config_valid_q;
  shadow_config_t [Outputs-1:0] config_q;
  logic [Sinks-1:0][Sources-1:0] select_q;

  // Checks of one instruction.
  logic index_ok, path_ok, pattern_ok, flags_ok, kind_ok, again, bad;
  always_comb begin
    pattern_ok = in.runs != '0 && in.run_bytes != '0 && in.base[4:0] == '0 && in.stride[4:0] == '0 &&
                 (in.stride[63:ADDR_W-1] == '0 || in.stride[63:ADDR_W-1] == '1) &&
                 (in.base >> Cfg.channel_bits) == '0;
    kind_ok = in.extra[31:5] == '0 && Cfg.op_kinds[in.extra[4:0]] && in.extra[7:0] != '0;
    unique case (in.op)
      OP_SEND, OP_TAKE: flags_ok = !(in.flags[0] && in.flags[1]) && in.flags[7:2] == '0;
      OP_WRITE: flags_ok = (in.flags & ~FLAG_OPEN_END) == '0;
      OP_GO: flags_ok = (in.flags & ~FLAG_TOGETHER) == '0;
      OP_END: flags_ok = 1'b1;
      default: flags_ok = in.flags == '0;
    endcase
    index_ok = 1'b1;
    path_ok  = 1'b1;
    unique case (in.op)
      OP_READ: index_ok = in.index < 8'(C);
      OP_WRITE: begin
        index_ok = in.index < 8'(C);
        path_ok  = from_lane || from_operator || (from_read && Cfg.copy_paths != 0);
      end
      OP_SEND: begin
        index_ok = in.index < 8'(L);
        path_ok  = in.flags[1] || from_read || from_operator || (from_lane && Cfg.relay_paths != 0);
      end
      OP_TAKE: index_ok = in.index < 8'(L);
      OP_FEED: begin
        index_ok = int'({1'b0, in.index}) < int'(N);
        path_ok  = from_read || from_lane || to_second;
      end
      // Only partition is there twice.
      OP_CONFIG: index_ok = int'({1'b0, in.index}) < int'(in.extra[7:0] == KIND_PARTITION ? M : Cfg.op_outputs);
      OP_GO: index_ok = in.index < 8'(MARKS) || in.index == 8'hff;
      default: index_ok = in.op == OP_END;
    endcase
    bad = !index_ok || !path_ok || !flags_ok || again;
    if (in.op == OP_READ || in.op == OP_WRITE) bad = bad || !pattern_ok;
    if (in.op == OP_CONFIG) bad = bad || !kind_ok;
  end

  // An engine that the step has already.
  always_comb begin
    again = 1'b0;
    for (int unsigned c = 0; c < C; c++) begin
      if (in.index == c[7:0]) again |= (in.op == OP_READ && read_valid_q[c]) || (in.op == OP_WRITE && sink_used_q[c]);
    end
    for (int unsigned l = 0; l < L; l++) begin
      if (in.index == l[7:0]) again |= (in.op == OP_SEND && send_valid_q[l]) || (in.op == OP_TAKE && accept_valid_q[l]);
    end
    for (int i = 0; i < int'(N); i++) if (in.index == i[7:0]) again |= in.op == OP_FEED && feed_q[i];
    for (int o = 0; o < int'(M); o++) begin
      if (in.index == o[7:0]) again |= in.op == OP_CONFIG && config_valid_q[o];
    end
  end

  logic running_q, busy_q, over_q, done_q, execute, go, loose;  // over: the step is done, the gap may not be
  logic [16:0] command_q, gap_q;  // cycles to wait: before the first instruction, after a step
  logic [ 7:0] mark_q;
  logic [15:0] step_q;
  logic [Sources-1:0] mentioned_q, used_q;

  assign loose = |(used_q & ~mentioned_q) || (C + L)'(mentioned_q & ~used_q) != '0 || (|feed_q && config_valid_q == '0);
  assign step_o = step_q;
  assign execute = valid_i && !stop_i && running_q && command_q == '0 && !((in.op == OP_GO || in.op == OP_END) && busy_q);
  assign go = execute && in.op == OP_GO && !bad && !loose;
  assign go_o = go;
  assign together_o = in.flags[0];
  assign next_o = execute;
  assign end_o = execute && in.op == OP_END;
  assign mark_o = busy_q && !over_q && !active_i && !stop_i;
  assign mark_index_o = mark_q;
  assign running_o = running_q;
  assign fault_o.code = execute && (bad || (in.op == OP_GO && loose)) ? FAULT_BAD_PROGRAM : FAULT_NONE;
  assign fault_o.value = {in.run_bytes, in.flags, in.source, in.index, in.op};

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      running_q <= 1'b0;
      busy_q <= 1'b0;
      done_q <= 1'b0;
      mark_q <= '1;
      step_q <= '0;
      over_q <= 1'b0;
      command_q <= '0;
      gap_q <= '0;
    end else begin
      if (stop_i || flush_i || end_o) running_q <= 1'b0;
      else if (start_i) running_q <= 1'b1;
      // done_q is a stage of its own: the AND of all engines and the start of all engines are far apart.
      if (start_i || (execute && (bad || in.op == OP_GO))) step_q <= start_i ? start_index_i : index_i;
      done_q <= mark_o;
      over_q <= mark_o || (over_q && !go);
      if (start_i) command_q <= 17'(Cfg.command_cycles);
      else if (command_q != '0) command_q <= command_q - 17'd1;
      if (stop_i) gap_q <= '0;
      else if (done_q) gap_q <= 17'(Cfg.step_cycles);
      else if (gap_q != '0) gap_q <= gap_q - 17'd1;
      if (go) begin
        busy_q <= 1'b1;
        mark_q <= in.index;
      end else if ((done_q && Cfg.step_cycles == 0) || gap_q == 17'd1 || flush_i || stop_i) busy_q <= 1'b0;
    end
  end

  // Shadow registers, written: valid bits are cleared by go, the rest by the next instruction that means them.
  assign store = execute && !bad;
  assign clear = go || start_i || flush_i;

  pattern_t pattern;
  logic pulse_only;
  assign pattern = '{
          base: in.base[ADDR_W-1:0],
          stride: in.stride[ADDR_W-1:0],
          run_bytes: in.run_bytes,
          runs: in.runs
      };
  assign pulse_only = |(in.flags & FLAG_PULSE_ONLY);

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      mentioned_q <= '0;
      used_q <= '0;
      relay_q <= '0;
      feed_q <= '0;
      read_valid_q <= '0;
      send_valid_q <= '0;
      accept_valid_q <= '0;
      config_valid_q <= '0;
      sink_used_q <= '0;
    end else if (clear) begin
      mentioned_q <= '0;
      used_q <= '0;
      relay_q <= '0;
      feed_q <= '0;
      read_valid_q <= '0;
      send_valid_q <= '0;
      accept_valid_q <= '0;
      config_valid_q <= '0;
      sink_used_q <= '0;
    end else if (store) begin
      for (int unsigned c = 0; c < C; c++) begin
        if (in.op == OP_READ && in.index == c[7:0]) {mentioned_q[c], read_valid_q[c]} <= '1;
        if (in.op == OP_WRITE && in.index == c[7:0]) sink_used_q[c] <= 1'b1;
      end
      for (int unsigned l = 0; l < L; l++) begin
        if (in.op == OP_TAKE && in.index == l[7:0]) accept_valid_q[l] <= 1'b1;
        if (in.op == OP_SEND && in.index == l[7:0]) send_valid_q[l] <= 1'b1;
        if (in.op == OP_TAKE && in.index == l[7:0] && !pulse_only) mentioned_q[C+l] <= 1'b1;
        if (in.op == OP_SEND && in.index == l[7:0] && !pulse_only) sink_used_q[C+l] <= 1'b1;
        if (in.op == OP_SEND && !pulse_only && source[C+l]) relay_q[l] <= 1'b1;
      end
      for (int o = 0; o < int'(M); o++) begin
        if (in.op == OP_CONFIG && in.index == o[7:0]) {mentioned_q[int'(C+L)+o], config_valid_q[o]} <= '1;
      end
      for (int i = 0; i < int'(N); i++) begin
        if (in.op == OP_FEED && in.index == i[7:0]) begin
          feed_q[i] <= 1'b1;
          sink_used_q[int'(C+L)+i] <= 1'b1;
        end
      end
      if (in.op == OP_WRITE || in.op == OP_FEED || (in.op == OP_SEND && !pulse_only)) used_q <= used_q | source;
    end
  end

  // What the valid bits stand for; not reset.
  for (genvar c = 0; c < int'(C); c++) begin : gen_channel
    always_ff @(posedge clk_i) begin
      if (store && in.index == 8'(c)) begin
        if (in.op == OP_READ) read_q[c] <= pattern;
        if (in.op == OP_WRITE) begin
          write_q[c]  <= pattern;
          open_q[c]   <= |(in.flags & FLAG_OPEN_END);
          select_q[c] <= source;
        end
      end
    end
    assign read_o[c]  = '{valid: read_valid_q[c], open_end: 1'b0, pattern: read_q[c]};
    assign write_o[c] = '{valid: sink_used_q[c], open_end: open_q[c], pattern: write_q[c]};
  end
  for (genvar l = 0; l < int'(L); l++) begin : gen_lane
    always_ff @(posedge clk_i) begin
      if (store && in.index == 8'(l)) begin
        if (in.op == OP_SEND) send_q[l] <= '{flags: in.flags[1:0], signature: in.extra};
        if (in.op == OP_TAKE) accept_q[l] <= '{flags: in.flags[1:0], signature: in.extra};
        if (in.op == OP_SEND) select_q[C+l] <= source;
      end
    end
    assign send_o[l]   = '{send_valid_q[l], send_q[l].flags[0], send_q[l].flags[1], send_q[l].signature};
    assign accept_o[l] = '{accept_valid_q[l], accept_q[l].flags[0], accept_q[l].flags[1], accept_q[l].signature};
  end
  for (genvar i = 0; i < int'(N); i++) begin : gen_input
    always_ff @(posedge clk_i) begin
      if (store && in.op == OP_FEED && in.index == 8'(i)) select_q[C+L+i] <= source;
    end
  end
  for (genvar o = 0; o < int'(Outputs); o++) begin : gen_output
    always_ff @(posedge clk_i) begin
      if (store && in.op == OP_CONFIG && in.index == 8'(o)) config_q[o] <= '{in.extra[7:0], in.base, in.stride};
    end
    assign config_o[o] = '{config_valid_q[o], config_q[o].kind, config_q[o].word, config_q[o].inputs};
  end

  assign relay_o = relay_q;
  assign feed_o  = feed_q;
  for (genvar k = 0; k < int'(Sinks); k++) begin : gen_select
    assign select_o[k] = select_q[k] & {Sources{sink_used_q[k]}};
  end
endmodule
