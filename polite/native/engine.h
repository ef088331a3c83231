// SPDX-License-Identifier: Apache-2.0
// The native engine: runs a vertex program on this CPU with its handlers inlined.
//
// How: rounds of "all sends, then all receives", a legal order of any POLite program
// (polite/native_engine.h). A vertex's message is kept once, at the sender. A round in which many edges carry
// something is dense: every vertex pulls from its in-edges, so receives touch one state at a time and need no
// locks. Otherwise it is sparse: senders' edges are sorted into bins by block of receivers, then each block
// is served by one worker. Either way a vertex gets its messages ordered by sender, so results do not depend
// on the number of workers or on the choice. Vertices are worked on in blocks of kBlockVertices; only the
// worker that has a block writes its vertices.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <memory>
#include <vector>

#include "polite/native/pool.h"
#include "polite/native_engine.h"
#include "polite/types.h"
#include "roles/overlay/host/native_program.h"

namespace polyloom::polite {

/// True if recv leaves labels alone (takes a const E*): then labels may be read from a copy sorted by
/// receiver.
template <typename Dev, typename E, typename M>
concept ReadsLabelsOnly = requires(Dev d, M* message, const E* label) {
  d.recv(message, label);
};

template <typename Dev, typename S, typename E, typename M>
class NativeEngine final : public overlay::NativeProgram {
 public:
  explicit NativeEngine(const NativeGraph& graph)
      : graph_(graph),
        states_(reinterpret_cast<S*>(graph.state)),
        blocks_((graph.num_vertices + kBlockVertices - 1) / kBlockVertices),
        wants_(blocks_ * kBlockVertices, No),
        sent_(blocks_ * kBlockVertices, No),
        dirty_(blocks_, 0),
        messages_(graph.num_vertices) {
    if (kCanPull && graph.num_edges > 0) in_ = &graph.in_edges();
  }
  ~NativeEngine() override { leave(); }

  void run(overlay::NativeOutput& out) override {
    out_ = &out;
    each_block(
        [this](std::uint32_t first, std::uint32_t last, std::size_t block) { init(first, last, block); });
    bool active = true;
    for (;;) {
      while (round()) {
        if (out.stopping()) return;
      }
      if (!active || out.stopping()) break;
      active = step();
      ++time_;
    }
    finish();
  }

 private:
  static constexpr std::uint32_t kBlockVertices = 2048;
  /// Blocks are grouped into this many bins at most, so that a bin's open ends stay in the cache.
  static constexpr std::size_t kMaxBins = 512;
  static constexpr bool kLabelled = !__is_empty(E);
  static constexpr bool kCanPull = !kLabelled || ReadsLabelsOnly<Dev, E, M>;
  /// A round is dense if its edges are at least this share of all: a pulled edge costs about a quarter of a
  /// pushed one.
  static constexpr std::uint64_t kDenseShare = 5;

  struct Delivery {
    std::uint32_t to;
    std::uint32_t from;
    std::uint64_t edge;
  };
  struct UnlabelledDelivery {
    std::uint32_t to;
    std::uint32_t from;
  };
  using Entry = std::conditional_t<kLabelled, Delivery, UnlabelledDelivery>;

  Dev device(std::uint32_t v) {
    Dev d;
    d.s = states_ + v;
    d.readyToSend = &wants_[v];
    d.numVertices = graph_.num_vertices;
    d.time = time_;
    return d;
  }

  template <typename Body>
  void each_block(Body body) {
    pool_.run(blocks_, [&](std::size_t block, unsigned) {
      const auto first = static_cast<std::uint32_t>(block * kBlockVertices);
      body(first, std::min(first + kBlockVertices, graph_.num_vertices), block);
    });
  }

  void init(std::uint32_t first, std::uint32_t last, std::size_t block) {
    bool any = false;
    for (std::uint32_t v = first; v < last; ++v) {
      Dev d = device(v);
      d.init();
      any |= wants_[v] != No;
    }
    dirty_[block] = any;
  }

  bool step() {
    std::vector<std::uint8_t> more(blocks_, 0);
    each_block([&](std::uint32_t first, std::uint32_t last, std::size_t block) {
      bool any = false, wants = false;
      for (std::uint32_t v = first; v < last; ++v) {
        Dev d = device(v);
        any |= d.step();
        wants |= wants_[v] != No;
      }
      more[block] = any;
      dirty_[block] = wants;
    });
    return std::any_of(more.begin(), more.end(), [](std::uint8_t m) { return m != 0; });
  }

  /// One round. False if nobody wanted to send.
  bool round() {
    collect_senders();
    if (senders_ == 0) return false;
    send_all();
    deliver_to_host();
    if (kCanPull && edges_sent_ * kDenseShare > graph_.num_edges) {
      pull();
    } else if (edges_sent_ > 0) {
      push();
    }
    forget_senders();
    return true;
  }

