# SPDX-License-Identifier: Apache-2.0
"""Whether the averages of a training are right, step by step, against references in float64 that share no code with it.

Input: what each step took and gave. Output: ``failed``, the first check that failed, in words; None: all held.
The accuracies of two trainings are no check: float sums of another order differ in their last bits, small batches at
a high rate make that grow, and after some epochs the two are different, equally right networks. So each step is held
against its own inputs, within the most that rounding to float32 can explain, whatever order the sums are made in.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from apps.averaging.training import Array, Data, Perceptron

Doubles = NDArray[np.float64]
ROUNDING = 2.0**-24  # of one float32 operation, by the result
SMALLEST = 2.0**-126  # below it a float32 operation may also lose this much
LARGEST = float(np.finfo(np.float32).max)


class Checks:
    """A ``Watch`` of training.train."""

    def __init__(self) -> None:
        self.failed: str | None = None
        self._step = 0

    def __call__(self, model: Perceptron, batch: Data, vectors: Sequence[Array], averages: Sequence[Array]) -> None:
        """Hold one step against its inputs; ``model``: as it was before the step."""
        self._step += 1
        if self.failed is None:
            with np.errstate(all="ignore"):  # a training that diverges overflows; what is not finite is left out
                said = same(averages) or mean_of(vectors, averages[0]) or gradient_of(model, batch, vectors, averages)
            self.failed = said and f"step {self._step}: {said}"


def same(averages: Sequence[Array]) -> str | None:
    """All nodes have the same bits."""
    first = averages[0]
    for node, each in enumerate(averages):
        if each.shape != first.shape:
            return f"node {node} has an average of {each.size} elements, node 0 one of {first.size}"
        differs = each.view(np.uint32) != first.view(np.uint32)
        if differs.any():
            at = int(np.argmax(differs))
            return f"element {at} of the average is {each[at]} on node {node} and {first[at]} on node 0"
    return None


def mean_of(vectors: Sequence[Array], average: Array) -> str | None:
    """The average is the mean of the nodes' vectors."""
    given = np.array(vectors, dtype=np.float64)
    size = np.abs(given).sum(axis=0)
    # A sum of n terms in any order takes n - 1 roundings; so does a division in each of two dimensions, and 1/n.
    slack = (len(given) + 4) * ROUNDING * size / len(given) + len(given) * SMALLEST
    at = _first_apart(average, given.mean(axis=0), np.where(size < LARGEST, slack, np.inf))
    if at is None:
        return None
    return (
        f"element {at} of the average is {average[at]}, the mean of the {len(given)} nodes' vectors "
        f"{given[:, at].mean():.9g} (rounding explains {slack[at]:.2g})"
    )


def gradient_of(model: Perceptron, batch: Data, vectors: Sequence[Array], averages: Sequence[Array]) -> str | None:
    """The averaged gradient is that of the whole batch on one node, so every image counted once."""
    average = averages[0].astype(np.float64)
    images = average[-1] * len(vectors)
    if abs(images - len(batch)) > 1e-3:
        return f"the averages are of {images:.6g} images, the batch has {len(batch)}"
    found = average[:-1] * len(vectors)
    expected, slack = gradient(model, batch)
    shares = np.abs(np.array([vector[:-1] for vector in vectors], dtype=np.float64)).sum(axis=0)
    slack += (len(vectors) + 4) * ROUNDING * shares + len(vectors) ** 2 * SMALLEST
    at = _first_apart(found, expected, slack)
    if at is None:
        return None
    return (
        f"element {at} of the batch's gradient is {found[at]:.9g}, on one node {expected[at]:.9g} "
        f"(rounding explains {slack[at]:.2g})"
    )


def _first_apart(found: NDArray[np.floating], expected: Doubles, slack: Doubles) -> int | None:
    """The first element that is further away than its slack. Not finite must be so in both, unless slack is not."""
    apart = np.abs(found - expected) > slack
    apart |= np.isfinite(slack) & (np.isfinite(found) != np.isfinite(expected))
    return int(np.argmax(apart)) if apart.any() else None


def gradient(model: Perceptron, batch: Data) -> tuple[Doubles, Doubles]:
    """Gradient of the summed cross entropy in float64, and how far one in float32 may be from it, element by element.

    Each product of matrices adds (length + 2) roundings of its terms' sizes to what its factors have of their own. A
    hidden unit whose sum is so near 0 that float32 may see it on the other side may count or not.
    """
    weight1, bias1, weight2, bias2 = (layer.astype(np.float64) for layer in model.layers())
    images = batch.images.astype(np.float64)
    sums = images @ weight1 + bias1
    sums_off = (len(weight1) + 3) * ROUNDING * (np.abs(images) @ np.abs(weight1) + np.abs(bias1))
    hidden, alive, unsure = np.maximum(sums, 0), sums > -sums_off, np.abs(sums) <= sums_off
    hidden_off = sums_off * alive

    scores = hidden @ weight2 + bias2
    sizes = hidden @ np.abs(weight2) + np.abs(bias2)
    scores_off = hidden_off @ np.abs(weight2) + (len(weight2) + 5) * ROUNDING * sizes
    odds = np.exp(scores - scores.max(axis=1, keepdims=True))
    wrong = odds / odds.sum(axis=1, keepdims=True)
    # A score's error is a factor of its odds, and of the sum of odds; exp and the division round, too.
    factor = np.expm1(4 * scores_off.max(axis=1, keepdims=True)) + 32 * ROUNDING
    wrong_off = np.minimum(1, wrong * factor + SMALLEST) + ROUNDING
    wrong[np.arange(len(batch)), batch.labels] -= 1

    all_back = wrong @ weight2.T
    back_sizes = np.abs(wrong) @ np.abs(weight2).T
    back_off = wrong_off @ np.abs(weight2).T + (weight2.shape[1] + 2) * ROUNDING * back_sizes
    back, back_off = all_back * (sums > 0), back_off * alive + np.abs(all_back) * unsure

    roundings = (len(batch) + 2) * ROUNDING
    wrong_most, back_most = np.abs(wrong) + wrong_off, np.abs(back) + back_off
    parts = [images.T @ back, back.sum(axis=0), hidden.T @ wrong, wrong.sum(axis=0)]
    off = [
        np.abs(images).T @ (back_off + roundings * back_most),
        (back_off + roundings * back_most).sum(axis=0),
        hidden_off.T @ wrong_most + hidden.T @ (wrong_off + roundings * wrong_most),
        (wrong_off + roundings * wrong_most).sum(axis=0),
    ]
    return np.concatenate([p.ravel() for p in parts]), np.concatenate([p.ravel() for p in off])
