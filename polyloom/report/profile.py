# SPDX-License-Identifier: Apache-2.0
"""Where device instructions went, by source function: the record's ``profile`` table joined with the program's lines.

Handlers are inlined into the softswitch, so functions come from debug information (addr2line), innermost first.
"""

from __future__ import annotations

import shutil
import subprocess
from collections import defaultdict
from html import escape
from pathlib import Path

from polyloom.base.record import RunRecord

ADDR2LINE = "riscv64-unknown-elf-addr2line"
HANDLERS = ("init", "send", "recv", "step", "finish")


def render(run: RunRecord) -> str:
    """Bars by handler; empty if the run was not profiled or the tools are missing."""
    counts: dict[int, int] = defaultdict(int)
    for row in run.table("profile", ("address", "count")):
        counts[row["address"]] += row["count"]
    elf = _elf(run)
    if not counts or elf is None or shutil.which(ADDR2LINE) is None:
        return ""
    by_function: dict[str, int] = defaultdict(int)
    for address, name in zip(counts, functions(elf, list(counts)), strict=True):
        by_function[name] += counts[address]
    total = sum(by_function.values()) or 1
    rows = "".join(
        f"<tr><td>{escape(name)}</td><td class=n>{count:,}</td><td class=n>{count / total:.1%}</td>"
        f'<td><svg width="200" height="10"><rect width="{200 * count / total:.1f}" height="10" '
        f'fill="hsl(210 60% 60%)"/></svg></td></tr>'
        for name, count in sorted(by_function.items(), key=lambda item: -item[1])
        if count * 1000 > total
    )
    return f"<table><tr><th>code</th><th class=n>instructions</th><th class=n>share</th><th></th></tr>{rows}</table>"


def _elf(run: RunRecord) -> Path | None:
    folder = run.result.get("device")
    path = Path(str(folder)) / "app.elf"
    return path if folder and path.is_file() else None


def functions(elf: Path, addresses: list[int]) -> list[str]:
    """Handler of each address: the outermost vertex handler that it is inlined in, else ``softswitch``."""
    text = "\n".join(f"0x{address:x}" for address in addresses)
    done = subprocess.run(
        [ADDR2LINE, "-f", "-i", "-C", "-a", "-e", str(elf)],
        input=text,
        capture_output=True,
        text=True,
        check=False,
    )
    names: list[str] = []
    frames: list[str] = []
    lines = done.stdout.splitlines()
    for i, line in enumerate(lines):
        if line.startswith("0x"):
            if i:
                names.append(_handler(frames))
            frames = []
        elif not line.rpartition(":")[2].split(" ")[0].isdigit() and not line.endswith("?"):
            frames.append(line)
    names.append(_handler(frames))
    return names[: len(addresses)] + ["softswitch"] * (len(addresses) - len(names))


def _handler(frames: list[str]) -> str:
    for frame in frames:
        name = frame.split("(")[0].split("::")[-1]
        if name in HANDLERS:
            return f"handler {name}"
    if any("PThread" in frame for frame in frames):
        return "softswitch"
    return frames[-1].split("(")[0] if frames else "start-up"
