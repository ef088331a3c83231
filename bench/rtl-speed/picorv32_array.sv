// SPDX-License-Identifier: Apache-2.0
// picorv32_array: many PicoRV32, each with a memory of its own that responds in the next cycle, which run the loop of device.c.
// How:          the memory holds the program from the start: 4 x (3 x (addi, xori), store, load), a count and a branch.
// Latency:      none. Throughput: of PicoRV32, about an instruction in 4 cycles.
// Backpressure: none. Order/loss: none. Reset: the cores'; memories keep what they hold.
// Limits:       Cores 1 or more.
// Cost:         not for synthesis.
// Source:       own; picorv32.v of the Python package pythondata-cpu-picorv32.   Tests: bench/rtl-speed, which looks at rounds_o.
module picorv32_array #(
    parameter int unsigned Cores = 1
) (
    input  logic        clk_i,
    input  logic        rst_ni,
    output logic        trap_o,   // a core has met what it cannot execute
    output logic [63:0] rounds_o  // of all cores together
);
  logic [Cores-1:0] trap, round;
  for (genvar k = 0; k < int'(Cores); k++) begin : gen_core
    picorv32_alone i_core (
        .clk_i,
        .rst_ni,
        .trap_o (trap[k]),
        .round_o(round[k])
    );
  end
  assign trap_o = |trap;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) rounds_o <= '0;
    else rounds_o <= rounds_o + 64'($countones(round));
  end
endmodule
