// SPDX-License-Identifier: Apache-2.0
// Covers: polyloom-sim started on demand: engines agree, records, errors as the client sees them, impostors
// under mpirun, nothing left behind when either side is killed. Leaves out: real roles; the timing of calls
// (fabric/host/host_test.cc).
#include <dirent.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <functional>
#include <nlohmann/json.hpp>
#include <sstream>
#include <thread>

#include "fabric/host/channel.h"
#include "fabric/host/client.h"
#include "fabric/host/peer.h"

namespace polyloom::simulator {
namespace {

namespace fs = std::filesystem;
using namespace fabric;

constexpr Time kUs = 1'000'000;

std::string contents(const fs::path& path) {
  std::ifstream in(path);
  std::ostringstream out;
  out << in.rdbuf();
  return out.str();
}

class SimulatorTest : public ::testing::Test {
 protected:
  void SetUp() override {
    char name[] = "/tmp/polyloom-sim-test-XXXXXX";
    root_ = ::mkdtemp(name);
    cluster_ = root_ / "cluster.toml";
    write_cluster("swallow = 13\nfault = 66\n");
    for (const char* v : {"POLYLOOM_SOCKET", "POLYLOOM_ON", "POLYLOOM_ENGINE", "POLYLOOM_RUN_DIR",
                          "POLYLOOM_MAX_CYCLES", "POLYLOOM_SEED", "POLYLOOM_WAVE"}) {
      ::unsetenv(v);
    }
    // Tests may run under nohup or in the background, and what they start would inherit it.
    for (const int s : {SIGINT, SIGTERM, SIGHUP}) std::signal(s, SIG_DFL);
    ::setenv("ASAN_OPTIONS", "detect_leaks=0", 1);  // Open MPI's own; leaks of ours show in host_test
    ::setenv("POLYLOOM_CLUSTER", cluster_.c_str(), 1);
  }
  void TearDown() override {
    EXPECT_TRUE(gone()) << "a simulator was left behind";
    fs::remove_all(root_);
  }

  void write_cluster(const std::string& echo) {
    std::ofstream(cluster_)
        << "version = 1\n[topology]\nkind = \"mesh\"\nsize = [3, 1]\n[link]\nlatency = \"500 ns\"\n"
           "rate = \"10 Gb/s\"\n[fpga]\nrole = \"echo\"\n[echo]\n"
        << echo;
  }

  std::unique_ptr<HostClient> start(std::vector<std::string> arguments = {}) {
    HostOptions options;
    options.simulator = POLYLOOM_ECHO_SIM;
    options.arguments = std::move(arguments);
    return std::make_unique<HostClient>(options);
  }

  /// Pids of simulators that carry this test's root as an argument or in their environment.
  std::vector<pid_t> simulators() const {
    std::vector<pid_t> found;
    DIR* proc = ::opendir("/proc");
    while (const dirent* entry = ::readdir(proc)) {
      const pid_t pid = std::atoi(entry->d_name);
      if (pid <= 0) continue;
      const std::string folder = "/proc/" + std::string(entry->d_name);
      if (contents(folder + "/cmdline").find("polyloom_echo_sim") == std::string::npos) continue;
      if (contents(folder + "/environ").find(root_.string()) != std::string::npos) found.push_back(pid);
    }
    ::closedir(proc);
    return found;
  }

  bool gone() const {
    for (int i = 0; i < 500; ++i) {
      if (simulators().empty()) return true;
      std::this_thread::sleep_for(std::chrono::milliseconds(10));
    }
    return false;
  }

  SimulatorError error_of(const std::function<void()>& act) {
    try {
      act();
    } catch (const SimulatorError& error) {
      return error;
    }
    ADD_FAILURE() << "no error";
    return SimulatorError(HostErrorReason{}, "");
  }

  static void exchange(HostClient& host, int rounds) {
    for (int i = 0; i < rounds; ++i) {
      const std::vector<std::uint64_t> words(static_cast<std::size_t>(1 + i % 5),
                                             1000u + static_cast<unsigned>(i));
      host.send(i % 3, words);
      const Received frame = host.recv();
      EXPECT_EQ(frame.words.size(), words.size());
      EXPECT_EQ(frame.words[0], words[0] + 1);
    }
  }

