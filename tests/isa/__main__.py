# SPDX-License-Identifier: Apache-2.0
"""Our own instruction tests as ELF files: ``python -m tests.isa FOLDER``, for ``polyloom isa-test``."""

from __future__ import annotations

import shutil
import sys
from pathlib import Path

from tests.isa import build, programs


def main(arguments: list[str]) -> int:
    """Write sources and ELF files into the folder; the exit status."""
    if len(arguments) != 1 or arguments[0].startswith("-"):
        print("usage: python -m tests.isa FOLDER", file=sys.stderr)
        return 2
    if shutil.which(build.COMPILER) is None:
        print(f"tests.isa: {build.COMPILER} is not installed; make setup-tests installs it", file=sys.stderr)
        return 1
    folder = Path(arguments[0])
    folder.mkdir(parents=True, exist_ok=True)
    count = 0
    for name, text in programs.all_programs():
        source = folder / f"{name}.S"
        source.write_text(text)
        build.link(source)
        count += 1
    print(f"{count} programs in {folder}")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
