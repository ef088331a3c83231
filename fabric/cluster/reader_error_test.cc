// SPDX-License-Identifier: Apache-2.0
// Covers: each sort of mistake in a cluster file: the one message names file, line, key, value and what is
// allowed. Leaves out: mistakes in the real roles' tables (each role tests its own).
#include <gtest/gtest.h>

#include "fabric/cluster/reader.h"
#include "fabric/cluster/test_roles.h"
#include "fabric/error.h"

namespace polyloom::fabric {
namespace {

// Lines 1 to 9; further text starts at line 10.
const std::string kBase = R"(version = 1
[topology]
kind = "mesh"
size = [2, 1]
[link]
latency = "780 ns"
rate = "10 Gb/s"
[fpga]
role = "overlay"
)";

std::string message(const std::string& text, const std::string& file = "c.toml") {
  try {
    parse_cluster(text, file, testing::test_roles());
  } catch (const UserError& error) {
    return error.what();
  }
  return "(no error)";
}

std::string replaced(std::string text, const std::string& from, const std::string& to) {
  const std::size_t at = text.find(from);
  EXPECT_NE(at, std::string::npos) << from;
  return text.replace(at, from.size(), to);
}

struct Case {
  std::string text;
  std::vector<std::string> parts;  ///< the message holds each
};

void check(const std::vector<Case>& cases, const std::string& file = "c.toml") {
  for (const Case& c : cases) {
    const std::string said = message(c.text, file);
    EXPECT_EQ(said.find('\n'), std::string::npos) << said;
    for (const std::string& part : c.parts) {
      EXPECT_NE(said.find(part), std::string::npos) << "message: " << said << "\nlacks: " << part;
    }
  }
}

TEST(ReaderError, BaseIsGood) { EXPECT_EQ(message(kBase), "(no error)"); }

TEST(ReaderError, KeysAndTypes) {
  check({
      {replaced(kBase, "latency", "latncy"), {"c.toml:5", "[link] latency", "missing", "\"780 ns\""}},
      {kBase + "[link2]\nx = 1\n",
       {"c.toml:10", "link2", "unknown key", "did you mean link?", "allowed: version"}},
      {kBase + "[overlay]\ncache_wys = 4\n",
       {"c.toml:11", "[overlay] cache_wys = 4", "unknown key", "did you mean cache_ways?"}},
      {replaced(kBase, "\"780 ns\"", "780"), {"c.toml:6", "[link] latency = 780", "no unit", "\"780 ns\""}},
      {replaced(kBase, "\"780 ns\"", "\"780 parsecs\""), {"c.toml:6", "known unit"}},
      {replaced(kBase, "\"780 ns\"", "\"2 s\""), {"c.toml:6", "out of range", "1 ns to 1 s"}},
      {replaced(kBase, "\"10 Gb/s\"", "[10]"), {"c.toml:7", "this is an array"}},
      {replaced(kBase, "version = 1", "version = 2"), {"c.toml:1", "version = 2", "from 1 to 1"}},
      {replaced(kBase, "version = 1\n", ""), {"version", "missing"}},
      {replaced(kBase, "\"mesh\"", "\"mush\""), {"c.toml:3", "did you mean mesh?", "double_ring"}},
      {replaced(kBase, "[2, 1]", "[2]"), {"c.toml:4", "wrong number of items", "2 integers"}},
      {replaced(kBase, "[2, 1]", "[2, 0]"), {"c.toml:4", "item 0 is out of range"}},
      {replaced(kBase, "[2, 1]", "[2, \"1\"]"), {"c.toml:4", "an item is a string"}},
      {replaced(kBase, "[2, 1]", "[4000, 4000]"), {"c.toml:4", "too large a cluster"}},
      {replaced(kBase, "[2, 1]", "[2, 1\n"), {"c.toml:", "not valid TOML"}},
      {kBase + "date = 2020-01-01\n", {"c.toml:10", "date"}},
      {kBase + "fidelity = \"smi\"\n", {"c.toml:10", "did you mean sim?", "sim, rtl"}},
      {kBase + "fidelity = \"board\"\n", {"c.toml:10", "no node runs on a board yet", "sim, rtl"}},
      {kBase + "fidelity = \"native\"\n", {"c.toml:10", "--on native", "sim, rtl"}},
      {kBase + "clocks = { dram = \"1 GHz\" }\n", {"c.toml:10", "dram", "unknown key", "core"}},
      {replaced(kBase, "rate =", "protocol = \"serial\"\nrate ="),
       {"c.toml: link fpga.0.0-fpga.1.0", "\"serial\"", "do not speak it", "allowed: reliable"}},
      {kBase + "[host]\nprotocol = \"udp\"\n", {"c.toml: link", "host", "\"udp\"", "allowed: pcie"}},
      {kBase + "[host]\ndrop_rate = 1e-9\n",
       {"c.toml: link", "host", "drop_rate = 1e-09", "PCI Express", "allowed"}},
      {kBase + "[host]\nbit_error_rate = 1e-9\n", {"c.toml: link", "bit_error_rate = 1e-09", "PCI Express"}},
      {kBase + "[[override]]\nbetween = [\"host\", \"fpga.1.0\"]\ndrop_rate = 0.5\n",
       {"drop_rate = 0.5", "PCI Express"}},
      {kBase + "[memory.fast]\nkind = \"hbm2\"\nsize = \"2 GiB\"\n", {"c.toml:11", "no role", "ddr3-1600"}},
      {kBase + "[memory.a]\nkind = \"ddr3-1600\"\nsize = \"2 GiB\"\n[memory.b]\nkind = \"ddr3-1600\"\nsize = "
               "\"1 GiB\"\n",
       {"c.toml:14", "there is one already"}},
      {kBase + "clocks = { core = \"fast\" }\n", {"c.toml:10", "[fpga.clocks] core", "250 MHz"}},
      {kBase + "[overlay]\ntiles_x = 3\n", {"c.toml:11", "not a power of two"}},
      {kBase + "[overlay]\nheader_every_flit = 1\n", {"c.toml:11", "true or false"}},
      {replaced(kBase, "role = \"overlay\"", "role = \"overlai\""),
       {"c.toml", "overlai", "did you mean overlay?", "mpi"}},
      {replaced(kBase, "role = \"overlay\"", ""), {"[fpga] role", "missing"}},
      {kBase + "[mpi]\n", {"c.toml:10", "no FPGA has this role"}},
      {kBase + "[kernel]\n", {"c.toml:10", "unknown key; it is now called mpi"}},
      {replaced(kBase, "role = \"overlay\"", "role = \"kernel\""),
       {"c.toml", "role \"kernel\"", "it is now called mpi"}},
      {kBase + "[overlay]\nturn_cycles = 4\n",
       {"c.toml:11", "[overlay] turn_cycles = 4", "it is now called turnaround_cycles"}},
      {kBase + "[fpga]\n", {"not valid TOML"}},
      {kBase + "[switch]\nqueue = \"1 KiB\"\n", {"c.toml:10", "switch", "unknown key"}},
      {replaced(kBase, "rate =", "drop_rate = 1.5\nrate ="), {"c.toml:7", "from 0 to 1"}},
      {replaced(kBase, "rate =", "drop_rate = nan\nrate ="), {"c.toml:7", "out of range"}},
      {kBase + "[memory.dram]\nkind = \"ddr9\"\nsize = \"2 GiB\"\n", {"c.toml:11", "ddr3-1600"}},
      {"", {"version", "missing"}},
  });
}

TEST(ReaderError, NodesLinksAndHosts) {
  const std::string open = R"(version = 1
[topology]
kind = "explicit"
[[node]]
name = "a"
role = "mpi"
[[node]]
name = "b"
role = "mpi"
)";  // further text starts at line 10
  check({
      {kBase + "[[node]]\nname = \"fpga.2.0\"\n", {"c.toml:11", "no such node", "fpga.1.0"}},
      {kBase + "[[node]]\nname = \"fpga.1.0\"\n[[node]]\nname = \"fpga.1.0\"\n", {"c.toml:13", "twice"}},
      {kBase + "[[override]]\nbetween = [\"fpga.0.0\", \"fpga.0.0\"]\n", {"c.toml:11", "two ends"}},
      {kBase + "[host]\nattach = [\"fpga.9.9\"]\n", {"c.toml:11", "fpga.9.9"}},
      {kBase + "[host]\nattach = [\"fpga.0.0\", \"fpga.0.0\"]\n", {"c.toml:11", "twice"}},
      {kBase + "[host]\nattach = \"switch\"\n", {"c.toml:11", "nothing of that name"}},
      {open + "[[connect]]\na = \"a:0\"\n", {"c.toml:10", "[connect] b", "missing"}},
      {open + "[[connect]]\na = \"a:0\"\nb = \"c:0\"\n", {"c.toml:12", "no such node"}},
      {open + "[[connect]]\na = \"a:0\"\nb = \"b\"\n", {"c.toml:12", "NODE:PORT"}},
      {open + "[[connect]]\na = \"a:0\"\nb = \"b:999\"\n", {"c.toml:12", "port out of range"}},
      {open + "[[connect]]\na = \"a:0\"\nb = \"a:0\"\n", {"c.toml:12", "already connected"}},
      {open + "[[node]]\nname = \"a\"\n", {"c.toml:11", "twice"}},
      {open + "[[node]]\nname = \"x y\"\n", {"c.toml:11", "letters"}},
      {"version = 1\n[topology]\nkind = \"explicit\"\n", {"without nodes"}},
  });
}

