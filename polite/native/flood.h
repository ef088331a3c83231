// SPDX-License-Identifier: Apache-2.0
// One message from one vertex to all that it reaches: those who take it hand on the same.
//
// Components by the smallest number, for one, are mostly that: the number that wins the largest component need
// not meet any other on its way. Edges without labels leave a message as it is, so the order in which vertices
// take it does not matter: workers go on from what they have just reached without waiting for each other, and
// once much has been reached, those who have not look for any one neighbour who has (source: Beamer, Asanovic
// and Patterson, "Direction-optimizing breadth-first search", 2012). Most edges are never looked at.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "fabric/pool.h"
#include "polite/native/blocks.h"
#include "polite/native/relax_vertices.h"
#include "polite/native/vertex_list.h"

namespace polyloom::polite {

template <typename Vertices>
class Flood {
  using Value = typename Vertices::Value;

 public:
  /// `in` may be empty: then none looks for neighbours.
  /// The lists are anybody's between runs.
  Flood(Vertices& vertices, const OutEdges& out, const InEdges& in, VertexList& now, VertexList& next,
        fabric::Pool& pool)
      : vertices_(vertices),
        out_(out),
        in_(in),
        pool_(pool),
        edges_(out.target.size()),
        now_(now),
        next_(next),
        senders_(vertices.count()),
        before_(vertices.count()) {}

  /// Lets `from`, which wants to send `value`, send it. Returns how many vertices have sent it on.
  std::uint64_t run(std::uint32_t from, Value value) {
    value_ = value;
    senders_.clear();
    now_.clear();
    reached_ = edges_left_ = 0;
    if (!vertices_.send_if(from, value)) return 0;
    senders_.set(from);
    now_.add({&from, 1});
    Found found{1, degree(from)};
    edges_left_ = edges_;
    while (found.vertices > 0 && !vertices_.stopping()) {
      reached_ += found.vertices;
      edges_left_ -= std::min(edges_left_, found.edges);
      if (pays_to_pull(found.edges)) {
        found = pull();
      } else {
        if (pulled_) list_found();
        found = push(found.edges);
      }
    }
    pulled_ = false;
    return reached_;
  }

 private:
  /// A pass pulls if the edges of what was found last are more than this share of those not yet looked at, and
  /// are not too few beside the vertices, each of which is asked whether it needs the message.
  static constexpr std::uint64_t kPullShare = 15, kVerticesAnEdge = 32;
  /// A pass with fewer edges is not worth waking others for.
  static constexpr std::uint64_t kTinyEdges = 2048;
  /// A worker goes on from what it has reached until it has looked at so many edges.
  static constexpr std::uint64_t kDeepEdges = 1 << 15;
  static constexpr std::size_t kChunk = 64;
  /// How far ahead memory is asked for.
  static constexpr std::uint32_t kVerticesAhead = 8, kRowsAhead = 16, kEdgesAhead = 12;

  struct alignas(64) Found {
    std::uint64_t vertices = 0, edges = 0;
    void operator+=(const Found& other) {
      vertices += other.vertices;
      edges += other.edges;
    }
  };

  bool pays_to_pull(std::uint64_t edges) const {
    return !in_.begin.empty() && edges > edges_left_ / kPullShare &&
           edges > vertices_.count() / kVerticesAnEdge;
  }
  std::uint64_t degree(std::uint32_t v) const { return out_.begin[v + std::size_t{1}] - out_.begin[v]; }

  /// What v does that has just heard the value. True if it sends it on.
  INLINE bool take(std::uint32_t v) {
    vertices_.hear(v);
    return vertices_.send_if(v, value_);
  }

  Found push(std::uint64_t edges) {
    next_.clear();
    Found found;
    if (edges < kTinyEdges) {
      Worker worker(*this, kDeepEdges);
      for (std::size_t i = 0; i < now_.size(); ++i) worker.start(now_[i]);
      found = worker.finish();
    } else {
      std::atomic<std::size_t> cursor{0};
      std::vector<Found> of(pool_.workers());
      pool_.run(pool_.workers(), [&](std::size_t, unsigned number) {
        Worker worker(*this, edges < kDeepEdges ? kDeepEdges : 0);
        for (std::size_t at; (at = cursor.fetch_add(kChunk, std::memory_order_relaxed)) < now_.size();) {
          for (std::size_t i = at; i < std::min(at + kChunk, now_.size()); ++i) worker.start(now_[i]);
        }
        of[number] += worker.finish();
      });
      for (const Found& one : of) found += one;
    }
    now_.swap(next_);
    return found;
  }

