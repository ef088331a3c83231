// SPDX-License-Identifier: Apache-2.0
// count_tb: polyloom_overlay_count beside an adder; ends with the number of counts seen, or with the first difference.
module count_tb;
  localparam int unsigned Cycles = 3_000_000;  // so that 13 of the upper bits change

  bit clk;
  logic clear, first, count;
  logic [39:0] value, want;
  int unsigned counts;
  always #1 clk = !clk;

  polyloom_overlay_count i_count (
      .clk_i  (clk),
      .clear_i(clear),
      .first_i(first),
      .count_i(count),
      .value_o(value)
  );

  // Clears come close together in the beginning, so that they meet every phase; seldom later.
  int unsigned seed;
  initial begin
    if (!$value$plusargs("seed=%d", seed)) seed = 1;
    void'($urandom(seed));
    for (int unsigned i = 0; i < Cycles; i++) begin
      @(negedge clk);
      if (i > 1 && value != want) $fatal(1, "cycle %0d: %0d, not %0d", i, value, want);
      clear = i == 0 || (i < Cycles / 3 && $urandom % 700 == 0);
      first = $urandom % 2 == 0;
      count = i > Cycles / 2 || $urandom % 3 != 0;
      want  = clear ? 40'(first) : want + 40'(count);
      counts += 32'(count);
    end
    $display("counts %0d value %0d", counts, value);
    $finish;
  end
endmodule
