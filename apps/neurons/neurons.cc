// SPDX-License-Identifier: Apache-2.0
// Spiking neurons: Izhikevich, "Simple model of spiking neurons" (IEEE Transactions on Neural Networks 14,
// 2003), in steps of 1 ms, v in two halves. A neuron sends when it spikes; the current of a step is the sum
// of the weights of the edges along which a spike has come. Weights are summed in fixed point, so that no
// order of messages matters: every machine finds the same spikes. Source: Multicast paper, section VI (SNN).
#include <polyloom/program.h>

#if POLYLOOM_HOST
#include <map>
#include <tuple>

#include "apps/neurons/network.h"
#include "fabric/partial_file.h"
#endif

/// A weight of 1 in labels and sums.
inline constexpr int32_t kUnit = 65536;
/// Steps that a spike may be on its way, in the form with delays.
inline constexpr uint32_t kMostDelay = 10;
/// Words of given spikes, a bit a step. A run of more steps is made in pieces.
inline constexpr uint32_t kGivenWords = 32;

/// `More`: what a form has beside.
template <typename More>
struct NeuronState {
  float v, u;        ///< membrane potential in mV, and its recovery
  float a, b, c, d;  ///< of the model
  float offset;      ///< constant current
  float noise;       ///< of the thalamic current: a 256th of its standard deviation
  uint32_t id;
  uint32_t key;      ///< of its random numbers: the seed's
  uint32_t done;     ///< the last step that was made
  uint32_t end;      ///< the last one to make
  uint32_t spikes;   ///< how many
  uint32_t spiked;   ///< in step `done`
  uint32_t reports;  ///< the host: nothing, 1 of spikes, 2 of every step
  More more;
};

/// Weights that have come, by the step that they are for.
struct Sync {
  int32_t current[1];
};
struct Gals {
  int32_t current[2];  ///< by parity of the step in which they were sent
  uint32_t heard[2];   ///< messages, by the same
  uint32_t expected;   ///< of them: in-edges, back edges included
  uint32_t sent;       ///< the last step that neighbours were told of
};
struct Delayed {
  int32_t current[kMostDelay];  ///< of the next step from `next` on, and around
  uint32_t next;
  uint32_t is_source;           ///< it spikes not of itself but
  uint32_t chance;              ///< with this probability of 2^32
  uint32_t from, before;        ///< in these steps, and
  uint32_t given[kGivenWords];  ///< where the bit of a step is set,
  uint32_t given_from;          ///< from this step on
};

/// To neurons, and to the host, in one flit.
struct Spike {
  uint32_t from;  ///< the neuron
  uint32_t step;  ///< twice, and 1 if it spiked
  float v;
};

template <unsigned Slots>
struct NeuronResult {
  uint32_t id;
  uint32_t value;  ///< spikes
  float v, u;
  int32_t current[Slots];  ///< of the next steps
};

/// Three random words of three numbers: pcg3d of Jarzynski and Olano, "Hash functions for GPU rendering"
/// (2020).
struct Random {
  uint32_t x, y, z;
  INLINE Random(uint32_t neuron, uint32_t step, uint32_t key)
      : x(begin(neuron)), y(begin(step)), z(begin(key)) {
    mix();
    x ^= x >> 16;
    y ^= y >> 16;
    z ^= z >> 16;
    mix();
  }
  static INLINE uint32_t begin(uint32_t n) { return n * 1664525u + 1013904223u; }
  INLINE void mix() {
    x += y * z;
    y += z * x;
    z += x * y;
  }
  static INLINE uint32_t sum_of_bytes(uint32_t word) {
    word = (word & 0x00ff00ffu) + (word >> 8 & 0x00ff00ffu);
    return (word + (word >> 16)) & 0xffffu;
  }
  /// The sum of all twelve bytes is nearly normal, with mean 1530 and standard deviation 256.
  INLINE float normal() const {
    return (float)((int32_t)(sum_of_bytes(x) + sum_of_bytes(y) + sum_of_bytes(z)) - 1530);
  }
};

/// What all forms have in common.
template <typename S, typename E>
struct Spiking : PDevice<S, E, Spike> {
  using PDevice<S, E, Spike>::s;
  using PDevice<S, E, Spike>::readyToSend;

