// SPDX-License-Identifier: Apache-2.0
#include "bench/let/hub_runs.h"

#include <algorithm>
#include <cstring>

#include "blocks/operators/sim/let.h"
#include "nbody/tree/let.h"

namespace polyloom::bench {

using blocks::operators::Kind;
using blocks::operators::LetSetup;
using hub::Unit;
using nbody::NodeRecord;

namespace {

constexpr Unit kUnit = Unit::accelerator0;
constexpr std::uint64_t kMega = std::uint64_t{1} << 20;
// Memory of a node: flags, targets, descriptors, its tree, then a region a peer.
constexpr std::uint64_t kFlags = 0, kTargets = 4096, kChain = 8192, kTree = kMega, kRegion = 4 * kMega;
constexpr std::uint64_t kMemory = kTree + (hub::kMaxNodes + 1) * kRegion;
constexpr std::uint64_t kPaddedBytes = 32;

std::uint64_t flag_of(unsigned peer) { return kFlags + 64 * peer; }
std::uint64_t region_of(unsigned peer) { return kTree + (peer + 1) * kRegion; }

std::uint64_t place_tree(std::span<std::uint8_t> memory, std::span<const NodeRecord> nodes, bool padded) {
  const std::uint64_t stride = padded ? kPaddedBytes : sizeof(NodeRecord);
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    std::memcpy(memory.data() + kTree + i * stride, &nodes[i], sizeof(NodeRecord));
  }
  return nodes.size() * stride;
}

bool equals(std::span<const std::uint8_t> memory, std::uint64_t bytes, const DomainTree& tree,
            const nbody::Target& target, bool padded) {
  nbody::Let let;
  nbody::make_let({tree.nodes, {}}, target, let);
  const std::uint64_t stride = padded ? kPaddedBytes : sizeof(NodeRecord);
  bool same = bytes == let.count * stride;
  for (std::size_t i = 0; same && i < let.count; ++i) {
    same = std::memcmp(memory.data() + i * stride, &let.nodes[i], sizeof(NodeRecord)) == 0;
  }
  return same;
}

/// Copies of the whole tree to all peers, a piece to each in turn, so that all links are busy from the first
/// piece to the last: one peer after the other would load one direction of the ring at a time.
std::vector<hub::Copy> in_turn(hub::Node& node, std::span<const hub::LaneOutput> peers, std::uint64_t bytes) {
  constexpr std::uint64_t kPiece = 4096;  // smaller ones cost descriptors, larger ones leave links idle
  std::vector<hub::Copy> chain;
  for (std::uint64_t at = 0; at < bytes; at += kPiece) {
    const auto size = static_cast<std::uint32_t>(std::min(kPiece, bytes - at));
    for (const hub::LaneOutput& peer : peers) {
      hub::Copy& copy = chain.emplace_back();
      copy.source = node.address(kUnit, kTree + at);
      copy.destination = peer.base + at;
      copy.bytes = size;
      if (at + size == bytes) copy.flag = hub::Flag{peer.flag, static_cast<std::uint32_t>(bytes)};
    }
  }
  return chain;
}

void account(HubRun& run, const hub::Held& flag, hub::Time from) {
  run.seconds = std::max(run.seconds, 1e-12 * static_cast<double>(flag.time - from));
}

}  // namespace

HubRun push_to_neighbour(hub::Session& session, const DomainTree& tree, const nbody::Target& target,
                         bool padded) {
  hub::Node &from = session.node(0), &to = session.node(1);
  const auto memory = from.map(kUnit, kMemory), landed = to.map(kUnit, kMemory);
  const std::uint64_t bytes = place_tree(memory, tree.nodes, padded);
  std::memcpy(memory.data() + kTargets, &target, sizeof target);
  constexpr std::uint64_t kNone = ~std::uint64_t{0};
  std::memcpy(landed.data() + flag_of(0), &kNone, sizeof kNone);
  const hub::LaneOutput lane{to.address(kUnit, region_of(0)), kRegion, to.address(kUnit, flag_of(0))};
  from.start_function(static_cast<std::uint8_t>(Kind::let),
                      LetSetup{.padded = padded, .parent_first = padded}.word(), {&lane, 1});
  const std::uint64_t function = from.address(Unit::hub, hub::kHubFunction);
  from.put(kUnit, kTargets, function, sizeof target);
  session.pass(hub::Time{20'000'000});  // all of that is in place: the tree is what is timed
  const hub::Time begin = session.now();
  // The last payload goes to the address that ends the stream.
  const std::uint64_t tail = std::min<std::uint64_t>(bytes, session.max_payload());
  if (bytes > tail) from.put(kUnit, kTree, function, bytes - tail);
  from.put(kUnit, kTree + bytes - tail, function | hub::kFunctionLast, tail);
  const hub::Held flag = to.wait(kUnit, flag_of(0), kNone, hub::Compare::not_equal);
  HubRun run;
  account(run, flag, begin);
  run.bytes = flag.value;
  run.equal = equals(landed.subspan(region_of(0)), flag.value, tree, target, padded);
  from.check();
  to.check();
  return run;
}

