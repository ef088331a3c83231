# SPDX-License-Identifier: Apache-2.0
# Covers: every averaging schedule against NumPy's mean, its traffic against the closed forms; data-parallel training
# against a single node; the checks of --verify on right averages and on each kind of wrong one.
# Leaves out: the time and the data path of simulated nodes.
from __future__ import annotations

import re
from collections.abc import Callable

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from apps.averaging import schedules, training
from apps.averaging.checks import Checks, gradient
from polyloom.collectives.models import improved, operations
from polyloom.collectives.models.topology import Cost, Topology, fully_connected, hypercube

FORMS = {
    "naive": operations.average,
    "aggressive": operations.average,
    "halves-whole": improved.average_prose,
    "hierarchical": improved.average_hierarchical,
    "halves": improved.average,
    "best-share": lambda topology: improved.average(topology, share=None),
}
TOPOLOGIES = [
    fully_connected(8),
    fully_connected(3),
    hypercube(3, 1),
    hypercube(3, 1, links_y=2),
    hypercube(2, 2),
    hypercube(3, 3),
    hypercube(7, 7),
]


def run(topology: Topology, vectors: list[np.ndarray], schedule: str) -> tuple[list[np.ndarray], schedules.Traffic]:
    traffic = schedules.Traffic()
    return schedules.SCHEDULES[schedule](topology, vectors, traffic), traffic


@pytest.mark.parametrize("topology", TOPOLOGIES, ids=lambda each: f"{each.name}-{each.degree}")
@pytest.mark.parametrize("schedule", FORMS)
def test_average_and_its_traffic(topology: Topology, schedule: str) -> None:
    length = 12 * topology.nodes * topology.nodes  # divides evenly in every step, the best share's too
    rng = np.random.default_rng(3)
    vectors = [rng.normal(size=length).astype(np.float32) for _ in range(topology.nodes)]
    result, traffic = run(topology, vectors, schedule)
    expected = np.mean(np.array(vectors, dtype=np.float64), axis=0)
    for vector in result:
        np.testing.assert_allclose(vector, expected, atol=2e-6)
        assert np.array_equal(vector, result[0])
    cost: Cost = FORMS[schedule](topology)
    assert len(traffic.steps) == cost.startups
    assert traffic.volume(topology, length) == cost.volume
    naive_steps = operations.average_naive(topology).startups
    assert traffic.passes == (naive_steps if schedule == "naive" else cost.startups)


@settings(deadline=None, max_examples=60)
@given(
    st.tuples(st.integers(0, 4), st.integers(0, 4)).filter(lambda pair: sum(pair) > 0),
    st.integers(0, 50),
    st.sampled_from(sorted(FORMS)),
)
def test_any_length_on_any_shape(pair: tuple[int, int], length: int, schedule: str) -> None:
    # Whole numbers that every group size divides, so each schedule is exact.
    topology = hypercube(*pair)
    rng = np.random.default_rng(length)
    vectors = [60 * 60 * rng.integers(-50, 50, length).astype(np.float32) for _ in range(topology.nodes)]
    result = schedules.average(topology, vectors, schedule)
    expected = np.mean(vectors, axis=0, dtype=np.float64)
    for vector in result:
        np.testing.assert_array_equal(vector, result[0])
        np.testing.assert_allclose(vector, expected, rtol=1e-6, atol=1e-2)


def test_bad_input_is_refused() -> None:
    fc = fully_connected(2)
    with pytest.raises(ValueError, match="needs 2 vectors, got 1"):
        schedules.average(fc, [np.zeros(3, np.float32)])
    with pytest.raises(ValueError, match="equally long"):
        schedules.average(fc, [np.zeros(3, np.float32), np.zeros(4, np.float32)])
    with pytest.raises(ValueError, match="there are: naive"):
        schedules.average(fc, [np.zeros(3, np.float32)] * 2, "ring")


# --- training ---------------------------------------------------------------------------------------------------


