// SPDX-License-Identifier: Apache-2.0
// Packets of MPI ranks on the wire (roles/mpi/PROTOCOL.md): reading, writing, checking.
//
// Contract: nothing here throws or trusts its input. A reader returns nothing for whatever the protocol does
// not allow, and never reads beyond the bytes it was given; spans in results point into them. Thread safe: no
// state.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace polyloom::mpi {

using Bytes = std::span<const std::byte>;

inline constexpr std::size_t kMaxPayload = 1440;
inline constexpr std::size_t kFrameHead = 42;    ///< Ethernet, IPv4, UDP
inline constexpr std::size_t kMessageHead = 30;  ///< of a packet, within its datagram
inline constexpr std::uint16_t kMpiPort = 2718;
inline constexpr std::uint16_t kManagementPort = 2719;

enum class Kind : std::uint8_t { eager = 1, rts, cts, resume, data, done, ack };

/// Fields have the meanings of PROTOCOL.md, "Packet".
struct Header {
  std::uint32_t job = 0;
  Kind kind = Kind::ack;
  std::uint8_t type = 0;
  std::uint16_t source = 0, destination = 0;
  std::uint16_t seq = 0, ack = 0;
  std::int32_t tag = 0;
  std::uint16_t comm = 0, credit = 0;
  std::uint32_t length = 0, offset = 0;

  bool operator==(const Header&) const = default;
};

inline constexpr std::uint16_t kNoHandle = 0xFFFF;
inline std::int32_t handles(std::uint16_t receiver, std::uint16_t sender) {
  return static_cast<std::int32_t>(receiver | std::uint32_t{sender} << 16);
}
inline std::uint16_t receiver_handle(std::int32_t tag) { return static_cast<std::uint16_t>(tag); }
inline std::uint16_t sender_handle(std::int32_t tag) {
  return static_cast<std::uint16_t>(static_cast<std::uint32_t>(tag) >> 16);
}

struct Packet {
  Header header;
  Bytes payload;
};

/// The datagram (what follows the UDP header) of a packet, appended to `out`.
void write_packet(const Header& header, Bytes payload, std::vector<std::byte>& out);
std::optional<Packet> read_packet(Bytes datagram);

struct Endpoint {
  std::uint64_t mac = 0;  ///< the byte that comes first on the wire in bits 47:40
  std::uint32_t ip = 0;   ///< the first byte in bits 31:24
  std::uint16_t port = 0;

  bool operator==(const Endpoint&) const = default;
};

/// An Ethernet frame without its check sequence.
std::vector<std::byte> write_datagram(const Endpoint& from, const Endpoint& to, Bytes datagram);

struct Datagram {
  Endpoint from;
  std::uint16_t port = 0;  ///< to which it goes
  Bytes bytes;
};
struct ArpRequest {
  std::uint64_t mac = 0;
  std::uint32_t ip = 0;
};
enum class Drop : std::uint8_t { none, bad, foreign };
struct Frame {
  Drop drop = Drop::none;
  std::optional<Datagram> datagram;
  std::optional<ArpRequest> arp;  ///< a request for our address
};

/// What a node with that address makes of a frame without its check sequence; the port is not looked at.
Frame read_frame(Bytes frame, const Endpoint& own);
std::vector<std::byte> write_arp_response(const Endpoint& own, const ArpRequest& to);

/// Frames as links carry them: 64-bit words, the check sequence behind the last byte.
struct LinkFrame {
  std::vector<std::uint64_t> words;
  unsigned keep = 8;
};
LinkFrame add_check(Bytes frame);
/// The frame's bytes without the check sequence, which was right; nothing otherwise. They point into `words`.
std::optional<Bytes> strip_check(std::span<const std::uint64_t> words, unsigned keep);

enum class ManagementOp : std::uint8_t { write = 1, read, written, data };
struct Management {
  ManagementOp op = ManagementOp::read;
  std::uint8_t count = 0;
  std::uint16_t seq = 0;
  std::uint32_t first = 0;
  std::vector<std::uint64_t> values;
};
inline constexpr unsigned kMaxRegisters = 128;

std::vector<std::byte> write_management(const Management& message);
std::optional<Management> read_management(Bytes datagram);

}  // namespace polyloom::mpi
