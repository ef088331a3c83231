// SPDX-License-Identifier: Apache-2.0
#include "bench/native-graph/theirs.h"

namespace polyloom::bench {
namespace {

/// Makes rows if there are none, or `again`: make() gives them, sort(rows) sorts them.
template <typename Kept, typename Make, typename Sort>
Made make_rows(std::unique_ptr<Kept>& kept, Again again, Make make, Sort sort) {
  if (again != Again::no) kept.reset();
  if (kept) return {};
  const auto start = Clock::now();
  kept = std::make_unique<Kept>(make());
  const auto made = Clock::now();
  sort(*kept);
  return {std::chrono::duration<double>(made - start).count(), since(made)};
}

template <typename Kernel>
auto timed(Made made, Kernel kernel) {
  const double cpu = cpu_clock();
  const auto start = Clock::now();
  const auto array = kernel();
  Timed<std::remove_cvref_t<decltype(array[0])>> result;
  result.seconds = since(start);
  result.cpu_seconds = cpu_clock() - cpu;
  result.sort_seconds = made.sort_seconds;
  result.build_seconds = made.build_seconds;
  result.values.assign(array.data(), array.data() + array.size());
  return result;
}

/// Hops to the root of a tree of parents.
std::vector<std::uint32_t> depths(const std::vector<std::int32_t>& parent) {
  std::vector<std::uint32_t> depth(parent.size(), peers::kUnreached);
  std::vector<std::size_t> way;
  for (std::size_t v = 0; v < parent.size(); ++v) {
    if (parent[v] < 0) continue;
    std::size_t at = v;
    for (; depth[at] == peers::kUnreached && parent[at] != static_cast<std::int32_t>(at); at = parent[at])
      way.push_back(at);
    if (depth[at] == peers::kUnreached) depth[at] = 0;
    for (std::uint32_t hops = depth[at]; !way.empty(); way.pop_back()) depth[way.back()] = ++hops;
  }
  return depth;
}

}  // namespace

Made Theirs::make_directed(Again again) {
  const auto& [vertices, edges] = std::tie(workload_.data.vertices, workload_.data.edges);
  using peers::Direction;
  return make_rows(
      directed_, again,
      [&] {
        return peers::Directed{{vertices, edges, {}, Direction::out}, {vertices, edges, {}, Direction::in}};
      },
      [](auto& rows) {
        rows.out.sort();
        rows.in.sort();
      });
}

double Theirs::squish_seconds() {
  make_directed(Again::no);
  const auto start = Clock::now();
  const auto out = peers::squished(directed_->out), in = peers::squished(directed_->in);
  return since(start);
}

Timed<float> Theirs::pagerank(Again again) {
  double change = 0;
  return timed(make_directed(again),
               [&] { return peers::pagerank(*directed_, kUpdates, static_cast<float>(kDamping), change); });
}

Timed<std::uint32_t> Theirs::bfs(Again again) {
  const auto tree = timed(make_directed(again), [&] { return peers::bfs(*directed_, workload_.source); });
  return {depths(tree.values), tree.seconds, tree.cpu_seconds, tree.sort_seconds, tree.build_seconds};
}

Timed<std::uint32_t> Theirs::components(Again again) {
  const Made made = make_rows(
      both_ways_, again,
      [this] {
        return peers::Rows<peers::Vertex>(workload_.data.vertices, workload_.data.edges, {},
                                          peers::Direction::both);
      },
      [](auto& rows) { rows.sort(); });
  return timed(made, [this] { return peers::components(*both_ways_); });
}

Timed<std::uint32_t> Theirs::sssp(Again again) {
  const Made made = make_rows(
      weighted_, again,
      [this] {
        return peers::Rows<peers::Weighted>(workload_.data.vertices, workload_.data.edges, workload_.weights,
                                            peers::Direction::out);
      },
      [](auto& rows) { rows.sort(); });
  const auto with = [&](std::uint32_t delta) {
    return timed(made, [&] { return peers::shortest_paths(*weighted_, workload_.source, delta); });
  };
  if (delta_ == 0) {
    double best = 0;
    for (std::uint32_t delta = 1; delta <= 1024; delta *= 2) {
      const double seconds = with(delta).seconds;
      if (delta > 1 && seconds >= best) continue;
      best = seconds;
      delta_ = delta;
    }
  }
  return with(delta_);
}

}  // namespace polyloom::bench
