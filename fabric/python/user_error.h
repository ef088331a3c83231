// SPDX-License-Identifier: Apache-2.0
// UserErrors of a compiled module are polyloom.base.errors.UserError in Python.
#pragma once

#include <nanobind/nanobind.h>

#include <exception>
#include <string>

#include "fabric/error.h"

namespace polyloom {

/// Names of files are bytes, which Python may have as text that is no UTF-8.
inline nanobind::object python_text(const std::string& bytes) {
  return nanobind::steal(
      PyUnicode_DecodeFSDefaultAndSize(bytes.data(), static_cast<Py_ssize_t>(bytes.size())));
}

/// For nanobind::register_exception_translator.
inline void raise_user_error(const std::exception_ptr& thrown, void*) {
  try {
    std::rethrow_exception(thrown);
  } catch (const UserError& error) {
    PyErr_SetObject(nanobind::module_::import_("polyloom.base.errors").attr("UserError").ptr(),
                    python_text(error.what()).ptr());
  }
}

}  // namespace polyloom
