# SPDX-License-Identifier: Apache-2.0
"""``make bench NAME=x [QUICK=1]``: runs ``bench/x/bench.py``, prints its table and, last, one JSON object.

With FULL results (no QUICK) also writes ``bench/results/x.json`` with commit, date and machine.
"""

from __future__ import annotations

import importlib.util
import os
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))


def main() -> None:
    """Find the benchmark, run it, report."""
    names = sorted(path.parent.name for path in (ROOT / "bench").glob("*/bench.py"))
    name = sys.argv[1] if len(sys.argv) > 1 else ""
    if name not in names:
        sys.exit(f"bench: NAME={name or '(none)'}; there are: {', '.join(names)}")
    from bench.common.harness import Bench
    from polyloom.base import process

    process.guard()
    path = ROOT / "bench" / name / "bench.py"
    spec = importlib.util.spec_from_file_location("polyloom_bench", path)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module  # dataclasses look there
    spec.loader.exec_module(module)
    bench = Bench(name, quick=os.environ.get("QUICK", "") not in {"", "0"})
    module.run(bench)
    bench.finish()


if __name__ == "__main__":
    main()
