// SPDX-License-Identifier: Apache-2.0
#include "polite/python/numbering.h"

#include <algorithm>
#include <atomic>
#include <bit>
#include <string>

#include "fabric/error.h"
#include "fabric/parallel.h"

namespace polyloom::polite {

namespace {

constexpr std::size_t kParallelEdges = 1 << 20;
constexpr std::uint64_t kMostVertices = 0xfffffffe;
/// Ids are marked in bits where these are no more than so many an edge.
constexpr std::uint64_t kBitsAnEdge = 32;

unsigned workers_for(std::size_t edges) {
  return edges < kParallelEdges ? 1 : std::min(fabric::host_threads(0), 8u);
}

/// Calls work(worker, first, last) for shares of the edges.
template <typename Work>
void share(std::size_t edges, Work work) {
  const unsigned workers = workers_for(edges);
  fabric::parallel_for(workers, workers, [&](std::size_t w) {
    work(static_cast<unsigned>(w), edges / workers * w, w + 1 == workers ? edges : edges / workers * (w + 1));
  });
}

template <typename Id>
struct Range {
  Id least, most;
};

template <typename Id>
Range<Id> range_of(Ends<Id> from, Ends<Id> to, std::size_t edges) {
  std::vector<Range<Id>> found(workers_for(edges), {from[0], from[0]});
  share(edges, [&found, from, to](unsigned worker, std::size_t first, std::size_t last) {
    Range<Id> range = found[worker];
    for (std::size_t i = first; i < last; ++i) {
      const Id a = from[i], b = to[i];
      range.least = std::min({range.least, a, b});
      range.most = std::max({range.most, a, b});
    }
    found[worker] = range;
  });
  Range<Id> all = found[0];
  for (const Range<Id>& range : found) {
    all.least = std::min(all.least, range.least);
    all.most = std::max(all.most, range.most);
  }
  return all;
}

void require_countable(std::uint64_t vertices) {
  if (vertices > kMostVertices)
    throw UserError("a graph has at most " + std::to_string(kMostVertices) +
                    " vertices; these edges have more");
}

/// Which ids of a range occur, and how many do before each.
class Marks {
 public:
  explicit Marks(std::uint64_t ids) : words_((ids + 63) / 64), before_(words_.size()) {}

  void set(std::uint64_t id) {
    const std::atomic_ref<std::uint64_t> word(words_[id / 64]);
    const std::uint64_t bit = std::uint64_t{1} << (id % 64);
    if ((word.load(std::memory_order_relaxed) & bit) == 0) word.fetch_or(bit, std::memory_order_relaxed);
  }
  std::uint64_t count() {
    std::uint64_t count = 0;
    for (std::size_t i = 0; i < words_.size(); ++i) {
      before_[i] = static_cast<std::uint32_t>(count);
      count += static_cast<unsigned>(std::popcount(words_[i]));
    }
    return count;
  }
  std::uint32_t number(std::uint64_t id) const {
    const std::uint64_t below = (std::uint64_t{1} << (id % 64)) - 1;
    return before_[id / 64] + static_cast<std::uint32_t>(std::popcount(words_[id / 64] & below));
  }
  template <typename Take>
  void each(Take take) const {
    for (std::size_t i = 0; i < words_.size(); ++i) {
      for (std::uint64_t word = words_[i]; word != 0; word &= word - 1)
        take(64 * std::uint64_t{i} + static_cast<unsigned>(std::countr_zero(word)));
    }
  }

 private:
  std::vector<std::uint64_t> words_;
  std::vector<std::uint32_t> before_;
};

/// Numbers by id, open addressing.
class Table {
 public:
  Table() : slots_(1 << 12) {}

  /// The number of an id; a new one gets the next.
  std::uint32_t number(std::uint64_t id) {
    Slot* slot = find(id);
    if (slot->number != kFree) return slot->number;
    if (2 * (ids_.size() + 1) > slots_.size()) {
      grow();
      slot = find(id);
    }
    *slot = {id, static_cast<std::uint32_t>(ids_.size())};
    ids_.push_back(id);
    require_countable(ids_.size());
    return slot->number;
  }
  const std::vector<std::uint64_t>& ids() const { return ids_; }

 private:
  static constexpr std::uint32_t kFree = 0xffffffff;
  struct Slot {
    std::uint64_t id = 0;
    std::uint32_t number = kFree;
  };

