# SPDX-License-Identifier: Apache-2.0
"""Long experiments: applications on simulated clusters, over hours if need be.

Input: what ``polyloom.sweep`` takes; output: a Run for each combination. What has finished is kept in build/bench and
not run again by the same programs, so an experiment that was stopped goes on where it was; while it runs it tells how
much is left.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import polyloom
from bench.common.harness import BUILD, Bench, Run


def runs(
    bench: Bench,
    app: str,
    options: Mapping[str, Any],
    cluster: str | list[str],
    keys: Mapping[str, Any] | None = None,
    jobs: int = 0,
) -> list[tuple[dict[str, Any], Run]]:
    """Each combination's parameters and run, in order; ends the bench if one has failed."""
    folder = BUILD / "bench" / f"{bench.name}-{_programs(app)}"
    folder.mkdir(parents=True, exist_ok=True)
    given = {"top": 0, **options}
    requested = json.dumps([app, given, cluster, keys], sort_keys=True, default=str)
    place = folder / f"{app}-{hashlib.sha256(requested.encode()).hexdigest()[:12]}"
    swept = polyloom.sweep(app, given, keys=keys, cluster=cluster, on="sim", jobs=jobs, folder=place)
    found = []
    for row in swept.rows:
        if row["status"] != "finished":
            raise SystemExit(f"bench: {app} {row}: failed; the next call runs it again")
        found.append((row, _read(place / row["run"])))
    return found


def _programs(app: str) -> str:
    """A digest of what computes: the application for host and threads, the libraries, the simulator."""
    parts = [BUILD / "bin" / f"app_{app}", BUILD / "bin" / "polyloom-sim", BUILD / "lib" / "libpolyloom.so"]
    parts += sorted((BUILD / "device").glob(f"{app}*/*.v"))
    digest = hashlib.sha256()
    for part in parts:
        digest.update(part.read_bytes())
    return digest.hexdigest()[:12]


def _read(folder: Path) -> Run:
    record = json.loads((folder / "run.json").read_text())
    counters = {}
    for line in (folder / "counters.csv").read_text().splitlines()[1:]:
        name, value = line.rsplit(",", 1)
        counters[name] = int(value)
    return Run(json.loads((folder / "result.json").read_text()), record, counters, record["wall_seconds"])
