// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "devlib/opencl/library.h"

extern "C" const std::byte heddle_devlib_opencl_begin[];
extern "C" const std::byte heddle_devlib_opencl_end[];

namespace heddle::devlib {

std::span<const std::byte> opencl_bitcode() { return {heddle_devlib_opencl_begin, heddle_devlib_opencl_end}; }

std::string_view opencl_extensions() { return OPENCL_EXTENSIONS; }

}  // namespace heddle::devlib
