// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/api/symbol_attributes.h"

#include <algorithm>
#include <iterator>

namespace heddle::runtime::api {

namespace {

using S = const SymbolDescription&;
using V = Value;

uint32_t to_u32(uint64_t value) { return static_cast<uint32_t>(std::min<uint64_t>(value, UINT32_MAX)); }

constexpr Attribute<SymbolDescription> attributes[] = {
    {HSA_CODE_SYMBOL_INFO_TYPE, [](S symbol, V value) { value.put<hsa_symbol_kind_t>(symbol.kind); }},
    {HSA_CODE_SYMBOL_INFO_NAME_LENGTH,
     [](S symbol, V value) { value.put<uint32_t>(to_u32(symbol.name.size())); }},
    {HSA_CODE_SYMBOL_INFO_NAME, [](S symbol, V value) { value.put_text(symbol.name); }},
    {HSA_CODE_SYMBOL_INFO_MODULE_NAME_LENGTH,
     [](S symbol, V value) { value.put<uint32_t>(to_u32(symbol.visible_module_name().size())); }},
    {HSA_CODE_SYMBOL_INFO_MODULE_NAME,
     [](S symbol, V value) { value.put_text(symbol.visible_module_name()); }},
    {HSA_CODE_SYMBOL_INFO_LINKAGE,
     [](S symbol, V value) { value.put<hsa_symbol_linkage_t>(symbol.linkage); }},
    {HSA_CODE_SYMBOL_INFO_IS_DEFINITION, [](S symbol, V value) { value.put<bool>(symbol.is_definition); }},
    {HSA_CODE_SYMBOL_INFO_VARIABLE_ALLOCATION,
     [](S symbol, V value) { value.put<hsa_variable_allocation_t>(symbol.allocation); }},
    {HSA_CODE_SYMBOL_INFO_VARIABLE_SEGMENT,
     [](S symbol, V value) { value.put<hsa_variable_segment_t>(symbol.segment); }},
    {HSA_CODE_SYMBOL_INFO_VARIABLE_ALIGNMENT,
     [](S symbol, V value) { value.put<uint32_t>(symbol.alignment); }},
    {HSA_CODE_SYMBOL_INFO_VARIABLE_SIZE, [](S symbol, V value) { value.put<uint32_t>(to_u32(symbol.size)); }},
    {HSA_CODE_SYMBOL_INFO_VARIABLE_IS_CONST, [](S symbol, V value) { value.put<bool>(symbol.is_const); }},
    {HSA_CODE_SYMBOL_INFO_KERNEL_KERNARG_SEGMENT_SIZE,
     [](S symbol, V value) { value.put<uint32_t>(to_u32(symbol.kernarg_size)); }},
    {HSA_CODE_SYMBOL_INFO_KERNEL_KERNARG_SEGMENT_ALIGNMENT,
     [](S symbol, V value) { value.put<uint32_t>(symbol.kernarg_alignment); }},
    {HSA_CODE_SYMBOL_INFO_KERNEL_GROUP_SEGMENT_SIZE,
     [](S symbol, V value) { value.put<uint32_t>(symbol.group_size); }},
    {HSA_CODE_SYMBOL_INFO_KERNEL_PRIVATE_SEGMENT_SIZE,
     [](S symbol, V value) { value.put<uint32_t>(symbol.private_size); }},
    {HSA_CODE_SYMBOL_INFO_KERNEL_DYNAMIC_CALLSTACK,
     [](S symbol, V value) { value.put<bool>(symbol.dynamic_call_stack); }},
    {HSA_CODE_SYMBOL_INFO_KERNEL_CALL_CONVENTION, [](S, V value) { value.put<uint32_t>(0); }},
    {HSA_CODE_SYMBOL_INFO_INDIRECT_FUNCTION_CALL_CONVENTION, [](S, V value) { value.put<uint32_t>(0); }},
};

struct KindOf {
  uint32_t attribute;
  hsa_symbol_kind_t kind;
};

/// The attributes that only symbols of one kind have, with that kind.
constexpr KindOf kinds[] = {
    {HSA_EXECUTABLE_SYMBOL_INFO_VARIABLE_ALLOCATION, HSA_SYMBOL_KIND_VARIABLE},
    {HSA_EXECUTABLE_SYMBOL_INFO_VARIABLE_SEGMENT, HSA_SYMBOL_KIND_VARIABLE},
    {HSA_EXECUTABLE_SYMBOL_INFO_VARIABLE_ALIGNMENT, HSA_SYMBOL_KIND_VARIABLE},
    {HSA_EXECUTABLE_SYMBOL_INFO_VARIABLE_SIZE, HSA_SYMBOL_KIND_VARIABLE},
    {HSA_EXECUTABLE_SYMBOL_INFO_VARIABLE_IS_CONST, HSA_SYMBOL_KIND_VARIABLE},
    {HSA_EXECUTABLE_SYMBOL_INFO_VARIABLE_ADDRESS, HSA_SYMBOL_KIND_VARIABLE},
    {HSA_EXECUTABLE_SYMBOL_INFO_KERNEL_OBJECT, HSA_SYMBOL_KIND_KERNEL},
    {HSA_EXECUTABLE_SYMBOL_INFO_KERNEL_KERNARG_SEGMENT_SIZE, HSA_SYMBOL_KIND_KERNEL},
    {HSA_EXECUTABLE_SYMBOL_INFO_KERNEL_KERNARG_SEGMENT_ALIGNMENT, HSA_SYMBOL_KIND_KERNEL},
    {HSA_EXECUTABLE_SYMBOL_INFO_KERNEL_GROUP_SEGMENT_SIZE, HSA_SYMBOL_KIND_KERNEL},
    {HSA_EXECUTABLE_SYMBOL_INFO_KERNEL_PRIVATE_SEGMENT_SIZE, HSA_SYMBOL_KIND_KERNEL},
    {HSA_EXECUTABLE_SYMBOL_INFO_KERNEL_DYNAMIC_CALLSTACK, HSA_SYMBOL_KIND_KERNEL},
    {HSA_EXECUTABLE_SYMBOL_INFO_KERNEL_CALL_CONVENTION, HSA_SYMBOL_KIND_KERNEL},
    {HSA_EXECUTABLE_SYMBOL_INFO_INDIRECT_FUNCTION_OBJECT, HSA_SYMBOL_KIND_INDIRECT_FUNCTION},
    {HSA_EXECUTABLE_SYMBOL_INFO_INDIRECT_FUNCTION_CALL_CONVENTION, HSA_SYMBOL_KIND_INDIRECT_FUNCTION},
};

}  // namespace

bool symbol_has(hsa_symbol_kind_t kind, uint32_t attribute) {
  const auto row = std::find_if(std::begin(kinds), std::end(kinds),
                                [&](const KindOf& k) { return k.attribute == attribute; });
  return row == std::end(kinds) || row->kind == kind;
}

hsa_status_t get_symbol_info(const SymbolDescription& symbol, uint32_t attribute, void* value) {
  if (!symbol_has(symbol.kind, attribute)) return HSA_STATUS_ERROR_INVALID_ARGUMENT;
  return get_attribute(attributes, attribute, value, symbol);
}

}  // namespace heddle::runtime::api
