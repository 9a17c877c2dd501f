// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "program_generator.h"

#include <random>

#include <llvm/AsmParser/Parser.h>
#include <llvm/IR/Dominators.h>
#include <llvm/Support/SourceMgr.h>
#include <llvm/Transforms/Utils/Local.h>
#include <llvm/Transforms/Utils/PromoteMemToReg.h>

#include "linearised.h"

namespace heddle::testing {
namespace {

using llvm::AllocaInst;
using llvm::BasicBlock;
using llvm::Value;

class Generator {
 public:
  Generator(llvm::Module& module, Style style, uint32_t seed)
      : module_(module),
        function_(*module.getFunction("f")),
        ir_(module.getContext()),
        random_(seed * 2 + (style == Style::structured)) {}

  void run(Style style) {
    ir_.SetInsertPoint(&function_.getEntryBlock());
    function_.getEntryBlock().getTerminator()->eraseFromParent();
    for (unsigned i = 0; i < variable_count; ++i)
      ir_.CreateStore(i < 4 ? static_cast<Value*>(function_.getArg(1 + i)) : ir_.getInt32(i), variable());
    if (style == Style::structured) {
      statements(0);
      finish();
    } else {
      jumps();
    }
    llvm::removeUnreachableBlocks(function_);
    llvm::DominatorTree dominators(function_);
    llvm::PromoteMemToReg(variables_, dominators);
  }

 private:
  static constexpr unsigned variable_count = 7, deepest = 4;

  unsigned below(unsigned n) { return static_cast<unsigned>(random_() % n); }
  bool chance(unsigned percent) { return below(100) < percent; }
  llvm::Type* i32() { return ir_.getInt32Ty(); }

  AllocaInst* variable() {
    BasicBlock& entry = function_.getEntryBlock();
    auto* made = new AllocaInst(i32(), 0, "x", entry.begin());
    variables_.push_back(made);
    return made;
  }
  Value* read(unsigned n) { return ir_.CreateLoad(i32(), variables_[n]); }
  Value* any_value() {
    if (chance(20)) return ir_.getInt32(below(8));
    if (chance(25)) return function_.getArg(3 + below(2));  // uniform
    return read(below(variable_count));
  }
  void write(Value* value) { ir_.CreateStore(value, variables_[below(variable_count)]); }
  BasicBlock* block(const char* name) { return BasicBlock::Create(ir_.getContext(), name, &function_); }

  Value* condition() {
    // The bits compared are few, so that both ways are taken.
    constexpr llvm::CmpInst::Predicate predicates[] = {llvm::CmpInst::ICMP_EQ, llvm::CmpInst::ICMP_NE,
                                                       llvm::CmpInst::ICMP_ULT, llvm::CmpInst::ICMP_UGE};
    if (chance(35))
      return ir_.CreateICmp(predicates[below(4)], function_.getArg(3 + below(2)), ir_.getInt32(below(6)));
    return ir_.CreateICmp(predicates[below(4)], ir_.CreateAnd(any_value(), ir_.getInt32(7)),
                          ir_.CreateAnd(any_value(), ir_.getInt32(7)));
  }
  Value* address() {
    Value* word = ir_.CreateAnd(any_value(), ir_.getInt32(memory_words - 1));
    return ir_.CreateGEP(i32(), function_.getArg(0), word);
  }

  void simple() {
    switch (below(7)) {
      case 0:
        ir_.CreateStore(any_value(), address());
        break;
      case 1:
        write(ir_.CreateLoad(i32(), address()));
        break;
      case 2:
        ir_.CreateCall(module_.getFunction("note"), {any_value()});
        break;
      case 3:
      case 4:
        divide();
        break;
      default: {
        constexpr llvm::Instruction::BinaryOps operations[] = {
            llvm::Instruction::Add, llvm::Instruction::Sub, llvm::Instruction::Mul, llvm::Instruction::Xor};
        write(ir_.CreateBinOp(operations[below(4)], any_value(), any_value()));
      }
    }
  }

  void divide() {
    Value *a = any_value(), *b = ir_.CreateAnd(read(below(variable_count)), ir_.getInt32(3));
    BasicBlock *yes = block("divide"), *end = block("divided");
    ir_.CreateCondBr(ir_.CreateICmpNE(b, ir_.getInt32(0)), yes, end);
    ir_.SetInsertPoint(yes);
    write(chance(50) ? ir_.CreateUDiv(a, b) : ir_.CreateURem(a, b));
    ir_.CreateBr(end);
    ir_.SetInsertPoint(end);
  }

  // ---- structured control flow

  void statements(unsigned depth) {
    for (unsigned n = 1 + below(3); n-- > 0;) statement(depth);
  }

  void statement(unsigned depth) {
    if (depth == deepest || chance(45)) return simple();
    switch (below(7)) {
      case 0:
      case 1:
        return branch(depth);
      case 2:
      case 3:
        return loop(depth);
      case 4:
        return choose(depth);
      default:
        return leave();
    }
  }

  void branch(unsigned depth) {
    BasicBlock *then = block("then"), *otherwise = block("else"), *end = block("end");
    ir_.CreateCondBr(condition(), then, chance(50) ? otherwise : end);
    side(then, end, depth);
    side(otherwise, end, depth);
    ir_.SetInsertPoint(end);
  }

