# SPDX-License-Identifier: Apache-2.0
"""Polyloom: program clusters of FPGAs from one source."""

__version__ = "0.1.0"
