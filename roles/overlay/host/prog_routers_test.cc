// SPDX-License-Identifier: Apache-2.0
// Covers: ProgRouterMesh as a host program uses it, against a fake cluster: the bytes of every record,
// written out by hand from docs/sources/tinsel.md, 3.5; beats, keys, slices, chains; messages by key; what
// write() refuses. Leaves out: what routers do with the tables (end-to-end tests).
#include <gtest/gtest.h>

#include <memory>

#include "roles/overlay/host/ProgRouters.h"
#include "roles/overlay/host/hostlink_fixture.h"

namespace polyloom::overlay {
namespace {

constexpr std::uint32_t kBase = 0x01804000;
using Bytes = std::vector<std::uint8_t>;

/// Chunks of 48 bits, the first in bytes 24 to 29, and the number of records in bytes 30 and 31.
Bytes beat(const std::vector<std::uint64_t>& chunks, unsigned records) {
  Bytes bytes(32, 0);
  for (std::size_t c = 0; c < chunks.size(); ++c) {
    for (unsigned i = 0; i < 6; ++i) bytes[24 - 6 * c + i] = static_cast<std::uint8_t>(chunks[c] >> (8 * i));
  }
  bytes[30] = static_cast<std::uint8_t>(records);
  return bytes;
}
// Fields from the most significant bit down; widths sum up to 48 or 96.
std::uint64_t urm1(std::uint64_t y, std::uint64_t x, std::uint64_t thread, std::uint64_t word) {
  return std::uint64_t{0} << 45 | y << 43 | x << 41 | thread << 35 | word;
}
std::uint64_t rr(std::uint64_t direction, std::uint64_t key) {
  return std::uint64_t{2} << 45 | direction << 43 | key;
}
std::uint64_t ind(std::uint64_t key) { return std::uint64_t{4} << 45 | key; }
/// A record of 96 bits is two chunks, the upper one first.
std::vector<std::uint64_t> urm2(std::uint64_t y, std::uint64_t x, std::uint64_t thread, std::uint64_t words) {
  return {std::uint64_t{1} << 45 | y << 43 | x << 41 | thread << 35 | words >> 48, words & 0xffffffffffff};
}
std::vector<std::uint64_t> mrm(std::uint64_t y, std::uint64_t x, std::uint64_t half, std::uint64_t mask) {
  return {std::uint64_t{3} << 45 | y << 43 | x << 41 | half << 16 | mask >> 48, mask & 0xffffffffffff};
}

class ProgRoutersTest : public HostLinkTest {
 protected:
  void open(unsigned slices = 2) {
    ClusterFacts facts = small_facts();
    facts.slices = slices;
    cluster_ = new FakeCluster(facts);
    link_ = std::make_unique<HostLink>(cluster_);
    mesh_ = std::make_unique<ProgRouterMesh>(4, 2);
  }
  ProgRouter& at(unsigned x, unsigned y) { return mesh_->table[y][x]; }
  /// Beats that a board holds where a key says, whose fields are those of docs/sources/tinsel.md, 1.4.
  Bytes beats(unsigned board, std::uint32_t key) {
    const auto space = key >> 31 ? blocks::Space::slice1 : blocks::Space::slice0;
    return cluster_->bytes(board, space, 0, key & 0x7fffffe0, 32 * (key & 31));
  }
  void write() {
    mesh_->write(link_.get());
    link_->flush();
  }
  void expect_refused(const std::string& why) {
    EXPECT_EXIT(mesh_->write(link_.get()), testing::ExitedWithCode(1), why);
  }
  std::unique_ptr<ProgRouterMesh> mesh_;
};

Bytes operator+(Bytes a, const Bytes& b) {
  a.insert(a.end(), b.begin(), b.end());
  return a;
}

TEST_F(ProgRoutersTest, WritesRecordsMostSignificantFirst) {
  open();
  ProgRouter& board = at(2, 1);
  board.addURM1(1, 0, 63, 0xfedcba98);
  board.addURM2(0, 1, 5, 0x01234567, 0x89abcdef);
  board.addMRM(1, 1, 0x80000000, 0x00c0ffee, 0xf0f0);  // opens no beat: two chunks are left
  board.addURM1(0, 0, 0, 7);                           // opens one
  const std::uint32_t key = board.genKey();
  EXPECT_EQ(key, kBase | 2);
  write();
  const auto two = urm2(1, 0, 5, 0x0123456789abcdef), four = mrm(1, 1, 0xf0f0, 0x8000000000c0ffee);
  EXPECT_EQ(beats(1 * 4 + 2, key), beat({urm1(0, 1, 63, 0xfedcba98), two[0], two[1], four[0], four[1]}, 3) +
                                       beat({urm1(0, 0, 0, 7)}, 1));
}

TEST_F(ProgRoutersTest, PacksWideRecordsIntoWholeBeats) {
  open();
  ProgRouter& board = at(0, 0);
  for (unsigned i = 0; i < 3; ++i) board.addMRM(0, i % 2, 0, 1u << i, static_cast<std::uint16_t>(i));
  board.addURM1(1, 1, 9, 11);
  const std::uint32_t key = board.genKey();
  write();
  const auto a = mrm(0, 0, 0, 1), b = mrm(1, 0, 1, 2), c = mrm(0, 0, 2, 4);
  EXPECT_EQ(beats(0, key), beat({a[0], a[1], b[0], b[1]}, 2) + beat({c[0], c[1], urm1(1, 1, 9, 11)}, 2));
}

TEST_F(ProgRoutersTest, GoesFromBoardToBoardAndOnByIndirection) {
  open();
  at(1, 1).addURM1(0, 0, 3, 1);
  const std::uint32_t north = at(1, 1).genKey();
  at(1, 0).addRR(0, north);
  const std::uint32_t east = at(1, 0).genKey();
  std::uint8_t* const later = at(0, 0).addIND();
  at(0, 0).addRR(2, east);
  const std::uint32_t key = at(0, 0).genKey();
  at(0, 0).addURM1(1, 1, 4, 2);
  const std::uint32_t second = at(0, 0).genKey();
  at(0, 0).setIND(later, second);
  write();
  EXPECT_EQ(beats(0, key), beat({rr(2, east), ind(second)}, 2));
  EXPECT_EQ(beats(1, east), beat({rr(0, north)}, 1));
  EXPECT_EQ(beats(4 + 1, north), beat({urm1(0, 0, 3, 1)}, 1));
}

TEST_F(ProgRoutersTest, UsesAllSlicesThatBoardsHave) {
  for (const unsigned slices : {1u, 2u}) {
    open(slices);
    std::uint64_t beats_of[2] = {0, 0};
    for (unsigned k = 0; k < 40; ++k) {
      for (unsigned i = 0; i <= k; ++i) at(3, 0).addURM1(0, 0, i, k);
      const std::uint32_t key = at(3, 0).genKey();
      EXPECT_EQ(key & 31, (k + 5) / 5);
      beats_of[key >> 31] += key & 31;
    }
    write();
    if (slices == 1) {
      EXPECT_EQ(beats_of[1], 0u);
    } else {
      EXPECT_LE(std::max(beats_of[0], beats_of[1]) - std::min(beats_of[0], beats_of[1]), 8u);
    }
  }
}

TEST_F(ProgRoutersTest, AKeyWithoutRecordsHasNoBeats) {
  open();
  EXPECT_EQ(at(0, 0).genKey(), 0u);
  at(0, 0).addRR(0, 0);
  EXPECT_EQ(at(0, 0).genKey() & 31, 1u);
  write();
}

/// 30 beats fit one key; one more record does not.
TEST_F(ProgRoutersTest, ChainsWhatDoesNotFitOneKey) {
  for (const unsigned records : {150u, 151u, 155u, 400u}) {
    open(1);
    for (unsigned i = 0; i < records; ++i) at(0, 0).addURM1(0, 0, i % 64, i);
    std::uint32_t key = at(0, 0).genKey();
    write();
    unsigned next = 0, keys = 0;
    for (; key != 0; ++keys) {
      ASSERT_LE(key & 31, 30u);
      const Bytes bytes = beats(0, key);
      key = 0;
      for (std::size_t b = 0; b < bytes.size(); b += 32) {
        for (unsigned c = 0; c < bytes[b + 30]; ++c) {
          ASSERT_EQ(key, 0u) << "nothing follows an indirection";
          std::uint64_t chunk = 0;
          for (unsigned i = 0; i < 6; ++i) chunk |= std::uint64_t{bytes[b + 24 - 6 * c + i]} << (8 * i);
          if (chunk >> 45 == 4) {
            key = static_cast<std::uint32_t>(chunk);
          } else {
            ASSERT_EQ(chunk, urm1(0, 0, next % 64, next));
            ++next;
          }
        }
      }
    }
    EXPECT_EQ(next, records);
    EXPECT_EQ(keys, records == 150 ? 1u : records == 400 ? 3u : 2u);
  }
}

TEST_F(ProgRoutersTest, SendsMessagesToKeys) {
  open();
  std::uint64_t message[8] = {1, 2, 3, 4, 5, 6, 7, 8};
  EXPECT_TRUE(link_->keySend(0x80000021, 2, message));
  EXPECT_TRUE(link_->keyTrySend(5, 1, message));
  link_->useSendBuffer = true;
  link_->keySend(6, 4, message);
  EXPECT_EQ(cluster_->sent.size(), 2u);
  link_->flush();
  ASSERT_EQ(cluster_->sent.size(), 3u);
  const std::uint64_t keys[] = {0x80000021, 5, 6}, words[] = {4, 2, 8};
  for (unsigned i = 0; i < 3; ++i) {
    EXPECT_EQ(cluster_->sent[i].dest, 0x1000u);
    EXPECT_EQ(cluster_->sent[i].mask, keys[i]);
    EXPECT_EQ(cluster_->sent[i].payload, std::vector<std::uint64_t>(message, message + words[i]));
  }
  EXPECT_EXIT(link_->keySend(1, 5, message), testing::ExitedWithCode(1), "keySend: 5 flits");
  EXPECT_EXIT(link_->keyTrySend(1, 1, message), testing::ExitedWithCode(1), "only blocking sends");
}

TEST_F(ProgRoutersTest, RefusesKeysWhereNoRouterLooksThemUp) {
  ClusterFacts facts = small_facts();
  facts.programmable_routers = false;
  link_ = std::make_unique<HostLink>(new FakeCluster(facts));
  std::uint64_t message[2] = {};
  EXPECT_EXIT(link_->keySend(1, 1, message), testing::ExitedWithCode(1),
              "cluster 'test' has no programmable routers");
  mesh_ = std::make_unique<ProgRouterMesh>(2, 1);
  EXPECT_EXIT(mesh_->write(link_.get()), testing::ExitedWithCode(1),
              "ProgRouterMesh::write: cluster 'test' has no programmable routers");
}

TEST_F(ProgRoutersTest, TablesBelongToOneProgram) {
  open();
  write();
  write();  // again
  EXPECT_EXIT(link_->takeRoutingTables("PGraph::write"), testing::ExitedWithCode(1),
              "PGraph::write: the routing tables .* hold keys that ProgRouterMesh::write has written");
  open();
  link_->takeRoutingTables("PGraph::write");
  expect_refused("hold keys that PGraph::write has written");
}

TEST_F(ProgRoutersTest, RefusesRecordsWithoutAKey) {
  open();
  at(1, 0).addURM1(0, 0, 0, 0);
  at(1, 0).genKey();
  at(1, 0).addURM1(0, 0, 1, 0);
  expect_refused(R"(board \(1,0\) has 1 records without a key: genKey\(\))");
}

TEST_F(ProgRoutersTest, RefusesReceiversThatDoNotExist) {
  open();
  at(1, 0).addURM1(1, 1, 1, 0);
  at(1, 0).addURM1(2, 1, 1, 0);
  at(1, 0).genKey();
  expect_refused(R"(board \(1,0\), key 0x1804001, record 1 \(URM1\): there is no tile \(2,1\))");
  open();
  at(0, 1).addURM2(0, 0, 64, 0, 0);
  at(0, 1).genKey();
  expect_refused(R"(board \(0,1\), key 0x1804001, record 0 \(URM2\): it names no thread)");
  open();
  at(0, 1).addMRM(0, 0, 0, 0, 0);
  at(0, 1).genKey();
  expect_refused(R"(record 0 \(MRM\): it names no thread)");
}

TEST_F(ProgRoutersTest, RefusesBoardsAndKeysThatDoNotExist) {
  open();
  at(3, 1).addRR(2, 0);
  at(3, 1).genKey();
  expect_refused(R"(board \(3,1\), key 0x1804001, record 0 \(RR\): there is no board to the east)");
  open();
  at(0, 0).addRR(9, 0);
  at(0, 0).genKey();
  expect_refused("9 is no direction");
  open();
  at(0, 0).addRR(2, kBase | 1);
  at(0, 0).genKey();
  expect_refused(R"(board \(0,0\).*record 0 \(RR\): board \(1,0\) has no key 0x1804001)");
  open();
  at(0, 0).setIND(at(0, 0).addIND(), 0x1904001);
  at(0, 0).genKey();
  expect_refused(R"(record 0 \(IND\): board \(0,0\) has no key 0x1904001)");
  open();
  mesh_ = std::make_unique<ProgRouterMesh>(5, 1);
  at(4, 0).addURM1(0, 0, 0, 0);
  at(4, 0).genKey();
  expect_refused(R"(no board \(4,0\))");
}

TEST_F(ProgRoutersTest, RefusesWaysThatCouldWaitForThemselves) {
  open();  // back
  at(0, 0).addURM1(0, 0, 0, 0);
  const std::uint32_t home = at(0, 0).genKey();
  at(1, 0).addRR(3, home);
  const std::uint32_t there = at(1, 0).genKey();
  write();  // a way west, and one ...
  at(0, 0).addRR(2, there);
  at(0, 0).genKey();
  expect_refused(R"(board \(1,0\), key 0x1804001, record 0 \(RR\): to the west a message goes back)");
  open();  // from Y to X, behind an indirection
  at(1, 1).addURM1(0, 0, 0, 0);
  const std::uint32_t end = at(1, 1).genKey();
  at(0, 1).addRR(2, end);
  const std::uint32_t turn = at(0, 1).genKey();
  at(0, 1).setIND(at(0, 1).addIND(), turn);
  const std::uint32_t before = at(0, 1).genKey();
  at(0, 0).addRR(0, before);
  at(0, 0).genKey();
  expect_refused(
      R"(board \(0,1\), key 0x1804001, record 0 \(RR\): to the east a message turns that has come from the south)");
  open();  // round and round
  std::uint8_t* const first = at(0, 0).addIND();
  const std::uint32_t one = at(0, 0).genKey();
  at(0, 0).setIND(at(0, 0).addIND(), one);
  const std::uint32_t two = at(0, 0).genKey();
  at(0, 0).setIND(first, two);
  expect_refused(R"(board \(0,0\), key 0x8?1804001, record 0 \(IND\): a message would come back to key)");
  open();  // too many indirections, and two in one key
  std::uint32_t key = 0;
  for (unsigned i = 0; i < 257; ++i) {
    at(0, 0).setIND(at(0, 0).addIND(), key);
    key = at(0, 0).genKey();
    if (i == 255) write();
  }
  expect_refused("more than 255 indirections");
  open();
  at(0, 0).addIND();
  at(0, 0).addIND();
  at(0, 0).genKey();
  expect_refused("record 1 .IND.: a key has one indirection");
}

/// All ways of a large mesh are looked at in linear time.
TEST_F(ProgRoutersTest, ChecksLargeTablesAtOnce) {
  open();
  for (unsigned i = 0; i < 500; ++i) {
    at(3, 1).addURM1(0, 0, i % 64, i);
    std::uint32_t key = at(3, 1).genKey();
    at(3, 0).addRR(0, key);
    key = at(3, 0).genKey();
    for (unsigned x = 3; x-- > 0;) {
      at(x, 0).addRR(2, key);
      key = at(x, 0).genKey();
    }
  }
  write();
}

}  // namespace
}  // namespace polyloom::overlay
