# SPDX-License-Identifier: Apache-2.0
# Covers: points lie where their axes' marks say they do (read back from the drawing), on linear, logarithmic and named
# axes; every line and label is there; files; quantities; text in columns.
# Leaves out: how it looks.
from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from xml.etree import ElementTree

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from polyloom.base.errors import UserError
from polyloom.report.format import columns, quantity, value_of
from polyloom.report.plot import Axis, Plot, Point

SVG = "{http://www.w3.org/2000/svg}"


def plot(x: Axis, y: Axis, points: Mapping[str, Sequence[tuple[float, float]]]) -> Plot:
    return Plot("a <title>", x, y, {label: [Point(*at, f"{at}") for at in line] for label, line in points.items()})


def marks(drawing: ElementTree.Element, which: str, names: tuple[str, ...] = ()) -> tuple[list[float], list[float]]:
    """Values of an axis' marks, and their places: those of the grid's lines, each before its text."""
    values, places = [], []
    for line, text in zip(drawing, list(drawing)[1:], strict=False):
        match = re.fullmatch(r"M([\d.]+) ([\d.]+)L([\d.]+) ([\d.]+)", line.get("d", ""))
        if match and (match[1] == match[3]) == (which == "x"):
            reported = str(text.text)
            found = value_of(reported.replace("µ", "u"))
            values.append(float(names.index(reported)) if names else found[0] if found else float(reported))
            places.append(float(match[1 if which == "x" else 2]))
    return values, places


@pytest.mark.parametrize("log", [False, True])
@pytest.mark.parametrize("xs", [[1, 2, 4, 300], [780e-9, 100e-9], list(range(5, 40))])
def test_points_stand_where_the_marks_say(log: bool, xs: list[float]) -> None:
    unit = "s" if max(xs) < 1 else ""
    ys = [3e-6 * (1 + i) ** 2 for i in range(len(xs))]
    drawn = ElementTree.fromstring(
        plot(Axis("x", unit, log), Axis("y", "s", log), {"": list(zip(xs, ys, strict=True))}).svg()
    )
    scale = np.log10 if log else np.asarray
    circles = drawn.findall(f"{SVG}circle")
    for which, values in (("x", xs), ("y", ys)):
        known, places = marks(drawn, which)
        assert 2 <= len(known) <= 20 and len(set(known)) == len(known)
        slope, begin = np.polyfit(scale(known), places, 1)
        shown = [float(circle.get(f"c{which}", "nan")) for circle in circles]
        assert shown == pytest.approx(list(begin + slope * scale(values)), abs=1.5)  # marks are told with 3 digits
        assert (slope > 0) == (which == "x")


def test_names_on_an_axis() -> None:
    names = ("tiny-1", "tiny-2", "a & b")
    drawn = ElementTree.fromstring(plot(Axis("x", names=names), Axis("y"), {"": [(0, 1), (1, 5), (2, 3)]}).svg())
    known, places = marks(drawn, "x", names)
    assert known == [0, 1, 2]
    assert places == [float(circle.get("cx", "")) for circle in drawn.findall(f"{SVG}circle")]


def test_every_line_has_its_look_and_its_label() -> None:
    lines = {f"n < {i}": [(1.0, i), (2.0, i + 1)] for i in range(30)}
    drawn = ElementTree.fromstring(plot(Axis("x"), Axis("y"), lines).svg())
    looks = [(line.get("stroke"), line.get("stroke-dasharray")) for line in drawn.findall(f"{SVG}polyline")]
    assert len(looks) == len(set(looks)) == 30
    assert set(lines) <= {text.text for text in drawn.findall(f"{SVG}text")}
    height = float(drawn.get("viewBox", "").split()[3])
    assert all(float(text.get("y", "")) < height for text in drawn.findall(f"{SVG}text"))


@pytest.mark.parametrize("points", [[(5.0, 7.0)], [(0.0, 0.0)], [(0.0, 0.0), (0.0, 0.0)], [(-1.0, -1e9), (1e-9, 1e9)]])
def test_points_that_span_nothing_and_much(points: list[tuple[float, float]]) -> None:
    drawn = ElementTree.fromstring(plot(Axis("x"), Axis("y"), {"": points}).svg())
    for circle in drawn.findall(f"{SVG}circle"):
        assert 90 <= float(circle.get("cx", "")) <= 880 and 30 <= float(circle.get("cy", "")) <= 365


def test_files(tmp_path: Path) -> None:
    shown = plot(Axis("x"), Axis("y"), {"": [(1, 2)]})
    assert shown.save(tmp_path / "p.svg").read_text() == shown._repr_html_()
    page = shown.save(str(tmp_path / "p.html")).read_text()
    assert page.startswith("<!doctype html>") and shown.svg() in page and "a &lt;title&gt;" in page
    with pytest.raises(UserError, match=r"p\.png: a plot is written as \.svg or \.html"):
        shown.save(tmp_path / "p.png")


@given(st.floats(1e-11, 9e11), st.sampled_from(["s", "Hz", "b/s", "B"]))
def test_a_quantity_is_read_as_it_is_written(value: float, unit: str) -> None:
    found = value_of(quantity(float(f"{value:.3g}"), unit).replace("µ", "u"))
    assert found is not None and found[1] == unit
    assert found[0] == pytest.approx(value, rel=6e-3)


@pytest.mark.parametrize(
    ("text", "value"),
    [("780 ns", (780e-9, "s")), ("10 Gb/s", (1e10, "b/s")), ("2 GiB", (2.0**31, "B")), ("250MHz", (2.5e8, "Hz")),
     ("0.5 us", (5e-7, "s")), (4, (4.0, "")), (0.25, (0.25, ""))],
)  # fmt: skip
def test_values(text: object, value: tuple[float, str]) -> None:
    found = value_of(text)
    assert found is not None and found[1] == value[1]
    assert found[0] == pytest.approx(value[0])


@pytest.mark.parametrize("text", ["4", "uniform:60:4", "1 parsec", "ns", "1e3 ns", "", True, [2, 1], None])
def test_what_is_no_value(text: object) -> None:
    assert value_of(text) is None


def test_columns() -> None:
    rows = [["run", "name", "time"], ["000", "a", "1 s"], ["001", "long", "12 s"]]
    assert columns(rows) == "run  name  time\n000  a      1 s\n001  long  12 s"
