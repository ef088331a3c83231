// SPDX-License-Identifier: Apache-2.0
// broken_tb: streams that break the handshake or the data, for the test of the agents; and arrays of streams.
module broken_tb (
    input logic clk_i,
    input logic rst_ni
);

  logic [15:0] count_q;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) count_q <= '0;
    else count_q <= count_q + 1'b1;
  end

  if (1) begin : gen_falls  // valid falls before ready
    logic out_valid, out_ready = 1'b0;
    logic [7:0] out;
    assign out_valid = count_q[2:0] != 3'd5;
    assign out = 8'h11;
  end

  if (1) begin : gen_changes  // the payload changes before ready
    logic out_valid, out_ready = 1'b0;
    logic [7:0] out;
    assign out_valid = 1'b1;
    assign out = count_q[7:0];
  end

  if (1) begin : gen_twice  // item 5 comes twice
    logic out_valid, out_ready = 1'b0;
    logic [7:0] out, item_q;
    logic again_q;
    assign out_valid = 1'b1;
    assign out = item_q;
    always_ff @(posedge clk_i or negedge rst_ni) begin
      if (!rst_ni) begin
        item_q  <= '0;
        again_q <= 1'b0;
      end else if (out_ready) begin
        again_q <= item_q == 8'd5;
        if (item_q != 8'd5 || again_q) item_q <= item_q + 1'b1;
      end
    end
  end

  if (1) begin : gen_deaf  // never ready
    logic in_valid = 1'b0, in_ready;
    assign in_ready = 1'b0;
  end

  if (1) begin : gen_pair  // two streams as packed arrays, crossed over, without any register
    logic [1:0] in_valid = '0, in_ready, out_valid, out_ready = '0;
    logic [1:0][8:0] in = '0, out;
    assign out_valid = {in_valid[0], in_valid[1]};
    assign in_ready = {out_ready[0], out_ready[1]};
    assign out = {in[0], in[1]};
  end

  if (1) begin : gen_assert  // an assertion that fails from the start, in reset, and when the test says so
    logic bad = 1'b0;
    logic [7:0] fails_q = '0;
    always_ff @(posedge clk_i) begin
      assert (rst_ni && !bad)
      else fails_q <= fails_q + 1'b1;
    end
  end

endmodule
