// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "hsail/debug/schema.h"

namespace heddle::debug {
namespace {

using enum DebugField;
using Tag = DebugTag;
using enum DebugOperand::Kind;

constexpr DebugTags bits(std::initializer_list<Tag> tags) {
  DebugTags all = 0;
  for (const Tag tag : tags) all |= tag_bit(tag);
  return all;
}
constexpr DebugTags scopes =
    debug_types | bits({Tag::compile_unit, Tag::file, Tag::subprogram, Tag::lexical_block, Tag::name_space});
constexpr DebugTags locations = bits({Tag::location});
constexpr DebugTags variable_tags = bits({Tag::local_variable, Tag::global_variable});
constexpr DebugTags macro_tags = bits({Tag::macro_define, Tag::macro_undefine, Tag::macro_include});
constexpr DebugTags anything = ~DebugTags{0};

constexpr DebugOperand in_scope = {scope, entity, scopes};
constexpr DebugOperand at_location = {location, entity, locations};
constexpr DebugOperand named = {name, string};
constexpr DebugOperand of_type = {type, entity, debug_types};
constexpr DebugOperand next_expression = {next, entity, debug_expressions};

// The operands are in the order of the PRM (13.4.2.2). Optional operands of our own may follow where the PRM
// has none: the name of a derived or composite type, the position of a member, the scope of a block or of a
// location.
constexpr DebugOperand compile_unit[] = {in_scope,
                                         {language, string},
                                         {producer, string},
                                         {flags, string},
                                         {enumerations, list, bits({Tag::enumeration_type, Tag::enumerator})},
                                         {types, list, debug_types},
                                         {subprograms, list, bits({Tag::subprogram})},
                                         {variables, list, bits({Tag::global_variable})},
                                         {imports, list, anything}};
constexpr DebugOperand file_operands[] = {
    named, {folder, string}, {text, entity, bits({Tag::text})}, {macros, list, macro_tags}};
constexpr DebugOperand text_operands[] = {{text, string}};
constexpr DebugOperand location_operands[] = {
    {file, entity, bits({Tag::file})}, {line, number}, {column, number}, {discriminator, number},
    {inlined_at, entity, locations},   in_scope};
constexpr DebugOperand subprogram[] = {
    in_scope, at_location,     {type, entity, bits({Tag::subprogram_type})},
    named,    {flags, string}, {variables, list, variable_tags}};
constexpr DebugOperand lexical_block[] = {at_location, in_scope};
constexpr DebugOperand name_space[] = {in_scope, at_location, named};
constexpr DebugOperand global_variable[] = {in_scope,
                                            at_location,
                                            of_type,
                                            named,
                                            {link_name, string},
                                            {flags, string},
                                            {local_to_unit, number},
                                            {definition, number}};
constexpr DebugOperand local_variable[] = {in_scope, at_location, of_type, named, {argument, number}};
constexpr DebugOperand subrange[] = {in_scope, {count, number}, {lower_bound, number}};
constexpr DebugOperand enumerator[] = {in_scope, named, {value, string}};
constexpr DebugOperand basic_type[] = {in_scope, {size, number}, {alignment, number}, named, {tag, string}};
constexpr DebugOperand derived_type[] = {in_scope, {size, number},  {alignment, number},
                                         of_type,  {tag, string},   {segment, number},
                                         named,    {offset, number}};
constexpr DebugOperand indexable_type[] = {
    in_scope,     {size, number}, {alignment, number},
    at_location,  of_type,        {elements, list, bits({Tag::subrange})},
    {tag, string}};
constexpr DebugOperand composite_type[] = {
    in_scope,
    {size, number},
    {alignment, number},
    at_location,
    {elements, list, debug_types | bits({Tag::subprogram}) | variable_tags},
    {tag, string},
    named};
constexpr DebugOperand enumeration_type[] = {
    in_scope, named, at_location, {elements, list, bits({Tag::enumerator})}};
constexpr DebugOperand subprogram_type[] = {in_scope, of_type, {elements, list, debug_types}};
constexpr DebugOperand macro_define[] = {{line, number}, named, {value, string}};
constexpr DebugOperand macro_undefine[] = {{line, number}, named};
constexpr DebugOperand macro_include[] = {{line, number}, {file, entity, bits({Tag::file})}};
constexpr DebugOperand dereference[] = {next_expression, {tag, string}};
constexpr DebugOperand with_value[] = {next_expression, {value, number}};
constexpr DebugOperand fragment[] = {next_expression, {offset, number}, {size, number}};

constexpr DebugSchema schemas[] = {
    {Tag::list, "List", {}, 0},
    {Tag::compile_unit, "CompileUnit", compile_unit, 9},
    {Tag::file, "File", file_operands, 4},
    {Tag::text, "Text", text_operands, 1},
    {Tag::location, "Location", location_operands, 5},
    {Tag::subprogram, "Subprogram", subprogram, 6},
    {Tag::lexical_block, "LexicalBlock", lexical_block, 1},
    {Tag::name_space, "Namespace", name_space, 3},
    {Tag::global_variable, "GlobalVariable", global_variable, 6},
    {Tag::local_variable, "LocalVariable", local_variable, 5},
    {Tag::subrange, "Subrange", subrange, 3},
    {Tag::enumerator, "Enumerator", enumerator, 3},
    {Tag::basic_type, "BasicType", basic_type, 5},
    {Tag::derived_type, "DerivedType", derived_type, 6},
    {Tag::indexable_type, "IndexableType", indexable_type, 7},
    {Tag::composite_type, "CompositeType", composite_type, 6},
    {Tag::enumeration_type, "EnumerationType", enumeration_type, 4},
    {Tag::subprogram_type, "SubprogramType", subprogram_type, 3},
    {Tag::macro_define, "MacroDefine", macro_define, 3},
    {Tag::macro_undefine, "MacroUndefine", macro_undefine, 2},
    {Tag::macro_include, "MacroInclude", macro_include, 2},
    {Tag::dereference, "Dereference", dereference, 2},
    {Tag::constu, "Constu", with_value, 2},
    {Tag::plus_uconst, "PlusUconst", with_value, 2},
    {Tag::fragment, "Fragment", fragment, 3},
};

}  // namespace

const DebugSchema& debug_schema(DebugTag tag) { return schemas[static_cast<size_t>(tag)]; }

const DebugSchema* debug_schema(std::string_view name, bool expression) {
  for (const DebugSchema& schema : schemas)
    if (schema.name == name && ((tag_bit(schema.tag) & debug_expressions) != 0) == expression) return &schema;
  return nullptr;
}

}  // namespace heddle::debug
