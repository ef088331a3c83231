# SPDX-License-Identifier: Apache-2.0
# Covers: what becomes of main's parameters, macros of the job, programs of several files, errors with their place.
# Leaves out: which ranks share a program (test_behaviour.py), whole programs (tests/test_mpirun.py).
from __future__ import annotations

import os
import re
from dataclasses import replace
from pathlib import Path

import pytest

from polyloom import hls
from polyloom.base.cache import KERNELS
from polyloom.base.errors import UserError
from polyloom.hls import frontend
from polyloom.transpile import kernels, library, program

HEAD = "#include <mpi.h>\n#include <stdio.h>\n"


def link(folder: Path, *texts: str, flags: tuple[str, ...] = (), target: program.Target | None = None) -> str:
    files = []
    for number, text in enumerate(texts):
        files.append(folder / f"part{number}.c")
        files[-1].write_text(HEAD + text)
    return program.link(program.Source(tuple(files), flags), target or program.Target(4))


@pytest.mark.parametrize(
    ("text", "takes"),
    [
        ("int main(void) { MPI_Init(0, 0); return MPI_Finalize(); }", False),
        ("int main() { MPI_Init(); return MPI_Finalize(); }", False),
        ("int main(int c, char **v) { MPI_Init(&c, &v); return MPI_Finalize(); }", False),
        ('int main(int c, char *v[]) { MPI_Init(&c, &v); printf("%s\\n", v[c - 1]); return MPI_Finalize(); }', True),
    ],
)
def test_arguments_are_asked_for_only_if_main_uses_them(text: str, takes: bool, tmp_path: Path) -> None:
    assert ("take_arguments" in link(tmp_path, text)) == takes


def test_several_files_and_flags_make_one_program(tmp_path: Path) -> None:
    text = link(tmp_path, "int f(int); int main(void) { MPI_Init(); return f(N); }",
                "int f(int x) { return x * 1000003; }", flags=("-DN=77",))  # fmt: skip
    assert "1000003" in text and "i32 noundef signext 77" in text


def test_a_name_of_the_program_wins_over_the_library(tmp_path: Path) -> None:
    """The library goes on to call its own: calloc of kernel/memory.c calls memset."""
    text = link(tmp_path, "int time = 7, memset[2], rand(void); void *calloc(unsigned long, unsigned long);"
                "int main(int c, char **v) { return time + memset[c] + rand() + (calloc(c, 4) == v); }",
                "int rand(void) { return 1000003; }")  # fmt: skip
    functions = dict(re.findall(r"^define [^\n]*?@([\w.]+)\((.*?)^\}", text, re.MULTILINE | re.DOTALL))
    assert re.search(r"^@time = .*global i32 7", text, re.MULTILINE)
    assert re.search(r"^@memset = .*global \[2 x i32\]", text, re.MULTILINE)
    assert "ret i32 1000003" in functions["rand"]
    called = re.search(r"call [^\n]*@(memset\.\d+)\(", functions["calloc"])
    assert called and called[1] in functions


def test_two_files_may_not_define_the_same_name(tmp_path: Path) -> None:
    with pytest.raises(UserError, match=r"'clock'.*multiply defined"):
        link(tmp_path, "int clock = 1; int main(void) { return clock; }", "int clock = 2;")


def test_clock_and_heap_of_the_target_reach_the_library(tmp_path: Path) -> None:
    text = link(tmp_path, "#include <stdlib.h>\nint main(void) { char *p = malloc(9); return p[MPI_Wtime() > 1]; }",
                target=program.Target(3, 200_000_000, 123_456))  # fmt: skip
    assert "123456" in text or "123457" in text


def test_errors_have_file_line_and_column(tmp_path: Path) -> None:
    with pytest.raises(UserError, match=r"part0\.c:3:33: error: .*y"):
        link(tmp_path, "int main(void) { int x = 1; x = y; return x; }")
    with pytest.raises(UserError, match="no main"):
        link(tmp_path, "int f(void) { return 1; }")
    with pytest.raises(UserError, match=r"absent\.c: no such file"):
        program.Source((tmp_path / "absent.c",))


def test_names_of_files_may_be_no_utf8(tmp_path: Path) -> None:
    """They are in the module, of which a key is made and which lies beside the kernel."""
    folder = tmp_path / os.fsdecode(b"caf\xe9")
    folder.mkdir()
    text = link(folder, "int main(void) { MPI_Init(); return MPI_Finalize(); }")
    assert "caf\\E9" in text
    assert kernels._key(text + folder.name, hls.Options())


def test_the_library_is_compiled_once_for_a_job(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(program, "KERNELS", replace(KERNELS, place=tmp_path / "cache"))
    compiled: list[str] = []
    compile_unit = frontend.compile_unit

    def counted(file: Path, flags: list[str], output: Path) -> Path:
        compiled.append(file.name)
        return compile_unit(file, flags, output)

    monkeypatch.setattr(frontend, "compile_unit", counted)
    main = "int main(void) { MPI_Init(); return MPI_Finalize(); }"
    first, *module = link(tmp_path, main).splitlines()
    assert first.startswith("; ModuleID = ") and len(compiled) == 1 + len(library.sources())
    assert link(tmp_path, main).splitlines()[1:] == module
    assert compiled[1 + len(library.sources()) :] == ["part0.c"]
    link(tmp_path, main, target=program.Target(5))
    assert len(compiled) == 3 + 2 * len(library.sources())
    (tmp_path / "new.h").touch()
    folders = (*library.includes(), tmp_path)
    monkeypatch.setattr(library, "includes", lambda: folders)
    link(tmp_path, main)
    assert len(compiled) == 4 + 3 * len(library.sources())
