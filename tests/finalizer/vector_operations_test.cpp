// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Target operations on vectors on x86-64 have the results that they have on the elements, to the last bit.
#include <gmock/gmock.h>
#include <xmmintrin.h>

#include <cstring>
#include <random>

#include <fmt/format.h>
#include <hsa/hsa_brig_modifiers.h>
#include <llvm/ExecutionEngine/Orc/LLJIT.h>
#include <llvm/IR/LegacyPassManager.h>
#include <llvm/IR/Verifier.h>
#include <llvm/Passes/PassBuilder.h>
#include <llvm/Support/TargetSelect.h>
#include <llvm/Support/raw_ostream.h>

#include "compile.h"
#include "finalizer/device_library.h"
#include "finalizer/lower/canonical.h"
#include "finalizer/x86/flush_mode.h"
#include "finalizer/x86/target_operations.h"
#include "jit_runner.h"

namespace heddle::testing {
namespace {

using finalizer::NativeOp;
using finalizer::RoundedOp;
using finalizer::TargetOperation;
using finalizer::x86::FloatTarget;
using finalizer::x86::Level;
using llvm::Value;

constexpr size_t count = 4096;  // how often each operation is executed

/// An operation with its constant arguments.
struct Operation {
  TargetOperation what;
  std::vector<uint32_t> constants;
  std::string name;
};

/// How many bits the other arguments of an operation and its result have.
struct Widths {
  std::vector<unsigned> arguments;
  unsigned result = 0;
};
Widths widths_of(const Operation& operation, llvm::Module& module) {
  const llvm::FunctionType& type = *declare(module, operation.what)->getFunctionType();
  Widths widths;
  widths.result = type.getReturnType()->getPrimitiveSizeInBits();
  for (llvm::Type* argument : llvm::drop_begin(type.params(), operation.constants.size()))
    widths.arguments.push_back(argument->getPrimitiveSizeInBits());
  return widths;
}

constexpr uint32_t roundings[] = {HSA_BRIG_ROUND_FLOAT_NEAR_EVEN, HSA_BRIG_ROUND_FLOAT_ZERO,
                                  HSA_BRIG_ROUND_FLOAT_PLUS_INFINITY, HSA_BRIG_ROUND_FLOAT_MINUS_INFINITY};

/// Returns all operations that a level has for vectors: v2, which has no waves, lacks those that packed
/// values lack. Where the processor flushes, all of them have ftz.
std::vector<Operation> all_operations(Level level, bool flush_mode) {
  std::vector<Operation> all;
  const auto last = static_cast<uint32_t>(level == Level::v2 ? RoundedOp::sqrt : RoundedOp::fma);
  const auto add = [&](TargetOperation what, std::vector<uint32_t> constants) {
    std::string name = fmt::format("operation{}", static_cast<unsigned>(what));
    for (const uint32_t constant : constants) name += fmt::format("_{}", constant);
    all.push_back({what, std::move(constants), name});
  };
  for (uint32_t ftz = flush_mode; ftz < 2; ++ftz) {
    for (const uint32_t round : roundings)
      for (uint32_t op = 0; op <= last; ++op)
        for (const auto what : {TargetOperation::arithmetic32, TargetOperation::arithmetic64})
          add(what, {op, round, ftz});
    for (const auto what :
         {TargetOperation::min32, TargetOperation::min64, TargetOperation::max32, TargetOperation::max64})
      add(what, {ftz});
  }
  for (const uint32_t round : roundings) add(TargetOperation::narrow_ftz, {round});
  for (uint32_t op = 0; op <= static_cast<uint32_t>(NativeOp::log2); ++op) add(TargetOperation::native, {op});
  for (const auto what : {TargetOperation::flush32, TargetOperation::flush64, TargetOperation::f16_to_f32,
                          TargetOperation::f32_to_f16})
    add(what, {});
  return all;
}

// ---- functions that execute an operation

/// Creates `name`(ptr, ptr in, ptr out), which executes an operation for `lanes` elements in the form for
/// `form_lanes`. Each operand is an array of `lanes` elements, and the arrays follow each other.
void add_function(llvm::Module& module, const Operation& operation, const std::string& name,
                  unsigned form_lanes, unsigned lanes) {
  llvm::IRBuilder<> ir(module.getContext());
  auto* type = llvm::FunctionType::get(ir.getVoidTy(), {ir.getPtrTy(), ir.getPtrTy(), ir.getPtrTy()}, false);
  auto* function = llvm::Function::Create(type, llvm::Function::ExternalLinkage, name, module);
  llvm::Function* callee = declare(module, operation.what, {0, form_lanes});
  auto* entry = llvm::BasicBlock::Create(module.getContext(), "", function);
  auto* loop = llvm::BasicBlock::Create(module.getContext(), "loop", function);
  auto* end = llvm::BasicBlock::Create(module.getContext(), "end", function);
  ir.SetInsertPoint(entry);
  ir.CreateBr(loop);
  ir.SetInsertPoint(loop);
  auto* i = ir.CreatePHI(ir.getInt64Ty(), 2);
  i->addIncoming(ir.getInt64(0), entry);
  llvm::SmallVector<Value*, 6> arguments;
  Value* operands = function->getArg(1);
  for (const llvm::Argument& argument : callee->args()) {
    if (argument.getArgNo() < operation.constants.size()) {
      arguments.push_back(ir.getInt32(operation.constants[argument.getArgNo()]));
      continue;
    }
    Value* place = ir.CreateGEP(argument.getType(), operands, i);
    arguments.push_back(ir.CreateAlignedLoad(argument.getType(), place, llvm::Align(1)));
    operands = ir.CreateConstGEP1_64(argument.getType()->getScalarType(), operands, lanes);
  }
  Value* result = ir.CreateCall(callee, arguments);
  ir.CreateAlignedStore(result, ir.CreateGEP(result->getType(), function->getArg(2), i), llvm::Align(1));
  Value* next = ir.CreateAdd(i, ir.getInt64(1));
  i->addIncoming(next, loop);
  ir.CreateCondBr(ir.CreateICmpULT(next, ir.getInt64(lanes / form_lanes)), loop, end);
  ir.SetInsertPoint(end);
  ir.CreateRetVoid();
}

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
  llvm::cantFail(builder.parsePassPipeline(
      passes,
      "always-inline,cgscc(inline),function(sroa,early-cse,instcombine<no-verify-fixpoint>,gvn,dse)"));
  passes.run(module, modules);
}

/// Does what the compiler does with a module between widening and code generation.
void lower(llvm::Module& module, const FloatTarget& target, bool optimised) {
  finalizer::x86::PooledTargetMachine machine(target.level, 2);
  module.setTargetTriple(machine->getTargetTriple());
  module.setDataLayout(machine->createDataLayout());
  lower_target_operations(module, target, [](const llvm::Function&) { return finalizer::spmd::WaveShape{}; });
  finalizer::mark_canonical(module);
  ASSERT_TRUE(finalizer::link_device_library(module, finalizer::x86::device_library()).ok());
  if (target.flush_mode) finalizer::x86::prepare_flush_mode(module);
  ASSERT_FALSE(llvm::verifyModule(module, &llvm::errs()));
  if (optimised) optimise(module, *machine);
  finalizer::settle_canonical(module);
}

std::string assembly(llvm::Module& module, Level level) {
  finalizer::x86::PooledTargetMachine machine(level, 2);
  llvm::SmallString<0> text;
  llvm::raw_svector_ostream out(text);
  llvm::legacy::PassManager passes;
  machine->addPassesToEmitFile(passes, out, nullptr, llvm::CodeGenFileType::AssemblyFile);
  passes.run(module);
  return text.str().str();
}

/// The machine code of a module for a level.
class Code {
 public:
  using Function = void (*)(void* context, const void* in, void* out);

