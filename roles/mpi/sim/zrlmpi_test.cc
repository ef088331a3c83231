// SPDX-License-Identifier: Apache-2.0
// Covers: ZRLMPI's descriptions of clusters, by file and by name, each sort of mistake in one, thousands of
// random mutations.
#include "roles/mpi/sim/zrlmpi.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "fabric/cluster/dump.h"
#include "fabric/cluster/mutator.h"
#include "fabric/cluster/reader.h"
#include "fabric/error.h"
#include "roles/mpi/sim/role.h"

namespace polyloom::mpi {
namespace {

using namespace fabric;

RoleRegistry roles() {
  RoleRegistry registry;
  register_role(registry);
  return registry;
}

TEST(Zrlmpi, Description) {
  const ClusterSpec spec =
      parse_cluster("{\"nodes\": {\n\"cpu\": [0, 33],\n\"fpga\": \"1 - 32\"}}", "c.json", roles());
  EXPECT_EQ(spec.nodes_of(NodeKind::fpga).size(), 32u);
  EXPECT_EQ(spec.nodes_of(NodeKind::host).size(), 3u);
  EXPECT_EQ(spec.nodes.back().name, "manager");
  EXPECT_EQ(spec.nodes.back().rank, -1);
  EXPECT_EQ(spec.nodes[0].fidelity, Fidelity::rtl);
  EXPECT_EQ(spec.nodes[static_cast<std::size_t>(spec.find_node("fpga.32"))].rank, 32);
  EXPECT_EQ(spec.nodes[static_cast<std::size_t>(spec.find_node("host.33"))].rank, 33);
  EXPECT_EQ(spec.nodes[0].role, "mpi");
  const ClusterSpec listed = parse_cluster(
      R"({"nodes": {"fpga": [0, "2 - 3"], "cpu": 1}, "config": {"com_opt": 0}})", "c.json", roles());
  EXPECT_EQ(listed.nodes_of(NodeKind::fpga).size(), 3u);
  EXPECT_EQ(listed.config.at("com_opt"), 0);
}

TEST(Zrlmpi, ByName) {
  for (const int ranks : {2, 4, 1024}) {
    const ClusterSpec spec = read_cluster("zrlmpi:" + std::to_string(ranks), roles());
    EXPECT_EQ(spec.nodes_of(NodeKind::fpga).size(), static_cast<std::size_t>(ranks - 1));
    EXPECT_EQ(spec.nodes_of(NodeKind::host).size(), 2u);
    EXPECT_EQ(spec.nodes[static_cast<std::size_t>(spec.find_node("host.0"))].rank, 0);
  }
  // The file of 4 ranks, which people copy and change, is the same cluster under other names of nodes.
  const auto facts = [](const char* name) {
    auto json = nlohmann::json::parse(to_json(read_cluster(name, roles())));
    nlohmann::json links;
    for (const auto& link : json["links"]) links.push_back({link["latency_ps"], link["rate_bps"]});
    return nlohmann::json{json["topology"], json["switch"], json["host"],
                          json["roles"],    links,          json["nodes"][0]["clocks_hz"]};
  };
  EXPECT_EQ(facts("zrlmpi:4"), facts("zrlmpi-4"));
  for (const char* wrong :
       {"zrlmpi:", "zrlmpi:1", "zrlmpi:1025", "zrlmpi:4x", "zrlmpi:-4", "zrlmpi:99999999999"}) {
    try {
      read_cluster(wrong, roles());
      ADD_FAILURE() << wrong;
    } catch (const UserError& error) {
      EXPECT_EQ(std::string(error.what()),
                "cluster \"" + std::string(wrong) +
                    "\": no such number of ranks; allowed: zrlmpi:2 to zrlmpi:1024");
    }
  }
}

struct Mistake {
  std::string text;
  std::vector<std::string> parts;  ///< the message holds each
};

TEST(Zrlmpi, Mistakes) {
  const std::vector<Mistake> mistakes = {
      {"{\"nodes\": {\"cpu\": [0],\n\"fpga\": [2]}}", {"c.json:2", "rank 1 is missing"}},
      {"{\"nodes\": {\"cpu\": [0, 1],\n\"fpga\": [1]}}", {"rank 1 is given twice"}},
      {"{\"nodes\": {\"cpu\": [0],\n\"fpga\": \"1 - x\"}}", {"c.json:2", "\"x\" is not a rank"}},
      {"{\"nodes\": {\"cpu\": [0],\n\"fpga\": \"3 - 1\"}}", {"c.json:2", "ends before it begins"}},
      {"{\"nodes\": {\"cpu\": [0],\n\"gpu\": 1}}", {"c.json:2", "gpu", "unknown key", "did you mean cpu?"}},
      {"{\"nodes\": {\"cpu\": [0]}}", {"no rank is an FPGA"}},
      {"{}", {"nodes", "missing"}},
      {"{\"nodes\": ", {"c.json:1", "not valid JSON"}},
      {"[]", {"not an object"}},
      {"{\"nodes\": {\"cpu\": 0, \"fpga\": 1}, \"config\": {\"com_opt\": 9}}", {"com_opt = 9", "0 to 3"}},
      {"{\"nodes\": {\"cpu\": 0, \"fpga\": \"1 - 999999\"}}", {"not a rank"}},
  };
  for (const Mistake& mistake : mistakes) {
    try {
      parse_cluster(mistake.text, "c.json", roles());
      ADD_FAILURE() << mistake.text;
    } catch (const UserError& error) {
      const std::string said = error.what();
      EXPECT_EQ(said.find('\n'), std::string::npos) << said;
      for (const std::string& part : mistake.parts) {
        EXPECT_NE(said.find(part), std::string::npos) << "message: " << said << "\nlacks: " << part;
      }
    }
  }
}

TEST(Zrlmpi, MutationsAreAcceptedOrThrowUserError) {
  const std::string whole =
      R"({"nodes": {"cpu": [0, 33], "fpga": "1 - 32"}, "config": {"com_opt": 3, "mem_opt": 1}})";
  testing::Mutator mutate(20260101);
  const RoleRegistry registry = roles();
  int accepted = 0, refused = 0;
  for (int i = 0; i < 20000; ++i) {
    const std::string mutated = mutate(whole);
    try {
      parse_cluster(mutated, "z.json", registry);
      ++accepted;
    } catch (const UserError& error) {
      ++refused;
      EXPECT_EQ(std::string(error.what()).find("z.json"), 0u) << error.what();
    } catch (const std::exception& error) {
      FAIL() << "not a UserError: " << error.what() << "\nin:\n" << mutated;
    }
  }
  EXPECT_GT(accepted, 20);
  EXPECT_GT(refused, 1000);
}

}  // namespace
}  // namespace polyloom::mpi
