# SPDX-License-Identifier: Apache-2.0
"""An agent of two functions, for modules that are compared with a model in every cycle.

``drive`` sets inputs; ``check`` sees the inputs and outputs of the settled cycle, and moves the model on.
"""

from __future__ import annotations

from collections.abc import Callable

from polyloom.rtl.testing.harness import Harness


class EveryCycle:
    """Takes part in every cycle from when it is made."""

    def __init__(self, harness: Harness, drive: Callable[[], None], check: Callable[[int], None]) -> None:
        self._drive, self._check = drive, check
        harness.add(self)

    def reset(self) -> None:
        """Leave it to the test: inputs are 0 in reset."""

    def drive(self) -> None:
        """Inputs of the coming cycle."""
        self._drive()

    def sample(self, cycle: int) -> None:
        """Outputs of the cycle."""
        self._check(cycle)

    def busy(self) -> str:
        """Wait for nothing."""
        return ""
