# SPDX-License-Identifier: Apache-2.0
# Covers: closed forms against the numbers that the OPTWEB paper prints (each with its section), laws that hold for any
# shape, the figures' page. Leaves out: the closed forms against the simulator (bench/collectives).
from __future__ import annotations

import random
import subprocess
import sys
from fractions import Fraction
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from polyloom.collectives import models
from polyloom.collectives.models import buckets, figures, improved, operations, sorting, tables
from polyloom.collectives.models.topology import Cost, Link, balanced_hypercube, fully_connected, hypercube

KIB, MIB, GIB = 1 << 10, 1 << 20, 1 << 30
FC8 = fully_connected(8)
PAPER_4X2 = hypercube(3, 1)

degrees = st.integers(0, 40)
pairs = st.tuples(degrees, degrees).filter(lambda pair: sum(pair) > 0)
links = st.builds(Link.of, st.floats(0, 5), st.floats(1, 400))
sizes = st.floats(1, 1e10)


def near(value: float, printed: float, share: float) -> None:
    assert value == pytest.approx(printed, rel=share)


# --- section 4.B.1, Figs. 8 and 9 -------------------------------------------------------------------------------


def test_all_to_all_on_eight() -> None:
    at_360, at_720 = models.OPTWEB_45, models.OPTWEB_90
    cost = operations.all_to_all(FC8)
    near(cost.seconds(at_360, 64 * KIB), 2.27e-6, 0.05)
    near(cost.gbps(at_360, 64 * KIB), 231, 0.05)
    near(cost.gbps(at_360, 2 * MIB), 358, 0.02)
    near(cost.seconds(at_720, KIB), 0.89e-6, 0.02)
    near(cost.seconds(at_720, 4 * GIB), 48e-3, 0.01)
    near(cost.gbps(at_720, 4 * GIB), 716, 0.01)
    assert cost.gbps(at_720, 512 * KIB) > 0.8 * 720


def test_printed_48_ms_for_2_mib_must_be_microseconds() -> None:
    # The paper's own 358 Gb/s contradicts its "48 ms" in the same sentence (section 4.B.1).
    assert 8 * 2 * MIB / 48e-3 < 1e9
    near(operations.all_to_all(FC8).seconds(models.OPTWEB_45, 2 * MIB), 48e-6, 0.02)


def test_loopback_is_counted_in_the_bandwidth_per_fpga() -> None:
    assert FC8.ports * models.OPTWEB_45.gbps == pytest.approx(360)
    assert FC8.ports * models.OPTWEB_90.gbps == pytest.approx(720)


# --- section 2.D ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("size", "direct", "indirect"), [(128, 0.8, 2.0), (MIB, 332.4, 665.0)])
def test_unicast_direct_and_over_two_hops(size: int, direct: float, indirect: float) -> None:
    link = models.OPTWEB_UNICAST
    near(operations.unicast().seconds(link, size), direct * 1e-6, 0.06)
    near(operations.unicast(hops=2).seconds(link, size), indirect * 1e-6, 0.06)


def test_cut_through_halves_a_long_two_hop_transfer() -> None:
    link = Link.of(0.8, 25.2, relay_us=0.3, turnaround_us=0.4)
    assert improved.unicast_two_hops().seconds(link, MIB) < 340e-6 < 660e-6 < operations.unicast(2).seconds(link, MIB)


# --- Table 1 (section 4.A, 4.C.1) -------------------------------------------------------------------------------


def test_table_1() -> None:
    sort, average = tables.table1("sort", 125e6, 8), tables.table1("averaging", 200e6, 16)
    assert (sort.memory_read, sort.memory_write, sort.network) == pytest.approx((256, 256, 256))
    assert (average.memory_read, average.memory_write, average.network) == pytest.approx((819.2, 819.2, 720))
    assert sort.network / 8 == pytest.approx(32)  # "32 Gbps/link"
    # Bisection of eight at 32 Gb/s: 4 x 4 links (section 4.C.1).
    assert 16 * sort.network / 8 == pytest.approx(512)


# --- Table 2, Figs. 11 and 12 (section 4.B.2) -------------------------------------------------------------------


