// SPDX-License-Identifier: Apache-2.0
// A vertex program in one file. It is compiled twice: for the threads of the overlay and for the host, which
// reads the graph, runs the vertices natively or on a cluster, and writes the result.
//
//   #include <polyloom/program.h>
//   struct Degree : PDevice<State, None, Message> { ... };  // what a vertex does (docs/guides/polite.md)
//   struct Degrees : polyloom::Program {                    // what the command line needs to know of it
//     using Vertex = Degree;
//     static constexpr const char* purpose = "How many neighbours a vertex has.";
//   };
//   POLYLOOM_PROGRAM(Degrees)
//
// Threads have no standard library: what only the host understands stands between #if POLYLOOM_HOST and
// #endif. A vertex class that sends on more pins than one says `static constexpr uint32_t numPins = 2`.
#pragma once

#include <POLite.h>

// POLYLOOM_VERTICES_ONLY: a program with a main of its own includes this one's file for the vertex classes.
#if defined(TINSEL) || defined(POLYLOOM_VERTICES_ONLY)
#define POLYLOOM_HOST 0
#else
#define POLYLOOM_HOST 1
#endif

#if POLYLOOM_HOST
#include <span>
#include <string>
#endif

namespace polyloom {
namespace apps {
struct Options;
struct Input;
struct Outcome;
struct NamedGraph;
}  // namespace apps

/// A number that the program takes on its command line: --NAME VALUE.
struct Parameter {
  const char* name;
  double value;  ///< where it is not given
  const char* help;
  double least = 0, most = 4294967295.0;
  bool whole = true;
  const char* unlimited = nullptr;  ///< a word that may be said instead: the value is infinite then
};

#if POLYLOOM_HOST
/// What a text is the name of.
enum class File {
  none,
  read,
  written,  ///< as CSV; that it can be, and that no other option names the file, is seen to before the work
};
/// A word that the program takes on its command line: --NAME WORD.
struct Text {
  const char* name;
  const char* value;  ///< where it is not given
  const char* help;
  std::span<const char* const> choices = {};  ///< none: any
  File file = File::none;
};

/// --NAME: Options::given then holds it.
struct Flag {
  const char* name;
  const char* help;
};
#endif

/// What is known of a vertex before the run.
struct Start {
  uint32_t vertex;               ///< its number, 0 .. vertices-1
  uint32_t vertices;             ///< in the whole graph
  uint32_t out_edges, in_edges;  ///< of the graph as it was read, or made undirected
  bool is_source;                ///< the vertex that --source names
  uint32_t run;                  ///< 0; of a program with another_run(), how many have been
  const apps::Options& options;
  /// Value of one of the program's parameters.
  double parameter(const char* name) const;
};

/// How a program takes a graph's edges.
enum class Edges {
  as_given,    ///< on Pin(0), from their source to their target
  both_ways,   ///< also from target to source
  undirected,  ///< both ways, each pair of neighbours once and without loops
};

/// Base of a program's description; a program says what is different. Beside these it has
/// - `Vertex`, its vertex class, or `Modes<Mode<"name", Vertex>...>`, of which --mode chooses one. A
///   `Variant<"name", Vertex>` among them is chosen by `static std::string variant(const Options&, const
///   Input&)`, host only: the name of the mode or variant that runs;
/// - `parameters`, an array of Parameter; host only, `texts`, an array of Text, and `flags`, one of Flag;
/// - `static Input make(const Options&)`, host only, if the program makes its graph itself: then there is no
///   --graph and no --generate;
/// - `static void start(State&, const Start&)`, if states do not begin as zeros; a member `id` of the state
///   is the vertex's number without being set;
/// - `static void connect(Graph&, const Input&)`, host only, if `edges` does not say it;
/// - `static void prepare(Graph&, const Options&, const Input&, uint32_t run)`, host only, after start():
///   what states must know of the whole graph;
/// - `static bool another_run(const Options&, uint32_t runs, std::span<const Result> latest,
///   std::span<Result> results)`, host only, after each run: takes the latest into the results, and says
///   whether one more follows;
/// - `static bool uses_weights(const Options&)`, host only, if a program that takes weights does not always;
/// - `static void check(const Options&, Input&)`, host only: throws UserError for what cannot be computed;
///   may draw what the input lacks;
/// - `static void hear(const Options&, const Input&, std::span<const Message>, Outcome&)`, host only: what the
///   vertices of the mode have sent on HostPin, as it came, before report();
/// - `static void report(const Options&, const Input&, std::span<const Result>, Outcome&)`, host only: figures
///   and notes, further columns of --out; results stand by vertex;
/// - `static void verify(const Options&, const Input&, Outcome&)`, host only: --verify.
///
/// Vertices give their result in finish(Result*), with a member `id`, the vertex's number, and `value`, the result.
struct Program {
  using Options = apps::Options;
  using Input = apps::Input;
  using Outcome = apps::Outcome;
  using Answer = Outcome;  ///< its name in programs that were written before it was called so
  using NamedGraph = apps::NamedGraph;