  /// Makes a step with that current.
  INLINE void integrate(int32_t current) {
    float input = (float)current * (1.0f / kUnit) + s->offset;
    if (s->noise != 0) input += Random(s->id, s->done, s->key).normal() * s->noise;
    float v = s->v;
    v += 0.5f * (0.04f * v * v + 5.0f * v + 140.0f - s->u + input);
    v += 0.5f * (0.04f * v * v + 5.0f * v + 140.0f - s->u + input);
    s->u += s->a * (s->b * v - s->u);
    s->spiked = v >= 30.0f;
    if (s->spiked) {
      v = s->c;
      s->u += s->d;
    }
    s->v = v;
  }
  INLINE bool reports_host() const { return s->reports > (s->spiked ? 0u : 1u); }
  INLINE void write(Spike* message) {
    message->from = s->id;
    message->step = s->done << 1 | s->spiked;
    message->v = s->v;
  }
  template <unsigned Slots>
  INLINE void outcome(NeuronResult<Slots>* result) {
    result->id = s->id;
    result->value = s->spikes;
    result->v = s->v;
    result->u = s->u;
  }
};

/// A superstep a step: all spikes of one have come before the next begins.
template <typename S, typename E>
struct Supersteps : Spiking<S, E> {
  using Spiking<S, E>::s;
  using Spiking<S, E>::readyToSend;
  static constexpr bool recvNeverSends = true;

  INLINE void init() { *readyToSend = No; }
  /// First to the host, where that is told.
  INLINE void send(Spike* message) {
    this->write(message);
    *readyToSend = *readyToSend == HostPin && s->spiked ? Pin(0) : No;
  }
  /// After the step is made.
  INLINE bool request() {
    s->spikes += s->spiked;
    *readyToSend = this->reports_host() ? HostPin : s->spiked ? Pin(0) : No;
    return s->done < s->end;
  }
};

struct SyncNeuron : Supersteps<NeuronState<Sync>, int32_t> {
  INLINE void recv(Spike*, const int32_t* weight) { s->more.current[0] += *weight; }
  INLINE bool step() {
    if (s->done == s->end) return false;
    s->done++;
    integrate(s->more.current[0]);
    s->more.current[0] = 0;
    return request();
  }
  INLINE bool finish(NeuronResult<1>* result) {
    outcome(result);
    result->current[0] = s->more.current[0];
    return true;
  }
};

/// What a spike does, and when: 1 is the next step.
struct Synapse {
  int32_t weight;
  uint32_t delay;
};

/// Also with delays, and with neurons whose spikes are given or come by chance.
struct DelayedNeuron : Supersteps<NeuronState<Delayed>, Synapse> {
  INLINE int32_t* slot(uint32_t steps) {
    const uint32_t at = s->more.next + steps;
    return &s->more.current[at < kMostDelay ? at : at - kMostDelay];
  }
  INLINE void recv(Spike*, const Synapse* synapse) { *slot(synapse->delay - 1) += synapse->weight; }
  INLINE void follow() {
    const uint32_t at = s->done - s->more.given_from;
    s->spiked = at < 32 * kGivenWords ? s->more.given[at / 32] >> (at % 32) & 1 : 0;
    if (s->done >= s->more.from && s->done < s->more.before)
      s->spiked |= Random(s->id, s->done, s->key).x < s->more.chance;
  }
  INLINE bool step() {
    if (s->done == s->end) return false;
    s->done++;
    int32_t* const now = slot(0);
    if (s->more.is_source) {
      follow();
    } else {
      integrate(*now);
    }
    *now = 0;
    s->more.next = s->more.next + 1 == kMostDelay ? 0 : s->more.next + 1;
    return request();
  }
  INLINE bool finish(NeuronResult<kMostDelay>* result) {
    outcome(result);
    for (uint32_t i = 0; i < kMostDelay; ++i) result->current[i] = *slot(i);
    return true;
  }
};

