// SPDX-License-Identifier: Apache-2.0
// The native engine for vertex classes that are monotone and select the best of their messages
// (relax_vertices.h): shortest paths, components, breadth-first search.
//
// A class whose recv may ask to send is asynchronous: between two steps its messages may come in any order, so
// this engine chooses one that spares most of them: first a flood from the best vertex, where edges leave
// messages as they are and most vertices want to send (flood.h), then all the rest in order of worth
// (buckets.h). One whose recv never sends goes by supersteps (levels.h). Results depend neither on the number
// of workers nor on the order.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "fabric/pool.h"
#include "polite/native/blocks.h"
#include "polite/native/buckets.h"
#include "polite/native/finish.h"
#include "polite/native/flood.h"
#include "polite/native/idle.h"
#include "polite/native/levels.h"
#include "polite/native/relax_vertices.h"
#include "polite/native/vertex_list.h"
#include "polite/native_view.h"
#include "roles/overlay/host/native_program.h"

namespace polyloom::polite {

template <typename Dev, typename S, typename E, typename M>
class RelaxEngine final : public overlay::NativeProgram {
  using Vertices = RelaxVertices<Dev, S, E, M>;
  using Value = typename Vertices::Value;
  static constexpr bool kBySupersteps = Dev::recvNeverSends;

 public:
  explicit RelaxEngine(const NativeGraph& graph)
      : graph_(graph),
        out_edges_(graph.out_edges()),
        in_edges_(in_edges(graph, out_edges_)),
        vertices_(graph),
        now_(graph.num_vertices),
        next_(graph.num_vertices) {
    if constexpr (kBySupersteps) {
      levels_.emplace(vertices_, out_edges_, in_edges_, pool_);
    } else {
      if (!Vertices::kLabelled) flood_.emplace(vertices_, out_edges_, in_edges_, now_, next_, pool_);
      buckets_.emplace(vertices_, out_edges_, pool_);
    }
  }
  ~RelaxEngine() override { leave(); }

  void run(overlay::NativeOutput& out) override {
    out_ = &out;
    vertices_.set_output(&out);
    const bool done = kBySupersteps ? run_supersteps() : run_freely();
    if (done) finish();
  }

 private:
  /// A flood is worth it if at least this share of all vertices want to send, and another one if the latest
  /// reached no such share of them; but so many at most.
  static constexpr std::uint32_t kManyShare = 16;
  static constexpr int kFloods = 8;
  /// How far ahead states of a list are asked for.
  static constexpr std::uint32_t kVerticesAhead = 8;

  static InEdges in_edges(const NativeGraph& graph, const OutEdges& out) {
    if (Vertices::kLabelled) return {};
    return graph.mutual ? InEdges{out.begin, out.target} : graph.in_edges();
  }
  S* states() const { return reinterpret_cast<S*>(graph_.state); }
  std::uint64_t degree(std::uint32_t v) const {
    return out_edges_.begin[v + std::size_t{1}] - out_edges_.begin[v];
  }

  /// Calls body(v, worker) for all vertices.
  template <typename Body>
  void every_vertex(Body&& body) {
    each_block(pool_, graph_.num_vertices, [&](std::uint32_t first, std::uint32_t last, unsigned worker) {
      for (std::uint32_t v = first; v < last; ++v) body(v, worker);
    });
  }
  /// Calls body(v, worker) for all vertices of a list.
  template <typename Body>
  void every_one_of(const VertexList& list, Body&& body) {
    each_block(pool_, static_cast<std::uint32_t>(list.size()),
               [&](std::uint32_t first, std::uint32_t last, unsigned worker) {
                 for (std::uint32_t i = first; i < last; ++i) {
                   vertices_.prefetch_state(list[std::min(i + kVerticesAhead, last - 1)]);
                   body(list[i], worker);
                 }
               });
  }

  // --- Asynchronous classes.

  /// Everything between init and finish. False if the host program left before the end.
  bool run_freely() {
    init_freely();
    for (;;) {
      if (!buckets_->settle()) return false;
      if (!step_all()) return true;
      if (!some_wants()) {
        idle_.idle(steps_, [&] { return hash_of_states(); });
      } else {
        idle_.sent();
      }
    }
  }
  void init_freely() {
    struct alignas(64) Wishes {
      std::uint64_t count = 0;
      Value best = Vertices::worst();
      std::uint32_t vertex = 0;
    };
    std::vector<Wishes> of(pool_.workers());
    every_vertex([&](std::uint32_t v, unsigned worker) {
      vertices_.init(v);
      if (!vertices_.wants(v)) return;
      if (degree(v) == 0) {
        Value unheard{};
        vertices_.send(v, unheard);
        return;
      }
      vertices_.hear_itself(v);
      Wishes& own = of[worker];
      ++own.count;
      const Value value = vertices_.heard(v);
      if (Vertices::before(value, own.best)) own.best = value, own.vertex = v;
    });
    if constexpr (!Vertices::kLabelled) {
      Wishes all;
      for (const Wishes& own : of) {
        all.count += own.count;
        if (Vertices::before(own.best, all.best)) all.best = own.best, all.vertex = own.vertex;
      }
      if (all.count >= graph_.num_vertices / kManyShare && Vertices::before(all.best, Vertices::worst()))
        flood(all.vertex, all.best, all.count / 2);
    }
  }
  /// Floods from one vertex and then from the best that is left, until one has reached `enough`.
  void flood(std::uint32_t from, Value value, std::uint64_t enough) {
    for (int floods = 1; flood_->run(from, value) < enough && floods < kFloods; ++floods) {
      struct alignas(64) Best {
        Value value = Vertices::worst();
        std::uint32_t vertex = 0;
      };
      std::vector<Best> of(pool_.workers());
      every_vertex([&](std::uint32_t v, unsigned worker) {
        if (vertices_.wants(v) && Vertices::before(vertices_.heard(v), of[worker].value))
          of[worker] = {vertices_.heard(v), v};
      });
      Best best;
      for (const Best& own : of) {
        if (Vertices::before(own.value, best.value)) best = own;
      }
      if (!Vertices::before(best.value, Vertices::worst())) return;
      from = best.vertex;
      value = best.value;
    }
  }
  bool some_wants() {
    std::atomic<bool> some{false};
    every_vertex([&](std::uint32_t v, unsigned) {
      if (vertices_.wants(v) && !some.load(std::memory_order_relaxed))
        some.store(true, std::memory_order_relaxed);
    });
    return some;
  }
  /// True if some step was.
  bool step_all() {
    std::atomic<bool> more{false};
    every_vertex([&](std::uint32_t v, unsigned) {
      if (vertices_.step(v) && !more.load(std::memory_order_relaxed))
        more.store(true, std::memory_order_relaxed);
    });
    next_time();
    return more;
  }

