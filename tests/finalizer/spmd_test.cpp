// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Properties of HSAIL that the SPMD IR keeps for every target: values, segments, guarantees about memory and
// control.
#include <gtest/gtest.h>

#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Verifier.h>
#include <llvm/Support/raw_ostream.h>

#include <hsa/hsa_brig_directives.h>

#include "compile.h"
#include "finalizer/lower/facts.h"
#include "finalizer/lower/spmd.h"
#include "finalizer/lower/table.h"
#include "finalizer/lower/target_operations.h"
#include "finalizer/lower/values.h"
#include "hsail/isa/names.h"
#include "jit_runner.h"
#include "machine_code.h"

namespace heddle::finalizer {
namespace {

using heddle::testing::compile;
using heddle::testing::module_header;

constexpr unsigned global_space = 1, group_space = 3, constant_space = 4;

/// Returns traits that no real target has: memory instructions need alignment, and segments have address
/// spaces.
TargetTraits strict_target() {
  TargetTraits target;
  target.triple = "x86_64-unknown-linux-gnu";
  target.data_layout = "e-m:e-i64:64-n8:16:32:64-S128";
  target.address_spaces[HSA_BRIG_SEGMENT_GLOBAL] = global_space;
  target.address_spaces[HSA_BRIG_SEGMENT_GROUP] = group_space;
  target.address_spaces[HSA_BRIG_SEGMENT_KERNARG] = constant_space;
  target.unaligned_access = false;
  return target;
}

/// The module lowered from a text; it is verified.
class Lowered {
 public:
  explicit Lowered(const std::string& text, const TargetTraits& target = strict_target(),
                   const ControlDirectives& directives = {}) {
    const std::string whole = module_header + text;
    Diagnostics diagnostics("test.hsail", whole);
    std::vector<std::byte> brig;
    if (!assemble::assemble(whole, "test.hsail", brig, diagnostics) ||
        program_.add(brig::Module::open(brig, diagnostics), diagnostics) != link::Program::AddResult::ok ||
        !program_.resolve(diagnostics)) {
      throw std::runtime_error(diagnostics.print());
    }
    LoweringRequest request;
    request.target = target;
    for (size_t i = 0; i < program_.symbols().size(); ++i)
      if (program_.symbols()[i].kind == link::Symbol::Kind::kernel && program_.symbols()[i].defined)
        request.kernels.push_back({static_cast<int32_t>(i), directives});
    spmd_ = lower_program(program_, request, context_, diagnostics);
    if (!spmd_.module) throw std::runtime_error(diagnostics.print());
    verify();
    if (auto done = registers_to_values(*spmd_.module); !done.ok()) ADD_FAILURE() << done.error().message;
    addresses_to_pointers(*spmd_.module);
    verify();
  }

  llvm::Function& function(llvm::StringRef name) { return *spmd_.module->getFunction(name); }
  template <typename Instruction>
  std::vector<Instruction*> all(llvm::StringRef name = "&k") {
    std::vector<Instruction*> found;
    for (llvm::Instruction& instruction : llvm::instructions(function(name)))
      if (auto* one = llvm::dyn_cast<Instruction>(&instruction)) found.push_back(one);
    return found;
  }
  std::string text() {
    std::string text;
    llvm::raw_string_ostream(text) << *spmd_.module;
    return text;
  }

 private:
  void verify() {
    std::string broken;
    llvm::raw_string_ostream out(broken);
    EXPECT_FALSE(llvm::verifyModule(*spmd_.module, &out)) << broken << text();
  }

