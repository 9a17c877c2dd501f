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
  /// Returns the mask of exceptions for which DETECT or BREAK is enabled (PRM 12.3).
  uint32_t enabled_exceptions() const { return static_cast<uint32_t>(detect_exceptions | break_exceptions); }
};

/// Returns the values that the finalization call has for the directive, one for each operand, whether its
/// mask enables the directive or not. Returns nothing for a directive that a finalization call cannot give.
std::optional<std::array<uint64_t, 3>> values_of(const hsail_control_directives& call, unsigned control);

/// Reports whether all directives that a finalization call enables allow the values that it gives them. Adds
/// a diagnostic for each value that is not allowed.
bool check_call_directives(const hsail_control_directives& call, Diagnostics& diagnostics);

/// Merges the directives of the kernel, of the functions that it reaches and of the finalization call, which
/// may be null. Returns false with a diagnostic if they contradict each other.
bool merge_directives(const link::Program& program, link::Reference kernel,
                      const hsail_control_directives* call, uint32_t wavefront_size,
                      ControlDirectives& merged, Diagnostics& diagnostics);

/// Writes the directives that concern a dispatch into the kernel's metadata.
void apply_directives(const ControlDirectives& merged, codeobject::Kernel& kernel);

}  // namespace heddle::finalizer
