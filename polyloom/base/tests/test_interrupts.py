# SPDX-License-Identifier: Apache-2.0
# Covers: the first Ctrl-C is noted, the second raised, the handler before is put back; ignored signals, other threads.
import signal
import threading

import pytest

from polyloom.base import interrupts

pytestmark = pytest.mark.usefixtures("ctrl_c_raises")


def test_the_first_is_noted_and_the_second_raised() -> None:
    with pytest.raises(KeyboardInterrupt), interrupts.noted() as came:
        assert not came()
        signal.raise_signal(signal.SIGINT)
        assert came()
        signal.raise_signal(signal.SIGINT)
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler


def test_afterwards_the_handler_before_is_back() -> None:
    with interrupts.noted() as came:
        pass
    assert not came()
    with pytest.raises(KeyboardInterrupt):
        signal.raise_signal(signal.SIGINT)


def test_an_ignored_signal_stays_ignored() -> None:
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        with interrupts.noted() as came:
            signal.raise_signal(signal.SIGINT)
            assert not came()
    finally:
        signal.signal(signal.SIGINT, before)


def test_other_threads_change_nothing() -> None:
    seen: list[tuple[int, object]] = []

    def work() -> None:
        with interrupts.noted() as came:
            seen.append((came(), signal.getsignal(signal.SIGINT)))

    thread = threading.Thread(target=work)
    thread.start()
    thread.join()
    assert seen == [(0, signal.default_int_handler)]
