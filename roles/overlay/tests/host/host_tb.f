# SPDX-License-Identifier: Apache-2.0
-f ../../rtl/host/host.f
host_tb.sv