  /// Lists the vertices that want to send, by block and in order.
  void collect_senders() {
    frontier_.resize(blocks_);
    senders_ = 0;
    active_blocks_.clear();
    for (std::size_t b = 0; b < blocks_; ++b) {
      if (dirty_[b]) active_blocks_.push_back(static_cast<std::uint32_t>(b));
    }
    pool_.run(active_blocks_.size(), [&](std::size_t i, unsigned) {
      const std::size_t block = active_blocks_[i];
      auto& list = frontier_[block];
      list.clear();
      const std::uint32_t first = static_cast<std::uint32_t>(block * kBlockVertices);
      for (std::uint32_t at = first; at < first + kBlockVertices; at += 8) {
        std::uint64_t eight;
        std::memcpy(&eight, &wants_[at], 8);
        if (eight == 0) continue;
        for (std::uint32_t v = at; v < at + 8; ++v) {
          if (wants_[v] != No) list.push_back(v);
        }
      }
    });
    for (const std::uint32_t block : active_blocks_) senders_ += frontier_[block].size();
  }

  void send_all() {
    block_edges_.assign(active_blocks_.size(), 0);
    pool_.run(active_blocks_.size(), [&](std::size_t i, unsigned) {
      const std::size_t block = active_blocks_[i];
      std::uint64_t edges = 0;
      bool again = false;
      for (const std::uint32_t v : frontier_[block]) {
        const PPin pin = wants_[v];
        sent_[v] = pin;
        Dev d = device(v);
        d.send(&messages_[v]);
        again |= wants_[v] != No;
        if (pin != HostPin) edges += out_degree(v, pin);
      }
      block_edges_[i] = edges;
      dirty_[block] = again;
    });
    edges_sent_ = 0;
    for (const std::uint64_t edges : block_edges_) edges_sent_ += edges;
  }

  std::uint64_t out_row(std::uint32_t v, PPin pin) const {
    return static_cast<std::uint64_t>(v) * graph_.num_pins + (pin - Pin(0));
  }
  std::uint64_t out_degree(std::uint32_t v, PPin pin) const {
    const std::uint64_t row = out_row(v, pin);
    return graph_.out_begin[row + 1] - graph_.out_begin[row];
  }

  void deliver_to_host() {
    for (const std::uint32_t block : active_blocks_) {
      for (const std::uint32_t v : frontier_[block]) {
        if (sent_[v] == HostPin) message_to_host(messages_[v]);
      }
    }
  }
  void message_to_host(const M& message) {
    PMessage<M> packet;
    std::memset(static_cast<void*>(&packet), 0, sizeof packet);
    packet.payload = message;
    out_->message(&packet, sizeof packet);
  }

  /// Dense: every vertex looks at all its in-edges. State and wish are worked on in local copies, so that the
  /// compiler may keep them in registers over a vertex's edges.
  void pull() {
    const bool all =
        senders_ == graph_.num_vertices && graph_.num_pins == 1 && edges_sent_ == graph_.num_edges;
    each_block([&](std::uint32_t first, std::uint32_t last, std::size_t block) {
      bool wants = false;
      for (std::uint32_t v = first; v < last; ++v) {
        if (all) {
          pull_vertex<true>(v);
        } else {
          pull_vertex<false>(v);
        }
        wants |= wants_[v] != No;
      }
      dirty_[block] = wants;
    });
  }

  template <bool kAllSent>
  void pull_vertex(std::uint32_t v) {
    const std::uint64_t begin = in_->begin[v], end = in_->begin[v + 1ull];
    if (begin == end) return;
    S state = states_[v];
    PPin wish = wants_[v];
    Dev d = device(v);
    d.s = &state;
    d.readyToSend = &wish;
    const std::uint32_t* source = in_->source.data();
    for (std::uint64_t e = begin; e < end; ++e) {
      const std::uint32_t u = source[e];
      if constexpr (!kAllSent) {
        const PPin pin = in_->pin.empty() ? Pin(0) : Pin(in_->pin[e]);
        if (sent_[u] != pin) continue;
      }
      deliver(d, u, kLabelled ? in_->label.data() + e * sizeof(E) : nullptr);
    }
    states_[v] = state;
    wants_[v] = wish;
  }

  void deliver(Dev& d, std::uint32_t from, const std::byte* label) {
    if constexpr (!kLabelled) {
      E none;
      d.recv(&messages_[from], &none);
    } else if constexpr (ReadsLabelsOnly<Dev, E, M>) {
      d.recv(&messages_[from], reinterpret_cast<const E*>(label));
    } else {
      d.recv(&messages_[from], reinterpret_cast<E*>(const_cast<std::byte*>(label)));
    }
  }