  Slot* find(std::uint64_t id) {
    std::uint64_t hash = id * 0x9e3779b97f4a7c15;
    for (std::size_t at = (hash ^ hash >> 32);; ++at) {
      Slot& slot = slots_[at & (slots_.size() - 1)];
      if (slot.number == kFree || slot.id == id) return &slot;
    }
  }
  void grow() {
    slots_.assign(2 * slots_.size(), {});
    for (std::size_t i = 0; i < ids_.size(); ++i) *find(ids_[i]) = {ids_[i], static_cast<std::uint32_t>(i)};
  }

  std::vector<Slot> slots_;
  std::vector<std::uint64_t> ids_;
};

template <typename Id>
std::vector<Id> number_sparse(Ends<Id> from, Ends<Id> to, std::size_t edges, std::uint32_t* out,
                              std::uint64_t& count) {
  Table table;
  for (std::size_t i = 0; i < edges; ++i) {
    out[2 * i] = table.number(static_cast<std::uint64_t>(from[i]));
    out[2 * i + 1] = table.number(static_cast<std::uint64_t>(to[i]));
  }
  count = table.ids().size();
  std::vector<std::uint32_t> order(count), rank(count);
  for (std::size_t i = 0; i < count; ++i) order[i] = static_cast<std::uint32_t>(i);
  std::ranges::sort(order, {}, [&](std::uint32_t i) { return static_cast<Id>(table.ids()[i]); });
  std::vector<Id> ids(count);
  for (std::size_t i = 0; i < count; ++i) {
    rank[order[i]] = static_cast<std::uint32_t>(i);
    ids[i] = static_cast<Id>(table.ids()[order[i]]);
  }
  share(2 * edges, [&rank, out](unsigned, std::size_t first, std::size_t last) {
    for (std::size_t i = first; i < last; ++i) out[i] = rank[out[i]];
  });
  return ids;
}

template <typename Id>
std::vector<Id> number_all(Ends<Id> from, Ends<Id> to, std::size_t edges, std::uint32_t* out,
                           std::uint64_t& count) {
  count = 0;
  if (edges == 0) return {};
  const auto [least, most] = range_of(from, to, edges);
  const std::uint64_t first = static_cast<std::uint64_t>(least),
                      last = static_cast<std::uint64_t>(most) - first;
  if (last / kBitsAnEdge >= edges + 4096) return number_sparse(from, to, edges, out, count);
  Marks marks(last + 1);
  share(edges, [&marks, from, to, first](unsigned, std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) {
      marks.set(static_cast<std::uint64_t>(from[i]) - first);
      marks.set(static_cast<std::uint64_t>(to[i]) - first);
    }
  });
  count = marks.count();
  require_countable(count);
  const bool gaps = count != last + 1;
  share(edges, [&marks, from, to, first, gaps, out](unsigned, std::size_t begin, std::size_t end) {
    const auto number = [&](Id id) {
      const std::uint64_t above = static_cast<std::uint64_t>(id) - first;
      return gaps ? marks.number(above) : static_cast<std::uint32_t>(above);
    };
    for (std::size_t i = begin; i < end; ++i) {
      out[2 * i] = number(from[i]);
      out[2 * i + 1] = number(to[i]);
    }
  });
  std::vector<Id> ids;
  if (!gaps && least == 0) return ids;
  ids.reserve(count);
  marks.each([&](std::uint64_t above) { ids.push_back(static_cast<Id>(first + above)); });
  return ids;
}

}  // namespace

template <typename Id>
std::vector<Id> number_vertices(Ends<Id> from, Ends<Id> to, std::size_t edges, std::uint32_t* out,
                                std::uint64_t& count) {
  return number_all(from, to, edges, out, count);
}

template std::vector<std::int32_t> number_vertices(Ends<std::int32_t>, Ends<std::int32_t>, std::size_t,
                                                   std::uint32_t*, std::uint64_t&);
template std::vector<std::uint32_t> number_vertices(Ends<std::uint32_t>, Ends<std::uint32_t>, std::size_t,
                                                    std::uint32_t*, std::uint64_t&);
template std::vector<std::int64_t> number_vertices(Ends<std::int64_t>, Ends<std::int64_t>, std::size_t,
                                                   std::uint32_t*, std::uint64_t&);
template std::vector<std::uint64_t> number_vertices(Ends<std::uint64_t>, Ends<std::uint64_t>, std::size_t,
                                                    std::uint32_t*, std::uint64_t&);

}  // namespace polyloom::polite
