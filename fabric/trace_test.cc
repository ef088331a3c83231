// SPDX-License-Identifier: Apache-2.0
// Covers: valid JSON at any moment, times in exact microseconds, escaping, the size limit, link occupancy by
// hand, a file that cannot be written, a full disk. Leaves out: how Perfetto draws it.
#include "fabric/trace.h"

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "fabric/error.h"
#include "fabric/fabric.h"

namespace polyloom::fabric {
namespace {

class TraceTest : public ::testing::Test {
 protected:
  void SetUp() override {
    path_ = ::testing::TempDir() + "fabric_trace_" + std::to_string(::getpid()) + ".json";
  }
  void TearDown() override { std::filesystem::remove(path_); }
  nlohmann::json read() const {
    std::ifstream in(path_);
    return nlohmann::json::parse(in);  // throws on anything that is not JSON
  }
  std::vector<nlohmann::json> events(const std::string& phase) const {
    std::vector<nlohmann::json> found;
    const nlohmann::json whole = read();
    for (const auto& event : whole["traceEvents"]) {
      if (event["ph"] == phase) found.push_back(event);
    }
    return found;
  }
  std::string path_;
};

TEST_F(TraceTest, EventsHaveExactMicrosecondsAndEscapedNames) {
  Trace trace(path_);
  TraceTrack* track = trace.add_track("fpga \"0\"\n");
  track->complete("step", 1'234'567, 2'000'000, 3);
  track->counter("busy", 5, 0.25);
  track->counter("instructions", 6, 123'456'789);
  track->instant("done\\", 7);
  track->name_lane(3, "core 3");
  trace.close();
  EXPECT_EQ(events("M").size(), 3u);
  EXPECT_EQ(events("M")[1]["args"]["name"], "fpga \"0\"\n");
  const auto step = events("X").at(0);
  EXPECT_DOUBLE_EQ(step["ts"], 1.234567);
  EXPECT_DOUBLE_EQ(step["dur"], 0.765433);
  EXPECT_EQ(step["tid"], 3);
  EXPECT_DOUBLE_EQ(events("C").at(0)["args"]["value"], 0.25);
  EXPECT_DOUBLE_EQ(events("C").at(1)["args"]["value"], 123'456'789);
  EXPECT_EQ(events("i").at(0)["name"], "done\\");
}

TEST_F(TraceTest, IsValidBeforeItIsClosedAndAfterAKill) {
  const pid_t child = ::fork();
  if (child == 0) {
    auto* trace = new Trace(path_);
    TraceTrack* track = trace->add_track("n");
    for (Time t = 0; t < 5000; ++t) track->complete("event", t * 1000, t * 1000 + 10);
    ::kill(::getpid(), SIGKILL);
  }
  int status = 0;
  ::waitpid(child, &status, 0);
  EXPECT_TRUE(WIFSIGNALED(status));
  EXPECT_GT(events("X").size(), 1000u);
}

TEST_F(TraceTest, StopsAtItsSizeAndSaysSo) {
  Trace trace(path_, {.max_bytes = 200'000});
  TraceTrack* track = trace.add_track("n");
  for (Time t = 0; t < 10'000; ++t) track->complete("event", t, t + 1);
  trace.close();
  EXPECT_LE(std::filesystem::file_size(path_), 200'000 + 200u);
  EXPECT_GT(trace.left_out(), 0u);
  EXPECT_EQ(events("X").size() + trace.left_out(), 10'000u);
  EXPECT_NE(read().dump().find("left out"), std::string::npos);
}

TEST_F(TraceTest, LinkOccupancyIsTheShareOfEachBucket) {
  Trace trace(path_, {.bucket = 1000});
  LinkTrace* link = trace.add_link("a->b");
  link->busy(100, 350);    // 25 % of bucket 0
  link->busy(900, 2500);   // 10 % more; all of bucket 1; half of bucket 2
  link->busy(9000, 9100);  // buckets 3 to 8 idle; 10 % of bucket 9
  trace.close();
  std::vector<std::pair<double, double>> got;
  for (const auto& event : events("C")) got.emplace_back(event["ts"], event["args"]["value"]);
  EXPECT_EQ(got, (std::vector<std::pair<double, double>>{
                     {0, 35}, {0.001, 100}, {0.002, 50}, {0.003, 0}, {0.009, 10}, {0.010, 0}}));
}

TEST_F(TraceTest, AFileThatCannotBeWrittenIsNamed) {
  try {
    Trace trace("/nonexistent/folder/trace.json");
    FAIL();
  } catch (const UserError& e) {
    EXPECT_NE(std::string(e.what()).find("/nonexistent/folder/trace.json"), std::string::npos);
  }
}

TEST_F(TraceTest, AFullDiskLeavesValidJson) {
  // A limit on file size stands for the disk: pwrite fails with EFBIG once SIGXFSZ is ignored.
  ::signal(SIGXFSZ, SIG_IGN);
  rlimit old{};
  ::getrlimit(RLIMIT_FSIZE, &old);
  rlimit small = old;
  small.rlim_cur = 100'000;
  Trace trace(path_);
  TraceTrack* track = trace.add_track("n");
  ::setrlimit(RLIMIT_FSIZE, &small);
  EXPECT_THROW(for (Time t = 0; t < 100'000; ++t) track->complete("event", t, t + 1), UserError);
  ::setrlimit(RLIMIT_FSIZE, &old);
  EXPECT_GT(events("X").size(), 100u);
}

TEST_F(TraceTest, AFabricTracesItsNodesAndLinks) {
  struct Once final : Node {
    Once(Port port, TraceTrack* track) : port(port), track(track) {}
    void advance(Time until) override {
      if (!sent) port.tx->send({.first = 0, .words = {1, 2, 3}});
      if (!sent && track != nullptr) track->complete("send", 0, 30);
      sent = true;
      while (port.rx->front() != nullptr && port.rx->front()->first < until) port.rx->pop();
    }
    Time next_event() const override { return sent ? kNever : 0; }
    Port port;
    TraceTrack* track;
    bool sent = false;
  };
  Trace trace(path_, {.bucket = 100});
  for (Trace* used : {&trace, static_cast<Trace*>(nullptr)}) {
    Fabric fabric;
    fabric.set_trace(used);
    fabric.add_node("a");
    const LinkSpec spec{.latency = 1000, .period = 10};
    const auto [out, in] = fabric.connect(spec, spec, 0, 0);
    fabric.set_node(0, std::make_unique<Once>(Port{out.tx, in.rx}, fabric.trace_track(0)));
    EXPECT_EQ(fabric.trace_track(0) == nullptr, used == nullptr);
    run(fabric);
  }
  trace.close();
  EXPECT_EQ(events("X").at(0)["name"], "send");
  EXPECT_EQ(events("C").at(0)["name"], "a->a busy %");
  EXPECT_DOUBLE_EQ(events("C").at(0)["args"]["value"], 30);
}

}  // namespace
}  // namespace polyloom::fabric
