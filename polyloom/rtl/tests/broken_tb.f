# SPDX-License-Identifier: Apache-2.0
broken_tb.sv
