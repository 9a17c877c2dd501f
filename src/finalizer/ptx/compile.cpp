// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "finalizer/ptx/compile.h"

#include <algorithm>
#include <set>

#include <fmt/format.h>
#include <llvm/IR/DebugInfo.h>
#include <llvm/IR/DebugInfoMetadata.h>

#include "codeobject/ptx_kernel.h"
#include "finalizer/device_library.h"
#include "finalizer/dump.h"
#include "finalizer/lower/callers.h"
#include "finalizer/lower/canonical.h"
#include "finalizer/ptx/active_lanes.h"
#include "finalizer/ptx/address_checks.h"
#include "finalizer/ptx/addresses.h"
#include "finalizer/ptx/constant_floats.h"
#include "finalizer/ptx/convergence.h"
#include "finalizer/ptx/dispatch_reads.h"
#include "finalizer/ptx/entries.h"
#include "finalizer/ptx/flat_addresses.h"
#include "finalizer/ptx/limits.h"
#include "finalizer/ptx/lockstep.h"
#include "finalizer/ptx/narrow_integers.h"
#include "finalizer/ptx/optimise.h"
#include "finalizer/ptx/places.h"
#include "finalizer/ptx/refusals.h"
#include "finalizer/ptx/sign_bits.h"
#include "finalizer/ptx/single_groups.h"
#include "finalizer/ptx/target_operations.h"
#include "finalizer/ptx/text.h"
#include "finalizer/ptx/wave_barriers.h"
#include "finalizer/verify.h"
#include "finalizer/waits.h"
#include "support/align.h"

namespace heddle::finalizer::ptx {
namespace {

using ptx_kernel::EntryForm;

/// Bodies with more instructions than this are called rather than inlined in all entries.
constexpr size_t largest_inlined_body = 4000;

class Compilation {
 public:
  Compilation(SpmdProgram spmd, const Architecture& architecture, const CompileRequest& request,
              codeobject::CodeObject& object, Diagnostics& diagnostics)
      : spmd_(std::move(spmd)),
        module_(*spmd_.module),
        request_(request),
        object_(object),
        diagnostics_(diagnostics),
        architecture_(architecture),
        machine_(create_machine(architecture, request.options.opt_level)) {}

  Result<void> run();

 private:
  void describe_kernels();
  void check_addresses();
  Result<void> lower();
  void add_entries();
  void describe_reads();
  Result<void> take(const std::string& ptx);
  codeobject::Kernel& described(const SpmdKernel& kernel) {
    return object_.kernels[request_.symbols[kernel.symbol]];
  }

