# SPDX-License-Identifier: Apache-2.0
"""What the tests of the detector's parts share: the tree of a mesh of boards, ends of links, words of frames.

Made from README.md of the role, "Termination detection", and sim/net/detector_tree.h, not from the RTL: who is whose
child follows from walking towards the root, and what a report holds from asking each link of a subtree whether it
leads out.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

from polyloom.rtl.testing import Struct

NORTH, EAST, SOUTH, WEST = range(4)
OWN = 4
STEPS = ((0, 1), (1, 0), (0, -1), (-1, 0))
REPORT, RELEASE, REQUEST, GRANT = 1, 2, 3, 4

HEAD = Struct.of("polyloom_overlay_detector_pkg::head_t")
END = Struct.of("polyloom_overlay_detector_pkg::end_t", flat=True)
STEP = Struct.of("polyloom_overlay_detector_pkg::step_t")
PLACE = Struct.of("polyloom_overlay_detector_pkg::place_t")

#: An end of a link: x, y of its board, and which of that board's links.
End = tuple[int, int, int]


def middle(boards: int) -> int:
    """Of so many in a row."""
    return (boards - 1) // 2


@dataclass(frozen=True)
class Place:
    """A board of a mesh."""

    width: int
    height: int
    x: int
    y: int

    def packed(self) -> int:
        """place_t."""
        return PLACE.pack(y=self.y, x=self.x, height=self.height, width=self.width)

    def at(self, x: int, y: int) -> Place:
        """Another board of the mesh."""
        return Place(self.width, self.height, x, y)

    def everybody(self) -> list[Place]:
        """All boards of the mesh."""
        return [self.at(x, y) for y in range(self.height) for x in range(self.width)]

    def neighbour(self, link: int) -> Place | None:
        """The board behind a link, if there is one."""
        x, y = self.x + STEPS[link][0], self.y + STEPS[link][1]
        return self.at(x, y) if 0 <= x < self.width and 0 <= y < self.height else None

    def links(self) -> list[int]:
        """Those that lead to a board."""
        return [link for link in range(4) if self.neighbour(link)]

    def parent(self) -> int | None:
        """The link towards the root: along x first."""
        x, y = middle(self.width), middle(self.height)
        if self.x != x:
            return EAST if self.x < x else WEST
        if self.y != y:
            return NORTH if self.y < y else SOUTH
        return None

    @cache  # noqa: B019  # few places, each asked often
    def way(self, other: Place) -> int | None:
        """Which source tells this board of another: a link to a child, OWN, or none outside its subtree."""
        if other == self:
            return OWN
        came = None
        while other != self:
            towards = other.parent()
            if towards is None:
                return None
            came, other = towards ^ 2, other.neighbour(towards) or other
        return came

    @cache  # noqa: B019
    def children(self) -> list[int]:
        """Links to them."""
        return sorted({way for b in self.everybody() if (way := self.way(b)) is not None} - {OWN})

    @cache  # noqa: B019
    def ends_of(self, sources: frozenset[int]) -> list[End]:
        """Of boards that these sources tell of, the ends of links that lead away from all of them, by y, x, link."""
        out = []
        for board in self.everybody():
            if self.way(board) in sources:
                for link in board.links():
                    far = board.neighbour(link)
                    if far is not None and self.way(far) not in sources:
                        out.append((board.x, board.y, link))
        return out

    @cache  # noqa: B019
    def subtree_ends(self) -> list[End]:
        """Of all that this board sums up: what is left for its parent."""
        return self.ends_of(frozenset({*self.children(), OWN}))

    def gate_child(self) -> int | None:
        """The child that tells of board (0,0)."""
        way = self.way(self.at(0, 0))
        return None if way in (None, OWN) else way


def far_end(end: End) -> End:
    """The other end of a link."""
    x, y, link = end
    return x + STEPS[link][0], y + STEPS[link][1], link ^ 2


def end_word(end: End, sent: int, received: int) -> int:
    """A word of a report."""
    return END.pack(x=end[0], y=end[1], link=end[2], sent=sent, received=received)


def mesh(width: int, height: int) -> list[Place]:
    """All boards of one."""
    return Place(width, height, 0, 0).everybody()
