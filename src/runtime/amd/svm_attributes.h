// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Attributes of ranges of the process's memory.
#pragma once

#include <cstdint>
#include <map>
#include <mutex>
#include <span>
#include <vector>

#include <hsa/hsa_ext_amd.h>

#include "runtime/core/topology.h"

namespace heddle::runtime::amd {

/// What clients have said about the pages of a range.
struct SvmAttributes {
  /// Those with a value of their own, by number: GLOBAL_FLAG to GPU_EXEC.
  static constexpr size_t count = HSA_AMD_SVM_ATTRIB_GPU_EXEC + 1;
  uint64_t values[count] = {HSA_AMD_SVM_GLOBAL_FLAG_FINE_GRAINED, 0, 0, 9, 0, 0, 0, 0};
  std::map<uint64_t, uint64_t> access;  ///< kinds of access by handle of the agent; the rest is in place

  uint64_t access_of(uint64_t agent) const {
    const auto found = access.find(agent);
    return found == access.end() ? uint64_t{HSA_AMD_SVM_ATTRIB_AGENT_ACCESSIBLE_IN_PLACE} : found->second;
  }
  bool operator==(const SvmAttributes&) const = default;
};

/// The attributes of all pages. Thread safe.
class SvmRanges {
 public:
  using Pairs = std::span<const hsa_amd_svm_attribute_pair_t>;

  /// Sets attributes of the pages of [begin, end), which are page boundaries. The pairs are valid.
  void set(uintptr_t begin, uintptr_t end, Pairs pairs);
  /// Returns the different attributes of the pages of a range, at least one.
  std::vector<SvmAttributes> get(uintptr_t begin, uintptr_t end) const;

 private:
  struct Range {
    uintptr_t end;
    SvmAttributes attributes;
  };
  using Ranges = std::map<uintptr_t, Range>;

  static void split(Ranges& ranges, uintptr_t at);
  static void join(Ranges& ranges);

  mutable std::mutex mutex_;
  Ranges ranges_;  ///< by first address; they do not overlap. Pages outside have the default attributes.
};

}  // namespace heddle::runtime::amd
