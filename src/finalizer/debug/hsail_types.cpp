// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "finalizer/debug/hsail_types.h"

#include <llvm/BinaryFormat/Dwarf.h>

#include "hsail/brig/operands.h"
#include "hsail/isa/names.h"

namespace heddle::finalizer {
namespace {

namespace dwarf = llvm::dwarf;

}  // namespace

llvm::DIType* HsailTypes::basic(std::string_view name, unsigned bits, unsigned encoding) {
  const auto known = basic_.find(name);
  if (known != basic_.end()) return known->second;
  return basic_[std::string(name)] = builder_.createBasicType({name.data(), name.size()}, bits, encoding);
}

/// Packed and 128-bit types, which have no counterpart in C, become arrays of their elements or of 64-bit
/// words.
llvm::DIType* HsailTypes::get(isa::Type type) {
  const std::string name(isa::name(isa::Names::type, type));
  const unsigned bits = isa::bit_size(type);
  if (bits == 128 || isa::is_packed(type)) {
    const isa::Type element = isa::is_packed(type) ? isa::base_type(type) : isa::Type{HSA_BRIG_TYPE_B64};
    auto* range = builder_.getOrCreateSubrange(0, static_cast<int64_t>(bits / isa::bit_size(element)));
    return builder_.createArrayType(bits, 0, get(element), builder_.getOrCreateArray({range}));
  }
  if (isa::is_float(type)) return basic(name, bits, dwarf::DW_ATE_float);
  if (bits == 1) return basic(name, 8, dwarf::DW_ATE_boolean);
  return basic(name, bits, isa::is_signed(type) ? dwarf::DW_ATE_signed : dwarf::DW_ATE_unsigned);
}

llvm::DIType* HsailTypes::variable(const brig::Module& module, brig::Offset variable) {
  const auto& directive = module.code_as<hsa_brig_directive_variable_t>(variable);
  if (!isa::is_array(directive.type)) return get(directive.type);
  auto* element = get(isa::array_element(directive.type));
  const uint64_t count = brig::u64(directive.dim);
  auto* range = builder_.getOrCreateSubrange(0, static_cast<int64_t>(count));
  return builder_.createArrayType(count * element->getSizeInBits(), 0, element,
                                  builder_.getOrCreateArray({range}));
}

llvm::DIType* HsailTypes::register_union(unsigned kind) {
  if (registers_[kind]) return registers_[kind];
  struct View {
    const char* name;
    isa::Type type;
  };
  static constexpr View single[] = {
      {"u32", HSA_BRIG_TYPE_U32}, {"s32", HSA_BRIG_TYPE_S32}, {"f32", HSA_BRIG_TYPE_F32}};
  static constexpr View twice[] = {
      {"u64", HSA_BRIG_TYPE_U64}, {"s64", HSA_BRIG_TYPE_S64}, {"f64", HSA_BRIG_TYPE_F64}};
  static constexpr View quad[] = {
      {"u64x2", HSA_BRIG_TYPE_U64X2}, {"u32x4", HSA_BRIG_TYPE_U32X4}, {"f32x4", HSA_BRIG_TYPE_F32X4}};
  const llvm::ArrayRef<View> all[] = {{}, single, twice, quad};
  if (kind == 0) return registers_[0] = get(HSA_BRIG_TYPE_B1);
  static constexpr const char* names[] = {"c", "s", "d", "q"};
  const unsigned bits = isa::register_bits(kind);
  auto* type = builder_.createUnionType(unit_, names[kind], nullptr, 0, bits, 0, llvm::DINode::FlagZero, {});
  llvm::SmallVector<llvm::Metadata*, 3> members;
  for (const View& view : all[kind])
    members.push_back(builder_.createMemberType(type, view.name, nullptr, 0, bits, 0, 0,
                                                llvm::DINode::FlagZero, get(view.type)));
  builder_.replaceArrays(type, builder_.getOrCreateArray(members));
  return registers_[kind] = type;
}

llvm::DIType* HsailTypes::id() {
  if (id_) return id_;
  auto* type =
      builder_.createStructType(unit_, "id", nullptr, 0, 96, 32, llvm::DINode::FlagZero, nullptr, {});
  llvm::SmallVector<llvm::Metadata*, 3> members;
  for (unsigned d = 0; d < 3; ++d)
    members.push_back(builder_.createMemberType(type, llvm::StringRef("xyz").substr(d, 1), nullptr, 0, 32, 32,
                                                32 * d, llvm::DINode::FlagZero, get(HSA_BRIG_TYPE_U32)));
  builder_.replaceArrays(type, builder_.getOrCreateArray(members));
  return id_ = type;
}

}  // namespace heddle::finalizer
