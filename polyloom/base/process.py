# SPDX-License-Identifier: Apache-2.0
"""Starts programs so that nothing outlives us. Input: command, environment; output: exit status.

A program that we wait for is ended when we are asked to end (``run_child``). If we are killed outright, a supervisor
that ``guard`` has started ends all that we started, and what that started (supervisor.py).
"""

from __future__ import annotations

import contextlib
import os
import secrets
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from types import FrameType
from typing import IO

from polyloom.base import interrupts
from polyloom.base.interrupts import SIGNALS

Handler = Callable[[int, FrameType | None], None]
#: How long what is asked to end may take. A simulator writes its record then.
GRACE_SECONDS = 15.0
OWNER = ".polyloom-owner"
#: A place for sockets leaves room for a folder and a name below it.
SOCKET_PLACE_BYTES = 70

_supervisor: tuple[int, IO[bytes], str] | None = None  # our process, its pipe, its mark
_starting = threading.Lock()
_tools: set[subprocess.Popen[str]] = set()  # that threads wait for
#: Handlers of threads, which get no signals of their own, and the signal that they have been told; by ``_reporting``.
_handlers: set[Handler] = set()
_reported = 0
_reporting = threading.RLock()


def guard() -> str:
    """From now on all that this process starts ends with it. Returns the name of the variable that marks it.

    Of whatever starts programs, before the first one; later calls cost nothing.
    """
    global _supervisor
    with _starting:
        if _supervisor is not None and _supervisor[0] == os.getpid():
            return _supervisor[2]
        mark = f"POLYLOOM_TREE_{secrets.token_hex(8)}"
        os.environ[mark] = "1"
        reader, writer = os.pipe()
        # A session of its own, no environment and no streams: what ends us or waits for us does not mean it.
        subprocess.Popen(
            [sys.executable, "-I", "-S", str(Path(__file__).with_name("supervisor.py")), mark],
            stdin=reader,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            env={},
            start_new_session=True,
        ).returncode = 0  # it ends after us, and nothing waits for it
        os.close(reader)
        _supervisor = (os.getpid(), os.fdopen(writer, "wb", buffering=0), mark)
        return mark


def tool(
    command: Sequence[str],
    env: Mapping[str, str] | None = None,
    cwd: Path | None = None,
    stdin: str | None = None,
    seconds: float | None = None,
    descriptors: Sequence[int] = (),
) -> subprocess.CompletedProcess[str]:
    """Run a compiler or its kin to its end, from any thread; its output, status and messages.

    Its input is ``stdin`` or nothing: ours is the user's program's. It inherits ``descriptors``.

    A signal that asks us to end kills it and what it has started, and none begins after it: ``interrupts.Ended`` in the
    thread that waits.
    """
    guard()
    if _end_tools not in interrupts.on_end:
        interrupts.on_end.append(_end_tools)
    pipe = subprocess.PIPE
    with subprocess.Popen(
        command,
        env=env,
        cwd=cwd,
        stdin=pipe if stdin is not None else subprocess.DEVNULL,
        stdout=pipe,
        stderr=pipe,
        text=True,
        errors="surrogateescape",
        pass_fds=descriptors,
        process_group=0,  # compilers are started by scripts, which would leave them behind
    ) as child:
        _tools.add(child)
        try:
            if interrupts.requested:
                _signal_group(child.pid, signal.SIGKILL)
            output, messages = child.communicate(stdin, seconds)
        except BaseException:
            _signal_group(child.pid, signal.SIGKILL)
            raise
        finally:
            _tools.discard(child)
    if interrupts.requested:
        raise interrupts.Ended(interrupts.requested)
    return subprocess.CompletedProcess(command, child.returncode, output, messages)


def _end_tools() -> None:
    for child in list(_tools):
        _signal_group(child.pid, signal.SIGKILL)


def short_place() -> Path | None:
    """Where ``scratch`` makes folders whose paths may be those of sockets: the usual place unless it is far down.

    The path of a socket has at most 107 bytes.
    """
    usual = tempfile.gettempdir()
    return Path("/tmp") if len(os.fsencode(usual)) > SOCKET_PLACE_BYTES and os.access("/tmp", os.W_OK) else None


@contextlib.contextmanager
def scratch(purpose: str, parent: Path | None = None) -> Iterator[Path]:
    """A temporary folder that goes with this context, or with this process however it ends.

    If even the supervisor is killed, ``polyloom clean`` knows by the owner's file that it is ours and left.
    """
    guard()
    made_by = os.getpid()
    folder = Path(tempfile.mkdtemp(prefix=f"polyloom-{purpose}-", dir=parent))
    try:
        _report(f"+{folder.absolute()}")
        (folder / OWNER).write_text(owner())
        yield folder
    finally:
        if os.getpid() == made_by:  # not a copy of this process that ends
            shutil.rmtree(folder, ignore_errors=True)
            _report(f"-{folder.absolute()}")


def _report(line: str) -> None:
    if _supervisor is not None:
        with contextlib.suppress(OSError):  # somebody has killed it
            _supervisor[1].write(f"{line}\n".encode())


def owner() -> str:
    """What tells this process from any other, of this or another time."""
    return f"polyloom {os.getpid()} {_started(os.getpid())}\n"


def is_alive(text: str) -> bool | None:
    """Whether the process that ``owner`` described still runs; None if the text is no such description."""
    words = text.split()
    if len(words) != 3 or words[0] != "polyloom" or not words[1].isdigit():
        return None
    return _started(int(words[1])) == words[2]


def _started(pid: int) -> str:
    """When a process was started: boot and ticks since then. "" if it does not run."""
    try:
        boot = Path("/proc/sys/kernel/random/boot_id").read_text().strip()
        return f"{boot}/{_stat(pid)[19]}"
    except OSError:
        return ""


