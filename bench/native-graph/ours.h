// SPDX-License-Identifier: Apache-2.0
// Our contestants: vertex programs of apps/ on this CPU. Each keeps its graph between runs unless it is run again.
#pragma once

#include <memory>

#include "bench/native-graph/workload.h"

namespace polyloom::bench {

class Ours {
 public:
  explicit Ours(const Workload& workload);
  ~Ours();

  Timed<float> pagerank(Again again);
  Timed<std::uint32_t> components(Again again);
  Timed<std::uint32_t> sssp(Again again);
  Timed<std::uint32_t> bfs(Again again);

 private:
  struct Tasks;
  const Workload& workload_;
  std::unique_ptr<Tasks> tasks_;
};

}  // namespace polyloom::bench
