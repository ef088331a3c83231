# SPDX-License-Identifier: Apache-2.0
"""Turns a run record into one self-contained HTML page."""
