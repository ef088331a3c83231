# SPDX-License-Identifier: Apache-2.0
"""``polyloom nbody``: runs or resumes a simulation. Input: a Job; output: a run folder, a table or JSON."""

from __future__ import annotations

import json
import sys
import time
import warnings
from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

import polyloom
from polyloom.base import interrupts, memory, record
from polyloom.base.errors import UserError
from polyloom.base.folder import RunFolder
from polyloom.base.progress import Progress
from polyloom.nbody import snapshot, trees
from polyloom.nbody.arrays import BYTES_A_BODY, State
from polyloom.nbody.cluster import ClusterSimulation, Place, default_cluster
from polyloom.nbody.energies import EnergyLog
from polyloom.nbody.loader import NBodyError
from polyloom.nbody.precision import PrecisionWarning
from polyloom.nbody.settings import Settings
from polyloom.nbody.simulation import Simulation, problem, simd

#: Up to so many bodies the energy is summed directly unless --energy says otherwise.
DIRECT_BODIES = 16384
#: A call of the compiled module takes no longer than about this, so that the bar moves and Ctrl-C is seen.
SECONDS_A_CALL = 0.25
FIDELITIES = ("native", "sim", "rtl")
#: What simulated_seconds of a record contains; simulated_phases of a result name the parts of a step.
SPAN = "from reset to the last rank's end: the forces before the first step, all steps, and collecting energies"


@dataclass(frozen=True)
class Preset:
    """Softening and step that suit a problem."""

    eps: float
    dt: float


DEFAULTS = {
    "plummer": Preset(0.01, 1 / 128),
    "cold-sphere": Preset(1 / 32, 1 / 128),
    "hernquist": Preset(0.01, 1 / 128),
    "kepler": Preset(0.0, 0.01),
}


#: For bodies that a user brings: no one has said that they are soft.
OWN_BODIES = Preset(0.0, 1 / 128)


@dataclass(frozen=True)
class Job:
    """What to simulate and what to write. In the run record, so that a run can be resumed."""

    problem: str = "plummer"
    source: str = ""  # an NPZ file instead of a problem
    count: int = 4096
    seed: int = 0
    steps: int = 10
    nodes: int = 1
    let: str = "host"
    threads: int = 0
    energy: str = "auto"
    log_every: int = 0
    snapshot_every: int = 0
    force_samples: int = 0
    on: str = "native"
    cluster: str = ""  # empty: the shipped one with so many hubs
    compute: str = "free"
    engine: str = ""
    max_drift: float = 0.1

    def checked(self) -> Job:
        """UserError naming the value that is wrong."""
        for name in ("steps", "log_every", "snapshot_every", "force_samples", "threads", "seed"):
            if getattr(self, name) < 0:
                option = {"force_samples": "force-error"}.get(name, name.replace("_", "-"))
                raise UserError(f"--{option} {getattr(self, name)}: must not be negative")
        for name, most in (("seed", 2**63), ("steps", 2**63), ("force_samples", 2**31), ("threads", 4096)):
            if getattr(self, name) >= most:
                raise UserError(f"--{name.replace('force_samples', 'force-error')} {getattr(self, name)}: is too large")
        if self.count < 1 or self.nodes < 1:
            raise UserError(f"--n {self.count}, --nodes {self.nodes}: must be at least 1")
        memory.require(BYTES_A_BODY * self.count, f"a simulation of {self.count} bodies")
        if self.energy not in {"auto", "tree", "direct"}:
            raise UserError(f"--energy {self.energy}: allowed are auto, tree, direct")
        if self.on not in FIDELITIES:
            raise UserError(f"--on {self.on}: allowed are {', '.join(FIDELITIES)}")
        if self.let not in {"host", "full", "hub"}:
            raise UserError(f"--let {self.let}: allowed are host, full, hub")
        if self.let == "hub" and self.on == "native":
            raise UserError("--let hub: there is no hub on --on native; use --on sim or rtl")
        if not self.max_drift > 0:
            raise UserError(f"--max-drift {self.max_drift:g}: must be above 0; inf sets no bound")
        if self.compute not in {"free", "measured"}:
            raise UserError(f"--compute {self.compute}: allowed are free, measured")
        return self


@dataclass
class Outcome:
    """What a run answered."""

    folder: Path
    result: dict[str, Any]
    state: State
    status: int = 0  # 128 and the signal: interrupted; 1: the energy drifted by more than it may


def run(job: Job, settings: Settings, wanted: Path | None) -> Outcome:
    """Run from the start, in the folder that is wanted, or a fresh one."""
    state = (
        snapshot.read_bodies(Path(job.source)) if job.source else _guarded(problem, job.problem, job.count, job.seed)
    )
    job = replace(job, count=len(state["mass"]))
    with record.open_folder(wanted, Path("runs"), "nbody", job.on, [job.source, job.cluster]) as folder:
        return _go(job, settings, state, folder, EnergyLog.fresh(folder.claim("energy.csv")))


