# The node of the tests of blocks/verilated.
demo_lane.sv
demo_copy.sv
demo_node.sv
