// SPDX-License-Identifier: Apache-2.0
// Covers: a record appears whole or not at all: commit, replacement, refusal, a full disk (file size limit,
// /dev/full). Leaves out: power loss, records on network file systems.
#include "fabric/run/record.h"

#include <gtest/gtest.h>
#include <sys/resource.h>
#include <unistd.h>

#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>

#include "fabric/error.h"

namespace polyloom::fabric {
namespace {

namespace fs = std::filesystem;

std::string text_of(const fs::path& path) {
  std::ifstream in(path);
  std::ostringstream out;
  out << in.rdbuf();
  return out.str();
}

class RecordTest : public ::testing::Test {
 protected:
  void SetUp() override {
    char name[] = "/tmp/polyloom-record-XXXXXX";
    root_ = ::mkdtemp(name);
  }
  void TearDown() override { fs::remove_all(root_); }

  std::vector<std::string> entries() const {
    std::vector<std::string> names;
    for (const auto& e : fs::directory_iterator(root_)) names.push_back(e.path().filename().string());
    return names;
  }

  fs::path root_;
};

TEST_F(RecordTest, AppearsWhenCommitted) {
  const std::string folder = root_ / "a" / "run";
  {
    RunRecord record(folder);
    record.write("counters.csv", counters_csv({{"fpga.0.x", 7}, {"link.y", 8}}));
    EXPECT_FALSE(fs::exists(folder + "/counters.csv"));
    record.commit();
  }
  EXPECT_EQ(text_of(folder + "/counters.csv"), "name,value\nfpga.0.x,7\nlink.y,8\n");
  EXPECT_EQ(std::distance(fs::directory_iterator(folder), fs::directory_iterator()), 2);  // and the manifest
}

TEST_F(RecordTest, VanishesWhenNotCommitted) {
  {
    RunRecord record(root_ / "run");
    record.write("x", "y");
  }
  EXPECT_TRUE(entries().empty());
}

TEST_F(RecordTest, ReplacesARecordOrAnEmptyFolderOnly) {
  for (const char* text : {"first", "second"}) {
    RunRecord record(root_ / "run/");
    record.write("run.json", text);
    record.commit();
  }
  EXPECT_EQ(text_of(root_ / "run/run.json"), "second");
  EXPECT_EQ(entries().size(), 1u);

  fs::create_directory(root_ / "empty");
  RunRecord(root_ / "empty").commit();

  fs::create_directory(root_ / "mine");
  std::ofstream(root_ / "mine/thesis.tex") << "precious";
  EXPECT_THROW(RunRecord(root_ / "mine"), UserError);
  EXPECT_EQ(text_of(root_ / "mine/thesis.tex"), "precious");
  EXPECT_THROW(RunRecord(root_ / "mine/thesis.tex"), UserError);
  EXPECT_THROW(RunRecord(root_ / "mine/thesis.tex/run"), UserError);
}

TEST_F(RecordTest, AFullDiskLeavesNothing) {
  {
    RunRecord record(root_ / "run");
    record.write("run.json", "earlier");
    record.commit();
  }
  fs::create_directory(root_ / "run2");
  std::signal(SIGXFSZ, SIG_IGN);
  rlimit before{};
  ASSERT_EQ(::getrlimit(RLIMIT_FSIZE, &before), 0);
  std::string message;
  {
    RunRecord record(root_ / "run");
    rlimit small = before;
    small.rlim_cur = 4096;
    ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &small), 0);
    try {
      record.write("small", std::string(100, 'x'));
      record.write("counters.csv", std::string(10000, 'x'));
      record.commit();
    } catch (const UserError& error) {
      message = error.what();
    }
    ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &before), 0);
  }
  EXPECT_NE(message.find("counters.csv"), std::string::npos) << message;
  EXPECT_NE(message.find("free some space"), std::string::npos) << message;
  EXPECT_EQ(entries().size(), 2u);
  EXPECT_EQ(text_of(root_ / "run/run.json"), "earlier");
}

TEST_F(RecordTest, DevFull) {
  RunRecord record(root_ / "run");
  fs::create_symlink("/dev/full", record.path("counters.csv"));
  try {
    record.write("counters.csv", "x");
    FAIL();
  } catch (const UserError& error) {
    EXPECT_NE(std::string(error.what()).find("No space left"), std::string::npos) << error.what();
  }
}

TEST(RunJson, SaysWhatRan) {
  RunFacts facts;
  facts.status = "deadlock";
  facts.command = {"polyloom-sim", "--cluster", "laptop"};
  facts.clients = {{"app", "\xff bytes that are not UTF-8"}};
  facts.cluster = "laptop";
  facts.link_latencies = "780 ns x 1";
  facts.digest = 0xabc;
  facts.end = 1'500'000'000'000;
  const auto json = nlohmann::json::parse(run_json(facts));
  EXPECT_EQ(json["status"], "deadlock");
  EXPECT_EQ(json["digest"], "0000000000000abc");
  EXPECT_EQ(json["simulated_seconds"], 1.5);
  EXPECT_NE(json["simulated_span"].get<std::string>().find("loading"), std::string::npos);
  EXPECT_EQ(json["cluster"]["link_latencies"], "780 ns x 1");
  EXPECT_FALSE(json["polyloom"]["commit"].get<std::string>().empty());
}

TEST(RunJson, TellsTheLengthOfEachPhase) {
  RunFacts facts;
  facts.end = 10 * kPicosPerSecond;
  EXPECT_FALSE(nlohmann::json::parse(run_json(facts)).contains("phases"));
  const auto at = [](Time s) { return s * kPicosPerSecond; };
  facts.phases = {{"load", 0}, {"start", at(3)}, {"compute", at(4)}, {"start", at(6)}, {"compute", at(7)}};
  const auto phases = nlohmann::json::parse(run_json(facts))["phases"];
  EXPECT_EQ(phases,
            nlohmann::json({{"load_seconds", 3.0}, {"start_seconds", 2.0}, {"compute_seconds", 5.0}}));
  facts.phases_end = at(9);
  EXPECT_EQ(nlohmann::json::parse(run_json(facts))["phases"]["compute_seconds"], 4.0);
}

TEST(TableCollector, GathersRows) {
  TableCollector tables;
  tables.add("supersteps", "step,ps", "0,10");
  tables.add("profile", "name,count", "f,1");
  tables.add("supersteps", "step,ps", "1,20");
  ASSERT_EQ(tables.tables().size(), 2u);
  EXPECT_EQ(tables.tables()[0].second, "step,ps\n0,10\n1,20\n");
}

}  // namespace
}  // namespace polyloom::fabric
