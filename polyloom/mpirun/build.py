# SPDX-License-Identifier: Apache-2.0
"""Everything that a job needs before it starts. Input: a request; output: ``Built``, all of it in the cache."""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from polyloom.base.errors import UserError
from polyloom.mpirun import cluster as cluster_reader
from polyloom.mpirun import cpu, model, python_rank, rtl
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
    interpreter: tuple[str, ...] = ()  # of the program of CPU ranks
    environment: Mapping[str, str] = field(default_factory=dict)  # of CPU ranks

    def need_cluster(self) -> Cluster:
        """The cluster of a job that has one."""
        assert self.cluster is not None
        return self.cluster

    def command(self) -> list[str]:
        """What starts a CPU rank of a job that has some, but for the program's arguments."""
        assert self.program is not None
        return [*self.interpreter, str(self.program)]

    def need_site(self) -> SiteMpi:
        """The MPI of a job that we do not run ourselves."""
        assert self.site is not None
        return self.site


def build(request: Request, say: Callable[[str], None] = lambda _: None) -> Built:
    """Compile a request's program for all its ranks."""
    ranks = request.ranks or request.hosts.slots
    cluster = None if ranks else cluster_reader.read(request.cluster)
    size = ranks or len(cluster.ranks if cluster else ())
    script = None if request.script is None else request.script.absolute()
    interpreter = (sys.executable,) if script else ()
    if request.on == "native" or cluster is None:
        everyone = tuple(range(size))
        site = None if request.wire else site_mpi.find()
        if site is not None:
            made_by_site = script or site_mpi.compile_program(request.source, site)
            return Built(size, everyone, made_by_site, (), (), cluster, site=site, interpreter=interpreter)
        request.need_c()
        alone = script or cpu.compile_program(request.source, size)
        found = python_rank.environment(say) if script else {}
        return Built(size, everyone, alone, (), (), cluster, interpreter=interpreter, environment=found)
    if cluster.fpga_ranks and not request.source.files:
        raise UserError(
            f"{request.script}: the Python script is for CPU ranks; {cluster.name} has FPGA ranks, which want C: "
            f"polyloom mpirun {request.script} kernel.c"
        )
    # Instructions of an interpreter are not those of the program.
    cpu_time = CpuTime.of("free") if script and request.cpu_time.instructions_a_second > 0 else request.cpu_time
    program, found = script, {}
    if cluster.cpu_ranks and script is None:
        program = cpu.compile_program(request.source, size, cpu_time.instructions_a_second > 0)
    elif cluster.cpu_ranks:
        found = python_rank.environment(say)
    made = kernels.build(request.source, cluster.target, cluster.fpga_ranks, say) if cluster.fpga_ranks else []
    images = (model if request.on == "sim" else rtl).build(made, say)
    return Built(
        size,
        tuple(cluster.cpu_ranks),
        program,
        tuple(made),
        tuple(images),
        cluster,
        cpu_time if program else None,
        interpreter=interpreter,
        environment=found,
    )
