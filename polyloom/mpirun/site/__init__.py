# SPDX-License-Identifier: Apache-2.0
"""Jobs without FPGA ranks on the MPI that the site has: compiled by its ``mpicc``, started by its ``mpirun``.

``preload/`` is loaded into each rank: it hands on what the rank prints, and says which call the rank waits in.
"""
