// SPDX-License-Identifier: Apache-2.0
// polyloom_hub_input: an input of the switch: the slots of a link, the route of each TLP, and what waits in front.
// How:          in --+--> [ beats of all slots ] ----------------> beat, one a cycle while granted
//                    '--> [ header ] --> route --> [ routes ] ---> request of the TLP in front
//               A slot is room for one TLP of the largest size, a TLP leaves its slot with its last beat: one pulse.
//               The next TLP's request stands already in the cycle in which the last beat of the one before leaves.
//               A TLP with a fault is told to polyloom_hub_faults, then its beats are thrown away.
// Latency:      header in at edge k: request in the cycle before edge k + 2, beat in the cycle before edge k + 1.
// Throughput:   a beat a cycle; TLPs back to back.
// Backpressure: in_ready_o falls when all slots or all their beats are taken; a sender that keeps to its credits never
//               sees that. It depends on registers only.
// Order/loss:   in order. TLPs with a fault are dropped; a fault waits for faults_ready_i.
// Reset:        empty.
// Limits:       every TLP has as many beats as its header says (a link's sender is a hub or an endpoint).
// Cost:         see polyloom_hub_node.
// Source: own design.   Tests: test_polyloom_hub_switch.py.
module polyloom_hub_input
  import polyloom_hub_pkg::*;
#(
    parameter cfg_t Cfg = SMALL,
    parameter int unsigned Port = 0,
    parameter int unsigned Slots = Cfg.slots
) (
    input  logic                clk_i,
    input  logic                rst_ni,
    // From the registers
    input  rules_t              rules_i,
    input  logic    [LINKS-1:0] links_i,
    // From the link, or from inside
    input  logic                in_valid_i,
    output logic                in_ready_o,
    input  beat_t               in_i,
    output logic                left_o,         // a TLP has left its slot
    // To the outputs
    output logic    [PORTS-1:0] request_o,      // the TLP in front wants this output
    output logic                stream_o,       // and then the function's input
    input  logic                grant_i,        // it may go: its beats from the next cycle on
    output logic                beat_valid_o,
    input  logic                beat_ready_i,
    output beat_t               beat_o,
    // To polyloom_hub_faults
    output logic                fault_valid_o,
    input  logic                fault_ready_i,
    output fault_t              fault_o,
    // To counters and whoever waits
    output events_t             events_o,       // tlp_out, beat_out: of an output; not set here
    output logic                idle_o
);
  localparam int unsigned Beats = Slots * (1 + beats_of(Cfg.max_payload));
  localparam int unsigned CountW = $clog2(Slots + 1);

  // What comes.
  logic first_q, take, header_q_valid;
  logic [CountW-1:0] held_q;  // TLPs, from header in to last beat out
  header_t header_q;
  logic data_ready, route_ready;
  assign in_ready_o = data_ready && (!first_q || held_q != CountW'(Slots));
  assign take = in_valid_i && in_ready_o;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      first_q <= 1'b1;
      header_q_valid <= 1'b0;
    end else begin
      if (take) first_q <= in_i.last;
      header_q_valid <= take && first_q;
    end
  end
  always_ff @(posedge clk_i) if (take && first_q) header_q <= in_i.data;

  // Its beats.
  logic data_valid, pop, last_out;
  logic [$clog2(Beats+1)-1:0] unused_usage;
  polyloom_stream_ram_fifo #(
      .T    (beat_t),
      .Depth(Beats)
  ) i_beats (
      .clk_i,
      .rst_ni,
      .flush_i    (1'b0),
      .in_valid_i (take),
      .in_ready_o (data_ready),
      .in_i,
      .out_valid_o(data_valid),
      .out_ready_i(pop),
      .out_o      (beat_o),
      .usage_o    (unused_usage)
  );

  // Its route.
  route_t route_d, route;
  logic route_valid, route_pop;
  polyloom_hub_route #(
      .Cfg (Cfg),
      .Port(Port)
  ) i_route (
      .rules_i,
      .links_i,
      .header_i(header_q),
      .route_o (route_d)
  );
  polyloom_stream_lut_fifo #(
      .T    (route_t),
      .Depth(Slots)
  ) i_routes (
      .clk_i,
      .rst_ni,
      .flush_i    (1'b0),
      .in_valid_i (header_q_valid),
      .in_ready_o (route_ready),
      .in_i       (route_d),
      .out_valid_o(route_valid),
      .out_ready_i(route_pop),
      .out_o      (route)
  );

  // What goes.
  logic active_q, dropping_q, front, drop;
  assign pop = active_q && data_valid && (dropping_q || beat_ready_i);
  assign last_out = pop && beat_o.last;
  assign beat_valid_o = active_q && !dropping_q && data_valid;
  assign front = route_valid && (!active_q || last_out);  // a TLP that may begin in the next cycle
  assign request_o = front && route.cause == CAUSE_NONE ? route.dest : '0;
  assign stream_o = route.stream && route.dest[LOCAL];
  assign fault_valid_o = front && route.cause != CAUSE_NONE;
  assign fault_o = '{cause: route.cause, port: 3'(Port), address: route.address};
  assign drop = fault_valid_o && fault_ready_i;
  assign route_pop = grant_i || drop;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      active_q <= 1'b0;
      dropping_q <= 1'b0;
      held_q <= '0;
      left_o <= 1'b0;
    end else begin
      if (route_pop) active_q <= 1'b1;
      else if (last_out) active_q <= 1'b0;
      if (route_pop) dropping_q <= drop;
      held_q <= held_q + CountW'(take && first_q) - CountW'(last_out);
      left_o <= last_out;
      assert (!header_q_valid || route_ready);
    end
  end

  assign idle_o = held_q == '0 && !left_o;
  always_comb begin
    events_o = '0;
    events_o.tlp_in = take && first_q;
    events_o.beat_in = take;
    events_o.stall = request_o != '0 && !grant_i;
    events_o.drop = drop;
  end
endmodule
