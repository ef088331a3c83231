// SPDX-License-Identifier: Apache-2.0
// Covers: lists of edges that are longer than the blocks in which threads read them: every edge, weight and name
// against what was written, and each odd line against the reader that goes line by line (which packed files have);
// messages name the same line. Leaves out: speed.
#include <algorithm>
#include <cstdlib>
#include <random>

#include "polite/readers/test_files.h"

namespace polyloom::polite {
namespace {

struct Written {
  std::string text;
  std::vector<std::pair<std::uint64_t, std::uint64_t>> ends;
  Weights weights;
  std::vector<std::size_t> begins;  ///< of lines, in the text
};

/// Some megabytes: ids of one to ten digits, with all that may stand between and around them.
Written write_list(bool weighted, std::uint64_t largest, std::size_t lines, std::uint32_t seed) {
  std::mt19937_64 draw(seed);
  Written w;
  const char* const between[] = {" ", "\t", ",", "  ", " \t ", ", "};
  const char* const behind[] = {"", "", "", " ", "\r", "\t\r"};
  const std::pair<const char*, double> weights[] = {{"7", 7},
                                                    {"0", 0},
                                                    {"-2.5", -2.5},
                                                    {"1e3", 1000},
                                                    {"007", 7},
                                                    {"0.125", .125},
                                                    {"123456789012345", 123456789012345},
                                                    {"9007199254740993", 9007199254740992}};
  const auto id = [&] {
    const std::uint64_t id = draw() % largest >> draw() % 12;
    w.text += draw() % 16 == 0 ? "00" + std::to_string(id) : std::to_string(id);
    return id;
  };
  for (std::size_t line = 0; line < lines; ++line) {
    w.begins.push_back(w.text.size());
    if (line > 0 && draw() % 64 == 0) {
      w.text += draw() % 2 == 0 ? "# 1 2, a comment\n" : draw() % 2 == 0 ? "\n" : " \t\r\n";
      continue;
    }
    if (draw() % 8 == 0) w.text += ' ';
    const std::uint64_t from = id();
    w.text += between[draw() % std::size(between)];
    w.ends.emplace_back(from, id());
    if (weighted) {
      const auto& [word, value] = weights[draw() % std::size(weights)];
      w.text += between[draw() % std::size(between)];
      w.text += word;
      w.weights.push_back(value);
    }
    w.text += behind[draw() % std::size(behind)];
    w.text += '\n';
  }
  return w;
}

void expect_written(const GraphData& g, const Written& w) {
  std::vector<std::uint64_t> ids;
  for (const auto& [from, to] : w.ends) ids.insert(ids.end(), {from, to});
  std::ranges::sort(ids);
  ids.erase(std::unique(ids.begin(), ids.end()), ids.end());
  ASSERT_EQ(g.vertices, ids.size());
  std::uint32_t vertex = 0;
  for (const std::uint64_t id : ids) ASSERT_EQ(g.names.number(vertex++), id);
  ASSERT_EQ(g.edges.size(), w.ends.size());
  for (std::size_t e = 0; e < g.edges.size(); ++e) {
    ASSERT_EQ(g.names.number(g.edges[e].from), w.ends[e].first) << e;
    ASSERT_EQ(g.names.number(g.edges[e].to), w.ends[e].second) << e;
  }
  EXPECT_TRUE(g.weights == w.weights);
}

TEST_F(Files, LongListsAreReadInBlocks) {
  for (const unsigned threads : {1u, 3u}) {
    setenv("POLYLOOM_THREADS", std::to_string(threads).c_str(), 1);
    for (const bool weighted : {false, true}) {
      // Ids that are dense, and ids that are not.
      Written w = write_list(weighted, threads == 3 ? 4294967294ull : 100000, 300000, threads);
      ASSERT_GT(w.text.size(), std::size_t{3} << 20);
      if (threads == 1) w.text.pop_back();  // the last line without its end
      expect_written(read_graph(put("a.txt", w.text)), w);
    }
  }
  unsetenv("POLYLOOM_THREADS");
}

TEST_F(Files, OddLinesOfLongLists) {
  const Written w = write_list(true, 50000, 130000, 9);
  using namespace std::string_literals;
  ASSERT_GT(w.text.size(), std::size_t{1} << 20);
  const std::string lines[] = {"% a comment\n",
                               "3\n",
                               "3 4\n",
                               "3 4 x\n",
                               "3 4 nan\n",
                               "3 4 5 6\n",
                               "3 -4 5\n",
                               "3 4 +5\n",
                               "3 4.5 1\n",
                               "3 4294967294 1\n",
                               "3 4294967293 1\n",
                               "3 4294967297 1\n",
                               "3 18446744073709551620 1\n",
                               "3 99999999999999999999 1\n",
                               "3 0000000000000000000000004 1\n",
                               "a b 1\n",
                               "3 4 1\0 2\n"s,
                               "# \0\n"s,
                               "# " + std::string(200000, 'c') + "\n",
                               "3 4 " + std::string(70000, ' ') + "1\n",
                               "3 4 5\r6\n"};
  std::mt19937 draw(4);
  for (const std::string& line : lines) {
    // Where a block begins, one line before or after; or anywhere.
    const std::size_t edge =
        std::upper_bound(w.begins.begin(), w.begins.end(), std::size_t{1} << 20) - w.begins.begin();
    const std::size_t place = draw() % 2 == 0 ? edge - draw() % 3 : 1 + draw() % (w.begins.size() - 1);
    std::string text = w.text;
    text.insert(w.begins[place], line);
    SCOPED_TRACE(testing::Message() << line.substr(0, 30) << " as line " << place + 1);
    const std::string plain = put("a.txt", text), packed = put_gzip("a.gz", text);
    const std::string error = error_of(plain), expected = error_of(packed);
    ASSERT_EQ(error.substr(error.find(':') + 1), expected.substr(expected.find(':') + 1));
    if (error != "no error") continue;
    const GraphData g = read_graph(plain), h = read_graph(packed);
    EXPECT_TRUE(g.edges == h.edges && g.weights == h.weights && g.vertices == h.vertices &&
                g.notes == h.notes);
    EXPECT_EQ(g.names.summary(), h.names.summary());
  }
}

}  // namespace
}  // namespace polyloom::polite
