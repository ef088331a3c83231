# SPDX-License-Identifier: Apache-2.0
"""Benchmark hls; see bench.py."""
