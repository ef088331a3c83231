# SPDX-License-Identifier: Apache-2.0
"""What differs between runs. Input: folders of run records; output: a Comparison, as text or JSON."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from polyloom.base import record
from polyloom.base.errors import UserError
from polyloom.base.record import RunRecord
from polyloom.report import bottleneck, cluster, counters
from polyloom.report.format import columns, quantity

Facts = dict[str, Any]
Rows = dict[str, list[Any]]  # by name, a value for each run
#: Of links, what is compared; alike for all links of a kind or listed.
LINK_KEYS = ("protocol", "latency_ps", "rate_bps", "bit_error_rate", "drop_rate")


@dataclass(frozen=True)
class Comparison:
    """``parts``: by heading, what differs; None: a run does not have it. Under ``busiest`` also what is alike."""

    runs: list[str]
    parts: dict[str, Rows]

    def as_dict(self) -> dict[str, Any]:
        """For JSON: the runs, and under each heading what differs; numbers have ``ratios`` to the first run's."""
        parts = {
            head: {name: {"values": values, "ratios": _ratios(values)} for name, values in rows.items()}
            for head, rows in self.parts.items()
        }
        return {"runs": self.runs, **parts}

    def text(self) -> str:
        """A table under each heading, with a column for each run."""
        shown = []
        for head, rows in self.parts.items():
            body = [[name, *_cells(name, values)] for name, values in rows.items()]
            shown.append(columns([[head, *self.runs], *body]) if body else f"{head}: no difference")
        return "\n\n".join(shown)


def compare(folders: Sequence[Path]) -> Comparison:
    """Compare run records. UserError unless each of these folders, two or more, is one."""
    if len(folders) < 2:
        raise UserError("compare takes two runs or more: polyloom compare RUN RUN")
    runs = [record.read(folder) for folder in folders]
    for run in runs:
        if isinstance(run.run.get("runs"), list):
            raise UserError(f"{run.folder} is a sweep; give runs of it: {run.folder}/000 {run.folder}/001")
    kinds: dict[str, Callable[[RunRecord], Facts]] = {
        "parameters": _parameters,
        "cluster": _cluster,
        "times": _times,
        "results": _results,
        "counters": lambda run: dict(counters.sums(run)),
    }
    parts = {head: _differing(_by_name(list(map(of, runs)))) for head, of in kinds.items()}
    return Comparison(list(map(str, folders)), {**parts, "busiest": _by_name(list(map(_busiest, runs)))})


def _by_name(facts: Sequence[Facts]) -> Rows:
    names = dict.fromkeys(name for each in facts for name in each)
    return {name: [each.get(name) for each in facts] for name in names}


def _differing(rows: Rows) -> Rows:
    return {name: values for name, values in rows.items() if any(value != values[0] for value in values)}


def _parameters(run: RunRecord) -> Facts:
    """What ran, and the options of its command line."""
    clients = run.run.get("clients") or [run.run.get("command")]
    facts: Facts = {
        "app": run.run.get("app") or run.result.get("app"),
        "on": run.run.get("on") or run.run.get("fidelity"),
    }
    facts |= {name: run.run.get(name) for name in ("status", "engine", "seed")}
    for number, words in enumerate(clients if isinstance(clients, list) else []):
        if isinstance(words, list):
            of = f"program {number}: " if len(clients) > 1 else ""
            facts |= {of + name: value for name, value in _options(list(map(str, words)))}
    return facts


def _options(words: Sequence[str]) -> Iterator[tuple[str, Any]]:
    """Of a command line: options with their values, true for one without; --json changes nothing of a run."""
    for word, following in zip(words, [*words[1:], "--"], strict=True):
        name, equals, value = word.partition("=")
        if name.startswith("--") and name != "--json":
            yield name, value if equals else True if following.startswith("--") else following


