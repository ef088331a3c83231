# SPDX-License-Identifier: Apache-2.0
"""The ``polyloom`` command: a thin layer over the package's functions. ``polyloom --help`` lists its parts."""

from __future__ import annotations

import contextlib
import json
import os
import sys
import time
import traceback
from pathlib import Path
from typing import Annotated, NoReturn

import typer

from polyloom import (
    __version__,
    applications,
    comparison,
    errors,
    files,
    interrupts,
    launch,
    options,
    own_program,
    paths,
    process,
    record,
)
from polyloom.errors import UserError
from polyloom.mpirun import verb
from polyloom.progress import Progress
from polyloom.report import bottleneck, page
from polyloom.sweeps import command as sweeps

app = typer.Typer(no_args_is_help=True, add_completion=False, rich_markup_mode=None, pretty_exceptions_enable=False)
cluster_app = typer.Typer(no_args_is_help=True, help="Look at cluster descriptions.")
app.add_typer(cluster_app, name="cluster")


def _version(wanted: bool) -> None:
    if wanted:
        print(f"polyloom {__version__}")
        raise typer.Exit


@app.callback()
def common(
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Print the version and stop.")
    ] = False,
) -> None:
    """Program clusters of FPGAs: one source, run natively, simulated, and on RTL."""


#: Of numbers that programs in C++ hold in 64 bits.
MOST = 2**64 - 1
PASS_THROUGH = {"allow_extra_args": True, "ignore_unknown_options": True}


@app.command(context_settings={**PASS_THROUGH, "help_option_names": []})
def run(
    context: typer.Context,
    name: Annotated[
        str, typer.Argument(metavar="APP", help="Application, e.g. pagerank; `polyloom apps` lists them.")
    ] = "",
    on: Annotated[str, typer.Option(help="native, sim or rtl (default: as the cluster file says, else sim).")] = "",
    cluster: Annotated[
        str,
        typer.Option(
            envvar="POLYLOOM_CLUSTER",
            help="Shipped cluster or path of a .toml file; default laptop, sort and averaging: optweb-8.",
        ),
    ] = "",
    engine: Annotated[str, typer.Option(help="serial, threads:N or mpi:N (host processes).")] = "",
    max_cycles: Annotated[int, typer.Option(min=0, max=MOST, help="Stop after this many core cycles.")] = 0,
    seed: Annotated[
        int,
        typer.Option(
            envvar="POLYLOOM_SEED",
            min=0,
            max=MOST,
            help="Of what the application draws, and of the simulator's fault draws.",
        ),
    ] = 0,
    trace: Annotated[bool, typer.Option("--trace", help="Write a Chrome trace into the run folder.")] = False,
    run_dir: Annotated[Path | None, typer.Option(help="Run folder; default runs/TIME-APP-ON.")] = None,
    verify_with: Annotated[
        Path | None, typer.Option(metavar="FILE.py", help="Compare with its function reference(graph).")
    ] = None,
    no_report: Annotated[bool, typer.Option("--no-report", help="Do not write report.html.")] = False,
    json_output: Annotated[bool, typer.Option("--json", help="One JSON object on standard output.")] = False,
    show_help: Annotated[
        bool, typer.Option("--help", "-h", help="This; with APP, that application's options.")
    ] = False,
) -> None:
    """Run an application on a cluster or natively.

    Options that are not listed here go to the application: `polyloom run pagerank --help` lists those of pagerank.
    """
    if show_help or {"--help", "-h"} & set(context.args):
        if name:
            print(applications.find(name).help().rstrip())
            print("\nOptions of all applications (--on, --cluster, ...): polyloom run --help")
        else:
            print(context.get_help())
        return
    if not name:
        raise UserError("run needs the name of an application: polyloom run APP; `polyloom apps` lists them")
    native = launch.fidelity(on) == "native"
    no_cluster = "a native run has no cluster that is simulated; leave it out, or say --on sim"
    options.refuse(context, native, no_cluster, "cluster", "engine", "max_cycles", "trace")
    drawn = native and options.given(context, "seed") and not applications.find(name).draws
    options.refuse(context, drawn, "a native run of this application draws nothing; leave it out", "seed")
    request = launch.RunRequest(
        app=name,
        args=list(context.args),
        on=on,
        cluster=cluster,
        engine=engine,
        max_cycles=max_cycles,
        seed=seed,
        trace=trace,
        profile=not no_report,
        json_output=json_output,
        run_dir=run_dir,
    )
    with contextlib.ExitStack() as stack:
        if verify_with is not None:
            if applications.find(name).in_python:
                raise UserError(f"--verify-with is for vertex programs; {name} has --verify")
            request.compare_folder = stack.enter_context(process.scratch("comparing"))
        status, folder, output = launch.launch(request)
        verdict = ""
        if verify_with is not None and request.compare_folder is not None and status == 0:
            agrees, verdict = comparison.compare(verify_with, request.compare_folder)
            status = 0 if agrees else 1
    report = None
    if status == 0 and not no_report:
        report = page.write(record.read(folder))
    if status == 0 and not native and not json_output and "--explain" in context.args:
        print(bottleneck.measured(record.read(folder)))
    if json_output:
        _print_json(output, folder, report, {"verified_with": verdict} if verdict else {})
    else:
        if verdict:
            print(f"verification: {verdict}")
        if report is not None:
            print(f"report: {report}")
    raise typer.Exit(status)


