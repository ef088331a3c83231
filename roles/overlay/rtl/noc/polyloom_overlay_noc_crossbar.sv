// SPDX-License-Identifier: Apache-2.0
// polyloom_overlay_noc_crossbar: a router without its routes: buffered inputs, arbitrated outputs, messages whole.
// How:          an input buffer a port, a switch; a pair that Turns leaves out has no wires.
// Latency:      2 cycles a hop: granted in cycle c, on the wire in c+1, granted by the next router in c+2 at the earliest.
// Throughput:   a flit a cycle and output, messages without gaps between them.
// Backpressure: virtual cut-through: a message is granted only if the next buffer can take the longest message
//               (out_room_i in that cycle), and then moves without a stop. in_room_o counts what is on the wire in its own
//               cycle; it depends combinationally on in_valid_i, in_first_i, in_flits_i of its port only.
// Order/loss:   messages of one input and output keep their order; none is lost, split or mixed. No deadlock as long as the
//               graph of routes has no cycle (roles/overlay/README.md).
// Reset:        empty.
// Limits:       as its parts; a message that wants a turn which it must not take is an error (asserted).
// Cost:         see polyloom_overlay_router.
// Source:       Noc in roles/overlay/sim/net/noc.h.   Tests: test_polyloom_overlay_noc_crossbar.py;
//               proof: proofs.toml [overlay_router]
module polyloom_overlay_noc_crossbar #(
    parameter int unsigned Ports = 0,
    parameter int unsigned Flits = 0,  // that the buffer of an input holds
    parameter int unsigned DeepPorts = 0,  // the first inputs, which hold ...
    parameter int unsigned DeepFlits = Flits,  // so many
    parameter int unsigned MaxFlits = 0,  // of a message
    parameter type T = logic,  // a flit
    parameter logic [Ports-1:0][Ports-1:0] Turns = '1  // [out][in]: messages may go so
) (
    input  logic             clk_i,
    input  logic             rst_ni,
    // From the wires; in_flits_i and in_way_i with the first flit of a message
    input  logic [Ports-1:0] in_valid_i,
    input  logic [Ports-1:0] in_first_i,
    input  logic [      1:0] in_flits_i [Ports],  // - 1
    input  logic [Ports-1:0] in_way_i   [Ports],  // one bit: output
    input  T                 in_i       [Ports],
    output logic [Ports-1:0] in_room_o,
    // To the wires
    output logic [Ports-1:0] out_valid_o,
    output T                 out_o      [Ports],
    input  logic [Ports-1:0] out_room_i
);

  function automatic logic [Ports-1:0][Ports-1:0] turns_by_input();
    for (int unsigned i = 0; i < Ports; i++) begin
      for (int unsigned o = 0; o < Ports; o++) turns_by_input[i][o] = Turns[o][i];
    end
  endfunction
  localparam logic [Ports-1:0][Ports-1:0] Ways = turns_by_input();

  logic [Ports-1:0] head_valid, head_long, ending, grant;
  logic [Ports-1:0] way[Ports];
  T flit[Ports];

  for (genvar i = 0; i < Ports; i++) begin : gen_input
    polyloom_overlay_noc_input #(
        .Flits(i < DeepPorts ? DeepFlits : Flits),
        .MaxFlits(MaxFlits),
        .Ways(Ports),
        .Allowed(Ways[i]),
        .T(T)
    ) i_input (
        .clk_i,
        .rst_ni,
        .valid_i     (in_valid_i[i]),
        .first_i     (in_first_i[i]),
        .flits_i     (in_flits_i[i]),
        .way_i       (in_way_i[i]),
        .in_i        (in_i[i]),
        .room_o      (in_room_o[i]),
        .head_valid_o(head_valid[i]),
        .head_long_o (head_long[i]),
        .head_way_o  (way[i]),
        .grant_i     (grant[i]),
        .stay_i      (1'b0),
        .drop_i      (1'b0),
        .ending_o    (ending[i]),
        .flit_o      (flit[i])
    );
  end

  polyloom_overlay_noc_switch #(
      .Ports(Ports),
      .T(T),
      .Turns(Turns)
  ) i_switch (
      .clk_i,
      .rst_ni,
      .head_valid_i(head_valid),
      .head_long_i (head_long),
      .head_way_i  (way),
      .ending_i    (ending),
      .flit_i      (flit),
      .grant_o     (grant),
      .out_valid_o,
      .out_o,
      .out_room_i
  );

endmodule
