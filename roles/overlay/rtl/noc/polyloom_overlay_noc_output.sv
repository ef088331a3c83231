// SPDX-License-Identifier: Apache-2.0
// polyloom_overlay_noc_output: an output of a router: one of the waiting messages at a time, whole, in turns.
// How:          an arbiter, a multiplexer, a register.
// Latency:      a flit granted in cycle c is on the wire in c+1.
// Throughput:   a flit a cycle; a message may follow another without a gap.
// Backpressure: a message is granted only with room_i in that cycle, then goes on without asking. Combinational: room_i ->
//               grant_o.
// Order/loss:   flits of different messages never mix; a leg that asks all the time waits for at most Legs - 1 messages.
// Reset:        idle, leg 0 favoured; the register of the flit is not cleared.
// Limits:       Legs >= 1 (checked in the arbiter).
// Cost:         mostly the multiplexer: 2 LUT4 a bit of a flit at 4 legs, 3 at 5.
// Source:       own design.   Tests: test_polyloom_overlay_noc_output.py;
//               proof: proofs.toml [overlay_output]
module polyloom_overlay_noc_output #(
    parameter int unsigned Legs = 0,  // inputs whose messages may come here
    parameter type T = logic  // a flit
) (
    input  logic            clk_i,
    input  logic            rst_ni,
    // From and to the inputs
    input  logic [Legs-1:0] request_i,
    input  logic [Legs-1:0] long_i,           // the message has more than one flit
    input  logic [Legs-1:0] ending_i,         // the last flit of such a message leaves in this cycle
    input  T                flit_i   [Legs],
    output logic [Legs-1:0] grant_o,
    // To and from the wire
    output logic            valid_o,
    output T                out_o,
    input  logic            room_i
);

  logic [(Legs > 1 ? $clog2(Legs) : 1)-1:0] leg;
  logic load, send;

  polyloom_overlay_noc_arbiter #(
      .Legs(Legs)
  ) i_arbiter (
      .clk_i,
      .rst_ni,
      .request_i,
      .long_i,
      .ending_i,
      .grant_o,
      .load_o(load),
      .leg_o (leg),
      .send_o(send),
      .room_i
  );

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) valid_o <= 1'b0;
    else valid_o <= send;
  end

  always_ff @(posedge clk_i) if (load) out_o <= flit_i[leg];

endmodule
