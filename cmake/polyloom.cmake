# SPDX-License-Identifier: Apache-2.0
# Build rules that every room shares: warnings, sanitizers, ccache, tests.
include_guard(GLOBAL)

# Everything that tests need is ninja's default. Less is enough for a user: what the polyloom command runs, and for the
# demo its part. What only benchmarks need is built by polyloom_bench.
add_custom_target(polyloom_programs)
add_custom_target(polyloom_demo)
add_custom_target(polyloom_bench)

# Another clone of the same sources finds what this one compiled: ccache takes paths below the project as relative.
find_program(POLYLOOM_CCACHE ccache)
if(POLYLOOM_CCACHE AND NOT CMAKE_CXX_COMPILER_LAUNCHER)
  set(CMAKE_CXX_COMPILER_LAUNCHER ${CMAKE_COMMAND} -E env CCACHE_BASEDIR=${PROJECT_SOURCE_DIR} CCACHE_NOHASHDIR=1
    CCACHE_SLOPPINESS=pch_defines,time_macros,include_file_mtime,include_file_ctime ${POLYLOOM_CCACHE})
  set(CMAKE_C_COMPILER_LAUNCHER ${CMAKE_CXX_COMPILER_LAUNCHER})
endif()
find_program(POLYLOOM_MOLD mold)
if(POLYLOOM_MOLD)
  add_link_options(-fuse-ld=mold)
endif()
option(POLYLOOM_UNITY "compile sources of one target together, which is faster" ON)
set(CMAKE_UNITY_BUILD ${POLYLOOM_UNITY})
set(CMAKE_UNITY_BUILD_BATCH_SIZE 8)

