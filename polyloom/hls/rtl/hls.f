# SPDX-License-Identifier: Apache-2.0
# What generated kernels instantiate
# lint: polyloom_hls_memory Words=100
# lint: polyloom_hls_multiply Width=32 Latency=2
# lint: polyloom_hls_divide Width=32
polyloom_hls_memory.sv
polyloom_hls_multiply.sv
polyloom_hls_divide.sv
