# SPDX-License-Identifier: Apache-2.0
"""The one exception that reaches a person; its text names what, where, and what would be right."""


class UserError(Exception):
    """Something the user gave, or the machine lacks. Printed after ``polyloom:``; exit status 1."""
