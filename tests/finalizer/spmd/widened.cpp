// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "widened.h"

#include <fmt/format.h>
#include <setjmp.h>
#include <signal.h>

#include <cstring>

#include <llvm/Bitcode/BitcodeReader.h>
#include <llvm/Bitcode/BitcodeWriter.h>
#include <llvm/ExecutionEngine/Orc/LLJIT.h>
#include <llvm/IR/LegacyPassManager.h>
#include <llvm/IR/Verifier.h>
#include <llvm/MC/TargetRegistry.h>
#include <llvm/Passes/PassBuilder.h>
#include <llvm/Support/TargetSelect.h>
#include <llvm/Support/raw_ostream.h>
#include <llvm/Target/TargetMachine.h>
#include <llvm/Transforms/Utils/Cloning.h>

#include "finalizer/spmd/lane_masks.h"
#include "finalizer/spmd/linearise.h"
#include "finalizer/spmd/narrow.h"
#include "finalizer/spmd/neighbours.h"
#include "finalizer/spmd/prepare.h"
#include "finalizer/spmd/serial_loops.h"
#include "finalizer/spmd/vector_forms.h"
#include "finalizer/spmd/verify.h"
#include "finalizer/spmd/wave_functions.h"
#include "finalizer/spmd/whole_iterations.h"
#include "support/guarded_buffer.h"
#include "test_operations.h"

#if defined(__clang__)
#define HEDDLE_TEST_CALLS_MADE_CODE __attribute__((no_sanitize("function")))
#else
#define HEDDLE_TEST_CALLS_MADE_CODE
#endif

