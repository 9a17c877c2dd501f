// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "finalizer/debug/source_types.h"
#include "support/align.h"

#include <algorithm>

#include <llvm/ADT/StringExtras.h>
#include <llvm/BinaryFormat/Dwarf.h>

namespace heddle::finalizer {
namespace {

namespace dwarf = llvm::dwarf;
using debug::DebugEntity;
using debug::DebugField;
using debug::DebugTag;

llvm::StringRef ref(std::string_view text) { return {text.data(), text.size()}; }

struct Named {
  std::string_view name;
  unsigned value;
};

constexpr Named encodings[] = {{"Address", dwarf::DW_ATE_address},
                               {"Boolean", dwarf::DW_ATE_boolean},
                               {"ComplexFloat", dwarf::DW_ATE_complex_float},
                               {"Float", dwarf::DW_ATE_float},
                               {"ImaginaryFloat", dwarf::DW_ATE_imaginary_float},
                               {"DecimalFloat", dwarf::DW_ATE_decimal_float},
                               {"Signed", dwarf::DW_ATE_signed},
                               {"SignedChar", dwarf::DW_ATE_signed_char},
                               {"Unsigned", dwarf::DW_ATE_unsigned},
                               {"UnsignedChar", dwarf::DW_ATE_unsigned_char},
                               {"PackedDecimal", dwarf::DW_ATE_packed_decimal},
                               {"NumericString", dwarf::DW_ATE_numeric_string},
                               {"EditedString", dwarf::DW_ATE_edited},
                               {"SignedFixed", dwarf::DW_ATE_signed_fixed},
                               {"UnsignedFixed", dwarf::DW_ATE_unsigned_fixed},
                               {"UTF", dwarf::DW_ATE_UTF}};

/// The qualifiers that gdb shows. For any other qualifier the qualified type itself is used.
constexpr Named qualifiers[] = {{"Const", dwarf::DW_TAG_const_type},
                                {"Volatile", dwarf::DW_TAG_volatile_type},
                                {"Restrict", dwarf::DW_TAG_restrict_type}};
constexpr Named pointers[] = {{"Pointer", dwarf::DW_TAG_pointer_type},
                              {"PtrToMember", dwarf::DW_TAG_pointer_type},
                              {"Reference", dwarf::DW_TAG_reference_type},
                              {"RValue", dwarf::DW_TAG_rvalue_reference_type}};

template <size_t count>
unsigned find(const Named (&table)[count], std::string_view name) {
  for (const Named& entry : table)
    if (entry.name == name) return entry.value;
  return 0;
}

uint32_t align_bits(const DebugEntity& entity) {
  const uint64_t align = entity.number(DebugField::alignment);
  return align <= UINT16_MAX && (align & (align - 1)) == 0 ? static_cast<uint32_t>(align) : 0;
}

/// Replaces sizes that no memory has by 0, because computing with them would overflow.
uint64_t sane(uint64_t bits) { return bits <= uint64_t{1} << 48 ? bits : 0; }

}  // namespace

/// Fills composite types after all else is made, so that the recursion is at most DebugGraph::most_depth
/// deep.
llvm::DIType* SourceTypes::type(uint64_t entity) {
  llvm::DIType* type = get(entity);
  if (filling_) return type;
  filling_ = true;
  while (!unfilled_.empty()) {
    const auto [composite, description] = unfilled_.back();
    unfilled_.pop_back();
    fill(composite, *description);
  }
  filling_ = false;
  return type;
}

llvm::DIType* SourceTypes::get(uint64_t number) {
  const DebugEntity* entity = graph_.find(number);
  if (!entity) return nullptr;
  const auto known = known_.find(number);
  if (known != known_.end()) return known->second;
  llvm::DIType* type = nullptr;
  switch (entity->tag) {
    case DebugTag::basic_type:
      type = basic(*entity);
      break;
    case DebugTag::derived_type:
      type = derived(*entity);
      break;
    case DebugTag::indexable_type:
      type = indexable(*entity);
      break;
    case DebugTag::composite_type:
      type = composite(number, *entity);
      break;
    case DebugTag::enumeration_type:
      type = enumeration(*entity);
      break;
    case DebugTag::subprogram_type:
      type = subroutine(number);
      break;
    default:
      break;
  }
  return known_[number] = type;
}

llvm::DIType* SourceTypes::basic(const DebugEntity& entity) {
  const uint64_t bits = align_up(sane(entity.number(DebugField::size)), 8);
  const unsigned encoding = find(encodings, entity.text(DebugField::tag));
  if (bits == 0 || bits > 1024 || encoding == 0) return nullptr;
  return builder_.createBasicType(ref(entity.text(DebugField::name)), bits, encoding);
}

llvm::DIType* SourceTypes::derived(const DebugEntity& entity) {
  llvm::DIType* base = get(entity.number(DebugField::type));
  const auto tag = entity.text(DebugField::tag);
  if (const unsigned qualifier = find(qualifiers, tag)) return builder_.createQualifiedType(qualifier, base);
  if (const unsigned pointer = find(pointers, tag)) {
    uint64_t bits = entity.number(DebugField::size);
    if (bits != 32 && bits != 64) bits = 64;
    if (pointer == dwarf::DW_TAG_pointer_type)
      return builder_.createPointerType(base, bits, align_bits(entity));
    return base ? builder_.createReferenceType(pointer, base, bits, align_bits(entity)) : nullptr;
  }
  const auto name = entity.text(DebugField::name);
  if (tag == "Typedef" && !name.empty())
    return builder_.createTypedef(base, ref(name), nullptr, 0, scope_(entity.number(DebugField::scope)));
  return base;
}

llvm::DIType* SourceTypes::indexable(const DebugEntity& entity) {
  llvm::DIType* base = get(entity.number(DebugField::type));
  if (!base) return nullptr;
  llvm::SmallVector<llvm::Metadata*, 4> ranges;
  uint64_t count = 1;
  for (const uint64_t number : entity.elements(DebugField::elements)) {
    const DebugEntity* range = graph_.find(number);
    if (!range) continue;
    const uint64_t length = sane(range->number(DebugField::count));
    count = sane(count) * std::min<uint64_t>(length, uint64_t{1} << 15);
    ranges.push_back(builder_.getOrCreateSubrange(
        static_cast<int64_t>(range->number(DebugField::lower_bound)), static_cast<int64_t>(length)));
  }
  uint64_t bits = sane(entity.number(DebugField::size));
  if (bits == 0) bits = sane(count) * std::min<uint64_t>(size_of(entity.number(DebugField::type)), 1 << 14);
  const auto subscripts = builder_.getOrCreateArray(ranges);
  // LLVM takes it for granted that a vector has one range.
  if (entity.text(DebugField::tag) == "Vector" && ranges.size() == 1)
    return builder_.createVectorType(bits, align_bits(entity), base, subscripts);
  return builder_.createArrayType(bits, align_bits(entity), base, subscripts);
}

llvm::DIType* SourceTypes::composite(uint64_t number, const DebugEntity& entity) {
  const auto name = ref(entity.text(DebugField::name));
  const auto kind = entity.text(DebugField::tag);
  const DebugEntity* place = graph_.find(entity.number(DebugField::location));
  const auto line = static_cast<unsigned>(place ? place->number(DebugField::line) : 0);
  auto* file = file_(entity.number(DebugField::location));
  auto* scope = scope_(entity.number(DebugField::scope));
  const uint64_t bits = sane(entity.number(DebugField::size));
  constexpr auto no_flags = llvm::DINode::FlagZero;
  llvm::DICompositeType* type = nullptr;
  if (kind == "Union")
    type = builder_.createUnionType(scope, name, file, line, bits, align_bits(entity), no_flags, {});
  else if (kind == "Class")
    type =
        builder_.createClassType(scope, name, file, line, bits, align_bits(entity), 0, no_flags, nullptr, {});
  else
    type =
        builder_.createStructType(scope, name, file, line, bits, align_bits(entity), no_flags, nullptr, {});
  // LLVM would make types that look alike one node, whose members could be set only once.
  type = llvm::MDNode::replaceWithDistinct(type->clone());
  known_[number] = type;
  unfilled_.emplace_back(type, &entity);
  return type;
}

/// Places a bit field in the unit of its type in which it begins, as C compilers do.
llvm::DIType* SourceTypes::bit_field(llvm::DIType* holder, llvm::StringRef name, uint64_t size,
                                     uint64_t offset, llvm::DIType* type, uint64_t unit) {
  return builder_.createBitFieldMemberType(holder, name, nullptr, 0, size, offset, offset - offset % unit,
                                           llvm::DINode::FlagZero, type);
}

void SourceTypes::fill(llvm::DICompositeType* type, const DebugEntity& entity) {
  const bool is_union = entity.text(DebugField::tag) == "Union";
  llvm::SmallVector<llvm::Metadata*, 8> members;
  uint64_t end = 0;
  unsigned position = 0;
  for (const uint64_t number : entity.elements(DebugField::elements)) {
    const DebugEntity* member = graph_.find(number);
    if (!member || !member->is(debug::debug_types)) continue;
    const bool said = member->tag == DebugTag::derived_type && member->text(DebugField::tag) == "Member";
    const uint64_t of = said ? member->number(DebugField::type) : number;
    llvm::DIType* member_type = get(of);
    const unsigned index = position++;
    if (!member_type) continue;
    uint64_t size = said ? sane(member->number(DebugField::size)) : 0;
    if (size == 0) size = size_of(of);
    uint64_t align = said ? align_bits(*member) : 0;
    if (align == 0) align = align_of(of);
    uint64_t offset = is_union ? 0 : align_up(end, align);
    const auto* place = said ? member->find(DebugField::offset) : nullptr;
    if (place) offset = sane(place->number);
    end = std::min(offset + size, uint64_t{1} << 50);
    const auto said_name = said ? member->text(DebugField::name) : std::string_view();
    const auto name = said_name.empty() ? "_" + llvm::utostr(index) : ref(said_name).str();
    const bool is_field = offset % 8 != 0 || size % 8 != 0 || size < size_of(of);
    members.push_back(
        is_field ? bit_field(type, name, size, offset, member_type, std::max<uint64_t>(align_of(of), 8))
                 : builder_.createMemberType(type, name, nullptr, 0, size, 0, offset, llvm::DINode::FlagZero,
                                             member_type));
  }
  builder_.replaceArrays(type, builder_.getOrCreateArray(members));
}

llvm::DIType* SourceTypes::enumeration(const DebugEntity& entity) {
  llvm::SmallVector<llvm::Metadata*, 8> enumerators;
  bool negative = false;
  for (const uint64_t number : entity.elements(DebugField::elements)) {
    const DebugEntity* enumerator = graph_.find(number);
    int64_t value = 0;
    if (!enumerator || ref(enumerator->text(DebugField::value)).getAsInteger(0, value)) continue;
    negative |= value < 0;
    enumerators.push_back(builder_.createEnumerator(ref(enumerator->text(DebugField::name)),
                                                    static_cast<uint64_t>(value), /*IsUnsigned=*/false));
  }
  auto* base = builder_.createBasicType(negative ? "int" : "unsigned int", 32,
                                        negative ? dwarf::DW_ATE_signed : dwarf::DW_ATE_unsigned);
  const DebugEntity* place = graph_.find(entity.number(DebugField::location));
  return builder_.createEnumerationType(scope_(entity.number(DebugField::scope)),
                                        ref(entity.text(DebugField::name)),
                                        file_(entity.number(DebugField::location)),
                                        static_cast<unsigned>(place ? place->number(DebugField::line) : 0),
                                        32, 32, builder_.getOrCreateArray(enumerators), base);
}

llvm::DISubroutineType* SourceTypes::subroutine(uint64_t number) {
  llvm::SmallVector<llvm::Metadata*, 8> types;
  const DebugEntity* entity = graph_.find(number);
  if (entity && entity->tag == DebugTag::subprogram_type) {
    types.push_back(get(entity->number(DebugField::type)));
    for (const uint64_t argument : entity->elements(DebugField::elements))
      if (llvm::DIType* type = get(argument)) types.push_back(type);
  }
  return builder_.createSubroutineType(builder_.getOrCreateTypeArray(types));
}

uint64_t SourceTypes::size_of(uint64_t number) const {
  while (const DebugEntity* entity = graph_.find(number)) {
    if (entity->tag == DebugTag::enumeration_type) return 32;
    if (const uint64_t bits = sane(entity->number(DebugField::size))) return bits;
    if (entity->tag != DebugTag::derived_type) return 0;
    number = entity->number(DebugField::type);
  }
  return 0;
}

uint64_t SourceTypes::align_of(uint64_t number) const {
  while (const DebugEntity* entity = graph_.find(number)) {
    if (const uint32_t align = align_bits(*entity)) return align;
    if (entity->tag == DebugTag::enumeration_type) return 32;
    if (entity->tag == DebugTag::basic_type)
      return std::clamp<uint64_t>(sane(entity->number(DebugField::size)), 8, 128);
    if (entity->tag != DebugTag::derived_type && entity->tag != DebugTag::indexable_type) return 8;
    number = entity->number(DebugField::type);
  }
  return 8;
}

}  // namespace heddle::finalizer
