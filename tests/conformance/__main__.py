# SPDX-License-Identifier: Apache-2.0
"""python -m tests.conformance [NAME]. Input: the name of a program, or a part of some names, or nothing. Output: the
C source of the only one, else the names and their ranks."""

from __future__ import annotations

import sys

from . import PROGRAMS


def main() -> int:
    """Print what the command line asks for; 1 if no program has such a name."""
    part = sys.argv[1] if len(sys.argv) > 1 else ""
    found = [PROGRAMS[part]] if part in PROGRAMS else [p for p in PROGRAMS.values() if part in p.name]
    if not found:
        print(f"no program has {part} in its name; without an argument all are listed", file=sys.stderr)
        return 1
    print(found[0].source if len(found) == 1 else "\n".join(f"{p.name} {p.ranks}" for p in found))
    return 0


if __name__ == "__main__":
    sys.exit(main())
