// SPDX-License-Identifier: Apache-2.0
// From a request to the schedule of its steps: all passes, in their order (compile.cc).
//
//   request --make_plan--> phases of works --(buffers lie somewhere)--> steps of streams --programs()-->
//   instructions of each rank (emit.cc)
#pragma once

#include <cstdint>
#include <string>

#include "roles/collective/host/schedule/algorithms.h"
#include "roles/collective/host/schedule/pack.h"
#include "roles/collective/host/schedule/plan.h"

namespace polyloom::collective {

/// Throws UserError with the names that apply if `algorithm` does not.
Plan make_plan(const std::string& algorithm, const Situation& situation);
/// The steps of a plan whose buffers lie there.
Schedule make_schedule(const Plan& plan, const Buffers& buffers, const Topology& topology,
                       const NodeShape& shape);

/// Plan, preferred buffers and schedule of one algorithm. Bases count from 0; the second halves of the
/// channels begin where the buffers of the first end, or at shape.half_bytes if that is given.
struct Compiled {
  Plan plan;
  Buffers buffers;
  Schedule schedule;
  std::uint64_t half_bytes = 0;
};
Compiled compile(const std::string& algorithm, const Situation& situation);

}  // namespace polyloom::collective
