// SPDX-License-Identifier: Apache-2.0
#include "polite/graph_store.h"

#include <algorithm>
#include <cstring>

#include "fabric/error.h"
#include "fabric/parallel.h"

namespace polyloom::polite {

namespace {

/// Below this many edges a second thread costs more than it saves.
constexpr std::uint64_t kParallelEdges = 1 << 20;

unsigned workers_for(std::uint64_t edges) {
  return edges < kParallelEdges ? 1 : std::min(fabric::host_threads(0), 8u);
}

}  // namespace

std::uint32_t GraphStore::add_vertices(std::uint64_t n) {
  if (finished_) throw UserError("PGraph: vertices cannot be added after map()");
  if (vertices_ + n > 0xfffffffeull) {
    throw UserError("PGraph: a graph has at most 4294967294 vertices, not " + std::to_string(vertices_ + n));
  }
  const std::uint32_t first = vertices_;
  vertices_ += static_cast<std::uint32_t>(n);
  return first;
}

void GraphStore::reserve(std::uint64_t more_edges) {
  own_edges();
  staged_.reserve(staged_.size() + more_edges);
  if (pins_ > 1) staged_pin_.reserve(staged_pin_.size() + more_edges);
  staged_label_.reserve(staged_label_.size() + more_edges * label_bytes_);
}

void GraphStore::reject_edge(std::uint32_t from, unsigned pin, std::uint32_t to) const {
  const std::string edge = "PGraph: edge " + std::to_string(from) + " -> " + std::to_string(to);
  if (finished_) throw UserError(edge + " added after map(); add all edges first");
  throw UserError(edge + " uses pin " + std::to_string(pin) + ", but the graph has pins 0.." +
                  std::to_string(pins_ - 1) + "; define POLITE_NUM_PINS before including POLite.h");
}

void GraphStore::append_label(const void* label) {
  const std::size_t end = staged_label_.size();
  staged_label_.resize(end + label_bytes_);
  if (label != nullptr) std::memcpy(staged_label_.data() + end, label, label_bytes_);
}

void GraphStore::add_edges(std::span<const Edge> edges, unsigned pin, const void* labels) {
  if (edges.empty()) return;
  if (finished_ || pin >= pins_) reject_edge(edges[0].from, pin, edges[0].to);
  own_edges();
  staged_.insert(staged_.end(), edges.begin(), edges.end());
  if (pins_ > 1) staged_pin_.insert(staged_pin_.end(), edges.size(), static_cast<std::uint8_t>(pin));
  if (label_bytes_ != 0) {
    const std::size_t end = staged_label_.size();
    staged_label_.resize(end + edges.size() * label_bytes_);
    if (labels != nullptr) std::memcpy(staged_label_.data() + end, labels, edges.size() * label_bytes_);
  }
}

void GraphStore::take_edges(std::vector<Edge>&& edges, unsigned pin, const void* labels) {
  if (!takes_whole(edges)) return add_edges(edges, pin, labels);
  staged_ = std::move(edges);
}

void GraphStore::view_edges(std::span<const Edge> edges, unsigned pin, const void* labels) {
  if (!takes_whole(edges)) return add_edges(edges, pin, labels);
  viewed_ = edges;
}

bool GraphStore::takes_whole(std::span<const Edge> edges) const {
  return !edges.empty() && staged().empty() && !finished_ && pins_ == 1 && label_bytes_ == 0;
}

void GraphStore::own_edges() {
  staged_.insert(staged_.end(), viewed_.begin(), viewed_.end());
  viewed_ = {};
}

void GraphStore::count_staged() const {
  out_degree_.resize(vertices_, 0);
  in_degree_.resize(vertices_, 0);
  for (const std::span<const Edge> edges = staged(); counted_ < edges.size(); ++counted_) {
    const Edge e = edges[counted_];
    if (e.from < vertices_) ++out_degree_[e.from];
    if (e.to < vertices_) ++in_degree_[e.to];
  }
}

std::uint32_t GraphStore::fan_out(std::uint32_t v) const {
  if (finished_) {
    return static_cast<std::uint32_t>(out_begin_[std::size_t{v} * pins_ + pins_] -
                                      out_begin_[std::size_t{v} * pins_]);
  }
  if (counted_ < staged().size() || out_degree_.size() < vertices_) count_staged();
  return out_degree_.at(v);
}

std::uint32_t GraphStore::fan_in(std::uint32_t v) const {
  if (!finished_ && (counted_ < staged().size() || in_degree_.size() < vertices_)) count_staged();
  return in_degree_.at(v);
}

void GraphStore::check_ends() const {
  for (const Edge& e : staged()) {
    if (e.from >= vertices_ || e.to >= vertices_) {
      const std::string range =
          vertices_ == 0 ? "it has no vertices" : "its vertices are 0.." + std::to_string(vertices_ - 1);
      throw UserError("PGraph: edge " + std::to_string(e.from) + " -> " + std::to_string(e.to) +
                      " leaves the graph: " + range);
    }
  }
}

std::vector<std::uint64_t> GraphStore::row_starts() const {
  std::vector<std::uint64_t> begin(std::size_t{vertices_} * pins_ + 1, 0);
  if (pins_ == 1) {
    for (std::size_t v = 0; v < vertices_; ++v) begin[v + 1] = begin[v] + out_degree_[v];
    return begin;
  }
  for (std::size_t e = 0; e < staged().size(); ++e) {
    ++begin[std::size_t{staged()[e].from} * pins_ + staged_pin_[e] + 1];
  }
  for (std::size_t i = 1; i < begin.size(); ++i) begin[i] += begin[i - 1];
  return begin;
}

/// Places the edges of the source vertices [first, last) into their rows, in order of addition.
void GraphStore::scatter(std::vector<std::uint64_t> next, std::uint32_t first_vertex,
                         std::uint32_t last_vertex) {
  const std::size_t base = std::size_t{first_vertex} * pins_;
  const std::span<const Edge> edges = staged();
  for (std::size_t e = 0; e < edges.size(); ++e) {
    const std::uint32_t from = edges[e].from;
    if (from < first_vertex || from >= last_vertex) continue;
    const std::size_t row = std::size_t{from} * pins_ + (pins_ > 1 ? staged_pin_[e] : 0);
    const std::uint64_t at = next[row - base]++;
    out_target_[at] = edges[e].to;
    if (label_bytes_ != 0) {
      std::memcpy(&out_label_[at * label_bytes_], &staged_label_[e * label_bytes_], label_bytes_);
    }
  }
}

void GraphStore::finish() {
  if (finished_) return;
  check_ends();
  count_staged();
  out_begin_ = row_starts();
  out_target_.resize(staged().size());
  out_label_.resize(staged().size() * label_bytes_);
  const unsigned workers = workers_for(staged().size());
  // Each worker takes source vertices with an equal share of the edges and scans all of them: stable, no
  // locks.
  std::vector<std::uint32_t> cut(workers + 1, vertices_);
  cut[0] = 0;
  for (unsigned w = 1; w < workers; ++w) {
    const std::uint64_t want = staged().size() / workers * w;
    const auto row = std::upper_bound(out_begin_.begin(), out_begin_.end(), want) - out_begin_.begin() - 1;
    cut[w] = static_cast<std::uint32_t>(static_cast<std::size_t>(row) / pins_);
  }
  fabric::parallel_for(workers, workers, [&](std::size_t w) {
    std::vector<std::uint64_t> next(out_begin_.begin() + std::size_t{cut[w]} * pins_,
                                    out_begin_.begin() + std::size_t{cut[w + 1]} * pins_);
    scatter(std::move(next), cut[w], cut[w + 1]);
  });
  finished_ = true;
  viewed_ = {};
  // Assigning {} would keep their memory.
  std::vector<Edge>().swap(staged_);
  std::vector<std::uint8_t>().swap(staged_pin_);
  std::vector<std::byte>().swap(staged_label_);
  std::vector<std::uint32_t>().swap(out_degree_);
}

const InEdges& GraphStore::in_edges() const {
  if (in_built_) return in_;
  const std::uint64_t edges = out_target_.size();
  in_.begin.assign(std::size_t{vertices_} + 1, 0);
  for (std::size_t v = 0; v < vertices_; ++v) in_.begin[v + 1] = in_.begin[v] + in_degree_[v];
  in_.source.resize(edges);
  if (pins_ > 1) in_.pin.resize(edges);
  in_.label.resize(edges * label_bytes_);
  // As in finish(): each worker owns a range of receivers.
  const unsigned workers = workers_for(edges);
  std::vector<std::uint32_t> cut(workers + 1, vertices_);
  cut[0] = 0;
  for (unsigned w = 1; w < workers; ++w) {
    cut[w] = static_cast<std::uint32_t>(
        std::upper_bound(in_.begin.begin(), in_.begin.end(), edges / workers * w) - in_.begin.begin() - 1);
  }
  fabric::parallel_for(workers, workers, [&](std::size_t w) {
    const std::uint32_t first = cut[w], last = cut[w + 1];
    std::vector<std::uint64_t> next(in_.begin.begin() + first, in_.begin.begin() + last);
    const std::size_t rows = std::size_t{vertices_} * pins_;
    for (std::size_t row = 0; row < rows; ++row) {
      for (std::uint64_t e = out_begin_[row]; e < out_begin_[row + 1]; ++e) {
        const std::uint32_t to = out_target_[e];
        if (to < first || to >= last) continue;
        const std::uint64_t at = next[to - first]++;
        in_.source[at] = static_cast<std::uint32_t>(row / pins_);
        if (pins_ > 1) in_.pin[at] = static_cast<std::uint8_t>(row % pins_);
        if (label_bytes_ != 0) {
          std::memcpy(&in_.label[at * label_bytes_], &out_label_[e * label_bytes_], label_bytes_);
        }
      }
    }
  });
  in_built_ = true;
  return in_;
}

const InEdges& NativeGraph::in_edges() const { return store->in_edges(); }
std::span<const std::uint32_t> NativeGraph::in_degree() const { return store->in_degree(); }

}  // namespace polyloom::polite