/// Without barriers: a neuron goes on when all its neighbours have told of the step, spike or not. Back edges
/// of weight 0 keep neighbours within one step of each other, so that two sums are enough.
struct GalsNeuron : Spiking<NeuronState<Gals>, int32_t> {
  INLINE void make_step() {
    const uint32_t parity = s->done & 1;
    const int32_t current = s->more.current[parity];
    s->more.current[parity] = 0;
    s->more.heard[parity] = 0;
    s->done++;
    integrate(current);
    s->spikes += s->spiked;
    *readyToSend = reports_host() ? HostPin : Pin(0);
  }
  INLINE void advance() {
    if (s->more.sent == s->done && s->done != s->end && s->more.heard[s->done & 1] == s->more.expected)
      make_step();
  }
  INLINE void init() {
    *readyToSend = No;
    if (s->done != s->end) make_step();
  }
  INLINE void send(Spike* message) {
    write(message);
    if (*readyToSend == HostPin) {
      *readyToSend = Pin(0);
      return;
    }
    *readyToSend = No;
    s->more.sent = s->done;
    advance();
  }
  INLINE void recv(Spike* message, const int32_t* weight) {
    const uint32_t parity = message->step >> 1 & 1;
    if (message->step & 1) s->more.current[parity] += *weight;
    s->more.heard[parity]++;
    advance();
  }
  INLINE bool step() { return false; }
  INLINE bool finish(NeuronResult<1>* result) {
    outcome(result);
    result->current[0] = s->more.current[s->done & 1];
    return true;
  }
};

struct Neurons : polyloom::Program {
  using Modes = polyloom::Modes<polyloom::Mode<"sync", SyncNeuron>, polyloom::Mode<"gals", GalsNeuron>,
                                polyloom::Variant<"delayed", DelayedNeuron>>;
  static constexpr const char* purpose = "Spiking neurons: Izhikevich's model on a graph of synapses.";
  static constexpr bool takes_weights = true;
  static constexpr bool signed_weights = true;
  static constexpr bool draws = true;
  static constexpr polyloom::Parameter parameters[] = {
      {"steps", 1000, "Steps of 1 ms", 1, 1000000000},
      {"first-step", 0, "Steps that are over: of --neurons as --out has left them", 0, 1000000000},
      {"noise", 1,
       "Thalamic current: standard deviation 5 for excitatory and 2 for inhibitory ones, times this", 0, 1000,
       false},
      {"excitation", 0.5, "Largest weight of excitatory neurons, drawn where the graph has none", 0, 1000,
       false},
      {"inhibition", 1, "The same of inhibitory ones, whose weights are negative", 0, 1000, false}};

#if POLYLOOM_HOST
  static constexpr polyloom::Text texts[] = {
      {"neurons",
       "",
       "File of columns vertex and any of a, b, c, d, v, u, offset, noise, rate, from, before, trace",
       {},
       polyloom::File::read},
      {"delays",
       "",
       "File of whole numbers, an edge each: steps that its spikes take, 1 to 10",
       {},
       polyloom::File::read},
      {"stimulus",
       "",
       "File of lines step,neuron: neurons that spike then, counted from 1, and at no other time",
       {},
       polyloom::File::read},
      {"raster", "", "Write step,neuron of every spike", {}, polyloom::File::written},
      {"traces",
       "",
       "Write step,neuron,v of every step; of column trace of --neurons, where that is",
       {},
       polyloom::File::written}};

  static_assert(polyloom::apps::Network::kUnit == kUnit && polyloom::apps::Network::kMostDelay == kMostDelay);
  static inline polyloom::apps::Network network;               // check() makes it
  static inline std::vector<polyloom::apps::NeuronTerms> now;  // its neurons before the next piece of the run
  static inline std::vector<Spike> reported;                   // to hear(), in all pieces

  static std::string variant(const Options& options, const Input&) {
    return network.is_delayed() ? "delayed" : options.mode;
  }
  static uint32_t whole(const Options& options, const char* name) {
    return static_cast<uint32_t>(options.parameter(name));
  }
  static void check(const Options& options, Input& input) {
    if (options.parameter("first-step") + options.parameter("steps") > 1e9)
      throw polyloom::UserError("--first-step and --steps: at most 1000000000 together");
    network = {options, input};
    now = network.neurons;
    if (options.mode == "gals" && network.is_delayed())
      throw polyloom::UserError(
          "--mode gals: delays, and neurons whose spikes are given, need supersteps; leave it out");
  }

