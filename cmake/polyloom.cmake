# SPDX-License-Identifier: Apache-2.0
# Build rules that every room shares: warnings, sanitizers, ccache, tests.
include_guard(GLOBAL)

# Everything is ninja's default. Less is enough for a user: what the polyloom command runs, and for the demo its part.
add_custom_target(polyloom_programs)
add_custom_target(polyloom_demo)

find_program(POLYLOOM_CCACHE ccache)
if(POLYLOOM_CCACHE)
  set(CMAKE_C_COMPILER_LAUNCHER ${POLYLOOM_CCACHE})
  set(CMAKE_CXX_COMPILER_LAUNCHER ${POLYLOOM_CCACHE})
endif()

add_library(polyloom_flags INTERFACE)
if(PROJECT_IS_TOP_LEVEL)  # a project that uses a library of ours has its own rules
  target_compile_options(polyloom_flags INTERFACE -Wall -Wextra -Werror)
endif()
target_include_directories(polyloom_flags INTERFACE ${PROJECT_SOURCE_DIR})
if(POLYLOOM_SANITIZE)
  target_compile_options(polyloom_flags INTERFACE -fsanitize=address,undefined -fno-sanitize-recover=all -fno-omit-frame-pointer)
  target_link_options(polyloom_flags INTERFACE -fsanitize=address,undefined)
endif()

set(CMAKE_RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/bin)
find_package(Threads REQUIRED)

# polyloom_library(NAME sources... LINK libs...): a static library of one room.
function(polyloom_library name)
  cmake_parse_arguments(ARG "" "" "LINK" ${ARGN})
  add_library(${name} STATIC ${ARG_UNPARSED_ARGUMENTS})
  target_link_libraries(${name} PUBLIC polyloom_flags ${ARG_LINK})
endfunction()

# polyloom_program(NAME sources... LINK libs...): an executable in build/bin.
function(polyloom_program name)
  cmake_parse_arguments(ARG "" "" "LINK" ${ARGN})
  add_executable(${name} ${ARG_UNPARSED_ARGUMENTS})
  target_link_libraries(${name} PRIVATE polyloom_flags ${ARG_LINK})
endfunction()

# polyloom_ctest(NAME [SOURCE file] COMMAND words...): a ctest with the label of its room, the folder of the
# CMakeLists.txt that declares it (`ctest -L '^fabric/cluster$'`); blocks share one file, so there SOURCE names the block.
function(polyloom_ctest name)
  cmake_parse_arguments(ARG "" "SOURCE" "COMMAND" ${ARGN})
  cmake_path(RELATIVE_PATH CMAKE_CURRENT_SOURCE_DIR BASE_DIRECTORY ${PROJECT_SOURCE_DIR} OUTPUT_VARIABLE room)
  if(room STREQUAL blocks)
    string(REGEX REPLACE "/.*" "" block "${ARG_SOURCE}")
    string(APPEND room /${block})
  endif()
  add_test(NAME ${name} COMMAND ${ARG_COMMAND} WORKING_DIRECTORY ${PROJECT_SOURCE_DIR})
  set_tests_properties(${name} PROPERTIES LABELS ${room} TIMEOUT 300)
endfunction()

# polyloom_test(NAME sources... LINK libs...): a GoogleTest binary known to ctest under NAME.
function(polyloom_test name)
  cmake_parse_arguments(ARG "" "" "LINK" ${ARGN})
  find_package(GTest REQUIRED)
  add_executable(${name} ${ARG_UNPARSED_ARGUMENTS})
  set_target_properties(${name} PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/tests)
  target_link_libraries(${name} PRIVATE polyloom_flags ${ARG_LINK} GTest::gtest GTest::gtest_main Threads::Threads)
  list(GET ARG_UNPARSED_ARGUMENTS 0 source)
  polyloom_ctest(${name} SOURCE ${source} COMMAND ${name})
endfunction()

# polyloom_rtl_environment(TEST [VARIABLE=value...]): the ctest TEST makes nodes of fidelity rtl. It finds the tools of
# this checkout, keeps its models in the build folder's cache and has the time to build them once.
function(polyloom_rtl_environment name)
  set(suppress LSAN_OPTIONS=suppressions=${PROJECT_SOURCE_DIR}/blocks/verilated/tests/lsan.supp)
  set_tests_properties(${name} PROPERTIES TIMEOUT 900 PROCESSORS 2
    ENVIRONMENT "POLYLOOM_HOME=${PROJECT_SOURCE_DIR};POLYLOOM_RTL_CACHE=${CMAKE_BINARY_DIR}/rtl;${suppress};${ARGN}")
endfunction()

# polyloom_rtl_test(NAME sources... LINK libs...): a polyloom_test whose nodes are Verilated (blocks/verilated).
function(polyloom_rtl_test name)
  polyloom_test(${name} ${ARGN})
  polyloom_rtl_environment(${name})
endfunction()
