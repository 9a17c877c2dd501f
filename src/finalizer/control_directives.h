// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <array>
#include <cstdint>
#include <optional>

#include <hsail/hsail.h>

#include "codeobject/code_object.h"
#include "hsail/link/program.h"
#include "support/diagnostic.h"

namespace heddle::finalizer {

/// The control directives of a kernel, of the functions it calls, and of the finalization call together
/// (PRM 13.5).
struct ControlDirectives {
  uint32_t seen = 0;  ///< bits 1 << HSA_BRIG_CONTROL_DIRECTIVE_*
  uint64_t break_exceptions = 0;
  uint64_t detect_exceptions = 0;
  uint64_t max_dynamic_group_size = 0;
  uint64_t max_flat_grid_size = 0;
  uint64_t max_flat_workgroup_size = 0;
  uint64_t required_dim = 0;
  uint64_t required_grid_size[3] = {};
  uint64_t required_workgroup_size[3] = {};
  uint64_t required_group_base_align = 0;

  bool has(unsigned control) const { return (seen >> control & 1) != 0; }
  /// Whether DETECT or BREAK is enabled for some exception (PRM 12.3).
  uint32_t enabled_exceptions() const { return static_cast<uint32_t>(detect_exceptions | break_exceptions); }
};

/// The values that a finalization has for the directive, whether the mask enables it or not: one for each
/// operand. None for a directive that a finalization cannot give.
std::optional<std::array<uint64_t, 3>> values_of(const hsail_control_directives& call, unsigned control);

/// Whether the values given with a finalization are ones that the directives take; false with a diagnostic if
/// not.
bool check_call_directives(const hsail_control_directives& call, Diagnostics& diagnostics);

/// Merges; false with a diagnostic when two values contradict each other.
bool merge_directives(const link::Program& program, link::Reference kernel,
                      const hsail_control_directives* call, uint32_t wavefront_size,
                      ControlDirectives& merged, Diagnostics& diagnostics);

/// Writes what a dispatch has to know into the kernel's metadata.
void apply_directives(const ControlDirectives& merged, codeobject::Kernel& kernel);

}  // namespace heddle::finalizer
