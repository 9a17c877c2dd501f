// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "finalizer/control_directives.h"

#include <algorithm>
#include <cassert>
#include <span>
#include <string_view>
#include <vector>

#include <fmt/format.h>

#include <hsa/hsa_brig_directives.h>

#include "hsail/brig/operands.h"
#include "hsail/isa/control_directive.h"
#include "hsail/isa/names.h"

namespace heddle::finalizer {
namespace {

using brig::Offset;

/// hsa_brig_exceptions_t defines five exceptions; the other bits of a mask are ignored.
constexpr uint64_t all_exceptions = 0x1f;

/// One control directive, from the HSAIL or from the finalization call.
struct Directive {
  unsigned control = HSA_BRIG_CONTROL_DIRECTIVE_NONE;
  std::array<uint64_t, 3> values = {};
  Location location;
  bool of_call = false;  ///< given with the finalization call
};

std::string_view name_of(unsigned control) { return isa::name(isa::Names::control_directive, control); }

/// Precondition: the directive is known, which opening a module checks.
const isa::ControlDirective& form_of(unsigned control) {
  const isa::ControlDirective* form = isa::control_directive(control);
  assert(form != nullptr);
  return *form;
}

/// Returns the fields of `all` that hold the values of a directive, one for each of its operands.
std::span<uint64_t> fields_of(ControlDirectives& all, unsigned control) {
  switch (control) {
    case HSA_BRIG_CONTROL_DIRECTIVE_ENABLEBREAKEXCEPTIONS:
      return {&all.break_exceptions, 1};
    case HSA_BRIG_CONTROL_DIRECTIVE_ENABLEDETECTEXCEPTIONS:
      return {&all.detect_exceptions, 1};
    case HSA_BRIG_CONTROL_DIRECTIVE_MAXDYNAMICGROUPSIZE:
      return {&all.max_dynamic_group_size, 1};
    case HSA_BRIG_CONTROL_DIRECTIVE_MAXFLATGRIDSIZE:
      return {&all.max_flat_grid_size, 1};
    case HSA_BRIG_CONTROL_DIRECTIVE_MAXFLATWORKGROUPSIZE:
      return {&all.max_flat_workgroup_size, 1};
    case HSA_BRIG_CONTROL_DIRECTIVE_REQUIREDDIM:
      return {&all.required_dim, 1};
    case HSA_BRIG_CONTROL_DIRECTIVE_REQUIREDGRIDSIZE:
      return all.required_grid_size;
    case HSA_BRIG_CONTROL_DIRECTIVE_REQUIREDWORKGROUPSIZE:
      return all.required_workgroup_size;
    case HSA_BRIG_CONTROL_DIRECTIVE_REQUIREDGROUPBASEPTRALIGN:
      return {&all.required_group_base_align, 1};
    default:
      assert(form_of(control).operands == 0 && "a directive whose values nobody keeps");
      return {};
  }
}

class Merger {
 public:
  Merger(ControlDirectives& merged, Location kernel, Diagnostics& diagnostics)
      : merged_(merged), kernel_(std::move(kernel)), diagnostics_(diagnostics) {}

  bool add(const Directive& d) {
    const std::span<uint64_t> values = fields_of(merged_, d.control);
    switch (form_of(d.control).merge) {
      case isa::DirectiveMerge::unite:
        values[0] |= d.values[0] & all_exceptions;
        break;
      case isa::DirectiveMerge::limit:
        return d.of_call ? limit(d, values[0]) : require(d, values);
      case isa::DirectiveMerge::agree:
      case isa::DirectiveMerge::callers:
        return require(d, values);
    }
    merged_.seen |= 1u << d.control;
    return true;
  }

  /// Checks a directive of a function that must also be in the kernel that reaches the function, or be given
  /// with the finalization call.
  bool demand(const Directive& d, std::string_view function) {
    if (merged_.has(d.control)) return true;
    return mismatch(d.location,
                    fmt::format("{} is said in function {}, but not in the kernel that reaches it",
                                name_of(d.control), function));
  }

