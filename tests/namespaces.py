# SPDX-License-Identifier: Apache-2.0
"""Network namespaces that pass for hosts: a fixture of tests whose programs are started on other hosts."""

from __future__ import annotations

import os
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest


@pytest.fixture
def other_hosts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[list[str]]:
    """Two network namespaces on a bridge, which pass for hosts; what Open MPI calls instead of ssh enters them."""
    net = f"10.81.{os.getpid() % 250}"
    bridge, hosts = f"pl{os.getpid()}", [f"{net}.{n}" for n in (2, 3)]
    agent = tmp_path / "agent"
    own = Path(tempfile.mkdtemp())  # each host's /tmp: Open MPI's daemons would meet in one, and short, for its sockets
    agent.write_text(
        f'#!/bin/sh\nhost=$1\nshift\nexport TMPDIR="{own}/$host"\nmkdir -p "$TMPDIR"\n'
        'exec ip netns exec "$host" sh -c "$*"\n'
    )
    agent.chmod(0o755)

    def ip(*words: str) -> bool:
        return subprocess.run(["ip", *words], capture_output=True, check=False).returncode == 0

    if not ip("link", "add", bridge, "type", "bridge"):
        pytest.skip("no right to make network namespaces")
    try:
        ready = ip("addr", "add", f"{net}.1/24", "dev", bridge) and ip("link", "set", bridge, "up")
        for n, host in enumerate(hosts):
            veth = f"{bridge}v{n}"
            ready &= ip("netns", "add", host)
            ready &= ip("link", "add", veth, "type", "veth", "peer", "name", "eth0", "netns", host)
            ready &= ip("link", "set", veth, "master", bridge, "up") and ip("-n", host, "link", "set", "lo", "up")
            ready &= ip("-n", host, "addr", "add", f"{host}/24", "dev", "eth0")
            ready &= ip("-n", host, "link", "set", "eth0", "up")
        assert ready
        monkeypatch.setenv("OMPI_MCA_plm_rsh_agent", str(agent))
        yield hosts
    finally:
        for host in hosts:
            ip("netns", "del", host)
        ip("link", "del", bridge)
        shutil.rmtree(own)
