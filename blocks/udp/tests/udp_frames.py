# SPDX-License-Identifier: Apache-2.0
"""Ethernet, ARP, IPv4 and UDP frames in Python for tests, written by ``struct`` from the RFCs; nothing from the RTL."""

from __future__ import annotations

import random
import struct
from dataclasses import dataclass

from polyloom.rtl.testing import Struct

ENDPOINT = Struct.of("polyloom_udp_pkg::endpoint_t")
WORD = Struct([("last", 1), ("data", 64)])
BROADCAST = (1 << 48) - 1


@dataclass(frozen=True)
class End:
    """A sender or receiver."""

    mac: int
    ip: int
    port: int = 0

    @classmethod
    def random(cls, rng: random.Random) -> End:
        """Anyone; extreme numbers are frequent."""
        return cls(rng.getrandbits(48), number(rng, 32), number(rng, 16))

    @classmethod
    def node(cls, ip: int, port: int = 0) -> End:
        """A node of the cluster: its MAC goes with its address."""
        return cls(0x0250 << 32 | ip, ip, port)

    def packed(self) -> int:
        """As the RTL has it."""
        return ENDPOINT.pack(mac=self.mac, ip=self.ip, port=self.port)


def number(rng: random.Random, bits: int) -> int:
    """A random number, often with all ones or zeros in a part: sums with carries."""
    value = rng.getrandbits(bits)
    half = (1 << bits // 2) - 1
    return rng.choice([value, value | half, value | half << bits // 2, value & half, (1 << bits) - 1])


def checksum(data: bytes) -> int:
    """The Internet checksum (RFC 1071)."""
    total = 0
    for (word,) in struct.iter_unpack(">H", data):
        total += word
        total = (total & 0xFFFF) + (total >> 16)
    return total ^ 0xFFFF


def ethernet(to: int, source: int, kind: int, data: bytes) -> bytes:
    """A frame without padding and check sequence."""
    return to.to_bytes(6, "big") + source.to_bytes(6, "big") + struct.pack(">H", kind) + data


def udp(source: End, to: End, data: bytes) -> bytes:
    """A datagram in its frame, UDP checksum 0, as polyloom_udp_tx is to send it."""
    head = struct.pack(">BBHHHBBHII", 0x45, 0, 28 + len(data), 0, 0x4000, 64, 17, 0, source.ip, to.ip)
    head = head[:10] + struct.pack(">H", checksum(head)) + head[12:]
    ports = struct.pack(">HHHH", source.port, to.port, 8 + len(data), 0)
    return ethernet(to.mac, source.mac, 0x0800, head + ports + data)


def arp(operation: int, source: End, to: End, frame_to: int | None = None) -> bytes:
    """An ARP message (RFC 826); a request's target MAC is 0."""
    target = to.mac if operation == 2 else 0
    body = struct.pack(">HHBBH", 1, 0x0800, 6, 4, operation) + source.mac.to_bytes(6, "big")
    body += struct.pack(">I", source.ip) + target.to_bytes(6, "big") + struct.pack(">I", to.ip)
    return ethernet(to.mac if frame_to is None else frame_to, source.mac, 0x0806, body)


def words(frame: bytes) -> list[int]:
    """WORDs of a frame."""
    values = [int.from_bytes(frame[at : at + 8], "little") for at in range(0, len(frame), 8)]
    return [WORD.pack(last=int(i == len(values) - 1), data=v) for i, v in enumerate(values)]
