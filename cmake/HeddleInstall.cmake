# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Installation: headers, the runtime under both of its names, plugins, pkg-config and CMake package files.
include(CMakePackageConfigHelpers)
