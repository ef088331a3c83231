# SPDX-License-Identifier: Apache-2.0
# Covers: nothing outlives a launcher that is killed (children, grandchildren in sessions of their own, stubborn ones,
# children that are just being started, temporary folders); a group ends in order after its leader; ignored signals.
# Leaves out: which programs the verbs start (tests/test_kills.py).
from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from polyloom.base import process, supervisor

#: What the issue allows, and something for a busy machine.
SECONDS = 5.0 + 10.0

LAUNCHER = """
import subprocess, sys, time
from pathlib import Path
from polyloom.base import process
mark = process.guard()
{body}
"""


def launcher(body: str) -> subprocess.Popen[str]:
    """A program that guards itself, prints its mark and goes on with ``body``."""
    code = LAUNCHER.format(body=f"print(mark, flush=True)\n{body}")
    return subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, text=True)


def killed(job: subprocess.Popen[str], lines: int) -> list[str]:
    """Kill it outright when it has printed so many lines; return them."""
    assert job.stdout is not None
    said = [job.stdout.readline().strip() for _ in range(lines)]
    job.kill()
    job.wait()
    job.stdout.close()
    return said


def comes_to(mark: str, count: int) -> bool:
    """Whether as many marked processes as that are there in time: one that starts another leaves when it likes."""
    limit = time.monotonic() + SECONDS
    while len(supervisor.marked(mark)) != count and time.monotonic() < limit:
        time.sleep(0.05)
    return len(supervisor.marked(mark)) == count


def ends(mark: str) -> bool:
    return comes_to(mark, 0)


STUBBORN = "import signal, time; [signal.signal(s, signal.SIG_IGN) for s in (1, 2, 15)]; print('up', flush=True); "
STUBBORN += "time.sleep(600)"


def test_a_killed_launcher_takes_its_tree_with_it() -> None:
    grandchild = f"import os, subprocess, sys; os.setsid(); subprocess.Popen([sys.executable, '-c', {STUBBORN!r}])"
    job = launcher(
        "subprocess.Popen(['sleep', '600'], start_new_session=True)\n"
        f"subprocess.Popen([sys.executable, '-c', {grandchild!r}]).wait()\ntime.sleep(600)"
    )
    assert job.stdout is not None
    mark, _ = (job.stdout.readline().strip() for _ in range(2))
    assert comes_to(mark, 2)
    killed(job, 0)
    assert ends(mark)


@pytest.mark.parametrize("seed", range(4))
def test_a_launcher_that_is_killed_while_it_starts_children_leaves_none(seed: int) -> None:
    job = launcher("while True: subprocess.Popen(['sleep', '600'], start_new_session=True)")
    assert job.stdout is not None
    mark = job.stdout.readline().strip()
    time.sleep(random.Random(seed).uniform(0, 0.1))
    killed(job, 0)
    assert ends(mark)
    time.sleep(0.2)
    assert not supervisor.marked(mark)


def test_temporary_folders_go_too(tmp_path: Path) -> None:
    job = launcher(
        f"kept = process.scratch('kept', Path({str(tmp_path)!r}))\n"
        f"with process.scratch('gone', Path({str(tmp_path)!r})): pass\n"
        "(kept.__enter__() / 'file').write_text('x')\n"
        "print('up', flush=True)\ntime.sleep(600)"
    )
    killed(job, 2)
    limit = time.monotonic() + SECONDS
    while list(tmp_path.iterdir()) and time.monotonic() < limit:
        time.sleep(0.05)
    assert list(tmp_path.iterdir()) == []


def test_a_launcher_that_ends_by_itself_is_not_waited_for() -> None:
    begin = time.monotonic()
    done = subprocess.run(
        [sys.executable, "-c", LAUNCHER.format(body="print(mark)")], capture_output=True, text=True, check=True
    )
    assert done.stdout.startswith("POLYLOOM_TREE_")
    assert time.monotonic() - begin < supervisor.GRACE_SECONDS + 5


def test_owners_are_known_from_others_of_the_same_number() -> None:
    assert process.is_alive(process.owner()) is True
    name, pid, started = process.owner().split()
    assert process.is_alive(f"{name} {pid} {started}0\n") is False
    child = subprocess.Popen(["true"])
    child.wait()
    assert process.is_alive(f"{name} {child.pid} {started}\n") is False
    for text in ("", "polyloom", "mine 1 2", "polyloom x y"):
        assert process.is_alive(text) is None


