// SPDX-License-Identifier: Apache-2.0
#include "polite/generate.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <string>

#include "fabric/error.h"
#include "fabric/parallel.h"
#include "polite/generators/counter_random.h"

namespace polyloom::polite {

namespace {

constexpr std::size_t kBlock = 1 << 16;  // items a task of the parallel loops

/// Calls make(i) for i in [0, n) from all host threads.
template <typename Make>
void for_each_parallel(std::uint64_t n, Make make) {
  fabric::parallel_for((n + kBlock - 1) / kBlock, fabric::host_threads(0), [&](std::size_t block) {
    const std::uint64_t last = std::min<std::uint64_t>(n, (block + 1) * kBlock);
    for (std::uint64_t i = block * kBlock; i < last; ++i) make(i);
  });
}

void check_vertices(std::uint64_t vertices) {
  if (vertices > 0xfffffffeull) {
    throw UserError("a generated graph has at most 4294967294 vertices, not " + std::to_string(vertices));
  }
}

/// A graph without edges; UserError unless there is memory for one with so many.
GraphData room_for(std::uint64_t vertices, double edges) {
  char count[32];
  std::snprintf(count, sizeof count, "%.0f", edges);
  require_graph_memory(static_cast<double>(vertices), edges,
                       "a graph of " + std::to_string(vertices) + " vertices and " + count + " edges");
  GraphData g;
  g.set_vertices(static_cast<std::uint32_t>(vertices));
  return g;
}

/// Points of a grid whose last row may be short.
struct Grid {
  std::uint64_t width, vertices;
  /// Points within `d` of v, itself included, as the rectangle [x0, x1] x [y0, y1] cut off at the end.
  struct Window {
    std::uint64_t x0, x1, y0, y1;
  };
  Window around(std::uint64_t v, std::uint64_t d) const {
    const std::uint64_t x = v % width, y = v / width, rows = (vertices + width - 1) / width;
    return {x > d ? x - d : 0, std::min(x + d, width - 1), y > d ? y - d : 0, std::min(y + d, rows - 1)};
  }
};

GraphData geometric(Grid grid, std::uint32_t distance, std::uint32_t fanout, std::uint64_t seed) {
  check_vertices(grid.vertices);
  GraphData g = room_for(grid.vertices, static_cast<double>(grid.vertices) * fanout);
  g.edges.resize(grid.vertices * fanout);
  const CounterRandom random(seed);
  for_each_parallel(grid.vertices, [&](std::uint64_t v) {
    const Grid::Window w = grid.around(v, distance);
    const std::uint64_t columns = w.x1 - w.x0 + 1, points = columns * (w.y1 - w.y0 + 1);
    std::uint64_t missing = 0;  // of the window, in the short last row
    for (std::uint64_t x = w.x0; x <= w.x1; ++x) missing += w.y1 * grid.width + x >= grid.vertices;
    if (points - missing - 1 < fanout) {
      throw UserError("geometric graph: vertex " + std::to_string(v) + " has only " +
                      std::to_string(points - missing - 1) + " others within distance " +
                      std::to_string(distance) + ", fewer than the fanout " + std::to_string(fanout) +
                      "; use a larger distance");
    }
    Edge* const out = &g.edges[v * fanout];
    std::uint32_t found = 0;
    const CounterRandom mine(random.bits(v));
    for (std::uint64_t draw = 0; found < fanout; ++draw) {
      const std::uint64_t p = mine.below(draw, points);
      const std::uint64_t to = (w.y0 + p / columns) * grid.width + w.x0 + p % columns;
      if (to == v || to >= grid.vertices) continue;
      const Edge edge{static_cast<std::uint32_t>(v), static_cast<std::uint32_t>(to)};
      if (std::find(out, out + found, edge) == out + found) out[found++] = edge;
    }
  });
  return g;
}

std::uint64_t square_side(std::uint32_t vertices) {
  return static_cast<std::uint64_t>(std::ceil(std::sqrt(static_cast<double>(vertices))));
}

}  // namespace

GraphData geometric_graph(std::uint32_t width, std::uint32_t height, std::uint32_t distance,
                          std::uint32_t fanout, std::uint64_t seed) {
  return geometric({width, std::uint64_t{width} * height}, distance, fanout, seed);
}

GraphData geometric_square(std::uint32_t vertices, std::uint32_t distance, std::uint32_t fanout,
                           std::uint64_t seed) {
  return geometric({square_side(vertices), vertices}, distance, fanout, seed);
}

GraphData geometric_graph(std::uint32_t vertices, std::uint32_t fanout, std::uint64_t seed) {
  if (vertices <= fanout) {
    throw UserError("geometric graph: a fanout of " + std::to_string(fanout) + " needs more than " +
                    std::to_string(vertices) + " vertices");
  }
  const auto width = static_cast<std::uint32_t>(square_side(vertices));
  // A corner sees (d + 1)^2 points, fewer where the last row is short: let it have twice what it needs.
  std::uint32_t distance = 1;
  while ((distance + 1) * (distance + 1ull) - 1 < 2ull * fanout && distance < width) ++distance;
  // In a small graph every vertex may be a neighbour.
  if ((distance + 1) * (distance + 1ull) > vertices / 2) distance = width;
  return geometric_square(vertices, distance, fanout, seed);
}

GraphData kronecker_graph(unsigned scale, unsigned edge_factor, std::uint64_t seed) {
  if (scale < 1 || scale > 30) {
    throw UserError("Kronecker graph: the scale is 1 to 30, not " + std::to_string(scale));
  }
  GraphData g = room_for(1u << scale, std::ldexp(edge_factor, static_cast<int>(scale)));
  g.edges.resize(std::uint64_t{edge_factor} << scale);
  const CounterRandom random(seed);
  // Numbers are scrambled by an invertible mix of scale bits, so that hubs do not all have small ones.
  const std::uint32_t mask = g.vertices - 1, odd1 = static_cast<std::uint32_t>(random.bits(~0ull) | 1),
                      odd2 = static_cast<std::uint32_t>(random.bits(~1ull) | 1);
  auto scramble = [&](std::uint32_t v) {
    v = (v * odd1) & mask;
    v ^= v >> (scale / 2 + 1);
    v = (v * odd2) & mask;
    v ^= v >> (scale / 2 + 1);
    return v;
  };
  constexpr std::uint32_t kA = static_cast<std::uint32_t>(0.57 * 65536),
                          kAB = static_cast<std::uint32_t>(0.76 * 65536),
                          kABC = static_cast<std::uint32_t>(0.95 * 65536);
  for_each_parallel(g.edges.size(), [&](std::uint64_t i) {
    std::uint32_t from = 0, to = 0;
    std::uint64_t bits = 0;
    for (unsigned level = 0; level < scale; ++level) {
      if (level % 4 == 0) bits = random.bits(i * 8 + level / 4);  // 16 bits a level
      const auto u = static_cast<std::uint32_t>(bits & 0xffff);
      bits >>= 16;
      from = from << 1 | (u >= kAB);
      to = to << 1 | ((u >= kA && u < kAB) || u >= kABC);
    }
    g.edges[i] = {scramble(from), scramble(to)};
  });
  return g;
}

GraphData uniform_graph(std::uint32_t vertices, std::uint64_t edges, std::uint64_t seed) {
  if (vertices == 0 && edges != 0) throw UserError("uniform graph: edges need at least one vertex");
  GraphData g = room_for(vertices, static_cast<double>(edges));
  g.edges.resize(edges);
  const CounterRandom random(seed);
  for_each_parallel(edges, [&](std::uint64_t i) {
    g.edges[i] = {static_cast<std::uint32_t>(random.below(2 * i, vertices)),
                  static_cast<std::uint32_t>(random.below(2 * i + 1, vertices))};
  });
  return g;
}

GraphData grid_graph(std::uint32_t width, std::uint32_t height) {
  const std::uint64_t vertices = std::uint64_t{width} * height;
  check_vertices(vertices);
  GraphData g = room_for(vertices, 4 * static_cast<double>(vertices));
  if (vertices == 0) return g;
  g.edges.reserve(4 * vertices);
  for (std::uint32_t y = 0; y < height; ++y) {
    for (std::uint32_t x = 0; x < width; ++x) {
      const std::uint32_t v = y * width + x;
      if (y > 0) g.edges.push_back({v, v - width});
      if (x > 0) g.edges.push_back({v, v - 1});
      if (x + 1 < width) g.edges.push_back({v, v + 1});
      if (y + 1 < height) g.edges.push_back({v, v + width});
    }
  }
  return g;
}

GraphData cube_graph(std::uint32_t width, std::uint32_t height, std::uint32_t depth) {
  const double points = static_cast<double>(width) * height * depth;
  check_vertices(points > 0xffffffffu ? 0xffffffffu : static_cast<std::uint64_t>(points));
  // Along a side of two, both neighbours are one; along a side of one, there is none.
  const auto around = [](std::uint32_t at, std::uint32_t side) {
    std::vector<std::uint32_t> near = {at};
    if (side > 1) near.push_back((at + 1) % side);
    if (side > 2) near.push_back((at + side - 1) % side);
    return near;
  };
  const auto near = [](std::uint32_t side) { return std::min<double>(side, 3); };
  GraphData g = room_for(static_cast<std::uint64_t>(points),
                         points * std::max(0.0, near(width) * near(height) * near(depth) - 1));
  for (std::uint32_t v = 0; v < g.vertices; ++v) {
    const std::uint32_t x = v % width, y = v / width % height, z = v / width / height;
    for (const std::uint32_t c : around(z, depth)) {
      for (const std::uint32_t b : around(y, height)) {
        for (const std::uint32_t a : around(x, width)) {
          const std::uint32_t to = (c * height + b) * width + a;
          if (to != v) g.edges.push_back({v, to});
        }
      }
    }
  }
  return g;
}

void draw_weights(GraphData& graph, std::uint32_t most, std::uint64_t seed) {
  if (most == 0) throw UserError("edge weights are drawn from 1..most; most is 0");
  graph.weights.resize(graph.edges.size());
  const CounterRandom random(seed ^ 0x77656967687473ull);  // apart from the stream of the edges
  for_each_parallel(graph.edges.size(), [&](std::uint64_t i) {
    graph.weights[i] = 1.0 + static_cast<double>(random.below(i, most));
  });
}

}  // namespace polyloom::polite
