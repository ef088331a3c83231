# SPDX-License-Identifier: Apache-2.0
"""Area: the designs that are synthesized, and the builds of the OPTWEB paper that stand beside them."""

from __future__ import annotations

from dataclasses import dataclass

TARGETS = ("ultrascale+", "intel-alm")


@dataclass(frozen=True)
class Published:
    """A build of the paper on its Stratix 10 MX2100, shares of the device."""

    where: str
    lanes: int
    total_alm: float
    application_alm: float | None = None


# The device (section 4.A names it; count of Intel's product table).
ALM = 702_720
SORT = Published("Figure 14, section 4.C.1: 8 x 45 Gb/s", 8, total_alm=0.810, application_alm=0.387)
AVERAGING = Published("Figure 18, section 4.D.1: 16 x 45 Gb/s", 16, total_alm=0.606)


@dataclass(frozen=True)
class Case:
    """A design of the benchmark and the build of as many lanes whose engine and shell it stands beside.

    ``targets``: families it is synthesized for; the one of 14 lanes for the paper's only, as it takes long.
    """

    design: str
    what: str
    beside: Published | None = None
    targets: tuple[str, ...] = TARGETS


CASES = (
    Case("collective_node", "360 Gb/s, no operator", SORT),
    # Beside nothing: the nodes that bench/sort times remember 320 times as many keys (record_beats).
    Case("collective_partition", "360 Gb/s, sort's partition, for 65,536 keys a node"),
    Case("collective_reduce", "360 Gb/s, reduce"),
    Case("collective_double", "720 Gb/s, no operator", AVERAGING, targets=("intel-alm",)),
    Case("crc32", "check of a lane's blocks, one of two a lane"),
)


def share(paper: Published) -> float:
    """Of the paper's build without its application, as far as the paper tells them apart."""
    return paper.total_alm - (paper.application_alm or 0.0)