  fs::path root_, cluster_;
};

TEST_F(SimulatorTest, EnginesGiveTheSameRun) {
  std::vector<std::string> digests;
  for (const char* engine : {"serial", "threads:1", "threads:3", "mpi:1", "mpi:2", "mpi:3"}) {
#ifndef POLYLOOM_WITH_MPI
    if (std::string(engine).starts_with("mpi")) continue;
#endif
    ::setenv("POLYLOOM_ENGINE", engine, 1);
    ::setenv("POLYLOOM_RUN_DIR", (root_ / engine).c_str(), 1);
    auto host = start();
    exchange(*host, 30);
    for (int link = 0; link < 3; ++link) host->send(link, std::vector<std::uint64_t>(3, 1));
    host->meet();  // the engine halts while frames are on their way
    host->recv(3);
    host->away();
    host->back();
    exchange(*host, 27);
    const auto done = nlohmann::json::parse(host->finish());
    EXPECT_EQ(done["status"], "finished");
    digests.push_back(done["digest"]);
    EXPECT_EQ(digests.back(), digests.front()) << engine;
    host.reset();
    const auto run = nlohmann::json::parse(contents(root_ / engine / "run.json"));
    EXPECT_EQ(run["digest"], digests.front());
    EXPECT_EQ(run["cluster"]["link_latencies"], "500 ns x 2, host 1 us x 3");
    EXPECT_EQ(contents(root_ / engine / "counters.csv"), contents(root_ / "serial" / "counters.csv"));
    EXPECT_EQ(contents(root_ / engine / "echoes.csv"), "frames\n20\n20\n20\n") << engine;
  }
}

#ifdef POLYLOOM_WITH_MPI
// Another process finds the socket before the simulator does, and says what an attacker would.
TEST_F(SimulatorTest, UnderMpiOnlyTheSimulatorThatWasStartedIsHeard) {
  char runtime[] = "/tmp/plx-XXXXXX";
  ASSERT_NE(::mkdtemp(runtime), nullptr);
  ::setenv("XDG_RUNTIME_DIR", runtime, 1);
  ::setenv("POLYLOOM_ENGINE", "mpi:2", 1);
  ::testing::internal::CaptureStderr();
  std::atomic<bool> over{false};
  std::string heard = "no one came";
  std::thread impostor([&] {
    while (!over && heard == "no one came") {
      std::error_code ignored;
      for (const fs::directory_entry& folder : fs::directory_iterator(runtime, ignored)) {
        try {
          Channel channel(connect_to(folder.path() / "simulator"));
          channel.put(HostMessage::key, 0, key_body(""));
          BodyWriter error;
          error.u32(static_cast<std::uint32_t>(HostErrorReason::fault));
          channel.put(HostMessage::error, 0, error.body() + "ATTACKER SAYS HELLO");
          channel.flush();
          HostHeader header{};
          heard = channel.receive(header) == Channel::Outcome::closed ? "" : "something";
        } catch (const UserError&) {  // it is not there yet
        }
      }
      std::this_thread::yield();
    }
  });
  auto host = start();
  exchange(*host, 10);
  EXPECT_EQ(nlohmann::json::parse(host->finish())["status"], "finished");
  over = true;
  impostor.join();
  EXPECT_EQ(heard, "");
  EXPECT_TRUE(fs::is_empty(runtime));
  const std::string said = ::testing::internal::GetCapturedStderr();
  EXPECT_NE(said.find("polyloom: refused process " + std::to_string(::getpid()) + " of user "),
            std::string::npos)
      << said;
  EXPECT_NE(said.find("it is not the simulator that was started\n"), std::string::npos) << said;
  ::unsetenv("XDG_RUNTIME_DIR");
  fs::remove_all(runtime);
}
#endif

TEST_F(SimulatorTest, InfoDescribesTheCluster) {
  auto host = start();
  const auto info = nlohmann::json::parse(host->info());
  EXPECT_EQ(info["topology"]["size"][0], 3);
  EXPECT_EQ(info["roles"]["echo"][0]["swallow"], 13);
  EXPECT_EQ(host->link(2).peer, "fpga.2.0");
}

TEST_F(SimulatorTest, RecordSaysWhatRan) {
  auto host = start({"--run-dir", root_ / "run", "--seed", "7", "--trace"});
  exchange(*host, 3);
  EXPECT_FALSE(fs::exists(root_ / "run" / "run.json"));
  host->finish();
  const auto run = nlohmann::json::parse(contents(root_ / "run" / "run.json"));
  EXPECT_EQ(run["status"], "finished");
  EXPECT_EQ(run["seed"], 7);
  EXPECT_EQ(run["clients"].size(), 1u);
  EXPECT_NE(run["clients"][0][0].get<std::string>().find("simulator_test"), std::string::npos);
  EXPECT_TRUE(nlohmann::json::parse(contents(root_ / "run" / "trace.json")).is_object());
  EXPECT_TRUE(nlohmann::json::parse(contents(root_ / "run" / "cluster.json"))["links"].is_array());
  EXPECT_NE(contents(root_ / "run" / "counters.csv").find("host.calls,7\n"), std::string::npos);
}

TEST_F(SimulatorTest, DeadlockLimitAndFaultReachTheClient) {
  ::setenv("POLYLOOM_RUN_DIR", (root_ / "run").c_str(), 1);
  const auto status = [&] { return nlohmann::json::parse(contents(root_ / "run/run.json"))["status"]; };
  {
    auto host = start();
    host->send(0, std::vector<std::uint64_t>{13});
    const SimulatorError error = error_of([&] { host->recv(); });
    EXPECT_EQ(error.reason, HostErrorReason::deadlock);
    EXPECT_NE(std::string(error.what()).find("\n  fpga.0.0: a word that it can bear"), std::string::npos)
        << error.what();
    EXPECT_EQ(status(), "deadlock");
  }
  {
    auto host = start({"--max-cycles", "250000"});  // 1 ms
    const SimulatorError error = error_of([&] {
      for (int i = 0; i < 10'000; ++i) host->wait(10 * kUs);
    });
    EXPECT_EQ(error.reason, HostErrorReason::limit);
    EXPECT_NE(std::string(error.what()).find("250000 cycles"), std::string::npos) << error.what();
    EXPECT_EQ(status(), "limit");
  }
  {
    auto host = start();
    host->send(1, std::vector<std::uint64_t>{66});
    const SimulatorError error = error_of([&] { host->recv(); });
    EXPECT_EQ(error.reason, HostErrorReason::fault);
    EXPECT_NE(std::string(error.what()).find("the fatal word came"), std::string::npos) << error.what();
    EXPECT_EQ(status(), "fault");
  }
}

TEST_F(SimulatorTest, BadInputReachesTheClient) {
  const auto said = [&](const std::function<void()>& act) { return std::string(error_of(act).what()); };
  EXPECT_NE(said([&] { start({"--on", "rtl", "--cluster", "latop"}); }).find("latop"), std::string::npos);
  write_cluster("swalow = 1\n");
  EXPECT_NE(said([&] { start(); }).find("did you mean swallow?"), std::string::npos);
  write_cluster("");
  EXPECT_NE(said([&] { start({"--run-dir", "/proc/no"}); }).find("run record"), std::string::npos);
  ::setenv("POLYLOOM_ON", "native", 1);
  EXPECT_THROW(start(), UserError);
  ::setenv("POLYLOOM_ON", "sim", 1);
  ::setenv("POLYLOOM_ENGINE", "mpi:0", 1);
  EXPECT_THROW(start(), UserError);
}

TEST_F(SimulatorTest, AFullDiskIsOneErrorAndLeavesNothing) {
  rlimit before{};
  ASSERT_EQ(::getrlimit(RLIMIT_FSIZE, &before), 0);
  rlimit small = before;
  small.rlim_cur = 200;
  std::signal(SIGXFSZ, SIG_IGN);
  ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &small), 0);  // inherited by the simulator
  auto host = start({"--run-dir", root_ / "run"});
  ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &before), 0);
  exchange(*host, 2);
  const SimulatorError error = error_of([&] { host->finish(); });
  EXPECT_EQ(error.reason, HostErrorReason::user);
  EXPECT_NE(std::string(error.what()).find("free some space"), std::string::npos) << error.what();
  host.reset();
  for (const auto& entry : fs::directory_iterator(root_)) EXPECT_EQ(entry.path(), cluster_);
}