double copy_seconds(hub::Session& session, std::uint64_t bytes, CopyTo to) {
  hub::Node& from = session.node(0);
  hub::Node& target = session.node(to == CopyTo::kNeighbour ? 1 : 0);
  const Unit unit = to == CopyTo::kNeighbour ? kUnit : Unit::host;
  from.map(kUnit, kMemory);
  target.map(unit, kMemory);
  session.pass(hub::Time{20'000'000});
  const hub::Time begin = session.now();
  from.put(kUnit, kTree, target.address(unit, kTree), bytes);
  from.store64(target.address(unit, kFlags), 1);
  const hub::Held flag = target.wait(unit, kFlags, 1);
  from.check();
  return 1e-12 * static_cast<double>(flag.time - begin);
}

HubRun exchange_all(hub::Session& session, std::span<const DomainTree> trees, Exchange what) {
  const unsigned nodes = session.nodes();
  constexpr std::uint64_t kNone = ~std::uint64_t{0};
  std::vector<std::vector<hub::Copy>> chains(nodes);
  for (unsigned n = 0; n < nodes; ++n) {
    hub::Node& node = session.node(n);
    const auto memory = node.map(kUnit, kMemory);
    const std::uint64_t bytes = place_tree(memory, trees[n].nodes, false);
    std::vector<hub::LaneOutput> lanes;
    for (unsigned p = 0; p < nodes; ++p) std::memcpy(memory.data() + flag_of(p), &kNone, sizeof kNone);
    for (unsigned p = 0; p < nodes; ++p) {
      if (p == n) continue;
      const std::uint64_t to = hub::address(p, kUnit, region_of(n)),
                          flag = hub::address(p, kUnit, flag_of(n));
      std::memcpy(memory.data() + kTargets + lanes.size() * sizeof(nbody::Target), &trees[p].summary.target,
                  sizeof(nbody::Target));
      lanes.push_back({to, kRegion, flag});
    }
    if (what == Exchange::kTrees) {
      chains[n] = in_turn(node, lanes, bytes);
      continue;
    }
    const auto target_bytes = static_cast<std::uint32_t>(lanes.size() * sizeof(nbody::Target));
    chains[n] = {{.source = node.address(kUnit, kTargets), .bytes = target_bytes, .to_function = true},
                 {.source = node.address(kUnit, kTree),
                  .bytes = static_cast<std::uint32_t>(bytes),
                  .to_function = true}};
    node.start_function(static_cast<std::uint8_t>(Kind::let), LetSetup{}.word(), lanes);
  }
  session.pass(hub::Time{20'000'000});
  const hub::Time begin = session.now();
  for (unsigned n = 0; n < nodes; ++n) session.node(n).dma(chains[n], kUnit, kChain);
  HubRun run;
  run.pairs.assign(nodes, std::vector<std::uint64_t>(nodes));
  for (unsigned n = 0; n < nodes; ++n) {
    hub::Node& node = session.node(n);
    for (unsigned p = 0; p < nodes; ++p) {
      if (p == n) continue;
      const hub::Held flag = node.wait(kUnit, flag_of(p), kNone, hub::Compare::not_equal);
      account(run, flag, begin);
      run.bytes += flag.value;
      run.pairs[p][n] = flag.value;
      if (what == Exchange::kLets) {
        run.equal &= equals(node.memory(kUnit).subspan(region_of(p)), flag.value, trees[p],
                            trees[n].summary.target, false);
      }
    }
  }
  for (unsigned n = 0; n < nodes; ++n) session.node(n).check();
  return run;
}

}  // namespace polyloom::bench
