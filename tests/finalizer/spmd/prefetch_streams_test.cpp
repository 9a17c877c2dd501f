// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Which gathers of a loop are prefetched, when and where.
#include "finalizer/spmd/prefetch_streams.h"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/PatternMatch.h>
#include <llvm/IR/Verifier.h>

#include "spmd_function.h"

namespace heddle::testing {
namespace {

constexpr const char* declarations = R"(
  declare <4 x i64> @llvm.masked.gather.v4i64.v4p0(<4 x ptr>, <4 x i1>, <4 x i64>)
  declare <4 x i64> @llvm.masked.gather.v4i64.v4p3(<4 x ptr addrspace(3)>, <4 x i1>, <4 x i64>)
  declare <4 x i64> @llvm.x86.avx2.gather.q.q.256(<4 x i64>, ptr, <4 x i64>, <4 x i64>, i8)
  )";

/// A loop with a uniform counter %i, whose body gathers from %address in the lanes of %mask.
std::string loop(const std::string& body, const std::string& step = "1") {
  return fmt::format(R"({}
    define void @f(<4 x ptr> %p, ptr %q, i32 %n, <4 x i1> %mask, <4 x i64> %indices, <4 x i64> %signs) {{
    entry:
      br label %loop
    loop:
      %i = phi i32 [ 0, %entry ], [ %next, %loop ]
      %wide = zext i32 %i to i64
      {}
      %next = add i32 %i, {}
      %again = icmp ult i32 %next, %n
      br i1 %again, label %loop, label %done
    done:
      ret void
    }})",
                     declarations, body, step);
}

std::string gather(const std::string& address, const std::string& name = "loaded",
                   const std::string& mask = "%mask") {
  return fmt::format(
      "%{} = call <4 x i64> @llvm.masked.gather.v4i64.v4p0(<4 x ptr> {}, <4 x i1> {}, <4 x i64> poison)\n",
      name, address, mask);
}

/// An address of each lane that goes on by `bytes` for each count of %i.
std::string address(const std::string& name, unsigned bytes, const std::string& from = "<4 x ptr> %p") {
  return fmt::format("%{0}.offset = mul i64 %wide, {1}\n %{0} = getelementptr i8, {2}, i64 %{0}.offset\n",
                     name, bytes, from);
}

std::vector<llvm::IntrinsicInst*> prefetches_of(llvm::Function& function) {
  std::vector<llvm::IntrinsicInst*> found;
  for (llvm::Instruction& instruction : llvm::instructions(function)) {
    auto* call = llvm::dyn_cast<llvm::IntrinsicInst>(&instruction);
    if (call && call->getIntrinsicID() == llvm::Intrinsic::prefetch) found.push_back(call);
  }
  return found;
}

std::vector<llvm::IntrinsicInst*> run_on(llvm::Function& function) {
  constexpr unsigned near_spaces[] = {3, 5};
  finalizer::spmd::prefetch_lane_streams(function, near_spaces);
  EXPECT_FALSE(llvm::verifyFunction(function, &llvm::errs()));
  return prefetches_of(function);
}

/// Returns how many prefetches a function has after the pass.
size_t prefetches(const std::string& text) {
  SpmdModule module(text);
  return run_on(module.function()).size();
}

TEST(PrefetchStreams, EachLane) { EXPECT_EQ(prefetches(loop(address("a", 8) + gather("%a"))), 4u); }

