// SPDX-License-Identifier: Apache-2.0
// Covers: detection on meshes of model boards with random delays, seen by an observer who knows everything:
// never early, always in the end, votes, epochs, the host's gate, latency against the bound; tree and star.
// Leaves out: link faults (board tests run real reliable links).
#include "roles/overlay/sim/net/detector.h"

#include <gtest/gtest.h>

#include <deque>
#include <memory>
#include <random>

namespace polyloom::overlay {
namespace {

struct Data {
  Cycle at;
  unsigned epoch;
  std::uint64_t barrier;  ///< barriers its sender had seen: what the epoch bit stands for
};
struct Control {
  Cycle at;
  std::vector<std::uint64_t> words;
};

struct World;

/// A board of one thread that, when a message comes, keeps it a while, maybe sends others, then waits again.
struct ModelBoard final : DetectorEnv {
  World* world = nullptr;
  BoardCoord at;
  Activity activity;
  std::unique_ptr<Detector> detector;
  std::deque<Data> data_in[4];
  std::deque<Control> control_in[4];
  Cycle data_last[4]{}, control_last[4]{};  // of what this board sends: FIFO
  bool waiting = true, vote = true;
  std::deque<Cycle> held;  ///< messages to be freed at
  Cycle busy_until = 0;
  unsigned sends_left = 0;
  std::uint64_t barriers = 0;

  void send_control(Cycle c, unsigned link, std::span<const std::uint64_t> words) override;
  void release_threads(Cycle c, bool voted) override;
  void freeze_threads(Cycle, bool frozen) override { activity.frozen = frozen; }
  void set_waiting(bool wait, Cycle c = 0) {
    waiting = wait;
    if (wait) activity.changed = std::max(activity.changed, c);
    activity.idle_waiting = wait ? 1 : 0;
    activity.idle_votes = wait && vote ? 1 : 0;
  }
  void send_data(Cycle c, unsigned link);
};

struct World {
  World(DetectorKind kind, MeshSize size, unsigned seed, Cycle hop, Cycle jitter_of_hop)
      : mesh(size), random(seed), latency(hop), jitter(jitter_of_hop) {
    boards.resize(size.boards());
    for (unsigned y = 0; y < size.height; ++y) {
      for (unsigned x = 0; x < size.width; ++x) {
        auto& b = boards[y * size.width + x];
        b = std::make_unique<ModelBoard>();
        b->world = this;
        b->at = {x, y};
        b->set_waiting(true);
        b->detector = make_detector(kind, {.board = b->at, .mesh = size, .threads = 1}, b->activity, *b);
      }
    }
  }
  ModelBoard* neighbour(BoardCoord at, unsigned link) {
    static const int dx[] = {0, 1, 0, -1}, dy[] = {1, 0, -1, 0};
    const int x = static_cast<int>(at.x) + dx[link], y = static_cast<int>(at.y) + dy[link];
    if (x < 0 || y < 0 || x >= static_cast<int>(mesh.width) || y >= static_cast<int>(mesh.height))
      return nullptr;
    return boards[static_cast<unsigned>(y) * mesh.width + static_cast<unsigned>(x)].get();
  }
  Cycle delay() { return latency + (jitter ? random() % jitter : 0); }

  void expect_all_quiet(const ModelBoard& first) {
    for (const auto& b : boards) {
      if (b.get() != &first && b->barriers >= first.barriers) return;  // not the first board to be released
    }
    for (const auto& b : boards) {
      ASSERT_TRUE(b->waiting) << "a thread is not waiting";
      ASSERT_EQ(b->activity.in_flight, 0) << "a message is in flight on a board";
      for (const auto& queue : b->data_in) ASSERT_TRUE(queue.empty()) << "a message is on a link";
    }
    voted = true;
    for (const auto& b : boards) voted = voted && b->vote;
    for (const auto& b : boards) b->sends_left = budget == 0 ? 0 : static_cast<unsigned>(random() % budget);
  }

