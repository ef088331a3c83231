// SPDX-License-Identifier: Apache-2.0
// What a program that polyloom/program.h describes does on the host: read the graph, map, load, run, collect,
// tell.
#pragma once

#include <HostLink.h>
#include <POLite.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <concepts>
#include <cstdio>
#include <cstdlib>
#include <limits>
#include <numeric>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "apps/common/input.h"
#include "apps/common/options.h"
#include "apps/common/outcome.h"
#include "apps/common/values_file.h"
#include "apps/include/polyloom/program.h"
#include "apps/verify/verify.h"
#include "fabric/error.h"
#include "fabric/guarded.h"
#include "fabric/host/progress_line.h"
#include "polite/native/peers.h"

#ifndef POLYLOOM_PROGRAM_NAME
#define POLYLOOM_PROGRAM_NAME "program"
#endif

namespace polyloom::apps {

using WallClock = std::chrono::steady_clock;

inline double seconds_since(WallClock::time_point start) {
  return std::chrono::duration<double>(WallClock::now() - start).count();
}

/// How a graph is called in its program's hooks.
template <typename V>
using GraphOf = PGraph<V, typename V::State, typename V::Edge, typename V::Message>;

template <typename P, typename V>
concept ConnectsItself = requires(GraphOf<V>& graph, const Input& input) {
  P::connect(graph, input);
};
template <typename P, typename V>
inline constexpr bool labels_are_weights = std::is_arithmetic_v<typename V::Edge> && !ConnectsItself<P, V>;

/// What can be told of a program without running it.
template <typename P>
Description describe(const char* name) {
  Description d;
  d.name = name;
  d.purpose = P::purpose;
  d.takes_source = P::takes_source;
  if constexpr (requires { P::parameters; }) d.parameters = P::parameters;
  if constexpr (requires { P::texts; }) d.texts = P::texts;
  if constexpr (requires { P::flags; }) d.flags = P::flags;
  const auto add = [&]<typename... M>(Modes<M...>) {
    if constexpr (sizeof...(M) > 1) ((M::offered ? d.modes.push_back(M::name()) : void()), ...);
    d.takes_weights = P::takes_weights || (labels_are_weights<P, typename M::Vertex> || ...);
    d.has_combiner = (requires { typename M::Vertex::Combiner; } || ...);
  };
  const auto fractions = []<typename... M>(Modes<M...>) {
    return P::takes_fractions || ((std::is_floating_point_v<typename M::Vertex::Edge> &&
                                   labels_are_weights<P, typename M::Vertex>) ||
                                  ...);
  };
  d.takes_fractions = fractions(typename detail::ModesOf<P>::type());
  d.signed_weights = P::signed_weights;
  d.draws = P::draws;
  add(typename detail::ModesOf<P>::type());
  d.makes_graph = requires(const Options& o) { P::make(o); };
  d.has_reference = requires(const Options& o, const Input& i, Outcome& a) { P::verify(o, i, a); };
  return d;
}

/// Gives the graph its edges, as the description says.
template <typename P, typename V>
void connect(GraphOf<V>& graph, const Input& input) {
  if constexpr (ConnectsItself<P, V>) {
    P::connect(graph, input);
  } else {
    using Edge = typename V::Edge;
    constexpr bool both_ways = P::edges == Edges::both_ways;
    if constexpr (std::is_same_v<Edge, std::uint32_t>) {
      graph.viewLabelledEdges(input.edges, input.weights, 0, both_ways);
    } else if constexpr (std::is_empty_v<Edge>) {
      graph.viewEdges(input.edges, 0, both_ways);
    } else {
      graph.reserveEdges((both_ways ? 2 : 1) * input.edges.size());
      static_assert(std::is_arithmetic_v<Edge>,
                    "labels that are no numbers: say how edges get them in connect(graph, input)");
      for (std::size_t i = 0; i < input.edges.size(); ++i) {
        const auto weight = static_cast<Edge>(input.weight(i));
        graph.addLabelledEdge(weight, input.edges[i].from, 0, input.edges[i].to);
        if (both_ways) graph.addLabelledEdge(weight, input.edges[i].to, 0, input.edges[i].from);
      }
    }
  }
}

/// The states before the run.
template <typename P, typename V>
void start_states(GraphOf<V>& graph, const Options& options, const Input& input, std::uint32_t source,
                  std::uint32_t run) {
  const std::uint32_t n = graph.numDevices;
  if constexpr (requires { graph.devices[0]->state.id; }) {
    for (std::uint32_t v = 0; v < n; ++v) graph.devices[v]->state.id = v;
  }
  if constexpr (requires(const Start& start) { P::start(graph.devices[0]->state, start); }) {
    const auto start = [&](std::uint32_t v, std::uint32_t out_edges, std::uint32_t in_edges) {
      P::start(graph.devices[v]->state, Start{v, n, out_edges, in_edges, v == source, run, options});
    };
    if constexpr (!ConnectsItself<P, V> && P::edges != Edges::both_ways) {
      for (std::uint32_t v = 0; v < n; ++v) start(v, graph.fanOut(v), graph.fanIn(v));
    } else {
      std::vector<std::uint32_t> out(n, 0), in(n, 0);
      for (const auto& edge : input.edges) ++out[edge.from], ++in[edge.to];
      for (std::uint32_t v = 0; v < n; ++v) start(v, out[v], in[v]);
    }
  }
  if constexpr (requires { P::prepare(graph, options, input, run); }) P::prepare(graph, options, input, run);
}

/// Runs `graph` (mapped by `options`, with initial states) with the device program `device` and hands each
/// vertex's finish message to `take`, what came on HostPin before to `hear`; calls written() once the graph is
/// where it runs. Sets outcome.mapping on a cluster. Adds to outcome.phases and outcome.load_seconds.
template <typename V, typename Written, typename Take, typename Hear>
void run_graph(GraphOf<V>& graph, const Options& options, const std::string& device, Outcome& outcome,
               Written written, Take take, Hear hear) {
  using Result = PMessage<PFinishType<V>>;
  using Heard = PMessage<typename V::Message>;
  const auto start = WallClock::now();
  HostLink link;
  graph.write(&link);
  written();
  if (!graph.is_simulation()) {
    outcome.mapping = mapping_of(graph.store(), graph.placement(), graph.mapReport);
  } else {
    if (options.explain)
      outcome.notes.push_back(
          "nothing to explain: a native run maps its vertices to no threads of FPGAs; say --on sim");
    if (options.pins != polite::Pins::automatic)
      outcome.notes.push_back("--pins changes nothing: a native run sends no messages between FPGAs");
  }
  const std::string folder = device_folder(device);
  if (!graph.is_simulation()) outcome.device = folder;
  link.boot((folder + "/code.v").c_str(), (folder + "/data.v").c_str());
  if (options.combine == polite::Combine::on && graph.layout().partial_bytes == 0)
    outcome.notes.push_back(
        "--combine on changes nothing: the messages of this form of the program cannot be merged");
  outcome.load_seconds += seconds_since(start);
  link.computeGoesOnAt(kHostPinKey);
  link.go();
  union Either {
    uint16_t key;
    Result result;
    Heard heard;
  };
  std::vector<Either> messages(4096);
  for (std::uint64_t left = graph.numDevices; left > 0;) {
    // The first alone: it says that the graph has finished.
    const bool first = left == graph.numDevices;
    const auto count = first ? 1 : static_cast<int>(std::min<std::uint64_t>(left, messages.size()));
    link.recvMsgs(count, sizeof(Either), messages.data());
    for (int i = 0; i < count; ++i) {
      const Either& message = messages[static_cast<std::size_t>(i)];
      if (message.key == kHostPinKey) {
        hear(message.heard.payload);
      } else {
        take(message.result.payload);
        --left;
      }
    }
  }
  const HostLinkPhases phases = link.phases();
  outcome.phases.load += phases.load;
  outcome.phases.start += phases.start;
  outcome.phases.compute += phases.compute;
  outcome.phases.collect += phases.collect;
}

template <typename P, typename V, typename Result = PFinishType<V>>
inline constexpr bool kRunsAgain = requires(const Options& options, std::vector<Result>& results) {
  P::another_run(options, 1, std::span<const Result>(results), results);
};

/// One run of a vertex class, from the edges to the results of the vertices.
template <typename P, typename V>
void run_once(const std::string& device, const Options& options, Input& input, std::uint32_t source,
              std::uint32_t run, std::vector<PFinishType<V>>& results, Outcome& outcome) {
  using Result = PFinishType<V>;
  GraphOf<V> graph;
  graph.mapVerticesToDRAM = P::states_in_dram;
  graph.newDevices(input.vertices);
  connect<P, V>(graph, input);
  graph.mapOptions.combine = options.combine;
  graph.mapOptions.pins = options.pins;
  {
    const fabric::Heartbeat heartbeat("placing " + std::to_string(graph.numDevices) + " vertices");
    graph.map();
  }
  start_states<P, V>(graph, options, input, source, run);
  if (run > 0) outcome.notes.clear();  // each run says the same
  std::vector<bool> responded(results.size(), false);
  const auto take = [&](const Result& result) {
    if (result.id >= results.size() || responded[result.id])
      throw UserError("vertex " + std::to_string(result.id) +
                      (result.id < results.size() ? " has answered twice" : " does not exist") +
                      ": finish() must set result->id to the vertex's own, s->id");
    responded[result.id] = true;
    results[result.id] = result;
  };
  using Message = typename V::Message;
  std::vector<Message> heard;
  // Of several processes, only the one that speaks for all has a use for edges after that.
  const auto written = [&] {
    if (!kRunsAgain<P, V> && !polite::is_first_process()) input.drop_edges();
  };
  run_graph<V>(graph, options, device, outcome, written, take,
               [&](const Message& message) { heard.push_back(message); });
  if constexpr (requires { P::hear(options, input, std::span<const Message>(heard), outcome); })
    if (polite::is_first_process()) P::hear(options, input, std::span<const Message>(heard), outcome);
}

/// One mode of a program, from the edges to the result's values.
template <typename P, typename V>
void run_mode(const std::string& device, const Options& options, Input& input, std::uint32_t source,
              Outcome& outcome) {
  using Result = PFinishType<V>;
  std::vector<Result> results(input.vertices);
  if constexpr (kRunsAgain<P, V>) {
    std::vector<Result> latest(input.vertices);
    std::uint32_t runs = 0;
    do {
      run_once<P, V>(device, options, input, source, runs++, latest, outcome);
    } while (P::another_run(options, runs, std::span<const Result>(latest), results));
  } else {
    run_once<P, V>(device, options, input, source, 0, results, outcome);
  }
  if (!polite::is_first_process()) return;
  constexpr double kNone = std::numeric_limits<double>::quiet_NaN();
  outcome.integral = std::is_integral_v<decltype(Result::value)>;
  outcome.values.resize(input.vertices);
  for (std::uint32_t v = 0; v < input.vertices; ++v) {
    const auto value = static_cast<double>(results[v].value);
    outcome.values[v] = value == P::no_value || std::isinf(value) ? kNone : value;
  }
  if constexpr (requires { P::report(options, input, std::span<const Result>(results), outcome); })
    P::report(options, input, std::span<const Result>(results), outcome);
}

/// What builds and calls the program must know: {"modes": [...], "bytes": [...], "draws": ..., "makes_graph":
/// ..., "writes": [...]}, bytes of a state, a message and a label, and options that name files to write.
template <typename P>
void print_description(const Description& description) {
  std::string modes, bytes;
  const auto add = [&]<typename... M>(Modes<M...>) {
    ((modes += std::string(modes.empty() ? "" : ", ") + '"' + M::name() + '"'), ...);
    ((bytes += (bytes.empty() ? "" : ", ") + std::to_string(detail::bytes_of<typename M::Vertex>())), ...);
  };
  add(typename detail::ModesOf<P>::type());
  std::string writes;
  for (const Text& text : description.texts) {
    if (text.file == File::written) writes += std::string(writes.empty() ? "\"" : ", \"") + text.name + "\"";
  }
  std::printf(
      "{\"name\": \"%s\", \"modes\": [%s], \"bytes\": [%s], \"draws\": %s, \"makes_graph\": %s, \"writes\": "
      "[%s]}\n",
      description.name.c_str(), modes.c_str(), bytes.c_str(), P::draws ? "true" : "false",
      description.makes_graph ? "true" : "false", writes.c_str());
}

/// The body of the host's main().
template <typename P>
int run_described(int argc, char** argv) {
  const Description description = describe<P>(POLYLOOM_PROGRAM_NAME);
  if (argc == 2 && std::string_view(argv[1]) == "--describe") {
    print_description<P>(description);
    return 0;
  }
  if (!polite::is_first_process()) speak_no_more();
  const Options options = parse_options(argc, argv, description);
  const auto start = WallClock::now();
  bool weights = description.takes_weights;
  if constexpr (requires { P::uses_weights(options); }) weights = weights && P::uses_weights(options);
  const auto take_input = [&] {
    if constexpr (requires { P::make(options); }) return P::make(options);
    return load_input(options, weights, description.takes_fractions, description.signed_weights);
  };
  Input input = take_input();
  if (P::edges == Edges::undirected) make_undirected(input);
  const std::uint32_t source = vertex_called(input, options.source, "--source");
  if constexpr (requires { P::check(options, input); }) P::check(options, input);
  Outcome outcome;
  outcome.load_seconds = seconds_since(start);
  outcome.of_vertices = P::values_are_vertices;
  outcome.largest_first = P::largest_first;
  std::string mode = options.mode;
  if constexpr (requires { P::variant(options, input); }) mode = P::variant(options, input);
  const auto run = [&]<typename First, typename... M>(Modes<First, M...>) {
    const auto run_if = [&]<typename One>(One) {
      const bool first = std::is_same_v<One, First>;
      if (mode == One::name() || (first && mode.empty()))
        run_mode<P, typename One::Vertex>(description.name + (first ? "" : "_" + mode), options, input,
                                          source, outcome);
    };
    run_if(First());
    (run_if(M()), ...);
  };
  run(typename detail::ModesOf<P>::type());
  outcome.processes = together();
  if (!polite::is_first_process()) return 0;
  if constexpr (requires { P::verify(options, input, outcome); }) {
    if (options.verify) P::verify(options, input, outcome);
  }
  // What polyloom run --verify-with gives to the user's function and compares with its result.
  if (const char* folder = std::getenv("POLYLOOM_COMPARE_FOLDER"); folder != nullptr && *folder != '\0') {
    write_edges(std::string(folder) + "/edges.csv", input, P::edges == Edges::both_ways);
    write_values(std::string(folder) + "/values.csv", input, outcome);
  }
  return finish(options, input, outcome);
}

template <typename P>
int run_program(int argc, char** argv) {
  return guarded([&] { return run_described<P>(argc, argv); });
}

}  // namespace polyloom::apps
