// SPDX-License-Identifier: Apache-2.0
// Covers: packets, frames, ARP and management there and back, their bytes against PROTOCOL.md, and readers
// fed with damaged and random input (run it with POLYLOOM_SANITIZE). Leaves out: what the engine makes of
// packets (engine_test.cc).
#include <gtest/gtest.h>

#include <random>

#include "roles/mpi/arch/packet.h"

namespace polyloom::mpi {
namespace {

const Endpoint kOne{0x02500a500001, 0x0a500001, 2718}, kTwo{0x02500a500002, 0x0a500002, 2720};

Header header_of(Kind kind) {
  Header h;
  h.job = 0x01020304;
  h.kind = kind;
  h.type = 0x12;
  h.source = 0x0506;
  h.destination = 0x0708;
  h.seq = 0x090A;
  h.ack = 0x0B0C;
  h.tag = -2;
  h.comm = 0x0D0E;
  h.credit = 0x0F10;
  return h;
}

std::vector<std::byte> data_of(std::size_t bytes) {
  std::vector<std::byte> data(bytes);
  for (std::size_t i = 0; i < bytes; ++i) data[i] = static_cast<std::byte>(i * 3 + 1);
  return data;
}

TEST(Packet, BytesAreThoseOfTheProtocol) {
  Header h = header_of(Kind::eager);
  h.length = 3;
  std::vector<std::byte> datagram;
  write_packet(h, data_of(3), datagram);
  const auto frame = write_datagram(kOne, kTwo, datagram);
  const auto at = [&](std::size_t i) { return std::to_integer<unsigned>(frame[i]); };
  ASSERT_EQ(frame.size(), 75u);
  EXPECT_EQ(at(0), 0x02u);
  EXPECT_EQ(at(5), 0x02u);
  EXPECT_EQ(at(11), 0x01u);
  EXPECT_EQ(at(12) << 8 | at(13), 0x0800u);
  EXPECT_EQ(at(16) << 8 | at(17), 61u);  // IP
  EXPECT_EQ(at(38) << 8 | at(39), 41u);  // UDP: payload + 38
  EXPECT_EQ(at(36) << 8 | at(37), 2720u);
  EXPECT_EQ(at(42), 0x04u);  // job, lowest byte first
  EXPECT_EQ(at(46), 1u);
  EXPECT_EQ(at(47), 0x12u);
  EXPECT_EQ(at(48), 0x06u);
  EXPECT_EQ(at(50), 0x08u);
  EXPECT_EQ(at(52), 0x0Au);
  EXPECT_EQ(at(54), 0x0Cu);
  EXPECT_EQ(at(56), 0xFEu);
  EXPECT_EQ(at(59), 0xFFu);
  EXPECT_EQ(at(60), 0x0Eu);
  EXPECT_EQ(at(62), 0x10u);
  EXPECT_EQ(at(64), 3u);
  EXPECT_EQ(at(72), 1u);
  EXPECT_EQ(at(74), 7u);
  unsigned sum = 0;
  for (std::size_t i = 14; i < 34; i += 2) sum += at(i) << 8 | at(i + 1);
  EXPECT_EQ((sum & 0xFFFF) + (sum >> 16), 0xFFFFu);
}

TEST(Packet, ThereAndBack) {
  for (std::size_t bytes : {0u, 1u, 7u, 8u, 9u, 1439u, 1440u}) {
    for (int k = 1; k <= 7; ++k) {
      Header h = header_of(static_cast<Kind>(k));
      const bool carries = h.kind == Kind::eager || (h.kind == Kind::data && bytes > 0);
      const auto data = data_of(carries ? bytes : 0);
      h.length = h.kind == Kind::data ? 100000 : static_cast<std::uint32_t>(bytes);
      h.offset = h.kind == Kind::eager ? 0 : 4096;
      std::vector<std::byte> datagram;
      write_packet(h, data, datagram);
      const auto frame = write_datagram(kOne, kTwo, datagram);
      const LinkFrame link = add_check(frame);
      const auto stripped = strip_check(link.words, link.keep);
      ASSERT_TRUE(stripped);
      const Frame read = read_frame(*stripped, kTwo);
      ASSERT_TRUE(read.datagram);
      EXPECT_EQ(read.datagram->from, kOne);
      EXPECT_EQ(read.datagram->port, 2720);
      const auto packet = read_packet(read.datagram->bytes);
      if (h.kind == Kind::data && bytes == 0) {
        EXPECT_FALSE(packet);
        continue;
      }
      ASSERT_TRUE(packet);
      EXPECT_EQ(packet->header, h);
      EXPECT_TRUE(std::equal(packet->payload.begin(), packet->payload.end(), data.begin(), data.end()));
      auto broken = link;
      broken.words[3] ^= 1;
      EXPECT_FALSE(strip_check(broken.words, broken.keep));
      EXPECT_EQ(read_frame(*stripped, kOne).drop, Drop::foreign);
    }
  }
}

TEST(Packet, WhatTheProtocolForbids) {
  const auto write = [](Header h, std::size_t bytes) {
    std::vector<std::byte> datagram;
    write_packet(h, data_of(bytes), datagram);
    return datagram;
  };
  Header h = header_of(Kind::eager);
  h.length = 4;
  EXPECT_FALSE(read_packet(write(h, 5)));
  h = header_of(Kind::data);
  h.length = 100;
  h.offset = 12;
  EXPECT_FALSE(read_packet(write(h, 8)));
  h.offset = 96;
  EXPECT_FALSE(read_packet(write(h, 5)));
  EXPECT_TRUE(read_packet(write(h, 4)));
  h = header_of(Kind::ack);
  EXPECT_FALSE(read_packet(write(h, 1)));
  h.kind = static_cast<Kind>(9);
  EXPECT_FALSE(read_packet(write(h, 0)));
}

TEST(Arp, OnlyRequestsForTheOwnAddress) {
  std::vector<std::byte> request;
  const auto put = [&](std::uint64_t value, int bytes) {
    for (int i = bytes; i-- > 0;) request.push_back(static_cast<std::byte>(value >> 8 * i & 0xFF));
  };
  put(0xFFFFFFFFFFFF, 6);
  put(kOne.mac, 6);
  put(0x0806, 2);
  put(0x0001080006040001, 8);
  put(kOne.mac, 6);
  put(kOne.ip, 4);
  put(0, 6);
  put(kTwo.ip, 4);
  request.resize(60);
  const Frame frame = read_frame(request, kTwo);
  ASSERT_TRUE(frame.arp);
  EXPECT_EQ(frame.arp->mac, kOne.mac);
  const auto response = write_arp_response(kTwo, *frame.arp);
  EXPECT_EQ(response.size(), 60u);
  EXPECT_EQ(std::to_integer<unsigned>(response[21]), 2u);
  EXPECT_EQ(std::to_integer<unsigned>(response[27]), 2u);
  EXPECT_EQ(read_frame(request, kOne).drop, Drop::foreign);
}

TEST(Management, ThereAndBack) {
  Management m{ManagementOp::write, 3, 77, 0x100, {1, 2, 0xFFFFFFFFFFFFFFFF}};
  const auto datagram = write_management(m);
  EXPECT_EQ(datagram.size(), 14u + 24);
  EXPECT_EQ(datagram[0], std::byte{0x50});
  EXPECT_EQ(datagram[1], std::byte{0x4D});
  const auto read = read_management(datagram);
  ASSERT_TRUE(read);
  EXPECT_EQ(read->values, m.values);
  EXPECT_EQ(read->first, 0x100u);
  EXPECT_EQ(read->seq, 77);
  const auto frame = write_datagram(kOne, kTwo, write_management({ManagementOp::read, 4, 1, 0x20, {}}));
  EXPECT_EQ(frame.size(), 60u);  // padded; the lengths in the headers tell
  const Frame seen = read_frame(frame, kTwo);
  ASSERT_TRUE(seen.datagram);
  EXPECT_EQ(seen.datagram->bytes.size(), 14u);
}

TEST(Fuzz, ReadersNeverReadBeyondTheirInput) {
  std::mt19937 random(1);
  Header h = header_of(Kind::data);
  h.length = 100000;
  std::vector<std::byte> datagram;
  write_packet(h, data_of(800), datagram);
  const auto good = write_datagram(kOne, kTwo, datagram);
  std::size_t accepted = 0;
  for (int round = 0; round < 200000; ++round) {
    // An exact allocation, so that a sanitizer sees each byte too far.
    std::vector<std::byte> frame(good.begin(),
                                 good.begin() + static_cast<long>(random() % (good.size() + 1)));
    frame.shrink_to_fit();
    for (unsigned flips = random() % 4; flips > 0 && !frame.empty(); --flips) {
      frame[random() % std::min<std::size_t>(frame.size(), 90)] = static_cast<std::byte>(random());
    }
    const Frame read = read_frame(frame, kTwo);
    if (!read.datagram) continue;
    ++accepted;
    const Bytes bytes = read.datagram->bytes;
    ASSERT_LE(bytes.data() + bytes.size(), frame.data() + frame.size());
    if (const auto packet = read_packet(bytes)) {
      ASSERT_LE(packet->payload.size(), kMaxPayload);
    }
    (void)read_management(bytes);
  }
  EXPECT_GT(accepted, 10u);
}

}  // namespace
}  // namespace polyloom::mpi
