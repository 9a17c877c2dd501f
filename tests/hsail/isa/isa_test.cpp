// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "hsail/isa/isa.h"

#include <array>
#include <cstddef>
#include <map>
#include <set>
#include <string>
#include <tuple>
#include <vector>

#include <gtest/gtest.h>

#include <hsa/hsa_brig_directives.h>
#include <hsa/hsa_brig_modifiers.h>
#include <hsa/hsa_brig_opcodes.h>

#include "hsail/isa/codec.h"

namespace heddle::isa {
namespace {

std::vector<unsigned> values_of(const Slot& slot) {
  if (slot.form == SlotForm::number) return {0, 1, 255};
  std::vector<unsigned> values;
  for (unsigned value = 0; value < 128; ++value) {
    if (value_set(slot.domain).contains(value)) values.push_back(value);
  }
  return values;
}

/// Calls use(fields) for legal fields of the variant. Each slot takes all its values while the other slots
/// keep their first one, and the types take all pairs that the variant allows.
template <typename Use>
void for_each_sample(const Variant& variant, Use&& use) {
  Fields base = default_fields(variant);
  std::vector<const Slot*> varied;
  for (const Slot& slot : slots(variant)) {
    if (slot.form == SlotForm::literal) continue;
    varied.push_back(&slot);
    if (!slot.optional) base[slot.field] = static_cast<uint16_t>(values_of(slot).front());
  }
  const auto offer = [&](Fields fields) {
    for (const Implied& entry : implied(variant)) {
      if (entry.copies) fields[entry.field] = fields[entry.same_as];
    }
    if (!detail::misfit(variant, fields)) use(fields);
  };
  offer(base);
  for (const Slot* first : varied) {
    for (const Slot* second : varied) {
      if (second < first) continue;
      for (const unsigned a : values_of(*first)) {
        for (const unsigned b : values_of(*second)) {
          Fields fields = base;
          fields[first->field] = static_cast<uint16_t>(a);
          fields[second->field] = static_cast<uint16_t>(b);
          offer(fields);
        }
      }
    }
  }
}

TEST(Isa, EveryOpcodeHasAnInstruction) {
  for (unsigned opcode = 0; opcode < instructions().size(); ++opcode) {
    const Instruction* found = instruction(opcode);
    ASSERT_NE(found, nullptr);
    EXPECT_EQ(instruction(text(found->mnemonic)), found);
    EXPECT_EQ(opcode_value(opcode_name(opcode)), opcode);
    ASSERT_FALSE(variants(*found).empty());
    for (const Variant& variant : variants(*found)) EXPECT_EQ(variant.opcode, opcode);
  }
  EXPECT_EQ(instruction(instructions().size()), nullptr);
  EXPECT_EQ(instruction(0xffffu), nullptr);
  EXPECT_EQ(instruction(std::string_view("ldx")), nullptr);
  EXPECT_EQ(instruction(std::string_view()), nullptr);
  EXPECT_EQ(opcode_value("workitemabsid"), HSA_BRIG_OPCODE_WORKITEMABSID);
  EXPECT_EQ(opcode_value("grouptotalsize"), HSA_BRIG_OPCODE_GROUPTOTALSIZE);
}

TEST(Isa, EverySampleOfEveryVariantSurvivesTextAndBinary) {
  size_t samples = 0;
  for (const Instruction& one : instructions()) {
    for (const Variant& variant : variants(one)) {
      size_t of_variant = 0;
      for_each_sample(variant, [&](Fields fields) {
        ++of_variant;
        canonicalize(variant, fields);
        const std::string mnemonic = print_mnemonic(variant, fields);
        const auto parsed = parse_mnemonic(mnemonic);
        ASSERT_TRUE(parsed.ok()) << mnemonic << ": " << parsed.error().message;
        ASSERT_EQ(parsed->variant, &variant) << mnemonic << " of " << text(variant.name);
        ASSERT_EQ(parsed->fields, fields) << mnemonic;

        std::array<std::byte, max_entry_bytes> entry{};
        const size_t bytes = encode(fields, 0x12345678, entry);
        ASSERT_EQ(bytes, entry_bytes(fields.kind));
        bool reserved_clear = false;
        auto decoded = decode(std::span(entry).first(bytes), &reserved_clear);
        ASSERT_TRUE(decoded.has_value());
        ASSERT_TRUE(reserved_clear);
        ASSERT_EQ(decode_operands(std::span(entry).first(bytes)), 0x12345678u);
        // The entry itself does not contain the number of vector elements, which its operand has.
        if (vector_operand(fields.opcode) >= 0) (*decoded)[Field::vector] = fields[Field::vector];
        const auto matched = match(*decoded);
        ASSERT_TRUE(matched.ok()) << mnemonic << ": " << matched.error().message;
        ASSERT_EQ(*matched, &variant) << mnemonic;
        complete(variant, *decoded);
        ASSERT_EQ(*decoded, fields) << mnemonic;
      });
      EXPECT_GT(of_variant, 0u) << text(one.mnemonic) << ' ' << text(variant.name);
      samples += of_variant;
    }
  }
  EXPECT_GT(samples, 10000u);
}

TEST(Isa, NoEncodingBelongsToTwoVariants) {
  for (const Instruction& one : instructions()) {
    for (const Variant& variant : variants(one)) {
      for_each_sample(variant, [&](const Fields& fields) {
        for (const Variant& other : variants(one)) {
          if (&other != &variant) {
            ASSERT_TRUE(detail::misfit(other, fields))
                << text(one.mnemonic) << ' ' << text(variant.name) << " and " << text(other.name);
          }
        }
      });
    }
  }
}

TEST(Isa, LongFormMatchesWhereBasicIsCanonical) {
  // PRM 18.7.1: InstMod with default modifiers means the same as InstBasic.
  const auto parsed = parse_mnemonic("add_f32");
  ASSERT_TRUE(parsed.ok());
  EXPECT_EQ(parsed->fields.kind, HSA_BRIG_KIND_INST_BASIC);
  Fields fields = parsed->fields;
  fields.kind = HSA_BRIG_KIND_INST_MOD;
  fields[Field::round] = HSA_BRIG_ROUND_FLOAT_DEFAULT;
  const auto matched = match(fields);
  ASSERT_TRUE(matched.ok());
  EXPECT_EQ(print_mnemonic(**matched, fields), "add_f32");
  // An integer add has no rounding, so its default is none.
  fields[Field::type] = HSA_BRIG_TYPE_U32;
  EXPECT_FALSE(match(fields).ok());
  // An integer div has no modifier, but its long form is accepted.
  Fields div = parse_mnemonic("div_s64")->fields;
  EXPECT_EQ(div.kind, HSA_BRIG_KIND_INST_BASIC);
  div.kind = HSA_BRIG_KIND_INST_MOD;
  EXPECT_TRUE(match(div).ok());
  div[Field::round] = HSA_BRIG_ROUND_FLOAT_DEFAULT;
  EXPECT_FALSE(match(div).ok());
  // Modifiers that a basic entry cannot express have their defaults.
  Fields basic;
  basic.opcode = HSA_BRIG_OPCODE_ADD;
  basic[Field::type] = HSA_BRIG_TYPE_F32;
  const auto variant = match(basic);
  ASSERT_TRUE(variant.ok());
  complete(**variant, basic);
  EXPECT_EQ(basic[Field::round], HSA_BRIG_ROUND_FLOAT_DEFAULT);
  EXPECT_EQ(basic[Field::vector], 1);
  // A packed add needs its packing control, which a basic entry cannot have.
  basic[Field::type] = HSA_BRIG_TYPE_U8X4;
  EXPECT_FALSE(match(basic).ok());
}

TEST(Isa, CanonicalTextOmitsDefaults) {
  for (const auto& [written, canonical] : std::initializer_list<std::pair<const char*, const char*>>{
           {"ld_v4_readonly_align(8)_width(all)_f32", "ld_v4_readonly_align(8)_width(all)_f32"},
           {"ld_align(1)_equiv(0)_width(1)_u8", "ld_u8"},
           {"ld_v2_global_align( 0x10 ) _const_equiv(3)_width(\tWAVESIZE )_nt_b128",
            "ld_v2_global_align(16)_const_equiv(3)_width(WAVESIZE)_nt_b128"},
           {"st_private_align(010)_u64", "st_private_align(8)_u64"},
           {"barrier_width(all)", "barrier"},
           {"barrier_width(1)", "barrier_width(1)"},
           {"waitfbar_width(WAVESIZE)", "waitfbar"},
           {"cbr_width(1)_b1", "cbr_b1"},
           {"cvt_zeroi_u32_f32", "cvt_u32_f32"},
           {"cvt_ftz_sneari_sat_u32_f32", "cvt_ftz_sneari_sat_u32_f32"},
           {"cvt_pp_sat_u8x4_s8x4", "cvt_pp_sat_u8x4_s8x4"},
           {"add_ss_sat_s16x2", "add_ss_sat_s16x2"},
           {"signal_wait_gte_scacq_s64_sig64", "signal_wait_gte_scacq_s64_sig64"},
           {"activelanemask_v4_width(64)_b64_b1", "activelanemask_v4_width(64)_b64_b1"},
           {"rdimage_v4_1da_equiv(7)_f32_roimg_s32", "rdimage_v4_1da_equiv(7)_f32_roimg_s32"},
           {"nop", "nop"},
       }) {
    const auto parsed = parse_mnemonic(written);
    ASSERT_TRUE(parsed.ok()) << written << ": " << parsed.error().message;
    EXPECT_EQ(print_mnemonic(*parsed->variant, parsed->fields), canonical);
  }
}

TEST(Isa, MnemonicErrorsPointAtTheirCause) {
  struct Case {
    const char* text;
    unsigned offset;
    unsigned length;
    const char* id;
  };
  for (const Case& one : std::initializer_list<Case>{
           {"", 0, 1, "HSAIL-19.2-opcode"},
           {"lld_u32", 0, 3, "HSAIL-19.2-opcode"},
           {"ld", 2, 1, "HSAIL-6.3.1-modifier"},
           {"ld_", 2, 1, "HSAIL-6.3.1-modifier"},
           {"ld_u32_", 6, 1, "HSAIL-6.3.1-modifier"},
           {"ld_u32_u32", 6, 4, "HSAIL-6.3.1-modifier"},
           {"ld_b32", 2, 4, "HSAIL-6.3.1-modifier"},
           {"ld_const_group_u32", 8, 6, "HSAIL-6.3.1-modifier"},
           {"ld_flat_u32", 2, 5, "HSAIL-6.3.1-modifier"},
           {"ld_align(3)_u32", 9, 1, "HSAIL-6.3.1-modifier"},
           {"ld_align(512)_u32", 9, 3, "HSAIL-6.3.1-modifier"},
           {"ld_align(-8)_u32", 9, 2, "HSAIL-6.3.1-modifier"},
           {"ld_align()_u32", 9, 1, "HSAIL-6.3.1-modifier"},
           {"ld_align(8", 10, 1, "HSAIL-6.3.1-modifier"},
           {"ld_align_u32", 2, 6, "HSAIL-6.3.1-modifier"},
           {"ld_equiv(256)_u32", 9, 3, "HSAIL-6.3.1-modifier"},
           {"ld_width(0)_u32", 9, 1, "HSAIL-6.3.1-modifier"},
           {"ld_width(4294967296)_u32", 9, 10, "HSAIL-6.3.1-modifier"},
           {"ld_width(99999999999999999999)_u32", 9, 20, "HSAIL-6.3.1-modifier"},
           {"st_readonly_u32", 2, 9, "HSAIL-6.4.1-modifier"},
           {"add_u8", 3, 3, "HSAIL-5.2.1-modifier"},
           {"shl_pp_u8x4", 3, 3, "HSAIL-5.5.1-modifier"},
           {"and_u32", 3, 4, "HSAIL-5.6.1-modifier"},
           {"cvt_f32_f32", 0, 11, "HSAIL-5.19.2-types"},
           {"cvt_pp_u8x4_u16x2", 0, 17, "HSAIL-5.19.2-types"},
           {"cmp_lt_b1_b32", 9, 4, "HSAIL-5.18.1-modifier"},
           {"pack_u8x4_s32", 0, 13, "HSAIL-5.9.1-types"},
           {"atomicnoret_exch_global_rlx_agent_b32", 11, 5, "HSAIL-6.7.1-modifier"},
           {"signal_wait_scacq_s64_sig64", 6, 5, "HSAIL-6.8.1-modifier"},
           {"memfence_rlx_wg", 8, 4, "HSAIL-6.9.1-modifier"},
           {"rdimage_v4_1db_f32_roimg_s32", 10, 4, "HSAIL-7.2.1-modifier"},
       }) {
    const auto parsed = parse_mnemonic(one.text);
    ASSERT_FALSE(parsed.ok()) << one.text;
    EXPECT_EQ(parsed.error().offset, one.offset) << one.text << ": " << parsed.error().message;
    EXPECT_EQ(parsed.error().length, one.length) << one.text << ": " << parsed.error().message;
    EXPECT_EQ(parsed.error().id, one.id) << one.text;
  }
}

std::set<std::string> broken(const char* mnemonic, const Environment& environment = {},
                             bool* clean = nullptr) {
  const auto parsed = parse_mnemonic(mnemonic);
  EXPECT_TRUE(parsed.ok()) << mnemonic;
  std::set<std::string> ids;
  const bool result = check(*parsed->variant, parsed->fields, environment,
                            [&](const BrokenRule& one) { ids.insert(one.violation.id); });
  if (clean != nullptr) *clean = result;
  return ids;
}

TEST(Isa, RulesOfInstructions) {
  using Ids = std::set<std::string>;
  EXPECT_EQ(broken("ld_readonly_const_u32"), Ids{});
  EXPECT_EQ(broken("ld_group_const_u32"), Ids{"HSAIL-6.3.1-const-segment"});
  EXPECT_EQ(broken("ld_const_u32"), Ids{});
  EXPECT_EQ(broken("st_roimg"), Ids{"HSAIL-6.4.1-opaque-segment"});
  EXPECT_EQ(broken("st_arg_roimg"), Ids{});
  EXPECT_EQ(broken("st_private_sig64"), Ids{});
  EXPECT_EQ(broken("cvt_u32_s32"), Ids{"HSAIL-5.19.2-same-size"});
  EXPECT_EQ(broken("cvt_sat_u32_s32"), Ids{});
  EXPECT_EQ(broken("cvt_sat_u64_s32"), Ids{"HSAIL-5.19.2-sat-size"});
  EXPECT_EQ(broken("atomic_add_group_rlx_agent_u32"), Ids{"HSAIL-6.6.1-group-scope"});
  EXPECT_EQ(broken("atomic_add_rlx_agent_u32"), Ids{});
  EXPECT_EQ(broken("signal_ld_rlx_b32_sig64"), Ids{"HSAIL-6.8.1-value-size"});
  EXPECT_EQ(broken("queryimage_1d_height_u32_roimg"), Ids{"HSAIL-7.5.1-height"});
  EXPECT_EQ(broken("queryimage_2d_depth_u32_roimg"), Ids{"HSAIL-7.5.1-depth"});
  EXPECT_EQ(broken("queryimage_3d_array_u32_roimg"), Ids{"HSAIL-7.5.1-array"});
}

TEST(Isa, RulesOfTheMachineModel) {
  using Ids = std::set<std::string>;
  Environment small;
  small.machine_model = HSA_BRIG_MACHINE_MODEL_SMALL;
  EXPECT_EQ(broken("lda_global_u32"), Ids{"HSAIL-5.8.1-address-size"});
  EXPECT_EQ(broken("lda_global_u32", small), Ids{});
  EXPECT_EQ(broken("lda_group_u32"), Ids{});
  EXPECT_EQ(broken("lda_group_u64"), Ids{"HSAIL-5.8.1-address-size"});
  EXPECT_EQ(broken("nullptr_private_u32"), Ids{});
  EXPECT_EQ(broken("nullptr_u32"), Ids{"HSAIL-11.4.1-address-size"});
  EXPECT_EQ(broken("kernargbaseptr_u64"), Ids{});
  EXPECT_EQ(broken("stof_group_u64_u32"), Ids{});
  EXPECT_EQ(broken("stof_group_u64_u32", small), Ids{"HSAIL-5.17.1-address-size"});
  EXPECT_EQ(broken("atomic_ld_global_rlx_wg_b64", small), Ids{"HSAIL-2.9-atomic-size"});
  EXPECT_EQ(broken("packetcompletionsig_sig32"), Ids{"HSAIL-2.9-signal-size"});
  EXPECT_EQ(broken("packetcompletionsig_sig64", small), Ids{"HSAIL-2.9-signal-size"});
  EXPECT_EQ(broken("signal_ld_rlx_b64_sig64", small), Ids{"HSAIL-2.9-signal-size"});
}

TEST(Isa, RulesOfTheProfileVersionAndExtension) {
  using Ids = std::set<std::string>;
  Environment base;
  base.profile = HSA_BRIG_PROFILE_BASE;
  EXPECT_EQ(broken("add_f32", base), Ids{"HSAIL-16.2.1-ftz"});
  EXPECT_EQ(broken("add_ftz_f32", base), Ids{});
  EXPECT_EQ(broken("add_ftz_near_f64", base), (Ids{"HSAIL-16.2.1-f64", "HSAIL-16.2.1-round"}));
  EXPECT_EQ(broken("cvt_ftz_upi_u32_f32", base), Ids{"HSAIL-16.2.1-integer-round"});
  EXPECT_EQ(broken("cvt_ftz_szeroi_sat_u32_f32", base), Ids{});
  EXPECT_EQ(broken("class_b1_f64", base), Ids{"HSAIL-16.2.1-f64-source"});
  EXPECT_EQ(broken("neg_p_f64x2", base), Ids{"HSAIL-16.2.1-f64"});
  EXPECT_EQ(broken("neg_f32", base), Ids{});
  EXPECT_EQ(broken("icall_u64", base), Ids{"HSAIL-16.2.1-icall"});

  Environment first;
  first.hsail_minor = 0;
  bool clean = false;
  EXPECT_EQ(broken("add_sat_u32", first, &clean), Ids{"HSAIL-14.1-version-sat"});
  EXPECT_TRUE(clean) << "versions only warn";
  EXPECT_EQ(broken("ld_nt_u32", first), Ids{"HSAIL-14.1-version-nt"});
  EXPECT_EQ(broken("groupstaticsize_u32", first), Ids{"HSAIL-14.1-version"});
  EXPECT_EQ(broken("gridsize_u64", first), Ids{});
  EXPECT_EQ(broken("gridsize_u64", {}, &clean), Ids{"HSAIL-11.1.1-version-size"});
  EXPECT_FALSE(clean);

  Environment no_images;
  no_images.image_extension = false;
  EXPECT_EQ(broken("imagefence", no_images), Ids{"HSAIL-13.1.2-image-extension"});
  EXPECT_EQ(broken("imagefence"), Ids{});
}

std::vector<std::tuple<OperandKind, std::string, unsigned>> shape(const char* mnemonic) {
  const auto parsed = parse_mnemonic(mnemonic);
  EXPECT_TRUE(parsed.ok()) << mnemonic;
  std::vector<std::tuple<OperandKind, std::string, unsigned>> result;
  for (const Operand& operand : operands(*parsed->variant)) {
    result.emplace_back(operand.kind, type_name(operand_type(operand, parsed->fields)),
                        operand_elements(operand, parsed->fields));
  }
  return result;
}

TEST(Isa, OperandsFollowTheInstruction) {
  using K = OperandKind;
  using Shape = std::vector<std::tuple<OperandKind, std::string, unsigned>>;
  EXPECT_EQ(shape("ld_v3_u8"), (Shape{{K::destination, "u8", 3}, {K::address, "u8", 1}}));
  EXPECT_EQ(shape("st_f16"), (Shape{{K::source, "f16", 1}, {K::address, "f16", 1}}));
  EXPECT_EQ(shape("combine_v4_b128_b32"), (Shape{{K::destination, "b128", 1}, {K::source, "b32", 4}}));
  EXPECT_EQ(shape("expand_v2_b64_b128"), (Shape{{K::destination, "b64", 2}, {K::source, "b128", 1}}));
  EXPECT_EQ(shape("cmov_f16x4"), (Shape{{K::destination, "f16x4", 1},
                                        {K::source, "u16x4", 1},
                                        {K::source, "f16x4", 1},
                                        {K::source, "f16x4", 1}}));
  EXPECT_EQ(shape("cmov_b128"), (Shape{{K::destination, "b128", 1},
                                       {K::source, "b1", 1},
                                       {K::source, "b128", 1},
                                       {K::source, "b128", 1}}));
  EXPECT_EQ(shape("pack_s16x4_s32"), (Shape{{K::destination, "s16x4", 1},
                                            {K::source, "s16x4", 1},
                                            {K::source, "s32", 1},
                                            {K::source, "u32", 1}}));
  EXPECT_EQ(shape("shuffle_u8x4"), (Shape{{K::destination, "u8x4", 1},
                                          {K::source, "u8x4", 1},
                                          {K::source, "u8x4", 1},
                                          {K::constant, "b32", 1}}));
  EXPECT_EQ(
      shape("atomic_cas_rlx_wg_b64"),
      (Shape{
          {K::destination, "b64", 1}, {K::address, "b64", 1}, {K::source, "b64", 1}, {K::source, "b64", 1}}));
  EXPECT_EQ(shape("atomicnoret_st_rlx_wg_b32"), (Shape{{K::address, "b32", 1}, {K::source, "b32", 1}}));
  EXPECT_EQ(shape("signal_waittimeout_lt_rlx_s64_sig64"), (Shape{{K::destination, "s64", 1},
                                                                 {K::source_register, "sig64", 1},
                                                                 {K::source, "s64", 1},
                                                                 {K::source, "u64", 1}}));
  EXPECT_EQ(shape("rdimage_v4_3d_s32_roimg_f32"), (Shape{{K::destination, "s32", 4},
                                                         {K::source_register, "roimg", 1},
                                                         {K::source_register, "samp", 1},
                                                         {K::source, "f32", 3}}));
  EXPECT_EQ(shape("stimage_2dadepth_f32_rwimg_u32"),
            (Shape{{K::source, "f32", 1}, {K::source_register, "rwimg", 1}, {K::source, "u32", 3}}));
  EXPECT_EQ(shape("cbr_b1"), (Shape{{K::source, "b1", 1}, {K::label, "none", 1}}));
  EXPECT_EQ(shape("joinfbar"), (Shape{{K::fbarrier_or_source, "u32", 1}}));
  EXPECT_EQ(shape("activelanepermute_b64"), (Shape{{K::destination, "b64", 1},
                                                   {K::source, "b64", 1},
                                                   {K::source, "u32", 1},
                                                   {K::source, "b64", 1},
                                                   {K::source, "b1", 1}}));
  EXPECT_TRUE(shape("ret").empty());
}

TEST(Isa, CallsHaveTheirOwnTextOrder) {
  const std::map<std::string, std::vector<unsigned>> expected = {
      {"call", {1, 0, 2}}, {"scall_u32", {1, 0, 2, 3}}, {"icall_u64", {1, 0, 2, 3}}, {"add_u32", {0, 1, 2}}};
  for (const auto& [mnemonic, order] : expected) {
    const auto parsed = parse_mnemonic(mnemonic);
    ASSERT_TRUE(parsed.ok());
    std::vector<unsigned> positions;
    for (const Operand& operand : operands(*parsed->variant)) positions.push_back(operand.text_position);
    EXPECT_EQ(positions, order) << mnemonic;
  }
}

TEST(Isa, WhatASourceAccepts) {
  const auto source = [](const char* mnemonic, size_t index) {
    const auto parsed = parse_mnemonic(mnemonic);
    const Operand& operand = operands(*parsed->variant)[index];
    return std::tuple(accepts_register(operand), accepts_immediate(operand),
                      accepts_wavesize(operand, parsed->fields));
  };
  EXPECT_EQ(source("add_u32", 1), std::tuple(true, true, true));
  EXPECT_EQ(source("add_f32", 1), std::tuple(true, true, false));
  EXPECT_EQ(source("and_b1", 1), std::tuple(true, true, false));
  EXPECT_EQ(source("and_b64", 1), std::tuple(true, true, true));
  EXPECT_EQ(source("mov_b128", 1), std::tuple(true, true, false));
  EXPECT_EQ(source("add_pp_u8x4", 1), std::tuple(true, true, false));
  EXPECT_EQ(source("workitemid_u32", 1), std::tuple(false, true, false));
  EXPECT_EQ(source("icall_u64", 1), std::tuple(true, false, false));
  EXPECT_EQ(source("add_u32", 0), std::tuple(true, false, false));
  EXPECT_EQ(operands(*parse_mnemonic("workitemid_u32")->variant)[1].maximum, 2);
  EXPECT_EQ(operands(*parse_mnemonic("unpackcvt_f32_u8x4")->variant)[2].maximum, 3);
}

TEST(Isa, PropertiesForTheCompiler) {
  const auto variant = [](const char* mnemonic) { return parse_mnemonic(mnemonic)->variant; };
  EXPECT_EQ(convergence(HSA_BRIG_OPCODE_BARRIER), Convergence::barrier);
  EXPECT_EQ(convergence(HSA_BRIG_OPCODE_WAVEBARRIER), Convergence::wavebarrier);
  EXPECT_EQ(convergence(HSA_BRIG_OPCODE_WAITFBAR), Convergence::fbarrier);
  EXPECT_EQ(convergence(HSA_BRIG_OPCODE_ACTIVELANEID), Convergence::cross_lane);
  EXPECT_EQ(convergence(HSA_BRIG_OPCODE_CLOCK), Convergence::communication);
  EXPECT_EQ(convergence(HSA_BRIG_OPCODE_ATOMIC), Convergence::communication);
  EXPECT_EQ(convergence(HSA_BRIG_OPCODE_ADD), Convergence::none);
  EXPECT_EQ(convergence(0xffff), Convergence::none);
  EXPECT_EQ(memory_effect(HSA_BRIG_OPCODE_LD), MemoryEffect::load);
  EXPECT_EQ(memory_effect(HSA_BRIG_OPCODE_STIMAGE), MemoryEffect::store);
  EXPECT_EQ(memory_effect(HSA_BRIG_OPCODE_ALLOCA), MemoryEffect::stack);
  EXPECT_EQ(memory_effect(HSA_BRIG_OPCODE_ADD), MemoryEffect::none);
  EXPECT_EQ(memory_effect(0xffff), MemoryEffect::none);
  EXPECT_TRUE(is_call(HSA_BRIG_OPCODE_CALL) && is_call(HSA_BRIG_OPCODE_SCALL) &&
              is_call(HSA_BRIG_OPCODE_ICALL));
  EXPECT_FALSE(is_call(HSA_BRIG_OPCODE_BR));
  EXPECT_EQ(variant("add_u32")->exceptions, 0);
  EXPECT_EQ(variant("div_u32")->exceptions, HSA_BRIG_EXCEPTIONS_DIVIDE_BY_ZERO);
  EXPECT_TRUE(variant("div_f32")->exceptions & HSA_BRIG_EXCEPTIONS_DIVIDE_BY_ZERO);
  EXPECT_EQ(variant("neg_f32")->exceptions, 0);
  EXPECT_EQ(variant("ceil_f32")->exceptions, HSA_BRIG_EXCEPTIONS_INVALID_OPERATION);
}

TEST(Isa, VectorOperandIsFoundByOpcode) {
  EXPECT_EQ(vector_operand(HSA_BRIG_OPCODE_LD), 0);
  EXPECT_EQ(vector_operand(HSA_BRIG_OPCODE_ST), 0);
  EXPECT_EQ(vector_operand(HSA_BRIG_OPCODE_COMBINE), 1);
  EXPECT_EQ(vector_operand(HSA_BRIG_OPCODE_EXPAND), 0);
  EXPECT_EQ(vector_operand(HSA_BRIG_OPCODE_RDIMAGE), 0);
  EXPECT_EQ(vector_operand(HSA_BRIG_OPCODE_ADD), -1);
  EXPECT_EQ(vector_operand(40000), -1);
}

TEST(Isa, MatchNamesTheFieldThatIsWrong) {
  const auto reason = [](const char* mnemonic, Field field, uint16_t value) {
    Fields fields = parse_mnemonic(mnemonic)->fields;
    fields[field] = value;
    const auto matched = match(fields);
    return matched.ok() ? std::string("fits") : matched.error().id;
  };
  EXPECT_EQ(reason("ld_u32", Field::type, HSA_BRIG_TYPE_B32), "HSAIL-6.3.1-type");
  EXPECT_EQ(reason("ld_u32", Field::segment, 200), "HSAIL-6.3.1-segment");
  EXPECT_EQ(reason("ld_u32", Field::align, 10), "HSAIL-6.3.1-align");
  EXPECT_EQ(reason("ld_u32", Field::align, 0), "HSAIL-6.3.1-align");
  EXPECT_EQ(reason("ld_u32", Field::width, 0), "HSAIL-6.3.1-width");
  EXPECT_EQ(reason("ld_u32", Field::width, 35), "HSAIL-6.3.1-width");
  EXPECT_EQ(reason("ld_u32", Field::vector, 5), "HSAIL-6.3.1-vector");
  EXPECT_EQ(reason("ld_u32", Field::equiv_class, 256), "HSAIL-6.3.1-equiv_class");
  EXPECT_EQ(reason("st_u32", Field::width, 1), "HSAIL-6.4.1-width");
  EXPECT_EQ(reason("br", Field::width, 1), "HSAIL-8.1-width");
  EXPECT_EQ(reason("wavebarrier", Field::width, HSA_BRIG_WIDTH_ALL), "HSAIL-9.1.1-width");
  EXPECT_EQ(reason("memfence_scar_wg", Field::group_scope, HSA_BRIG_MEMORY_SCOPE_AGENT),
            "HSAIL-6.9.1-group_scope");
  EXPECT_EQ(reason("alloca_u32", Field::segment, HSA_BRIG_SEGMENT_PRIVATE), "fits");
  EXPECT_EQ(reason("alloca_u32", Field::segment, HSA_BRIG_SEGMENT_GROUP), "HSAIL-10.10.1-segment");
  EXPECT_EQ(reason("add_ftz_f32", Field::sat, 1), "HSAIL-5.11.1-sat");
  EXPECT_EQ(reason("mul_f32", Field::type, 0xffff), "HSAIL-5.11.1-type");
  EXPECT_EQ(reason("mulhi_u32", Field::type, HSA_BRIG_TYPE_F32), "HSAIL-5.2.1-type");
  Fields fields = parse_mnemonic("add_u32")->fields;
  fields.kind = HSA_BRIG_KIND_INST_CMP;
  EXPECT_EQ(match(fields).error().id, "HSAIL-5.2.1-format");
  fields.opcode = static_cast<uint16_t>(instructions().size());
  EXPECT_EQ(match(fields).error().id, "HSAIL-18.3.19-opcode");
}

TEST(Isa, AnyFieldsAreHandled) {
  // Values from untrusted bytes, whatever the field, never lead out of a table.
  for (unsigned opcode = 0; opcode < 141; ++opcode) {
    for (unsigned kind = HSA_BRIG_KIND_INST_BEGIN; kind <= HSA_BRIG_KIND_INST_END; ++kind) {
      for (size_t field = 0; field < field_count; ++field) {
        for (const unsigned value : {1u, 127u, 128u, 255u, 0xffffu}) {
          Fields fields;
          fields.opcode = static_cast<uint16_t>(opcode);
          fields.kind = static_cast<uint16_t>(kind);
          fields.values[field] = static_cast<uint16_t>(value);
          const auto matched = match(fields);
          if (!matched.ok()) {
            ASSERT_FALSE(matched.error().message.empty());
            continue;
          }
          check(**matched, fields, {}, [](const BrokenRule&) {});
          ASSERT_FALSE(print_mnemonic(**matched, fields).empty());
        }
      }
    }
  }
}

TEST(Codec, ShortAndForeignEntries) {
  const Fields fields = parse_mnemonic("ld_u32")->fields;
  std::array<std::byte, max_entry_bytes> entry{};
  ASSERT_EQ(encode(fields, 0, entry), 20u);
  for (size_t size = 0; size < 20; ++size) {
    EXPECT_FALSE(decode(std::span(entry).first(size)).has_value()) << size;
    EXPECT_FALSE(decode_operands(std::span(entry).first(size)).has_value()) << size;
    EXPECT_EQ(encode(fields, 0, std::span(entry).first(size)), 0u) << size;
  }
  // An entry may be longer than its struct (PRM 18.2).
  std::array<std::byte, 24> longer{};
  std::copy(entry.begin(), entry.end(), longer.begin());
  EXPECT_TRUE(decode(longer).has_value());
  entry[2] = std::byte{0x12};  // kind 0x2012: none
  EXPECT_FALSE(decode(entry).has_value());
  EXPECT_EQ(entry_bytes(0x2012), 0u);
  EXPECT_EQ(entry_bytes(HSA_BRIG_KIND_OPERAND_REGISTER), 0u);
}

TEST(Codec, ReservedBitsAreSeen) {
  std::array<std::byte, max_entry_bytes> entry{};
  ASSERT_EQ(encode(parse_mnemonic("ld_const_nt_u32")->fields, 0, entry), 20u);
  bool clear = false;
  ASSERT_TRUE(decode(entry, &clear).has_value());
  EXPECT_TRUE(clear);
  EXPECT_EQ(entry[16], std::byte{3});
  entry[16] |= std::byte{4};
  decode(entry, &clear);
  EXPECT_FALSE(clear);
  entry[16] = std::byte{0};
  entry[19] = std::byte{1};
  decode(entry, &clear);
  EXPECT_FALSE(clear);
}

}  // namespace
}  // namespace heddle::isa
