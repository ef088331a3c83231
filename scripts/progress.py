# SPDX-License-Identifier: Apache-2.0
"""Thins ninja's output where no terminal rewrites it: ``ninja ... | progress.py WORD``, NINJA_STATUS as in build.sh.

Of the status lines one every ten seconds, and the last; everything else, such as a compiler's errors, as it comes.
"""

from __future__ import annotations

import re
import sys
import time

EVERY_SECONDS = 10.0
STATUS = re.compile(r"\[ *(\d+%, \d+ of \d+ steps, [\d.]+ s)\] (?!Re-running)")


def main() -> None:
    """Read standard input to its end."""
    word = sys.argv[1]
    said = time.monotonic()
    waiting = ""
    for line in sys.stdin:
        status = STATUS.match(line)
        if status is None:
            if not line.startswith(("ninja: Entering", "ninja: no work")):
                sys.stdout.write(line)
                sys.stdout.flush()
            continue
        waiting = f"{word}: {status[1]}"
        if time.monotonic() - said >= EVERY_SECONDS:
            print(waiting, flush=True)
            said, waiting = time.monotonic(), ""
    if waiting:
        print(waiting, flush=True)


if __name__ == "__main__":
    main()
