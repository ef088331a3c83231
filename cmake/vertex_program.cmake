# SPDX-License-Identifier: Apache-2.0
# polyloom_vertex_program(NAME source [OUTPUT name] [MODES modes...]): one source that POLYLOOM_PROGRAM describes, as
# bin/OUTPUT for this machine and as device/NAME/ for threads; the modes after the first one have device/NAME_MODE/.
# Needs polyloom_device_program and the target polyloom::polyloom, of a checkout or of find_package(polyloom).
include_guard(GLOBAL)

function(polyloom_vertex_program name source)
  cmake_parse_arguments(ARG "" "OUTPUT" "MODES" ${ARGN})
  if(NOT ARG_OUTPUT)
    set(ARG_OUTPUT ${name})
  endif()
  add_executable(${ARG_OUTPUT} ${source})
  target_link_libraries(${ARG_OUTPUT} PRIVATE polyloom::polyloom)
  target_compile_definitions(${ARG_OUTPUT} PRIVATE POLYLOOM_PROGRAM_NAME="${name}")
  set_target_properties(${ARG_OUTPUT} PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/bin)
  polyloom_device_program(${name} POLITE ${source})
  add_dependencies(${ARG_OUTPUT} device_${name})
  set(number 0)
  foreach(mode IN LISTS ARG_MODES)
    math(EXPR number "${number} + 1")
    polyloom_device_program(${name}_${mode} POLITE ${source} DEFINITIONS POLYLOOM_MODE=${number})
    add_dependencies(${ARG_OUTPUT} device_${name}_${mode})
  endforeach()
endfunction()
