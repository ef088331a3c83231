// SPDX-License-Identifier: Apache-2.0
#include "bench/let/operator_run.h"

#include <bit>
#include <cstring>
#include <stdexcept>

#include "blocks/operators/sim/pace.h"

namespace polyloom::bench {

using blocks::operators::Beat;
using blocks::operators::Config;
using blocks::operators::Kind;
using nbody::NodeRecord;

namespace {

constexpr std::size_t kBeatBytes = 32;

std::vector<Beat> stream_of(std::span<const NodeRecord> tree, std::span<const nbody::Target> targets,
                            bool padded) {
  std::vector<std::uint8_t> bytes(targets.size_bytes());
  std::memcpy(bytes.data(), targets.data(), bytes.size());
  for (const NodeRecord& node : tree) {
    const auto* from = reinterpret_cast<const std::uint8_t*>(&node);
    bytes.insert(bytes.end(), from, from + sizeof node);
    if (padded) bytes.resize(bytes.size() + kBeatBytes - sizeof node);
  }
  std::vector<Beat> beats;
  for (std::size_t at = 0; at < bytes.size(); at += kBeatBytes) {
    const std::size_t n = std::min(kBeatBytes, bytes.size() - at);
    Beat& beat = beats.emplace_back();
    std::memcpy(beat.word.data(), bytes.data() + at, n);
    beat.keep = n == kBeatBytes ? blocks::operators::kKeepAll : (1u << n) - 1;
  }
  beats.back().last = true;
  return beats;
}

std::vector<NodeRecord> records_of(std::span<const std::uint8_t> bytes, bool padded) {
  std::vector<NodeRecord> nodes(bytes.size() / (padded ? kBeatBytes : sizeof(NodeRecord)));
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    std::memcpy(&nodes[i], bytes.data() + i * (padded ? kBeatBytes : sizeof(NodeRecord)), sizeof(NodeRecord));
  }
  return nodes;
}

}  // namespace

OperatorRun run_operator(std::span<const NodeRecord> tree, std::span<const nbody::Target> targets,
                         blocks::operators::LetSetup setup, unsigned cycles_a_beat, unsigned geometry) {
  const auto outputs = static_cast<unsigned>(targets.size());
  blocks::operators::SlotParams shape;
  shape.inputs = 1;
  shape.outputs = outputs;
  shape.let_geometry = geometry;
  const auto let = blocks::operators::Registry::instance().make(Kind::let, shape);
  let->step(std::vector<Config>(outputs, {true, Kind::let, setup.word(), 1}));
  let->clock();
  const std::vector<Beat> beats = stream_of(tree, targets, setup.padded);
  std::vector<std::vector<std::uint8_t>> out(outputs);
  OperatorRun run;
  std::size_t next = 0, ended = 0;
  blocks::operators::Pace pace(cycles_a_beat);
  for (std::uint64_t cycle = 0; ended < outputs; ++cycle) {
    if (next < beats.size() && pace.offers(cycle) && (let->ready() & 1) != 0) {
      let->push(0, beats[next++]);
      pace.taken(cycle);
    }
    for (unsigned o = 0; o < outputs; ++o) {
      if ((let->valid() >> o & 1) == 0) continue;
      const Beat& beat = let->front(o);
      const auto* bytes = reinterpret_cast<const std::uint8_t*>(beat.word.data());
      out[o].insert(out[o].end(), bytes, bytes + std::popcount(beat.keep));
      ended += beat.last;
      let->pop(o);
    }
    let->clock();
    run.cycles = cycle + 1;
  }
  if (let->errors() != 0) throw std::logic_error("the LET operator reports errors");
  for (const auto& bytes : out) run.lets.push_back(records_of(bytes, setup.padded));
  return run;
}

}  // namespace polyloom::bench