def test_ghc_4x2_is_a_sixth_of_fc_and_with_doubled_y_a_quarter() -> None:
    fc, ghc = operations.all_to_all(FC8), operations.all_to_all(PAPER_4X2)
    doubled = operations.all_to_all(hypercube(3, 1, links_y=2))
    assert fc.volume / ghc.volume == Fraction(1, 6)  # 1 / (d + 2)
    assert fc.volume / doubled.volume == Fraction(1, 4)  # 2 / (d + dy + 3)
    near(44 * float(fc.volume / ghc.volume), 7.3, 0.01)


def test_same_degree_of_section_4b2_is_the_same_number_of_nodes() -> None:
    # The paper says that d = 4 on both. FC of degree 4 has five nodes, and the ratio would be 4/15.
    same_degree = operations.all_to_all(fully_connected(5))
    assert same_degree.volume / operations.all_to_all(PAPER_4X2).volume == Fraction(4, 15)


@given(pairs)
def test_table_2_closed_forms(pair: tuple[int, int]) -> None:
    dx, dy = pair
    ghc, d = hypercube(dx, dy), dx + dy
    cost = operations.all_to_all(ghc)
    if dx and dy:
        assert cost == Cost(2, Fraction(d + 2, ghc.nodes))
        assert cost.fpga_throughput(ghc) == Fraction(ghc.nodes, (d + 1) * (d + 2))
        assert cost.system_throughput(ghc) == Fraction(ghc.nodes**2, (d + 1) * (d + 2))
    else:
        assert cost == Cost(1, Fraction(1, d + 1))
        assert cost.fpga_throughput(ghc) == 1
        assert cost.system_throughput(ghc) == d + 1


@given(pairs, st.integers(1, 4), st.integers(1, 4))
def test_table_2_with_link_multiplicities(pair: tuple[int, int], a: int, b: int) -> None:
    dx, dy = pair[0] + 1, pair[1] + 1
    expected = Fraction(1, a * (dx + 1)) + Fraction(1, b * (dy + 1))
    assert operations.all_to_all(hypercube(dx, dy, a, b)).volume == expected


def test_large_square_approaches_d_squared_by_16() -> None:
    exact = operations.all_to_all(balanced_hypercube(16)).system_throughput(balanced_hypercube(16))
    assert exact == Fraction(18**3, 16 * 17)
    near(float(exact), 21.4, 0.01)  # "16 times" is the approximation 16 x one FPGA's bandwidth; FC has 17
    for degree in (200, 2000):
        ghc = balanced_hypercube(degree)
        near(float(operations.all_to_all(ghc).system_throughput(ghc)), degree**2 / 16, 6 / degree)


def test_figure_12_takes_unequal_dimensions_for_odd_degrees() -> None:
    assert balanced_hypercube(5).nodes == 4 * 3
    assert balanced_hypercube(4).nodes == 3 * 3
    assert all(balanced_hypercube(degree).degree == degree for degree in range(2, 65))


# --- Table 3, Fig. 13 (section 4.C) -----------------------------------------------------------------------------


def test_sort_passes_and_65_percent() -> None:
    assert len(sorting.published(FC8)) == 11
    assert len(sorting.published(PAPER_4X2)) == 17
    ratio = sorting.relative_fpga_throughput(PAPER_4X2, FC8)
    assert ratio == Fraction(11, 17)
    assert round(float(ratio), 2) == 0.65
    kinds = [each.kind for each in sorting.published(FC8)]
    assert (kinds.count("histogram"), kinds.count("exchange"), kinds.count("steer") + kinds.count("move")) == (1, 2, 8)


@pytest.mark.parametrize(("dx", "dy", "printed"), [(1, 1, 0.86), (2, 2, 1.16), (3, 1, 1.04), (8, 8, 3.08)])
def test_sort_system_throughput_at_the_same_degree(dx: int, dy: int, printed: float) -> None:
    ratio = sorting.relative_system_throughput(hypercube(dx, dy), fully_connected(dx + dy + 1))
    assert ratio == Fraction(11 * (dx + 1) * (dy + 1), 17 * (dx + dy + 1))
    assert float(ratio) == pytest.approx(printed, abs=0.006)


