// SPDX-License-Identifier: Apache-2.0
#include "roles/mpi/arch/packet.h"

#include "roles/mpi/arch/field.h"

namespace polyloom::mpi {
namespace {

bool is_allowed(const Header& h, std::size_t payload) {
  switch (h.kind) {
    case Kind::eager:
      return payload == h.length && h.offset == 0 && payload <= kMaxPayload;
    case Kind::data:
      return payload > 0 && payload <= kMaxPayload && h.offset % 8 == 0 && h.offset < h.length &&
             payload <= h.length - h.offset;
    case Kind::rts:
    case Kind::cts:
    case Kind::resume:
    case Kind::done:
    case Kind::ack:
      return payload == 0;
  }
  return false;
}

}  // namespace

void write_packet(const Header& h, Bytes payload, std::vector<std::byte>& out) {
  out.reserve(out.size() + kMessageHead + payload.size());
  put_little(out, h.job);
  put_little(out, static_cast<std::uint8_t>(h.kind));
  put_little(out, h.type);
  put_little(out, h.source);
  put_little(out, h.destination);
  put_little(out, h.seq);
  put_little(out, h.ack);
  put_little(out, h.tag);
  put_little(out, h.comm);
  put_little(out, h.credit);
  put_little(out, h.length);
  put_little(out, h.offset);
  out.insert(out.end(), payload.begin(), payload.end());
}

std::optional<Packet> read_packet(Bytes d) {
  if (d.size() < kMessageHead) return std::nullopt;
  const auto kind = get_little<std::uint8_t>(d, 4);
  if (kind < static_cast<std::uint8_t>(Kind::eager) || kind > static_cast<std::uint8_t>(Kind::ack))
    return std::nullopt;
  Packet packet;
  Header& h = packet.header;
  h.job = get_little<std::uint32_t>(d, 0);
  h.kind = static_cast<Kind>(kind);
  h.type = get_little<std::uint8_t>(d, 5);
  h.source = get_little<std::uint16_t>(d, 6);
  h.destination = get_little<std::uint16_t>(d, 8);
  h.seq = get_little<std::uint16_t>(d, 10);
  h.ack = get_little<std::uint16_t>(d, 12);
  h.tag = get_little<std::int32_t>(d, 14);
  h.comm = get_little<std::uint16_t>(d, 18);
  h.credit = get_little<std::uint16_t>(d, 20);
  h.length = get_little<std::uint32_t>(d, 22);
  h.offset = get_little<std::uint32_t>(d, 26);
  packet.payload = d.subspan(kMessageHead);
  if (!is_allowed(h, packet.payload.size())) return std::nullopt;
  return packet;
}

std::vector<std::byte> write_management(const Management& m) {
  std::vector<std::byte> out;
  put_little(out, std::uint16_t{0x4D50});
  put_little(out, static_cast<std::uint8_t>(m.op));
  put_little(out, m.count);
  put_little(out, m.seq);
  put_little(out, m.first);
  put_little(out, std::uint32_t{0});
  for (const std::uint64_t value : m.values) put_little(out, value);
  return out;
}

std::optional<Management> read_management(Bytes d) {
  constexpr std::size_t kHead = 14;  // values begin at word 7 of the frame
  if (d.size() < kHead || get_little<std::uint16_t>(d, 0) != 0x4D50) return std::nullopt;
  Management m;
  const auto op = get_little<std::uint8_t>(d, 2);
  if (op < 1 || op > 4) return std::nullopt;
  m.op = static_cast<ManagementOp>(op);
  m.count = get_little<std::uint8_t>(d, 3);
  m.seq = get_little<std::uint16_t>(d, 4);
  m.first = get_little<std::uint32_t>(d, 6);
  if (m.count == 0 || m.count > kMaxRegisters) return std::nullopt;
  if (m.op == ManagementOp::write || m.op == ManagementOp::data) {
    if (d.size() < kHead + 8u * m.count) return std::nullopt;
    for (unsigned i = 0; i < m.count; ++i) m.values.push_back(get_little<std::uint64_t>(d, kHead + 8 * i));
  }
  return m;
}

}  // namespace polyloom::mpi
