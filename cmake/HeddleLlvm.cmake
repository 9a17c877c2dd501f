# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# heddle_llvm: what the folders that know LLVM link (docs/design.md, "The source tree").
find_package(LLVM 22.1 REQUIRED CONFIG)

add_library(heddle_llvm INTERFACE)
target_include_directories(heddle_llvm SYSTEM INTERFACE ${LLVM_INCLUDE_DIRS})
separate_arguments(heddle_llvm_definitions NATIVE_COMMAND "${LLVM_DEFINITIONS}")
target_compile_definitions(heddle_llvm INTERFACE ${heddle_llvm_definitions})
target_link_libraries(heddle_llvm INTERFACE LLVM)
