// SPDX-License-Identifier: Apache-2.0
// "from to [weight]" lines. SNAP's text files are such lists with # comments. The vertices are the ids that
// occur: a list says nothing of others. Here are ids of 32 bits, as most lists have them; where something
// else comes, named_edges.cc goes on.
#include <algorithm>
#include <atomic>
#include <bit>
#include <string>

#include "fabric/pool.h"
#include "polite/readers/edge_blocks.h"
#include "polite/readers/fields.h"
#include "polite/readers/formats.h"

namespace polyloom::polite {

namespace {

constexpr const char* kForm = "'from to' or 'from to weight'";

/// Calls body(edge) for all edges, on all threads.
template <typename Body>
void each_part(std::vector<Edge>& edges, fabric::Pool& pool, Body body) {
  constexpr std::size_t kTogether = 1 << 16;
  pool.run((edges.size() + kTogether - 1) / kTogether, [&](std::size_t part, unsigned) {
    const std::size_t last = std::min((part + 1) * kTogether, edges.size());
    for (std::size_t e = part * kTogether; e < last; ++e) body(edges[e]);
  });
}

/// As std::popcount, which is a call where the processor need not have such an instruction.
inline std::uint32_t ones(std::uint64_t word) {
  word -= word >> 1 & 0x5555555555555555ull;
  word = (word & 0x3333333333333333ull) + (word >> 2 & 0x3333333333333333ull);
  word = (word + (word >> 4)) & 0x0f0f0f0f0f0f0f0full;
  return static_cast<std::uint32_t>(word * 0x0101010101010101ull >> 56);
}

/// Numbers ids in ascending order by counting marks: a bit an id up to the largest, so for ids that are
/// dense.
class DenseIds {
 public:
  DenseIds(std::vector<Edge>& edges, std::uint32_t largest, fabric::Pool& pool)
      : marks_(largest / 64 + 1ull), before_(marks_.size()) {
    each_part(edges, pool, [this](Edge& e) {
      mark(e.from);
      mark(e.to);
    });
    for (std::size_t i = 0; i < marks_.size(); ++i) {
      before_[i] = count_;
      count_ += ones(marks_[i]);
    }
  }
  std::uint32_t number(std::uint32_t id) const {
    const std::uint64_t below = marks_[id / 64] & ((std::uint64_t{1} << id % 64) - 1);
    return before_[id / 64] + ones(below);
  }
  std::uint32_t count() const { return count_; }
  std::vector<std::uint64_t> ids() const {
    std::vector<std::uint64_t> ids;
    ids.reserve(count_);
    for (std::size_t i = 0; i < marks_.size(); ++i) {
      for (std::uint64_t left = marks_[i]; left != 0; left &= left - 1)
        ids.push_back(64 * i + static_cast<unsigned>(std::countr_zero(left)));
    }
    return ids;
  }

 private:
  void mark(std::uint32_t id) {
    const std::atomic_ref word(marks_[id / 64]);
    const std::uint64_t bit = std::uint64_t{1} << id % 64;
    if ((word.load(std::memory_order_relaxed) & bit) == 0) word.fetch_or(bit, std::memory_order_relaxed);
  }

  std::vector<std::uint64_t> marks_;
  std::vector<std::uint32_t> before_;  ///< marks in the words before
  std::uint32_t count_ = 0;
};

/// Numbers ids in ascending order by sorting them: 8 bytes an edge, whatever the ids are.
class SparseIds {
 public:
  explicit SparseIds(const std::vector<Edge>& edges) {
    ids_.reserve(2 * edges.size());
    for (const Edge& e : edges) {
      ids_.push_back(e.from);
      ids_.push_back(e.to);
    }
    std::sort(ids_.begin(), ids_.end());
    ids_.erase(std::unique(ids_.begin(), ids_.end()), ids_.end());
    ids_.shrink_to_fit();
  }
  std::uint32_t number(std::uint32_t id) const {
    return static_cast<std::uint32_t>(std::lower_bound(ids_.begin(), ids_.end(), id) - ids_.begin());
  }
  std::vector<std::uint64_t> ids() const { return {ids_.begin(), ids_.end()}; }