  // --- Classes that go by supersteps.

  bool run_supersteps() {
    levels_->begin();
    next_.clear();
    std::vector<Sent> sent(pool_.workers());
    every_vertex([&](std::uint32_t v, unsigned worker) {
      vertices_.init(v);
      levels_->send(v, sent[worker], next_);
    });
    Sent total = sum_up(sent);
    bool active = true;  // some step of the latest superstep was true
    for (;;) {
      if (vertices_.stopping()) return false;
      if (total.vertices == 0 && !active) return true;
      now_.swap(next_);
      next_.clear();
      if (active) {
        superstep(total, sent);
      } else {  // messages of the last step: they are heard, and that is all
        const auto hear = [&](std::uint32_t v, unsigned) {
          levels_->forget_told(v);
          vertices_.hear(v);
        };
        levels_->deliver(now_, total, told_, hear);
        every_one_of(told_, hear);
        sent.assign(pool_.workers(), {});
      }
      total = sum_up(sent);
      if (active && (active = total.more) && total.vertices == 0) {
        idle_.idle(steps_, [&] { return hash_of_states(); });
      } else {
        idle_.sent();
      }
    }
  }
  using Sent = typename Levels<Vertices>::Sent;

  Sent sum_up(std::vector<Sent>& sent) {
    Sent total;
    for (Sent& own : sent) {
      own.buffer.flush(next_);
      total += own;
    }
    return total;
  }
  /// Brings what has been sent, of which `total` tells; then all step, and send.
  void superstep(const Sent& total, std::vector<Sent>& sent) {
    sent.assign(pool_.workers(), {});
    const auto step_told = [&](std::uint32_t v, unsigned worker) { levels_->step(v, sent[worker], next_); };
    const auto step_listed = [&](std::uint32_t v, unsigned worker) {
      levels_->forget_told(v);
      step_told(v, worker);
    };
    const auto hear = [&](std::uint32_t v, unsigned) {
      levels_->forget_told(v);
      vertices_.hear(v);
    };
    if (total.vertices == 0) told_.clear();
    if constexpr (Dev::stepNeedsMessages) {
      if (total.vertices > 0) levels_->deliver(now_, total, told_, step_told);
      every_one_of(told_, step_listed);
    } else {
      if (total.vertices > 0) levels_->deliver(now_, total, told_, hear);
      every_one_of(told_, hear);
      every_vertex([&](std::uint32_t v, unsigned worker) {
        sent[worker].more |= vertices_.step(v);
        levels_->send(v, sent[worker], next_);
      });
    }
    next_time();
  }

  void finish() {
    constexpr std::uint32_t kTogether = Finish<Dev, S>::kTogether;
    for (std::uint32_t first = 0; first < graph_.num_vertices;) {
      const std::uint32_t count = std::min(kTogether, graph_.num_vertices - first);
      const auto said = finish_.some(states() + first, count, vertices_.time(), pool_);
      if (!said.empty()) out_->messages(said.data(), sizeof said[0], sizeof said[0], said.size());
      first += count;
    }
  }
  void next_time() {
    vertices_.next_time();
    out_->superstep(++steps_);
  }
  std::uint64_t hash_of_states() const { return hash_bytes(states(), graph_.num_vertices * sizeof(S)); }

  fabric::Pool pool_{0, fabric::Pool::kBusy};
  NativeGraph graph_;
  const OutEdges out_edges_;
  const InEdges in_edges_;  ///< none with labels: then none pulls
  Vertices vertices_;
  VertexList now_, next_;  ///< who has sent, and will be heard; who sends next
  VertexList told_{kBySupersteps ? graph_.num_vertices : 0};
  std::optional<Flood<Vertices>> flood_;
  std::optional<Buckets<Vertices>> buckets_;
  std::optional<Levels<Vertices>> levels_;
  Finish<Dev, S> finish_{graph_.num_vertices, graph_.num_vertices};
  IdleWatch idle_;
  std::uint64_t steps_ = 0;  ///< supersteps that are over
  overlay::NativeOutput* out_ = nullptr;
};

}  // namespace polyloom::polite
