# SPDX-License-Identifier: Apache-2.0
"""``python -m polyloom ARGS``: the command ``polyloom``, also where its script is not installed."""

from polyloom.cli import main

if __name__ == "__main__":
    main()
