// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

namespace heddle::debug {

/// What a numbered entity of the debug pragmas describes (PRM 13.4.2.2.3, 13.4.2.2.5).
enum class DebugTag : uint8_t {
  list,
  compile_unit,
  file,
  text,
  location,
  subprogram,
  lexical_block,
  name_space,
  global_variable,
  local_variable,
  subrange,
  enumerator,
  basic_type,
  derived_type,
  indexable_type,
  composite_type,
  enumeration_type,
  subprogram_type,
  macro_define,
  macro_undefine,
  macro_include,
  dereference,
  constu,
  plus_uconst,
  fragment,
};

using DebugTags = uint32_t;  ///< a set of tags, by tag_bit()
constexpr DebugTags tag_bit(DebugTag tag) { return DebugTags{1} << static_cast<unsigned>(tag); }
constexpr DebugTags debug_types = tag_bit(DebugTag::basic_type) | tag_bit(DebugTag::derived_type) |
                                  tag_bit(DebugTag::indexable_type) | tag_bit(DebugTag::composite_type) |
                                  tag_bit(DebugTag::enumeration_type) | tag_bit(DebugTag::subprogram_type);
constexpr DebugTags debug_expressions = tag_bit(DebugTag::dereference) | tag_bit(DebugTag::constu) |
                                        tag_bit(DebugTag::plus_uconst) | tag_bit(DebugTag::fragment);

/// The meaning of an operand.
enum class DebugField : uint8_t {
  scope,
  location,
  type,  ///< also the base type, element type or return type of a type
  name,
  tag,  ///< tagString or encodingString; for Dereference the segment
  size,
  alignment,
  elements,  ///< a list of elements, enumerators, subranges or argument types
  variables,
  subprograms,
  types,
  enumerations,
  imports,
  macros,
  language,
  producer,
  flags,
  link_name,
  folder,
  text,
  file,
  line,
  column,
  discriminator,
  inlined_at,
  argument,
  count,
  lower_bound,
  value,
  segment,
  next,
  offset,  ///< in bits
  local_to_unit,
  definition,
};

struct DebugOperand {
  enum class Kind : uint8_t { number, string, entity, list };
  DebugField field;
  Kind kind;
  DebugTags allowed = 0;  ///< tags that the entity, or each element of the list, may have
};

/// The operands that follow the name of a tag.
struct DebugSchema {
  DebugTag tag;
  std::string_view name;  ///< as in the pragma
  std::span<const DebugOperand> operands;
  size_t required;  ///< least number of operands
};

/// Returns the schema of a tag.
const DebugSchema& debug_schema(DebugTag tag);
/// Returns the schema of an expression tag or of another tag by its name in the pragma, or null if the PRM
/// has no such name.
const DebugSchema* debug_schema(std::string_view name, bool expression);

}  // namespace heddle::debug
