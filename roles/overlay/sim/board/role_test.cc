// SPDX-License-Identifier: Apache-2.0
// Covers: the [overlay] table: defaults, every key, what bad values are told; making nodes of shipped
// clusters. Leaves out: what cluster files share (fabric/cluster).
#include "roles/overlay/sim/board/role.h"

#include <gtest/gtest.h>

#include "fabric/cluster/reader.h"
#include "fabric/error.h"
#include "roles/overlay/sim/board/overlay_params.h"
#include "roles/overlay/sim/board/rtl_board.h"

namespace polyloom::overlay {
namespace {

fabric::RoleRegistry registry() {
  fabric::RoleRegistry roles;
  register_role(roles);
  return roles;
}

std::string cluster(const std::string& overlay,
                    const std::string& topology = "kind = \"mesh\"\nsize = [2, 1]") {
  return "version = 1\n[topology]\n" + topology +
         "\n[link]\nlatency = \"780 ns\"\nrate = \"10 Gb/s\"\n[fpga]\nrole = \"overlay\"\n"
         "clocks = { core = \"250 MHz\" }\n[host]\nlatency = \"1 us\"\nrate = \"32 Gb/s\"\ncall_time = \"1 "
         "us\"\n"
         "[overlay]\n" +
         overlay;
}

const OverlayParams& params(const fabric::ClusterSpec& spec) {
  return dynamic_cast<const OverlayParams&>(*spec.nodes[0].params);
}

TEST(OverlayRole, DefaultsAreThePublishedSizes) {
  const auto spec = fabric::parse_cluster(cluster(""), "c.toml", registry());
  const BoardParams& board = params(spec).board;
  EXPECT_EQ(board.threads(), 1024u);
  EXPECT_EQ(board.clock_hz, 250'000'000u);
  EXPECT_EQ(board.mailbox_slots, 512u);
  EXPECT_EQ(params(spec).detector, DetectorKind::tree);
  EXPECT_FALSE(board.header_every_flit);
}

TEST(OverlayRole, ReadsItsKeys) {
  const auto spec = fabric::parse_cluster(
      cluster("tiles_x = 2\ntiles_y = 1\ncores_per_tile = 2\nthreads_per_core = 8\ncache_ways = 8\n"
              "dram_channels = 1\nextra_send_slot = true\nheader_every_flit = true\n"
              "scratchpad_single_port = true\nnoc_cycles_per_flit = 2\ndetector = \"star\"\n"
              "end_cycles = 3\nlink_down_after = 9\nlink_layer = \"published\"\nmemory_controller = "
              "\"published\"\n"
              "[overlay.timing]\nfp_add = 20\ndivide_interval = 7\nwake = 2\n"),
      "c.toml", registry());
  const OverlayParams& p = params(spec);
  EXPECT_EQ(p.board.threads(), 32u);
  EXPECT_EQ(p.board.cache_ways, 8u);
  EXPECT_TRUE(p.board.extra_send_slot && p.board.header_every_flit && p.board.scratchpad_single_port);
  EXPECT_EQ(p.detector, DetectorKind::star);
  EXPECT_EQ(p.end_cycles, 3u);
  EXPECT_EQ(p.link_down_after, 9u);
  EXPECT_TRUE(p.published_link);
  EXPECT_EQ(p.timing.fp_add, 20u);
  EXPECT_EQ(p.timing.divide_interval, 7u);
  EXPECT_EQ(p.timing.wake, 2u);
}

TEST(OverlayRole, SaysWhatIsWrong) {
  const struct {
    std::string text;
    std::vector<std::string> parts;
  } cases[] = {
      {cluster("tiles_x = 3\n"), {"c.toml", "[overlay] tiles_x = 3", "power of two"}},
      {cluster("detector = \"ring\"\n"), {"[overlay] detector", "tree", "star"}},
      {cluster("end_cycles = -1\n"), {"[overlay] end_cycles = -1", "0", "100"}},
      {cluster("tile_x = 2\n"), {"tile_x", "tiles_x"}},
      {cluster("link_layer = \"published\"\n"), {"[overlay] link_layer", "star"}},
      {cluster("noc_cycles_per_flit = 9\n"), {"noc_cycles_per_flit = 9", "8"}},
      {cluster("tiles_x = 1\ntiles_y = 1\n"), {"dram_channels", "at most 1"}},
      {cluster("", "kind = \"ring\"\nsize = [3]"), {"mesh"}},
      {cluster("", "kind = \"mesh\"\nsize = [9, 1]"), {"8 x 8"}},
      {cluster("[overlay.timing]\nfp_sqr = 3\n"), {"fp_sqr", "fp_sqrt"}},
  };
  for (const auto& c : cases) {
    try {
      fabric::parse_cluster(c.text, "c.toml", registry());
      ADD_FAILURE() << "accepted: " << c.text;
    } catch (const UserError& error) {
      for (const std::string& part : c.parts) {
        EXPECT_NE(std::string(error.what()).find(part), std::string::npos)
            << error.what() << "\nlacks " << part;
      }
    }
  }
}

TEST(OverlayRole, ShippedClustersAreGood) {
  for (const char* name : {"laptop", "tiny-1", "tiny-2", "tiny-6", "tinsel-1", "tinsel-12", "tinsel-48",
                           "tinsel-paper-6", "tinsel-paper-12"}) {
    const auto spec = fabric::read_cluster(name, registry());
    EXPECT_FALSE(spec.nodes.empty()) << name;
    EXPECT_NO_THROW(params(spec)) << name;
  }
}

TEST(OverlayRole, OtherFidelitiesAreRefused) {
  const auto roles = registry();
  fabric::ReadOptions options;
  options.fidelity = fabric::Fidelity::board;
  const auto spec = fabric::parse_cluster(cluster(""), "c.toml", roles, options);
  EXPECT_THROW(roles.find("overlay")->make_node({.cluster = spec, .index = 0, .ports = {}}), UserError);
}

TEST(OverlayRole, ShapeOfTheRtl) {
  const auto shape_of = [](const std::string& keys) {
    return rtl_shape(params(fabric::parse_cluster(cluster(keys), "c.toml", registry())));
  };
  const blocks::RtlShape shape = shape_of("tiles_x = 2\ntiles_y = 1\ncores_per_tile = 1\nline_bytes = 64\n");
  EXPECT_EQ(shape.parameters.at("TilesX"), "2");
  EXPECT_EQ(shape.parameters.at("Cores"), "1");
  EXPECT_EQ(shape.parameters.at("LineBytes"), "64");
  for (const char* published :
       {"detector = \"star\"\n", "detector = \"star\"\nlink_layer = \"published\"\n",
        "header_every_flit = true\n", "scratchpad_single_port = true\n", "noc_cycles_per_flit = 2\n",
        "gather_cycles = 9\n", "turnaround_cycles = 5\n", "end_cycles = 2\n", "cache_sets_per_thread = 32\n",
        "[overlay.timing]\nfp_add = 14\n"}) {
    try {
      shape_of(published);
      ADD_FAILURE() << "accepted in RTL: " << published;
    } catch (const UserError& error) {
      EXPECT_NE(std::string(error.what()).find("sim only"), std::string::npos) << error.what();
    }
  }
}

}  // namespace
}  // namespace polyloom::overlay