TEST(PrefetchStreams, LinearAddresses) {
  EXPECT_EQ(prefetches(
                loop("%s = shl i64 %wide, 3\n %a = getelementptr i8, <4 x ptr> %p, i64 %s\n" + gather("%a"))),
            4u);
  EXPECT_EQ(prefetches(loop("%a = getelementptr double, <4 x ptr> %p, i64 %wide\n" + gather("%a"))), 4u);
  EXPECT_EQ(prefetches(loop(R"(
      %one = insertelement <4 x i64> poison, i64 %wide, i64 0
      %all = shufflevector <4 x i64> %one, <4 x i64> poison, <4 x i32> zeroinitializer
      %sum = add <4 x i64> %all, %indices
      %a = getelementptr double, ptr %q, <4 x i64> %sum
      )" + gather("%a"))),
            4u);
}

/// A loop whose counter is the pointer %a of each lane, which begins with `first` and goes on by `bytes`.
std::string loop_of_pointers(const std::string& first, unsigned bytes) {
  return fmt::format(R"({}
    define void @f(ptr %q, <4 x ptr> %p, <4 x i1> %mask) {{
    entry:
      %first = {}
      br label %loop
    loop:
      %a = phi <4 x ptr> [ %first, %entry ], [ %next, %loop ]
      {}
      %next = getelementptr i8, <4 x ptr> %a, i64 {}
      %bits = bitcast <4 x i64> %loaded to i256
      %again = icmp ne i256 %bits, 0
      br i1 %again, label %loop, label %done
    done:
      ret void
    }})",
                     declarations, first, gather("%a"), bytes);
}

TEST(PrefetchStreams, PointersThatGoOn) {
  EXPECT_EQ(prefetches(loop_of_pointers("freeze <4 x ptr> %p", 24)), 4u);
}

TEST(PrefetchStreams, NothingThatStaysOrJumps) {
  EXPECT_EQ(prefetches(loop(gather("%p"))), 0u);
  EXPECT_EQ(prefetches(loop(address("a", 1 << 13) + gather("%a"))), 0u);
  EXPECT_EQ(prefetches(loop(address("a", 8) + gather("%a"), "%n")), 0u) << "the step is not known";
  EXPECT_EQ(prefetches(loop(address("a", 8) + gather("%a"), "%i")), 0u) << "the counter doubles";
  EXPECT_EQ(prefetches(loop("%s = mul i64 %wide, %wide\n %a = getelementptr i8, <4 x ptr> %p, i64 %s\n" +
                            gather("%a"))),
            0u);
}

TEST(PrefetchStreams, NothingThatLanesShare) {
  const auto apart = [](unsigned bytes) {
    return fmt::format("%lanes = getelementptr i8, ptr %q, <4 x i64> <i64 0, i64 {}, i64 {}, i64 {}>\n",
                       bytes, 2 * bytes, 3 * bytes);
  };
  EXPECT_EQ(prefetches(loop(apart(12) + address("a", 8, "<4 x ptr> %lanes") + gather("%a"))), 0u);
  EXPECT_EQ(prefetches(loop(apart(4096) + address("a", 8, "<4 x ptr> %lanes") + gather("%a"))), 4u);
}

TEST(PrefetchStreams, ALineOnce) {
  const std::string beside = "%b = getelementptr i8, <4 x ptr> %a, i64 8\n";
  EXPECT_EQ(prefetches(loop(address("a", 16) + gather("%a") + beside + gather("%b", "second"))), 4u);
  const std::string apart = "%b = getelementptr i8, <4 x ptr> %a, i64 64\n";
  EXPECT_EQ(prefetches(loop(address("a", 16) + gather("%a") + apart + gather("%b", "second"))), 8u);
}

/// Four lines ahead, once in a line, and not in its first iterations.
TEST(PrefetchStreams, WhereAndWhen) {
  SpmdModule module(loop(address("a", 16) + gather("%a")));
  llvm::Function& function = module.function();
  const auto found = run_on(function);
  ASSERT_EQ(found.size(), 4u);
  using namespace llvm::PatternMatch;
  llvm::Value *iteration = nullptr, *ahead = nullptr;
  const llvm::BasicBlock* guard = found[0]->getParent()->getSinglePredecessor();
  ASSERT_TRUE(guard);
  EXPECT_TRUE(match(
      guard->getTerminator()->getOperand(0),
      m_SpecificICmp(llvm::CmpInst::ICMP_EQ, m_And(m_Value(iteration), m_SpecificInt(3)), m_SpecificInt(3))));
  auto* counted = llvm::dyn_cast<llvm::PHINode>(iteration);
  ASSERT_TRUE(counted);
  EXPECT_TRUE(match(counted->getIncomingValueForBlock(&function.getEntryBlock()), m_Zero()));
  for (uint64_t lane = 0; lane < 4; ++lane) {
    llvm::Value* addresses = nullptr;
    ASSERT_TRUE(match(found[lane]->getArgOperand(0), m_ExtractElt(m_Value(addresses), m_SpecificInt(lane))));
    ASSERT_TRUE(match(addresses, m_Select(m_Specific(&module.value("mask")), m_Value(ahead), m_Value())));
    EXPECT_TRUE(match(ahead, m_PtrAdd(m_Specific(&module.value("a")), m_SpecificInt(256))));
  }
}