  void window() {
    const Cycle end = now + kWindow;
    for (auto& b : boards) {
      for (unsigned link = 0; link < 4; ++link) {
        auto& data = b->data_in[link];
        while (!data.empty() && data.front().at < end && b->detector->may_enter(data.front().epoch)) {
          EXPECT_LE(data.front().barrier, b->barriers) << "a message from after a barrier came before it";
          data.pop_front();
          ++b->activity.in_flight;
          b->detector->received(now, link);
          b->held.push_back(end + random() % 64);
          b->set_waiting(false);
          b->vote = random() % 2;
          b->busy_until = end + random() % 200;
        }
        auto& control = b->control_in[link];
        while (!control.empty() && control.front().at < end) {
          const Control c = control.front();
          control.pop_front();
          b->detector->control(c.at, link, c.words);
        }
      }
      if (&b == &boards[0] && host_messages > 0 && random() % 4 == 0 && b->detector->may_inject(now)) {
        --host_messages;
        ++injected;
        ++b->activity.in_flight;
        b->detector->host_in();
        b->held.push_back(end + random() % 64);
        b->set_waiting(false);
        b->busy_until = end + random() % 200;
      }
      if (!b->activity.frozen) {
        while (!b->held.empty() && b->held.front() < end) {
          b->held.pop_front();
          --b->activity.in_flight;
          b->activity.changed = end;
        }
        if (!b->waiting && b->sends_left > 0 && random() % 4 == 0) {
          const auto link = static_cast<unsigned>(random() % 4);
          if (neighbour(b->at, link)) {
            --b->sends_left;
            b->send_data(end, link);
          }
        }
      }
      if (!b->waiting && b->busy_until < end) b->set_waiting(true, end);
      b->detector->step(end);
    }
    now = end;
  }

