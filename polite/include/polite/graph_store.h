// SPDX-License-Identifier: Apache-2.0
// Vertices, edges and labels of a PGraph without its templates: appended to flat arrays, or seen where they are;
// sorted into compressed rows when these are asked for. 8 bytes an edge that is appended, 4 in rows (plus pin and
// label).
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "polite/native_view.h"

namespace polyloom::polite {

struct Edge {
  std::uint32_t from;
  std::uint32_t to;
  friend bool operator==(const Edge&, const Edge&) = default;
};

struct AddedEdges;

/// Invariant: edges may be added before finish() only, rows exist after it only. Not thread safe.
class GraphStore {
 public:
  /// `label_bytes` is 0 for graphs without labels.
  GraphStore(unsigned pins, std::size_t label_bytes);
  ~GraphStore();
  GraphStore(GraphStore&&) noexcept;

  /// Adds n vertices; returns the number of the first. Throws UserError beyond 2^32 - 2 vertices.
  std::uint32_t add_vertices(std::uint64_t n);
  void reserve(std::uint64_t more_edges);

  /// Adds an edge. Ends need not exist yet; finish() checks them. A null label is all zeros.
  void add_edge(std::uint32_t from, unsigned pin, std::uint32_t to, const void* label = nullptr) {
    if (finished_ || pin >= pins_) reject_edge(from, pin, to);
    if (!viewed_.empty()) own_edges();
    staged_.push_back({from, to});
    if (pins_ > 1) staged_pin_.push_back(static_cast<std::uint8_t>(pin));
    if (label_bytes_ != 0) append_label(label);
  }
  /// Adds many edges of one pin; `labels` holds edges.size() labels, or is null.
  void add_edges(std::span<const Edge> edges, unsigned pin = 0, const void* labels = nullptr);
  /// The same, taking the array over when it is the first (no copy of tens of millions of edges).
  void take_edges(std::vector<Edge>&& edges, unsigned pin = 0, const void* labels = nullptr);
  /// The same, without a copy where no others are added: the arrays stay as they are while the store lives.
  /// With `both_ways`, each edge is also added in the other direction, after all of them.
  void view_edges(std::span<const Edge> edges, unsigned pin = 0, const void* labels = nullptr,
                  bool both_ways = false);

  /// Ends the adding. Throws UserError for an edge whose end does not exist. Idempotent.
  void finish();
  bool finished() const { return finished_; }
  /// Forgets the edges, and all rows: what runs them has made its own. Degrees that were counted stay.
  void drop_edges();

  std::uint32_t vertices() const { return vertices_; }
  std::uint64_t edges() const { return dropped_ + (both_ways_ ? 2 * staged().size() : staged().size()); }
  unsigned pins() const { return pins_; }
  std::size_t label_bytes() const { return label_bytes_; }
  /// See NativeGraph::mutual.
  bool is_mutual() const { return both_ways_ && pins_ == 1; }

  /// Edges that leave (enter) v, over all pins. Any time; counts only what was added since the last call.
  std::uint32_t fan_out(std::uint32_t v) const { return at(out_degree(), v); }
  std::uint32_t fan_in(std::uint32_t v) const { return at(in_degree(), v); }
  std::span<const std::uint32_t> out_degree() const;
  std::span<const std::uint32_t> in_degree() const;

  // After finish(). What is asked for is made by the first call; those that follow may come from many threads.
  /// Makes all that placing and writing ask for.
  void sort() const {
    out_edges();
    in_degree();
  }
  /// Edges by sender.
  OutEdges out_edges() const;
  std::span<const std::uint64_t> out_begin() const { return out_edges().begin; }
  std::span<const std::uint32_t> out_target() const { return out_edges().target; }
  std::byte* out_label() { return out_edges().label; }
  const std::byte* out_label() const { return out_edges().label; }
  /// Where rows of out_edges() begin, without them.
  std::span<const std::uint64_t> row_begins() const;
  /// Edges by receiver. Of a mutual graph without labels: out_edges(), ordered as they are.
  InEdges in_edges() const;
  /// What rows are made of; it points into the store.
  AddedEdges added() const;

 private:
  /// Edges by one of their ends.
  struct Degrees {
    std::vector<std::uint32_t> of;  ///< by vertex
    std::uint64_t counted = 0;      ///< so many of staged()
    bool all = true;                ///< every end was a vertex
  };
  struct Rows;

  [[noreturn]] void reject_edge(std::uint32_t from, unsigned pin, std::uint32_t to) const;
  void append_label(const void* label);
  std::span<const Edge> staged() const { return viewed_.empty() ? staged_ : viewed_; }
  /// Whether these edges, if added now, are the first.
  bool first_edges(std::span<const Edge> edges, unsigned pin) const;
  void own_edges();
  void append(std::span<const Edge> edges, unsigned pin, const void* labels, bool both_ways);
  std::uint32_t at(std::span<const std::uint32_t> degree, std::uint32_t v) const;
  /// Brings degrees by `end`, and by `other_end` if it is not null, up to date.
  void count(Degrees& degrees, std::uint32_t Edge::*end, std::uint32_t Edge::*other_end) const;
  void check_ends() const;

  unsigned pins_;
  std::size_t label_bytes_;
  std::uint32_t vertices_ = 0;
  bool finished_ = false;
  std::uint64_t dropped_ = 0;
  std::vector<Edge> staged_;
  std::vector<std::uint8_t> staged_pin_;
  std::vector<std::byte> staged_label_;
  std::span<const Edge> viewed_;              ///< in the place of staged_
  const std::byte* viewed_label_ = nullptr;   ///< in the place of staged_label_
  bool both_ways_ = false;                    ///< what is viewed
  mutable Degrees out_degrees_, in_degrees_;  ///< with both_ways_, the first are both
  mutable std::unique_ptr<Rows> rows_;
};

}  // namespace polyloom::polite
