// SPDX-License-Identifier: Apache-2.0
// The network that options and a graph describe: kinds of neurons, parameters, weights, delays and given
// spikes, from files or drawn by the seed. Host only.
#pragma once

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <string>
#include <utility>
#include <vector>

#include "apps/common/input.h"
#include "apps/common/options.h"
#include "apps/common/values_file.h"
#include "apps/verify/spiking.h"
#include "fabric/error.h"
#include "polite/generators/counter_random.h"

namespace polyloom::apps {

/// A column of --neurons, and what it may hold.
struct NeuronColumn {
  const char* name;
  float NeuronTerms::*field;  ///< where that is all
  double least = -1e6, most = 1e6;
};

class Network {
 public:
  using Neuron = NeuronTerms;
  using Column = NeuronColumn;
  /// Steps that a spike may be on its way, and what a weight of 1 is in sums.
  static constexpr std::uint32_t kMostDelay = 10;
  static constexpr std::int32_t kUnit = 65536;

  std::vector<Neuron> neurons;        ///< before the run, by vertex
  std::vector<std::uint32_t> delays;  ///< of edges; none: all 1
  std::vector<bool> inhibitory, traced;
  std::uint32_t key = 0;  ///< of what neurons draw

  Network() = default;
  /// Draws the input's weights if it has none. Throws UserError.
  Network(const Options& options, Input& input) : options_(&options), input_(&input), random_(options.seed) {
    key = static_cast<std::uint32_t>(random_.bits(~0ULL));
    choose_kinds();
    draw_neurons();
    draw_weights(input);
    read_neurons();
    read_delays();
    read_stimulus();
    check_sums();
  }

  /// Whether it takes the form of the program for delays and given spikes.
  bool is_delayed() const {
    return !delays.empty() ||
           std::ranges::any_of(neurons, [](const Neuron& n) { return n.is_source || n.coming.size() > 1; });
  }
  /// A weight in sums.
  std::int32_t fixed(std::size_t edge) const {
    return static_cast<std::int32_t>(std::lround(input_->weight(edge) * kUnit));
  }
  std::uint32_t delay(std::size_t edge) const { return delays.empty() ? 1 : delays[edge]; }

 private:
  /// 80 % excitatory; where the graph has weights, those whose out-edges' are not negative in sum.
  void choose_kinds() {
    std::vector<double> given(input_->vertices, 0);
    for (std::size_t e = 0; e < input_->fractions.size(); ++e)
      given[input_->edges[e].from] += input_->weight(e);
    for (std::uint32_t v = 0; v < input_->vertices; ++v)
      inhibitory.push_back(input_->fractions.empty() ? random_.unit(4ULL * v) < 0.2 : given[v] < 0);
  }
  /// As Izhikevich draws them.
  void draw_neurons() {
    for (std::uint32_t v = 0; v < input_->vertices; ++v) {
      Neuron n;
      const double r = random_.unit(4ULL * v + 1);
      const bool inhibits = inhibitory[v];
      n.a = static_cast<float>(inhibits ? 0.02 + 0.08 * r : 0.02);
      n.b = static_cast<float>(inhibits ? 0.25 - 0.05 * r : 0.2);
      n.c = static_cast<float>(inhibits ? -65 : -65 + 15 * r * r);
      n.d = static_cast<float>(inhibits ? 2 : 8 - 6 * r * r);
      n.u = n.b * n.v;
      n.noise = static_cast<float>((inhibits ? 2 : 5) * options_->parameter("noise"));
      n.number = v;
      neurons.push_back(n);
    }
  }
  void draw_weights(Input& input) const {
    if (!input.fractions.empty()) {
      for (const char* name : {"excitation", "inhibition"}) {
        if (options_->given.contains(name))
          throw UserError(std::string("--") + name + ": " + input.description +
                          " has weights of its own; leave it out");
      }
      return;
    }
    for (std::size_t e = 0; e < input.edges.size(); ++e) {
      const bool inhibits = inhibitory[input.edges[e].from];
      const double most = options_->parameter(inhibits ? "inhibition" : "excitation");
      input.fractions.push_back(static_cast<float>((inhibits ? -most : most) * random_.unit(4ULL * e + 2)));
    }
    input.drawn_weights = true;
  }

  [[noreturn]] void refuse(const char* option, const std::string& why) const {
    throw UserError(std::string("--") + option + " " + options_->text(option) + ": " + why);
  }
  Neuron& neuron_called(const char* option, const std::string& name) {
    if (const auto found = input_->names.find(name)) return neurons[*found];
    refuse(option, "the graph has no vertex " + name);
  }

