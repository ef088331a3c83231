// SPDX-License-Identifier: Apache-2.0
// Ways through the topology and small pieces that the algorithms are made of.
#include <algorithm>
#include <optional>

#include "roles/collective/arch/program.h"
#include "roles/collective/host/schedule/algorithms.h"

namespace polyloom::collective::detail {

Scratch::Scratch(const Topology& topology, unsigned channels, int buffer)
    : channels_(channels),
      buffer_(buffer),
      layouts_(static_cast<std::size_t>(topology.size())),
      next_(layouts_.size(), std::vector<std::uint64_t>(channels)) {}

Place Scratch::add(int rank, std::uint64_t bytes, unsigned channel) {
  Layout& layout = layouts_[static_cast<std::size_t>(rank)];
  std::uint64_t& next = next_[static_cast<std::size_t>(rank)][channel % channels_];
  const Place place{rank, buffer_, layout.bytes};
  layout.pieces.push_back({layout.bytes, bytes, channel % channels_, next});
  layout.bytes += bytes;
  next += round_to_beats(bytes);
  return place;
}

Place Scratch::like(int rank, const Layout& layout, std::uint64_t offset, std::uint64_t bytes) {
  std::optional<Place> first;
  for (const Piece& p : layout.pieces) {
    const std::uint64_t begin = std::max(offset, p.offset),
                        end = std::min(offset + bytes, p.offset + p.bytes);
    if (begin >= end) continue;
    const Place place = add(rank, end - begin, p.channel);
    if (!first) first = place;
  }
  return first.value();
}

Dimensions dimensions(const Topology& t, bool columns_first) {
  Dimensions dims;
  if (t.nx > 1) dims.push_back(0);
  if (t.ny > 1) dims.push_back(1);
  if (columns_first) std::reverse(dims.begin(), dims.end());
  return dims;
}

std::vector<Route> shortest(const Topology& t, int a, int b) {
  if (a == b) return {Route{}};
  if (t.adjacent(a, b)) return {Route{{a, b}}};
  const int by_row = t.rank(t.x_of(b), t.y_of(a)), by_column = t.rank(t.x_of(a), t.y_of(b));
  return {Route{{a, by_row}, {by_row, b}}, Route{{a, by_column}, {by_column, b}}};
}

std::vector<Route> disjoint(const Topology& t, int a, int b) {
  if (a == b) return {Route{}};
  std::vector<Route> ways = shortest(t, a, b);
  const int ax = t.x_of(a), ay = t.y_of(a), bx = t.x_of(b), by = t.y_of(b);
  // Over each other column: out along the row, down the column, back along b's row (same row: no middle leg).
  for (int x = 0; x < t.nx; ++x) {
    if (x == ax || x == bx) continue;
    const int first = t.rank(x, ay), second = t.rank(x, by);
    if (ay == by) {
      ways.push_back({{a, first}, {first, b}});
    } else {
      ways.push_back({{a, first}, {first, second}, {second, b}});
    }
  }
  for (int y = 0; y < t.ny; ++y) {
    if (y == ay || y == by) continue;
    const int first = t.rank(ax, y), second = t.rank(bx, y);
    if (ax == bx) {
      ways.push_back({{a, first}, {first, b}});
    } else {
      ways.push_back({{a, first}, {first, second}, {second, b}});
    }
  }
  return ways;
}

std::vector<Part> even_parts(std::uint64_t bytes, const Topology& t) {
  return sized_parts(cut_evenly(bytes, static_cast<unsigned>(t.size())));
}

std::vector<Part> sized_parts(const std::vector<std::uint64_t>& sizes) {
  std::vector<Part> parts;
  std::uint64_t offset = 0;
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    parts.push_back({offset, sizes[i], static_cast<int>(i)});
    offset += sizes[i];
  }
  return parts;
}

std::vector<Part> half_of(const std::vector<Part>& parts, int half) {
  std::vector<Part> result;
  for (const Part& part : parts) {
    const auto sizes = cut_evenly(part.bytes, 2);
    result.push_back(
        {part.offset + (half ? sizes[0] : 0), sizes[static_cast<std::size_t>(half)], part.owner});
  }
  return result;
}

Work move_work(const Place& from, std::vector<Route> routes, const Place& to, std::uint64_t bytes) {
  Flow flow;
  flow.source = from;
  flow.routes = std::move(routes);
  flow.writes = {to};
  return {bytes, {std::move(flow)}, {}};
}

void add(std::vector<Phase>& phases, std::size_t at, Work work) {
  if (phases.size() <= at) phases.resize(at + 1);
  phases[at].push_back(std::move(work));
}

Phase pulses(const Topology& t, const Dimensions& dims) {
  Phase phase;
  for (int a = 0; a < t.size(); ++a) {
    for (const int d : dims) {
      for (const int b : t.group(d, a)) {
        if (a == b) continue;
        Flow flow;
        flow.source.rank = a;
        flow.routes = {Route{{a, b}}};
        phase.push_back({0, {std::move(flow)}, {}});
      }
    }
  }
  return phase;
}

}  // namespace polyloom::collective::detail
