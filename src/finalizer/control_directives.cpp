// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "finalizer/control_directives.h"

#include <algorithm>
#include <array>
#include <span>

#include <fmt/format.h>

#include "hsail/brig/operands.h"
#include "hsail/isa/names.h"

namespace heddle::finalizer {
namespace {

using brig::Offset;

/// One control directive, from wherever it comes.
struct Directive {
  unsigned control = HSA_BRIG_CONTROL_DIRECTIVE_NONE;
  std::array<uint64_t, 3> values = {};
  Location location;
};

class Merger {
 public:
  Merger(MergedDirectives& merged, Diagnostics& diagnostics) : merged_(merged), diagnostics_(diagnostics) {}

  bool add(const Directive& d) {
    const auto& v = d.values;
    switch (d.control) {
      // Exceptions of all places are enabled together.
      case HSA_BRIG_CONTROL_DIRECTIVE_ENABLEBREAKEXCEPTIONS:
        merged_.break_exceptions |= v[0];
        break;
      case HSA_BRIG_CONTROL_DIRECTIVE_ENABLEDETECTEXCEPTIONS:
        merged_.detect_exceptions |= v[0];
        break;
      // Limits: the smallest holds.
      case HSA_BRIG_CONTROL_DIRECTIVE_MAXDYNAMICGROUPSIZE:
        limit(d, merged_.max_dynamic_group_size);
        break;
      case HSA_BRIG_CONTROL_DIRECTIVE_MAXFLATGRIDSIZE:
        limit(d, merged_.max_flat_grid_size);
        break;
      case HSA_BRIG_CONTROL_DIRECTIVE_MAXFLATWORKGROUPSIZE:
        limit(d, merged_.max_flat_workgroup_size);
        break;
      // Requirements: all must agree.
      case HSA_BRIG_CONTROL_DIRECTIVE_REQUIREDDIM:
        return require(d, {&merged_.required_dim, 1});
      case HSA_BRIG_CONTROL_DIRECTIVE_REQUIREDGRIDSIZE:
        return require(d, merged_.required_grid_size);
      case HSA_BRIG_CONTROL_DIRECTIVE_REQUIREDWORKGROUPSIZE:
        return require(d, merged_.required_workgroup_size);
      case HSA_BRIG_CONTROL_DIRECTIVE_REQUIREDGROUPBASEPTRALIGN:
        merged_.required_group_base_align = std::max(merged_.required_group_base_align, v[0]);
        break;
      default:
        break;
    }
    merged_.seen |= 1u << d.control;
    return true;
  }

  /// Requirements among each other (PRM 13.5).
  bool check() {
    bool good = true;
    const auto& group = merged_.required_workgroup_size;
    const auto& grid = merged_.required_grid_size;
    const auto has = [&](unsigned control) { return (merged_.seen >> control & 1) != 0; };
    const bool has_group = has(HSA_BRIG_CONTROL_DIRECTIVE_REQUIREDWORKGROUPSIZE);
    const bool has_grid = has(HSA_BRIG_CONTROL_DIRECTIVE_REQUIREDGRIDSIZE);
    if (has_group && has(HSA_BRIG_CONTROL_DIRECTIVE_MAXFLATWORKGROUPSIZE) &&
        product(group) > merged_.max_flat_workgroup_size)
      good = mismatch({}, "requiredworkgroupsize is larger than maxflatworkgroupsize");
    if (has_grid && has(HSA_BRIG_CONTROL_DIRECTIVE_MAXFLATGRIDSIZE) &&
        product(grid) > merged_.max_flat_grid_size)
      good = mismatch({}, "requiredgridsize is larger than maxflatgridsize");
    if (has(HSA_BRIG_CONTROL_DIRECTIVE_REQUIREDDIM)) {
      for (uint64_t dim = merged_.required_dim; dim < 3; ++dim)
        if ((has_group && group[dim] != 1) || (has_grid && grid[dim] != 1))
          good = mismatch({}, "a required size is not 1 in a dimension beyond requireddim");
    }
    return good;
  }

 private:
  static unsigned __int128 product(const uint64_t (&sizes)[3]) {
    // Each factor is at most 2^32 - 1 where the PRM allows it; saturate what is not.
    unsigned __int128 all = 1;
    for (const uint64_t size : sizes) all = std::min<unsigned __int128>(all * size, ~uint64_t{0});
    return all;
  }

  bool mismatch(const Location& location, std::string message) {
    diagnostics_.error("FINALIZER-directive-mismatch", location, std::move(message));
    return false;
  }

  void limit(const Directive& d, uint64_t& value) {
    const bool first = (merged_.seen >> d.control & 1) == 0;
    value = first ? d.values[0] : std::min(value, d.values[0]);
  }

  bool require(const Directive& d, std::span<uint64_t> values) {
    const bool first = (merged_.seen >> d.control & 1) == 0;
    for (size_t i = 0; i < values.size(); ++i) {
      if (!first && values[i] != d.values[i])
        return mismatch(d.location, fmt::format("{} is {} here and {} elsewhere",
                                                isa::name(isa::Names::control_directive, d.control),
                                                d.values[i], values[i]));
      values[i] = d.values[i];
    }
    merged_.seen |= 1u << d.control;
    return true;
  }

