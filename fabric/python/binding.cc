// SPDX-License-Identifier: Apache-2.0
// What Python and C++ do alike: ask for memory, write files whole, hold run folders. polyloom/base/memory.py,
// files.py and folder.py are the package's side.
#include <nanobind/nanobind.h>
#include <nanobind/stl/filesystem.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include "fabric/memory.h"
#include "fabric/partial_file.h"
#include "fabric/python/user_error.h"
#include "fabric/run/folder.h"

namespace nb = nanobind;
namespace fs = std::filesystem;
using polyloom::fabric::PartialFile;
using polyloom::fabric::RunFolder;

namespace {

RunFolder::Use use(bool keep) { return keep ? RunFolder::Use::add : RunFolder::Use::replace; }

}  // namespace

NB_MODULE(_polyloom_fabric, m) {
  nb::register_exception_translator(polyloom::raise_user_error);
  m.def("memory_there", &polyloom::memory_there);
  m.def("bytes_text", &polyloom::bytes_text);
  m.def("require_memory", &polyloom::require_memory);

  nb::class_<PartialFile>(m, "PartialFile")
      .def("__init__", [](PartialFile* self, const fs::path& path) { new (self) PartialFile(path.string()); })
      .def("duplicate", &PartialFile::duplicate)
      .def("commit", &PartialFile::commit, nb::call_guard<nb::gil_scoped_release>())  // waits for the disk
      .def("discard", &PartialFile::discard);

  m.attr("MANIFEST") = RunFolder::kManifest;
  m.attr("FIRST_LINE") = RunFolder::kFirstLine;
  m.attr("PARTIAL") = RunFolder::kPartial;
  m.attr("PREVIOUS") = RunFolder::kPrevious;
  m.attr("HELD") = RunFolder::kHeld;
  nb::class_<RunFolder>(m, "RunFolder")
      .def("__init__",
           [](RunFolder* self, const fs::path& folder, bool keep, std::vector<fs::path> made) {
             new (self) RunFolder(folder.string(), use(keep), std::move(made));
           })
      .def_prop_ro("descriptor", &RunFolder::descriptor)
      .def_prop_ro("has_begun", &RunFolder::has_begun)
      .def("claim", [](RunFolder& self, const fs::path& name) { return fs::path(self.claim(name.string())); })
      .def("give_up", &RunFolder::give_up)
      .def("remove_partial", &RunFolder::remove_partial)
      .def("release", &RunFolder::release);
  m.def("check", [](const fs::path& folder, bool keep) { RunFolder::check(folder.string(), use(keep)); });
  m.def("names_of", [](const fs::path& folder) {
    nb::list names;
    for (const std::string& name : RunFolder::names_of(folder)) names.append(polyloom::python_text(name));
    return names;
  });
}
