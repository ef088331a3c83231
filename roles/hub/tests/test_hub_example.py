# SPDX-License-Identifier: Apache-2.0
# Covers: the tour of hubs in C++ and an operator of one's own as a user runs them, their numbers computed here. Leaves
# out: everything else (hub_host_test.cc).
import os
import re
import subprocess

import pytest

from polyloom.base import paths


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


def scale_by(cluster, factor, **env):
    env = {**os.environ, "POLYLOOM_HOME": str(paths.home()), **env}
    command = [str(paths.build_dir() / "bin" / "hub_operator"), str(cluster), str(factor)]
    return subprocess.run(command, capture_output=True, text=True, check=False, timeout=120, env=env)


@pytest.mark.parametrize("factor", [1, 3, 2**31 + 7])
def test_an_operator_of_a_library(factor):
    library, cluster = paths.build_dir() / "bin" / "scale_by.so", paths.home() / "examples/hub_operator/scale_by.toml"
    done = scale_by(cluster, factor, POLYLOOM_OPERATORS=str(library))
    assert done.returncode == 0, done.stderr
    assert list(map(int, done.stdout.split())) == [factor * n % 2**32 for n in range(1, 101)]


def test_an_operator_that_is_nowhere(tmp_path):
    cluster = paths.home() / "examples/hub_operator/scale_by.toml"
    done = scale_by(cluster, 3)
    assert done.returncode == 1
    assert (
        '"scale_by" is no operator of a hub; allowed: reduce, partition, let, pass, and those that libraries'
        in done.stderr
    )
    done = scale_by(cluster, 3, POLYLOOM_OPERATORS=str(tmp_path / "none.so"))
    assert done.returncode == 1
    assert "POLYLOOM_OPERATORS: " in done.stderr and "none.so: cannot open shared object file" in done.stderr
    library = str(paths.build_dir() / "bin" / "scale_by.so")
    done = scale_by(cluster, 3, POLYLOOM_OPERATORS=f"{library}:{library}")
    assert done.returncode == 1
    assert f"POLYLOOM_OPERATORS: {library}: operator 'scale_by': its name, or kind 16, is taken" in done.stderr
