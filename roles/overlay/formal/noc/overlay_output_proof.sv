// SPDX-License-Identifier: Apache-2.0
// overlay_output_proof: polyloom_overlay_noc_output never mixes messages, asks for room, takes turns and never rests in vain.
// How: each leg is an input of a router: it asks until it is granted, then its message leaves a flit a cycle.
module overlay_output_proof #(
    parameter int unsigned Legs = 3
) (
    input logic                 clk_i,
    input logic                 rst_ni,
    input logic [Legs-1:0]      request_i,
    input logic [Legs-1:0][1:0] flits_i,    // of the message that it asks for, - 1
    input logic                 room_i
);

  typedef struct packed {
    logic [1:0] leg;
    logic [1:0] index;
    logic       last;
  } small_t;

  logic started = 1'b0;
  always_ff @(posedge clk_i) started <= 1'b1;
  always_comb assume (rst_ni == started);

  logic [Legs-1:0] request, long_message, ending, grant, request_q;
  logic [1:0] left_q[Legs];  // flits that leave after this cycle's
  logic [1:0] index_q[Legs], flits_q[Legs];
  small_t flit[Legs], out, out_q;
  logic valid, grant_q;
  logic [2:0] waited_q[Legs];

  for (genvar l = 0; l < Legs; l++) begin : gen_leg
    assign request[l] = request_i[l] && left_q[l] == '0;
    assign long_message[l] = flits_i[l] != '0;
    assign ending[l] = left_q[l] == 2'd1;
    assign flit[l] = '{
            leg: 2'(l),
            index: left_q[l] != '0 ? index_q[l] : '0,
            last: left_q[l] != '0 ? left_q[l] == 2'd1 : flits_i[l] == '0
        };
    always_ff @(posedge clk_i or negedge rst_ni) begin
      if (!rst_ni) begin
        left_q[l] <= '0;
        request_q[l] <= 1'b0;
        waited_q[l] <= '0;
      end else begin
        left_q[l] <= grant[l] ? flits_i[l] : left_q[l] - 2'(left_q[l] != '0);
        request_q[l] <= request[l] && !grant[l];
        waited_q[l] <= request[l] && !grant[l] ? waited_q[l] + 3'(grant != '0) : '0;
      end
    end
    always_ff @(posedge clk_i) begin
      index_q[l] <= grant[l] ? 2'd1 : index_q[l] + 1'b1;
      flits_q[l] <= flits_i[l];
    end
    always_comb begin
      if (request_q[l]) assume (request[l] && flits_i[l] == flits_q[l]);
      if (rst_ni) assert (32'(waited_q[l]) < Legs);  // one message of each other leg at most
    end
  end

  polyloom_overlay_noc_output #(
      .Legs(Legs),
      .T(small_t)
  ) i_dut (
      .clk_i,
      .rst_ni,
      .request_i(request),
      .long_i   (long_message),
      .ending_i (ending),
      .flit_i   (flit),
      .grant_o  (grant),
      .valid_o  (valid),
      .out_o    (out),
      .room_i
  );

  logic amid_q;  // a message has begun on the wire and not ended
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      amid_q  <= 1'b0;
      grant_q <= 1'b0;
    end else begin
      amid_q  <= valid && !out.last;
      grant_q <= grant != '0;
    end
  end
  always_ff @(posedge clk_i) out_q <= out;

  always_comb begin
    if (rst_ni) begin
      assert ((grant & (grant - 1'b1)) == '0 && (grant & ~request) == '0);
      if (grant != '0) assert (room_i);
      assert (valid == (amid_q || grant_q));
      if (amid_q) assert (!grant_q && out.leg == out_q.leg && out.index == out_q.index + 1'b1);
      if (grant_q) assert (out.index == '0);
      // The last flit of a message is on the wire, or none: a request is served at once if there is space.
      if (request != '0 && room_i && (!valid || out.last)) assert (grant != '0);
    end
  end

  always_comb begin
    for (int unsigned l = 0; l < Legs; l++) cover (rst_ni && 32'(waited_q[l]) == Legs - 1 && grant[l]);
    cover (rst_ni && grant_q && valid && out.last && out_q.last && out_q.index == 2'd3);
  end

endmodule
