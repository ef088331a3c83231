// SPDX-License-Identifier: Apache-2.0
// assert_control: bound into the top of every unit test: assertions hold only outside reset, as registers start random.
module assert_control (
    input logic rst_ni
);

  initial $assertoff;
  always @(negedge rst_ni) $assertoff;
  always @(posedge rst_ni) if ($time > 0) $asserton;  // at time 0 the reset itself is random

endmodule
