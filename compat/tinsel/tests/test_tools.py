# SPDX-License-Identifier: Apache-2.0
# Covers: what bin/checkelf.sh finds in linked programs; the C headers that host programs get with ours; config.h and
# config.py of a cluster. Leaves out: programs that pass and run (test_compat.py, whose Makefiles call checkelf.sh too).
from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import pytest

TREE = Path(__file__).resolve().parents[1]
ROOT = TREE.parents[1]
PREFIX = "riscv64-unknown-elf-"
needs_compiler = pytest.mark.skipif(shutil.which(f"{PREFIX}gcc") is None, reason="no RISC-V compiler")

#: Assembler source -> what is said of it; sections lie where SCRIPT puts them.
WRONG = {
    ".zero 7620": "its code takes bytes 576 to 8196: instruction memory has 8192, and the first 576 are the boot",
    '.section .init_array, "aw"\n.word 1': "section .init_array: no one runs constructors; initialise in main()",
    '.section .hot, "ax"\nnop': "section .hot holds code, but code.v is made of .text alone",
    '.section .low, "aw"\n.word 1': "section .low at 0x00008000 of 0x000004 bytes: data lies in SRAM",
    "nop\necall\nfence.i": "instructions that the overlay does not have: ecall at 244;fence.i at 248",
    "lr.w a0, (a1)\namoadd.w a0, a1, (a2)": "does not have: lr.w at 240;amoadd.w at 244",
    "fadd.d f0, f1, f2\nfcvt.w.d a0, f1": "does not have: fadd.d at 240;fcvt.w.d at 244",
}
GOOD = """
nop
csrrs a0, 0xc00, x0
div a0, a1, a2
fsqrt.s f0, f1
fmadd.s f0, f1, f2, f3
.4byte 0x00b50008  # Send
.zero 7500
.data
.word 1
.bss
.zero 64
.section .note, ""
.ascii "takes no memory"
"""
ADDRESSES = ("-Ttext=0x240", "-Tdata=0x1800000", "--section-start=.init_array=0x1800000")
ELSEWHERE = ("--section-start=.hot=0x1000", "--section-start=.low=0x8000")


def linked(folder: Path, source: str) -> Path:
    (folder / "x.S").write_text(f".globl _start\n_start:\n{source}\n")
    commands = (
        [f"{PREFIX}gcc", "-march=rv32imafd_zicsr_zifencei", "-mabi=ilp32", "-c", "x.S"],
        [f"{PREFIX}ld", "-melf32lriscv", "--orphan-handling=place", *ADDRESSES, *ELSEWHERE, "x.o", "-o", "x.elf"],
    )
    for command in commands:
        subprocess.run(command, cwd=folder, check=True, capture_output=True, timeout=60)
    return folder / "x.elf"


def checkelf(*arguments: Path | str, **env: str) -> subprocess.CompletedProcess[str]:
    command = [str(TREE / "bin" / "checkelf.sh"), *map(str, arguments)]
    return subprocess.run(command, text=True, capture_output=True, check=False, timeout=60)


@needs_compiler
def test_programs_that_fit_pass_in_silence(tmp_path: Path) -> None:
    done = checkelf(linked(tmp_path, GOOD))
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")


@needs_compiler
@pytest.mark.parametrize("source", WRONG)
def test_what_cannot_run_is_named(source: str, tmp_path: Path) -> None:
    path = linked(tmp_path, source)
    done = checkelf(path)
    assert done.returncode == 1
    assert done.stdout == ""
    assert done.stderr.startswith(f"checkelf.sh: {path}: ")
    assert WRONG[source] in done.stderr
    assert done.stderr.count("\n") == 1


@needs_compiler
def test_files_that_are_no_programs(tmp_path: Path) -> None:
    linked(tmp_path, "nop")
    assert "usage: checkelf.sh FILE" in checkelf().stderr
    for path, text in (
        (tmp_path / "none.elf", "cannot be read as an ELF file"),
        (tmp_path / "x.S", "cannot be read as an ELF file"),
        (tmp_path / "x.o", "is no linked RV32 program"),
        (Path("/bin/sh"), "is no linked RV32 program"),
    ):
        done = checkelf(path)
        assert done.returncode == 1, path
        assert text in done.stderr


