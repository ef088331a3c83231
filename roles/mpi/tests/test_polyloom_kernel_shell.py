# SPDX-License-Identifier: Apache-2.0
# Covers: a node whose shell (polyloom_kernel_shell) and kernel are Verilated each alone against the same node Verilated
#         as one (polyloom_kernel_node): the same words in the same cycles, by the digest of a job that sends what lies
#         in block RAM and in DRAM, computes on both meanwhile, and prints.
# Leaves out: how the two are joined (polyloom/rtl/tests/test_node_build.py), the engine (test_polyloom_mpe.py).
from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

from polyloom.base import paths
from polyloom.rtl import node_build

APP = "polyloom_kernel_app"
PROGRAM = """// SPDX-License-Identifier: Apache-2.0
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

static int table[512];  // in block RAM

int main(int argc, char** argv) {
  int rank, size;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  int* heap = malloc(1024 * sizeof(int));  // in DRAM; a message of all of it goes as rendezvous
  for (int i = 0; i < 1024; i++) heap[i] = i * rank;
  const int next = (rank + 1) % size, before = (rank + size - 1) % size;
  for (int count = 1; count <= 1024; count *= 4) {
    MPI_Sendrecv_replace(heap, count, MPI_INT, next, 1, before, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Request requests[2];  // the engine reads and writes one half while the program works on the other
    MPI_Irecv(table + 256, 128, MPI_INT, next, 2, MPI_COMM_WORLD, &requests[0]);
    MPI_Isend(table + 384, 128, MPI_INT, before, 2, MPI_COMM_WORLD, &requests[1]);
    for (int turn = 0; turn < 8; turn++)
      for (int i = 0; i < 255; i++) table[i + 1] += table[i] + (turn == 0 ? heap[i] : 1);
    MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
    for (int i = 0; i < 128; i++) table[384 + i] = table[i] + table[256 + i];
  }
  int sum = 0;
  for (int i = 0; i < 512; i++) sum += table[i] % (i + 1);
  printf("rank %d: %d\\n", rank, sum);
  MPI_Finalize();
  return 0;
}
"""


def mpirun(folder: Path, *words: object, **variables: str) -> list[str]:
    command = [sys.executable, "-m", "polyloom", "mpirun", *words, folder / "ring.c"]
    env = {**os.environ, **variables}
    done = subprocess.run(
        [*map(str, command)], capture_output=True, text=True, timeout=300, check=False, env=env, cwd=paths.home()
    )
    assert done.returncode == 0, done.stderr
    return done.stdout.splitlines()


def test_apart_and_as_one(tmp_path: Path) -> None:
    (tmp_path / "ring.c").write_text(PROGRAM)
    cluster = tmp_path / "two.toml"
    text = (paths.home() / "clusters" / "zrlmpi-4.toml").read_text()
    cluster.write_text(text.replace("size = [3]", "size = [1]"))
    made = json.loads(mpirun(tmp_path, "--on", "rtl", "--cluster", cluster, "--build-only", "--json")[-1])
    (program,) = made["programs"]
    kernel, rtl = Path(program["folder"]) / "kernel.f", paths.home() / "roles" / "mpi" / "rtl"
    apart = node_build.build(
        node_build.Shape("polyloom_kernel_shell", [rtl / "kernel_shell.f"], app=APP, app_files=[kernel])
    )
    assert apart.cached, "a job has other nodes"
    whole = node_build.build(node_build.Shape("polyloom_kernel_node", [rtl / "kernel_node.f", kernel]))
    cache = tmp_path / "cache"  # of a job that finds the node as one in the other's place
    shutil.copytree(apart.path.parent, cache / apart.hash)
    shutil.copy(whole.path, cache / apart.hash / apart.path.name)

    expected = sorted(mpirun(tmp_path, "--on", "native", "-n", 2, "--run-dir", tmp_path / "native"))
    words = ("--on", "rtl", "--cluster", cluster, "--run-dir")
    assert sorted(mpirun(tmp_path, *words, tmp_path / "apart")) == expected
    assert sorted(mpirun(tmp_path, *words, tmp_path / "whole", POLYLOOM_RTL_CACHE=str(cache))) == expected
    assert [entry.name for entry in cache.iterdir() if entry.is_dir()] == [apart.hash], "a node was built anew"
    one, other = (json.loads((tmp_path / name / "run.json").read_text()) for name in ("apart", "whole"))
    assert one["digest"] == other["digest"]
    assert one["simulated_ps"] == other["simulated_ps"]
    assert (tmp_path / "apart/counters.csv").read_text() == (tmp_path / "whole/counters.csv").read_text()
