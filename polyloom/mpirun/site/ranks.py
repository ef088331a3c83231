# SPDX-License-Identifier: Apache-2.0
"""What ranks print, from wherever they run. Output: pieces of it to a callback, each with its rank and stream.

Ranks connect to us, a stream each, and say a secret, their rank and the stream's name first (preload/output.c).
"""

from __future__ import annotations

import contextlib
import hmac
import os
import secrets
import socket
import threading
import time
from collections.abc import Callable, Sequence
from typing import IO, cast

from polyloom.mpirun.children import Reader

OnText = Callable[[int, str, bytes], None]  # rank, stdout or stderr, as much as has come
#: How long a rank may take to say who it is, and how long we wait for the rest of what ended ranks have printed.
HELLO_SECONDS, REST_SECONDS = 10.0, 5.0


class Ranks:
    """A context. ``where`` is what ranks find in POLYLOOM_RANK_OUTPUT; ``hosts`` are others that ranks run on."""

    def __init__(self, size: int, hosts: Sequence[str], on_text: OnText) -> None:
        self._size = size
        self._on_text = on_text
        self._secret = secrets.token_hex(16)
        anywhere = bool(hosts) or "SLURM_JOB_ID" in os.environ
        self._listener = socket.create_server(("" if anywhere else "127.0.0.1", 0), backlog=4096)
        places = list(dict.fromkeys(filter(None, map(_way_to, hosts)))) or [os.uname().nodename] * anywhere
        port = self._listener.getsockname()[1]
        self.where = " ".join([str(port), self._secret, *places, "127.0.0.1"])
        self._readers: list[Reader] = []

    def __enter__(self) -> Ranks:
        threading.Thread(target=self._accept, daemon=True).start()
        return self

    def __exit__(self, *_: object) -> None:
        with contextlib.suppress(OSError):
            self._listener.shutdown(socket.SHUT_RDWR)
        self._listener.close()
        deadline = time.monotonic() + REST_SECONDS
        for reader in list(self._readers):
            reader.join(timeout=max(0.0, deadline - time.monotonic()))

    def _accept(self) -> None:
        with contextlib.suppress(OSError):
            while True:
                self._greet(self._listener.accept()[0])

    def _greet(self, connection: socket.socket) -> None:
        """Read the first line of a connection; one of a stranger is closed."""
        connection.settimeout(HELLO_SECONDS)
        hello = b""
        with contextlib.suppress(OSError):
            while not hello.endswith(b"\n") and len(hello) < 256 and (more := connection.recv(1)):
                hello += more
        secret, _, rest = hello.decode("latin-1").rstrip("\n").partition(" ")
        rank, _, stream = rest.partition(" ")
        known = hmac.compare_digest(secret, self._secret) and rank.isdecimal() and int(rank) < self._size
        if not known or stream not in {"stdout", "stderr"}:
            connection.close()
            return
        connection.settimeout(None)
        pipe = cast(IO[bytes], connection.makefile("rb", buffering=0))
        connection.close()  # the file keeps it open
        self._readers.append(_Pieces(pipe, lambda text: self._on_text(int(rank), stream, text)))
        self._readers[-1].start()


class _Pieces(Reader):
    """Hands on what comes as it comes: who gets it finds the lines, and a rank may print millions."""

    def _hand_on(self, begun: list[bytes], data: bytes) -> list[bytes]:
        if data:
            self._on_line(data)
        return begun


def _way_to(host: str) -> str:
    """Our address as that host sees us; empty if its name is not known. Nothing is sent."""
    try:
        family, kind, _, _, address = socket.getaddrinfo(host, 9, type=socket.SOCK_DGRAM)[0]
        with socket.socket(family, kind) as s:
            s.connect(address)
            return str(s.getsockname()[0])
    except OSError:
        return ""
