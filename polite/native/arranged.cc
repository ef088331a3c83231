// SPDX-License-Identifier: Apache-2.0
#include "polite/native/arranged.h"

#include <algorithm>
#include <array>
#include <bit>
#include <numeric>
#include <utility>
#include <vector>

#include "polite/native/outbox.h"

namespace polyloom::polite {
namespace {

/// Vertices with more out-edges than this many times the mean are hubs.
constexpr std::uint64_t kHub = 4;
/// Hubs that stay together: messages of four bytes fill a cache line.
constexpr std::uint32_t kUnit = 16;
/// A tile has at most so many times the mean of edges, if they are even.
constexpr double kEven = 1.5;
/// By far the most edges: at least this share of them.
constexpr double kByFarTheMost = 0.75;

/// Vertices with more in-edges count as having so many when those of a block are ordered: their rows are so
/// long that where they end costs nothing.
constexpr std::uint32_t kMostInEdges = 255;

/// Begins of rows one after the other, row i of count(i) edges, and the end.
template <typename Count>
HugeArray<std::uint64_t> begins_of(std::size_t rows, fabric::Pool& pool, Count count) {
  constexpr std::size_t kTogether = 1 << 14;
  const std::size_t blocks = (rows + kTogether - 1) / kTogether;
  HugeArray<std::uint64_t> begin(rows + 1);
  std::vector<std::uint64_t> sums(blocks);
  const auto each_block = [&](auto body) {
    pool.run(blocks, [&](std::size_t block, unsigned) {
      std::uint64_t sum = sums[block];
      for (std::size_t i = block * kTogether; i < std::min((block + 1) * kTogether, rows); ++i) {
        body(i, sum);
        sum += count(i);
      }
      sums[block] = sum;
    });
  };
  each_block([](std::size_t, std::uint64_t) {});
  std::uint64_t sum = 0;
  for (std::uint64_t& of_block : sums) sum += std::exchange(of_block, sum);
  begin[rows] = sum;
  each_block([&](std::size_t i, std::uint64_t at) { begin[i] = at; });
  return begin;
}

}  // namespace

bool mostly_from(const NativeGraph& graph, std::size_t messages) {
  struct Magnitude {
    std::uint64_t vertices = 0, edges = 0;
  };
  std::array<Magnitude, 33> magnitudes;
  for (const std::uint32_t degree : graph.out_degree()) {
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
    : given_(graph) {
  if (!move || graph.num_vertices < kLeastVertices || graph.num_edges == 0) {
    out_.begin = graph.store->row_begins();
    if (pull) make_in_edges(false, pool);
    return;
  }
  if (pull && tile_bits == 0) {
    make_in_edges(true, pool);
  } else {
    if (!pull || !tiles_are_even(tile_bits)) choose_places(graph.in_degree(), pool);
    if (pull) make_tiles(tile_bits, pool);
  }
  if (!moved()) {
    out_.begin = graph.store->row_begins();
    return;
  }
  const std::size_t pins = graph.num_pins;
  if (pins == 1) {
    const std::span<const std::uint32_t> degree = graph.out_degree();
    out_begin_ =
        begins_of(graph.num_vertices, pool, [&](std::size_t place) { return degree[vertex_[place]]; });
  } else {
    const std::span<const std::uint64_t> begin = graph.store->row_begins();
    out_begin_ = begins_of(graph.num_vertices * pins, pool, [&](std::size_t row) {
      const std::size_t given = vertex_[row / pins] * pins + row % pins;
      return begin[given + 1] - begin[given];
    });
  }
  out_.begin = out_begin_.span();
}

/// Whether vertices may stay where they are: tiles cost about the same to work on.
bool Arranged::tiles_are_even(unsigned bits) const {
  const std::span<const std::uint32_t> in_degree = given_.in_degree();
  const std::size_t size = std::size_t{1} << bits;
  const double mean = static_cast<double>(given_.num_edges) / given_.num_vertices;
  for (std::size_t first = 0; first < in_degree.size(); first += size) {
    const auto tile = in_degree.subspan(first, std::min(size, in_degree.size() - first));
    const auto edges = std::accumulate(tile.begin(), tile.end(), std::uint64_t{0});
    if (static_cast<double>(edges) > kEven * mean * static_cast<double>(size)) return false;
  }
  return true;
}

/// Hubs, most out-edges first, are dealt to all blocks in units, so that blocks cost about the same. All
/// others fill the gaps: by the magnitude of their out-degree and, where that is equal, as they were, since
/// numbers of neighbours are often near; in a block, by in-degree.
void Arranged::choose_places(std::span<const std::uint32_t> in_degree, fabric::Pool& pool) {
  const std::uint32_t n = given_.num_vertices;
  const std::span<const std::uint32_t> out_degree = given_.out_degree();
  const std::uint64_t bound = kHub * given_.num_edges / n;
  std::vector<std::uint32_t> hubs;
  std::array<std::uint32_t, 34> next{};
  const auto group = [&](std::uint32_t v) { return 32 - std::bit_width(out_degree[v]); };
  for (std::uint32_t v = 0; v < n; ++v) {
    if (out_degree[v] > bound) {
      hubs.push_back(v);
    } else {
      ++next[group(v) + 1];
    }
  }
  for (std::size_t i = 1; i < next.size(); ++i) next[i] += next[i - 1];
  std::vector<std::uint32_t> others(n - hubs.size());
  for (std::uint32_t v = 0; v < n; ++v) {
    if (out_degree[v] <= bound) others[next[group(v)]++] = v;
  }
  std::stable_sort(hubs.begin(), hubs.end(),
                   [&](std::uint32_t a, std::uint32_t b) { return out_degree[a] > out_degree[b]; });

  const std::uint32_t dealt = n / kNativeBlock;  // a last block that is not full gets no hubs
  const std::size_t units = (hubs.size() + kUnit - 1) / kUnit;
  /// Hubs of the blocks before this one.
  const auto hubs_before = [&](std::uint32_t block) {
    if (block >= dealt) return hubs.size();
    const std::size_t rounds = units / dealt, left = units % dealt;
    const std::size_t before = block * rounds + std::min<std::size_t>(block, left);
    // The last unit may not be full.
    return before * kUnit - (units != 0 && (units - 1) % dealt < block ? units * kUnit - hubs.size() : 0);
  };
  vertex_ = HugeArray<std::uint32_t>(n);
  place_ = HugeArray<std::uint32_t>(n);
  pool.run((n + std::size_t{kNativeBlock} - 1) / kNativeBlock, [&](std::size_t index, unsigned) {
    const auto block = static_cast<std::uint32_t>(index);
    const std::uint32_t first = block * kNativeBlock, last = std::min(first + kNativeBlock, n);
    std::array<std::uint32_t, kNativeBlock> own;
    std::uint32_t size = 0;
    for (std::size_t unit = block; block < dealt && unit < units; unit += dealt) {
      const std::size_t end = std::min((unit + 1) * kUnit, hubs.size());
      for (std::size_t i = unit * kUnit; i < end; ++i) own[size++] = hubs[i];
    }
    // By in-degree, most first; alike, as they were.
    const std::span<const std::uint32_t> rest(others.data() + (first - hubs_before(block)),
                                              last - first - size);
    const auto rank = [&](std::uint32_t v) { return kMostInEdges - std::min(in_degree[v], kMostInEdges); };
    std::array<std::uint32_t, kMostInEdges + 2> at{};
    for (const std::uint32_t v : rest) ++at[rank(v) + 1];
    at[0] = size;
    for (std::size_t i = 1; i < at.size(); ++i) at[i] += at[i - 1];
    for (const std::uint32_t v : rest) own[at[rank(v)]++] = v;
    // Turned by one unit more in each block, or units of equal rank would share few sets of a cache.
    const std::uint32_t turn = block < dealt ? block * kUnit % kNativeBlock : 0;
    for (std::uint32_t i = 0; i < last - first; ++i) {
      const std::uint32_t place = first + (i + turn) % kNativeBlock;
      vertex_[place] = own[i];
      place_[own[i]] = place;
    }
  });
}

void Arranged::make_out_edges(fabric::Pool& pool) {
  if (!out_.target.empty() || given_.num_edges == 0) return;
  if (!moved()) {
    out_ = given_.out_edges();
    return;
  }
  if (given_.mutual && given_.label_bytes == 0 &&
      !tiled()) {  // in another order in a row, which changes no message
    out_.target = in_source_.span().first(given_.num_edges);
    return;
  }
  out_target_ = HugeArray<std::uint32_t>(given_.num_edges);
  out_label_ = HugeArray<std::byte>(given_.num_edges * given_.label_bytes);
  EdgeBuckets::deal(given_.store->added(), given_.num_vertices, EdgeBuckets::By::kSender, pool)
      ->write_rows(out_begin_.data(), places(), {out_target_.data(), nullptr, out_label_.data()}, pool);
  out_.target = out_target_.span();
  out_.label = out_label_.data();
}

RowArrays Arranged::in_arrays() {
  const std::uint64_t edges = given_.num_edges;
  in_source_ = HugeArray<std::uint32_t>(edges + InRows::kBeyond);
  std::fill_n(in_source_.data() + edges, InRows::kBeyond, 0);
  in_pin_ = HugeArray<std::uint8_t>(given_.num_pins > 1 ? edges : 0);
  in_label_ = HugeArray<std::byte>(edges * given_.label_bytes);
  return {in_source_.data(), in_pin_.data(), in_label_.data()};
}

void Arranged::make_in_edges(bool move, fabric::Pool& pool) {
  const std::uint32_t n = given_.num_vertices;
  const auto buckets = EdgeBuckets::deal(given_.store->added(), n, EdgeBuckets::By::kReceiver, pool);
  const HugeArray<std::uint32_t> in_degree(n);
  buckets->count(in_degree.data(), pool);
  if (move) choose_places(in_degree.span(), pool);
  in_begin_ = begins_of(
      n, pool, [&](std::size_t place) { return in_degree[vertex(static_cast<std::uint32_t>(place))]; });
  const RowArrays out = in_arrays();
  buckets->write_rows(in_begin_.data(), places(), out, pool);
  in_ = {in_begin_.data(), out.other, out.pin, out.label};
}

void Arranged::make_tiles(unsigned bits, fabric::Pool& pool) {
  const std::size_t n = given_.num_vertices;
  tiles_.bits = bits;
  tiles_.tiles = ((n - 1) >> bits) + 1;
  tiles_.segments = ((n - 1) >> (32 - bits)) + 1;
  const auto buckets =
      EdgeBuckets::deal_tiles(given_.store->added(), given_.num_vertices, bits, places(), pool);
  in_begin_ = HugeArray<std::uint64_t>(tiles_.tiles * tiles_.segments + 1);
  const RowArrays out = in_arrays();
  buckets->write_tiles(in_begin_.data(), out, pool);
  tiles_.begin = in_begin_.data();
  tiles_.edge = out.other;
  tiles_.pin = out.pin;
  tiles_.label = out.label;
}

}  // namespace polyloom::polite
