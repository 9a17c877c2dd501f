// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "finalizer/spmd/costly_operations.h"

#include <fmt/format.h>
#include <llvm/IR/DebugInfoMetadata.h>
#include <llvm/IR/InstIterator.h>

#include "finalizer/lower/target_operations.h"
#include "finalizer/spmd/serial_loops.h"
#include "finalizer/spmd/varying_causes.h"
#include "finalizer/spmd/widening.h"

namespace heddle::finalizer::spmd {
namespace {

using llvm::Instruction;
using Kind = CostlyOperation::Kind;

/// Returns the place of an instruction. The call of a loop that was moved into a function has none, but what
/// is in the loop has one.
const llvm::DILocation* place_of(const Instruction& instruction) {
  if (const llvm::DILocation* place = instruction.getDebugLoc()) return place;
  const auto* call = llvm::dyn_cast<llvm::CallInst>(&instruction);
  const llvm::Function* callee = call ? call->getCalledFunction() : nullptr;
  if (!callee || !is_serial_loop(*callee)) return nullptr;
  for (const Instruction& inside : llvm::instructions(*callee))
    if (const llvm::DILocation* place = inside.getDebugLoc(); place && place->getLine() != 0) return place;
  return nullptr;
}

std::string why_no_instruction(const Widening& w, const Instruction& access, unsigned bytes) {
  const bool is_store = llvm::isa<llvm::StoreInst>(access);
  if (is_store && !w.has_mask_registers()) return "AVX2 has no scatter, and ";
  return fmt::format("there is no {} of {} bits, and ", is_store ? "scatter" : "gather", 8 * bytes);
}

/// Says why the lanes of a load or store do not access memory together.
std::string why_access(const Widening& w, const Instruction& access, Kind kind, unsigned line) {
  const bool is_simple = llvm::isa<llvm::LoadInst>(access) ? llvm::cast<llvm::LoadInst>(access).isSimple()
                                                           : llvm::cast<llvm::StoreInst>(access).isSimple();
  if (!is_simple) return "the access is atomic or volatile";
  const llvm::Value& address = *llvm::getLoadStorePointerOperand(&access);
  const auto bytes =
      static_cast<unsigned>(w.layout().getTypeStoreSize(llvm::getLoadStoreType(&access)).getFixedValue());
  const Shape shape = w.state().shapes.where_guarded(address);
  if (shape.is_strided() && std::abs(shape.stride) == bytes && kind == Kind::lane_by_lane)
    return fmt::format(
        "there is no access to elements of {} bits under a mask, which waves need of whose "
        "work-items not all are active",
        8 * bytes);
  std::string text = kind == Kind::lane_by_lane ? why_no_instruction(w, access, bytes) : std::string();
  if (shape.is_strided() && std::abs(shape.stride) != bytes)
    return text + fmt::format("the addresses of neighbours are {} bytes apart, of which each accesses {}",
                              shape.stride, bytes);
  if (!w.is_varying(address)) return text + "the access has no form for waves";
  return text + why_varying(address, w.state().shapes, line);
}

std::string why_atomic(const Widening& w, const llvm::CallInst& call) {
  constexpr unsigned address_at = 4;
  const llvm::Value& address = *call.getArgOperand(address_at);
  if (!w.is_uniform(address)) return "atomic operations of the work-items have addresses of their own";
  return "atomic operations on one address that cannot be combined into one";
}

std::string why_operation(const Widening& w, const llvm::CallInst& call, TargetOperation operation) {
  switch (operation) {
    case TargetOperation::atomic32:
    case TargetOperation::atomic64:
      return why_atomic(w, call);
    case TargetOperation::image:
      return "an image operation";
    case TargetOperation::event:
      return "a profile event of each work-item";
    case TargetOperation::signal:
      return "an operation on signals";
    case TargetOperation::queue_index:
      return "an operation on a queue";
    case TargetOperation::exceptions:
      return "exceptions are found out for each work-item";
    case TargetOperation::trap:
      return "a debugtrap, which names its work-item";
    case TargetOperation::check_private:
      return "memory of the private segment is allocated";
    default:
      return "an operation that each work-item executes by itself";
  }
}

std::string why_call(const Widening& w, const llvm::CallInst& call) {
  const llvm::Function* callee = call.getCalledFunction();
  if (!callee) return "the work-items may call different functions";
  if (is_serial_loop(*callee)) return "a loop in which each work-item reads a list of its own";
  if (const auto operation = target_operation_of(*callee)) return why_operation(w, call, *operation);
  return "an operation without a form for vectors";
}

std::string why(const Widening& w, const Instruction& instruction, Kind kind, unsigned line) {
  if (llvm::isa<llvm::LoadInst, llvm::StoreInst>(instruction)) return why_access(w, instruction, kind, line);
  if (const auto* call = llvm::dyn_cast<llvm::CallInst>(&instruction)) return why_call(w, *call);
  const auto* operation = llvm::dyn_cast<llvm::BinaryOperator>(&instruction);
  if (operation && operation->isIntDivRem()) return "there is no division of vectors of 64-bit integers";
  return "an operation without a form for vectors";
}

}  // namespace

CostlyOperation describe(const Widening& widening, const Instruction& instruction, Kind kind) {
  CostlyOperation operation;
  operation.kind = kind;
  if (const llvm::DILocation* place = place_of(instruction)) {
    operation.file = place->getFilename().str();
    operation.line = place->getLine();
  }
  operation.reason = why(widening, instruction, kind, operation.line);
  return operation;
}

}  // namespace heddle::finalizer::spmd
