// SPDX-License-Identifier: Apache-2.0
// The native engine: runs a vertex program on this CPU with its handlers inlined.
//
// How: rounds of "all sends, then all receives", a legal order of any POLite program
// (polite/native_engine.h). A handler touches nothing but its own vertex, so a vertex's send runs as soon as
// its part of the round before is over, in the same pass over memory (block_pass.h, outbox.h). A round in
// which many edges carry something is dense: every vertex pulls from its in-edges, so receives touch one
// state at a time, or those of one tile (tile_pass.h), and need no locks. Otherwise it is sparse: senders
// push (deliveries.h). Either way a vertex gets its messages ordered by sender, so results do not depend on
// the number of workers or on the choice. Vertices are worked on in blocks; only the worker that has a block
// writes its vertices.
//
// In one of several processes all this is about the part of the graph that this one has (part.h): an exchange
// at the begin of a round brings what others have sent (exchange.h), and what is decided is decided by sums
// over all processes.
#pragma once

#include <algorithm>
#include <atomic>
#include <bit>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <span>
#include <string>
#include <thread>
#include <vector>

#include "fabric/error.h"
#include "fabric/pool.h"
#include "polite/native/arranged.h"
#include "polite/native/block_pass.h"
#include "polite/native/deliveries.h"
#include "polite/native/exchange.h"
#include "polite/native/finish.h"
#include "polite/native/idle.h"
#include "polite/native/outbox.h"
#include "polite/native/part.h"
#include "polite/native/peers.h"
#include "polite/native/relax.h"
#include "polite/native/tile_pass.h"
#include "polite/native_engine.h"
#include "polite/types.h"
#include "roles/overlay/host/native_program.h"

namespace polyloom::polite {

/// Bodies of the loops over vertices must be inlined, or nothing stays in registers.
#define POLYLOOM_INLINED __attribute__((always_inline))

template <typename Dev, typename S, typename E, typename M>
class NativeEngine final : public overlay::NativeProgram {
 public:
  /// `peers`: the processes that run the program together, or null.
  explicit NativeEngine(const NativeGraph& graph, Peers* peers = nullptr)
      : peers_(peers),
        pool_(peers == nullptr ? 0 : threads_of(*peers), fabric::Pool::kBusy),
        part_(peers == nullptr ? nullptr
                               : std::make_unique<Part>(graph, sizeof(M), *peers, combining(graph))),
        arranged_(part_ ? part_->graph() : graph, kCanPull, kCanMove && !part_,
                  part_ ? 0 : tile_bits(graph, pool_), pool_),
        graph_(part_ ? part_->graph() : graph),
        whole_(graph),
        whole_out_(part_ ? OutEdges{part_->whole_begin(), {}, nullptr} : arranged_.out()),
        first_(part_ ? part_->first() : 0),
        last_(part_ ? part_->last() : graph.num_vertices),
        given_states_(reinterpret_cast<S*>(graph.state) + (part_ ? part_->first_vertex() : 0)),
        moved_states_(arranged_.moved() ? graph.num_vertices : 0),
        states_((arranged_.moved() ? moved_states_.data() : given_states_) - first_),
        own_accumulators_(kAccumulates ? last_ - first_ : 0),
        accumulators_(kAccumulates ? own_accumulators_.data() - first_ : nullptr),
        blocks_((graph_.num_vertices + kNativeBlock - 1) / kNativeBlock),
        first_block_(first_ / kNativeBlock),
        last_block_((last_ + std::size_t{kNativeBlock} - 1) / kNativeBlock),
        wants_(blocks_ * kNativeBlock, No),
        touched_(blocks_, 0),
        outboxes_{{graph_.num_vertices, blocks_}, {graph_.num_vertices, blocks_}},
        deliveries_(arranged_.out(), graph_.num_pins, blocks_),
        exchange_(part_ ? std::make_unique<PartExchange>(*part_, *peers, pool_) : nullptr),
        finish_(graph.num_vertices, last_ - first_) {
    if (kOftenPushes) arranged_.make_out_edges(pool_);
  }
  ~NativeEngine() override { leave(); }

  void run(overlay::NativeOutput& out) override {
    out_ = &out;
    const bool done = run_rounds();
    if (arranged_.moved()) bring_states_back();
    if (done) finish();
  }