  static constexpr double kLastStep = 4294967295.0;
  static constexpr Column kColumns[] = {{"a", &Neuron::a},
                                        {"b", &Neuron::b},
                                        {"c", &Neuron::c},
                                        {"d", &Neuron::d},
                                        {"v", &Neuron::v},
                                        {"u", &Neuron::u},
                                        {"offset", &Neuron::offset},
                                        {"noise", &Neuron::noise, 0},
                                        {"rate", nullptr, 0, 1000},
                                        {"from", nullptr, 0, kLastStep},
                                        {"before", nullptr, 0, kLastStep},
                                        {"trace", nullptr},
                                        {"value", nullptr, 0, 1e9}};
  /// currentN: what comes in the step after N others.
  static int slot_of(const std::string& column) {
    const bool one =
        column.size() == 8 && column.starts_with("current") && column[7] >= '0' && column[7] <= '9';
    return one ? column[7] - '0' : -1;
  }
  Column column_called(const std::string& name) const {
    if (slot_of(name) >= 0) return {"current", nullptr, -32767, 32767};
    for (const Column& column : kColumns) {
      if (name == column.name) return column;
    }
    std::string known;
    for (const Column& column : kColumns) known += std::string(column.name) + ", ";
    refuse("neurons", "there is no column '" + name + "'; there are " + known + "current0 to current9");
  }
  void set(Neuron& n, const std::string& name, const Column& column, double value) {
    if (column.field != nullptr) n.*column.field = static_cast<float>(value);
    if (name == "trace") traced[n.number] = value != 0;
    if (name == "from") n.from = static_cast<std::uint32_t>(value);
    if (name == "before") n.before = static_cast<std::uint32_t>(value);
    if (name == "rate") {
      n.is_source = true;
      n.chance = static_cast<std::uint32_t>(std::min(value / 1000 * 0x1p32, kLastStep));
    }
    if (const auto slot = static_cast<std::size_t>(slot_of(name)); slot_of(name) >= 0 && value != 0) {
      n.coming.resize(std::max(n.coming.size(), slot + 1), 0);
      n.coming[slot] = static_cast<std::int32_t>(std::lround(value * kUnit));
    }
  }
  void read_neurons() {
    traced.assign(input_->vertices, true);
    if (!options_->given.contains("neurons")) return;
    const Table table = read_table(options_->text("neurons"));
    std::vector<Column> columns;
    for (const std::string& name : table.columns) {
      columns.push_back(column_called(name));
      if (name == "trace") traced.assign(input_->vertices, false);
    }
    for (const auto& [name, values] : table.values) {
      Neuron& n = neuron_called("neurons", name);
      n.before = static_cast<std::uint32_t>(kLastStep);
      bool has_u = false, has_others = false;
      for (std::size_t i = 0; i < values.size(); ++i) {
        const std::string& what = table.columns[i];
        if (std::isnan(values[i])) continue;
        if (values[i] < columns[i].least || values[i] > columns[i].most) {
          char range[96];
          std::snprintf(range, sizeof range, "%.10g; from %.10g to %.10g is expected", values[i],
                        columns[i].least, columns[i].most);
          refuse("neurons", what + " of " + name + " is " + range);
        }
        set(n, what, columns[i], values[i]);
        has_u = has_u || what == "u";
        has_others = has_others || what == "b" || what == "v";
      }
      if (has_others && !has_u) n.u = n.b * n.v;
    }
  }
  void read_delays() {
    if (!options_->given.contains("delays")) return;
    if (options_->undirected || options_->simple)
      refuse("delays", "they are of the edges that the graph has; leave --undirected and --simple out");
    std::ifstream file(options_->text("delays"));
    if (!file) refuse("delays", std::string("cannot be read: ") + std::strerror(errno));
    for (std::string word; file >> word;) {
      const bool whole = word.find_first_not_of("0123456789") == std::string::npos && word.size() < 9;
      const auto delay = whole ? std::stoul(word) : 0;
      if (delay < 1 || delay > kMostDelay)
        refuse("delays",
               "'" + word + "': whole numbers from 1 to " + std::to_string(kMostDelay) + " are expected");
      delays.push_back(static_cast<std::uint32_t>(delay));
    }
    if (delays.size() != input_->edges.size())
      refuse("delays", "has " + std::to_string(delays.size()) + " numbers; the graph has " +
                           std::to_string(input_->edges.size()) + " edges");
  }
  void read_stimulus() {
    if (!options_->given.contains("stimulus")) return;
    for (const auto& [step, name] : read_events(options_->text("stimulus"))) {
      if (step == 0) refuse("stimulus", "steps count from 1; a spike of " + name + " is of step 0");
      Neuron& n = neuron_called("stimulus", name);
      n.is_source = true;
      n.given.insert(static_cast<std::uint32_t>(std::min<std::uint64_t>(step, 0xffffffffu)));
    }
  }
  /// 32 bits hold all that may come in a step.
  void check_sums() const {
    std::vector<double> most(input_->vertices, 0);
    for (std::uint32_t v = 0; v < input_->vertices; ++v) {
      for (const std::int32_t current : neurons[v].coming)
        most[v] = std::max(most[v], std::abs(static_cast<double>(current)) / kUnit);
    }
    for (std::size_t e = 0; e < input_->edges.size(); ++e) {
      const std::uint32_t to = input_->edges[e].to;
      most[to] += std::abs(input_->weight(e));
      if (most[to] > 32767)
        throw UserError("weights are too large: those of the edges to " + input_->names[to] +
                        " are more than 32767 in sum");
    }
  }

  const Options* options_ = nullptr;
  const Input* input_ = nullptr;
  polite::CounterRandom random_{0};
};

}  // namespace polyloom::apps
