# SPDX-License-Identifier: Apache-2.0
"""What all tests have, loaded by pyproject.toml: signals as launchers expect them, and no test that waits for ever.

pytest-timeout ends a test that takes longer than ``timeout`` (pyproject.toml, or $PYTEST_TIMEOUT) and says where it
stands. What does not even hear that, in a compiled module say, is ended from here a little later, in the same words;
what it had started goes with it.
"""

from __future__ import annotations

import faulthandler
import json
import os
import signal
import threading
from collections.abc import Generator, Iterator
from pathlib import Path

import pytest

from polyloom.base import interrupts, process, progress

#: What each file took when that was measured last (scripts/test_time.py).
TIMES = Path(__file__).resolve().parents[2] / "bench" / "results" / "test-time.json"
#: Of the time limit, until the whole process is given up.
HARD = 1.5
_stderr = pytest.StashKey[int]()


def pytest_configure(config: pytest.Config) -> None:
    """Prepare the process; standard error is not captured yet."""
    config.stash[_stderr] = os.dup(2)
    process.guard()
    # What a run says after two seconds would hang on this machine's speed; tests of progress turn it on.
    os.environ.setdefault(progress.SWITCH, "off")
    if threading.current_thread() is threading.main_thread():
        # Started by nohup or in the background: we go on ignoring them, what tests start must not.
        for signum in interrupts.SIGNALS:
            if signal.getsignal(signum) is signal.SIG_IGN:
                signal.signal(signum, process.ignore)


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Files that take long come first, so that no worker begins one when the others have ended."""
    if TIMES.is_file():
        kept = json.loads(TIMES.read_text())
        seconds = kept.get("after", kept["before"])["python"]["cold"]
        items.sort(key=lambda item: -seconds.get(item.nodeid.partition("::")[0], 0.0))


@pytest.fixture
def ctrl_c_raises() -> Iterator[None]:
    """In the test itself Ctrl-C is as on a terminal, also if the tests were started with it ignored."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_runtest_protocol(item: pytest.Item) -> Generator[None, object, object]:
    """Give up the process if a test does not come to an end."""
    limit = _limit(item.config)
    if limit:
        faulthandler.dump_traceback_later(HARD * limit, exit=True, file=item.config.stash[_stderr])
    try:
        return (yield)
    finally:
        faulthandler.cancel_dump_traceback_later()


def _limit(config: pytest.Config) -> float:
    if not config.pluginmanager.hasplugin("timeout"):
        return 0
    return float(config.getoption("timeout") or os.environ.get("PYTEST_TIMEOUT") or config.getini("timeout") or 0)
