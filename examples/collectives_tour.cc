// SPDX-License-Identifier: Apache-2.0
// A tour of collectives in C++. Usage: collectives_tour [CLUSTER], default optweb-8. How to build and run it:
// docs/guides/collectives.md, "From C++".
#include <cstdint>
#include <exception>
#include <iomanip>
#include <iostream>
#include <span>
#include <vector>

#include "polyloom/collectives.h"

using namespace polyloom::collective;

namespace {

/// Natively there is no time; else simulated seconds, and those of the model that chose the algorithm.
void report(const Result& result) {
  std::cout << result.operation << " of " << result.bytes << " bytes by '" << result.algorithm << "': ";
  if (!result.simulated_seconds || !result.predicted_seconds) {
    std::cout << "no time is modelled\n";
    return;
  }
  std::cout << std::fixed << std::setprecision(3) << "simulated " << 1e6 * *result.simulated_seconds
            << " us, predicted " << 1e6 * *result.predicted_seconds << " us, bus "
            << result.bus_gbps().value_or(0) << " Gb/s\n"
            << std::defaultfloat << std::setprecision(6);
}

void tour(Communicator& comm) {
  const int n = comm.size();
  const auto ranks = static_cast<std::size_t>(n);
  std::cout << comm.topology().text() << "\n";

  // 1. Data of each rank. One process drives all ranks, so they are vectors side by side.
  const std::size_t count = 1000, block = 64;
  std::vector<std::vector<float>> gradients(ranks), sums(ranks, std::vector<float>(count));
  std::vector<std::vector<std::int32_t>> letters(ranks),
      received(ranks, std::vector<std::int32_t>(n * block));
  for (std::size_t r = 0; r < ranks; ++r) {
    for (std::size_t i = 0; i < count; ++i) gradients[r].push_back(0.5f * static_cast<float>((r + 1) * i));
    for (std::size_t i = 0; i < ranks * block; ++i) {  // block j is for rank j
      letters[r].push_back(static_cast<std::int32_t>(10000 * r + 100 * (i / block) + i % block));
    }
  }

  // 2. Each rank posts its part and goes on; operations run, in order, once the last rank has posted.
  std::vector<Handle> reduced, exchanged;
  for (int r = 0; r < n; ++r) {
    const auto me = static_cast<std::size_t>(r);
    reduced.push_back(comm.rank(r).all_reduce<float>(gradients[me], sums[me]));
    exchanged.push_back(comm.rank(r).all_to_all<std::int32_t>(letters[me], received[me]));
    if (r == 0) std::cout << "after the first post: " << (reduced[0].done() ? "done" : "waiting") << "\n";
  }
  std::cout << "after the last post: " << (reduced[0].done() ? "done" : "waiting") << "\n";

  // 3. Any rank's handle gives the result.
  report(reduced.front().wait());
  report(exchanged.back().wait());
  std::cout << "sum of element 7, on the last rank: " << sums.back()[7] << "\n"
            << "first element of the last block, on rank 0: " << received[0][(ranks - 1) * block] << "\n";
  double total = 0;
  for (const auto& vector : sums) {
    for (const float x : vector) total += x;
  }
  std::int64_t weighted = 0;  // by place, so that blocks in a wrong order show
  for (std::size_t r = 0; r < ranks; ++r) {
    for (std::size_t i = 0; i < received[r].size(); ++i) {
      weighted += static_cast<std::int64_t>((r + 1) * (i + 1)) * received[r][i];
    }
  }
  std::cout << std::setprecision(12) << "all sums together: " << total << "\n"
            << "all blocks, weighted by place: " << weighted << "\n"
            << std::setprecision(6);

  // 4. Buffers that stay in the nodes' memories: loaded once, used as often as wanted.
  const Communicator::Prepared average = comm.prepare({.operation = Operation::all_reduce,
                                                       .sizes = {count * sizeof(float)},
                                                       .reduce = ReduceOp::average,
                                                       .type = DataType::fp32});
  for (std::size_t r = 0; r < ranks; ++r) comm.write<float>(average.send[r], gradients[r]);
  for (int repeat = 0; repeat < 2; ++repeat) report(comm.run(average));
  comm.read<float>(average.recv[0], sums[0]);
  std::cout << "average of element 7: " << sums[0][7] << "\n";

  // 5. A mistake: the last rank gives fewer elements than the others. Every rank is told who differs.
  std::vector<Handle> wrong;
  for (int r = 0; r < n; ++r) {
    const auto me = static_cast<std::size_t>(r);
    const std::size_t mine = r == n - 1 ? count - 8 : count;
    wrong.push_back(comm.rank(r).all_reduce<float>(std::span(gradients[me]).first(mine),
                                                   std::span(sums[me]).first(mine)));
  }
  int reported = 0;
  for (const Handle& handle : wrong) {
    try {
      handle.wait();
    } catch (const polyloom::UserError& error) {
      if (reported++ == 0) std::cout << "as it should be: " << error.what() << "\n";
    }
  }
  std::cout << reported << " of " << n << " ranks were told\n";

  // 6. Why that algorithm? Ask the model.
  std::cout << comm.explain(average.request);
}

}  // namespace

int main(int argc, char** argv) {
  try {
    Communicator comm({.cluster = argc > 1 ? argv[1] : "optweb-8"});
    tour(comm);
  } catch (const std::exception& error) {
    std::cerr << "collectives_tour: " << error.what() << "\n";
    return 1;
  }
}
