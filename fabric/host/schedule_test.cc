// SPDX-License-Identifier: Apache-2.0
// Covers: random programs of four clients at two host nodes that also wait for each other outside of the
// simulation, each run under many schedules of delays: all end, with the same times and digest, in every
// engine. Leaves out: clients that die, processes (sim).
#include <gtest/gtest.h>

#include <atomic>
#include <condition_variable>
#include <map>
#include <mutex>
#include <random>

#include "fabric/host/test_simulator.h"

namespace polyloom::fabric {
namespace {

using namespace testing;
using std::chrono::microseconds;

constexpr unsigned kClients = 4, kHosts = 2;
constexpr auto kPatience = std::chrono::seconds(30);

/// Two hosts of two clients, each client with a board of its own; `tick`: boards are never idle.
std::string two_hosts(bool tick) {
  std::string text =
      "version = 1\n[topology]\nkind = \"explicit\"\n[link]\nlatency = \"500 ns\"\nrate = \"10 Gb/s\"\n"
      "[host]\ncall_time = \"2 us\"\n";
  if (tick) text += "[echo]\ntick = \"300 ns\"\n";
  for (unsigned b = 0; b < kClients; ++b) {
    text += "[[node]]\nname = \"board." + std::to_string(b) + "\"\nrole = \"echo\"\n";
  }
  for (unsigned h = 0; h < kHosts; ++h) {
    text += "[[node]]\nname = \"host." + std::to_string(h) + "\"\nkind = \"host\"\n";
  }
  for (unsigned b = 0; b < kClients; ++b) {
    text += "[[connect]]\na = \"board." + std::to_string(b) + ":0\"\nb = \"host." + std::to_string(b / 2) +
            ":" + std::to_string(b % 2) + "\"\nlatency = \"" + std::to_string(700 + 100 * b) + " ns\"\n";
  }
  return text;
}

/// What passes between clients outside of the simulation: pipes, in the programs that this stands for.
class Pipes {
 public:
  void put(unsigned from, unsigned to) {
    const std::lock_guard lock(mutex_);
    ++full_[{from, to}];
    changed_.notify_all();
  }
  /// False if the test has been given up.
  bool take(unsigned from, unsigned to) {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return given_up_ || full_[{from, to}] > 0; });
    if (given_up_) return false;
    --full_[{from, to}];
    return true;
  }
  void give_up() {
    const std::lock_guard lock(mutex_);
    given_up_ = true;
    changed_.notify_all();
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  std::map<std::pair<unsigned, unsigned>, int> full_;
  bool given_up_ = false;
};

/// Delays of one client: none, yields, or sleeps, at each step of the protocol.
class Delays {
 public:
  explicit Delays(std::uint64_t seed) : random_(seed), most_(random_() % 3 * 150) {}
  void operator()() {
    const auto kind = random_() % 4;
    if (kind == 0) std::this_thread::yield();
    if (kind == 1 && most_ > 0) std::this_thread::sleep_for(microseconds(random_() % most_));
  }

 private:
  std::mt19937_64 random_;
  std::uint64_t most_;
};

struct Step {
  enum class Kind { exchange, pass, poll, meet, hand, away, all_away } kind;
  std::vector<unsigned> who;
  unsigned size = 0;
};

/// The same for all schedules. In `hand`, who[0] gives something to who[1] by a pipe.
std::vector<Step> random_program(std::uint64_t seed) {
  std::mt19937_64 random(seed);
  std::vector<Step> program;
  for (int i = 0; i < 40; ++i) {
    Step step{static_cast<Step::Kind>(random() % 7), {0, 1, 2, 3}, static_cast<unsigned>(random() % 40)};
    std::shuffle(step.who.begin(), step.who.end(), random);
    if (step.kind == Step::Kind::meet) step.who.resize(2 + random() % 3);
    if (step.kind == Step::Kind::hand) step.who.resize(2);
    if (step.kind < Step::Kind::meet || step.kind == Step::Kind::away) step.who.resize(1);
    program.push_back(std::move(step));
  }
  return program;
}

struct Record {
  std::vector<std::vector<Time>> times{kClients};  ///< of each client, after each of its steps
  std::uint64_t digest = 0;
  std::atomic<bool> ended{true};
};

class Client {
 public:
  Client(unsigned number, HostClient& host, Pipes& pipes, std::uint64_t seed)
      : number_(number), host_(host), pipes_(pipes), delay_(seed) {}

  bool take(const Step& step) {
    delay_();
    switch (step.kind) {
      case Step::Kind::exchange:
        host_.send(static_cast<int>(number_ % 2), words(1 + step.size, number_));
        delay_();
        EXPECT_EQ(host_.recv().words, words(1 + step.size, number_ + 1));
        return true;
      case Step::Kind::pass:
        host_.wait(Time{step.size} * 777 * kNs);
        return true;
      case Step::Kind::poll:
        for (unsigned i = 0; i < step.size % 5; ++i) host_.try_recv(), delay_();
        return true;
      case Step::Kind::meet:
        host_.meet(step.who);
        return true;
      case Step::Kind::hand:
        return hand(step);
      case Step::Kind::away:
      case Step::Kind::all_away:
        host_.away(step.size % 3 == 0 ? Time{step.size} * 500 * kNs : kNever);
        delay_(), delay_();
        host_.back();
        return true;
    }
    return false;
  }