# The leader dies of the signal at once; the other one has something to write, as a simulator has.
WRITER = "import signal, sys, time; end = lambda *_: (time.sleep(1), open({out!r}, 'w').write('whole'), sys.exit(0)); "
WRITER += "[signal.signal(s, end) for s in (1, 2, 15)]; print('up', flush=True); time.sleep(600)"


@pytest.mark.parametrize("signum", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGKILL])
def test_the_others_of_a_group_end_in_order(signum: int, tmp_path: Path) -> None:
    out = tmp_path / "record"
    # The leader prints before it starts the writer: what two print at once may mix, as the environment has it.
    body = "import os, signal, subprocess, sys; signal.signal(2, signal.SIG_DFL); print(os.getpid(), flush=True); "
    body += f"subprocess.Popen([sys.executable, '-c', {WRITER.format(out=str(out))!r}]); signal.pause()"
    run = f"process.run_child([sys.executable, '-c', {body!r}], {{}}, Path('.'))"
    job = launcher(f"raise SystemExit({run}[0])")
    assert job.stdout is not None
    _, leader, up = (job.stdout.readline() for _ in range(3))
    assert up == "up\n"
    # A kill is of the leader alone: that of the launcher is another test's.
    os.kill(int(leader) if signum == signal.SIGKILL else job.pid, signum)
    assert job.wait(timeout=60) == 128 + signum
    assert out.read_text() == "whole"
    job.stdout.close()


def test_the_second_ctrl_c_kills(tmp_path: Path) -> None:
    job = launcher(f"raise SystemExit(process.run_child([sys.executable, '-c', {STUBBORN!r}], {{}}, Path('.'))[0])")
    assert job.stdout is not None
    assert [job.stdout.readline() for _ in range(2)][1] == "up\n"
    job.send_signal(signal.SIGINT)
    time.sleep(0.3)
    assert job.poll() is None
    job.send_signal(signal.SIGINT)
    assert job.wait(timeout=30) == 128 + signal.SIGKILL
    job.stdout.close()


@pytest.mark.parametrize("signum", [signal.SIGINT, signal.SIGHUP])
def test_an_ignored_signal_stays_ignored_and_is_default_in_children(signum: int) -> None:
    """As with nohup, or in the background of a script."""
    body = f"import signal; print(signal.getsignal({int(signum)}) == signal.SIG_IGN, flush=True); import time; "
    body += "time.sleep(1.5); print('done', flush=True)"
    code = LAUNCHER.format(
        body=f"import signal; signal.signal({int(signum)}, signal.SIG_IGN)\n"
        f"raise SystemExit(process.run_child([sys.executable, '-c', {body!r}], {{}}, Path('.'))[0])"
    )
    job = subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, text=True)
    assert job.stdout is not None
    assert job.stdout.readline() == "False\n"
    job.send_signal(signum)
    assert job.stdout.read() == "done\n"
    assert job.wait(timeout=30) == 0
    job.stdout.close()


THREADS = """
import signal, sys, threading, time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from polyloom.base import process

LATE = threading.Event()

def work(seconds):
    if seconds is None:
        LATE.wait()  # is started when the signal has come
    child = "import signal, sys, time; print('up', flush=True); time.sleep(60)"
    tell = lambda line: print(line, flush=True)
    return process.run_child([sys.executable, "-c", child], {}, Path.cwd(), on_line=tell)[0]

with process.signals_for_threads() as asked, ThreadPoolExecutor(3) as pool:
    runs = [pool.submit(work, seconds) for seconds in (60, 60, None)]
    while not asked():
        time.sleep(0.01)
    LATE.set()
    statuses = [run.result() for run in runs]
print(statuses, asked())
"""


@pytest.mark.parametrize("signum", [signal.SIGINT, signal.SIGTERM])
def test_what_threads_wait_for_gets_signals(signum: int) -> None:
    """Also what a thread starts only then."""
    job = subprocess.Popen([sys.executable, "-c", THREADS], stdout=subprocess.PIPE, text=True)
    assert job.stdout is not None
    assert [job.stdout.readline() for _ in range(2)] == ["up\n"] * 2
    job.send_signal(signum)
    said, _ = job.communicate(timeout=SECONDS)
    assert job.returncode == 0
    assert said.splitlines()[-1] == f"{[128 + signum] * 3} 0"
