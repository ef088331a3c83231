# SPDX-License-Identifier: Apache-2.0
"""Benchmark averaging; see bench.py."""
