# SPDX-License-Identifier: Apache-2.0
"""Benchmark collectives; see bench.py."""
