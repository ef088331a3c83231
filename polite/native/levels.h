// SPDX-License-Identifier: Apache-2.0
// One superstep of vertices that wait for its end before they send again: all messages of the step before.
//
// Few senders push: they try to improve what each of their neighbours has heard. With many, and where edges
// leave messages as they are, every vertex to which one of them could be news looks through its in-edges, and
// no further than the best message there is (source: Beamer, Asanovic and Patterson, "Direction-optimizing
// breadth-first search", 2012).
#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <vector>

#include "fabric/pool.h"
#include "polite/native/blocks.h"
#include "polite/native/relax_vertices.h"
#include "polite/native/vertex_list.h"

namespace polyloom::polite {

template <typename Vertices>
class Levels {
  using Value = typename Vertices::Value;

 public:
  Levels(Vertices& vertices, const OutEdges& out, const InEdges& in, fabric::Pool& pool)
      : vertices_(vertices),
        out_(out),
        in_(in),
        pool_(pool),
        message_(vertices.count()),
        told_(vertices.count(), 0),
        senders_(vertices.count()),
        missed_(vertices.count()),
        missed_next_(vertices.count()) {}

  /// Call at the begin of a run.
  void begin() {
    edges_left_ = out_.target.size();
    missed_.clear();
    list_is_known_ = false;
  }

  /// What one worker has let vertices do.
  struct alignas(64) Sent {
    bool more = false;  ///< some step was true
    std::uint64_t vertices = 0, edges = 0;
    Value best = Vertices::worst();
    bool alike = true;  ///< all messages are the best one
    VertexBuffer buffer;

    void operator+=(const Sent& other) {
      more |= other.more;
      if (other.vertices == 0) return;
      alike = vertices == 0 ? other.alike : alike && other.alike && best == other.best;
      if (Vertices::before(other.best, best)) best = other.best;
      vertices += other.vertices;
      edges += other.edges;
    }
  };
  /// Lets v send, if it wants to.
  INLINE void send(std::uint32_t v, Sent& sent, VertexList& senders) {
    Value value{};
    if (vertices_.send(v, value)) note(v, value, sent, senders);
  }
  /// Hands v, to which something has come, the best that it has heard, lets it step, and send.
  INLINE void step(std::uint32_t v, Sent& sent, VertexList& senders) {
    Value value{};
    bool sends;
    sent.more |= vertices_.hear_step_and_send(v, value, sends);
    if (sends) note(v, value, sent, senders);
  }
  /// Brings what `senders` have sent. Those to whom it was news are listed in `told`; or, where they can have heard
  /// all when they are found, at_once(v, worker) is called. `sent` is the sum of all workers'.
  template <typename AtOnce>
  void deliver(const VertexList& senders, const Sent& sent, VertexList& told, AtOnce&& at_once) {
    told.clear();
    if (!pays_to_pull(sent)) {
      push(senders, sent.edges, told);
    } else if (sent.alike) {  // no one reads messages, so they may be written
      pull(senders, sent, at_once);
    } else {
      pull(senders, sent, [&](std::uint32_t v, unsigned) {
        told_[v] = 1;
        told.add({&v, 1});
      });
    }
  }
  /// Call for all that `told` lists before the next superstep.
  void forget_told(std::uint32_t v) { told_[v] = 0; }

 private:
  static constexpr std::uint64_t kPullShare = 15, kVerticesAnEdge = 32;  // as in flood.h
  /// Fewer edges are not worth waking others for.
  static constexpr std::uint64_t kTinyEdges = 2048;
  static constexpr std::size_t kChunk = 64;
  static constexpr std::uint32_t kRowsAhead = 8, kEdgesAhead = 12;  // how far ahead memory is asked for

  INLINE void note(std::uint32_t v, Value value, Sent& sent, VertexList& senders) {
    message_[v] = value;
    sent.alike &= sent.vertices++ == 0 || value == sent.best;
    sent.edges += out_.begin[v + std::size_t{1}] - out_.begin[v];
    if (Vertices::before(value, sent.best)) sent.best = value;
    sent.buffer.add(v, senders);
  }

  bool pays_to_pull(const Sent& sent) const {
    return !in_.begin.empty() && sent.edges > edges_left_ / kPullShare &&
           sent.edges > vertices_.count() / kVerticesAnEdge;
  }

