# SPDX-License-Identifier: Apache-2.0
"""Numbers as people read them."""

from __future__ import annotations

PREFIXES = (
    (1e12, "T"),
    (1e9, "G"),
    (1e6, "M"),
    (1e3, "k"),
    (1.0, ""),
    (1e-3, "m"),
    (1e-6, "µ"),
    (1e-9, "n"),
    (1e-12, "p"),
)


def quantity(value: float | int | str, unit: str) -> str:
    """``0.00123, "s"`` -> ``1.23 ms``; values without a unit keep their digits."""
    if isinstance(value, str):
        return value
    if not unit:
        return f"{value:.6g}" if isinstance(value, float) else f"{value:,}"
    if value == 0:
        return f"0 {unit}"
    for factor, prefix in PREFIXES:
        if abs(value) >= factor:
            return f"{value / factor:.3g} {prefix}{unit}"
    return f"{value:.3g} {unit}"


def heat(fraction: float) -> str:
    """Colour of a value between 0 and 1: pale to deep, readable on light and dark."""
    fraction = min(max(fraction, 0.0), 1.0)
    hue = 210 - 190 * fraction
    return f"hsl({hue:.0f} 75% {78 - 28 * fraction:.0f}%)"
