# SPDX-License-Identifier: Apache-2.0
"""How long the tests take, by stage, room and Verilated model: ``make test-time``, an hour of an idle machine.

Clones the commit that is checked out twice into a temporary folder and runs ``make test`` in each: first with every
cache empty (compiler, models, proofs, packages of Python), then with what that left. Prints both tables and writes the
second half of ``bench/results/test-time.json``, ``after``; ``before`` stays. Debian packages are there already: a
machine without them takes as much longer as apt needs. Usage: test_time.py measure | show
"""

from __future__ import annotations

import json
import os
import platform
import resource
import subprocess
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
RESULT = ROOT / "bench" / "results" / "test-time.json"
#: Seconds that each run may take on two idle processors.
AIMS = {"cold": 1200, "warm": 720}


def compiled(build: Path) -> dict[str, dict[str, float]]:
    """Objects and job-seconds of what ninja has compiled, by kind."""
    found: dict[str, dict[str, float]] = {}
    for line in (build / ".ninja_log").read_text().splitlines()[1:]:
        begin, end, _, name, _ = line.split("\t")
        kind = "links and others"
        if name.endswith(".o"):
            kind = "tests" if "_test.dir/" in name or "/tests/" in name or "tests.dir/" in name else "product"
            kind = "benches" if name.startswith("bench/") else kind
        entry = found.setdefault(kind, {"outputs": 0, "job_seconds": 0.0})
        entry["outputs"] += 1
        entry["job_seconds"] = round(entry["job_seconds"] + (int(end) - int(begin)) / 1000, 1)
    return found


def models(cache: Path, since: float) -> list[dict[str, Any]]:
    """Models in RTL that were built since then, the longest first."""
    found = []
    for path in cache.glob("rtl/*/build.json"):
        if path.stat().st_mtime >= since:
            facts = json.loads(path.read_text())
            found.append({key: facts[key] for key in ("top", "parameters", "seconds") if key in facts})
    return sorted(found, key=lambda facts: -facts.get("seconds", 0))


def cpu_seconds() -> float:
    """Of all processes that have been waited for."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def targets(facts: dict[str, Any]) -> list[dict[str, Any]]:
    """Each run beside its aim, and the bound below which no order of its stages brings it: all processors busy."""
    return [
        {
            "what": f"make test, {name}",
            "aim": aim,
            "seconds": facts[f"{name}_seconds"],
            "bound": round(facts["cpu_seconds"][name] / facts["machine"]["processors"], 1),
            "holds": facts[f"{name}_seconds"] <= aim,
        }
        for name, aim in AIMS.items()
    ]


def rooms(facts: dict[str, Any]) -> dict[str, float]:
    """Seconds of the tests in Python by room, two folders deep."""
    found: Counter[str] = Counter()
    for name, seconds in facts["python"].items():
        found["/".join(Path(name).parts[:-1][:2])] += seconds
    return {room: round(seconds, 1) for room, seconds in found.most_common()}


def run(folder: Path, home: Path) -> dict[str, Any]:
    """``make test`` in a clone with the caches of ``home``; what it took. Exits if a test fails."""
    subprocess.run(["git", "clone", "--quiet", str(ROOT), str(folder)], check=True)
    places = {"XDG_CACHE_HOME": str(home), "CCACHE_DIR": str(home / "ccache"), "PIP_CACHE_DIR": str(home / "pip")}
    begin, worked = time.time(), cpu_seconds()
    done = subprocess.run(["make", "test"], cwd=folder, env=os.environ | places, check=False)
    seconds = time.time() - begin
    if done.returncode != 0:
        sys.exit(f"test-time: make test has failed in {folder}")
    facts = json.loads((folder / "build" / "test-time.json").read_text())
    facts |= {
        "seconds": round(seconds, 1),
        "cpu_seconds": round(cpu_seconds() - worked, 1),
        "compile": compiled(folder / "build"),
        "models": models(home / "polyloom", begin),
        "rooms": rooms(facts),
    }
    return dict(facts)


def measure() -> dict[str, Any]:
    """Both runs, as ``after`` has them."""
    with tempfile.TemporaryDirectory(prefix="polyloom-test-time-") as scratch:
        home = Path(scratch) / "caches"
        home.mkdir()
        cold = run(Path(scratch) / "cold", home)
        warm = run(Path(scratch) / "warm", home)
    commit = subprocess.run(
        ["git", "rev-parse", "--short", "HEAD"], cwd=ROOT, capture_output=True, text=True, check=True
    )
    facts = {
        "commit": commit.stdout.strip(),
        "date": time.strftime("%Y-%m-%d"),
        "machine": {"processors": os.cpu_count(), "processor": platform.processor() or platform.machine()},
        "cold_seconds": cold["seconds"],
        "warm_seconds": warm["seconds"],
        "cpu_seconds": {"cold": cold["cpu_seconds"], "warm": warm["cpu_seconds"]},
        "stages": {"cold": cold["stages"], "warm": warm["stages"]},
        "load": {"cold": cold["load"], "warm": warm["load"]},
        "compile": cold["compile"],
        "models": cold["models"],
        "rooms": {"cold": cold["rooms"], "warm": warm["rooms"]},
        "unit": {"cold": cold["unit"], "warm": warm["unit"]},
        "python": {"cold": cold["python"], "warm": warm["python"]},
    }
    return facts | {"targets": targets(facts)}


def show(facts: dict[str, Any]) -> None:
    """A table for the screen."""
    print(f"{'seconds':24} {'cold':>8} {'warm':>8}")
    print(f"{'all':24} {facts['cold_seconds']:8.0f} {facts['warm_seconds']:8.0f}")
    for target in facts.get("targets", []):
        state = "holds" if target["holds"] else "MISSED"
        print(f"{target['what']}: {state}, aim {target['aim']} s; all processors busy: {target['bound']:.0f} s")
    for name, cold in facts["stages"]["cold"].items():
        print(f"{name:24} {cold['seconds']:8.0f} {facts['stages']['warm'].get(name, {}).get('seconds', 0):8.0f}")
    for kind, entry in facts["compile"].items():
        print(f"compile, {kind:15} {entry['job_seconds']:8.0f}          in {entry['outputs']} outputs")
    print(f"{len(facts['models'])} models in RTL {sum(m.get('seconds', 0) for m in facts['models']):12.0f}")
    for room, seconds in list(facts["rooms"]["cold"].items())[:30]:
        print(f"  {room:22} {seconds:8.0f} {facts['rooms']['warm'].get(room, 0):8.0f}")


def main() -> None:
    """Measure and keep, or show what was kept."""
    what = sys.argv[1] if len(sys.argv) > 1 else ""
    if what not in {"measure", "show"}:
        sys.exit("test-time: usage: test_time.py measure | show")
    kept = json.loads(RESULT.read_text()) if RESULT.is_file() else {}
    if what == "measure":
        kept["after"] = measure()
        RESULT.write_text(json.dumps(kept, indent=1) + "\n")
    show(kept["after"])


if __name__ == "__main__":
    main()
