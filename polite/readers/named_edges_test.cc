// SPDX-License-Identifier: Apache-2.0
// Covers: lists of names, of ids of any length and of NetworkX, and tables with a header, by hand; their
// messages. Leaves out: random damage (read_graph_test.cc), files that others write
// (tests/test_graph_files.py).
#include <string>
#include <tuple>
#include <utility>

#include "polite/readers/test_files.h"

namespace polyloom::polite {
namespace {

TEST_F(Files, EdgeListOfNames) {
  const std::pair<const char*, const char*> files[] = {
      {"blanks", "# friends\nbob ann\n\n ann\tcarl \r\nbob bob\n"},
      {"tabs", "bob\tann\nann\tcarl\nbob\tbob\n"},
      {"commas", "bob, ann\nann,\"carl\"\n\"bob\",bob\n"},
      {"semicolons", "bob;ann\nann;carl\nbob;bob\n"}};
  for (const auto& [name, text] : files) {
    const GraphData g = read_graph(put(name, text));
    EXPECT_EQ(names_of(g), (Names{"ann", "bob", "carl"})) << name;
    EXPECT_EQ(g.edges, (Edges{{1, 0}, {0, 2}, {1, 1}})) << name;
    EXPECT_TRUE(g.weights.empty());
  }
  const GraphData towns = read_graph(put("t", "New York\tSan Jos\xc3\xa9\t2.5\nA, B; C\tNew York\t-1\n"));
  EXPECT_EQ(names_of(towns), (Names{"A, B; C", "New York", "San Jos\xc3\xa9"}));
  EXPECT_EQ(towns.weights, (Weights{2.5, -1}));
  // What other formats begin with.
  EXPECT_EQ(names_of(read_graph(put("c", "c a\nc b\n"))), (Names{"a", "b", "c"}));
  EXPECT_EQ(names_of(read_graph(put("p", "p q\nq p\n"))), (Names{"p", "q"}));
  EXPECT_EQ(names_of(read_graph(put("g", "graph theory\nversion graph\n"))),
            (Names{"graph", "theory", "version"}));
  ReadOptions names;
  names.format = "names";
  EXPECT_EQ(names_of(read_graph(put("n", "7 007\n10 7\n"), names)), (Names{"007", "10", "7"}));
}

TEST_F(Files, IdsOfAnyLength) {
  const GraphData g = read_graph(put("a", "9007199254740993 9007199254740992\n7 9007199254740993\n"));
  EXPECT_EQ(names_of(g), (Names{"7", "9007199254740992", "9007199254740993"}));
  EXPECT_EQ(g.edges, (Edges{{2, 1}, {0, 2}}));
  EXPECT_TRUE(g.names.numeric());
  EXPECT_EQ(g.names.number(2), 9007199254740993u);
  EXPECT_EQ(g.names.find("9007199254740993"), 2u);
  // The first lines are of small ids; 018446744073709551615 is the largest of 64 bits.
  const GraphData later = read_graph(
      put("b", "2 10 5\n10, 3 1\n018446744073709551615 2 7\n4294967296\t2\t1\n18446744073709551615 3 2\n"));
  EXPECT_EQ(names_of(later), (Names{"2", "3", "10", "4294967296", "18446744073709551615"}));
  EXPECT_EQ(later.edges, (Edges{{0, 2}, {2, 1}, {4, 0}, {3, 0}, {4, 1}}));
  EXPECT_EQ(later.weights, (Weights{5, 1, 7, 1, 2}));
  const GraphData huge = read_graph(put("c", "5 100000000000000000000000\n99999999999999999999999 5\n"));
  EXPECT_EQ(names_of(huge), (Names{"5", "99999999999999999999999", "100000000000000000000000"}));
  EXPECT_EQ(huge.edges, (Edges{{0, 2}, {1, 0}}));
}

TEST_F(Files, ListsOfNetworkX) {
  const GraphData g = read_graph(put("a",
                                     "0 1 {'colour': 'a, \\'weight\\': 9', 'weight': 3.5}\n1 2 {\"weight\": "
                                     "np.float64(2.0), 'x': (1, [2])}\n"
                                     "2 0 {'weights': {'weight': 4}}\n"));
  EXPECT_EQ(g.edges, (Edges{{0, 1}, {1, 2}, {2, 0}}));
  EXPECT_EQ(g.weights, (Weights{3.5, 2, 1}));
  EXPECT_EQ(g.notes.size(), 1u);
  const GraphData plain = read_graph(put("b", "ann bob {}\nbob carl {'since': 1999}\n"));
  EXPECT_EQ(names_of(plain), (Names{"ann", "bob", "carl"}));
  EXPECT_TRUE(plain.weights.empty());
  EXPECT_EQ(read_graph(put("c", "ann,bob,{'weight': 1, 'b': 2}\n")).weights, (Weights{1}));
  EXPECT_NE(error_of(put("d", "0 1 {}\n1 2 {'weight': 3\n"))
                .find("d:2: the dictionary '{'weight': 3' does not end"),
            std::string::npos);
  EXPECT_NE(error_of(put("e", "0 1 {'weight': 'much'}\n")).find("e:1: ''much'' is no weight"),
            std::string::npos);
}

TEST_F(Files, Tables) {
  const GraphData g = read_graph(put("a.csv",
                                     "\xEF\xBB\xBFsource,target,weight,note\r\nann,bob,2,\"x, "
                                     "y\"\r\n\r\n\"O\"\"Hara, J.\",\"ann\",0.5,\r\n"));
  EXPECT_EQ(g.format, "csv");
  EXPECT_EQ(names_of(g), (Names{"O\"Hara, J.", "ann", "bob"}));
  EXPECT_EQ(g.edges, (Edges{{1, 2}, {0, 1}}));
  EXPECT_EQ(g.weights, (Weights{2, 0.5}));
  EXPECT_EQ(g.notes, (Names{"columns that are not used: 'note'"}));
  // Any order, separators, and names of columns; ids stay ids.
  for (const char* text :
       {"Weight;To;From\n3;10;9\n4;9;010\n", "dst\tcost\tsrc\n10\t3\t9\n9\t4\t10\n",
        ",FromNodeId,ToNodeId,distance\n0,9,10,3\n1,10,9,4\n", "source target weight\n9 10 3\n10 9 4\n",
        "# x\n\n\"source_id\",\"target_id\",\"weight\"\n\"9\",\"10\",\"3\"\n\"10\",\"9\",\"4\"\n"}) {
    const GraphData ids = read_graph(put("b.txt", text));
    EXPECT_EQ(names_of(ids), (Names{"9", "10"})) << text;
    EXPECT_TRUE(ids.names.numeric());
    EXPECT_EQ(ids.edges, (Edges{{0, 1}, {1, 0}})) << text;
    EXPECT_EQ(ids.weights, (Weights{3, 4})) << text;
  }
  const GraphData lines = read_graph(put("c.csv", "from,to\n\"two\nlines\",b\n#a,b\n1,b\n"));
  EXPECT_EQ(names_of(lines), (Names{"#a", "1", "b", "two\nlines"}));
  ReadOptions columns;
  columns.columns = "\"the, buyer\",seller";
  const GraphData requested = read_graph(put("d.csv", "weight,seller,\"the, buyer\",to\n1,s,b,x\n"), columns);
  EXPECT_EQ(requested.format, "csv");
  EXPECT_EQ(names_of(requested), (Names{"b", "s"}));
  EXPECT_EQ(requested.edges, (Edges{{0, 1}}));
  EXPECT_TRUE(requested.weights.empty());
  EXPECT_EQ(read_graph(put("e.csv", "source,target\n")).vertices, 0u);
}

TEST_F(Files, MessagesOfNamesAndTables) {
  const std::tuple<const char*, const char*, const char*> files[] = {
      {"-1 2\n", "", "x:1: '-1' stands where a vertex is expected: a name, or a whole number from 0 on"},
      {"ann bob\nann -7\n", "", "x:2: '-7' stands"},
      {"source,target\n1,2\n-3,2\n", "", "x:3: '-3' stands"},
      {"1.5 2\n\n7\n", "", "x:3: nothing stands where a vertex is expected: a name"},
      {"ann\n", "", "x:1: no edge; a line is 'from to' or 'from to weight'"},
      {"a b c d e\n", "", "x:1: no edge"},
      {"ann bob 3\nbob carl\n", "", "x:2: the weight is missing"},
      {"ann bob\nbob carl 3\n", "", "x:2: '3' is too much"},
      {"user,friend\n1,2\n", "",
       "x:1: 'user', 'friend' may be the names of columns, as numbers follow; say --columns"},
      {"source,target,weight\na,b,1\na,b\n", "",
       "x:3: a row of 2 columns; the header has 3: 'source', 'target', 'weight'"},
      {"source,target,weight\na,b,1\na,b,\n", "", "x:3: the weight is missing"},
      {"source,target,weight\na,b,1\na,b,much\n", "", "x:3: 'much' is no weight"},
      {"source,target\n,b\n", "", "x:2: nothing stands where a vertex"},
      {"source,target\na,b\n\"a,b\nc,d\n", "", "x:3: a quote is not closed"},
      {"source,target\n\"a\"x,b\n", "", "x:2: a quote is not closed, or does not end its field"},
      {"user,friend\na,b\n", "user,enemy", "x:1: no column 'enemy'; the columns are 'user', 'friend'"},
      {"user friend\na b\n", "user,enemy", "x:1: no column 'enemy'; the columns are 'user', 'friend'"},
      {"user,friend\na,b\n", "user", "x: --columns user: expected --columns SOURCE,TARGET"},
      {"p sp 2 0\n", "a,b", "x: is no table with a header (csv)"}};
  for (const auto& [text, columns, message] : files) {
    ReadOptions options;
    options.columns = columns;
    const std::string error = error_of(put("x", text), options);
    EXPECT_TRUE(error.starts_with(message)) << error;
  }
}

}  // namespace
}  // namespace polyloom::polite
