# SPDX-License-Identifier: Apache-2.0
"""``polyloom`` and ``python -m polyloom ARGS``: the command line."""

from polyloom import interrupts


def main() -> None:
    """Entry point of the script."""
    interrupts.loaded("polyloom.cli").main()


if __name__ == "__main__":
    main()
