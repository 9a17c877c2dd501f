// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "finalizer/finalize.h"

#include <array>
#include <cstdlib>
#include <sstream>

#include <fmt/format.h>
#include <llvm/IR/LLVMContext.h>

#include "finalizer/control_directives.h"
#include "finalizer/digest.h"
#include "finalizer/lower/spmd.h"
#include "finalizer/unsupported.h"
#include "finalizer/x86/compile.h"
#include "interpreter/interpreter.h"

namespace heddle::finalizer {
namespace {

using link::Symbol;

constexpr Isa known_isas[] = {
    {"heddle:x86-64-v4:w1", 1, x86::Level::v4}, {"heddle:x86-64-v3:w1", 1, x86::Level::v3},
    {"heddle:x86-64-v2:w1", 1, x86::Level::v2}, {"heddle:hsail:w1", 1, std::nullopt},
    {"heddle:hsail:w2", 2, std::nullopt},       {"heddle:hsail:w4", 4, std::nullopt},
    {"heddle:hsail:w8", 8, std::nullopt},       {"heddle:hsail:w16", 16, std::nullopt},
    {"heddle:hsail:w32", 32, std::nullopt},     {"heddle:hsail:w64", 64, std::nullopt},
    {"heddle:hsail:w128", 128, std::nullopt},   {"heddle:hsail:w256", 256, std::nullopt},
};

/// hsa_default_float_rounding_mode_t
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
        diagnostics_(diagnostics) {}

  FinalizeResult run() {
    if (!program_.resolve(diagnostics_)) return FinalizeResult::failed;
    fill_header();
    add_variables();
    if (kind_ != HSAIL_CODE_OBJECT_PROGRAM) {
      if (!add_kernels()) return FinalizeResult::directive_mismatch;
      add_functions();
      if (!diagnostics_.has_errors()) add_code();
    }
    return diagnostics_.has_errors() ? FinalizeResult::failed : FinalizeResult::ok;
  }

 private:
  void fill_header();
  void add_variables();
  void add_initializer(const Symbol& symbol, uint32_t holder);
  uint32_t add_image(const brig::Module& module, brig::Offset operand);
  uint32_t add_sampler(const brig::Module& module, brig::Offset operand);
  bool add_kernels();
  void add_functions();
  void add_code();

  link::Program& program_;
  const hsail_code_object_kind kind_;
  const Isa* const isa_;
  const FinalizeOptions& options_;
  const hsail_control_directives* const directives_;
  codeobject::CodeObject& object_;
  Diagnostics& diagnostics_;
  std::vector<int32_t> variable_index_;  // of symbols
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

/// Variables of the global and readonly segments. An agent code object names the program's variables too, as
/// not defined there: its relocations refer to them.
void Finalization::add_variables() {
  const auto& symbols = program_.symbols();
  variable_index_.assign(symbols.size(), -1);
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
    variable.defined = symbol.defined && !(of_program && kind_ == HSAIL_CODE_OBJECT_AGENT);
    variable_index_[i] = static_cast<int32_t>(object_.variables.size());
    object_.variables.push_back(std::move(variable));
  }
  // Initializers refer to variables, also to later ones.
  for (size_t i = 0; i < symbols.size(); ++i)
    if (variable_index_[i] >= 0 && object_.variables[variable_index_[i]].defined)
      add_initializer(symbols[i], static_cast<uint32_t>(variable_index_[i]));
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
      case link::Initializer::Fixup::Kind::address: {
        // Kernels and functions get their numbers in the order of the symbols (add_kernels, add_functions).
        const Symbol& target = program_.symbols()[fixup.symbol];
        const auto number_among = [&](Symbol::Kind kind) {
          uint32_t number = 0;
          for (int32_t i = 0; i < fixup.symbol; ++i)
            number += program_.symbols()[i].kind == kind && program_.symbols()[i].defined;
          return number;
        };
        // What an address is taken of stands in this code object too: the linker lets variables with program
        // allocation hold only addresses of such, and kernels and functions are defined.
        if (target.kind == Symbol::Kind::variable) {
          relocation.what = Relocation::What::variable;
          relocation.symbol = static_cast<uint32_t>(variable_index_[fixup.symbol]);
        } else {
          const bool kernel = target.kind == Symbol::Kind::kernel;
          relocation.what = kernel ? Relocation::What::kernel : Relocation::What::function;
          relocation.symbol = number_among(target.kind);
        }
        break;
      }
    }
    object_.relocations.push_back(relocation);
  }
}

