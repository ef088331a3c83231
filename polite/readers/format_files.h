// SPDX-License-Identifier: Apache-2.0
// For tests: small files in every format of text that a second reader knows (apps/verify), a line a file. A
// new format has its files here: both readings of them are compared (apps/verify/verify_test.cc), and random
// damage to them must be refused or read (read_graph_test.cc). The two files of a graph follow one another,
// that of edges first.
#pragma once

#include <string>
#include <utility>
#include <vector>

namespace polyloom::polite {

inline std::vector<std::pair<std::string, std::string>> format_files() {
  return {{"a.txt", "# note\n7 3 2.5\n\n100\t7\t1\r\n3,3,4\n7 3 2.5\n"},
          {"out.wiki", "% asym positive\n1 2 3 1082008561\n3 1\t-1\t1082008562\n"},
          {"b.txt", "5 18446744073709551616\n07 5\n\n# x\n7 99999999999999999999\n"},
          {"c.txt", "# friends\nbob ann 2\n\n ann\tcarl 3.5\r\nbob bob -1\n"},
          {"d.txt", "New York\tSan Jose\n\"A, B\"\tNew York\r\n"},
          {"e.txt", "c d\nc p\np c\n"},
          {"f.txt",
           "0 1 {'b': \"'weight': 7\", 'weight': 3.5}\n1 2 {'weight': np.int64(2), 'x': {'weight': 1}}\n2 0 "
           "{}\n"},
          {"g.txt", "ann,bob,{'a': 1, 'weight': 2}\nbob,carl,{}\n"},
          {"a.csv",
           "\xEF\xBB\xBFsource,target,weight,note\r\nann,bob,2,\"x\r\ny\"\r\n\r\n\"O\"\"H, "
           "J.\",\"ann\",0.5,\r\n"},
          {"b.csv", "Cost;To Node;from_node\n3; 10;9\n4;9;010\n"},
          {"c.tsv", "# x\n\tFromNodeId\tToNodeId\n0\t9\t#1\n1\tb\t9\n"},
          {"d.csv", "src dst\n5 6\n6 9007199254740993\n"},
          {"a.mtx", "%%MatrixMarket matrix coordinate real skew-symmetric\n% n\n4 3 2\n2 1 5\n3 2 -1\n"},
          {"b.mtx", "%%MatrixMarket matrix coordinate pattern symmetric\n3 3 2\n1 1\n3 2\n"},
          {"c.txt", "\n %%matrixmarket matrix coordinate real general % was symmetric\n 2 2 1\n 1 2 4\n"},
          {"d.txt", "% more\n%MatrixMarket matrix coordinate pattern general skew\n2 2 1\n2 1\n"},
          {"e.txt", "c----\nP COL 3 2\nc==\ne 1 2\nE 2 3\n"},
          {"a.gr", "c road\np sp 4 2\na 1 2 7\na 3 1 4\n"},
          {"a.col", "c x\np edge 3 2\ne 1 2\ne 3 3\n"},
          {"a.metis", "% both weights\n3 2 011 2\n1 2 2 9\n5 6 1 9 3 1\n7 8 2 1\n"},
          {"a.graph", "7 11\n5 3 2\n1 3 4\n5 4 2 1\n2 3 6 7\n1 3 6\n5 4 7\n6 4\n"},
          {"a_Packages",
           "Package: b\nDepends: c (>= 1.2), a:any | x, gone,\n virtual | gone\n\n"
           "Package: a\nPre-Depends: c\nDepends: c, a\nDescription: x\n Depends: b\n\n"
           "Package: c\nProvides: virtual (= 1)\n\nPackage: d\nDepends: gone | b\n"},
          {"a.e", "30 4 2.5\n4 5000000000 1\n"},
          {"a.v", "30\n4\n\n5000000000\n07\n"},
          {"a.plg", "polyloom-graph 1 3 2\n0 ab\n1 c\n0 x\n" + std::string("\x02\x01\x01\x00\x00", 5)},
          {"b.plg", "polyloom-graph 1 2 2 weights mirrored\n0 7\n0 9\n" + std::string("\1\1\1\0", 4) +
                        std::string("\0\0\0\0\0\0\x0c\x40\0\0\0\0\0\0\x0c\x40", 16)}};
}

}  // namespace polyloom::polite
