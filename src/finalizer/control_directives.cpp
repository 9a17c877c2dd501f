// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "finalizer/control_directives.h"

#include <algorithm>
#include <array>
#include <initializer_list>
#include <span>
#include <string_view>
#include <vector>

#include <fmt/format.h>

#include "hsail/brig/operands.h"
#include "hsail/isa/names.h"

namespace heddle::finalizer {
namespace {

using brig::Offset;

/// hsa_brig_exceptions_t has five; the other bits of a mask say nothing.
constexpr uint64_t all_exceptions = 0x1f;

/// One control directive, from wherever it comes.
struct Directive {
  unsigned control = HSA_BRIG_CONTROL_DIRECTIVE_NONE;
  std::array<uint64_t, 3> values = {};
  Location location;
  bool of_call = false;  ///< given with the finalization
};

std::string_view name_of(unsigned control) { return isa::name(isa::Names::control_directive, control); }

class Merger {
 public:
  Merger(ControlDirectives& merged, Location kernel, Diagnostics& diagnostics)
      : merged_(merged), kernel_(std::move(kernel)), diagnostics_(diagnostics) {}

  bool add(const Directive& d) {
    const auto& v = d.values;
    switch (d.control) {
      // Exceptions of all places are enabled together.
      case HSA_BRIG_CONTROL_DIRECTIVE_ENABLEBREAKEXCEPTIONS:
        merged_.break_exceptions |= v[0] & all_exceptions;
        break;
      case HSA_BRIG_CONTROL_DIRECTIVE_ENABLEDETECTEXCEPTIONS:
        merged_.detect_exceptions |= v[0] & all_exceptions;
        break;
      // All must agree, but the call may set a smaller limit.
      case HSA_BRIG_CONTROL_DIRECTIVE_MAXFLATGRIDSIZE:
        return limit(d, merged_.max_flat_grid_size);
      case HSA_BRIG_CONTROL_DIRECTIVE_MAXFLATWORKGROUPSIZE:
        return limit(d, merged_.max_flat_workgroup_size);
      // All must agree, those of the call too.
      case HSA_BRIG_CONTROL_DIRECTIVE_MAXDYNAMICGROUPSIZE:
        return require(d, {&merged_.max_dynamic_group_size, 1});
      case HSA_BRIG_CONTROL_DIRECTIVE_REQUIREDDIM:
        return require(d, {&merged_.required_dim, 1});
      case HSA_BRIG_CONTROL_DIRECTIVE_REQUIREDGRIDSIZE:
        return require(d, merged_.required_grid_size);
      case HSA_BRIG_CONTROL_DIRECTIVE_REQUIREDWORKGROUPSIZE:
        return require(d, merged_.required_workgroup_size);
      case HSA_BRIG_CONTROL_DIRECTIVE_REQUIREDGROUPBASEPTRALIGN:
        return require(d, {&merged_.required_group_base_align, 1});
      default:
        break;
    }
    merged_.seen |= 1u << d.control;
    return true;
  }

  /// What stands in a function, but has to stand in each kernel that calls it or be given with the call.
  bool demand(const Directive& d, std::string_view function) {
    if (merged_.has(d.control)) return true;
    return mismatch(d.location,
                    fmt::format("{} is said in function {}, but not in the kernel that reaches it",
                                name_of(d.control), function));
  }

