// SPDX-License-Identifier: Apache-2.0
#include "polite/native/arranged.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>

#include "polite/native/outbox.h"

namespace polyloom::polite {
namespace {

/// Vertices with more out-edges than this many times the mean are hubs.
constexpr std::uint64_t kHub = 4;
/// Hubs that stay together: messages of four bytes fill a cache line.
constexpr std::uint32_t kUnit = 16;

/// Runs body(first, last) on ranges of places with about equal numbers of edges; `begin` is by row, `rows`
/// rows a place.
template <typename Body>
void in_shares(const std::uint64_t* begin, std::uint32_t vertices, std::size_t rows, Pool& pool,
               std::size_t shares, Body&& body) {
  const std::uint64_t edges = begin[vertices * rows];
  const auto cut = [&](std::size_t share) {
    if (share == 0) return std::uint32_t{0};
    if (share == shares) return vertices;
    const std::uint64_t* const row =
        std::upper_bound(begin, begin + vertices * rows, edges / shares * share) - 1;
    return static_cast<std::uint32_t>(static_cast<std::size_t>(row - begin) / rows);
  };
  pool.run(shares, [&](std::size_t share, unsigned) { body(cut(share), cut(share + 1)); });
}

}  // namespace

Arranged::Arranged(const NativeGraph& graph, bool pull, bool move, Pool& pool)
    : given_(graph), graph_(graph) {
  if (graph.num_edges == 0) return;
  if (!move || graph.num_vertices < kLeastVertices) {
    if (!pull) return;
    const InEdges& in = graph.in_edges();
    in_source_.reserve(in.source.size() + InRows::kBeyond);
    in_source_.assign(in.source.begin(), in.source.end());
    in_source_.resize(in.source.size() + InRows::kBeyond);
    in_ = {in.begin.data(), in_source_.data(), in.pin.empty() ? nullptr : in.pin.data(), in.label.data()};
    return;
  }
  choose_places();
  move_out_edges(pool);
  if (pull) make_in_edges(pool);
}

/// Hubs, most out-edges first, are dealt to all blocks in units, so that blocks cost about the same. All
/// others fill the gaps: by the magnitude of their out-degree and, where that is equal, as they were, since
/// numbers of neighbours are often near; in a block, by in-degree.
void Arranged::choose_places() {
  const std::uint32_t n = given_.num_vertices;
  const std::uint64_t bound = kHub * given_.num_edges / n;
  std::vector<std::uint32_t> hubs;
  std::array<std::uint32_t, 66> next{};
  const auto group = [&](std::uint32_t v) { return 64 - std::bit_width(out_degree(v)); };
  for (std::uint32_t v = 0; v < n; ++v) {
    if (out_degree(v) > bound) {
      hubs.push_back(v);
    } else {
      ++next[group(v) + 1];
    }
  }
  for (std::size_t i = 1; i < next.size(); ++i) next[i] += next[i - 1];
  std::vector<std::uint32_t> others(n - hubs.size());
  for (std::uint32_t v = 0; v < n; ++v) {
    if (out_degree(v) <= bound) others[next[group(v)]++] = v;
  }
  std::stable_sort(hubs.begin(), hubs.end(),
                   [&](std::uint32_t a, std::uint32_t b) { return out_degree(a) > out_degree(b); });

  const std::span<const std::uint32_t> in_degree = given_.in_degree();
  const std::uint32_t dealt = n / kNativeBlock;  // a last block that is not full gets no hubs
  vertex_.resize(n);
  place_.resize(n);
  std::size_t other = 0;
  for (std::uint32_t block = 0; block * std::uint64_t{kNativeBlock} < n; ++block) {
    const std::uint32_t first = block * kNativeBlock, last = std::min(first + kNativeBlock, n);
    std::uint32_t at = first;
    for (std::size_t unit = block; block < dealt && unit * kUnit < hubs.size(); unit += dealt) {
      const std::size_t end = std::min((unit + 1) * kUnit, hubs.size());
      for (std::size_t i = unit * kUnit; i < end; ++i) vertex_[at++] = hubs[i];
    }
    const auto rest = vertex_.begin() + at;
    for (; at < last; ++at) vertex_[at] = others[other++];
    std::stable_sort(rest, vertex_.begin() + last,
                     [&](std::uint32_t a, std::uint32_t b) { return in_degree[a] > in_degree[b]; });
    // Turned by one unit more in each block, or units of equal rank would share few sets of a cache.
    if (block < dealt) {
      const std::uint32_t turn = block * kUnit % kNativeBlock;
      std::rotate(vertex_.begin() + first, vertex_.begin() + (last - turn), vertex_.begin() + last);
    }
    for (std::uint32_t place = first; place < last; ++place) place_[vertex_[place]] = place;
  }
}

void Arranged::move_out_edges(Pool& pool) {
  const std::uint32_t n = given_.num_vertices;
  const std::size_t pins = given_.num_pins, label = given_.label_bytes;
  out_begin_.resize(n * pins + 1);
  for (std::uint32_t place = 0; place < n; ++place) {
    const std::uint64_t* const row = given_.out_begin.data() + vertex_[place] * pins;
    for (std::size_t pin = 0; pin < pins; ++pin) {
      out_begin_[place * pins + pin + 1] = out_begin_[place * pins + pin] + row[pin + 1] - row[pin];
    }
  }
  out_target_.resize(given_.num_edges);
  out_label_.resize(given_.num_edges * label);
  in_shares(
      out_begin_.data(), n, pins, pool, 4 * pool.workers(), [&](std::uint32_t first, std::uint32_t last) {
        for (std::uint32_t place = first; place < last; ++place) {
          const std::uint64_t from = given_.out_begin[vertex_[place] * pins];
          const std::uint64_t to = out_begin_[place * pins], count = out_begin_[(place + 1) * pins] - to;
          for (std::uint64_t i = 0; i < count; ++i) out_target_[to + i] = place_[given_.out_target[from + i]];
          if (label != 0)
            std::memcpy(&out_label_[to * label], given_.out_label + from * label, count * label);
        }
      });
  graph_.out_begin = out_begin_;
  graph_.out_target = out_target_;
  graph_.out_label = label == 0 ? nullptr : out_label_.data();
}

void Arranged::make_in_edges(Pool& pool) {
  const std::uint32_t n = given_.num_vertices;
  const std::size_t pins = given_.num_pins, label = given_.label_bytes;
  const std::span<const std::uint32_t> in_degree = given_.in_degree();
  in_begin_.resize(n + std::size_t{1});
  for (std::uint32_t place = 0; place < n; ++place) {
    in_begin_[place + 1] = in_begin_[place] + in_degree[vertex_[place]];
  }
  in_source_.resize(given_.num_edges + InRows::kBeyond);
  in_label_.resize(given_.num_edges * label);
  if (pins > 1) in_pin_.resize(given_.num_edges);
  // Each worker owns a range of receivers and looks at all edges: ordered by sender, no locks.
  in_shares(in_begin_.data(), n, 1, pool, pool.workers(), [&](std::uint32_t first, std::uint32_t last) {
    std::vector<std::uint64_t> next(in_begin_.begin() + first, in_begin_.begin() + last);
    for (std::size_t row = 0; row < n * pins; ++row) {
      for (std::uint64_t e = out_begin_[row]; e < out_begin_[row + 1]; ++e) {
        const std::uint32_t to = out_target_[e];
        if (to < first || to >= last) continue;
        const std::uint64_t at = next[to - first]++;
        in_source_[at] = static_cast<std::uint32_t>(row / pins);
        if (pins > 1) in_pin_[at] = static_cast<std::uint8_t>(row % pins);
        if (label != 0) std::memcpy(&in_label_[at * label], &out_label_[e * label], label);
      }
    }
  });
  in_ = {in_begin_.data(), in_source_.data(), pins > 1 ? in_pin_.data() : nullptr, in_label_.data()};
}

}  // namespace polyloom::polite
