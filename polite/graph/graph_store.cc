// SPDX-License-Identifier: Apache-2.0
#include "polite/graph_store.h"

#include <algorithm>
#include <cstring>
#include <stdexcept>
#include <string>
#include <utility>

#include "fabric/error.h"
#include "fabric/pool.h"
#include "polite/graph/added_edges.h"
#include "polite/graph/degrees.h"
#include "polite/graph/edge_buckets.h"
#include "polite/graph/huge_pages.h"

namespace polyloom::polite {

namespace {

/// Threads for so many edges: with few, a second costs more than it saves; 0 is all.
unsigned threads_for(std::uint64_t edges) { return edges < 1 << 17 ? 1 : 0; }

}  // namespace

struct GraphStore::Rows {
  HugeArray<std::uint64_t> out_begin, in_begin;
  HugeArray<std::uint32_t> out_target, in_source;
  HugeArray<std::uint8_t> in_pin;
  HugeArray<std::byte> out_label, in_label;
  bool out = false, in = false;  ///< made
};

GraphStore::GraphStore(unsigned pins, std::size_t label_bytes)
    : pins_(pins), label_bytes_(label_bytes), rows_(std::make_unique<Rows>()) {}
GraphStore::GraphStore(GraphStore&&) noexcept = default;
GraphStore::~GraphStore() = default;

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
  if (label_bytes_ != 0 || !first_edges(edges, pin)) return add_edges(edges, pin, labels);
  staged_ = std::move(edges);
}

void GraphStore::view_edges(std::span<const Edge> edges, unsigned pin, const void* labels, bool both_ways) {
  if (first_edges(edges, pin) && (label_bytes_ == 0 || labels != nullptr)) {
    viewed_ = edges;
    viewed_label_ = label_bytes_ == 0 ? nullptr : static_cast<const std::byte*>(labels);
    both_ways_ = both_ways;
    return;
  }
  append(edges, pin, labels, both_ways);
}

void GraphStore::append(std::span<const Edge> edges, unsigned pin, const void* labels, bool both_ways) {
  add_edges(edges, pin, labels);
  const auto* label = static_cast<const std::byte*>(labels);
  for (std::size_t e = 0; both_ways && e < edges.size(); ++e) {
    add_edge(edges[e].to, pin, edges[e].from, label);
    if (label != nullptr) label += label_bytes_;
  }
}

bool GraphStore::first_edges(std::span<const Edge> edges, unsigned pin) const {
  return !edges.empty() && staged().empty() && !finished_ && pins_ == 1 && pin == 0;
}

void GraphStore::own_edges() {
  if (viewed_.empty()) return;
  const std::span<const Edge> edges = std::exchange(viewed_, {});
  const bool both_ways = std::exchange(both_ways_, false);
  if (both_ways) out_degrees_ = {};  // they are of both ends
  append(edges, 0, std::exchange(viewed_label_, nullptr), both_ways);
}

std::span<const std::uint32_t> GraphStore::out_degree() const {
  count(out_degrees_, &Edge::from, both_ways_ ? &Edge::to : nullptr);
  return out_degrees_.of;
}

std::span<const std::uint32_t> GraphStore::in_degree() const {
  if (both_ways_) return out_degree();
  count(in_degrees_, &Edge::to, nullptr);
  return in_degrees_.of;
}

void GraphStore::count(Degrees& degrees, std::uint32_t Edge::*end, std::uint32_t Edge::*other_end) const {
  const std::span<const Edge> edges = staged();
  if (degrees.counted == edges.size() && degrees.of.size() == vertices_) return;
  if (!degrees.all) degrees = {};  // more of the ends may be vertices now
  degrees.of.resize(vertices_, 0);
  fabric::Pool pool(threads_for(edges.size() - degrees.counted));
  for (const auto one : {end, other_end}) {
    if (one != nullptr) degrees.all &= count_ends(edges.subspan(degrees.counted), one, degrees.of, pool);
  }
  degrees.counted = edges.size();
}

std::uint32_t GraphStore::at(std::span<const std::uint32_t> degree, std::uint32_t v) const {
  if (v >= degree.size()) throw std::out_of_range("GraphStore: no vertex " + std::to_string(v));
  return degree[v];
}

void GraphStore::drop_edges() {
  dropped_ = edges();
  // Assigning {} would keep their memory.
  std::vector<Edge>().swap(staged_);
  std::vector<std::uint8_t>().swap(staged_pin_);
  std::vector<std::byte>().swap(staged_label_);
  viewed_ = {};
  viewed_label_ = nullptr;
  rows_ = std::make_unique<Rows>();
}

void GraphStore::finish() {
  if (finished_) return;
  check_ends();
  finished_ = true;
}

