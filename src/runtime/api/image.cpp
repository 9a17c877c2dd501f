// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Images and samplers (Runtime 3.3).
#include <algorithm>
#include <vector>

#include <hsa/hsa_ext_image.h>

#include "image/image.h"
#include "runtime/amd/access.h"
#include "runtime/api/api.h"

using namespace heddle::runtime;
namespace image = heddle::image;

namespace {

constexpr uint32_t everything = HSA_EXT_IMAGE_CAPABILITY_READ_ONLY | HSA_EXT_IMAGE_CAPABILITY_WRITE_ONLY |
                                HSA_EXT_IMAGE_CAPABILITY_READ_WRITE |
                                HSA_EXT_IMAGE_CAPABILITY_ACCESS_INVARIANT_DATA_LAYOUT;

bool is_permission(hsa_access_permission_t permission) {
  return permission == HSA_ACCESS_PERMISSION_RO || permission == HSA_ACCESS_PERMISSION_WO ||
         permission == HSA_ACCESS_PERMISSION_RW;
}

/// Runs `call(Runtime&, const Agent&)` if the handle names an agent.
template <typename Call>
hsa_status_t with_agent_in_configuration(hsa_agent_t agent, Call&& call,
                                         const char* function = __builtin_FUNCTION()) {
  return api::guard_in_configuration(
      [&](Runtime& runtime) -> hsa_status_t {
        const Agent* found = runtime.topology().agent(agent);
        if (found == nullptr) return HSA_STATUS_ERROR_INVALID_AGENT;
        return call(runtime, *found);
      },
      function);
}

/// Does the same for functions that end the configuration state (Runtime 3.3).
template <typename Call>
hsa_status_t with_agent(hsa_agent_t agent, Call&& call, const char* function = __builtin_FUNCTION()) {
  if (Runtime* runtime = Runtime::current()) runtime->leave_configuration();
  return with_agent_in_configuration(agent, std::forward<Call>(call), function);
}

hsa_status_t capability(const Agent& agent, hsa_ext_image_geometry_t geometry,
                        const hsa_ext_image_format_t* format, uint32_t* mask) {
  if (format == nullptr || mask == nullptr || !image::shape_of(static_cast<uint32_t>(geometry)))
    return HSA_STATUS_ERROR_INVALID_ARGUMENT;
  const bool supported = agent.has_images() && image::is_legal(static_cast<uint32_t>(geometry), *format);
  *mask = supported ? everything : static_cast<uint32_t>(HSA_EXT_IMAGE_CAPABILITY_NOT_SUPPORTED);
  return HSA_STATUS_SUCCESS;
}

hsa_status_t data_info(const hsa_ext_image_descriptor_t* descriptor, hsa_access_permission_t permission,
                       size_t row_pitch, size_t slice_pitch, hsa_ext_image_data_info_t* info) {
  if (descriptor == nullptr || info == nullptr || !is_permission(permission))
    return HSA_STATUS_ERROR_INVALID_ARGUMENT;
  image::Layout layout;
  const hsa_status_t status = image::plan_layout(*descriptor, row_pitch, slice_pitch, layout);
  if (status == HSA_STATUS_SUCCESS) *info = {layout.size, image::limits().data_alignment};
  return status;
}

hsa_status_t create(Runtime& runtime, const Agent& agent, const hsa_ext_image_descriptor_t* descriptor,
                    const void* data, hsa_access_permission_t permission, size_t row_pitch,
                    size_t slice_pitch, hsa_ext_image_t* handle) {
  if (descriptor == nullptr || data == nullptr || handle == nullptr || !is_permission(permission))
    return HSA_STATUS_ERROR_INVALID_ARGUMENT;
  if (!agent.has_images()) return HSA_EXT_STATUS_ERROR_IMAGE_FORMAT_UNSUPPORTED;
  image::Layout layout;
  const hsa_status_t status = image::plan_layout(*descriptor, row_pitch, slice_pitch, layout);
  if (status != HSA_STATUS_SUCCESS) return status;
  if (reinterpret_cast<uintptr_t>(data) % image::limits().data_alignment != 0)
    return HSA_STATUS_ERROR_INVALID_ARGUMENT;
  return runtime.images().add(
      agent, image::make_image(*descriptor, permission, layout, const_cast<void*>(data)), handle);
}

/// Returns the image if it belongs to the agent and contains the region, otherwise null.
std::shared_ptr<const image::Image> image_with(Runtime& runtime, const Agent& agent, hsa_ext_image_t handle,
                                               const hsa_ext_image_region_t* region) {
  auto found = runtime.images().find(agent, handle);
  if (found == nullptr || region == nullptr || !image::contains(*found, region->offset, region->range))
    return nullptr;
  return found;
}

/// Copies within memory of agents need not be right if the places overlap, so those go through the host.
hsa_status_t move_by_agents(Runtime& runtime, void* to, const void* from, size_t size) {
  const auto first = reinterpret_cast<uintptr_t>(to), second = reinterpret_cast<uintptr_t>(from);
  if (std::max(first, second) - std::min(first, second) >= size) return runtime.client().copy(to, from, size);
  std::vector<std::byte> buffer(size);
  const hsa_status_t status = runtime.client().copy(buffer.data(), from, size);
  return status == HSA_STATUS_SUCCESS ? runtime.client().copy(to, buffer.data(), size) : status;
}

/// Returns how to move bytes between places that begin at these addresses: the host does it if it can.
image::Move move_between(Runtime& runtime, const void* one, const void* other) {
  const auto is_agents = [&](const void* address) {
    const auto found = runtime.client().find(address);
    return found && found->region != nullptr && !amd::is_host_memory(*found->region);
  };
  if (!is_agents(one) && !is_agents(other)) return {};
  return
      [&runtime](void* to, const void* from, size_t size) { return move_by_agents(runtime, to, from, size); };
}

}  // namespace

