// SPDX-License-Identifier: Apache-2.0
// The all-gather half of many algorithms: parts spread from their owners, one dimension a phase.
#pragma once

#include "roles/collective/host/schedule/algorithms.h"

namespace polyloom::collective::detail {

template <class First, class Here>
void spread(const Topology& topology, const std::vector<Part>& parts, const Dimensions& dims, std::size_t at,
            First first, Here here, std::vector<Phase>& phases) {
  for (const Part& part : parts) {
    if (part.bytes == 0) continue;
    std::vector<int> have{part.owner};
    for (std::size_t d = 0; d < dims.size(); ++d) {
      std::vector<int> now = have;
      for (const int from : have) {
        Work work{part.bytes, {}, {}};
        Flow flow;
        flow.source = from == part.owner ? first(part) : here(from, part);
        Route tree;
        for (const int to : topology.group(dims[d], from)) {
          if (to == from) continue;
          now.push_back(to);
          tree.push_back({from, to});
          const Place kept = here(to, part);
          // A rank that has the data in its send buffer (the root of a broadcast) is no target.
          if (kept.buffer == kSend) {
            tree.pop_back();
          } else {
            flow.writes.push_back(kept);
          }
        }
        const Place own = here(from, part);
        if (d == 0 && own.buffer != flow.source.buffer) flow.writes.push_back(own);
        flow.routes.push_back(std::move(tree));
        work.flows.push_back(std::move(flow));
        if (!work.flows[0].writes.empty()) add(phases, at + d, std::move(work));
      }
      have = std::move(now);
    }
    if (dims.empty()) add(phases, at, move_work(first(part), {Route{}}, here(part.owner, part), part.bytes));
  }
}

}  // namespace polyloom::collective::detail