  llvm::LLVMContext context_;
  link::Program program_{link::Program::Options{}};
  SpmdProgram spmd_;
};

/// Returns the stores of a kernel in order. Registers cause none.
std::vector<llvm::StoreInst*> stores(Lowered& lowered) { return lowered.all<llvm::StoreInst>(); }

bool may_overlap(const llvm::Instruction& a, const llvm::Instruction& b) {
  const auto apart = [](const llvm::Instruction& from, const llvm::Instruction& what) {
    const llvm::MDNode* scopes = what.getMetadata(llvm::LLVMContext::MD_alias_scope);
    const llvm::MDNode* not_these = from.getMetadata(llvm::LLVMContext::MD_noalias);
    if (!scopes || !not_these) return false;
    for (const llvm::MDOperand& scope : scopes->operands())
      if (llvm::is_contained(not_these->operands(), scope)) return true;
    return false;
  };
  return !apart(a, b) && !apart(b, a);
}

TEST(Registers, AreValuesInFunctionsWithPrivateFrames) {
  Lowered lowered(R"(
function &f(arg_u32 %r)(arg_u32 %x) {
  align(16) private_u32 %frame[4];
  ld_arg_u32 $s0, [%x];
  and_b32 $s1, $s0, 12;
  st_private_align(4)_u32 $s0, [%frame][$s1];
  add_u32 $s0, $s0, 1;
  st_arg_u32 $s0, [%r];
};
prog kernel &k() {
  { arg_u32 %x; arg_u32 %r; st_arg_u32 1, [%x]; call &f(%r)(%x); }
};)");
  for (auto* variable : lowered.all<llvm::AllocaInst>("&f"))
    EXPECT_FALSE(variable->getAllocatedType()->isIntegerTy()) << lowered.text();
  EXPECT_EQ(lowered.all<llvm::AllocaInst>("&f").size(), 0u) << lowered.text();
}

/// The finalizer recognises the wait although the function has a private frame.
TEST(Registers, LetWaitsBeFoundInFunctionsWithPrivateFrames) {
  auto compiled = compile(module_header + R"(
decl prog global_u32 &flag;
function &wait()() {
  align(16) private_u32 %frame[4];
  lda_private_u32 $s2, [%frame];
@again:
  atomic_ld_global_scacq_agent_b32 $s0, [&flag];
  cmp_eq_b1_u32 $c0, $s0, 0;
  cbr_b1 $c0, @again;
};
prog kernel &k() { { call &wait()(); } };)");
  ASSERT_TRUE(compiled) << compiled.diagnostics;
  EXPECT_TRUE(compiled.object.kernels[0].flags & codeobject::kernel_needs_fibers);
}

TEST(Segments, AreAddressSpaces) {
  Lowered lowered(R"(
prog kernel &k(kernarg_u64 %p) {
  group_u32 %g[64];
  ld_kernarg_align(8)_u64 $d0, [%p];
  workitemid_u32 $s0, 0;
  shl_u32 $s1, $s0, 2;
  st_group_align(4)_u32 $s0, [%g][$s1];
  st_global_align(4)_u32 $s0, [$d0];
  st_align(4)_u32 $s0, [$d0];
  atomic_add_group_rlx_wg_u32 $s2, [%g], 1;
  atomic_add_global_rlx_agent_u32 $s2, [$d0], 1;
};)");
  std::vector<unsigned> spaces;
  for (auto* store : stores(lowered)) spaces.push_back(store->getPointerAddressSpace());
  EXPECT_EQ(spaces, (std::vector<unsigned>{group_space, global_space, 0})) << lowered.text();
  for (auto* load : lowered.all<llvm::LoadInst>()) EXPECT_EQ(load->getPointerAddressSpace(), constant_space);
  std::vector<unsigned> of_atomics;
  for (auto* call : lowered.all<llvm::CallInst>())
    if (target_operation_of(*call->getCalledFunction()) == TargetOperation::atomic32)
      of_atomics.push_back(call->getArgOperand(4)->getType()->getPointerAddressSpace());
  EXPECT_EQ(of_atomics, (std::vector<unsigned>{group_space, global_space})) << lowered.text();
}

TEST(Segments, DoNotOverlapUnlessFlat) {
  Lowered lowered(R"(
prog kernel &k(kernarg_u64 %p) {
  group_u32 %g[64];
  ld_kernarg_align(8)_u64 $d0, [%p];
  st_group_align(4)_u32 1, [%g];
  st_global_align(4)_u32 2, [$d0];
  st_align(4)_u32 3, [$d0];
};)");
  const auto all = stores(lowered);
  ASSERT_EQ(all.size(), 3u);
  EXPECT_FALSE(may_overlap(*all[0], *all[1])) << lowered.text();
  EXPECT_TRUE(may_overlap(*all[0], *all[2]));
  EXPECT_TRUE(may_overlap(*all[1], *all[2]));
}

TEST(EquivalenceClasses, DoNotOverlapButClass0) {
  Lowered lowered(R"(
prog kernel &k(kernarg_u64 %p) {
  ld_kernarg_align(8)_u64 $d0, [%p];
  st_global_align(4)_equiv(1)_u32 1, [$d0];
  st_global_align(4)_equiv(2)_u32 2, [$d0];
  st_global_align(4)_u32 3, [$d0];
  st_global_align(4)_equiv(1)_u32 4, [$d0];
  st_align(4)_equiv(2)_u32 5, [$d0];
};)");
  const auto all = stores(lowered);
  ASSERT_EQ(all.size(), 5u);
  EXPECT_FALSE(may_overlap(*all[0], *all[1])) << lowered.text();
  EXPECT_FALSE(may_overlap(*all[0], *all[4]));
  for (size_t n = 0; n < 5; ++n) EXPECT_TRUE(may_overlap(*all[2], *all[n])) << n;
  EXPECT_TRUE(may_overlap(*all[0], *all[3]));
  EXPECT_TRUE(may_overlap(*all[1], *all[4]));
}

TEST(Width, IsOnBranchesLoadsCallsAndBarriers) {
  Lowered lowered(R"(
function &f()() { ret; };
prog kernel &k(kernarg_u64 %p) {
  ld_kernarg_align(8)_u64 $d0, [%p];
  ld_global_align(4)_width(64)_u32 $s0, [$d0];
  ld_global_align(4)_u32 $s1, [$d0+4];
  cmp_eq_b1_u32 $c0, $s0, $s1;
  cbr_width(all)_b1 $c0, @end;
  sbr_width(WAVESIZE)_u32 $s0 [@end, @more];
@more:
  { scall_width(8)_u32 $s1 ()() [&f]; }
  barrier_width(32);
@end:
  ret;
};)");
  std::map<std::string, hsa_brig_width_t> widths;
  for (llvm::Instruction& instruction : llvm::instructions(lowered.function("&k"))) {
    std::string name = instruction.getOpcodeName();
    if (auto* call = llvm::dyn_cast<llvm::CallInst>(&instruction))
      name = call->getCalledFunction()->getName();
    if (width_of(instruction) != HSA_BRIG_WIDTH_1)
      widths[name + std::to_string(instruction.isTerminator() ? instruction.getNumSuccessors() : 0)] =
          width_of(instruction);
  }
  const std::map<std::string, hsa_brig_width_t> expected = {{"load0", HSA_BRIG_WIDTH_64},
                                                            {"br2", HSA_BRIG_WIDTH_ALL},
                                                            {"switch2", HSA_BRIG_WIDTH_WAVESIZE},
                                                            {"switch1", HSA_BRIG_WIDTH_8},
                                                            {"hsail.barrier0", HSA_BRIG_WIDTH_32}};
  EXPECT_EQ(widths, expected) << lowered.text();
}

TEST(NonTemporal, IsOnAccesses) {
  Lowered lowered(R"(
prog kernel &k(kernarg_u64 %p) {
  ld_kernarg_align(8)_u64 $d0, [%p];
  st_global_align(4)_nt_u32 1, [$d0];
  st_global_align(4)_u32 2, [$d0];
};)");
  const auto all = stores(lowered);
  ASSERT_EQ(all.size(), 2u);
  EXPECT_TRUE(all[0]->hasMetadata(llvm::LLVMContext::MD_nontemporal));
  EXPECT_FALSE(all[1]->hasMetadata(llvm::LLVMContext::MD_nontemporal));
}

TEST(Convergence, IsThatOfTheCallsInside) {
  Lowered lowered(R"(
function &sync()() { barrier; };
function &outer()() { { call &sync()(); } };
function &plain()() { ret; };
prog kernel &k() { { call &outer()(); } { call &plain()(); } };
prog kernel &quiet() { { call &plain()(); } };)");
  for (const char* name : {"&sync", "&outer", "&k"})
    EXPECT_TRUE(lowered.function(name).isConvergent()) << name;
  for (const char* name : {"&plain", "&quiet"}) EXPECT_FALSE(lowered.function(name).isConvergent()) << name;
}

/// Returns a module in which jump threading would duplicate the join of &k, and with it the call of &sync, if
/// it were allowed to: the branch behind the call depends on the way that led to the join. &sync is too large
/// to be inlined, and &other prevents that it is inlined as a function with one call. Inlined code would be
/// safe, because the call for the barrier itself is convergent.
std::string barrier_in_a_function_at_a_join() {
  std::string text = module_header + R"(
function &sync()(arg_u64 %data) {
  ld_arg_u64 $d0, [%data];
)";
  for (int n = 0; n < 100; ++n) text += "  atomicnoret_add_global_rlx_agent_u32 [$d0], 1;\n";
  return text + R"(
  barrier;
};
prog kernel &k(kernarg_u64 %data, kernarg_u32 %n) {
  ld_kernarg_u64 $d0, [%data];
  ld_kernarg_u32 $s0, [%n];
  cmp_eq_b1_u32 $c0, $s0, 7;
  cbr_width(all)_b1 $c0, @seven;
  st_global_u32 1, [$d0];
  mov_b32 $s1, 1;
  br @join;
@seven:
  st_global_u32 2, [$d0+4];
  mov_b32 $s1, 2;
@join:
  { arg_u64 %data; st_arg_u64 $d0, [%data]; call &sync()(%data); }
  cmp_eq_b1_u32 $c0, $s1, 1;
  cbr_width(all)_b1 $c0, @end;
  st_global_u32 3, [$d0+8];
@end:
  st_global_u32 4, [$d0+12];
};
prog kernel &other(kernarg_u64 %data) {
  ld_kernarg_u64 $d0, [%data];
  { arg_u64 %data; st_arg_u64 $d0, [%data]; call &sync()(%data); }
};
)";
}

