// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "finalizer/finalize.h"

#include <algorithm>
#include <cassert>

#include <fmt/format.h>

#include <hsa/hsa_brig_directives.h>

#include "finalizer/control_directives.h"
#include "finalizer/digest.h"
#include "finalizer/early_return.h"
#include "finalizer/event_triggers.h"
#include "finalizer/lockstep.h"

namespace heddle::finalizer {
namespace {

using link::Symbol;

/// Values of hsa_default_float_rounding_mode_t.
constexpr uint8_t rounding_zero = 1, rounding_near = 2;

codeobject::Linkage linkage_of(const Symbol& symbol) {
  return symbol.linkage == HSA_BRIG_LINKAGE_PROGRAM ? codeobject::Linkage::program
                                                    : codeobject::Linkage::module;
}

/// One run of finalize().
class Finalization {
 public:
  Finalization(link::Program& program, hsail_code_object_kind kind, const Isa* isa,
               const FinalizeOptions& options, const hsail_control_directives* directives,
               codeobject::CodeObject& object, Diagnostics& diagnostics)
      : program_(program),
        kind_(kind),
        isa_(isa),
        options_(options),
        directives_(directives),
        object_(object),
        diagnostics_(diagnostics),
        placed_(program.symbols().size()) {}

  FinalizeResult run() {
    assert((isa_ != nullptr || kind_ == HSAIL_CODE_OBJECT_PROGRAM) && "an agent part is made for an ISA");
    if (!program_.resolve(diagnostics_)) return FinalizeResult::failed;
    fill_header();
    add_variables();
    if (kind_ != HSAIL_CODE_OBJECT_PROGRAM) {
      if (!add_kernels()) return FinalizeResult::directive_mismatch;
      add_functions();
      check_lockstep_pragmas(program_, diagnostics_);
      check_early_return_pragmas(program_, diagnostics_);
      check_event_triggers(program_, diagnostics_);
    }
    add_initializers();
    if (kind_ != HSAIL_CODE_OBJECT_PROGRAM && !diagnostics_.has_errors()) add_code();
    return diagnostics_.has_errors() ? FinalizeResult::failed : FinalizeResult::ok;
  }

 private:
  void fill_header();
  void add_variables();
  void add_initializers();
  void add_initializer(const Symbol& symbol, uint32_t holder);
  uint32_t add_image(const brig::Module& module, brig::Offset operand);
  uint32_t add_sampler(const brig::Module& module, brig::Offset operand);
  bool add_kernels();
  bool is_wanted(int32_t kernel) const;
  void add_functions();
  bool may_be_lazy() const;
  void add_code();

