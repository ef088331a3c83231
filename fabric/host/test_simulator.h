// SPDX-License-Identifier: Apache-2.0
// For tests: a simulator of echo nodes in a thread of its own, and the clusters that it simulates.
#pragma once

#include <unistd.h>

#include <chrono>
#include <functional>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "fabric/cluster/reader.h"
#include "fabric/host/assemble.h"
#include "fabric/host/client.h"
#include "fabric/host/echo_role.h"
#include "fabric/host/host_node.h"

namespace polyloom::fabric::testing {

inline constexpr Time kNs = 1000, kUs = 1000 * kNs;

inline std::string cluster_text(int boards, const std::string& more = "") {
  return "version = 1\n[topology]\nkind = \"mesh\"\nsize = [" + std::to_string(boards) +
         ", 1]\n[link]\nlatency = \"500 ns\"\nrate = \"10 Gb/s\"\n[fpga]\nrole = \"echo\"\n"
         "[host]\nlatency = \"1 us\"\nrate = \"64 Gb/s\"\ncall_time = \"2 us\"\n" +
         more;
}

/// The simulator's side, in a thread of its own.
class Simulator {
 public:
  /// `clients`: at each host node; `all`: of all host nodes together.
  explicit Simulator(const std::string& text, EngineOptions options = {}, int clients = 1, int all = 0) {
    static int number = 0;
    address_ = "@polyloom-host-test-" + std::to_string(::getpid()) + "-" + std::to_string(number++);
    roles_.add(testing::echo_role());
    ReadOptions read;
    read.host_clients = clients;
    spec_ = parse_cluster(text, "test.toml", roles_, read);
    thread_ = std::thread([=, this] { serve(options, static_cast<std::size_t>(std::max(clients, all))); });
  }
  ~Simulator() { join(); }
  void join() {
    if (thread_.joinable()) thread_.join();
  }

  const std::string& address() const { return address_; }
  int connect() {
    for (;;) {
      try {
        return connect_to(address_);
      } catch (const UserError&) {
        std::this_thread::yield();  // the thread has not come to listen yet
      }
    }
  }
  std::unique_ptr<HostClient> client(unsigned number = 0, std::vector<unsigned> links = {}) {
    HostOptions options;
    options.socket = address_;
    options.client = number;
    options.links = std::move(links);
    for (;;) {
      try {
        return std::make_unique<HostClient>(options);
      } catch (const SimulatorError&) {
        throw;
      } catch (const UserError&) {
        std::this_thread::yield();  // the thread has not come to listen yet
      }
    }
  }

  static constexpr std::chrono::milliseconds kPatience{200};
  std::vector<std::string> refused;  ///< the clients turned away; complete after join()
  HostServer server{[this](const std::string& line) { refused.push_back(line); }, kPatience};
  RunResult result;
  std::string error;

 private:
  void serve(EngineOptions options, std::size_t clients) {
    options.interrupt = &server.stop_flag();
    options.go_on = [this](RunEnd why, Time now) { return server.go_on(why, now); };
    try {
      server.accept_at(address_, clients);
      Fabric fabric;
      assemble(fabric, spec_, roles_, &server, {});
      server.welcome(spec_, "{}");
      result = run(fabric, options);
      if (result.reason == RunEnd::quiet || server.absences().standstill()) {
        server.fail(HostErrorReason::deadlock, result.waiting.empty() ? "quiet" : result.waiting.front(),
                    true);
      } else if (result.stopped_by_limit) {
        server.fail(HostErrorReason::limit, "limit", true);
      } else {
        server.fail(HostErrorReason::interrupted, "a client left", false);
        server.finish("{}");
      }
    } catch (const std::runtime_error& e) {
      error = e.what();
      server.fail(HostErrorReason::fault, e.what(), true);
    }
  }

  std::string address_;
  RoleRegistry roles_;
  ClusterSpec spec_;
  std::thread thread_;
};

inline std::vector<std::uint64_t> words(std::size_t n, std::uint64_t first) {
  std::vector<std::uint64_t> w(n);
  for (std::size_t i = 0; i < n; ++i) w[i] = first + i;
  return w;
}

inline HostErrorReason reason_of(const std::function<void()>& act, std::string* message = nullptr) {
  try {
    act();
  } catch (const SimulatorError& error) {
    if (message) *message = error.what();
    return error.reason;
  }
  return HostErrorReason{};
}

}  // namespace polyloom::fabric::testing