 private:
  using Accumulator = typename Dev::Accumulator;
  using Labels = LabelTraits<Dev, E, M>;
  using Result = PFinishType<Dev>;
  using Pass = BlockPass<Dev, S, E, M>;
  using Tile = TilePass<Dev, S, E, M>;
  using PartExchange = Exchange<Dev, E, M>;
  static constexpr bool kAccumulates = Labels::kAccumulates;
  static constexpr bool kCanPull = Labels::kCanPull;
  /// Vertices get new places (arranged.h) if handlers cannot write labels, which would have to be brought
  /// back, and their states are so small that moving them costs little.
  static constexpr bool kCanMove = kCanPull && sizeof(S) <= 64;
  /// Whether it is likely that edges by sender are needed: not where all send in every step.
  static constexpr bool kOftenPushes = !(kCanPull && Dev::recvNeverSends && Dev::sendsEveryStep);
  /// A round is dense if its edges are at least this share of all: a pulled edge costs about a quarter of a
  /// pushed one.
  static constexpr std::uint64_t kDenseShare = 5;
  /// Messages of more bytes do not fit a second-level cache of today; half of it they may fill.
  static constexpr std::size_t kFarBytes = 2 << 20, kNearBytes = kFarBytes / 2;
  /// States of a tile have at most so many bytes: they fit together with the messages that pass by.
  static constexpr std::size_t kTileBytes = 512 << 10;
  /// In smaller ones, hardly two receivers would share a line of messages.
  static constexpr unsigned kLeastTileBits = 12;
  /// Above this share of edges that carry something, branches on it are foreseen.
  static constexpr double kMostShare = 0.85;
  /// A round with fewer edges is not worth waking others for.
  static constexpr std::uint64_t kTinyEdges = 2048;

  /// Size of tiles, 0 for none. Tiles pay where messages are far; but rows are better at adding up, round by
  /// round, what all send if most of it comes from few.
  static unsigned tile_bits(const NativeGraph& graph, const fabric::Pool& pool) {
    if (graph.num_vertices * sizeof(M) <= kFarBytes) return 0;
    if (Dev::recvNeverSends && mostly_from(graph, kNearBytes / sizeof(M))) return 0;
    unsigned bits = std::bit_width(kTileBytes / sizeof(S)) - 1;
    while (bits > kLeastTileBits && graph.num_vertices >> bits < 4 * pool.workers()) --bits;
    return bits;
  }

  /// By default a process takes its share of the processors of its host.
  static unsigned threads_of(const Peers& peers) {
    if (const char* text = std::getenv("POLYLOOM_THREADS"); text != nullptr && *text != 0) return 0;
    return std::max(1u, std::thread::hardware_concurrency() / peers.on_this_host());
  }
  static Part::Combining combining(const NativeGraph& graph) {
    using Combiner = CombinerOf<Dev, E, M>;
    Part::Combining combining;
    if constexpr (Combiner::kExists && kCanPull) {
      combining.allowed = graph.combine;
      if constexpr (Labels::kLabelled) {
        const E label = Combiner::neutral_label();
        const auto bytes = std::as_bytes(std::span(&label, 1));
        combining.neutral_label.assign(bytes.begin(), bytes.end());
      }
    }
    return combining;
  }

  /// Everything between init and finish. False if the host program left before the end.
  bool run_rounds() {
    init();
    bool active = true;  // some step of the latest round was true
    for (bool stepped = false;;) {
      if (!agree(active)) return false;
      if (sent_.senders == 0) {
        if (!active) return true;
        if (stepped) idle_.idle(steps_, [this] { return hash_of_states(); });
        active = step();
        stepped = true;
        continue;
      }
      stepped = false;
      idle_.sent();
      std::swap(now_, next_);
      if (sent_.to_host > 0) deliver_to_host();
      if (exchange_) exchange_->run(*now_);
      if (!kCanPull || sent_.edges * kDenseShare <= whole_.num_edges) {
        push();
      } else if (all_sent()) {
        active = kFarBytes < graph_.num_vertices * sizeof(M) ? pull_round<Carry::kAllFar>(active)
                                                             : pull_round<Carry::kAll>(active);
      } else if (static_cast<double>(sent_.edges) >= kMostShare * static_cast<double>(whole_.num_edges)) {
        active = pull_round<Carry::kMost>(active);
      } else {
        active = pull_round<Carry::kSome>(active);
      }
      if (exchange_) exchange_->forget(*now_);
    }
  }

