// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <mutex>
#include <unordered_map>

#include <hsa/hsa_ext_amd.h>

#include "runtime/core/topology.h"

namespace heddle::runtime::amd {

/// The coherency types that clients have set. Thread safe.
class Coherency {
 public:
  hsa_amd_coherency_type_t type(const Agent& agent) const {
    std::lock_guard lock(mutex_);
    const auto found = types_.find(&agent);
    return found == types_.end() ? HSA_AMD_COHERENCY_TYPE_COHERENT : found->second;
  }
  void set_type(const Agent& agent, hsa_amd_coherency_type_t type) {
    std::lock_guard lock(mutex_);
    types_[&agent] = type;
  }

 private:
  mutable std::mutex mutex_;
  std::unordered_map<const Agent*, hsa_amd_coherency_type_t> types_;
};

}  // namespace heddle::runtime::amd
