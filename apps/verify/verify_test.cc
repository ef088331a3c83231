// SPDX-License-Identifier: Apache-2.0
// Covers: the second reading of every format against values by hand and against the readers' graph; --verify
// refusing a run's graph with a phantom vertex, a missing edge, permuted names, a wrong value, or a file that
// it cannot follow; trees of shortest paths; bounds of values; drawn weights. Leaves out: the programs
// themselves (tests/test_apps.py).
#include "apps/verify/verify.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <cmath>
#include <filesystem>
#include <fstream>

#include "polite/read_graph.h"
#include "polite/readers/format_files.h"

namespace polyloom::apps {
namespace {

class Verify : public testing::Test {
 protected:
  Verify()
      : folder_(std::filesystem::temp_directory_path() / ("polyloom_verify_" + std::to_string(getpid()))) {
    std::filesystem::create_directories(folder_);
  }
  ~Verify() override { std::filesystem::remove_all(folder_); }
  std::string put(const std::string& name, const std::string& text) const {
    const std::string file = (folder_ / name).string();
    std::ofstream(file, std::ios::binary) << text;
    return file;
  }
  std::filesystem::path folder_;
};

using Named = std::vector<std::tuple<std::string, std::string, double>>;

/// Edges by name, sorted.
Named arcs_of(const NamedGraph& g) {
  Named arcs;
  for (const auto& arc : g.arcs) arcs.emplace_back(g.names[arc.from], g.names[arc.to], arc.weight);
  std::sort(arcs.begin(), arcs.end());
  return arcs;
}
Named arcs_of(const polite::GraphData& g) {
  Named arcs;
  for (std::size_t e = 0; e < g.edges.size(); ++e) {
    arcs.emplace_back(g.names[g.edges[e].from], g.names[g.edges[e].to], g.weights.empty() ? 1 : g.weights[e]);
  }
  std::sort(arcs.begin(), arcs.end());
  return arcs;
}

std::vector<polite::Edge> without_the_last(const EdgeArray& edges) {
  return {edges.begin(), edges.end() - 1};
}

TEST_F(Verify, ReadsEveryFormatAsTheReadersDo) {
  for (const auto& [name, text] : polite::format_files()) {
    const std::string file = put(name, text);
    const NamedGraph second = read_again(file, "");
    const polite::GraphData first = polite::read_graph(file);
    EXPECT_EQ(arcs_of(second), arcs_of(first)) << name;
    ASSERT_EQ(second.names.size(), first.vertices) << name;
    for (std::uint32_t v = 0; v < first.vertices; ++v) EXPECT_EQ(second.names[v], first.names[v]) << name;
    EXPECT_EQ(second.format, first.format) << name;
    EXPECT_EQ(second.both_directions, first.mirrored) << name;
  }
}

TEST_F(Verify, ReadsByHand) {
  const NamedGraph g = read_again(put("cc.txt", "1 2\n2 3\n3 1\n10 11\n"), "");
  EXPECT_EQ(g.names, (std::vector<std::string>{"1", "2", "3", "10", "11"}));
  EXPECT_EQ(arcs_of(g), (Named{{"1", "2", 1}, {"10", "11", 1}, {"2", "3", 1}, {"3", "1", 1}}));
  EXPECT_EQ(read_again(put("no.ending", "1 2\n"), "snap").names.size(), 2u);
}

/// A finished run of hashmin on cc.txt, right in all.
struct Finished {
  Options options;
  Input input;
  Outcome outcome;

