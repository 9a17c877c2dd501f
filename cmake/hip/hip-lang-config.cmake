# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# What CMake's language HIP looks for. The compiler, ${CMAKE_CURRENT_LIST_DIR}/../../../bin/hip-clang++, links the library of
# HIP itself. Other compilers that link HIP code get it, and the folder where programs find it, from hip-lang::device, on which CMake
# lets everything depend that has sources in HIP.
if(NOT TARGET hip-lang::amdhip64)
  get_filename_component(hip_lang_root "${CMAKE_CURRENT_LIST_DIR}/../../.." ABSOLUTE)
  get_filename_component(hip_lang_libraries "${hip_lang_root}/../.." ABSOLUTE)
  add_library(hip-lang::amdhip64 SHARED IMPORTED)
  set_target_properties(hip-lang::amdhip64 PROPERTIES IMPORTED_LOCATION "${hip_lang_libraries}/libamdhip64.so.5")
  add_library(hip-lang::host INTERFACE IMPORTED)
  set_target_properties(hip-lang::host PROPERTIES INTERFACE_LINK_LIBRARIES hip-lang::amdhip64)
  add_library(hip-lang::device INTERFACE IMPORTED)
  set_target_properties(hip-lang::device PROPERTIES INTERFACE_LINK_LIBRARIES hip-lang::host)
endif()
set(_CMAKE_HIP_DEVICE_RUNTIME_TARGET hip-lang::device)
