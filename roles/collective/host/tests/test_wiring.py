# SPDX-License-Identifier: Apache-2.0
"""Cables in other sockets than the cluster description says: found when a communicator starts, with both ends named.

How: a relay between host library and simulator exchanges the far ends of two links in the description that the library
gets, so that the nodes are wired otherwise than the library is told. Leaves out: links that damage bits
(test_link_faults.py).
"""

from __future__ import annotations

import json
import multiprocessing
import os
import re
import socket
import struct
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from small_clusters import cluster

from polyloom.base import paths
from polyloom.collectives import CollectiveError, Communicator

HEADER = struct.Struct("<IIQq")  # fabric/host/protocol.h: type, reserved, bytes, time
WELCOME = 101
Edit = Callable[[dict[str, Any]], None]


def read_exactly(connection: socket.socket, count: int) -> bytes:
    data = b""
    while len(data) < count:
        more = connection.recv(count - len(data))
        if not more:
            raise EOFError
        data += more
    return data


def edit_welcome(body: bytes, edit: Edit) -> bytes:
    """Apply ``edit`` to the cluster description at the end of a welcome."""
    at = 12
    for _ in range(struct.unpack_from("<I", body, 8)[0]):
        at += 4 + struct.unpack_from("<I", body, at)[0] + 16
    cluster_facts = json.loads(body[at + 4 :])
    edit(cluster_facts)
    text = json.dumps(cluster_facts).encode()
    return body[:at] + struct.pack("<I", len(text)) + text


def relay(listener: socket.socket, simulator: Path, edit: Edit) -> None:
    """One connection, until either side leaves."""
    host, _ = listener.accept()
    node = socket.socket(socket.AF_UNIX)
    node.connect(str(simulator))

    def upwards() -> None:
        try:
            while data := host.recv(1 << 16):
                node.sendall(data)
            node.shutdown(socket.SHUT_WR)
        except OSError:
            pass

    threading.Thread(target=upwards, daemon=True).start()
    try:
        while True:
            kind, reserved, count, when = HEADER.unpack(read_exactly(node, HEADER.size))
            body = read_exactly(node, count)
            if kind == WELCOME:
                body = edit_welcome(body, edit)
            host.sendall(HEADER.pack(kind, reserved, len(body), when) + body)
    except (EOFError, OSError):
        host.close()


class Wired:
    """A simulator behind a relay that edits the description."""

    def __init__(self, folder: Path, path: str, edit: Edit) -> None:
        self.socket = folder / "relay"
        simulator = folder / "simulator"
        command = [str(paths.program("polyloom-sim")), "--cluster", path, "--listen", str(simulator)]
        self.process = subprocess.Popen([*command, "--run-dir", str(folder / "run")], stderr=subprocess.PIPE)
        for _ in range(600):
            if simulator.exists():
                break
            assert self.process.poll() is None
            time.sleep(0.02)
        self.listener = socket.socket(socket.AF_UNIX)
        self.listener.bind(str(self.socket))
        self.listener.listen(1)
        # A process: while a communicator waits for it, no other thread of this one runs.
        self.relay = multiprocessing.get_context("fork").Process(
            target=relay, args=(self.listener, simulator, edit), daemon=True
        )
        self.relay.start()


Start = Callable[[str, Edit], Path]


@pytest.fixture
def start(tmp_path: Path) -> Iterator[Start]:
    """Start a simulator and a relay; gives the socket for POLYLOOM_SOCKET."""
    wired = []

    def make(path: str, edit: Edit) -> Path:
        wired.append(Wired(tmp_path, path, edit))
        return wired[-1].socket

    yield make
    for one in wired:
        one.listener.close()
        one.relay.kill()
        one.relay.join()
        one.process.kill()
        one.process.communicate()


def ends(facts: dict[str, Any]) -> list[dict[str, Any]]:
    return [link for link in facts["links"] if not link["to_host"]]


def crossed(facts: dict[str, Any]) -> None:
    """The cables fpga.0 - fpga.1 and fpga.2 - fpga.3 have changed places at their second ends."""
    between = {(link["a"]["node"], link["b"]["node"]): link for link in ends(facts)}
    one, two = between["fpga.0", "fpga.1"], between["fpga.2", "fpga.3"]
    one["b"], two["b"] = two["b"], one["b"]
    # 0 - 3 and 2 - 1 now: to keep the cluster fully connected, the cables that were there change too.
    one, two = between["fpga.0", "fpga.3"], between["fpga.1", "fpga.2"]
    one["b"], two["a"] = two["a"], one["b"]


