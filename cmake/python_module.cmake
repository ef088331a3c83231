# SPDX-License-Identifier: Apache-2.0
# polyloom_python_module(NAME sources... LINK libs...): the compiled module _polyloom_NAME in build/python, from which
# the package polyloom.NAME loads it; target polyloom_NAME_ext. Left out where nanobind or Python's headers are missing.
# Each module has a domain of its own in nanobind: a C++ exception of one must not become an exception of another.
function(polyloom_python_module name)
  cmake_parse_arguments(ARG "" "" "LINK" ${ARGN})
  set(without STATUS)
  if(SKBUILD)  # for the Python that makes the wheel
    set(POLYLOOM_PYTHON ${Python_EXECUTABLE})
    set(without FATAL_ERROR)
  elseif(NOT POLYLOOM_PYTHON)
    set(POLYLOOM_PYTHON ${PROJECT_SOURCE_DIR}/.venv/bin/python)
  endif()
  if(EXISTS ${POLYLOOM_PYTHON})
    set(Python_EXECUTABLE ${POLYLOOM_PYTHON})
    execute_process(COMMAND ${POLYLOOM_PYTHON} -m nanobind --cmake_dir
      OUTPUT_STRIP_TRAILING_WHITESPACE OUTPUT_VARIABLE nanobind_ROOT RESULT_VARIABLE failed ERROR_QUIET)
  endif()
  find_package(Python 3.11 COMPONENTS Interpreter Development.Module QUIET)
  if(NOT Python_FOUND OR NOT nanobind_ROOT OR failed)
    message(${without} "the Python module of ${name} is left out: nanobind or Python's headers are missing")
    return()
  endif()
  # In the build folder: pip puts it into a folder of another name each time, and ccache takes that for another source.
  cmake_path(GET nanobind_ROOT PARENT_PATH nanobind)
  file(COPY ${nanobind} DESTINATION ${PROJECT_BINARY_DIR})
  set(nanobind_DIR ${PROJECT_BINARY_DIR}/nanobind/cmake)
  find_package(nanobind CONFIG REQUIRED)
  add_compile_options(-fmacro-prefix-map=${PROJECT_BINARY_DIR}/=)
  nanobind_add_module(polyloom_${name}_ext NB_STATIC NB_DOMAIN polyloom_${name} ${ARG_UNPARSED_ARGUMENTS})
  target_link_libraries(polyloom_${name}_ext PRIVATE ${ARG_LINK})
  set_target_properties(polyloom_${name}_ext PROPERTIES
    LIBRARY_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/python OUTPUT_NAME _polyloom_${name})
  add_dependencies(polyloom_programs polyloom_${name}_ext)
endfunction()
