// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The kernels that the program has asked for, by kernel object, and what agents allow dispatches to ask for.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <unordered_map>

#include "layers/check/api.h"
#include "layers/check/objects.h"

namespace heddle::check {

struct Kernel {
  std::string name;
  uint64_t executable = 0;  ///< 0 if not known
  uint64_t agent = 0;
  uint32_t kernarg_size = 0;
  uint32_t kernarg_alignment = 1;
  uint32_t group_size = 0;
  uint32_t private_size = 0;
  bool gone = false;  ///< its executable has been destroyed
  Event executable_destroyed;
};

class Kernels {
 public:
  /// Notes to which executable a symbol belongs.
  void note_symbol(uint64_t symbol, uint64_t executable) { executable_of_[symbol] = executable; }
  /// Asks the runtime for the kernel behind a symbol and notes it.
  void note(hsa_executable_symbol_t symbol, uint64_t kernel_object);
  void executable_destroyed(uint64_t executable, const Event& event);
  void clear();

  /// Returns the kernel, or null if the program has never got this kernel object from the runtime.
  const Kernel* find(uint64_t kernel_object) const;

 private:
  std::unordered_map<uint64_t, uint64_t> executable_of_;  // by symbol
  std::unordered_map<uint64_t, Kernel> kernels_;          // by kernel object
};

/// What an agent's first ISA allows, in work-items.
struct AgentLimits {
  uint16_t group_dim[3] = {UINT16_MAX, UINT16_MAX, UINT16_MAX};
  uint32_t group_size = UINT32_MAX;
  uint32_t grid_dim[3] = {UINT32_MAX, UINT32_MAX, UINT32_MAX};
  uint64_t grid_size = UINT64_MAX;
};

/// Asks the runtime for the limits of an agent.
AgentLimits limits_of(hsa_agent_t agent);

/// Returns the name of an agent.
std::string name_of(hsa_agent_t agent);

}  // namespace heddle::check
