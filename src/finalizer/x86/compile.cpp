// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "finalizer/x86/compile.h"

#include <fmt/format.h>
#include <llvm/Analysis/CFG.h>
#include <llvm/Analysis/TargetLibraryInfo.h>
#include <llvm/CodeGen/MachineModuleInfo.h>
#include <llvm/CodeGen/Passes.h>
#include <llvm/CodeGen/TargetPassConfig.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/LegacyPassManager.h>
#include <llvm/IR/PassManager.h>
#include <llvm/Passes/PassBuilder.h>
#include <llvm/Support/raw_ostream.h>
#include <llvm/Transforms/IPO/AlwaysInliner.h>

#include "codeobject/kernel_abi.h"
#include "finalizer/device_library.h"
#include "finalizer/dump.h"
#include "finalizer/lockstep.h"
#include "finalizer/lower/canonical.h"
#include "finalizer/passes.h"
#include "finalizer/spmd/observe.h"
#include "finalizer/spmd/unroll.h"
#include "finalizer/spmd/vectorise.h"
#include "finalizer/spmd/width_promise.h"
#include "finalizer/verify.h"
#include "finalizer/waits.h"
#include "finalizer/x86/coroutine.h"
#include "finalizer/x86/entries.h"
#include "finalizer/x86/flush_mode.h"
#include "finalizer/x86/group_offsets.h"
#include "finalizer/x86/huge_blocks.h"
#include "finalizer/x86/kernel_report.h"
#include "finalizer/x86/mask_moves.h"
#include "finalizer/x86/object.h"
#include "finalizer/x86/selection_defects.h"
#include "finalizer/x86/target_operations.h"
#include "finalizer/x86/temporal.h"
#include "finalizer/x86/turns.h"
#include "finalizer/x86/wave_calls.h"
#include "finalizer/x86/waves.h"

namespace heddle::finalizer::x86 {
namespace {

/// Bodies with up to this many instructions are inlined in the loops of the entry and optimised with them;
/// larger ones are called.
constexpr size_t largest_inlined_body = 2000;

/// Bodies with up to this many instructions take so little time that the loops around them matter.
constexpr size_t largest_tiny_body = 16;

/// Without optimisation, the code generator gives every value a place of its own on the stack, where there is
/// no room for the values of all lanes. From level 1 on, values share places.
OptLevel codegen_level(const spmd::WaveShape& wave, const FinalizeOptions& options) {
  return wave.lanes > 1 ? std::max(options.opt_level, 1u) : options.opt_level;
}

/// Makes functions with large frames touch each page of them in order, so that they meet the page that guards
/// the end of the stack and do not write beyond it.
void probe_stack(llvm::Module& module) {
  for (llvm::Function& function : module)
    if (!function.isDeclaration()) function.addFnAttr("probe-stack", "inline-asm");
}

class Compilation {
 public:
  Compilation(SpmdProgram spmd, const Variant& variant, const CompileRequest& request,
              codeobject::CodeObject& object, Diagnostics& diagnostics)
      : spmd_(std::move(spmd)),
        module_(*spmd_.module),
        options_(request.options),
        symbols_(request.symbols),
        object_(object),
        diagnostics_(diagnostics),
        wave_(variant.wave),
        float_target_{variant.level, spmd_.flushes_throughout && options_.opt_level != 0},
        machine_(variant.level, codegen_level(wave_, options_)) {}

  Result<void> run();

 private:
  void check_lockstep();
  void find_waits();
  void find_merging();
  bool relies_on_slices(const SpmdKernel& kernel) const;
  void settle_entry_kinds();
  static bool is_small(const SpmdKernel& kernel) { return kernel.instructions <= largest_inlined_body; }
  void report_kernels();
  void add_kernel_entries();
  void add_kernel_entry(const SpmdKernel& kernel);
  bool calls_functions() const;
  llvm::ModulePassManager pipeline(llvm::PassBuilder& builder) const;
  void run_passes(llvm::StringRef names);
  void split_coroutines();
  void optimise();
  llvm::SmallVector<char, 0> emit();
  Result<void> take(LinkedObject linked);
  Result<void> take_words(const LinkedObject& linked);

