# SPDX-License-Identifier: Apache-2.0
# The operator socket: packages, operators, slot.
../../stream/rtl/polyloom_stream_pkg.sv
-f ../../stream/rtl/lut_fifo.f
-f let.f
polyloom_operator_kinds_pkg.sv
polyloom_op_pass.sv
polyloom_op_join2.sv
polyloom_op_scale.sv
polyloom_op_tree.sv
polyloom_op_reduce.sv
polyloom_op_distribute.sv
polyloom_op_collect.sv
polyloom_op_partition.sv
polyloom_op_slot.sv
