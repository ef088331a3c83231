# SPDX-License-Identifier: Apache-2.0
"""Text that may be no UTF-8 in JSON, and comes through whole: a string, or else the list of its bytes.

``fabric/json_text.h`` is the same in C++. Input: bytes; output: a JSON value; and back.
"""

from __future__ import annotations


def of_bytes(text: bytes) -> str | list[int]:
    """``b"abc"``: ``"abc"``; ``b"\\xff"``: ``[255]``."""
    try:
        return text.decode()
    except UnicodeDecodeError:
        return list(text)


def to_bytes(value: str | list[int]) -> bytes:
    """What ``of_bytes`` was given."""
    return value.encode() if isinstance(value, str) else bytes(value)