/// hsa_access_permission_t of an image type.
uint8_t permission_of(unsigned type) {
  return type == HSA_BRIG_TYPE_ROIMG ? 1 : type == HSA_BRIG_TYPE_WOIMG ? 2 : 3;
}

/// BRIG and the runtime number geometries, formats and modes alike.
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

bool Finalization::add_kernels() {
  bool good = directives_ == nullptr || check_call_directives(*directives_, diagnostics_);
  const auto& symbols = program_.symbols();
  for (size_t i = 0; i < symbols.size(); ++i) {
    const Symbol& symbol = symbols[i];
    if (symbol.kind != Symbol::Kind::kernel || !symbol.defined) continue;
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
    ControlDirectives merged;
    good = merge_directives(program_, symbol.definition, directives_, isa_->wavefront_size, merged,
                            diagnostics_) &&
           good;
    apply_directives(merged, kernel);
    object_.kernels.push_back(std::move(kernel));
    kernels_.push_back({static_cast<int32_t>(i), merged});
  }
  return good;
}

void Finalization::add_functions() {
  for (const Symbol& symbol : program_.symbols()) {
    if (symbol.kind != Symbol::Kind::indirect_function || !symbol.defined) continue;
    codeobject::IndirectFunction function;
    function.name = symbol.name;
    function.linker_name = symbol.linker_name;
    function.module_name = symbol.module_name;
    function.linkage = linkage_of(symbol);
    object_.functions.push_back(std::move(function));
  }
}

void Finalization::add_code() {
  if (!isa_->level) {
    for (const interpreter::Unsupported& found : interpreter::unsupported(program_))
      report_unsupported(program_.modules()[found.executable.module], found.executable.offset,
                         found.instruction, {}, diagnostics_);
    for (const brig::Module& module : program_.modules())
      object_.brig.emplace_back(module.bytes().begin(), module.bytes().end());
    return;
  }
  if (object_.kernels.empty() && object_.functions.empty()) return;
  llvm::LLVMContext context;
  const DebugLevel debug = options_.debug ? DebugLevel::full : DebugLevel::lines;
  SpmdProgram spmd = lower_program(program_, {x86::traits(), debug, kernels_}, context, diagnostics_);
  if (!spmd.module) return;
  const x86::CompileOptions compile_options = {*isa_->level, options_.effort, options_.debug,
                                               options_.dump_folder};
  if (auto done = x86::compile(std::move(spmd), compile_options, variable_index_, object_); !done.ok())
    diagnostics_.error("FINALIZER-internal", {}, done.error().message);
}

}  // namespace

std::span<const Isa> isas() { return known_isas; }

const Isa* find_isa(std::string_view name) {
  for (const Isa& isa : known_isas)
    if (name == isa.name) return &isa;
  return nullptr;
}

FinalizeOptions parse_options(const char* text) {
  FinalizeOptions options;
  const char* wanted = std::getenv("HEDDLE_DEBUG");
  options.debug = wanted && *wanted && std::string_view(wanted) != "0";
  std::istringstream words{std::string(text ? text : "")};
  words.exceptions(std::ios::badbit);  // an option without memory to hold it must not pass for none
  constexpr std::string_view dump = "-dump=";
  bool effort_said = false;
  for (std::string word; words >> word;) {
    if (word.size() == 3 && word.starts_with("-O") && word[2] >= '0' && word[2] <= '3') {
      options.effort = static_cast<unsigned>(word[2] - '0');
      effort_said = true;
    }
    if (word == "-g") options.debug = true;
    if (word.starts_with(dump)) options.dump_folder = word.substr(dump.size());
  }
  if (options.debug && !effort_said) options.effort = 0;
  return options;
}

FinalizeResult finalize(link::Program& program, hsail_code_object_kind kind, const Isa* isa,
                        const FinalizeOptions& options, const hsail_control_directives* directives,
                        codeobject::CodeObject& object, Diagnostics& diagnostics) {
  return Finalization(program, kind, isa, options, directives, object, diagnostics).run();
}

}  // namespace heddle::finalizer