def resume(folder: Path, steps: int | None) -> Outcome:
    """Go on from the last whole snapshot of a run; to ``steps`` in all instead of what the run was told."""
    content = record.read(folder).run.get("nbody")
    if not isinstance(content, dict):
        raise UserError(f"{folder} is not a run of polyloom nbody; give the folder of one")
    file = folder / "run.json"
    job = record.stored(Job, content.get("job"), file, "nbody.job").checked()
    settings = record.stored(Settings, content.get("settings"), file, "nbody.settings")
    path, state = snapshot.latest(folder)
    if len(state["mass"]) != job.count:
        raise UserError(f"{path} has {len(state['mass'])} bodies, {file} says {job.count}; one of them was changed")
    if content.get("simd") != simd():
        before = content.get("simd")
        print(f"polyloom: the run began with {before}, here is {simd()}: last bits may differ", file=sys.stderr)
    if steps is not None:
        job = replace(job, steps=steps)
    if job.steps < int(state["step"]):
        raise UserError(f"{path} is at step {int(state['step'])} already; give --steps above that")
    with RunFolder(folder, keep=True) as run:
        log = EnergyLog.resumed(run.claim("energy.csv"), int(state["step"]))
        return _go(job, settings, state, run, log)


def _guarded(call: Any, *arguments: Any) -> Any:
    try:
        return call(*arguments)
    except NBodyError as error:
        raise UserError(str(error)) from error


def _go(job: Job, settings: Settings, state: State, folder: RunFolder, log: EnergyLog) -> Outcome:
    first = int(state.get("step", 0))
    with ExitStack() as stack:
        progress = stack.enter_context(Progress("nbody", job.steps))
        progress.at(first, "starting")
        notes = _Notes(settings.eps, progress)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", PrecisionWarning)  # said below, in this command's own words
            simulation = _guarded(_make, job, settings, state, folder, stack)
        notes.look("at the start", state)
        begin = time.monotonic()
        _write_record(folder, job, settings, None, {"wall_seconds": 0.0})
        direct = job.energy == "direct" or (job.energy == "auto" and job.count <= DIRECT_BODIES)
        try:
            interrupted = _run_steps(job, settings, simulation, folder, log, first, direct, progress)
            wall = time.monotonic() - begin
            last = simulation.state()
            result = _result(job, simulation, log, int(last["step"]) - first, float(last["time"]), wall, direct)
            notes.look("at the end", last)
            result["warnings"] = notes.said
            if job.force_samples and not interrupted:
                progress.at(job.steps, "force errors")
                result["force_errors"] = simulation.force_errors(job.force_samples)
            result["simulated_seconds"] = simulation.finish()
        except NBodyError as error:
            _write_record(folder, job, settings, 1, {"wall_seconds": time.monotonic() - begin})
            raise UserError(str(error)) from error
    folder.write("result.json", json.dumps(result, indent=2) + "\n")
    _write_counters(folder, result)
    status = 128 + interrupted if interrupted else 1 if _drifted(result, job) else 0
    if interrupted:
        notes.report(f"{record.INTERRUPTED[status]} after step {int(last['step'])} of {job.steps}")
    if status == 1:
        notes.say(
            f"the energy drifted by {result['energy_drift']:.3g} of its first value, above --max-drift "
            f"{job.max_drift:g}: the trajectory is not to be trusted; take a smaller --dt or a larger --eps"
        )
    _write_record(folder, job, settings, status, result)
    return Outcome(folder.path, result, last, status)


def _drifted(result: dict[str, Any], job: Job) -> bool:
    """Whether the energy left its bound; a drift that is no number has."""
    return "energy_drift" in result and not result["energy_drift"] <= job.max_drift


class _Notes:
    """What a person should know beside the figures: on standard error at once, and for the record."""

    def __init__(self, eps: float, progress: Progress) -> None:
        self._eps = eps
        self._progress = progress
        self.said: list[str] = []

    def say(self, text: str) -> None:
        self.said.append(text)
        self.report(f"warning: {text}")

    def report(self, text: str) -> None:
        """What is no warning."""
        self._progress.clear()
        print(f"polyloom: {text}", file=sys.stderr)

    def look(self, when: str, state: State) -> None:
        closeness = trees.closeness(state, self._eps)
        if closeness is not None:
            self.say(f"{when}, {closeness}")


def _make(
    job: Job, settings: Settings, state: State, folder: RunFolder, stack: ExitStack
) -> Simulation | ClusterSimulation:
    if job.on == "native":
        return Simulation(state, settings, job.nodes, job.let, job.threads)
    cluster = job.cluster or default_cluster(job.nodes)
    place = Place(cluster, job.on, job.let, job.compute, job.engine, folder.claim("cluster/"), folder.descriptors)
    return stack.enter_context(ClusterSimulation(state, settings, job.nodes, place))


