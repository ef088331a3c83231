// SPDX-License-Identifier: Apache-2.0
// clock_tb: all test objects of the folder in one binary; a test drives the signals of one scope.
// verilog_format: off
module clock_tb (
    input logic clk_i,
    input logic rst_ni
);

  for (genvar i = 0; i < 3; i++) begin : gen_gate  // closes after 1 cycle; after 5, 9 after reset; never
    // closes after 1 cycle; after 5, 9 after reset; never
    logic clk;
    logic [31:0] edges_q;
    polyloom_clock_gate #(.Gate(i != 2), .Rest(i == 0 ? 1 : 5), .First(i == 0 ? 1 : 9)) i_gate (.clk_o(clk), .*);
    always_ff @(posedge clk or negedge rst_ni) begin
      if (!rst_ni) edges_q <= '0;
      else edges_q <= edges_q + 1'b1;
    end
  end

  for (genvar i = 0; i < 2; i++) begin : gen_busy  // one way each; three in, two out
    localparam int unsigned In = i == 0 ? 1 : 3;
    localparam int unsigned Out = i == 0 ? 1 : 2;
    polyloom_clock_busy #(.In(In), .Out(Out)) i_busy (.in_i(came), .out_i(went), .*);
  end

endmodule