namespace heddle::testing {

namespace spmd = finalizer::spmd;
using llvm::Value;

// ---- forms

std::string WideForm::name() const {
  return fmt::format("{} lanes in parts of {}, {} masks, {}{}{}", wave.lanes, wave.part_lanes,
                     has_mask_registers ? "i1" : "i32", body == spmd::Body::row ? "row" : "general",
                     all_active ? ", all active" : "", optimise ? ", optimised" : "");
}

std::vector<WideForm> all_forms() {
  std::vector<WideForm> forms;
  const struct {
    spmd::WaveShape wave;
    bool has_mask_registers;
  } machines[] = {{{4, 4}, false},  {{8, 8}, false}, {{8, 4}, false},  {{16, 8}, false},
                  {{32, 8}, false}, {{4, 4}, true},  {{16, 16}, true}, {{16, 8}, true},
                  {{32, 16}, true}, {{2, 2}, false}, {{64, 16}, true}};
  for (const auto& machine : machines)
    for (const spmd::Body body : {spmd::Body::general, spmd::Body::row})
      for (const bool all_active : {false, true})
        forms.push_back({machine.wave, machine.has_mask_registers, body, all_active, false});
  return forms;
}

// ---- the function of a wave

namespace {

/// Returns the shapes of the arguments of all functions of the tests.
std::vector<spmd::Shape> argument_shapes(const WideForm& form) {
  using spmd::Shape;
  Shape id = Shape::varying();
  if (form.body == spmd::Body::row) {
    id = Shape::strided(1, form.wave.lanes);
    id.no_wrap = true;
  }
  return {Shape::uniform(), Shape::uniform(), Shape::uniform(), id, Shape::varying(), Shape::varying(),
          Shape::varying(), Shape::uniform(), Shape::varying()};
}

spmd::ShapeRequest shape_request(const WideForm& form) {
  spmd::ShapeRequest request;
  request.lanes = form.wave.lanes;
  request.body = form.body;
  request.all_active = form.all_active;
  request.arguments = argument_shapes(form);
  return request;
}

}  // namespace

Widened::Widened(const llvm::Module& original, const WideForm& form) : module_(llvm::CloneModule(original)) {
  spmd::WidenRequest request = {form.wave, {form.has_mask_registers}, &functions_};
  llvm::Function& scalar = *module_->getFunction("f");
  for (llvm::Function& function : llvm::make_early_inc_range(*module_))
    if (&function != &scalar && !function.isDeclaration())
      functions_[&function] = spmd::declare_wave_function(function, request);
  llvm::ValueToValueMapTy map;
  llvm::Function& function = *llvm::CloneFunction(&scalar, map);
  function.setName("g");
  Value* mask = function.getArg(8);
  if (form.all_active) mask = llvm::ConstantInt::getTrue(function.getContext());
  wide_ = widen(function, *mask, shape_request(form), request, nullptr);
  widen_callees(form, request);
}

/// Widens the functions that may be called. Their waves are anything.
void Widened::widen_callees(const WideForm& form, const spmd::WidenRequest& request) {
  for (llvm::Function& scalar : llvm::make_early_inc_range(*module_)) {
    llvm::Function* declared = functions_.lookup(&scalar);
    if (!declared || !error_.empty()) continue;
    llvm::Function& function = spmd::clone_with_mask(scalar);
    spmd::ShapeRequest shapes;
    shapes.lanes = form.wave.lanes;
    widen(function, *function.getArg(spmd::mask_argument), shapes, request, declared);
  }
}

/// Widens a function, and deletes it. If there is an error, notes it.
spmd::WideFunction Widened::widen(llvm::Function& function, Value& mask, const spmd::ShapeRequest& shapes,
                                  const spmd::WidenRequest& request, llvm::Function* declared) {
  spmd::narrow_comparisons(function);
  spmd::restore_vector_forms(function);
  spmd::make_canonical(function);
  spmd::SpmdFunction state{function, spmd::compute_shapes(function, shapes), &mask, {}, {}};
  spmd::TestedInstructions tested;
  const auto loops = spmd::outline_serial_loops(function, state.shapes, request.wave, tested);
  if (!loops.empty()) state.shapes = spmd::compute_shapes(function, shapes);
  if (spmd::separate_whole_iterations(function, state.shapes, request.wave.lanes, tested))
    state.shapes = spmd::compute_shapes(function, shapes);
  spmd::merge_neighbours(function, state.shapes);
  spmd::chain_divergent_switches(function, state.shapes);
  spmd::linearise(state);
  if (auto right = spmd::verify(state, shapes); !right.ok()) {
    error_ = "before widening: " + right.error().message;
    return {};
  }
  spmd::WaveEffects effects;
  auto wide = spmd::widen(state, request, declared, &effects);
  if (!declared && loops.empty()) effects_ = std::move(effects);
  for (llvm::Function* loop : loops) spmd::inline_serial_loop(*loop);
  if (!wide.ok()) {
    error_ = wide.error().message;
    return {};
  }
  function.eraseFromParent();
  llvm::raw_string_ostream out(error_);
  if (llvm::verifyFunction(*wide->function, &out)) out << *wide->function;
  return *wide;
}

std::string Widened::text() const {
  std::string text;
  llvm::raw_string_ostream out(text);
  if (wide_.function) out << *wide_.function;
  for (const llvm::Function& scalar : *module_)
    if (const llvm::Function* wide = functions_.lookup(&scalar)) out << *wide;
  return text;
}

// ---- execution

namespace {

constexpr unsigned argument_count = 9;
constexpr unsigned argument_space = 1024;  // bytes for the values of one argument

/// Creates `name`(ptr arguments, i64 lane), which calls @f for one lane.
void add_scalar_caller(llvm::Module& module) {
  llvm::IRBuilder<> ir(module.getContext());
  auto* type = llvm::FunctionType::get(ir.getVoidTy(), {ir.getPtrTy(), ir.getInt64Ty()}, false);
  auto* caller = llvm::Function::Create(type, llvm::Function::ExternalLinkage, "call_scalar", module);
  ir.SetInsertPoint(llvm::BasicBlock::Create(module.getContext(), "", caller));
  llvm::SmallVector<Value*, 9> arguments;
  for (const llvm::Argument& argument : module.getFunction("f")->args()) {
    Value* base =
        ir.CreateConstGEP1_64(ir.getInt8Ty(), caller->getArg(0), argument.getArgNo() * argument_space);
    llvm::Type* kept = argument.getType()->isIntegerTy(1) ? ir.getInt8Ty() : argument.getType();
    Value* value = ir.CreateLoad(kept, ir.CreateGEP(kept, base, caller->getArg(1)));
    arguments.push_back(ir.CreateZExtOrBitCast(value, kept));
    if (kept != argument.getType()) arguments.back() = ir.CreateTrunc(value, argument.getType());
  }
  ir.CreateCall(module.getFunction("f"), arguments);
  ir.CreateRetVoid();
}

/// Creates `call_wave`(ptr arguments), which calls the function of the wave.
void add_wave_caller(llvm::Module& module, llvm::Function& wide, const WideForm& form) {
  llvm::IRBuilder<> ir(module.getContext());
  auto* type = llvm::FunctionType::get(ir.getVoidTy(), {ir.getPtrTy()}, false);
  auto* caller = llvm::Function::Create(type, llvm::Function::ExternalLinkage, "call_wave", module);
  ir.SetInsertPoint(llvm::BasicBlock::Create(module.getContext(), "", caller));
  const spmd::LaneMasks masks(form.wave, form.has_mask_registers);
  const auto shapes = argument_shapes(form);
  llvm::SmallVector<Value*, 32> arguments;
  for (const llvm::Argument& argument : module.getFunction("f")->args()) {
    Value* base =
        ir.CreateConstGEP1_64(ir.getInt8Ty(), caller->getArg(0), argument.getArgNo() * argument_space);
    if (!shapes[argument.getArgNo()].is_varying()) {
      arguments.push_back(ir.CreateLoad(argument.getType(), base));
      continue;
    }
    const bool is_truth = argument.getType()->isIntegerTy(1);
    auto* part =
        llvm::FixedVectorType::get(is_truth ? ir.getInt8Ty() : argument.getType(), form.wave.part_lanes);
    for (unsigned p = 0; p < form.wave.parts(); ++p) {
      Value* value = ir.CreateAlignedLoad(part, ir.CreateConstGEP1_64(part, base, p), llvm::Align(1));
      if (is_truth) value = masks.from_bits(ir, ir.CreateICmpNE(value, llvm::Constant::getNullValue(part)));
      arguments.push_back(value);
    }
  }
  ir.CreateCall(&wide, arguments);
  ir.CreateRetVoid();
}

std::unique_ptr<llvm::TargetMachine> machine_for(const llvm::Triple& triple, const std::string& cpu) {
  std::string error;
  const llvm::Target* target = llvm::TargetRegistry::lookupTarget(triple, error);
  return std::unique_ptr<llvm::TargetMachine>(
      target->createTargetMachine(triple, cpu, "", llvm::TargetOptions(), llvm::Reloc::PIC_));
}

void prepare_llvm() {
  static const bool done = [] {
    llvm::InitializeNativeTarget();
    llvm::InitializeNativeTargetAsmPrinter();
    return true;
  }();
  (void)done;
}

const llvm::Triple x86_triple("x86_64-unknown-linux-gnu");

void optimise(llvm::Module& module, llvm::TargetMachine& machine) {
  llvm::LoopAnalysisManager loops;
  llvm::FunctionAnalysisManager functions;
  llvm::CGSCCAnalysisManager sccs;
  llvm::ModuleAnalysisManager modules;
  llvm::PassBuilder builder(&machine);
  builder.registerModuleAnalyses(modules);
  builder.registerCGSCCAnalyses(sccs);
  builder.registerFunctionAnalyses(functions);
  builder.registerLoopAnalyses(loops);
  builder.crossRegisterProxies(loops, functions, sccs, modules);
  llvm::ModulePassManager passes;
  llvm::cantFail(builder.parsePassPipeline(passes,
                                           "function(early-cse<memssa>,instcombine<no-verify-fixpoint>,loop-"
                                           "mssa(licm),gvn,dse,adce,simplifycfg)"));
  passes.run(module, modules);
}

/// The machine code of a program in one form.
class Code {
 public:
  using Scalar = void (*)(uint8_t* arguments, uint64_t lane);
  using Wave = void (*)(uint8_t* arguments);