  Code(std::unique_ptr<llvm::Module> module, std::unique_ptr<llvm::LLVMContext> context, Level level) {
    llvm::InitializeNativeTarget();
    llvm::InitializeNativeTargetAsmPrinter();
    llvm::InitializeNativeTargetAsmParser();
    llvm::orc::JITTargetMachineBuilder builder(module->getTargetTriple());
    builder.setCPU(fmt::format("x86-64-v{}", static_cast<int>(level) + 2));
    jit_ = llvm::cantFail(llvm::orc::LLJITBuilder().setJITTargetMachineBuilder(builder).create());
    llvm::cantFail(jit_->addIRModule(llvm::orc::ThreadSafeModule(std::move(module), std::move(context))));
  }
  Function operator[](const std::string& name) {
    return llvm::cantFail(jit_->lookup(name)).toPtr<Function>();
  }

 private:
  std::unique_ptr<llvm::orc::LLJIT> jit_;
};

HEDDLE_TEST_CALLS_LOADED_CODE void call(Code::Function function, const void* in, void* out, bool flush_mode) {
  const unsigned environment = _mm_getcsr();
  _mm_setcsr(flush_mode ? finalizer::x86::flushing_mxcsr : finalizer::x86::default_mxcsr);
  function(nullptr, in, out);
  _mm_setcsr(environment);
}

// ---- numbers

constexpr uint16_t edges16[] = {0,      1,      0x1ff,  0x3ff,  0x400,  0x401,  0x3bff, 0x3c00,
                                0x3c01, 0x7bff, 0x7c00, 0x7c01, 0x7dff, 0x7e00, 0x7e01, 0x7fff};
/// Those from 0x33000000 on are at and around the middle of two neighbouring f16, and its limits.
constexpr uint32_t edges32[] = {
    0,          1,          2,          0x003fffff, 0x00400000, 0x007fffff, 0x00800000, 0x00800001,
    0x00ffffff, 0x01000000, 0x3f000000, 0x3f7fffff, 0x3f800000, 0x3f800001, 0x40000000, 0x40400000,
    0x3fc90fdb, 0x40490fdb, 0x4b000000, 0x4b7fffff, 0x7f000000, 0x7f7fffff, 0x7f800000, 0x7f800001,
    0x7fbfffff, 0x7fc00000, 0x7fc12345, 0x33000000, 0x33000001, 0x33800000, 0x33c00000, 0x387fc000,
    0x387fe000, 0x387fefff, 0x38800000, 0x38801000, 0x3f801000, 0x3f803000, 0x3f801001, 0x477fe000,
    0x477fefff, 0x477ff000, 0x47800000, 0x43480000, 0xc3480000, 0x58800000};
/// Those from 0x3680000000000000 on are at and around the middle of two neighbouring f32, and its limits.
constexpr uint64_t edges64[] = {0,
                                1,
                                0x000fffffffffffff,
                                0x0010000000000000,
                                0x0010000000000001,
                                0x001fffffffffffff,
                                0x3fe0000000000000,
                                0x3fefffffffffffff,
                                0x3ff0000000000000,
                                0x3ff0000000000001,
                                0x4000000000000000,
                                0x4008000000000000,
                                0x4330000000000000,
                                0x7fefffffffffffff,
                                0x7ff0000000000000,
                                0x7ff0000000000001,
                                0x7ff7ffffffffffff,
                                0x7ff8000000000000,
                                0x7ff8123456789abc,
                                0x3680000000000000,
                                0x3690000000000000,
                                0x3690000000000001,
                                0x36a0000000000000,
                                0x380fffffc0000000,
                                0x380fffffe0000000,
                                0x380ffffff0000000,
                                0x380fffffffffffff,
                                0x3810000000000000,
                                0x3ff0000010000000,
                                0x3ff0000030000000,
                                0x3ff0000010000001,
                                0x47efffffe0000000,
                                0x47effffff0000000,
                                0x47efffffefffffff,
                                0x47f0000000000000};

/// Returns a number of any of the three formats as bits.
uint64_t random_number(unsigned bits, std::mt19937_64& random) {
  const uint64_t sign = uint64_t{random() % 2} << (bits - 1);
  const uint64_t any = random();
  const bool is_edge = random() % 3 == 0;
  switch (bits) {
    case 16:
      return is_edge ? sign | edges16[any % std::size(edges16)] : any & 0xffff;
    case 32:
      if (is_edge) return sign | edges32[any % std::size(edges32)];
      // Numbers of similar size meet more often than numbers with any bits.
      return random() % 2 ? any & 0xffffffff : sign | (0x3f000000 + (any & 0x01ffffff));
    default:
      if (is_edge) return sign | edges64[any % std::size(edges64)];
      return random() % 2 ? any : sign | (0x3fe0000000000000 + (any & 0x003fffffffffffff));
  }
}

bool is_nan(uint64_t number, unsigned bits) {
  const unsigned fraction = bits == 16 ? 10 : bits == 32 ? 23 : 52;
  const uint64_t size = number & ((uint64_t{1} << (bits - 1)) - 1);
  return size > (((uint64_t{1} << (bits - 1 - fraction)) - 1) << fraction);
}

/// Memory for the numbers that functions take or return.
class Numbers {
 public:
  explicit Numbers(unsigned lanes) : lanes_(lanes), bytes_(size_t{3} * 8 * lanes) {}