 private:
  // The giver may give before or after it meets the taker: that one waits for the pipe while simulated time
  // stands, and the giver needs none of it.
  bool hand(const Step& step) {
    const bool gives = number_ == step.who[0], first = step.size % 2 == 0;
    if (gives && first) pipes_.put(step.who[0], step.who[1]);
    delay_();
    host_.meet(step.who);
    delay_();
    if (gives && !first) pipes_.put(step.who[0], step.who[1]);
    return gives || pipes_.take(step.who[0], step.who[1]);
  }

  unsigned number_;
  HostClient& host_;
  Pipes& pipes_;
  Delays delay_;
};

/// Ends the run, with errors for all, if it takes too long.
class Watchdog {
 public:
  Watchdog(Simulator& simulator, Pipes& pipes, std::chrono::milliseconds patience)
      : thread_([&, patience] {
          std::unique_lock lock(mutex_);
          if (changed_.wait_for(lock, patience, [&] { return over_; })) return;
          barked_ = true;
          pipes.give_up();
          simulator.server.stop();
        }) {}
  ~Watchdog() { stop(); }
  void stop() {
    {
      const std::lock_guard lock(mutex_);
      over_ = true;
      changed_.notify_all();
    }
    if (thread_.joinable()) thread_.join();
  }
  bool barked() const { return barked_; }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  bool over_ = false;
  std::atomic<bool> barked_{false};
  std::thread thread_;
};

using Program =
    std::function<bool(unsigned number, HostClient& host, Pipes& pipes, std::vector<Time>& times)>;

void run_program(Record& record, bool tick, unsigned threads, std::chrono::milliseconds patience,
                 const Program& program) {
  EngineOptions options;
  options.kind = threads > 1 ? EngineKind::threads : EngineKind::serial;
  options.threads = threads;
  Simulator simulator(two_hosts(tick), options, kClients / kHosts, kClients);
  Pipes pipes;
  Watchdog watchdog(simulator, pipes, patience);
  std::vector<std::thread> clients;
  for (unsigned k = 0; k < kClients; ++k) {
    clients.emplace_back([&, k] {
      try {
        auto host = simulator.client(k, {k % 2});
        if (program(k, *host, pipes, record.times[k])) {
          host->finish();
        } else {
          record.ended = false;
        }
      } catch (const SimulatorError& error) {
        record.ended = false;
        if (error.reason != HostErrorReason::interrupted)
          ADD_FAILURE() << "client " << k << ": " << error.what();
      }
    });
  }
  for (std::thread& client : clients) client.join();
  watchdog.stop();
  simulator.join();
  record.digest = simulator.result.digest;
}

TEST(Schedule, DelaysOfClientsChangeNothing) {
  for (std::uint64_t seed = 1; seed <= 12; ++seed) {
    const std::vector<Step> steps = random_program(seed);
    const bool tick = seed % 3 == 0;
    std::vector<std::vector<Time>> times;
    std::uint64_t digest = 0;
    for (std::uint64_t schedule = 0; schedule < 10; ++schedule) {
      Record record;
      run_program(record, tick, 1 + schedule % 3, kPatience,
                  [&](unsigned number, HostClient& host, Pipes& pipes, std::vector<Time>& seen) {
                    Client client(number, host, pipes, 1000 * seed + 10 * schedule + number);
                    for (const Step& step : steps) {
                      if (std::find(step.who.begin(), step.who.end(), number) == step.who.end()) continue;
                      if (!client.take(step)) return false;
                      seen.push_back(host.now());
                    }
                    return true;
                  });
      ASSERT_TRUE(record.ended) << "program " << seed << " stands still under schedule " << schedule;
      if (schedule == 0) times = record.times, digest = record.digest;
      EXPECT_EQ(record.times, times) << "program " << seed << ", schedule " << schedule;
      EXPECT_EQ(record.digest, digest) << "program " << seed << ", schedule " << schedule;
    }
  }
}

/// A master outside of the simulation asks all clients for a step, again and again, once all have answered.
bool served(unsigned number, HostClient& host, Pipes& pipes, bool meet) {
  constexpr unsigned kMaster = kClients;
  Delays delay(number);
  for (int request = 0; request < 5; ++request) {
    if (!pipes.take(kMaster, number)) return false;
    delay();
    host.wait((number + 1) * 10 * kUs);
    if (meet) host.meet();
    pipes.put(number, kMaster);
  }
  return true;
}

bool master_and_clients(bool meet, std::chrono::milliseconds patience) {
  Record record;
  run_program(record, false, 1, patience,
              [&](unsigned number, HostClient& host, Pipes& pipes, std::vector<Time>&) {
                std::thread master;
                if (number == 0) {
                  master = std::thread([&] {
                    for (int request = 0; request < 5; ++request) {
                      for (unsigned k = 0; k < kClients; ++k) pipes.put(kClients, k);
                      for (unsigned k = 0; k < kClients; ++k) {
                        if (!pipes.take(k, kClients)) return;
                      }
                    }
                  });
                }
                bool ended = false;
                try {
                  ended = served(number, host, pipes, meet);
                } catch (const SimulatorError&) {
                }
                if (master.joinable()) master.join();
                return ended;
              });
  return record.ended;
}

TEST(Schedule, AMasterMayWaitForAllClients) { EXPECT_TRUE(master_and_clients(true, kPatience)); }

// Why there are meetings: a client that has answered and waits for its next request holds the others up.
TEST(Schedule, WithoutAMeetingTheyStandStill) {
  EXPECT_FALSE(master_and_clients(false, std::chrono::milliseconds(300)));
}

}  // namespace
}  // namespace polyloom::fabric
