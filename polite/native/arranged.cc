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
/// By far the most edges: at least this share of them.
constexpr double kByFarTheMost = 0.75;

/// Runs body(first, last) on ranges of places with about equal numbers of edges; `begin` is by row, `rows`
/// rows a place.
template <typename Body>
void in_shares(const std::uint64_t* begin, std::uint32_t vertices, std::size_t rows, fabric::Pool& pool,
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

bool mostly_from(const NativeGraph& graph, std::size_t messages) {
  struct Magnitude {
    std::uint64_t vertices = 0, edges = 0;
  };
  std::array<Magnitude, 65> magnitudes;
  for (std::size_t v = 0; v < graph.num_vertices; ++v) {
    const std::uint64_t degree =
        graph.out_begin[(v + 1) * graph.num_pins] - graph.out_begin[v * graph.num_pins];
    Magnitude& own = magnitudes[static_cast<std::size_t>(std::bit_width(degree))];
    ++own.vertices;
    own.edges += degree;
  }
  double edges = 0;
  for (std::size_t m = magnitudes.size(); m-- > 0 && messages > 0;) {
    if (magnitudes[m].vertices == 0) continue;
    const std::uint64_t taken = std::min<std::uint64_t>(magnitudes[m].vertices, messages);
    edges += static_cast<double>(magnitudes[m].edges) * static_cast<double>(taken) /
             static_cast<double>(magnitudes[m].vertices);
    messages -= taken;
  }
  return edges >= kByFarTheMost * static_cast<double>(graph.num_edges);
}

Arranged::Arranged(const NativeGraph& graph, bool pull, bool move, unsigned tile_bits, fabric::Pool& pool)
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
  if (!pull) return;
  tiles_.bits = tile_bits;
  tile_bits == 0 ? make_in_edges(pool) : make_tiles(pool);
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

void Arranged::move_out_edges(fabric::Pool& pool) {
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

void Arranged::make_in_edges(fabric::Pool& pool) {
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

std::vector<std::uint64_t> Arranged::tile_begins() const {
  const std::span<const std::uint32_t> in_degree = given_.in_degree();
  std::vector<std::uint64_t> begins(tiles_.tiles + 1, 0);
  for (std::uint32_t place = 0; place < given_.num_vertices; ++place) {
    begins[(place >> tiles_.bits) + std::size_t{1}] += in_degree[vertex_[place]];
  }
  for (std::size_t tile = 0; tile < tiles_.tiles; ++tile) begins[tile + 1] += begins[tile];
  return begins;
}

void Arranged::make_tiles(fabric::Pool& pool) {
  const std::size_t n = given_.num_vertices, pins = given_.num_pins, label = given_.label_bytes;
  const unsigned bits = tiles_.bits, segment_bits = 32 - bits;
  tiles_.tiles = ((n - 1) >> bits) + 1;
  tiles_.segments = ((n - 1) >> segment_bits) + 1;
  const std::vector<std::uint64_t> begins = tile_begins();
  in_begin_.resize(tiles_.tiles * tiles_.segments + 1);
  in_begin_.back() = given_.num_edges;
  in_source_.resize(given_.num_edges);
  in_label_.resize(given_.num_edges * label);
  if (pins > 1) in_pin_.resize(given_.num_edges);
  // Each worker owns a range of tiles and looks at all edges: ordered by sender, no locks.
  in_shares(begins.data(), static_cast<std::uint32_t>(tiles_.tiles), 1, pool, pool.workers(),
            [&](std::uint32_t first, std::uint32_t last) {
              std::vector<std::uint64_t> next(begins.begin() + first, begins.begin() + last);
              for (std::size_t from = 0; from < n; ++from) {
                const std::size_t segment = from >> segment_bits;
                const std::size_t in_segment = from - (segment << segment_bits);
                for (std::uint32_t tile = first; in_segment == 0 && tile < last; ++tile) {
                  in_begin_[tile * tiles_.segments + segment] = next[tile - first];
                }
                for (std::size_t pin = 0; pin < pins; ++pin) {
                  const std::uint64_t* const row = &out_begin_[from * pins + pin];
                  for (std::uint64_t e = row[0]; e < row[1]; ++e) {
                    const std::uint32_t to = out_target_[e], tile = to >> bits;
                    if (tile < first || tile >= last) continue;
                    const std::uint64_t at = next[tile - first]++;
                    in_source_[at] = static_cast<std::uint32_t>(in_segment << bits | (to - (tile << bits)));
                    if (pins > 1) in_pin_[at] = static_cast<std::uint8_t>(pin);
                    if (label != 0) std::memcpy(&in_label_[at * label], &out_label_[e * label], label);
                  }
                }
              }
            });
  tiles_.begin = in_begin_.data();
  tiles_.edge = in_source_.data();
  tiles_.pin = pins > 1 ? in_pin_.data() : nullptr;
  tiles_.label = in_label_.data();
}

}  // namespace polyloom::polite