def renumbered(facts: dict[str, Any]) -> None:
    """Two cables between the same boards have changed sockets at one of them."""
    pair = [link for link in ends(facts) if {link["a"]["node"], link["b"]["node"]} == {"fpga.0.0", "fpga.1.0"}]
    pair[0]["b"], pair[1]["b"] = pair[1]["b"], pair[0]["b"]


def lost(facts: dict[str, Any]) -> None:
    """One of two cables between two boards is in the cluster, but not in the description."""
    pair = [link for link in ends(facts) if {link["a"]["node"], link["b"]["node"]} == {"fpga.0.0", "fpga.1.0"}]
    facts["links"].remove(pair[1])


def double(folder: Path) -> str:
    path = folder / "test.toml"
    path.write_text(
        Path(cluster(folder, "hypercube", [2, 2], 0)).read_text().replace("[2, 2]", "[2, 2]\nlinks = [2, 2]")
    )
    return str(path)


def test_the_relay_alone_changes_nothing(tmp_path: Path, start: Start, monkeypatch: pytest.MonkeyPatch) -> None:
    path = cluster(tmp_path, "fully_connected", [4], 0)
    monkeypatch.setenv("POLYLOOM_SOCKET", str(start(path, lambda facts: None)))
    assert Communicator(on="sim").barrier().simulated_seconds


def test_crossed_cables(tmp_path: Path, start: Start, monkeypatch: pytest.MonkeyPatch) -> None:
    path = cluster(tmp_path, "fully_connected", [4], 0)
    monkeypatch.setenv("POLYLOOM_SOCKET", str(start(path, crossed)))
    with pytest.raises(CollectiveError) as error:
        Communicator(on="sim")
    # Lane 0 of fpga.0 leads to fpga.1 lane 0; by the edited description to lane 2 of fpga.3, where fpga.2 was.
    expected = r"lane 0 of rank 0 \(fpga\.0\) leads to rank 1 lane 0, by the cluster description to rank 3 lane 2"
    assert re.search(expected + ": wrong wiring", str(error.value)), str(error.value)


@pytest.mark.parametrize(
    ("edit", "words"),
    [
        (renumbered, "lane 0 of rank 0 .* leads to rank 1 lane 0, by the cluster description to rank 1 lane 1"),
        (lost, "lane 1 of rank 0 .* leads to rank 1 lane 1, by the cluster description to nothing"),
    ],
)
def test_double_links(tmp_path: Path, start: Start, monkeypatch: pytest.MonkeyPatch, edit: Edit, words: str) -> None:
    monkeypatch.setenv("POLYLOOM_SOCKET", str(start(double(tmp_path), edit)))
    with pytest.raises(CollectiveError, match=words):
        Communicator(on="sim")


def test_a_dead_cable(tmp_path: Path) -> None:
    path = Path(cluster(tmp_path, "fully_connected", [4], 0))
    dead = '[[override]]\nbetween = ["fpga.1", "fpga.3"]\ndrop_rate = 1\n'
    path.write_text(path.read_text() + dead)
    words = r"lane 2 of rank 1 \(fpga\.1\) leads to nothing that responds, .* to rank 3 lane 1: wrong wiring"
    with pytest.raises(CollectiveError, match=words):
        Communicator(str(path), on="sim")


def test_the_command_says_so(tmp_path: Path, start: Start) -> None:
    path = cluster(tmp_path, "fully_connected", [4], 0)
    env = {**os.environ, "POLYLOOM_SOCKET": str(start(path, crossed))}
    command = [
        sys.executable,
        "-c",
        "from polyloom.cli.main import main; main()",
        "collective",
        "barrier",
        "--cluster",
        path,
    ]
    done = subprocess.run(command, env=env, capture_output=True, text=True, check=False, timeout=60)
    assert done.returncode == 1
    assert "Traceback" not in done.stderr
    assert "wrong wiring" in done.stderr
    assert "lane 0 of rank 0" in done.stderr