  void side(BasicBlock* begin, BasicBlock* end, unsigned depth) {
    ir_.SetInsertPoint(begin);
    statements(depth + 1);
    ir_.CreateBr(end);
  }

  /// Makes a loop with a counter of its own. The number of iterations is varying or uniform.
  void loop(unsigned depth) {
    AllocaInst* counter = variable();
    Value* limit = chance(50) ? static_cast<Value*>(function_.getArg(3 + below(2))) : any_value();
    limit = ir_.CreateAnd(limit, ir_.getInt32(3));
    ir_.CreateStore(ir_.getInt32(0), counter);
    BasicBlock *head = block("loop"), *body = block("body"), *next = block("next"), *end = block("after");
    const bool tests_first = chance(50);
    ir_.CreateBr(head);
    ir_.SetInsertPoint(head);
    if (tests_first)
      ir_.CreateCondBr(ir_.CreateICmpULT(ir_.CreateLoad(i32(), counter), limit), body, end);
    else
      ir_.CreateBr(body);
    ir_.SetInsertPoint(body);
    loops_.push_back({next, end});
    statements(depth + 1);
    loops_.pop_back();
    ir_.CreateBr(next);
    ir_.SetInsertPoint(next);
    Value* count = ir_.CreateAdd(ir_.CreateLoad(i32(), counter), ir_.getInt32(1));
    ir_.CreateStore(count, counter);
    if (chance(30)) write(count);
    if (tests_first)
      ir_.CreateBr(head);
    else
      ir_.CreateCondBr(ir_.CreateICmpULT(count, limit), head, end);
    ir_.SetInsertPoint(end);
  }

  void choose(unsigned depth) {
    BasicBlock* end = block("chosen");
    BasicBlock* sides[3] = {block("side"), block("side"), block("side")};
    auto* many = ir_.CreateSwitch(ir_.CreateAnd(any_value(), ir_.getInt32(7)), chance(50) ? sides[0] : end);
    for (unsigned value = 0; value < 6; ++value)
      if (chance(70)) many->addCase(ir_.getInt32(value), sides[below(3)]);
    for (unsigned i = 0; i < 3; ++i) side(sides[i], i < 2 && chance(30) ? sides[i + 1] : end, depth);
    ir_.SetInsertPoint(end);
  }

  /// Leaves a loop or an iteration, any of those around, or the function, perhaps under a condition.
  void leave() {
    BasicBlock *go = block("go"), *stay = block("stay");
    ir_.CreateCondBr(condition(), go, stay);
    ir_.SetInsertPoint(go);
    if (loops_.empty() || chance(15)) {
      finish();
    } else {
      const auto& [next, end] =
          loops_[chance(60) ? loops_.size() - 1 : below(static_cast<unsigned>(loops_.size()))];
      ir_.CreateBr(chance(50) ? next : end);
    }
    ir_.SetInsertPoint(stay);
  }

  void finish() { ir_.CreateRet(any_value()); }

  // ---- unstructured control flow

  /// Makes blocks that lead anywhere. A jump back uses up fuel, and returns if there is none.
  void jumps() {
    AllocaInst* fuel = variable();
    ir_.CreateStore(ir_.getInt32(6 + below(6)), fuel);
    llvm::SmallVector<BasicBlock*, 12> blocks;
    for (unsigned n = 3 + below(8); n-- > 0;) blocks.push_back(block("b"));
    ir_.CreateBr(blocks.front());
    for (unsigned i = 0; i < blocks.size(); ++i) {
      ir_.SetInsertPoint(blocks[i]);
      for (unsigned n = below(3); n-- > 0;) simple();
      if (i + 1 == blocks.size() || chance(8)) {
        finish();
        continue;
      }
      const auto target = [&] {
        return chance(70) ? i + 1 + below(std::min<unsigned>(3, static_cast<unsigned>(blocks.size()) - i - 1))
                          : below(static_cast<unsigned>(blocks.size()));
      };
      const unsigned a = target(), b = target();
      burn(std::min(a, b) <= i, *fuel);
      if (chance(20))
        ir_.CreateBr(blocks[a]);
      else
        ir_.CreateCondBr(condition(), blocks[a], blocks[b]);
    }
  }

  void burn(bool is_needed, AllocaInst& fuel) {
    if (!is_needed) return;
    Value* left = ir_.CreateSub(ir_.CreateLoad(i32(), &fuel), ir_.getInt32(1));
    ir_.CreateStore(left, &fuel);
    BasicBlock *empty = block("empty"), *rest = block("rest");
    ir_.CreateCondBr(ir_.CreateICmpEQ(left, ir_.getInt32(0)), empty, rest);
    ir_.SetInsertPoint(empty);
    finish();
    ir_.SetInsertPoint(rest);
  }

  llvm::Module& module_;
  llvm::Function& function_;
  llvm::IRBuilder<> ir_;
  std::mt19937 random_;
  llvm::SmallVector<AllocaInst*, 16> variables_;
  llvm::SmallVector<std::pair<BasicBlock*, BasicBlock*>, 4> loops_;  ///< next iteration, end
};

}  // namespace

std::unique_ptr<llvm::Module> generate_program(llvm::LLVMContext& context, Style style, uint32_t seed) {
  llvm::SMDiagnostic error;
  auto module = llvm::parseAssemblyString(std::string(function_head) + "  unreachable\n}\n", error, context);
  Generator(*module, style, seed).run(style);
  return module;
}

}  // namespace heddle::testing
