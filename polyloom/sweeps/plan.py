# SPDX-License-Identifier: Apache-2.0
"""What a sweep runs. Input: a TOML file, or what stands in one; output: a Plan, all combinations of the values."""

from __future__ import annotations

import difflib
import itertools
import json
import re
import tomllib
from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from polyloom.base import paths
from polyloom.base.errors import UserError
from polyloom.jobs import applications, launch
from polyloom.sweeps import variants

#: Options of ``polyloom run`` itself, and what their values are.
RUN_OPTIONS: dict[str, type] = {"engine": str, "max-cycles": int, "seed": int, "trace": bool}
_WORDS = {str: "a text", int: "a whole number", bool: "true or false"}
#: Options of which each run of a sweep has its own, or none.
NOT_SWEPT = {"help", "json", "out"}
Parameters = dict[str, Any]


@dataclass(frozen=True)
class Plan:
    """Values by parameter. ``options`` and ``keys`` are apart because their values go different ways."""

    app: str | Callable[..., Any]
    on: str = ""
    clusters: list[str] = field(default_factory=list)  # none: natively, or a function
    options: dict[str, list[Any]] = field(default_factory=dict)
    keys: dict[str, list[Any]] = field(default_factory=dict)

    @property
    def values(self) -> dict[str, list[Any]]:
        """All values of each parameter, in the order in which they are given."""
        if not isinstance(self.app, str):
            return self.options
        clusters = {"cluster": self.clusters} if self.clusters else {}
        return {"app": [self.app], "on": [self.on or "sim"], **clusters, **self.options, **self.keys}

    @property
    def swept(self) -> list[str]:
        """Names of the parameters that have several values."""
        return [name for name, values in self.values.items() if len(values) > 1]

    def points(self) -> list[Parameters]:
        """Each combination of values once; the last parameter changes fastest."""
        values = self.values
        points = [dict(zip(values, chosen, strict=True)) for chosen in itertools.product(*values.values())]
        return list({identity(point): point for point in points}.values())

    def part(self, point: Parameters, of: Collection[str]) -> Parameters:
        """Those of a point's parameters that are of ``options`` or ``keys``."""
        return {name: point[name] for name in of}


def identity(point: Parameters) -> str:
    """The same for equal parameters, in whatever order."""
    return json.dumps(point, sort_keys=True)


def read(path: Path) -> Plan:
    """The plan of a file; UserError naming what in it is wrong."""
    try:
        content = tomllib.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError as error:
        raise UserError(f"{path}: there is no such file; docs/guides/sweeps.md says what stands in one") from error
    except (OSError, ValueError, RecursionError) as error:
        why = error.strerror if isinstance(error, OSError) else str(error) or type(error).__name__
        raise UserError(f"{path}: cannot be read as TOML: {why}") from error
    where = str(path)
    _check_names(where, content, {"app", "on", "cluster", "options", "keys"})
    tables = [content.get(name, {}) for name in ("options", "keys")]
    for name, table in zip(("options", "keys"), tables, strict=True):
        if not isinstance(table, dict):
            raise UserError(f"{where}: {name} is {_reported(table)}; write a table [{name}]")
    for name in ("app", "on"):
        if not isinstance(content.get(name, ""), str):
            raise UserError(f"{where}: {name} is {_reported(content[name])}; write a text")
    if not content.get("app"):
        raise UserError(f'{where}: names no application; write app = "pagerank"; `polyloom apps` lists them')
    return make(content["app"], tables[0], tables[1], content.get("cluster", ""), content.get("on", ""), where)


