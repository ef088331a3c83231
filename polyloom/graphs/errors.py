# SPDX-License-Identifier: Apache-2.0
"""The exception of this package."""

from __future__ import annotations

from polyloom.base.errors import UserError


class GraphError(UserError, ValueError):
    """A graph, an argument or a run that is wrong; the text names the argument and what would be right."""
