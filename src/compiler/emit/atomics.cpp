// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Atomic operations on 32 and 64 bits (PRM 6.6). All others have become such before (prepare/atomics.h).
#include "compiler/emit/atomics.h"

#include <fmt/format.h>
#include <llvm/ADT/StringSwitch.h>

#include "compiler/emit/handlers.h"

namespace heddle::compiler {

namespace {

using RMW = llvm::AtomicRMWInst;

struct OperationRow {
  RMW::BinOp operation;
  std::string_view name;
  enum class As : uint8_t { bits, unsigned_, signed_ } as;
};

using As = OperationRow::As;

constexpr OperationRow operation_rows[] = {
    {RMW::Xchg, "exch", As::bits},
    {RMW::And, "and", As::bits},
    {RMW::Or, "or", As::bits},
    {RMW::Xor, "xor", As::bits},
    {RMW::Add, "add", As::unsigned_},
    {RMW::Sub, "sub", As::unsigned_},
    {RMW::Max, "max", As::signed_},
    {RMW::Min, "min", As::signed_},
    {RMW::UMax, "max", As::unsigned_},
    {RMW::UMin, "min", As::unsigned_},
    {RMW::UIncWrap, "wrapinc", As::unsigned_},
    {RMW::UDecWrap, "wrapdec", As::unsigned_},
};

Type operation_type(As as, unsigned width) {
  switch (as) {
    case As::bits:
      return bit_type(width);
    case As::signed_:
      return signed_type(width);
    default:
      return unsigned_type(width);
  }
}

std::string_view order_name(llvm::AtomicOrdering order) {
  switch (order) {
    case llvm::AtomicOrdering::Acquire:
      return "scacq";
    case llvm::AtomicOrdering::Release:
      return "screl";
    case llvm::AtomicOrdering::AcquireRelease:
    case llvm::AtomicOrdering::SequentiallyConsistent:
      return "scar";
    default:
      return "rlx";
  }
}

// The scope of HSAIL, or "" for one that is unknown. Scopes that order only accesses of one address space
// ("-one-as") are taken as those that order all.
std::string_view scope_name(const llvm::LLVMContext& context, llvm::SyncScope::ID id) {
  llvm::SmallVector<llvm::StringRef, 8> names;
  context.getSyncScopeNames(names);
  llvm::StringRef name = names[id];
  if (name == "one-as") name = "";
  name.consume_back("-one-as");
  return llvm::StringSwitch<std::string_view>(name)
      .Case("", "system")
      .Case("agent", "agent")
      .Case("cluster", "agent")
      .Case("workgroup", "wg")
      .Case("wavefront", "wave")
      .Case("singlethread", "wave")
      .Default("");
}

std::string_view scope_of(FunctionEmitter& emitter, const llvm::Instruction& instruction,
                          llvm::SyncScope::ID id, Address::Segment segment) {
  const std::string_view scope = scope_name(instruction.getContext(), id);
  if (scope.empty()) emitter.unsupported(instruction, "this scope of an atomic operation");
  // Only the work-group sees the group segment (PRM 6.6.1).
  if (segment == Address::Segment::group && scope != "wave") return "wg";
  return scope;
}

std::string mnemonic(std::string_view stem, std::string_view operation, Address::Segment segment,
                     std::string_view order, std::string_view scope, Type type) {
  const std::string_view place = name(segment);
  return fmt::format("{}_{}{}{}_{}_{}_{}", stem, operation, place.empty() ? "" : "_", place, order, scope,
                     name(type));
}

bool can_be_atomic(FunctionEmitter& emitter, const llvm::Instruction& instruction, llvm::Type* type,
                   const Address& address) {
  const unsigned width = type->isSingleValueType() && !type->isVectorTy() ? emitter.width(type) : 0;
  if (width != 32 && width != 64) {
    emitter.unsupported(instruction, fmt::format("an atomic operation on {} bits", width));
    return false;
  }
  if (address.segment == Address::Segment::private_ || address.segment == Address::Segment::kernarg) {
    emitter.unsupported(instruction, fmt::format("an atomic operation on {} memory", name(address.segment)));
    return false;
  }
  return true;
}

}  // namespace

bool volatile_is_atomic(FunctionEmitter& emitter, llvm::Type& type, const Address& address,
                        llvm::Align align) {
  if (address.segment == Address::Segment::private_ || address.segment == Address::Segment::kernarg)
    return false;
  const Layout& layout = emitter.layout(&type);
  if (layout.leaves.size() != 1) return false;
  const unsigned width = emitter.width(layout.leaves[0].type);
  return (width == 32 || width == 64) && align.value() * 8 >= width;
}

void emit_atomic_load(FunctionEmitter& emitter, const llvm::LoadInst& load, const Address& address) {
  if (!can_be_atomic(emitter, load, load.getType(), address)) return;
  Builder& builder = emitter.builder();
  const Type type = bit_type(emitter.width(load.getType()));
  const bool relaxed = !llvm::isStrongerThanMonotonic(load.getOrdering());
  const std::string_view scope = scope_of(emitter, load, load.getSyncScopeID(), address.segment);
  const Scalar result = builder.fresh(type);
  builder.append(mnemonic("atomic", "ld", address.segment, relaxed ? "rlx" : "scacq", scope, type),
                 {Operand::definition(result.id, type), builder.address(address)});
  emitter.set(load, result);
}

void emit_atomic_store(FunctionEmitter& emitter, const llvm::StoreInst& store, const Address& address) {
  const llvm::Value& value = *store.getValueOperand();
  if (!can_be_atomic(emitter, store, value.getType(), address)) return;
  Builder& builder = emitter.builder();
  const Type type = bit_type(emitter.width(value.getType()));
  const bool relaxed = !llvm::isStrongerThanMonotonic(store.getOrdering());
  const std::string_view scope = scope_of(emitter, store, store.getSyncScopeID(), address.segment);
  builder.append(mnemonic("atomicnoret", "st", address.segment, relaxed ? "rlx" : "screl", scope, type),
                 {builder.address(address), builder.source(emitter.scalar(value), type)});
}

void emit_atomic_rmw(FunctionEmitter& emitter, const llvm::Instruction& instruction) {
  const auto& rmw = llvm::cast<RMW>(instruction);
  const Address address = emitter.address(*rmw.getPointerOperand());
  if (!can_be_atomic(emitter, rmw, rmw.getType(), address)) return;
  const auto* row = std::find_if(std::begin(operation_rows), std::end(operation_rows),
                                 [&](const OperationRow& r) { return r.operation == rmw.getOperation(); });
  if (row == std::end(operation_rows)) {
    emitter.unsupported(instruction,
                        fmt::format("atomicrmw {}", RMW::getOperationName(rmw.getOperation()).str()));
    return;
  }
  Builder& builder = emitter.builder();
  const Type type = operation_type(row->as, emitter.width(rmw.getType()));
  const std::string_view scope = scope_of(emitter, rmw, rmw.getSyncScopeID(), address.segment);
  const Operand value = builder.source(emitter.scalar(*rmw.getValOperand()), type);
  const std::string_view order = order_name(rmw.getOrdering());
  // There is no exchange without result.
  if (rmw.use_empty() && row->operation != RMW::Xchg) {
    builder.append(mnemonic("atomicnoret", row->name, address.segment, order, scope, type),
                   {builder.address(address), value});
    return;
  }
  const Scalar result = builder.fresh(type);
  builder.append(mnemonic("atomic", row->name, address.segment, order, scope, type),
                 {Operand::definition(result.id, type), builder.address(address), value});
  emitter.set(rmw, result);
}

void emit_cmpxchg(FunctionEmitter& emitter, const llvm::Instruction& instruction) {
  const auto& exchange = llvm::cast<llvm::AtomicCmpXchgInst>(instruction);
  const Address address = emitter.address(*exchange.getPointerOperand());
  llvm::Type* type_of_value = exchange.getCompareOperand()->getType();
  if (!can_be_atomic(emitter, exchange, type_of_value, address)) return;
  Builder& builder = emitter.builder();
  const unsigned width = emitter.width(type_of_value);
  const Type type = bit_type(width);
  const std::string_view scope = scope_of(emitter, exchange, exchange.getSyncScopeID(), address.segment);
  const Scalar expected = emitter.scalar(*exchange.getCompareOperand());
  const Scalar old = builder.fresh(type);
  builder.append(
      mnemonic("atomic", "cas", address.segment, order_name(exchange.getMergedOrdering()), scope, type),
      {Operand::definition(old.id, type), builder.address(address), builder.source(expected, type),
       builder.source(emitter.scalar(*exchange.getNewValOperand()), type)});
  emitter.set(exchange, Parts{old, builder.compare("eq", unsigned_type(width), old, expected)});
}

void emit_fence(FunctionEmitter& emitter, const llvm::Instruction& instruction) {
  const auto& fence = llvm::cast<llvm::FenceInst>(instruction);
  const std::string_view scope = scope_of(emitter, fence, fence.getSyncScopeID(), Address::Segment::global);
  emitter.builder().append(fmt::format("memfence_{}_{}", order_name(fence.getOrdering()), scope), {});
}

}  // namespace heddle::compiler
