# SPDX-License-Identifier: Apache-2.0
"""Runs what of a sweep has not finished. Input: a Plan, a folder; output: a Sweep, and records in the folder."""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import signal
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from numbers import Integral, Real
from pathlib import Path
from typing import Any

from polyloom.base import interrupts, paths, process, record
from polyloom.base.errors import UserError
from polyloom.base.folder import RunFolder
from polyloom.base.progress import Progress
from polyloom.jobs import applications, launch
from polyloom.report import page
from polyloom.sweeps import plan as plans
from polyloom.sweeps import variants
from polyloom.sweeps.index import FINISHED, WAITING, Entry, Index
from polyloom.sweeps.plan import RUN_OPTIONS, Parameters, Plan
from polyloom.sweeps.result import Sweep


def sweep(
    app: str | Callable[..., Any],
    options: Mapping[str, Any],
    keys: Mapping[str, Any] | None = None,
    cluster: str | Sequence[str] = "",
    on: str = "",
    jobs: int = 0,
    folder: str | Path | None = None,
) -> Sweep:
    """Run an application, or call a function, with all combinations of the values that are given as lists.

    ``options``: the application's, by name without dashes, a value or a list of values each (true: an option without a
    value). ``keys``: dotted keys of the cluster file, such as ``"overlay.tiles_x"``, likewise. ``jobs``: how many runs
    at a time; 0: as many as CPUs. ``folder``: of the records; default APP-sweep. What has finished there is not run
    again. ``app`` may be a function, which is called with ``options`` as keywords, one call after the other, and
    returns an object with ``simulated_seconds``, ``wall_seconds`` (seconds or None) and ``facts`` (a dict of numbers);
    without a folder nothing of it is kept on the disk.

    A run that fails is a row that says so. UserError for what no run could be made of; KeyboardInterrupt once all runs
    have ended, with what has finished in the folder.
    """
    if not callable(app) and not isinstance(app, str):
        raise UserError(f"app = {app!r}: the name of an application or a function is expected")
    if not isinstance(options, Mapping):
        raise UserError(f"options = {options!r}: a mapping of values by name is expected")
    if not isinstance(jobs, int) or jobs < 0:
        raise UserError(f"jobs = {jobs!r}: a whole number from 0 is expected")
    plan = plans.make(app, options, keys, cluster, on)
    if folder is None and isinstance(app, str):
        folder = f"{Path(app).stem}-sweep"
    try:
        return execute(plan, None if folder is None else Path(folder), jobs)
    except interrupts.Ended as ended:
        if ended.status == 128 + signal.SIGINT:
            raise KeyboardInterrupt from ended  # what a notebook or a script expects
        raise


def execute(plan: Plan, folder: Path | None, jobs: int = 0, x: str | None = None) -> Sweep:
    """As ``sweep``, of a plan; ``x``: what the page's plot goes by."""
    with RunFolder(folder, keep=True) if folder is not None else contextlib.nullcontext() as held:
        index = Index(held)
        entries = index.of(plan.points(), "" if isinstance(plan.app, str) else _reported_apart(plan.app))
        todo = [entry for entry in entries if not _is_done(entry, held)]
        jobs = min(jobs or len(os.sched_getaffinity(0)), max(len(todo), 1))
        begin = time.monotonic()

        def save(status: str) -> None:
            app = plan.app if isinstance(plan.app, str) else plan.app.__name__
            seconds = time.monotonic() - begin
            index.save({"app": app, "on": plan.on, "jobs": jobs, "status": status, "wall_seconds": seconds})

        save("running")
        status = "interrupted"
        try:
            with Progress("sweep", len(todo)) as progress:
                runs = _launched(plan, todo, held, jobs) if held and isinstance(plan.app, str) else _called(plan, todo)
                for count, entry in enumerate(runs, 1):
                    save("running")
                    progress.at(count, f"{count} of {len(todo)} runs, {entry.run} {entry.status}")
            status = FINISHED
        finally:
            save(status)
            result = Sweep.of(plan, entries, held.path if held else None)
            if held:
                result.write(held, x)
        return result


