// SPDX-License-Identifier: Apache-2.0
// For tests: programs of whole operations, made by the host library's schedules, and the bytes that they must
// move.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "roles/collective/arch/program.h"

namespace polyloom::collective::swap {

struct OperationCase {
  std::string name;
  std::vector<std::vector<Instruction>> programs;              ///< [rank]
  std::vector<std::vector<std::vector<std::uint8_t>>> before;  ///< [rank][channel]
  std::vector<std::vector<std::vector<std::uint8_t>>> after;  ///< of schedule/machine.h; shorter: not touched
};

/// Every algorithm of every operation on `nodes` fully connected nodes with four channels. What is sent lies
/// in the lower half of the channels of `bytes` bytes, the rest in the upper half. Sizes up to `largest`,
/// equal or not.
std::vector<OperationCase> operation_cases(int nodes, std::uint64_t bytes, std::uint64_t eager_bytes,
                                           std::uint64_t largest, unsigned seed);

}  // namespace polyloom::collective::swap
