# SPDX-License-Identifier: Apache-2.0
"""Writes SystemVerilog from scheduled blocks."""
