// SPDX-License-Identifier: Apache-2.0
// Roles for tests of the reader: the real ones live above the fabric and cannot be used here.
#pragma once

#include "fabric/cluster/role.h"

namespace polyloom::fabric::testing {

struct TestParams : RoleParams {
  std::int64_t tiles_x = 0, cache_ways = 0;
  std::string detector;
  std::uint64_t clock_hz = 0;
};

/// "overlay" with the keys that the shipped clusters use, linked ones of one link_layer, and "mpi" without
/// keys.
inline RoleRegistry test_roles() {
  RoleRegistry roles;
  roles.add({"overlay",
             [](Table& table, const RoleSite& site) -> std::shared_ptr<const RoleParams> {
               auto params = std::make_shared<TestParams>();
               params->tiles_x = table.power_of_two("tiles_x", 4, 1, 8);
               table.power_of_two("tiles_y", 4, 1, 8);
               params->cache_ways = table.integer("cache_ways", 16, 1, 64);
               table.boolean("header_every_flit", false);
               table.boolean("scratchpad_single_port", false);
               table.integer("noc_cycles_per_flit", 1, 1, 8);
               table.integer("noc_link_flits", 8, 4, 32);
               table.integer("turnaround_cycles", 3, 0, 1000);
               table.choice("memory_controller", "ours", {"ours", "published"});
               table.choice("link_layer", "ours", {"ours", "published"});
               Table timing = table.table("timing");
               timing.integer("mul", 3, 1, 100);
               for (const char* key : {"div", "fp_compare", "fp_convert", "fp_add", "fp_mul", "fp_fma",
                                       "fp_div", "fp_sqrt", "divide_interval", "wake"}) {
                 timing.integer(key, 1, 1, 100);
               }
               timing.finish();
               params->detector = table.choice("detector", "tree", {"tree", "star"});
               params->clock_hz = site.clock_hz;
               return params;
             },
             nullptr,
             {},
             "reliable",
             {"ddr3-1600"},
             {"link_layer"}});
  roles.add({"mpi",
             [](Table&, const RoleSite&) -> std::shared_ptr<const RoleParams> {
               return std::make_shared<TestParams>();
             },
             nullptr});
  return roles;
}

}  // namespace polyloom::fabric::testing
