# SPDX-License-Identifier: Apache-2.0
# lint: polyloom_stream_lut_fifo Width=289 Depth=16
# lint: polyloom_stream_lut_fifo Width=1 Depth=1
# lint: polyloom_stream_lut_fifo Width=8 Depth=3
# The FIFO in LUT RAM alone, for lists that need nothing else of this folder.
polyloom_stream_lut_fifo.sv
