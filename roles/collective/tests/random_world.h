// SPDX-License-Identifier: Apache-2.0
// For tests: random programs of several nodes that fit together, and what the memories must hold afterwards,
// found by moving bytes one at a time.
#pragma once

#include <algorithm>
#include <random>
#include <set>
#include <vector>

#include "roles/collective/tests/bench.h"

namespace polyloom::collective::test {

/// A world of `steps` steps that all nodes go through. Each step reads one half of every channel and writes
/// the other, so its result does not depend on time.
class RandomWorld {
 public:
  static constexpr std::uint64_t kBytes = 1 << 16, kHalf = kBytes / 2;

  RandomWorld(unsigned seed, int nodes, unsigned channels, unsigned rx_beats)
      : rng_(seed),
        nodes_(nodes),
        channels_(channels),
        rx_beats_(rx_beats),
        programs(at(nodes)),
        memory(at(nodes)) {
    links = full_mesh(nodes);
    if (seed % 3 == 0) links.push_back(links[seed % links.size()]);  // two links between one pair
    for (auto& node : memory) {
      node.resize(channels);
      for (auto& channel : node) {
        channel.resize(kBytes);
        for (auto& byte : channel) byte = static_cast<std::uint8_t>(rng_());
      }
    }
    before = memory;
    Bench b({.params = small_params(channels, kBytes), .links = links, .nodes = nodes});
    const unsigned steps = 1 + rng_() % 7;
    for (unsigned s = 0; s < steps; ++s) make_step(b, s % 2 ? kHalf : 0);
    for (auto& program : programs) program.push_back(end());
  }

  std::vector<std::pair<int, int>> links;

 private:
  using Bytes = std::vector<std::uint8_t>;
  static std::size_t at(int n) { return static_cast<std::size_t>(n); }
  unsigned below(unsigned n) { return static_cast<unsigned>(rng_() % n); }

  std::mt19937 rng_;
  int nodes_;
  unsigned channels_, rx_beats_;
  bool relayed_ = false;  ///< in the step being made

 public:
  std::vector<std::vector<Instruction>> programs;
  std::vector<std::vector<Bytes>> before, memory;

 private:
  struct Busy {
    std::set<unsigned> writers, tx, rx;
  };

  /// `bytes` in runs of `run`, somewhere in the half, forwards or backwards, never over itself.
  Pattern place(std::uint64_t half, std::uint32_t run, std::uint32_t runs) {
    const std::uint32_t padded = (run + 31) / 32 * 32;
    const auto most = static_cast<std::uint32_t>(kHalf / runs / 32 * 32);
    Pattern p{half, run, runs, padded + 32 * static_cast<int>(below((most - padded) / 32 + 1))};
    const std::uint64_t span = static_cast<std::uint64_t>(p.stride) * (runs - 1) + padded;
    p.base += 32 * below(static_cast<unsigned>((kHalf - span) / 32 + 1));
    if (below(4) == 0) {
      p.base += static_cast<std::uint64_t>(p.stride) * (runs - 1);
      p.stride = -p.stride;
    }
    return p;
  }

  void store(int node, unsigned channel, const Pattern& p, const Bytes& data) {
    std::size_t i = 0;
    for (std::uint32_t r = 0; r < p.runs; ++r) {
      for (std::uint32_t k = 0; k < p.run_bytes; ++k) {
        memory[at(node)][channel][p.base + static_cast<std::uint64_t>(p.stride) * r + k] = data[i++];
      }
    }
  }

  struct Stream {
    std::uint32_t run, runs;
    Bytes data;
    std::uint32_t beats() const { return (run + 31) / 32 * runs; }
  };

