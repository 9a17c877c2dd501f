// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Calls of functions named "__hsail_MNEMONIC": the result is the destination, the arguments are the sources.
// The assembler checks whether the instruction exists and is used correctly.
#include <llvm/Support/Regex.h>

#include "compiler/emit/arithmetic.h"
#include "compiler/emit/handlers.h"

namespace heddle::compiler {

namespace {

// Instructions with a pointer among their arguments that is the address of their access, as opposed to a
// handle.
constexpr std::string_view with_address[] = {
    "ld",
    "st",
    "atomic",
    "atomicnoret",
    "ldqueuereadindex",
    "ldqueuewriteindex",
    "stqueuereadindex",
    "stqueuewriteindex",
    "addqueuewriteindex",
    "casqueuewriteindex",
};
// Image instructions, and how many operands precede the coordinates, which are one vector.
struct ImageRow {
  std::string_view opcode;
  unsigned before_coordinates;
};
constexpr ImageRow image_rows[] = {{"rdimage", 2}, {"ldimage", 1}, {"stimage", 2}};

llvm::StringRef opcode_of(llvm::StringRef mnemonic) { return mnemonic.split('_').first; }

Type element_type(FunctionEmitter& emitter, llvm::Type* type) {
  if (type->isFloatingPointTy() && !type->isBFloatTy()) return float_type(type->getScalarSizeInBits());
  const unsigned width = emitter.width(type);
  if (width == 1) return Type::b1;
  return unsigned_type(width <= 32 ? 32 : 64);
}

using Operands = llvm::SmallVector<Operand, 8>;

// Integers are no constants of packed types (PRM 4.8.5). The last source of these two has to be a constant,
// and is not packed.
bool needs_register(llvm::StringRef mnemonic, unsigned argument) {
  static const llvm::Regex packed("[usf][0-9]+x[0-9]+");
  const llvm::StringRef opcode = opcode_of(mnemonic);
  if ((opcode == "unpackcvt" && argument == 1) || (opcode == "shuffle" && argument == 2)) return false;
  return packed.match(mnemonic);
}

void add_value(FunctionEmitter& emitter, const llvm::Value& value, bool in_registers, Operands& operands) {
  const Layout& layout = emitter.layout(value);
  Parts parts = emitter.parts(value);
  for (size_t i = 0; in_registers && i < parts.size(); ++i) {
    parts[i] = Scalar::in(emitter.builder().in_register(parts[i], layout.parts[i]));
  }
  if (layout.leaves.size() > 1)
    operands.push_back(Operand::vector(static_cast<uint32_t>(layout.leaves.size())));
  for (size_t i = 0; i < layout.leaves.size(); ++i) {
    operands.push_back(emitter.builder().source(parts[i], element_type(emitter, layout.leaves[i].type)));
  }
}

void add_results(FunctionEmitter& emitter, const llvm::CallInst& call, Operands& operands) {
  const Layout& layout = emitter.layout(call);
  if (layout.leaves.empty()) return;
  Parts results;
  if (layout.leaves.size() > 1)
    operands.push_back(Operand::vector(static_cast<uint32_t>(layout.leaves.size())));
  for (const Leaf& leaf : layout.leaves) {
    const Type type = element_type(emitter, leaf.type);
    results.push_back(emitter.builder().fresh(type));
    operands.push_back(Operand::definition(results.back().id, type));
  }
  emitter.set(call, std::move(results));
}

// Small integers are zero-extended in registers, which a signed instruction need not have left them as.
void settle_small_results(FunctionEmitter& emitter, const llvm::CallInst& call) {
  const Layout& layout = emitter.layout(call);
  Parts parts = emitter.parts(call);
  bool changed = false;
  for (size_t i = 0; i < layout.leaves.size(); ++i) {
    llvm::Type* type = layout.leaves[i].type;
    if (!type->isIntegerTy() || emitter.width(type) == 1) continue;
    const unsigned width = emitter.width(type);
    if (width == 32 || width == 64) continue;
    parts[i] = emitter.builder().truncated(parts[i], width);
    changed = true;
  }
  if (changed) emitter.set(call, std::move(parts));
}

bool is_wide(FunctionEmitter& emitter, const llvm::Value& argument) {
  return llvm::any_of(emitter.layout(argument).leaves, [](const Leaf& leaf) { return leaf.parts != 1; });
}

// The argument that begins the coordinates of an image instruction; the largest number if there is none.
unsigned first_coordinate_of(llvm::StringRef opcode) {
  for (const ImageRow& row : image_rows)
    if (opcode == llvm::StringRef(row.opcode)) return row.before_coordinates;
  return ~0U;
}

}  // namespace

void emit_hsail_call(FunctionEmitter& emitter, const llvm::CallInst& call) {
  const llvm::StringRef mnemonic = call.getCalledFunction()->getName().drop_front(hsail_prefix.size());
  const llvm::StringRef opcode = opcode_of(mnemonic);
  if (mnemonic == "WAVESIZE") return emitter.set(call, Scalar::verbatim("WAVESIZE"));
  if (llvm::any_of(call.args(), [&](const llvm::Use& argument) { return is_wide(emitter, *argument); }))
    return emitter.unsupported(call, "an argument of more than 64 bits for " + mnemonic.str());
  const bool has_address = llvm::is_contained(with_address, std::string_view(opcode));
  const unsigned first_coordinate = first_coordinate_of(opcode);
  if (mnemonic.contains("image") || mnemonic.contains("sampler")) emitter.context().uses_images = true;
  Operands operands;
  add_results(emitter, call, operands);
  for (unsigned i = 0; i < call.arg_size(); ++i) {
    const llvm::Value& argument = *call.getArgOperand(i);
    const unsigned left = call.arg_size() - i;
    if (i == first_coordinate && left > 1) operands.push_back(Operand::vector(left));
    if (has_address && argument.getType()->isPointerTy()) {
      operands.push_back(emitter.builder().address(emitter.address(argument)));
    } else {
      add_value(emitter, argument, needs_register(mnemonic, i), operands);
    }
  }
  const bool removable = call.doesNotAccessMemory() && !call.isConvergent() && !call.getType()->isVoidTy();
  emitter.builder().append(mnemonic, operands).removable = removable;
  if (!call.getType()->isVoidTy()) settle_small_results(emitter, call);
}

}  // namespace heddle::compiler
