# SPDX-License-Identifier: Apache-2.0
"""The verb ``polyloom mpirun``: its options. Input: a command line; output: what the job prints, its exit status."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from polyloom.base import options, record
from polyloom.base.progress import Progress
from polyloom.base.site_mpi import Hosts
from polyloom.report import page


def mpirun(
    context: typer.Context,
    words: Annotated[
        list[str],
        typer.Argument(metavar="[HOST.py] PROG.c... [ARGS]", help="C sources; before them Python for CPU ranks."),
    ],
    cluster: Annotated[str, typer.Option(help="Shipped cluster, zrlmpi:N, .toml or ZRLMPI .json file.")] = "zrlmpi-4",
    on: Annotated[
        str, typer.Option(help="sim: FPGAs as a fast model; rtl: cycle-exact RTL; native: this site's own MPI.")
    ] = "sim",
    ranks: Annotated[
        int | None, typer.Option("-n", "-np", "--np", help="With --on native: number of processes.")
    ] = None,
    host: Annotated[str, typer.Option(metavar="NAMES", help="With --on native: hosts, as the MPI's mpirun.")] = "",
    hostfile: Annotated[Path | None, typer.Option(help="With --on native: a file of hosts, likewise.")] = None,
    wire: Annotated[
        bool, typer.Option("--wire", help="With --on native: by Polyloom's own runtime, over UDP.")
    ] = False,
    define: Annotated[list[str] | None, typer.Option("-D", metavar="NAME[=VALUE]", help="As for the compiler.")] = None,
    include: Annotated[list[str] | None, typer.Option("-I", metavar="FOLDER", help="As for the compiler.")] = None,
    collectives: Annotated[str, typer.Option(help="linear, tree, or auto: by the printed cost model.")] = "auto",
    tag_output: Annotated[bool, typer.Option("--tag-output", help="Put [rank] before each line.")] = False,
    timeout: Annotated[float | None, typer.Option(help="Stop the job after so many seconds of wall time.")] = None,
    checks: Annotated[bool, typer.Option("--check/--no-check", help="FPGAs: of addresses and divisors.")] = True,
    explain: Annotated[
        bool, typer.Option("--explain", help="Print programs, loops, collectives; then what took the time.")
    ] = False,
    build_only: Annotated[bool, typer.Option("--build-only", help="Compile everything and stop.")] = False,
    trace: Annotated[bool, typer.Option("--trace", help="Write a Chrome trace into the run folder.")] = False,
    run_dir: Annotated[Path | None, typer.Option(help="Run folder; default runs/TIME-PROG-ON.")] = None,
    engine: Annotated[str, typer.Option(help="Of the simulator: serial, threads:N.")] = "",
    seed: Annotated[int, typer.Option(help="Of the simulator's fault draws.")] = 0,
    cpu_time: Annotated[
        str, typer.Option(help="Of computing on CPU ranks: model:GHZ, measured or free.")
    ] = "model:2.5",
    json_output: Annotated[bool, typer.Option("--json", help="A JSON object as the last line.")] = False,
) -> None:
    """Run an MPI program in C on CPUs and FPGAs.

    It is compiled for every rank: a program for a CPU, a circuit for an FPGA.
    """
    from polyloom.mpirun import build, command, launch, profile, request  # llvmlite: only where it is used
    from polyloom.mpirun import explain as collectives_table
    from polyloom.mpirun.cpu_time import CpuTime
    from polyloom.transpile.program import Source

    alone = "CPU processes alone have no simulator and no FPGAs; leave it out, or say --on sim"
    options.refuse(context, on == "native", alone, "engine", "seed", "trace", "checks", "cpu_time")
    options.refuse(context, on != "native", "it is for jobs of CPU processes, --on native", "wire", "host", "hostfile")
    options.refuse(context, wire, "Polyloom's own runtime starts ranks on this machine alone", "host", "hostfile")
    others = on == "native" and not wire
    options.refuse(context, others, "the site's MPI chooses; leave it out, or say --wire", "collectives")
    options.refuse(context, ranks is not None, "-n gives the number of processes; leave one of them out", "cluster")
    not_run = "--build-only runs nothing; leave one of them out"
    options.refuse(context, build_only, not_run, "tag_output", "timeout", "trace", "run_dir", "engine", "seed")
    script, files, args = request.split_arguments(words)
    flags = [f"-D{text}" for text in define or []] + [f"-I{text}" for text in include or []]
    source = Source(tuple(files), tuple(flags), collectives, checks, count=explain and on == "sim" and not build_only)
    computing = CpuTime.of(cpu_time)
    job = request.Request(
        source,
        args,
        cluster,
        on,
        ranks,
        tag_output,
        timeout,
        trace,
        run_dir,
        engine,
        seed,
        computing,
        wire,
        Hosts(host, hostfile),
        script,
    )
    with Progress("mpirun") as progress:
        built = build.build(job, lambda text: progress.at(0, text))
    if explain or (build_only and not json_output):
        print(command.kernels_table(built))
    if explain:
        print(profile.static_text(built.kernels), end="")
    if explain and built.site is None:
        print(collectives_table.collectives(built.size, collectives))
    status, folder, state = (0, None, None) if build_only else launch.run(job, built)
    before = "\n" if state is not None and state.inside_line else ""
    if folder is not None and (folder / "run.json").is_file():
        run = record.read(folder)
        if explain and (text := command.measured(run, built, files)):
            print(before + text)
            before = ""
        elif status == 0 and (text := command.bottleneck(run)):
            command.say(text)
        command.say(f"report: {page.write(run)}")
    if json_output:
        print(before + command.as_json(built, collectives, status, folder, state))
    raise typer.Exit(status)