TEST(Convergence, KeepsTheOptimiserFromDuplicatingCalls) {
  llvm::LLVMContext context;
  const auto module = heddle::testing::optimised_module(barrier_in_a_function_at_a_join(), context);
  ASSERT_TRUE(module);
  const llvm::Function* sync = module->getFunction("&sync");
  ASSERT_TRUE(sync) << "it was inlined, so that this tests nothing";
  size_t barriers = 0;
  std::map<const llvm::Function*, size_t> calls_of_sync;  // by caller
  for (const llvm::Function& function : *module) {
    for (const llvm::Instruction& instruction : llvm::instructions(function)) {
      const auto* call = llvm::dyn_cast<llvm::CallInst>(&instruction);
      if (!call) continue;
      barriers += call->isIndirectCall() && call->isConvergent();
      if (call->getCalledFunction() == sync) ++calls_of_sync[&function];
    }
  }
  EXPECT_EQ(barriers, 1u) << "only &sync has the call for the barrier";
  EXPECT_EQ(calls_of_sync.size(), 2u) << "both kernels call &sync";
  for (const auto& [caller, count] : calls_of_sync) EXPECT_EQ(count, 1u) << caller->getName().str();
}

/// A chain of calls is followed to its end, whatever the order of the functions.
TEST(Convergence, PassesThroughChainsAndCyclesOfCalls) {
  Lowered lowered(R"(
decl function &a()();
decl function &b()();
decl function &c()();
function &a()() { { call &b()(); } };
function &c()() { { call &a()(); } barrier; };
function &b()() { { call &c()(); } };
function &lonely()() { { call &lonely()(); } };
prog kernel &k() { { call &a()(); } };
prog kernel &quiet() { { call &lonely()(); } };)");
  for (const char* name : {"&a", "&b", "&c", "&k"})
    EXPECT_TRUE(lowered.function(name).isConvergent()) << name;
  for (const char* name : {"&lonely", "&quiet"}) EXPECT_FALSE(lowered.function(name).isConvergent()) << name;
}

