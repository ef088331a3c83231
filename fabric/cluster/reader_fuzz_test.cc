// SPDX-License-Identifier: Apache-2.0
// Covers: thousands of random mutations of valid files (bytes, lines, words): accepted or UserError, nothing
// else. Leaves out: coverage-guided search; inputs larger than a few KiB.
#include <gtest/gtest.h>

#include <fstream>
#include <sstream>

#include "fabric/cluster/dump.h"
#include "fabric/cluster/mutator.h"
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
      {"rich.toml", rich}};
  testing::Mutator mutate(20260101);
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
