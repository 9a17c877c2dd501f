// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Linearisation of each kind of control flow, in the smallest functions that have it.
#include "finalizer/spmd/linearise.h"

#include <gtest/gtest.h>
#include <llvm/AsmParser/Parser.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/Support/SourceMgr.h>

#include "finalizer/spmd/prepare.h"
#include "linearised.h"

namespace heddle::testing {
namespace {

using finalizer::spmd::tested_mask;

class Linearise : public ::testing::Test {
 protected:
  /// Linearises a function with this body and compares it with the original, with each kind of mask.
  void check(const std::string& body) {
    parse(body);
    for (const EntryMask entry_mask : {EntryMask::argument, EntryMask::all}) {
      linearised_ = std::make_unique<Linearised>(*module_, entry_mask, [](const auto&) { return false; });
      std::mt19937 random(1);
      ASSERT_EQ(linearised_->broken(), "") << linearised_->text();
      ASSERT_EQ(difference(*module_->getFunction("f"), *linearised_, entry_mask, random, 200), "")
          << linearised_->text();
    }
  }

  void parse(const std::string& body) {
    llvm::SMDiagnostic error;
    module_ = llvm::parseAssemblyString(function_head + body + "}\n", error, context_);
    if (!module_) throw std::runtime_error(error.getMessage().str() + "\n" + error.getLineContents().str());
  }

  /// Returns how many branches of the function depend on a mask, and how many on anything else.
  std::pair<unsigned, unsigned> branches() {
    std::pair<unsigned, unsigned> count;
    for (const llvm::BasicBlock& block : linearised_->function()) {
      const auto* branch = llvm::dyn_cast<llvm::BranchInst>(block.getTerminator());
      if (!branch || !branch->isConditional()) continue;
      ++(tested_mask(*branch->getCondition()) ? count.first : count.second);
    }
    return count;
  }
  using Branches = std::pair<unsigned, unsigned>;