def _stat(pid: int) -> list[str]:
    """State, parent, group ... of /proc/PID/stat."""
    return Path(f"/proc/{pid}/stat").read_text(errors="replace").rpartition(")")[2].split()


def run_child(
    command: list[str],
    env: Mapping[str, str],
    cwd: Path,
    capture_stdout: bool = False,
    on_line: Callable[[str], None] | None = None,
    descriptors: Sequence[int] = (),
    on_message: Callable[[str], None] | None = None,
) -> tuple[int, str]:
    """Run ``command`` in a process group of its own and wait for it and for all that it has started.

    ``on_line`` is called with each line of its output (standard error included) as it comes, ``on_message`` by another
    thread with each line of its standard error alone; it inherits ``descriptors``. Ctrl-C, SIGTERM and SIGHUP are
    passed on to the whole group, unless we were started with them ignored; the second Ctrl-C kills it. Once the child
    has ended, the others of its group may end in order too. Returns (exit status as a shell shows it, captured standard
    output or ""). A child that fails after a signal was passed on to it has the status of that signal, whatever it made
    of it. In a thread: inside ``signals_for_threads``.
    """
    guard()
    child: subprocess.Popen[str] | None = None
    early: list[int] = []
    interrupts = passed_on = 0
    starting = threading.RLock()  # a handler may be called by another thread, or within this one

    def forward(signum: int, _frame: FrameType | None) -> None:
        nonlocal interrupts, passed_on
        with starting:
            interrupts += signum == signal.SIGINT
            passed_on = passed_on or signum
            if child is None:
                early.append(signum)  # the child is being started, and may be there already
            else:
                _signal_group(child.pid, signum if interrupts < 2 else signal.SIGKILL)

    with handled(forward), _messages(on_message) as messages:
        try:
            with starting:
                child = subprocess.Popen(
                    command,
                    env={**os.environ, **env},
                    cwd=cwd,
                    stdout=subprocess.PIPE if capture_stdout or on_line else None,
                    stderr=subprocess.STDOUT if on_line else messages,
                    text=True,
                    errors="replace",
                    start_new_session=True,
                    pass_fds=descriptors,
                )
                for signum in early:
                    _signal_group(child.pid, signum)
            if on_line and child.stdout:
                for line in child.stdout:
                    on_line(line.rstrip("\n"))
            output, _ = child.communicate()
        finally:
            if child is not None:
                _end_group(child)
    status = child.returncode
    if status > 0 and passed_on:
        return 128 + passed_on, output or ""
    return (128 - status if status < 0 else status), output or ""


@contextlib.contextmanager
def _messages(take: Callable[[str], None] | None) -> Iterator[int | None]:
    """A descriptor for what is started inside, whose lines are taken by a thread; None without ``take``."""
    if take is None:
        yield None
        return
    reader, writer = os.pipe()

    def read() -> None:
        with os.fdopen(reader, errors="replace") as lines:
            for line in lines:
                take(line.rstrip("\n"))

    thread = threading.Thread(target=read, daemon=True)
    thread.start()
    try:
        yield writer
    finally:
        os.close(writer)
        thread.join()


@contextlib.contextmanager
def handled(handler: Handler, signals: Sequence[int] = SIGNALS) -> Iterator[None]:
    """Inside, ``handler`` gets these signals; those that we were started to ignore (nohup, ``&``) we go on ignoring.

    Either way a program that is started inside has the default disposition: it gets signals from us only. Signals reach
    the main thread alone; in any other the handler gets those that come while that is in ``signals_for_threads``.
    """
    if threading.current_thread() is not threading.main_thread():
        with _reporting:
            _handlers.add(handler)
            if _reported:  # since this thread was started
                handler(_reported, None)
        try:
            yield
        finally:
            _handlers.discard(handler)
        return
    before = {signum: signal.getsignal(signum) for signum in signals}
    for signum, was in before.items():
        signal.signal(signum, ignore if was in {signal.SIG_IGN, ignore} else handler)  # ignore: of an outer one
    try:
        yield
    finally:
        for signum, was in before.items():
            signal.signal(signum, was)


@contextlib.contextmanager
def signals_for_threads() -> Iterator[Callable[[], int]]:
    """Of a main thread that waits for others: inside, signals go to their handlers. Yields what tells the first, or 0.

    A thread that asks for signals too late gets the first one then.
    """
    global _reported

    def report(signum: int, frame: FrameType | None) -> None:
        global _reported
        with _reporting:
            _reported = _reported or signum
            for handler in list(_handlers):
                handler(signum, frame)

    with handled(report):
        try:
            yield lambda: _reported
        finally:
            _reported = 0


def ignore(_signum: int, _frame: FrameType | None) -> None:
    """A handler that does nothing: unlike SIG_IGN not inherited by what is started."""


def _signal_group(group: int, signum: int) -> None:
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(group, signum)


def _end_group(child: subprocess.Popen[str]) -> None:
    """Make sure that no member of the child's group is left, each ended in order if it does so in time."""
    if child.poll() is None or _lives(child.pid):
        _signal_group(child.pid, signal.SIGTERM)
        deadline = time.monotonic() + GRACE_SECONDS
        while (child.poll() is None or _lives(child.pid)) and time.monotonic() < deadline:
            time.sleep(0.02)
        _signal_group(child.pid, signal.SIGKILL)
        child.wait()


def _lives(group: int) -> bool:
    """Whether a process of this group runs. One that has ended and that nothing waits for does not."""
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            with contextlib.suppress(OSError, ValueError):  # it has just ended
                state, _, own = _stat(int(entry.name))[:3]
                if own == str(group) and state not in "ZX":
                    return True
    return False
