// SPDX-License-Identifier: Apache-2.0
// Spiking neurons computed a second time, for --verify: step by step and neuron by neuron, with sums in
// double precision. What a neuron computes of its own is rounded as the vertex program rounds, for a
// difference in a last place soon makes other spikes.
#pragma once

#include <cstdint>
#include <set>
#include <vector>

#include "apps/verify/second_reading.h"

namespace polyloom::apps {

/// A neuron before the run.
struct NeuronTerms {
  float v = -65, u = -13, a = 0.02F, b = 0.2F, c = -65, d = 8;
  float offset = 0, noise = 0;         ///< constant current; standard deviation of the thalamic one
  std::uint32_t number = 0;            ///< of its random numbers
  std::vector<std::int32_t> coming;    ///< currents of the next steps, in 65536ths
  bool is_source = false;              ///< it spikes by chance and where it is told
  std::uint32_t chance = 0;            ///< in a step, of 2^32,
  std::uint32_t from = 0, before = 0;  ///< in these steps
  std::set<std::uint32_t> given;       ///< and in these
};

/// Steps first + 1 .. first + steps of neurons, by the graph's vertices.
struct SpikingTerms {
  std::vector<NeuronTerms> neurons;
  std::vector<std::uint32_t> delays;  ///< of arcs; none: all 1
  std::uint32_t key, first, steps;
};

/// How often each has spiked.
std::vector<double> reference_spikes(const NamedGraph& graph, const SpikingTerms& terms);

}  // namespace polyloom::apps
