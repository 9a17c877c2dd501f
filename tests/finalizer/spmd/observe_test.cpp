// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Which code can tell how many lanes a wave has.
#include "finalizer/spmd/observe.h"

#include <gtest/gtest.h>

#include <hsa/hsa_brig_modifiers.h>

#include "finalizer/lower/target_operations.h"
#include "spmd_function.h"

namespace heddle::testing {
namespace {

using namespace finalizer;
using spmd::wave_observers;
using Op = TargetOperation;

/// Returns what a function observes that calls one operation, or "" if it observes nothing. All constants of
/// the call are `number`.
std::string_view observed(Op operation, uint32_t number = HSA_BRIG_MEMORY_SCOPE_SYSTEM) {
  llvm::LLVMContext context;
  llvm::Module module("", context);
  llvm::Function* callee = declare(module, operation);
  auto* type =
      llvm::FunctionType::get(llvm::Type::getVoidTy(context), callee->getFunctionType()->params(), false);
  auto* function = llvm::Function::Create(type, llvm::Function::ExternalLinkage, "f", module);
  llvm::IRBuilder<> ir(llvm::BasicBlock::Create(context, "", function));
  llvm::SmallVector<llvm::Value*, 8> arguments;
  for (llvm::Argument& argument : function->args())
    arguments.push_back(argument.getType()->isIntegerTy(32) ? ir.getInt32(number)
                                                            : static_cast<llvm::Value*>(&argument));
  ir.CreateCall(callee, arguments);
  ir.CreateRetVoid();
  const auto found = wave_observers(module, {});
  return found.contains(function) ? found.at(function) : "";
}

TEST(Observe, Operations) {
  const std::map<Op, std::string_view> observers = {
      {Op::wavesize, "WAVESIZE"},
      {Op::laneid, "laneid"},
      {Op::waveid, "waveid"},
      {Op::maxwaveid, "maxwaveid"},
      {Op::wavebarrier, "wavebarrier"},
      {Op::fbarrier, "fbarrier"},
      {Op::activelanecount, "activelanecount"},
      {Op::activelaneid, "activelaneid"},
      {Op::activelanemask, "activelanemask"},
      {Op::activelanepermute, "activelanepermute"},
      {Op::exceptions, "exceptions"},
      {Op::get_detected, "exceptions"},
      {Op::clear_detected, "exceptions"},
      {Op::set_detected, "exceptions"},
  };
  for (size_t i = 0; i < target_operation_count; ++i) {
    const auto operation = static_cast<Op>(i);
    EXPECT_EQ(observed(operation), observers.contains(operation) ? observers.at(operation) : "") << i;
  }
}

TEST(Observe, Scopes) {
  for (const Op operation : {Op::memfence, Op::atomic32, Op::atomic64}) {
    EXPECT_EQ(observed(operation, HSA_BRIG_MEMORY_SCOPE_WAVEFRONT), "wave scope");
    for (const uint32_t scope : {HSA_BRIG_MEMORY_SCOPE_NONE, HSA_BRIG_MEMORY_SCOPE_WORKGROUP,
                                 HSA_BRIG_MEMORY_SCOPE_AGENT, HSA_BRIG_MEMORY_SCOPE_SYSTEM})
      EXPECT_EQ(observed(operation, scope), "");
  }
}

/// The order of a fence is not its scope.
TEST(Observe, ScopesOfFencesAreTheirSecondArgument) {
  SpmdModule module(
      "define void @a(ptr %c) {\n call void @hsail.memfence(i32 2, i32 5)\n ret void\n}\n"
      "define void @b(ptr %c) {\n call void @hsail.memfence(i32 5, i32 2)\n ret void\n}\n");
  const auto found = wave_observers(module.module(), {});
  EXPECT_EQ(found.size(), 1u);
  EXPECT_TRUE(found.contains(&module.function("b")));
}

TEST(Observe, CallersAndIndirectFunctions) {
  SpmdModule module(
      "define void @leaf() {\n %l = call i32 @hsail.laneid()\n ret void\n}\n"
      "define void @middle() {\n call void @leaf()\n ret void\n}\n"
      "define void @top(ptr %c) {\n call void @middle()\n ret void\n}\n"
      "define void @quiet(ptr %c) {\n %a = call i32 @hsail.workitemid(i32 0)\n ret void\n}\n"
      "define void @icall(ptr %c) {\n call void %c()\n ret void\n}\n"
      "define void @indirect(ptr %c) {\n ret void\n}\n"
      "define void @user(ptr %c) {\n call void @indirect(ptr %c)\n ret void\n}\n");
  const SpmdIndirectFunction indirect[] = {{0, &module.function("indirect")}};
  const auto found = wave_observers(module.module(), indirect);
  const std::map<std::string, std::string_view> expected = {{"leaf", "laneid"},
                                                            {"middle", "laneid"},
                                                            {"top", "laneid"},
                                                            {"icall", "icall"},
                                                            {"indirect", "indirect function"},
                                                            {"user", "indirect function"}};
  EXPECT_EQ(found.size(), expected.size());
  for (const auto& [name, why] : expected) {
    ASSERT_TRUE(found.contains(&module.function(name))) << name;
    EXPECT_EQ(found.at(&module.function(name)), why);
  }
}

/// Reports whether the function with this body can tell where groups begin in x.
bool observes_groups(const std::string& body) {
  SpmdModule module("define void @f(ptr %c) {\n" + body + "\n ret void\n}\n");
  return spmd::group_observers(module.module(), {}).contains(&module.function());
}

const std::string absolute_id =
    "%g = call i32 @hsail.workgroupid(i32 0)\n %s = call i32 @hsail.workgroupsize(i32 0)\n"
    "%b = mul nuw i32 %g, %s\n %l = call i32 @hsail.workitemid(i32 0)\n %a = add nuw i32 %b, %l\n";

TEST(ObserveGroups, WhatIsNotAnAbsoluteId) {
  EXPECT_FALSE(observes_groups(""));
  EXPECT_FALSE(observes_groups(absolute_id));
  EXPECT_FALSE(observes_groups(absolute_id + "%m = mul i32 %s, 3"));
  EXPECT_TRUE(observes_groups(absolute_id + "%m = mul i32 %l, 3"));
  EXPECT_TRUE(observes_groups(absolute_id + "%m = mul i32 %g, 3"));
  EXPECT_TRUE(observes_groups(absolute_id + "%m = add i32 %b, 3"));
  EXPECT_TRUE(observes_groups("%l = call i32 @hsail.workitemid(i32 0)\n %m = mul i32 %l, 3"));
  EXPECT_TRUE(observes_groups("%l = call i32 @hsail.currentworkgroupsize(i32 0)\n %m = mul i32 %l, 3"));
}

TEST(ObserveGroups, OtherDimensionsAreTheSameInMergedGroups) {
  for (const char* query : {"workitemid", "workgroupid", "currentworkgroupsize"})
    EXPECT_FALSE(
        observes_groups("%l = call i32 @hsail." + std::string(query) + "(i32 1)\n %m = mul i32 %l, 3"));
}

TEST(ObserveGroups, WhatGroupsShare) {
  EXPECT_TRUE(observes_groups("call void @hsail.barrier()"));
  EXPECT_TRUE(observes_groups("%b = call ptr @hsail.group.base()"));
  EXPECT_TRUE(observes_groups("%l = call i32 @hsail.laneid()"));
  EXPECT_TRUE(observes_groups("call void %c()"));
}

}  // namespace
}  // namespace heddle::testing
