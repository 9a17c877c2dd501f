// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "finalizer/lower/program_lowering.h"

#include <algorithm>
#include <cassert>

#include "finalizer/lockstep.h"
#include "finalizer/lower/callers.h"
#include "finalizer/lower/function_lowering.h"
#include "hsail/brig/operands.h"
#include "support/align.h"

namespace heddle::finalizer {

using brig::Offset;
using link::Reference;

SpmdProgram lower_program(const link::Program& program, const LoweringRequest& request,
                          llvm::LLVMContext& context, Diagnostics& diagnostics) {
  return ProgramLowering(program, request, context, diagnostics).run();
}

ProgramLowering::ProgramLowering(const link::Program& program, const LoweringRequest& request,
                                 llvm::LLVMContext& context, Diagnostics& diagnostics)
    : program_(program), request_(request), diagnostics_(diagnostics) {
  result_.module = std::make_unique<llvm::Module>("hsail", context);
  result_.module->setTargetTriple(llvm::Triple(request.target.triple));
  result_.module->setDataLayout(request.target.data_layout);
  debug_ = std::make_unique<DebugInfo>(program, *result_.module, request.debug, diagnostics);
}

SpmdProgram ProgramLowering::run() {
  lay_out_module_private();
  create_kernels();
  const auto& symbols = program_.symbols();
  for (size_t i = 0; i < symbols.size(); ++i) {
    if (symbols[i].kind != link::Symbol::Kind::indirect_function || !symbols[i].defined) continue;
    llvm::Function* function = callee(symbols[i].definition, -1);
    result_.functions.push_back(
        {static_cast<int32_t>(i), function, find_lockstep_pragma(program_, symbols[i].definition)});
  }
  // Lowering a function may add others to the list.
  while (!pending_.empty()) {
    const Instance instance = pending_.back();
    pending_.pop_back();
    FunctionLowering(*this, instance, functions_.at(instance)).run();
  }
  // Programs of which nothing is known here call indirect functions, from kernels that may not flush.
  result_.flushes_throughout = flushes_ && !keeps_ && result_.functions.empty();
  mark_convergent_functions();
  alias_facts_.attach(result_.module->getContext());
  compute_private_sizes();
  result_.debug_variables = debug_->describe_module_variables();
  debug_->finish();
  if (diagnostics_.has_errors()) result_.module.reset();
  return std::move(result_);
}

/// Lays out the private variables of module scope, which HSAIL calls experimental (PRM 1.3). A kernel that
/// uses none of them only pays for their space.
void ProgramLowering::lay_out_module_private() {
  const auto& symbols = program_.symbols();
  uint64_t at = 0;
  for (size_t i = 0; i < symbols.size(); ++i) {
    if (symbols[i].kind != link::Symbol::Kind::variable) continue;
    const brig::Module& module = program_.modules()[symbols[i].definition.module];
    const Offset variable = symbols[i].definition.offset;
    if (module.code_as<hsa_brig_directive_variable_t>(variable).segment != HSA_BRIG_SEGMENT_PRIVATE) continue;
    const uint64_t align = std::max<uint64_t>(link::variable_align(module, variable), 1);
    at = align_up(at, align);
    const uint64_t size = link::variable_size(module, variable);
    if (size > INT32_MAX || at + size > INT32_MAX) {
      diagnostics_.error("FINALIZER-private-size", Location::binary("hsa_code", variable),
                         "the private variables of module scope need more than 2 GiB");
      return;
    }
    module_private_[static_cast<int32_t>(i)] = static_cast<uint32_t>(at);
    at += size;
  }
  // The frames of kernels begin at a multiple of the largest alignment that a variable can have.
  module_private_size_ = static_cast<uint32_t>((at + 255) / 256 * 256);
}

std::optional<uint32_t> ProgramLowering::module_private_offset(Reference variable) const {
  const auto found = module_private_.find(program_.symbol_of(variable));
  return found == module_private_.end() ? std::nullopt : std::optional(found->second);
}

void ProgramLowering::create_kernels() {
  for (const KernelRequest& request : request_.kernels) {
    const link::Symbol& symbol = program_.symbols()[request.symbol];
    assert(symbol.kind == link::Symbol::Kind::kernel && symbol.defined);
    SpmdKernel kernel;
    kernel.symbol = request.symbol;
    kernel.definition = symbol.definition;
    kernel.group = program_.group_layout(kernel.definition);
    kernel.directives = request.directives;
    kernel.lockstep = find_lockstep_pragma(program_, kernel.definition);
    enabled_exceptions_ |= request.directives.enabled_exceptions();
    kernargs_.push_back(program_.kernarg_layout(kernel.definition));
    result_.kernels.push_back(std::move(kernel));
  }
  for (size_t i = 0; i < result_.kernels.size(); ++i) {
    const Instance instance = {result_.kernels[i].definition, static_cast<int>(i)};
    result_.kernels[i].body = create_function(instance);
  }
}

llvm::Function* ProgramLowering::call(TargetOperation call, const OperationForm& form) {
  llvm::Function*& function = calls_[{call, form}];
  if (!function) function = declare(*result_.module, call, form);
  return function;
}

void ProgramLowering::note(Subnormals subnormals) {
  flushes_ = flushes_ || subnormals == Subnormals::flushed;
  keeps_ = keeps_ || subnormals == Subnormals::kept;
}

Reference ProgramLowering::definition_of(Reference directive) const {
  const int32_t symbol = program_.symbol_of(directive);
  return symbol < 0 ? directive : program_.symbols()[symbol].definition;
}

llvm::Function* ProgramLowering::callee(Reference executable, int kernel) {
  executable = definition_of(executable);
  const Instance instance = {executable, depends_on_kernel(executable) ? kernel : -1};
  const auto known = functions_.find(instance);
  return known != functions_.end() ? known->second.function : create_function(instance);
}

llvm::Function* ProgramLowering::create_function(const Instance& instance) {
  const brig::Module& module = program_.modules()[instance.executable.module];
  const auto& directive = module.code_as<hsa_brig_directive_executable_t>(instance.executable.offset);
  llvm::LLVMContext& context = result_.module->getContext();
  auto* pointer = llvm::PointerType::getUnqual(context);
  llvm::SmallVector<llvm::Type*, 8> parameters = {pointer};
  if (directive.base.kind != HSA_BRIG_KIND_DIRECTIVE_KERNEL) {
    parameters.push_back(llvm::Type::getInt32Ty(context));
    parameters.append(directive.out_arg_count + directive.in_arg_count, pointer);
  }
  auto* type = llvm::FunctionType::get(llvm::Type::getVoidTy(context), parameters, false);
  const auto name = module.name(instance.executable.offset);
  auto* function = llvm::Function::Create(type, llvm::Function::InternalLinkage,
                                          llvm::StringRef(name.data(), name.size()), *result_.module);
  function->setDoesNotThrow();
  // Address 0 is an address like any other: an access to it is a fault that is reported, and LLVM must not
  // assume that it never happens.
  function->addFnAttr(llvm::Attribute::NullPointerIsValid);
  debug_->describe(*function, instance.executable);
  assert(!functions_.contains(instance) && "an instance is lowered once");
  functions_[instance].function = function;
  pending_.push_back(instance);
  return function;
}

/// Marks a function as convergent if it may communicate, itself or through calls (PRM 17.6). LLVM then
/// neither duplicates calls of it nor moves them to where fewer work-items come. Calls inherit the attribute
/// from the callee.
void ProgramLowering::mark_convergent_functions() {
  const auto found =
      functions_leading_to(*result_.module, [](const llvm::CallBase& call) { return call.isConvergent(); });
  for (llvm::Function& function : *result_.module)
    if (found.contains(&function)) function.setConvergent();
}

std::optional<uint32_t> ProgramLowering::group_offset(int kernel, Reference variable) const {
  if (kernel < 0) return std::nullopt;
  for (const auto& slot : result_.kernels[kernel].group.slots)
    if (slot.variable == variable) return slot.offset;
  return std::nullopt;
}

const link::KernargSlot* ProgramLowering::kernarg_slot(int kernel, Offset variable) const {
  if (kernel < 0) return nullptr;
  for (const auto& slot : kernargs_[kernel].slots)
    if (slot.variable == variable) return &slot;
  return nullptr;
}

bool ProgramLowering::names_group_memory(Reference executable) {
  const auto [known, is_new] = names_group_.try_emplace({executable.module, executable.offset}, false);
  if (!is_new) return known->second;
  const brig::Module& module = program_.modules()[executable.module];
  const auto& directive = module.code_as<hsa_brig_directive_executable_t>(executable.offset);
  const auto is_group = [&](Offset symbol) {
    if (symbol == 0) return false;
    const auto kind = module.code_entry(symbol).kind;
    return kind == HSA_BRIG_KIND_DIRECTIVE_FBARRIER ||
           (kind == HSA_BRIG_KIND_DIRECTIVE_VARIABLE &&
            module.code_as<hsa_brig_directive_variable_t>(symbol).segment == HSA_BRIG_SEGMENT_GROUP);
  };
  for (Offset at = directive.first_code_block_entry; at < directive.next_module_entry;
       at = module.next_code(at)) {
    if (!module.is_instruction(at)) continue;
    for (const Offset operand : module.instruction_operands(at)) {
      if ((brig::is_address(module, operand) && is_group(brig::address_of(module, operand).symbol)) ||
          (brig::is_code_ref(module, operand) && is_group(brig::code_ref(module, operand)))) {
        return names_group_[{executable.module, executable.offset}] = true;
      }
    }
  }
  return false;
}

bool ProgramLowering::depends_on_kernel(Reference executable) {
  const auto [known, is_new] = depends_.try_emplace({executable.module, executable.offset}, false);
  if (!is_new) return known->second;
  const auto reached = program_.reachable(executable, false);
  const bool depends =
      std::any_of(reached.begin(), reached.end(), [&](Reference r) { return names_group_memory(r); });
  return depends_[{executable.module, executable.offset}] = depends;
}

void ProgramLowering::compute_private_sizes() {
  if (diagnostics_.has_errors()) return;  // functions may be missing, and there will be no code
  for (size_t i = 0; i < result_.kernels.size(); ++i) {
    SpmdKernel& kernel = result_.kernels[i];
    const auto lowered = [&](Reference executable) -> const LoweredFunction& {
      const bool of_kernel = executable == kernel.definition || depends_on_kernel(executable);
      return functions_.at({executable, of_kernel ? static_cast<int>(i) : -1});
    };
    const uint64_t size =
        program_.private_size(kernel.definition, module_private_size_, [&](Reference executable) {
          const LoweredFunction& function = lowered(executable);
          return link::Frame{function.frame_size, function.frame_align};
        });
    kernel.private_size = static_cast<uint32_t>(std::min<uint64_t>(size, UINT32_MAX));
    kernel.instructions = lowered(kernel.definition).instructions;
  }
}

}  // namespace heddle::finalizer
