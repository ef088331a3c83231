# SPDX-License-Identifier: Apache-2.0
"""Benchmark area; see bench.py."""
