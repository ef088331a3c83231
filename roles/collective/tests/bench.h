// SPDX-License-Identifier: Apache-2.0
// For tests: collective nodes joined by links, their programs written in place, no host.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "fabric/fabric.h"
#include "roles/collective/sim/node.h"

namespace polyloom::collective::test {

/// Does nothing.
class IdleNode final : public fabric::Node {
 public:
  void advance(fabric::Time) override {}
  fabric::Time next_event() const override { return fabric::kNever; }
};

struct BenchOptions {
  CollectiveParams params;
  fabric::LinkSpec link{.latency = 250'000, .period = 1'422};  ///< 45 Gb/s
  /// Pairs of nodes; a pair given twice has two links. Lanes of a node are numbered in this order.
  std::vector<std::pair<int, int>> links;
  int nodes = 1;
  fabric::Time window = 0;  ///< longest window of the fabric; 0: what the links allow
  bool bursts = true;       ///< false: every edge is stepped
  std::function<void(fabric::Fabric&)> partition = {};  ///< divides the nodes over processes
};

inline std::vector<std::pair<int, int>> full_mesh(int nodes) {
  std::vector<std::pair<int, int>> links;
  for (int a = 0; a < nodes; ++a) {
    for (int b = a + 1; b < nodes; ++b) links.emplace_back(a, b);
  }
  return links;
}

inline CollectiveParams small_params(unsigned channels = 2, std::uint64_t bytes = 1 << 16) {
  CollectiveParams p;
  p.channels = channels;
  p.channel.bytes = bytes;
  return p;
}

class Bench {
 public:
  explicit Bench(const BenchOptions& o) : o_(o), ends_(static_cast<std::size_t>(o.nodes)) {
    for (int n = 0; n < o.nodes; ++n) fabric_.add_node("fpga." + std::to_string(n));
    std::vector<std::vector<blocks::WireEnds>> wires(ends_.size());
    peers_.resize(ends_.size());
    for (const auto& [a, b] : o.links) {
      const auto [pa, pb] = fabric_.connect(o.link, o.link, a, b);
      const auto x = static_cast<std::size_t>(a), y = static_cast<std::size_t>(b);
      peers_[x].push_back(b);
      peers_[y].push_back(a);
      wires[x].push_back({pa.tx, pa.rx});
      wires[y].push_back({pb.tx, pb.rx});
    }
    if (o.partition) o.partition(fabric_);
    for (int n = 0; n < o.nodes; ++n) {
      if (!fabric_.owns(n)) {
        nodes_.push_back(nullptr);
        continue;
      }
      NodeSite site;
      site.name = "fpga." + std::to_string(n);
      site.lanes = wires[static_cast<std::size_t>(n)];
      auto node = std::make_unique<CollectiveNode>(o.params, std::move(site));
      node->engine().allow_bursts(o.bursts);
      nodes_.push_back(node.get());
      fabric_.set_node(n, std::move(node));
    }
    if (o.window != 0) {
      const fabric::LinkSpec link{.latency = o.window, .period = 1'000};
      const int a = fabric_.add_node("idle.0"), b = fabric_.add_node("idle.1");
      fabric_.connect(link, link, a, b);
      for (const int node : {a, b}) fabric_.set_node(node, std::make_unique<IdleNode>());
    }
  }

  CollectiveNode& node(int n) { return *nodes_[static_cast<std::size_t>(n)]; }
  Engine& engine(int n) { return node(n).engine(); }
  std::uint8_t* bytes(int n, unsigned channel) { return node(n).channel(channel); }
  fabric::Fabric& fabric() { return fabric_; }
  int nodes() const { return o_.nodes; }
  const BenchOptions& options() const { return o_; }
  /// The lane of `from` that leads to `to`, the k-th of them.
  unsigned lane(int from, int to, int k = 0) const {
    const auto& peers = peers_[static_cast<std::size_t>(from)];
    for (unsigned l = 0; l < peers.size(); ++l) {
      if (peers[l] == to && k-- == 0) return l;
    }
    return 0xff;
  }

  /// Writes a program at `index` and starts it in cycle `at` (or now, if that is later).
  void start(int n, const std::vector<Instruction>& program, Cycle at = 0, unsigned index = 0) {
    Engine& e = engine(n);
    for (std::size_t i = 0; i < program.size(); ++i) {
      const auto words = program[i].words();
      std::copy(words.begin(), words.end(),
                e.program().begin() + static_cast<std::ptrdiff_t>((index + i) * 4));
    }
    started_ = e.start(std::max(at, e.now()), index);
  }
  bool started() const { return started_; }

  fabric::RunResult run(fabric::Time limit = fabric::kNever, fabric::EngineOptions engine = {}) {
    engine.limit = limit;
    return fabric::run(fabric_, engine);
  }
  bool idle() {
    for (CollectiveNode* n : nodes_) {
      if (n->engine().state() != Engine::State::idle) return false;
    }
    return true;
  }

 private:
  BenchOptions o_;
  std::vector<int> ends_;
  std::vector<std::vector<int>> peers_;
  fabric::Fabric fabric_;
  std::vector<CollectiveNode*> nodes_;
  bool started_ = false;
};

// ---- instructions ----

struct Pattern {
  std::uint64_t base = 0;
  std::uint32_t run_bytes = 32, runs = 1;
  std::int64_t stride = 0;
};
inline Instruction with(Op op, unsigned index, const Pattern& p) {
  Instruction i;
  i.op = op;
  i.index = static_cast<std::uint8_t>(index);
  i.base = p.base;
  i.run_bytes = p.run_bytes;
  i.runs = p.runs;
  i.stride = p.stride;
  return i;
}
inline Instruction read(unsigned channel, const Pattern& p) { return with(Op::read, channel, p); }
inline Instruction write(unsigned channel, const Pattern& p, unsigned source, unsigned flags = 0) {
  Instruction i = with(Op::write, channel, p);
  i.source = static_cast<std::uint8_t>(source);
  i.flags = static_cast<std::uint8_t>(flags);
  return i;
}
inline Instruction block(Op op, unsigned lane, unsigned source, unsigned flags, std::uint32_t signature) {
  Instruction i;
  i.op = op;
  i.index = static_cast<std::uint8_t>(lane);
  i.source = static_cast<std::uint8_t>(source);
  i.flags = static_cast<std::uint8_t>(flags);
  i.extra = signature;
  return i;
}
inline Instruction send(unsigned lane, unsigned source, unsigned flags = 0, std::uint32_t signature = 7) {
  return block(Op::send, lane, source, flags, signature);
}
inline Instruction take(unsigned lane, unsigned flags = 0, std::uint32_t signature = 7) {
  return block(Op::take, lane, kFromNone, flags, signature);
}
inline Instruction feed(unsigned input, unsigned source) {
  Instruction i;
  i.op = Op::feed;
  i.index = static_cast<std::uint8_t>(input);
  i.source = static_cast<std::uint8_t>(source);
  return i;
}
inline Instruction config(unsigned output, OperatorKind kind, std::uint64_t word, std::uint64_t inputs) {
  Instruction i;
  i.op = Op::config;
  i.index = static_cast<std::uint8_t>(output);
  i.base = word;
  i.stride = static_cast<std::int64_t>(inputs);
  i.extra = static_cast<std::uint32_t>(kind);
  return i;
}
inline Instruction go(unsigned mark = 0xff, unsigned flags = 0) {
  Instruction i;
  i.op = Op::go;
  i.index = static_cast<std::uint8_t>(mark);
  i.flags = static_cast<std::uint8_t>(flags);
  return i;
}
inline Instruction end() { return {}; }

}  // namespace polyloom::collective::test
