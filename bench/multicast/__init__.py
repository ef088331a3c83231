# SPDX-License-Identifier: Apache-2.0
"""Benchmark multicast; see bench.py."""