  static constexpr const char* purpose = "A vertex program.";
  static constexpr Edges edges = Edges::as_given;
  static constexpr bool takes_source = false;   ///< --source
  static constexpr bool takes_weights = false;  ///< also where no label is a number, or connect() sets labels
  static constexpr bool takes_fractions = false;  ///< of weights: Input::fractions has them then
  static constexpr bool signed_weights = false;   ///< always in Input::fractions; none where a graph has none
  static constexpr bool draws = false;            ///< the result depends on Options::seed
  static constexpr bool largest_first = true;     ///< of the vertices that are printed
  static constexpr bool values_are_vertices = false;
  static constexpr bool states_in_dram = false;
  /// A `value` that stands for none (a vertex that is not reached), as an infinite one does; this one equals
  /// nothing.
  static constexpr double no_value = __builtin_nan("");
};

/// Text as a template's argument.
template <unsigned Size>
struct ModeName {
  char text[Size];
  constexpr ModeName(const char (&from)[Size]) {  // NOLINT: Mode<"name", ...>
    for (unsigned i = 0; i < Size; ++i) text[i] = from[i];
  }
};
template <ModeName Name, typename V>
struct Mode {
  using Vertex = V;
  static constexpr bool offered = true;
  static constexpr const char* name() { return Name.text; }
};
template <ModeName Name, typename V>
struct Variant : Mode<Name, V> {
  static constexpr bool offered = false;
};
template <typename... M>
struct Modes {
  static constexpr unsigned count = sizeof...(M);
};

namespace detail {
template <typename P>
struct ModesOf {
  using type = Modes<Mode<"", typename P::Vertex>>;
};
template <typename P>
requires requires { typename P::Modes; }
struct ModesOf<P> {
  using type = typename P::Modes;
};
template <unsigned N, typename M>
struct VertexAt;
template <unsigned N, typename First, typename... Rest>
struct VertexAt<N, Modes<First, Rest...>> : VertexAt<N - 1, Modes<Rest...>> {};
template <typename First, typename... Rest>
struct VertexAt<0, Modes<First, Rest...>> {
  using type = typename First::Vertex;
};
/// Bytes of a state, a message and a label, to compare the two compilations.
template <typename V>
constexpr unsigned long bytes_of() {
  return sizeof(typename V::State) << 16 | sizeof(typename V::Message) << 8 | sizeof(typename V::Edge);
}
}  // namespace detail

#ifdef TINSEL
/// A thread's program, of the mode that the build names.
template <typename P, unsigned Mode>
INLINE int run_thread() {
  using V = typename detail::VertexAt<Mode, typename detail::ModesOf<P>::type>::type;
#ifdef POLYLOOM_HOST_BYTES
  static_assert(
      detail::bytes_of<V>() == POLYLOOM_HOST_BYTES,
      "states, messages and labels must be as long on threads as on the host: no pointers, no long, "
      "no size_t, but uint32_t and the like, and float");
#endif
  using Thread = PThread<V, typename V::State, typename V::Edge, typename V::Message>;
  auto* const thread = (Thread*)tinselHeapBaseSRAM();
  thread->run();
  return 0;
}
#endif

}  // namespace polyloom

#ifdef POLYLOOM_VERTICES_ONLY
#define POLYLOOM_PROGRAM(P)
#elif POLYLOOM_HOST
#include "apps/common/run_program.h"
#define POLYLOOM_PROGRAM(P) \
  int main(int argc, char** argv) { return polyloom::apps::run_program<P>(argc, argv); }
#else
#ifndef POLYLOOM_MODE
#define POLYLOOM_MODE 0
#endif
#define POLYLOOM_PROGRAM(P) \
  int main() { return polyloom::run_thread<P, POLYLOOM_MODE>(); }
#endif
