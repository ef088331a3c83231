# SPDX-License-Identifier: Apache-2.0
"""The wheel of this checkout, and an environment that it is installed in: fixtures of conftest.py."""

from __future__ import annotations

import fcntl
import os
import shutil
import subprocess
import sys
import sysconfig
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from polyloom.base import paths

ROOT = Path(__file__).resolve().parent.parent
PATH = "/usr/local/bin:/usr/bin:/bin"


def call(words: list[object], **options: object) -> subprocess.CompletedProcess[str]:
    """Runs a program to its end."""
    done = subprocess.run(list(map(str, words)), capture_output=True, text=True, timeout=600, **options)  # type: ignore[call-overload]
    assert isinstance(done, subprocess.CompletedProcess)
    return done


def must(words: list[object], **options: object) -> str:
    """Runs a program that must not fail; its output."""
    done = call(words, **options)
    assert done.returncode == 0, f"{words}: {done.stdout}{done.stderr}"
    return str(done.stdout)


@pytest.fixture(scope="session")
def wheel() -> Path:
    """Built once: workers of one run share it."""
    folder = paths.build_dir() / "wheel"
    made = folder / f".of-{os.environ.get('PYTEST_XDIST_TESTRUNUID', os.getpid())}"
    with (paths.build_dir() / "wheel.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not made.is_file():
            _build(folder)
            made.touch()
    [file] = folder.glob("*.whl")
    return file


def _build(folder: Path) -> None:
    shutil.rmtree(folder, ignore_errors=True)
    pip = [sys.executable, "-m", "pip", "wheel", "--quiet", "--no-index", "--no-deps", "--no-build-isolation"]
    must([*pip, "--wheel-dir", folder, ROOT])


@dataclass
class Installed:
    """An environment, the folders of the installation in it, and the variables that programs run with."""

    environment: Path
    home: Path
    variables: dict[str, str]


@pytest.fixture(scope="session")
def installed(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Installed]:
    """The wheel in an environment that has what it depends on, but not this checkout."""
    environment = tmp_path_factory.mktemp("installed") / "environment"
    must([sys.executable, "-m", "venv", "--without-pip", environment])
    python = environment / "bin" / "python"
    [packages] = environment.glob("lib/python*/site-packages")
    must([sys.executable, "-m", "pip", "--python", python, "install", "--quiet", "--no-index", "--no-deps", wheel])
    (packages / "dependencies.pth").write_text(sysconfig.get_path("purelib") + "\n")  # the .pth in there is not read
    home = packages / "polyloom" / "installed" / "share" / "polyloom"
    user = tmp_path_factory.mktemp("user")
    before = stamps(environment)
    close(environment, False)
    yield Installed(environment, home, {"PATH": PATH, "HOME": str(user), "POLYLOOM_HOME": ""})
    close(environment, True)
    assert stamps(environment) == before, "something was written into the installation"


def stamps(folder: Path) -> dict[Path, int]:
    """When each file was changed."""
    return {path: path.stat().st_mtime_ns for path in folder.rglob("*") if not path.is_symlink()}


def close(folder: Path, opened: bool) -> None:
    """Makes all files read-only, or writable again."""
    for path in [folder, *folder.rglob("*")]:
        if not path.is_symlink():
            path.chmod(path.stat().st_mode | 0o200 if opened else path.stat().st_mode & ~0o222)
