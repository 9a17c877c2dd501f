// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "finalizer/lower/facts.h"

#include <cassert>

#include <llvm/IR/MDBuilder.h>
#include <llvm/IR/Metadata.h>

namespace heddle::finalizer {
namespace {

constexpr llvm::StringLiteral width_kind = "hsail.width";

/// The alias scopes of one domain: for each key, a list of its own scope and a list of all others.
class Scopes {
 public:
  Scopes(llvm::LLVMContext& context, llvm::StringRef name) : context_(context), builder_(context) {
    domain_ = builder_.createAnonymousAliasScopeDomain(name);
  }
  void add(unsigned key) {
    llvm::MDNode*& scope = scopes_[key];
    if (!scope) scope = builder_.createAnonymousAliasScope(domain_);
  }
  /// Reports whether there are several scopes. A single scope tells LLVM nothing.
  bool tell_apart() const { return scopes_.size() > 1; }
  llvm::MDNode* itself(unsigned key) const { return llvm::MDNode::get(context_, {scopes_.at(key)}); }
  llvm::MDNode* others(unsigned key) {
    llvm::MDNode*& list = others_[key];
    if (list) return list;
    llvm::SmallVector<llvm::Metadata*, 8> all;
    for (const auto& [other, scope] : scopes_)
      if (other != key) all.push_back(scope);
    return list = llvm::MDNode::get(context_, all);
  }

 private:
  llvm::LLVMContext& context_;
  llvm::MDBuilder builder_;
  llvm::MDNode* domain_;
  std::map<unsigned, llvm::MDNode*> scopes_;
  std::map<unsigned, llvm::MDNode*> others_;
};

void add_scopes(llvm::Instruction& access, Scopes& scopes, unsigned key) {
  const auto extend = [&](unsigned kind, llvm::MDNode* more) {
    access.setMetadata(kind, llvm::MDNode::concatenate(access.getMetadata(kind), more));
  };
  extend(llvm::LLVMContext::MD_alias_scope, scopes.itself(key));
  extend(llvm::LLVMContext::MD_noalias, scopes.others(key));
}

}  // namespace

void set_width(llvm::Instruction& instruction, unsigned width) {
  if (width == HSA_BRIG_WIDTH_NONE || width == HSA_BRIG_WIDTH_1) return;
  assert(width <= HSA_BRIG_WIDTH_ALL);
  llvm::LLVMContext& context = instruction.getContext();
  auto* number = llvm::ConstantInt::get(llvm::Type::getInt32Ty(context), width);
  instruction.setMetadata(width_kind, llvm::MDNode::get(context, llvm::ConstantAsMetadata::get(number)));
}

hsa_brig_width_t width_of(const llvm::Instruction& instruction) {
  const llvm::MDNode* node = instruction.getMetadata(width_kind);
  if (!node) return HSA_BRIG_WIDTH_1;
  const auto* number = llvm::mdconst::extract<llvm::ConstantInt>(node->getOperand(0));
  assert(number->getZExtValue() <= HSA_BRIG_WIDTH_ALL);
  return static_cast<hsa_brig_width_t>(number->getZExtValue());
}

AliasFacts::Memory AliasFacts::memory_of(unsigned segment) {
  switch (segment) {
    case HSA_BRIG_SEGMENT_GLOBAL:
      return global;
    case HSA_BRIG_SEGMENT_GROUP:
      return group;
    case HSA_BRIG_SEGMENT_PRIVATE:
    case HSA_BRIG_SEGMENT_SPILL:
    case HSA_BRIG_SEGMENT_ARG:
      return private_memory;
    case HSA_BRIG_SEGMENT_READONLY:
      return readonly;
    case HSA_BRIG_SEGMENT_KERNARG:
      return kernarg;
    default:
      return any;
  }
}

void AliasFacts::note(llvm::Instruction& access, unsigned segment, unsigned equivalence_class) {
  assert(equivalence_class < 256);
  const Memory memory = memory_of(segment);
  if (memory == any && equivalence_class == 0) return;
  accesses_.push_back({&access, memory, static_cast<uint8_t>(equivalence_class)});
}

void AliasFacts::attach(llvm::LLVMContext& context) const {
  if (accesses_.empty()) return;
  Scopes memories(context, "hsail.segment"), classes(context, "hsail.equiv");
  for (const Access& access : accesses_) {
    if (access.memory != any) memories.add(access.memory);
    if (access.equivalence_class != 0) classes.add(access.equivalence_class);
  }
  for (const Access& access : accesses_) {
    if (access.memory != any && memories.tell_apart())
      add_scopes(*access.instruction, memories, access.memory);
    if (access.equivalence_class != 0 && classes.tell_apart())
      add_scopes(*access.instruction, classes, access.equivalence_class);
  }
}

}  // namespace heddle::finalizer
