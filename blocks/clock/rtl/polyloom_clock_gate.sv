// SPDX-License-Identifier: Apache-2.0
// polyloom_clock_gate: a clock that stands still while a part has nothing to do, so that a simulator does not evaluate the part.
// How:          a latch follows active_i while the clock is low, so that it may depend on anything of the cycle. The clock runs on
//               for Rest cycles, so that active_i need not tell what leaves a pipeline. In hardware (Gate 0) it is a wire: who
//               uses it promises that the part's state would not have changed.
// Latency:      none: active_i high in a cycle lets the rising edge that ends it through.
// Throughput:   every edge.
// Backpressure: none.
// Order/loss:   no edge is lost while active_i is high.
// Reset:        the clock runs, and First cycles longer.
// Limits:       Gate 1 is for simulation: the gated clock is made of logic. Rest and First at least 1 (checked at elaboration).
// Cost:         none.
// Source:       own; the usual gate of integrated circuits.   Tests: test_polyloom_clock_gate.py
module polyloom_clock_gate #(
    parameter bit          Gate  = 1'b0,
    parameter int unsigned Rest  = 4,     // cycles after the last active one in which the clock runs on
    parameter int unsigned First = Rest   // and after reset
) (
    input  logic clk_i,
    input  logic rst_ni,
    input  logic active_i,
    output logic clk_o
);

  if (Rest < 1 || First < 1) begin : gen_bad
    $error("%m: Rest %0d, First %0d; at least 1", Rest, First);
  end

  if (Gate) begin : gen_gate
    localparam int unsigned Bits = $clog2((First > Rest ? First : Rest) + 2);
    logic open;
    logic [Bits-1:0] rest_q;
    always_ff @(posedge clk_i or negedge rst_ni) begin
      if (!rst_ni) rest_q <= Bits'(First);
      else if (active_i) rest_q <= rest_q > Bits'(Rest) ? rest_q - 1'b1 : Bits'(Rest);
      else if (rest_q != '0) rest_q <= rest_q - 1'b1;
    end
    always_latch begin
      if (!clk_i) open = !rst_ni || active_i || rest_q != '0;
    end
    assign clk_o = clk_i && open;
  end else begin : gen_wire
    logic unused;
    assign unused = rst_ni ^ active_i;
    assign clk_o  = clk_i;
  end

endmodule
