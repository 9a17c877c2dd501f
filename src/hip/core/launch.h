// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Launches of kernels.
#pragma once

#include <hip/runtime/types.h>

#include "hip/core/image.h"
#include "hip/core/stream.h"

namespace heddle::hip {

/// A grid in work-items, and its work-groups. The grid need not be a multiple of the work-group.
struct LaunchShape {
  dim3 grid;
  dim3 group;
  size_t dynamic_group_size = 0;
};

/// Returns the shape of a grid that is given in work-groups. Throws Failure (InvalidConfiguration) if it has
/// too many work-items.
LaunchShape shape_of_groups(dim3 groups, dim3 group, size_t dynamic_group_size);

/// The arguments of a launch: either the address of each, or all of them as the kernel has them.
struct LaunchArguments {
  void** each = nullptr;
  const void* packed = nullptr;
  size_t packed_size = 0;
};

/// Returns the arguments in the list `extra` of hipModuleLaunchKernel, or those in `each` if it is null.
/// Throws Failure (InvalidValue) if both are given, or the list is wrong.
LaunchArguments launch_arguments(void** each, void** extra);

/// A launch that was checked, with its arguments as the kernel has them.
struct PreparedLaunch {
  const Function& function;
  hsa_kernel_dispatch_packet_t packet;
  std::vector<std::byte> arguments;
};

/// Checks a launch and copies its arguments. Throws Failure as launch() does.
PreparedLaunch prepare(const Function& function, const LaunchShape& shape, const LaunchArguments& arguments);

/// Submits a kernel to a stream of the function's device. Throws Failure: InvalidConfiguration for a shape
/// that the device cannot have, InvalidValue for too few arguments or too much group memory. `host` is what
/// the program calls the kernel, for captures.
void launch(const Function& function, const LaunchShape& shape, const LaunchArguments& arguments,
            Stream& stream, const void* host);

/// Returns the group memory that a work-group of the kernel may have besides what it declares.
size_t dynamic_group_limit(const Function& function);

}  // namespace heddle::hip
