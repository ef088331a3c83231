# SPDX-License-Identifier: Apache-2.0
"""``polyloom`` and ``python -m polyloom ARGS``: the command line."""

from polyloom.base import interrupts


def main() -> None:
    """Entry point of the script."""
    interrupts.loaded("polyloom.cli.main").main()


if __name__ == "__main__":
    main()
