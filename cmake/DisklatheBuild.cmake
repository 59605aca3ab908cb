# SPDX-License-Identifier: GPL-3.0-or-later
#
# What holds for every target of ours: the language, the warnings, the sanitizers, the linker, the compiler cache.
# disklathe_target(<target>) applies it; third-party code and the generated moc files stay out of it.

set(CMAKE_CXX_STANDARD 23)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_CXX_SCAN_FOR_MODULES OFF)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)
set(CMAKE_RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/bin)

option(DISKLATHE_WERROR "Treat warnings as errors" OFF)
option(DISKLATHE_STDLIB_CHECKS "Turn the standard library's assertions on" OFF)
set(DISKLATHE_SANITIZE "" CACHE STRING "Sanitizers, as -fsanitize= takes them")

find_program(CCACHE_PROGRAM ccache)
if(CCACHE_PROGRAM AND NOT CMAKE_CXX_COMPILER_LAUNCHER)
  set(CMAKE_CXX_COMPILER_LAUNCHER ${CCACHE_PROGRAM})
endif()

# A fast linker where there is one: with many small test programs linking is most of a rebuild.
if(CMAKE_VERSION VERSION_GREATER_EQUAL 3.29 AND NOT CMAKE_LINKER_TYPE)
  find_program(MOLD_PROGRAM mold)
  if(MOLD_PROGRAM)
    set(CMAKE_LINKER_TYPE MOLD)
  endif()
endif()

# -O2 also for the preset's debug information; asserts stay on in no release.
set(CMAKE_CXX_FLAGS_RELWITHDEBINFO "-O2 -g1 -DNDEBUG")
if(DISKLATHE_SANITIZE)
  set(CMAKE_CXX_FLAGS_RELWITHDEBINFO "-O1 -g1")
  add_compile_options(-fsanitize=${DISKLATHE_SANITIZE} -fno-omit-frame-pointer)
  add_link_options(-fsanitize=${DISKLATHE_SANITIZE})
  if(DISKLATHE_SANITIZE MATCHES "undefined")
    add_compile_options(-fno-sanitize-recover=undefined)
  endif()
endif()
if(DISKLATHE_FUZZ)
  add_compile_options(-fsanitize=fuzzer-no-link)  # the coverage that leads the fuzzer
endif()
if(DISKLATHE_STDLIB_CHECKS)
  add_compile_definitions(_GLIBCXX_ASSERTIONS)
endif()

# The checkout's own path appears in no binary, and two checkouts share what the compiler cache holds.
add_compile_options(-ffile-prefix-map=${CMAKE_SOURCE_DIR}/=)
add_link_options(-Wl,--as-needed)

add_library(disklathe_warnings INTERFACE)
target_compile_options(disklathe_warnings INTERFACE
  -Wall -Wextra -Wconversion -Wshadow -Wnon-virtual-dtor -Woverloaded-virtual
  $<$<BOOL:${DISKLATHE_WERROR}>:-Werror>
  -Wno-missing-field-initializers)  # {.kind = hole, .guest = range} leaves the rest to the defaults, on purpose

function(disklathe_target target)
  target_link_libraries(${target} PRIVATE $<BUILD_INTERFACE:disklathe_warnings>)
  target_include_directories(${target} PRIVATE ${CMAKE_SOURCE_DIR} ${CMAKE_BINARY_DIR}/generated)
endfunction()
