# SPDX-License-Identifier: Apache-2.0
"""Tables 1 to 4 of the OPTWEB paper, rebuilt from its prose (the tables are pictures that its text does not hold).

Usage: ``python -m polyloom.collectives.models.tables [DX DY]`` prints them, for a GHC of that degree pair.
"""

from __future__ import annotations

import sys
from dataclasses import dataclass
from fractions import Fraction

from polyloom.collectives.models import improved, operations, sorting
from polyloom.collectives.models.topology import OPTWEB_SORT, Cost, Topology, fully_connected, hypercube

LANE_BITS = 256  # a pseudo-channel of HBM2
FULL_CLOCK = 200e6
LINK_EFFICIENCY = 0.9
FIBRE_GBPS = 50.0  # 2 x 25


@dataclass(frozen=True)
class Bandwidth:
    """A row of Table 1: clock in Hz, bandwidths an FPGA in Gb/s, loopback counted."""

    application: str
    clock: float
    memory_read: float
    memory_write: float
    network: float


def table1(application: str, clock: float, channels: int) -> Bandwidth:
    """One port a channel. A port is limited by its lane's clock and by the link: min(256 bit x clock, 45 Gb/s)."""
    lane = LANE_BITS * clock * 1e-9
    network = channels * min(lane, FIBRE_GBPS * LINK_EFFICIENCY)
    return Bandwidth(application, clock, channels * lane, channels * lane, network)


@dataclass(frozen=True)
class Row:
    """A column of Table 2 or 4: an operation on a topology. Throughputs in units of an FPGA's bandwidth."""

    topology: Topology
    algorithm: str
    cost: Cost

    @property
    def fpga(self) -> Fraction:
        """Normalised throughput of an FPGA."""
        return self.cost.fpga_throughput(self.topology)

    @property
    def system(self) -> Fraction:
        """Normalised throughput of the system."""
        return self.cost.system_throughput(self.topology)


def table2(topology: Topology) -> list[Row]:
    """All-to-all: the paper's algorithm, and two halves in opposite order."""
    return [
        Row(topology, "dimensions one after the other", operations.all_to_all(topology)),
        Row(topology, "two halves", improved.all_to_all(topology)),
    ]


@dataclass(frozen=True)
class SortRow:
    """A column of Table 3: memory passes, and throughputs by those of FC with the same degree.

    ``fpga`` and ``system`` count every pass alike, as the paper does; ``fpga_timed`` counts what it takes where
    lanes of one dimension carry it (``sorting.passes_of_time``), as on simulated nodes.
    """

    topology: Topology
    algorithm: str
    passes: int
    fpga: Fraction
    system: Fraction
    fpga_timed: Fraction


def table3(topology: Topology) -> list[SortRow]:
    """Sort: the paper's passes and the fused ones, all against the paper's passes on FC of the same degree."""
    reference = fully_connected(topology.degree + 1)
    base = len(sorting.published(reference))
    ports = reference.ports
    rows = []
    for name, passes in (("published", sorting.published(topology)), ("fused", sorting.fused(topology))):
        ratio = Fraction(base, len(passes))
        system = ratio * Fraction(topology.nodes, reference.nodes)
        timed = sorting.passes_of_time(sorting.published(reference), ports) / sorting.passes_of_time(passes, ports)
        rows.append(SortRow(topology, name, len(passes), ratio, system, timed))
    return rows


def table4(topology: Topology) -> list[Row]:
    """Averaging: as printed, as its prose says, hierarchical, hierarchical in two halves, and with the best share."""
    return [
        Row(topology, "full vector, one dimension after the other (as printed)", operations.average(topology)),
        Row(topology, "full vector, two halves (the prose)", improved.average_prose(topology)),
        Row(topology, "hierarchical", improved.average_hierarchical(topology)),
        Row(topology, "hierarchical, two halves", improved.average(topology)),
        Row(topology, "hierarchical, best share", improved.average(topology, share=None)),
    ]


def _print_rows(title: str, rows: list[Row]) -> None:
    print(f"\n{title}")
    for row in rows:
        time = f"{row.cost.startups} alpha + {row.cost.volume} beta L"
        print(
            f"  {row.topology.name:<12} {row.algorithm:<56} {time:<26} FPGA {float(row.fpga):6.3f}  "
            f"system {float(row.system):8.3f}"
        )


def main(arguments: list[str]) -> None:
    """Print Tables 1 to 4."""
    dx, dy = (int(arguments[0]), int(arguments[1])) if len(arguments) == 2 else (3, 1)
    ghc = hypercube(dx, dy)
    same_degree = fully_connected(ghc.degree + 1)
    print("Table 1, Gb/s an FPGA")
    for bandwidth in (table1("sort", 125e6, 8), table1("averaging", FULL_CLOCK, 16)):
        print(
            f"  {bandwidth.application:<10} {bandwidth.clock / 1e6:.0f} MHz  memory {bandwidth.memory_read:.1f} read "
            f"+ {bandwidth.memory_write:.1f} write  network {bandwidth.network:.1f}"
        )
    _print_rows("Table 2, all-to-all (throughput in units of an FPGA's bandwidth)", table2(same_degree) + table2(ghc))
    print("\nTable 3, sort (throughput by FC of the same degree, the paper's passes)")
    for sort in table3(same_degree) + table3(ghc):
        print(
            f"  {sort.topology.name:<12} {sort.algorithm:<10} {sort.passes:>3} passes  FPGA {float(sort.fpga):.3f}  "
            f"system {float(sort.system):.3f}; FPGA by lanes at work {float(sort.fpga_timed):.3f}"
        )
    print(
        "\nSort of section 4.C (64 MiB keys + 64 MiB values a node, 8 ports of 32 Gb/s), predicted ms; the paper: 31.0"
    )
    for topology in (fully_connected(8), hypercube(3, 1)):
        times = sorting.predictions(topology, 64 << 20, 8, OPTWEB_SORT)
        print(f"  {topology.name:<12} " + "; ".join(f"{name} {1e3 * time:.2f}" for name, time in times.items()))
    _print_rows("Table 4, averaging", table4(same_degree) + table4(ghc))


if __name__ == "__main__":
    main(sys.argv[1:])