def clusters(count: int, seed: int) -> training.Data:
    """Ten overlapping clouds in 16 dimensions."""
    rng = np.random.default_rng(seed)
    centres = np.random.default_rng(0).random((10, 16))
    labels = rng.integers(0, 10, count)
    return training.Data((centres[labels] + rng.normal(0, 0.15, (count, 16))).astype(np.float32), labels)


def test_gradient_is_the_slope_of_the_loss() -> None:
    data, model = clusters(40, 5), training.Perceptron(16, training.Settings(hidden=7))

    def loss() -> float:
        weight1, bias1, weight2, bias2 = (layer.astype(np.float64) for layer in model.layers())
        scores = np.maximum(data.images @ weight1 + bias1, 0) @ weight2 + bias2
        return float(np.sum(np.log(np.exp(scores).sum(axis=1)) - scores[np.arange(40), data.labels]))

    gradient = model.gradient_sum(data)
    for index in np.random.default_rng(1).integers(0, len(gradient), 25):
        at, step = model.flat[index], np.float32(1e-3)
        model.flat[index] = at + step
        above = loss()
        model.flat[index] = at - step
        slope = (above - loss()) / (2 * float(step))
        model.flat[index] = at
        assert gradient[index] == pytest.approx(slope, rel=0.02, abs=0.02)


@pytest.mark.parametrize(("topology", "schedule"), [(fully_connected(5), "aggressive"), (hypercube(2, 1), "halves")])
def test_ranks_follow_the_single_node(topology: Topology, schedule: str) -> None:
    settings_ = training.Settings(epochs=3, batch=61)  # ranks' shares differ, the last batch is short
    data, held_out = clusters(500, 1), clusters(300, 2)
    single = training.train(data, held_out, 1, training.alone, settings_)
    many = training.train(data, held_out, topology.nodes, training.on(topology, schedule), settings_)
    assert all(np.array_equal(each, many.parameters[0]) for each in many.parameters)
    np.testing.assert_allclose(many.parameters[0], single.parameters[0], atol=2e-4)
    assert many.steps == 3 * 9
    # More ranks than images in the last batch: some ranks contribute nothing.
    lonely = training.train(clusters(62, 1), held_out, topology.nodes, training.on(topology), settings_)
    assert np.isfinite(lonely.parameters[0]).all()


def test_digits_reach_single_node_accuracy() -> None:
    pytest.importorskip("sklearn")
    data, held_out = training.digits()
    single = training.train(data, held_out, 1, training.alone, training.Settings())
    for topology in (fully_connected(8), hypercube(3, 1)):
        many = training.train(data, held_out, topology.nodes, training.on(topology), training.Settings())
        assert len(many.accuracy) == len(single.accuracy) == 30
        assert single.accuracy[-1] >= 0.96
        # One image of 449 is 0.0022; rounding differs, so a handful may fall on the other side.
        assert abs(many.accuracy[-1] - single.accuracy[-1]) <= 0.01
        assert all(np.array_equal(each, many.parameters[0]) for each in many.parameters)


def test_ranks_that_do_not_average_drift_apart() -> None:
    # The test above would not see a broken average if training were forgiving; it is not.
    data, held_out = clusters(500, 1), clusters(300, 2)
    apart = training.train(data, held_out, 3, lambda vectors: vectors, training.Settings(epochs=1))
    assert not np.array_equal(apart.parameters[0], apart.parameters[1])


@pytest.mark.parametrize("batch", [1, 7, 8, 17, 61, 500])
@pytest.mark.parametrize("schedule", ["aggressive", "halves"])
def test_right_averages_hold_however_far_the_trainings_drift(batch: int, schedule: str) -> None:
    checks, topology = Checks(), hypercube(2, 1)
    data, held_out = clusters(500, 1), clusters(50, 2)
    settings_ = training.Settings(epochs=2, batch=batch)
    training.train(data, held_out, topology.nodes, training.on(topology, schedule), settings_, checks)
    assert checks.failed is None


