// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "finalizer/spmd/varying_causes.h"

#include <fmt/format.h>
#include <llvm/IR/DebugInfoMetadata.h>

#include "finalizer/lower/target_operations.h"
#include "finalizer/spmd/serial_loops.h"

namespace heddle::finalizer::spmd {
namespace {

using llvm::Instruction;
using llvm::Value;

/// What makes the lanes differ. A value may have several causes; those that say more to authors of kernels
/// come first.
enum class Cause : uint8_t {
  private_segment,
  loaded,
  communicated,
  called,
  divided,
  multiplied,
  bitwise,
  computed,
  chosen,
  wrapped,
  identity,
  joined,
  none,
};

const char* text_of(Cause cause) {
  switch (cause) {
    case Cause::private_segment:
      return "the private segments of the work-items lie apart";
    case Cause::loaded:
      return "the address depends on a loaded value";
    case Cause::communicated:
      return "the address depends on the result of an atomic, signal or cross-lane operation";
    case Cause::called:
      return "the address depends on an argument or result of a function that is called";
    case Cause::divided:
      return "the address depends on a division of what differs between work-items";
    case Cause::multiplied:
      return "what differs between work-items is multiplied by a number that is not a constant";
    case Cause::bitwise:
      return "the address depends on a shift or bitwise operation on what differs between work-items";
    case Cause::computed:
      return "the address follows from work-item IDs by more than sums, and products with constants";
    case Cause::chosen:
      return "the address depends on a condition on which work-items disagree";
    case Cause::wrapped:
      return "an integer in the address may wrap around between two work-items";
    case Cause::identity:
      return "the work-items of the wave need not be neighbours";
    case Cause::joined:
      return "work-items come to the access by different ways, or in different iterations of a loop";
    case Cause::none:
      return "nothing is known of how the address differs between work-items";
  }
  llvm_unreachable("each cause has a text");
}

Cause cause_of(const llvm::BinaryOperator& operation) {
  switch (operation.getOpcode()) {
    case Instruction::UDiv:
    case Instruction::SDiv:
    case Instruction::URem:
    case Instruction::SRem:
      return Cause::divided;
    case Instruction::Mul:
      return Cause::multiplied;
    case Instruction::Shl:
      return llvm::isa<llvm::Constant>(operation.getOperand(1)) ? Cause::bitwise : Cause::multiplied;
    case Instruction::LShr:
    case Instruction::AShr:
    case Instruction::And:
    case Instruction::Or:
    case Instruction::Xor:
      return Cause::bitwise;
    default:
      return Cause::computed;
  }
}

Cause cause_of(const llvm::CallInst& call) {
  const llvm::Function* callee = call.getCalledFunction();
  if (callee && is_serial_loop(*callee)) return Cause::loaded;
  if (callee && callee->isIntrinsic()) return Cause::computed;
  const auto operation = callee ? target_operation_of(*callee) : std::nullopt;
  if (!operation) return Cause::called;
  switch (*operation) {
    case TargetOperation::workitemid:
      return Cause::identity;
    case TargetOperation::private_base:
      return Cause::private_segment;
    case TargetOperation::atomic32:
    case TargetOperation::atomic64:
    case TargetOperation::signal:
    case TargetOperation::queue_index:
    case TargetOperation::activelaneid:
    case TargetOperation::activelanepermute:
      return Cause::communicated;
    default:
      return Cause::computed;
  }
}

/// Returns the cause that an instruction is by itself, if its operands are no better reason.
Cause cause_of(const Value& value) {
  if (llvm::isa<llvm::Argument>(value)) return Cause::called;
  if (llvm::isa<llvm::AllocaInst>(value)) return Cause::private_segment;
  if (llvm::isa<llvm::LoadInst>(value)) return Cause::loaded;
  if (llvm::isa<llvm::SelectInst>(value)) return Cause::chosen;
  if (llvm::isa<llvm::PHINode>(value)) return Cause::joined;
  // Indices of addresses are extended, too.
  if (llvm::isa<llvm::ZExtInst, llvm::SExtInst, llvm::IntToPtrInst, llvm::GetElementPtrInst>(value))
    return Cause::wrapped;
  if (const auto* operation = llvm::dyn_cast<llvm::BinaryOperator>(&value)) return cause_of(*operation);
  if (const auto* call = llvm::dyn_cast<llvm::CallInst>(&value)) return cause_of(*call);
  return Cause::computed;
}

/// Searches the values from which an address follows.
class Search {
 public:
  explicit Search(const Shapes& shapes) : shapes_(shapes) {}

  void run(const Value& address);
  Cause cause() const { return cause_; }
  const Value* where() const { return where_; }

 private:
  void visit(const Value& value);
  bool add_operands(const Instruction& instruction);

  const Shapes& shapes_;
  llvm::SmallVector<const Value*, 32> pending_;
  llvm::SmallPtrSet<const Value*, 32> seen_;
  Cause cause_ = Cause::none;
  const Value* where_ = nullptr;
};

/// Adds what makes an instruction varying, unless it does not follow from its operands alone. Reports whether
/// there is something to add.
bool Search::add_operands(const Instruction& instruction) {
  if (llvm::isa<llvm::LoadInst, llvm::AllocaInst>(instruction)) return false;
  if (const auto* call = llvm::dyn_cast<llvm::CallInst>(&instruction))
    if (cause_of(*call) != Cause::computed) return false;
  const auto* choice = llvm::dyn_cast<llvm::SelectInst>(&instruction);
  bool is_any = false;
  for (const Value* operand : instruction.operands()) {
    if (!shapes_.of(*operand).is_varying() || (choice && operand == choice->getCondition())) continue;
    pending_.push_back(operand);
    is_any = true;
  }
  return is_any;
}

/// A phi of varying values may be varying for a reason of its own as well.
void Search::visit(const Value& value) {
  const auto* instruction = llvm::dyn_cast<Instruction>(&value);
  if (instruction && add_operands(*instruction) && !llvm::isa<llvm::PHINode>(value)) return;
  const Cause cause = cause_of(value);
  if (cause >= cause_) return;
  cause_ = cause;
  where_ = &value;
}

void Search::run(const Value& address) {
  constexpr unsigned most_values = 100;
  pending_.push_back(&address);
  while (!pending_.empty() && seen_.size() < most_values) {
    const Value* value = pending_.pop_back_val();
    if (seen_.insert(value).second) visit(*value);
  }
}

}  // namespace

std::string why_varying(const Value& address, const Shapes& shapes, unsigned line) {
  assert(shapes.of(address).is_varying());
  Search search(shapes);
  search.run(address);
  std::string text = text_of(search.cause());
  const auto* where = llvm::dyn_cast_or_null<Instruction>(search.where());
  const llvm::DILocation* place = where ? where->getDebugLoc().get() : nullptr;
  if (place && place->getLine() != 0 && place->getLine() != line)
    text += fmt::format(" (line {})", place->getLine());
  return text;
}

}  // namespace heddle::finalizer::spmd
