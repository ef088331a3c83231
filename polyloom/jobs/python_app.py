# SPDX-License-Identifier: Apache-2.0
"""``python -m polyloom.jobs.python_app NAME ARGS``: an application in Python, as ``polyloom run NAME`` starts it."""

from __future__ import annotations

import sys

from polyloom.base import interrupts


def main() -> None:
    """Run it; whatever goes wrong is one line and a status. What asked it to end is said by ``polyloom run``."""
    app = interrupts.loaded(f"apps.{sys.argv[1]}.__main__")
    from polyloom.base import ending, process

    with ending.one_line(), process.handled(interrupts.end):
        try:
            sys.exit(app.main(sys.argv[2:]))
        except interrupts.Ended as ended:
            sys.exit(ended.status)


if __name__ == "__main__":
    main()