/// Each iteration of a long step reads a line of its own.
TEST(PrefetchStreams, LongSteps) {
  SpmdModule module(loop(address("a", 512) + gather("%a", "loaded", "splat (i1 true)")));
  const auto found = run_on(module.function());
  ASSERT_EQ(found.size(), 4u);
  EXPECT_EQ(found[0]->getParent(), &module.block("loop"));
  using namespace llvm::PatternMatch;
  EXPECT_TRUE(match(found[0]->getArgOperand(0),
                    m_ExtractElt(m_PtrAdd(m_Specific(&module.value("a")), m_SpecificInt(1024)), m_Zero())));
}

/// Those of AVX2 have a base, and indices in units of a factor.
TEST(PrefetchStreams, GathersOfAvx2) {
  SpmdModule module(loop(R"(
      %base = getelementptr double, ptr %q, i64 %wide
      %loaded = call <4 x i64> @llvm.x86.avx2.gather.q.q.256(<4 x i64> zeroinitializer, ptr %base,
                                                             <4 x i64> %indices, <4 x i64> %signs, i8 4)
      )"));
  const auto found = run_on(module.function());
  ASSERT_EQ(found.size(), 4u);
  using namespace llvm::PatternMatch;
  llvm::Value *addresses = nullptr, *active = nullptr, *ahead = nullptr, *places = nullptr;
  ASSERT_TRUE(match(found[3]->getArgOperand(0), m_ExtractElt(m_Value(addresses), m_SpecificInt(3))));
  ASSERT_TRUE(match(addresses, m_Select(m_Value(active), m_Value(ahead), m_Value())));
  EXPECT_TRUE(
      match(active, m_SpecificICmp(llvm::CmpInst::ICMP_SLT, m_Specific(&module.value("signs")), m_Zero())));
  ASSERT_TRUE(match(ahead, m_PtrAdd(m_Value(places), m_SpecificInt(256))));
  EXPECT_TRUE(match(places, m_PtrAdd(m_Specific(&module.value("base")),
                                     m_Mul(m_Specific(&module.value("indices")), m_SpecificInt(4)))));
}

TEST(PrefetchStreams, FactorsOfAvx2Differ) {
  const auto scaled = [](const char* name, unsigned factor) {
    return fmt::format(
        "%{} = call <4 x i64> @llvm.x86.avx2.gather.q.q.256(<4 x i64> zeroinitializer, ptr %base, "
        "<4 x i64> %indices, <4 x i64> %signs, i8 {})\n",
        name, factor);
  };
  const std::string base = "%base = getelementptr double, ptr %q, i64 %wide\n";
  EXPECT_EQ(prefetches(loop(base + scaled("a", 8) + scaled("b", 4))), 8u);
  EXPECT_EQ(prefetches(loop(base + scaled("a", 8) + scaled("b", 8))), 4u);
}

/// The memory of a work-group, or of a work-item, is in a cache of the first level.
TEST(PrefetchStreams, NothingOfNearMemory) {
  EXPECT_EQ(prefetches(loop(R"(
      %near = addrspacecast <4 x ptr> %p to <4 x ptr addrspace(3)>
      %a = getelementptr double, <4 x ptr addrspace(3)> %near, i64 %wide
      %l = call <4 x i64> @llvm.masked.gather.v4i64.v4p3(<4 x ptr addrspace(3)> %a, <4 x i1> %mask, <4 x i64> poison)
      )")),
            0u);
  EXPECT_EQ(prefetches(loop(R"(
      %near = addrspacecast ptr %q to ptr addrspace(5)
      %a = getelementptr double, ptr addrspace(5) %near, i64 %wide
      %base = addrspacecast ptr addrspace(5) %a to ptr
      %loaded = call <4 x i64> @llvm.x86.avx2.gather.q.q.256(<4 x i64> zeroinitializer, ptr %base,
                                                             <4 x i64> %indices, <4 x i64> %signs, i8 8)
      )")),
            0u);
}

/// Lanes that start near each other and go on alike stay near.
TEST(PrefetchStreams, NothingOfCountersThatLanesShare) {
  const auto counted = [](unsigned apart) {
    return loop_of_pointers(fmt::format("getelementptr i8, ptr %q, <4 x i64> <i64 0, i64 {}, i64 {}, i64 {}>",
                                        apart, 2 * apart, 3 * apart),
                            512);
  };
  EXPECT_EQ(prefetches(counted(16)), 0u);
  EXPECT_EQ(prefetches(counted(1024)), 4u);
}

TEST(PrefetchStreams, BackwardsToo) {
  SpmdModule module(
      loop("%s = mul i64 %wide, -16\n %a = getelementptr i8, <4 x ptr> %p, i64 %s\n" + gather("%a")));
  const auto found = run_on(module.function());
  ASSERT_EQ(found.size(), 4u);
  using namespace llvm::PatternMatch;
  llvm::Value *addresses = nullptr, *ahead = nullptr;
  ASSERT_TRUE(match(found[0]->getArgOperand(0), m_ExtractElt(m_Value(addresses), m_Zero())));
  ASSERT_TRUE(match(addresses, m_Select(m_Value(), m_Value(ahead), m_Value())));
  EXPECT_TRUE(
      match(ahead, m_PtrAdd(m_Specific(&module.value("a")), m_SpecificInt(llvm::APInt(64, -256, true)))));
}

/// The least number has no opposite.
TEST(PrefetchStreams, ExtremeConstants) {
  const std::string least = "-9223372036854775808";
  EXPECT_EQ(prefetches(loop("%s = mul i64 %wide, " + least +
                            "\n %a = getelementptr i8, <4 x ptr> %p, i64 %s\n" + gather("%a"))),
            0u);
  const std::string far = "%b = getelementptr i8, <4 x ptr> %a, i64 " + least + "\n";
  const std::string farther = "%c = getelementptr i8, <4 x ptr> %b, i64 " + least + "\n";
  EXPECT_EQ(prefetches(loop(address("a", 16) + gather("%a") + far + gather("%b", "second") + farther +
                            gather("%c", "third"))),
            12u);
}

/// A block is split once for each number of iterations in which its gathers read a line.
TEST(PrefetchStreams, SeveralPeriodsInABlock) {
  EXPECT_EQ(prefetches(loop(address("a", 8) + address("b", 32, "<4 x ptr> %p") + address("c", 128) +
                            gather("%a") + gather("%b", "second") + gather("%c", "third"))),
            12u);
}

/// One block may be executed where another is not, so that each prefetches for itself.
TEST(PrefetchStreams, OfAConditionalBlock) {
  EXPECT_EQ(prefetches(fmt::format(R"({}
    define void @f(<4 x ptr> %p, i32 %n, <4 x i1> %mask) {{
    entry:
      br label %loop
    loop:
      %i = phi i32 [ 0, %entry ], [ %next, %rest ]
      %wide = zext i32 %i to i64
      %a = getelementptr double, <4 x ptr> %p, i64 %wide
      %odd = trunc i32 %i to i1
      br i1 %odd, label %some, label %others
    some:
      {}
      br label %rest
    others:
      {}
      br label %rest
    rest:
      %next = add i32 %i, 1
      %again = icmp ult i32 %next, %n
      br i1 %again, label %loop, label %done
    done:
      ret void
    }})",
                                   declarations, gather("%a"), gather("%a", "second"))),
            8u);
}

}  // namespace
}  // namespace heddle::testing
