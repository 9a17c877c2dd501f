// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "brigfile/signature.h"

#include <fmt/format.h>
#include <hsa/hsa_brig_entries.h>
#include <hsa/hsa_brig_types.h>

#include <algorithm>
#include <cstring>

#include "brigfile/brig_file.h"

namespace heddle {
namespace {

struct BaseType {
  const char* name;
  uint32_t size;
};
/// Indexed by hsa_brig_type_t without its pack and array bits.
constexpr BaseType base_types[] = {{"none", 0},  {"u8", 1},    {"u16", 2},   {"u32", 4},  {"u64", 8},
                                   {"s8", 1},    {"s16", 2},   {"s32", 4},   {"s64", 8},  {"f16", 2},
                                   {"f32", 4},   {"f64", 8},   {"b1", 1},    {"b8", 1},   {"b16", 2},
                                   {"b32", 4},   {"b64", 8},   {"b128", 16}, {"samp", 8}, {"roimg", 8},
                                   {"woimg", 8}, {"rwimg", 8}, {"sig32", 8}, {"sig64", 8}};

/// Returns type, size and alignment of a variable (PRM 4.8.4, 4.13).
Formal describe(const hsa_brig_directive_variable_t& variable) {
  const uint32_t base = variable.type & HSA_BRIG_TYPE_CLASS_BASE_MASK;
  const uint32_t pack = variable.type >> HSA_BRIG_TYPE_CLASS_PACK_SHIFT & 3;
  const BaseType type = base < std::size(base_types) ? base_types[base] : base_types[0];
  Formal formal{{}, type.name, type.size, 0};
  if (pack != 0 && type.size != 0) {
    formal.size = 2u << pack;
    formal.type += fmt::format("x{}", formal.size / type.size);
  }
  formal.alignment = variable.align == HSA_BRIG_ALIGNMENT_NONE ? std::max<uint64_t>(formal.size, 1)
                                                               : uint64_t{1} << (variable.align - 1);
  if ((variable.type & HSA_BRIG_TYPE_CLASS_ARRAY) != 0) {
    const uint64_t count = uint64_t{variable.dim.hi} << 32 | variable.dim.lo;
    formal.size *= count;
    formal.type += fmt::format("[{}]", count);
  }
  return formal;
}

/// Calls visit(directive) for each kernel that a module declares or defines, until it returns false.
template <typename Visit>
void each_kernel(const BrigFile& file, Visit visit) {
  file.each_directive([&](uint64_t at, hsa_brig_kind16_t kind) {
    if (kind != HSA_BRIG_KIND_DIRECTIVE_KERNEL) return true;
    const auto kernel = file.code<hsa_brig_directive_executable_t>(at);
    return !kernel || visit(*kernel);
  });
}

std::vector<Formal> formals_of(const BrigFile& file, const hsa_brig_directive_executable_t& kernel) {
  std::vector<Formal> found;
  uint64_t next = kernel.first_in_arg;
  while (found.size() < kernel.in_arg_count) {
    const auto variable = file.code<hsa_brig_directive_variable_t>(next);
    if (!variable || variable->base.byte_count == 0) break;
    if (variable->base.kind == HSA_BRIG_KIND_DIRECTIVE_VARIABLE) {
      found.push_back(describe(*variable));
      if (variable->name != 0) found.back().name = file.string(variable->name);
    }
    next += variable->base.byte_count;  // comments may lie between arguments
  }
  return found;
}

/// Returns the only operand of a directive, or 0 if it is not a constant.
uint32_t constant_of(const BrigFile& file, const hsa_brig_directive_control_t& control) {
  const std::string_view list = file.string(control.operands);
  uint32_t offset = 0, value = 0;
  if (list.size() != sizeof offset) return 0;
  std::memcpy(&offset, list.data(), sizeof offset);
  const auto operand = file.operand<hsa_brig_operand_constant_bytes_t>(offset);
  if (!operand || operand->base.kind != HSA_BRIG_KIND_OPERAND_CONSTANT_BYTES) return 0;
  const std::string_view bytes = file.string(operand->bytes);
  std::memcpy(&value, bytes.data(), std::min(bytes.size(), sizeof value));
  return value;
}

uint32_t largest_group_of(const BrigFile& file, const hsa_brig_directive_executable_t& kernel) {
  for (uint64_t at = kernel.first_code_block_entry; at < kernel.next_module_entry;) {
    const auto control = file.code<hsa_brig_directive_control_t>(at);
    if (!control || control->base.byte_count == 0) break;
    if (control->base.kind == HSA_BRIG_KIND_DIRECTIVE_CONTROL &&
        control->control == HSA_BRIG_CONTROL_DIRECTIVE_MAXFLATWORKGROUPSIZE)
      return constant_of(file, *control);
    if (control->base.kind < HSA_BRIG_KIND_DIRECTIVE_BEGIN ||
        control->base.kind >= HSA_BRIG_KIND_DIRECTIVE_END)
      break;  // the directives come before all instructions
    at += control->base.byte_count;
  }
  return 0;
}

}  // namespace

void for_each_kernel(std::span<const std::byte> brig,
                     const std::function<void(const KernelSignature&)>& visit) {
  const BrigFile file(brig);
  each_kernel(file, [&](const hsa_brig_directive_executable_t& kernel) {
    if ((kernel.modifier & HSA_BRIG_EXECUTABLE_MODIFIER_DEFINITION) != 0)
      visit(
          {std::string(file.string(kernel.name)), formals_of(file, kernel), largest_group_of(file, kernel)});
    return true;
  });
}

std::optional<std::vector<Formal>> kernel_formals(std::span<const std::byte> brig, std::string_view kernel) {
  const BrigFile file(brig);
  std::optional<std::vector<Formal>> found;
  each_kernel(file, [&](const hsa_brig_directive_executable_t& directive) {
    if (file.string(directive.name) != kernel) return true;
    found = formals_of(file, directive);
    return false;
  });
  return found;
}

}  // namespace heddle
