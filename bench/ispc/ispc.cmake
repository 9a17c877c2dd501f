# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# bench-ispc: the ispc twins of the kernels, with tasks over all processors. Without fast mathematics, as HSAIL has none.
find_package(Threads REQUIRED)
set(HEDDLE_ISPC_TARGET avx2-i32x8 CACHE STRING "Instruction set and width of the ispc twins")

execute_process(COMMAND "${HEDDLE_ISPC}" --version OUTPUT_VARIABLE ispc_says OUTPUT_STRIP_TRAILING_WHITESPACE
  COMMAND_ERROR_IS_FATAL ANY)
string(REGEX MATCH "[0-9]+\\.[0-9]+\\.[0-9]+[a-z]*" ispc_version "${ispc_says}")

file(GLOB ispc_twins CONFIGURE_DEPENDS "${CMAKE_CURRENT_SOURCE_DIR}/kernels/*.ispc")
set(ispc_folder "${CMAKE_CURRENT_BINARY_DIR}/ispc")
file(MAKE_DIRECTORY "${ispc_folder}")
set(ispc_objects)
set(ispc_headers)
foreach(twin ${ispc_twins})
  get_filename_component(name "${twin}" NAME_WE)
  set(object "${ispc_folder}/${name}.o")
  set(header "${ispc_folder}/${name}.h")
  add_custom_command(OUTPUT "${object}" "${header}"
    COMMAND "${HEDDLE_ISPC}" --target=${HEDDLE_ISPC_TARGET} -O3 --pic --wno-perf "${twin}" -o "${object}" -h "${header}"
    DEPENDS "${twin}" "${CMAKE_CURRENT_SOURCE_DIR}/kernels/parts.isph" "${HEDDLE_ISPC}" VERBATIM
    COMMENT "Compiling ${name}.ispc")
  list(APPEND ispc_objects "${object}")
  list(APPEND ispc_headers "${header}")
endforeach()

add_executable(bench-ispc ispc/main.cpp ispc/calls.cpp ispc/task_system.cpp ${ispc_objects} ${ispc_headers})
target_link_libraries(bench-ispc PRIVATE bench_workloads heddle_options Threads::Threads)
target_include_directories(bench-ispc PRIVATE "${ispc_folder}")
target_compile_definitions(bench-ispc PRIVATE BENCH_ISPC_VERSION="ispc ${ispc_version}"
  BENCH_ISPC_TARGET="${HEDDLE_ISPC_TARGET}")
