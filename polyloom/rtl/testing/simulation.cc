// SPDX-License-Identifier: Apache-2.0
// simulation: main() of a unit test: cocotb's, and a door for harness.py, which runs inside of it.
// Through VPI each value that a test reads or writes is a string and an event; through the door it is memory,
// and half a cycle a call. Needs: a model named Vtop, of Verilator's --vpi.

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <string>

#include "Vtop.h"
#include "verilated.h"
#include "verilated_syms.h"
#include "verilated_vpi.h"
#if VM_TRACE
#include "verilated_fst_c.h"
#endif

namespace {

constexpr uint64_t kHalfPeriod = 1000;  // ps

uint64_t now = 0;
Vtop* top = nullptr;
#if VM_TRACE
VerilatedFstC* wave = nullptr;
#endif

void settle() {
  do {
    VerilatedVpi::doInertialPuts();  // what a test wrote through cocotb
    VerilatedVpi::clearEvalNeeded();
    top->eval();
    VerilatedVpi::callValueCbs();
  } while (VerilatedVpi::evalNeeded());
}

void dump() {
#if VM_TRACE
  if (wave) wave->dump(now);
#endif
}

void end() {
  VerilatedVpi::callCbs(cbEndOfSimulation);
#if VM_TRACE
  if (wave) wave->close();
#endif
}

const VerilatedVar* find(const std::string& scope, const char* name) {
  const VerilatedScope* found = Verilated::threadContextp()->scopeFind(scope.c_str());
  return found ? found->varFind(name) : nullptr;
}

}  // namespace

double sc_time_stamp() { return static_cast<double>(now); }

extern "C" {
void vlog_startup_routines_bootstrap(void);

// Half a cycle: the design settles with what was written, and time goes on. Not 0 if the design has stopped.
int polyloom_settle() {
  settle();
  dump();
  now += kHalfPeriod;
  return Verilated::threadContextp()->gotFinish();
}

// Where a variable lies: words of 8, 16, 32 or 64 bits, or of several times 32, the lowest first. ``indices``
// are those of an unpacked array. Null if there is none of that name.
void* polyloom_variable(const char* scope, const char* name, const int* indices, int count, int* bits,
                        int* bytes) {
  const VerilatedVar* variable = std::strchr(scope, '.') ? nullptr : find("TOP", name);  // a port of the top
  if (!variable) variable = find(scope, name);
  if (!variable || variable->udims() != count) return nullptr;
  void* data = variable->datap();
  for (int i = 0; i < count && data; ++i) data = variable->datapAdjustIndex(data, i + 1, indices[i]);
  *bits = static_cast<int>(variable->entBits());
  *bytes = static_cast<int>(variable->entSize());
  return data;
}
}

int main(int argc, char** argv) {
  Verilated::commandArgs(argc, argv);
  Verilated::fatalOnVpiError(false);  // cocotb asks for things that may not be there
  Verilated::threadContextp()->fatalOnError(
      false);  // an assertion ends the simulation, not the process: cocotb reports
  const std::unique_ptr<Vtop> model(new Vtop(""));
  top = model.get();
#if VM_TRACE
  Verilated::traceEverOn(true);
  VerilatedFstC file;
  if (std::any_of(argv, argv + argc, [](const char* word) { return std::strcmp(word, "--trace") == 0; })) {
    wave = &file;
    top->trace(wave, 99);
    wave->open("dump.fst");
  }
#endif
  vlog_startup_routines_bootstrap();
  VerilatedVpi::callCbs(cbStartOfSimulation);
  while (!Verilated::threadContextp()->gotFinish()) {
    settle();
    VerilatedVpi::callCbs(cbReadWriteSynch);
    settle();
    VerilatedVpi::callCbs(cbReadOnlySynch);
    dump();
    const uint64_t next = VerilatedVpi::cbNextDeadline();
    if (next == ~uint64_t{0}) break;
    now = std::max(now, next);
    VerilatedVpi::callCbs(cbNextSimTime);
    VerilatedVpi::callTimedCbs();
  }
  end();
  return Verilated::threadContextp()->errorCount() > 0 ? EXIT_FAILURE : EXIT_SUCCESS;
}
