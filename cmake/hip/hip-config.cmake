# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# find_package(hip) gives hip::host, for sources of the host, and hip::device, for sources with kernels. The latter have
# to be compiled by ${hip_HIPCC_EXECUTABLE}, which compiles kernels without being told.
get_filename_component(hip_root "${CMAKE_CURRENT_LIST_DIR}/../../.." ABSOLUTE)
get_filename_component(hip_libraries "${hip_root}/../.." ABSOLUTE)
set(HIP_PLATFORM amd)
set(HIP_COMPILER clang)
set(HIP_RUNTIME rocclr)
set(hip_INCLUDE_DIRS "${hip_root}/include")
set(hip_BIN_INSTALL_DIR "${hip_root}/bin")
set(hip_HIPCC_EXECUTABLE "${hip_root}/bin/hipcc")
set(hip_LIBRARIES hip::host hip::device)
if(NOT TARGET hip::amdhip64)
  add_library(hip::amdhip64 SHARED IMPORTED)
  set_target_properties(hip::amdhip64 PROPERTIES IMPORTED_LOCATION "${hip_libraries}/libamdhip64.so.5"
    INTERFACE_INCLUDE_DIRECTORIES "${hip_INCLUDE_DIRS}" INTERFACE_COMPILE_DEFINITIONS __HIP_PLATFORM_AMD__)
  add_library(hip::host INTERFACE IMPORTED)
  set_target_properties(hip::host PROPERTIES INTERFACE_LINK_LIBRARIES hip::amdhip64)
  add_library(hip::device INTERFACE IMPORTED)
  set_target_properties(hip::device PROPERTIES INTERFACE_LINK_LIBRARIES hip::host)
endif()
