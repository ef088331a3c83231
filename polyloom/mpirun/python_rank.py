# SPDX-License-Identifier: Apache-2.0
"""CPU ranks that are Python scripts: mpi4py on Polyloom's own MPI. Output: a folder for PYTHONPATH, made once.

mpi4py is C made from Cython, which asks of each call of MPI whether it is there. We respond from our ``mpi.h``, and
compile it for the interpreter that runs us.
"""

from __future__ import annotations

import functools
import os
import re
import shutil
import sys
import sysconfig
from collections.abc import Callable
from pathlib import Path

from polyloom.base import paths, process
from polyloom.base.cache import KERNELS, digest
from polyloom.base.errors import UserError
from polyloom.hls import toolchain
from polyloom.mpirun import cpu

VERSION = "3.1.6"
PACKAGE = "mpi4py"
CONFIG = "src/lib-mpi/config/config.h"
DEFINES = ("-DHAVE_CONFIG_H=1", "-DHAVE_DLFCN_H=1", "-DHAVE_DLOPEN=1")


def environment(say: Callable[[str], None]) -> dict[str, str]:
    """Variables with which a script finds mpi4py, and what it prints is seen at once. UserError if that fails."""
    known = os.environ.get("PYTHONPATH")
    return {"PYTHONPATH": os.pathsep.join(filter(None, (str(_folder(say)), known))), "PYTHONUNBUFFERED": "1"}


def _folder(say: Callable[[str], None]) -> Path:
    library = cpu.library_file()
    headers = sorted((paths.home() / "roles" / "mpi" / "include").glob("*.h"))
    key = digest([VERSION, sys.version, str(library)], headers)
    make = functools.partial(_make, library, headers[0].parent, say)
    return KERNELS.provide(f"mpi4py-{key}", f"{PACKAGE}/__init__.py", make)[0]


def _make(library: Path, include: Path, say: Callable[[str], None], fresh: Path) -> None:
    say(f"compiling {PACKAGE} {VERSION} for CPU ranks, once")
    with process.scratch(PACKAGE) as scratch:
        source = _source(scratch)
        (source / CONFIG).write_text(_config(source, include), encoding="utf-8")
        shutil.copytree(source / "src" / PACKAGE, fresh / PACKAGE)
        headers = [f"-I{include}", f"-I{sysconfig.get_paths()['include']}"]
        output = fresh / PACKAGE / f"MPI{sysconfig.get_config_var('EXT_SUFFIX')}"
        linked = [str(library), f"-Wl,-rpath,{library.parent}", "-ldl"]
        words = ["-O1", "-w", "-fPIC", "-shared", *DEFINES, *headers]
        toolchain.run("clang", [*words, source / "src" / "MPI.c", *linked, "-o", output])


def _source(scratch: Path) -> Path:
    """mpi4py's sources, from the Python package index."""
    pip = [sys.executable, "-m", "pip", "--disable-pip-version-check", "download", "--quiet", "--no-deps"]
    done = process.tool([*pip, "--no-binary", PACKAGE, "--dest", str(scratch), f"{PACKAGE}=={VERSION}"])
    found = sorted(scratch.glob(f"{PACKAGE}-*.tar.gz"))
    if done.returncode != 0 or not found:
        last = (done.stderr.strip().splitlines() or ["pip ended without it"])[-1]
        raise UserError(f"Python ranks need the sources of {PACKAGE} {VERSION}, which pip does not bring: {last}")
    shutil.unpack_archive(found[0], scratch)
    return scratch / f"{PACKAGE}-{VERSION}"


def _config(source: Path, include: Path) -> str:
    """What mpi4py would find by compiling a program for each name."""
    missing = (source / "src" / "lib-mpi" / "missing.h").read_text(encoding="utf-8")
    comments = re.compile(r"/\*.*?\*/", re.DOTALL)
    there = set(re.findall(r"\bMPI_\w+", comments.sub("", (include / "mpi.h").read_text(encoding="utf-8"))))
    requested = sorted(set(re.findall(r"PyMPI_HAVE_(\w+)", missing)))
    return "".join(f"#define PyMPI_HAVE_{name} 1\n" for name in requested if name in there)
