# SPDX-License-Identifier: Apache-2.0
# lint: polyloom_shell Role=8'd3 Channels=8 ChannelBytes=64'd536870912 ProgramWords=4096 ClockHz=64'd200000000
# lint: polyloom_shell Role=8'd3 Channels=1 ChannelBytes=64'd8192 ProgramWords=100 ClockHz=64'd1 PassFrames=1'd1
# lint: polyloom_shell Role=8'd1 Channels=2 ChannelBytes=64'd32 ProgramWords=1 ClockHz=64'd1 PassFrames=1'd1 RoleSpaces=1'd1
# lint: polyloom_shell_parser Channels=2 ChannelBytes=64'd32 ProgramWords=1 PassFrames=1'd1 RoleSpaces=1'd1
# lint: polyloom_shell_parser Channels=3 ChannelBytes=64'd8192 ProgramWords=100 PassFrames=1'd1
# lint: polyloom_shell_parser Channels=128 ChannelBytes=64'd4294967296 ProgramWords=4 PassFrames=1'd0
# lint: polyloom_shell_regs Role=8'd3 ClockHz=64'd200000000
# The shell, top polyloom_shell.
${common_cells}/src/spill_register.sv
-f ../../stream/rtl/lut_fifo.f
-f pkg.f
polyloom_shell_parser.sv
polyloom_shell_write_dma.sv
polyloom_shell_read_dma.sv
polyloom_shell_regs.sv
polyloom_shell_sender.sv
polyloom_shell.sv