  link::Program& program_;
  const hsail_code_object_kind kind_;
  const Isa* const isa_;
  const FinalizeOptions& options_;
  const hsail_control_directives* const directives_;
  codeobject::CodeObject& object_;
  Diagnostics& diagnostics_;
  ObjectSymbols placed_;
  std::vector<KernelRequest> kernels_;
};

void Finalization::fill_header() {
  object_.has_program_part = kind_ != HSAIL_CODE_OBJECT_AGENT;
  object_.has_agent_part = kind_ != HSAIL_CODE_OBJECT_PROGRAM;
  if (object_.has_agent_part) object_.isa = isa_->name;
  const auto& options = program_.options();
  object_.machine_model = static_cast<uint8_t>(options.machine_model);
  object_.profile = static_cast<uint8_t>(options.profile);
  object_.rounding = options.default_rounding == HSA_BRIG_ROUND_FLOAT_ZERO ? rounding_zero : rounding_near;
  Digest digest;
  for (const brig::Module& module : program_.modules()) digest.add(module.bytes());
  const auto bytes = digest.value();
  std::copy(bytes.begin(), bytes.end(), object_.program_digest);
}

/// Adds the variables of the global and readonly segments. An agent code object also lists the variables with
/// program allocation, as undefined, because its relocations refer to them. The code of a single kernel uses
/// the variables of the code object that it is loaded beside.
void Finalization::add_variables() {
  const auto& symbols = program_.symbols();
  for (size_t i = 0; i < symbols.size(); ++i) {
    const Symbol& symbol = symbols[i];
    if (symbol.kind != Symbol::Kind::variable) continue;
    const brig::Module& module = program_.modules()[symbol.definition.module];
    const auto& directive = module.code_as<hsa_brig_directive_variable_t>(symbol.definition.offset);
    const bool readonly = directive.segment == HSA_BRIG_SEGMENT_READONLY;
    if (!readonly && directive.segment != HSA_BRIG_SEGMENT_GLOBAL) continue;
    codeobject::Variable variable;
    variable.name = symbol.name;
    variable.linker_name = symbol.linker_name;
    variable.module_name = symbol.module_name;
    variable.segment = readonly ? codeobject::Segment::readonly : codeobject::Segment::global;
    variable.allocation = readonly || directive.allocation == HSA_BRIG_ALLOCATION_AGENT
                              ? codeobject::Allocation::agent
                              : codeobject::Allocation::program;
    variable.linkage = linkage_of(symbol);
    variable.is_const = (directive.modifier & HSA_BRIG_VARIABLE_MODIFIER_CONST) != 0;
    variable.size = link::variable_size(module, symbol.definition.offset);
    variable.align = link::variable_align(module, symbol.definition.offset);
    const bool of_program = variable.allocation == codeobject::Allocation::program;
    if (!of_program && kind_ == HSAIL_CODE_OBJECT_PROGRAM) continue;
    variable.defined =
        symbol.defined && options_.kernel.empty() && !(of_program && kind_ == HSAIL_CODE_OBJECT_AGENT);
    placed_.add(static_cast<int32_t>(i), object_.variables.size());
    object_.variables.push_back(std::move(variable));
  }
}

/// Adds initial values. Everything must have been added before, because they may be addresses of later
/// variables, kernels and functions.
void Finalization::add_initializers() {
  const auto& symbols = program_.symbols();
  for (size_t i = 0; i < symbols.size(); ++i) {
    if (symbols[i].kind != Symbol::Kind::variable) continue;
    const auto holder = placed_.find(static_cast<int32_t>(i));
    if (holder && object_.variables[*holder].defined) add_initializer(symbols[i], *holder);
  }
}

codeobject::Relocation::What address_of(Symbol::Kind kind) {
  using What = codeobject::Relocation::What;
  return kind == Symbol::Kind::variable ? What::variable
         : kind == Symbol::Kind::kernel ? What::kernel
                                        : What::function;
}

void Finalization::add_initializer(const Symbol& symbol, uint32_t holder) {
  using codeobject::Relocation;
  link::Initializer initializer;
  if (!link::evaluate_initializer(program_, symbol.definition, initializer, diagnostics_)) return;
  object_.variables[holder].init = std::move(initializer.bytes);
  const brig::Module& module = program_.modules()[symbol.definition.module];
  for (const auto& fixup : initializer.fixups) {
    Relocation relocation;
    relocation.where = Relocation::Where::variable;
    relocation.holder = holder;
    relocation.offset = fixup.offset;
    relocation.size = fixup.size;
    relocation.addend = fixup.addend;
    switch (fixup.kind) {
      case link::Initializer::Fixup::Kind::null_flat:
        relocation.what = Relocation::What::null_flat;
        break;
      case link::Initializer::Fixup::Kind::null_group:
        relocation.what = Relocation::What::null_group;
        break;
      case link::Initializer::Fixup::Kind::null_private:
        relocation.what = Relocation::What::null_private;
        break;
      case link::Initializer::Fixup::Kind::null_kernarg:
        relocation.what = Relocation::What::null_kernarg;
        break;
      case link::Initializer::Fixup::Kind::image:
        relocation.what = Relocation::What::image;
        relocation.symbol = add_image(module, fixup.operand);
        break;
      case link::Initializer::Fixup::Kind::sampler:
        relocation.what = Relocation::What::sampler;
        relocation.symbol = add_sampler(module, fixup.operand);
        break;
      case link::Initializer::Fixup::Kind::address:
        // The referenced object is in this code object too: the linker lets variables with program allocation
        // hold only addresses of variables with program allocation, and kernels and functions are defined.
        relocation.what = address_of(program_.symbols()[fixup.symbol].kind);
        relocation.symbol = placed_[fixup.symbol];
        break;
    }
    object_.relocations.push_back(relocation);
  }
}

/// Returns the hsa_access_permission_t of an image type.
uint8_t permission_of(unsigned type) {
  return type == HSA_BRIG_TYPE_ROIMG ? 1 : type == HSA_BRIG_TYPE_WOIMG ? 2 : 3;
}

/// Copies the values unchanged, because BRIG and the runtime number geometries, formats and modes alike.
uint32_t Finalization::add_image(const brig::Module& module, brig::Offset operand) {
  const auto& constant = module.operand_as<hsa_ext_brig_operand_constant_image_t>(operand);
  const auto size = [](hsa_brig_uint64_t value) { return uint64_t{value.hi} << 32 | value.lo; };
  object_.images.push_back({permission_of(constant.type), constant.geometry, constant.channel_type,
                            constant.channel_order, size(constant.width), size(constant.height),
                            size(constant.depth), size(constant.array)});
  return static_cast<uint32_t>(object_.images.size() - 1);
}

uint32_t Finalization::add_sampler(const brig::Module& module, brig::Offset operand) {
  const auto& constant = module.operand_as<hsa_ext_brig_operand_constant_sampler_t>(operand);
  object_.samplers.push_back({constant.coord, constant.filter, constant.addressing});
  return static_cast<uint32_t>(object_.samplers.size() - 1);
}

/// Kernels whose address is taken are in every code object, because the code may hold the address.
bool Finalization::is_wanted(int32_t kernel) const {
  return options_.kernel.empty() || program_.symbols()[kernel].linker_name == options_.kernel ||
         program_.has_address_taken(kernel);
}

bool Finalization::add_kernels() {
  bool good = directives_ == nullptr || check_call_directives(*directives_, diagnostics_);
  const int32_t only = options_.kernel.empty() ? -1 : program_.find(options_.kernel);
  if (!options_.kernel.empty() && (only < 0 || program_.symbols()[only].kind != Symbol::Kind::kernel ||
                                   !program_.symbols()[only].defined))
    diagnostics_.error("FINALIZER-kernel", {},
                       fmt::format("no kernel of the program has the linker name {}", options_.kernel));
  const auto& symbols = program_.symbols();
  for (size_t i = 0; i < symbols.size(); ++i) {
    const Symbol& symbol = symbols[i];
    if (symbol.kind != Symbol::Kind::kernel || !symbol.defined || !is_wanted(static_cast<int32_t>(i)))
      continue;
    codeobject::Kernel kernel;
    kernel.name = symbol.name;
    kernel.linker_name = symbol.linker_name;
    kernel.module_name = symbol.module_name;
    kernel.linkage = linkage_of(symbol);
    const auto kernarg = program_.kernarg_layout(symbol.definition);
    kernel.kernarg_size = kernarg.size;
    kernel.kernarg_align = kernarg.align;
    const auto group = program_.group_layout(symbol.definition);
    kernel.group_size = group.size;
    kernel.group_align = group.align;
    kernel.dynamic_call_stack = program_.dynamic_call_stack(symbol.definition);
    kernel.groups_entry = kernel.wave_entry = codeobject::no_entry;
    if (may_return_early(program_, symbol.definition)) kernel.flags |= codeobject::kernel_early_return;
    ControlDirectives merged;
    good = merge_directives(program_, symbol.definition, directives_, isa_->wavefront_size, merged,
                            diagnostics_) &&
           good;
    apply_directives(merged, kernel);
    placed_.add(static_cast<int32_t>(i), object_.kernels.size());
    object_.kernels.push_back(std::move(kernel));
    kernels_.push_back({static_cast<int32_t>(i), merged});
  }
  return good;
}

void Finalization::add_functions() {
  const auto& symbols = program_.symbols();
  for (size_t i = 0; i < symbols.size(); ++i) {
    const Symbol& symbol = symbols[i];
    if (symbol.kind != Symbol::Kind::indirect_function || !symbol.defined) continue;
    codeobject::IndirectFunction function;
    function.name = symbol.name;
    function.linker_name = symbol.linker_name;
    function.module_name = symbol.module_name;
    function.linkage = linkage_of(symbol);
    placed_.add(static_cast<int32_t>(i), object_.functions.size());
    object_.functions.push_back(std::move(function));
  }
}

/// Reports whether the kernels may get their code one by one. They may not if the program has addresses of
/// code, of which each agent has one only.
bool Finalization::may_be_lazy() const {
  const bool directed = directives_ != nullptr && directives_->mask != 0;
  if (!options_.lazy || !options_.kernel.empty() || !isa_->target->is_slow() || directed ||
      !options_.dump_folder.empty() || !object_.functions.empty())
    return false;
  return std::none_of(kernels_.begin(), kernels_.end(),
                      [&](const KernelRequest& kernel) { return program_.has_address_taken(kernel.symbol); });
}

void Finalization::add_code() {
  if (!may_be_lazy()) {
    isa_->target->compile({program_, *isa_, options_, kernels_, placed_}, object_, diagnostics_);
    return;
  }
  object_.lazy = true;
  object_.lazy_options = text_of(options_);
  for (const brig::Module& module : program_.modules())
    object_.brig.emplace_back(module.bytes().begin(), module.bytes().end());
}

}  // namespace

FinalizeResult finalize(link::Program& program, hsail_code_object_kind kind, const Isa* isa,
                        const FinalizeOptions& options, const hsail_control_directives* directives,
                        codeobject::CodeObject& object, Diagnostics& diagnostics) {
  return Finalization(program, kind, isa, options, directives, object, diagnostics).run();
}

}  // namespace heddle::finalizer
