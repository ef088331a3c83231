# SPDX-License-Identifier: Apache-2.0
"""Many runs of an application that differ in options and keys of the cluster, and what differs between run records."""

from polyloom.sweeps.execute import sweep
from polyloom.sweeps.result import Sweep

__all__ = ["Sweep", "sweep"]