  /// Sums over all processes what the next round delivers and whether some step was true. False if the host
  /// program leaves.
  bool agree(bool& active) {
    sent_ = next_->total;
    if (peers_ == nullptr) return !out_->stopping();
    std::uint64_t sums[] = {sent_.senders, sent_.edges, sent_.to_host, sent_.again, active, out_->stopping()};
    peers_->sum(sums);
    sent_ = {sums[0], sums[1], sums[2], sums[3]};
    active = sums[4] != 0;
    return sums[5] == 0;
  }

  std::uint64_t hash_of_states() const {
    std::uint64_t hash = hash_bytes(states_ + first_, (last_ - first_) * sizeof(S));
    if constexpr (kAccumulates)
      hash = hash_bytes(own_accumulators_.data(), (last_ - first_) * sizeof(Accumulator), hash);
    if (peers_ != nullptr) peers_->sum({&hash, 1});
    return hash;
  }

  /// With one pin, if all edges carry something no receiver needs to ask which do.
  bool all_sent() const { return graph_.num_pins == 1 && sent_.edges == whole_.num_edges; }

  Dev device(std::uint32_t v) {
    Dev d;
    d.s = states_ + v;
    if constexpr (kAccumulates) d.a = accumulators_ + v;
    d.readyToSend = &wants_[v];
    d.numVertices = whole_.num_vertices;
    d.time = time_;
    return d;
  }

  /// Runs share(i) for every i below `shares`. True if some call was.
  template <typename Share>
  bool in_shares(std::size_t shares, Share share) {
    std::atomic<bool> some = false;
    pool_.run(shares, [&](std::size_t i, unsigned) {
      if (share(i)) some.store(true, std::memory_order_relaxed);
    });
    return some;
  }
  /// Calls body(pass, v) for every vertex, which fills the next outbox. True if some step was.
  template <typename Body>
  bool every_vertex(Body body) {
    const bool more = in_shares(last_block_ - first_block_,
                                [&](std::size_t i) { return one_block(first_block_ + i, body); });
    next_->sum_up();
    return more;
  }
  template <typename Body>
  INLINE bool one_block(std::size_t block, Body& body) {
    next_->clear(block);
    const auto first = static_cast<std::uint32_t>(block * kNativeBlock);
    const std::uint32_t last = std::min(first + kNativeBlock, last_);
    Pass pass = new_pass();
    for (std::uint32_t v = first; v < last; ++v) body(pass, v);
    next_->tally[block] = pass.tally(whole_out_, first, last);
    return pass.more();
  }
  /// Lets the vertices send that want to.
  void collect(std::size_t block) {
    next_->clear(block);
    const auto first = static_cast<std::uint32_t>(block * kNativeBlock);
    Pass pass = new_pass();
    Outbox<M>::each_set(wants_.data(), first, kNativeBlock,
                        [&](std::uint32_t v) { pass.template visit<false>(v, [](Dev&) {}); });
    next_->tally[block] = pass.tally(whole_out_, first, std::min(first + kNativeBlock, last_));
  }
  Pass new_pass() {
    return {whole_, arranged_.in(), states_, accumulators_, wants_.data(), time_, *now_, *next_};
  }

  /// State, among those given, of the vertex at a place. Meant to be asked for place by place.
  S& given_state(std::uint32_t place) {
    constexpr std::uint32_t kAhead = 24;
    __builtin_prefetch(given_states_ + arranged_.vertex(std::min(place + kAhead, graph_.num_vertices - 1)));
    return given_states_[arranged_.vertex(place)];
  }
  void bring_states_back() {
    pool_.run(blocks_, [&](std::size_t block, unsigned) {
      const auto first = static_cast<std::uint32_t>(block * kNativeBlock);
      const std::uint32_t last = std::min(first + kNativeBlock, graph_.num_vertices);
      for (std::uint32_t place = first; place < last; ++place) given_state(place) = states_[place];
    });
  }

