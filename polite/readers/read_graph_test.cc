// SPDX-License-Identifier: Apache-2.0
// Covers: every format read from hand-written files, by content and by name; packed by every command, in many
// streams; malformed files with their messages; truncated and damaged packings; formats of others; snapshots
// there and back; random damage (never a crash, only UserError); EdgeList.h. Leaves out: files beyond memory,
// apt's own compressed lists (depends on the machine).
#include "polite/read_graph.h"

#include <EdgeList.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <unistd.h>
#include <zlib.h>

#include <cstdio>
#include <filesystem>
#include <fstream>
#include <random>

#include "fabric/error.h"
#include "polite/readers/format_files.h"
#include "polite/readers/test_files.h"

namespace polyloom::polite {
namespace {

TEST_F(Files, EdgeList) {
  const GraphData g = read_graph(put("a.txt", "# SNAP comment\n0 1\n\n  2\t0\r\n1,1\n"));
  EXPECT_EQ(g.vertices, 3u);
  EXPECT_EQ(g.edges, (Edges{{0, 1}, {2, 0}, {1, 1}}));
  EXPECT_TRUE(g.weights.empty());
  const GraphData w = read_graph(put_gzip("b.wel.gz", "% note\n0 1 2.5\n1 0 -3"));
  EXPECT_EQ(w.edges, (Edges{{0, 1}, {1, 0}}));
  EXPECT_EQ(w.weights, (Weights{2.5, -3}));
  EXPECT_EQ(read_graph(put("empty", "")).vertices, 0u);
}

TEST_F(Files, EdgeListThatIsCalledUndirected) {
  const std::pair<const char*, std::uint64_t> files[] = {
      {"# Undirected graph: ../../data/output/amazon.ungraph.txt\n# Amazon\n1 2\n", 1},
      {"# AS graph\n#\n# undirected, each edge once\n1 2\n", 3},
      {"\n% sym unweighted\n% 1 2 2\n1 2\n", 2},
      {"%  sym\tpositive\r\n1 2 3\n", 1},
      {"% asym unweighted\n1 2\n", 0},
      {"# Directed graph (each unordered pair of nodes is saved once): roads.txt\n1 2\n", 0},
      {"# sym\n% symbols\n1 2\n# the undirected rest\n2 3\n", 0}};
  for (const auto& [text, line] : files) {
    const GraphData g = read_graph(put("a.txt", text));
    EXPECT_EQ(g.undirected_at, line) << text;
    EXPECT_EQ(g.edges[0], (Edge{0, 1})) << text;
  }
}

TEST_F(Files, EdgeListOfKonectHasTimes) {
  const GraphData g =
      read_graph(put("out.wiki", "% asym positive\n% 2 3 3\n1 2 3 1082008561\n3 1\t-1\t1082008562.5\n"));
  EXPECT_EQ(g.edges, (Edges{{0, 1}, {2, 0}}));
  EXPECT_EQ(g.weights, (Weights{3, -1}));
  EXPECT_EQ(g.notes.size(), 1u);
  EXPECT_NE(error_of(put("a", "1 2 3 4\n")).find("a:1: '4' is too much"), std::string::npos)
      << "neighbours, perhaps";
}

TEST_F(Files, EdgeListHasTheVerticesThatOccur) {
  const std::string file = put("c", "5 4294967293\n5 7\n");
  ReadOptions options;
  options.undirected = true;
  const GraphData g = read_graph(file, options);
  EXPECT_EQ(g.vertices, 3u);
  EXPECT_EQ(names_of(g), (Names{"5", "7", "4294967293"}));
  EXPECT_EQ(g.edges, (Edges{{0, 2}, {0, 1}, {2, 0}, {1, 0}}));
  // Near ids are numbered by marks, far ones by sorting.
  const GraphData near = read_graph(put("d", "1 2\n2 3\n3 1\n10 11\n"));
  EXPECT_EQ(near.vertices, 5u);
  EXPECT_EQ(names_of(near), (Names{"1", "2", "3", "10", "11"}));
  EXPECT_EQ(near.edges, (Edges{{0, 1}, {1, 2}, {2, 0}, {3, 4}}));
  const GraphData from_one = read_graph(put("e", "1 2\n2 3\n"));
  EXPECT_EQ(from_one.vertices, 3u);
  EXPECT_EQ(names_of(from_one), (Names{"1", "2", "3"}));
}

TEST_F(Files, BothWaysOfNumberingAgree) {
  std::mt19937 rng(3);
  std::vector<std::uint32_t> ids;
  std::string near, far;
  for (int i = 0; i < 300; ++i) ids.push_back(static_cast<std::uint32_t>(rng() % 40000));
  for (int i = 0; i < 1000; ++i) {
    const std::uint32_t from = ids[rng() % ids.size()], to = ids[rng() % ids.size()];
    near += std::to_string(from) + " " + std::to_string(to) + "\n";
    far += std::to_string(from * 100000ull) + " " + std::to_string(to * 100000ull) + "\n";
  }
  const GraphData a = read_graph(put("near", near)), b = read_graph(put("far", far));
  EXPECT_EQ(a.edges, b.edges);
  ASSERT_EQ(a.vertices, b.vertices);
  for (std::uint32_t v = 0; v < a.vertices; ++v)
    EXPECT_EQ(a.names[v] + (a.names[v] == "0" ? "" : "00000"), b.names[v]);
}

TEST_F(Files, DeclaredVerticesExistWithoutEdgesToo) {
  const GraphData mtx =
      read_graph(put("v.mtx", "%%MatrixMarket matrix coordinate pattern general\n4 4 1\n2 3\n"));
  EXPECT_EQ(names_of(mtx), (Names{"1", "2", "3", "4"}));
  EXPECT_EQ(names_of(read_graph(put("v.gr", "p sp 3 0\n"))), (Names{"1", "2", "3"}));
  EXPECT_EQ(names_of(read_graph(put("v.metis", "2 0\n\n\n"))), (Names{"1", "2"}));
  EXPECT_EQ(names_of(read_graph(put("v.plg", "polyloom-graph 1 2 0\n0 \n0 \n" + std::string(2, '\0')))),
            (Names{"0", "1"}));
}

TEST_F(Files, MatrixMarket) {
  const GraphData g = read_graph(put(
      "a.mtx", "%%MatrixMarket matrix coordinate real symmetric\n% note\n3 3 3\n1 1 2\n2 1 0.5\n3 2 1e3\n"));
  EXPECT_EQ(g.vertices, 3u);
  EXPECT_EQ(g.edges, (Edges{{0, 0}, {1, 0}, {0, 1}, {2, 1}, {1, 2}}));
  EXPECT_EQ(g.weights, (Weights{2, 0.5, 0.5, 1000, 1000}));
  const GraphData p =
      read_graph(put_gzip("p", "%%MatrixMarket matrix coordinate pattern general\n2 4 1\n2 4\n"));
  EXPECT_EQ(p.vertices, 4u);
  EXPECT_EQ(p.edges, (Edges{{1, 3}}));
}

TEST_F(Files, Dimacs) {
  const GraphData g = read_graph(put("a.gr", "c road\np sp 3 2\na 1 2 7\na 3 1 4\n"));
  EXPECT_EQ(g.vertices, 3u);
  EXPECT_EQ(g.edges, (Edges{{0, 1}, {2, 0}}));
  EXPECT_EQ(g.weights, (Weights{7, 4}));
  const GraphData u = read_graph(put("col", "c x\np edge 2 1\ne 1 2\n"));
  EXPECT_EQ(u.edges, (Edges{{0, 1}, {1, 0}}));
}

TEST_F(Files, Metis) {
  // The manual's example of an unweighted graph has 7 vertices and 11 edges.
  const std::string example = "7 11\n5 3 2\n1 3 4\n5 4 2 1\n2 3 6 7\n1 3 6\n5 4 7\n6 4\n";
  const GraphData g = read_graph(put("a.graph", example));
  EXPECT_EQ(g.vertices, 7u);
  EXPECT_EQ(g.edges.size(), 22u);
  EXPECT_EQ(g.edges[0], (Edge{0, 4}));
  const GraphData w =
      read_graph(put("w.metis", "% weights of vertices and edges\n3 1 011 2\n1 2 2 9\n5 6 1 9\n7 8\n"));
  EXPECT_EQ(w.edges, (Edges{{0, 1}, {1, 0}}));
  EXPECT_EQ(w.weights, (Weights{9, 9}));
  const GraphData isolated = read_graph(put("i.metis", "2 0\n\n\n"));
  EXPECT_EQ(isolated.vertices, 2u);
}

TEST_F(Files, Debian) {
  const GraphData g =
      read_graph(put("x_Packages",
                     "Package: b\nDepends: c (>= 1.2), a:any | x, gone,\n virtual | gone\n\n"
                     "Package: a\nPre-Depends: c\nDepends: c, a\nDescription: x\n Depends: b\n\n"
                     "Package: c\nProvides: virtual (= 1)\n\nPackage: d\nDepends: gone | b\n"));
  EXPECT_EQ(names_of(g), (Names{"a", "b", "c", "d"}));
  EXPECT_EQ(g.edges, (Edges{{0, 2}, {1, 0}, {1, 2}, {3, 1}}));
}

TEST_F(Files, AptFolder) {
  put("one_Packages", "Package: a\nDepends: b\n");
  put_gzip("two_Packages.gz", "Package: b\n\nPackage: a\nDepends: c\n\nPackage: c\n");
  const GraphData g = read_apt_lists(folder_.string());
  EXPECT_EQ(g.edges, (Edges{{0, 1}, {0, 2}}));
  EXPECT_THROW(read_apt_lists((folder_ / "nothing").string()), UserError);
}

TEST_F(Files, Snapshot) {
  GraphData g;
  g.vertices = 400;
  Names names;
  for (int i = 0; i < 400; ++i) names.push_back("lib" + std::to_string(i));
  g.names = VertexNames::words(names);
  std::mt19937 rng(1);
  for (int i = 0; i < 3000; ++i)
    g.edges.push_back({static_cast<std::uint32_t>(rng() % 400), static_cast<std::uint32_t>(rng() % 400)});
  const std::string file = (folder_ / "s.plg").string();
  write_snapshot(g, file);
  EXPECT_FALSE(std::filesystem::exists(file + ".part"));
  const GraphData back = read_graph(file);
  EXPECT_EQ(names_of(back), names);
  std::sort(g.edges.begin(), g.edges.end(),
            [](Edge a, Edge b) { return std::pair(a.from, a.to) < std::pair(b.from, b.to); });
  EXPECT_EQ(back.edges, g.edges);
  GraphData weighted = read_graph(put("w.txt", "2 1 0.5\n1 2 7\n2 1 0.25\n"));
  weighted.add_reverse_edges();
  write_snapshot(weighted, file);
  const GraphData again = read_graph(file);
  EXPECT_EQ(again.edges, (Edges{{0, 1}, {0, 1}, {0, 1}, {1, 0}, {1, 0}, {1, 0}}));
  EXPECT_EQ(again.weights, (Weights{7, 0.5, 0.25, 0.5, 0.25, 7}));
  EXPECT_TRUE(again.mirrored && again.names.numeric());
  EXPECT_THROW(write_snapshot(g, "/nowhere/x.plg"), UserError);
}

TEST_F(Files, MessagesNameFileLineAndWhatIsAllowed) {
  EXPECT_EQ(error_of(put("a", "0 1\n0 x\n")),
            "a:2: 'x' stands where a vertex is expected: a whole number, as in the lines before; if vertices "
            "have names, say --format names");
  EXPECT_EQ(error_of(put("b", "0 1\n3\n")),
            "b:2: nothing stands where a vertex is expected: a whole number, as in the lines before; if "
            "vertices have names, say --format names");
  EXPECT_NE(error_of(put("c", "0 -1\n")).find("c:1: '-1' stands"), std::string::npos);
  EXPECT_NE(error_of(put("e", "0 1\n0 1 5\n")).find("e:2: '5' is too much"), std::string::npos);
  EXPECT_NE(error_of(put("f", "0 1 5\n0 1\n")).find("f:2: the weight is missing"), std::string::npos);
  EXPECT_NE(error_of(put("g", "0 1 nan\n")).find("g:1: 'nan' is no weight"), std::string::npos);
  EXPECT_EQ(error_of(put("h.gr", "p sp 2 1\na 1 3 1\n")),
            "h.gr:2: '3' stands where a vertex is expected: a whole number from 1 to 2");
  EXPECT_NE(error_of(put("i.gr", "a 1 2 3\n")).find("i.gr:1: the problem line"), std::string::npos);
  EXPECT_NE(error_of(put("j.gr", "p sp 2 2\na 1 2 3\n")).find("1 of 2 edges"), std::string::npos);
  EXPECT_NE(error_of(put("k.mtx", "%%MatrixMarket matrix array real general\n")).find("'matrix coordinate'"),
            std::string::npos);
  EXPECT_NE(error_of(put("l.mtx", "%%MatrixMarket matrix coordinate pattern general\n2 2 2\n1 1\n"))
                .find("1 of 2 entries"),
            std::string::npos);
  EXPECT_NE(error_of(put("m.mtx", "%%MatrixMarket matrix coordinate pattern general\n2 2 1\n1 3\n"))
                .find("m.mtx:3:"),
            std::string::npos);
  EXPECT_NE(error_of(put("n.metis", "3 1\n2\n1\n")).find("2 of 3 vertices"), std::string::npos);
  EXPECT_NE(error_of(put("o.metis", "2 2\n2\n1\n")).find("lists 2 neighbours"), std::string::npos);
  EXPECT_EQ(
      error_of(put("q.metis", "3 2\n% note\n2 3\n3\n2\n")),
      "q.metis:3: vertex 1 lists 2, but line 4, of vertex 2, does not list it back; both ends list an edge");
  EXPECT_NE(
      error_of(put("r.metis", "2 1 001\n2 5\n1 6\n")).find("r.metis:2: vertex 1 lists 2 with its weight"),
      std::string::npos);
  EXPECT_NE(error_of(put("p_Packages", "what is this\n")).find("p_Packages:1:"), std::string::npos);
  EXPECT_NE(error_of((folder_ / "missing").string()).find("missing: cannot be opened"), std::string::npos);
  EXPECT_NE(error_of(put("dir/", "")).find("dir/: cannot be opened"), std::string::npos);
  EXPECT_THROW(graph_format("xml"), UserError);
}

TEST_F(Files, HeadersThatPromiseMoreThanTheFileHolds) {
  EXPECT_EQ(error_of(put("a.gr", "p sp 5 4000000000\na 1 2 3\n")),
            "a.gr:1: the header announces 4000000000 edges, but the file's 26 bytes hold at most 4");
  EXPECT_NE(error_of(put("b.metis", "4000000000 0\n")).find("announces 4000000000 vertices"),
            std::string::npos);
  EXPECT_NE(error_of(put("c.mtx", "%%MatrixMarket matrix coordinate pattern general\n9 9 99\n1 1\n"))
                .find("c.mtx:2: the header announces 99 entries"),
            std::string::npos);
  EXPECT_NE(error_of(put("d.plg", "polyloom-graph 1 4000000000 0\n")).find("announces 4000000000 vertices"),
            std::string::npos);
}

TEST_F(Files, RefusesWhatMemoryCannotHold) {
#ifdef __SANITIZE_ADDRESS__
  GTEST_SKIP() << "the sanitizer takes the address space that the test limits";
#endif
  const auto read_with_little = [&](const std::string& file) {
    rlimit limit{};
    limit.rlim_cur = limit.rlim_max = 1'000'000'000;
    setrlimit(RLIMIT_AS, &limit);
    std::fprintf(stderr, "%s", error_of(file).c_str());
    std::exit(0);
  };
  EXPECT_EXIT(read_with_little(put("a.mtx",
                                   "%%MatrixMarket matrix coordinate pattern general\n"
                                   "4294967294 4294967294 0\n")),
              testing::ExitedWithCode(0),
              "4294967294 vertices and 0 edges needs 171.8 GB of memory; .* are there");
  EXPECT_EXIT(read_with_little(put("b.gr", "p sp 4000000000 0\n")), testing::ExitedWithCode(0),
              "needs 160.0 GB of memory");
  // Names that each repeat the one before and go on: 1.2 GB said in 4 MB.
  std::string bomb = "polyloom-graph 1 300000 0\n0 " + std::string(4000, 'x') + "\n";
  for (int i = 1; i < 300000; ++i) bomb += "4000 " + std::to_string(i) + "\n";
  EXPECT_EXIT(read_with_little(put("c.plg", bomb)), testing::ExitedWithCode(0),
              "its 300000 names needs .* are there");
}

TEST_F(Files, TruncatedAndDamagedGzip) {
  std::string text;
  for (int i = 0; i < 20000; ++i) text += std::to_string(i) + " " + std::to_string(i * 7 % 20000) + "\n";
  const std::string file = put_gzip("t.gz", text);
  EXPECT_EQ(read_graph(file).edges.size(), 20000u);
  const auto size = std::filesystem::file_size(file);
  std::filesystem::resize_file(file, size / 2);
  EXPECT_NE(error_of(file).find("truncated"), std::string::npos);
  const std::string damaged = put_gzip("u.gz", text);
  std::fstream io(damaged, std::ios::in | std::ios::out | std::ios::binary);
  io.seekp(static_cast<std::streamoff>(size / 2));
  io.write("garbage", 7);
  io.close();
  EXPECT_NE(error_of(damaged), "no error");
}

TEST_F(Files, GzipOfManyMembersAndWhatFollowsThem) {
  const auto bytes_of = [](const std::string& file) {
    std::ifstream in(file, std::ios::binary);
    return std::string(std::istreambuf_iterator<char>(in), {});
  };
  const std::string one = bytes_of(put_gzip("one.gz", "0 1\n1 2\n")),
                    two = bytes_of(put_gzip("two.gz", "2 3\n")), none = bytes_of(put_gzip("none.gz", ""));
  const auto edges = [&](const std::string& text) { return read_graph(put("m.gz", text)).edges.size(); };
  EXPECT_EQ(edges(one + two), 3u);
  EXPECT_EQ(edges(none + one + none + two), 3u);
  EXPECT_EQ(edges(one + std::string(1000, '\0')), 2u) << "padding, as of a tape";
  std::string damaged = two;
  damaged[0] = 'x';
  for (const std::string& behind : {damaged, std::string("garbage"), std::string("\0\0x", 3)}) {
    EXPECT_NE(error_of(put("m.gz", one + behind)).find("what follows its packed data is not gzip"),
              std::string::npos);
  }
  for (std::size_t cut = 1; cut < two.size(); ++cut) {
    EXPECT_NE(error_of(put("m.gz", one + two.substr(0, cut))).find("truncated"), std::string::npos) << cut;
  }
  EXPECT_EQ(error_of(put("cut.gz", one.substr(0, 5))).find("cut.gz:0"), std::string::npos) << "no line 0";
}

/// What the format's own command makes of a text.
std::string packed_by(const std::string& command, const std::string& file) {
  std::string bytes;
  std::FILE* const pipe = popen((command + " < " + file).c_str(), "r");
  for (int byte = std::fgetc(pipe); byte != EOF; byte = std::fgetc(pipe)) bytes += static_cast<char>(byte);
  EXPECT_EQ(pclose(pipe), 0) << command;
  return bytes;
}

TEST_F(Files, EveryPackingIsReadToItsEndWhateverItsNameIs) {
  const auto skipped = [](char kind, std::string_view what) {
    return std::string{kind, '\x2a', '\x4d', '\x18', static_cast<char>(what.size()), 0, 0, 0}.append(what);
  };
  std::string longest;
  for (int i = 0; i < 40000; ++i) longest += std::to_string(i) + " " + std::to_string(i * 7 % 40000) + "\n";
  const std::string texts[] = {put("one", "0 1\n1 2\n"), put("none", ""), put("two", "2 3\n"),
                               put("long", longest)};
  for (const std::string name : {"gzip", "bzip2", "xz", "zstd", "lz4"}) {
    std::string parts[4];
    for (int i = 0; i < 4; ++i) parts[i] = packed_by(name + " -c", texts[i]);
    const auto& [one, none, two, many] = parts;
    const auto edges = [&](const std::string& bytes) {
      const GraphData g = read_graph(put("packed", bytes));
      EXPECT_EQ(g.packing, name);
      return g.edges.size();
    };
    EXPECT_EQ(edges(one + two), 3u) << name;
    EXPECT_EQ(edges(none + one + none + many + two), 40003u) << name;
    const auto refused = [&](const std::string& bytes, const char* why) {
      const std::string error = error_of(put("packed", bytes));
      EXPECT_NE(error.find(why), std::string::npos) << name << ": " << error;
    };
    for (std::size_t cut = 1; cut < two.size(); ++cut) refused(one + two.substr(0, cut), "truncated");
    refused(many.substr(0, many.size() - 1), "truncated");
    refused(packed_by(name + " -c", put("once", one)), "looks like a packed file that is packed once more");
    refused(one + "garbage", "what follows its packed data is not");
    std::string damaged = many;
    damaged[many.size() / 2] ^= 0x10;
    refused(damaged, "damaged");
    const std::string zeros(8, '\0');
    if (name == "xz") {
      EXPECT_EQ(edges(one + zeros + two + zeros), 3u);
      refused(one + zeros.substr(3), "what follows");  // padding is whole words
    } else if (name == "zstd" || name == "lz4") {
      EXPECT_EQ(
          edges(skipped('\x50', "") + one + skipped('\x5f', "what others need") + two + skipped('\x53', "x")),
          3u);
      refused(one + skipped('\x50', "cut off").substr(0, 12), "truncated");
      refused(one + zeros, "what follows");
    }
  }
}

TEST_F(Files, TheFormatIsWhatTheTextSays) {
  const std::string matrix = "matrix coordinate integer general\n3 3 2\n1 2 7\n3 1 5\n";
  for (const std::string banner : {"%%MatrixMarket ", "%%matrixmarket\t", "\n \t\r\n  %%MATRIXMARKET ",
                                   "%MatrixMarket ", "% of a solver\n\n%%MatrixMarket "}) {
    for (const char* name : {"g.txt", "g", "g.gr", "g.metis"}) {
      const GraphData g = read_graph(put(name, banner + matrix));
      EXPECT_EQ(g.format, "mtx");
      EXPECT_EQ(g.edges, (Edges{{0, 1}, {2, 0}})) << banner << name;
    }
  }
  EXPECT_EQ(read_graph(put("a.MTX", "%%MatrixMarket " + matrix)).format, "mtx");
  EXPECT_EQ(read_graph(put("b.METIS", "2 1\n2\n1\n")).format, "metis");
  for (const std::string comment : {"c", "c x", "c-----", "C=====", "\n c\tx", ""}) {
    const GraphData g = read_graph(put("d.txt", comment + "\np col 3 1\nc--\ne 1 3\n"));
    EXPECT_EQ(g.format, "dimacs") << comment;
    EXPECT_EQ(g.edges, (Edges{{0, 2}, {2, 0}}));
  }
  EXPECT_EQ(read_graph(put("e.txt", "P SP 2 1\nA 1 2 3\n")).weights, (Weights{3}));
  EXPECT_EQ(read_graph(put("f", "% sym unweighted\n1 2\n")).format, "edges");
}

TEST_F(Files, AMatrixIsNoListOfEdges) {
  ReadOptions edges;
  edges.format = "edges";
  const std::string lost = put("a.txt", "% from a Matrix-Market file\n3 3 2\n1 2 7\n3 1 5\n");
  EXPECT_NE(error_of(lost).find("a.txt:1: the comment speaks of a matrix"), std::string::npos);
  EXPECT_EQ(read_graph(lost, edges).edges.size(), 3u) << "as the user says";
  EXPECT_NE(error_of(put("b.txt", "\n#%%MatrixMarket matrix coordinate\n3 3 2\n")).find("b.txt:2:"),
            std::string::npos);
  for (const char* sized :
       {"# sparse matrix, one based\n4 4 3\n1 2 7\n2 4 -1.5\n4 1 1e3\n", "% Matrix\n2 3 0\n"})
    EXPECT_NE(error_of(put("d.txt", sized)).find("d.txt:1: the comment speaks of a matrix"),
              std::string::npos);
  for (const char* list :
       {"# adjacency matrix of a ring\n1 2 4\n2 3 4\n3 1 4\n", "# matrix\n9 9 1\n1 2 1\n2 3 1\n",
        "# matrix\n5 6\n6 5\n", "# a list\n3 3 3\n1 2 1\n"})
    EXPECT_EQ(read_graph(put("e.txt", list)).format, "edges") << list;
  EXPECT_NE(error_of(put("c.txt", "%%MatrixMarket matrix coordinate pattern general\n2 2 1\n1 2\n"), edges)
                .find("whose size would be taken for an edge"),
            std::string::npos);
}

TEST_F(Files, FormatsOfOthersAreCalledByTheirNames) {
  const std::pair<const char*, const char*> files[] = {{"<?xml version=\"1.0\"?>\n<graphml>\n", "GraphML"},
                                                       {"<graphml xmlns=\"x\">", "looks like GraphML,"},
                                                       {"Creator \"igraph\"\nVersion 1\ngraph\n[\n", "GML"},
                                                       {"graph [\n node [ id 1 ]\n]\n", "GML"},
                                                       {"*Vertices 2\n*Arcs\n1 2\n", "Pajek"},
                                                       {"% a network\n*network x\n", "Pajek"},
                                                       {"AdjacencyGraph\n2\n1\n0\n1\n1\n", "Ligra"},
                                                       {"WeightedAdjacencyGraph\n", "Ligra"},
                                                       {"digraph g { 1 -> 2 }\n", "DOT"}};
  for (const auto& [text, name] : files) {
    const std::string error = error_of(put("g.txt", text));
    EXPECT_NE(error.find(name), std::string::npos) << error;
    EXPECT_NE(error.find("which is not read; read are"), std::string::npos) << error;
  }
}

TEST_F(Files, BothDirectionsAreGivenOnce) {
  ReadOptions both;
  both.undirected = true;
  const std::pair<const char*, const char*> files[] = {
      {"a.mtx", "%%MatrixMarket matrix coordinate pattern symmetric\n3 3 3\n1 1\n2 1\n3 2\n"},
      {"b.mtx", "%%MatrixMarket matrix coordinate real skew-symmetric\n3 3 2\n2 1 4\n3 2 5\n"},
      {"c.col", "p edge 3 2\ne 1 2\ne 2 3\n"},
      {"d.metis", "3 2\n2\n1 3\n2\n"}};
  for (const auto& [name, text] : files) {
    const GraphData once = read_graph(put(name, text)), again = read_graph(put(name, text), both);
    EXPECT_EQ(once.edges, again.edges) << name;
    EXPECT_EQ(once.weights, again.weights) << name;
  }
  EXPECT_EQ(read_graph(put("e.gr", "p sp 2 1\na 1 2 3\n"), both).edges.size(), 2u)
      << "arcs have one direction";
}

TEST_F(Files, AByteOfZeroIsNoText) {
  using namespace std::string_literals;
  for (const char* name : {"a.txt", "a.mtx", "a.gr", "a.metis", "a_Packages"}) {
    const std::string error = error_of(put(name, "0 1\n\0\0 \n1 2\n"s));
    EXPECT_NE(error, "no error") << name;
  }
  EXPECT_NE(error_of(put("a.txt", "0 1\n\0 2\n"s)).find("a.txt:2: holds a byte 0"), std::string::npos);
}

TEST_F(Files, RandomDamageNeverCrashes) {
  std::vector<std::pair<std::string, std::string>> corpus = {
      {"a.txt", "0 1 5\n2 3 6.5\n# c\n1 1 1e3\n"},
      {"b.txt", "ann bob {'weight': 3.5, 'a': [1, (2)]}\nbob 99999999999 {\"b\": 'x'}\n"},
      {"c.txt", "a;b;1\n\"c\";\"d\"\"e\";2\n18446744073709551616;7;3\n"},
      {"a.csv", "x,source,target,weight\n\"1,\n2\",ann,\"b\"\"ob\",3\n,7,8,1e2\n"},
      {"a.mtx", "%%MatrixMarket matrix coordinate real general\n3 3 2\n1 2 3\n3 1 2\n"},
      {"a.gr", "c x\np sp 3 2\na 1 2 3\na 2 3 4\n"},
      {"a.metis", "3 2 001\n2 1\n1 1 3 2\n2 2\n"},
      {"a_Packages", "Package: a\nDepends: b | c, d (>= 1)\nProvides: e\n\nPackage: b\n"},
      {"a.sg",
       std::string("\1\3\0\0\0\0\0\0\0\2\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\2\0\0\0\0\0\0\0\3\0\0\0\0\0\0\0", 41) +
           std::string("\1\0\0\0\0\0\0\0\0\0\0\0", 12)},
      {"a.v", "1\n2\n4294967296\n"},
      {"a.plg", "polyloom-graph 1 2 1\n0 ab\n1 c\n\x01\x01"},
      {"b.plg", "polyloom-graph 1 2 1 weights\n0 7\n0 9\n" + std::string("\1\1\0\0\0\0\0\0\0\xf8\x3f", 11)}};
  const auto every = format_files();
  corpus.insert(corpus.end(), every.begin(), every.end());
  put("a.e", "1 2 3\n2 4294967296 4\n");
  std::mt19937 rng(7);
  int read = 0, refused = 0;
  for (int i = 0; i < 1200; ++i) {
    auto [name, text] = corpus[rng() % corpus.size()];
    for (unsigned n = rng() % 4; n > 0 && !text.empty(); --n) {
      const std::size_t at = rng() % text.size();
      switch (rng() % 3) {
        case 0:
          text[at] = static_cast<char>(rng());
          break;
        case 1:
          text.erase(at, 1 + rng() % 8);
          break;
        default:
          text.insert(at, text.substr(rng() % text.size(), rng() % 16));
      }
    }
    try {
      const GraphData g = read_graph(put(name, text));
      for (const Edge& e : g.edges) ASSERT_TRUE(e.from < g.vertices && e.to < g.vertices);
      ASSERT_TRUE(g.weights.empty() || g.weights.size() == g.edges.size());
      ++read;
    } catch (const UserError&) {
      ++refused;
    }
  }
  EXPECT_GT(read, 120);
  EXPECT_GT(refused, 120);
}

TEST_F(Files, ProgressGrowsToTheFileSize) {
  std::string text;
  for (int i = 0; i < 1'000'000; ++i) text += "123456 7890123\n";
  std::uint64_t last = 0, size = 0;
  ReadOptions options;
  options.progress = [&](std::uint64_t bytes, std::uint64_t total) {
    EXPECT_GE(bytes, last);
    last = bytes;
    size = total;
  };
  EXPECT_EQ(read_graph(put("p.txt", text), options).edges.size(), 1'000'000u);
  EXPECT_EQ(last, text.size());
  EXPECT_EQ(size, text.size());
}

TEST_F(Files, EdgeListOfPolite) {
  EdgeList net;
  net.read(put("net", "0 1\n0 2 2 0\n 0 2").c_str());
  EXPECT_EQ(net.numNodes, 3u);
  EXPECT_EQ(net.numEdges, 4u);
  EXPECT_EQ(net.neighbours[0][0], 3u);
  EXPECT_EQ(net.neighbours[0][1], 2u);
  EXPECT_EQ(net.neighbours[0][3], 1u);
  EXPECT_EQ(net.neighbours[1][0], 0u);
  EXPECT_EQ(net.maxFanOut(), 3u);
  EXPECT_EQ(net.minFanOut(), 0u);
  EXPECT_EXIT(net.read(put("odd", "0 1 2").c_str()), testing::ExitedWithCode(1), "odd count");
}

}  // namespace
}  // namespace polyloom::polite