@given(st.integers(2, 40), st.integers(2, 40))
def test_sort_on_ghc_beats_fc_from_two_by_two_on(dx: int, dy: int) -> None:
    assert sorting.relative_system_throughput(hypercube(dx, dy), fully_connected(dx + dy + 1)) > 1


def test_sort_time_of_the_paper_and_ours() -> None:
    link, column = models.OPTWEB_SORT, 64 * MIB
    assert link.gbps == pytest.approx(32)
    bound = sorting.seconds(sorting.published(FC8), column, FC8.ports, link, accept=1.0)
    near(bound, 23.1e-3, 0.01)
    measured = 8 * 128 * MIB * 8 / 277e9  # both columns of eight nodes at 277 Gb/s
    near(measured, 0.031, 0.001)
    assert 0.73 < bound / measured < 0.76
    assert sorting.seconds(sorting.published(FC8), column, FC8.ports, link) < 25e-3
    near(sorting.seconds(sorting.fused(FC8), column, FC8.ports, link, accept=1.0), 6.3e-3, 0.01)
    times = sorting.predictions(FC8, column, FC8.ports, link)
    assert times["published, no stalls"] == bound
    assert times["fused, no histogram"] < times["fused"] < 8e-3 < times["published"] < 25e-3 < measured
    finish = sorting.seconds(sorting.finish(26), column, FC8.ports, link)
    assert times["fused, then all 32 bits"] == pytest.approx(times["fused"] + finish)


def test_skew_halves_a_partition_and_splitting_mends_it() -> None:
    assert sorting.accept_bound([2, 1, 1, 1, 1, 1, 1, 1]) == pytest.approx(0.5625)
    assert sorting.accept_bound([3] * 8) == 1
    args = (sorting.fused(FC8), 64 * MIB, FC8.ports, models.OPTWEB_SORT)
    uniform, hot = sorting.seconds(*args), sorting.skewed_seconds(*args, [2.0] + [1.0] * 63)
    assert hot > 1.6 * uniform
    assert sorting.skewed_seconds(*args, [1.0] * 64) == pytest.approx(uniform)


@pytest.mark.parametrize(("depth", "expected"), [(64, sorting.UNIFORM_ACCEPT), (256, 0.993)])
def test_accept_rate_of_uniform_keys(depth: int, expected: float) -> None:
    draw = random.Random(depth)
    found = buckets.accept_rate([draw.randrange(8) for _ in range(64 * 3000)], 8, depth)
    assert found == pytest.approx(expected, abs=0.006)


@pytest.mark.parametrize("depth", [64, 256])
def test_accept_rate_falls_to_the_bound_when_skewed_however_deep(depth: int) -> None:
    draw = random.Random(depth)
    words = draw.choices(range(8), weights=[2, 1, 1, 1, 1, 1, 1, 1], k=64 * 3000)
    assert buckets.accept_rate(words, 8, depth) == pytest.approx(0.5625, abs=0.01)


def test_accept_rate_of_even_and_of_hopeless_streams() -> None:
    assert buckets.accept_rate([n % 8 for n in range(64 * 100)], 8, 64) == 1
    # All words for one bucket: eight clocks a row.
    assert buckets.accept_rate([3] * 64 * 100, 8, 16) == pytest.approx(1 / 8, rel=0.02)
    assert buckets.accept_rate([3] * 64 * 100, 8, 256) == pytest.approx(1 / 8, rel=0.05)
    assert buckets.accept_rate(([0] * 15 + [1]) * 500, 2, 16) == pytest.approx(16 / 30, rel=0.02)
    # By hand: bucket 0 gets 7, 9, 9 words and keeps 7, then 8; with 16 words of room the last row waits a clock.
    rows = [0] * 7 + [1] * 9 + 2 * ([0] * 9 + [1] * 7)
    assert buckets.accept_rate(rows, 2, 16) == 3 / 4
    with pytest.raises(ValueError, match="two beats"):
        buckets.accept_rate([0] * 64, 8, 8)


def test_digits_of_a_full_sort() -> None:
    assert len(sorting.finish(26)) == 1 + 2 * 4
    assert sorting.finish(0) == []


# --- Table 4, Figs. 15 and 19 (section 4.D) ---------------------------------------------------------------------


