// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The image and sampler handles of the runtime from hsa_init to hsa_shut_down (Runtime 3.3).
#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <unordered_map>

#include <hsa/hsa_ext_image.h>

#include "driver/driver.h"
#include "image/operations.h"

namespace heddle::runtime {

struct Agent;

/// Thread safe. Handles are addresses that kernels read at each instruction, so they are in memory of the
/// agent if it has any of its own, which the host may be unable to read. So a handle from a client must be
/// found here, and not be dereferenced.
class Images {
 public:
  /// `client` outlives the images, and then frees what is left of their memory.
  explicit Images(driver::Client& client) : client_(client) {}
  Images(const Images&) = delete;
  Images& operator=(const Images&) = delete;

  /// OUT_OF_RESOURCES if the agent already has the greatest permitted number of handles with this permission,
  /// or if there is no memory.
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
  template <typename Object>
  using Table = std::unordered_map<uint64_t, Owned<Object>>;
  struct Counts {
    uint32_t read = 0, write = 0, samplers = 0;
    uint32_t& of(uint32_t permission) { return permission == HSA_ACCESS_PERMISSION_RO ? read : write; }
  };
  uint32_t& count_of(const Agent& agent, const image::Image& image) {
    return counts_[&agent].of(image.access_permission);
  }
  uint32_t& count_of(const Agent& agent, const image::Sampler&) { return counts_[&agent].samplers; }

  hsa_status_t place(const Agent& agent, const void* object, size_t size, uint64_t& handle);
  void free_place(const Agent& agent, uint64_t handle);
  template <typename Object>
  hsa_status_t add_to(Table<Object>& table, const Agent& agent, const Object& object, uint32_t most,
                      uint64_t& handle);
  template <typename Object>
  bool remove_from(Table<Object>& table, const Agent& agent, uint64_t handle);

  driver::Client& client_;
  mutable std::mutex mutex_;
  Table<image::Image> images_;
  Table<image::Sampler> samplers_;
  std::unordered_map<const Agent*, Counts> counts_;
};

}  // namespace heddle::runtime