def test_a_training_that_overflows_is_no_wrong_average() -> None:
    checks, topology = Checks(), fully_connected(3)
    data, held_out = clusters(100, 1), clusters(50, 2)
    settings_ = training.Settings(epochs=3, rate=1e30)
    with np.errstate(all="ignore"):
        many = training.train(data, held_out, 3, training.on(topology), settings_, checks)
    assert not np.isfinite(many.parameters[0]).all()
    assert checks.failed is None


def _nudged(averages: list[np.ndarray], at: int, factor: float) -> list[np.ndarray]:
    for each in averages:
        each[at] *= np.float32(factor)
    return averages


WRONG = {
    "a bit on one node": (
        lambda right, vectors: [right[0], np.nextafter(right[1], np.float32(9)), *right[2:]],
        r"step 1: element 0 of the average is .* on node 1 and .* on node 0",
    ),
    "a sum": (
        lambda right, vectors: [each * np.float32(len(vectors)) for each in right],
        r"step 1: element \d+ of the average is .*, the mean of the 3 nodes' vectors .*rounding explains",
    ),
    "one node's vector": (lambda right, vectors: [vectors[0]] * 3, r"step 1: element \d+ of the average is "),
    "the last element": (lambda right, vectors: _nudged(right, -1, 1.001), r"step 1: element \d+ of the average is "),
    "a hundred-thousandth": (lambda right, vectors: _nudged(right, -9, 1 + 1e-5), r"element \d+ of the average is "),
    "one not a number": (lambda right, vectors: _nudged(right, 5, np.nan), r"element 5 of the average is nan"),
    "a short result": (lambda right, vectors: [right[0], right[1][:-1], right[2]], r"node 1 has an average of"),
}


@pytest.mark.parametrize("what", WRONG)
def test_a_wrong_average_is_named(what: str) -> None:
    spoil, says = WRONG[what]
    topology, checks = fully_connected(3), Checks()
    data = clusters(60, 1)
    model = training.Perceptron(data.images.shape[1], training.Settings())
    shares = [training.Data(data.images[n::3], data.labels[n::3]) for n in range(3)]
    vectors = [np.append(model.gradient_sum(share), np.float32(len(share))) for share in shares]
    checks(model, data, vectors, [each.copy() for each in training.on(topology)(vectors)])
    assert checks.failed is None
    checks = Checks()
    checks(model, data, vectors, spoil([each.copy() for each in training.on(topology)(vectors)], vectors))
    assert re.search(says, checks.failed or "")


@pytest.mark.parametrize(
    ("keep", "says"),
    [
        (lambda n: np.arange(0, 59), "the averages are of 59 images, the batch has 60"),
        (lambda n: np.append(np.arange(0, 59), 7), "of the batch's gradient is .*, on one node"),
    ],
    ids=["an image is lost", "an image counts twice"],
)
def test_an_image_that_is_not_counted_once_is_named(keep: Callable[[int], np.ndarray], says: str) -> None:
    checks, data = Checks(), clusters(60, 1)
    model = training.Perceptron(data.images.shape[1], training.Settings())
    kept = keep(60)
    shares = [training.Data(data.images[kept[n::3]], data.labels[kept[n::3]]) for n in range(3)]
    vectors = [np.append(model.gradient_sum(share), np.float32(len(share))) for share in shares]
    checks(model, data, vectors, training.on(fully_connected(3))(vectors))
    assert re.search(says, checks.failed or "")


def test_the_slack_of_a_gradient_is_rounding_only() -> None:
    data = clusters(64, 1)
    model = training.Perceptron(data.images.shape[1], training.Settings())
    expected, slack = gradient(model, data)
    off = np.abs(model.gradient_sum(data) - expected)
    assert np.all(off <= slack)
    assert slack.max() < 1e-3 * np.abs(expected).max()
