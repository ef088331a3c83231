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

#include "fabric/error.h"

namespace polyloom::fabric {
namespace {

void raise_event(int fd) noexcept {
  const std::uint64_t one = 1;
  [[maybe_unused]] const ssize_t n = ::write(fd, &one, sizeof one);
}

// The command line of the process at the other end.
std::vector<std::string> peer_command(int fd) {
  ucred peer{};
  socklen_t size = sizeof peer;
  if (::getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &peer, &size) != 0 || peer.pid <= 0) return {};
  std::ifstream in("/proc/" + std::to_string(peer.pid) + "/cmdline", std::ios::binary);
  std::vector<std::string> command;
  for (std::string word; std::getline(in, word, '\0');) command.push_back(word);
  return command;
}

}  // namespace

HostServer::HostServer() : wake_fd_(::eventfd(0, EFD_CLOEXEC)), end_watch_fd_(::eventfd(0, EFD_CLOEXEC)) {
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

void HostServer::adopt(int fd) { greet(Channel(fd, wake_fd_)); }

void HostServer::accept_at(const std::string& address, std::size_t count) {
  struct Listener {
    explicit Listener(const std::string& a) : path(a), fd(listen_at(a, 64)) {}
    ~Listener() {
      ::close(fd);
      if (path[0] != '@') ::unlink(path.c_str());
    }
    std::string path;
    int fd;
  } listener(address);
  while (clients_.size() < count) {
    pollfd fds[2] = {{listener.fd, POLLIN, 0}, {wake_fd_, POLLIN, 0}};
    if (::poll(fds, 2, -1) < 0 && errno != EINTR)
      throw UserError(std::string("poll: ") + std::strerror(errno));
    if (stopped()) throw UserError("stopped while waiting for clients at socket \"" + address + "\"");
    if (!(fds[0].revents & POLLIN)) continue;
    const int fd = ::accept4(listener.fd, nullptr, nullptr, SOCK_CLOEXEC);
    if (fd < 0) continue;
    try {
      greet(Channel(fd, wake_fd_));
    } catch (const std::exception&) {  // one that talks nonsense is turned away, the others are still served
    }
  }
}

void HostServer::greet(Channel channel) {
  HostHeader header{};
  std::string body;
  if (channel.receive(header) != Channel::Outcome::message || header.type != HostMessage::hello ||
      header.bytes > 65536 || !channel.read(header, body)) {
    throw UserError("a client left, or spoke another protocol, before it said hello");
  }
  auto client = std::make_unique<Client>();
  BodyReader in(body);
  const std::uint32_t version = in.u32();
  client->number = in.u32();
  client->links.resize(std::min<std::uint32_t>(in.u32(), 16384));
  for (unsigned& link : client->links) link = in.u32();
  std::string refusal;
  if (version != kHostProtocolVersion) {
    refusal = "client speaks protocol version " + std::to_string(version) + ", the simulator " +
              std::to_string(kHostProtocolVersion) + "; build both from one checkout";
  } else if (find(client->number)) {
    refusal = "client number " + std::to_string(client->number) + " is connected already";
  }
  if (!refusal.empty()) {
    BodyWriter error;
    error.u32(static_cast<std::uint32_t>(HostErrorReason::protocol));
    channel.put(HostMessage::error, 0, error.body() + refusal);
    channel.flush();
    throw UserError(refusal);
  }
  client->command = peer_command(channel.fd());
  client->channel = std::move(channel);
  clients_.push_back(std::move(client));
  std::sort(clients_.begin(), clients_.end(),
            [](const auto& a, const auto& b) { return a->number < b->number; });
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