TEST(ReaderError, LinkedNodesAgree) {
  const std::string node = "[[node]]\nname = \"fpga.1.0\"\n[node.overlay]\n";
  check({
      {kBase + node + "link_layer = \"published\"\n",
       {"c.toml:13: [overlay] link_layer = \"published\"",
        "\"published\" at fpga.1.0 and \"ours\" at fpga.0.0",
        "allowed: the same link_layer at both ends of a link, here \"ours\""}},
      // The node's own table is told of, wherever the common one stands.
      {kBase + "[overlay]\nlink_layer = \"published\"\n" + node + "link_layer = \"ours\"\n",
       {"c.toml:15", "\"ours\" at fpga.1.0 and \"published\" at fpga.0.0"}},
      {kBase + node + "link_layer = \"ours\"\n[overlay]\nlink_layer = \"published\"\n",
       {"c.toml:13", "\"ours\" at fpga.1.0 and \"published\" at fpga.0.0"}},
      {kBase + node + "tiles_x = 2\n", {"(no error)"}},
      {kBase + node + "link_layer = \"ours\"\n", {"(no error)"}},
      {kBase + "[overlay]\nlink_layer = \"published\"\n", {"(no error)"}},
  });
}

TEST(ReaderError, JsonWithoutARoleThatReadsIt) {
  check({{"{}", {"c.json: no role of this program describes clusters in JSON"}}}, "c.json");
}

}  // namespace
}  // namespace polyloom::fabric
