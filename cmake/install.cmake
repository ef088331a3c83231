# SPDX-License-Identifier: Apache-2.0
# What is installed, and where below the prefix:
#   share/polyloom/          a home (polyloom/base/paths.py, fabric/home.h): the folders of a checkout, with what a user of them
#                            needs: clusters, headers, device runtime, RTL, Python applications, examples
#   share/polyloom/build/    what polyloom_programs builds: bin, lib, python, device, generated
#   share/polyloom/polyloom/ the Python package; a wheel has that elsewhere
#   lib/cmake/polyloom/      find_package(polyloom)
# A wheel has all of it in polyloom/installed, with those libraries of this machine that others may lack.
set(home share/polyloom)
set(build ${home}/build)
set(files DIRECTORY_PERMISSIONS OWNER_READ OWNER_WRITE OWNER_EXECUTE GROUP_READ GROUP_EXECUTE WORLD_READ WORLD_EXECUTE
  COMPONENT polyloom FILES_MATCHING)

install(CODE "set(CMAKE_INSTALL_DO_STRIP TRUE)" COMPONENT polyloom)
get_target_property(installed polyloom_programs MANUALLY_ADDED_DEPENDENCIES)
list(APPEND installed polyloom)  # the library that programs of users link with, too
foreach(target IN LISTS installed)
  get_target_property(type ${target} TYPE)
  if(type STREQUAL "UTILITY")
    if(target MATCHES "^device_(.*)")
      set(device ${PROJECT_BINARY_DIR}/device/${CMAKE_MATCH_1})
      install(FILES ${device}/app.elf ${device}/code.v ${device}/data.v DESTINATION ${build}/device/${CMAKE_MATCH_1}
        COMPONENT polyloom)
    endif()
    continue()
  endif()
  set_target_properties(${target} PROPERTIES INSTALL_RPATH "$ORIGIN/../lib")
  list(APPEND binaries $<TARGET_FILE:${target}>)
  get_target_property(folder ${target} LIBRARY_OUTPUT_DIRECTORY)
  cmake_path(GET folder FILENAME folder)  # as in the build: lib or python
  install(TARGETS ${target} COMPONENT polyloom
    RUNTIME DESTINATION ${build}/bin
    LIBRARY DESTINATION ${build}/${folder})
endforeach()
install(FILES ${POLYLOOM_DEVICE_RUNTIME}/boot.bin ${POLYLOOM_DEVICE_RUNTIME}/entry.o ${POLYLOOM_DEVICE_RUNTIME}/lib.o
  DESTINATION ${build}/device/runtime COMPONENT polyloom)
install(FILES ${PROJECT_BINARY_DIR}/own_program.json DESTINATION ${build} COMPONENT polyloom)
install(FILES ${POLYLOOM_DEVICE_GENERATED}/config.h DESTINATION ${build}/generated/overlay COMPONENT polyloom)

foreach(folder fabric blocks roles polite nbody apps)
  install(DIRECTORY ${folder} DESTINATION ${home} ${files}
    PATTERN "*.h" PATTERN "*.sv" PATTERN "*.svh" PATTERN "*.f" PATTERN "*.vlt" PATTERN "units.toml"
    PATTERN "tests" EXCLUDE PATTERN "testing" EXCLUDE PATTERN "formal" EXCLUDE)
endforeach()
foreach(alone board/tile_alone noc/board_router_alone)  # designs of `polyloom synth`
  get_filename_component(folder ${alone} DIRECTORY)
  install(FILES roles/overlay/tests/${alone}.f roles/overlay/tests/${alone}.sv
    DESTINATION ${home}/roles/overlay/tests/${folder} COMPONENT polyloom)
endforeach()
# Compiled where they are used: what a model in RTL is wrapped in, device programs, MPI kernels, applications to begin
# one's own with.
install(DIRECTORY blocks/verilated/shim DESTINATION ${home}/blocks/verilated ${files} PATTERN "*.cc")
install(DIRECTORY roles/overlay/device DESTINATION ${home}/roles/overlay ${files}
  PATTERN "*.c" PATTERN "*.S" PATTERN "*.ld" PATTERN "*.txt" PATTERN "*.py" PATTERN "*.cmake"
  PATTERN "CMakeLists.txt" EXCLUDE PATTERN "tests" EXCLUDE)
install(DIRECTORY roles/mpi/runtime/kernel roles/mpi/runtime/mpi DESTINATION ${home}/roles/mpi/runtime ${files}
  PATTERN "*.c" PATTERN "*.py" PATTERN "tests" EXCLUDE)
install(DIRECTORY apps DESTINATION ${home} ${files} PATTERN "*.cc" PATTERN "*.c" PATTERN "*.py"
  PATTERN "common" EXCLUDE PATTERN "verify" EXCLUDE PATTERN "graph" EXCLUDE PATTERN "test_*.py" EXCLUDE PATTERN "tests" EXCLUDE)
install(DIRECTORY examples DESTINATION ${home} ${files} PATTERN "*.cc" PATTERN "*.py" PATTERN "*.toml" PATTERN "*.ipynb")
install(DIRECTORY clusters DESTINATION ${home} ${files} PATTERN "*.toml")

get_target_property(includes polyloom INTERFACE_INCLUDE_DIRECTORIES)
string(REPLACE ${PROJECT_BINARY_DIR} "\${polyloom_HOME}/build" includes "${includes}")
string(REPLACE ${PROJECT_SOURCE_DIR} "\${polyloom_HOME}" includes "${includes}")
configure_file(cmake/polyloomConfig.cmake.in polyloomConfig.cmake @ONLY)
include(CMakePackageConfigHelpers)
write_basic_package_version_file(polyloomConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/polyloomConfig.cmake ${PROJECT_BINARY_DIR}/polyloomConfigVersion.cmake
  cmake/vertex_program.cmake DESTINATION lib/cmake/polyloom COMPONENT polyloom)

if(NOT SKBUILD)
  install(DIRECTORY polyloom DESTINATION ${home} ${files} PATTERN "*" PATTERN "tests" EXCLUDE PATTERN "installed" EXCLUDE
    PATTERN "__pycache__" EXCLUDE)
  return()
endif()

# But for ours, and for those without which a machine runs no Python.
set(left_out "^(libpolyloom.*|ld-linux.*|lib(c|m|dl|rt|pthread|resolv|stdc\\+\\+|gcc_s)\\.so.*)$")
install(CODE "
  file(GET_RUNTIME_DEPENDENCIES EXECUTABLES ${binaries} PRE_EXCLUDE_REGEXES [[${left_out}]]
    RESOLVED_DEPENDENCIES_VAR found)
  foreach(library IN LISTS found)
    cmake_path(GET library FILENAME name)  # that it is asked for by
    file(REAL_PATH \${library} library)
    file(COPY_FILE \${library} \"\${CMAKE_INSTALL_PREFIX}/${build}/lib/\${name}\")
  endforeach()" COMPONENT polyloom)
