# SPDX-License-Identifier: Apache-2.0
# Covers: forces against direct summation in NumPy, a table of errors by criterion, the
# second moments of records, bad and degenerate input. Leaves out: LETs and runs (the files beside this).
from functools import cache

import numpy as np
import pytest

from polyloom import nbody
from polyloom.testing import FULL

COUNT, EPS = 32768, 0.01

# Criterion, value: median and 99 % error of monopoles, of quadrupoles, interactions a body. Leaf limit 8, no groups.
TABLE = {
    ("side", 0.3): ((2.1e-4, 1.3e-3), (4.8e-5, 1.8e-4), 8818),
    ("side", 0.5): ((9.3e-4, 6.0e-3), (3.4e-4, 1.3e-3), 2898),
    ("side", 0.7): ((2.8e-3, 1.3e-2), (1.4e-3, 6.4e-3), 1211),
    ("side", 1.0): ((8.9e-3, 5.2e-2), (6.9e-3, 3.6e-2), 451),
    ("angle", 0.5): ((1.8e-3, 1.2e-2), (8.2e-4, 6.0e-3), 1557),
    ("angle", 0.7): ((4.7e-3, 4.1e-2), (3.1e-3, 2.4e-2), 609),
    ("acceleration", 2.0**-5): ((7.5e-3, 3.0e-2), (5.4e-3, 2.2e-2), 427),
    ("acceleration", 2.0**-7): ((3.1e-3, 1.0e-2), (1.7e-3, 5.5e-3), 650),
    ("acceleration", 2.0**-9): ((1.2e-3, 3.9e-3), (5.0e-4, 1.2e-3), 1228),
    ("acceleration", 2.0**-12): ((3.2e-4, 1.0e-3), (8.1e-5, 1.9e-4), 4025),
}
QUICK = [("side", 0.7), ("angle", 0.7), ("acceleration", 2.0**-7)]


def summed(pos, mass, at, eps):
    """Direct summation, a target at a time."""
    acceleration, potential = np.zeros((len(at), 3)), np.zeros(len(at))
    for k, i in enumerate(at):
        d = pos - pos[i]
        r2 = (d * d).sum(axis=1) + eps * eps
        r2[i] = np.inf
        with np.errstate(divide="ignore"):
            w = np.where(r2 > 0, 1 / np.sqrt(r2), 0)
        acceleration[k] = (mass * w**3) @ d
        potential[k] = -(mass * w).sum()
    return acceleration, potential


@cache
def sample():
    state = nbody.problem("plummer", COUNT, 1)
    at = np.arange(8, COUNT, 16)
    return state["pos"], state["mass"], at, summed(state["pos"], state["mass"], at, EPS)[0]


def errors(acceleration, exact):
    return np.linalg.norm(acceleration - exact, axis=1) / np.linalg.norm(exact, axis=1)


def bound(printed):
    """10 % above a value of two digits, which may have been rounded down."""
    return 1.1 * (printed + 0.05 * 10 ** np.floor(np.log10(printed)))


def options(mac, value):
    return {"mac": mac, "delta" if mac == "acceleration" else "theta": value}


@pytest.mark.parametrize(("mac", "value"), list(TABLE) if FULL else QUICK)
@pytest.mark.parametrize("quadrupole", [False, True])
def test_table_of_errors(mac, value, quadrupole):
    pos, mass, at, exact = sample()
    median, high = TABLE[mac, value][quadrupole]
    # As the table was measured: every body walks for itself.
    tree = nbody.Tree(pos, mass, eps=EPS, leaf=8, group=1, quadrupole=quadrupole, **options(mac, value))
    found = errors(tree.forces()[0][at], exact)
    assert 0.8 * median < np.median(found) < bound(median)
    assert sum(tree.interactions()) / COUNT == pytest.approx(TABLE[mac, value][2], rel=0.1)
    # As it is used: groups make every error smaller.
    found = errors(nbody.accelerations(pos, mass, eps=EPS, quadrupole=quadrupole, **options(mac, value))[at], exact)
    assert np.median(found) < bound(median)
    assert np.quantile(found, 0.99) < bound(high)


def test_own_direct_sum_is_numpys():
    state = nbody.problem("hernquist", 500, 3)
    for eps in (0.0, 0.1):
        exact = summed(state["pos"], state["mass"], range(500), eps)
        acceleration, potential = nbody.direct(state["pos"], state["mass"], eps=eps)
        np.testing.assert_allclose(acceleration, exact[0], rtol=1e-12, atol=1e-14)
        np.testing.assert_allclose(potential, exact[1], rtol=1e-12)


