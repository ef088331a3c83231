# SPDX-License-Identifier: Apache-2.0
# Covers: records and LETs against a reading of the contract in NumPy float32, tree by tree and target by target; how
# much a LET prunes. Leaves out: whether forces stay the same (nbody/tests/walk_test.cc).
import numpy as np
import pytest

from polyloom import nbody

F = np.float32
ID = (1 << 26) - 1


def reference(tree, target):
    """The LET by the contract: masks in breadth-first order, every operation rounded to float32."""
    low, high, kappa, radius = (target[0][name] for name in ("min", "max", "kappa", "radius"))
    place = np.stack([tree["x"], tree["y"], tree["z"]], axis=1)
    d = place - np.minimum(np.maximum(place, low), high)
    s = (d[:, 0] * d[:, 0] + d[:, 1] * d[:, 1]) + d[:, 2] * d[:, 2]
    t = kappa * tree["q"] + radius
    u = (t * t) * F(1 + 2.0**-20)
    assert u.dtype == s.dtype == np.float32
    accepted = (tree["q"] < 0) | (u < s)
    inside = np.zeros(len(tree), bool)
    inside[:1] = True
    out, enqueued = [], 0
    for i in range(len(tree)):
        if not inside[i]:
            continue
        node = tree[i].copy()
        if not accepted[i]:
            first, count = int(node["more"]) & ID, (int(node["more"]) >> 26) + 1
            inside[first : first + count] = True
            node["more"] = (count - 1) << 26 | (1 + enqueued)
            enqueued += count
        else:
            node["q"], node["more"] = -1, len(out)
        out.append(node)
    return np.array(out, dtype=nbody.RECORD)


def target_of(low, high, kappa=1.0, radius=0.0):
    target = np.zeros(1, nbody.TARGET)
    target["min"], target["max"], target["kappa"], target["radius"] = low, high, kappa, radius
    return target


def trees():
    for name, count in (("plummer", 1500), ("hernquist", 1500), ("cold-sphere", 1500), ("kepler", 2), ("plummer", 1)):
        state = nbody.problem(name, count, 3)
        for leaf in (4, 8):
            yield nbody.Tree(state["pos"], state["mass"], leaf=leaf).records
    yield nbody.Tree(np.ones((300, 3)), np.ones(300)).records
    yield nbody.Tree(np.zeros((0, 3)), np.ones(0)).records


def test_let_is_the_contracts():
    random = np.random.default_rng(2)
    for tree in trees():
        for _ in range(10):
            low = random.uniform(-1, 1, 3).astype(F)
            size, kappa = random.uniform(0, 0.7, 3), random.uniform(0.3, 3)
            for target in (target_of(low, low + size, kappa), target_of(low, low, kappa, size[0])):
                assert nbody.let(tree, target).tobytes() == reference(tree, target).tobytes()


def test_let_is_a_tree():
    state = nbody.problem("plummer", 3000, 1)
    tree = nbody.Tree(state["pos"], state["mass"])
    let = nbody.let(tree.records, target_of([0.2, -1, -1], [1, 1, 1]))
    assert len(let) < len(tree.records)
    cells = let["q"] >= 0
    first, count = let["more"] & ID, (let["more"] >> 26) + 1
    assert (let["more"][~cells] == np.flatnonzero(~cells)).all()
    ends = np.cumsum(count[cells]) + 1
    assert (first[cells] == np.concatenate([[1], ends[:-1]])).all()
    assert ends[-1] == len(let)
    # What hangs below the root weighs what the bodies weigh.
    assert let["mass"][~cells].sum(dtype=np.float64) * tree.frame.mass == pytest.approx(1, rel=1e-6)
    again = nbody.let(let, target_of([0.2, -1, -1], [1, 1, 1]))
    assert again.tobytes() == let.tobytes()


def test_share_of_nodes_that_lets_keep():
    """Plummer, 8 domains: the bounds of the issue, and spheres that keep everything."""
    shares = {}
    for name, settings in (
        ("angle", nbody.Settings(mac="angle", theta=0.7)),
        ("acceleration", nbody.Settings(mac="acceleration", delta=2.0**-8)),
        ("sphere", nbody.Settings(mac="angle", theta=0.7, target="sphere")),
    ):
        simulation = nbody.Simulation(nbody.problem("plummer", 65536, 1), settings, nodes=8)
        simulation.advance(1)
        reports = simulation.reports()
        shares[name] = sum(r["let_nodes"] for r in reports) / sum(r["full_nodes"] for r in reports)
    assert shares["angle"] < 0.15
    assert shares["acceleration"] < 0.45
    assert shares["sphere"] > 0.95
