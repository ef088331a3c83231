// SPDX-License-Identifier: Apache-2.0
// polyloom_overlay_issue: a core's first stage: which thread issues, and what its port of the instruction memory does.
// How:          responses -> resume -> ready queue -> pc -> address. A slot without an issue carries what the host asks or, after
//               reset, the clearing of what threads hold. A word that a thread stores comes before all, so that the thread's next
//               instruction finds it; the host waits until no thread of an
//               earlier cycle is ready, but 7 cycles at most.
// Latency:      a response of cycle A lets its thread issue in A + 2; one that comes round in stage 7 issues in the next cycle.
// Throughput:   an issue or another access to the instruction memory a cycle.
// Backpressure: none for threads; paths from s7_store_i and ctl_i to the instruction memory's port.
// Order/loss:   roles/overlay/sim/tile/README.md "Issue".
// Reset:        no thread is ready; then one of 16 threads a cycle is cleared (s0_op_o.clear).
// Limits:       as polyloom_overlay_core.
// Cost:         about 350 LUT4 with its parts (ECP5; part of polyloom_overlay_core).
// Source:       own design.   Tests: test_polyloom_overlay_issue.py, test_polyloom_overlay_cores.py
module polyloom_overlay_issue
  import polyloom_overlay_pkg::*;
#(
    parameter  int unsigned Threads  = 0,             // of the core
    parameter  int unsigned Ports    = 0,             // that bring responses
    parameter  int unsigned Words    = 0,             // of the instruction memory
    localparam int unsigned AddrBits = $clog2(Words)
) (
    input  logic                         clk_i,
    input  logic                         rst_ni,
    input  logic     [         3:0]      turn_i,             // of polyloom_overlay_resume
    // Responses
    input  logic     [   Ports-1:0]      response_valid_i,
    input  logic     [   Ports-1:0][3:0] response_thread_i,
    input  logic     [ Threads-1:0]      wake_i,
    // Control
    input  logic                         ctl_valid_i,
    input  ctl_req_t                     ctl_i,
    // Instruction memory
    output logic                         imem_we_o,
    output logic     [AddrBits-1:0]      imem_addr_o,
    output logic     [        31:0]      imem_wdata_o,
    // Stage 0
    output logic                         s0_valid_o,         // a thread issues
    output core_op_t                     s0_op_o,
    output logic     [         3:0]      s0_thread_o,
    output logic     [AddrBits+2:2]      s0_pc_o,            // as far as it addresses the memory, and its end
    output logic                         s0_read_o,          // CTL_READ_INSTR: the word comes down the pipeline
    output logic                         s0_inside_o,        // its address is one
    output logic                         s0_accepted_o,      // an access of the host is done
    output logic                         idle_o,             // no thread waits to issue
    // Later stages
    input  core_op_t                     s6_op_i,
    input  logic                         s7_again_i,         // the thread comes round
    input  logic     [         3:0]      s7_thread_i,
    input  logic                         s7_pc_we_i,
    input  logic     [AddrBits+2:2]      s7_pc_i,
    input  logic                         s7_store_i,         // a word for the instruction memory
    input  logic     [AddrBits-1:0]      s7_store_addr_i,    // else 0
    input  logic     [        31:0]      s7_store_data_i
);

  logic ready, waiting, picked, hold;
  logic [3:0] head, picked_thread;

  polyloom_overlay_resume #(
      .Threads(Threads),
      .Ports  (Ports)
  ) i_resume (
      .clk_i,
      .rst_ni,
      .turn_i,
      .valid_i (response_valid_i),
      .thread_i(response_thread_i),
      .wake_i,
      .pick_o  (picked),
      .thread_o(picked_thread)
  );

  polyloom_overlay_ready_queue i_queue (
      .clk_i,
      .rst_ni,
      .picked_i       (picked),
      .picked_thread_i(picked_thread),
      .again_i        (s7_again_i),
      .again_thread_i (s7_thread_i),
      .valid_o        (ready),
      .some_o         (waiting),
      .head_o         (head),
      .hold_i         (hold)
  );

  logic [AddrBits+2:2] pc_q[16];
  always_ff @(posedge clk_i) if (s7_pc_we_i) pc_q[s7_thread_i] <= s7_pc_i;
  assign s0_pc_o = pc_q[head];

  logic [4:0] clear_q;  // threads cleared since reset
  logic [6:0] patience_q;  // a bit more for every cycle that the host has waited
  logic busy_q, wanted, control, host;
  assign wanted = !clear_q[4] || (ctl_valid_i && !busy_q);
  assign control = !s7_store_i && wanted && (!waiting || patience_q[6]);
  assign hold = s7_store_i || control;
  assign host = control && clear_q[4];
  assign s0_valid_o = ready && !hold;
  assign s0_thread_o = !control ? head : clear_q[4] ? ctl_i.addr[3:0] : clear_q[3:0];
  assign s0_inside_o = 32'(ctl_i.addr) < Words;
  assign s0_accepted_o = host && (ctl_i.op == CTL_WRITE_INSTR || ctl_i.op == CTL_READ_INSTR);
  assign s0_read_o = s0_accepted_o && ctl_i.op == CTL_READ_INSTR;
  assign s0_op_o = '{
          clear: control && !clear_q[4],
          start: host && ctl_i.op == CTL_START,
          uart: host && ctl_i.op == CTL_UART
      };

  logic [AddrBits-1:0] other_addr;
  assign imem_we_o = s7_store_i || (s0_accepted_o && !s0_read_o && s0_inside_o);
  assign other_addr = s7_store_addr_i | (ctl_i.addr[AddrBits-1:0] & {AddrBits{control}});
  assign imem_addr_o = other_addr | (s0_pc_o[AddrBits+1:2] & {AddrBits{!hold}});
  assign imem_wdata_o = s7_store_i ? s7_store_data_i : ctl_i.data;

  assign idle_o = !ready && !wanted;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      clear_q <= '0;
      patience_q <= '0;
      busy_q <= 1'b0;
    end else begin
      if (s0_op_o.clear) clear_q <= clear_q + 5'd1;
      patience_q <= wanted && !control ? {patience_q[5:0], 1'b1} : '0;
      if (s0_op_o.start || s0_op_o.uart) busy_q <= 1'b1;
      else if (s6_op_i.start || s6_op_i.uart) busy_q <= 1'b0;
    end
  end

  logic unused;
  assign unused = ^{ctl_i, s6_op_i};

endmodule