TEST(Addresses, ArePointersWithOffsets) {
  Lowered lowered(R"(
prog kernel &k(kernarg_u64 %p) {
  workitemabsid_u32 $s0, 0;
  cvt_u64_u32 $d1, $s0;
  shl_u64 $d1, $d1, 2;
  ld_kernarg_align(8)_u64 $d0, [%p];
  add_u64 $d2, $d1, $d0;
  st_global_align(4)_u32 $s0, [$d2+8];
};)");
  const auto all = stores(lowered);
  ASSERT_EQ(all.size(), 1u);
  const llvm::Value* base = all[0]->getPointerOperand();
  while (auto* offset = llvm::dyn_cast<llvm::GetElementPtrInst>(base)) base = offset->getPointerOperand();
  const auto* cast = llvm::dyn_cast<llvm::IntToPtrInst>(base);
  ASSERT_TRUE(cast) << lowered.text();
  EXPECT_TRUE(llvm::isa<llvm::LoadInst>(cast->getOperand(0))) << "the argument is the base" << lowered.text();
}

TEST(Alignment, OfVariablesIsKnown) {
  Lowered lowered(R"(
function &f(arg_u32 %r)(arg_u32 %x) {
  align(16) private_u32 %frame[8];
  ld_arg_u32 $s0, [%x];
  and_b32 $s1, $s0, 12;
  st_private_align(4)_u32 $s0, [%frame][$s1];
  ld_private_u32 $s0, [%frame][4];
  st_arg_u32 $s0, [%r];
};
alloc(agent) global_u32 &v[4];
prog kernel &k() {
  group_u32 %g[64];
  st_group_u32 1, [%g][8];
  st_global_u32 2, [&v][4];
  { arg_u32 %x; arg_u32 %r; st_arg_u32 1, [%x]; call &f(%r)(%x); }
};)");
  for (const char* name : {"&f", "&k"}) {
    for (auto* load : lowered.all<llvm::LoadInst>(name)) EXPECT_GE(load->getAlign().value(), 4u);
    for (auto* store : lowered.all<llvm::StoreInst>(name)) EXPECT_GE(store->getAlign().value(), 4u);
    EXPECT_TRUE(lowered.all<llvm::PHINode>(name).empty()) << "nothing is tested" << lowered.text();
  }
}