def test_averaging_on_eight() -> None:
    link, cost = models.OPTWEB_90, operations.average(FC8)
    near(cost.seconds(link, KIB), 2e-6, 0.12)  # printed with one digit: twice the start-up of 0.89 us
    near(cost.seconds(link, 32 * KIB), 3e-6, 0.2)  # printed with one digit
    near(cost.seconds(link, 2 * GIB), 48e-3, 0.01)
    near(cost.gbps(link, 2 * GIB), 358, 0.01)
    near(cost.gbps(link, 2 * GIB) / 720, 0.497, 0.01)
    naive = operations.average_naive(FC8)
    assert cost.volume / naive.volume == Fraction(cost.startups, naive.startups) == Fraction(2, 3)


@given(pairs)
def test_table_4_is_half_of_table_2(pair: tuple[int, int]) -> None:
    ghc = hypercube(*pair)
    once, average = operations.all_to_all(ghc), operations.average(ghc)
    assert (average.startups, average.volume) == (2 * once.startups, 2 * once.volume)


def gain_over_fc(cost: Cost, degree: int) -> float:
    ghc, fc = balanced_hypercube(degree), fully_connected(degree + 1)
    return float(cost.system_throughput(ghc) / operations.average(fc).system_throughput(fc))


def test_averaging_at_degree_64() -> None:
    ghc = balanced_hypercube(64)
    assert gain_over_fc(operations.average(ghc), 64) == pytest.approx(66**3 / (16 * 65**2))
    assert int(10 * gain_over_fc(operations.average(ghc), 64)) == 42  # "4.2 times" (abstract, section 4.D.2)
    assert gain_over_fc(improved.average_prose(ghc), 64) == pytest.approx(8.5, abs=0.01)
    assert gain_over_fc(improved.average_hierarchical(ghc), 64) == pytest.approx(8.26, abs=0.01)
    assert gain_over_fc(improved.average(ghc), 64) == pytest.approx(16.5, abs=0.02)
    assert ghc.nodes / 65 == pytest.approx(16.75, abs=0.01)  # the ideal: as many FPGAs more


def test_averaging_on_4x2_against_fc_of_degree_four() -> None:
    fc = operations.average(fully_connected(5)).total_throughput(fully_connected(5))
    printed, ours = operations.average(PAPER_4X2), improved.average(PAPER_4X2)
    assert float(printed.total_throughput(PAPER_4X2) / fc) == pytest.approx(0.43, abs=0.005)
    assert float(ours.total_throughput(PAPER_4X2) / fc) == pytest.approx(1.02, abs=0.005)
    # Two thirds of the vector x first: 2 (1/6 + 1/12) beta L.
    assert improved.average(PAPER_4X2, share=None).volume == Fraction(1, 2)


def test_averaging_on_8x8() -> None:
    ghc = hypercube(7, 7)
    assert gain_over_fc(operations.average(ghc), 14) == pytest.approx(1.14, abs=0.005)
    assert gain_over_fc(improved.average(ghc), 14) > 3.9


# --- tables and figures as programs -----------------------------------------------------------------------------


def test_tables_print_the_ratios() -> None:
    done = subprocess.run(
        [sys.executable, "-m", "polyloom.collectives.models.tables", "3", "1"],
        capture_output=True,
        text=True,
        check=True,
    )
    assert "17 passes" in done.stdout
    assert "3/4 beta L" in done.stdout
    assert "819.2 read + 819.2 write  network 720.0" in done.stdout


def test_series_of_the_figures() -> None:
    twelve, nineteen = figures.figure_12(), figures.figure_19()
    assert twelve.degrees == nineteen.degrees == list(range(2, 65))
    assert twelve.curves["FC"] == [degree + 1 for degree in twelve.degrees]
    assert nineteen.curves["FC"] == [(degree + 1) / 2 for degree in nineteen.degrees]
    published = nineteen.curves["GHC(r=2), as printed"]
    assert published[-1] / nineteen.curves["FC"][-1] == pytest.approx(4.253, abs=0.001)


def test_page_holds_both_figures_and_needs_no_network(tmp_path: Path) -> None:
    pytest.importorskip("plotly")
    page = tmp_path / "figures.html"
    figures.write(page)
    text = page.read_text()
    assert "Figure 12" in text
    assert "Figure 19" in text
    assert "<script src=" not in text
