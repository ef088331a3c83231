# SPDX-License-Identifier: Apache-2.0
"""Draws the plots of benchmarks: as one self-contained page each, and as pictures for the documentation.

Input: a result's figures["plots"] (curves, bars that are stacked, or groups of bars side by side); output: NAME.html,
SVG.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from polyloom.base import files


def page(name: str, result: dict[str, Any]) -> str:
    """HTML of all plots of a result, with Plotly's script in it."""
    import plotly.graph_objects as go  # only where something is drawn

    parts = []
    for i, plot in enumerate(result["figures"].get("plots", {}).values()):
        figure = go.Figure()
        for curve, points in plot.get("curves", {}).items():
            figure.add_scatter(x=[p[0] for p in points], y=[p[1] for p in points], name=curve, mode="lines+markers")
        for piece, bars in plot.get("bars", {}).items():
            figure.add_bar(x=[b[0] for b in bars], y=[b[1] for b in bars], name=piece)
        for name, bars in plot.get("groups", {}).items():
            figure.add_bar(x=[b[0] for b in bars], y=[b[1] for b in bars], name=name)
        mode = "group" if "groups" in plot else "stack"
        figure.update_layout(title=plot["title"], template="simple_white", hovermode="x unified", barmode=mode)
        scale = {"type": "log"} if "curves" in plot else {}
        figure.update_xaxes(title=plot["x"], **scale)
        figure.update_yaxes(title=plot["y"], **scale)
        parts.append(figure.to_html(full_html=False, include_plotlyjs="inline" if i == 0 else False))
    origin = ", ".join(str(result[key]) for key in ("commit", "date", "machine") if key in result)
    notes = "".join(f"<p>{note}</p>" for note in result.get("notes", []))
    head = f"<!doctype html><meta charset='utf-8'><title>{name}</title><h1>{name}</h1><p>{origin}</p>{notes}"
    return head + "".join(parts)


def draw(name: str, result: dict[str, Any], folder: Path) -> Path:
    """Write NAME.html into ``folder``; returns its path."""
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"{name}.html"
    files.write(path, page(name, result))
    return path


def picture(plot: dict[str, Any], path: Path) -> None:
    """One plot as SVG, the same bytes for the same numbers. Axes are logarithmic where all values are positive."""
    import matplotlib as mpl

    mpl.use("svg")
    from matplotlib import pyplot as plt

    plain: Any = {"svg.hashsalt": "polyloom", "svg.fonttype": "none", "font.size": 9, "axes.spines.top": False}
    with mpl.rc_context({**plain, "axes.spines.right": False, "axes.grid": True, "grid.alpha": 0.3}):
        figure, axes = plt.subplots(figsize=(7, 3.6), layout="constrained")
        axes.set(title=plot["title"], xlabel=plot["x"], ylabel=plot["y"])
        if "bars" in plot:
            _stack(axes, plot["bars"])
        elif "groups" in plot:
            _group(axes, plot["groups"])
        else:
            values = [y for points in plot["curves"].values() for _, y in points]
            for curve, points in plot["curves"].items():
                axes.plot(*zip(*points, strict=True), marker="o", markersize=3, linewidth=1.2, label=curve)
            axes.set_xscale("log", base=2)
            axes.set_yscale("log" if min(values) > 0 else "linear")
        figure.legend(loc="outside right upper", frameon=False, fontsize=8)
        figure.savefig(path, metadata={"Date": None})
        plt.close(figure)


def _stack(axes: Any, bars: dict[str, list[tuple[str, float]]]) -> None:
    """Pieces on top of each other, a bar a name; names stand below, broken at commas."""
    names = list(dict.fromkeys(name for piece in bars.values() for name, _ in piece))
    bottom = dict.fromkeys(names, 0.0)
    for piece, values in bars.items():
        if not values:
            continue
        axes.bar([names.index(n) for n, _ in values], [v for _, v in values], bottom=[bottom[n] for n, _ in values],
                 width=0.6, label=piece)  # fmt: skip
        for name, value in values:
            bottom[name] += value
    axes.set_xticks(range(len(names)), [name.replace(", ", "\n") for name in names], fontsize=7)
    axes.grid(visible=False, axis="x")


def _group(axes: Any, groups: dict[str, list[tuple[str, float]]]) -> None:
    """Bars side by side, all groups with the same names; names stand below, broken at commas."""
    names = [name for name, _ in next(iter(groups.values()))]
    width = 0.8 / len(groups)
    for i, (group, values) in enumerate(groups.items()):
        axes.bar([at - 0.4 + (i + 0.5) * width for at in range(len(names))], [v for _, v in values], width, label=group)
    axes.set_xticks(range(len(names)), [name.replace(", ", "\n") for name in names], fontsize=7)
    axes.grid(visible=False, axis="x")
