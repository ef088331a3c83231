# SPDX-License-Identifier: Apache-2.0
# lint: polyloom_op_let Outputs=2 GeometryLatency=136
# The LET operator alone, for a node that has no slot.
../../stream/rtl/polyloom_stream_pkg.sv
-f ../../stream/rtl/lut_fifo.f
-f ../../ram/rtl/ram.f
../../stream/rtl/polyloom_stream_ram_fifo.sv
-f ../../float/rtl/float.f
polyloom_operator_pkg.sv
polyloom_op_let_unpack.sv
polyloom_op_let_delay.sv
polyloom_op_let_geometry.sv
polyloom_op_let_resolve.sv
polyloom_op_let_pack.sv
polyloom_op_let_lane.sv
polyloom_op_let.sv
