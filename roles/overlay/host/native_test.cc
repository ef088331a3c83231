// SPDX-License-Identifier: Apache-2.0
// Covers: native programs behind HostLink: messages, padding, console, errors, Ctrl-C, either side leaving
// first. Leaves out: the native engine itself (polite/native).
#include <gtest/gtest.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <thread>

#include "fabric/error.h"
#include "roles/overlay/host/HostLink.h"
#include "roles/overlay/host/native_program.h"

namespace polyloom::overlay {
namespace {

struct Program : NativeProgram {
  explicit Program(void (*body)(NativeOutput&)) : body_(body) {}
  ~Program() override { leave(); }
  void run(NativeOutput& out) override { body_(out); }
  void (*body_)(NativeOutput&);
};

class NativeTest : public testing::Test {
 protected:
  NativeTest() {
    testing::FLAGS_gtest_death_test_style = "threadsafe";
    setenv("POLYLOOM_ON", "native", 1);
  }
  ~NativeTest() override { unsetenv("POLYLOOM_ON"); }
};

void count_up(NativeOutput& out) {
  std::uint32_t numbers[1000];
  for (std::uint32_t i = 0; i < 1000; ++i) numbers[i] = i;
  for (int round = 0; round < 100; ++round) out.messages(numbers, 4, 4, 1000);
  out.message("last", 5);
}

TEST_F(NativeTest, ReceivesWhatTheProgramSends) {
  HostLink link;
  EXPECT_TRUE(link.is_native());
  Program program(count_up);
  link.attach_native(&program);
  link.boot("code.v", "data.v");  // POLite programs do; the files need not exist
  link.go();
  std::uint32_t message[16];
  for (std::uint32_t i = 0; i < 100'000; ++i) {
    link.recv(message);
    ASSERT_EQ(message[0], i % 1000);
    ASSERT_EQ(message[15], 0u);
  }
  char text[64];
  link.recv(text);
  EXPECT_STREQ(text, "last");
  EXPECT_FALSE(link.canRecv());
  EXPECT_GT(link.simulatedSeconds(), 0);
}

TEST_F(NativeTest, PrintsConsoleLinesWithTheThreadsPlace) {
  HostLink link;
  Program program([](NativeOutput& out) { out.console((1 << 13) + (2 << 10) + (63 << 4) + 7, "hello"); });
  link.attach_native(&program);
  link.go();
  char* text = nullptr;
  std::size_t size = 0;
  std::FILE* out = open_memstream(&text, &size);
  link.dumpStdOut(out, 1);
  std::fclose(out);
  EXPECT_STREQ(text, "2:1:63:7: hello\n");
  std::free(text);
}

TEST_F(NativeTest, SaysWhenNothingMoreWillCome) {
  EXPECT_EXIT(
      {
        HostLink link;
        Program program([](NativeOutput&) {});
        link.attach_native(&program);
        link.go();
        char text[64];
        link.recv(text);
      },
      testing::ExitedWithCode(1), "polyloom: HostLink::recv: the native program has ended after 0 messages");
  EXPECT_EXIT(
      {
        HostLink link;
        Program program([](NativeOutput&) { throw UserError("vertex 7 is odd"); });
        link.attach_native(&program);
        link.go();
        char text[64];
        link.recv(text);
      },
      testing::ExitedWithCode(1), "polyloom: vertex 7 is odd");
}

TEST_F(NativeTest, RefusesBareMetalPrograms) {
  EXPECT_EXIT(
      {
        HostLink link;
        link.boot("code.v", "data.v");
      },
      testing::ExitedWithCode(1),
      "a bare-metal program needs device threads, and POLYLOOM_ON=native has none");
}

std::atomic<bool> seen_stop{false};
void run_until_stopped(NativeOutput& out) {
  while (!out.stopping()) std::this_thread::sleep_for(std::chrono::milliseconds(1));
  seen_stop = true;
}

void run_until_interrupted(NativeOutput& out) {
  for (std::uint64_t step = 1; !out.stopping(); ++step) {
    out.superstep(step);
    if (step == 12) kill(getpid(), SIGINT);
    if (step >= 12) std::this_thread::sleep_for(std::chrono::seconds(1));
  }
}

TEST_F(NativeTest, CtrlCSaysHowFarTheProgramWas) {
  EXPECT_EXIT(
      {
        std::signal(SIGINT, SIG_DFL);  // the parent of the test may ignore it
        HostLink link;
        Program program(run_until_interrupted);
        link.attach_native(&program);
        link.go();
        char text[64];
        link.recv(text);
      },
      testing::ExitedWithCode(1), "polyloom: interrupted after 1[0-9] supersteps");
}

TEST_F(NativeTest, CtrlCEndsAHostProgramWhoseProgramHasEnded) {
  EXPECT_EXIT(
      {
        std::signal(SIGINT, SIG_DFL);
        HostLink link;
        Program program([](NativeOutput& out) { out.message("last", 5); });
        link.attach_native(&program);
        link.go();
        char text[64];
        link.recv(text);
        std::this_thread::sleep_for(std::chrono::milliseconds(50));
        std::raise(SIGINT);
      },
      testing::KilledBySignal(SIGINT), "");
}

TEST_F(NativeTest, EitherSideMayLeaveFirst) {
  seen_stop = false;
  {
    HostLink link;
    Program program(run_until_stopped);  // goes first
    link.attach_native(&program);
    link.go();
  }
  EXPECT_TRUE(seen_stop);
  seen_stop = false;
  {
    Program program(run_until_stopped);
    HostLink link;  // goes first
    link.attach_native(&program);
    link.go();
  }
  EXPECT_TRUE(seen_stop);
}

}  // namespace
}  // namespace polyloom::overlay
