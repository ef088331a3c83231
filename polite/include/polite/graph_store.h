// SPDX-License-Identifier: Apache-2.0
// Vertices, edges and labels of a PGraph without its templates: appended to flat arrays, then sorted once
// into compressed rows. 8 bytes an edge while building (plus pin and label), 4 afterwards.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "polite/native_view.h"

namespace polyloom::polite {

struct Edge {
  std::uint32_t from;
  std::uint32_t to;
  friend bool operator==(const Edge&, const Edge&) = default;
};

/// Invariant: before finish() edges may be added and rows are empty; after it the reverse. Not thread safe.
class GraphStore {
 public:
  /// `label_bytes` is 0 for graphs without labels.
  GraphStore(unsigned pins, std::size_t label_bytes) : pins_(pins), label_bytes_(label_bytes) {}

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
  /// The same, without a copy where it is the first: the array stays as it is until finish().
  void view_edges(std::span<const Edge> edges, unsigned pin = 0, const void* labels = nullptr);

  /// Sorts edges into rows. Throws UserError for an edge whose end does not exist. Idempotent.
  void finish();
  bool finished() const { return finished_; }

  std::uint32_t vertices() const { return vertices_; }
  std::uint64_t edges() const { return finished_ ? out_target_.size() : staged().size(); }
  unsigned pins() const { return pins_; }
  std::size_t label_bytes() const { return label_bytes_; }

  /// Edges that leave (enter) v, over all pins. Any time; counts only what was added since the last call.
  std::uint32_t fan_out(std::uint32_t v) const;
  std::uint32_t fan_in(std::uint32_t v) const;

  // After finish(): rows. The out-edges of (v, pin) are [begin(i), begin(i+1)) of i = v * pins + pin, in
  // order of addition.
  std::span<const std::uint64_t> out_begin() const { return out_begin_; }
  std::span<const std::uint32_t> out_target() const { return out_target_; }
  std::byte* out_label() { return out_label_.empty() ? nullptr : out_label_.data(); }
  const std::byte* out_label() const { return out_label_.empty() ? nullptr : out_label_.data(); }
  std::span<const std::uint32_t> in_degree() const { return in_degree_; }
  const InEdges& in_edges() const;

 private:
  [[noreturn]] void reject_edge(std::uint32_t from, unsigned pin, std::uint32_t to) const;
  void append_label(const void* label);
  std::span<const Edge> staged() const { return viewed_.empty() ? staged_ : viewed_; }
  bool takes_whole(std::span<const Edge> edges) const;
  void own_edges();
  void count_staged() const;
  void check_ends() const;
  std::vector<std::uint64_t> row_starts() const;
  void scatter(std::vector<std::uint64_t> next, std::uint32_t first_vertex, std::uint32_t last_vertex);

  unsigned pins_;
  std::size_t label_bytes_;
  std::uint32_t vertices_ = 0;
  bool finished_ = false;
  std::vector<Edge> staged_;
  std::span<const Edge> viewed_;  ///< in their place
  std::vector<std::uint8_t> staged_pin_;
  std::vector<std::byte> staged_label_;
  mutable std::uint64_t counted_ = 0;
  mutable std::vector<std::uint32_t> out_degree_;
  mutable std::vector<std::uint32_t> in_degree_;
  std::vector<std::uint64_t> out_begin_;
  std::vector<std::uint32_t> out_target_;
  std::vector<std::byte> out_label_;
  mutable InEdges in_;
  mutable bool in_built_ = false;
};

}  // namespace polyloom::polite