  /// Gives the stream at `source` of `node` sinks; false if there were none.
  bool spread(Bench& b, std::vector<Busy>& busy, std::vector<std::vector<Instruction>>& step,
              std::uint64_t half, int node, unsigned source, const Stream& stream, int depth) {
    bool any = false;
    Busy& mine = busy[at(node)];
    const unsigned lanes = b.engine(node).lanes();
    for (unsigned tries = 1 + below(4); tries > 0; --tries) {
      if (below(2) == 0) {
        const unsigned channel = below(channels_);
        if (!mine.writers.insert(channel).second) continue;
        std::uint32_t run = stream.run, runs = stream.runs;
        if (run % 32 == 0) {  // whole beats may fall into other runs
          const std::uint32_t beats = stream.beats();
          do runs = 1 + below(std::min(beats, 16u));
          while (beats % runs != 0);
          run = beats / runs * 32;
        }
        const Pattern p = place(half, run, runs);
        step[at(node)].push_back(write(channel, p, source, below(4) == 0 ? kOpenEnd : 0));
        store(node, channel, p, stream.data);
        any = true;
        continue;
      }
      const unsigned lane = below(lanes);
      if (depth == 0 || mine.tx.count(lane) != 0) continue;
      const auto [peer, back] = other_end(node, lane);
      if (!busy[at(peer)].rx.insert(back).second) continue;
      mine.tx.insert(lane);
      if (!spread(b, busy, step, half, peer, kFromLane + back, stream, depth - 1)) {
        mine.tx.erase(lane);
        busy[at(peer)].rx.erase(back);
        continue;
      }
      const unsigned flags = stream.beats() <= rx_beats_ && below(2) == 0 ? kEager : 0;
      const auto signature = static_cast<std::uint32_t>(rng_());
      step[at(node)].push_back(send(lane, source, flags, signature));
      step[at(peer)].push_back(take(back, flags, signature));
      relayed_ = relayed_ || source >= kFromLane;
      any = true;
    }
    return any;
  }

  std::pair<int, unsigned> other_end(int node, unsigned lane) const {
    std::vector<unsigned> next(at(nodes_), 0);
    for (const auto& [x, y] : links) {
      const unsigned lx = next[at(x)]++, ly = next[at(y)]++;
      if (x == node && lx == lane) return {y, ly};
      if (y == node && ly == lane) return {x, lx};
    }
    return {-1, 0};
  }

  void make_step(Bench& b, std::uint64_t from) {
    relayed_ = false;
    std::vector<Busy> busy(at(nodes_));
    std::vector<std::vector<Instruction>> step(at(nodes_));
    for (int n = 0; n < nodes_; ++n) {
      for (unsigned c = 0; c < channels_; ++c) {
        if (below(10) < 3) continue;
        Stream s;
        s.runs = 1 + below(6);
        s.run = below(3) == 0 ? 1 + below(300) : 32 * (1 + below(60));
        const Pattern p = place(from, s.run, s.runs);
        for (std::uint32_t r = 0; r < s.runs; ++r) {
          for (std::uint32_t k = 0; k < s.run; ++k) {
            s.data.push_back(memory[at(n)][c][p.base + static_cast<std::uint64_t>(p.stride) * r + k]);
          }
        }
        if (spread(b, busy, step, kHalf - from, n, kFromRead + c, s, 3)) step[at(n)].push_back(read(c, p));
      }
    }
    for (int n = 0; n < nodes_; ++n) {  // and pulses on lanes that are free
      for (unsigned l = 0; l < b.engine(n).lanes(); ++l) {
        const auto [peer, back] = other_end(n, l);
        if (below(6) != 0 || busy[at(n)].tx.count(l) != 0 || !busy[at(peer)].rx.insert(back).second) continue;
        busy[at(n)].tx.insert(l);
        step[at(n)].push_back(send(l, kFromNone, kPulseOnly));
        step[at(peer)].push_back(take(back, kPulseOnly));
      }
    }
    // Relays that wait for all pulses of their node can wait for each other in a ring.
    const bool together = !relayed_ && below(3) == 0;
    for (int n = 0; n < nodes_; ++n) {
      auto& mine = step[at(n)];
      std::shuffle(mine.begin(), mine.end(), rng_);
      programs[at(n)].insert(programs[at(n)].end(), mine.begin(), mine.end());
      programs[at(n)].push_back(go(0xff, together ? unsigned{kTogether} : 0u));
    }
  }
};

}  // namespace polyloom::collective::test