  Code(std::unique_ptr<llvm::Module> module, bool optimised) {
    prepare_llvm();
    llvm::orc::JITTargetMachineBuilder builder(x86_triple);
    builder.setCPU("x86-64-v3");
    builder.setCodeGenOptLevel(llvm::CodeGenOptLevel::Less);
    auto machine = llvm::cantFail(builder.createTargetMachine());
    module->setTargetTriple(x86_triple);
    module->setDataLayout(machine->createDataLayout());
    if (optimised) optimise(*module, *machine);
    jit_ = llvm::cantFail(llvm::orc::LLJITBuilder().setJITTargetMachineBuilder(builder).create());
    // The context stays with the test, which has one thread.
    auto copy_context = std::make_unique<llvm::LLVMContext>();
    auto copy = copied(*module, *copy_context);
    llvm::cantFail(jit_->addIRModule(llvm::orc::ThreadSafeModule(std::move(copy), std::move(copy_context))));
  }

  Scalar scalar() { return llvm::cantFail(jit_->lookup("call_scalar")).toPtr<Scalar>(); }
  ItemState state() {
    return {llvm::cantFail(jit_->lookup("test.item")).toPtr<uint32_t*>(),
            llvm::cantFail(jit_->lookup("test.active")).toPtr<uint64_t*>(),
            llvm::cantFail(jit_->lookup("test.is_wave")).toPtr<uint8_t*>()};
  }
  Wave wave() { return llvm::cantFail(jit_->lookup("call_wave")).toPtr<Wave>(); }