  uint8_t* data() { return bytes_.data(); }
  /// Accesses an element of an array that follows `array` others with elements of the same size.
  uint64_t get(size_t array, unsigned lane, unsigned bits) const {
    uint64_t number = 0;
    std::memcpy(&number, &bytes_[(array * lanes_ + lane) * bits / 8], bits / 8);
    return number;
  }
  void set(size_t array, unsigned lane, unsigned bits, uint64_t number) {
    std::memcpy(&bytes_[(array * lanes_ + lane) * bits / 8], &number, bits / 8);
  }

 private:
  const unsigned lanes_;
  std::vector<uint8_t> bytes_;
};

// ---- tests

struct Form {
  Level level;
  unsigned lanes;
  bool flush_mode;
  bool optimised;
};

class VectorOperations : public ::testing::TestWithParam<Form> {};

std::vector<Form> all_forms() {
  std::vector<Form> forms;
  for (const Level level : {Level::v2, Level::v3, Level::v4})
    for (const unsigned lanes : {2u, 4u, 8u, 16u})
      for (const bool flush_mode : {false, true}) {
        if (level == Level::v2 && lanes > 4) continue;  // packed values have up to 4 f32
        forms.push_back({level, lanes, flush_mode, flush_mode == (lanes < 8)});
      }
  return forms;
}
std::string name_of(const ::testing::TestParamInfo<Form>& form) {
  return fmt::format("v{}_{}lanes{}{}", static_cast<int>(form.param.level) + 2, form.param.lanes,
                     form.param.flush_mode ? "_flushing" : "", form.param.optimised ? "_optimised" : "");
}
INSTANTIATE_TEST_SUITE_P(Forms, VectorOperations, ::testing::ValuesIn(all_forms()), name_of);

/// Compares an operation on vectors with the same operation on their elements. If two operands are NaNs,
/// which of them the result is depends on their order, which LLVM may change.
void compare(Code& code, const Operation& operation, const Widths& widths, const Form& form,
             std::mt19937_64& random) {
  const auto of_elements = code[operation.name], of_vectors = code[operation.name + ".v"];
  Numbers operands(form.lanes), expected(form.lanes), actual(form.lanes);
  for (size_t n = 0; n < count; n += form.lanes) {
    for (size_t i = 0; i < widths.arguments.size(); ++i)
      for (unsigned lane = 0; lane < form.lanes; ++lane)
        operands.set(i, lane, widths.arguments[i], random_number(widths.arguments[i], random));
    call(of_elements, operands.data(), expected.data(), form.flush_mode);
    call(of_vectors, operands.data(), actual.data(), form.flush_mode);
    for (unsigned lane = 0; lane < form.lanes; ++lane) {
      const uint64_t e = expected.get(0, lane, widths.result), a = actual.get(0, lane, widths.result);
      std::string sources;
      unsigned nans = 0;
      for (size_t i = 0; i < widths.arguments.size(); ++i) {
        const uint64_t source = operands.get(i, lane, widths.arguments[i]);
        sources += fmt::format(" {:#x}", source);
        nans += is_nan(source, widths.arguments[i]);
      }
      if (nans > 1 && is_nan(e, widths.result) && is_nan(a, widths.result)) continue;
      ASSERT_EQ(a, e) << fmt::format("{} of{}: {:#x} instead of {:#x}", operation.name, sources, a, e);
    }
  }
}

TEST_P(VectorOperations, GiveTheResultsOfTheirElements) {
  const Form form = GetParam();
  const std::string isa = fmt::format("heddle:x86-64-v{}:w1", static_cast<int>(form.level) + 2);
  auto context = std::make_unique<llvm::LLVMContext>();
  auto module = std::make_unique<llvm::Module>("test", *context);
  const auto operations = all_operations(form.level, form.flush_mode);
  std::vector<Widths> widths;
  for (const Operation& operation : operations) {
    widths.push_back(widths_of(operation, *module));
    add_function(*module, operation, operation.name, 1, form.lanes);
    add_function(*module, operation, operation.name + ".v", form.lanes, form.lanes);
  }
  lower(*module, {form.level, form.flush_mode}, form.optimised);
  if (HasFatalFailure()) return;
  if (!runs_here(isa)) {
    EXPECT_NE(assembly(*module, form.level), "");
    GTEST_SKIP() << "this CPU does not run " << isa;
  }
  Code code(std::move(module), std::move(context), form.level);
  std::mt19937_64 random(form.lanes);
  for (size_t i = 0; i < operations.size(); ++i) {
    compare(code, operations[i], widths[i], form, random);
    if (HasFatalFailure()) return;
  }
}

/// Returns the assembly of one operation on vectors.
std::string assembly_of(const Operation& operation, unsigned lanes, const FloatTarget& target) {
  llvm::LLVMContext context;
  llvm::Module module("test", context);
  add_function(module, operation, "f", lanes, lanes);
  lower(module, target, true);
  return assembly(module, target.level);
}

Operation arithmetic32(RoundedOp op, uint32_t round) {
  return {TargetOperation::arithmetic32, {static_cast<uint32_t>(op), round, 0}, ""};
}

struct CodeCase {
  const char* name;
  Operation operation;
  FloatTarget target;
  unsigned lanes;
  std::vector<std::string> expected;
  std::vector<std::string> unexpected;
};

TEST(VectorOperationCode, HasInstructionsOnVectors) {
  using ::testing::HasSubstr;
  using ::testing::Not;
  const uint32_t zero = HSA_BRIG_ROUND_FLOAT_ZERO, up = HSA_BRIG_ROUND_FLOAT_PLUS_INFINITY,
                 down = HSA_BRIG_ROUND_FLOAT_MINUS_INFINITY;
  const FloatTarget v3 = {Level::v3}, v4 = {Level::v4};
  const Operation sqrt64_down = {TargetOperation::arithmetic64, {4, down, 0}, ""};
  const Operation to_f32 = {TargetOperation::f16_to_f32, {}, ""};
  const Operation to_f16 = {TargetOperation::f32_to_f16, {}, ""};
  const Operation sin = {TargetOperation::native, {0}, ""};
  const CodeCase cases[] = {
      {"add 16",
       arithmetic32(RoundedOp::add, zero),
       v4,
       16,
       {"vaddps\t{rz-sae}, %zmm"},
       {"ldmxcsr", "vaddss"}},
      {"mul 8", arithmetic32(RoundedOp::mul, up), v4, 8, {"vmulps\t{ru-sae}, %zmm"}, {"ldmxcsr", "vmulss"}},
      {"fma 16", arithmetic32(RoundedOp::fma, down), v4, 16, {"{rd-sae}, %zmm", "vfmadd"}, {"ldmxcsr"}},
      {"sqrt 8", sqrt64_down, v4, 8, {"vsqrtpd\t{rd-sae}, %zmm"}, {"ldmxcsr", "vsqrtsd"}},
      {"flushing",
       arithmetic32(RoundedOp::div, up),
       {Level::v4, true},
       16,
       {"vldmxcsr", "vdivps\t%zmm"},
       {"{r"}},
      {"AVX2", arithmetic32(RoundedOp::sub, zero), v3, 8, {"vldmxcsr", "vsubps\t%ymm"}, {"vsubss"}},
      {"AVX2 fma", arithmetic32(RoundedOp::fma, up), v3, 4, {"vldmxcsr", "vfmadd213ps\t%xmm"}, {"ss\t"}},
      {"AVX2 f16", to_f32, v3, 8, {"vcvtph2ps", "%ymm"}, {"vpextr", "vpinsr"}},
      {"f16", to_f32, v4, 16, {"vcvtph2ps", "%zmm"}, {"vpextr", "vpinsr"}},
      {"AVX2 to f16", to_f16, v3, 8, {"vcvtps2ph\t$0, %ymm"}, {"vpextr", "vpinsr"}},
      {"to f16", to_f16, v4, 16, {"vcvtps2ph\t$0, %zmm"}, {"vpextr", "vpinsr"}},
      {"AVX2 sin", sin, v3, 8, {"vmulpd", "%ymm"}, {"vmulsd", "call"}},
      {"sin", sin, v4, 16, {"vmulpd", "%zmm"}, {"vmulsd", "call"}},
  };
  for (const CodeCase& c : cases) {
    SCOPED_TRACE(c.name);
    const std::string code = assembly_of(c.operation, c.lanes, c.target);
    for (const std::string& text : c.expected) EXPECT_THAT(code, HasSubstr(text));
    for (const std::string& text : c.unexpected) EXPECT_THAT(code, Not(HasSubstr(text)));
  }
}

}  // namespace
}  // namespace heddle::testing
