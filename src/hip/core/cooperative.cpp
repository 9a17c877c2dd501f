// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "hip/core/cooperative.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <list>
#include <mutex>
#include <set>

#include "hip/core/activity.h"
#include "hip/core/environment.h"
#include "hip/core/failure.h"
#include "hip/core/log.h"
#include "hip/core/occupancy.h"
#include "hip/core/runtime.h"

namespace heddle::hip {
namespace {

uint64_t items_of(dim3 size) { return uint64_t{size.x} * size.y * size.z; }

/// Reports whether two sizes are the same.
bool same(dim3 a, dim3 b) { return a.x == b.x && a.y == b.y && a.z == b.z; }

/// The shape has passed the checks of prepare().
void check_resident(const Function& function, const LaunchShape& shape) {
  const AgentProperties& agent = function.device.properties();
  if (!agent.cooperative) throw Failure(hipErrorNotSupported, agent.name + " has no cooperative launches");
  const uint64_t items = items_of(shape.group);
  const auto of_unit =
      static_cast<uint64_t>(groups_of_unit(function, static_cast<uint32_t>(items), shape.dynamic_group_size));
  const uint64_t groups = items_of(shape.grid) / items;
  if (groups > of_unit * agent.cooperative_units)
    throw Failure(hipErrorCooperativeLaunchTooLarge,
                  fmt::format("{} work-groups of {} on a device that holds {}", groups, function.kernel.name,
                              of_unit * agent.cooperative_units));
}

PreparedLaunch prepare_cooperative(const Function& function, const LaunchShape& shape,
                                   const LaunchArguments& arguments, const Stream& stream) {
  if (&stream.device() != &function.device)
    throw Failure(hipErrorInvalidHandle, "the stream belongs to another device than the function");
  if (shape.dynamic_group_size > dynamic_group_limit(function))
    throw Failure(hipErrorCooperativeLaunchTooLarge,
                  fmt::format("a device does not hold work-groups with {} bytes of group memory",
                              shape.dynamic_group_size));
  PreparedLaunch prepared = prepare(function, shape, arguments);
  check_resident(function, shape);
  return prepared;
}

/// A barrier that the kernels of several devices wait at, in memory that all of them reach.
std::shared_ptr<GridBarrier> make_shared_barrier(std::span<const DeviceLaunch> launches) {
  void* const memory = launches.front().function.device.allocate_arguments(sizeof(GridBarrier));
  std::shared_ptr<GridBarrier> barrier(new (memory) GridBarrier(),
                                       [](GridBarrier* own) { hsa_amd_memory_pool_free(own); });
  std::vector<hsa_agent_t> agents;
  for (const DeviceLaunch& launch : launches) agents.push_back(launch.function.device.agent());
  check(hsa_amd_agents_allow_access(static_cast<uint32_t>(agents.size()), agents.data(), nullptr, memory),
        "hsa_amd_agents_allow_access");
  return barrier;
}

void check_alike(const DeviceLaunch& launch, const DeviceLaunch& first) {
  if (launch.function.kernel.name == first.function.kernel.name &&
      same(launch.shape.grid, first.shape.grid) && same(launch.shape.group, first.shape.group) &&
      launch.shape.dynamic_group_size == first.shape.dynamic_group_size)
    return;
  throw Failure(hipErrorInvalidValue,
                "cooperative kernels on several devices must be the same kernel and shape");
}

std::vector<PreparedLaunch> prepare_all(std::span<const DeviceLaunch> launches, Together together) {
  std::vector<PreparedLaunch> prepared;
  std::set<const Device*> devices;
  for (const DeviceLaunch& launch : launches) {
    if (!devices.insert(&launch.function.device).second)
      throw Failure(hipErrorInvalidValue, "two kernels of a launch are for one device");
    if (together == Together::cooperative) {
      check_alike(launch, launches.front());
      prepared.push_back(
          prepare_cooperative(launch.function, launch.shape, launch.arguments, *launch.stream));
      launch.function.device.cooperative_queue();  // which may fail; later there is no way back
    } else {
      prepared.push_back(prepare(launch.function, launch.shape, launch.arguments));
    }
    launch.stream->begin();
  }
  return prepared;
}

/// Lets later work of each stream wait for the work of all of them up to now.
void join(std::span<const DeviceLaunch> launches) {
  std::vector<MarkerPointer> markers;
  for (const DeviceLaunch& launch : launches) markers.push_back(launch.stream->mark());
  for (const DeviceLaunch& launch : launches) launch.stream->wait_for(markers);
}

void submit_cooperative(std::span<const DeviceLaunch> launches, std::span<const PreparedLaunch> prepared) {
  const auto barrier = make_shared_barrier(launches);
  LaunchRecord record;
  record.is_cooperative = 1;
  record.grids = static_cast<uint32_t>(launches.size());
  record.all_grids = barrier.get();
  record.items = launches.size() * items_of(launches.front().shape.grid);
  for (size_t i = 0; i < launches.size(); ++i) {
    const Activity activity(*launches[i].stream, launches[i].function.kernel.name);
    launches[i].stream->launch_cooperative(prepared[i].packet, prepared[i].arguments, record, barrier);
    ++record.grid_rank;
    record.items_before += items_of(launches[i].shape.grid);
  }
}

void submit(const DeviceLaunch& launch, const PreparedLaunch& prepared) {
  const auto& arguments = prepared.arguments;
  const Activity activity(*launch.stream, launch.function.kernel.name);
  launch.stream->launch(prepared.packet, arguments.size(), [&](std::byte* to) {
    if (!arguments.empty()) std::memcpy(to, arguments.data(), arguments.size());
  });
}

}  // namespace

void launch_cooperative(const Function& function, const LaunchShape& shape, const LaunchArguments& arguments,
                        Stream& stream) {
  const PreparedLaunch prepared = prepare_cooperative(function, shape, arguments, stream);
  if (function.program.output_is_pressing()) stream.synchronize();
  const Serialized serialized(stream, environment.serialize_kernel);
  log_lazily(LogLevel::debug, log_command,
             [&] { return "launches " + function.kernel.name + " cooperatively"; });
  const Activity activity(stream, function.kernel.name);
  LaunchRecord record;
  record.is_cooperative = 1;
  stream.launch_cooperative(prepared.packet, prepared.arguments, record, nullptr);
}

void launch_on_devices(std::span<const DeviceLaunch> launches, unsigned flags, Together together) {
  // Two launches whose kernels wait for each other must have the same order on all devices.
  static std::mutex order;
  const std::scoped_lock lock(order);
  const std::vector<PreparedLaunch> prepared = prepare_all(launches, together);
  std::list<Serialized> serialized;
  for (const DeviceLaunch& launch : launches)
    serialized.emplace_back(*launch.stream, environment.serialize_kernel);
  log_lazily(LogLevel::debug, log_command,
             [&] { return fmt::format("launches kernels on {} devices", launches.size()); });
  if ((flags & hipCooperativeLaunchMultiDeviceNoPreSync) == 0) join(launches);
  if (together == Together::cooperative)
    submit_cooperative(launches, prepared);
  else
    for (size_t i = 0; i < launches.size(); ++i) submit(launches[i], prepared[i]);
  if ((flags & hipCooperativeLaunchMultiDeviceNoPostSync) == 0) join(launches);
}

}  // namespace heddle::hip