@pytest.mark.parametrize("eps", [0.0, 0.02])
@pytest.mark.parametrize("scale", [1.0, 3.1e16])
def test_small_theta_is_direct_summation_in_any_units(eps, scale):
    state = nbody.problem("plummer", 600, 2)
    pos, mass = state["pos"] * scale + [7 * scale, 0, 0], state["mass"] * 2e30
    exact = summed(pos, mass, range(600), eps * scale)
    acceleration, potential = nbody.Tree(pos, mass, theta=1e-3, eps=eps * scale).forces()
    assert errors(acceleration, exact[0]).max() < 1e-4  # positions in fp32
    np.testing.assert_allclose(potential, exact[1], rtol=1e-5)


@pytest.mark.parametrize("eps", [1e-20, 1e-9, 1e-6, 0.1])
def test_potentials_without_the_bodies_own(eps):
    """Own m / eps of 1e6 and more is no part of the sum; those in one place with a body are."""
    pos = np.array([[0.5, 0, 0], [-0.5, 0, 0], [0, 1, 0], [0, 1, 0], [0, 1, 0]])
    mass = np.array([0.5, 0.25, 1, 2, 4.0])
    exact = summed(pos, mass, range(5), eps)[1]
    np.testing.assert_allclose(nbody.direct(pos, mass, eps=eps)[1], exact, rtol=1e-12)
    if eps == 1e-20:  # bodies in one place are left out without softening, and so little is none in fp32
        exact = summed(pos, mass, range(5), 0.0)[1]
    np.testing.assert_allclose(nbody.Tree(pos, mass, eps=eps).forces()[1], exact, rtol=1e-6)


def disc(star, distance, stars):
    """A planet of mass 1 with rings of 1 to 2 around it, and stars far away, which weigh ``star`` together."""
    random = np.random.default_rng(3)
    radius, angle = random.uniform(1, 2, 300), random.uniform(0, 2 * np.pi, 300)
    far = distance * np.array([0.6, -0.48, 0.64]) + 1e-3 * distance * random.standard_normal((stars, 3)) * (stars > 1)
    flat = np.column_stack((radius * np.cos(angle), radius * np.sin(angle), 1e-3 * random.standard_normal(300)))
    pos = np.vstack((np.zeros((1, 3)), flat, far))
    mass = np.concatenate(([1.0], np.full(300, 1e-9), np.full(stars, star / stars)))
    return {"pos": pos, "vel": np.zeros_like(pos), "mass": mass, "id": np.arange(len(pos))}


@pytest.mark.parametrize(("star", "distance", "stars"), [(20, 120, 1), (3500, 5000, 1), (400, 2e4, 40), (1, 1e6, 1)])
@pytest.mark.parametrize(("mac", "value"), [("side", 0.5), ("side", 1.0), ("acceleration", 2.0**-9)])
@pytest.mark.parametrize("nodes", [1, 3])
def test_a_heavy_body_far_away_hides_no_light_one(star, distance, stars, mac, value, nodes):
    simulation = nbody.Simulation(disc(star, distance, stars), nbody.Settings(dt=1e-6, **options(mac, value)), nodes)
    simulation.advance(2)  # the first forces are by angle, whatever the criterion
    state = simulation.state()
    exact = summed(state["pos"], state["mass"], range(len(state["pos"])), 0)[0]
    rings = (state["id"] > 0) & (state["id"] <= 300)
    assert errors(state["acc"], exact)[rings].max() < 0.05


@pytest.mark.parametrize("far", [1e9, 1e15, 1e25])
@pytest.mark.parametrize("quadrupole", [False, True])
def test_a_cluster_of_runaways_leaves_numbers(far, quadrupole):
    random = np.random.default_rng(4)
    pos = random.standard_normal((300, 3))
    pos[50:70] = far * (1 + 0.01 * random.standard_normal((20, 3)))
    mass = random.uniform(0.5, 1, 300)
    exact = summed(pos, mass, range(300), 0)[0]
    near = np.r_[:50, 70:300]
    found = nbody.accelerations(pos, mass, quadrupole=quadrupole)
    assert np.isfinite(found).all()
    assert errors(found, exact)[near].max() < 0.05


def test_second_moments_of_the_root():
    state = nbody.problem("plummer", 1000, 5)
    tree = nbody.Tree(state["pos"], state["mass"], quadrupole=True)
    d = (state["pos"] - state["mass"] @ state["pos"]) / tree.frame.length
    expected = np.einsum("n,ni,nj->ij", state["mass"] / tree.frame.mass, d, d)
    xx, xy, xz, yy, yz, zz = tree._tree.second().view(np.float32)[:6]
    np.testing.assert_allclose([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]], expected, rtol=1e-4, atol=1e-6)


