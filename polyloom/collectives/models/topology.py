# SPDX-License-Identifier: Apache-2.0
"""Networks and links of the analytical models.

A topology is a product of complete graphs: one dimension is the fully connected network (FC), two are the
diameter-two generalized hypercube (GHC, r = 2). A link is the pair (alpha, beta) of the OPTWEB paper, Appendix A.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction


@dataclass(frozen=True)
class Dimension:
    """A complete graph of ``members`` nodes with ``links`` parallel links between each pair."""

    members: int
    links: int = 1

    def __post_init__(self) -> None:
        if self.members < 1 or self.links < 1:
            raise ValueError(f"a dimension needs at least one member and one link, got {self.members} and {self.links}")

    @property
    def lanes(self) -> int:
        """Links that a node has into this dimension, its loopback counted like a link to a peer."""
        return self.members * self.links


@dataclass(frozen=True)
class Topology:
    """Product of complete graphs. ``shape`` is in the order in which the paper's algorithms use the dimensions."""

    name: str
    shape: tuple[Dimension, ...]

    def __post_init__(self) -> None:
        if self.nodes < 2:
            raise ValueError(f"{self.name}: a collective needs at least two nodes")

    @property
    def dimensions(self) -> tuple[Dimension, ...]:
        """The dimensions in which data moves: those with more than one member."""
        return tuple(dimension for dimension in self.shape if dimension.members > 1)

    @property
    def nodes(self) -> int:
        """N."""
        product = 1
        for dimension in self.shape:
            product *= dimension.members
        return product

    @property
    def degree(self) -> int:
        """Links that leave a node, parallel ones counted each: d."""
        return sum(dimension.links * (dimension.members - 1) for dimension in self.shape)

    @property
    def ports(self) -> int:
        """Ports whose bandwidth the paper sums to "bandwidth per FPGA": the links and the loopback, d + 1."""
        return self.degree + 1

    def groups(self, dimension: int) -> list[list[int]]:
        """Ranks of each complete graph of ``dimensions[dimension]``, members in order. Ranks count x first."""
        members = self.dimensions[dimension].members
        step = 1
        for each in self.dimensions[:dimension]:
            step *= each.members
        firsts = [rank for rank in range(self.nodes) if rank // step % members == 0]
        return [[first + step * place for place in range(members)] for first in firsts]


def fully_connected(nodes: int) -> Topology:
    """FC: every pair of ``nodes`` FPGAs has a link (OPTWEB, section 2.C)."""
    return Topology(f"FC({nodes})", (Dimension(nodes),))


def hypercube(dx: int, dy: int, links_x: int = 1, links_y: int = 1) -> Topology:
    """GHC(r=2): node (x, y) is linked to ``dx`` nodes of its row and ``dy`` of its column (OPTWEB, section 2.D).

    ``links_x`` and ``links_y`` are link multiplicities: links_y=2 is the doubled y of section 4.B.2.
    """
    return Topology(f"GHC({dx + 1}x{dy + 1})", (Dimension(dx + 1, links_x), Dimension(dy + 1, links_y)))


def balanced_hypercube(degree: int) -> Topology:
    """The GHC that Figures 12 and 19 take for a degree: dx = dy, or dx = dy + 1 when the degree is odd."""
    return hypercube((degree + 1) // 2, degree // 2)


def kautz_nodes(degree: int) -> int:
    """Nodes that a Kautz graph of diameter two reaches with ``degree`` uni-directional links in and out.

    Follow-up of the same group (IPDPS 2022): d (d + 1). Only a count; its collectives need another schedule.
    """
    if degree < 1:
        raise ValueError(f"a Kautz graph has degree 1 at least, got {degree}")
    return degree * (degree + 1)


@dataclass(frozen=True)
class Link:
    """Cost of a one-hop transfer: ``alpha`` seconds to start and ``beta`` seconds a byte.

    ``relay`` is what a cut-through hop adds to alpha, ``turnaround`` what a store-and-forward hop adds to a second
    alpha; both in seconds. Zero is the ideal.
    """

    alpha: float
    beta: float
    relay: float = 0.0
    turnaround: float = 0.0

    def __post_init__(self) -> None:
        if self.alpha < 0 or self.beta <= 0 or self.relay < 0 or self.turnaround < 0:
            raise ValueError(f"times must not be negative and beta must be positive: {self}")

    @classmethod
    def of(cls, alpha_us: float, gbps: float, relay_us: float = 0.0, turnaround_us: float = 0.0) -> Link:
        """From microseconds and decimal gigabits a second."""
        if gbps <= 0:
            raise ValueError(f"a link needs a positive rate, got {gbps} Gb/s")
        return cls(alpha_us * 1e-6, 8 / (gbps * 1e9), relay_us * 1e-6, turnaround_us * 1e-6)

    @property
    def gbps(self) -> float:
        """Decimal gigabits a second."""
        return 8e-9 / self.beta


#: 2 x 25 Gb/s at 0.9 efficiency; start-up of the all-to-all (section 4.B.1).
OPTWEB_45 = Link.of(0.72, 45.0)
#: 4 x 25 Gb/s at 0.9 efficiency; start-up at 1 KiB (section 4.B.1).
OPTWEB_90 = Link.of(0.89, 90.0)
#: The sort's clock of 125 MHz limits a port to 51.2 x 125/200 Gb/s (section 4.C.1).
OPTWEB_SORT = Link.of(0.72, 51.2 * 125 / 200)
#: Unicast of section 2.D. 332.4 us for 1 MiB is one 28 Gb/s lane at 0.9; 2.0 = 2 x 0.8 + 0.4 us.
OPTWEB_UNICAST = Link.of(0.8, 28.0 * 0.9, turnaround_us=0.4)


@dataclass(frozen=True)
class Cost:
    """Time of an operation on L bytes: startups alpha + volume beta L + relays relay + turnarounds turnaround.

    ``volume`` is an exact fraction, so that ratios of throughputs are exact.
    """

    startups: int = 0
    volume: Fraction = Fraction(0)
    relays: int = 0
    turnarounds: int = 0

    def __add__(self, other: Cost) -> Cost:
        """One after the other."""
        return Cost(
            self.startups + other.startups,
            self.volume + other.volume,
            self.relays + other.relays,
            self.turnarounds + other.turnarounds,
        )

    def seconds(self, link: Link, size: float) -> float:
        """Time for ``size`` bytes, in seconds."""
        return (
            self.startups * link.alpha
            + float(self.volume) * link.beta * size
            + self.relays * link.relay
            + self.turnarounds * link.turnaround
        )

    def gbps(self, link: Link, size: float) -> float:
        """``size`` by time, in decimal gigabits a second: what the paper calls aggregate throughput an FPGA."""
        return 8e-9 * size / self.seconds(link, size)

    def fpga_throughput(self, topology: Topology) -> Fraction:
        """Throughput of one FPGA for large L, by the bandwidth (d + 1) / beta of one FPGA (section 4.B.2)."""
        return 1 / (self.volume * topology.ports)

    def system_throughput(self, topology: Topology) -> Fraction:
        """Throughput of all FPGAs for large L, by the bandwidth of one FPGA (section 4.B.2)."""
        return topology.nodes * self.fpga_throughput(topology)

    def total_throughput(self, topology: Topology) -> Fraction:
        """Throughput of all FPGAs for large L in units of one link: compares networks of unequal degree."""
        return topology.nodes / self.volume
