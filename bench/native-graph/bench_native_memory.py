# SPDX-License-Identifier: Apache-2.0
"""What building takes: memory beside the edges, and bytes that several processes exchange."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path
from typing import Any

from bench.common.harness import BUILD, ROOT, Bench, Contestant

#: Memory over that of compressed rows both ways; bytes sent over the bound of the partition.
MEMORY_TARGET, EXCHANGE_TARGET = 1.5, 1.1


def memory(bench: Bench, kind: str, size: int, folder: Path) -> None:
    """The most memory (VmHWM of a process that does nothing else) above what was there with the edges."""
    for task, label_bytes, ways in (("pagerank", 0, 1), ("components", 0, 2), ("sssp", 4, 1)):
        program = Contestant(str(BUILD / "bin" / "bench_native_graph"), kind, str(size), str(folder))
        vertices, edges = program.facts["vertices"], program.facts["edges"]
        most = program.turn(f"{task} memory")["bytes"]
        program.close()
        rows = 2 * (8 * vertices + (4 + label_bytes) * ways * edges)
        what = f"{kind} {size}: memory of {task}, built and run"
        bench.row(what, f"{most / 1e6:,.0f} MB beside the edges", "", "", f"{most / rows:.2f}x rows both ways")
        bench.figures[f"{kind}_{size}_{task}_bytes"] = most
        holds = None if bench.quick else most / rows <= MEMORY_TARGET
        bench.target(what, f"at most {MEMORY_TARGET}x rows both ways", most / rows, holds)


def exchange(bench: Bench, scale: int) -> None:
    """Bytes a superstep of four processes; no row where this build cannot run several."""
    for app in ("pagerank", "components"):
        facts = _processes(app, scale)
        if facts is None:
            bench.note("bytes between processes: not measured, for polyloom run has no --processes here")
            return
        sent, least, steps = (facts[key] for key in ("bytes_sent", "bytes_bound", "supersteps"))
        what = f"kronecker {scale}, four processes: bytes a superstep of {app}"
        bench.row(what, f"{sent / steps:,.0f}", "", "", f"{sent / least:.2f}x the partition's bound")
        bench.figures[f"kronecker_{scale}_{app}_processes"] = facts
        holds = None if bench.quick else sent / least <= EXCHANGE_TARGET
        bench.target(what, f"at most {EXCHANGE_TARGET}x the partition's bound", sent / least, holds)


def _processes(app: str, scale: int) -> dict[str, Any] | None:
    command = [str(ROOT / ".venv" / "bin" / "polyloom"), "run", app, "--generate", f"kronecker:{scale}:16"]
    command += ["--on", "native", "--processes", "4", "--json", "--no-report"]
    done = subprocess.run(command, capture_output=True, text=True, check=False, cwd=ROOT)
    if done.returncode != 0:
        if "--processes" in done.stderr:
            return None
        raise SystemExit(f"bench: {' '.join(command)} failed: {done.stderr.strip()}")
    facts: dict[str, Any] = json.loads(done.stdout)["processes"]
    return facts
