// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Types of the source as debug pragmas (PRM 13.4.2.2.3.11 to 18). Sizes, alignments and offsets are in bits.
#include <fmt/format.h>
#include <llvm/ADT/SmallString.h>
#include <llvm/BinaryFormat/Dwarf.h>

#include "compiler/debug/entities.h"

namespace heddle::compiler {

namespace {

namespace dwarf = llvm::dwarf;

struct Name {
  unsigned number;
  const char* name;
};

constexpr Name encodings[] = {{dwarf::DW_ATE_address, "Address"},
                              {dwarf::DW_ATE_boolean, "Boolean"},
                              {dwarf::DW_ATE_complex_float, "ComplexFloat"},
                              {dwarf::DW_ATE_float, "Float"},
                              {dwarf::DW_ATE_signed, "Signed"},
                              {dwarf::DW_ATE_signed_char, "SignedChar"},
                              {dwarf::DW_ATE_unsigned, "Unsigned"},
                              {dwarf::DW_ATE_unsigned_char, "UnsignedChar"},
                              {dwarf::DW_ATE_UTF, "UTF"}};

constexpr Name derivations[] = {{dwarf::DW_TAG_pointer_type, "Pointer"},
                                {dwarf::DW_TAG_reference_type, "Reference"},
                                {dwarf::DW_TAG_rvalue_reference_type, "RValue"},
                                {dwarf::DW_TAG_ptr_to_member_type, "PtrToMember"},
                                {dwarf::DW_TAG_typedef, "Typedef"},
                                {dwarf::DW_TAG_const_type, "Const"},
                                {dwarf::DW_TAG_volatile_type, "Volatile"},
                                {dwarf::DW_TAG_restrict_type, "Restrict"},
                                {dwarf::DW_TAG_member, "Member"},
                                {dwarf::DW_TAG_inheritance, "Member"}};

template <size_t count>
const char* find(const Name (&table)[count], unsigned number) {
  for (const Name& row : table)
    if (row.number == number) return row.name;
  return nullptr;
}

/// The number of a segment in BRIG (PRM 18.3.27).
unsigned segment_number(std::optional<unsigned> address_space) {
  switch (address_space.value_or(0)) {
    case 1:
    case 4:
      return 2;  // global
    case 3:
      return 5;  // group
    case 5:
      return 6;  // private
    default:
      return 1;  // flat
  }
}

bool is_member(const llvm::DINode& element) {
  const auto* member = llvm::dyn_cast<llvm::DIDerivedType>(&element);
  return member != nullptr && !member->isStaticMember() &&
         (member->getTag() == dwarf::DW_TAG_member || member->getTag() == dwarf::DW_TAG_inheritance);
}

int64_t number_or(const llvm::DISubrange::BoundType& bound, int64_t other) {
  const auto* constant = llvm::dyn_cast_if_present<llvm::ConstantInt*>(bound);
  return constant == nullptr ? other : constant->getSExtValue();
}

}  // namespace

/// Derived types that debuggers need not know, such as those with _Atomic, count as what they are derived
/// from.
uint64_t SourceEntities::type(const llvm::DIType* type) {
  while (const auto* derived = llvm::dyn_cast_or_null<llvm::DIDerivedType>(type)) {
    if (find(derivations, derived->getTag()) != nullptr) break;
    type = derived->getBaseType();
  }
  return number_of(type);
}

void SourceEntities::describe_derived(uint64_t number, const llvm::DIDerivedType& type) {
  const unsigned tag = type.getTag();
  const bool points = tag == dwarf::DW_TAG_pointer_type || tag == dwarf::DW_TAG_reference_type ||
                      tag == dwarf::DW_TAG_rvalue_reference_type;
  std::string operands =
      fmt::format("\"DerivedType\", {}, {}, {}, {}, \"{}\", {}", scope(type.getScope()), type.getSizeInBits(),
                  type.getAlignInBits(), this->type(type.getBaseType()), find(derivations, tag),
                  points ? segment_number(type.getDWARFAddressSpace()) : 0);
  if (tag == dwarf::DW_TAG_typedef) operands += ", " + string_literal(type.getName());
  if (tag == dwarf::DW_TAG_member || tag == dwarf::DW_TAG_inheritance) {
    const llvm::StringRef name = tag == dwarf::DW_TAG_inheritance && type.getBaseType()
                                     ? type.getBaseType()->getName()
                                     : type.getName();
    operands += fmt::format(", {}, {}", string_literal(name), type.getOffsetInBits());
  }
  add(number, operands);
}

void SourceEntities::describe_indexable(uint64_t number, const llvm::DICompositeType& type) {
  std::vector<uint64_t> ranges;
  for (const llvm::DINode* element : type.getElements()) {
    const auto* range = llvm::dyn_cast_or_null<llvm::DISubrange>(element);
    if (range == nullptr) continue;
    add(++last_, fmt::format("\"Subrange\", 0, {}, {}", std::max<int64_t>(number_or(range->getCount(), 0), 0),
                             std::max<int64_t>(number_or(range->getLowerBound(), 0), 0)));
    ranges.push_back(last_);
  }
  const uint64_t elements = list(ranges);
  add(number, fmt::format("\"IndexableType\", 0, {}, {}, 0, {}, {}, \"{}\"", type.getSizeInBits(),
                          type.getAlignInBits(), this->type(type.getBaseType()), elements,
                          type.isVector() ? "Vector" : "Array"));
}

void SourceEntities::describe_enumeration(uint64_t number, const llvm::DICompositeType& type) {
  std::vector<uint64_t> enumerators;
  for (const llvm::DINode* element : type.getElements()) {
    const auto* enumerator = llvm::dyn_cast_or_null<llvm::DIEnumerator>(element);
    if (enumerator == nullptr) continue;
    llvm::SmallString<32> value;
    enumerator->getValue().toString(value, 10, !enumerator->isUnsigned());
    add(++last_,
        fmt::format("\"Enumerator\", 0, {}, \"{}\"", string_literal(enumerator->getName()), value.c_str()));
    enumerators.push_back(last_);
  }
  const uint64_t elements = list(enumerators);
  add(number, fmt::format("\"EnumerationType\", {}, {}, {}, {}", scope(type.getScope()),
                          string_literal(type.getName()), place(type.getFile(), type.getLine()), elements));
}

void SourceEntities::describe_composite(uint64_t number, const llvm::DICompositeType& type) {
  switch (type.getTag()) {
    case dwarf::DW_TAG_array_type:
      return describe_indexable(number, type);
    case dwarf::DW_TAG_enumeration_type:
      return describe_enumeration(number, type);
    default:
      break;
  }
  std::vector<uint64_t> members;
  for (const llvm::DINode* element : type.getElements())
    if (element != nullptr && is_member(*element)) members.push_back(number_of(element));
  const char* kind = type.getTag() == dwarf::DW_TAG_union_type   ? "Union"
                     : type.getTag() == dwarf::DW_TAG_class_type ? "Class"
                                                                 : "Structure";
  const uint64_t elements = list(members);
  add(number, fmt::format("\"CompositeType\", {}, {}, {}, {}, {}, \"{}\", {}", scope(type.getScope()),
                          type.getSizeInBits(), type.getAlignInBits(), place(type.getFile(), type.getLine()),
                          elements, kind, string_literal(type.getName())));
}

void SourceEntities::describe_subroutine(uint64_t number, const llvm::DISubroutineType& type) {
  const auto types = type.getTypeArray();
  std::vector<uint64_t> arguments;
  for (unsigned i = 1; i < types.size(); ++i) arguments.push_back(this->type(types[i]));
  const uint64_t elements = list(arguments);
  add(number,
      fmt::format("\"SubprogramType\", 0, {}, {}", types.size() == 0 ? 0 : this->type(types[0]), elements));
}

bool SourceEntities::describe_type(uint64_t number, const llvm::Metadata& node) {
  if (const auto* basic = llvm::dyn_cast<llvm::DIBasicType>(&node)) {
    const char* encoding = find(encodings, basic->getEncoding());
    add(number,
        fmt::format("\"BasicType\", 0, {}, {}, {}, \"{}\"", basic->getSizeInBits(), basic->getAlignInBits(),
                    string_literal(basic->getName()), encoding == nullptr ? "Unsigned" : encoding));
  } else if (const auto* derived = llvm::dyn_cast<llvm::DIDerivedType>(&node)) {
    describe_derived(number, *derived);
  } else if (const auto* composite = llvm::dyn_cast<llvm::DICompositeType>(&node)) {
    describe_composite(number, *composite);
  } else if (const auto* subroutine = llvm::dyn_cast<llvm::DISubroutineType>(&node)) {
    describe_subroutine(number, *subroutine);
  } else {
    return false;
  }
  return true;
}

}  // namespace heddle::compiler