def make(
    app: str | Callable[..., Any],
    options: Mapping[str, Any],
    keys: Mapping[str, Any] | None = None,
    cluster: Any = "",
    on: str = "",
    where: str = "sweep",
) -> Plan:
    """The plan, once all that can be known before the runs is right; else UserError, which begins with ``where``."""
    keys = keys or {}
    listed = {name: _listed(where, f"option {name}", value) for name, value in options.items()}
    if not isinstance(app, str):
        if keys or cluster or on:
            raise UserError(f"{where}: keys, cluster and on are of applications; a function takes options alone")
        return Plan(app, options=listed)
    try:
        on = launch.fidelity(on)
        program = applications.find(app)
        known = set(re.findall(r"(?<![\w-])--([a-zA-Z][\w-]*)", program.help())) | set(RUN_OPTIONS)
    except UserError as error:
        raise UserError(f"{where}: {error}") from error
    listed = {name if name in known else name.replace("_", "-"): values for name, values in listed.items()}
    _check_names(f"{where}: options of {app}", listed, known - NOT_SWEPT - set(program.writes))
    for name, values in listed.items():
        for value in values:
            kind = RUN_OPTIONS.get(name)
            if type(value) is not kind if kind else not isinstance(value, (str, int, float)):
                wanted = _WORDS[kind] if kind else "a text, a number, true or false"
                raise UserError(f"{where}: option {name} is {_reported(value)}; allowed: {wanted}, or a list of such")
    native = on == "native"
    unused = [name for name in RUN_OPTIONS if name in listed and not (name == "seed" and program.draws)]
    unused += [name for name, given in (("cluster", cluster), ("keys", keys)) if given]
    if native and unused:
        raise UserError(f"{where}: {unused[0]}: a native run has no cluster and draws nothing; leave it out")
    if native:
        return Plan(program.name if program.own is None else app, on, options=listed)
    default = launch.DEFAULT_PYTHON_CLUSTER if program.in_python else launch.DEFAULT_CLUSTER
    clusters = _listed(where, "cluster", default if cluster == "" else cluster)
    flat = {key: _listed(where, f"key {key}", value) for key, value in _flat(keys)}
    plan = Plan(program.name if program.own is None else app, on, clusters, listed, flat)
    _check_clusters(where, plan)
    return plan


def _check_clusters(where: str, plan: Plan) -> None:
    """That there are such clusters, and that one of their variants at least can be built.

    One that cannot is a run that fails, as long as there are others: two keys may not go together.
    """
    found = ""
    try:
        files = {name: paths.cluster_file(str(name)) for name in plan.clusters}
        if not plan.keys:
            return
        for point in plan.points():
            found = variants.problem(variants.text(files[point["cluster"]], plan.part(point, plan.keys)))
            if not found:
                return
    except UserError as error:
        raise UserError(f"{where}: {error}") from error
    raise UserError(f"{where}: keys: {found}")


def _flat(keys: Mapping[str, Any], before: str = "") -> Iterator[tuple[str, Any]]:
    """Dotted keys: TOML makes tables of those that are written without quotes."""
    for key, value in keys.items():
        if isinstance(value, Mapping):
            yield from _flat(value, f"{before}{key}.")
        else:
            yield before + key, value


def _listed(where: str, what: str, value: Any) -> list[Any]:
    value = value.tolist() if hasattr(value, "tolist") else value  # NumPy's
    values = list(value) if isinstance(value, (list, tuple, range)) else [value]
    if not values:
        raise UserError(f"{where}: {what} is an empty list; give a value, or a list of values")
    for each in values:
        try:
            json.dumps(each)
        except TypeError as error:
            raise UserError(f"{where}: {what} is {_reported(each)}; allowed: texts, numbers, true, false") from error
    return values


def _check_names(where: str, given: Mapping[str, Any], known: Collection[str]) -> None:
    for name in given:
        if name not in known:
            near = difflib.get_close_matches(name, known, n=1)
            hint = f"did you mean {near[0]}? " if near else ""
            raise UserError(f"{where}: {name} is unknown; {hint}allowed: {', '.join(sorted(known))}")


def _reported(value: Any) -> str:
    text = str(value)
    return f"{text if len(text) <= 40 else text[:37] + '...'} ({type(value).__name__})"
