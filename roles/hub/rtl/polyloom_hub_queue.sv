// SPDX-License-Identifier: Apache-2.0
// polyloom_hub_queue: TLPs of one input of the switch that wait in order: their beats, their routes, the one in front.
// How:          beats --> [ beats ] ---> beat, one a cycle while granted
//               route --> [ routes ] --> request of the TLP in front, or its fault
//               The next TLP's request stands already in the cycle in which the last beat of the one before leaves.
//               A TLP with a fault is told to polyloom_hub_faults, then its beats are thrown away.
// Latency:      1 cycle from a beat in to beat and request.
// Throughput:   a beat a cycle; TLPs back to back.
// Backpressure: room_o, from registers, falls when the beats of Slots TLPs of the largest size are exceeded: only TLPs
//               beyond that size, which are faults, get there. Two more beats are taken then (asserted).
// Order/loss:   in order. TLPs with a fault are dropped; a fault waits for fault_ready_i.
// Reset:        empty.
// Limits:       the first beat of a TLP comes with its route.
// Cost:         see polyloom_hub_node.
// Source: own design.   Tests: test_polyloom_hub_queue.py.
module polyloom_hub_queue
  import polyloom_hub_pkg::*;
  import polyloom_hub_registers_pkg::*;
#(
    parameter cfg_t Cfg = SMALL,
    parameter int unsigned Port = 0,
    parameter int unsigned Slots = Cfg.slots
) (
    input  logic               clk_i,
    input  logic               rst_ni,
    // From the input
    input  logic               in_valid_i,
    input  logic               in_first_i,     // with its route
    input  beat_t              in_i,
    input  route_t             in_route_i,
    output logic               room_o,
    // To the outputs
    output logic   [PORTS-1:0] request_o,      // the TLP in front wants this output
    output logic               stream_o,       // and then the function's input
    input  logic               grant_i,        // it may go: its beats from the next cycle on
    output logic               beat_valid_o,
    input  logic               beat_ready_i,
    output beat_t              beat_o,
    output logic               last_out_o,     // a TLP leaves its slot
    // To polyloom_hub_faults
    output logic               fault_valid_o,
    input  logic               fault_ready_i,
    output fault_t             fault_o
);
  localparam int unsigned Beats = Slots * (1 + beats_of(Cfg.max_payload));
  logic data_ready, data_valid, pop;
  logic [$clog2(Beats+3)-1:0] usage;
  polyloom_stream_ram_fifo #(
      .T    (beat_t),
      .Depth(Beats + 2)
  ) i_beats (
      .clk_i,
      .rst_ni,
      .flush_i    (1'b0),
      .in_valid_i,
      .in_ready_o (data_ready),
      .in_i,
      .out_valid_o(data_valid),
      .out_ready_i(pop),
      .out_o      (beat_o),
      .usage_o    (usage)
  );
  assign room_o = usage <= ($bits(usage))'(Beats);

  route_t route;
  logic route_ready, route_valid, route_pop;
  polyloom_stream_lut_fifo #(
      .T    (route_t),
      .Depth(Slots)
  ) i_routes (
      .clk_i,
      .rst_ni,
      .flush_i    (1'b0),
      .in_valid_i (in_valid_i && in_first_i),
      .in_ready_o (route_ready),
      .in_i       (in_route_i),
      .out_valid_o(route_valid),
      .out_ready_i(route_pop),
      .out_o      (route)
  );

  logic active_q, dropping_q, front, drop;
  assign pop = active_q && data_valid && (dropping_q || beat_ready_i);
  assign last_out_o = pop && beat_o.last;
  assign beat_valid_o = active_q && !dropping_q && data_valid;
  assign front = route_valid && (!active_q || last_out_o);  // a TLP that may begin in the next cycle
  assign request_o = front && route.cause == CAUSE_NONE ? route.dest : '0;
  assign stream_o = route.stream && route.dest[LOCAL];
  assign fault_valid_o = front && route.cause != CAUSE_NONE;
  assign fault_o = '{cause: route.cause, port: 3'(Port), address: route.address};
  assign drop = fault_valid_o && fault_ready_i;
  assign route_pop = grant_i || drop;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      active_q   <= 1'b0;
      dropping_q <= 1'b0;
    end else begin
      if (route_pop) active_q <= 1'b1;
      else if (last_out_o) active_q <= 1'b0;
      if (route_pop) dropping_q <= drop;
      assert (!in_valid_i || (data_ready && (!in_first_i || route_ready)));
    end
  end
endmodule