  void push(const VertexList& senders, std::uint64_t edges, VertexList& told) {
    if (edges < kTinyEdges) {
      VertexBuffer buffer;
      std::uint64_t reached = 0;
      for (std::size_t i = 0; i < senders.size(); ++i) push_from(senders[i], buffer, reached, told);
      buffer.flush(told);
      edges_left_ -= std::min(edges_left_, reached);
      return;
    }
    std::atomic<std::uint64_t> reached{0};
    std::atomic<std::size_t> cursor{0};
    pool_.run(pool_.workers(), [&](std::size_t, unsigned) {
      VertexBuffer buffer;
      std::uint64_t own = 0;
      for (std::size_t at; (at = cursor.fetch_add(kChunk, std::memory_order_relaxed)) < senders.size();) {
        const std::size_t end = std::min(at + kChunk, senders.size());
        for (std::size_t i = at; i < end; ++i) {
          if (i + 1 < end) __builtin_prefetch(&out_.target[out_.begin[senders[i + 1]]]);
          push_from(senders[i], buffer, own, told);
        }
      }
      buffer.flush(told);
      reached.fetch_add(own, std::memory_order_relaxed);
    });
    edges_left_ -= std::min<std::uint64_t>(edges_left_, reached);
  }
  INLINE void push_from(std::uint32_t u, VertexBuffer& buffer, std::uint64_t& reached, VertexList& told) {
    const Value value = message_[u];
    const std::uint64_t end = out_.begin[u + std::size_t{1}], last = out_.target.size() - 1;
    for (std::uint64_t e = out_.begin[u]; e < end; ++e) {
      vertices_.prefetch_heard(out_.target[std::min(e + kEdgesAhead, last)]);
      const std::uint32_t to = out_.target[e];
      const bool first = vertices_.heard(to) == Vertices::worst();
      if (!vertices_.improve(to, Vertices::along(value, out_.label + e * Vertices::kLabelBytes))) continue;
      if (std::atomic_ref(told_[to]).exchange(1, std::memory_order_relaxed) != 0) continue;
      if (first) reached += out_.begin[to + std::size_t{1}] - out_.begin[to];
      buffer.add(to, told);
    }
  }

  /// All whom a message could be news look for one. Whom the best one would still be news afterwards are the
  /// only ones to look again, as long as no better message is sent.
  template <typename Told>
  void pull(const VertexList& senders, const Sent& sent, Told&& told) {
    senders_.clear();
    for (std::size_t i = 0; i < senders.size(); ++i) senders_.set_alone(senders[i]);
    std::atomic<std::uint64_t> reached{0};
    missed_next_.clear();
    const bool listed = list_is_known_ && !Vertices::before(sent.best, list_best_);
    const auto count = listed ? static_cast<std::uint32_t>(missed_.size()) : vertices_.count();
    each_block(pool_, count, [&](std::uint32_t first, std::uint32_t last, unsigned worker) {
      std::uint64_t own = 0;
      VertexBuffer missed;
      for (std::uint32_t i = first; i < last; ++i) {
        const std::uint32_t at = std::min(i + kRowsAhead, last - 1), ahead = listed ? missed_[at] : at;
        __builtin_prefetch(&in_.source[in_.begin[ahead]]);
        vertices_.prefetch_state(ahead);
        const std::uint32_t v = listed ? missed_[i] : i;
        const std::uint64_t begin = in_.begin[v], end = in_.begin[v + std::size_t{1}];
        const Value known = vertices_.heard(v);
        if (begin == end || !Vertices::before(sent.best, known)) continue;
        const Value found = best_of(begin, end, sent, known);
        if (Vertices::before(sent.best, found)) missed.add(v, missed_next_);
        if (!Vertices::before(found, known)) continue;
        vertices_.set_heard(v, found);
        if (known == Vertices::worst()) own += out_.begin[v + std::size_t{1}] - out_.begin[v];
        told(v, worker);
      }
      missed.flush(missed_next_);
      reached.fetch_add(own, std::memory_order_relaxed);
    });
    missed_.swap(missed_next_);
    list_is_known_ = true;
    list_best_ = sent.best;
    edges_left_ -= std::min<std::uint64_t>(edges_left_, reached);
  }
  INLINE Value best_of(std::uint64_t e, std::uint64_t end, const Sent& sent, Value known) const {
    for (; e < end; ++e) {
      const std::uint32_t u = in_.source[e];
      if (!senders_.test(u)) continue;
      if (sent.alike) return sent.best;
      if (Vertices::before(message_[u], known)) known = message_[u];
      if (known == sent.best) break;
    }
    return known;
  }

  Vertices& vertices_;
  const OutEdges out_;
  const InEdges in_;
  fabric::Pool& pool_;
  HugeVector<Value> message_;      ///< of who has sent in the latest step
  HugeVector<std::uint8_t> told_;  ///< 1: is in the list of the told
  VertexBits senders_;
  VertexList missed_, missed_next_;  ///< whom list_best_ would be news, if that is known
  Value list_best_{};
  bool list_is_known_ = false;
  std::uint64_t edges_left_ = 0;  ///< of vertices that have heard nothing yet
};

}  // namespace polyloom::polite