  void init() {
    every_vertex([this](Pass& pass, std::uint32_t v) POLYLOOM_INLINED {
      if (arranged_.moved()) states_[v] = given_state(v);
      pass.template visit<false>(v, [](Dev& d) POLYLOOM_INLINED { d.init(); });
    });
  }
  bool step() {
    const bool more = every_vertex([](Pass& pass, std::uint32_t v) POLYLOOM_INLINED {
      pass.template visit<true>(v, [&](Dev& d) POLYLOOM_INLINED { pass.step(d); });
    });
    next_time();
    return more;
  }
  void next_time() {
    ++time_;
    out_->superstep(++steps_);
  }
  /// Dense: every vertex looks at all its in-edges. Where none can want to send after that, the step
  /// follows in the same pass. `active`: whether some step was true; returns the same.
  template <Carry kCarry>
  bool pull_round(bool active) {
    if constexpr (Dev::recvNeverSends) {
      if (active && sent_.again == 0) {
        const bool more = arranged_.tiled() ? pull_tiles<kCarry, true>() : pull_rows<kCarry, true>();
        next_time();
        return more;
      }
    }
    arranged_.tiled() ? pull_tiles<kCarry, false>() : pull_rows<kCarry, false>();
    return active;
  }
  template <Carry kCarry, bool kStep>
  bool pull_rows() {
    return every_vertex([](Pass& pass, std::uint32_t v) POLYLOOM_INLINED {
      pass.template visit<kStep>(v, [&](Dev& d) POLYLOOM_INLINED {
        pass.template receive<kCarry>(d, v);
        if constexpr (kStep) pass.step(d);
      });
    });
  }
  template <Carry kCarry, bool kStep>
  bool pull_tiles() {
    const InTiles& in = arranged_.tiles();
    auto step = [](Pass& pass, std::uint32_t v) POLYLOOM_INLINED {
      pass.template visit<false>(v, [&](Dev& d) POLYLOOM_INLINED { pass.step(d); });
    };
    const bool more = in_shares(in.tiles, [&](std::size_t tile) {
      Tile(graph_, in, states_, accumulators_, wants_.data(), time_, *now_).template receive<kCarry>(tile);
      const std::size_t per_tile = (std::size_t{1} << in.bits) / kNativeBlock;
      bool some = false;
      for (std::size_t b = tile * per_tile; b < std::min((tile + 1) * per_tile, blocks_); ++b) {
        if constexpr (kStep) {
          some |= one_block(b, step);
        } else {
          collect(b);
        }
      }
      return some;
    });
    next_->sum_up();
    return more;
  }

  /// In the order of vertices, in every process those of all.
  void deliver_to_host() {
    std::vector<std::pair<std::uint32_t, std::uint32_t>> senders;  // vertex, place
    for (std::size_t block = first_block_; block < last_block_; ++block) {
      if (now_->tally[block].to_host == 0) continue;
      now_->each_sender(block, [&](std::uint32_t place) {
        if (now_->pin[place] == HostPin) senders.push_back({arranged_.vertex(place), place});
      });
    }
    if (arranged_.moved()) std::sort(senders.begin(), senders.end());
    std::vector<PMessage<M>> packets(senders.size());
    for (std::size_t i = 0; i < packets.size(); ++i) {
      std::memset(static_cast<void*>(&packets[i]), 0, sizeof packets[i]);
      packets[i].destKey = kHostPinKey;
      packets[i].payload = now_->message[senders[i].second];
    }
    put_out(std::span<const PMessage<M>>(packets));
  }
  /// Hands packets to the host program: own ones and, by process, those of all others.
  template <typename Packet>
  void put_out(std::span<const Packet> own) {
    const auto put = [&](const void* first, std::size_t count) {
      if (count > 0) out_->messages(first, sizeof(Packet), sizeof(Packet), count);
    };
    if (peers_ == nullptr) return put(own.data(), own.size());
    for (const Peers::Bytes& bytes : peers_->gather(std::as_bytes(own)))
      put(bytes.data(), bytes.size() / sizeof(Packet));
  }

