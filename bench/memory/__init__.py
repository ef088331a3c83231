# SPDX-License-Identifier: Apache-2.0
"""Benchmark memory; see bench.py."""
