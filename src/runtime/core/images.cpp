// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/core/images.h"

#include <cassert>

namespace heddle::runtime {

hsa_status_t Images::add(const Agent& agent, const image::Image& image, hsa_ext_image_t* handle) {
  auto object = std::make_shared<const image::Image>(image);
  const auto& limits = image::limits();
  std::lock_guard lock(mutex_);
  uint32_t& count = counts_[&agent].of(image.access_permission);
  if (count ==
      (image.access_permission == HSA_ACCESS_PERMISSION_RO ? limits.read_handles : limits.write_handles))
    return HSA_STATUS_ERROR_OUT_OF_RESOURCES;
  handle->handle = reinterpret_cast<uint64_t>(object.get());
  images_[handle->handle] = {&agent, std::move(object)};
  ++count;
  return HSA_STATUS_SUCCESS;
}

hsa_status_t Images::add(const Agent& agent, const image::Sampler& sampler, hsa_ext_sampler_t* handle) {
  auto object = std::make_shared<const image::Sampler>(sampler);
  std::lock_guard lock(mutex_);
  uint32_t& count = counts_[&agent].samplers;
  if (count == image::limits().samplers) return HSA_STATUS_ERROR_OUT_OF_RESOURCES;
  handle->handle = reinterpret_cast<uint64_t>(object.get());
  samplers_[handle->handle] = {&agent, std::move(object)};
  ++count;
  return HSA_STATUS_SUCCESS;
}

std::shared_ptr<const image::Image> Images::find(const Agent& agent, hsa_ext_image_t handle) const {
  std::lock_guard lock(mutex_);
  const auto found = images_.find(handle.handle);
  return found == images_.end() || found->second.agent != &agent ? nullptr : found->second.object;
}

bool Images::remove(const Agent& agent, hsa_ext_image_t handle) {
  std::lock_guard lock(mutex_);
  const auto found = images_.find(handle.handle);
  if (found == images_.end() || found->second.agent != &agent) return false;
  uint32_t& count = counts_[&agent].of(found->second.object->access_permission);
  assert(count != 0);
  --count;
  images_.erase(found);
  return true;
}

bool Images::remove(const Agent& agent, hsa_ext_sampler_t handle) {
  std::lock_guard lock(mutex_);
  const auto found = samplers_.find(handle.handle);
  if (found == samplers_.end() || found->second.agent != &agent) return false;
  uint32_t& count = counts_[&agent].samplers;
  assert(count != 0);
  --count;
  samplers_.erase(found);
  return true;
}

}  // namespace heddle::runtime
