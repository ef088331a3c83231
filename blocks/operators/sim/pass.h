// SPDX-License-Identifier: Apache-2.0
// Pass: every output repeats the one input that its mask names (rtl/polyloom_op_pass.sv). The example of how
// an operator is written: README.md, "Adding an operator".
// Configuration: word 0 (no other is known); the mask names one input; inputs may be repeated on several
// outputs. Status: [0] errors, [1] beats that came. Latency: 2 cycles. Tests: operators_test.cc,
// operators_rtl_test.cc.
#pragma once

#include <vector>

#include "blocks/operators/sim/operator.h"

namespace polyloom::blocks::operators {

class Pass : public Operator {
 public:
  Pass(unsigned inputs, unsigned outputs) : Operator(inputs, outputs, 2, 2), takers_(inputs) {}

 protected:
  bool advance() override;
  void configure(std::span<const Config> configs) override;
  void drop() override;
  bool busy() const override { return false; }

 private:
  std::vector<std::uint64_t> takers_;  ///< of each input: outputs that repeat it
};

}  // namespace polyloom::blocks::operators
