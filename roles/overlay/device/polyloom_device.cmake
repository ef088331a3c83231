# SPDX-License-Identifier: Apache-2.0
# polyloom_device_program(NAME sources... [POLITE] [TEXT_LIMIT bytes] [GLOBALS_LIMIT bytes]
#                         [DEFINITIONS macro[=value]...] [OPTIONS flags...] [BENCH])
#
# Compiles C, C++ and assembler sources for the overlay's threads into build/device/NAME/{app.elf,code.v,data.v};
# target device_NAME. POLITE adds the vertex API's headers and limits globals to 16 KiB. TEXT_LIMIT is the size of
# instruction memory (8192; the cluster file's instr_words must be a quarter of it).
# BENCH: no test runs it, so it belongs to polyloom_bench, not to all.
# Without a RISC-V compiler configuration says so once, and building such a target fails with the same words.
include_guard(GLOBAL)

set(POLYLOOM_DEVICE_DIR ${CMAKE_CURRENT_LIST_DIR} CACHE INTERNAL "")
get_filename_component(home ${POLYLOOM_DEVICE_DIR}/../../.. ABSOLUTE)
set(POLYLOOM_DEVICE_HOME ${home} CACHE INTERNAL "")  # of the headers: a checkout, or what was installed
set(POLYLOOM_DEVICE_GENERATED ${PROJECT_BINARY_DIR}/generated/overlay CACHE INTERNAL "")
set(POLYLOOM_DEVICE_RUNTIME ${PROJECT_BINARY_DIR}/device/runtime CACHE INTERNAL "")
set(POLYLOOM_RV_MISSING "no RISC-V compiler: install the Debian package gcc-riscv64-unknown-elf, then build again"
    CACHE INTERNAL "")
find_program(POLYLOOM_RV_CC riscv64-unknown-elf-gcc)
find_program(POLYLOOM_RV_AR riscv64-unknown-elf-ar)
find_program(POLYLOOM_RV_OBJCOPY riscv64-unknown-elf-objcopy)
find_package(Python3 REQUIRED COMPONENTS Interpreter)

file(READ ${POLYLOOM_DEVICE_DIR}/rv_flags.txt rv_flags)
separate_arguments(rv_flags UNIX_COMMAND "${rv_flags}")
set(POLYLOOM_RV_FLAGS ${rv_flags} -Wall -Wextra -ffunction-sections -fdata-sections
    -I${POLYLOOM_DEVICE_GENERATED} -I${POLYLOOM_DEVICE_DIR} CACHE INTERNAL "")
set(POLYLOOM_RV_CXXFLAGS -std=c++20 -fno-exceptions -fno-rtti -fno-threadsafe-statics CACHE INTERNAL "")

# config.h, and the parameters as CMake variables (POLYLOOM_PARAM_MaxBootImageBytes ...).
set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${POLYLOOM_DEVICE_DIR}/parameters.py)
function(polyloom_run_parameters mode result)
  execute_process(COMMAND ${Python3_EXECUTABLE} ${POLYLOOM_DEVICE_DIR}/parameters.py ${mode}
                  OUTPUT_VARIABLE text COMMAND_ERROR_IS_FATAL ANY)
  set(${result} "${text}" PARENT_SCOPE)
endfunction()
polyloom_run_parameters(cpp text)
file(CONFIGURE OUTPUT ${POLYLOOM_DEVICE_GENERATED}/config.h CONTENT "${text}" @ONLY)
polyloom_run_parameters(envs text)
string(REPLACE "\n" ";" exports "${text}")
foreach(line IN LISTS exports)
  if(line MATCHES "^export ([A-Za-z0-9]+)=(.*)$")
    set(POLYLOOM_PARAM_${CMAKE_MATCH_1} ${CMAKE_MATCH_2} CACHE INTERNAL "")
  endif()
endforeach()

if(NOT POLYLOOM_RV_CC)
  message(WARNING "Device programs will not be built: ${POLYLOOM_RV_MISSING}")
endif()

