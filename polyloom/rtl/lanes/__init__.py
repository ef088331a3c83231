# SPDX-License-Identifier: Apache-2.0
"""Compiles a design in which modules stand many times: each such module once, its instances as lanes of vectors.

A board of 16 tiles has 16 times the same logic, 64 times that of a core. Verilator computes each instance by itself;
here one machine instruction computes a signal in 16 or more of them: a bit of each of 64 cores is a bit of a
processor word, a number of each of 16 tiles an element of a vector. What has not changed is not computed again.

  read.py     sources, by Yosys (read_slang)  ->  netlist.py  groups of cells, the instances of each its lanes
  graph.py    what computes which bits, in which order, in which chunks
  code.py, cells.py, emit.py, activity.py     LLVM code of the chunks
  tables.py, build.py                         with blocks/verilated/shim/lanes.cc, a shared object as node_build makes

Cycles and outputs are those of Verilator's model (tests/test_lanes.py). One clock, clk_i, rising; one reset, rst_ni,
low; no waves. What a register without reset holds, and a memory, starts at random; undefined results are 0.
"""
