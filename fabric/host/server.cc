// SPDX-License-Identifier: Apache-2.0
#include "fabric/host/server.h"

#include <poll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <utility>

#include "fabric/error.h"

namespace polyloom::fabric {
namespace {

void raise_event(int fd) noexcept {
  const std::uint64_t one = 1;
  [[maybe_unused]] const ssize_t n = ::write(fd, &one, sizeof one);
}

constexpr std::size_t kMostGreetings = 64;  // connections that have not said hello
constexpr std::size_t kBacklog = 64;

std::vector<std::string> command_of(const Peer& peer) {
  if (peer.pid <= 0) return {};
  std::ifstream in("/proc/" + std::to_string(peer.pid) + "/cmdline", std::ios::binary);
  std::vector<std::string> command;
  for (std::string word; std::getline(in, word, '\0');) command.push_back(word);
  return command;
}

/// A socket that listens while this lives.
struct Listener {
  explicit Listener(const std::string& a) : path(a), fd(listen_at(a, kBacklog)) {}
  ~Listener() {
    ::close(fd);
    if (path[0] != '@') ::unlink(path.c_str());
  }
  Listener(const Listener&) = delete;
  Listener& operator=(const Listener&) = delete;
  std::string path;
  int fd;
};

/// Until one of `fds` or of the greetings has something to say, or the earliest deadline.
void wait_for(std::vector<pollfd>& fds, const std::vector<Greeting>& greetings) {
  int most = 60'000;
  const auto now = Greeting::Clock::now();
  for (const Greeting& greeting : greetings) {
    fds.push_back({greeting.fd(), POLLIN, 0});
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(greeting.deadline() - now).count();
    most = static_cast<int>(std::clamp<std::int64_t>(left, 0, most));
  }
  if (::poll(fds.data(), fds.size(), most) < 0) {
    if (errno != EINTR) throw UserError(std::string("poll: ") + std::strerror(errno));
    for (pollfd& fd : fds) fd.revents = 0;
  }
}

}  // namespace

HostServer::HostServer(Refused refused, std::chrono::milliseconds patience)
    : refused_(std::move(refused)),
      patience_(patience),
      wake_fd_(::eventfd(0, EFD_CLOEXEC)),
      end_watch_fd_(::eventfd(0, EFD_CLOEXEC)) {
  if (wake_fd_ < 0 || end_watch_fd_ < 0)
    throw UserError(std::string("cannot make an event: ") + std::strerror(errno));
}

HostServer::~HostServer() {
  raise_event(end_watch_fd_);
  if (watcher_.joinable()) watcher_.join();
  ::close(wake_fd_);
  ::close(end_watch_fd_);
}

void HostServer::stop() noexcept {
  stop_.store(true);
  raise_event(wake_fd_);
}

void HostServer::adopt(int fd) {
  Greeting greeting(fd, secret_, Greeting::Clock::time_point::max());
  while (greeting.read() == Greeting::State::waiting) {
    pollfd fds[2] = {{fd, POLLIN, 0}, {wake_fd_, POLLIN, 0}};
    if (::poll(fds, 2, -1) < 0 && errno != EINTR)
      throw UserError(std::string("poll: ") + std::strerror(errno));
    if (stopped()) throw UserError("stopped while waiting for the host program");
  }
  if (greeting.state() == Greeting::State::refused) {
    greeting.refuse(greeting.refusal());
    throw UserError("the host program " + greeting.refusal());
  }
  enrol(greeting);
}

// Sockets are looked at when they have something to say, so none keeps others waiting.
void HostServer::accept_at(const std::string& address, std::size_t count) {
  const Listener listener(address);
  std::vector<Greeting> greetings;
  while (clients_.size() < count) {
    std::vector<pollfd> fds{{listener.fd, POLLIN, 0}, {wake_fd_, POLLIN, 0}};
    for (const auto& client : clients_) fds.push_back({client->channel.fd(), POLLRDHUP, 0});
    wait_for(fds, greetings);
    if (stopped()) throw UserError("stopped while waiting for clients at socket \"" + address + "\"");
    for (Greeting& greeting : greetings) {
      if (clients_.size() < count && greeting.read() == Greeting::State::complete) enrol(greeting);
      if (greeting.state() == Greeting::State::refused) turn_away(greeting, greeting.refusal());
      if (greeting.state() == Greeting::State::waiting && Greeting::Clock::now() >= greeting.deadline()) {
        turn_away(greeting, "said no hello within " + std::to_string(patience_.count()) + " ms");
      }
    }
    std::erase_if(greetings, [](const Greeting& greeting) { return greeting.fd() < 0; });
    check_present();
    if ((fds[0].revents & POLLIN) == 0) continue;
    const int fd = ::accept4(listener.fd, nullptr, nullptr, SOCK_CLOEXEC);
    if (fd < 0) continue;
    if (greetings.size() == kMostGreetings) {
      turn_away(greetings.front(), "is one of more than " + std::to_string(kMostGreetings) +
                                       " that have connected and say no hello");
      greetings.erase(greetings.begin());
    }
    greetings.emplace_back(fd, secret_, Greeting::Clock::now() + patience_);
  }
  for (Greeting& greeting : greetings) turn_away(greeting, "came when all clients were there");
}

void HostServer::turn_away(Greeting& greeting, const std::string& why) {
  if (greeting.fd() < 0) return;
  if (refused_) refused_("refused a client, " + greeting.peer().text() + ": it " + why);
  greeting.refuse(why);
}

bool HostServer::enrol(Greeting& greeting) {
  if (find(greeting.number()) != nullptr) {
    turn_away(greeting, "says that it is client " + std::to_string(greeting.number()) +
                            ", which is connected already (POLYLOOM_CLIENT)");
    return false;
  }
  auto client = std::make_unique<Client>();
  client->number = greeting.number();
  client->links = greeting.links();
  client->command = command_of(greeting.peer());
  client->channel = Channel(greeting.release(), wake_fd_);
  absences_.add(client->number);
  clients_.push_back(std::move(client));
  std::sort(clients_.begin(), clients_.end(),
            [](const auto& a, const auto& b) { return a->number < b->number; });
  return true;
}

// Those who wait for the others must not do so for ever.
void HostServer::check_present() const {
  for (const auto& client : clients_) {
    pollfd fd{client->channel.fd(), POLLRDHUP, 0};
    if (::poll(&fd, 1, 0) > 0 && (fd.revents & (POLLRDHUP | POLLHUP | POLLERR)) != 0) {
      throw UserError("client " + std::to_string(client->number) + " left before all clients had come");
    }
  }
}

HostServer::Client* HostServer::find(unsigned number) {
  for (const auto& client : clients_) {
    if (client->number == number) return client.get();
  }
  return nullptr;
}

bool HostServer::all_finished() const {
  return std::all_of(clients_.begin(), clients_.end(),
                     [](const auto& client) { return client->finished.load(); });
}

bool HostServer::wants_halt() {
  if (stopped() || all_finished()) return true;
  if (!absences_.due()) return false;
  release_requested_.store(true);
  return true;
}

// What was due in the middle of a window need not be at its end: a client that was away may have come back of
// its own accord at another host node. Then there was no reason to halt.
bool HostServer::go_on(RunEnd why, Time now) {
  const bool requested = release_requested_.exchange(false);
  if (stopped() || all_finished()) return false;
  return absences_.release(now, why == RunEnd::quiet) || (requested && !absences_.due());
}

void HostServer::welcome(const ClusterSpec& spec, const std::string& info) {
  const std::vector<int> hosts = spec.nodes_of(NodeKind::host);
  for (const auto& client : clients_) {
    const std::size_t place = client->number / static_cast<unsigned>(spec.host.clients);
    if (place >= hosts.size()) {
      throw UserError("client number " + std::to_string(client->number) + "; allowed: 0 to " +
                      std::to_string(hosts.size() * static_cast<std::size_t>(spec.host.clients) - 1) +
                      " (host nodes x host.clients)");
    }
    const int host = hosts[place];
    std::vector<const ClusterLink*> links(
        static_cast<std::size_t>(spec.nodes[static_cast<std::size_t>(host)].ports));
    for (const ClusterLink& link : spec.links) {
      if (link.node_a == host) links[static_cast<std::size_t>(link.port_a)] = &link;
      if (link.node_b == host) links[static_cast<std::size_t>(link.port_b)] = &link;
    }
    BodyWriter body;
    body.i64(spec.host.call_time);
    body.u32(static_cast<std::uint32_t>(links.size()));
    for (const ClusterLink* link : links) {
      const int peer = link->node_a == host ? link->node_b : link->node_a;
      body.text(spec.nodes[static_cast<std::size_t>(peer)].name);
      body.i64(link->quality.latency);
      body.i64(link->quality.word_period());
    }
    body.text(info);
    client->channel.put(HostMessage::welcome, 0, body.body());
    client->channel.flush();
  }
  watcher_ = std::thread(&HostServer::watch, this);
}

// A client that dies while the simulator is busy would otherwise be noticed only when it is next listened to.
void HostServer::watch() {
  for (;;) {
    std::vector<pollfd> fds{{end_watch_fd_, POLLIN, 0}};
    for (const auto& client : clients_) fds.push_back({client->channel.fd(), POLLRDHUP, 0});
    if (::poll(fds.data(), fds.size(), -1) < 0 && errno != EINTR) return;
    if (fds[0].revents) return;
    for (std::size_t i = 1; i < fds.size(); ++i) {
      if (fds[i].revents & (POLLRDHUP | POLLHUP | POLLERR)) {
        gone(*clients_[i - 1]);
        return;
      }
    }
  }
}

void HostServer::gone(const Client& client) noexcept {
  if (!client.finished && !stopped()) client_left_.store(true);
  stop();
}

void HostServer::finish(const std::string& result_json) {
  for (const auto& client : clients_) {
    if (!client->finished || !client->channel.is_open()) continue;
    client->channel.put(HostMessage::done, 0, result_json);
    client->channel.flush();
  }
}

void HostServer::fail(HostErrorReason reason, const std::string& text, bool to_all) {
  BodyWriter body;
  body.u32(static_cast<std::uint32_t>(reason));
  for (const auto& client : clients_) {
    if ((client->finished && !to_all) || !client->channel.is_open()) continue;
    client->channel.put(HostMessage::error, 0, body.body() + text);
    client->channel.flush();
  }
}

}  // namespace polyloom::fabric