TEST_F(SimulatorTest, SimulatorThatIsKilledIsAnError) {
  auto host = start();
  exchange(*host, 1);
  for (const pid_t pid : simulators()) ::kill(pid, SIGKILL);
  const SimulatorError error = error_of([&] { exchange(*host, 100); });
  EXPECT_EQ(error.reason, HostErrorReason::lost);
  EXPECT_NE(std::string(error.what()).find("signal 9"), std::string::npos) << error.what();
}

TEST_F(SimulatorTest, InterruptEndsTheRunCleanly) {
  write_cluster("tick = \"100 ns\"\n");
  auto host = start({"--run-dir", root_ / "run"});
  std::thread later([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
    for (const pid_t pid : simulators()) ::kill(pid, SIGINT);
  });
  EXPECT_EQ(error_of([&] { host->recv(); }).reason, HostErrorReason::interrupted);
  later.join();
  EXPECT_EQ(nlohmann::json::parse(contents(root_ / "run/run.json"))["status"], "interrupted");
}

// A program that dies without a word, in each state of the simulator, with each sort of engine.
TEST_F(SimulatorTest, NoSimulatorOutlivesItsProgram) {
  write_cluster("tick = \"100 ns\"\n");
  for (const char* engine : {"serial", "threads:2", "mpi:2"}) {
#ifndef POLYLOOM_WITH_MPI
    if (std::string(engine).starts_with("mpi")) continue;
#endif
    ::setenv("POLYLOOM_ENGINE", engine, 1);
    for (const bool busy : {false, true}) {
      int ready[2];
      ASSERT_EQ(::pipe(ready), 0);
      const pid_t program = ::fork();
      if (program == 0) {
        auto host = start();
        [[maybe_unused]] const ssize_t n = ::write(ready[1], "x", 1);
        if (busy) host->recv();  // never comes
        ::pause();
      }
      char byte = 0;
      EXPECT_EQ(::read(ready[0], &byte, 1), 1);
      ::close(ready[0]);
      ::close(ready[1]);
      std::this_thread::sleep_for(std::chrono::milliseconds(busy ? 100 : 0));
      EXPECT_FALSE(simulators().empty());
      ::kill(program, SIGKILL);
      ::waitpid(program, nullptr, 0);
      EXPECT_TRUE(gone()) << engine << (busy ? ", busy" : ", idle");
    }
  }
}

