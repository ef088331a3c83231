# SPDX-License-Identifier: Apache-2.0
"""Cluster files of any shape for the tests of this folder. Input: shape and parameters; output: a path."""

from __future__ import annotations

from pathlib import Path

import numpy as np

CLUSTER = """version = 1
description = "test"
[topology]
kind = "{kind}"
size = {size}
[link]
protocol = "serial"
latency = "{latency} ns"
rate = "45 Gb/s"
{link}
[fpga]
role = "collective"
clocks = {{ core = "200 MHz" }}
[memory.hbm]
kind = "hbm2"
channels = {channels}
size = "{memory}"
[host]
latency = "1 us"
rate = "64 Gb/s"
call_time = "1 us"
[collective]
read_latency = 24
write_latency = 8
eager_bytes = "{eager} B"
operators = ["reduce"]  # partition wants a power of two of ports
{role}
"""


def cluster(
    folder: Path,
    kind: str,
    size: list[int],
    eager: int,
    latency: int = 170,
    channels: int = 0,
    link: str = "",
    role: str = "",
    memory: str = "1 MiB",
) -> str:
    """Write the file; ``link`` and ``role`` are further lines of [link] and [collective]. A channel a rank, or more."""
    path = folder / "test.toml"
    fields = {"kind": kind, "size": size, "eager": eager, "latency": latency, "link": link, "role": role}
    count = channels or max(2, int(np.prod(size)))
    path.write_text(CLUSTER.format(**fields, channels=count, memory=memory), encoding="utf-8")
    return str(path)
