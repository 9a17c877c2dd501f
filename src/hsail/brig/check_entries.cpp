// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The entries of the three standard sections: finds where each starts, and checks that it is complete, of a
// known kind and large enough for the struct of that kind (PRM 18.2, 18.3.6, 18.4).
#include <algorithm>
#include <cstddef>

#include <fmt/format.h>

#include "hsail/brig/checker.h"
#include "hsail/isa/names.h"

namespace heddle::brig {
namespace {

/// The size of the struct of a kind and the position of its reserved field. isa::decode() checks the reserved
/// fields of instructions.
struct Layout {
  uint8_t size;
  uint8_t reserved_at = 0;
  uint8_t reserved_bytes = 0;
};
template <typename T>
constexpr Layout plain() {
  return {sizeof(T)};
}
#define HEDDLE_RESERVED(type) \
  Layout { sizeof(type), offsetof(type, reserved), sizeof(type::reserved) }

constexpr Layout directive_layouts[] = {
    plain<hsa_brig_directive_arg_block_t>(),           // arg_block_end
    plain<hsa_brig_directive_arg_block_t>(),           // arg_block_start
    plain<hsa_brig_directive_comment_t>(),             //
    HEDDLE_RESERVED(hsa_brig_directive_control_t),     //
    plain<hsa_brig_directive_extension_t>(),           //
    HEDDLE_RESERVED(hsa_brig_directive_fbarrier_t),    //
    HEDDLE_RESERVED(hsa_brig_directive_executable_t),  // function
    HEDDLE_RESERVED(hsa_brig_directive_executable_t),  // indirect function
    HEDDLE_RESERVED(hsa_brig_directive_executable_t),  // kernel
    plain<hsa_brig_directive_label_t>(),               //
    plain<hsa_brig_directive_loc_t>(),                 //
    HEDDLE_RESERVED(hsa_brig_directive_module_t),      //
    plain<hsa_brig_directive_pragma_t>(),              //
    HEDDLE_RESERVED(hsa_brig_directive_executable_t),  // signature
    HEDDLE_RESERVED(hsa_brig_directive_variable_t),    //
    plain<hsa_brig_directive_extension_version_t>(),   //
};
static_assert(std::size(directive_layouts) == HSA_BRIG_KIND_DIRECTIVE_END - HSA_BRIG_KIND_DIRECTIVE_BEGIN);

constexpr Layout instruction_layouts[] = {
    plain<hsa_brig_inst_addr_t>(),               //
    plain<hsa_brig_inst_atomic_t>(),             //
    plain<hsa_brig_inst_basic_t>(),              //
    plain<hsa_brig_inst_br_t>(),                 //
    plain<hsa_brig_inst_cmp_t>(),                //
    plain<hsa_brig_inst_cvt_t>(),                //
    plain<hsa_ext_brig_inst_image_t>(),          //
    plain<hsa_brig_inst_lane_t>(),               //
    plain<hsa_brig_inst_mem_t>(),                //
    plain<hsa_brig_inst_mem_fence_t>(),          //
    plain<hsa_brig_inst_mod_t>(),                //
    plain<hsa_ext_brig_inst_query_image_t>(),    //
    plain<hsa_ext_brig_inst_query_sampler_t>(),  //
    plain<hsa_brig_inst_queue_t>(),              //
    plain<hsa_brig_inst_seg_t>(),                //
    plain<hsa_brig_inst_seg_cvt_t>(),            //
    plain<hsa_brig_inst_signal_t>(),             //
    plain<hsa_brig_inst_source_type_t>(),        //
};
static_assert(std::size(instruction_layouts) == HSA_BRIG_KIND_INST_END - HSA_BRIG_KIND_INST_BEGIN);

constexpr Layout operand_layouts[] = {
    plain<hsa_brig_operand_address_t>(),                        //
    HEDDLE_RESERVED(hsa_brig_operand_align_t),                  //
    plain<hsa_brig_operand_code_list_t>(),                      //
    plain<hsa_brig_operand_code_ref_t>(),                       //
    HEDDLE_RESERVED(hsa_brig_operand_constant_bytes_t),         //
    plain<hsa_brig_operand_constant_expression_t>(),            //
    HEDDLE_RESERVED(hsa_ext_brig_operand_constant_image_t),     //
    HEDDLE_RESERVED(hsa_brig_operand_constant_operand_list_t),  //
    HEDDLE_RESERVED(hsa_ext_brig_operand_constant_sampler_t),   //
    plain<hsa_brig_operand_operand_list_t>(),                   //
    plain<hsa_brig_operand_register_t>(),                       //
    plain<hsa_brig_operand_string_t>(),                         //
    plain<hsa_brig_operand_wavesize_t>(),                       //
    plain<hsa_brig_operand_zero_t>(),                           //
};
static_assert(std::size(operand_layouts) == HSA_BRIG_KIND_OPERAND_END - HSA_BRIG_KIND_OPERAND_BEGIN);
#undef HEDDLE_RESERVED

bool is_operand_kind(unsigned kind) {
  return kind >= HSA_BRIG_KIND_OPERAND_BEGIN && kind < HSA_BRIG_KIND_OPERAND_END;
}

/// Returns the layout of a kind in hsa_operand (`operands`) or hsa_code. The size is 0 if the kind must not
/// occur there.
Layout layout_of(unsigned kind, bool operands) {
  if (operands) return is_operand_kind(kind) ? operand_layouts[kind - HSA_BRIG_KIND_OPERAND_BEGIN] : Layout{};
  if (kind >= HSA_BRIG_KIND_INST_BEGIN && kind < HSA_BRIG_KIND_INST_END) {
    return instruction_layouts[kind - HSA_BRIG_KIND_INST_BEGIN];
  }
  if (kind >= HSA_BRIG_KIND_DIRECTIVE_BEGIN && kind < HSA_BRIG_KIND_DIRECTIVE_END) {
    return directive_layouts[kind - HSA_BRIG_KIND_DIRECTIVE_BEGIN];
  }
  return kind == HSA_BRIG_KIND_NONE ? plain<hsa_brig_directive_none_t>() : Layout{};
}

struct Fault {
  std::string_view id;
  std::string message;
};

/// Returns what is wrong with the head of the entry at `at`, with an empty message if nothing is.
Fault entry_fault(const Module::Section& section, Offset at, bool operands) {
  const uint64_t available = uint64_t{section.size} - at;
  if (available < sizeof(hsa_brig_base_t))
    return {"BRIG-18.3.6-truncated", "the section ends inside the head of an entry"};
  const auto& base = *reinterpret_cast<const hsa_brig_base_t*>(section.base + at);
  const Layout layout = layout_of(base.kind, operands);
  const size_t least = layout.size;
  if (least == 0) {
    return {"BRIG-18.3.12-kind", fmt::format("kind 0x{:x} has no place in this section", base.kind)};
  }
  if (base.byte_count % 4 != 0 || base.byte_count < least) {
    return {"BRIG-18.3.6-byte-count",
            fmt::format("byte_count is {}; entries of kind {} have at least {} bytes and a "
                        "multiple of 4",
                        base.byte_count, isa::name(isa::Names::kind, base.kind), least)};
  }
  if (base.byte_count > available) {
    return {"BRIG-18.3.6-truncated",
            fmt::format("byte_count is {}, but the section ends after {} bytes", base.byte_count, available)};
  }
  const std::byte* const reserved = section.base + at + layout.reserved_at;
  for (unsigned i = 0; i < layout.reserved_bytes; ++i) {
    if (reserved[i] != std::byte{}) return {"BRIG-18.3.6-reserved", "a reserved field is not 0"};
  }
  return {};
}

}  // namespace

bool Checker::check_entries() {
  const size_t before = diagnostics_.error_count();
  const auto section_of = [&](auto bytes, Offset first) {
    return Module::Section{bytes.data(), first, static_cast<Offset>(bytes.size())};
  };

  const auto code = section_of(module_.code(), module_.code_begin());
  scope_of_entry_.assign(code.size / 4, no_entry);
  for (Offset at = code.first; at < code.size;) {
    const Fault fault = entry_fault(code, at, false);
    if (!fault.message.empty()) {
      code_error(at, fault.id, fault.message);
      break;
    }
    scope_of_entry_[at / 4] = 0;
    at = module_.next_code(at);
  }

  const auto operands = section_of(module_.operands(), module_.operands_begin());
  operand_starts_.assign(operands.size / 4, false);
  for (Offset at = operands.first; at < operands.size;) {
    const Fault fault = entry_fault(operands, at, true);
    if (!fault.message.empty()) {
      operand_error(at, fault.id, fault.message);
      break;
    }
    operand_starts_[at / 4] = true;
    at += module_.operand_entry(at).byte_count;
  }

  const auto data = module_.data();
  const uint64_t size = data.size();
  data_starts_.assign(size / 4, false);
  for (uint64_t at = module_.data_begin(); at < size;) {
    const auto place = static_cast<Offset>(at);
    const uint64_t byte_count = *reinterpret_cast<const uint32_t*>(data.data() + at);
    const uint64_t end = at + sizeof(uint32_t) + byte_count;
    const uint64_t next = (end + 3) & ~uint64_t{3};
    if (next > size) {
      data_error(place, "BRIG-18.4-truncated",
                 fmt::format("byte_count is {}, but the section ends after {} bytes", byte_count, size - at));
      break;
    }
    const auto padding = data.subspan(end, next - end);
    if (std::any_of(padding.begin(), padding.end(), [](std::byte b) { return b != std::byte{}; })) {
      data_error(place, "BRIG-18.4-padding", "the bytes after the data are not zero");
    }
    data_starts_[at / 4] = true;
    at = next;
  }
  return clean_since(before);
}

}  // namespace heddle::brig
