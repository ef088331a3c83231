// SPDX-License-Identifier: Apache-2.0
// Covers: messages of every kind and length and control words arrive as they were sent, in order, and take
// the items of the table in roles/overlay/README.md, in both formats. Leaves out: losses
// (blocks/reliable_link).
#include "roles/overlay/sim/board/mesh_link.h"

#include <gtest/gtest.h>

#include <map>

#include "blocks/reliable_link/tests/fake_wire.h"

namespace polyloom::overlay {
namespace {

constexpr std::uint64_t kHz = 250'000'000;
const fabric::Clock kClock(kHz);

struct Pair {
  explicit Pair(const MeshLinkConfig& config) : a(ab.tx(), ba.rx(), config), b(ba.tx(), ab.rx(), config) {}
  void step() {
    ab.window(kClock.edge(now), kClock.edge(now + 8));
    ba.window(kClock.edge(now), kClock.edge(now + 8));
    now += 8;
    for (MeshLink* link : {&a, &b}) link->begin(now), link->end(now);
  }
  std::uint64_t items_sent() const {
    std::uint64_t sent = 0;
    a.counters("", [&](std::string_view name, std::uint64_t value) {
      if (name == "items_sent") sent = value;
    });
    return sent;
  }
  blocks::FakeWire ab{{}}, ba{{}};
  MeshLink a, b;
  Cycle now = 0;
};

constexpr std::uint32_t kKeyDest = 0x1000;

Message message(MessageKind kind, unsigned flits) {
  Message m;
  m.kind = kind;
  m.flits = static_cast<std::uint8_t>(flits);
  m.dest = kind == MessageKind::key ? kKeyDest : 0x81234 + flits;
  m.mask = kind == MessageKind::mask  ? 0x8000'0000'0001'0010u
           : kind == MessageKind::key ? 0xfedc'ba90u + flits
                                      : std::uint64_t{1} << (40 + flits);
  for (unsigned i = 0; i < m.words(); ++i) m.data[i] = 0x1000 * flits + i;
  return m;
}

std::size_t items(bool published, MessageKind kind, unsigned flits) {
  static const std::map<std::pair<bool, MessageKind>, std::array<std::size_t, 4>> table{
      {{false, MessageKind::unicast}, {3, 5, 7, 9}}, {{false, MessageKind::host}, {3, 5, 7, 9}},
      {{false, MessageKind::mask}, {4, 6, 8, 10}},   {{true, MessageKind::unicast}, {3, 6, 9, 12}},
      {{true, MessageKind::host}, {3, 6, 9, 12}},    {{true, MessageKind::mask}, {4, 8, 12, 16}},
      {{false, MessageKind::key}, {3, 5, 7, 9}},     {{true, MessageKind::key}, {4, 8, 12, 16}},
  };
  return table.at({published, kind})[flits - 1];
}

class MeshLinkFormat : public testing::TestWithParam<bool> {};
INSTANTIATE_TEST_SUITE_P(Formats, MeshLinkFormat, testing::Bool());

TEST_P(MeshLinkFormat, MessagesArriveAsTheyWereSentAndTakeTheirItems) {
  const bool published = GetParam();
  Pair pair({kHz, published, published, blocks::FakeWire::Spec{}.latency, kKeyDest});
  for (const MessageKind kind :
       {MessageKind::unicast, MessageKind::mask, MessageKind::host, MessageKind::key}) {
    for (unsigned flits = 1; flits <= kMaxFlits; ++flits) {
      const Message sent = message(kind, flits);
      const std::uint64_t before = pair.items_sent();
      ASSERT_TRUE(pair.a.room(pair.now));
      pair.a.send(pair.now, sent, flits & 1);
      const MeshLink::Arrival* arrival = nullptr;
      for (unsigned i = 0; i < 200 && arrival == nullptr; ++i) pair.step(), arrival = pair.b.front(pair.now);
      ASSERT_NE(arrival, nullptr);
      EXPECT_EQ(pair.items_sent() - before, items(published, kind, flits));
      EXPECT_EQ(arrival->epoch, flits & 1);
      EXPECT_EQ(arrival->message.kind, kind);
      EXPECT_EQ(arrival->message.flits, flits);
      EXPECT_EQ(arrival->message.dest, sent.dest);
      EXPECT_EQ(arrival->message.mask, sent.mask);
      for (unsigned i = 0; i < sent.words(); ++i) EXPECT_EQ(arrival->message.data[i], sent.data[i]);
      pair.b.pop();
    }
  }
}

TEST_P(MeshLinkFormat, ControlAmongMessagesDisturbsNeither) {
  const bool published = GetParam();
  Pair pair({kHz, published, published, blocks::FakeWire::Spec{}.latency});
  const std::uint64_t words[] = {5, 6, 7};
  unsigned messages = 0, controls = 0;
  for (unsigned i = 0; i < 10; ++i) {
    pair.a.send(pair.now, message(i % 2 == 0 ? MessageKind::mask : MessageKind::unicast, 1 + i % 4), 0);
    pair.a.send_control(pair.now, pair.now, words);
  }
  for (unsigned i = 0; i < 400; ++i) {
    pair.step();
    while (const MeshLink::Arrival* arrival = pair.b.front(pair.now)) {
      EXPECT_EQ(arrival->message.flits, 1 + messages % 4);
      ++messages;
      pair.b.pop();
    }
    while (const auto control = pair.b.take_control(pair.now)) {
      EXPECT_EQ(control->words, std::vector<std::uint64_t>({5, 6, 7}));
      ++controls;
    }
  }
  EXPECT_EQ(messages, 10u);
  EXPECT_EQ(controls, 10u);
}

TEST_P(MeshLinkFormat, ABoardThatSleepsIsWokenForControlThatFoundNoRoom) {
  const bool published = GetParam();
  Pair pair({kHz, published, published, blocks::FakeWire::Spec{}.latency});
  const std::vector<std::uint64_t> words(31, 9);
  constexpr unsigned kSent = 50;
  for (unsigned i = 0; i < kSent; ++i) pair.a.send_control(pair.now, pair.now, words);
  unsigned controls = 0;
  for (unsigned i = 0; i < 2000; ++i) {
    pair.step();
    if (pair.a.next_arrival() <= pair.now) pair.a.push_waiting(pair.now);
    if (published) pair.b.front(pair.now);
    while (pair.b.take_control(pair.now)) ++controls;
  }
  EXPECT_EQ(controls, kSent);
}

}  // namespace
}  // namespace polyloom::overlay