  static std::string name(const SpmdKernel& kernel) { return fmt::format("kernel.{}", kernel.symbol); }
  static std::string name(const SpmdIndirectFunction& function) {
    return fmt::format("function.{}", function.symbol);
  }
  codeobject::Kernel& described(const SpmdKernel& kernel) { return object_.kernels[symbols_[kernel.symbol]]; }

  SpmdProgram spmd_;
  llvm::Module& module_;
  const FinalizeOptions& options_;
  const ObjectSymbols& symbols_;
  codeobject::CodeObject& object_;
  Diagnostics& diagnostics_;
  const spmd::WaveShape wave_;
  std::map<int32_t, EntryKind> entry_kinds_;  ///< of kernels, by their symbols
  std::map<int32_t, GroupMerging> merging_;   ///< of kernels, by their symbols
  std::map<int32_t, Coroutine> coroutines_;   ///< of kernels whose waves take turns, by their symbols
  Waves waves_;                               ///< empty if waves have one work-item
  /// Code that is not optimised flushes with integer operations, because instruction selection folds
  /// constants as if the processor did not flush.
  const FloatTarget float_target_;
  PooledTargetMachine machine_;
  bool has_loops_ = false;  ///< whether the HSAIL has loops; those over work-items do not count
};

/// Some passes take quadratic time. For exceptionally large functions what they would find is not worth
/// minutes.
bool has_huge_function(const llvm::Module& module) {
  constexpr size_t huge = 20000;
  return llvm::any_of(module,
                      [](const llvm::Function& function) { return function.getInstructionCount() > huge; });
}

bool has_loop(const llvm::Function& function) {
  llvm::SmallVector<std::pair<const llvm::BasicBlock*, const llvm::BasicBlock*>, 1> edges;
  if (!function.isDeclaration()) llvm::FindFunctionBackedges(function, edges);
  return !edges.empty();
}

void Compilation::find_waits() {
  const auto waiting = functions_needing_fibers(module_), with_barriers = functions_with_barriers(module_);
  for (const SpmdKernel& kernel : spmd_.kernels) {
    if (waiting.contains(kernel.body))
      entry_kinds_[kernel.symbol] = EntryKind::wave;
    else if (with_barriers.contains(kernel.body))
      entry_kinds_[kernel.symbol] = EntryKind::interleaved;
  }
}

/// Reports kernels and indirect functions whose work-items are to execute in lock-step, where the ISA cannot
/// do that whatever they contain: all kernels if its waves have one work-item, and indirect functions, which
/// any kernel may call, if its waves have another length.
void Compilation::check_lockstep() {
  if (wave_.lanes == lockstep_lanes) return;
  const std::string why = fmt::format("waves of this ISA have {}", wave_.lanes);
  for (const SpmdKernel& kernel : spmd_.kernels)
    if (kernel.lockstep && wave_.lanes == 1)
      report_no_lockstep(*kernel.lockstep, described(kernel).name, why, diagnostics_);
  for (const SpmdIndirectFunction& indirect : spmd_.functions)
    if (indirect.lockstep)
      report_no_lockstep(*indirect.lockstep, object_.functions[symbols_[indirect.symbol]].name, why,
                         diagnostics_);
}

/// Reports whether the program promises something of consecutive work-items of one work-group that the waves
/// of a kernel can use. Other waves than those of one work-group cannot.
bool Compilation::relies_on_slices(const SpmdKernel& kernel) const {
  return wave_.lanes > 1 && llvm::any_of(spmd::called_functions({kernel.body}), [&](const auto* function) {
           return spmd::has_promises_for_slices(*function, wave_.lanes, wave_.lanes);
         });
}

/// Work-groups of a kernel in lock-step are never merged, because each begins a new wave.
///
/// Work-items of a kernel with loops often use what the others of their group have loaded. A group of several
/// rows is then a tile that fits into a cache, as merged groups might not.
void Compilation::find_merging() {
  const auto observers = spmd::group_observers(module_, spmd_.functions);
  for (const SpmdKernel& kernel : spmd_.kernels)
    if (!observers.contains(kernel.body) && !kernel.lockstep && !relies_on_slices(kernel))
      merging_[kernel.symbol] = has_loop(*kernel.body) ? GroupMerging::rows : GroupMerging::all;
}

/// Decides for kernels whose waves wait at barriers only whether these need fibers. They need none if all
/// barriers are in bodies that are inlined into the entry.
void Compilation::settle_entry_kinds() {
  const auto with_barriers = functions_with_barriers(module_);
  const auto calls_barrier = [&](const llvm::Instruction& instruction) {
    const auto* call = llvm::dyn_cast<llvm::CallBase>(&instruction);
    return call && call->getCalledFunction() && !call->getCalledFunction()->isDeclaration() &&
           with_barriers.contains(call->getCalledFunction());
  };
  for (const SpmdKernel& kernel : spmd_.kernels) {
    EntryKind& kind = entry_kinds_[kernel.symbol];
    const auto waves = waves_.bodies.find(kernel.symbol);
    const bool can_interleave = waves != waves_.bodies.end() && options_.opt_level != 0 && is_small(kernel) &&
                                llvm::none_of(llvm::instructions(*waves->second.general), calls_barrier);
    if (kind == EntryKind::interleaved && !can_interleave) kind = EntryKind::wave;
    if (kind == EntryKind::wave) described(kernel).flags |= codeobject::kernel_needs_fibers;
    if (kind != EntryKind::interleaved) continue;
    for (llvm::Function* body : {waves->second.row, waves->second.partial_row, waves->second.general})
      if (body) body->addFnAttr(suspends_at_barriers);
  }
}

void Compilation::add_kernel_entry(const SpmdKernel& kernel) {
  const codeobject::Kernel& metadata = described(kernel);
  EntryRequest request;
  if (const auto waves = waves_.bodies.find(kernel.symbol); waves != waves_.bodies.end())
    request.waves = waves->second;
  else
    request.body = kernel.body;
  request.kind = entry_kinds_[kernel.symbol];
  request.name = name(kernel);
  request.kernarg_size = metadata.kernarg_size;
  request.kernarg_align = metadata.kernarg_align;
  request.directives = kernel.directives;
  request.merging = merging_[kernel.symbol];
  request.early_return = (metadata.flags & codeobject::kernel_early_return) != 0;
  request.streams =
      llvm::any_of(request.bodies(), [](const auto* body) { return has_streaming_stores(*body); });
  if (options_.opt_level != 0) {
    const bool small = is_small(kernel);
    request.loops_by_shape = kernel.instructions <= largest_tiny_body;
    for (llvm::Function* body : request.bodies())
      body->addFnAttr(small ? llvm::Attribute::AlwaysInline : llvm::Attribute::NoInline);
  }
  if (const auto coroutine = add_entry(module_, request)) coroutines_.emplace(kernel.symbol, *coroutine);
}

void Compilation::add_kernel_entries() {
  for (const SpmdKernel& kernel : spmd_.kernels) add_kernel_entry(kernel);
  for (const SpmdIndirectFunction& indirect : spmd_.functions) {
    llvm::Function* function = indirect.function;
    function->setName(name(indirect));
    function->setLinkage(llvm::GlobalValue::ExternalLinkage);
    function->setVisibility(llvm::GlobalValue::HiddenVisibility);
    function->setDSOLocal(true);
  }
}

void Compilation::report_kernels() {
  for (const SpmdKernel& kernel : spmd_.kernels) {
    const Location where = Location::binary("hsa_code", kernel.definition.offset);
    const KernelReport& made = waves_.reports[kernel.symbol];
    described(kernel).lanes = made.most_lanes;
    report(made, described(kernel).name, where, options_.verbose, diagnostics_);
  }
  for (const auto& [symbol, why] : waves_.refused_functions)
    diagnostics_.error(
        "FINALIZER-spmd-refused", {},
        fmt::format("{} cannot be compiled for waves: {}", object_.functions[symbols_[symbol]].name, why));
}

/// Reports whether there are functions other than the entries and the bodies that they alone call.
bool Compilation::calls_functions() const {
  size_t defined = 0;
  for (const llvm::Function& function : module_) defined += !function.isDeclaration();
  return defined > 2 * spmd_.kernels.size();
}

/// Returns LLVM's usual pipeline without the passes that look beyond one function.
llvm::ModulePassManager pipeline_of_entries(llvm::PassBuilder& builder, llvm::OptimizationLevel level) {
  constexpr auto phase = llvm::ThinOrFullLTOPhase::None;
  llvm::ModulePassManager passes;
  passes.addPass(llvm::AlwaysInlinerPass(/*InsertLifetime=*/false));
  passes.addPass(
      llvm::createModuleToFunctionPassAdaptor(builder.buildFunctionSimplificationPipeline(level, phase)));
  passes.addPass(builder.buildModuleOptimizationPipeline(level, phase));
  return passes;
}

/// Returns a pipeline with the most useful passes of the usual one, each once, which takes a third of its
/// time. For code without loops of its own, the other passes do not make up for the time that they take.
llvm::ModulePassManager short_pipeline(llvm::PassBuilder& builder) {
  llvm::ModulePassManager passes;
  llvm::cantFail(builder.parsePassPipeline(
      passes,
      "always-inline,cgscc(inline),function<eager-inv>(sroa<modify-cfg>,early-cse<memssa>,simplifycfg,"
      "instcombine<no-verify-fixpoint>,loop-mssa(loop-rotate,licm),gvn,dse,adce,simplifycfg)"));
  return passes;
}

llvm::ModulePassManager Compilation::pipeline(llvm::PassBuilder& builder) const {
  using llvm::OptimizationLevel;
  if (options_.opt_level == 0) return builder.buildO0DefaultPipeline(OptimizationLevel::O0);
  // Code for waves has been made from loops, which must not be unrolled and vectorised once more.
  const bool is_short =
      options_.opt_level == 1 || wave_.lanes > 1 || (options_.opt_level == 2 && !has_loops_);
  if (is_short || has_huge_function(module_)) return short_pipeline(builder);
  const auto level = options_.opt_level == 2 ? OptimizationLevel::O2 : OptimizationLevel::O3;
  return calls_functions() ? builder.buildPerModuleDefaultPipeline(level)
                           : pipeline_of_entries(builder, level);
}

/// Runs passes over the module.
void Compilation::run_passes(llvm::StringRef names) {
  with_passes(module_, *machine_, [&](llvm::PassBuilder& builder, llvm::ModuleAnalysisManager& analyses) {
    llvm::ModulePassManager passes;
    llvm::cantFail(builder.parsePassPipeline(passes, names));
    passes.run(module_, analyses);
  });
}

void Compilation::optimise() {
  if (!coroutines_.empty()) {
    run_passes("always-inline,coro-early");
    for (auto& [symbol, coroutine] : coroutines_) coroutine.make_suspensions();
  }
  with_passes(module_, *machine_, [&](llvm::PassBuilder& builder, llvm::ModuleAnalysisManager& analyses) {
    auto passes = pipeline(builder);
    passes.run(module_, analyses);
  });
  if (!coroutines_.empty()) split_coroutines();
}

void Compilation::split_coroutines() {
  // LLVM counts what marks canonical operands in programs that flush, although it costs nothing in the end.
  for (llvm::Function& function : module_)
    if (float_target_.flush_mode && !function.isDeclaration()) spmd::unroll_small_loops(function);
  run_passes("function(loop(loop-unroll-full),correlated-propagation)");
  with_passes(module_, *machine_, [&](llvm::PassBuilder&, llvm::ModuleAnalysisManager& analyses) {
    auto& functions = analyses.getResult<llvm::FunctionAnalysisManagerModuleProxy>(module_).getManager();
    for (auto& [symbol, coroutine] : coroutines_) add_turns(coroutine, functions);
  });
  run_passes("function(lcssa)");
  for (auto& [symbol, coroutine] : coroutines_) coroutine.keep_stores_out_of_loops();
  with_passes(module_, *machine_, [&](llvm::PassBuilder&, llvm::ModuleAnalysisManager& analyses) {
    llvm::ModulePassManager passes;
    add_coroutine_split(passes);
    passes.run(module_, analyses);
  });
  for (auto& [symbol, coroutine] : coroutines_) coroutine.inline_parts();
  run_passes(
      "coro-cleanup,always-inline,function(sroa,early-cse<memssa>,instcombine<no-verify-fixpoint>,"
      "simplifycfg,loop-mssa(licm),simplifycfg)");
  for (auto& [symbol, coroutine] : coroutines_)
    object_.kernels[symbols_[symbol]].frame_size =
        static_cast<uint32_t>(llvm::alignTo(coroutine.take_frame_size(), frame_alignment));
}

/// Does what TargetMachine::addPassesToEmitFile does, which has no way to leave passes out.
llvm::SmallVector<char, 0> Compilation::emit() {
  llvm::SmallVector<char, 0> object;
  llvm::raw_svector_ostream out(object);
  llvm::legacy::PassManager passes;
  passes.add(new llvm::TargetLibraryInfoWrapperPass(no_library(module_)));
  auto* information = new llvm::MachineModuleInfoWrapperPass(&*machine_);
  llvm::TargetPassConfig* config = machine_->createPassConfig(passes);
  config->setDisableVerify(true);
  // The bodies of a kernel end alike. If they shared instructions, these would have no source line.
  if (wave_.lanes > 1) config->setEnableTailMerge(false);
  passes.add(config);
  passes.add(information);
  if (has_huge_block(module_)) cut_huge_blocks(*config);
  if (float_target_.level == Level::v4) keep_masks_of_signs(*config);
  if (!options_.debug) {  // there are places, but no values to follow
    config->disablePass(&llvm::LiveDebugValuesID);
    config->disablePass(&llvm::RemoveRedundantDebugValuesID);
  }
  if (config->addISelPasses()) return {};
  config->addMachinePasses();
  if (float_target_.flush_mode) passes.add(create_flush_mode_pass(float_target_.level));
  config->setInitialized();
  machine_->addAsmPrinter(passes, out, nullptr, llvm::CodeGenFileType::ObjectFile,
                          information->getMMI().getContext());
  passes.add(llvm::createFreeMachineFunctionPass());
  passes.run(module_);
  return object;
}

Result<void> Compilation::take_words(const LinkedObject& linked) {
  using codeobject::Relocation;
  const struct {
    llvm::StringRef prefix;
    Relocation::What what;
  } kinds[] = {{variable_word, Relocation::What::variable},
               {kernel_word, Relocation::What::kernel},
               {function_word, Relocation::What::function}};
  for (const auto& [name, offset] : linked.data_symbols) {
    for (const auto& kind : kinds) {
      llvm::StringRef number = name;
      int32_t symbol = 0;
      if (!number.consume_front(kind.prefix) || number.getAsInteger(10, symbol)) continue;
      const auto index = symbols_.find(symbol);
      if (!index) return Error{"an address is taken of something that the program does not define"};
      Relocation relocation;
      relocation.what = kind.what;
      relocation.offset = offset;
      relocation.symbol = *index;
      object_.relocations.push_back(relocation);
    }
  }
  return {};
}

Result<void> Compilation::take(LinkedObject linked) {
  for (const SpmdKernel& compiled : spmd_.kernels) {
    codeobject::Kernel& kernel = described(compiled);
    const bool fibers = kernel.flags & codeobject::kernel_needs_fibers;
    kernel.groups_entry = kernel.wave_entry = codeobject::no_entry;
    (fibers ? kernel.wave_entry : kernel.groups_entry) = linked.text_symbols.at(name(compiled));
    kernel.private_size = compiled.private_size;
  }
  for (const SpmdIndirectFunction& compiled : spmd_.functions)
    object_.functions[symbols_[compiled.symbol]].entry = linked.text_symbols.at(name(compiled));
  object_.relocations.insert(object_.relocations.end(), linked.relocations.begin(), linked.relocations.end());
  if (auto done = take_words(linked); !done.ok()) return done;
  // Symbol tables have no fixed order; sorting makes code objects reproducible.
  std::sort(object_.relocations.begin(), object_.relocations.end(), [](const auto& a, const auto& b) {
    return std::tuple(a.where, a.holder, a.offset) < std::tuple(b.where, b.holder, b.offset);
  });
  object_.text = std::move(linked.text);
  object_.data = std::move(linked.data);
  object_.lines = std::move(linked.lines);
  object_.debug = std::move(linked.debug);
  return {};
}

Result<void> Compilation::run() {
  assert(module_.getTargetTriple() == machine_->getTargetTriple());
  assert(module_.getDataLayout() == machine_->createDataLayout());
  check_lockstep();
  if (diagnostics_.has_errors()) return {};
  has_loops_ = llvm::any_of(module_, has_loop);
  add_yields(module_, !SpmdTarget::keeps_registers_in_memory(options_));
  find_waits();
  find_merging();
  drop_nontemporal_hints(spmd_, wave_.lanes);
  const auto kernarg_size = [this](const SpmdKernel& kernel) { return described(kernel).kernarg_size; };
  if (wave_.lanes > 1) {
    mark_canonical(module_);  // LLVM simplifies functions before they become those of waves
    const auto entry_kind = [this](const SpmdKernel& kernel) { return entry_kinds_[kernel.symbol]; };
    const auto merging = [this](const SpmdKernel& kernel) { return merging_[kernel.symbol]; };
    waves_ = make_waves(spmd_,
                        {wave_, float_target_.level, options_.row_bodies, options_.verbose, kernarg_size,
                         entry_kind, merging},
                        *machine_);
  }
  report_kernels();
  if (diagnostics_.has_errors()) return {};
  settle_entry_kinds();
  const auto wave_of = [this](const llvm::Function& function) { return waves_.functions.lookup(&function); };
  lower_wave_operations(module_, wave_of);
  lower_target_operations(module_, float_target_, wave_of);
  mark_canonical(module_);
  for (const auto& [symbol, description] : spmd_.debug_variables)
    data_word(module_, (variable_word + llvm::Twine(symbol)).str()).addDebugInfo(description);
  if (auto linked = link_device_library(module_, device_library()); !linked.ok()) return linked;
  add_kernel_entries();
  if (float_target_.flush_mode) prepare_flush_mode(module_);
  dump_module(options_, "lowered.ll", module_);
  if (auto right = verify(module_, "target lowering"); !right.ok()) return right;
  optimise();
  dump_module(options_, "optimised.ll", module_);
  settle_canonical(module_);
  for (llvm::Function& function : module_) {
    if (options_.opt_level != 0)
      fold_group_offsets(function, traits(1).address_space(HSA_BRIG_SEGMENT_GROUP));
    avoid_selection_defects(function, float_target_.level);
  }
  if (auto right = verify(module_, "optimisation"); !right.ok()) return right;
  probe_stack(module_);
  const auto elf = emit();
  dump(options_, "code.o", llvm::StringRef(elf.data(), elf.size()));
  auto linked = link_object(elf, options_.debug);
  if (!linked.ok()) return linked.error();
  return take(std::move(linked.value()));
}

/// Reports whether work-items may be executed one at a time although the ISA has waves. For debuggers they
/// are, because these can show variables of single work-items only. Kernels that can tell the difference need
/// their waves.
bool may_execute_single_work_items(const SpmdProgram& spmd, const FinalizeOptions& options) {
  return SpmdTarget::keeps_registers_in_memory(options) && spmd.functions.empty() &&
         spmd::wave_observers(*spmd.module, spmd.functions).empty();
}

void give_up_lockstep(SpmdProgram& spmd, const CompileRequest& request, codeobject::CodeObject& object,
                      Diagnostics& diagnostics) {
  for (SpmdKernel& kernel : spmd.kernels) {
    if (!kernel.lockstep) continue;
    const std::string& name = object.kernels[request.symbols[kernel.symbol]].name;
    diagnostics.warning("FINALIZER-lockstep", Location::binary("hsa_code", kernel.definition.offset),
                        fmt::format("{} is made for debuggers: its work-items execute one at a time, not in "
                                    "lock-step",
                                    name));
    kernel.lockstep.reset();
  }
}

}  // namespace

Result<void> compile(SpmdProgram spmd, const Variant& variant, const CompileRequest& request,
                     codeobject::CodeObject& object, Diagnostics& diagnostics) {
  Variant made = variant;
  if (variant.wave.lanes > 1 && may_execute_single_work_items(spmd, request.options)) {
    give_up_lockstep(spmd, request, object, diagnostics);
    made.wave = {};
  }
  return Compilation(std::move(spmd), made, request, object, diagnostics).run();
}

}  // namespace heddle::finalizer::x86
