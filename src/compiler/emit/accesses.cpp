// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The instructions load and store.
#include <fmt/format.h>

#include "compiler/emit/atomics.h"
#include "compiler/emit/handlers.h"
#include "compiler/emit/memory.h"

namespace heddle::compiler {

namespace {

AccessModifiers modifiers_of(FunctionEmitter& emitter, const llvm::Instruction& access, llvm::Align align) {
  return {.align = align,
          .constant = access.hasMetadata(llvm::LLVMContext::MD_invariant_load),
          .nontemporal = access.hasMetadata(llvm::LLVMContext::MD_nontemporal),
          .equivalence = emitter.equivalence().class_of(*llvm::getLoadStorePointerOperand(&access))};
}

}  // namespace

void emit_load(FunctionEmitter& emitter, const llvm::Instruction& instruction) {
  const auto& load = llvm::cast<llvm::LoadInst>(instruction);
  if (emitter.layout(load).shares_bytes) {
    emitter.unsupported(instruction, "a load of a vector whose elements share bytes");
    return;
  }
  const Address address = emitter.address(*load.getPointerOperand());
  if (load.isAtomic() ||
      (load.isVolatile() && volatile_is_atomic(emitter, *load.getType(), address, load.getAlign()))) {
    emit_atomic_load(emitter, load, address);
    return;
  }
  AccessModifiers modifiers = modifiers_of(emitter, load, load.getAlign());
  modifiers.uniform =
      reads_constant_memory(load) && emitter.uniformity().is_uniform(*load.getPointerOperand());
  Parts value = load_value(emitter.builder(), address, emitter.layout(load), emitter.data(), modifiers);
  emitter.set(load, std::move(value));
}

void emit_store(FunctionEmitter& emitter, const llvm::Instruction& instruction) {
  const auto& store = llvm::cast<llvm::StoreInst>(instruction);
  const llvm::Value& value = *store.getValueOperand();
  if (emitter.layout(value).shares_bytes) {
    emitter.unsupported(instruction, "a store of a vector whose elements share bytes");
    return;
  }
  const Address address = emitter.address(*store.getPointerOperand());
  if (store.isAtomic() ||
      (store.isVolatile() && volatile_is_atomic(emitter, *value.getType(), address, store.getAlign()))) {
    emit_atomic_store(emitter, store, address);
    return;
  }
  store_value(emitter.builder(), address, emitter.parts(value), emitter.layout(value), emitter.data(),
              modifiers_of(emitter, store, store.getAlign()));
}

}  // namespace heddle::compiler
