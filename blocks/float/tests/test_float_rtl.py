# SPDX-License-Identifier: Apache-2.0
"""Covers: units.toml names every module of the folder; a width that does not exist is refused.

Leaves out: what the units compute: test_polyloom_fp_*.py.
"""

from __future__ import annotations

from float_program import LIST, PORTS, UNITS

from polyloom.rtl import filelist
from polyloom.rtl.testing import elaborate


def test_every_module_of_the_list_is_in_units_toml() -> None:
    modules = {path.stem for path in filelist.read(LIST).sources if path.parent == LIST.parent}
    assert modules - {"polyloom_fp_pkg"} == {unit["module"] for unit in UNITS.values()} == PORTS.keys()


def test_a_width_that_does_not_exist_is_refused_at_elaboration() -> None:
    assert "Width must be 32 or 64" in elaborate("polyloom_fp_add", filelist.read(LIST), Width=16)
