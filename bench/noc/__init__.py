# SPDX-License-Identifier: Apache-2.0
"""Benchmark noc; see bench.py."""
