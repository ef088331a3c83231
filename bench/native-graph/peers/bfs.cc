// SPDX-License-Identifier: Apache-2.0
#include "bench/native-graph/peers/front.h"
#include "bench/native-graph/peers/kernels.h"

namespace polyloom::bench::peers {
namespace {

constexpr std::int64_t kAlpha = 15, kBeta = 18;

class Search {
 public:
  Search(const Directed& graph, Vertex source)
      : graph_(graph), n_(graph.out.vertices()), parent_(n_), queue_(n_), front_(n_), next_(n_) {
    // One that is not reached remembers its degree, below 0: who reaches it need not look it up.
#pragma omp parallel for
    for (Vertex v = 0; v < n_; ++v) {
      const auto degree = static_cast<std::int32_t>(graph.out.degree(v));
      parent_[v] = degree != 0 ? -degree : -1;
    }
    parent_[source] = static_cast<std::int32_t>(source);
    queue_.append(&source, 1);
    queue_.slide();
  }

  Array<std::int32_t> run(Vertex source) {
    auto unseen = static_cast<std::int64_t>(graph_.out.edges());
    auto leaving = static_cast<std::int64_t>(graph_.out.degree(source));
    while (!queue_.empty()) {
      if (leaving > unseen / kAlpha) {
        pull_while_many();
        leaving = 1;
      } else {
        unseen -= leaving;
        leaving = push();
        queue_.slide();
      }
    }
    return std::move(parent_);
  }

 private:
  void pull_while_many() {
#pragma omp parallel for
    for (std::size_t i = 0; i < queue_.size(); ++i) front_.set_shared(queue_[i]);
    std::int64_t awake = static_cast<std::int64_t>(queue_.size()), before;
    queue_.slide();
    do {
      before = awake;
      awake = pull();
      front_.swap(next_);
    } while (awake >= before || awake > n_ / kBeta);
    queue_front();
  }

  /// Every vertex that is not reached looks for a neighbour in the front. How many found one.
  std::int64_t pull() {
    std::int64_t awake = 0;
    next_.clear();
#pragma omp parallel for reduction(+ : awake) schedule(dynamic, 1024)
    for (Vertex v = 0; v < n_; ++v) {
      if (parent_[v] >= 0) continue;
      for (const Vertex u : graph_.in.of(v)) {
        if (!front_.has(u)) continue;
        parent_[v] = static_cast<std::int32_t>(u);
        ++awake;
        next_.set(v);  // a chunk of the loop has words of its own
        break;
      }
    }
    return awake;
  }

  void queue_front() {
#pragma omp parallel
    {
      QueueBuffer mine(queue_);
#pragma omp for nowait
      for (Vertex v = 0; v < n_; ++v)
        if (front_.has(v)) mine.push(v);
      mine.flush();
    }
    queue_.slide();
  }

  /// The front reaches its neighbours. How many edges leave those.
  std::int64_t push() {
    std::int64_t leaving = 0;
#pragma omp parallel
    {
      QueueBuffer mine(queue_);
#pragma omp for reduction(+ : leaving) nowait
      for (std::size_t i = 0; i < queue_.size(); ++i) {
        const Vertex u = queue_[i];
        for (const Vertex v : graph_.out.of(u)) {
          std::int32_t known = parent_[v];
          if (known >= 0) continue;
          if (!__atomic_compare_exchange_n(&parent_[v], &known, static_cast<std::int32_t>(u), false,
                                           __ATOMIC_RELAXED, __ATOMIC_RELAXED))
            continue;
          mine.push(v);
          leaving -= known;
        }
      }
      mine.flush();
    }
    return leaving;
  }

  const Directed& graph_;
  Vertex n_;
  Array<std::int32_t> parent_;
  SlidingQueue queue_;
  Bitmap front_, next_;
};

}  // namespace

Array<std::int32_t> bfs(const Directed& graph, Vertex source) {
  Array<std::int32_t> parent = Search(graph, source).run(source);
#pragma omp parallel for
  for (std::size_t v = 0; v < parent.size(); ++v)
    if (parent[v] < -1) parent[v] = -1;
  return parent;
}

}  // namespace polyloom::bench::peers