def test_random_sets():
    random = np.random.default_rng(11)
    for n in (1, 2, 3, 7, 33, 257):
        pos = np.round(random.normal(size=(n, 3)), 1)  # some coincide
        mass = random.uniform(0, 1, n) * (random.uniform(size=n) > 0.2)  # some weigh nothing
        for eps in (0.0, 0.1):
            exact = summed(pos, mass, range(n), eps)[0]
            found = nbody.accelerations(pos, mass, eps=eps, theta=0.01, leaf=int(random.integers(1, 9)))
            np.testing.assert_allclose(found, exact, rtol=1e-4, atol=1e-5 * (np.abs(exact).max() + 1e-30))


def test_no_bodies():
    assert nbody.accelerations(np.zeros((0, 3)), np.zeros(0)).shape == (0, 3)


@pytest.mark.parametrize("bad", [np.nan, np.inf, -np.inf])
def test_positions_that_are_not_finite_are_named(bad):
    pos = np.zeros((5, 3))
    pos[3, 1] = bad
    with pytest.raises(nbody.NBodyError, match="body 3: its position is not finite"):
        nbody.accelerations(pos, np.ones(5))


def bodies(n=50):
    random = np.random.default_rng(5)
    return random.normal(size=(n, 3)), random.uniform(size=n)


@pytest.mark.parametrize(
    ("pos", "mass", "message"),
    [
        (lambda p: p.T, None, r"pos has the shape \(3, 50\); it must have \(N, 3\), a row a body; give pos.T"),
        (lambda p: p.ravel(), None, r"pos has the shape \(150,\); it must have \(N, 3\)"),
        (lambda p: p[:, :2], None, r"pos has the shape \(50, 2\)"),
        (lambda p: p + 0j, None, "pos has the type complex128; it must hold real numbers"),
        (lambda _: [[1, 2, 3], [4, 5]], None, "pos is no array"),
        (
            None,
            lambda m: m[:, None],
            r"mass has the shape \(50, 1\); with 50 bodies it must have \(50,\) or be a number",
        ),
        (None, lambda m: m[:-1], r"mass has the shape \(49,\)"),
        (None, lambda m: m[:1], r"mass has the shape \(1,\)"),
        (None, lambda m: m > 0, "mass has the type bool"),
    ],
)
def test_arrays_of_a_wrong_shape_are_named(pos, mass, message):
    p, m = bodies()
    p, m = pos(p) if pos else p, mass(m) if mass else m
    for call in (nbody.accelerations, nbody.direct, nbody.Tree):
        with pytest.raises(nbody.NBodyError, match=message):
            call(p, m)
    if mass is None:
        with pytest.raises(nbody.NBodyError, match=message.replace("pos", "targets")):
            nbody.direct(*bodies(), targets=p)


def test_what_may_be_given_in_other_ways():
    pos, mass = bodies()
    one = nbody.accelerations(pos, np.full(50, 0.5), eps=0.1)
    for same in (pos.tolist(), np.asfortranarray(pos), pos.astype(">f8"), np.repeat(pos, 2, axis=0)[::2]):
        assert (nbody.accelerations(same, 0.5, eps=0.1) == one).all()
    assert nbody.accelerations([], []).shape == (0, 3)
    tree = nbody.Tree(pos, mass)
    assert len(nbody.let(tree.records, tree.target)) == len(tree.records)


def test_structures_of_another_type_are_named():
    tree = nbody.Tree(*bodies())
    plain = np.zeros((4, 6), np.float32)
    for call in (lambda: nbody.let(plain, tree.target), lambda: tree.forces_with(tree.records, plain)):
        with pytest.raises(nbody.NBodyError, match="the type float32; it must be an array of q, x, y, z, mass, more"):
            call()
    with pytest.raises(nbody.NBodyError, match=r"target has the shape \(2,\); there must be 1"):
        nbody.let(tree.records, np.zeros(2, nbody.TARGET))


def test_options_that_are_wrong_are_named():
    pos, mass = np.zeros((2, 3)), np.ones(2)
    for wrong, message in (
        ({"theta": 0}, "theta"),
        ({"mac": "best"}, "no criterion 'best'"),
        ({"leaf": 9}, "leaf 9"),
        ({"group": 100}, "group 100"),
        ({"eps": -1}, "eps"),
        ({"eps": "small"}, "eps 'small': must be a number"),
        ({"quadrupole": "yes"}, "quadrupole 'yes': must be True or False"),
        ({"leaf": 4.5}, "leaf 4.5: must be an integer"),
        ({"leaf": 2**32 + 4}, "leaf 4294967300: must be 0 to"),
        ({"mac": None}, "mac None: must be a word"),
        ({"threads": -1}, "threads -1: must be 0 to 4096"),
    ):
        with pytest.raises(nbody.NBodyError, match=message):
            nbody.accelerations(pos, mass, **wrong)
