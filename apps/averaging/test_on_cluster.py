# SPDX-License-Identifier: Apache-2.0
# Covers: the average of the training loop on simulated nodes, each schedule on FC and GHC, against NumPy; a few epochs
# of training on them against the single node's, and all epochs natively; `polyloom run averaging`.
# Leaves out: time of the schedules (bench/averaging), RTL nodes.
from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from apps.averaging import training
from apps.averaging.on_cluster import ClusterAverage
from polyloom.base import paths
from polyloom.collectives import Communicator

SCHEDULES = {
    "optweb-8": ["naive", "aggressive"],
    "optweb-4x2": ["naive", "aggressive", "hierarchical", "halves"],
    "optweb-3x3": ["naive", "aggressive", "hierarchical", "halves"],
}


@pytest.mark.parametrize("cluster", SCHEDULES)
def test_average(cluster: str) -> None:
    communicator = Communicator(cluster, on="sim")
    rng = np.random.default_rng(1)
    for schedule in SCHEDULES[cluster]:
        average = ClusterAverage(communicator, schedule)
        for length in (1, 7, 2411):
            vectors = [rng.normal(size=length).astype(np.float32) for _ in range(communicator.size)]
            found = average(vectors)
            expected = np.mean(np.array(vectors, dtype=np.float64), axis=0)
            for each in found:
                np.testing.assert_allclose(each, expected, atol=2e-6)
                assert np.array_equal(each, found[0])  # all nodes have the same bits
        assert average.algorithm == schedule
        assert average.calls == 3
        assert average.seconds > 0


@pytest.mark.parametrize("cluster", ["optweb-8", "optweb-4x2"])
def test_training_follows_the_single_node(cluster: str) -> None:
    pytest.importorskip("sklearn")
    communicator = Communicator(cluster, on="sim")
    data, held_out = training.digits()
    settings = training.Settings(epochs=2, batch=256)
    single = training.train(data, held_out, 1, training.alone, settings)
    average = ClusterAverage(communicator)
    many = training.train(data, held_out, 8, average, settings)
    assert all(np.array_equal(each, many.parameters[0]) for each in many.parameters)
    np.testing.assert_allclose(many.parameters[0], single.parameters[0], atol=1e-3)
    assert abs(many.accuracy[-1] - single.accuracy[-1]) <= 0.01
    assert average.calls == many.steps
    assert 1e-6 < average.seconds / many.steps < 10e-6  # 9.4 KiB: the paper's 32 KiB take 3 us


def test_all_epochs_natively() -> None:
    pytest.importorskip("sklearn")
    communicator = Communicator(on="native", native_ranks=8)
    data, held_out = training.digits()
    single = training.train(data, held_out, 1, training.alone, training.Settings())
    many = training.train(data, held_out, 8, ClusterAverage(communicator, "aggressive"), training.Settings())
    assert single.accuracy[-1] >= 0.96
    assert abs(many.accuracy[-1] - single.accuracy[-1]) <= 0.01
    assert all(np.array_equal(each, many.parameters[0]) for each in many.parameters)


@pytest.mark.parametrize("on", ["sim", "native"])
def test_command(tmp_path: Path, on: str) -> None:
    pytest.importorskip("sklearn")
    options = f"run averaging --on {on} --epochs 1 --batch 300 --verify --json --no-report".split()
    out = tmp_path / "epochs.csv"
    found = subprocess.run(
        [sys.executable, "-m", "polyloom", *options, f"--run-dir={tmp_path / 'run'}", f"--out={out}"],
        capture_output=True,
        text=True,
        check=False,
    )
    assert found.returncode == 0, found.stderr
    result = json.loads(found.stdout)
    assert (result["verified"], result["failed_check"]) == (True, None)
    assert result["nodes"] == 8
    assert (result["simulated_seconds"] is None) == (on == "native")
    assert out.read_text().splitlines()[0] == "epoch,alone,cluster"
    assert len(out.read_text().splitlines()) == 2


@pytest.mark.parametrize("options", ["--epochs 3 --batch 17", "--epochs 2 --batch 7", "--epochs 2 --batch 8"])
def test_trainings_that_drift_apart_are_verified(tmp_path: Path, options: str) -> None:
    pytest.importorskip("sklearn")
    words = f"run averaging --on native {options} --verify --json --no-report --run-dir={tmp_path / 'run'}".split()
    found = subprocess.run([sys.executable, "-m", "polyloom", *words], capture_output=True, text=True, check=False)
    assert found.returncode == 0, found.stdout + found.stderr
    assert json.loads(found.stdout)["verified"] is True


def test_more_images_a_step_than_there_are(tmp_path: Path) -> None:
    pytest.importorskip("sklearn")
    words = f"run averaging --on native --batch 99999 --run-dir={tmp_path / 'run'}".split()
    found = subprocess.run([sys.executable, "-m", "polyloom", *words], capture_output=True, text=True, check=False)
    assert found.returncode == 1
    assert re.search(r"--batch 99999: there are \d+ images to learn from", found.stderr)


def test_links_that_change_bits_are_found(tmp_path: Path) -> None:
    """Without block checks a flipped bit of data arrives; what it did to an average is named."""
    pytest.importorskip("sklearn")
    path = tmp_path / "noisy.toml"
    text = paths.cluster_file("optweb-8").read_text()
    text = text.replace("[link]", "[link]\nbit_error_rate = 2e-6").replace(
        "[collective]", "[collective]\nblock_check = false"
    )
    path.write_text(text)
    words = (
        f"run averaging --on sim --cluster {path} --epochs 1 --verify --no-report --run-dir={tmp_path / 'run'}".split()
    )
    found = subprocess.run([sys.executable, "-m", "polyloom", *words], capture_output=True, text=True, check=False)
    assert found.returncode == 1
    assert "WRONG: step " in found.stdout, found.stdout + found.stderr
    assert "of the average is " in found.stdout
