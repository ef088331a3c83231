# SPDX-License-Identifier: Apache-2.0
"""The ground of the package: errors, paths, files, processes, caches, run records. It uses no other."""
