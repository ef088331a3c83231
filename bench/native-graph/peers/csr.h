// SPDX-License-Identifier: Apache-2.0
// Graphs as the GAP Benchmark Suite keeps them: compressed rows of neighbours. The kernels beside this file are written
// from the algorithms that Beamer, Asanovic and Patterson describe ("The GAP Benchmark Suite", 2015), with the
// parameters that they state; they allocate what they need in ordinary memory, as the suite does.
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <span>

#include "polite/graph_data.h"

namespace polyloom::bench::peers {

/// Memory that its writers touch first.
template <typename T>
class Array {
 public:
  explicit Array(std::size_t size = 0) : size_(size), data_(std::make_unique_for_overwrite<T[]>(size)) {}
  Array(std::size_t size, T value) : Array(size) {
#pragma omp parallel for schedule(static)
    for (std::size_t i = 0; i < size; ++i) data_[i] = value;
  }
  T& operator[](std::size_t i) { return data_[i]; }
  const T& operator[](std::size_t i) const { return data_[i]; }
  T* data() { return data_.get(); }
  const T* data() const { return data_.get(); }
  std::size_t size() const { return size_; }
  void swap(Array& other) noexcept {
    std::swap(size_, other.size_);
    data_.swap(other.data_);
  }

 private:
  std::size_t size_;
  std::unique_ptr<T[]> data_;
};

using Vertex = std::uint32_t;
struct Weighted {
  Vertex vertex;
  std::uint32_t weight;
  auto operator<=>(const Weighted&) const = default;
};

enum class Direction { out, in, both };

/// Neighbours of v are the entries begin[v] .. begin[v + 1].
template <typename Neighbour>
struct Rows {
  Array<std::uint64_t> begin;
  Array<Neighbour> neighbour;

  Rows() = default;
  /// Counts degrees, adds them up and scatters the edges, on all threads: rows are in no order, duplicates and loops
  /// stay. `weights` is empty or has one for each edge.
  Rows(Vertex vertices, std::span<const polite::Edge> edges, std::span<const std::uint32_t> weights,
       Direction direction);
  void sort();

  Vertex vertices() const { return begin.size() == 0 ? 0 : static_cast<Vertex>(begin.size() - 1); }
  std::uint64_t edges() const { return begin[vertices()]; }
  std::uint64_t degree(Vertex v) const { return begin[v + std::size_t{1}] - begin[v]; }
  std::span<const Neighbour> of(Vertex v, std::uint64_t skip = 0) const {
    const std::uint64_t most = degree(v);
    return {neighbour.data() + begin[v] + std::min(skip, most), most - std::min(skip, most)};
  }
};

/// Sorted rows without duplicates and loops, as the suite's builder leaves its graphs.
Rows<Vertex> squished(const Rows<Vertex>& rows);

struct Directed {
  Rows<Vertex> out, in;
};

}  // namespace polyloom::bench::peers
