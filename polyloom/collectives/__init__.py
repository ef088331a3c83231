# SPDX-License-Identifier: Apache-2.0
"""Collective operations between tightly coupled FPGAs, and the models that predict their time."""
