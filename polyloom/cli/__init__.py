# SPDX-License-Identifier: Apache-2.0
"""The ``polyloom`` command: each part of the package brings its verbs, ``main`` puts them together."""
