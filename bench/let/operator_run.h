// SPDX-License-Identifier: Apache-2.0
// The LET operator alone, cycle by cycle: its model, which equals the RTL in every cycle
// (blocks/operators/tests).
#pragma once

#include <span>
#include <vector>

#include "blocks/operators/sim/let.h"
#include "nbody/tree/record.h"

namespace polyloom::bench {

struct OperatorRun {
  std::uint64_t cycles = 0;  ///< from the first beat offered to the last beat taken at an output
  std::vector<std::vector<nbody::NodeRecord>> lets;
};

/// Streams the tree through an operator with one output a target. A beat of 256 bits is offered every
/// `cycles_a_beat` cycles: 2 is a feed of 128 bits a cycle. Outputs always take. `geometry`: cycles of the
/// pipe, 0 for those of the arithmetic.
OperatorRun run_operator(std::span<const nbody::NodeRecord> tree, std::span<const nbody::Target> targets,
                         blocks::operators::LetSetup setup, unsigned cycles_a_beat, unsigned geometry);

}  // namespace polyloom::bench
