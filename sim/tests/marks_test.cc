// SPDX-License-Identifier: Apache-2.0
// Covers: what a run record says of a run whose bytes did not come the modelled way: "load": "backdoor" and
// "timing_only", and that it says neither of others. Leaves out: all else of records (simulator_test.cc).
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "fabric/host/client.h"

namespace polyloom::simulator {
namespace {

namespace fs = std::filesystem;

struct Marks {
  const char* contents;
  bool backdoor;
};

class MarksTest : public ::testing::TestWithParam<Marks> {};

TEST_P(MarksTest, StandInTheRecord) {
  char name[] = "/tmp/polyloom-marks-test-XXXXXX";
  const fs::path root = ::mkdtemp(name);
  std::ofstream(root / "cluster.toml")
      << "version = 1\n[topology]\nkind = \"ring\"\nsize = [3]\n[link]\nlatency = \"250 ns\"\n"
         "rate = \"45 Gb/s\"\n[fpga]\nrole = \"collective\"\nclocks = { core = \"200 MHz\" }\n[host]\n"
         "latency = \"1 us\"\n[collective]\nchannels = 2\nchannel_size = \"64 KiB\"\ncontents = \""
      << GetParam().contents << "\"\n";
  ::setenv("POLYLOOM_CLUSTER", (root / "cluster.toml").c_str(), 1);
  ::setenv("ASAN_OPTIONS", "detect_leaks=0", 1);
  if (GetParam().backdoor) ::setenv("POLYLOOM_BACKDOOR_DIR", root.c_str(), 1);
  fabric::HostOptions options;
  options.simulator = POLYLOOM_COLLECTIVE_SIM;
  options.arguments = {"--run-dir", root / "run"};
  fabric::HostClient(options).finish();
  ::unsetenv("POLYLOOM_BACKDOOR_DIR");

  std::ifstream in(root / "run" / "run.json");
  const auto run = nlohmann::json::parse(in);
  EXPECT_EQ(run["status"], "finished");
  EXPECT_EQ(run.value("load", ""), GetParam().backdoor ? "backdoor" : "");
  const bool hollow = std::string(GetParam().contents) == "none";
  EXPECT_EQ(run.contains("timing_only"), hollow);
  EXPECT_EQ(run.value("timing_only", false), hollow);
  fs::remove_all(root);
}

INSTANTIATE_TEST_SUITE_P(Runs, MarksTest,
                         ::testing::Values(Marks{"stored", false}, Marks{"stored", true},
                                           Marks{"none", false}));

}  // namespace
}  // namespace polyloom::simulator
