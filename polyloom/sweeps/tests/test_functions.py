# SPDX-License-Identifier: Apache-2.0
# Covers: sweeps of a function: calls, rows, failures, what is resumed and what is not, CSV, plots of rows, pandas.
# Leaves out: applications (tests/test_sweeps.py), how a plot is drawn (polyloom/report/tests/test_plot.py).
from __future__ import annotations

import csv
import json
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from polyloom import sweeps
from polyloom.base.errors import UserError


@dataclass
class Result:
    """As a run of a program has it."""

    simulated_seconds: float | None
    wall_seconds: float | None = 0.5
    facts: dict[str, Any] = field(default_factory=dict)


def recorder(calls: list[dict[str, Any]]) -> Callable[..., Result]:
    """A function that notes its calls; of n = 3 it fails."""

    def function(n: int, rate: float, size: str = "") -> Result:
        calls.append({"n": n, "rate": rate})
        if n == 3:
            raise ValueError("three")
        facts = {"square": np.int64(n * n), "share": np.float64(rate), "name": "x", "size": n, "list": [1]}
        return Result(n / rate, facts=facts)

    return function


def test_rows_are_what_the_function_gives(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    calls: list[dict[str, Any]] = []
    found = sweeps.sweep(recorder(calls), {"n": [1, 2, 3], "rate": (0.5, 2.0)})
    assert calls == [{"n": n, "rate": rate} for n in (1, 2, 3) for rate in (0.5, 2.0)]
    assert found.swept == ["n", "rate"] and found.failed == 2 and found.folder is None
    for row in found.rows:
        if row["n"] == 3:
            assert (row["status"], row["message"], row["simulated_seconds"]) == ("failed", "ValueError: three", None)
        else:
            assert row["simulated_seconds"] == row["n"] / row["rate"] and row["wall_seconds"] == 0.5
            assert (row["square"], row["share"], row["status"]) == (row["n"] ** 2, row["rate"], "finished")
            assert "name" not in row and "list" not in row
    assert not any(tmp_path.iterdir())


def test_only_what_has_not_finished_is_called_again(tmp_path: Path) -> None:
    calls: list[dict[str, Any]] = []
    folder = tmp_path / "kept"
    first = sweeps.sweep(recorder(calls), {"n": [1, 2, 3], "rate": 1.0}, folder=folder)
    calls.clear()
    more = sweeps.sweep(recorder(calls), {"rate": [1.0, 2.0], "n": [2, 3, 4]}, folder=folder)
    assert calls == [{"n": n, "rate": rate} for rate, n in [(1.0, 3), (1.0, 4), (2.0, 2), (2.0, 3), (2.0, 4)]]
    assert [row["run"] for row in more.rows] == ["001", "002", "003", "004", "005", "006"]
    assert {**more.rows[0], "message": ""} == first.rows[1]
    with (folder / "sweep.csv").open(newline="") as file:
        rows = list(csv.DictReader(file))
    assert [{name: str(value) for name, value in row.items() if value is not None} for row in more.rows] == [
        {name: value for name, value in row.items() if value or name == "message"} for row in rows
    ]


@pytest.mark.parametrize("kept", [True, False])
def test_an_interrupt_keeps_what_has_finished(kept: bool, tmp_path: Path) -> None:
    def function(n: int) -> Result:
        if n == 2:
            raise KeyboardInterrupt
        return Result(float(n))

    with pytest.raises(KeyboardInterrupt):
        sweeps.sweep(function, {"n": [1, 2, 3]}, folder=tmp_path / "kept" if kept else None)
    if kept:
        content = json.loads((tmp_path / "kept" / "run.json").read_text())
        assert content["status"] == "interrupted"
        assert [entry["status"] for entry in content["runs"]] == ["finished", "waiting", "waiting"]
        assert len((tmp_path / "kept" / "sweep.csv").read_text().splitlines()) == 4


@pytest.mark.parametrize("content", ['{"app": "x"}', '{"runs": [1]}', '{"runs": [{"run": "../x", "parameters": {}}]}'])
def test_a_folder_of_something_else_is_refused(content: str, tmp_path: Path) -> None:
    (tmp_path / "other").mkdir()
    (tmp_path / "other" / "run.json").write_text(content)
    with pytest.raises(UserError, match="not a file of a run record"):
        sweeps.sweep(recorder([]), {"n": 1, "rate": 1.0}, folder=tmp_path / "other")
    (tmp_path / "other" / ".polyloom-record").write_text(
        "polyloom record 1: files below are polyloom's, which replaces and removes them\nrun.json\n"
    )
    with pytest.raises(UserError, match="give another folder"):
        sweeps.sweep(recorder([]), {"n": 1, "rate": 1.0}, folder=tmp_path / "other")
    assert (tmp_path / "other" / "run.json").read_text() == content


def test_runs_without_times_have_a_table_alone(tmp_path: Path) -> None:
    found = sweeps.sweep(lambda n: Result(None, None, {"n": n}), {"n": [1, 2]}, folder=tmp_path / "kept")
    assert found.failed == 0
    page = (tmp_path / "kept" / "sweep.html").read_text()
    assert "<svg" not in page and page.count("<td>finished</td>") == 2


def swept(**options: Any) -> sweeps.Sweep:
    return sweeps.sweep(recorder([]), options)


def test_a_plot_goes_by_the_first_numbers() -> None:
    plot = swept(size=["b", "a"], n=[1, 2, 4], rate=[1.0, 2.0]).plot()
    assert (plot.x.label, plot.x.unit, plot.x.names) == ("n", "", ())
    lines = {label: [(point.x, point.y) for point in points] for label, points in plot.lines.items()}
    assert lines == {
        f"size = {size}, rate = {rate}": [(n, n / rate) for n in (1, 2, 4)] for size in "ba" for rate in (1.0, 2.0)
    }


def test_a_plot_by_quantities_by_names_and_of_means() -> None:
    found = swept(size=["780 ns", "2 us"], n=[4, 1], rate=[1.0, 2.0])
    plot = found.plot()
    assert (plot.x.label, plot.x.unit) == ("size", "s")
    assert [point.x for point in plot.lines["n = 4, rate = 1.0"]] == pytest.approx([780e-9, 2e-6])
    plot = found.plot(x="n", y="square", by=())
    assert [(point.x, point.y) for point in plot.lines[""]] == [(1, 1), (4, 16)]
    plot = found.plot(x="n", by="size")
    assert [point.y for point in plot.lines["size = 2 us"]] == [(1 + 0.5) / 2, (4 + 2) / 2]
    plot = swept(size=["two", "1 us"], n=1, rate=1.0).plot()
    assert (plot.x.names, [point.x for point in plot.lines[""]]) == (("two", "1 us"), [0, 1])


@pytest.mark.parametrize(("values", "wide"), [([1, 9], False), ([1, 10], True), ([0, 10], False)])
def test_axes_are_logarithmic_where_values_are_far_apart(values: list[int], wide: bool) -> None:
    found = swept(n=values, rate=1.0)
    assert (found.plot().x.log, found.plot().y.log) == (wide, wide)
    assert not found.plot(log="").x.log
    assert (found.plot(log="xy").x.log, found.plot(log="xy").y.log) == (min(values) > 0,) * 2


def test_what_cannot_be_drawn_is_told() -> None:
    found = swept(n=[1, 2], rate=1.0)
    for arguments, message in (
        ({"x": "rate"}, "rate has not several values; those that have: n"),
        ({"y": "cube"}, "has a column cube"),
        ({"y": "message"}, "message is no number"),
        ({"by": "colour"}, "has a column colour"),
    ):
        with pytest.raises(UserError, match=message):
            found.plot(**arguments)
    with pytest.raises(UserError, match="no parameter has several values"):
        swept(n=1, rate=1.0).plot()


def test_a_frame_of_pandas() -> None:
    pandas = pytest.importorskip("pandas")
    frame = swept(n=[1, 2, 3], rate=[1.0, 2.0]).frame
    assert isinstance(frame, pandas.DataFrame) and len(frame) == 6
    assert frame.groupby("n")["simulated_seconds"].mean().dropna().to_dict() == {1: 0.75, 2: 1.5}


def test_another_function_gives_its_own_results(tmp_path: Path) -> None:
    """In the same folder, under the same name too, as a cell of a notebook that was changed."""
    found = []
    for factor in (1, 100):
        made: dict[str, Any] = {"Result": Result}
        exec(f"def measure(n):\n    return Result({factor}.0 * n)", made)
        found += [sweeps.sweep(made["measure"], {"n": [1, 2]}, folder=tmp_path / "kept") for _ in range(2)]
    assert [[row["simulated_seconds"] for row in each.rows] for each in found] == [[1, 2]] * 2 + [[100, 200]] * 2
    with pytest.raises(UserError, match="jobs = -1: a whole number from 0"):
        sweeps.sweep(recorder([]), {"n": 1}, jobs=-1)
