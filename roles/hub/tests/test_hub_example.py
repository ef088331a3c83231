# SPDX-License-Identifier: Apache-2.0
# Covers: the tour of hubs in C++ as a user runs it, its numbers computed here. Leaves out: everything else
# (hub_host_test.cc).
import os
import re
import subprocess

import pytest

from polyloom import paths


@pytest.mark.parametrize("cluster", ["peach2-2", "peach2-8", "peach2-paper-8"])
def test_tour(cluster):
    env = {**os.environ, "POLYLOOM_HOME": str(paths.home())}
    command = [str(paths.build_dir() / "bin" / "hub_tour"), cluster]
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=120, env=env)
    assert done.returncode == 0, done.stderr
    assert f"their sum there: {sum(range(1, 1001))}\n" in done.stdout
    assert f"its sum there: {sum(64 * row + 3 for row in range(64))}\n" in done.stdout
    assert "it is 42\n" in done.stdout
    assert "node 0 reports: a packet to address 0x7800000000 that came by port N was dropped: no port" in done.stdout
    times = [float(t) for t in re.findall(r"simulated ([\d.]+) us", done.stdout)]
    assert len(times) == 3
    # Two microseconds from accelerator to accelerator; a read goes there and back.
    assert 2.0 < times[0] < 5
    assert 2.0 < times[2] < 10
