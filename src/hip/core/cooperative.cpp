// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "hip/core/cooperative.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <list>
#include <mutex>
#include <numeric>
#include <set>

#include "hip/core/activity.h"
#include "hip/core/capture.h"
#include "hip/core/environment.h"
#include "hip/core/failure.h"
#include "hip/core/log.h"
#include "hip/core/meeting_point.h"
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

/// Returns the places of the launches in the order in which the locks of devices are taken.
std::vector<size_t> in_order_of_devices(std::span<const DeviceLaunch> launches) {
  std::vector<size_t> order(launches.size());
  std::iota(order.begin(), order.end(), size_t{0});
  std::ranges::sort(order, {}, [&](size_t i) { return launches[i].stream->device().number(); });
  return order;
}

/// Lets later work of each stream wait for the work of all of them up to now.
void join(std::span<const DeviceLaunch> launches) {
  std::vector<MarkerPointer> markers;
  for (const DeviceLaunch& launch : launches) markers.push_back(launch.stream->mark());
  for (const DeviceLaunch& launch : launches) launch.stream->wait_for(markers);
}

/// Gives the kernels to their devices in two phases, so that a failure of the first leaves nothing behind. If
/// a device fails in the second, kernels that wait for the others end with an error.
void submit_cooperative(std::span<const DeviceLaunch> launches, std::span<const PreparedLaunch> prepared) {
  std::vector<Device*> devices;
  for (const DeviceLaunch& launch : launches) devices.push_back(&launch.stream->device());
  const auto point = std::make_shared<MeetingPoint>(devices);
  std::list<Activity> activities;
  std::list<Stream::CooperativeLaunch> ready;
  for (const size_t i : in_order_of_devices(launches)) {
    activities.emplace_back(*launches[i].stream, launches[i].function.kernel.name);
    ready.emplace_back(*launches[i].stream, prepared[i].packet, prepared[i].arguments, point);
  }
  LaunchRecord record;
  record.is_cooperative = 1;
  record.grids = static_cast<uint32_t>(launches.size());
  record.all_grids = point->barrier();
  const uint64_t items = items_of(launches.front().shape.grid);
  record.items = launches.size() * items;
  try {
    auto next = ready.begin();
    for (const size_t i : in_order_of_devices(launches)) {
      record.grid_rank = static_cast<uint32_t>(i);
      record.items_before = i * items;  // the grids are alike
      (next++)->submit(record);
    }
  } catch (...) {
    point->break_up();
    throw;
  }
}

void submit_cooperative(const PreparedLaunch& prepared, Stream& stream) {
  const std::string& name = prepared.function.kernel.name;
  const Serialized serialized(stream, environment.serialize_kernel);
  log_lazily(LogLevel::debug, log_command, [&] { return "launches " + name + " cooperatively"; });
  const Activity activity(stream, name);
  LaunchRecord record;
  record.is_cooperative = 1;
  Stream::CooperativeLaunch(stream, prepared.packet, prepared.arguments, nullptr).submit(record);
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
                        Stream& stream, const void* host) {
  const PreparedLaunch prepared = prepare_cooperative(function, shape, arguments, stream);
  if (record_launch(function, shape, arguments, host, stream, {.cooperative = 1})) return;
  if (function.program.output_is_pressing()) stream.synchronize();
  submit_cooperative(prepared, stream);
}

void launch_cooperative(const PreparedLaunch& prepared, Stream& stream) {
  const auto& packet = prepared.packet;
  check_resident(prepared.function,
                 {{packet.grid_size_x, packet.grid_size_y, packet.grid_size_z},
                  {packet.workgroup_size_x, packet.workgroup_size_y, packet.workgroup_size_z},
                  packet.group_segment_size - prepared.function.kernel.group_size});
  submit_cooperative(prepared, stream);
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