# What spec/ says, in C++: included as "spec/NAME.h", made anew when spec/ has changed.
find_package(Python3 REQUIRED COMPONENTS Interpreter)
file(GLOB_RECURSE spec CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/spec/*.py)
set_property(DIRECTORY ${PROJECT_SOURCE_DIR} APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${spec})
execute_process(COMMAND ${Python3_EXECUTABLE} -B -m spec --generated ${PROJECT_BINARY_DIR}/generated/spec
  WORKING_DIRECTORY ${PROJECT_SOURCE_DIR} COMMAND_ERROR_IS_FATAL ANY)

add_library(polyloom_flags INTERFACE)
if(PROJECT_IS_TOP_LEVEL)  # a project that uses a library of ours has its own rules
  # Paths in messages begin at the project: what is compiled is the same in every clone.
  target_compile_options(polyloom_flags INTERFACE -Wall -Wextra -Werror -fmacro-prefix-map=${PROJECT_SOURCE_DIR}/=)
endif()
target_include_directories(polyloom_flags INTERFACE ${PROJECT_SOURCE_DIR} ${PROJECT_BINARY_DIR}/generated)
if(POLYLOOM_SANITIZE)
  target_compile_options(polyloom_flags INTERFACE -fsanitize=address,undefined -fno-sanitize-recover=all -fno-omit-frame-pointer)
  target_link_options(polyloom_flags INTERFACE -fsanitize=address,undefined)
endif()

set(CMAKE_RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/bin)
find_package(Threads REQUIRED)

# What nearly every source of the product includes, compiled once. Options of its own (-mavx2) are not of this: such a
# source has SKIP_PRECOMPILE_HEADERS.
if(PROJECT_IS_TOP_LEVEL)
  add_library(polyloom_headers OBJECT EXCLUDE_FROM_ALL ${CMAKE_CURRENT_LIST_DIR}/headers.cc)
  target_compile_options(polyloom_headers PRIVATE $<$<CXX_COMPILER_ID:GNU>:-fpch-preprocess>)
  target_link_libraries(polyloom_headers PRIVATE polyloom_flags)
  target_precompile_headers(polyloom_headers PRIVATE <algorithm> <array> <bit> <chrono> <cmath> <cstring> <deque>
    <filesystem> <fstream> <functional> <map> <memory> <numeric> <optional> <set> <span> <sstream> <stdexcept> <string>
    <string_view> <thread> <utility> <vector>)
endif()
# polyloom_precompiled(NAME): its C++ sources get those headers.
function(polyloom_precompiled name)
  if(TARGET polyloom_headers)
    target_compile_options(${name} PRIVATE $<$<AND:$<COMPILE_LANGUAGE:CXX>,$<CXX_COMPILER_ID:GNU>>:-fpch-preprocess>)
    target_precompile_headers(${name} REUSE_FROM polyloom_headers)
  endif()
endfunction()

# polyloom_library(NAME sources... LINK libs...): a static library of one room.
function(polyloom_library name)
  cmake_parse_arguments(ARG "" "" "LINK" ${ARGN})
  add_library(${name} STATIC ${ARG_UNPARSED_ARGUMENTS})
  target_link_libraries(${name} PUBLIC polyloom_flags ${ARG_LINK})
  polyloom_precompiled(${name})
endfunction()

# polyloom_program(NAME sources... LINK libs...): an executable in build/bin.
function(polyloom_program name)
  cmake_parse_arguments(ARG "" "" "LINK" ${ARGN})
  add_executable(${name} ${ARG_UNPARSED_ARGUMENTS})
  target_link_libraries(${name} PRIVATE polyloom_flags ${ARG_LINK})
endfunction()

# polyloom_bench_program(NAME sources... LINK libs...): a polyloom_program that no test runs.
function(polyloom_bench_program name)
  polyloom_program(${name} ${ARGN})
  set_target_properties(${name} PROPERTIES EXCLUDE_FROM_ALL ON)
  add_dependencies(polyloom_bench ${name})
endfunction()

# What nearly every test includes, compiled once, with the flags of tests. They are compiled for a short build: what
# they call in the product's libraries is optimized as always.
set(POLYLOOM_TEST_OPTIONS -O0 -fPIE $<IF:$<BOOL:${POLYLOOM_SANITIZE}>,-g1,-g0>
  $<$<CXX_COMPILER_ID:GNU>:-fpch-preprocess>)
find_package(GTest QUIET)
if(GTest_FOUND AND PROJECT_IS_TOP_LEVEL)
  add_library(polyloom_test_headers OBJECT EXCLUDE_FROM_ALL ${CMAKE_CURRENT_LIST_DIR}/headers.cc)
  set_target_properties(polyloom_test_headers PROPERTIES POSITION_INDEPENDENT_CODE OFF)
  target_compile_options(polyloom_test_headers PRIVATE ${POLYLOOM_TEST_OPTIONS})
  target_link_libraries(polyloom_test_headers PRIVATE polyloom_flags GTest::gtest)
  target_precompile_headers(polyloom_test_headers PRIVATE <gtest/gtest.h>
    <algorithm> <array> <atomic> <bit> <chrono> <cmath> <condition_variable> <cstring> <deque> <filesystem> <fstream>
    <functional> <map> <memory> <mutex> <numeric> <optional> <random> <set> <span> <sstream> <string> <string_view>
    <thread> <tuple> <utility> <variant> <vector>)
endif()

# polyloom_ctest(NAME [SOURCES files...] COMMAND words...): a ctest with a label for each room that it is of: the folders
# of its sources and of the CMakeLists.txt that declares it (`ctest -L '^fabric/cluster$'`).
function(polyloom_ctest name)
  cmake_parse_arguments(ARG "" "" "SOURCES;COMMAND" ${ARGN})
  set(rooms)
  foreach(source . ${ARG_SOURCES})
    cmake_path(ABSOLUTE_PATH source BASE_DIRECTORY ${CMAKE_CURRENT_SOURCE_DIR} NORMALIZE)
    if(NOT IS_DIRECTORY ${source})
      cmake_path(GET source PARENT_PATH source)
    endif()
    cmake_path(RELATIVE_PATH source BASE_DIRECTORY ${PROJECT_SOURCE_DIR})
    list(APPEND rooms ${source})
  endforeach()
  list(REMOVE_DUPLICATES rooms)
  add_test(NAME ${name} COMMAND ${ARG_COMMAND} WORKING_DIRECTORY ${PROJECT_SOURCE_DIR})
  set_tests_properties(${name} PROPERTIES LABELS "${rooms}" TIMEOUT 300)
endfunction()

# polyloom_test_program(NAME sources... LINK libs...): what tests run, in build/tests. LOOPS: its own code computes for
# long, so it gets the product's optimization. Nothing builds them where GoogleTest is missing.
function(polyloom_test_program name)
  cmake_parse_arguments(ARG "LOOPS" "" "LINK" ${ARGN})
  add_executable(${name} ${ARG_UNPARSED_ARGUMENTS})
  if(NOT GTest_FOUND)
    set_target_properties(${name} PROPERTIES EXCLUDE_FROM_ALL ON)
  endif()
  set_target_properties(${name} PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/tests)
  target_link_libraries(${name} PRIVATE polyloom_flags ${ARG_LINK} $<TARGET_NAME_IF_EXISTS:GTest::gtest> Threads::Threads)
  set_target_properties(${name} PROPERTIES UNITY_BUILD_BATCH_SIZE 0)
  if(NOT ARG_LOOPS AND TARGET polyloom_test_headers)
    target_compile_options(${name} PRIVATE ${POLYLOOM_TEST_OPTIONS})
    set_target_properties(${name} PROPERTIES POSITION_INDEPENDENT_CODE OFF)
    target_precompile_headers(${name} REUSE_FROM polyloom_test_headers)
  endif()
endfunction()

# polyloom_test(NAME [LOOPS] sources... LINK libs...): a GoogleTest binary known to ctest under NAME.
function(polyloom_test name)
  polyloom_test_program(${name} ${ARGN})
  target_link_libraries(${name} PRIVATE $<TARGET_NAME_IF_EXISTS:GTest::gtest_main>)
  cmake_parse_arguments(ARG "LOOPS" "" "LINK" ${ARGN})
  polyloom_ctest(${name} SOURCES ${ARG_UNPARSED_ARGUMENTS} COMMAND ${name})
endfunction()

# polyloom_rtl_environment(TEST [VARIABLE=value...]): the ctest TEST makes nodes of fidelity rtl. It finds the tools of
# this checkout and has the time to build its models once; it begins before the others, as it takes longer.
function(polyloom_rtl_environment name)
  set(suppress LSAN_OPTIONS=suppressions=${PROJECT_SOURCE_DIR}/blocks/verilated/tests/lsan.supp)
  set_tests_properties(${name} PROPERTIES TIMEOUT 900 COST 100
    ENVIRONMENT "POLYLOOM_HOME=${PROJECT_SOURCE_DIR};${suppress};${ARGN}")
endfunction()

# polyloom_rtl_test(NAME sources... LINK libs...): a polyloom_test whose nodes are Verilated (blocks/verilated).
function(polyloom_rtl_test name)
  polyloom_test(${name} ${ARGN})
  polyloom_rtl_environment(${name})
endfunction()
