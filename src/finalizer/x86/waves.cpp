// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "finalizer/x86/waves.h"

#include <fmt/format.h>

#include <hsa/hsa_brig_directives.h>

#include "finalizer/lockstep.h"
#include "finalizer/passes.h"
#include "finalizer/spmd/lockstep.h"
#include "finalizer/spmd/narrow.h"
#include "finalizer/spmd/observe.h"
#include "finalizer/spmd/prefetch.h"
#include "finalizer/spmd/prefetch_streams.h"
#include "finalizer/spmd/unroll.h"
#include "finalizer/spmd/vectorise.h"
#include "finalizer/spmd/wave_functions.h"
#include "finalizer/spmd/width_promise.h"
#include "finalizer/x86/machine.h"
#include "finalizer/x86/temporal.h"
#include "finalizer/x86/vector_pressure.h"

namespace heddle::finalizer::x86 {
namespace {

using llvm::Function;

/// Calls are replaced by the functions that they call until the caller has this many LLVM instructions.
constexpr size_t largest_with_calls_inlined = 20000;

/// Kernels with up to this many LLVM instructions have a body for rows beside the general one.
constexpr size_t largest_with_rows = 4000;

/// Waves that are longer than those of the ISA have at most this many work-items, and their bodies for rows
/// at most about this many LLVM instructions.
constexpr unsigned most_long_lanes = 32;
constexpr size_t largest_long_row = 1000;
/// More bytes of private memory for each work-item of long waves would not stay in the fastest cache.
constexpr uint32_t most_private = 256;

unsigned cost_of(const spmd::WideFunction& wide) { return wide.gathers + wide.scatters + wide.lane_loops; }

class WaveMaker {
 public:
  WaveMaker(SpmdProgram& program, const WavesRequest& request, llvm::TargetMachine& machine)
      : program_(program),
        kernarg_size_(request.kernarg_size),
        entry_kind_(request.entry_kind),
        merging_(request.merging),
        machine_(machine),
        isa_wave_(request.wave),
        has_mask_registers_(request.level == Level::v4),
        row_bodies_(request.row_bodies) {
    request_.widen = {isa_wave_, {has_mask_registers_}, &wide_functions_, request.explains};
    request_.wavesize = isa_wave_.lanes;
    request_.tests.lanes = isa_wave_.lanes;
    request_.tests.create_refusal = refuse_wave;
  }

  Waves run();

 private:
  void run_simplification(Function& function);
  void simplify(Function& function);
  std::vector<Function*> functions_of_calls();
  void make_functions();
  void keep_lockstep();
  const std::string* refusal(Function& function) const;
  std::optional<std::string> lockstep_refusal(const SpmdKernel& kernel) const;
  bool calls_functions(const SpmdKernel& kernel) const {
    return spmd::called_functions({kernel.body}).size() > 1;
  }
  /// Reports whether it matters which work-items the waves of a kernel have.
  bool needs_its_waves(const SpmdKernel& kernel) const {
    return kernel.lockstep || observers_.contains(kernel.body);
  }
  Result<void> make_bodies(const SpmdKernel& kernel, KernelReport& report);
  Result<spmd::WideFunction> make_body(const SpmdKernel& kernel, spmd::BodyKind kind);
  void make_row_bodies(const SpmdKernel& kernel, KernelReport& report);
  spmd::WaveShape longest_wave(const SpmdKernel& kernel, const Function& row, unsigned most_lanes) const;
  void set_wave(const spmd::WaveShape& wave);
  void choose_wave(const SpmdKernel& kernel);
  void remove(Function& function);
  void make_wide_row(const SpmdKernel& kernel, KernelReport& report);
  void make_kernels();
  void replace_indirect_functions();
  void remove_unused(llvm::ArrayRef<Function*> functions);