  class Worker {
   public:
    Worker(Flood& flood, std::uint64_t budget) : flood_(flood), budget_(budget) {}
    /// Tells the neighbours of v.
    INLINE void start(std::uint32_t v) {
      const std::uint64_t end = flood_.out_.begin[v + std::size_t{1}], last = flood_.edges_ - 1;
      looked_ += end - flood_.out_.begin[v];
      for (std::uint64_t e = flood_.out_.begin[v]; e < end; ++e) {
        flood_.vertices_.prefetch_heard(flood_.out_.target[std::min(e + kEdgesAhead, last)]);
        const std::uint32_t to = flood_.out_.target[e];
        if (flood_.vertices_.improve(to, flood_.value_)) reached_.push_back(to);
      }
      let_take();
    }
    /// Goes on from what was reached. The rest is put into the next list, and returned.
    Found finish() {
      std::size_t at = 0;
      for (; at < taken_ && looked_ + flood_.degree(reached_[at]) <= budget_; ++at) start(reached_[at]);
      flood_.next_.add({reached_.data() + at, taken_ - at});
      flood_.count_done(edges_of(0, at));
      return edges_of(at, taken_);
    }

   private:
    /// Lets those take the value who have heard it last; keeps those who send it on.
    INLINE void let_take() {
      for (std::size_t i = taken_; i < reached_.size(); ++i) {
        flood_.vertices_.prefetch_state(reached_[std::min(i + kVerticesAhead, reached_.size() - 1)]);
        const std::uint32_t v = reached_[i];
        if (!flood_.take(v)) continue;
        flood_.senders_.set(v);
        reached_[taken_++] = v;
      }
      reached_.resize(taken_);
    }
    Found edges_of(std::size_t first, std::size_t last) const {
      Found found;
      for (std::size_t i = first; i < last; ++i) found += {1, flood_.degree(reached_[i])};
      return found;
    }

    Flood& flood_;
    std::uint64_t budget_, looked_ = 0;
    std::vector<std::uint32_t> reached_;
    std::size_t taken_ = 0;  ///< of these have taken the value
  };

  /// Counts what was reached and has told its neighbours already.
  void count_done(const Found& found) {
    const std::lock_guard lock(mutex_);
    reached_ += found.vertices;
    edges_left_ -= std::min(edges_left_, found.edges);
  }

  /// All vertices look for a neighbour who sends the value; in further such passes, who has found none yet.
  Found pull() {
    before_ = senders_;
    next_.clear();
    const std::uint32_t count = pulled_ ? static_cast<std::uint32_t>(now_.size()) : vertices_.count();
    std::vector<Found> of(pool_.workers());
    each_block(pool_, count, [&](std::uint32_t first, std::uint32_t last, unsigned number) {
      VertexBuffer missed;
      if (pulled_) {
        for (std::uint32_t i = first; i < last; ++i) look<false>(now_[i], of[number], missed);
      } else {
        for (std::uint32_t v = first; v < last; ++v) {
          __builtin_prefetch(&in_.source[in_.begin[std::min(v + kRowsAhead, last)]]);
          look<true>(v, of[number], missed);
        }
      }
      missed.flush(next_);
    });
    now_.swap(next_);
    pulled_ = true;
    Found found;
    for (const Found& one : of) found += one;
    return found;
  }
  /// kAlone: no other worker looks for vertices near this one.
  template <bool kAlone>
  INLINE void look(std::uint32_t v, Found& found, VertexBuffer& missed) {
    const std::uint64_t begin = in_.begin[v], end = in_.begin[v + std::size_t{1}];
    if (begin == end || !vertices_.before(value_, vertices_.heard(v))) return;
    if (!is_told(begin, end)) {
      missed.add(v, next_);
      return;
    }
    vertices_.set_heard(v, value_);
    if (!take(v)) return;
    kAlone ? senders_.set_alone(v) : senders_.set(v);
    found += {1, degree(v)};
  }
  INLINE bool is_told(std::uint64_t e, std::uint64_t end) const {
    for (; e < end; ++e) {
      if (senders_.test(in_.source[e])) return true;
    }
    return false;
  }
  /// Lists what the latest pull has found.
  void list_found() {
    now_.clear();
    VertexBuffer buffer;
    for (std::size_t i = 0; i < senders_.words(); ++i) {
      for (std::uint64_t fresh = senders_.word(i) & ~before_.word(i); fresh != 0; fresh &= fresh - 1) {
        buffer.add(static_cast<std::uint32_t>(i * 64) + static_cast<std::uint32_t>(std::countr_zero(fresh)),
                   now_);
      }
    }
    buffer.flush(now_);
    pulled_ = false;
  }

  Vertices& vertices_;
  const OutEdges out_;
  const InEdges in_;
  fabric::Pool& pool_;
  std::uint64_t edges_;
  VertexList &now_, &next_;
  VertexBits senders_, before_;  ///< who has sent the value on; who had before the latest pull
  Value value_{};
  bool pulled_ = false;  ///< the latest pass did: what it found is in no list, and now_ has who found none
  std::mutex mutex_;     ///< of what follows, while workers push
  std::uint64_t reached_ = 0;
  std::uint64_t edges_left_ = 0;  ///< of vertices that have not sent the value
};

}  // namespace polyloom::polite
