// SPDX-License-Identifier: Apache-2.0
// Runs the LET operator's model in a slot of its own.
#pragma once

#include <vector>

#include "blocks/operators/sim/let.h"
#include "blocks/operators/sim/pace.h"
#include "blocks/operators/tests/operator_streams.h"

namespace polyloom::blocks::operators::test {

inline constexpr std::uint64_t kLet = 1 << 4;

inline std::vector<Config> let_configs(unsigned outputs, LetSetup setup,
                                       std::uint64_t used = ~std::uint64_t{0}) {
  std::vector<Config> configs(outputs);
  for (unsigned o = 0; o < outputs; ++o) {
    if (used >> o & 1) configs[o] = {true, Kind::let, setup.word(), 1};
  }
  return configs;
}

struct LetRun {
  std::vector<Stream> out;
  std::uint64_t cycles =
      0;  ///< from the first beat offered to the cycle in which the last one stands at an output
  bool ended = false;
};

/// Feeds a beat every `spacing` cycles at most; outputs always take, or at random.
inline LetRun feed(Slot& slot, const Stream& stream, unsigned outputs, unsigned spacing,
                   Random* stalls = nullptr) {
  LetRun result{std::vector<Stream>(outputs)};
  std::size_t at = 0;
  Pace pace(spacing);
  for (std::uint64_t cycle = 0; cycle < 200'000; ++cycle) {
    if (at < stream.size() && pace.offers(cycle) && (slot.ready() & 1) != 0 &&
        (!stalls || below(*stalls, 3))) {
      slot.push(0, stream[at++]);
      pace.taken(cycle);
    }
    for (unsigned o = 0; o < outputs; ++o) {
      if ((slot.valid() >> o & 1) == 0 || (stalls && below(*stalls, 4) == 0)) continue;
      result.out[o].push_back(slot.front(o));
      slot.pop(o);
      result.cycles = cycle;
    }
    slot.clock();
    if (at == stream.size() && slot.idle()) {
      result.ended = true;
      break;
    }
  }
  return result;
}

inline Slot make_slot(unsigned outputs, unsigned geometry = 0, unsigned open_depth = 4096) {
  return Slot(kLet,
              {.inputs = 1, .outputs = outputs, .let_geometry = geometry, .let_open_depth = open_depth});
}
inline void begin(Slot& slot, const std::vector<Config>& configs) {
  slot.step(configs);
  slot.clock();
}

}  // namespace polyloom::blocks::operators::test