# polyloom_device_object(OUTPUT source flags...): one compiler call that tracks headers.
function(polyloom_device_object output source)
  get_filename_component(source ${source} ABSOLUTE)
  get_filename_component(folder ${output} DIRECTORY)
  file(MAKE_DIRECTORY ${folder})
  add_custom_command(
    OUTPUT ${output}
    COMMAND ${POLYLOOM_RV_CC} ${POLYLOOM_RV_FLAGS} ${ARGN} -MD -MF ${output}.d -c ${source} -o ${output}
    DEPENDS ${source} ${POLYLOOM_DEVICE_GENERATED}/config.h
    DEPFILE ${output}.d
    COMMENT "Compiling for the overlay: ${source}"
    VERBATIM)
endfunction()

# The runtime: boot.bin (the boot image), entry.o and lib.o. lib.o is an archive under the name that Makefiles written
# for Tinsel use: programs then take only what they call, libgcc's soft double and 64-bit helpers included.
if(POLYLOOM_RV_CC AND NOT TARGET polyloom_device_runtime)
  set(out ${POLYLOOM_DEVICE_RUNTIME})
  polyloom_device_object(${out}/boot.o ${POLYLOOM_DEVICE_DIR}/boot.S)
  polyloom_device_object(${out}/entry.o ${POLYLOOM_DEVICE_DIR}/entry.S)
  polyloom_device_object(${out}/io.o ${POLYLOOM_DEVICE_DIR}/io.c -Os)
  polyloom_device_object(${out}/string.o ${POLYLOOM_DEVICE_DIR}/string.c -Os -fno-tree-loop-distribute-patterns)
  execute_process(COMMAND ${POLYLOOM_RV_CC} ${rv_flags} -print-libgcc-file-name
                  OUTPUT_VARIABLE libgcc OUTPUT_STRIP_TRAILING_WHITESPACE COMMAND_ERROR_IS_FATAL ANY)
  file(CONFIGURE OUTPUT ${out}/lib.mri @ONLY CONTENT
    "CREATE lib.o\nADDLIB ${libgcc}\nADDMOD io.o\nADDMOD string.o\nSAVE\nEND\n")
  add_custom_command(
    OUTPUT ${out}/lib.o
    COMMAND ${POLYLOOM_RV_AR} -M < lib.mri
    WORKING_DIRECTORY ${out}
    DEPENDS ${out}/io.o ${out}/string.o ${out}/lib.mri
    VERBATIM)
  add_custom_command(
    OUTPUT ${out}/boot.bin
    COMMAND ${POLYLOOM_RV_OBJCOPY} -O binary --only-section=.text ${out}/boot.o ${out}/boot.bin
    DEPENDS ${out}/boot.o
    VERBATIM)
  add_custom_target(polyloom_device_runtime ALL DEPENDS ${out}/boot.bin ${out}/entry.o ${out}/lib.o)
endif()

# The words of a call that links a program, before its objects.
function(polyloom_device_link_words result text_limit globals_limit)
  set(${result} ${POLYLOOM_RV_FLAGS} -T ${POLYLOOM_DEVICE_DIR}/link.ld -Wl,--gc-sections -Wl,-G,0
    -Wl,--defsym=polyloom_text_base=${POLYLOOM_PARAM_MaxBootImageBytes}
    -Wl,--defsym=polyloom_instr_bytes=${text_limit}
    -Wl,--defsym=polyloom_globals_base=${POLYLOOM_PARAM_DRAMBase}
    -Wl,--defsym=polyloom_globals_bytes=${globals_limit} PARENT_SCOPE)
endfunction()

# polyloom_device_words(COMPILE LINK): how a vertex program of a user is compiled and linked.
function(polyloom_device_words compile link)
  math(EXPR text_limit "4 * ${POLYLOOM_PARAM_InstrsPerCore}")
  polyloom_device_link_words(words ${text_limit} ${POLYLOOM_PARAM_POLiteDRAMGlobalsLength})
  set(${compile} ${POLYLOOM_RV_FLAGS} ${POLYLOOM_RV_CXXFLAGS} -O2 -DTINSEL PARENT_SCOPE)
  set(${link} ${words} ${POLYLOOM_DEVICE_RUNTIME}/entry.o ${POLYLOOM_DEVICE_RUNTIME}/lib.o PARENT_SCOPE)