  SpmdProgram& program_;
  const llvm::function_ref<uint64_t(const SpmdKernel&)> kernarg_size_;
  const llvm::function_ref<EntryKind(const SpmdKernel&)> entry_kind_;
  const llvm::function_ref<GroupMerging(const SpmdKernel&)> merging_;
  llvm::TargetMachine& machine_;
  const spmd::WaveShape isa_wave_;
  const bool has_mask_registers_;
  const bool row_bodies_;
  spmd::VectoriseRequest request_;
  spmd::WaveFunctions wide_functions_;
  llvm::DenseMap<const Function*, std::string> refused_;  ///< functions, and why
  std::map<const Function*, std::string_view> observers_;
  Waves waves_;
};

void WaveMaker::run_simplification(Function& function) {
  with_passes(
      *function.getParent(), machine_, [&](llvm::PassBuilder& builder, llvm::ModuleAnalysisManager& modules) {
        llvm::FunctionPassManager passes;
        llvm::cantFail(
            builder.parsePassPipeline(passes, "sroa,early-cse<memssa>,instcombine<no-verify-fixpoint>"));
        auto& proxy = modules.getResult<llvm::FunctionAnalysisManagerModuleProxy>(*function.getParent());
        passes.run(function, proxy.getManager());
      });
}

/// Inlines calls, removes variables on the stack, unrolls small loops and makes integers narrow, because all
/// of these cost more in waves.
void WaveMaker::simplify(Function& function) {
  spmd::inline_calls(function, largest_with_calls_inlined);
  run_simplification(function);
  if (spmd::unroll_small_loops(function)) run_simplification(function);
  spmd::narrow_comparisons(function);
}

/// Returns the functions that are called by kernels or may be called indirectly.
std::vector<Function*> WaveMaker::functions_of_calls() {
  llvm::SmallVector<Function*, 8> roots;
  for (const SpmdKernel& kernel : program_.kernels) roots.push_back(kernel.body);
  for (const SpmdIndirectFunction& indirect : program_.functions) roots.push_back(indirect.function);
  std::vector<Function*> functions = spmd::called_functions(roots);
  functions.erase(functions.begin(), functions.begin() + static_cast<ptrdiff_t>(program_.kernels.size()));
  return functions;
}

/// Makes the functions of waves of all functions that are left after calls have been inlined.
void WaveMaker::make_functions() {
  for (Function* function : functions_of_calls()) simplify(*function);
  const auto functions = functions_of_calls();
  for (Function* function : functions)
    wide_functions_[function] = spmd::declare_wave_function(*function, request_.widen);
  request_.body = spmd::BodyKind::general;
  request_.merges_groups = llvm::any_of(
      program_.kernels, [&](const SpmdKernel& kernel) { return merging_(kernel) != GroupMerging::none; });
  for (Function* function : functions) {
    auto wide = spmd::vectorise(*function, request_, wide_functions_[function]);
    if (wide.ok())
      waves_.functions[wide->function] = request_.widen.wave;
    else
      refused_[function] = wide.error().message;
  }
}

/// Returns why waves cannot execute a function or what it calls, or null.
const std::string* WaveMaker::refusal(Function& function) const {
  for (const Function* called : spmd::called_functions({&function}))
    if (const auto found = refused_.find(called); found != refused_.end()) return &found->second;
  return nullptr;
}

/// Returns why a kernel cannot be executed in lock-step, if it asks for that and its waves have another
/// length than those of the ISA.
std::optional<std::string> WaveMaker::lockstep_refusal(const SpmdKernel& kernel) const {
  if (!kernel.lockstep || isa_wave_.lanes == lockstep_lanes) return std::nullopt;
  if (const auto observer = observers_.find(kernel.body); observer != observers_.end())
    return fmt::format("it can tell by {} that waves of this ISA have {}", observer->second, isa_wave_.lanes);
  if (calls_functions(kernel))
    return fmt::format("it calls functions that cannot be inlined, and in this ISA these are for waves of {}",
                       isa_wave_.lanes);
  return std::nullopt;
}

/// Makes all bodies of a kernel, or returns why waves cannot execute it. Huge kernels get no bodies for rows,
/// which are not worth their time there.
Result<void> WaveMaker::make_bodies(const SpmdKernel& kernel, KernelReport& report) {
  if (const std::string* why = refusal(*kernel.body)) return Error{*why};
  if (const auto why = lockstep_refusal(kernel)) return Error{*why};
  WaveBodies bodies;
  request_.merges_groups = merging_(kernel) != GroupMerging::none;
  request_.follows_slices = !request_.merges_groups &&
                            spmd::has_promises_for_slices(*kernel.body, isa_wave_.lanes, isa_wave_.lanes);
  choose_wave(kernel);
  bodies.follows_slices = request_.follows_slices;
  bodies.wave = request_.widen.wave;
  bodies.has_mask_registers = has_mask_registers_;
  bodies.observes_waves = needs_its_waves(kernel);
  request_.tests.kernarg_size = kernarg_size_(kernel);
  auto general = make_body(kernel, spmd::BodyKind::general);
  if (!general.ok()) return general.error();
  report.general = *general;
  report.wide_wave = bodies.wave;
  const size_t size = kernel.body->getInstructionCount();
  if (row_bodies_ && size <= largest_with_rows)
    make_row_bodies(kernel, report);
  else if (row_bodies_)
    report.missing.push_back(
        {"for rows", fmt::format("the kernel has {} instructions, and kernels with more than {} get none",
                                 size, largest_with_rows)});
  bodies.general = report.general.function;
  bodies.row = report.row.function;
  bodies.row_may_refuse = report.row.may_refuse;
  bodies.wide_row = report.wide_row.function;
  bodies.wide_wave = report.wide_wave;
  bodies.wide_row_may_refuse = report.wide_row.may_refuse;
  bodies.partial_row = report.partial_row.function;
  bodies.partial_row_may_refuse = report.partial_row.may_refuse;
  waves_.bodies[kernel.symbol] = bodies;
  report.lanes = bodies.wave.lanes;
  report.most_lanes = bodies.wide_wave.lanes;
  // Only now that the lengths of waves have been chosen by the instructions that bodies need.
  const TargetTraits& machine = traits(isa_wave_.lanes);
  const unsigned near_spaces[] = {machine.address_space(HSA_BRIG_SEGMENT_GROUP),
                                  machine.address_space(HSA_BRIG_SEGMENT_PRIVATE)};
  for (Function* body : {bodies.general, bodies.row, bodies.wide_row, bodies.partial_row})
    if (body) spmd::prefetch_lane_streams(*body, near_spaces);
  return {};
}

Result<spmd::WideFunction> WaveMaker::make_body(const SpmdKernel& kernel, spmd::BodyKind kind) {
  request_.body = kind;
  auto wide = spmd::vectorise(*kernel.body, request_);
  if (!wide.ok()) return wide;
  waves_.functions[wide->function] = request_.widen.wave;
  spmd::prefetch_grid_strides(*wide->function);
  return wide;
}

/// Makes the bodies for rows, as far as that is possible: the general body can do the same. That for partial
/// rows is kept only if it does less of what costs much.
void WaveMaker::make_row_bodies(const SpmdKernel& kernel, KernelReport& report) {
  if (auto row = make_body(kernel, spmd::BodyKind::row); row.ok())
    report.row = *row;
  else
    report.missing.push_back({"for rows", row.error().message});
  if (report.row.function) make_wide_row(kernel, report);
  auto partial = make_body(kernel, spmd::BodyKind::partial_row);
  if (!partial.ok()) {
    report.missing.push_back({"for partial rows", partial.error().message});
    return;
  }
  if (cost_of(*partial) < cost_of(report.general)) {
    report.partial_row = *partial;
  } else {
    remove(*partial->function);
  }
}

/// Returns the longest waves of a kernel that are worth their time, those of the ISA at least. Long waves
/// hide the latency of operations and share what is uniform, until too many values have to be kept in memory.
/// Measured on all kernels of bench/, that begins where values need about twice as many registers as there
/// are. `row` is the body for rows with waves of the ISA.
spmd::WaveShape WaveMaker::longest_wave(const SpmdKernel& kernel, const Function& row,
                                        unsigned most_lanes) const {
  spmd::WaveShape wave = isa_wave_;
  if (needs_its_waves(kernel) || calls_functions(kernel) || kernel.private_size > most_private) return wave;
  size_t size = row.getInstructionCount();
  if (2 * size > largest_long_row) return wave;
  const unsigned most_needed = has_mask_registers_ ? 64 : 32;
  unsigned needed = vector_pressure(row, has_mask_registers_ ? 512 : 256);
  while (2 * wave.lanes <= most_lanes && 2 * needed <= most_needed && 2 * size <= largest_long_row) {
    wave.lanes *= 2;
    needed *= 2;
    size *= 2;
  }
  return wave;
}

void WaveMaker::set_wave(const spmd::WaveShape& wave) {
  request_.widen.wave = wave;
  request_.tests.lanes = wave.lanes;
}

/// Chooses the waves of a kernel, which has a say itself if it asks for lock-step. Otherwise, those of the
/// ISA leave few work-items of a row to slow bodies, and where waves do not wait, long ones can take turns
/// with them. Where waves meet at barriers, all have one length, which is chosen only if it is known that
/// rows consist of such waves.
void WaveMaker::choose_wave(const SpmdKernel& kernel) {
  if (kernel.lockstep) return set_wave({lockstep_lanes, isa_wave_.part_lanes});
  set_wave(isa_wave_);
  const ControlDirectives& directives = kernel.directives;
  if (!row_bodies_ || entry_kind_(kernel) != EntryKind::interleaved ||
      !directives.has(HSA_BRIG_CONTROL_DIRECTIVE_REQUIREDWORKGROUPSIZE))
    return;
  unsigned most = most_long_lanes;
  while (directives.required_workgroup_size[0] % most != 0) most /= 2;
  if (most <= isa_wave_.lanes) return;
  auto row = make_body(kernel, spmd::BodyKind::row);
  if (!row.ok()) return;
  set_wave(longest_wave(kernel, *row->function, most));
  remove(*row->function);
}

void WaveMaker::make_wide_row(const SpmdKernel& kernel, KernelReport& report) {
  if (entry_kind_(kernel) != EntryKind::groups || kernel.lockstep) return;
  const spmd::WaveShape wide = longest_wave(kernel, *report.row.function, most_long_lanes);
  if (wide.lanes == isa_wave_.lanes) return;
  set_wave(wide);
  if (auto row = make_body(kernel, spmd::BodyKind::row); row.ok()) {
    report.wide_row = *row;
    report.wide_wave = wide;
  } else {
    report.missing.push_back({fmt::format("for rows of {}", wide.lanes), row.error().message});
  }
  set_wave(isa_wave_);
}

void WaveMaker::remove(Function& function) {
  waves_.functions.erase(&function);
  function.eraseFromParent();
}

void WaveMaker::make_kernels() {
  for (SpmdKernel& kernel : program_.kernels) {
    KernelReport& report = waves_.reports[kernel.symbol];
    if (const auto observer = observers_.find(kernel.body); observer != observers_.end())
      report.observed_by = observer->second;
    report.lockstep = kernel.lockstep;
    if (auto made = make_bodies(kernel, report); !made.ok()) {
      report.refusal = made.error().message;
      drop_nontemporal_hints(*kernel.body);
      continue;
    }
    kernel.body->deleteBody();
    kernel.body->eraseFromParent();
    kernel.body = nullptr;
  }
}

void WaveMaker::replace_indirect_functions() {
  for (SpmdIndirectFunction& indirect : program_.functions) {
    if (const std::string* why = refusal(*indirect.function))
      waves_.refused_functions[indirect.symbol] = *why;
    indirect.function = wide_functions_[indirect.function];
  }
}

/// Removes functions for single work-items that no kernel calls any more, and functions of waves without a
/// body with all that call them.
void WaveMaker::remove_unused(llvm::ArrayRef<Function*> functions) {
  llvm::SmallVector<Function*, 8> scalar_bodies, unused;
  for (const SpmdKernel& kernel : program_.kernels)
    if (kernel.body) scalar_bodies.push_back(kernel.body);
  const auto used = spmd::called_functions(scalar_bodies);
  for (Function* function : functions) {
    Function* wide = wide_functions_.lookup(function);
    if (wide && refusal(*function)) unused.push_back(wide);
    if (!llvm::is_contained(used, function)) unused.push_back(function);
  }
  for (Function* function : unused) function->deleteBody();
  for (Function* function : unused) {
    waves_.functions.erase(function);
    function->eraseFromParent();
  }
}

/// Prepares the kernels and indirect functions that ask for lock-step, and all functions that they call.
void WaveMaker::keep_lockstep() {
  llvm::SmallVector<Function*, 8> roots;
  for (const SpmdKernel& kernel : program_.kernels)
    if (kernel.lockstep) roots.push_back(kernel.body);
  for (const SpmdIndirectFunction& indirect : program_.functions)
    if (indirect.lockstep) roots.push_back(indirect.function);
  for (Function* function : spmd::called_functions(roots)) spmd::keep_stores_in_order(*function);
}

Waves WaveMaker::run() {
  observers_ = spmd::wave_observers(*program_.module, program_.functions);
  keep_lockstep();
  const auto functions = functions_of_calls();
  for (const SpmdKernel& kernel : program_.kernels) simplify(*kernel.body);
  make_functions();
  make_kernels();
  replace_indirect_functions();
  if (waves_.refused_functions.empty()) remove_unused(functions);
  return std::move(waves_);
}

}  // namespace

Waves make_waves(SpmdProgram& program, const WavesRequest& request, llvm::TargetMachine& machine) {
  return WaveMaker(program, request, machine).run();
}

}  // namespace heddle::finalizer::x86
