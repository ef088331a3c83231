// SPDX-License-Identifier: Apache-2.0
// The dummy node that is a real process: a child joined by a socket (conformance_child.cc).
#include <signal.h>
#include <spawn.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <stdexcept>

#include "fabric/tests/dummies.h"

extern char** environ;

namespace polyloom::fabric::testing {
namespace {

constexpr Time kResponseTime = 120'000;  // simulated time that a call costs

}  // namespace

ProcessNode::ProcessNode(std::vector<Port> ports) : EventNode(std::move(ports)) {
  int ends[2];
  if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0) throw std::runtime_error("socketpair");
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, ends[1], 0);
  posix_spawn_file_actions_adddup2(&actions, ends[1], 1);
  std::string program = POLYLOOM_CONFORMANCE_CHILD;
  std::array<char*, 2> argv{program.data(), nullptr};
  const int error = ::posix_spawn(&child_, program.c_str(), &actions, nullptr, argv.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  ::close(ends[1]);
  socket_ = ends[0];
  if (error != 0) throw std::runtime_error("cannot start " + program + ": " + std::strerror(error));
}

ProcessNode::~ProcessNode() {
  ::close(socket_);  // the child ends when its input does
  ::waitpid(child_, nullptr, 0);
}

void ProcessNode::on_word(int port, Time t, std::uint64_t word, bool end) {
  if (!end) return;
  std::uint64_t response = 0;
  if (::send(socket_, &word, sizeof word, MSG_NOSIGNAL) != sizeof word ||
      ::recv(socket_, &response, sizeof response, MSG_WAITALL) != sizeof response) {
    throw std::runtime_error("the child process has gone");
  }
  ++calls;
  send_frame(port, t + kResponseTime, {response});
}

ProcessClient::ProcessClient(std::vector<Port> ports, std::uint64_t count)
    : EventNode(std::move(ports)), left_(count) {
  at(0, 0);
}

void ProcessClient::on_timer(Time t, std::uint64_t) { send_frame(0, t, {value}); }

void ProcessClient::on_word(int, Time t, std::uint64_t word, bool) {
  value = word + 1;
  if (--left_ != 0) send_frame(0, t, {value});
}

}  // namespace polyloom::fabric::testing
