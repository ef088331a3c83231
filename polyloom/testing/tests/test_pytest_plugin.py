# SPDX-License-Identifier: Apache-2.0
# Covers: a test that hangs is ended and says where, in Python and where no signal is heard; what it had started ends
# too; tests that are started with Ctrl-C ignored start programs that hear it; every ctest has a limit.
# Leaves out: how long the limits are.
from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from polyloom.base import paths, supervisor

HANGS = """
import signal, subprocess, time
def test_hangs():
    subprocess.Popen(["sleep", "600"], start_new_session=True)
    {first}
    while True:
        time.sleep(1)
def test_next():
    pass
"""


def run(tmp_path: Path, text: str, **env: str) -> subprocess.CompletedProcess[str]:
    (tmp_path / "test_it.py").write_text(text)
    command = [
        sys.executable,
        "-m",
        "pytest",
        "-p",
        "polyloom.testing.pytest_plugin",
        "-p",
        "no:cacheprovider",
        "test_it.py",
    ]
    return subprocess.run(
        command, cwd=tmp_path, env={**os.environ, **env}, capture_output=True, text=True, check=False, timeout=100
    )


@pytest.mark.parametrize("deaf", [False, True])
def test_a_test_that_hangs_is_ended_and_says_where(deaf: bool, tmp_path: Path) -> None:
    mark = f"POLYLOOM_TEST_HANGS_{os.getpid()}_{time.monotonic_ns()}"
    first = "signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGALRM])" if deaf else "pass"
    done = run(tmp_path, HANGS.format(first=first), PYTEST_TIMEOUT="3", **{mark: "1"})
    assert done.returncode != 0
    said = done.stdout + done.stderr
    assert "in test_hangs" in said or "test_hangs ___" in said
    assert "Timeout" in said
    assert deaf or "1 failed, 1 passed" in said
    limit = time.monotonic() + 20
    while supervisor.marked(mark) and time.monotonic() < limit:
        time.sleep(0.1)
    assert not supervisor.marked(mark)


def test_what_tests_start_hears_ctrl_c_though_they_ignore_it(tmp_path: Path) -> None:
    (tmp_path / "ignores.py").write_text(
        "import os, signal, sys\nsignal.signal(signal.SIGINT, signal.SIG_IGN)\nos.execv(sys.argv[1], sys.argv[1:])\n"
    )
    (tmp_path / "test_it.py").write_text(
        "import signal, subprocess, sys\n"
        "def test_child():\n"
        "    child = subprocess.Popen(['sleep', '600'])\n"
        "    signal.raise_signal(signal.SIGINT)\n"  # of the test itself: ignored, as it was told
        "    child.send_signal(signal.SIGINT)\n"
        "    assert child.wait(timeout=20) == -signal.SIGINT\n"
    )
    pytest_words = [sys.executable, "-m", "pytest", "-p", "polyloom.testing.pytest_plugin", "-p", "no:cacheprovider"]
    words = [sys.executable, "ignores.py", *pytest_words, "test_it.py"]
    done = subprocess.run(words, cwd=tmp_path, capture_output=True, text=True, check=False, timeout=100)
    assert done.returncode == 0, done.stdout + done.stderr
    assert signal.getsignal(signal.SIGINT) is not signal.SIG_IGN


def test_every_ctest_has_a_limit() -> None:
    listing = ["ctest", "--test-dir", str(paths.build_dir()), "--show-only=json-v1"]
    tests = json.loads(subprocess.run(listing, capture_output=True, text=True, check=True).stdout)["tests"]
    assert tests
    endless = [t["name"] for t in tests if "TIMEOUT" not in {p["name"] for p in t["properties"]}]
    assert endless == []