  explicit Finished(const std::string& file) {
    options.graph = file;
    input = load_input(options);
    outcome.of_vertices = true;
    outcome.values = {0, 0, 0, 3, 3};
  }
  const Verification& verified() {
    outcome.verification = {};
    verify_vertices(options, input, outcome, reference_components);
    return outcome.verification;
  }
};

TEST_F(Verify, PassesWhatIsRight) {
  Finished run(put("cc.txt", "1 2\n2 3\n3 1\n10 11\n"));
  EXPECT_TRUE(run.verified().ok);
  EXPECT_EQ(run.verified().covers, "file and computation");
}

TEST_F(Verify, RefusesPhantomVertices) {
  Finished run(put("cc.txt", "1 2\n2 3\n3 1\n10 11\n"));
  // As if ids were numbers of vertices: 0 to 11, most of them in no line.
  run.input.vertices = 12;
  run.input.names = polite::VertexNames::consecutive(12);
  run.input.edges = std::vector<polite::Edge>{{1, 2}, {2, 3}, {3, 1}, {10, 11}};
  run.outcome.values = {0, 1, 1, 1, 4, 5, 6, 7, 8, 9, 10, 10};
  EXPECT_FALSE(run.verified().ok);
  EXPECT_EQ(run.verified().criterion, "the run's graph has 12 vertices, the file has 5");
}

TEST_F(Verify, RefusesOneVertexTooMany) {
  Finished run(put("cc.txt", "1 2\n2 3\n3 1\n10 11\n"));
  run.input.names = polite::VertexNames::numbers({1, 2, 3, 10, 12});
  EXPECT_FALSE(run.verified().ok);
  EXPECT_EQ(run.verified().criterion, "the run has a vertex 12, the file has none");
}

TEST_F(Verify, RefusesPermutedNames) {
  Finished run(put("cc.txt", "1 2\n2 3\n3 1\n10 11\n"));
  run.input.names = polite::VertexNames::words({"1", "10", "3", "2", "11"});
  EXPECT_FALSE(run.verified().ok);
}

TEST_F(Verify, RefusesLostEdgesAndWrongValues) {
  Finished run(put("cc.txt", "1 2\n2 3\n3 1\n10 11\n"));
  run.input.edges = without_the_last(run.input.edges);
  EXPECT_FALSE(run.verified().ok);
  EXPECT_EQ(run.verified().criterion, "the run's graph has 3 edges, the file has 4");
  Finished other(put("cc.txt", "1 2\n2 3\n3 1\n10 11\n"));
  other.outcome.values[2] = 2;
  EXPECT_FALSE(other.verified().ok);
}

TEST_F(Verify, RefusesNoNumberWhereEveryVertexHasOne) {
  Options options;
  options.graph = put("cc.txt", "1 2\n2 1\n");
  const Input input = load_input(options);
  const double none = std::nan("");
  Outcome outcome;
  outcome.values = {none, none};
  const auto none_either = [&](const NamedGraph&) { return std::vector<double>{none, none}; };
  verify_closely(options, input, outcome, 1, 1, none_either);
  EXPECT_FALSE(outcome.verification.ok);
  Outcome other;
  other.values = outcome.values;
  verify_exactly(options, input, other, none_either);
  EXPECT_TRUE(other.verification.ok) << "unreachable, say both";
}

TEST_F(Verify, SaysWhereTheSecondReadingEnds) {
  Finished run(put("cc.txt", "1 2\n2 3\n3 1\n10 11\n"));
  put("cc.txt", "1 2\n2 x\n");  // changed behind the run's back
  EXPECT_FALSE(run.verified().ok);
  EXPECT_EQ(run.verified().criterion, "the second reading of the file ends: line 2: 'x' is no number");
}

TEST_F(Verify, SaysThatTheFileWasTakenForSomethingElse) {
  Finished run(put("cc.txt", "1 2\n2 3\n3 1\n10 11\n"));
  put("cc.txt", "%%matrixmarket matrix coordinate pattern general\n3 3 1\n1 2\n");
  EXPECT_FALSE(run.verified().ok);
  EXPECT_EQ(run.verified().criterion, "the run took the file for edges, the second reading for mtx");
}

TEST_F(Verify, TakesDrawnWeightsOverAndSaysSo) {
  Options options;
  options.graph = put("w.txt", "5 9\n9 5\n5 9\n9 7\n");
  options.max_weight = 100;
  options.undirected = true;
  const Input input = load_input(options, true);
  ASSERT_TRUE(input.drawn_weights);
  // Edges 5-9 are 0, 1, 2; 9-7 is 3. Vertices 5, 7, 9 are 0, 1, 2.
  const double to_9 = std::min({input.weights[0], input.weights[1], input.weights[2]}),
               to_7 = to_9 + input.weights[3];
  Outcome outcome;
  outcome.values = {0, to_7, to_9};
  verify_exactly(options, input, outcome, [](const NamedGraph& g) { return reference_sssp(g, "5"); });
  EXPECT_TRUE(outcome.verification.ok);
  EXPECT_EQ(outcome.verification.covers, "file and computation; the weights are drawn, not read");
}

TEST_F(Verify, RefusesPredecessorsThatMakeNoTree) {
  Options options;
  options.graph = put("t.txt", "5 7 2\n7 9 0\n9 7 0\n5 9 2\n9 11 1\n");
  const Input input = load_input(options, true);  // 5, 7, 9, 11 are 0, 1, 2, 3
  const double none = std::nan("");
  const auto criterion = [&](std::vector<double> before) {
    Outcome outcome;
    outcome.values = {0, 2, 2, 3};
    outcome.columns.push_back({"predecessor", std::move(before), true});
    verify_exactly(options, input, outcome, [](const NamedGraph& g) { return reference_sssp(g, "5"); });
    verify_tree(options, input, outcome, "5", 0);
    return outcome.verification.ok;
  };
  EXPECT_TRUE(criterion({none, 0, 0, 2}));
  EXPECT_TRUE(criterion({none, 2, 0, 2}));
  EXPECT_FALSE(criterion({none, 2, 1, 2})) << "a circle along edges of weight 0";
  EXPECT_FALSE(criterion({none, 0, 0, 1})) << "no such edge";
  EXPECT_FALSE(criterion({none, 0, 0, none}));
  EXPECT_FALSE(criterion({1, 0, 0, 2})) << "nothing is before the source";
}

TEST_F(Verify, BoundsEachValueOrAllOfThem) {
  Options options;
  options.graph = put("b.txt", "1 2\n2 3\n");
  const Input input = load_input(options);
  const auto passes = [&](const auto& how, std::vector<double> values) {
    Outcome outcome;
    outcome.values = std::move(values);
    how(outcome, [](const NamedGraph&) { return std::vector<double>{1, 100, 0}; });
    return outcome.verification.ok;
  };
  const auto each = [&](Outcome& a, const Reference& r) { verify_each_closely(options, input, a, 1e-2, r); };
  EXPECT_TRUE(passes(each, {1.009, 99.1, 0}));
  EXPECT_FALSE(passes(each, {1.02, 100, 0}));
  EXPECT_FALSE(passes(each, {1, 100, 1e-6}));
  const auto all = [&](Outcome& a, const Reference& r) { verify_closely(options, input, a, 1e-2, 1, r); };
  EXPECT_TRUE(passes(all, {1.005, 100, 0}));
  EXPECT_FALSE(passes(all, {1.005, 100.006, 0}));
}

TEST_F(Verify, ComparesPairsWherePairsAreTaken) {
  Options options;
  options.graph = put("p.txt", "1 2\n2 1\n2 3\n3 3\n3 1\n");
  Input input = load_input(options);
  make_undirected(input);
  Outcome outcome;
  outcome.values = {1, 1, 1};
  verify_exactly(options, input, outcome, reference_triangles);
  EXPECT_TRUE(outcome.verification.ok) << outcome.verification.criterion;
  input.edges = without_the_last(input.edges);
  verify_exactly(options, input, outcome, reference_triangles);
  EXPECT_FALSE(outcome.verification.ok);
}

TEST_F(Verify, OfAMadeGraphCoversTheComputationAlone) {
  Options options;
  options.generate = "grid:2:1";
  const Input input = load_input(options);
  Outcome outcome;
  outcome.values = {0, 0};
  verify_vertices(options, input, outcome, reference_components);
  EXPECT_TRUE(outcome.verification.ok);
  EXPECT_EQ(outcome.verification.covers, "the computation; the graph is made, not read");
}

}  // namespace
}  // namespace polyloom::apps