  llvm::LLVMContext context_;
  std::unique_ptr<llvm::Module> module_;
  std::unique_ptr<Linearised> linearised_;
};

TEST_F(Linearise, ExecutesAPureSideUnconditionally) {
  check(R"(
    %c = icmp ult i32 %a, 3
    br i1 %c, label %then, label %join
  then:
    %sum = add i32 %a, %b
    br label %join
  join:
    %r = phi i32 [%b, %0], [%sum, %then]
    ret i32 %r
  )");
  EXPECT_EQ(branches(), Branches(0, 0)) << linearised_->text();
}

TEST_F(Linearise, SkipsASideWithEffectsIfNoWorkItemTakesIt) {
  check(R"(
    %c = icmp ult i32 %a, 3
    br i1 %c, label %then, label %join
  then:
    store i32 %b, ptr %memory
    br label %join
  join:
    ret i32 0
  )");
  EXPECT_EQ(branches(), Branches(1, 0)) << linearised_->text();
}

TEST_F(Linearise, GivesTheMeetingPointTheMaskOfTheBranch) {
  check(R"(
    %c = icmp ult i32 %a, 3
    br i1 %c, label %then, label %else
  then:
    store i32 %b, ptr %memory
    br label %join
  else:
    store i32 %a, ptr %memory
    br label %join
  join:
    %r = phi i32 [1, %then], [%b, %else]
    store i32 %r, ptr %memory
    ret i32 %r
  )");
  EXPECT_EQ(branches(), Branches(2, 0)) << linearised_->text();
  const llvm::BasicBlock& last = linearised_->function().back();
  EXPECT_EQ(linearised_->state().masks.of(last), linearised_->state().entry_mask);
}

TEST_F(Linearise, KeepsUniformBranches) {
  check(R"(
    %c = icmp ult i32 %u, 3
    br i1 %c, label %then, label %else
  then:
    store i32 %b, ptr %memory
    br label %join
  else:
    store i32 %a, ptr %memory
    br label %join
  join:
    %r = phi i32 [1, %then], [%b, %else]
    ret i32 %r
  )");
  EXPECT_EQ(branches(), Branches(0, 1)) << linearised_->text();
}

TEST_F(Linearise, KeepsUniformBranchesWhereSomeWorkItemsAre) {
  check(R"(
    %d = icmp ult i32 %a, 3
    br i1 %d, label %outer, label %end
  outer:
    %c = icmp ult i32 %u, 3
    br i1 %c, label %then, label %else
  then:
    store i32 %b, ptr %memory
    br label %join
  else:
    call void @note(i32 %a)
    br label %join
  join:
    %r = phi i32 [1, %then], [%b, %else]
    %s = phi i32 [%u, %then], [5, %else]
    %k = icmp ult i32 %s, 4
    br i1 %k, label %more, label %end
  more:
    call void @note(i32 %r)
    br label %end
  end:
    %x = phi i32 [0, %0], [%r, %join], [%s, %more]
    ret i32 %x
  )");
  EXPECT_EQ(branches(), Branches(1, 2)) << linearised_->text();
}

TEST_F(Linearise, NestsBranches) {
  check(R"(
    %c = icmp ult i32 %a, 3
    br i1 %c, label %then, label %else
  then:
    %d = icmp ult i32 %b, 3
    br i1 %d, label %both, label %one
  both:
    store i32 %b, ptr %memory
    br label %inner
  one:
    %q = load i32, ptr %memory
    br label %inner
  inner:
    %p = phi i32 [%b, %both], [%q, %one]
    call void @note(i32 %p)
    br label %join
  else:
    %e = icmp eq i32 %b, 0
    br i1 %e, label %join, label %divide
  divide:
    %quotient = udiv i32 %a, %b
    br label %join
  join:
    %r = phi i32 [%p, %inner], [7, %else], [%quotient, %divide]
    ret i32 %r
  )");
}

TEST_F(Linearise, LeavesADivergentLoopWhenItIsEmpty) {
  check(R"(
    br label %loop
  loop:
    %i = phi i32 [0, %0], [%next, %loop]
    %sum = phi i32 [%b, %0], [%sum2, %loop]
    %sum2 = add i32 %sum, %i
    call void @note(i32 %sum2)
    %next = add i32 %i, 1
    %c = icmp ult i32 %i, %a
    br i1 %c, label %loop, label %end
  end:
    %r = add i32 %sum2, %next
    ret i32 %r
  )");
  EXPECT_EQ(branches(), Branches(1, 0)) << linearised_->text();
}

TEST_F(Linearise, TestsOncePerIterationOfAWhileLoop) {
  check(R"(
    br label %loop
  loop:
    %i = phi i32 [0, %0], [%next, %body]
    %c = icmp ult i32 %i, %a
    br i1 %c, label %body, label %end
  body:
    call void @note(i32 %i)
    %next = add i32 %i, 1
    br label %loop
  end:
    ret i32 %i
  )");
  EXPECT_EQ(branches(), Branches(1, 0)) << linearised_->text();
}

TEST_F(Linearise, KeepsUniformLoops) {
  check(R"(
    %c = icmp ult i32 %a, 3
    br i1 %c, label %before, label %end
  before:
    br label %loop
  loop:
    %i = phi i32 [0, %before], [%next, %next.block]
    %odd = icmp ult i32 %i, %b
    br i1 %odd, label %inside, label %next.block
  inside:
    call void @note(i32 %i)
    br label %next.block
  next.block:
    %next = add i32 %i, 1
    %more = icmp ult i32 %next, %u
    br i1 %more, label %loop, label %after
  after:
    store i32 %next, ptr %memory
    br label %end
  end:
    %r = phi i32 [0, %0], [%next, %after]
    ret i32 %r
  )");
  EXPECT_EQ(branches(), Branches(2, 1)) << linearised_->text();
}

TEST_F(Linearise, LeavesALoopBySeveralExits) {
  check(R"(
    br label %loop
  loop:
    %i = phi i32 [0, %0], [%next, %third]
    %c = icmp eq i32 %i, %a
    br i1 %c, label %first, label %second
  second:
    %x = add i32 %i, %b
    %d = icmp eq i32 %i, %b
    br i1 %d, label %exit2, label %third
  third:
    call void @note(i32 %i)
    %next = add i32 %i, 1
    %e = icmp eq i32 %i, %u
    br i1 %e, label %exit3, label %loop
  first:
    call void @note(i32 100)
    br label %end
  exit2:
    store i32 %x, ptr %memory
    br label %end
  exit3:
    call void @note(i32 %next)
    br label %end
  end:
    %r = phi i32 [%i, %first], [%x, %exit2], [%next, %exit3]
    ret i32 %r
  )");
}

TEST_F(Linearise, BreaksAndContinues) {
  check(R"(
    br label %loop
  loop:
    %i = phi i32 [0, %0], [%next, %continue], [%next, %rest]
    %s = phi i32 [0, %0], [%s, %continue], [%s2, %rest]
    %next = add i32 %i, 1
    %done = icmp ugt i32 %next, 6
    br i1 %done, label %end, label %body
  body:
    %bit = and i32 %i, %a
    %c = icmp eq i32 %bit, 0
    br i1 %c, label %continue, label %work
  continue:
    br label %loop
  work:
    %s2 = add i32 %s, %b
    store i32 %s2, ptr %memory
    %d = icmp ugt i32 %s2, 9
    br i1 %d, label %end, label %rest
  rest:
    call void @note(i32 %s2)
    br label %loop
  end:
    %r = phi i32 [%s, %loop], [%s2, %work]
    ret i32 %r
  )");
}

TEST_F(Linearise, NestsDivergentLoops) {
  check(R"(
    br label %outer
  outer:
    %i = phi i32 [0, %0], [%i2, %outer.end]
    %t = phi i32 [0, %0], [%t3, %outer.end]
    br label %inner
  inner:
    %j = phi i32 [0, %outer], [%j2, %inner.end]
    %t2 = phi i32 [%t, %outer], [%sum, %inner.end]
    %sum = add i32 %t2, %j
    %both = add i32 %i, %j
    %far = icmp ugt i32 %both, 7
    br i1 %far, label %out, label %inner.end
  inner.end:
    call void @note(i32 %sum)
    %j2 = add i32 %j, 1
    %c = icmp ult i32 %j, %b
    br i1 %c, label %inner, label %outer.end
  outer.end:
    %t3 = phi i32 [%sum, %inner.end]
    %i2 = add i32 %i, 1
    %d = icmp ult i32 %i, %a
    br i1 %d, label %outer, label %end
  out:
    %o = phi i32 [%both, %inner]
    store i32 %o, ptr %memory
    br label %end
  end:
    %r = phi i32 [%t3, %outer.end], [%o, %out]
    ret i32 %r
  )");
}

/// The outer loop has uniform branches only, but the work-items that leave both loops do so at different
/// times.
TEST_F(Linearise, LeavesTwoLoopsAtOnce) {
  check(R"(
    br label %outer
  outer:
    %i = phi i32 [0, %0], [%i2, %outer.end]
    br label %inner
  inner:
    %j = phi i32 [0, %outer], [%j2, %inner.end]
    %n = mul i32 %i, 3
    %place = add i32 %n, %j
    %found = icmp eq i32 %place, %a
    br i1 %found, label %end, label %inner.end
  inner.end:
    call void @note(i32 %place)
    %j2 = add i32 %j, 1
    %c = icmp ult i32 %j2, 3
    br i1 %c, label %inner, label %outer.end
  outer.end:
    %i2 = add i32 %i, 1
    %d = icmp ult i32 %i, %u
    br i1 %d, label %outer, label %end
  end:
    %r = phi i32 [%place, %inner], [99, %outer.end]
    ret i32 %r
  )");
}

/// Work-items wait behind one exit while others go on and leave by another one, so that they are not lost
/// when the loop ends without having come to the first exit again.
TEST_F(Linearise, RemembersWhoLeftInEarlierIterations) {
  check(R"(
    br label %loop
  loop:
    %i = phi i32 [0, %0], [%next, %last]
    %next = add i32 %i, 1
    %c = icmp ugt i32 %i, %a
    br i1 %c, label %exit1, label %middle
  middle:
    call void @note(i32 %i)
    %d = icmp eq i32 %i, %b
    br i1 %d, label %exit2, label %last
  last:
    call void @note(i32 %next)
    br label %loop
  exit1:
    call void @note(i32 1001)
    br label %end
  exit2:
    call void @note(i32 1002)
    br label %end
  end:
    %r = phi i32 [%i, %exit1], [%next, %exit2]
    ret i32 %r
  )");
}

TEST_F(Linearise, ReturnsEarly) {
  check(R"(
    %c = icmp ult i32 %a, 3
    br i1 %c, label %early, label %rest
  early:
    ret i32 %b
  rest:
    store i32 %b, ptr %memory
    %d = icmp ult i32 %b, 3
    br i1 %d, label %early2, label %rest2
  early2:
    call void @note(i32 1)
    ret i32 8
  rest2:
    call void @note(i32 2)
    ret i32 9
  )");
}

constexpr const char* switch_body = R"(
    switch i32 %{}, label %other [ i32 0, label %zero
                                  i32 1, label %few
                                  i32 2, label %few
                                  i32 4, label %few
                                  i32 3, label %other ]
  zero:
    call void @note(i32 0)
    br label %few
  few:
    %x = phi i32 [1, %0], [1, %0], [1, %0], [2, %zero]
    store i32 %x, ptr %memory
    br label %end
  other:
    %y = phi i32 [5, %0], [5, %0]
    call void @note(i32 %y)
    br label %end
  end:
    %r = phi i32 [%x, %few], [%y, %other]
    ret i32 %r
  )";

std::string switch_over(const std::string& value) {
  std::string body = switch_body;
  return body.replace(body.find("{}"), 2, value);
}

unsigned count_switches(const llvm::Function& function) {
  return static_cast<unsigned>(llvm::count_if(function, [](const llvm::BasicBlock& block) {
    return llvm::isa<llvm::SwitchInst>(block.getTerminator());
  }));
}

TEST_F(Linearise, ChainsADivergentSwitch) {
  check(switch_over("a"));
  EXPECT_EQ(count_switches(linearised_->function()), 0u) << linearised_->text();
}

/// Behind the first compare, work-items only leave the loop if the exits are tested last.
TEST_F(Linearise, ChainsASwitchThatLeavesALoop) {
  check(R"(
    br label %begin
  begin:
    br label %loop
  loop:
    %i = phi i32 [0, %begin], [%next, %again]
    %sum = add i32 %i, %a
    %k = and i32 %sum, 7
    switch i32 %k, label %out [
      i32 0, label %again
      i32 1, label %again
      i32 2, label %one
    ]
  again:
    %next = add i32 %i, 1
    br label %loop
  one:
    br label %out
  out:
    %r = phi i32 [%sum, %loop], [%i, %one]
    ret i32 %r
  )");
  EXPECT_EQ(count_switches(linearised_->function()), 0u) << linearised_->text();
}

TEST_F(Linearise, KeepsAUniformSwitch) {
  check(switch_over("u"));
  EXPECT_EQ(count_switches(linearised_->function()), 1u) << linearised_->text();
  EXPECT_EQ(branches(), Branches(0, 0)) << linearised_->text();
}

/// The branch on a uniform value stays, although work-items bring the value from different blocks.
TEST_F(Linearise, KeepsUniformValuesUniform) {
  check(R"(
    %c = icmp ult i32 %a, 3
    br i1 %c, label %then, label %else
  then:
    %w = load i32, ptr %memory
    %d = icmp ult i32 %w, 4
    br i1 %d, label %join, label %end
  else:
    call void @note(i32 %b)
    br label %join
  join:
    %s = phi i32 [%u, %then], [%u, %else]
    %k = icmp ult i32 %s, 4
    br i1 %k, label %more, label %end
  more:
    call void @note(i32 %s)
    br label %end
  end:
    %r = phi i32 [0, %then], [1, %join], [2, %more]
    ret i32 %r
  )");
  EXPECT_EQ(branches().second, 1u) << linearised_->text();
  const auto is_k = [](const llvm::Instruction& i) { return i.getName() == "k"; };
  const auto k = llvm::find_if(llvm::instructions(linearised_->function()), is_k);
  EXPECT_TRUE(linearised_->state().shapes.is_uniform(*k->getOperand(0))) << linearised_->text();
}

/// Two sides of a divergent branch share their successors, so that a uniform branch cannot stay.
TEST_F(Linearise, FoldsUniformBranchesBetweenSharedBlocks) {
  check(R"(
    %uniform = icmp ult i32 %u, 3
    %c = icmp ult i32 %a, 3
    br i1 %c, label %x, label %y
  x:
    %vx = load i32, ptr %memory
    br i1 %uniform, label %p, label %q
  y:
    %vy = add i32 %a, %b
    br i1 %uniform, label %q, label %p
  p:
    %vp = phi i32 [%vx, %x], [%vy, %y]
    store i32 %vp, ptr %memory
    br label %end
  q:
    %vq = phi i32 [%vx, %x], [%vy, %y]
    call void @note(i32 %vq)
    br label %end
  end:
    %r = phi i32 [%vp, %p], [%vq, %q]
    ret i32 %r
  )");
}

TEST_F(Linearise, MakesIrreducibleCyclesLoops) {
  check(R"(
    %c = icmp ult i32 %a, 3
    br i1 %c, label %one, label %two
  one:
    %i = phi i32 [0, %0], [%j2, %two]
    call void @note(i32 %i)
    %i2 = add i32 %i, 1
    %d = icmp ugt i32 %i, 5
    br i1 %d, label %end, label %two
  two:
    %j = phi i32 [%b, %0], [%i2, %one]
    %j2 = add i32 %j, 2
    store i32 %j2, ptr %memory
    %e = icmp ugt i32 %j, 6
    br i1 %e, label %end, label %one
  end:
    %r = phi i32 [%i, %one], [%j2, %two]
    ret i32 %r
  )");
}

/// The work-items that do not stop have the mask that they had before.
TEST_F(Linearise, GoesOnBehindStoppingCallsWithAllWorkItems) {
  check(R"(
    %c = icmp ugt i32 %a, 100
    br i1 %c, label %stop, label %rest
  stop:
    call void @note(i32 666) noreturn
    unreachable
  rest:
    store i32 %b, ptr %memory
    ret i32 %a
  )");
  EXPECT_EQ(linearised_->state().masks.of(linearised_->function().back()), linearised_->state().entry_mask);
}

TEST_F(Linearise, AcceptsLoopsWithoutExit) {
  check(R"(
    %c = icmp ugt i32 %a, 100
    br i1 %c, label %forever, label %rest
  forever:
    call void @note(i32 1)
    br label %forever
  rest:
    store i32 %b, ptr %memory
    ret i32 %a
  )");
}

/// A condition that is poison for work-items elsewhere must not reach their masks.
TEST_F(Linearise, KeepsPoisonOutOfMasks) {
  check(R"(
    %c = icmp ult i32 %a, 3
    br i1 %c, label %then, label %join
  then:
    %w = load i32, ptr %memory
    %d = icmp ult i32 %w, 4
    br i1 %d, label %deep, label %join
  deep:
    store i32 1, ptr %memory
    br label %join
  join:
    %r = phi i32 [0, %0], [%w, %then], [2, %deep]
    ret i32 %r
  )");
}

}  // namespace
}  // namespace heddle::testing
