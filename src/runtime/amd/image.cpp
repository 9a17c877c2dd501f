// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Images in layouts of AMD's GPUs, which no agent has.
#include <hsa/hsa_ext_amd.h>

#include "driver/log.h"
#include "runtime/api/api.h"

using namespace heddle::runtime;

namespace heddle::runtime::functions {

hsa_status_t hsa_amd_image_create(hsa_agent_t agent, const hsa_ext_image_descriptor_t* image_descriptor,
                                  const hsa_amd_image_descriptor_t* image_layout, const void* image_data,
                                  hsa_access_permission_t, hsa_ext_image_t* image) {
  return api::guard([&](Runtime& runtime) {
    const Agent* found = runtime.topology().agent(agent);
    if (found == nullptr) return HSA_STATUS_ERROR_INVALID_AGENT;
    if (image_descriptor != nullptr && image_layout != nullptr && image_data != nullptr && image != nullptr)
      heddle::driver::log_warning("agent '{}' does not have the image layout of device {:#x}",
                                  found->config().name, image_layout->deviceID);
    return HSA_STATUS_ERROR_INVALID_ARGUMENT;
  });
}

hsa_status_t hsa_amd_image_get_info_max_dim(hsa_agent_t agent, hsa_agent_info_t attribute, void* value) {
  return api::guard([&](Runtime& runtime) {
    if (runtime.topology().agent(agent) == nullptr) return HSA_STATUS_ERROR_INVALID_AGENT;
    const auto number = static_cast<uint32_t>(attribute);
    if (number < HSA_EXT_AGENT_INFO_IMAGE_1D_MAX_ELEMENTS ||
        number > HSA_EXT_AGENT_INFO_IMAGE_ARRAY_MAX_LAYERS)
      return HSA_STATUS_ERROR_INVALID_ARGUMENT;
    return functions::hsa_agent_get_info(agent, attribute, value);
  });
}

}  // namespace heddle::runtime::functions
