# SPDX-License-Identifier: Apache-2.0
# Covers: which runs a sweep's values make, in which order, once each; how a file says it; one line for each mistake.
# Leaves out: running them (test_functions.py, tests/test_sweeps.py).
from __future__ import annotations

import itertools
import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from polyloom.base.errors import UserError
from polyloom.sweeps import plan


def function(**_: Any) -> None: ...


def test_all_combinations_once() -> None:
    options = {"a": [1, 2, 2, 1], "b": "x", "c": (True, False), "d": range(3), "e": np.array([0.5, 1.5])}
    made = plan.make(function, options)
    expected = itertools.product([1, 2], ["x"], [True, False], [0, 1, 2], [0.5, 1.5])
    assert [tuple(point.values()) for point in made.points()] == list(expected)
    assert made.swept == ["a", "c", "d", "e"]


def test_equal_parameters_in_any_order() -> None:
    assert plan.identity({"a": 1, "b": [2, "x"]}) == plan.identity({"b": [2, "x"], "a": 1})
    assert len({plan.identity({"a": value}) for value in (1, 2, "1", True)}) == 4


FILE = """
app = "pagerank"
cluster = ["tiny-1", "tiny-2"]
[options]
generate = "grid:4:4"
iterations = [1, 2]
max_weight = 3
weighted = true
[keys]
link.latency = ["100 ns", "1 us"]
"overlay.timing.mul" = 11
topology.size = [[1, 1], [2, 1]]
"""


def test_a_file(tmp_path: Path) -> None:
    (tmp_path / "x.toml").write_text(FILE)
    made = plan.read(tmp_path / "x.toml")
    assert made.options == {
        "generate": ["grid:4:4"],
        "iterations": [1, 2],
        "max-weight": [3],
        "weighted": [True],
    }
    assert made.keys == {
        "link.latency": ["100 ns", "1 us"],
        "overlay.timing.mul": [11],
        "topology.size": [[1, 1], [2, 1]],
    }
    assert len(made.points()) == 2**4
    assert made.points()[1]["topology.size"] == [2, 1]
    assert made.swept == ["cluster", "iterations", "link.latency", "topology.size"]


APP = 'app = "pagerank"\ncluster = "tiny-1"\n'
MISTAKES = {
    "": "names no application",
    'ap = "x"': "ap is unknown; did you mean app?",
    "app = 3": "app is 3 (int); write a text",
    'app = "pagrank"': "no application 'pagrank'; did you mean pagerank",
    "app = ": "cannot be read as TOML",
    APP + "options = 3": "options is 3 (int); write a table [options]",
    APP + "[options]\niteratons = 1": "iteratons is unknown; did you mean iterations?",
    APP + "[options]\niterations = []": "option iterations is an empty list; give a value",
    APP + "[options]\niterations = [[1]]": "option iterations is [1] (list); allowed: a text, a number",
    APP + "[options]\niterations = 2020-01-01": "option iterations is 2020-01-01 (date)",
    APP + '[options]\nout = "x.csv"': "out is unknown",
    'app = "dpd"\n[options]\nthermo = "x.csv"': "thermo is unknown",
    APP + '[options]\nseed = "x"': "option seed is x (str); allowed: a whole number",
    APP + "[options]\nseed = true": "option seed is True (bool)",
    APP + '[options]\ntrace = "yes"': "option trace is yes (str); allowed: true or false",
    APP + "[keys]\noverlay.tiles_x = []": "key overlay.tiles_x is an empty list",
    APP + "[keys]\noverlay.tile_x = [1, 2]": "keys: [overlay] tile_x = 2: unknown key (did you mean tiles_x?)",
    APP + "[keys]\noverlay.tiles_x = [0.5]": "keys: [overlay] tiles_x = 0.5: ",
    APP + "[keys]\nlink.latency = 5": "keys: [link] latency = 5: no unit",
    'app = "pagerank"\ncluster = ["tiny-1", "tiny-x"]': "no cluster 'tiny-x'",
    'app = "pagerank"\ncluster = []': "cluster is an empty list",
    'app = "pagerank"\non = "fpga"': "--on fpga: allowed are native, sim, rtl",
    'app = "pagerank"\non = "native"\ncluster = "tiny-1"': "cluster: a native run has no cluster",
    'app = "pagerank"\non = "native"\n[keys]\nlink.latency = "1 us"': "keys: a native run has no cluster",
    'app = "pagerank"\non = "native"\n[options]\nseed = [1, 2]': "seed: a native run",
}


@pytest.mark.parametrize("text", MISTAKES)
def test_mistakes(text: str, tmp_path: Path) -> None:
    file = tmp_path / "x.toml"
    file.write_text(text)
    with pytest.raises(UserError, match=re.escape(MISTAKES[text])) as error:
        plan.read(file)
    assert str(error.value).startswith(f"{file}: ")
    assert "\n" not in str(error.value) and "polyloom-cluster" not in str(error.value)


def test_no_file_and_no_text(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="there is no such file"):
        plan.read(tmp_path / "x.toml")
    (tmp_path / "x.toml").write_bytes(b"\xff\xfe")
    with pytest.raises(UserError, match="cannot be read as TOML"):
        plan.read(tmp_path / "x.toml")


def test_a_function_has_no_cluster() -> None:
    with pytest.raises(UserError, match="a function takes options alone"):
        plan.make(function, {}, {"link.latency": "1 us"})


def test_seeds_of_what_draws_natively() -> None:
    assert plan.make("sort", {"keys": 10, "seed": [1, 2]}, {}, on="native").swept == ["seed"]
