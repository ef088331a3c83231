// SPDX-License-Identifier: Apache-2.0
// Apart from ours.cc, whose applications have names that are taken here.
#pragma once

#include <memory>

#include "bench/native-graph/workload.h"

namespace polyloom::bench {

class OursBfs {
 public:
  OursBfs();
  ~OursBfs();
  Timed<std::uint32_t> run(const Workload& workload, Again again);

 private:
  struct Task;
  std::unique_ptr<Task> task_;
};

}  // namespace polyloom::bench