  SpmdProgram spmd_;
  llvm::Module& module_;
  const CompileRequest& request_;
  codeobject::CodeObject& object_;
  Diagnostics& diagnostics_;
  const Architecture& architecture_;
  std::unique_ptr<llvm::TargetMachine> machine_;
  std::set<const llvm::Function*> with_wave_barriers_;  ///< bodies of kernels
  Places places_;
};

/// Returns the functions in which a work-group may wait for another one.
std::set<const llvm::Function*> functions_that_wait(const llvm::Module& module) {
  return functions_leading_to(module, [](const llvm::CallBase& call) {
    const llvm::Function* callee = call.getCalledFunction();
    if (!callee) return !call.isInlineAsm();
    const auto what = target_operation_of(*callee);
    return what == TargetOperation::yield || what == TargetOperation::signal;
  });
}

/// Returns the functions from which the host may be asked for something.
std::set<const llvm::Function*> functions_that_ask(const llvm::Module& module) {
  return functions_leading_to(module, [](const llvm::CallBase& call) {
    const llvm::Function* callee = call.getCalledFunction();
    if (!callee) return !call.isInlineAsm();
    const auto what = target_operation_of(*callee);
    if (what == TargetOperation::atomic32 || what == TargetOperation::atomic64)
      return may_ask_host(llvm::cast<llvm::CallInst>(call));
    return what == TargetOperation::signal || what == TargetOperation::queue_index;
  });
}

void Compilation::describe_kernels() {
  const auto waiting = functions_that_wait(module_), asking = functions_that_ask(module_);
  const SingleGroups single_groups(module_);
  for (const SpmdKernel& compiled : spmd_.kernels) {
    codeobject::Kernel& kernel = described(compiled);
    kernel.lanes = ptx_kernel::lanes;
    kernel.private_size = static_cast<uint32_t>(align_up(uint64_t{compiled.private_size}, 16));
    if (kernel.dynamic_call_stack || allocates_private_memory(request_.program, compiled.definition))
      kernel.flags |= codeobject::kernel_dynamic_private;
    if (waiting.contains(compiled.body)) kernel.flags |= codeobject::kernel_takes_tickets;
    if (asking.contains(compiled.body)) kernel.flags |= codeobject::kernel_asks_host;
    if (request_.options.opt_level == 0) kernel.flags |= codeobject::kernel_not_optimised;
    if (architecture_.begins_early) kernel.flags |= codeobject::kernel_waits_for_predecessor;
    if (request_.options.check_addresses) kernel.flags |= codeobject::kernel_checks_addresses;
    if (single_groups.has_entry(*compiled.body, kernel)) kernel.flags |= codeobject::kernel_has_single_entry;
  }
}

/// Turns debug information into what PTX has of it: the source lines of instructions. The whole of it would
/// make the driver's compiler generate code for debuggers.
void keep_lines_only(llvm::Module& module) {
  llvm::stripNonLineTableDebugInfo(module);
  auto* units = module.getNamedMetadata("llvm.dbg.cu");
  if (!units) return;
  llvm::DenseMap<const llvm::DICompileUnit*, llvm::DICompileUnit*> replaced;
  for (unsigned i = 0; i < units->getNumOperands(); ++i) {
    auto* unit = llvm::cast<llvm::DICompileUnit>(units->getOperand(i));
    auto* lines = llvm::DICompileUnit::getDistinct(
        module.getContext(), unit->getSourceLanguage(), unit->getFile(), unit->getProducer(),
        unit->isOptimized(), unit->getFlags(), unit->getRuntimeVersion(), unit->getSplitDebugFilename(),
        llvm::DICompileUnit::DebugDirectivesOnly, nullptr, nullptr, nullptr, nullptr, nullptr, 0, false,
        false, llvm::DICompileUnit::DebugNameTableKind::None, false, "", "");
    replaced[unit] = lines;
    units->setOperand(i, lines);
  }
  for (llvm::Function& function : module)
    if (auto* described = function.getSubprogram())
      if (auto* lines = replaced.lookup(described->getUnit())) described->replaceUnit(lines);
}

void Compilation::check_addresses() {
  if (!request_.options.check_addresses) return;
  const auto kernarg_size = [&](const SpmdKernel& kernel) { return described(kernel).kernarg_size; };
  add_address_checks(spmd_, kernarg_size, places_);
}

Result<void> Compilation::lower() {
  keep_lockstep(spmd_);
  with_wave_barriers_ = use_wave_barriers(spmd_, [&](const SpmdKernel& kernel) {
    return (described(kernel).flags & codeobject::kernel_early_return) != 0;
  });
  track_active_lanes(spmd_);
  if (auto done = lower_addresses(spmd_, request_.symbols, object_); !done.ok()) return done;
  check_addresses();
  lower_target_operations(module_, places_);
  mark_canonical(module_);
  add_entries();
  return link_device_library(module_, device_library());
}

/// The entries that a kernel has, from its flags. Only the linear one takes tickets.
llvm::SmallVector<EntryForm, ptx_kernel::entry_forms> forms_of(const codeobject::Kernel& kernel) {
  llvm::SmallVector<EntryForm, ptx_kernel::entry_forms> forms;
  if ((kernel.flags & codeobject::kernel_takes_tickets) == 0) forms.push_back(EntryForm::native);
  forms.push_back(EntryForm::linear);
  if ((kernel.flags & codeobject::kernel_has_single_entry) != 0) forms.push_back(EntryForm::single);
  return forms;
}

void Compilation::add_entries() {
  for (const SpmdKernel& kernel : spmd_.kernels) {
    const codeobject::Kernel& metadata = described(kernel);
    const size_t number = request_.symbols[kernel.symbol];
    const bool small = kernel.instructions <= largest_inlined_body;
    kernel.body->addFnAttr(small ? llvm::Attribute::AlwaysInline : llvm::Attribute::NoInline);
    const bool by_waves = with_wave_barriers_.contains(kernel.body);
    for (const EntryForm form : forms_of(metadata))
      add_entry(module_, {kernel, metadata, ptx_kernel::entry_name(form, number), form, by_waves});
  }
}

/// Takes note of the kernels of which an entry reads what differs between dispatches.
void Compilation::describe_reads() {
  for (const SpmdKernel& compiled : spmd_.kernels) {
    const size_t number = request_.symbols[compiled.symbol];
    codeobject::Kernel& kernel = described(compiled);
    for (const EntryForm form : forms_of(kernel))
      if (reads_dispatch(*module_.getFunction(ptx_kernel::entry_name(form, number))))
        kernel.flags |= codeobject::kernel_reads_dispatch;
  }
}

Result<void> Compilation::take(const std::string& ptx) {
  for (const SpmdKernel& compiled : spmd_.kernels) {
    codeobject::Kernel& kernel = described(compiled);
    const size_t number = request_.symbols[compiled.symbol];
    kernel.groups_entry =
        find_entry(ptx, ptx_kernel::native_entry_name(number)).value_or(codeobject::no_entry);
    const auto linear = find_entry(ptx, ptx_kernel::linear_entry_name(number));
    if (!linear) return Error{fmt::format("the PTX lacks the entry of {}", kernel.name)};
    kernel.wave_entry = *linear;
  }
  for (const SpmdIndirectFunction& compiled : spmd_.functions) {
    codeobject::IndirectFunction& function = object_.functions[request_.symbols[compiled.symbol]];
    const auto entry = find_function(ptx, function_name(request_.symbols[compiled.symbol]));
    if (!entry) return Error{fmt::format("the PTX lacks the function {}", function.name)};
    function.entry = *entry;
  }
  const auto* bytes = reinterpret_cast<const std::byte*>(ptx.c_str());
  object_.text.assign(bytes, bytes + ptx.size() + 1);  // with the zero at its end
  object_.lines = places_.table();
  // Code objects have no rows behind their text. Lines of so much code without any text are unreachable.
  object_.lines.rows.resize(std::min(object_.lines.rows.size(), object_.text.size()));
  return {};
}

Result<void> Compilation::run() {
  assert(module_.getTargetTriple() == machine_->getTargetTriple());
  assert(module_.getDataLayout() == machine_->createDataLayout());
  refuse_unsupported(request_, diagnostics_);
  if (diagnostics_.has_errors()) return {};
  add_yields(module_, !SpmdTarget::keeps_registers_in_memory(request_.options));
  let_atomics_ask_host(module_);
  describe_kernels();
  if (auto done = lower(); !done.ok()) return done;
  keep_lines_only(module_);
  dump_module(request_.options, "lowered.ll", module_);
  if (auto right = verify(module_, "target lowering"); !right.ok()) return right;
  optimise(module_, *machine_, request_.options.opt_level);
  settle_canonical(module_);
  lower_canonicalize(module_);
  keep_addresses_flat(module_);
  choose_constants_as_floats(module_);
  keep_bits_of_signs(module_);
  widen_narrow_integers(module_);
  meet_behind_calls(module_);
  describe_reads();
  dump_module(request_.options, "optimised.ll", module_);
  if (auto right = check_limits(module_); !right.ok()) return right;
  auto ptx = generate_text(module_, *machine_, architecture_);
  if (!ptx.ok()) return ptx.error();
  dump(request_.options, "code.ptx", ptx.value());
  return take(ptx.value());
}

}  // namespace

Result<void> compile(SpmdProgram spmd, const Architecture& architecture, const CompileRequest& request,
                     codeobject::CodeObject& object, Diagnostics& diagnostics) {
  return Compilation(std::move(spmd), architecture, request, object, diagnostics).run();
}

}  // namespace heddle::finalizer::ptx
