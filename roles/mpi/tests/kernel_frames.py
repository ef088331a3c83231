# SPDX-License-Identifier: Apache-2.0
"""Frames of the role mpi's protocol (roles/mpi/PROTOCOL.md) made and taken apart in Python, for tests.

Nothing here is taken from the RTL or the C++ library: numbers are written by ``struct``.
"""

from __future__ import annotations

import struct
import zlib
from dataclasses import dataclass, field, replace

EAGER, RTS, CTS, RESUME, DATA, DONE, ACK = range(1, 8)
NAMES = {EAGER: "EAGER", RTS: "RTS", CTS: "CTS", RESUME: "RESUME", DATA: "DATA", DONE: "DONE", ACK: "ACK"}
MPI, MANAGEMENT = 2718, 2719


def ip_of(node: int) -> int:
    """Address of a node of the cluster."""
    return 0x0A500000 + node + 1


def mac_of(ip: int) -> bytes:
    """Its MAC."""
    return b"\x02\x50" + struct.pack(">I", ip)


def checksum(data: bytes) -> int:
    """The Internet checksum."""
    total = sum(struct.unpack(f">{len(data) // 2}H", data))
    while total >> 16:
        total = (total & 0xFFFF) + (total >> 16)
    return total ^ 0xFFFF


def udp(source: int, target: int, port: int, data: bytes, source_port: int | None = None) -> bytes:
    """An Ethernet frame with a datagram, padded to 60 bytes, without check sequence."""
    head = struct.pack(">BBHHHBBHII", 0x45, 0, 28 + len(data), 0, 0x4000, 64, 17, 0, source, target)
    head = head[:10] + struct.pack(">H", checksum(head)) + head[12:]
    ports = struct.pack(">HHHH", port if source_port is None else source_port, port, 8 + len(data), 0)
    return (mac_of(target) + mac_of(source) + b"\x08\x00" + head + ports + data).ljust(60, b"\0")


def closed(frame: bytes) -> bytes:
    """With its check sequence."""
    return frame + struct.pack("<I", zlib.crc32(frame))


@dataclass(frozen=True)
class Packet:
    """An MPI packet; ``ip``, ``port`` are its sender's."""

    kind: int = ACK
    src: int = 0
    dst: int = 0
    seq: int = 0
    ack: int = 0
    tag: int = 0
    comm: int = 0
    credit: int = 0
    length: int = 0
    offset: int = 0
    dtype: int = 0
    job: int = 0
    payload: bytes = b""
    ip: int = field(default=0, compare=False)
    port: int = field(default=0, compare=False)

    def datagram(self) -> bytes:
        """What follows the UDP header."""
        return (
            struct.pack(
                "<IBBHHHH", self.job, self.kind, self.dtype, self.src, self.dst, self.seq & 0xFFFF, self.ack & 0xFFFF
            )
            + struct.pack("<IHHII", self.tag & 0xFFFFFFFF, self.comm, self.credit & 0xFFFF, self.length, self.offset)
            + self.payload
        )

    def __str__(self) -> str:
        return (
            f"{NAMES.get(self.kind, self.kind)} {self.src}->{self.dst} seq {self.seq} "
            f"ack {self.ack} credit {self.credit} "
            f"tag {self.tag:#x} length {self.length} offset {self.offset} payload {len(self.payload)}"
        )


@dataclass(frozen=True)
class Datagram:
    """What a frame carries."""

    ip: int
    target: int
    port: int
    target_port: int
    data: bytes


def parse(frame: bytes) -> Datagram:
    """Take a frame apart, with every check that a network stack makes; AssertionError if one fails."""
    assert len(frame) >= 60, f"frame of {len(frame)} bytes"
    assert frame[12:14] == b"\x08\x00", frame[:14].hex()
    assert checksum(frame[14:34]) == 0, f"checksum of IP header {frame[14:34].hex()}"
    version, _, total, _, flags, _, protocol, _, source, target = struct.unpack(">BBHHHBBHII", frame[14:34])
    assert (version, flags, protocol) == (0x45, 0x4000, 17)
    assert frame[:6] == mac_of(target) and frame[6:12] == mac_of(source)
    port, target_port, length, _ = struct.unpack(">HHHH", frame[34:42])
    assert length == total - 20 and 14 + total <= len(frame) <= max(60, 14 + total) + 7
    return Datagram(source, target, port, target_port, frame[42 : 34 + length])


def packet_of(datagram: Datagram) -> Packet:
    """The packet of a datagram."""
    d = datagram.data
    job, kind, dtype, src, dst, seq, ack = struct.unpack("<IBBHHHH", d[:14])
    tag, comm, credit, length, offset = struct.unpack("<IHHII", d[14:30])
    return Packet(
        kind, src, dst, seq, ack, tag, comm, credit, length, offset, dtype, job, d[30:], datagram.ip, datagram.port
    )  # fmt: skip


def management(op: int, count: int, seq: int, register: int, values: list[int] | None = None) -> bytes:
    """A management datagram."""
    head = struct.pack("<HBBHII", 0x4D50, op, count, seq, register, 0)
    return head + b"".join(struct.pack("<Q", v) for v in values or [])


__all__ = [
    "Datagram",
    "Packet",
    "checksum",
    "closed",
    "ip_of",
    "mac_of",
    "management",
    "packet_of",
    "parse",
    "replace",
    "udp",
]