@app.command()
def new(name: Annotated[str, typer.Argument(metavar="NAME", help="Of the program; the file is NAME.cc.")]) -> None:
    """Write a vertex program in one file, to begin with."""
    file = own_program.new(name)
    print(f"{file}: change what it computes, then run it:")
    print(f"polyloom run ./{file} --generate uniform:200:4 --on native")


app.command()(sweeps.sweep)


def _print_json(output: str, folder: Path, report: Path | None, more: dict[str, str]) -> None:
    try:
        content = json.loads(output)
    except json.JSONDecodeError:
        sys.stdout.write(output)
        return
    content |= more
    content["run_dir"] = str(folder)
    content["report"] = str(report) if report else None
    print(json.dumps(content))


@app.command()
def collective(
    context: typer.Context,
    operation: Annotated[str, typer.Argument(metavar="OP", help="all-to-all, all-reduce, broadcast, ...")],
    cluster: Annotated[str, typer.Option(help="Shipped cluster or path of a .toml file.")] = "optweb-8",
    size: Annotated[str, typer.Option("--bytes", help="Bytes a rank: 4096, 64K, 1M.")] = "1M",
    algorithm: Annotated[str, typer.Option(help="By name; default: the quickest by the model.")] = "",
    on: Annotated[str, typer.Option(help="sim, rtl or native (default: the cluster file).")] = "",
    sweep: Annotated[str, typer.Option(help="FIRST:LAST, powers of two, instead of --bytes.")] = "",
    explain: Annotated[bool, typer.Option("--explain", help="Print the model's table of algorithms first.")] = False,
    run_dir: Annotated[Path | None, typer.Option(help="Run folder; default runs/TIME-OP-ON.")] = None,
    verify: Annotated[bool, typer.Option("--verify", help="Move known data first and check every byte.")] = False,
    json_output: Annotated[bool, typer.Option("--json", help="One JSON object on standard output.")] = False,
) -> None:
    """Run a collective operation and print its simulated time.

    Beside it stands the time that the model of its algorithm predicts.
    """
    from polyloom.collectives import CollectiveError, Communicator, command  # compiled: only where it is used

    options.refuse(context, operation == "barrier", "a barrier moves nothing; leave it out", "size", "sweep")
    options.refuse(context, bool(sweep), "--sweep gives the sizes; leave one of them out", "size")
    options.refuse(context, json_output, "a table for people; leave it out, or --json", "explain")
    sizes = command.sizes_of(size, sweep)
    if verify and max(sizes) >= command.VISIBLE_BYTES:
        os.environ.setdefault("POLYLOOM_LOAD", "backdoor")
    with record.open_folder(run_dir, Path("runs"), operation, on or "sim", [cluster]) as folder:
        os.environ.update(folder.env)
        os.environ["POLYLOOM_RUN_DIR"] = str(folder.path)
        start = time.monotonic()
        try:
            with (
                Progress(operation, command.work(sizes, verify)) as progress,
                Communicator(cluster, on) as comm,  # its end is the simulator's, which writes its record
            ):
                if explain:
                    progress.clear()
                    print(comm.explain(comm.uniform(operation, sizes[-1])))
                results = command.run(comm, operation, sizes, algorithm, verify, progress)
                text = command.table(comm, results, verify)
                facts = command.facts(comm, results, verify)
        except CollectiveError as error:
            raise UserError(str(error)) from error
        except interrupts.Ended as ended:
            traceback.clear_frames(ended.__traceback__)  # a communicator that was being made ends now
            record.complete(folder, operation, on or "sim", sys.argv, 0, ended.status, time.monotonic() - start)
            raise
        for wanted, result in zip(sizes, results, strict=True):
            if result.bytes not in {wanted, 0}:
                note = f"{wanted} bytes: {result.bytes} are moved, whole elements of 4 bytes in equal blocks"
                print(f"polyloom: {note}", file=sys.stderr)
        command.write_record(folder, facts, sys.argv, time.monotonic() - start)
        page_path = page.write(record.read(folder.path))
    print(json.dumps({**facts, "run_dir": str(folder.path), "report": str(page_path)}) if json_output else text)
    if not json_output:
        print(f"report: {page_path}")