  MeshSize mesh;
  std::mt19937_64 random;
  Cycle latency, jitter, now = 0;
  std::vector<std::unique_ptr<ModelBoard>> boards;
  unsigned budget = 0, host_messages = 0, injected = 0;
  bool voted = false;
};

void ModelBoard::send_control(Cycle c, unsigned link, std::span<const std::uint64_t> words) {
  ModelBoard* to = world->neighbour(at, link);
  ASSERT_NE(to, nullptr);
  control_last[link] = std::max(control_last[link], c + world->delay());
  to->control_in[opposite(link)].push_back({control_last[link], {words.begin(), words.end()}});
}

void ModelBoard::send_data(Cycle c, unsigned link) {
  ModelBoard* to = world->neighbour(at, link);
  detector->sent(link);
  data_last[link] = std::max(data_last[link], c + world->delay());
  to->data_in[opposite(link)].push_back({data_last[link], detector->epoch_bit(), barriers});
}

void ModelBoard::release_threads(Cycle c, bool result) {
  ++barriers;
  world->expect_all_quiet(*this);
  EXPECT_EQ(result, world->voted);
  vote = world->random() % 4 != 0;
  set_waiting(false);
  busy_until = c + world->random() % 100;
}

struct Case {
  DetectorKind kind;
  MeshSize mesh;
  Cycle jitter;
};

TEST(Detector, NeverEarlyAndAlwaysInTheEnd) {
  for (const DetectorKind kind : {DetectorKind::tree, DetectorKind::star}) {
    for (const MeshSize mesh : {MeshSize{1, 1}, {2, 1}, {1, 3}, {2, 2}, {3, 2}, {3, 4}, {6, 8}}) {
      for (const Cycle jitter : {Cycle{0}, Cycle{1000}}) {
        for (unsigned seed = 0; seed < 12; ++seed) {
          World world(kind, mesh, seed, 20 + seed % 4 * 50, jitter);
          world.budget = 6;
          world.host_messages = 40;
          for (auto& b : world.boards) b->sends_left = 3, b->set_waiting(false);
          for (int w = 0; w < 120000 && (world.boards[0]->barriers < 8 || world.host_messages > 0); ++w) {
            world.window();
            if (HasFatalFailure()) return;
          }
          const std::uint64_t first = world.boards[0]->barriers;
          EXPECT_GE(first, 8u) << "barriers go on: mesh " << mesh.width << "x" << mesh.height;
          EXPECT_EQ(world.injected, 40u) << "host messages get in";
          for (const auto& b : world.boards) {
            EXPECT_LE(b->barriers, first + 1);
            EXPECT_GE(b->barriers + 1, first);
          }
        }
      }
    }
  }
}

/// Cycles from one barrier to the next when threads wait again at once.
double barrier_cycles(DetectorKind kind, MeshSize mesh, Cycle hop) {
  World world(kind, mesh, 1, hop, 0);
  world.window();
  while (world.boards[0]->barriers < 3) world.window();
  const Cycle from = world.now;
  while (world.boards[0]->barriers < 23) world.window();
  return static_cast<double>(world.now - from) / 20;
}

// Every thread takes up to 100 cycles to come back, so the bound is not met exactly.
TEST(Detector, TreeCostsTheDiameterOnceUpAndOnceDown) {
  for (const auto& [mesh, radius] :
       {std::pair{MeshSize{3, 2}, 2}, {MeshSize{3, 4}, 3}, {MeshSize{6, 8}, 7}}) {
    const double cycles = barrier_cycles(DetectorKind::tree, mesh, 195);
    EXPECT_GE(cycles, 2 * radius * 195);
    EXPECT_LT(cycles, 2 * radius * (195 + 16) + 200);
  }
}

/// When control words were sent last.
struct Sending final : DetectorEnv {
  Cycle at = 0;
  std::vector<std::uint64_t> words;
  void send_control(Cycle c, unsigned, std::span<const std::uint64_t> w) override {
    at = c;
    words.assign(w.begin(), w.end());
  }
  void release_threads(Cycle, bool) override {}
  void freeze_threads(Cycle, bool) override {}
};

TEST(Detector, TreeReportsCostACycleAnEndReadAndSent) {
  for (const Cycle end : {0, 1, 7}) {
    const DetectorConfig common{
        .board = {}, .mesh = {4, 1}, .threads = 1, .gather = 10, .turn = 4, .end = end};
    const auto at = [&](unsigned x) {
      DetectorConfig config = common;
      config.board = {x, 0};
      return config;
    };
    const Activity quiet{.idle_waiting = 1};
    Sending leaf_sends, middle_sends;
    const auto leaf = make_detector(DetectorKind::tree, at(3), quiet, leaf_sends);
    const auto middle = make_detector(DetectorKind::tree, at(2), quiet, middle_sends);
    for (const Cycle c : {0, 10}) leaf->step(c), middle->step(c);
    EXPECT_EQ(leaf_sends.at, 10 + 4 + 2 * end) << "one end of its own, one sent";
    EXPECT_TRUE(middle_sends.words.empty());
    middle->control(12, kLinkEast, leaf_sends.words);
    EXPECT_EQ(middle_sends.at, std::max<Cycle>(12, 10 + 2 * end) + end + 4 + end)
        << "two of its own come first";
  }
}

TEST(Detector, StarCostsFourRoundTripsToTheFarthestBoard) {
  // 250 MHz / 40,000 and 26,000 barriers a second (Tinsel paper V), within 15 %.
  EXPECT_NEAR(barrier_cycles(DetectorKind::star, {3, 2}, 195), 6250, 0.15 * 6250);
  EXPECT_NEAR(barrier_cycles(DetectorKind::star, {3, 4}, 195), 9615, 0.15 * 9615);
}

TEST(Detector, AThreadThatDoesNotWaitPreventsIt) {
  for (const DetectorKind kind : {DetectorKind::tree, DetectorKind::star}) {
    World world(kind, {3, 2}, 1, 100, 0);
    world.boards[4]->set_waiting(false);
    world.boards[4]->busy_until = kNeverCycle;
    for (int w = 0; w < 2000; ++w) world.window();
    for (const auto& b : world.boards) EXPECT_EQ(b->barriers, 0u);
    EXPECT_FALSE(world.boards[0]->detector->describe().empty());
  }
}

}  // namespace
}  // namespace polyloom::overlay
