// SPDX-License-Identifier: Apache-2.0
// polyloom_hub_input: an input of the switch: the slots of a link, the route of each TLP, and the queues that wait.
// How:          in --> [ beat ] --> route --+--> polyloom_hub_queue for E (from N, W, L)
//                                           +--> polyloom_hub_queue for W (from N, E, L)
//                                           '--> polyloom_hub_queue for all else, and faults
//               What waits for a ring does not stand before what leaves it. The queues share the slots; each has room
//               for all of them. A slot is room for one TLP of the largest size, a TLP leaves its slot with its last
//               beat: one pulse. Where TLPs leave in one cycle from several queues, their pulses follow one another.
// Latency:      header in at edge k: request in the cycle before edge k + 2, beat in the same cycle.
// Throughput:   a beat a cycle in, and a beat a cycle and queue out; TLPs back to back.
// Backpressure: in_ready_o falls when all slots, or the beats of a queue, are taken; a sender that keeps to its credits
//               and sizes never sees that. It depends on registers only.
// Order/loss:   in order between the input and an output. TLPs with a fault are dropped; a fault waits for fault_ready_i.
// Reset:        empty.
// Limits:       every TLP has as many beats as its header says (a link's sender is a hub or an endpoint).
// Cost:         see polyloom_hub_node.
// Source: own design.   Tests: test_polyloom_hub_input.py.
module polyloom_hub_input
  import polyloom_hub_pkg::*;
  import polyloom_hub_registers_pkg::*;
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
    // To the outputs, a bit or a beat each
    output logic    [PORTS-1:0] request_o,      // a TLP in front wants this output
    output logic                stream_o,       // the one for L wants the function's input
    input  logic    [PORTS-1:0] grant_i,        // it may go: its beats from the next cycle on
    output logic    [PORTS-1:0] beat_valid_o,
    input  logic    [PORTS-1:0] beat_ready_i,
    output beat_t   [PORTS-1:0] beat_o,
    // To polyloom_hub_faults
    output logic                fault_valid_o,
    input  logic                fault_ready_i,
    output fault_t              fault_o,
    // To counters and to what waits
    output events_t             events_o,       // tlp_out, beat_out: of an output; not set here
    output logic                idle_o
);
  localparam int unsigned CountW = $clog2(Slots + 1);
  // Queues: 0 for all else, 1 for E, 2 for W.
  localparam int unsigned Queues = 3;
  localparam logic [Queues-1:0] Used = {
    Port == NORTH || Port == EAST || Port == LOCAL, Port == NORTH || Port == WEST || Port == LOCAL, 1'b1
  };

  // The queue of an output.
  function automatic int unsigned queue_of(int unsigned output_port);
    if (output_port == EAST && Used[1]) return 1;
    if (output_port == WEST && Used[2]) return 2;
    return 0;
  endfunction

  // What comes.
  logic first_q, accept, fresh_q, header_q;
  logic [CountW-1:0] held_q;  // TLPs, from header in to last beat out
  beat_t beat_q;
  logic [Queues-1:0] room;
  assign in_ready_o = room == '1 && (!first_q || held_q != CountW'(Slots));
  assign accept = in_valid_i && in_ready_o;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      first_q  <= 1'b1;
      fresh_q  <= 1'b0;
      header_q <= 1'b0;
    end else begin
      if (accept) first_q <= in_i.last;
      fresh_q  <= accept;
      header_q <= accept && first_q;
    end
  end
  always_ff @(posedge clk_i) if (accept) beat_q <= in_i;

  // Its queue.
  route_t route;
  logic [Queues-1:0] to, to_q;
  polyloom_hub_route #(
      .Cfg (Cfg),
      .Port(Port)
  ) i_route (
      .rules_i,
      .links_i,
      .header_i(beat_q.data),
      .route_o (route)
  );
  always_comb begin
    to = to_q;
    if (header_q) begin
      to = '0;
      if (Used[1] && route.cause == CAUSE_NONE && route.dest[EAST]) to[1] = 1'b1;
      else if (Used[2] && route.cause == CAUSE_NONE && route.dest[WEST]) to[2] = 1'b1;
      else to[0] = 1'b1;
    end
  end
  always_ff @(posedge clk_i) to_q <= to;

  // What goes.
  logic [Queues-1:0] grant, valid, ready, last_out, stream, fault_valid;
  logic [Queues-1:0][PORTS-1:0] request;
  beat_t [Queues-1:0] beat;
  fault_t [Queues-1:0] fault;
  for (genvar q = 0; q < int'(Queues); q++) begin : gen_queue
    if (Used[q]) begin : gen_used
      polyloom_hub_queue #(
          .Cfg  (Cfg),
          .Port (Port),
          .Slots(Slots)
      ) i_queue (
          .clk_i,
          .rst_ni,
          .in_valid_i   (fresh_q && to[q]),
          .in_first_i   (header_q),
          .in_i         (beat_q),
          .in_route_i   (route),
          .room_o       (room[q]),
          .request_o    (request[q]),
          .stream_o     (stream[q]),
          .grant_i      (grant[q]),
          .beat_valid_o (valid[q]),
          .beat_ready_i (ready[q]),
          .beat_o       (beat[q]),
          .last_out_o   (last_out[q]),
          .fault_valid_o(fault_valid[q]),
          .fault_ready_i(fault_ready_i && q == 0),
          .fault_o      (fault[q])
      );
    end else begin : gen_unused
      assign room[q] = 1'b1;
      assign request[q] = '0;
      assign stream[q] = 1'b0;
      assign valid[q] = 1'b0;
      assign beat[q] = '0;
      assign last_out[q] = 1'b0;
      assign fault_valid[q] = 1'b0;
      assign fault[q] = '0;
      logic unused;
      assign unused = ^{grant[q], ready[q], to[q]};
    end
  end
  // One process each: a grant depends on beats that move, not the other way.
  always_comb begin
    grant = '0;
    for (int unsigned o = 0; o < PORTS; o++) grant[queue_of(o)] |= grant_i[o];
  end
  always_comb begin
    ready = '0;
    for (int unsigned o = 0; o < PORTS; o++) ready[queue_of(o)] |= beat_ready_i[o];
  end
  for (genvar o = 0; o < int'(PORTS); o++) begin : gen_to_output
    assign request_o[o] = request[queue_of(o)][o];
    assign beat_valid_o[o] = valid[queue_of(o)];
    assign beat_o[o] = beat[queue_of(o)];
  end
  assign stream_o = stream[0];
  assign fault_valid_o = fault_valid[0];
  assign fault_o = fault[0];

  // Slots.
  logic [CountW-1:0] owed_q;  // pulses beyond the one that stands
  logic [CountW-1:0] leaving, owed;
  assign leaving = CountW'(last_out[0]) + CountW'(last_out[1]) + CountW'(last_out[2]);
  assign owed = owed_q + leaving;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      held_q <= '0;
      owed_q <= '0;
      left_o <= 1'b0;
    end else begin
      held_q <= held_q + CountW'(accept && first_q) - leaving;
      owed_q <= owed - CountW'(owed != '0);
      left_o <= owed != '0;
    end
  end

  assign idle_o = held_q == '0 && !left_o;
  always_comb begin
    events_o = '0;
    events_o.tlp_in = accept && first_q;
    events_o.beat_in = accept;
    events_o.stall = (request_o & ~grant_i) != '0;
    events_o.drop = fault_valid_o && fault_ready_i;
  end

  logic unused;
  assign unused = ^{stream[2:1], fault_valid[2:1], fault[2:1]};
endmodule