def _cluster(run: RunRecord) -> Facts:
    """Keys of the cluster with all defaults; of nodes how many there are, of links what they have in common."""
    content = run.cluster()
    tables = {name: value for name, value in content.items() if name not in {"file", "nodes", "links"}}
    facts = dict(_flat(tables, ""))
    for node in _tables(content, "nodes"):
        kind = f"nodes, {node.get('role') or node.get('kind')}"
        facts[kind] = facts.get(kind, 0) + 1
        for name, clock in _flat({key: node.get(key) for key in ("fidelity", "clocks_hz")}, ""):
            _add(facts, f"{kind}: {name}", clock)
    for link in _tables(content, "links"):
        kind = "links to hosts" if link.get("to_host") else "links"
        facts[kind] = facts.get(kind, 0) + 1
        for key in LINK_KEYS:
            _add(facts, f"{kind}: {key}", link.get(key))
    return facts


def _tables(content: Mapping[str, Any], name: str) -> list[dict[str, Any]]:
    value = content.get(name)
    return [each for each in value if isinstance(each, dict)] if isinstance(value, list) else []


def _add(facts: Facts, name: str, value: Any) -> None:
    """One more value of many, each of which is told once."""
    if value is not None:
        said = [] if name not in facts else facts[name] if isinstance(facts[name], list) else [facts[name]]
        said = said if value in said else [*said, value]
        facts[name] = said[0] if len(said) == 1 else said


def _flat(value: Any, name: str) -> Iterator[tuple[str, Any]]:
    if isinstance(value, Mapping):
        for key, inner in value.items():
            yield from _flat(inner, f"{name}.{key}" if name else str(key))
    elif isinstance(value, list) and any(isinstance(each, Mapping) for each in value):
        for number, inner in enumerate(value):
            yield from _flat(inner, name if len(value) == 1 else f"{name}.{number}")
    else:
        yield name, value


def _times(run: RunRecord) -> Facts:
    facts: Facts = {"simulated_seconds": run.number("run.json", "simulated_seconds")}
    facts |= {f"of that, {phase}_seconds": seconds for phase, seconds in run.phases.items()}
    return {**facts, "wall_seconds": run.number("run.json", "wall_seconds")}


def _results(run: RunRecord) -> Facts:
    """Facts of the result; times stand under their own heading."""
    facts = {name: value for name, value in run.result.items() if isinstance(value, (str, int, float))}
    return {
        name: value for name, value in facts.items() if not name.endswith("seconds") and name not in {"device", "on"}
    }


def _busiest(run: RunRecord) -> Facts:
    links = max(cluster.loads(run), key=lambda load: (load.share or 0, load.bits), default=None)
    core = bottleneck.find(run)
    facts: Facts = {}
    if links is not None and links.bits:
        facts |= {"link": " - ".join(links.pair), "bits of the link": links.bits, "load of the link": links.share}
    if core is not None:
        facts |= {
            "core": core.where,
            "instructions of the core": core.instructions,
            "busy share of the core": core.busy,
        }
    return facts


def _ratios(values: Sequence[Any]) -> list[float | None]:
    """To the first value; None where one of them is no number, or the first is 0."""
    first = values[0]
    return [value / first if _is_number(value) and _is_number(first) and first else None for value in values]


def _cells(name: str, values: Sequence[Any]) -> list[str]:
    cells = [_reported(name, value) for value in values]
    for number, ratio in enumerate(_ratios(values)):
        if ratio is not None and values[number] != values[0]:
            cells[number] += f" (x {ratio:.3g})"
    return cells


def _reported(name: str, value: Any) -> str:
    if value is None:
        return "-"
    if _is_number(value):
        units = {"_seconds": "s", "_ps": "s", "_bps": "bit/s", "_hz": "Hz"}
        unit = next((unit for end, unit in units.items() if name.endswith(end)), "")
        value = value / 1e12 if name.endswith("_ps") else value
        return f"{value:.10g}" if not unit and isinstance(value, float) else quantity(value, unit)
    return value if isinstance(value, str) else json.dumps(value)


def _is_number(value: Any) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool)
