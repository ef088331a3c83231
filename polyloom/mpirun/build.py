# SPDX-License-Identifier: Apache-2.0
"""Everything that a job needs before it starts. Input: a request; output: ``Built``, all of it in the cache."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from polyloom.mpirun import cluster as cluster_reader
from polyloom.mpirun import cpu, model, rtl
from polyloom.mpirun.cluster import Cluster
from polyloom.mpirun.cpu_time import CpuTime
from polyloom.mpirun.request import Request
from polyloom.mpirun.rtl import Image
from polyloom.mpirun.site import mpi as site_mpi
from polyloom.mpirun.site.mpi import SiteMpi
from polyloom.transpile import kernels
from polyloom.transpile.kernels import BuiltKernel


@dataclass(frozen=True)
class Built:
    """Programs of a job."""

    size: int
    cpu_ranks: tuple[int, ...]
    program: Path | None  # of CPU ranks
    kernels: tuple[BuiltKernel, ...]  # of FPGA ranks
    images: tuple[Image, ...]  # of each kernel, for the simulator
    cluster: Cluster | None  # none with --on native -n N
    cpu_time: CpuTime | None = None  # none where no CPU rank computes in simulated time
    site: SiteMpi | None = None  # that runs the job; none if we do

    def need_cluster(self) -> Cluster:
        """The cluster of a job that has one."""
        assert self.cluster is not None
        return self.cluster

    def need_program(self) -> Path:
        """The program of CPU ranks of a job that has some."""
        assert self.program is not None
        return self.program

    def need_site(self) -> SiteMpi:
        """The MPI of a job that we do not run ourselves."""
        assert self.site is not None
        return self.site


def build(request: Request, say: Callable[[str], None] = lambda _: None) -> Built:
    """Compile a request's program for all its ranks."""
    cluster = None if request.ranks else cluster_reader.read(request.cluster)
    size = request.ranks or len(cluster.ranks if cluster else ())
    if request.on == "native" or cluster is None:
        site = None if request.wire else site_mpi.find()
        if site is not None:
            made_by_site = site_mpi.compile_program(request.source, site)
            return Built(size, tuple(range(size)), made_by_site, (), (), cluster, site=site)
        request.need_c()
        return Built(size, tuple(range(size)), cpu.compile_program(request.source, size), (), (), cluster)
    counts = request.cpu_time.instructions_a_second > 0
    program = cpu.compile_program(request.source, size, counts) if cluster.cpu_ranks else None
    made = kernels.build(request.source, cluster.target, cluster.fpga_ranks, say)
    images = (model if request.on == "sim" else rtl).build(made, say)
    charged = request.cpu_time if program else None
    return Built(size, tuple(cluster.cpu_ranks), program, tuple(made), tuple(images), cluster, charged)
