// SPDX-License-Identifier: Apache-2.0
// Covers: thousands of random mutations of valid files (bytes, lines, words): accepted or UserError, nothing
// else. Leaves out: coverage-guided search; inputs larger than a few KiB.
#include <gtest/gtest.h>

#include <fstream>
#include <random>
#include <sstream>

#include "fabric/cluster/dump.h"
#include "fabric/cluster/reader.h"
#include "fabric/cluster/test_roles.h"
#include "fabric/error.h"

namespace polyloom::fabric {
namespace {

std::string contents(const std::string& path) {
  std::ifstream in(path);
  std::ostringstream out;
  out << in.rdbuf();
  return out.str();
}

class Mutator {
 public:
  explicit Mutator(std::uint64_t seed) : random_(seed) {}

  std::string operator()(std::string text) {
    for (int n = 1 + below(3); n > 0; --n) change(text);
    return text;
  }

 private:
  int below(std::size_t n) { return static_cast<int>(random_() % n); }

  void change(std::string& text) {
    static const std::vector<std::string> words = {"-1",
                                                   "0",
                                                   "99999999999999999999",
                                                   "\"\"",
                                                   "[]",
                                                   "{}",
                                                   "true",
                                                   "nan",
                                                   "inf",
                                                   "1e308",
                                                   "[[node]]\n",
                                                   "[link]\n",
                                                   "\"explicit\"",
                                                   "\"star\"",
                                                   "\"hypercube\"",
                                                   "[4095, 2]",
                                                   "\"0 ns\"",
                                                   "\n",
                                                   "\"",
                                                   "'''",
                                                   "=",
                                                   ".",
                                                   "\\u0000",
                                                   "[",
                                                   "clocks = { core = \"1 Hz\" }\n",
                                                   "[[connect]]\na = \"x:0\"\n",
                                                   "{\"nodes\":",
                                                   "[1,[2]]",
                                                   "\"1 - 4000\""};
    if (text.empty()) text = "x";
    const auto at = static_cast<std::size_t>(below(text.size()));
    switch (below(6)) {
      case 0:
        text[at] = static_cast<char>(below(256));
        return;
      case 1:
        text.erase(at, static_cast<std::size_t>(below(20)));
        return;
      case 2:
        text.insert(at, words[static_cast<std::size_t>(below(words.size()))]);
        return;
      case 3: {  // replace what follows an '='
        const std::size_t equals = text.find('=', at);
        if (equals == std::string::npos) return;
        const std::size_t end = std::min(text.find('\n', equals), text.size());
        text.replace(equals + 1, end - equals - 1, words[static_cast<std::size_t>(below(words.size()))]);
        return;
      }
      case 4: {  // repeat a piece elsewhere
        const std::string piece = text.substr(at, static_cast<std::size_t>(below(60)));
        text.insert(static_cast<std::size_t>(below(text.size())), piece);
        return;
      }
      default:
        text.resize(at);
    }
  }

  std::mt19937_64 random_;
};

TEST(ReaderFuzz, AcceptsOrThrowsUserError) {
  const RoleRegistry roles = testing::test_roles();
  const std::string rich = R"(version = 1
[topology]
kind = "explicit"
[link]
latency = "100 ns"
rate = "40 Gb/s"
[memory.dram]
kind = "ddr3-1600"
size = "2 GiB"
[[node]]
name = "left"
role = "mpi"
[[node]]
name = "right"
role = "overlay"
clocks = { core = "250 MHz" }
[node.overlay]
cache_ways = 8
[[node]]
name = "pc"
kind = "host"
[[connect]]
a = "left:2"
b = "right:0"
[[connect]]
a = "pc:0"
b = "right:1"
[[override]]
between = ["left", "right"]
drop_rate = 0.5
)";
  const std::vector<std::pair<std::string, std::string>> files = {
      {"laptop.toml", contents("clusters/laptop.toml")},
      {"paper.toml", contents("clusters/tinsel-paper-6.toml")},
      {"rich.toml", rich},
      {"z.json", R"({"nodes": {"cpu": [0, 33], "fpga": "1 - 32"}, "config": {"com_opt": 3, "mem_opt": 1}})"}};
  Mutator mutate(20260101);
  int accepted = 0, refused = 0;
  for (const auto& [file, text] : files) {
    ASSERT_NO_THROW(parse_cluster(text, file, roles));
    for (int i = 0; i < 20000; ++i) {
      const std::string mutated = mutate(text);
      try {
        const ClusterSpec spec = parse_cluster(mutated, file, roles);
        ++accepted;
        if (i % 16 == 0) to_json(spec);
      } catch (const UserError& error) {
        ++refused;
        EXPECT_EQ(std::string(error.what()).find(file), 0u) << error.what();
      } catch (const std::exception& error) {
        FAIL() << "not a UserError: " << error.what() << "\nin:\n" << mutated;
      }
    }
  }
  EXPECT_GT(accepted, 100);
  EXPECT_GT(refused, 1000);
}

}  // namespace
}  // namespace polyloom::fabric