namespace heddle::runtime::functions {

hsa_status_t hsa_ext_image_get_capability(hsa_agent_t agent, hsa_ext_image_geometry_t geometry,
                                          const hsa_ext_image_format_t* image_format,
                                          uint32_t* capability_mask) {
  return with_agent_in_configuration(agent, [&](Runtime&, const Agent& found) {
    return capability(found, geometry, image_format, capability_mask);
  });
}

hsa_status_t hsa_ext_image_get_capability_with_layout(hsa_agent_t agent, hsa_ext_image_geometry_t geometry,
                                                      const hsa_ext_image_format_t* image_format,
                                                      hsa_ext_image_data_layout_t image_data_layout,
                                                      uint32_t* capability_mask) {
  return with_agent_in_configuration(agent, [&](Runtime&, const Agent& found) {
    if (image_data_layout != HSA_EXT_IMAGE_DATA_LAYOUT_LINEAR) return HSA_STATUS_ERROR_INVALID_ARGUMENT;
    return capability(found, geometry, image_format, capability_mask);
  });
}

hsa_status_t hsa_ext_image_data_get_info(hsa_agent_t agent,
                                         const hsa_ext_image_descriptor_t* image_descriptor,
                                         hsa_access_permission_t access_permission,
                                         hsa_ext_image_data_info_t* image_data_info) {
  return with_agent_in_configuration(agent, [&](Runtime&, const Agent& found) {
    if (!found.has_images() && image_descriptor != nullptr && image_data_info != nullptr)
      return HSA_EXT_STATUS_ERROR_IMAGE_FORMAT_UNSUPPORTED;
    return data_info(image_descriptor, access_permission, 0, 0, image_data_info);
  });
}

hsa_status_t hsa_ext_image_data_get_info_with_layout(const hsa_ext_image_descriptor_t* image_descriptor,
                                                     hsa_access_permission_t access_permission,
                                                     hsa_ext_image_data_layout_t image_data_layout,
                                                     size_t image_data_row_pitch,
                                                     size_t image_data_slice_pitch,
                                                     hsa_ext_image_data_info_t* image_data_info) {
  return api::guard_in_configuration([&](Runtime&) {
    if (image_data_layout != HSA_EXT_IMAGE_DATA_LAYOUT_LINEAR) return HSA_STATUS_ERROR_INVALID_ARGUMENT;
    return data_info(image_descriptor, access_permission, image_data_row_pitch, image_data_slice_pitch,
                     image_data_info);
  });
}

hsa_status_t hsa_ext_image_create(hsa_agent_t agent, const hsa_ext_image_descriptor_t* image_descriptor,
                                  const void* image_data, hsa_access_permission_t access_permission,
                                  hsa_ext_image_t* image) {
  return with_agent(agent, [&](Runtime& runtime, const Agent& found) {
    return create(runtime, found, image_descriptor, image_data, access_permission, 0, 0, image);
  });
}

hsa_status_t hsa_ext_image_create_with_layout(
    hsa_agent_t agent, const hsa_ext_image_descriptor_t* image_descriptor, const void* image_data,
    hsa_access_permission_t access_permission, hsa_ext_image_data_layout_t image_data_layout,
    size_t image_data_row_pitch, size_t image_data_slice_pitch, hsa_ext_image_t* image) {
  return with_agent(agent, [&](Runtime& runtime, const Agent& found) {
    if (image_data_layout != HSA_EXT_IMAGE_DATA_LAYOUT_LINEAR) return HSA_STATUS_ERROR_INVALID_ARGUMENT;
    return create(runtime, found, image_descriptor, image_data, access_permission, image_data_row_pitch,
                  image_data_slice_pitch, image);
  });
}

hsa_status_t hsa_ext_image_destroy(hsa_agent_t agent, hsa_ext_image_t image) {
  return with_agent(agent, [&](Runtime& runtime, const Agent& found) {
    return runtime.images().remove(found, image) ? HSA_STATUS_SUCCESS : HSA_STATUS_ERROR_INVALID_ARGUMENT;
  });
}

hsa_status_t hsa_ext_image_copy(hsa_agent_t agent, hsa_ext_image_t src_image, const hsa_dim3_t* src_offset,
                                hsa_ext_image_t dst_image, const hsa_dim3_t* dst_offset,
                                const hsa_dim3_t* range) {
  return with_agent(agent, [&](Runtime& runtime, const Agent& found) {
    if (src_offset == nullptr || dst_offset == nullptr || range == nullptr)
      return HSA_STATUS_ERROR_INVALID_ARGUMENT;
    const auto from = runtime.images().find(found, src_image), to = runtime.images().find(found, dst_image);
    if (from == nullptr || to == nullptr || !image::are_copyable(from->format, to->format) ||
        !image::contains(*from, *src_offset, *range) || !image::contains(*to, *dst_offset, *range))
      return HSA_STATUS_ERROR_INVALID_ARGUMENT;
    return image::copy(*from, *src_offset, *to, *dst_offset, *range,
                       move_between(runtime, from->data, to->data));
  });
}

hsa_status_t hsa_ext_image_import(hsa_agent_t agent, const void* src_memory, size_t src_row_pitch,
                                  size_t src_slice_pitch, hsa_ext_image_t dst_image,
                                  const hsa_ext_image_region_t* image_region) {
  return with_agent(agent, [&](Runtime& runtime, const Agent& found) {
    const auto to = image_with(runtime, found, dst_image, image_region);
    if (src_memory == nullptr || to == nullptr) return HSA_STATUS_ERROR_INVALID_ARGUMENT;
    return image::import_region(*to, src_memory, src_row_pitch, src_slice_pitch, *image_region,
                                move_between(runtime, to->data, src_memory));
  });
}

hsa_status_t hsa_ext_image_export(hsa_agent_t agent, hsa_ext_image_t src_image, void* dst_memory,
                                  size_t dst_row_pitch, size_t dst_slice_pitch,
                                  const hsa_ext_image_region_t* image_region) {
  return with_agent(agent, [&](Runtime& runtime, const Agent& found) {
    const auto from = image_with(runtime, found, src_image, image_region);
    if (dst_memory == nullptr || from == nullptr) return HSA_STATUS_ERROR_INVALID_ARGUMENT;
    return image::export_region(*from, dst_memory, dst_row_pitch, dst_slice_pitch, *image_region,
                                move_between(runtime, from->data, dst_memory));
  });
}

hsa_status_t hsa_ext_image_clear(hsa_agent_t agent, hsa_ext_image_t image, const void* data,
                                 const hsa_ext_image_region_t* image_region) {
  return with_agent(agent, [&](Runtime& runtime, const Agent& found) {
    const auto target = image_with(runtime, found, image, image_region);
    if (data == nullptr || target == nullptr) return HSA_STATUS_ERROR_INVALID_ARGUMENT;
    return image::clear(*target, data, *image_region, move_between(runtime, target->data, target->data));
  });
}

hsa_status_t hsa_ext_sampler_create(hsa_agent_t agent, const hsa_ext_sampler_descriptor_t* sampler_descriptor,
                                    hsa_ext_sampler_t* sampler) {
  return with_agent(agent, [&](Runtime& runtime, const Agent& found) {
    if (sampler_descriptor == nullptr || sampler == nullptr) return HSA_STATUS_ERROR_INVALID_ARGUMENT;
    if (!found.has_images()) return HSA_EXT_STATUS_ERROR_SAMPLER_DESCRIPTOR_UNSUPPORTED;
    image::Sampler made;
    const hsa_status_t status = image::make_sampler(*sampler_descriptor, made);
    return status == HSA_STATUS_SUCCESS ? runtime.images().add(found, made, sampler) : status;
  });
}

hsa_status_t hsa_ext_sampler_destroy(hsa_agent_t agent, hsa_ext_sampler_t sampler) {
  return with_agent(agent, [&](Runtime& runtime, const Agent& found) {
    return runtime.images().remove(found, sampler) ? HSA_STATUS_SUCCESS : HSA_STATUS_ERROR_INVALID_ARGUMENT;
  });
}

}  // namespace heddle::runtime::functions