  /// Sparse: senders push, then the vertices that were touched or want to send again are looked at.
  void push() {
    arranged_.make_out_edges(pool_);
    const bool alone = sent_.edges < kTinyEdges;
    std::vector<std::uint32_t>& active = active_blocks_;
    active.clear();
    for (std::size_t b = 0; b < blocks_; ++b) {
      if (now_->tally[b].senders == 0) continue;
      active.push_back(static_cast<std::uint32_t>(b));
      touched_[b] = 1;
    }
    const auto deliver = [&](std::uint32_t to, M* message, auto label) {
      Dev d = device(to);
      Labels::receive(d, message, label);
      touched_[to / kNativeBlock] = 1;
    };
    if (alone) {
      deliveries_.push_directly(*now_, active, deliver);
    } else {
      deliveries_.push_by_bins(*now_, active, pool_, deliver);
    }
    active.clear();
    for (std::size_t b = first_block_; b < last_block_; ++b) {
      if (touched_[b] || next_->tally[b].senders > 0) active.push_back(static_cast<std::uint32_t>(b));
    }
    std::fill(touched_.begin(), touched_.end(), std::uint8_t{0});
    if (alone) {
      for (const std::uint32_t block : active) collect(block);
    } else {
      pool_.run(active.size(), [&](std::size_t i, unsigned) { collect(active[i]); });
    }
    next_->sum_up();
  }

  /// In the order of vertices, on states that are back where they were: workers write the messages of some
  /// blocks, then they go out; of several processes one after the other.
  void finish() {
    const unsigned processes = peers_ == nullptr ? 1 : peers_->size();
    const std::uint64_t own = last_block_ - first_block_;
    std::vector<std::uint64_t> blocks(processes, own);
    if (peers_ != nullptr) {
      std::fill(blocks.begin(), blocks.end(), 0);
      blocks[peers_->rank()] = own;
      peers_->sum(blocks);
    }
    for (unsigned process = 0; process < processes; ++process) {
      const bool is_own = peers_ == nullptr || process == peers_->rank();
      for (std::size_t begin = 0; begin < blocks[process]; begin += kTogether)
        finish_some(is_own ? first_block_ + begin : last_block_);
    }
  }
  /// Blocks whose results go out together.
  static constexpr std::size_t kTogether = Finish<Dev, S>::kTogether / kNativeBlock;
  /// The results of own blocks from `begin` on, or of another process's.
  void finish_some(std::size_t begin) {
    const auto first = static_cast<std::uint32_t>(std::min<std::size_t>(begin * kNativeBlock, last_));
    const std::uint32_t count = std::min(Finish<Dev, S>::kTogether, last_ - first);
    put_out(finish_.some(given_states_ + (first - first_), count, time_, pool_));
  }

  Peers* const peers_;
  fabric::Pool pool_;
  std::unique_ptr<Part> part_;  ///< null with one process
  Arranged arranged_;
  NativeGraph graph_;           ///< of a part, its own edges
  NativeGraph whole_;           ///< what handlers and decisions see
  OutEdges whole_out_;          ///< where rows begin: of places, their out-edges in the whole graph
  std::uint32_t first_, last_;  ///< vertices, or places, that this process works on
  S* given_states_;             ///< by vertex, from the first own one on; everything below by places
  HugeVector<S> moved_states_;
  S* states_;  ///< of places from first_ on
  HugeVector<Accumulator> own_accumulators_;
  Accumulator* accumulators_;  ///< of places from first_ on
  std::size_t blocks_, first_block_, last_block_;
  HugeVector<PPin> wants_;             ///< readyToSend of every vertex
  std::vector<std::uint8_t> touched_;  ///< by block, in sparse rounds: some vertex may want to send
  Outbox<M> outboxes_[2];
  Outbox<M>* now_ = &outboxes_[0];   ///< what this round delivers
  Outbox<M>* next_ = &outboxes_[1];  ///< what it sends
  Tally sent_;                       ///< of all processes: what the latest of next_, or now_, holds
  Deliveries<Dev, E, M> deliveries_;
  std::unique_ptr<PartExchange> exchange_;  ///< null with one process
  std::vector<std::uint32_t> active_blocks_;
  std::uint16_t time_ = 0;
  std::uint64_t steps_ = 0;  ///< supersteps that are over
  IdleWatch idle_;
  Finish<Dev, S> finish_;
  overlay::NativeOutput* out_ = nullptr;
};

template <class Dev, class S, class E, class M>
std::unique_ptr<overlay::NativeProgram> make_native_program(const NativeGraph& graph) {
  if constexpr (can_relax<Dev, E, M>()) {
    if (graph.combine && processes() == nullptr) return std::make_unique<RelaxEngine<Dev, S, E, M>>(graph);
  }
  return std::make_unique<NativeEngine<Dev, S, E, M>>(graph, processes());
}

#undef POLYLOOM_INLINED

}  // namespace polyloom::polite