  MergedDirectives& merged_;
  Diagnostics& diagnostics_;
};

bool add_executable(const brig::Module& module, Offset executable, uint32_t wavefront_size, Merger& merger) {
  const auto& directive = module.code_as<hsa_brig_directive_executable_t>(executable);
  bool good = true;
  for (Offset at = directive.first_code_block_entry; at < directive.next_module_entry;
       at = module.next_code(at)) {
    if (module.is_instruction(at)) break;  // control directives come first
    if (module.code_entry(at).kind != HSA_BRIG_KIND_DIRECTIVE_CONTROL) continue;
    const auto& control = module.code_as<hsa_brig_directive_control_t>(at);
    Directive found;
    found.control = control.control;
    found.location = Location::binary("hsa_code", at);
    size_t count = 0;
    for (const Offset operand : module.offsets(control.operands)) {
      if (count == found.values.size()) break;
      found.values[count++] =
          brig::is_wavesize(module, operand) ? wavefront_size : brig::integer_value(module, operand);
    }
    good = merger.add(found) && good;
  }
  return good;
}

bool add_call(const hsail_control_directives& call, Merger& merger) {
  const auto add = [&](unsigned control, std::array<uint64_t, 3> values) {
    return (call.mask >> control & 1) == 0 || merger.add({control, values, {}});
  };
  const auto& grid = call.required_grid_size;
  const auto& group = call.required_workgroup_size;
  bool good = add(HSA_BRIG_CONTROL_DIRECTIVE_ENABLEBREAKEXCEPTIONS, {call.break_exceptions_mask});
  good = add(HSA_BRIG_CONTROL_DIRECTIVE_ENABLEDETECTEXCEPTIONS, {call.detect_exceptions_mask}) && good;
  good = add(HSA_BRIG_CONTROL_DIRECTIVE_MAXDYNAMICGROUPSIZE, {call.max_dynamic_group_size}) && good;
  good = add(HSA_BRIG_CONTROL_DIRECTIVE_MAXFLATGRIDSIZE, {call.max_flat_grid_size}) && good;
  good = add(HSA_BRIG_CONTROL_DIRECTIVE_MAXFLATWORKGROUPSIZE, {call.max_flat_workgroup_size}) && good;
  good = add(HSA_BRIG_CONTROL_DIRECTIVE_REQUIREDDIM, {call.required_dim}) && good;
  good = add(HSA_BRIG_CONTROL_DIRECTIVE_REQUIREDGRIDSIZE, {grid[0], grid[1], grid[2]}) && good;
  return add(HSA_BRIG_CONTROL_DIRECTIVE_REQUIREDWORKGROUPSIZE, {group[0], group[1], group[2]}) && good;
}

}  // namespace

bool merge_directives(const link::Program& program, link::Reference kernel,
                      const hsail_control_directives* call, uint32_t wavefront_size, MergedDirectives& merged,
                      Diagnostics& diagnostics) {
  Merger merger(merged, diagnostics);
  bool good = true;
  for (const link::Reference executable : program.reachable(kernel, false))
    good = add_executable(program.modules()[executable.module], executable.offset, wavefront_size, merger) &&
           good;
  if (call) good = add_call(*call, merger) && good;
  return merger.check() && good;
}

void apply_directives(const MergedDirectives& merged, codeobject::Kernel& kernel) {
  for (size_t i = 0; i < 3; ++i) {
    kernel.required_group_size[i] = static_cast<uint32_t>(merged.required_workgroup_size[i]);
    kernel.required_grid_size[i] = merged.required_grid_size[i];
  }
  kernel.required_dim = static_cast<uint8_t>(merged.required_dim);
  const auto has = [&](unsigned control) { return (merged.seen >> control & 1) != 0; };
  if (has(HSA_BRIG_CONTROL_DIRECTIVE_MAXDYNAMICGROUPSIZE))
    kernel.max_dynamic_group_size =
        static_cast<uint32_t>(std::min<uint64_t>(merged.max_dynamic_group_size, UINT32_MAX));
  if (has(HSA_BRIG_CONTROL_DIRECTIVE_MAXFLATGRIDSIZE)) kernel.max_flat_grid_size = merged.max_flat_grid_size;
  if (has(HSA_BRIG_CONTROL_DIRECTIVE_MAXFLATWORKGROUPSIZE))
    kernel.max_flat_group_size =
        static_cast<uint32_t>(std::min<uint64_t>(merged.max_flat_workgroup_size, UINT32_MAX));
  // The group segment starts at 64 bytes anyway (kernel_abi.h); a larger wish stands in its alignment.
  kernel.group_align = std::max(kernel.group_align, static_cast<uint32_t>(merged.required_group_base_align));
}

}  // namespace heddle::finalizer