  /// Sparse: sort the edges of this round into bins by receiver, then let one worker serve each bin.
  void push() {
    const std::size_t blocks_a_bin = (blocks_ + kMaxBins - 1) / kMaxBins;
    const std::size_t bins = (blocks_ + blocks_a_bin - 1) / blocks_a_bin;
    // Chunks of senders hold about equal numbers of edges and are in order, so bins read chunk by chunk are
    // too.
    const std::size_t chunks = cut_into_chunks();
    if (lists_.size() < chunks * bins) lists_.resize(chunks * bins);
    pool_.run(chunks, [&](std::size_t chunk, unsigned) {
      for (std::size_t bin = 0; bin < bins; ++bin) lists_[chunk * bins + bin].clear();
      for (std::size_t i = chunk_begin_[chunk]; i < chunk_begin_[chunk + 1]; ++i) {
        for (const std::uint32_t u : frontier_[active_blocks_[i]])
          spread(u, &lists_[chunk * bins], blocks_a_bin);
      }
    });
    pool_.run(bins, [&](std::size_t bin, unsigned) {
      for (std::size_t chunk = 0; chunk < chunks; ++chunk) serve(lists_[chunk * bins + bin]);
    });
  }

  void spread(std::uint32_t u, std::vector<Entry>* bins, std::size_t blocks_a_bin) {
    if (sent_[u] == HostPin) return;
    const std::uint64_t row = out_row(u, sent_[u]);
    for (std::uint64_t e = graph_.out_begin[row]; e < graph_.out_begin[row + 1]; ++e) {
      const std::uint32_t to = graph_.out_target[e];
      auto& bin = bins[to / kBlockVertices / blocks_a_bin];
      if constexpr (kLabelled) {
        bin.push_back({to, u, e});
      } else {
        bin.push_back({to, u});
      }
    }
  }

  void serve(const std::vector<Entry>& entries) {
    for (const Entry& entry : entries) {
      Dev d = device(entry.to);
      const std::byte* label = nullptr;
      if constexpr (kLabelled) label = graph_.out_label + entry.edge * sizeof(E);
      deliver(d, entry.from, label);
      if (wants_[entry.to] != No) dirty_[entry.to / kBlockVertices] = 1;
    }
  }

  /// Cuts active_blocks_ into runs of about equal work. Returns how many.
  std::size_t cut_into_chunks() {
    const std::size_t wanted =
        std::min<std::size_t>(4 * pool_.workers(), std::max<std::uint64_t>(1, edges_sent_ / 4096));
    chunk_begin_.assign(1, 0);
    std::uint64_t sum = 0;
    for (std::size_t i = 0; i < active_blocks_.size(); ++i) {
      sum += block_edges_[i];
      if (sum * wanted >= edges_sent_ * chunk_begin_.size() && chunk_begin_.size() < wanted) {
        chunk_begin_.push_back(i + 1);
      }
    }
    if (chunk_begin_.back() != active_blocks_.size()) chunk_begin_.push_back(active_blocks_.size());
    return chunk_begin_.size() - 1;
  }

  void forget_senders() {
    pool_.run(active_blocks_.size(), [&](std::size_t i, unsigned) {
      for (const std::uint32_t v : frontier_[active_blocks_[i]]) sent_[v] = No;
    });
  }

  void finish() {
    std::vector<PMessage<M>> packets;
    for (std::size_t block = 0; block < blocks_; ++block) {
      const auto first = static_cast<std::uint32_t>(block * kBlockVertices);
      const std::uint32_t last = std::min(first + kBlockVertices, graph_.num_vertices);
      packets.resize(kBlockVertices);
      std::memset(static_cast<void*>(packets.data()), 0, packets.size() * sizeof packets[0]);
      std::size_t count = 0;
      for (std::uint32_t v = first; v < last; ++v) {
        Dev d = device(v);
        if (d.finish(&packets[count].payload)) ++count;
      }
      if (count > 0) out_->messages(packets.data(), sizeof packets[0], sizeof packets[0], count);
    }
  }

  NativeGraph graph_;
  S* states_;
  std::size_t blocks_;
  std::vector<PPin> wants_;          ///< readyToSend of every vertex
  std::vector<PPin> sent_;           ///< pin that a vertex sent on in this round, or No
  std::vector<std::uint8_t> dirty_;  ///< by block: some vertex may want to send
  std::vector<M> messages_;          ///< what each vertex sent last
  const InEdges* in_ = nullptr;
  std::uint16_t time_ = 0;
  Pool pool_;
  overlay::NativeOutput* out_ = nullptr;

  std::vector<std::vector<std::uint32_t>> frontier_;  ///< by block: who sends in this round
  std::vector<std::uint32_t> active_blocks_;          ///< blocks with senders, in order
  std::vector<std::uint64_t> block_edges_;            ///< edges sent by each of them
  std::uint64_t senders_ = 0;
  std::uint64_t edges_sent_ = 0;
  std::vector<std::size_t> chunk_begin_;
  std::vector<std::vector<Entry>> lists_;
};

template <class Dev, class S, class E, class M>
std::unique_ptr<overlay::NativeProgram> make_native_program(const NativeGraph& graph) {
  return std::make_unique<NativeEngine<Dev, S, E, M>>(graph);
}

}  // namespace polyloom::polite
