// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Branches, phis and returns.
#include <fmt/format.h>

#include "compiler/emit/argument_variables.h"
#include "compiler/emit/handlers.h"
#include "compiler/emit/memory.h"
#include "compiler/prepare/control.h"

namespace heddle::compiler {

namespace {

struct PhiCopy {
  Scalar to;
  Scalar from;
  Type type;
};

// Copies that happen at the same time, as a sequence: a register is written when no copy that is left reads
// it, and where the copies that are left form circles, one of the registers is kept aside first.
class ParallelCopies {
 public:
  ParallelCopies(Builder& builder, std::vector<PhiCopy> copies)
      : builder_(builder), copies_(std::move(copies)), done_(copies_.size()) {
    for (size_t i = 0; i < copies_.size(); ++i) {
      registers_[copies_[i].to.id].writer = i;
      if (copies_[i].from.is_register()) ++registers_[copies_[i].from.id].reads;
    }
  }

  void write() {
    write_chains();
    for (size_t i = 0; i < copies_.size(); ++i) {
      if (!done_[i]) write_circle(i);
    }
  }

 private:
  static constexpr size_t none = ~size_t{0};
  struct Register {
    uint32_t reads = 0;    // how many copies that are left read it
    size_t writer = none;  // which copy writes it
  };

  void write_chains() {
    std::vector<size_t> ready;
    for (size_t i = copies_.size(); i-- != 0;) {
      if (registers_[copies_[i].to.id].reads == 0) ready.push_back(i);
    }
    while (!ready.empty()) {
      const size_t at = ready.back();
      ready.pop_back();
      const PhiCopy& copy = copies_[at];
      done_[at] = true;
      builder_.copy(copy.to, copy.from, copy.type);
      if (!copy.from.is_register()) continue;
      Register& source = registers_[copy.from.id];
      if (--source.reads == 0 && source.writer != none && !done_[source.writer])
        ready.push_back(source.writer);
    }
  }

  // All that is left are circles, in which each register is read once.
  void write_circle(size_t first) {
    const Scalar kept = builder_.fresh(copies_[first].type);
    builder_.copy(kept, copies_[first].to, copies_[first].type);
    for (size_t at = first; at != none;) {
      done_[at] = true;
      const size_t writer = registers_[copies_[at].from.id].writer;
      const bool closes = writer == none || writer == first;
      builder_.copy(copies_[at].to, closes ? kept : copies_[at].from, copies_[at].type);
      at = closes ? none : writer;
    }
  }

