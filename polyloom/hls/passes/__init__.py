# SPDX-License-Identifier: Apache-2.0
"""Passes over the representation, one a file; ``pipeline.py`` has their order and the reasons."""
