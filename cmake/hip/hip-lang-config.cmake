# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# What CMake's language HIP looks for. The compiler, ${CMAKE_CURRENT_LIST_DIR}/../../../bin/hip-clang++, links the library of
# HIP itself.
if(NOT TARGET hip-lang::device)
  add_library(hip-lang::device INTERFACE IMPORTED)
  add_library(hip-lang::host INTERFACE IMPORTED)
endif()
set(_CMAKE_HIP_DEVICE_RUNTIME_TARGET hip-lang::device)
