// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "hsail/isa/types.h"

#include <gtest/gtest.h>

#include <hsa/hsa_brig_directives.h>
#include <hsa/hsa_brig_entries.h>
#include <hsa/hsa_brig_images.h>
#include <hsa/hsa_brig_modifiers.h>

#include "hsail/isa/names.h"

namespace heddle::isa {
namespace {

TEST(Types, AllDefinedCodesAndNoOthers) {
  size_t bases = 0, packed = 0, arrays = 0;
  for (unsigned code = 0; code < 0x10000; ++code) {
    const Type type = static_cast<Type>(code);
    if (!is_valid(type)) {
      EXPECT_EQ(bit_size(type), 0u) << code;
      EXPECT_EQ(packed_dimension(type), 0u) << code;
      EXPECT_FALSE(register_kind(type)) << code;
      continue;
    }
    (is_array(type) ? arrays : is_packed(type) ? packed : bases) += 1;
  }
  // PRM 4.13: 23 base types (opaque ones included), 24 packed types; arrays of all but b1.
  EXPECT_EQ(bases, 23u);
  EXPECT_EQ(packed, 24u);
  EXPECT_EQ(arrays, 46u);
  EXPECT_FALSE(is_valid(HSA_BRIG_TYPE_NONE));
}

TEST(Types, Properties) {
  EXPECT_EQ(bit_size(HSA_BRIG_TYPE_B1), 1u);
  EXPECT_EQ(byte_size(HSA_BRIG_TYPE_B1), 1u);
  EXPECT_EQ(bit_size(HSA_BRIG_TYPE_U8X16), 128u);
  EXPECT_EQ(packed_dimension(HSA_BRIG_TYPE_U8X16), 16u);
  EXPECT_EQ(natural_alignment(HSA_BRIG_TYPE_U8X16), 16u);
  EXPECT_EQ(natural_alignment(HSA_BRIG_TYPE_F64_ARRAY), 8u);
  EXPECT_EQ(bit_size(HSA_BRIG_TYPE_SIG32), 64u);
  EXPECT_EQ(base_type(HSA_BRIG_TYPE_F16X4), HSA_BRIG_TYPE_F16);
  EXPECT_EQ(array_element(HSA_BRIG_TYPE_F16X4_ARRAY), HSA_BRIG_TYPE_F16X4);
  EXPECT_TRUE(is_packed(HSA_BRIG_TYPE_F16X4));
  EXPECT_FALSE(is_float(HSA_BRIG_TYPE_F16X4));
  EXPECT_FALSE(is_packed(HSA_BRIG_TYPE_F16X4_ARRAY));
  EXPECT_EQ(as_unsigned(HSA_BRIG_TYPE_F16X4), HSA_BRIG_TYPE_U16X4);
  EXPECT_EQ(as_unsigned(HSA_BRIG_TYPE_S64X2), HSA_BRIG_TYPE_U64X2);
  EXPECT_EQ(as_unsigned(HSA_BRIG_TYPE_F32), HSA_BRIG_TYPE_U32);
  EXPECT_EQ(as_unsigned(HSA_BRIG_TYPE_B128), HSA_BRIG_TYPE_NONE);
  EXPECT_EQ(as_unsigned(HSA_BRIG_TYPE_SAMP), HSA_BRIG_TYPE_NONE);
  EXPECT_EQ(packed_type(HSA_BRIG_TYPE_S16, 64), HSA_BRIG_TYPE_S16X4);
  EXPECT_EQ(packed_type(HSA_BRIG_TYPE_U32, 32), std::nullopt);
  EXPECT_EQ(packed_type(HSA_BRIG_TYPE_B32, 64), std::nullopt);
  EXPECT_EQ(packed_type(HSA_BRIG_TYPE_U8X4, 64), std::nullopt);
}

TEST(Types, RegistersAndAddresses) {
  EXPECT_EQ(register_kind(HSA_BRIG_TYPE_B1), HSA_BRIG_REGISTER_KIND_CONTROL);
  EXPECT_EQ(register_kind(HSA_BRIG_TYPE_S8), HSA_BRIG_REGISTER_KIND_SINGLE);
  EXPECT_EQ(register_kind(HSA_BRIG_TYPE_F16), HSA_BRIG_REGISTER_KIND_SINGLE);
  EXPECT_EQ(register_kind(HSA_BRIG_TYPE_RWIMG), HSA_BRIG_REGISTER_KIND_DOUBLE);
  EXPECT_EQ(register_kind(HSA_BRIG_TYPE_B128), HSA_BRIG_REGISTER_KIND_QUAD);
  EXPECT_EQ(register_kind(HSA_BRIG_TYPE_U8_ARRAY), std::nullopt);
  EXPECT_EQ(register_letter(HSA_BRIG_REGISTER_KIND_QUAD), 'q');
  EXPECT_EQ(register_letter(4), '?');
  EXPECT_EQ(register_bits(HSA_BRIG_REGISTER_KIND_CONTROL), 1u);
  EXPECT_EQ(register_bits(77), 0u);
  EXPECT_EQ(address_bits(HSA_BRIG_SEGMENT_KERNARG, HSA_BRIG_MACHINE_MODEL_LARGE), 64u);
  EXPECT_EQ(address_bits(HSA_BRIG_SEGMENT_KERNARG, HSA_BRIG_MACHINE_MODEL_SMALL), 32u);
  EXPECT_EQ(address_bits(HSA_BRIG_SEGMENT_GROUP, HSA_BRIG_MACHINE_MODEL_LARGE), 32u);
  EXPECT_EQ(address_bits(HSA_BRIG_SEGMENT_NONE, HSA_BRIG_MACHINE_MODEL_LARGE), 0u);
}

TEST(Names, BothWays) {
  for (unsigned names = 0; names <= static_cast<unsigned>(Names::kind); ++names) {
    size_t count = 0;
    for (unsigned number = 0; number < 0x4000; ++number) {
      const std::string_view spelling = name(static_cast<Names>(names), number);
      if (spelling.empty()) continue;
      ++count;
      EXPECT_EQ(value(static_cast<Names>(names), spelling), number) << spelling;
    }
    EXPECT_GT(count, 1u) << names;
    EXPECT_EQ(value(static_cast<Names>(names), ""), std::nullopt);
    EXPECT_EQ(value(static_cast<Names>(names), "zzz"), std::nullopt);
  }
}

TEST(Names, SpellingsOfTheGrammar) {
  EXPECT_EQ(name(Names::compare, HSA_BRIG_COMPARE_OPERATION_SGTU), "sgtu");
  EXPECT_EQ(name(Names::round, HSA_BRIG_ROUND_INTEGER_SIGNALING_MINUS_INFINITY_SAT), "sdowni_sat");
  EXPECT_EQ(name(Names::channel_type, HSA_EXT_BRIG_IMAGE_CHANNEL_TYPE_UNORM_INT_101010), "unorm_int_101010");
  EXPECT_EQ(name(Names::channel_order, HSA_EXT_BRIG_IMAGE_CHANNEL_ORDER_DEPTH_STENCIL), "depth_stencil");
  EXPECT_EQ(name(Names::image_geometry, HSA_EXT_BRIG_IMAGE_GEOMETRY_2DADEPTH), "2dadepth");
  EXPECT_EQ(name(Names::atomic_operation, HSA_BRIG_ATOMIC_OPERATION_WAITTIMEOUT_GTE), "waittimeout_gte");
  EXPECT_EQ(name(Names::memory_scope, HSA_BRIG_MEMORY_SCOPE_WORKGROUP), "wg");
  EXPECT_EQ(name(Names::control_directive, HSA_BRIG_CONTROL_DIRECTIVE_REQUIREDGROUPBASEPTRALIGN),
            "requiredgroupbaseptralign");
  EXPECT_EQ(name(Names::null_address, HSA_BRIG_EXPRESSION_OPERATION_NULLPTR_FLAT), "nullptr");
  EXPECT_EQ(name(Names::kind, HSA_BRIG_KIND_OPERAND_ZERO), "operand_zero");
  EXPECT_EQ(value(Names::sampler_filter, "linear"), HSA_EXT_BRIG_SAMPLER_FILTER_LINEAR);
  EXPECT_EQ(type_value("f16x8"), HSA_BRIG_TYPE_F16X8);
  EXPECT_EQ(type_value("u8x2"), std::nullopt);
  EXPECT_EQ(type_name(HSA_BRIG_TYPE_U32_ARRAY), "u32[]");
  EXPECT_EQ(type_name(0), "none");
  EXPECT_EQ(type_name(0x1234), "type(0x1234)");
}

}  // namespace
}  // namespace heddle::isa
