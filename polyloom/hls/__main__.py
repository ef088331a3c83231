# SPDX-License-Identifier: Apache-2.0
"""Command line: ``python -m polyloom.hls FILE.c ... -o DIR [--json] [-- CLANG FLAGS]``; see ``main``.

writes kernel.sv, kernel.f, kernel.cc and report.json
"""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path
from typing import Any

from polyloom.base.errors import UserError
from polyloom.hls import Options, compile_kernel, frontend
from polyloom.hls.output import write_kernel


def main(arguments: list[str]) -> int:
    """Compile; the exit status."""
    arguments, _, flags = _split(arguments)
    parser = argparse.ArgumentParser(prog="python -m polyloom.hls", description=__doc__)
    parser.add_argument("files", nargs="+", help="C sources; one has void polyloom_kernel(void)")
    parser.add_argument("-o", dest="folder", default=".", help="where the outputs go")
    parser.add_argument("--json", action="store_true", help="print the report as JSON")
    parser.add_argument("--delay", type=float, default=Options.delay_ns, help="ns of logic between registers")
    parser.add_argument("--memory", type=int, default=Options.memory_limit, help="most bytes of block RAM")
    given = parser.parse_args(arguments)
    options = Options(delay_ns=given.delay, memory_limit=given.memory)
    kernel = compile_kernel(frontend.to_ir(given.files, flags), options)
    write_kernel(kernel, Path(given.folder))
    print(json.dumps(kernel.report, indent=1) if given.json else summary(kernel.report))
    return 0


def _split(arguments: list[str]) -> tuple[list[str], str, list[str]]:
    if "--" not in arguments:
        return arguments, "", []
    at = arguments.index("--")
    return arguments[:at], "--", arguments[at + 1 :]


def summary(report: dict[str, Any]) -> str:
    """A few lines for a person."""
    lines = [
        f"{report['states']} states, {report['registers']['bits']} bits of registers, "
        f"{report['memory_bits'] // 8192} KiB of block RAM",
    ]
    for loop in report["loops"]:
        rate = "an iteration every cycle" if loop["ii"] == 1 else f"an iteration every {loop['ii'] or 'so many'} cycles"
        depth = f", {loop['depth']} cycles deep" if loop["pipelined"] else ", not overlapped"
        lines.append(f"{loop['where'] or 'a loop'}: {rate}{depth}{loop['why'] and ': '}{loop['why']}")
    return "\n".join(lines)


if __name__ == "__main__":
    try:
        sys.exit(main(sys.argv[1:]))
    except UserError as error:
        sys.exit(f"hls: {error}")
