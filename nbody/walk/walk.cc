// SPDX-License-Identifier: Apache-2.0
#include "nbody/walk/walk.h"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <string>

#include "fabric/error.h"
#include "nbody/tree/tree.h"

namespace polyloom::nbody {
namespace {

constexpr std::size_t kNodesInBlock = 8192;

/// Room for a value a node, and for the last vector load.
template <typename T>
void room(std::vector<T>& values, std::size_t count) {
  if (values.size() < count + kLanePad) values.resize(count + kLanePad);
}

void fill(Group& g, std::span<const Point> bodies) {
  g.count = static_cast<unsigned>(bodies.size());
  for (unsigned i = 0; i < kMaxGroup; ++i) {
    const Point& p = bodies[std::min<std::size_t>(i, bodies.size() - 1)];
    g.x[i] = p.x, g.y[i] = p.y, g.z[i] = p.z;
    g.ax[i] = g.ay[i] = g.az[i] = g.potential[i] = g.together[i] = 0;
  }
  const auto bound = [&](const float* v, unsigned axis) {
    const auto [low, high] = std::minmax_element(v, v + g.count);
    g.min[axis] = *low, g.max[axis] = *high;
  };
  bound(g.x, 0);
  bound(g.y, 1);
  bound(g.z, 2);
}

}  // namespace

float acceleration_kappa(float smallest, double delta) {
  return std::sqrt(std::sqrt(1.0f / (static_cast<float>(delta) * smallest)));
}

void Walk::add(fabric::Pool& pool, const TreeView& tree, std::span<const float> radius) {
  if (trees_.size() == used_) trees_.emplace_back();
  Fields& t = trees_[used_++];
  const std::size_t n = tree.nodes.size();
  t.size = static_cast<std::uint32_t>(n);
  for (auto& field : t.values) room(field, n);
  room(t.more, n);
  for (auto& field : t.second) {
    if (tree.second.empty()) {
      field.clear();
    } else {
      room(field, n);
    }
  }
  pool.run((n + kNodesInBlock - 1) / kNodesInBlock, [&](std::size_t block, unsigned) {
    const std::size_t end = std::min(n, (block + 1) * kNodesInBlock);
    for (std::size_t i = block * kNodesInBlock; i < end; ++i) {
      const NodeRecord& r = tree.nodes[i];
      t.values[0][i] = r.q;
      t.values[1][i] = r.x;
      t.values[2][i] = r.y;
      t.values[3][i] = r.z;
      t.values[4][i] = r.mass;
      t.values[5][i] = radius.empty() ? 0.0f : kNearest * radius[i];
      t.more[i] = r.more;
    }
    for (std::size_t i = block * kNodesInBlock; i < end && !tree.second.empty(); ++i) {
      const SecondMoment& s = tree.second[i];
      const float values[6] = {s.xx, s.xy, s.xz, s.yy, s.yz, s.zz};
      for (unsigned k = 0; k < 6; ++k) t.second[k][i] = values[k];
    }
  });
}

void Walk::prepare_workers(unsigned count) {
  std::size_t largest = 0;
  for (std::size_t t = 0; t < used_; ++t) largest = std::max<std::size_t>(largest, trees_[t].size);
  if (workers_.size() < count) workers_.resize(count);
  for (Worker& w : workers_) {
    if (!w.scratch) {
      w.scratch = std::make_unique<Scratch>();
      w.group = std::make_unique<Group>();
    }
    if (w.queue.size() < largest + 1) w.queue.resize(largest + 1);
    w.scratch->queue = w.queue.data();
  }
}

WalkStats Walk::run(fabric::Pool& pool, const WalkOptions& options, std::span<const Point> bodies,
                    std::span<const float> old, std::span<Vec3> acceleration, std::span<double> potential) {
  if (options.group < 1 || options.group > kMaxGroup) {
    throw UserError("group " + std::to_string(options.group) + ": must be 1 to " + std::to_string(kMaxGroup));
  }
  std::vector<WalkTree> trees;
  for (std::size_t i = 0; i < used_; ++i) {
    const Fields& t = trees_[i];
    const auto field = [&](unsigned k) { return t.values[k].data(); };
    WalkTree& w = trees.emplace_back(
        WalkTree{field(0), field(1), field(2), field(3), field(4), field(5), t.more.data(), {}, t.size});
    for (unsigned k = 0; k < 6 && !t.second[0].empty(); ++k) w.second[k] = t.second[k].data();
  }
  prepare_workers(pool.workers());
  // Softening that small would overflow fp32 between coincident bodies; without it they are left out.
  const float eps2 = options.eps * options.eps > kCoincident ? options.eps * options.eps : 0.0f;
  const double place = eps2 > 0 ? 1.0 / static_cast<double>(options.eps) : 0.0;
  std::atomic<std::uint64_t> points = 0, cells = 0, lists = 0;
  pool.run((bodies.size() + options.group - 1) / options.group, [&](std::size_t block, unsigned worker) {
    const std::size_t first = block * options.group;
    const std::size_t count = std::min<std::size_t>(options.group, bodies.size() - first);
    Group& g = *workers_[worker].group;
    Scratch& s = *workers_[worker].scratch;
    fill(g, bodies.subspan(first, count));
    g.kappa = 1.0f;
    if (options.delta > 0) {
      const auto mine = old.subspan(first, count);
      g.kappa = acceleration_kappa(*std::min_element(mine.begin(), mine.end()), options.delta);
    }
    kernels().walk(trees.data(), trees.size(), g, s, eps2);
    for (std::size_t i = 0; i < count; ++i) {
      acceleration[first + i] = {g.ax[i], g.ay[i], g.az[i]};
      potential[first + i] =
          g.potential[i] - place * (g.together[i] - static_cast<double>(bodies[first + i].mass));
    }
    points += s.points * count;
    cells += s.cells * count;
    lists += s.points + s.cells;
  });
  return {points, cells, lists};
}

}  // namespace polyloom::nbody
