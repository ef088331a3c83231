# SPDX-License-Identifier: Apache-2.0
"""The one exception that reaches a person. Its text names what, where, and what would be right."""

from __future__ import annotations


class UserError(Exception):
    """Something the user gave, or the machine lacks. Printed after ``polyloom:``; exit status 1."""
