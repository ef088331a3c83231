# SPDX-License-Identifier: Apache-2.0
# What Makefiles of Tinsel applications include from their tree's root.
#   INC LIB HL       folders of headers, device library (lib.o, entry.o) and host library (hostlink.a)
#   BIN              helper programs
#   RV_CC RV_CPPC RV_LD RV_OBJCOPY RV_CFLAGS    the RISC-V tools
# config.h is made when this file is read; $(LIB)/*.o and $(HL)/hostlink.a when a rule names them.
POLYLOOM_TINSEL := $(patsubst %/,%,$(dir $(realpath $(lastword $(MAKEFILE_LIST)))))
POLYLOOM_ROOT := $(realpath $(POLYLOOM_TINSEL)/../..)
TINSEL_ROOT ?= $(POLYLOOM_TINSEL)

INC = $(TINSEL_ROOT)/include
LIB = $(TINSEL_ROOT)/lib
HL = $(TINSEL_ROOT)/hostlink
BIN = $(TINSEL_ROOT)/bin

RV_PREFIX ?= riscv64-unknown-elf-
RV_FOUND = $(if $(shell command -v $(RV_PREFIX)gcc),,$(error no RISC-V compiler ($(RV_PREFIX)gcc): install the Debian package gcc-riscv64-unknown-elf))
RV_ARCH = rv32imf
RV_ABI = ilp32f
RV_CC = $(RV_FOUND)$(RV_PREFIX)gcc
RV_CPPC = $(RV_FOUND)$(RV_PREFIX)g++
RV_LD = $(RV_FOUND)$(RV_PREFIX)ld
RV_AR = $(RV_FOUND)$(RV_PREFIX)ar
RV_OBJCOPY = $(RV_FOUND)$(RV_PREFIX)objcopy
RV_CFLAGS := $(shell cat $(POLYLOOM_ROOT)/roles/overlay/device/rv_flags.txt)
RV_LDFLAGS = -melf32lriscv -G 0

# A machine may have python3 only; genld.sh scripts say python.
export PATH := $(PATH):$(POLYLOOM_TINSEL)/bin
export TINSEL_ROOT

# config.h, and genld.sh's answers of config.py, are of the cluster that this names: from any folder the same one.
ifneq ($(findstring /,$(POLYLOOM_CLUSTER))$(filter %.toml,$(POLYLOOM_CLUSTER)),)
export POLYLOOM_CLUSTER := $(abspath $(POLYLOOM_CLUSTER))
endif
POLYLOOM_CONFIG_ERROR := $(shell POLYLOOM_CLUSTER='$(POLYLOOM_CLUSTER)' $(MAKE) -s --no-print-directory -C $(POLYLOOM_TINSEL)/include config.h 2>&1)
ifneq ($(POLYLOOM_CONFIG_ERROR),)
$(error $(POLYLOOM_CONFIG_ERROR))
endif

# Pattern rules: an application's own rules for these files win.
$(TINSEL_ROOT)/lib/%.o: polyloom-always
	@$(MAKE) -s --no-print-directory -C $(LIB) $*.o
$(TINSEL_ROOT)/hostlink/%.a: polyloom-always
	@$(MAKE) -s --no-print-directory -C $(HL) $*.a
.PHONY: polyloom-always
polyloom-always:
.DEFAULT_GOAL :=
