# SPDX-License-Identifier: GPL-3.0-or-later

set(DISKLATHE_TEST_ENVIRONMENT
  "DISKLATHE=${CMAKE_BINARY_DIR}/bin/disklathe" "DISKLATHE_BUILD_DIR=${CMAKE_BINARY_DIR}"
  "DISKLATHE_SOURCE_DIR=${CMAKE_SOURCE_DIR}" "QT_QPA_PLATFORM=offscreen" "LC_ALL=C.UTF-8"
  "ASAN_OPTIONS=detect_stack_use_after_return=1:strict_string_checks=1" "UBSAN_OPTIONS=print_stacktrace=1"
  "TSAN_OPTIONS=halt_on_error=1:atexit_sleep_ms=0:suppressions=${CMAKE_SOURCE_DIR}/tests/tsan.supp")
if(DISKLATHE_SANITIZE)
  list(APPEND DISKLATHE_TEST_ENVIRONMENT "DISKLATHE_PATIENCE=6")  # how many times longer a program may take
endif()

# Reads "KEY: value" from the comments at the head of a test; a change there configures anew.
function(disklathe_header_value file key default out)
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${file})
  file(STRINGS ${file} lines REGEX "^(//|#) *${key}:" LIMIT_COUNT 1)
  if(lines)
    string(REGEX REPLACE "^(//|#) *${key}: *" "" value "${lines}")
    string(REGEX REPLACE "[ ,]+" ";" value "${value}")
  else()
    set(value ${default})
  endif()
  set(${out} "${value}" PARENT_SCOPE)
endfunction()

function(disklathe_set_test_properties name file)
  disklathe_header_value(${file} LABELS "" labels)
  disklathe_header_value(${file} TIMEOUT 60 timeout)
  if(DISKLATHE_SANITIZE)
    math(EXPR timeout "${timeout} * 5")
  endif()
  set_tests_properties(${name} PROPERTIES LABELS "${labels}" TIMEOUT ${timeout} SKIP_RETURN_CODE 77
    ENVIRONMENT "${DISKLATHE_TEST_ENVIRONMENT}")
  if("serial" IN_LIST labels)
    set_tests_properties(${name} PROPERTIES RUN_SERIAL ON)
  endif()
endfunction()

function(disklathe_test_name path out)
  string(REGEX REPLACE "_test\\.(cpp|py)$" "" name ${path})
  string(REPLACE "/" "." name ${name})
  set(${out} ${name} PARENT_SCOPE)
endfunction()

# moc runs only on what says Q_OBJECT and ends with its .moc: with a program a test, AUTOMOC's target and its extra
# source file for each would cost more than the tests.
function(disklathe_moc target file)
  file(STRINGS ${file} hits REGEX "^ *#include \".*\\.moc\"" LIMIT_COUNT 1)
  if(hits)
    cmake_path(GET file STEM stem)
    qt6_generate_moc(${file} ${CMAKE_CURRENT_BINARY_DIR}/moc/${target}/${stem}.moc TARGET ${target})
    target_sources(${target} PRIVATE ${CMAKE_CURRENT_BINARY_DIR}/moc/${target}/${stem}.moc)
    target_include_directories(${target} PRIVATE ${CMAKE_CURRENT_BINARY_DIR}/moc/${target})
    set_property(SOURCE ${CMAKE_CURRENT_BINARY_DIR}/moc/${target}/${stem}.moc PROPERTY HEADER_FILE_ONLY ON)
  endif()
endfunction()

# DISKLATHE_SOURCE_DIR is defined only where a source asks for it: with the checkout's path on its command line a file
# is compiled anew in each checkout.
function(disklathe_source_dir target)
  foreach(file ${ARGN})
    file(STRINGS ${file} hits REGEX "DISKLATHE_SOURCE_DIR" LIMIT_COUNT 1)
    if(hits)
      set_property(SOURCE ${file} APPEND PROPERTY COMPILE_DEFINITIONS DISKLATHE_SOURCE_DIR="${CMAKE_SOURCE_DIR}")
    endif()
  endforeach()
endfunction()

# What all test programs are compiled with; it must be the same in each for the precompiled header to fit.
function(disklathe_test_setup target)
  disklathe_target(${target})
  target_link_libraries(${target} PRIVATE Disklathe::core Qt6::Test)
  if(TARGET disklathe_test_support)
    target_link_libraries(${target} PRIVATE disklathe_test_support)
  endif()
endfunction()

function(disklathe_add_qtest path)
  set(file ${CMAKE_CURRENT_SOURCE_DIR}/${path})
  disklathe_test_name(${path} name)
  add_executable(${name} ${file})
  disklathe_test_setup(${name})
  disklathe_moc(${name} ${file})
  disklathe_source_dir(${name} ${file})
  disklathe_header_value(${file} LINKS "" links)
  target_link_libraries(${name} PRIVATE ${links})
  if("disklathe_ui" IN_LIST links)
    target_precompile_headers(${name} REUSE_FROM disklathe_ui_test_pch)
  else()
    target_precompile_headers(${name} REUSE_FROM disklathe_test_pch)
  endif()
  set_target_properties(${name} PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/tests/bin)
  add_test(NAME ${name} COMMAND ${name})
  disklathe_set_test_properties(${name} ${file})
endfunction()

function(disklathe_add_script_test path)
  set(file ${CMAKE_CURRENT_SOURCE_DIR}/${path})
  disklathe_test_name(${path} name)
  add_test(NAME ${name} COMMAND ${Python3_EXECUTABLE} ${file})
  disklathe_set_test_properties(${name} ${file})
endfunction()

function(disklathe_fuzz_sources out)
  file(GLOB sources CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/fuzz/*_fuzz.cpp)
  set(${out} "${sources}" PARENT_SCOPE)
endfunction()

# Preset fuzz: each fuzz/*_fuzz.cpp (an LLVMFuzzerTestOneInput) is a libFuzzer program.
function(disklathe_add_fuzzers)
  disklathe_fuzz_sources(sources)
  foreach(source ${sources})
    cmake_path(GET source STEM stem)
    add_executable(${stem} ${source})
    disklathe_target(${stem})
    target_link_libraries(${stem} PRIVATE Disklathe::core)
    target_link_options(${stem} PRIVATE -fsanitize=fuzzer)
  endforeach()
endfunction()

# Other presets: the same function with a main() that plays fuzz/corpus/<target>/ back, so that what was once found
# stays found.
function(disklathe_add_fuzz_replays)
  disklathe_fuzz_sources(sources)
  foreach(source ${sources})
    cmake_path(GET source STEM stem)
    string(REGEX REPLACE "_fuzz$" "" target ${stem})
    add_executable(${stem} ${source} ${CMAKE_CURRENT_SOURCE_DIR}/fuzz/replay_main.cpp)
    disklathe_target(${stem})
    target_link_libraries(${stem} PRIVATE Disklathe::core)
    set_target_properties(${stem} PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/tests/bin)
    add_test(NAME fuzz.${target} COMMAND ${stem} ${CMAKE_CURRENT_SOURCE_DIR}/fuzz/corpus/${target})
    disklathe_set_test_properties(fuzz.${target} ${source})
  endforeach()
endfunction()