TEST(Alignment, IsTestedOnceWhereItIsNotKnown) {
  Lowered lowered(R"(
prog kernel &k(kernarg_u64 %p) {
  ld_kernarg_align(8)_u64 $d0, [%p];
  ld_v4_global_u32 ($s0, $s1, $s2, $s3), [$d0];
  st_v2_global_u16 ($s0, $s1), [$d0+32];
};)");
  size_t branches = 0, bytes = 0;
  for (auto* branch : lowered.all<llvm::BranchInst>()) branches += branch->isConditional();
  for (auto* load : lowered.all<llvm::LoadInst>()) bytes += load->getType()->isIntegerTy(8);
  EXPECT_EQ(branches, 2u) << lowered.text();
  EXPECT_EQ(bytes, 16u);
  for (auto* load : lowered.all<llvm::LoadInst>())
    EXPECT_GE(load->getAlign().value(), load->getType()->getIntegerBitWidth() / 8);
}

TEST(Alignment, NeedsNoTestOnX86) {
  TargetTraits target = strict_target();
  target.unaligned_access = true;
  Lowered lowered(R"(
prog kernel &k(kernarg_u64 %p) {
  ld_kernarg_align(8)_u64 $d0, [%p];
  ld_global_u32 $s0, [$d0];
  st_global_u32 $s0, [$d0+4];
};)",
                  target);
  for (auto* branch : lowered.all<llvm::BranchInst>()) EXPECT_FALSE(branch->isConditional());
  EXPECT_EQ(stores(lowered).at(0)->getAlign().value(), 1u);
}

/// Returns the calls of a target operation in the kernel.
std::vector<llvm::CallInst*> calls_of(Lowered& lowered, TargetOperation operation) {
  std::vector<llvm::CallInst*> found;
  for (llvm::CallInst* call : lowered.all<llvm::CallInst>())
    if (call->getCalledFunction() && target_operation_of(*call->getCalledFunction()) == operation)
      found.push_back(call);
  return found;
}

