// SPDX-License-Identifier: Apache-2.0
// What Python and C++ have to say alike: the memory that is there. polyloom/memory.py is the package's side.
#include <nanobind/nanobind.h>
#include <nanobind/stl/string.h>

#include "fabric/error.h"
#include "fabric/memory.h"

namespace nb = nanobind;

NB_MODULE(_polyloom_fabric, m) {
  nb::exception<polyloom::UserError>(m, "Refused");
  m.def("memory_there", &polyloom::memory_there);
  m.def("bytes_text", &polyloom::bytes_text);
  m.def("require_memory", &polyloom::require_memory);
}
