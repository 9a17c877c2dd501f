// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Fine-grain barriers of one work-group (PRM 9.2). Their state is kept beside the group segment, where a
// kernel cannot overwrite it, and every rule of 9.2.3 is checked: what the manual leaves undefined ends the
// dispatch with an error.
#pragma once

#include <cstdint>
#include <string>
#include <unordered_map>
#include <vector>

#include "codeobject/kernel_abi.h"

namespace heddle::cpu {

class Fbarriers {
 public:
  /// The result of an operation. `misuse` names the rule that was broken, or is null.
  struct Outcome {
    const char* misuse = nullptr;
    bool wait = false;    ///< the wave waits until somebody's operation opens this fbarrier
    bool opened = false;  ///< waves that wait at this fbarrier go on
  };

  /// Wave number `wave` of a group of `waves` executes an operation on the fbarrier with this handle. Throws
  /// std::bad_alloc.
  Outcome execute(kernel_abi::FbarrierOperation operation, uint32_t handle, uint32_t wave, uint32_t waves);

  /// Checks that a wave that ends is not a member of an fbarrier, and that the last one of its group leaves
  /// no fbarrier unreleased (PRM 9.2.3). Returns the rule that was broken, or an empty text.
  std::string check_end(uint32_t wave, bool last_of_group) const;

  void clear() { initialized_.clear(); }

 private:
  enum class Role : uint8_t { none, member, arrived };
  struct Fbarrier {
    uint32_t members = 0;
    uint32_t arrived = 0;
    std::vector<Role> roles;  ///< by wave
  };

  static bool open(Fbarrier& fbarrier);

  std::unordered_map<uint32_t, Fbarrier> initialized_;
};

}  // namespace heddle::cpu
