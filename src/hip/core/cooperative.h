// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Launches whose work-groups wait for each other, and launches on several devices at once.
#pragma once

#include <memory>
#include <span>

#include "hip/core/launch.h"

namespace heddle::hip {

/// Submits a kernel whose work-groups are all in progress at the same time. Throws Failure as launch() does;
/// CooperativeLaunchTooLarge if the device does not hold so many work-groups, and NotSupported if it has no
/// cooperative launches. `host` is what the program calls the kernel, for captures.
void launch_cooperative(const Function& function, const LaunchShape& shape, const LaunchArguments& arguments,
                        Stream& stream, const void* host);
/// The same for a launch that was prepared before, and is not captured.
void launch_cooperative(const PreparedLaunch& prepared, Stream& stream);

/// One kernel of a launch on several devices.
struct DeviceLaunch {
  const Function& function;
  LaunchShape shape;
  LaunchArguments arguments;
  std::shared_ptr<Stream> stream;
};

/// What kernels on several devices can rely on.
enum class Together : bool { no, cooperative };

/// Submits a kernel to each of several devices. `flags` says which waits to leave out (of
/// hipCooperativeLaunchMultiDeviceNoPreSync and NoPostSync): otherwise the kernels begin when the work of all
/// streams is complete, and later work of each stream begins when all have ended. Throws Failure as
/// launch_cooperative() does; InvalidValue if two kernels are for one device, or cooperative kernels or their
/// shapes differ. Nothing is submitted then.
void launch_on_devices(std::span<const DeviceLaunch> launches, unsigned flags, Together together);

}  // namespace heddle::hip
