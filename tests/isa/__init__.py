# SPDX-License-Identifier: Apache-2.0
"""Directed tests of every instruction: sources made from arithmetic that is independent of the models."""
