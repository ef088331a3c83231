# SPDX-License-Identifier: Apache-2.0
"""Benchmarks: one folder a published table or figure."""
