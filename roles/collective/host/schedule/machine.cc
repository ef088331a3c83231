// SPDX-License-Identifier: Apache-2.0
#include "roles/collective/host/schedule/machine.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <numeric>
#include <set>

#include "roles/collective/host/schedule/topology.h"

namespace polyloom::collective {
namespace {

bool is_lane(std::uint8_t source) { return source >= kFromLane && source < kFromOperator; }
bool is_operator(std::uint8_t source) { return source >= kFromOperator && source != kFromNone; }

}  // namespace

Machine::Machine(Topology topology, unsigned channels, unsigned operator_inputs, unsigned operator_outputs,
                 std::uint64_t channel_bytes)
    : topology_(std::move(topology)), inputs_(operator_inputs), outputs_(operator_outputs) {
  memory_.resize(index(topology_.size()));
  for (auto& node : memory_) {
    for (unsigned c = 0; c < channels; ++c) node.emplace_back(channel_bytes);
  }
  for (const auto& lanes : topology_.lanes) out_.emplace_back(lanes.size());
  nodes_.resize(memory_.size());
}

void Machine::load(int rank, std::vector<Instruction> program) {
  Node& node = nodes_.at(index(rank));
  node = Node{};
  node.program = std::move(program);
  node.ended = false;
}

void Machine::fail(int rank, const std::string& what) const {
  throw ProgramError(fmt::format("rank {}, instruction {}: {}", rank, nodes_[index(rank)].at, what));
}

Machine::Out& Machine::far_out(int rank, int lane) {
  const LaneEnd end = topology_.lanes[index(rank)][index(lane)];
  return out_of(end.peer, end.lane);
}
const Machine::Out& Machine::far_out(int rank, int lane) const {
  const LaneEnd end = topology_.lanes[index(rank)][index(lane)];
  return out_of(end.peer, end.lane);
}

void Machine::run(std::span<const int> order) {
  std::vector<int> ranks(order.begin(), order.end());
  if (ranks.empty()) {
    ranks.resize(nodes_.size());
    std::iota(ranks.begin(), ranks.end(), 0);
  }
  for (bool moved = true; moved;) {
    moved = false;
    for (const int rank : ranks) {
      while (advance(rank)) moved = true;
    }
  }
  const bool all = std::all_of(nodes_.begin(), nodes_.end(), [](const Node& n) { return n.ended; });
  if (!all) throw ProgramError("nothing can move:" + waiting());
}

void Machine::clear() {
  for (auto& lanes : out_) lanes.assign(lanes.size(), Out{});
  nodes_.assign(nodes_.size(), Node{});
}

bool Machine::advance(int rank) {
  Node& node = nodes_[index(rank)];
  if (node.ended) return false;
  if (node.in_step) return run_step(rank);
  if (node.at >= node.program.size()) fail(rank, "the program has no end");
  if (node.program[node.at].op == Op::end) {
    node.ended = true;
    return true;
  }
  begin_step(rank);
  return true;
}

void Machine::begin_step(int rank) {
  Node& node = nodes_[index(rank)];
  node.reads.clear();
  node.configs.clear();
  node.sinks.clear();
  node.takes.clear();
  for (; node.at < node.program.size(); ++node.at) {
    const Instruction& i = node.program[node.at];
    switch (i.op) {
      case Op::read:
        node.reads.push_back(i);
        continue;
      case Op::config:
        node.configs.push_back(i);
        continue;
      case Op::write:
      case Op::send:
      case Op::feed:
        node.sinks.push_back({i, false});
        continue;
      case Op::take:
        node.takes.push_back({i, false});
        continue;
      case Op::go:
        node.together = i.flags & kTogether;
        break;
      case Op::end:
        fail(rank, "end inside of a step");
    }
    break;
  }
  if (node.at == node.program.size()) fail(rank, "a step without go");
  check_step(rank);
  ++node.at;
  node.pulse_sent.assign(node.takes.size(), false);
  node.inputs.assign(inputs_, std::nullopt);
  node.in_step = true;
}

void Machine::check_step(int rank) const {
  const Node& node = nodes_[index(rank)];
  std::set<std::pair<Op, unsigned>> used;
  const auto once = [&](const Instruction& i, std::size_t limit) {
    if (i.index >= limit) fail(rank, fmt::format("index {} of {}", i.index, limit));
    if (!used.insert({i.op, i.index}).second)
      fail(rank, fmt::format("op {} index {} used twice in a step", static_cast<int>(i.op), i.index));
  };
  const std::size_t lanes = topology_.lanes[index(rank)].size();
  std::set<unsigned> sources;
  for (const Instruction& i : node.reads) {
    once(i, memory_[index(rank)].size());
    sources.insert(kFromRead + i.index);
  }
  for (const Sink& t : node.takes) {
    once(t.instruction, lanes);
    if (!(t.instruction.flags & kPulseOnly)) sources.insert(kFromLane + t.instruction.index);
  }
  std::uint64_t mask = 0;
  for (const Instruction& i : node.configs) {
    once(i, outputs_);
    if (i.extra != static_cast<std::uint32_t>(OperatorKind::reduce))
      fail(rank, fmt::format("operator kind {}: only reduce is executed without a cluster", i.extra));
    if ((mask & static_cast<std::uint64_t>(i.stride)) != 0) fail(rank, "operator masks overlap");
    mask |= static_cast<std::uint64_t>(i.stride);
    sources.insert(kFromOperator + i.index);
  }
  std::set<unsigned> selected;
  for (const Sink& s : node.sinks) {
    const Instruction& i = s.instruction;
    once(i, i.op == Op::send ? lanes : i.op == Op::write ? memory_[index(rank)].size() : inputs_);
    if (i.op == Op::send && i.flags & kPulseOnly) continue;
    if (!sources.count(i.source))
      fail(rank, fmt::format("a sink selects source {:#x}, which stands still", i.source));
    selected.insert(i.source);
    if (i.op == Op::feed && !(mask >> i.index & 1)) fail(rank, "an operator input that no output takes");
  }
  if (selected != sources) fail(rank, "a source that no sink takes");
  if (half_bytes_ > 0) check_memory(rank);
}

void Machine::watch_memory(std::uint64_t half_bytes, std::uint64_t rx_bytes) {
  half_bytes_ = half_bytes;
  rx_bytes_ = rx_bytes;
}

void Machine::check_memory(int rank) const {
  const Node& node = nodes_[index(rank)];
  const auto touches = [&](const Instruction& i, unsigned half) {
    for (std::uint32_t run = 0; run < i.runs; ++run) {
      const std::uint64_t begin = i.base + run * static_cast<std::uint64_t>(i.stride);
      if (half == 0 ? begin < half_bytes_ : begin + i.run_bytes > half_bytes_) return true;
    }
    return false;
  };
  const auto longer = [&](const Instruction& i) {
    return (std::uint64_t{i.run_bytes} + kBeatBytes - 1) / kBeatBytes * kBeatBytes * i.runs > rx_bytes_;
  };
  for (const Sink& s : node.sinks) {
    const Instruction& w = s.instruction;
    if (w.op != Op::write) continue;
    for (const Instruction& r : node.reads) {
      if (r.index != w.index) continue;
      const bool joined = std::any_of(node.sinks.begin(), node.sinks.end(), [&](const Sink& f) {
        return f.instruction.op == Op::feed && f.instruction.source == kFromRead + r.index;
      });
      const bool urgent =
          (longer(w) && (is_lane(w.source) || is_operator(w.source))) || (longer(r) && joined);
      for (const unsigned half : {0u, 1u}) {
        if (urgent && touches(r, half) && touches(w, half)) {
          fail(rank, fmt::format("channel {} reads and writes its half {} at once", w.index, half));
        }
      }
    }
  }
}

bool Machine::may_send(int rank, const Instruction& send) const {
  const Out& out = out_of(rank, send.index);
  return send.flags & kEager ? out.pulses >= out.blocks : out.pulses >= out.blocks + 1;
}

bool Machine::sends_may_begin(int rank, std::uint8_t source) const {
  const Node& node = nodes_[index(rank)];
  return std::all_of(node.sinks.begin(), node.sinks.end(), [&](const Sink& s) {
    const bool concerned = s.instruction.op == Op::send && s.instruction.source == source &&
                           !(s.instruction.flags & kPulseOnly) && !s.done;
    return !concerned || may_send(rank, s.instruction);
  });
}

bool Machine::send_pulses(int rank) {
  Node& node = nodes_[index(rank)];
  bool moved = false;
  for (std::size_t i = 0; i < node.takes.size(); ++i) {
    Sink& take = node.takes[i];
    if (node.pulse_sent[i] || take.instruction.flags & kEager) continue;
    const auto source = static_cast<std::uint8_t>(kFromLane + take.instruction.index);
    if (!(take.instruction.flags & kPulseOnly) && !sends_may_begin(rank, source)) continue;
    ++far_out(rank, take.instruction.index).pulses;
    node.pulse_sent[i] = true;
    if (take.instruction.flags & kPulseOnly) take.done = true;
    moved = true;
  }
  return moved;
}

bool Machine::run_step(int rank) {
  Node& node = nodes_[index(rank)];
  bool moved = send_pulses(rank);
  for (Sink& s : node.sinks) {
    const bool pulse = s.instruction.op == Op::send && s.instruction.flags & kPulseOnly;
    if (!pulse || s.done || !may_send(rank, s.instruction)) continue;
    ++out_of(rank, s.instruction.index).blocks;
    s.done = moved = true;
  }
  const bool held = node.together && std::any_of(node.sinks.begin(), node.sinks.end(), [&](const Sink& s) {
                      return s.instruction.op == Op::send && !s.done && !may_send(rank, s.instruction);
                    });
  std::set<std::uint8_t> sources;
  for (const Sink& s : node.sinks) {
    if (!s.done && !(s.instruction.op == Op::send && s.instruction.flags & kPulseOnly))
      sources.insert(s.instruction.source);
  }
  for (const std::uint8_t source : sources) {
    if (held && !is_lane(source)) continue;
    moved = run_source(rank, source) || moved;
  }
  const auto done = [](const Sink& s) { return s.done; };
  if (std::all_of(node.sinks.begin(), node.sinks.end(), done) &&
      std::all_of(node.takes.begin(), node.takes.end(), done)) {
    node.in_step = false;
    return true;
  }
  return moved;
}

/// The whole stream of one source to all its sinks, if it may move.
bool Machine::run_source(int rank, std::uint8_t source) {
  if (!sends_may_begin(rank, source)) return false;
  Node& node = nodes_[index(rank)];
  const std::optional<Block> block = block_of(rank, source);
  if (!block) return false;
  for (Sink& s : node.sinks) {
    if (s.done || s.instruction.source != source ||
        (s.instruction.op == Op::send && s.instruction.flags & kPulseOnly))
      continue;
    deliver(rank, s, *block);
    s.done = true;
  }
  return true;
}

std::optional<Machine::Block> Machine::block_of(int rank, std::uint8_t source) {
  Node& node = nodes_[index(rank)];
  if (is_operator(source)) return combined(rank, source - kFromOperator);
  if (!is_lane(source)) {
    const auto read = std::find_if(node.reads.begin(), node.reads.end(),
                                   [&](const Instruction& i) { return i.index == source - kFromRead; });
    return read_block(rank, *read);
  }
  const int lane = source - kFromLane;
  Out& far = far_out(rank, lane);
  if (far.flying.empty()) return std::nullopt;
  const auto take = std::find_if(node.takes.begin(), node.takes.end(),
                                 [&](const Sink& t) { return t.instruction.index == lane; });
  Block block = std::move(far.flying.front());
  far.flying.pop_front();
  if (block.signature != take->instruction.extra || block.flags != take->instruction.flags) {
    fail(rank, fmt::format("lane {}: the block belongs to another operation", lane));
  }
  if (take->instruction.flags & kEager) ++far.pulses;
  take->done = true;
  return block;
}

Machine::Block Machine::read_block(int rank, const Instruction& read) {
  auto& memory = memory_[index(rank)][read.index];
  Block block;
  for (std::uint32_t run = 0; run < read.runs; ++run) {
    const std::uint64_t start = read.base + run * static_cast<std::uint64_t>(read.stride);
    if (start % kBeatBytes != 0) fail(rank, "a run that does not begin at a beat");
    const std::uint64_t padded = (std::uint64_t{read.run_bytes} + kBeatBytes - 1) / kBeatBytes * kBeatBytes;
    if (start + read.run_bytes > memory.size()) fail(rank, "a read beyond the channel");
    block.bytes.insert(block.bytes.end(), memory.data() + start, memory.data() + start + padded);
    block.keep.insert(block.keep.end(), padded / kBeatBytes, kBeatBytes);
    if (read.run_bytes % kBeatBytes != 0)
      block.keep.back() = static_cast<std::uint8_t>(read.run_bytes % kBeatBytes);
  }
  return block;
}

void Machine::write_block(int rank, const Instruction& write, const Block& block) {
  auto& memory = memory_[index(rank)][write.index];
  std::size_t beat = 0;
  for (std::uint32_t run = 0; run < write.runs; ++run) {
    const std::uint64_t start = write.base + run * static_cast<std::uint64_t>(write.stride);
    if (start + write.run_bytes > memory.size()) fail(rank, "a write beyond the channel");
    for (std::uint64_t at = 0; at < write.run_bytes; at += kBeatBytes, ++beat) {
      const std::uint64_t bytes = std::min<std::uint64_t>(kBeatBytes, write.run_bytes - at);
      if (beat >= block.keep.size() || block.keep[beat] != bytes) {
        fail(rank,
             fmt::format("W#{}: the stream's beat {} is not what the pattern has there", write.index, beat));
      }
      std::memcpy(memory.data() + start + at, block.bytes.data() + beat * kBeatBytes, bytes);
    }
  }
  if (beat != block.keep.size())
    fail(rank, fmt::format("W#{}: the stream is longer than the pattern", write.index));
}

void Machine::deliver(int rank, Sink& sink, const Block& block) {
  const Instruction& i = sink.instruction;
  if (i.op == Op::write) {
    write_block(rank, i, block);
  } else if (i.op == Op::feed) {
    nodes_[index(rank)].inputs[i.index] = block;
  } else {
    Out& out = out_of(rank, i.index);
    if (topology_.lanes[index(rank)][i.index].peer < 0)
      fail(rank, fmt::format("lane {} leads nowhere", i.index));
    if (i.flags & kEager && !out.flying.empty())
      fail(rank, fmt::format("lane {}: an eager block behind one that was not drained", i.index));
    out.flying.push_back(block);
    out.flying.back().signature = i.extra;
    out.flying.back().flags = i.flags;
    ++out.blocks;
  }
}

std::optional<Machine::Block> Machine::combined(int rank, unsigned output) {
  Node& node = nodes_[index(rank)];
  const auto config = std::find_if(node.configs.begin(), node.configs.end(),
                                   [&](const Instruction& i) { return i.index == output; });
  const auto mask = static_cast<std::uint64_t>(config->stride);
  const Block* first = nullptr;
  for (unsigned i = 0; i < inputs_; ++i) {
    if (!(mask >> i & 1)) continue;
    if (!node.inputs[i]) return std::nullopt;
    if (!first) first = &*node.inputs[i];
    if (node.inputs[i]->keep != first->keep) fail(rank, "operator inputs differ in length");
  }
  Block result = *first;
  std::vector<std::optional<std::uint32_t>> words(inputs_);
  for (std::size_t at = 0; at < result.bytes.size(); at += 4) {
    for (unsigned i = 0; i < inputs_; ++i) {
      if (!(mask >> i & 1)) continue;
      std::uint32_t word = 0;
      std::memcpy(&word, node.inputs[i]->bytes.data() + at, 4);
      words[i] = word;
    }
    const std::uint32_t word = combine_words(words, config->base);
    std::memcpy(result.bytes.data() + at, &word, 4);
  }
  return result;
}

bool Machine::quiet() const {
  for (const auto& lanes : out_) {
    for (const Out& out : lanes) {
      if (!out.flying.empty() || out.pulses != out.blocks) return false;
    }
  }
  return true;
}

std::string Machine::waiting() const {
  std::string text;
  for (int rank = 0; rank < topology_.size(); ++rank) {
    const Node& node = nodes_[index(rank)];
    if (node.ended) continue;
    for (const Sink& s : node.sinks) {
      if (s.done || s.instruction.op != Op::send || may_send(rank, s.instruction)) continue;
      text += fmt::format(" rank {} waits for rank {} to take a block;", rank,
                          topology_.lanes[index(rank)][s.instruction.index].peer);
    }
    for (const Sink& t : node.takes) {
      if (t.done || !far_out(rank, t.instruction.index).flying.empty()) continue;
      text += fmt::format(" rank {} waits for data of rank {};", rank,
                          topology_.lanes[index(rank)][t.instruction.index].peer);
    }
  }
  return text;
}

}  // namespace polyloom::collective