def _reported_apart(function: Callable[..., Any]) -> str:
    """The function's name, and a digest of what it does itself; what it calls does not count."""
    code = getattr(function, "__code__", None)
    if code is None:
        return repr(type(function))
    does = repr((code.co_code, code.co_names, [each for each in code.co_consts if not hasattr(each, "co_code")]))
    return f"{function.__qualname__} {hashlib.sha256(does.encode()).hexdigest()[:16]}"


def _is_done(entry: Entry, held: RunFolder | None) -> bool:
    there = entry.outcome is not None or (held is not None and (held.path / entry.run / "run.json").is_file())
    return entry.status == FINISHED and there


def _called(plan: Plan, todo: Sequence[Entry]) -> Iterator[Entry]:
    assert not isinstance(plan.app, str)
    for entry in todo:
        entry.outcome = None
        try:
            given = plan.app(**entry.parameters)
            entry.outcome = {
                "simulated_seconds": given.simulated_seconds,
                "wall_seconds": given.wall_seconds,
                "facts": {name: _plain(value) for name, value in given.facts.items() if isinstance(value, Real)},
            }
            entry.status, entry.message = FINISHED, ""
        except Exception as error:  # a function of the user's may raise anything
            entry.status, entry.message = "failed", " ".join(f"{type(error).__name__}: {error}".split())
        yield entry


def _plain(value: Real) -> int | float:
    return int(value) if isinstance(value, Integral) else float(value)


def _launched(plan: Plan, todo: Sequence[Entry], held: RunFolder, jobs: int) -> Iterator[Entry]:
    """Run them, so many at a time; yields each that has ended, at last interrupts.Ended if that was asked for."""
    assert isinstance(plan.app, str)
    program = applications.find(plan.app)
    _ = program.command, plan.on == "native" or program.for_threads()  # a file of the user's is compiled here, once
    places = [held.claim(f"{entry.run}/") for entry in todo]
    # Many runs share the CPUs better than threads of one.
    engine = "serial" if jobs > 1 and "POLYLOOM_ENGINE" not in os.environ else ""
    with process.signals_for_threads() as requested, ThreadPoolExecutor(jobs) as pool:
        futures = {
            pool.submit(_one, plan, entry.parameters, place, engine, requested): entry
            for entry, place in zip(todo, places, strict=True)
        }
        try:
            for future in as_completed(futures):
                entry = futures[future]
                entry.status, entry.message = future.result()
                yield entry
        except BaseException:
            pool.shutdown(cancel_futures=True)
            raise
        signum = requested()
    if signum:
        raise interrupts.Ended(signum)


def _one(plan: Plan, point: Parameters, place: Path, engine: str, requested: Callable[[], int]) -> tuple[str, str]:
    """Run one, by this engine if the plan names none; its status and, if it failed, why."""
    assert isinstance(plan.app, str)
    if requested():
        return WAITING, ""
    options = plan.part(point, plan.options)
    own: Parameters = {"engine": engine}
    own |= {name.replace("-", "_"): options.pop(name) for name in RUN_OPTIONS if name in options}
    messages: list[str] = []
    try:
        if plan.keys:
            base = paths.cluster_file(point["cluster"])
            own["cluster_text"] = variants.text(base, plan.part(point, plan.keys))
        request = launch.RunRequest(
            plan.app,
            [word for name, value in options.items() for word in _words(name, value)],
            plan.on,
            point.get("cluster", ""),
            json_output=True,
            run_dir=place,
            on_message=messages.append,
            **own,
        )
        status, _, output = launch.launch(request)
        if status == 0:
            page.write(record.read(place))
    except UserError as error:
        return "failed", str(error)
    return record.word_of(status), "" if status == 0 else _why(status, messages, output)


def _words(name: str, value: Any) -> list[str]:
    if isinstance(value, bool):
        return [f"--{name}"] if value else []
    return [f"--{name}={value}"]


def _why(status: int, messages: Sequence[str], output: str) -> str:
    """What a run that failed has said of it."""
    said = [line.removeprefix("polyloom: ") for line in messages if line.startswith("polyloom: ")]
    if said:
        return said[-1]
    with contextlib.suppress(ValueError, AttributeError):
        if json.loads(output).get("verified") is False:
            return "verification failed"
    return (list(filter(None, messages)) or [f"ended with status {status}"])[-1]
