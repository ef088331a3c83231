# SPDX-License-Identifier: Apache-2.0
# Rules of POLite applications. An application's Makefile sets, and then includes this file:
#   APP_CPP   the vertex program(s)           APP_HDR   its headers
#   RUN_CPP   the host program's source(s)    RUN_H     its headers
# Targets, into build/:
#   all, hw   code.v data.v run: a simulated cluster (POLYLOOM_CLUSTER=...), or natively with POLYLOOM_ON=native
#   sim       sim: run with POLYLOOM_ON=native; sim-release is the same
#   build/hwsim   run with POLYLOOM_ON=sim
# Programs are run from build/: cd build && POLYLOOM_CLUSTER=laptop ./run
POLITE_UTIL := $(patsubst %/,%,$(dir $(realpath $(lastword $(MAKEFILE_LIST)))))
TINSEL_ROOT ?= $(realpath $(POLITE_UTIL)/../../..)
include $(TINSEL_ROOT)/globals.mk

POLITE_INC = -I $(INC) -I $(POLYLOOM_ROOT)/polite/include -I $(POLYLOOM_ROOT)/roles/overlay/device -I $(POLYLOOM_ROOT) -I .
APP_CFLAGS = $(RV_CFLAGS) -DTINSEL -O2 -std=gnu++20 -fno-exceptions -fno-rtti -fno-threadsafe-statics \
  -ffunction-sections -fdata-sections $(POLITE_INC)
RUN_CFLAGS = -std=gnu++20 -O3 -DNDEBUG -fopenmp $(POLITE_INC) -I $(HL)
RUN_LIBS = $(HL)/hostlink.a
APP_OBJ = $(patsubst %,build/app/%.o,$(basename $(notdir $(APP_CPP))))
vpath %.cpp $(sort $(dir $(APP_CPP)))
vpath %.cc $(sort $(dir $(APP_CPP)))

all: hw
hw: build/code.v build/data.v build/run
sim sim-release: hw build/sim

build/app/%.o: %.cpp $(APP_HDR) $(INC)/config.h
	@mkdir -p build/app
	$(RV_CPPC) $(APP_CFLAGS) -c $< -o $@
build/app/%.o: %.cc $(APP_HDR) $(INC)/config.h
	@mkdir -p build/app
	$(RV_CPPC) $(APP_CFLAGS) -c $< -o $@

build/link.args: $(POLITE_UTIL)/genld.sh $(INC)/config.h
	@mkdir -p build
	TINSEL_ROOT=$(TINSEL_ROOT) $(POLITE_UTIL)/genld.sh > $@

build/app.elf: $(APP_OBJ) build/link.args $(LIB)/entry.o $(LIB)/lib.o
	$(RV_LD) $(RV_LDFLAGS) --gc-sections $$(cat build/link.args) -T $(POLYLOOM_ROOT)/roles/overlay/device/link.ld \
	  $(LIB)/entry.o $(APP_OBJ) $(LIB)/lib.o -o $@

build/code.v: build/app.elf
	$(RV_OBJCOPY) -O verilog --only-section=.text $< $@
build/data.v: build/app.elf
	$(RV_OBJCOPY) -O verilog --remove-section=.text --set-section-flags .bss=alloc,load,contents $< $@

build/run: $(RUN_CPP) $(RUN_H) $(APP_HDR) $(HL)/hostlink.a
	@mkdir -p build
	g++ $(RUN_CFLAGS) $(RUN_CPP) $(RUN_LIBS) -o $@

build/sim build/hwsim: build/%: build/run build/code.v build/data.v
	@printf '#!/bin/sh\nPOLYLOOM_ON=%s exec "$$(dirname "$$0")/run" "$$@"\n' $(if $(filter sim,$*),native,sim) > $@
	@chmod +x $@

clean:
	rm -rf build
.PHONY: all hw sim sim-release clean
.DEFAULT_GOAL := all