  /// Checks that the merged requirements do not contradict each other (PRM 13.5).
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
    // The product saturates at 2^64 - 1, so that no sizes make it overflow.
    unsigned __int128 all = 1;
    for (const uint64_t size : sizes) all = std::min<unsigned __int128>(all * size, ~uint64_t{0});
    return all;
  }

  bool mismatch(const Location& location, std::string message) {
    diagnostics_.error("FINALIZER-directive-mismatch", location, std::move(message));
    return false;
  }

  bool limit(const Directive& d, uint64_t& value) {
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

/// Reports whether a function that has the directive merely demands it of each kernel that reaches the
/// function (PRM 13.5), as is the case for the directives that forbid partial work-groups and waves.
bool is_for_callers(unsigned control) { return form_of(control).merge == isa::DirectiveMerge::callers; }

/// Calls visit(Directive) for each control directive of a code block.
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
  for (unsigned control = 1; isa::control_directive(control) != nullptr; ++control) {
    const auto values = values_of(call, control);
    if (values && (call.mask >> control & 1) != 0) good = merger.add({control, *values, {}, true}) && good;
  }
  return good;
}

}  // namespace

std::optional<std::array<uint64_t, 3>> values_of(const hsail_control_directives& call, unsigned control) {
  using Values = std::array<uint64_t, 3>;
  const auto& grid = call.required_grid_size;
  const auto& group = call.required_workgroup_size;
  switch (control) {
    case HSA_BRIG_CONTROL_DIRECTIVE_ENABLEBREAKEXCEPTIONS:
      return Values{call.break_exceptions_mask};
    case HSA_BRIG_CONTROL_DIRECTIVE_ENABLEDETECTEXCEPTIONS:
      return Values{call.detect_exceptions_mask};
    case HSA_BRIG_CONTROL_DIRECTIVE_MAXDYNAMICGROUPSIZE:
      return Values{call.max_dynamic_group_size};
    case HSA_BRIG_CONTROL_DIRECTIVE_MAXFLATGRIDSIZE:
      return Values{call.max_flat_grid_size};
    case HSA_BRIG_CONTROL_DIRECTIVE_MAXFLATWORKGROUPSIZE:
      return Values{call.max_flat_workgroup_size};
    case HSA_BRIG_CONTROL_DIRECTIVE_REQUIREDDIM:
      return Values{call.required_dim};
    case HSA_BRIG_CONTROL_DIRECTIVE_REQUIREDGRIDSIZE:
      return Values{grid[0], grid[1], grid[2]};
    case HSA_BRIG_CONTROL_DIRECTIVE_REQUIREDWORKGROUPSIZE:
      return Values{group[0], group[1], group[2]};
    default: {
      const isa::ControlDirective* form = isa::control_directive(control);
      return form != nullptr && form->operands == 0 ? std::optional(Values{}) : std::nullopt;
    }
  }
}

bool check_call_directives(const hsail_control_directives& call, Diagnostics& diagnostics) {
  bool good = true;
  for (unsigned control = 1; const isa::ControlDirective* form = isa::control_directive(control); ++control) {
    const auto values = values_of(call, control);
    if (!values || (call.mask >> control & 1) == 0) continue;
    for (unsigned i = 0; i < form->operands; ++i) {
      const uint64_t value = (*values)[i];
      if (form->takes(value)) continue;
      diagnostics.error("FINALIZER-directive-value", {},
                        fmt::format("{} does not take the value {}", name_of(control), value));
      good = false;
    }
  }
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
  // The group segment is aligned to 64 bytes anyway (kernel_abi.h); a directive that asks for more raises
  // that.
  kernel.group_align = std::max(kernel.group_align, static_cast<uint32_t>(merged.required_group_base_align));
}

}  // namespace heddle::finalizer