 private:
  std::vector<std::uint32_t> ids_;
};

template <typename Ids>
void renumber(std::vector<Edge>& edges, const Ids& ids, fabric::Pool& pool) {
  each_part(edges, pool, [&ids](Edge& e) { e = {ids.number(e.from), ids.number(e.to)}; });
}

/// Gives the ids that occur the numbers 0, 1, 2 ... in ascending order, with at most 8 bytes an edge.
void name_vertices(GraphData& g, std::uint32_t largest) {
  std::vector<std::uint64_t> ids;
  fabric::Pool pool(g.edges.size() < 1 << 17 ? 1 : 0);
  if (largest / 8 <= 5 * g.edges.size() + 4096) {
    const DenseIds dense(g.edges, largest, pool);
    if (dense.count() == largest + 1) {  // all of them occur
      g.set_vertices(dense.count());
      return;
    }
    renumber(g.edges, dense, pool);
    ids = dense.ids();
  } else {
    const SparseIds sparse(g.edges);
    renumber(g.edges, sparse, pool);
    ids = sparse.ids();
  }
  g.vertices = static_cast<std::uint32_t>(ids.size());
  g.names = VertexNames::numbers(std::move(ids));
}

/// SNAP writes "# Undirected graph: ...", KONECT "% sym unweighted".
bool says_undirected(Fields comment, std::string_view line) {
  return lower(line).find("undirected") != std::string::npos ||
         (comment.word() == "%" && comment.word() == "sym");
}

/// KONECT's first line says what the network is: "% sym", "% asym" or "% bip". Its edges may have a time
/// behind their weight.
bool is_of_konect(Fields comment) {
  const bool begins = comment.word() == "%";
  const std::string_view kind = comment.word();
  return begins && (kind == "sym" || kind == "asym" || kind == "bip");
}

}  // namespace

GraphData read_edge_list(TextSource& source, bool names) {
  GraphData g;
  std::uint64_t largest = 0, checked = 1 << 22, from = 0, to = 0;
  bool first = true, weighted = false, timed = false, times = false;
  // How many edges come is not known: there must be memory to double those that have come.
  const auto check_memory = [&] {
    for (; g.edges.size() >= checked; checked *= 2) require_memory_for(source, 0, checked);
  };
  constexpr std::uint64_t kShortRun = 1000;  // lines; it would have been as quick to take them one by one
  constexpr unsigned kMostShortRuns = 8;
  unsigned short_runs = 0;
  std::string_view line;
  while (source.next(line)) {
    Fields fields(source, line);
    if (const char c = fields.peek(); c == '\0' || c == '#' || c == '%') {
      if (first && g.undirected_at == 0 && says_undirected(fields, line)) g.undirected_at = source.line();
      timed |= is_of_konect(fields);
      continue;
    }
    const bool small = !names && fields.take_number(kLargestId, from) && fields.take_number(kLargestId, to);
    if (!small || (first && fields.peek() == '{')) {
      read_named_list(source, line, g, names);
      return g;
    }
    largest = std::max({largest, from, to});
    g.edges.push_back({static_cast<std::uint32_t>(from), static_cast<std::uint32_t>(to)});
    if (first) {
      weighted = !fields.empty();
      first = false;
    }
    if (weighted) {
      if (fields.empty()) source.fail("the weight is missing; earlier lines are 'from to weight'");
      g.weights.push_back(fields.weight());
      if (timed && !fields.empty()) {
        fields.weight();
        times = true;
      }
      fields.end(kForm);
    } else if (!fields.empty()) {
      fields.end("'from to' in this file, as its first line is");
    }
    check_memory();
    if (source.can_seek() && short_runs < kMostShortRuns)
      short_runs += take_plain_edges(source, weighted, g, largest, check_memory) < kShortRun;
  }
  if (times) g.notes.push_back("the times of its edges, behind their weights, are not used");
  if (!g.edges.empty()) name_vertices(g, static_cast<std::uint32_t>(largest));
  return g;
}

}  // namespace polyloom::polite