app.command(context_settings={"allow_interspersed_args": False})(verb.mpirun)


@app.command()
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


@app.command("apps")
def list_apps() -> None:
    """List the applications, each with what it computes."""
    found = {app.name: app.description() for app in applications.every()}
    width = max(map(len, found), default=0)
    for name, description in found.items():
        print(f"{name:<{width}}  {description}")
    missing = [name for name in applications.source_names() if name not in found]
    if missing:
        print(f"not built: {', '.join(missing)}; {paths.how_to_build()}", file=sys.stderr)


@cluster_app.command("show")
def cluster_show(
    name: Annotated[str, typer.Argument(help="Shipped cluster, zrlmpi:N, or path of a .toml file.")],
    json_output: Annotated[bool, typer.Option("--json", help="Everything, defaults included, as JSON.")] = False,
) -> None:
    """Print a cluster's nodes, links and parameters, defaults included."""
    command = [str(paths.program("polyloom-sim")), "--cluster", str(paths.cluster_file(name)), "--show"]
    status, _ = process.run_child(command + (["--json"] if json_output else []), {}, Path.cwd())
    raise typer.Exit(status)


@cluster_app.command("list")
def cluster_list() -> None:
    """List the shipped clusters."""
    print("\n".join(paths.clusters()))


@app.command()
def report(
    folder: Annotated[Path, typer.Argument(metavar="RUN", help="A run folder.")],
) -> None:
    """Write (again) the report page of a run and print its path."""
    print(page.write(record.read(folder)))


app.command()(sweeps.compare)


@app.command("isa-test")
def isa_test(
    more: Annotated[list[Path] | None, typer.Argument(metavar="[FILE]...", help="More test programs.")] = None,
    elf: Annotated[list[Path] | None, typer.Option("--elf", metavar="FILE...", help="Test programs.")] = None,
    on: Annotated[str, typer.Option(help="sim or rtl.")] = "sim",
    cluster: Annotated[str, typer.Option(help="Of overlay boards; the programs run on board (0,0).")] = "tiny-1",
    limit_us: Annotated[float, typer.Option(help="Simulated time that a program may take, at most 1e9.")] = 10_000,
    json_output: Annotated[bool, typer.Option("--json", help="One JSON object on standard output.")] = False,
) -> None:
    """Run instruction-set tests on a core.

    They say by `tohost` whether they passed: tests/riscv-tests/README.md.
    """
    from polyloom.isatest import command

    files = [*(elf or []), *(more or [])]
    if not files:
        raise UserError("no test program: give --elf FILE...")
    verdicts = command.run(files, on, cluster, limit_us)
    print(command.as_json(verdicts, on) if json_output else command.as_text(verdicts, on))
    raise typer.Exit(0 if all(verdict.passed for verdict in verdicts) else 1)


