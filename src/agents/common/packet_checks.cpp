// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "agents/common/packet_checks.h"

#include <fmt/format.h>

#include <algorithm>

namespace heddle::agents {
namespace {

Failure incompatible(std::string message) {
  return {HSA_STATUS_ERROR_INCOMPATIBLE_ARGUMENTS, std::move(message)};
}

/// Whether every work-group consists of whole waves. This holds for full groups and for the partial groups at
/// the far faces of the grid, in each combination of dimensions.
bool whole_waves(const KernelDispatch& d, uint32_t wave_size) {
  for (unsigned faces = 0; faces < 8; ++faces) {
    uint64_t size = 1;
    for (unsigned i = 0; i < 3; ++i) {
      const uint32_t cut = d.grid_size[i] % d.group_size[i];
      const bool partial = (faces >> i & 1) != 0;
      // A dimension without partial groups has only full ones, and one smaller than a group has only a
      // partial one.
      if (partial ? cut == 0 : d.grid_size[i] < d.group_size[i]) size = 0;
      size *= partial ? cut : d.group_size[i];
    }
    if (size % wave_size != 0) return false;
  }
  return true;
}

}  // namespace

Result<KernelDispatch, Failure> check_dispatch(const hsa_kernel_dispatch_packet_t& packet,
                                               const DispatchLimits& limits) {
  KernelDispatch d;
  d.packet = packet;
  // The number of dimensions has two bits. The reserved bits behind it are ignored, because there are
  // programs that set some of them.
  d.dimensions = packet.setup & ((1u << HSA_KERNEL_DISPATCH_PACKET_SETUP_WIDTH_DIMENSIONS) - 1);
  if (d.dimensions == 0) return incompatible(fmt::format("{} dimensions", packet.setup));
  uint32_t grid[3] = {packet.grid_size_x, packet.grid_size_y, packet.grid_size_z};
  uint32_t group[3] = {packet.workgroup_size_x, packet.workgroup_size_y, packet.workgroup_size_z};
  // Sizes of unused dimensions have to be 1 (Runtime 2.6.5.7), but there are programs that leave them 0.
  for (uint32_t i = d.dimensions; i < 3; ++i) {
    if (grid[i] == 0) grid[i] = 1;
    if (group[i] == 0) group[i] = 1;
  }
  unsigned __int128 grid_size = 1;
  unsigned __int128 groups = 1;
  uint64_t group_size = 1;
  for (uint32_t i = 0; i < 3; ++i) {
    const char axis = static_cast<char>('x' + i);
    if (grid[i] == 0 || group[i] == 0) return incompatible(fmt::format("size 0 in dimension {}", axis));
    if (i >= d.dimensions && (grid[i] != 1 || group[i] != 1))
      return incompatible(
          fmt::format("size in dimension {} of a {}-dimensional dispatch is not 1", axis, d.dimensions));
    if (group[i] > limits.group_max_dim[i])
      return incompatible(fmt::format("work-group size {} in dimension {}, limit {}", group[i], axis,
                                      limits.group_max_dim[i]));
    if (grid[i] > limits.grid_max_dim[i])
      return incompatible(
          fmt::format("grid size {} in dimension {}, limit {}", grid[i], axis, limits.grid_max_dim[i]));
    d.grid_size[i] = grid[i];
    d.group_size[i] = group[i];
    d.grid_groups[i] = static_cast<uint32_t>((uint64_t{grid[i]} + group[i] - 1) / group[i]);
    grid_size *= grid[i];
    groups *= d.grid_groups[i];
    group_size *= group[i];
  }
  if (group_size > limits.group_max_size)
    return incompatible(
        fmt::format("work-group of {} work-items, limit {}", group_size, limits.group_max_size));
  if (grid_size > limits.grid_max_size || groups >> 62 != 0)
    return incompatible(
        fmt::format("grid of {} x {} x {} work-items is too large", grid[0], grid[1], grid[2]));
  d.group_count = static_cast<uint64_t>(groups);
  return d;
}

Result<void, Failure> check_directives(const KernelDirectives& directives, const KernelDispatch& d) {
  if (directives.required_dim != 0 && d.dimensions != directives.required_dim)
    return incompatible(
        fmt::format("kernel {} requires {} dimensions", directives.kernel, directives.required_dim));
  uint64_t grid = 1;
  uint64_t group = 1;
  for (int i = 0; i < 3; ++i) {
    if (directives.required_group_size[i] != 0 && directives.required_group_size[i] != d.group_size[i])
      return incompatible(fmt::format("kernel {} requires a work-group of {} x {} x {}", directives.kernel,
                                      directives.required_group_size[0], directives.required_group_size[1],
                                      directives.required_group_size[2]));
    if (directives.required_grid_size[i] != 0 && directives.required_grid_size[i] != d.grid_size[i])
      return incompatible(fmt::format("kernel {} requires a grid of {} x {} x {}", directives.kernel,
                                      directives.required_grid_size[0], directives.required_grid_size[1],
                                      directives.required_grid_size[2]));
    grid = grid > UINT64_MAX / d.grid_size[i] ? UINT64_MAX : grid * d.grid_size[i];
    group *= d.group_size[i];
  }
  if (directives.max_flat_grid_size != 0 && grid > directives.max_flat_grid_size)
    return incompatible(fmt::format("grid exceeds maxflatgridsize of kernel {}", directives.kernel));
  if (directives.max_flat_group_size != 0 && group > directives.max_flat_group_size)
    return incompatible(
        fmt::format("work-group exceeds maxflatworkgroupsize of kernel {}", directives.kernel));
  if (d.packet.group_segment_size > directives.static_group_size &&
      d.packet.group_segment_size - directives.static_group_size > directives.max_dynamic_group_size)
    return incompatible(
        fmt::format("group segment exceeds maxdynamicgroupsize of kernel {}", directives.kernel));
  for (int i = 0; i < 3 && directives.no_partial_groups; ++i)
    if (d.grid_size[i] % d.group_size[i] != 0)
      return incompatible(
          fmt::format("kernel {} requires no partial work-groups: {} work-items in groups of {}",
                      directives.kernel, d.grid_size[i], d.group_size[i]));
  if (directives.no_partial_waves && !whole_waves(d, directives.wave_size))
    return incompatible(fmt::format("kernel {} requires no partial wavefronts, which have {} work-items",
                                    directives.kernel, directives.wave_size));
  return {};
}

namespace {

uint64_t items_of_group(const KernelDispatch& d) {
  return uint64_t{d.group_size[0]} * d.group_size[1] * d.group_size[2];
}

}  // namespace

uint64_t resident_groups(const KernelDispatch& d, uint32_t wave_size, uint32_t group_memory,
                         const ResidencyLimits& limits) {
  const uint64_t waves = (items_of_group(d) + wave_size - 1) / wave_size;
  uint64_t of_unit = std::max<uint64_t>(limits.unit_work_items / wave_size / waves, 1);
  if (group_memory != 0) of_unit = std::min<uint64_t>(of_unit, limits.unit_group_memory / group_memory);
  return of_unit * limits.compute_units;
}

Result<void, Failure> check_resident(const KernelDispatch& d, std::string_view kernel, uint32_t wave_size,
                                     uint32_t group_memory, const ResidencyLimits& limits) {
  if (!d.cooperative) return {};
  const uint64_t most = resident_groups(d, wave_size, group_memory, limits);
  if (d.group_count <= most) return {};
  return Failure{
      HSA_STATUS_ERROR_OUT_OF_RESOURCES,
      fmt::format("{} work-groups of {} work-items with {} bytes of group memory for a cooperative "
                  "dispatch of kernel {}, limit {}",
                  d.group_count, items_of_group(d), group_memory, kernel, most)};
}

}  // namespace heddle::agents
