// SPDX-License-Identifier: Apache-2.0
// Spiking neurons computed a second time, for --verify: step by step and neuron by neuron, with sums in
// double precision. What a neuron computes of its own is rounded as the vertex program rounds, for a
// difference in a last place soon makes other spikes.
#pragma once

#include <array>
#include <cstddef>
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

/// pcg3d, as its paper writes it.
inline std::array<std::uint32_t, 3> random_words(std::uint32_t neuron, std::uint32_t step,
                                                 std::uint32_t key) {
  std::array<std::uint32_t, 3> v{neuron, step, key};
  for (std::uint32_t& word : v) word = word * 1664525U + 1013904223U;
  const auto round = [&] {
    for (std::size_t i = 0; i < 3; ++i) v[i] += v[(i + 1) % 3] * v[(i + 2) % 3];
  };
  round();
  for (std::uint32_t& word : v) word ^= word >> 16U;
  round();
  return v;
}

/// What a neuron is driven by in a step, drawn by `key`.
inline float thalamic(const NeuronTerms& neuron, std::uint32_t step, std::uint32_t key) {
  int sum = 0;
  for (const std::uint32_t word : random_words(neuron.number, step, key)) {
    for (unsigned byte = 0; byte < 4; ++byte) sum += static_cast<int>(word >> 8 * byte & 255U);
  }
  return static_cast<float>(sum - 1530) * (neuron.noise / 256);
}

/// One step of Izhikevich's equations; whether the neuron spikes.
inline bool integrates(NeuronTerms& n, float input) {
  for (int half = 0; half < 2; ++half)
    n.v = n.v + 0.5F * (0.04F * n.v * n.v + 5.0F * n.v + 140.0F - n.u + input);
  n.u = n.u + n.a * (n.b * n.v - n.u);
  if (n.v < 30) return false;
  n.v = n.c;
  n.u = n.u + n.d;
  return true;
}

/// Steps first + 1 .. first + steps of neurons, by the graph's vertices.
struct SpikingTerms {
  std::vector<NeuronTerms> neurons;
  std::vector<std::uint32_t> delays;  ///< of arcs; none: all 1
  std::uint32_t key, first, steps;
};

/// How often each has spiked.
std::vector<double> reference_spikes(const NamedGraph& graph, const SpikingTerms& terms);

}  // namespace polyloom::apps