@app.command()
def synth(
    context: typer.Context,
    name: Annotated[
        str, typer.Argument(metavar="TOP|ROLE|PROG.c", help="A design, a top module, a role, or an MPI program.")
    ],
    part: Annotated[
        str, typer.Option(help="ultrascale+, intel-alm or ecp5; default: ultrascale+, of the overlay all.")
    ] = "",
    size: Annotated[str, typer.Option(help="Of the overlay: tiny, small or default; default: tiny.")] = "",
    param: Annotated[list[str] | None, typer.Option(metavar="K=V", help="Set a parameter of the top.")] = None,
    ranks: Annotated[int, typer.Option(help="Of a program: ranks of the job.")] = 4,
    rank: Annotated[int, typer.Option(help="Of a program: the rank that is synthesized.")] = 1,
    pnr: Annotated[
        bool, typer.Option("--pnr", help="Place and route too, for the clock (ecp5; of a board one tile).")
    ] = False,
    json_output: Annotated[bool, typer.Option("--json", help="One JSON object on standard output.")] = False,
) -> None:
    """Synthesize RTL with open tools; print what a module takes."""
    from polyloom.synth import designs, flow, parts
    from polyloom.synth import report as reports

    if part and part not in parts.PARTS:
        raise UserError(f"no part '{part}'; parts: {', '.join(parts.PARTS)}")
    is_program = name.endswith(".c")
    options.refuse(context, is_program, "of the overlay; leave it out", "size")
    options.refuse(context, not is_program, "of an MPI program (PROG.c); leave it out", "ranks", "rank")
    overrides = {}
    for text in param or []:
        key, equals, value = text.partition("=")
        if not (key and equals and value):
            raise UserError(f"--param {text}: write NAME=VALUE")
        overrides[key] = value
    results = []
    known = designs.read()
    chosen = [designs.of_program(Path(name), ranks, rank)] if is_program else designs.select(name, known, size)
    for design, family, place in designs.jobs(chosen, part, pnr, known):
        with Progress(f"{design.name} on {family}") as progress:
            results.append(
                flow.synthesize(
                    design, parts.PARTS[family], overrides, place, lambda line: progress.at(0, reports.step(line))
                )
            )
        if not json_output:
            print(reports.as_text(results[-1]), flush=True)
    if json_output:
        print(json.dumps({"designs": [result.as_dict() for result in results]}))


@app.command()
def clean(
    runs: Annotated[
        list[Path] | None, typer.Argument(metavar="[FOLDER]...", help="Of run folders; default runs.")
    ] = None,
    caches: Annotated[bool, typer.Option("--caches", help="Also all that is kept to save time later.")] = False,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Only say what would go.")] = False,
) -> None:
    """Remove what killed runs and builds have left.

    Nothing goes that is in use, or that is not provably polyloom's.
    """
    from polyloom import clean as cleaning

    places = runs or [path for path in [Path("runs")] if path.is_dir()]
    print(cleaning.as_text(cleaning.clean(places, caches, dry_run), dry_run))


@app.command()
def doctor(
    json_output: Annotated[bool, typer.Option("--json", help="Machine-readable.")] = False,
) -> None:
    """Say what this machine has, what is missing, and how to get it."""
    from polyloom import doctor as machine

    checks = machine.examine()
    print(machine.as_json(checks) if json_output else machine.as_text(checks))
    raise typer.Exit(0 if all(check.ok or not check.required for check in checks) else 1)


def main() -> None:
    """Entry point: whatever goes wrong is one line on standard error and a status, 2 if the command line is wrong."""
    with errors.one_line(), process.handled(interrupts.end):
        try:
            sys.exit(app(standalone_mode=False))
        except typer.TyperException as error:
            _end_usage(error)


def _end_usage(error: typer.TyperException) -> NoReturn:
    """A command line that cannot be read ends in a line; one without a word in it, in the help."""
    text, context = error.format_message(), getattr(error, "ctx", None)
    if context is not None and text == context.get_help():
        print(text, file=sys.stderr)
        sys.exit(error.exit_code)
    more = f"; all options: {context.command_path} --help" if context is not None else ""
    errors.end(f"{text[:1].lower()}{' '.join(text[1:].split()).rstrip('.')}{more}", error.exit_code)
