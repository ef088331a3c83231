# SPDX-License-Identifier: Apache-2.0
"""Benchmark sort; see bench.py."""