TEST_F(SimulatorTest, WavesOfRtlNodesGoIntoTheRecord) {
  const fs::path folder = root_ / "run";
  ::setenv("POLYLOOM_WAVE", "fpga.1.0,1 us,2 us;fpga.2.0", 1);
  const auto client = start({"--on", "rtl", "--run-dir", folder});
  ::unsetenv("POLYLOOM_WAVE");
  client->send(0, std::vector<std::uint64_t>{1});
  client->recv();
  client->finish();
  EXPECT_EQ(contents(folder / "fpga.1.0.fst"), "1000000 2000000");  // the echo role's idea of a wave
  EXPECT_EQ(contents(folder / "fpga.2.0.fst"), "0 " + std::to_string(kNever));
  const auto files = nlohmann::json::parse(contents(folder / "run.json"))["files"];
  EXPECT_NE(std::find(files.begin(), files.end(), "fpga.1.0.fst"), files.end());
}

TEST_F(SimulatorTest, WavesThatCannotBeAreRefused) {
  const std::vector<std::pair<std::vector<std::string>, std::string>> cases{
      {{"--on", "board"}, "POLYLOOM_ON) = \"board\": no node runs on a board yet; allowed: sim, rtl"},
      {{"--on", "simm"}, "(did you mean sim?); allowed: sim, rtl"},
      {{"--on", "rtl", "--wave", "fpga.9.0,1 us,2 us"}, "waves of node \"fpga.9.0\": the cluster"},
      {{"--wave", "fpga.1.0,1 us,2 us"}, "only a node of fidelity rtl has waves; this one has sim"},
  };
  for (const auto& [arguments, expected] : cases) {
    std::vector<std::string> all = arguments;
    all.insert(all.end(), {"--run-dir", root_ / "run"});
    std::string error;
    try {
      start(all);
    } catch (const UserError& e) {
      error = e.what();
    }
    EXPECT_NE(error.find(expected), std::string::npos) << error;
    EXPECT_EQ(contents(root_ / "run" / "run.json").find(".fst\""), std::string::npos);  // its list of files
  }
  for (const char* bad : {"fpga.1.0,2 us,1 us", "fpga.1.0,1", ",1 us,2 us", "fpga.1.0,1 us,x"}) {
    const std::string command = std::string(POLYLOOM_ECHO_SIM) + " --run-dir " + (root_ / "run").string() +
                                " --wave '" + bad + "' 2>" + (root_ / "error").string();
    EXPECT_EQ(WEXITSTATUS(std::system(command.c_str())), 1) << bad;
    EXPECT_NE(contents(root_ / "error").find("--wave = \"" + std::string(bad) + "\""), std::string::npos);
  }
}

}  // namespace
}  // namespace polyloom::simulator
