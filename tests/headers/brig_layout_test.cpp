// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Layout of the BRIG structs. PRM 18.2 to 18.6 fix their sizes and offsets, so the compiler can check them.
#include <cstddef>
#include <type_traits>

#include <gtest/gtest.h>
#include <hsa/hsa_brig.h>

namespace {

// Reports whether the type can be an entry of the code or operand section: a POD of known size that needs no
// more than 4-byte alignment (PRM 18.2).
template <typename Entry, size_t size>
constexpr bool is_entry = sizeof(Entry) == size && alignof(Entry) <= 4 && size % 4 == 0 &&
                          std::is_trivially_copyable_v<Entry> && std::is_standard_layout_v<Entry>;

static_assert(is_entry<hsa_brig_base_t, 4>);
static_assert(is_entry<hsa_brig_uint64_t, 8>);
static_assert(is_entry<hsa_brig_directive_arg_block_t, 4>);
static_assert(is_entry<hsa_brig_directive_comment_t, 8>);
static_assert(is_entry<hsa_brig_directive_control_t, 12>);
static_assert(is_entry<hsa_brig_directive_executable_t, 28>);
static_assert(is_entry<hsa_brig_directive_extension_t, 8>);
static_assert(is_entry<hsa_brig_directive_extension_version_t, 16>);
static_assert(is_entry<hsa_brig_directive_fbarrier_t, 12>);
static_assert(is_entry<hsa_brig_directive_label_t, 8>);
static_assert(is_entry<hsa_brig_directive_loc_t, 16>);
static_assert(is_entry<hsa_brig_directive_module_t, 20>);
static_assert(is_entry<hsa_brig_directive_none_t, 4>);
static_assert(is_entry<hsa_brig_directive_pragma_t, 8>);
static_assert(is_entry<hsa_brig_directive_variable_t, 28>);
static_assert(is_entry<hsa_brig_inst_base_t, 12>);
static_assert(is_entry<hsa_brig_inst_basic_t, 12>);
static_assert(is_entry<hsa_brig_inst_addr_t, 16>);
static_assert(is_entry<hsa_brig_inst_br_t, 16>);
static_assert(is_entry<hsa_brig_inst_cvt_t, 16>);
static_assert(is_entry<hsa_brig_inst_lane_t, 16>);
static_assert(is_entry<hsa_brig_inst_mem_fence_t, 16>);
static_assert(is_entry<hsa_brig_inst_mod_t, 16>);
static_assert(is_entry<hsa_brig_inst_queue_t, 16>);
static_assert(is_entry<hsa_brig_inst_seg_t, 16>);
static_assert(is_entry<hsa_brig_inst_seg_cvt_t, 16>);
static_assert(is_entry<hsa_brig_inst_signal_t, 16>);
static_assert(is_entry<hsa_brig_inst_source_type_t, 16>);
static_assert(is_entry<hsa_ext_brig_inst_query_image_t, 16>);
static_assert(is_entry<hsa_ext_brig_inst_query_sampler_t, 16>);
static_assert(is_entry<hsa_brig_inst_atomic_t, 20>);
static_assert(is_entry<hsa_brig_inst_cmp_t, 20>);
static_assert(is_entry<hsa_brig_inst_mem_t, 20>);
static_assert(is_entry<hsa_ext_brig_inst_image_t, 20>);
static_assert(is_entry<hsa_brig_operand_address_t, 20>);
static_assert(is_entry<hsa_brig_operand_align_t, 8>);
static_assert(is_entry<hsa_brig_operand_code_list_t, 8>);
static_assert(is_entry<hsa_brig_operand_code_ref_t, 8>);
static_assert(is_entry<hsa_brig_operand_constant_bytes_t, 12>);
static_assert(is_entry<hsa_brig_operand_constant_expression_t, 12>);
static_assert(is_entry<hsa_brig_operand_constant_operand_list_t, 12>);
static_assert(is_entry<hsa_brig_operand_operand_list_t, 8>);
static_assert(is_entry<hsa_brig_operand_register_t, 8>);
static_assert(is_entry<hsa_brig_operand_string_t, 8>);
static_assert(is_entry<hsa_brig_operand_wavesize_t, 4>);
static_assert(is_entry<hsa_brig_operand_zero_t, 12>);
static_assert(is_entry<hsa_ext_brig_operand_constant_image_t, 44>);
static_assert(is_entry<hsa_ext_brig_operand_constant_sampler_t, 12>);

// Structs whose members other code finds by offset.
static_assert(sizeof(hsa_brig_module_header_t) == 104);
static_assert(offsetof(hsa_brig_module_header_t, byte_count) == 16);
static_assert(offsetof(hsa_brig_module_header_t, hash) == 24);
static_assert(offsetof(hsa_brig_module_header_t, section_count) == 92);
static_assert(offsetof(hsa_brig_module_header_t, section_index) == 96);
static_assert(offsetof(hsa_brig_section_header_t, name) == 16);
static_assert(offsetof(hsa_brig_data_t, bytes) == 4);
static_assert(offsetof(hsa_brig_inst_base_t, opcode) == 4);
static_assert(offsetof(hsa_brig_inst_base_t, type) == 6);
static_assert(offsetof(hsa_brig_inst_base_t, operands) == 8);
static_assert(offsetof(hsa_brig_directive_variable_t, dim) == 16);
static_assert(offsetof(hsa_brig_directive_executable_t, modifier) == 24);
static_assert(offsetof(hsa_brig_inst_mem_t, modifier) == 16);
static_assert(offsetof(hsa_brig_operand_address_t, offset) == 12);

// Values that older headers had wrong, or that are easy to get wrong (PRM 18.3).
static_assert(HSA_BRIG_KIND_OPERAND_WAVESIZE == 0x300c);
static_assert(HSA_BRIG_KIND_OPERAND_ZERO == 0x300d);
static_assert(HSA_BRIG_KIND_OPERAND_CONSTANT_EXPRESSION == 0x3005);
static_assert(HSA_BRIG_KIND_DIRECTIVE_EXTENSION_VERSION == 0x100f);
static_assert(HSA_BRIG_ALU_MODIFIER_INTEGER_SAT == 2);
static_assert(HSA_BRIG_MEMORY_MODIFIER_NONTEMPORAL == 2);
static_assert(HSA_BRIG_COMPARE_OPERATION_SGEU == 20 && HSA_BRIG_COMPARE_OPERATION_SGTU == 27);
static_assert(HSA_BRIG_WIDTH_WAVESIZE == 33 && HSA_BRIG_WIDTH_ALL == 34);
static_assert(HSA_BRIG_TYPE_F16X8 == 0x69 && HSA_BRIG_TYPE_U64X2_ARRAY == 0xe4);
static_assert(HSA_BRIG_OPCODE_LDA == 42 && HSA_BRIG_OPCODE_CURRENTWORKITEMFLATID == 106);
static_assert(HSA_BRIG_OPCODE_GROUPTOTALSIZE == 138);
static_assert(HSA_BRIG_VERSION_BRIG_MAJOR == 1 && HSA_BRIG_VERSION_BRIG_MINOR == 2);

TEST(BrigLayout, EntriesHaveNoPadding) {
  // The sizes above do not fix these offsets in the two longest structs.
  EXPECT_EQ(offsetof(hsa_brig_directive_variable_t, allocation), 26u);
  EXPECT_EQ(offsetof(hsa_ext_brig_operand_constant_image_t, array), 36u);
}

}  // namespace