 private:
  static std::unique_ptr<llvm::Module> copied(const llvm::Module& module, llvm::LLVMContext& context);
  std::unique_ptr<llvm::orc::LLJIT> jit_;
};

std::unique_ptr<llvm::Module> Code::copied(const llvm::Module& module, llvm::LLVMContext& context) {
  llvm::SmallVector<char, 0> bytes;
  llvm::raw_svector_ostream out(bytes);
  llvm::WriteBitcodeToFile(module, out);
  return llvm::cantFail(llvm::parseBitcodeFile(
      llvm::MemoryBufferRef(llvm::StringRef(bytes.data(), bytes.size()), ""), context));
}

/// Memory and arguments of a wave.
struct WaveRun {
  unsigned lanes;
  std::vector<bool> active;
  unsigned first = 0, last = 0;  // active lanes
  std::vector<uint8_t> shared, mine, before;
  uint32_t first_id = 0;
  std::vector<uint64_t> values[4];  // ids, a, b, x
  uint64_t u = 0;
};

std::vector<uint8_t> random_bytes(std::mt19937& random, size_t size) {
  std::vector<uint8_t> bytes(size);
  const bool is_small = random() % 2 == 0;
  for (size_t i = 0; i < size; ++i) bytes[i] = static_cast<uint8_t>(is_small && i % 4 != 0 ? 0 : random());
  return bytes;
}

void choose_active(WaveRun& run, const WideForm& form, std::mt19937& random) {
  run.active.assign(run.lanes, true);
  if (!form.all_active) {
    const unsigned kind = random() % 4, limit = 1 + random() % run.lanes;
    for (unsigned lane = 0; lane < run.lanes; ++lane)
      run.active[lane] = kind == 0 || (kind == 1   ? lane < limit
                                       : kind == 2 ? lane >= run.lanes - limit
                                                   : random() % 2 == 0);
    run.active[random() % run.lanes] = true;
  }
  while (!run.active[run.first]) ++run.first;
  run.last = run.lanes - 1;
  while (!run.active[run.last]) --run.last;
}

WaveRun random_run(const WideProgram& program, const WideForm& form, std::mt19937& random) {
  WaveRun run;
  run.lanes = form.wave.lanes;
  choose_active(run, form, random);
  const size_t bytes = (run.last - run.first + 1) * program.lane_bytes;
  run.shared = random_bytes(random, shared_bytes);
  run.mine = random_bytes(random, bytes);
  run.before = random_bytes(random, bytes);
  run.first_id = static_cast<uint32_t>(random() % 3) * run.lanes;
  run.u = random() % 8;
  for (unsigned lane = 0; lane < run.lanes; ++lane) {
    const bool is_anything = !run.active[lane];
    const uint64_t wild[3] = {0, ~uint64_t{0}, 0x8000000080000000};
    const auto value = [&](uint64_t usual) {
      return is_anything ? (random() % 2 ? wild[random() % 3] : (uint64_t{random()} << 32 | random()))
                         : usual;
    };
    const bool is_row = form.body == spmd::Body::row;
    run.values[0].push_back(is_row ? run.first_id + lane : value(run.first_id + lane));
    const bool is_small = random() % 2;
    run.values[1].push_back(value(is_small ? random() % 8 : random()));
    run.values[2].push_back(value(is_small ? random() % 8 : random()));
    run.values[3].push_back(value(random() % 2 ? random() % 80 : (uint64_t{random()} << 32 | random())));
  }
  return run;
}

thread_local sigjmp_buf fault_return;

void on_fault(int) { siglongjmp(fault_return, 1); }

/// Reports whether code runs to its end without a fault.
template <typename Call>
bool runs(Call&& call) {
  struct sigaction action = {}, old[3];
  const int signals[3] = {SIGSEGV, SIGBUS, SIGFPE};
  action.sa_handler = on_fault;
  action.sa_flags = SA_NODEFER;
  for (int i = 0; i < 3; ++i) ::sigaction(signals[i], &action, &old[i]);
  const bool good = sigsetjmp(fault_return, 1) == 0;
  if (good) call();
  for (int i = 0; i < 3; ++i) ::sigaction(signals[i], &old[i], nullptr);
  return good;
}

/// The memory of one execution, and the arguments that point to it.
class Place {
 public:
  Place(const WideProgram& program, const WaveRun& run, GuardedBuffer::Guard guard)
      : shared_(run.shared.size(), guard),
        mine_(run.mine.size(), guard),
        out_(run.before.size(), guard),
        arguments_(argument_count * argument_space) {
    for (const auto* buffer : {&shared_, &mine_, &out_})
      std::memset(buffer->pages(), 0xa5, buffer->pages_size());
    std::memcpy(shared_.data(), run.shared.data(), run.shared.size());
    std::memcpy(mine_.data(), run.mine.data(), run.mine.size());
    std::memcpy(out_.data(), run.before.data(), run.before.size());
    // Only the work-items from the first to the last active one have memory.
    const uint64_t skipped = (uint64_t{run.first_id} + run.first) * program.lane_bytes;
    for (unsigned lane = 0; lane < run.lanes; ++lane) {
      set(0, lane, reinterpret_cast<uint64_t>(shared_.data()), 8);
      set(1, lane, reinterpret_cast<uint64_t>(mine_.data()) - skipped, 8);
      set(2, lane, reinterpret_cast<uint64_t>(out_.data()) - skipped, 8);
      for (unsigned i = 0; i < 3; ++i) set(3 + i, lane, run.values[i][lane], 4);
      set(6, lane, run.values[3][lane], 8);
      set(7, lane, run.u, 4);
      set(8, lane, run.active[lane], 1);
    }
  }