def _run_steps(
    job: Job,
    settings: Settings,
    simulation: Simulation | ClusterSimulation,
    folder: RunFolder,
    log: EnergyLog,
    first: int,
    direct: bool,
    progress: Progress,
) -> int:
    """All steps with their energies and snapshots; the signal that ended them after the step at hand, or 0."""
    every = job.log_every or max(1, job.steps // 20)
    done = first
    with interrupts.noted() as interrupted:
        progress.at(first, "first forces and energies")
        simulation.start()
        if first == 0:
            if job.snapshot_every:
                snapshot.write(folder.claim(snapshot.name_of(0)), simulation.state())
            log.add(0, 0.0, simulation.diagnostics(direct))
        progress.begin_at(first)
        while done < job.steps and not interrupted():
            stop = min(_next(done, every), _next(done, job.snapshot_every), job.steps)
            for reached in _through(simulation, done, stop, job.steps, progress):
                done = reached
                if interrupted():
                    break
            if done % every == 0 or done == job.steps or interrupted():
                log.add(done, done * settings.dt, simulation.diagnostics(direct))
            if job.snapshot_every and (done % job.snapshot_every == 0 or done == job.steps):
                snapshot.write(folder.claim(snapshot.name_of(done)), simulation.state())
        return interrupted()


def _next(done: int, every: int) -> int:
    return (done // every + 1) * every if every else sys.maxsize


def _through(
    simulation: Simulation | ClusterSimulation, done: int, stop: int, steps: int, progress: Progress
) -> Iterator[int]:
    """Advance to ``stop`` of ``steps`` in calls of bearable length; yields the step reached."""
    seconds_a_step = 0.0
    while done < stop:
        count = max(1, int(SECONDS_A_CALL / seconds_a_step)) if seconds_a_step else 1
        count = min(count, stop - done, simulation.MOST_STEPS)
        begin = time.monotonic()
        simulation.advance(count)
        seconds_a_step = max((time.monotonic() - begin) / count, 1e-9)
        done += count
        progress.at(done, f"step {done} of {steps}, {1 / seconds_a_step:.1f} steps/s")
        yield done


def _result(
    job: Job,
    simulation: Simulation | ClusterSimulation,
    log: EnergyLog,
    steps: int,
    time_reached: float,
    wall: float,
    direct: bool,
) -> dict[str, Any]:
    reports = simulation.reports()
    result = {
        "bodies": job.count,
        "steps": steps,
        "time": time_reached,
        "on": job.on,
        "energy_by": "direct summation" if direct else "tree",
        **log.summary(),
        "wall_seconds": wall,
        "seconds_a_step": wall / steps if steps else None,
        "phases": _phases(reports, "phases"),
        "nodes": sum(r["nodes"] for r in reports),
        "let_nodes": sum(r["let_nodes"] for r in reports),
        "full_nodes": sum(r["full_nodes"] for r in reports),
        "interactions_a_body": sum(r["point_interactions"] + r["cell_interactions"] for r in reports)
        / max(1, job.count),
        "simd": simd(),
    }
    if job.on != "native":
        result |= {
            "let": job.let,
            "compute": job.compute,
            "simulated_span": SPAN,
            "simulated_phases": _phases(reports, "simulated_phases"),
        }
    return result


def _phases(reports: list[dict[str, Any]], key: str) -> dict[str, dict[str, float]]:
    return {
        name: {
            "mean": sum(r[key][name] for r in reports) / len(reports),
            "max": max(r[key][name] for r in reports),
        }
        for name in reports[0][key]
    }


def _write_record(folder: RunFolder, job: Job, settings: Settings, status: int | None, result: dict[str, Any]) -> None:
    content = {
        "version": polyloom.__version__,
        "app": "nbody",
        "on": job.on,
        "cluster": None if job.on == "native" else job.cluster or default_cluster(job.nodes),
        "command": sys.argv,
        "seed": job.seed,
        "status": record.word_of(status),
        "exit_status": status,
        "wall_seconds": result["wall_seconds"],
        "simulated_seconds": result.get("simulated_seconds"),
        "simulated_span": result.get("simulated_span"),
        "nbody": {"job": asdict(job), "settings": settings.as_dict(), "simd": simd()},
    }
    folder.write("run.json", json.dumps(content, indent=2) + "\n")


def _write_counters(folder: RunFolder, result: dict[str, Any]) -> None:
    lines = [f"nbody.{name},{result[name]}" for name in ("bodies", "steps", "nodes", "let_nodes", "full_nodes")]
    folder.write("counters.csv", "\n".join(["name,value", *lines]) + "\n")
