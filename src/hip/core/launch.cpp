// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "hip/core/launch.h"

#include <fmt/format.h>

#include <cstring>
#include <limits>

#include "hip/core/activity.h"
#include "hip/core/capture.h"
#include "hip/core/failure.h"
#include "hip/core/log.h"

namespace heddle::hip {
namespace {

uint32_t product(uint32_t groups, uint32_t group) {
  const uint64_t items = uint64_t{groups} * group;
  // The first limit is hipDeviceProp_t::maxGridSize, which is an int.
  if (groups > std::numeric_limits<int>::max() || items > std::numeric_limits<uint32_t>::max())
    throw Failure(hipErrorInvalidConfiguration,
                  fmt::format("a grid of {} times {} work-items is too large", groups, group));
  return static_cast<uint32_t>(items);
}

void check_shape(const Function& function, const LaunchShape& shape) {
  const AgentProperties& agent = function.device.properties();
  const auto& [grid, group] = std::tie(shape.grid, shape.group);
  if (grid.x == 0 || grid.y == 0 || grid.z == 0 || group.x == 0 || group.y == 0 || group.z == 0)
    throw Failure(hipErrorInvalidConfiguration,
                  "a grid and its work-groups must have work-items in each dimension");
  const auto& limits = agent.group_limits;
  const uint64_t items = uint64_t{group.x} * group.y * group.z;
  if (group.x > limits[0] || group.y > limits[1] || group.z > limits[2] || items > agent.largest_group)
    throw Failure(hipErrorInvalidConfiguration,
                  fmt::format("a work-group of {} x {} x {} is too large: at most {} work-items", group.x,
                              group.y, group.z, agent.largest_group));
  const uint32_t bound = function.kernel.largest_group;
  if (bound != 0 && items > bound)
    throw Failure(hipErrorLaunchFailure,
                  fmt::format("a work-group of {} work-items exceeds the launch bounds of {}: {}", items,
                              function.kernel.name, bound));
  if (shape.dynamic_group_size > dynamic_group_limit(function))
    throw Failure(hipErrorInvalidValue,
                  fmt::format("{} and {} bytes of group memory exceed the {} of the device",
                              function.kernel.group_size, shape.dynamic_group_size, agent.group_memory_size));
}

uint16_t dimensions_of(const LaunchShape& shape) {
  return shape.grid.z > 1 || shape.group.z > 1 ? 3 : shape.grid.y > 1 || shape.group.y > 1 ? 2 : 1;
}

hsa_kernel_dispatch_packet_t packet_of(const Function& function, const LaunchShape& shape) {
  const Kernel& kernel = function.kernel;
  const KernelCode code = function.program.code_of(kernel);
  hsa_kernel_dispatch_packet_t packet{};
  packet.setup = static_cast<uint16_t>(dimensions_of(shape) << HSA_KERNEL_DISPATCH_PACKET_SETUP_DIMENSIONS);
  packet.workgroup_size_x = static_cast<uint16_t>(shape.group.x);
  packet.workgroup_size_y = static_cast<uint16_t>(shape.group.y);
  packet.workgroup_size_z = static_cast<uint16_t>(shape.group.z);
  packet.grid_size_x = shape.grid.x;
  packet.grid_size_y = shape.grid.y;
  packet.grid_size_z = shape.grid.z;
  packet.private_segment_size =
      code.private_size +
      (kernel.recursive ? static_cast<uint32_t>(function.device.settings().stack_size) : 0);
  packet.group_segment_size = kernel.group_size + static_cast<uint32_t>(shape.dynamic_group_size);
  packet.kernel_object = code.object;
  return packet;
}

void pack(const Kernel& kernel, const LaunchArguments& arguments, std::byte* to) {
  if (arguments.packed != nullptr) {
    std::memcpy(to, arguments.packed, std::min<size_t>(arguments.packed_size, kernel.arguments_size));
    return;
  }
  for (size_t i = 0; i < kernel.arguments.size(); ++i)
    std::memcpy(to + kernel.arguments[i].offset, arguments.each[i], kernel.arguments[i].size);
}

void check_arguments(const Kernel& kernel, const LaunchArguments& arguments) {
  const bool given = arguments.each != nullptr || arguments.packed != nullptr;
  if (!given && !kernel.arguments.empty())
    throw Failure(hipErrorInvalidValue, kernel.name + " is launched without its arguments");
  const KernelArgument last = kernel.arguments.empty() ? KernelArgument{0, 0} : kernel.arguments.back();
  if (arguments.packed != nullptr && arguments.packed_size < last.offset + last.size)
    throw Failure(hipErrorInvalidValue, fmt::format("{} takes {} bytes of arguments, not {}", kernel.name,
                                                    last.offset + last.size, arguments.packed_size));
}

}  // namespace

LaunchShape shape_of_groups(dim3 groups, dim3 group, size_t dynamic_group_size) {
  return {{product(groups.x, group.x), product(groups.y, group.y), product(groups.z, group.z)},
          group,
          dynamic_group_size};
}

LaunchArguments launch_arguments(void** each, void** extra) {
  if (extra == nullptr) return {.each = each};
  if (each != nullptr) throw Failure(hipErrorInvalidValue, "a launch has two lists of arguments");
  LaunchArguments arguments;
  const size_t* size = nullptr;
  for (; *extra != HIP_LAUNCH_PARAM_END; extra += 2) {
    if (extra[0] == HIP_LAUNCH_PARAM_BUFFER_POINTER)
      arguments.packed = extra[1];
    else if (extra[0] == HIP_LAUNCH_PARAM_BUFFER_SIZE)
      size = static_cast<const size_t*>(extra[1]);
    else
      throw Failure(hipErrorInvalidValue, "a word in the list of arguments is unknown");
  }
  if (arguments.packed == nullptr || size == nullptr)
    throw Failure(hipErrorInvalidValue, "the list of arguments lacks the address or the size of its buffer");
  arguments.packed_size = *size;
  return arguments;
}

size_t dynamic_group_limit(const Function& function) {
  const size_t all = function.device.properties().group_memory_size;
  return all - std::min<size_t>(all, function.kernel.group_size);
}

PreparedLaunch prepare(const Function& function, const LaunchShape& shape, const LaunchArguments& arguments) {
  check_shape(function, shape);
  check_arguments(function.kernel, arguments);
  PreparedLaunch launch{function, packet_of(function, shape),
                        std::vector<std::byte>(function.kernel.arguments_size)};
  pack(function.kernel, arguments, launch.arguments.data());
  return launch;
}

void launch(const Function& function, const LaunchShape& shape, const LaunchArguments& arguments,
            Stream& stream, const void* host) {
  if (&stream.device() != &function.device)
    throw Failure(hipErrorInvalidHandle, "the stream belongs to another device than the function");
  check_shape(function, shape);
  check_arguments(function.kernel, arguments);
  if (record_launch(function, shape, arguments, host, stream)) return;
  if (function.program.output_is_pressing()) stream.synchronize();
  const Serialized serialized(stream, environment.serialize_kernel);
  const Activity activity(stream, function.kernel.name);
  log_lazily(LogLevel::debug, log_command, [&] { return "launches " + function.kernel.name; });
  stream.launch(packet_of(function, shape), function.kernel.arguments_size,
                [&](std::byte* to) { pack(function.kernel, arguments, to); });
  if (logs(LogLevel::debug, log_kernel))
    log(LogLevel::debug, log_kernel,
        fmt::format("launched {} on device {}", function.kernel.name, function.device.number()));
}

}  // namespace heddle::hip
