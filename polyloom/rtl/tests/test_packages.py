# SPDX-License-Identifier: Apache-2.0
# Covers: members of packed structs as the packages of the RTL say, with those of inner structs or without; what is no
#   struct, or nowhere.
# Leaves out: types of modules, which are of no package.
from __future__ import annotations

import pytest

from polyloom.base.errors import UserError
from polyloom.rtl.testing import Struct, packages


def test_members_are_those_of_the_package() -> None:
    beat = Struct.of("polyloom_stream_pkg::beat_t")
    assert beat.members == (("last", 1), ("keep", 32), ("data", 256)) and beat.width == 289
    flit = Struct.of("polyloom_overlay_pkg::flit_t")
    assert [name for name, _ in flit.members] == ["first", "last", "header", "data"]
    inner = Struct.of("polyloom_overlay_pkg::header_t")
    flat = Struct.of("polyloom_overlay_pkg::flit_t", flat=True)
    assert flat.members == (*flit.members[:2], *inner.members, flit.members[-1]) and flat.width == flit.width


def test_what_is_no_struct_is_named() -> None:
    with pytest.raises(UserError, match="polyloom_stream_pkg::no_t: no package below"):
        packages.members("polyloom_stream_pkg::no_t")
    with pytest.raises(UserError, match="polyloom_no_pkg::beat_t: no package below"):
        packages.members("polyloom_no_pkg::beat_t")
    with pytest.raises(UserError, match="polyloom_overlay_pkg::kind_e: is no packed struct"):
        packages.members("polyloom_overlay_pkg::kind_e")
