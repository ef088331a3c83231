// SPDX-License-Identifier: Apache-2.0
// What the LET tests share and nothing else uses: bodies, trees made of them, the straightforward LET, and
// the stream in which a tree goes to the operator. Written from the format alone (README.md, "LET"), not from
// make_let.h.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <numbers>
#include <vector>

#include "blocks/operators/sim/make_let.h"
#include "blocks/operators/tests/operator_streams.h"

namespace polyloom::blocks::operators::test {

using Tree = std::vector<NodeRecord>;
struct Body {
  double x, y, z, m;
};
using Bodies = std::vector<Body>;

inline double uniform(Random& random) { return static_cast<double>(random() >> 11) * 0x1p-53; }

/// n bodies of mass 1/n in shells of random radius radius().
template <typename Radius>
Bodies sphere_of(Random& random, unsigned n, Radius&& radius) {
  Bodies bodies(n);
  for (Body& body : bodies) {
    const double r = radius(), z = 2 * uniform(random) - 1, phi = 2 * std::numbers::pi * uniform(random);
    const double s = std::sqrt(1 - z * z);
    body = {r * s * std::cos(phi), r * s * std::sin(phi), r * z, 1.0 / n};
  }
  return bodies;
}
inline Bodies plummer(Random& random, unsigned n) {
  return sphere_of(random, n,
                   [&] { return std::min(10.0, 1 / std::sqrt(std::pow(uniform(random), -2.0 / 3) - 1)); });
}
inline Bodies hernquist(Random& random, unsigned n) {
  return sphere_of(random, n, [&] {
    const double m = std::sqrt(0.98 * uniform(random));
    return m / (1 - m);
  });
}
inline Bodies cube(Random& random, unsigned n) {
  Bodies bodies(n);
  for (Body& body : bodies) body = {uniform(random), uniform(random), uniform(random), 1.0 / n};
  return bodies;
}

/// Octree in breadth-first order; a cell of at most `leaf` bodies, or too deep, hands them to its parent.
/// theta: opening angle; 0: critical radius of the acceleration criterion.
inline Tree make_tree(const Bodies& bodies, double theta, unsigned bias, unsigned leaf = 8) {
  struct Item {
    std::vector<unsigned> members;
    double x, y, z, half;
    unsigned depth;
    bool body;
  };
  Tree tree;
  if (bodies.empty()) return tree;
  double half = 0;
  for (const Body& b : bodies) half = std::max({half, std::abs(b.x), std::abs(b.y), std::abs(b.z)});
  std::vector<Item> items(1, {{}, 0, 0, 0, half, 0, bodies.size() == 1});
  for (unsigned b = 0; b < bodies.size(); ++b) items[0].members.push_back(b);
  for (std::size_t id = 0; id < items.size(); ++id) {
    const Item item = items[id];
    double m = 0, x = 0, y = 0, z = 0, reach = 0;
    for (const unsigned b : item.members) {
      const Body& body = bodies[b];
      m += body.m, x += body.m * body.x, y += body.m * body.y, z += body.m * body.z;
    }
    x /= m, y /= m, z /= m;
    for (const unsigned b : item.members) {
      reach = std::max(reach, std::hypot(bodies[b].x - x, bodies[b].y - y, bodies[b].z - z));
    }
    const std::size_t first = item.body ? id : items.size();
    if (!item.body) {
      std::array<std::vector<unsigned>, 8> octants;
      for (const unsigned b : item.members) {
        const Body& body = bodies[b];
        octants[(body.x >= item.x) + 2 * (body.y >= item.y) + 4 * (body.z >= item.z)].push_back(b);
      }
      for (unsigned o = 0; o < 8; ++o) {
        const double h = item.half / 2;
        const double cx = item.x + (o & 1 ? h : -h), cy = item.y + (o & 2 ? h : -h),
                     cz = item.z + (o & 4 ? h : -h);
        if (octants[o].size() > leaf && item.depth < 21) {
          items.push_back({octants[o], cx, cy, cz, h, item.depth + 1, false});
        } else {
          for (const unsigned b : octants[o]) items.push_back({{b}, cx, cy, cz, h, item.depth + 1, true});
        }
      }
    }
    const auto count = static_cast<std::uint32_t>(items.size() - first);
    const double q = theta > 0 ? reach / theta : std::pow(m * reach * reach, 0.25);
    tree.push_back({item.body ? -1.0f : static_cast<float>(q), static_cast<float>(x), static_cast<float>(y),
                    static_cast<float>(z), static_cast<float>(m),
                    (item.body ? 0 : count - bias) << 26 | static_cast<std::uint32_t>(first)});
  }
  return tree;
}

// Each step in double, which holds a product exactly and rounds a sum far below single precision, then
// rounded.
inline float times(float a, float b) { return static_cast<float>(double{a} * double{b}); }
inline float plus(float a, float b) { return static_cast<float>(double{a} + double{b}); }
inline float minus(float a, float b) { return static_cast<float>(double{a} - double{b}); }

inline bool reference_accepts(const NodeRecord& node, const LetTarget& target) {
  if (node.q < 0) return true;
  const float position[3] = {node.x, node.y, node.z};
  float square[3];
  for (unsigned k = 0; k < 3; ++k) {
    float nearest = position[k];
    if (position[k] > target.max[k]) nearest = target.max[k];
    if (position[k] < target.min[k]) nearest = target.min[k];
    const float d = minus(position[k], nearest);
    square[k] = times(d, d);
  }
  const float s = plus(plus(square[0], square[1]), square[2]);
  const float t = plus(times(target.kappa, node.q), target.radius);
  return times(times(t, t), static_cast<float>(1 + std::ldexp(1.0, -20))) < s;
}

/// The LET by marks, as in the paper; then every id is renamed.
inline Tree reference_let(const Tree& tree, const LetTarget& target, unsigned bias) {
  std::vector<bool> in(tree.size()), open(tree.size());
  std::vector<std::uint32_t> name(tree.size());
  if (!tree.empty()) in[0] = true;
  std::uint32_t count = 0;
  for (std::uint32_t id = 0; id < tree.size(); ++id) {
    if (!in[id]) continue;
    name[id] = count++;
    const std::uint32_t kids = (tree[id].more >> 26) + bias, first = tree[id].more & 0x3ffffff;
    open[id] = !reference_accepts(tree[id], target) && kids > 0;
    for (std::uint32_t k = 0; open[id] && k < kids; ++k) in.at(first + k) = true;
  }
  Tree let;
  for (std::uint32_t id = 0; id < tree.size(); ++id) {
    if (!in[id]) continue;
    NodeRecord node = tree[id];
    if (open[id]) {
      node.more = (node.more & 0xfc000000) | name[node.more & 0x3ffffff];
    } else {
      node.q = -1;
      node.more = name[id];
    }
    let.push_back(node);
  }
  return let;
}

inline bool same_bits(const Tree& a, const Tree& b) {
  return a.size() == b.size() &&
         (a.empty() || std::memcmp(a.data(), b.data(), a.size() * sizeof(NodeRecord)) == 0);
}

/// Targets and records as they go into the operator. The last beat is short if packing has it so.
inline Stream let_stream(const std::vector<LetTarget>& targets, const Tree& tree, bool padded) {
  std::vector<std::uint32_t> words;
  for (const LetTarget& target : targets) {
    words.resize(words.size() + 8);
    std::memcpy(&words[words.size() - 8], &target, 32);
  }
  for (const NodeRecord& node : tree) {
    words.resize(words.size() + 6);
    std::memcpy(&words[words.size() - 6], &node, 24);
    if (padded) words.insert(words.end(), 2, 0);
  }
  Stream stream((words.size() + 7) / 8);
  for (std::size_t w = 0; w < words.size(); ++w) stream[w / 8].word[w % 8] = words[w];
  if (words.size() % 8 != 0) stream.back().keep = (1u << 4 * (words.size() % 8)) - 1;
  stream.back().last = true;
  return stream;
}

/// The records of an output's stream; a beat that should not be so is a record of -7.
inline Tree records_of(const Stream& stream, bool padded) {
  std::vector<std::uint32_t> words;
  bool good = !stream.empty() && stream.back().last;
  for (std::size_t b = 0; b < stream.size(); ++b) {
    const Beat& beat = stream[b];
    if (b + 1 != stream.size()) good &= !beat.last && beat.keep == kKeepAll;
    for (unsigned w = 0; w < kWords; ++w) {
      const bool counts = beat.keep >> (4 * w) & 1;
      if (counts) words.push_back(beat.word[w]);
      if (!counts || (padded && w > 5)) good &= beat.word[w] == 0;
    }
  }
  const std::size_t size = padded ? 8 : 6;
  good &= words.size() % size == 0;
  Tree tree(words.size() / size);
  for (std::size_t n = 0; n < tree.size(); ++n) std::memcpy(&tree[n], &words[n * size], 24);
  if (!good) tree.assign(1, {-7, -7, -7, -7, -7, 0});
  return tree;
}

/// A q at which the target is as far as the node reaches, give or take some steps of 2^-23.
inline float q_at_the_boundary(Random& random, const NodeRecord& node, const LetTarget& target) {
  double s = 0;
  const double at[3] = {node.x, node.y, node.z};
  for (unsigned k = 0; k < 3; ++k) {
    s += std::pow(at[k] - std::max<double>(target.min[k], std::min<double>(at[k], target.max[k])), 2);
  }
  const double q = (std::sqrt(s) - target.radius) / target.kappa;
  return static_cast<float>(q * (1 + (static_cast<int>(below(random, 17)) - 12) * 0x1p-23));
}

inline LetTarget box(const Bodies& bodies, float kappa) {
  constexpr float kInf = std::numeric_limits<float>::infinity();
  LetTarget target{{kInf, kInf, kInf}, {-kInf, -kInf, -kInf}, kappa, 0};
  for (const Body& b : bodies) {
    const float at[3] = {static_cast<float>(b.x), static_cast<float>(b.y), static_cast<float>(b.z)};
    for (unsigned k = 0; k < 3; ++k) {
      target.min[k] = std::min(target.min[k], at[k]);
      target.max[k] = std::max(target.max[k], at[k]);
    }
  }
  return target;
}
inline LetTarget ball(float x, float y, float z, float radius, float kappa = 1) {
  return {{x, y, z}, {x, y, z}, kappa, radius};
}

}  // namespace polyloom::blocks::operators::test
