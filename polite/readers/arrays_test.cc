// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <random>

#include "polite/generate.h"
#include "polite/graph_arrays.h"
#include "polite/readers/test_files.h"

namespace polyloom::polite {
namespace {

std::string bytes_of(const std::string& file) {
  std::ifstream in(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

TEST_F(Files, ArraysComeBackAsTheyWere) {
  GraphData numbered = uniform_graph(100, 400, 3), words = grid_graph(2, 2), plain = grid_graph(3, 1);
  std::vector<std::uint64_t> ids(100);
  for (std::uint64_t v = 0; v < 100; ++v) ids[v] = v * v << 50;
  numbered.names = VertexNames::numbers(ids);
  draw_weights(numbered, 9, 1);
  words.names = VertexNames::words({"a", "", "line\nend", "\xff"});
  words.mirrored = true;
  for (const GraphData* graph : {&numbered, &words, &plain}) {
    const std::string file = put("graph", "");
    write_graph_arrays(*graph, file);
    const GraphData copied = read_graph(file);  // by its content
    GraphData rest;
    const MappedEdges mapped = map_graph_arrays(file, file, rest);
    EXPECT_EQ(copied.format, "arrays");
    EXPECT_EQ(copied.edges, graph->edges);
    EXPECT_TRUE(std::ranges::equal(mapped.edges, graph->edges));
    EXPECT_TRUE(rest.edges.empty());
    for (const GraphData* read : {&copied, static_cast<const GraphData*>(&rest)}) {
      EXPECT_EQ(read->vertices, graph->vertices);
      EXPECT_EQ(read->weights, graph->weights);
      EXPECT_EQ(read->mirrored, graph->mirrored);
      EXPECT_EQ(names_of(*read), names_of(*graph));
    }
  }
}

TEST_F(Files, DamagedArrays) {
  GraphData graph = uniform_graph(20, 60, 3);
  std::vector<std::string> words;
  for (int v = 0; v < 20; ++v) words.push_back("vertex " + std::to_string(v));
  graph.names = VertexNames::words(words);
  draw_weights(graph, 9, 1);
  const std::string file = put("graph", "");
  write_graph_arrays(graph, file);
  const std::string whole = bytes_of(file);
  for (std::size_t size = 16; size < whole.size(); size += 7)
    EXPECT_TRUE(error_of(put("cut", whole.substr(0, size))).starts_with("cut: is damaged: ")) << size;
  EXPECT_EQ(error_of(put("long", whole + "x")), "long: is damaged: something stands behind its end");
  std::mt19937 random(5);
  for (int i = 0; i < 2000;
       ++i) {  // whatever is read, nothing is read beyond the file, and no edge leaves the graph
    std::string damaged = whole;
    for (int n = 0; n < 3; ++n) damaged[16 + random() % (whole.size() - 16)] = static_cast<char>(random());
    const std::string name = put("damaged", damaged);
    try {
      const GraphData read = read_graph(name);
      for (const Edge& edge : read.edges) ASSERT_LT(std::max(edge.from, edge.to), read.vertices);
      ASSERT_EQ(read.names.size(), read.vertices);
    } catch (const UserError&) {
      continue;
    }
  }
  GraphData rest;
  EXPECT_THROW(map_graph_arrays(put("other", std::string(64, 'x')), "other", rest), UserError);
  EXPECT_THROW(map_graph_arrays(put("empty", ""), "empty", rest), UserError);
  EXPECT_THROW(map_graph_arrays(folder_.string(), "a folder", rest), UserError);
}

}  // namespace
}  // namespace polyloom::polite
