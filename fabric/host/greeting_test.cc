// SPDX-License-Identifier: Apache-2.0
// Covers: connections that are silent, slow, strange, of another user or of another run: each is turned away
// with a reason and delays no other client; folders of sockets. Leaves out: simulators under mpirun
// (sim).
#include <gtest/gtest.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>

#include "fabric/host/channel.h"
#include "fabric/host/peer.h"
#include "fabric/host/test_simulator.h"

namespace polyloom::fabric {
namespace {

using namespace testing;

/// Why the server refuses; empty if it closes without a word.
std::string last_words(Channel& channel) {
  HostHeader header{};
  std::string body;
  while (channel.receive(header) == Channel::Outcome::message && channel.read(header, body)) {
    if (header.type == HostMessage::error) return body.substr(4);
  }
  return {};
}

void finish_one(Simulator& simulator) {
  auto host = simulator.client();
  host->finish();
  simulator.join();
  EXPECT_EQ(simulator.error, "");
}

TEST(Greeting, SilentOnesDelayNoOther) {
  Simulator simulator(cluster_text(1));
  Channel silent(simulator.connect()), half(simulator.connect()), garbage(simulator.connect());
  BodyWriter hello;
  hello.u32(0);
  half.put(HostMessage::key, 0, key_body(""));
  half.put(HostMessage::hello, 0, hello.body());  // its second half is missing
  half.flush();
  const std::string junk(1000, 'x');
  ASSERT_EQ(::send(garbage.fd(), junk.data(), junk.size(), 0), 1000);
  EXPECT_NE(last_words(garbage).find("speaks another protocol"), std::string::npos);
  EXPECT_NE(last_words(half).find("a message is too short"), std::string::npos);
  finish_one(simulator);
  EXPECT_NE(last_words(silent).find("came when all clients were there"), std::string::npos);
}

TEST(Greeting, SilentOnesAreTurnedAwayInTime) {
  Simulator simulator(cluster_text(1));
  Channel silent(simulator.connect());
  EXPECT_NE(last_words(silent).find("said no hello within 200 ms"), std::string::npos);
  finish_one(simulator);
  ASSERT_EQ(simulator.refused.size(), 1u);
  EXPECT_EQ(simulator.refused[0], "refused a client, process " + std::to_string(::getpid()) + " of user " +
                                      std::to_string(::geteuid()) + ": it said no hello within 200 ms");
}

TEST(Greeting, ManySilentOnesLeaveRoom) {
  Simulator simulator(cluster_text(1));
  std::vector<Channel> silent;
  for (int i = 0; i < 200; ++i) silent.emplace_back(simulator.connect());
  finish_one(simulator);
  EXPECT_EQ(simulator.refused.size(), 200u);
}

TEST(Greeting, WhoDoesNotKnowTheSecretIsRefused) {
  const std::string secret = new_secret();
  EXPECT_EQ(secret.size(), 32u);
  EXPECT_NE(secret, new_secret());
  ::setenv("POLYLOOM_SECRET", secret.c_str(), 1);
  Simulator simulator(cluster_text(1));
  for (const std::string& wrong : {std::string(), secret + "0", secret.substr(1), std::string(32, '0')}) {
    Channel stranger(simulator.connect());
    stranger.put(HostMessage::key, 0, key_body(wrong));
    stranger.flush();
    EXPECT_NE(last_words(stranger).find("does not know the secret of this run"), std::string::npos);
  }
  Channel old(simulator.connect());
  BodyWriter hello;  // of version 2
  for (const unsigned word : {2u, 0u, 0u}) hello.u32(word);
  old.put(HostMessage::hello, 0, hello.body());
  old.flush();
  EXPECT_NE(last_words(old).find("another version of it; build both sides from one checkout"),
            std::string::npos);
  finish_one(simulator);
  ::unsetenv("POLYLOOM_SECRET");
  EXPECT_EQ(simulator.refused.size(), 5u);
}

// A simulator that does not know the secret is not told a word but the key.
TEST(Greeting, TheClientAsksForTheSecretToo) {
  Simulator simulator(cluster_text(1));
  auto first = simulator.connect();  // it listens, and has read its environment
  ::setenv("POLYLOOM_SECRET", "0123456789abcdef", 1);
  std::string message;
  EXPECT_EQ(reason_of([&] { simulator.client(); }, &message), HostErrorReason::protocol);
  EXPECT_EQ(message, "the simulator does not know the secret of this run (POLYLOOM_SECRET)");
  ::unsetenv("POLYLOOM_SECRET");
  ::close(first);
  finish_one(simulator);
}

/// Runs `act` as another user, in a process of its own; its exit status.
int as_another_user(const std::function<int()>& act) {
  const pid_t child = ::fork();
  if (child == 0) ::_exit(::setuid(65534) == 0 ? act() : 99);
  int status = 0;
  ::waitpid(child, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : 98;
}

TEST(Greeting, AnotherUserIsRefused) {
  if (::geteuid() != 0) GTEST_SKIP() << "only root can be another user";
  Simulator simulator(cluster_text(1));  // in the abstract namespace, which knows no permissions
  ::close(simulator.connect());
  EXPECT_EQ(as_another_user([&] {
              try {
                connect_to(simulator.address());
              } catch (const UserError&) {
                return 7;  // root is trusted, so the check of the other user lets it through
              }
              Channel stranger(connect_to(simulator.address()));
              stranger.put(HostMessage::key, 0, key_body(""));
              stranger.flush();
              return last_words(stranger).find("is not of this user (0)") != std::string::npos ? 0 : 1;
            }),
            0);
  finish_one(simulator);
  ASSERT_FALSE(simulator.refused.empty());
  EXPECT_NE(simulator.refused.back().find("of user 65534: it is not of this user (0)"), std::string::npos);
}

TEST(Greeting, PathsAreForTheirUserOnly) {
  const std::string path = "/tmp/polyloom-greeting-test-" + std::to_string(::getpid());
  const int listener = listen_at(path, 1);
  struct stat facts {};
  ASSERT_EQ(::stat(path.c_str(), &facts), 0);
  EXPECT_EQ(facts.st_mode & 0777, 0600u);
  if (::geteuid() == 0) {
    EXPECT_EQ(as_another_user([&] {
                try {
                  connect_to(path);
                } catch (const UserError& error) {
                  return std::string(error.what()).find("Permission denied") != std::string::npos ? 0 : 1;
                }
                return 2;
              }),
              0);
  }
  ::close(listener);
  ::unlink(path.c_str());
}

// Another user listens at the name that was meant for our simulator.
TEST(Greeting, AListenerOfAnotherUserIsNotSpokenTo) {
  if (::geteuid() != 0) GTEST_SKIP() << "only root can be another user";
  const std::string address = "@polyloom-greeting-test-" + std::to_string(::getpid());
  int ready[2];
  ASSERT_EQ(::pipe(ready), 0);
  const pid_t squatter = ::fork();
  if (squatter == 0) {
    ::close(ready[0]);
    if (::setuid(65534) != 0) ::_exit(1);
    const int listener = listen_at(address, 1);
    [[maybe_unused]] const ssize_t n = ::write(ready[1], "x", 1);
    char byte = 0;
    const int victim = ::accept(listener, nullptr, nullptr);
    ::_exit(::recv(victim, &byte, 1, 0) == 0 ? 0 : 2);  // not a byte came
  }
  char byte = 0;
  ASSERT_EQ(::read(ready[0], &byte, 1), 1);
  try {
    connect_to(address);
    ADD_FAILURE() << "spoken to";
  } catch (const UserError& error) {
    EXPECT_NE(std::string(error.what()).find("of user 65534 listens there, not one of this user (0)"),
              std::string::npos)
        << error.what();
  }
  int status = 0;
  ::waitpid(squatter, &status, 0);
  EXPECT_EQ(WEXITSTATUS(status), 0);
  ::close(ready[0]), ::close(ready[1]);
}

TEST(Greeting, AClientThatLeavesTheOthersWaitingIsNamed) {
  Simulator simulator(cluster_text(2), {}, 2);
  Channel leaves(simulator.connect());
  leaves.put(HostMessage::key, 0, key_body(""));
  BodyWriter hello;
  hello.u32(1), hello.u32(0);
  leaves.put(HostMessage::hello, 0, hello.body());
  leaves.flush();
  leaves.close();
  simulator.join();
  EXPECT_EQ(simulator.error, "client 1 left before all clients had come");
}

TEST(Greeting, NonsenseDuringARunIsTheClientsError) {
  Simulator simulator(cluster_text(1));
  Channel channel(simulator.connect());
  channel.put(HostMessage::key, 0, key_body(""));
  BodyWriter hello;
  hello.u32(0), hello.u32(0);
  channel.put(HostMessage::hello, 0, hello.body());
  channel.put(static_cast<HostMessage>(77), 0, {});
  channel.flush();
  EXPECT_NE(
      last_words(channel).find("client 0 spoke nonsense: host protocol: a message that no client sends"),
      std::string::npos);
}

TEST(Peer, KnowsItsAncestors) {
  const Peer self{::getpid(), ::geteuid()};
  EXPECT_TRUE(self.is_trusted());
  EXPECT_TRUE(self.descends_from(::getpid()));
  EXPECT_TRUE(self.descends_from(::getppid()));
  EXPECT_FALSE((Peer{::getppid(), 0}.descends_from(::getpid())));
  EXPECT_FALSE((Peer{0, 0}.descends_from(::getpid())));
}

TEST(PrivateFolder, IsOursAloneAndGoes) {
  namespace fs = std::filesystem;
  std::string runtime = "/tmp/polyloom-test-XXXXXX";
  ASSERT_NE(::mkdtemp(runtime.data()), nullptr);
  ::setenv("XDG_RUNTIME_DIR", runtime.c_str(), 1);
  const std::string stale = runtime + "/polyloom-host-4194999-abcdef";  // beyond the largest process number
  const std::string living = runtime + "/polyloom-host-" + std::to_string(::getppid()) + "-abcdef";
  fs::create_directories(stale + "/more");
  fs::create_directories(living);
  std::string made;
  {
    const PrivateFolder folder, other;
    made = folder.path();
    EXPECT_EQ(made.rfind(runtime + "/polyloom-host-", 0), 0u);
    EXPECT_NE(made, other.path());
    struct stat facts {};
    ASSERT_EQ(::stat(made.c_str(), &facts), 0);
    EXPECT_EQ(facts.st_mode & 0777, 0700u);
    EXPECT_FALSE(fs::exists(stale));
    EXPECT_TRUE(fs::exists(living));
  }
  EXPECT_FALSE(fs::exists(made));
  ::chmod(runtime.c_str(), 0755);  // any user may look: refused
  EXPECT_EQ(PrivateFolder().path().rfind("/tmp/polyloom-host-", 0), 0u);
  ::unsetenv("XDG_RUNTIME_DIR");
  fs::remove_all(runtime);
}

}  // namespace
}  // namespace polyloom::fabric