  Builder& builder_;
  std::vector<PhiCopy> copies_;
  std::vector<bool> done_;
  llvm::DenseMap<RegisterId, Register> registers_;
};

void copy_in_parallel(Builder& builder, std::vector<PhiCopy> copies) {
  std::erase_if(copies, [](const PhiCopy& c) { return c.from.is_register() && c.from.id == c.to.id; });
  if (!copies.empty()) ParallelCopies(builder, std::move(copies)).write();
}

void conditional_branch(FunctionEmitter& emitter, const llvm::Value& value, uint32_t if_true,
                        uint32_t if_false) {
  Builder& builder = emitter.builder();
  const Scalar condition = emitter.scalar(value);
  if (condition.is_number() || if_true == if_false) {
    builder.branch((condition.bits & 1) != 0 ? if_true : if_false);
    return;
  }
  // All work-items of a work-group go the same way.
  const bool uniform = emitter.uniformity().is_uniform(value);
  builder.append(uniform ? "cbr_width(all)_b1" : "cbr_b1",
                 {Operand::use(condition.id, Type::b1), Operand::label(if_true)}, Instruction::Form::branch);
  builder.code().blocks[builder.block()].successors.push_back(if_true);
  builder.branch(if_false);
}

void branch_by_table(FunctionEmitter& emitter, const llvm::SwitchInst& instruction, const CaseRange& range) {
  Builder& builder = emitter.builder();
  const Type type = emitter.layout(*instruction.getCondition()).parts[0];
  const uint32_t otherwise = emitter.block_number(*instruction.getDefaultDest());
  Scalar index = emitter.scalar(*instruction.getCondition());
  if (range.lowest != 0) index = builder.compute("sub", type, {index, Scalar::constant(range.lowest)});
  std::vector<uint32_t> targets(range.count, otherwise);
  for (const auto& one : instruction.cases()) {
    targets[one.getCaseValue()->getZExtValue() - range.lowest] =
        emitter.block_number(*one.getCaseSuccessor());
  }
  const Scalar outside = builder.compare("ge", type, index, Scalar::constant(range.count));
  auto& successors = builder.code().blocks[builder.block()].successors;
  builder.append("cbr_b1", {Operand::use(outside.id, Type::b1), Operand::label(otherwise)},
                 Instruction::Form::branch);
  successors.push_back(otherwise);
  llvm::SmallVector<Operand, 8> operands{builder.source(index, type),
                                         Operand::vector(static_cast<uint32_t>(targets.size()))};
  for (const uint32_t target : targets) operands.push_back(Operand::label(target));
  builder.append(fmt::format("sbr_{}", name(type)), operands, Instruction::Form::branch);
  successors.append(targets.begin(), targets.end());
}

}  // namespace

void FunctionEmitter::copy_to_phis(const llvm::BasicBlock& from, const llvm::BasicBlock& to) {
  std::vector<PhiCopy> copies;
  for (const llvm::PHINode& phi : to.phis()) {
    const llvm::Value& incoming = *phi.getIncomingValueForBlock(&from);
    if (llvm::isa<llvm::UndefValue>(incoming)) continue;
    const Parts sources = parts(incoming);
    const Parts targets = parts(phi);
    const Layout& types = layout(phi);
    for (size_t i = 0; i < sources.size(); ++i) copies.push_back({targets[i], sources[i], types.parts[i]});
  }
  copy_in_parallel(builder_, std::move(copies));
}

void emit_branch(FunctionEmitter& emitter, const llvm::Instruction& instruction) {
  const auto& branch = llvm::cast<llvm::BranchInst>(instruction);
  // Blocks with several successors have no successors with phis (prepare/control.h).
  if (branch.isUnconditional()) {
    emitter.copy_to_phis(*branch.getParent(), *branch.getSuccessor(0));
    emitter.builder().branch(emitter.block_number(*branch.getSuccessor(0)));
    return;
  }
  conditional_branch(emitter, *branch.getCondition(), emitter.block_number(*branch.getSuccessor(0)),
                     emitter.block_number(*branch.getSuccessor(1)));
}

void emit_switch(FunctionEmitter& emitter, const llvm::Instruction& instruction) {
  const auto& choice = llvm::cast<llvm::SwitchInst>(instruction);
  // All others have become trees of branches (prepare/control.h).
  const std::optional<CaseRange> range = dense_cases(choice);
  if (range) {
    branch_by_table(emitter, choice, *range);
    return;
  }
  emitter.unsupported(instruction, "a switch without table");
}

void emit_return(FunctionEmitter& emitter, const llvm::Instruction& instruction) {
  const auto& result = llvm::cast<llvm::ReturnInst>(instruction);
  Builder& builder = emitter.builder();
  if (const llvm::Value* value = result.getReturnValue()) {
    if (!can_be_passed(*value->getType(), emitter.layout(*value), false)) {
      emitter.unsupported(instruction, "a result with vectors whose elements share bytes inside a structure");
      return;
    }
    const Address place{Address::Segment::arg, false, llvm::StringRef(result_name), no_register, 0};
    store_value(builder, place, emitter.parts(*value), emitter.layout(*value), emitter.data(),
                {.align = emitter.data().getABITypeAlign(value->getType())});
  }
  builder.append("ret", {});
}

void emit_unreachable(FunctionEmitter& emitter, const llvm::Instruction&) {
  emitter.builder().append("ret", {});
}

}  // namespace heddle::compiler
