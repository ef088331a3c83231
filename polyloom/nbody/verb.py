# SPDX-License-Identifier: Apache-2.0
"""The verb ``polyloom nbody``: its options. Input: a command line; output: a table or JSON, a status."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated

import typer

from polyloom.base import files, options, record
from polyloom.base.errors import UserError
from polyloom.report import page


def nbody(
    context: typer.Context,
    name: Annotated[str, typer.Option("--problem", help="plummer, cold-sphere, hernquist or kepler.")] = "plummer",
    source: Annotated[str, typer.Option("--from", metavar="FILE.npz", help="Bodies: arrays pos, mass, vel.")] = "",
    count: Annotated[int, typer.Option("--n", help="Bodies of a problem.")] = 4096,
    seed: Annotated[int, typer.Option(help="Of a problem.")] = 0,
    steps: Annotated[int | None, typer.Option(help="Steps in all (default 10).")] = None,
    dt: Annotated[float | None, typer.Option(help="Step (default: the problem's).")] = None,
    eps: Annotated[
        float | None, typer.Option(help="Plummer softening (default: the problem's; 0 with --from).")
    ] = None,
    mac: Annotated[str, typer.Option(help="side, angle or acceleration.")] = "angle",
    theta: Annotated[float, typer.Option(help="Of side and angle.")] = 0.5,
    delta: Annotated[float, typer.Option(help="Of acceleration.")] = 2.0**-9,
    order: Annotated[str, typer.Option(help="monopole or quadrupole.")] = "monopole",
    leaf: Annotated[int, typer.Option(min=1, max=8, help="Bodies that a cell contributes directly, 1 to 8.")] = 4,
    group: Annotated[int, typer.Option(min=1, max=64, help="Bodies that share an interaction list, 1 to 64.")] = 32,
    nodes: Annotated[int, typer.Option(help="Domains.")] = 1,
    let: Annotated[str, typer.Option(help="Trees for other domains: host or hub makes LETs; full sends all.")] = "host",
    on: Annotated[str, typer.Option(help="native, sim or rtl; default sim with --let hub or --cluster.")] = "",
    cluster: Annotated[str, typer.Option(help="Of hubs, one a domain; default peach2-NODES.")] = "",
    compute: Annotated[str, typer.Option(help="On a cluster, time of computing: free or measured.")] = "free",
    engine: Annotated[str, typer.Option(help="Of the simulator: serial, threads:N.")] = "",
    target: Annotated[str, typer.Option(help="box or sphere: what LETs are made for.")] = "box",
    threads: Annotated[int, typer.Option(help="That compute at a time; 0: one a processor.")] = 0,
    energy: Annotated[str, typer.Option(help="tree, direct, or auto: direct up to 16384 bodies.")] = "auto",
    log_every: Annotated[int, typer.Option(help="Steps between energies; 0: 20 in all.")] = 0,
    snapshot_every: Annotated[int, typer.Option(help="Steps between snapshots; 0: none.")] = 0,
    max_drift: Annotated[
        float, typer.Option(help="Drift of the energy, by its first value, that ends with status 1; inf: none.")
    ] = 0.1,
    force_error: Annotated[int, typer.Option(metavar="SAMPLES", help="At the end, against direct sums.")] = 0,
    out: Annotated[Path | None, typer.Option(help="Bodies at the end, as .npz.")] = None,
    resume: Annotated[Path | None, typer.Option(metavar="RUN", help="Go on from its last snapshot.")] = None,
    run_dir: Annotated[Path | None, typer.Option(help="Run folder; default runs/TIME-nbody-ON.")] = None,
    json_output: Annotated[bool, typer.Option("--json", help="One JSON object on standard output.")] = False,
) -> None:
    """Simulate bodies that attract one another.

    Forces by a tree, steps by leapfrog.
    """
    from polyloom.nbody import Settings, command, snapshot, text  # compiled: only where it is used

    if out is not None:
        # Before the work, not after it.
        files.check_output(out, [".npz"], Path(source) if source else None, resume or run_dir)
    on = on or ("sim" if let == "hub" or cluster else "native")
    _refuse_what_nbody_ignores(context, on)
    if resume is not None:
        outcome = command.resume(resume, steps)
    else:
        if order not in {"monopole", "quadrupole"}:
            raise UserError(f"--order {order}: allowed are monopole, quadrupole")
        preset = command.OWN_BODIES if source else command.DEFAULTS.get(name, command.DEFAULTS["plummer"])
        settings = Settings(
            mac=mac,
            theta=theta,
            delta=delta,
            quadrupole=order == "quadrupole",
            eps=preset.eps if eps is None else eps,
            dt=preset.dt if dt is None else dt,
            leaf=leaf,
            group=group,
            target=target,
        )
        every = (log_every, snapshot_every)
        job = command.Job(
            name,
            source,
            count,
            seed,
            10 if steps is None else steps,
            nodes,
            let,
            threads,
            energy,
            *every,
            force_error,
            on,
            cluster,
            compute,
            engine,
            max_drift,
        ).checked()
        outcome = command.run(job, settings, run_dir)
    if out is not None:
        snapshot.write(out, outcome.state)
    report_path = page.write(record.read(outcome.folder))
    if json_output:
        print(json.dumps({**outcome.result, "run_dir": str(outcome.folder), "report": str(report_path)}))
    else:
        print(text.table(outcome.result))
        print(f"run: {outcome.folder}")
        print(f"report: {report_path}")
    raise typer.Exit(outcome.status)


def _refuse_what_nbody_ignores(context: typer.Context, on: str) -> None:
    given = context.params
    went_on = "--resume takes this from the run that it continues; leave it out"
    options.refuse_all_but(context, given["resume"] is not None, went_on, "resume", "steps", "out", "json_output")
    options.refuse(context, bool(given["source"]), "--from gives the bodies; leave it out", "name", "count", "seed")
    no_cluster = "a native run has no cluster that is simulated; leave it out, or say --on sim"
    options.refuse(context, given["name"] == "kepler", "the problem of Kepler has two bodies; leave it out", "count")
    options.refuse(context, on == "native", no_cluster, "cluster", "compute", "engine")
    options.refuse(context, on != "native", "of native runs; on a cluster each domain has a process", "threads")
    by_angle = given["mac"] != "acceleration"
    options.refuse(context, by_angle, "of --mac acceleration; --mac side and angle have --theta", "delta")
    options.refuse(context, not by_angle, "of --mac side and angle; --mac acceleration has --delta", "theta")
    alone = given["nodes"] == 1
    no_other = "one domain needs no tree of another; say --nodes above 1"
    options.refuse(context, alone, no_other, "target", *(["let"] if on == "native" else []))
    hub = given["let"] == "hub" and not alone
    whole = "a hub makes trees of monopoles; leave it out, or say --let host or full"
    options.refuse(context, hub and given["order"] == "quadrupole", whole, "order")
    options.refuse(
        context, given["let"] == "full", "--let full sends whole trees; it makes none for a target", "target"
    )
