# SPDX-License-Identifier: Apache-2.0
"""What ``polyloom nbody`` prints. Input: a run's result; output: lines for people."""

from __future__ import annotations

from typing import Any


def table(result: dict[str, Any]) -> str:
    """Energies, drifts, times by phase, errors."""
    steps = result["steps"]
    lines = [
        f"{result['bodies']} bodies, {steps} steps to t = {result['time']:g}; energy by {result['energy_by']}; "
        f"walk by {result['simd']}",
        f"energy {result['energy_first']:.9g} -> {result['energy_last']:.9g}, drift at most "
        f"{result['energy_drift']:.3g} of it; momentum {result['momentum_drift']:.3g}, "
        f"angular momentum {result['angular_momentum_drift']:.3g}",
    ]
    if steps:
        rate = result["bodies"] * steps / result["wall_seconds"]
        lines.append(
            f"{result['wall_seconds']:.2f} s, {1e3 * result['seconds_a_step']:.2f} ms a step, {rate:,.0f} bodies/s, "
            f"{result['interactions_a_body']:,.0f} interactions a body"
        )
        lines += [f"{'part of a step':<16} {'mean ms':>9} {'max ms':>9}   of the domains"]
        # The first forces are in the times but are no step.
        lines += [
            f"{name:<16} {1e3 * t['mean'] / (steps + 1):>9.3f} {1e3 * t['max'] / (steps + 1):>9.3f}"
            for name, t in result["phases"].items()
            if t["max"] > 0
        ]
    if steps and "simulated_phases" in result:
        computed = "as measured on this machine, not reproducible" if result["compute"] == "measured" else "free"
        lines += [f"simulated time (LET by {result['let']}; computing is {computed}): part of a step, mean us, max us"]
        lines += [
            f"{name:<16} {1e6 * t['mean'] / (steps + 1):>9.3f} {1e6 * t['max'] / (steps + 1):>9.3f}"
            for name, t in result["simulated_phases"].items()
            if t["max"] > 0
        ]
    if result["full_nodes"]:
        kept = result["let_nodes"] / result["full_nodes"]
        lines.append(f"LETs: {result['let_nodes']} of {result['full_nodes']} nodes ({kept:.3f})")
    if "force_errors" in result:
        e = result["force_errors"]
        lines.append(
            f"force errors of {e['samples']} bodies: median {e['median']:.2e}, 90 % {e['p90']:.2e}, "
            f"99 % {e['p99']:.2e}, max {e['max']:.2e}, rms {e['rms']:.2e}"
        )
    return "\n".join(lines)