  /// Requirements among each other (PRM 13.5).
  bool check() {
    bool good = true;
    const auto& group = merged_.required_workgroup_size;
    const auto& grid = merged_.required_grid_size;
    const bool has_group = merged_.has(HSA_BRIG_CONTROL_DIRECTIVE_REQUIREDWORKGROUPSIZE);
    const bool has_grid = merged_.has(HSA_BRIG_CONTROL_DIRECTIVE_REQUIREDGRIDSIZE);
    if (has_group && merged_.has(HSA_BRIG_CONTROL_DIRECTIVE_MAXFLATWORKGROUPSIZE) &&
        product(group) > merged_.max_flat_workgroup_size)
      good = mismatch(kernel_, "requiredworkgroupsize is larger than maxflatworkgroupsize");
    if (has_grid && merged_.has(HSA_BRIG_CONTROL_DIRECTIVE_MAXFLATGRIDSIZE) &&
        product(grid) > merged_.max_flat_grid_size)
      good = mismatch(kernel_, "requiredgridsize is larger than maxflatgridsize");
    if (merged_.has(HSA_BRIG_CONTROL_DIRECTIVE_REQUIREDDIM)) {
      for (uint64_t dim = merged_.required_dim; dim < 3; ++dim)
        if ((has_group && group[dim] != 1) || (has_grid && grid[dim] != 1))
          good = mismatch(kernel_, "a required size is not 1 in a dimension beyond requireddim");
    }
    if (merged_.has(HSA_BRIG_CONTROL_DIRECTIVE_REQUIRENOPARTIALWORKGROUPS) && has_group && has_grid) {
      for (int dim = 0; dim < 3; ++dim)
        if (grid[dim] % group[dim] != 0)
          good = mismatch(kernel_, "the required sizes make work-groups partial");
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

  bool limit(const Directive& d, uint64_t& value) {
    if (!d.of_call) return require(d, {&value, 1});
    if (merged_.has(d.control) && d.values[0] > value)
      return mismatch(kernel_, fmt::format("{} is {}, the finalization asks for {}", name_of(d.control),
                                           value, d.values[0]));
    value = d.values[0];
    merged_.seen |= 1u << d.control;
    return true;
  }

  bool require(const Directive& d, std::span<uint64_t> values) {
    const bool first = !merged_.has(d.control);
    for (size_t i = 0; i < values.size(); ++i) {
      if (!first && values[i] != d.values[i])
        return mismatch(d.of_call ? kernel_ : d.location,
                        fmt::format("{} is {} {} and {} elsewhere", name_of(d.control), d.values[i],
                                    d.of_call ? "with the finalization" : "here", values[i]));
      values[i] = d.values[i];
    }
    merged_.seen |= 1u << d.control;
    return true;
  }

  ControlDirectives& merged_;
  const Location kernel_;
  Diagnostics& diagnostics_;
};

/// Of a kernel, or of a function that it reaches, whose requirements of whole groups and waves are then only
/// held against the kernel's (PRM 13.5).
bool is_for_callers(unsigned control) {
  return control == HSA_BRIG_CONTROL_DIRECTIVE_REQUIRENOPARTIALWORKGROUPS ||
         control == HSA_BRIG_CONTROL_DIRECTIVE_REQUIRENOPARTIALWAVEFRONTS;
}

/// Calls visit(Directive) for the control directives of a code block.
template <typename Visit>
void for_each_directive(const brig::Module& module, Offset executable, uint32_t wavefront_size,
                        Visit&& visit) {
  const auto& directive = module.code_as<hsa_brig_directive_executable_t>(executable);
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
    visit(found);
  }
}

bool add_call(const hsail_control_directives& call, Merger& merger) {
  bool good = true;
  const auto add = [&](unsigned control, std::array<uint64_t, 3> values) {
    if ((call.mask >> control & 1) != 0) good = merger.add({control, values, {}, true}) && good;
  };
  const auto& grid = call.required_grid_size;
  const auto& group = call.required_workgroup_size;
  add(HSA_BRIG_CONTROL_DIRECTIVE_ENABLEBREAKEXCEPTIONS, {call.break_exceptions_mask});
  add(HSA_BRIG_CONTROL_DIRECTIVE_ENABLEDETECTEXCEPTIONS, {call.detect_exceptions_mask});
  add(HSA_BRIG_CONTROL_DIRECTIVE_MAXDYNAMICGROUPSIZE, {call.max_dynamic_group_size});
  add(HSA_BRIG_CONTROL_DIRECTIVE_MAXFLATGRIDSIZE, {call.max_flat_grid_size});
  add(HSA_BRIG_CONTROL_DIRECTIVE_MAXFLATWORKGROUPSIZE, {call.max_flat_workgroup_size});
  add(HSA_BRIG_CONTROL_DIRECTIVE_REQUIREDDIM, {call.required_dim});
  add(HSA_BRIG_CONTROL_DIRECTIVE_REQUIREDGRIDSIZE, {grid[0], grid[1], grid[2]});
  add(HSA_BRIG_CONTROL_DIRECTIVE_REQUIREDWORKGROUPSIZE, {group[0], group[1], group[2]});
  add(HSA_BRIG_CONTROL_DIRECTIVE_REQUIRENOPARTIALWORKGROUPS, {});
  add(HSA_BRIG_CONTROL_DIRECTIVE_REQUIRENOPARTIALWAVEFRONTS, {});
  return good;
}

}  // namespace

bool check_call_directives(const hsail_control_directives& call, Diagnostics& diagnostics) {
  bool good = true;
  const auto within = [&](unsigned control, std::initializer_list<uint64_t> values, uint64_t most) {
    if ((call.mask >> control & 1) == 0) return;
    for (const uint64_t value : values) {
      if (value >= 1 && value <= most) continue;
      diagnostics.error("FINALIZER-directive-value", {},
                        fmt::format("{} does not take the value {}", name_of(control), value));
      good = false;
    }
  };
  const auto& grid = call.required_grid_size;
  const auto& group = call.required_workgroup_size;
  within(HSA_BRIG_CONTROL_DIRECTIVE_MAXFLATGRIDSIZE, {call.max_flat_grid_size}, UINT64_MAX);
  within(HSA_BRIG_CONTROL_DIRECTIVE_MAXFLATWORKGROUPSIZE, {call.max_flat_workgroup_size}, UINT32_MAX);
  within(HSA_BRIG_CONTROL_DIRECTIVE_REQUIREDDIM, {call.required_dim}, 3);
  within(HSA_BRIG_CONTROL_DIRECTIVE_REQUIREDGRIDSIZE, {grid[0], grid[1], grid[2]}, UINT64_MAX);
  within(HSA_BRIG_CONTROL_DIRECTIVE_REQUIREDWORKGROUPSIZE, {group[0], group[1], group[2]}, UINT32_MAX);
  return good;
}

bool merge_directives(const link::Program& program, link::Reference kernel,
                      const hsail_control_directives* call, uint32_t wavefront_size,
                      ControlDirectives& merged, Diagnostics& diagnostics) {
  Merger merger(merged, Location::binary("hsa_code", kernel.offset), diagnostics);
  bool good = true;
  struct Demand {
    Directive directive;
    std::string_view function;
  };
  std::vector<Demand> demands;
  for (const link::Reference executable : program.reachable(kernel, false)) {
    const brig::Module& module = program.modules()[executable.module];
    for_each_directive(module, executable.offset, wavefront_size, [&](const Directive& d) {
      if (is_for_callers(d.control) && executable != kernel)
        demands.push_back({d, module.name(executable.offset)});
      else
        good = merger.add(d) && good;
    });
  }
  if (call) good = add_call(*call, merger) && good;
  for (const Demand& demand : demands) good = merger.demand(demand.directive, demand.function) && good;
  return merger.check() && good;
}

void apply_directives(const ControlDirectives& merged, codeobject::Kernel& kernel) {
  kernel.detect_exceptions = static_cast<uint32_t>(merged.detect_exceptions);
  kernel.break_exceptions = static_cast<uint32_t>(merged.break_exceptions);
  for (size_t i = 0; i < 3; ++i) {
    kernel.required_group_size[i] = static_cast<uint32_t>(merged.required_workgroup_size[i]);
    kernel.required_grid_size[i] = merged.required_grid_size[i];
  }
  kernel.required_dim = static_cast<uint8_t>(merged.required_dim);
  if (merged.has(HSA_BRIG_CONTROL_DIRECTIVE_MAXDYNAMICGROUPSIZE))
    kernel.max_dynamic_group_size =
        static_cast<uint32_t>(std::min<uint64_t>(merged.max_dynamic_group_size, UINT32_MAX));
  if (merged.has(HSA_BRIG_CONTROL_DIRECTIVE_MAXFLATGRIDSIZE))
    kernel.max_flat_grid_size = merged.max_flat_grid_size;
  if (merged.has(HSA_BRIG_CONTROL_DIRECTIVE_MAXFLATWORKGROUPSIZE))
    kernel.max_flat_group_size =
        static_cast<uint32_t>(std::min<uint64_t>(merged.max_flat_workgroup_size, UINT32_MAX));
  if (merged.has(HSA_BRIG_CONTROL_DIRECTIVE_REQUIRENOPARTIALWORKGROUPS))
    kernel.flags |= codeobject::kernel_no_partial_groups;
  if (merged.has(HSA_BRIG_CONTROL_DIRECTIVE_REQUIRENOPARTIALWAVEFRONTS))
    kernel.flags |= codeobject::kernel_no_partial_waves;
  // The group segment starts at 64 bytes anyway (kernel_abi.h); a larger wish stands in its alignment.
  kernel.group_align = std::max(kernel.group_align, static_cast<uint32_t>(merged.required_group_base_align));
}

}  // namespace heddle::finalizer
