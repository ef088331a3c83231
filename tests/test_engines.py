# SPDX-License-Identifier: Apache-2.0
# Covers: the run digest and the result are the same for one and two host threads and two and three MPI processes,
# also on links that lose and corrupt frames. Leaves out: what the digest is made of (fabric's conformance test).
from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from conftest import ROOT, Done, read_values

ENGINES = ["serial", "threads:2", "mpi:2", "mpi:3"]


def cluster(folder: Path, faults: str) -> Path:
    """A 3 x 1 mesh of small boards, on links with the given fault lines."""
    text = (ROOT / "clusters" / "laptop.toml").read_text()
    text = text.replace("size = [2, 1]", "size = [3, 1]")
    text = text.replace("[link]\n", f"[link]\n{faults}\n", 1)
    path = folder / "three.toml"
    path.write_text(text)
    return path


@pytest.mark.parametrize("faults", ["", "bit_error_rate = 1e-5\ndrop_rate = 0.01"], ids=["clean", "faulty"])
def test_engines_agree(polyloom: Callable[..., Done], tmp_path: Path, faults: str) -> None:
    where = cluster(tmp_path, faults)
    digests, results, seconds = [], [], []
    for engine in ENGINES:
        out, folder = tmp_path / "values.csv", tmp_path / engine.replace(":", "-")
        done = polyloom(
            "run", "pagerank", "--generate", "kronecker:9:8", "--iterations", 5, "--verify", "--cluster", where,
            "--engine", engine, "--out", out, "--run-dir", folder,
        )  # fmt: skip
        assert done.status == 0, f"{engine}: {done.err}"
        record = json.loads((folder / "run.json").read_text())
        digests.append(record["digest"])
        seconds.append(record["simulated_ps"])
        results.append(read_values(out))
    assert len(set(digests)) == 1, dict(zip(ENGINES, digests, strict=True))
    assert len(set(seconds)) == 1
    assert all(result == results[0] for result in results)
