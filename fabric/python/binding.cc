// SPDX-License-Identifier: Apache-2.0
// What Python and C++ do alike: ask for memory, write files whole. polyloom/memory.py and files.py are
// the package's side.
#include <nanobind/nanobind.h>
#include <nanobind/stl/filesystem.h>
#include <nanobind/stl/string.h>

#include "fabric/error.h"
#include "fabric/memory.h"
#include "fabric/partial_file.h"

namespace nb = nanobind;
namespace fs = std::filesystem;
using polyloom::fabric::PartialFile;

namespace {

// Names of files are bytes, which Python may have as text that is no UTF-8.
nb::object text_of(const std::string& bytes) {
  return nb::steal(PyUnicode_DecodeFSDefaultAndSize(bytes.data(), static_cast<Py_ssize_t>(bytes.size())));
}

void raise_user_error(const std::exception_ptr& thrown, void*) {
  try {
    std::rethrow_exception(thrown);
  } catch (const polyloom::UserError& error) {
    PyErr_SetObject(nb::module_::import_("polyloom.errors").attr("UserError").ptr(),
                    text_of(error.what()).ptr());
  }
}

}  // namespace

NB_MODULE(_polyloom_fabric, m) {
  nb::register_exception_translator(raise_user_error);
  m.def("memory_there", &polyloom::memory_there);
  m.def("bytes_text", &polyloom::bytes_text);
  m.def("require_memory", &polyloom::require_memory);

  nb::class_<PartialFile>(m, "PartialFile")
      .def("__init__", [](PartialFile* self, const fs::path& path) { new (self) PartialFile(path.string()); })
      .def("duplicate", &PartialFile::duplicate)
      .def("commit", &PartialFile::commit, nb::call_guard<nb::gil_scoped_release>())  // waits for the disk
      .def("discard", &PartialFile::discard);
}
