# SPDX-License-Identifier: Apache-2.0
"""What polyloom_overlay_detector_combine must know of its sources, for its test: of the latest reports all ends are
compared anew whenever it is asked.
"""

from __future__ import annotations

from detector_tree import OWN, End, Place, far_end

Counts = tuple[int, int]


class Model:
    """What is known of the sources, from the words that have been compared."""

    def __init__(self, place: Place) -> None:
        self.place = place
        self.children = place.children()
        self.reports: dict[int, dict[str, int]] = {}  # heads of whole reports
        self.ends: dict[End, Counts] = {}  # as last reported
        self.own_busy = self.own_failed = self.renewed = False
        self.own_valid = False
        self.sent_last: Counts | None = None  # vote and gate of the last sum of the epoch
        self.inner: dict[int, list[End]] = {
            s: [e for e in place.ends_of(frozenset({s})) if self._known(far_end(e))] for s in [*self.children, OWN]
        }

    def _known(self, end: End) -> bool:
        return self.place.way(self.place.at(end[0], end[1])) is not None

    def _agree(self) -> bool:
        for source, ends in self.inner.items():
            for end in ends:
                if source in self.reports and self.ends[end] != self.ends[far_end(end)][::-1]:
                    return False
        return True

    def complete(self, epoch: int) -> bool:
        """All have reported in this epoch, and agree."""
        whole = self.own_valid and all(c in self.reports and self.reports[c]["epoch"] == epoch for c in self.children)
        return whole and self._agree()

    def vote(self) -> int:
        """Of all sources."""
        return int(all(self.reports[s]["vote"] for s in [*self.children, OWN]))

    def gate(self, own: int) -> int:
        """As the child has it that knows board (0,0)."""
        child = self.place.gate_child()
        return own if child is None else self.reports[child]["gate"]

    def compare(self, source: int, first: bool, last: bool, word: int, head: dict[str, int]) -> None:
        """A word of a report; ``head``: of its frame."""
        if first:
            self.reports.pop(source, None)
            self.own_valid = self.own_valid and source != OWN
        else:
            end = (word >> 50 & 7, word >> 53 & 7, word >> 48 & 3)
            counts = (word >> 24 & 0xFFFFFF, word & 0xFFFFFF)
            if end not in self.inner[source] and self.ends.get(end) != counts:
                self.renewed = True
            self.ends[end] = counts
        if last:
            self.reports[source] = head
