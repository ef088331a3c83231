# SPDX-License-Identifier: Apache-2.0
"""Covers: each kind of line, order, nesting, each error with its place.

Leaves out: what tools make of a list (their own tests).
"""

from __future__ import annotations

from pathlib import Path

import pytest

from polyloom.base.errors import UserError
from polyloom.rtl import filelist


def put(folder: Path, **files: str) -> None:
    for name, text in files.items():
        path = folder / name.replace("__", "/").replace("_f", ".f").replace("_sv", ".sv").replace("_vlt", ".vlt")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)


def test_order_comments_and_nesting_each_once(tmp_path: Path) -> None:
    put(tmp_path, sub__b_sv="", sub__c_sv="", a_sv="", w_vlt="", inc__x_svh="")
    put(tmp_path, sub__b_f="b.sv\n+incdir+../inc\n", sub__c_f="-f b.f\nc.sv // behind\n")
    put(tmp_path, top_f="# comment\n-f sub/c.f\n\n-f sub/b.f  # again\nw.vlt\na.sv\nsub/../a.sv\n")
    result = filelist.read(tmp_path / "top.f")
    assert [p.relative_to(tmp_path).as_posix() for p in result.sources] == ["sub/b.sv", "sub/c.sv", "a.sv"]
    assert result.include_dirs == [tmp_path / "inc"]
    assert result.vlt == [tmp_path / "w.vlt"]
    assert result.verilator_args()[:2] == [f"+incdir+{tmp_path / 'inc'}", str(tmp_path / "w.vlt")]


def test_hash_and_slashes_inside_a_path_are_no_comment(tmp_path: Path) -> None:
    (tmp_path / "a#b.sv").write_text("")
    put(tmp_path, top_f="a#b.sv\n")
    assert [p.name for p in filelist.read(tmp_path / "top.f").sources] == ["a#b.sv"]


def test_vendor_folders_are_those_of_the_installed_package(tmp_path: Path) -> None:
    put(tmp_path, top_f="${common_cells}/src/spill_register.sv\n${cvfpu}/src/fpnew_pkg.sv\n")
    sources = filelist.read(tmp_path / "top.f").sources
    assert "module spill_register" in sources[0].read_text()
    assert "package fpnew_pkg" in sources[1].read_text()


@pytest.mark.parametrize(
    ("text", "line", "message"),
    [
        ("\nnone.sv\n", 2, "none.sv does not exist"),
        ("a.sv\n-f none.f\n", 2, "file list"),
        ("-f top.f\n", 1, "includes itself: top.f -> top.f"),
        ("+incdir+none\n", 1, "folder"),
        ("+define+X\n", 1, "'+define+X' is not known; allowed"),
        ("-y lib\n", 1, "not known"),
        ("${pulp}/a.sv\n", 1, "${pulp} is not known; known: ${common_cells}, ${cvfpu}"),
        ("a.sv b.sv\n", 1, "one path a line"),
        ("top.f\n", 1, "a list needs -f"),
    ],
)
def test_errors_name_file_and_line(tmp_path: Path, text: str, line: int, message: str) -> None:
    put(tmp_path, a_sv="", top_f=text)
    with pytest.raises(UserError) as caught:
        filelist.read(tmp_path / "top.f")
    assert str(caught.value).startswith(f"{tmp_path / 'top.f'}:{line}: ")
    assert message in str(caught.value)


def test_absent_and_empty_lists(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="does not exist"):
        filelist.read(tmp_path / "top.f")
    put(tmp_path, top_f="# nothing\n")
    with pytest.raises(UserError, match="names no source"):
        filelist.read(tmp_path / "top.f")


def test_missing_package_says_make_setup(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(filelist, "_PACKAGE", "pythondata_no_such")
    with pytest.raises(UserError, match="make setup"):
        filelist.vendor_folder("cvfpu")