  template <typename Graph>
  static void connect(Graph& graph, const Input& input) {
    constexpr bool gals = std::is_same_v<Graph, polyloom::apps::GraphOf<GalsNeuron>>;
    graph.reserveEdges((gals ? 2 : 1) * input.edges.size());
    for (std::size_t e = 0; e < input.edges.size(); ++e) {
      const auto [from, to] = input.edges[e];
      const int32_t weight = network.fixed(e);
      if constexpr (std::is_same_v<Graph, polyloom::apps::GraphOf<DelayedNeuron>>) {
        graph.addLabelledEdge(Synapse{weight, network.delay(e)}, from, 0, to);
      } else {
        graph.addLabelledEdge(weight, from, 0, to);
      }
      if constexpr (gals) graph.addLabelledEdge(0, to, 0, from);
    }
  }
  static void start(NeuronState<Gals>& state, const polyloom::Start& vertex) {
    state.more.expected = vertex.in_edges + vertex.out_edges;  // each neighbour has an edge back
    state.more.sent = whole(vertex.options, "first-step");
  }
  /// Steps before a piece of the run, and in it.
  static std::pair<uint32_t, uint32_t> piece(const Options& options, uint32_t run) {
    const uint32_t steps = whole(options, "steps");
    const uint32_t most = network.is_delayed() ? 32 * kGivenWords : steps;
    return {whole(options, "first-step") + run * most, std::min(most, steps - run * most)};
  }
  template <typename Graph>
  static void prepare(Graph& graph, const Options& options, const Input& input, uint32_t run) {
    const auto [first, steps] = piece(options, run);
    for (uint32_t v = 0; v < input.vertices; ++v) {
      auto& state = graph.devices[v]->state;
      const polyloom::apps::NeuronTerms& n = now[v];
      state.v = n.v, state.u = n.u, state.a = n.a, state.b = n.b, state.c = n.c, state.d = n.d;
      state.offset = n.offset;
      state.noise = n.noise / 256;
      state.key = network.key;
      state.done = first;
      state.end = first + steps;
      state.reports =
          options.given.contains("traces") && network.traced[v] ? 2 : options.given.contains("raster");
      constexpr bool gals = std::is_same_v<Graph, polyloom::apps::GraphOf<GalsNeuron>>;
      for (std::size_t i = 0; i < n.coming.size(); ++i)
        state.more.current[gals ? (first & 1) : i] = n.coming[i];
      if constexpr (requires { state.more.given; }) {
        state.more.is_source = n.is_source;
        state.more.chance = n.chance;
        state.more.from = n.from;
        state.more.before = n.before;
        state.more.given_from = first + 1;
        for (auto at = n.given.upper_bound(first); at != n.given.end() && *at <= first + steps; ++at)
          state.more.given[(*at - first - 1) / 32] |= 1u << ((*at - first - 1) % 32);
      }
    }
  }
  static void hear(const Options&, const Input&, std::span<const Spike> spikes, Outcome&) {
    reported.insert(reported.end(), spikes.begin(), spikes.end());
  }
  /// A long run of given spikes goes on where its last piece has ended.
  template <typename Result>
  static bool another_run(const Options& options, uint32_t runs, std::span<const Result> latest,
                          std::vector<Result>& results) {
    const auto [first, steps] = piece(options, runs - 1);
    for (std::size_t v = 0; v < latest.size(); ++v) {
      const uint32_t spikes = results[v].value;
      results[v] = latest[v];
      results[v].value += spikes;
      now[v].v = latest[v].v;
      now[v].u = latest[v].u;
      now[v].coming.assign(std::begin(latest[v].current), std::end(latest[v].current));
    }
    return first + steps < whole(options, "first-step") + whole(options, "steps");
  }
  /// Spikes, or with `traces` every step, in order.
  static void write_reported(const std::string& file, const Input& input, bool traces) {
    std::string text = traces ? "step,neuron,v\n" : "step,neuron\n";
    for (const Spike& spike : reported) {
      if (traces ? !network.traced[spike.from] : (spike.step & 1) == 0) continue;
      text += std::to_string(spike.step >> 1) + ',' + polyloom::apps::csv_field(input.names[spike.from]);
      if (traces) text += ',' + polyloom::apps::number_text(static_cast<double>(spike.v), false);
      text += '\n';
    }
    polyloom::fabric::write_whole(file, text);
  }
  template <unsigned Slots>
  static void report(const Options& options, const Input& input, std::span<const NeuronResult<Slots>> results,
                     Outcome& outcome) {
    double spikes[2] = {0, 0}, count[2] = {0, 0};
    std::vector<polyloom::apps::Column> columns{{"v", {}}, {"u", {}}};
    for (unsigned slot = 0; slot < Slots; ++slot) columns.push_back({"current" + std::to_string(slot), {}});
    for (uint32_t v = 0; v < input.vertices; ++v) {
      spikes[network.inhibitory[v]] += results[v].value;
      count[network.inhibitory[v]] += 1;
      columns[0].values.push_back(static_cast<double>(results[v].v));
      columns[1].values.push_back(static_cast<double>(results[v].u));
      for (unsigned slot = 0; slot < Slots; ++slot)
        columns[2 + slot].values.push_back(results[v].current[slot] / static_cast<double>(kUnit));
    }
    const double steps = options.parameter("steps");
    const auto rate = [&](double of, double neurons_of) {
      return neurons_of > 0 ? of / neurons_of / steps * 1000 : 0;
    };
    outcome.facts = {{"steps", steps},
                     {"spikes", spikes[0] + spikes[1]},
                     {"rate_hz", rate(spikes[0] + spikes[1], input.vertices)},
                     {"excitatory", count[0]},
                     {"excitatory_rate_hz", rate(spikes[0], count[0])},
                     {"inhibitory", count[1]},
                     {"inhibitory_rate_hz", rate(spikes[1], count[1])}};
    outcome.columns = std::move(columns);
    const double end = options.parameter("first-step") + steps;
    const auto after = [&](const auto& n) {
      return std::ranges::count_if(n.given, [&](uint32_t step) { return step > end; });
    };
    const auto late = std::transform_reduce(network.neurons.begin(), network.neurons.end(), std::ptrdiff_t{0},
                                            std::plus<>(), after);
    if (late > 0)
      outcome.notes.push_back(std::to_string(late) +
                              " spikes of --stimulus are of steps after the last one, " +
                              std::to_string(static_cast<uint64_t>(end)));
    if (!reported.empty())
      outcome.notes.push_back(
          "what neurons tell the host while they run costs time: leave --raster and --traces out to "
          "measure it");
    std::ranges::sort(reported, [](const Spike& x, const Spike& y) {
      return std::pair(x.step >> 1, x.from) < std::pair(y.step >> 1, y.from);
    });
    if (options.given.contains("raster")) write_reported(options.text("raster"), input, false);
    if (options.given.contains("traces")) write_reported(options.text("traces"), input, true);
  }
  /// Delays by the arcs of another reading, which may have them in another order.
  static std::vector<uint32_t> delays_of(const NamedGraph& graph, const Input& input,
                                         const std::vector<uint32_t>& ours) {
    std::map<std::tuple<uint32_t, uint32_t, float>, std::vector<uint32_t>> left;
    for (std::size_t e = 0; e < network.delays.size(); ++e)
      left[{input.edges[e].from, input.edges[e].to, input.fractions[e]}].push_back(network.delays[e]);
    std::vector<uint32_t> found;
    for (std::size_t e = 0; e < network.delays.size(); ++e) {
      const auto& arc = graph.arcs[e];
      auto& of = left[{ours[arc.from], ours[arc.to], static_cast<float>(arc.weight)}];
      if (of.empty())
        throw polyloom::UserError("the run has no such edge as " + graph.names[arc.from] + " -> " +
                                  graph.names[arc.to]);
      found.push_back(of.back());
      of.pop_back();
    }
    return found;
  }
  static void verify(const Options& options, const Input& input, Outcome& outcome) {
    verify_exactly(options, input, outcome, [&](const NamedGraph& graph) {
      std::vector<polyloom::apps::NeuronTerms> by_name;
      std::vector<uint32_t> ours;
      for (const std::string& name : graph.names) {
        ours.push_back(*input.names.find(name));
        by_name.push_back(network.neurons[ours.back()]);
      }
      return polyloom::apps::reference_spikes(graph, {by_name, delays_of(graph, input, ours), network.key,
                                                      whole(options, "first-step"), whole(options, "steps")});
    });
  }
#endif
};

POLYLOOM_PROGRAM(Neurons)
