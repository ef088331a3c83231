# SPDX-License-Identifier: Apache-2.0
"""Runs of applications: which there are, what is started for one, and what it leaves."""
