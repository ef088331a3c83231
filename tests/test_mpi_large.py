# SPDX-License-Identifier: Apache-2.0
# Covers: a program with a static array of 8 MiB on a CPU and an FPGA in RTL: the same output as on CPUs; what --explain
#         and the kernel's report say of it.
# Leaves out: which objects go to DRAM (polyloom/hls/tests/test_objects.py), DRAM with random stalls
#         (polyloom/hls/tests/test_compiled_programs.py).
from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
PROGRAM = ROOT / "tests" / "mpi" / "large" / "large.c"


def mpirun(folder: Path, *words: str) -> str:
    where = [] if "--build-only" in words else ["--run-dir", str(folder)]
    command = [sys.executable, "-m", "polyloom", "mpirun", *where, *words, str(PROGRAM)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=500, check=False, cwd=ROOT)
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_a_large_static_array_is_in_dram(tmp_path: Path) -> None:
    cluster = tmp_path / "two.toml"
    text = (ROOT / "clusters" / "zrlmpi-4.toml").read_text()
    cluster.write_text(text.replace("size = [3]", "size = [1]"))
    expected = mpirun(tmp_path / "native", "--on", "native", "-n", "2")
    assert "rank 1 begins with 39.25" in expected
    job = mpirun(tmp_path / "rtl", "--cluster", str(cluster))
    assert sorted(job.splitlines()) == sorted(expected.splitlines())
    explained = mpirun(tmp_path / "explain", "--cluster", str(cluster), "--build-only", "--explain")
    assert "8 MiB" in explained
    made = json.loads(mpirun(tmp_path / "json", "--cluster", str(cluster), "--build-only", "--json"))
    report = json.loads((Path(made["programs"][0]["folder"]) / "report.json").read_text())
    (field,) = [o for o in report["objects"] if o["name"] == "field"]
    assert field["memory"] == "dram" and field["address"] >= 0x8000_0000 and report["dram_bytes"] >= 8 << 20
