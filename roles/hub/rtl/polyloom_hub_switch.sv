// SPDX-License-Identifier: Apache-2.0
// polyloom_hub_switch: five ports and the reply input, each input to each output that its TLPs may take.
// How:          N E S W L reply --> polyloom_hub_input (6) --> polyloom_hub_output (5) --> N E S W L
//               The reply input leads to N alone: reads and responses to N wait for nothing but N, which always drains.
//               A TLP from N to the function's input waits until that has room; from elsewhere it goes on and is
//               dropped at its end if there is none, so that nothing on a ring ever waits for the function.
// Latency:      header in at edge k, out (valid before) at edge k + 4.
// Throughput:   a beat a cycle and output.
// Backpressure: see polyloom_hub_input, polyloom_hub_output.
// Order/loss:   kept between an input and an output; faults: polyloom_hub_route.
// Reset:        empty, all credits.
// Limits:       as its parts.
// Cost:         see polyloom_hub_node.
// Source: own design.   Tests: test_polyloom_hub_switch.py.
module polyloom_hub_switch
  import polyloom_hub_pkg::*;
  import polyloom_hub_registers_pkg::*;
#(
    parameter cfg_t Cfg = SMALL
) (
    input  logic                 clk_i,
    input  logic                 rst_ni,
    // From the registers
    input  rules_t               rules_i,
    input  logic    [ LINKS-1:0] links_i,
    // Inputs: N, E, S, W, L, reply
    input  logic    [INPUTS-1:0] in_valid_i,
    output logic    [INPUTS-1:0] in_ready_o,
    input  beat_t   [INPUTS-1:0] in_i,
    output logic    [ LINKS-1:0] left_o,          // credits back
    // Outputs: N, E, S, W, L
    output logic    [ PORTS-1:0] out_valid_o,
    input  logic    [ PORTS-1:0] out_ready_i,
    output beat_t   [ PORTS-1:0] out_o,
    input  logic    [ LINKS-1:0] credit_i,
    output logic    [       2:0] local_source_o,  // input of the beat on L
    input  logic                 stream_room_i,   // the function takes a TLP from N
    // To polyloom_hub_faults
    output logic    [INPUTS-1:0] fault_valid_o,
    input  logic    [INPUTS-1:0] fault_ready_i,
    output fault_t  [INPUTS-1:0] fault_o,
    // To counters and to what waits
    output events_t [ PORTS-1:0] events_o,
    output logic    [INPUTS-1:0] in_idle_o,
    output logic    [ PORTS-1:0] out_idle_o
);
  logic [INPUTS-1:0] stream, left;
  logic [INPUTS-1:0][PORTS-1:0] request, granted, in_valid, in_ready;
  logic [PORTS-1:0][INPUTS-1:0] wanted, grant, pop, valid;
  beat_t [INPUTS-1:0][PORTS-1:0] in_beat;
  beat_t [PORTS-1:0][INPUTS-1:0] beat;
  events_t [INPUTS-1:0] in_events;
  logic [PORTS-1:0] tlp_out, beat_out;
  logic [PORTS-1:0][2:0] source;

  for (genvar i = 0; i < int'(INPUTS); i++) begin : gen_input
    polyloom_hub_input #(
        .Cfg  (Cfg),
        .Port (i),
        .Slots(i < int'(LINKS) ? Cfg.slots : i == int'(LOCAL) ? LOCAL_SLOTS : REPLY_SLOTS)
    ) i_input (
        .clk_i,
        .rst_ni,
        .rules_i,
        .links_i,
        .in_valid_i   (in_valid_i[i]),
        .in_ready_o   (in_ready_o[i]),
        .in_i         (in_i[i]),
        .left_o       (left[i]),
        .request_o    (request[i]),
        .stream_o     (stream[i]),
        .grant_i      (granted[i]),
        .beat_valid_o (in_valid[i]),
        .beat_ready_i (in_ready[i]),
        .beat_o       (in_beat[i]),
        .fault_valid_o(fault_valid_o[i]),
        .fault_ready_i(fault_ready_i[i]),
        .fault_o      (fault_o[i]),
        .events_o     (in_events[i]),
        .idle_o       (in_idle_o[i])
    );
  end
  assign left_o = left[LINKS-1:0];

  // One process each: a grant depends on beats that move, not the other way.
  always_comb begin
    for (int unsigned o = 0; o < PORTS; o++) begin
      for (int unsigned i = 0; i < INPUTS; i++) begin
        valid[o][i] = in_valid[i][o];
        beat[o][i]  = in_beat[i][o];
      end
    end
  end
  always_comb begin
    for (int unsigned o = 0; o < PORTS; o++) begin
      for (int unsigned i = 0; i < INPUTS; i++) in_ready[i][o] = pop[o][i];
    end
  end
  always_comb begin
    for (int unsigned o = 0; o < PORTS; o++) begin
      for (int unsigned i = 0; i < INPUTS; i++) wanted[o][i] = request[i][o];
    end
    if (stream[NORTH] && !stream_room_i) wanted[LOCAL][NORTH] = 1'b0;
  end
  always_comb begin
    for (int unsigned o = 0; o < PORTS; o++) begin
      for (int unsigned i = 0; i < INPUTS; i++) granted[i][o] = grant[o][i];
    end
  end
  always_comb begin
    for (int unsigned p = 0; p < PORTS; p++) begin
      events_o[p] = in_events[p];
      events_o[p].tlp_out = tlp_out[p];
      events_o[p].beat_out = beat_out[p];
    end
  end

  localparam logic [INPUTS-1:0] Entering = INPUTS'(1 << NORTH | 1 << SOUTH | 1 << LOCAL);
  for (genvar o = 0; o < int'(PORTS); o++) begin : gen_output
    logic credit;
    if (o < int'(LINKS)) begin : gen_credit
      assign credit = credit_i[o];
    end else begin : gen_no_credit
      assign credit = 1'b0;
    end
    polyloom_hub_output #(
        .Slots     (Cfg.slots),
        .HasCredits(o < int'(LINKS)),
        .Enters    (o == int'(EAST) || o == int'(WEST) ? Entering : '0)
    ) i_output (
        .clk_i,
        .rst_ni,
        .request_i   (wanted[o]),
        .grant_o     (grant[o]),
        .beat_valid_i(valid[o]),
        .beat_ready_o(pop[o]),
        .beat_i      (beat[o]),
        .credit_i    (credit),
        .out_valid_o (out_valid_o[o]),
        .out_ready_i (out_ready_i[o]),
        .out_o       (out_o[o]),
        .source_o    (source[o]),
        .tlp_o       (tlp_out[o]),
        .beat_o      (beat_out[o]),
        .idle_o      (out_idle_o[o])
    );
  end
  assign local_source_o = source[LOCAL];

  logic unused;
  assign unused = ^{source[LINKS-1:0], left[INPUTS-1:LINKS], stream[INPUTS-1:1], in_events[REPLY]};
endmodule