#: Uses of heat-gals, heat-sync and pressure-sync: no header of C is named.
HOST_PROGRAM = """#include <{header}>
int main() {{
  timeval begin;
  gettimeofday(&begin, 0);
  uint32_t n = 2;
  assert(n == 2);
  char text[8];
  memset(text, 0, sizeof text);
  printf("%f %s\\n", sqrt(2.0) * fabs(-1.0f), text);
  return EXIT_SUCCESS;
}}
"""
EDGE_LIST_PROGRAM = """#include <EdgeList.h>
int main(int argc, char** argv) {
  EdgeList net;
  if (argc != 2) { printf("file\\n"); exit(1); }
  net.read(argv[1]);
  assert(net.minFanOut() > 0);
}
"""


@pytest.mark.parametrize("source", [HOST_PROGRAM.format(header="POLite.h"), EDGE_LIST_PROGRAM])
def test_headers_give_what_programs_rely_on(source: str, tmp_path: Path) -> None:
    subprocess.run(["make", "-s", "-C", str(TREE / "include"), "config.h"], check=True, timeout=60)
    (tmp_path / "run.cpp").write_text(source)
    folders = (TREE / "include", ROOT / "polite/include", ROOT / "roles/overlay/device", ROOT, TREE / "hostlink")
    options = [option for folder in folders for option in ("-I", str(folder))]
    command = ["g++", "-std=gnu++20", "-Wall", "-fsyntax-only", *options, str(tmp_path / "run.cpp")]
    done = subprocess.run(command, text=True, capture_output=True, check=False, timeout=120)
    assert done.returncode == 0, done.stderr


def test_parameters_are_those_of_the_cluster_built_for(tmp_path: Path) -> None:
    """From an application's folder, by a path of its own; and config.h is touched only where it changes."""
    (tmp_path / "mine.toml").write_text(
        '[fpga]\nrole = "overlay"\nclocks = { core = "200 MHz" }\n[overlay]\ninstr_words = 4096\n'
    )
    shutil.copytree(TREE, tmp_path / "root/compat/tinsel", ignore=shutil.ignore_patterns("build", "*.a", "*.o"))
    for part in ("roles", "clusters"):
        (tmp_path / "root" / part).symlink_to(ROOT / part)
    root = tmp_path / "root/compat/tinsel"
    (tmp_path / "Makefile").write_text(
        "include $(TINSEL_ROOT)/globals.mk\nall:\n\t@python $(TINSEL_ROOT)/config.py envs\n"
    )

    def made(cluster: str) -> tuple[str, str, int]:
        command = ["make", "-s", f"TINSEL_ROOT={root}"]
        env = {**os.environ, "POLYLOOM_CLUSTER": cluster}
        done = subprocess.run(command, cwd=tmp_path, env=env, text=True, capture_output=True, timeout=60)
        assert done.returncode == 0, done.stderr
        header = root / "include/config.h"
        return done.stdout, header.read_text(), header.stat().st_mtime_ns

    (envs, header, _) = made("")
    assert "export ClockFreq=250\n" in envs
    assert "#define TinselClockFreq 250\n" in header
    (envs, header, written) = made("mine.toml")
    assert "export ClockFreq=200\n" in envs
    assert "export InstrsPerCore=4096\n" in envs
    assert "#define TinselClockFreq 200\n" in header
    assert made("mine.toml")[2] == written
    assert "#define TinselClockFreq 250\n" in made("tiny-2")[1]
    command = ["make", "-s", f"TINSEL_ROOT={root}"]
    env = {**os.environ, "POLYLOOM_CLUSTER": "no-such-cluster"}
    done = subprocess.run(command, cwd=tmp_path, env=env, text=True, capture_output=True, check=False, timeout=60)
    assert done.returncode != 0
    assert "no-such-cluster is no cluster file that can be read" in done.stderr
