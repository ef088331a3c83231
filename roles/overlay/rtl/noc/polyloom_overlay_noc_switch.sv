// SPDX-License-Identifier: Apache-2.0
// polyloom_overlay_noc_switch: the outputs of a router: an arbiter and a register each.
// How:          each output chooses among the inputs whose message wants it; a pair that Turns leaves out has no wires.
// Latency:      a flit granted in cycle c is on the wire in c+1.
// Throughput:   a flit a cycle and output.
// Backpressure: as polyloom_overlay_noc_output. Combinational: out_room_i, head_valid_i, head_way_i -> grant_o.
// Order/loss:   as polyloom_overlay_noc_output.
// Reset:        no message under way.
// Limits:       a head wants one way, that Turns has.
// Cost:         see polyloom_overlay_router.
// Source:       Noc in roles/overlay/sim/net/noc.h.   Tests: test_polyloom_overlay_noc_crossbar.py;
//               proof: proofs.toml [overlay_router]
module polyloom_overlay_noc_switch #(
    parameter int unsigned Ports = 0,
    parameter type T = logic,  // a flit
    parameter logic [Ports-1:0][Ports-1:0] Turns = '1  // [out][in]: messages may go so
) (
    input  logic             clk_i,
    input  logic             rst_ni,
    // From and to the inputs
    input  logic [Ports-1:0] head_valid_i,         // a message waits for its grant
    input  logic [Ports-1:0] head_long_i,          // it has more than one flit
    input  logic [Ports-1:0] head_way_i  [Ports],  // one bit: output
    input  logic [Ports-1:0] ending_i,             // the last flit of a longer one leaves in this cycle
    input  T                 flit_i      [Ports],
    output logic [Ports-1:0] grant_o,              // its first flit leaves in this cycle
    // To the wires
    output logic [Ports-1:0] out_valid_o,
    output T                 out_o       [Ports],
    input  logic [Ports-1:0] out_room_i
);

  // Legs of an output before input `in`.
  function automatic int unsigned leg_of(input int unsigned out, input int unsigned from);
    int unsigned legs = 0;
    for (int unsigned i = 0; i < from; i++) if (Turns[out][i]) legs++;
    return legs;
  endfunction

  logic [Ports-1:0] grants[Ports];  // [out][in]

  for (genvar o = 0; o < Ports; o++) begin : gen_output
    localparam int unsigned Legs = leg_of(o, Ports);
    if (Legs == 0) begin : gen_none
      assign grants[o] = '0;
      assign out_valid_o[o] = 1'b0;
      assign out_o[o] = '0;
    end else begin : gen_legs
      logic [Legs-1:0] request, long_message, end_of, grant;
      T leg[Legs];
      for (genvar i = 0; i < Ports; i++) begin : gen_leg
        if (Turns[o][i]) begin : gen_u_turn
          localparam int unsigned Leg = leg_of(o, i);
          assign request[Leg] = head_valid_i[i] && head_way_i[i][o];
          assign long_message[Leg] = head_long_i[i];
          assign end_of[Leg] = ending_i[i];
          assign leg[Leg] = flit_i[i];
          assign grants[o][i] = grant[Leg];
        end else begin : gen_no_u_turn
          assign grants[o][i] = 1'b0;
        end
      end

      polyloom_overlay_noc_output #(
          .Legs(Legs),
          .T(T)
      ) i_output (
          .clk_i,
          .rst_ni,
          .request_i(request),
          .long_i   (long_message),
          .ending_i (end_of),
          .flit_i   (leg),
          .grant_o  (grant),
          .valid_o  (out_valid_o[o]),
          .out_o    (out_o[o]),
          .room_i   (out_room_i[o])
      );
    end
  end

  for (genvar i = 0; i < Ports; i++) begin : gen_grant
    logic [Ports-1:0] granted;
    for (genvar o = 0; o < Ports; o++) begin : gen_by
      assign granted[o] = grants[o][i];
    end
    assign grant_o[i] = |granted;
  end

endmodule