/// The instruction set lists the exceptions that each instruction may raise. Instructions that cannot raise
/// an enabled exception get no check.
TEST(Exceptions, AreAskedOfInstructionsThatMayRaiseWhatIsEnabled) {
  const char* const text = R"(
prog kernel &k(kernarg_u64 %out) {
  ld_kernarg_u64 $d0, [%out];
  ld_global_f32 $s0, [$d0];
  ld_global_u32 $s1, [$d0+4];
  add_f32 $s2, $s0, $s0;
  div_f32 $s3, $s2, $s0;
  div_u32 $s4, $s1, $s1;
  ceil_f32 $s5, $s3;
  add_u32 $s6, $s1, $s4;
  cvt_b1_f32 $c0, $s5;
  st_global_u32 $s6, [$d0];
};
)";
  const auto asked = [&](uint64_t detect) {
    ControlDirectives directives;
    directives.detect_exceptions = detect;
    Lowered lowered(text, strict_target(), directives);
    return calls_of(lowered, TargetOperation::exceptions).size();
  };
  EXPECT_EQ(asked(0), 0u);
  EXPECT_EQ(asked(HSA_BRIG_EXCEPTIONS_DIVIDE_BY_ZERO), 2u) << "div_f32 and div_u32";
  EXPECT_EQ(asked(HSA_BRIG_EXCEPTIONS_OVERFLOW), 2u) << "add_f32 and div_f32";
  EXPECT_EQ(asked(HSA_BRIG_EXCEPTIONS_INVALID_OPERATION), 3u) << "these and ceil_f32";
  EXPECT_EQ(asked(0x1f), 4u);
}

/// The operations that represent instructions have the effects that the instruction set lists.
TEST(Operations, HaveTheEffectsOfTheirInstructions) {
  llvm::LLVMContext context;
  llvm::Module module("test", context);
  const auto operation = [&](TargetOperation call) { return declare(module, call); };
  for (const TargetOperation call :
       {TargetOperation::barrier, TargetOperation::wavebarrier, TargetOperation::memfence,
        TargetOperation::atomic32, TargetOperation::fbarrier, TargetOperation::signal, TargetOperation::clock,
        TargetOperation::get_detected}) {
    EXPECT_TRUE(operation(call)->isConvergent()) << operation(call)->getName().str();
    EXPECT_FALSE(operation(call)->doesNotAccessMemory()) << operation(call)->getName().str();
  }
  for (const TargetOperation call : {TargetOperation::activelanecount, TargetOperation::activelaneid,
                                     TargetOperation::activelanemask, TargetOperation::activelanepermute}) {
    EXPECT_TRUE(operation(call)->isConvergent()) << operation(call)->getName().str();
    EXPECT_TRUE(operation(call)->doesNotAccessMemory()) << operation(call)->getName().str();
  }
  for (const TargetOperation call : {TargetOperation::workitemid, TargetOperation::grouptotalsize,
                                     TargetOperation::laneid, TargetOperation::native}) {
    EXPECT_FALSE(operation(call)->isConvergent()) << operation(call)->getName().str();
    EXPECT_TRUE(operation(call)->doesNotAccessMemory()) << operation(call)->getName().str();
  }
  // Image instructions access memory, but no work-item waits for another: the compiler may move them under
  // conditions.
  EXPECT_FALSE(operation(TargetOperation::image)->isConvergent());
  EXPECT_FALSE(operation(TargetOperation::image)->doesNotAccessMemory());
}

/// Every instruction has a lowering.
TEST(Lowerings, ThereIsOneForEachInstruction) {
  for (unsigned opcode = 0; opcode < isa::instructions().size(); ++opcode)
    EXPECT_NE(lowering_of(opcode), nullptr) << isa::opcode_name(opcode);
  EXPECT_EQ(lowering_of(static_cast<unsigned>(isa::instructions().size())), nullptr);
}

}  // namespace
}  // namespace heddle::finalizer