  uint8_t* arguments() { return arguments_.data(); }
  std::vector<uint8_t> memory() const {
    std::vector<uint8_t> all;
    for (const auto* buffer : {&shared_, &mine_, &out_})
      all.insert(all.end(), buffer->pages(), buffer->pages() + buffer->pages_size());
    return all;
  }

 private:
  void set(unsigned argument, unsigned lane, uint64_t value, unsigned size) {
    std::memcpy(&arguments_[argument * argument_space + lane * size], &value, size);
  }

  GuardedBuffer shared_, mine_, out_;
  std::vector<uint8_t> arguments_;
};

HEDDLE_TEST_CALLS_MADE_CODE std::string compare(Code& code, const WideProgram& program, const WaveRun& run) {
  for (const auto guard : {GuardedBuffer::Guard::before, GuardedBuffer::Guard::behind}) {
    Place expected(program, run, guard), actual(program, run, guard);
    const auto scalar = code.scalar();
    const ItemState state = code.state();
    *state.active = 0;
    *state.is_wave = 0;
    for (unsigned lane = 0; lane < run.lanes; ++lane) *state.active |= uint64_t{run.active[lane]} << lane;
    for (unsigned lane = 0; lane < run.lanes; ++lane) {
      *state.item = run.first_id + lane;
      if (run.active[lane] && !runs([&] { scalar(expected.arguments(), lane); }))
        return fmt::format("the test itself is wrong: work-item {} faults", lane);
    }
    *state.item = run.first_id;
    *state.is_wave = 1;
    const auto wave = code.wave();
    if (!runs([&] { wave(actual.arguments()); })) return "the wave faults";
    const auto a = actual.memory(), e = expected.memory();
    for (size_t i = 0; i < a.size(); ++i)
      if (a[i] != e[i])
        return fmt::format("byte {} of memory is {:#x} instead of {:#x}; active lanes {} to {}", i, a[i],
                           e[i], run.first, run.last);
  }
  return "";
}

}  // namespace

std::string wave_difference(const WideProgram& program, const WideForm& form, std::mt19937& random,
                            unsigned runs) {
  Widened widened(*program.module, form);
  if (!widened.error().empty()) return widened.error();
  return wave_difference(program, widened, form, random, runs);
}

std::string wave_difference(const WideProgram& program, Widened& widened, const WideForm& form,
                            std::mt19937& random, unsigned runs) {
  const std::string text = widened.text();
  llvm::Function& wide = *widened.wide().function;
  auto module = widened.take_module();
  define_test_operations(*module, form.wave.lanes);
  add_scalar_caller(*module);
  add_wave_caller(*module, wide, form);
  Code code(std::move(module), form.optimise);
  for (unsigned n = 0; n < runs; ++n)
    if (auto why = compare(code, program, random_run(program, form, random)); !why.empty())
      return why + "\n" + text;
  return "";
}

std::string assembly(llvm::Module& module, const std::string& cpu) {
  prepare_llvm();
  const auto machine = machine_for(x86_triple, cpu);
  module.setTargetTriple(x86_triple);
  module.setDataLayout(machine->createDataLayout());
  optimise(module, *machine);
  llvm::SmallString<0> text;
  llvm::raw_svector_ostream out(text);
  llvm::legacy::PassManager passes;
  machine->addPassesToEmitFile(passes, out, nullptr, llvm::CodeGenFileType::AssemblyFile);
  passes.run(module);
  return text.str().str();
}

}  // namespace heddle::testing
