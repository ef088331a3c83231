// SPDX-License-Identifier: Apache-2.0
#include "bench/native-graph/machine.h"

#include <algorithm>
#include <numeric>

#include "polite/graph/huge_pages.h"

namespace polyloom::bench {
namespace {

using Words = polite::HugeVector<std::uint32_t>;

/// Calls a second that are left of `count` calls when `body` is the quickest of some tries. The sum keeps the work.
template <typename Body>
double rate(std::size_t count, Body body) {
  constexpr int kTries = 5;
  double best = 0;
  std::uint64_t kept = 0;
  for (int i = 0; i < kTries; ++i) {
    const auto start = Clock::now();
    kept += body();
    best = std::max(best, static_cast<double>(count) / since(start));
  }
  return kept == 0 ? 0 : best;
}

double read_rate() {
  constexpr std::size_t kWords = std::size_t{1} << 26;  // 512 MiB: no cache holds it
  polite::HugeVector<std::uint64_t> words(kWords);
#pragma omp parallel for schedule(static)
  for (std::size_t i = 0; i < kWords; ++i) words[i] = i;
  return rate(kWords * sizeof words[0], [&] {
    std::uint64_t sum = 0;
#pragma omp parallel for schedule(static) reduction(+ : sum)
    for (std::size_t i = 0; i < kWords; ++i) sum += words[i];
    return sum;
  });
}

double gather_rate(const Words& array, const Words& index) {
  return rate(index.size(), [&] {
    std::uint64_t sum = 0;
#pragma omp parallel for schedule(static) reduction(+ : sum)
    for (std::size_t i = 0; i < index.size(); ++i) sum += array[index[i]];
    return sum;
  });
}

}  // namespace

nlohmann::json machine_rates(const Workload& workload) {
  const auto& [vertices, edges] = std::tie(workload.data.vertices, workload.data.edges);
  const Words array(vertices, 1);
  Words index(std::clamp<std::size_t>(edges.size(), std::size_t{1} << 22, std::size_t{1} << 24));
  std::uint64_t random = 1;
  for (auto& at : index) {
    random = random * 6364136223846793005ull + 1442695040888963407ull;
    at = static_cast<std::uint32_t>((random >> 32) * vertices >> 32);
  }
  const double gathers = gather_rate(array, index);

  std::vector<std::uint32_t> degree(vertices, 0), order(vertices), place(vertices);
  for (const auto& edge : edges) ++degree[edge.from];
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(), [&](auto a, auto b) { return degree[a] > degree[b]; });
  for (std::uint32_t i = 0; i < vertices; ++i) place[order[i]] = i;
  for (std::size_t i = 0; i < index.size(); ++i) index[i] = place[edges[i % edges.size()].from];
  return {{"read_bytes", read_rate()}, {"gathers", gathers}, {"own_gathers", gather_rate(array, index)}};
}

}  // namespace polyloom::bench
