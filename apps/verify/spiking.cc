// SPDX-License-Identifier: Apache-2.0
#include "apps/verify/spiking.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace polyloom::apps {
namespace {

constexpr double kUnit = 65536;

/// pcg3d, as its paper writes it.
std::array<std::uint32_t, 3> random_words(std::uint32_t neuron, std::uint32_t step, std::uint32_t key) {
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

float thalamic(const NeuronTerms& neuron, std::uint32_t step, std::uint32_t key) {
  int sum = 0;
  for (const std::uint32_t word : random_words(neuron.number, step, key)) {
    for (unsigned byte = 0; byte < 4; ++byte) sum += static_cast<int>(word >> 8 * byte & 255U);
  }
  return static_cast<float>(sum - 1530) * (neuron.noise / 256);
}

bool follows(const NeuronTerms& neuron, std::uint32_t step, std::uint32_t key) {
  const bool now = step >= neuron.from && step < neuron.before;
  return neuron.given.contains(step) || (now && random_words(neuron.number, step, key)[0] < neuron.chance);
}

bool integrates(NeuronTerms& n, float input) {
  for (int half = 0; half < 2; ++half)
    n.v = n.v + 0.5F * (0.04F * n.v * n.v + 5.0F * n.v + 140.0F - n.u + input);
  n.u = n.u + n.a * (n.b * n.v - n.u);
  if (n.v < 30) return false;
  n.v = n.c;
  n.u = n.u + n.d;
  return true;
}

}  // namespace

std::vector<double> reference_spikes(const NamedGraph& graph, const SpikingTerms& terms) {
  std::vector<NeuronTerms> neurons = terms.neurons;
  std::size_t longest = 1;
  for (const std::uint32_t delay : terms.delays) longest = std::max<std::size_t>(longest, delay);
  for (const NeuronTerms& neuron : neurons) longest = std::max(longest, neuron.coming.size());
  // Currents by step, the next one first.
  std::vector<std::vector<double>> currents(longest + 1, std::vector<double>(neurons.size(), 0));
  for (std::size_t v = 0; v < neurons.size(); ++v) {
    for (std::size_t i = 0; i < neurons[v].coming.size(); ++i) currents[i][v] = neurons[v].coming[i] / kUnit;
  }
  std::vector<double> spikes(neurons.size(), 0);
  std::vector<bool> spiked(neurons.size());
  for (std::uint32_t step = terms.first + 1; step <= terms.first + terms.steps; ++step) {
    for (std::size_t v = 0; v < neurons.size(); ++v) {
      NeuronTerms& n = neurons[v];
      if (n.is_source) {
        spiked[v] = follows(n, step, terms.key);
      } else {
        float input = static_cast<float>(currents[0][v]) + n.offset;
        if (n.noise != 0) input += thalamic(n, step, terms.key);
        spiked[v] = integrates(n, input);
      }
      spikes[v] += spiked[v];
      currents[0][v] = 0;
    }
    std::ranges::rotate(currents, currents.begin() + 1);
    for (std::size_t e = 0; e < graph.arcs.size(); ++e) {
      const auto& arc = graph.arcs[e];
      const std::size_t delay = terms.delays.empty() ? 1 : terms.delays[e];
      const double weight = static_cast<float>(arc.weight);
      if (spiked[arc.from]) currents[delay - 1][arc.to] += std::round(weight * kUnit) / kUnit;
    }
  }
  return spikes;
}

}  // namespace polyloom::apps
