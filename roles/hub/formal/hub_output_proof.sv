// SPDX-License-Identifier: Apache-2.0
// hub_output_proof: polyloom_hub_output mixes no TLPs, loses no beat, sends none without credit and leaves the bubble.
// How: grants and pulses are counted here; a freely picked beat is followed by its distance to the end of the buffer.
// Inputs behave as polyloom_hub_queue: a request stands until granted, the next one comes with the last beat at the
// earliest. 3 slots; inputs 0, 2, 4 enter a ring. 2 bits of a beat are free.
module hub_output_proof
  import polyloom_hub_pkg::*;
(
    input logic                   clk_i,
    input logic                   rst_ni,
    input logic [INPUTS-1:0]      request_i,
    input logic [INPUTS-1:0]      valid_i,
    input logic [INPUTS-1:0][1:0] beat_i,     // last, one bit of data
    input logic                   credit_i,
    input logic                   ready_i,
    input logic                   pick_i
);
  localparam int unsigned Slots = 3;
  localparam logic [INPUTS-1:0] Enters = 6'b010101;

  beat_t [INPUTS-1:0] beat;
  for (genvar i = 0; i < INPUTS; i++) begin : gen_beat
    assign beat[i] = '{last: beat_i[i][1], top: '0, data: 128'(beat_i[i][0])};
  end
  logic [INPUTS-1:0] grant, pop, fire;
  logic out_valid, tlp, moved, idle;
  beat_t out;
  logic [2:0] source;
  polyloom_hub_output #(
      .Slots     (Slots),
      .HasCredits(1'b1),
      .Enters    (Enters)
  ) i_dut (
      .clk_i,
      .rst_ni,
      .request_i,
      .grant_o     (grant),
      .beat_valid_i(valid_i),
      .beat_ready_o(pop),
      .beat_i      (beat),
      .credit_i,
      .out_valid_o (out_valid),
      .out_ready_i (ready_i),
      .out_o       (out),
      .source_o    (source),
      .tlp_o       (tlp),
      .beat_o      (moved),
      .idle_o      (idle)
  );
  polyloom_stream_checker #(
      .Width($bits(beat_t) + 3)
  ) i_out (
      .clk_i,
      .rst_ni,
      .valid_i  (out_valid),
      .ready_i  (ready_i),
      .payload_i({source, out})
  );

  // The reset comes first.
  logic started = 1'b0;
  always_ff @(posedge clk_i) started <= 1'b1;
  always_comb if (!started) assume (!rst_ni);

  // What stands outside: TLPs granted and not at their end, TLPs without a credit back, inputs that wait.
  logic [INPUTS-1:0] open_q, waits_q;
  logic [2:0] owed_q, passed_q;  // passed: grants to others while input 3, which enters no ring, waits
  assign fire = valid_i & pop;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      open_q   <= '0;
      waits_q  <= '0;
      owed_q   <= '0;
      passed_q <= '0;
    end else begin
      for (int unsigned i = 0; i < INPUTS; i++) begin
        if (grant[i]) open_q[i] <= 1'b1;
        else if (fire[i] && beat_i[i][1]) open_q[i] <= 1'b0;
      end
      waits_q <= request_i & ~grant;
      owed_q  <= owed_q + 3'(grant != '0) - 3'(credit_i);
      if (!request_i[3] || grant[3]) passed_q <= '0;
      else if (grant != '0) passed_q <= passed_q + 3'd1;
    end
  end
  always_comb begin
    if (rst_ni) begin
      assume (!credit_i || owed_q != '0);
      for (int unsigned i = 0; i < INPUTS; i++) begin
        assume (!waits_q[i] || request_i[i]);
        assume (!request_i[i] || !open_q[i] || (fire[i] && beat_i[i][1]));
      end
    end
  end

  always_comb begin
    if (rst_ni) begin
      assert ((open_q & (open_q - 1'b1)) == '0);  // one TLP at a time
      assert ((grant & (grant - 1'b1)) == '0 && (grant & ~request_i) == '0);
      assert ((pop & ~open_q) == '0);
      assert (owed_q <= 3'(Slots));
      if (grant != '0) assert (owed_q < 3'(Slots));
      if ((grant & Enters) != '0) assert (owed_q < 3'(Slots - 1));
      if (open_q == '0 && request_i != '0 && owed_q < 3'(Slots - 1)) assert (grant != '0);
      if (open_q == '0 && (request_i & ~Enters) != '0 && owed_q < 3'(Slots)) assert (grant != '0);
      assert (passed_q < 3'(INPUTS));
    end
  end

  // Beats that came are those that leave, with their source; a TLP's source stays.
  logic followed_q, done_q, out_open_q;
  logic [1:0] held_q, ahead_q;
  logic [2:0] value_q, from, out_source_q;  // from: the input that fires
  logic [1:0] pushed;
  always_comb begin
    from   = '0;
    pushed = '0;
    for (int unsigned i = 0; i < INPUTS; i++) begin
      if (fire[i]) begin
        from   = 3'(i);
        pushed = beat_i[i];
      end
    end
  end
  logic push, leave;
  logic [1:0] bits_q;
  assign push  = fire != '0;
  assign leave = out_valid && ready_i;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      followed_q <= 1'b0;
      done_q <= 1'b0;
      held_q <= '0;
      ahead_q <= '0;
      out_open_q <= 1'b0;
    end else begin
      held_q <= held_q + 2'(push) - 2'(leave);
      if (leave) out_open_q <= !out.last;
      if (push && pick_i && !followed_q && !done_q) begin
        followed_q <= 1'b1;
        ahead_q <= held_q - 2'(leave);
      end else if (followed_q && leave) begin
        ahead_q <= ahead_q - 2'd1;
        followed_q <= ahead_q != '0;
        done_q <= ahead_q == '0;
      end
    end
  end
  always_ff @(posedge clk_i) begin
    if (push && pick_i && !followed_q && !done_q) begin
      value_q <= from;
      bits_q  <= pushed;
    end
    if (leave) out_source_q <= source;
  end
  always_comb begin
    if (rst_ni) begin
      assert (held_q <= 2'd2);
      assert (out_valid == (held_q != '0));
      if (followed_q && ahead_q == '0) assert (source == value_q && {out.last, out.data[0]} == bits_q);
      if (out_open_q && out_valid) assert (source == out_source_q);
    end
  end

  // All credits are used, a ring's TLP takes the last; one enters after two pulses.
  logic dry_q;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) dry_q <= 1'b0;
    else if (owed_q == 3'(Slots) && request_i[0]) dry_q <= 1'b1;
  end
  always_comb begin
    cover (rst_ni && dry_q && grant[0]);
    cover (rst_ni && done_q && passed_q == 3'd2);
  end
endmodule