void GraphStore::check_ends() const {
  const std::span<const Edge> edges = staged();
  constexpr std::size_t kTogether = 1 << 16;
  fabric::Pool pool(threads_for(edges.size()));
  std::vector<std::uint8_t> wrong((edges.size() + kTogether - 1) / kTogether);
  pool.run(wrong.size(), [&](std::size_t block, unsigned) {
    const auto part = edges.subspan(block * kTogether, std::min(kTogether, edges.size() - block * kTogether));
    std::uint32_t any = 0;
    for (const Edge& e : part) any |= static_cast<std::uint32_t>(e.from >= vertices_) | (e.to >= vertices_);
    wrong[block] = any != 0;
  });
  const auto block = std::ranges::find(wrong, true) - wrong.begin();
  for (const Edge& e : edges.subspan(std::min(static_cast<std::size_t>(block) * kTogether, edges.size()))) {
    if (e.from < vertices_ && e.to < vertices_) continue;
    const std::string range =
        vertices_ == 0 ? "it has no vertices" : "its vertices are 0.." + std::to_string(vertices_ - 1);
    throw UserError("PGraph: edge " + std::to_string(e.from) + " -> " + std::to_string(e.to) +
                    " leaves the graph: " + range);
  }
}

AddedEdges GraphStore::added() const {
  const std::byte* const label = viewed_.empty() ? staged_label_.data() : viewed_label_;
  return {staged(),
          both_ways_,
          pins_,
          label_bytes_,
          pins_ > 1 ? staged_pin_.data() : nullptr,
          label_bytes_ != 0 ? label : nullptr};
}

std::span<const std::uint64_t> GraphStore::row_begins() const {
  HugeArray<std::uint64_t>& begin = rows_->out_begin;
  if (!finished_ || !begin.empty()) return begin.span();
  const std::size_t rows = std::size_t{vertices_} * pins_;
  begin = HugeArray<std::uint64_t>(rows + 1);
  if (pins_ == 1) {
    const std::span<const std::uint32_t> degree = out_degree();
    begin[0] = 0;
    for (std::size_t v = 0; v < vertices_; ++v) begin[v + 1] = begin[v] + degree[v];
    return begin.span();
  }
  std::fill_n(begin.data(), rows + 1, 0);
  for (std::size_t e = 0; e < staged_.size(); ++e)
    ++begin[std::size_t{staged_[e].from} * pins_ + staged_pin_[e] + 1];
  for (std::size_t row = 0; row < rows; ++row) begin[row + 1] += begin[row];
  return begin.span();
}

OutEdges GraphStore::out_edges() const {
  if (!finished_) return {};
  const std::span<const std::uint64_t> begin = row_begins();
  HugeArray<std::uint32_t>& target = rows_->out_target;
  HugeArray<std::byte>& label = rows_->out_label;
  if (!rows_->out) {
    fabric::Pool pool(threads_for(edges()));
    target = HugeArray<std::uint32_t>(edges() + InEdges::kBeyond);
    label = HugeArray<std::byte>(edges() * label_bytes_);
    std::fill_n(target.data() + edges(), InEdges::kBeyond, 0);
    EdgeBuckets::deal(added(), vertices_, EdgeBuckets::By::kSender, pool)
        ->write_rows(begin.data(), nullptr, {target.data(), nullptr, label.data()}, pool);
    rows_->out = true;
  }
  return {begin, target.span().first(edges()), label.data()};
}

InEdges GraphStore::in_edges() const {
  if (!finished_) return {};
  if (is_mutual()) {
    const OutEdges out = out_edges();
    return {out.begin, out.target, nullptr, out.label};
  }
  Rows& rows = *rows_;
  if (!rows.in) {
    fabric::Pool pool(threads_for(edges()));
    rows.in_begin = HugeArray<std::uint64_t>(vertices_ + std::size_t{1});
    const std::span<const std::uint32_t> degree = in_degree();
    rows.in_begin[0] = 0;
    for (std::size_t v = 0; v < vertices_; ++v) rows.in_begin[v + 1] = rows.in_begin[v] + degree[v];
    rows.in_source = HugeArray<std::uint32_t>(edges() + InEdges::kBeyond);
    std::fill_n(rows.in_source.data() + edges(), InEdges::kBeyond, 0);
    rows.in_pin = HugeArray<std::uint8_t>(pins_ > 1 ? edges() : 0);
    rows.in_label = HugeArray<std::byte>(edges() * label_bytes_);
    EdgeBuckets::deal(added(), vertices_, EdgeBuckets::By::kReceiver, pool)
        ->write_rows(rows.in_begin.data(), nullptr,
                     {rows.in_source.data(), rows.in_pin.data(), rows.in_label.data()}, pool);
    rows.in = true;
  }
  return {rows.in_begin.span(), rows.in_source.span().first(edges()), rows.in_pin.data(),
          rows.in_label.data()};
}

OutEdges NativeGraph::out_edges() const { return store->out_edges(); }
InEdges NativeGraph::in_edges() const { return store->in_edges(); }
std::span<const std::uint32_t> NativeGraph::out_degree() const { return store->out_degree(); }
std::span<const std::uint32_t> NativeGraph::in_degree() const { return store->in_degree(); }

}  // namespace polyloom::polite
