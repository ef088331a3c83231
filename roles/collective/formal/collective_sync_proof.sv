// SPDX-License-Identifier: Apache-2.0
// collective_sync_proof: polyloom_collective_sync begins no block without its pulse, and pulses once a block taken.
// How: pulses and begun blocks of each lane are counted here (p and j of README.md). Two lanes, one channel; steps,
// pulses and drained blocks come as they like, a step only after all its blocks have begun.
module collective_sync_proof
  import polyloom_collective_pkg::*;
(
    input logic            clk_i,
    input logic            rst_ni,
    input logic            stop_i,
    input logic            go_i,
    input logic            together_i,
    input logic [1:0][2:0] send_i,      // valid, eager, pulse only
    input logic [1:0][1:0] accept_i,    // valid, eager
    input logic [1:0][2:0] select_i,    // of the step
    input logic            read_i,      // the step reads
    input logic [1:0]      drained_i,
    input logic [1:0]      pulse_i
);
  function automatic cfg_t config_of();
    cfg_t c;
    c = SMALL;
    c.channels = 1;
    c.lanes = 2;
    c.op_inputs = 0;
    c.op_outputs = 0;
    return c;
  endfunction

  lane_step_t [1:0] send, accept;
  logic [1:0] relay, tx_begin, tx_enable, tx_waits, pulse;
  logic [1:0][2:0] select_q;
  logic read_pending_q, read_begin;
  for (genvar l = 0; l < 2; l++) begin : gen_lane
    assign send[l]   = '{valid: send_i[l][2], eager: send_i[l][1], pulse_only: send_i[l][0], signature: '0};
    assign accept[l] = '{valid: accept_i[l][1], eager: accept_i[l][0], pulse_only: 1'b0, signature: '0};
    assign relay[l]  = (send_i[0][2] && select_i[0][1+l]) || (send_i[1][2] && select_i[1][1+l]);
    always_comb begin
      // One source a send; none for a pulse, none without a send. Not both flags.
      assume ((select_i[l] & (select_i[l] - 3'd1)) == '0);
      assume ((select_i[l] != '0) == (send_i[l][2] && !send_i[l][0]));
      assume (!(send_i[l][1] && send_i[l][0]));
    end
  end

  polyloom_collective_sync #(
      .Cfg(config_of())
  ) i_dut (
      .clk_i,
      .rst_ni,
      .stop_i,
      .flush_i       (1'b0),
      .go_i,
      .together_i,
      .send_i        (send),
      .accept_i      (accept),
      .relay_i       (relay),
      .tx_select_i   (select_q),
      .read_pending_i(read_pending_q),
      .read_begin_o  (read_begin),
      .tx_begin_o    (tx_begin),
      .tx_enable_o   (tx_enable),
      .tx_waits_o    (tx_waits),
      .drained_i,
      .pulse_i,
      .pulse_o       (pulse)
  );

  // The reset comes first.
  logic started = 1'b0;
  always_ff @(posedge clk_i) started <= 1'b1;
  always_comb if (!started) assume (!rst_ni);

  typedef logic [4:0] count_t;
  count_t [1:0] received_q, begun_q, owed_q, pulsed_q;
  logic [1:0] pending_q, eager_q, only_q, may;
  logic together_q;
  always_comb begin
    for (int unsigned l = 0; l < 2; l++) may[l] = received_q[l] >= begun_q[l] + count_t'(!eager_q[l]);
    assume (!go_i || (pending_q == '0 && !read_pending_q));
  end
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      received_q <= '0;
      begun_q <= '0;
      owed_q <= '0;
      pulsed_q <= '0;
      pending_q <= '0;
      eager_q <= '0;
      only_q <= '0;
      select_q <= '0;
      together_q <= 1'b0;
      read_pending_q <= 1'b0;
    end else begin
      for (int unsigned l = 0; l < 2; l++) begin
        received_q[l] <= received_q[l] + count_t'(pulse_i[l]);
        begun_q[l] <= begun_q[l] + count_t'(tx_begin[l]);
        owed_q[l] <= owed_q[l] + count_t'(drained_i[l]) + count_t'(go_i && accept_i[l][1] && !accept_i[l][0]);
        pulsed_q[l] <= pulsed_q[l] + count_t'(pulse[l]);
        if (go_i) begin
          pending_q[l] <= send_i[l][2];
          eager_q[l] <= send_i[l][1];
          only_q[l] <= send_i[l][0];
        end else if (tx_begin[l]) pending_q[l] <= 1'b0;
      end
      if (go_i) begin
        select_q <= select_i;
        together_q <= together_i;
        read_pending_q <= read_i;
      end else if (read_begin) read_pending_q <= 1'b0;
    end
  end

  always_comb begin
    if (rst_ni) begin
      for (int unsigned l = 0; l < 2; l++) begin
        assert (!tx_begin[l] || (pending_q[l] && may[l] && !stop_i));
        assert (!tx_begin[l] || !together_q || !pending_q[~l&1] || may[~l&1]);
        assert (tx_waits[l] == (pending_q[l] && !may[l]));
        assert (!tx_enable[l] || (!pending_q[l] && !only_q[l]));
        // Never more pulses than blocks taken or drained.
        assert (pulsed_q[l] + count_t'(pulse[l]) <= owed_q[l]);
      end
      // What is copied to both lanes begins in both at once, and is read only then.
      if (pending_q == 2'b11 && select_q[0] == select_q[1] && select_q[0] != '0) assert (tx_begin[0] == tx_begin[1]);
      for (int unsigned l = 0; l < 2; l++) begin
        if (read_begin && pending_q[l] && select_q[l][0]) assert (tx_begin[l]);
      end
      assert (!read_begin || (read_pending_q && !stop_i));
    end
  end

  // Two blocks of a lane begin; a relay's pulse follows its send.
  always_comb begin
    cover (rst_ni && begun_q[0] == 5'd2 && begun_q[1] == 5'd1 && pulsed_q[1] != '0);
    cover (rst_ni && together_q && tx_begin == 2'b11);
  end
endmodule
