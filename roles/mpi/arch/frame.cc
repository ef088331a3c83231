// SPDX-License-Identifier: Apache-2.0
// Ethernet, ARP, IPv4 and UDP around a datagram.
#include <cstring>

#include "blocks/crc/sim/crc32.h"
#include "roles/mpi/arch/field.h"
#include "roles/mpi/arch/packet.h"

namespace polyloom::mpi {
namespace {

constexpr std::size_t kEthernet = 14, kIp = 20, kUdp = 8, kShortest = 60;
constexpr std::uint16_t kTypeIp = 0x0800, kTypeArp = 0x0806;
constexpr std::uint64_t kBroadcast = 0xFFFFFFFFFFFF;

std::uint16_t ip_checksum(Bytes header) {
  std::uint32_t sum = 0;
  for (std::size_t i = 0; i < header.size(); i += 2) sum += static_cast<std::uint32_t>(get_big(header, i, 2));
  while (sum > 0xFFFF) sum = (sum & 0xFFFF) + (sum >> 16);
  return static_cast<std::uint16_t>(~sum);
}

Frame dropped(Drop why) { return {why, std::nullopt, std::nullopt}; }

Frame read_arp(Bytes frame, const Endpoint& own) {
  const bool is_request = frame.size() >= kEthernet + 28 && get_big(frame, 14, 8) == 0x0001'0800'0604'0001;
  if (!is_request) return dropped(Drop::bad);
  if (get_big(frame, 38, 4) != own.ip) return dropped(Drop::foreign);
  return {Drop::none, std::nullopt,
          ArpRequest{get_big(frame, 22, 6), static_cast<std::uint32_t>(get_big(frame, 28, 4))}};
}

}  // namespace

std::vector<std::byte> write_datagram(const Endpoint& from, const Endpoint& to, Bytes datagram) {
  std::vector<std::byte> out;
  out.reserve(std::max(kFrameHead + datagram.size(), kShortest));
  put_big(out, to.mac, 6);
  put_big(out, from.mac, 6);
  put_big(out, kTypeIp, 2);
  put_big(out, 0x4500, 2);
  put_big(out, kIp + kUdp + datagram.size(), 2);
  put_big(out, 0x0000'4000, 4);  // don't fragment
  put_big(out, 0x4011'0000, 4);  // time to live 64, UDP, checksum below
  put_big(out, from.ip, 4);
  put_big(out, to.ip, 4);
  const std::uint16_t sum = ip_checksum(Bytes(out).subspan(kEthernet, kIp));
  out[24] = static_cast<std::byte>(sum >> 8);
  out[25] = static_cast<std::byte>(sum & 0xFF);
  put_big(out, from.port, 2);
  put_big(out, to.port, 2);
  put_big(out, kUdp + datagram.size(), 2);
  put_big(out, 0, 2);  // no checksum: the frame's covers every hop
  out.insert(out.end(), datagram.begin(), datagram.end());
  if (out.size() < kShortest) out.resize(kShortest);
  return out;
}

Frame read_frame(Bytes frame, const Endpoint& own) {
  if (frame.size() < kFrameHead) return dropped(Drop::bad);
  const std::uint64_t to = get_big(frame, 0, 6), type = get_big(frame, 12, 2);
  if (type == kTypeArp && (to == kBroadcast || to == own.mac)) return read_arp(frame, own);
  if (to != own.mac || type != kTypeIp) return dropped(Drop::foreign);
  const bool is_plain_ip = get_big(frame, 14, 1) == 0x45 && (get_big(frame, 20, 2) & 0x3FFF) == 0;
  if (!is_plain_ip || get_big(frame, 23, 1) != 17) return dropped(Drop::foreign);
  if (get_big(frame, 30, 4) != own.ip) return dropped(Drop::foreign);
  const std::uint64_t ip_bytes = get_big(frame, 16, 2), udp_bytes = get_big(frame, 38, 2);
  if (udp_bytes < kUdp || ip_bytes != kIp + udp_bytes || kEthernet + ip_bytes > frame.size()) {
    return dropped(Drop::bad);
  }
  Datagram datagram;
  datagram.from = {get_big(frame, 6, 6), static_cast<std::uint32_t>(get_big(frame, 26, 4)),
                   static_cast<std::uint16_t>(get_big(frame, 34, 2))};
  datagram.port = static_cast<std::uint16_t>(get_big(frame, 36, 2));
  datagram.bytes = frame.subspan(kFrameHead, udp_bytes - kUdp);
  return {Drop::none, datagram, std::nullopt};
}

std::vector<std::byte> write_arp_response(const Endpoint& own, const ArpRequest& to) {
  std::vector<std::byte> out;
  put_big(out, to.mac, 6);
  put_big(out, own.mac, 6);
  put_big(out, kTypeArp, 2);
  put_big(out, 0x0001'0800'0604'0002, 8);
  put_big(out, own.mac, 6);
  put_big(out, own.ip, 4);
  put_big(out, to.mac, 6);
  put_big(out, to.ip, 4);
  out.resize(kShortest);
  return out;
}

LinkFrame add_check(Bytes frame) {
  blocks::Crc32 crc;
  const std::size_t whole = frame.size() / 8;
  LinkFrame out;
  out.words.resize((frame.size() + 4 + 7) / 8);
  std::memcpy(out.words.data(), frame.data(), frame.size());
  crc.add(std::span(out.words).first(whole));
  for (std::size_t i = 8 * whole; i < frame.size(); ++i)
    crc.add_byte(std::to_integer<std::uint8_t>(frame[i]));
  const std::uint32_t check = crc.value();
  std::memcpy(reinterpret_cast<std::byte*>(out.words.data()) + frame.size(), &check, 4);
  out.keep = static_cast<unsigned>((frame.size() + 4 - 1) % 8 + 1);
  return out;
}

std::optional<Bytes> strip_check(std::span<const std::uint64_t> words, unsigned keep) {
  if (words.empty() || keep < 1 || keep > 8) return std::nullopt;
  const std::size_t bytes = 8 * (words.size() - 1) + keep;
  if (bytes < 4) return std::nullopt;
  const Bytes all(reinterpret_cast<const std::byte*>(words.data()), bytes);
  blocks::Crc32 crc;
  const std::size_t whole = (bytes - 4) / 8;
  crc.add(words.first(whole));
  for (std::size_t i = 8 * whole; i < bytes - 4; ++i) crc.add_byte(std::to_integer<std::uint8_t>(all[i]));
  if (crc.value() != get_little<std::uint32_t>(all, bytes - 4)) return std::nullopt;
  return all.first(bytes - 4);
}

}  // namespace polyloom::mpi
