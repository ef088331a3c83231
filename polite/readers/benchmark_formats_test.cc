// SPDX-License-Identifier: Apache-2.0
// Covers: formats of benchmarks: serialized graphs of GAPBS, byte by byte as its writer lays them out, their
// sizes and damage; both files of LDBC Graphalytics, plain and packed; simplify(). Leaves out: random damage
// (read_graph_test.cc).
#include <cstring>
#include <string>

#include "polite/readers/test_files.h"

namespace polyloom::polite {
namespace {

template <typename T>
std::string bytes(std::initializer_list<T> values) {
  std::string out;
  for (const T value : values) out.append(reinterpret_cast<const char*>(&value), sizeof value);
  return out;
}

/// 0 -> 1, 2; 2 -> 0; vertex 1 has no out-edge, vertex 3 no edge.
const std::string kRows = bytes<std::int64_t>({0, 2, 2, 3, 3}) + bytes<std::int32_t>({1, 2, 0});
const std::string kInRows = bytes<std::int64_t>({0, 1, 2, 3, 3}) + bytes<std::int32_t>({2, 0, 0});
const std::string kDirected = '\1' + bytes<std::int64_t>({3, 4});

TEST_F(Files, Gapbs) {
  for (const std::string& file : {put("a.sg", kDirected + kRows + kInRows), put("b.sg", kDirected + kRows),
                                  put_gzip("c.SG.gz", kDirected + kRows + kInRows)}) {
    const GraphData g = read_graph(file);
    EXPECT_EQ(g.format, "sg");
    EXPECT_EQ(names_of(g), (Names{"0", "1", "2", "3"}));
    EXPECT_EQ(g.edges, (Edges{{0, 1}, {0, 2}, {2, 0}}));
    EXPECT_FALSE(g.mirrored);
    EXPECT_TRUE(g.weights.empty());
  }
  // 0 - 1 with weight 7, 1 - 2 with -5; both directions are written.
  const GraphData w =
      read_graph(put("w.wsg", '\0' + bytes<std::int64_t>({4, 3}) + bytes<std::int64_t>({0, 1, 3, 4}) +
                                  bytes<std::int32_t>({1, 7, 0, 7, 2, -5, 1, -5})));
  EXPECT_TRUE(w.mirrored);
  EXPECT_EQ(w.edges, (Edges{{0, 1}, {1, 0}, {1, 2}, {2, 1}}));
  EXPECT_EQ(w.weights, (Weights{7, 7, -5, -5}));
  EXPECT_EQ(read_graph(put("e.sg", '\1' + bytes<std::int64_t>({0, 0, 0}))).vertices, 0u);
}

TEST_F(Files, DamagedGapbs) {
  const std::pair<std::string, const char*> files[] = {
      {"0 1\n1 2\n# more text\n", "is no serialized graph (.sg, .wsg): those begin with a byte 0 or 1"},
      {"\1\2", "ends too early"},
      {kDirected + kRows + "x", "has 70 bytes; 4 vertices and 3 edges take 121; copy it again"},
      {kDirected + kRows.substr(4), "has 65 bytes"},
      {kDirected + bytes<std::int64_t>({0, 2, 2, 3, 3}) + bytes<std::int32_t>({1, 9, 2, 9, 0, 9}),
       "it has the size of a .wsg: say --format wsg"},
      {kDirected + bytes<std::int64_t>({0, 3, 2, 3, 3}) + bytes<std::int32_t>({1, 2, 0}),
       "do not follow each other"},
      {kDirected + bytes<std::int64_t>({0, 2, 2, 3, 3}) + bytes<std::int32_t>({1, 4, 0}),
       "an edge leads from vertex 0 to 4; its vertices are below 4"},
      {'\0' + bytes<std::int64_t>({1ll << 50, 4}) + kRows, "has 69 bytes"},
      {'\0' + bytes<std::int64_t>({1, -4}) + kRows, "is no serialized graph"}};
  for (const auto& [text, message] : files) {
    const std::string error = error_of(put("x.sg", text));
    EXPECT_TRUE(error.starts_with("x.sg: ")) << error;
    EXPECT_NE(error.find(message), std::string::npos) << error;
  }
  EXPECT_NE(error_of(put_gzip("x.sg.gz", kDirected + kRows + "x")).find("1 bytes behind its edges"),
            std::string::npos);
}

TEST_F(Files, Graphalytics) {
  const std::string vertices = put("g.v", "30\n4\n\n5000000000\n7\n");
  const std::string edges = put("g.e", "30 4 2.5\n4 5000000000 1\n");
  for (const std::string& file : {vertices, edges}) {
    const GraphData g = read_graph(file);
    EXPECT_EQ(g.format, "graphalytics");
    EXPECT_EQ(names_of(g), (Names{"4", "7", "30", "5000000000"}));
    EXPECT_EQ(g.edges, (Edges{{2, 0}, {0, 3}}));
    EXPECT_EQ(g.weights, (Weights{2.5, 1}));
  }
  put_gzip("h.v.gz", "1\n2\n3\n");
  EXPECT_EQ(read_graph(put("h.e", "1 2\n")).vertices, 3u);
  EXPECT_EQ(read_graph(put_gzip("h.e.gz", "1 2\n")).vertices, 3u);
  const GraphData lone = read_graph(put("lone.e", "1 2\n"));
  EXPECT_EQ(lone.format, "edges");
  EXPECT_EQ(lone.vertices, 2u);
  EXPECT_NE(error_of(put("no.v", "1\n")).find("no.e: cannot be opened"), std::string::npos);
  put("x.e", "1 2\n# x\n2 9\n");
  EXPECT_EQ(error_of(put("x.v", "1\n2\n")), "x.e:3: vertex 9 is not listed in " + (folder_ / "x.v").string());
  EXPECT_EQ(error_of(put("x.v", "1\n9\n2\n01\n")),
            "x.v:4: vertex 01 is listed a second time; each stands in one line");
  EXPECT_EQ(error_of(put("x.v", "1\n-9\n")), "x.v:2: '-9' is no vertex; a whole number is expected");
  EXPECT_EQ(error_of(put("x.v", "1 9\n")), "x.v:1: '9' is too much; a line is one vertex");
}

TEST_F(Files, SimpleGraphs) {
  GraphData g = read_graph(put("a", "1 2 5\n2 1 4\n2 2 1\n1 2 3\n3 1 7\n2 2 9\n1 2 3\n"));
  g.add_reverse_edges();
  const auto [loops, duplicates] = g.simplify();
  EXPECT_EQ(loops, 2u);
  EXPECT_EQ(duplicates, 6u);
  EXPECT_EQ(g.edges, (Edges{{0, 1}, {0, 2}, {1, 0}, {2, 0}}));
  EXPECT_EQ(g.weights, (Weights{3, 7, 3, 7}));
  EXPECT_EQ(g.vertices, 3u);
}

}  // namespace
}  // namespace polyloom::polite
