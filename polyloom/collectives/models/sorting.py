# SPDX-License-Identifier: Apache-2.0
"""Memory passes and predicted time of the parallel counting sorts (OPTWEB sections 3.B and 4.C, Table 3).

A pass reads one column of a node's data once through all its channels; a sort is a list of passes, one after the
other. Columns are the key and the value, of the same size.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Literal

from polyloom.collectives.models.topology import Link, Topology

Kind = Literal["histogram", "steer", "move", "exchange", "fused"]

#: Share of clocks in which a partition of 64 words into 8 buckets of 64 takes its input, keys uniform:
#: ``buckets.accept_rate`` (0.99 with 256 words a bucket).
UNIFORM_ACCEPT = 0.97


@dataclass(frozen=True)
class Pass:
    """One pass over one column.

    histogram counts keys; steer reads keys to remember where the next column goes; move partitions a column into
    channels; exchange is an all-to-all; fused partitions on the way out, over the link, and again on the way in.
    """

    kind: Kind
    column: Literal["key", "value"]
    lanes: int | None = None  #: that an exchange has in its dimension, the node's own part counted; None: no network

    @property
    def partitions(self) -> bool:
        """Whether words are dealt to buckets, so that an uneven deal stalls it."""
        return self.kind in ("move", "fused")


def _local_sort() -> list[Pass]:
    return [Pass("steer", "key"), Pass("move", "key"), Pass("steer", "key"), Pass("move", "value")]


def crossing(kind: Literal["exchange", "fused"], topology: Topology, dimension: int) -> list[Pass]:
    """Both columns over ``topology.dimensions[dimension]``."""
    lanes = topology.dimensions[dimension].lanes
    return [Pass(kind, "key", lanes), Pass(kind, "value", lanes)]


def published(topology: Topology) -> list[Pass]:
    """The paper's sort: histogram, for each dimension local sort and all-to-all, last local sort. FC 11, GHC 17."""
    passes = [Pass("histogram", "key")]
    for dimension in range(len(topology.dimensions)):
        passes += _local_sort() + crossing("exchange", topology, dimension)
    return passes + _local_sort()


def fused(topology: Topology, histogram: bool = True) -> list[Pass]:
    """Partition for nodes on the send side and for channels on the receive side of one all-to-all a dimension.

    Keys and values travel side by side, so no key is read again to steer. FC 3 passes, or 2 without the histogram
    (which balances the deal; without it chunks are chained and the deal is by key bits alone). GHC 5.
    """
    passes = [Pass("histogram", "key")] if histogram else []
    for dimension in range(len(topology.dimensions)):
        passes += crossing("fused", topology, dimension)
    return passes


def finish(bits: int, digit: int = 7) -> list[Pass]:
    """Order ``bits`` more key bits inside each channel: a histogram of all digits, then least digit first."""
    if bits < 0 or digit < 1:
        raise ValueError(f"need bits >= 0 and digit >= 1, got {bits} and {digit}")
    rounds = -(-bits // digit)
    return [Pass("histogram", "key")] * (rounds > 0) + [Pass("move", "key"), Pass("move", "value")] * rounds


def relative_fpga_throughput(topology: Topology, reference: Topology) -> Fraction:
    """Table 3: throughput of an FPGA by memory passes, by that of ``reference``. GHC by FC: 11/17."""
    return Fraction(len(published(reference)), len(published(topology)))


def passes_of_time(passes: Sequence[Pass], ports: int) -> Fraction:
    """What ``passes`` take, in passes that keep all ``ports`` busy.

    The paper counts every pass alike. One over a dimension of fewer lanes than ports leaves ports idle: on GHC(4x2)
    with 8 ports a pass over the row takes 2, one over the column 4, so 17 passes take 25.
    """
    return sum((_stretch(each, ports) for each in passes), Fraction(0))


def _stretch(each: Pass, ports: int) -> Fraction:
    return Fraction(1) if each.lanes is None else Fraction(ports, min(ports, each.lanes))


def relative_system_throughput(topology: Topology, reference: Topology) -> Fraction:
    """Table 3: the same times the ratio of FPGA counts. GHC by FC of its degree: 11 N / [17 (d + 1)]."""
    return relative_fpga_throughput(topology, reference) * Fraction(topology.nodes, reference.nodes)


def accept_bound(shares: Sequence[float]) -> float:
    """Most of the input rate that a partition keeps up, however deep its buckets: 1 / (buckets x largest share).

    Each bucket writes 1/buckets of the input rate. Two-to-one skew of one of 8: 9/16 = 56 %.
    """
    total = sum(shares)
    if total <= 0 or min(shares) < 0:
        raise ValueError("shares must not be negative and not all be zero")
    return total / (len(shares) * max(shares))


def seconds(
    passes: Sequence[Pass], column_bytes: float, ports: int, link: Link, accept: float = UNIFORM_ACCEPT
) -> float:
    """Predicted time of ``passes``: each alpha + column_bytes / (ports / beta), partitions slower by ``accept``.

    ``ports``: channels of a node that work at once, each at the link's rate (8 x 32 Gb/s in section 4.C). A pass over a
    dimension of fewer lanes has only those. Where the members of a dimension do not divide ``ports``, a node also
    leaves channels empty between passes, which is not counted: then this is a lower bound.
    """
    if not 0 < accept <= 1:
        raise ValueError(f"accept is a share of cycles in (0, 1], got {accept}")
    once = column_bytes * link.beta / ports
    return sum(link.alpha + once * float(_stretch(each, ports)) / (accept if each.partitions else 1) for each in passes)


def skewed_seconds(
    passes: Sequence[Pass], column_bytes: float, ports: int, link: Link, channel_shares: Sequence[float]
) -> float:
    """Predicted time when the cluster's channels get ``channel_shares`` of the records, split by nothing.

    The fullest channel ends last: a partition into it takes as much longer as its share is above the mean.
    """
    bound = accept_bound(channel_shares)
    return seconds(passes, column_bytes, ports, link, min(UNIFORM_ACCEPT, bound))


def predictions(topology: Topology, column_bytes: float, ports: int, link: Link, types: int = 64) -> dict[str, float]:
    """Seconds of each sort, keys uniform, ``column_bytes`` of keys and as many of values in each node.

    For section 4.C: eight nodes, 64 MiB, 8 ports, ``OPTWEB_SORT``; the paper measured 31 ms.
    """
    type_bits = (types - 1).bit_length()
    sorts = {
        "published": published(topology),
        "fused": fused(topology),
        "fused, no histogram": fused(topology, histogram=False),
        "fused, then all 32 bits": fused(topology) + finish(32 - type_bits),
    }
    times = {name: seconds(passes, column_bytes, ports, link) for name, passes in sorts.items()}
    return {"published, no stalls": seconds(published(topology), column_bytes, ports, link, accept=1.0), **times}
