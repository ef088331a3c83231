# SPDX-License-Identifier: Apache-2.0
"""What a person hears when a program cannot become a kernel."""

from __future__ import annotations

from polyloom.base.errors import UserError


class HlsError(UserError):
    """A message that begins with file:line:column where the source is known."""

    def __init__(self, where: str, message: str) -> None:
        super().__init__(f"{where}: {message}" if where else message)
