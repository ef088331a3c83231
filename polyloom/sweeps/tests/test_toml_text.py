# SPDX-License-Identifier: Apache-2.0
# Covers: shipped cluster files and drawn tables come back from their text, read by tomllib; what a variant changes.
# Leaves out: dates, which no cluster file has.
from __future__ import annotations

import tomllib
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from polyloom.base import paths
from polyloom.base.errors import UserError
from polyloom.sweeps import toml_text, variants

TEXTS = st.text(st.characters(exclude_categories=["Cs"]))
SCALARS = st.booleans() | st.integers(-(2**63), 2**63 - 1) | st.floats(allow_nan=False) | TEXTS
VALUES = st.recursive(SCALARS, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(TEXTS, inner, max_size=3))


@settings(deadline=None, max_examples=200)
@given(st.dictionaries(TEXTS, VALUES, max_size=5))
def test_tables_come_back(table: dict[str, Any]) -> None:
    assert tomllib.loads(toml_text.of(table)) == table


@pytest.mark.parametrize("name", paths.clusters())
def test_shipped_clusters_come_back(name: str) -> None:
    content = tomllib.loads(paths.cluster_file(name).read_text())
    assert tomllib.loads(toml_text.of(content)) == content


@pytest.mark.parametrize("name", paths.clusters())
def test_the_simulator_takes_what_is_written(name: str) -> None:
    assert variants.problem(variants.text(paths.cluster_file(name), {})) == ""


def test_a_variant_differs_in_its_keys() -> None:
    base = paths.cluster_file("tiny-2")
    keys = {"overlay.timing.mul": 11, "link.latency": "100 ns", "topology.size": [3, 1]}
    expected = tomllib.loads(base.read_text()) | {"name": "tiny-2"}
    expected["overlay"]["timing"] = {"mul": 11}
    expected["link"]["latency"] = "100 ns"
    expected["topology"]["size"] = [3, 1]
    assert tomllib.loads(variants.text(base, keys)) == expected
    wrong = variants.problem(variants.text(base, {"overlay.cores": 2}))
    assert wrong.startswith("[overlay] cores = 2: unknown key")


def test_what_has_no_keys_is_refused(tmp_path: Path) -> None:
    with pytest.raises(UserError, match=r"version in .* is no table"):
        variants.text(paths.cluster_file("tiny-2"), {"version.x": 1})
    with pytest.raises(UserError, match="only a cluster file in TOML"):
        variants.text(tmp_path / "ranks.json", {"link.latency": "1 us"})
    (tmp_path / "bad.toml").write_text("a = ")
    with pytest.raises(UserError, match="cannot be read as TOML"):
        variants.text(tmp_path / "bad.toml", {"link.latency": "1 us"})
