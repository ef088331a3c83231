// SPDX-License-Identifier: Apache-2.0
// polyloom_overlay_mailbox_waits: threads that wait until they can send, can receive, or all is idle; wakes them.
// How:          a bit a thread for each thing to wait for, against what holds now.
// Latency:      a wait that comes in C is looked at from C + 1 on; wake_o follows the condition by one cycle.
// Throughput:   all threads in every cycle.
// Backpressure: none.
// Order/loss:   none.
// Reset:        no thread waits.
// Limits:       a thread that waits makes no call (asserted).
// Cost:         in polyloom_overlay_mailbox.
// Source:       own design; docs/sources/tinsel.md, 1.2, 3.4.   Tests: test_polyloom_overlay_mailbox_waits.py
module polyloom_overlay_mailbox_waits
  import polyloom_overlay_pkg::*;
#(
    parameter cfg_t Cfg = TINY,
    localparam int unsigned Threads = Cfg.cores * Cfg.threads
) (
    input  logic                              clk_i,
    input  logic                              rst_ni,
    // Cores
    input  logic [Cfg.cores-1:0]              wait_valid_i,
    input  logic [Cfg.cores-1:0][        3:0] wait_thread_i,
    input  logic [Cfg.cores-1:0][        3:0] wait_bits_i,
    output logic [  Threads-1:0]              wake_o,          // pulse
    output logic [  Threads-1:0][        3:0] wake_bits_o,     // with it: what the thread waited for and holds
    // What holds
    input  logic [  Threads-1:0]              can_send_i,
    input  logic [  Threads-1:0]              can_recv_i,
    input  logic                              release_i,       // pulse: all is idle
    input  logic                              release_vote_i,  // and all voted for it
    // Detection
    output logic                              all_idle_o,
    output logic                              all_vote_o,
    // To show why nothing goes on: by WaitBits
    output logic [          3:0][Threads-1:0] waits_o
);

  localparam int unsigned C = Cfg.cores;
  localparam int unsigned T = Cfg.threads;

  typedef logic [Threads-1:0] set_t;
  typedef logic [(Threads > 1 ? $clog2(Threads) : 1)-1:0] index_t;

  set_t [3:0] waits_q;  // by WaitBits
  set_t [3:0] holds;
  set_t wake, wake_q;
  logic [Threads-1:0][3:0] bits_q;
  assign holds[WAIT_SEND] = waits_q[WAIT_SEND] & can_send_i;
  assign holds[WAIT_RECV] = waits_q[WAIT_RECV] & can_recv_i;
  assign holds[WAIT_IDLE] = release_i ? waits_q[WAIT_IDLE] : '0;
  assign holds[WAIT_VOTE] = release_i && release_vote_i ? waits_q[WAIT_IDLE] : '0;
  assign wake = holds[WAIT_SEND] | holds[WAIT_RECV] | holds[WAIT_IDLE];

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      waits_q <= '0;
      wake_q  <= '0;
    end else begin
      wake_q <= wake;
      if (wake != '0) for (int unsigned b = 0; b < 4; b++) waits_q[b] <= waits_q[b] & ~wake;
      for (int unsigned c = 0; c < C; c++) begin
        if (wait_valid_i[c]) begin
          for (int unsigned b = 0; b < 4; b++) begin
            waits_q[b][index_t'(c*T)|index_t'(wait_thread_i[c])] <= wait_bits_i[c][b];
          end
        end
      end
    end
  end
  always_ff @(posedge clk_i) begin
    if (wake != '0) begin
      for (int unsigned t = 0; t < Threads; t++) begin
        bits_q[t] <= {holds[WAIT_VOTE][t], holds[WAIT_IDLE][t], holds[WAIT_RECV][t], holds[WAIT_SEND][t]};
      end
    end
  end

  assign wake_o = wake_q;
  assign wake_bits_o = bits_q;
  assign waits_o = waits_q;
  assign all_idle_o = waits_q[WAIT_IDLE] == '1;
  assign all_vote_o = waits_q[WAIT_VOTE] == '1;

endmodule
