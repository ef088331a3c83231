# SPDX-License-Identifier: Apache-2.0
"""Data-parallel training of a small classifier; gradients are averaged by whatever ``Average`` it is given.

Input: images and labels, split over ranks; a function that averages one vector a rank. Output: the accuracy on held-out
images after each epoch, and each rank's parameters (which must stay equal bit by bit).
Usage: ``python -m apps.averaging.training [RANKS]`` trains on scikit-learn's digits, alone and on RANKS nodes.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from apps.averaging import schedules
from polyloom.base import extras
from polyloom.collectives.models.topology import Topology, fully_connected

Array = NDArray[np.float32]
Labels = NDArray[np.int64]
#: Takes one vector a rank, returns the average for each rank.
Average = Callable[[Sequence[Array]], Sequence[Array]]


@dataclass(frozen=True)
class Data:
    """Images as rows of numbers in 0..1, and what they show."""

    images: Array
    labels: Labels

    def __len__(self) -> int:
        return len(self.labels)


@dataclass(frozen=True)
class Settings:
    """What is learnt with: a perceptron with one hidden layer, stochastic gradients with momentum."""

    hidden: int = 32
    classes: int = 10
    epochs: int = 30
    batch: int = 64  # of all ranks together
    rate: float = 0.2
    momentum: float = 0.9
    seed: int = 1


@dataclass
class History:
    """Accuracy on the held-out images after each epoch; parameters of each rank at the end; bytes averaged a step."""

    accuracy: list[float] = field(default_factory=list)
    parameters: list[Array] = field(default_factory=list)
    vector_bytes: int = 0
    steps: int = 0


class Perceptron:
    """Two layers with ReLU and softmax. Parameters are one flat vector, as a collective wants them."""

    def __init__(self, inputs: int, settings: Settings) -> None:
        self.shapes = [(inputs, settings.hidden), (settings.hidden,), (settings.hidden, settings.classes)]
        self.shapes.append((settings.classes,))
        rng = np.random.default_rng(settings.seed)
        self.flat: Array = np.concatenate(
            [
                (rng.normal(0, np.sqrt(2 / shape[0]), shape) if len(shape) == 2 else np.zeros(shape)).ravel()
                for shape in self.shapes
            ]
        ).astype(np.float32)

    def layers(self) -> list[Array]:
        """Views of the parameters, by layer."""
        cuts = np.cumsum([int(np.prod(shape)) for shape in self.shapes])[:-1]
        return [part.reshape(shape) for part, shape in zip(np.split(self.flat, cuts), self.shapes, strict=True)]

    def _forward(self, images: Array) -> tuple[Array, Array]:
        weight1, bias1, weight2, bias2 = self.layers()
        hidden = np.maximum(images @ weight1 + bias1, 0)
        scores = hidden @ weight2 + bias2
        scores -= scores.max(axis=1, keepdims=True)
        odds = np.exp(scores)
        return hidden, odds / odds.sum(axis=1, keepdims=True)

    def predict(self, images: Array) -> Labels:
        """Most likely class of each image."""
        best: Labels = np.argmax(self._forward(images)[1], axis=1)
        return best

    def gradient_sum(self, data: Data) -> Array:
        """Gradient of the summed (not mean) cross entropy, so that unequal shares of a batch add up."""
        hidden, probability = self._forward(data.images)
        probability[np.arange(len(data)), data.labels] -= 1
        back = (probability @ self.layers()[2].T) * (hidden > 0)
        parts = [data.images.T @ back, back.sum(axis=0), hidden.T @ probability, probability.sum(axis=0)]
        flat: Array = np.concatenate([part.ravel() for part in parts]).astype(np.float32)
        return flat


#: Sees each step: the model before it, the whole batch, each rank's vector, the average of each rank.
Watch = Callable[[Perceptron, Data, Sequence[Array], Sequence[Array]], None]


def train(
    training: Data,
    held_out: Data,
    ranks: int,
    average: Average,
    settings: Settings,
    watch: Watch | None = None,
    begins: Callable[[int], None] = lambda _: None,
) -> History:
    """Each rank has every ranks-th image of each batch. One vector a step is averaged: gradient sum and image count.

    Their quotient is the mean gradient of the whole batch however it was shared out, so the path is the single node's
    but for rounding. ``begins`` hears of each epoch.
    """
    models = [Perceptron(training.images.shape[1], settings) for _ in range(ranks)]
    speeds = [np.zeros_like(model.flat) for model in models]
    history = History(vector_bytes=4 * (len(models[0].flat) + 1))
    rng = np.random.default_rng(settings.seed)
    for epoch in range(settings.epochs):
        begins(epoch)
        order = rng.permutation(len(training))
        for start in range(0, len(order), settings.batch):
            batch = order[start : start + settings.batch]
            vectors = []
            for rank, model in enumerate(models):
                mine = batch[rank::ranks]
                share = Data(training.images[mine], training.labels[mine])
                vectors.append(np.append(model.gradient_sum(share), np.float32(len(share))))
            averages = average(vectors)
            if watch is not None:
                watch(models[0], Data(training.images[batch], training.labels[batch]), vectors, averages)
            for model, speed, mean in zip(models, speeds, averages, strict=True):
                speed *= np.float32(settings.momentum)
                speed -= np.float32(settings.rate) * mean[:-1] / mean[-1]
                model.flat += speed
            history.steps += 1
        history.accuracy.append(float(np.mean(models[0].predict(held_out.images) == held_out.labels)))
    history.parameters = [model.flat for model in models]
    return history


def alone(vectors: Sequence[Array]) -> Sequence[Array]:
    """The average of a single node."""
    if len(vectors) != 1:
        raise ValueError(f"a single node averages one vector, got {len(vectors)}")
    return vectors


def on(topology: Topology, schedule: str = "halves") -> Average:
    """Average over a topology by the NumPy reference."""
    return lambda vectors: schedules.average(topology, vectors, schedule)


def digits(held_out_share: float = 0.25, seed: int = 0) -> tuple[Data, Data]:
    """scikit-learn's 1797 digits of 8 x 8, split by a fixed shuffle."""
    found = extras.need("sklearn.datasets", "scikit-learn").load_digits()
    images, labels = (found.data / 16).astype(np.float32), found.target.astype(np.int64)
    order = np.random.default_rng(seed).permutation(len(labels))
    cut = round(len(order) * (1 - held_out_share))
    kept, held = order[:cut], order[cut:]
    return Data(images[kept], labels[kept]), Data(images[held], labels[held])


def main(arguments: list[str]) -> None:
    """Train alone and on many nodes, print both accuracies by epoch."""
    ranks = int(arguments[0]) if arguments else 8
    training, held_out = digits()
    settings = Settings()
    single = train(training, held_out, 1, alone, settings)
    many = train(training, held_out, ranks, on(fully_connected(ranks)), settings)
    print(f"{many.steps} averages of {many.vector_bytes} bytes over {ranks} nodes\nepoch  alone   {ranks} nodes")
    for epoch, (one, all_of_them) in enumerate(zip(single.accuracy, many.accuracy, strict=True), 1):
        print(f"{epoch:5}  {one:.4f}  {all_of_them:.4f}")


if __name__ == "__main__":
    main(sys.argv[1:])
