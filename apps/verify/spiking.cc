// SPDX-License-Identifier: Apache-2.0
#include "apps/verify/spiking.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace polyloom::apps {
namespace {

constexpr double kUnit = 65536;

bool follows(const NeuronTerms& neuron, std::uint32_t step, std::uint32_t key) {
  const bool now = step >= neuron.from && step < neuron.before;
  return neuron.given.contains(step) || (now && random_words(neuron.number, step, key)[0] < neuron.chance);
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
