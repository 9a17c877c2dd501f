// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The image and sampler handles of the runtime from hsa_init to hsa_shut_down (Runtime 3.3).
#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <unordered_map>

#include <hsa/hsa_ext_image.h>

#include "image/image.h"

namespace heddle::runtime {

struct Agent;

/// Thread safe. Handles are addresses that kernels read, so a handle from a client must be found here before
/// it is dereferenced.
class Images {
 public:
  /// OUT_OF_RESOURCES if the agent already has the greatest permitted number of handles with this permission.
  hsa_status_t add(const Agent& agent, const image::Image& image, hsa_ext_image_t* handle);
  hsa_status_t add(const Agent& agent, const image::Sampler& sampler, hsa_ext_sampler_t* handle);
  /// Returns null unless the handle belongs to this agent.
  std::shared_ptr<const image::Image> find(const Agent& agent, hsa_ext_image_t handle) const;
  /// Returns false unless the handle belonged to this agent.
  bool remove(const Agent& agent, hsa_ext_image_t handle);
  bool remove(const Agent& agent, hsa_ext_sampler_t handle);

 private:
  template <typename Object>
  struct Owned {
    const Agent* agent;
    std::shared_ptr<const Object> object;
  };
  struct Counts {
    uint32_t read = 0, write = 0, samplers = 0;
    uint32_t& of(uint32_t permission) { return permission == HSA_ACCESS_PERMISSION_RO ? read : write; }
  };

  mutable std::mutex mutex_;
  std::unordered_map<uint64_t, Owned<image::Image>> images_;
  std::unordered_map<uint64_t, Owned<image::Sampler>> samplers_;
  std::unordered_map<const Agent*, Counts> counts_;
};

}  // namespace heddle::runtime