endfunction()

function(polyloom_device_program name)
  cmake_parse_arguments(ARG "POLITE;BENCH" "TEXT_LIMIT;GLOBALS_LIMIT" "DEFINITIONS;OPTIONS" ${ARGN})
  if(NOT POLYLOOM_RV_CC)
    add_custom_target(device_${name} COMMAND ${CMAKE_COMMAND} -E echo "device_${name}: ${POLYLOOM_RV_MISSING}"
                      COMMAND ${CMAKE_COMMAND} -E false)
    return()
  endif()
  if(NOT ARG_TEXT_LIMIT)
    math(EXPR ARG_TEXT_LIMIT "4 * ${POLYLOOM_PARAM_InstrsPerCore}")
  endif()
  if(NOT ARG_GLOBALS_LIMIT)
    set(ARG_GLOBALS_LIMIT ${POLYLOOM_PARAM_DRAMGlobalsLength})
    if(ARG_POLITE)
      set(ARG_GLOBALS_LIMIT ${POLYLOOM_PARAM_POLiteDRAMGlobalsLength})
    endif()
  endif()
  set(flags -O2 -DTINSEL -I${POLYLOOM_DEVICE_HOME} -I${CMAKE_CURRENT_SOURCE_DIR})
  if(ARG_POLITE)
    list(APPEND flags -I${POLYLOOM_DEVICE_HOME}/polite/include -I${POLYLOOM_DEVICE_HOME}/apps/include)
  endif()
  foreach(definition IN LISTS ARG_DEFINITIONS)
    list(APPEND flags -D${definition})
  endforeach()
  list(APPEND flags ${ARG_OPTIONS})

  set(out ${PROJECT_BINARY_DIR}/device/${name})
  set(objects)
  foreach(source IN LISTS ARG_UNPARSED_ARGUMENTS)
    get_filename_component(stem ${source} NAME)
    set(language_flags)
    if(source MATCHES "\\.(cc|cpp|cxx)$")
      set(language_flags ${POLYLOOM_RV_CXXFLAGS})
    endif()
    polyloom_device_object(${out}/${stem}.o ${source} ${language_flags} ${flags})
    list(APPEND objects ${out}/${stem}.o)
  endforeach()

  set(runtime ${POLYLOOM_DEVICE_RUNTIME})
  polyloom_device_link_words(words ${ARG_TEXT_LIMIT} ${ARG_GLOBALS_LIMIT})
  add_custom_command(
    OUTPUT ${out}/app.elf
    COMMAND ${POLYLOOM_RV_CC} ${words} ${runtime}/entry.o ${objects} ${runtime}/lib.o -o ${out}/app.elf
    DEPENDS ${objects} ${runtime}/entry.o ${runtime}/lib.o ${POLYLOOM_DEVICE_DIR}/link.ld
    COMMENT "Linking device program ${name}"
    VERBATIM)
  add_custom_command(
    OUTPUT ${out}/code.v ${out}/data.v
    COMMAND ${POLYLOOM_RV_OBJCOPY} -O verilog --only-section=.text ${out}/app.elf ${out}/code.v
    COMMAND ${POLYLOOM_RV_OBJCOPY} -O verilog --remove-section=.text
            --set-section-flags=.bss=alloc,load,contents ${out}/app.elf ${out}/data.v
    DEPENDS ${out}/app.elf
    VERBATIM)
  if(ARG_BENCH)
    add_custom_target(device_${name} DEPENDS ${out}/code.v ${out}/data.v)
    add_dependencies(polyloom_bench device_${name})
  else()
    add_custom_target(device_${name} ALL DEPENDS ${out}/code.v ${out}/data.v)
  endif()
  add_dependencies(device_${name} polyloom_device_runtime)
endfunction()
