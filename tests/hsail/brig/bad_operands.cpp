// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "sample.h"

#include <hsa/hsa_brig_images.h>
#include <hsa/hsa_brig_opcodes.h>

namespace heddle::brig::test {
namespace {

using ConstantBytes = hsa_brig_operand_constant_bytes_t;
using ConstantList = hsa_brig_operand_constant_operand_list_t;
using Expression = hsa_brig_operand_constant_expression_t;
using Image = hsa_ext_brig_operand_constant_image_t;
using Sampler = hsa_ext_brig_operand_constant_sampler_t;

ConstantBytes& init_bytes(Patch& p, std::string_view variable) {
  return p.section_at<ConstantBytes>(2, p.variable(variable).init);
}
ConstantList& init_list(Patch& p, std::string_view variable) {
  return p.section_at<ConstantList>(2, p.variable(variable).init);
}
Image& image(Patch& p) { return p.operand<Image>(HSA_BRIG_KIND_OPERAND_CONSTANT_IMAGE); }
Sampler& sampler(Patch& p) { return p.operand<Sampler>(HSA_BRIG_KIND_OPERAND_CONSTANT_SAMPLER); }
/// Returns the expression addr(&scalar+4).
Expression& displaced(Patch& p) {
  return p.section_at<Expression>(2, p.element(init_list(p, "&packed").elements, 1));
}

}  // namespace

std::vector<BadModule> bad_operands() {
  constexpr unsigned reg = HSA_BRIG_KIND_OPERAND_REGISTER;
  constexpr unsigned address = HSA_BRIG_KIND_OPERAND_ADDRESS;
  constexpr unsigned code_ref = HSA_BRIG_KIND_OPERAND_CODE_REF;
  constexpr unsigned code_list = HSA_BRIG_KIND_OPERAND_CODE_LIST;
  constexpr unsigned vector = HSA_BRIG_KIND_OPERAND_OPERAND_LIST;
  constexpr unsigned string = HSA_BRIG_KIND_OPERAND_STRING;
  return {
      {"BRIG-18.6.10-kind", [](Patch& p) { p.operand<hsa_brig_operand_register_t>(reg).reg_kind = 4; }},
      {"HSAIL-4.7-register-count",
       [](Patch& p) { p.operand<hsa_brig_operand_register_t>(reg).reg_num = 2048; }},
      {"BRIG-18.6.2-symbol", [](Patch& p) { p.operand<hsa_brig_operand_address_t>(address).symbol += 2; }},
      {"BRIG-18.6.2-symbol",
       [](Patch& p) { p.operand<hsa_brig_operand_address_t>(address).symbol = p.code_offset(0x1009); }},
      {"BRIG-18.6.2-register",
       [](Patch& p) { p.operand<hsa_brig_operand_address_t>(address).reg = p.operand_offset(string); }},
      {"HSAIL-4.16.2-register-kind",  // $c0
       [](Patch& p) {
         p.operand<hsa_brig_operand_address_t>(address).reg = p.instruction_operand(HSA_BRIG_OPCODE_CMP, 0);
       }},
      {"BRIG-18.6.3-align",
       [](Patch& p) { p.operand<hsa_brig_operand_align_t>(HSA_BRIG_KIND_OPERAND_ALIGN).align = 0; }},
      {"BRIG-18.6.3-align",
       [](Patch& p) { p.operand<hsa_brig_operand_align_t>(HSA_BRIG_KIND_OPERAND_ALIGN).align = 10; }},
      {"BRIG-18.6.4-list",
       [](Patch& p) { p.operand<hsa_brig_operand_code_list_t>(code_list).elements += 4; }},
      {"BRIG-18.6.4-element",
       [](Patch& p) {
         p.element(p.operand<hsa_brig_operand_code_list_t>(code_list).elements, 0) = p.code_offset(0x1008);
       }},
      {"BRIG-18.6.5-ref", [](Patch& p) { p.operand<hsa_brig_operand_code_ref_t>(code_ref).ref = 0; }},
      {"BRIG-18.6.5-ref",
       [](Patch& p) { p.operand<hsa_brig_operand_code_ref_t>(code_ref).ref = 0xfffffffc; }},
      {"BRIG-18.6.6-type", [](Patch& p) { init_bytes(p, "&scalar").type = HSA_BRIG_TYPE_B32; }},
      {"BRIG-18.6.6-type", [](Patch& p) { init_bytes(p, "&scalar").type = 0x7777; }},
      {"BRIG-18.6.6-bytes", [](Patch& p) { init_bytes(p, "&scalar").bytes = 4; }},
      {"BRIG-18.6.6-size", [](Patch& p) { init_bytes(p, "&scalar").type = HSA_BRIG_TYPE_U64; }},
      {"BRIG-18.6.6-size", [](Patch& p) { init_bytes(p, "&scalar").type = HSA_BRIG_TYPE_F64_ARRAY; }},
      {"BRIG-18.6.6-signal",
       [](Patch& p) { p.section_at<uint8_t>(0, init_bytes(p, "&signal").bytes + 4) = 1; }},
      {"BRIG-18.6.7-type", [](Patch& p) { displaced(p).type = HSA_BRIG_TYPE_F32; }},
      {"BRIG-18.6.7-list", [](Patch& p) { displaced(p).operands = 12; }},
      {"BRIG-18.6.7-operation", [](Patch& p) { displaced(p).expression_operation = 5; }},
      {"BRIG-18.6.7-operands", [](Patch& p) { displaced(p).expression_operation = 0; }},
      {"BRIG-18.6.7-operands", [](Patch& p) { p.element(displaced(p).operands, 0) = p.operand_offset(reg); }},
      {"BRIG-18.6.7-operands", [](Patch& p) { p.element(displaced(p).operands, 1) = p.operand_offset(reg); }},
      {"HSAIL-4.8.1-addr-offset",  // of a kernel
       [](Patch& p) {
         const Offset ref = p.element(displaced(p).operands, 0);
         p.section_at<hsa_brig_operand_code_ref_t>(2, ref).ref =
             p.code_offset(HSA_BRIG_KIND_DIRECTIVE_KERNEL);
       }},
      {"HSAIL-4.8.1-addr-target",
       [](Patch& p) {
         const Offset ref = p.element(displaced(p).operands, 0);
         p.section_at<hsa_brig_operand_code_ref_t>(2, ref).ref =
             p.code_offset(HSA_BRIG_KIND_DIRECTIVE_MODULE);
       }},
      {"HSAIL-4.8.1-addr-target",
       [](Patch& p) {
         const Offset ref = p.element(displaced(p).operands, 0);
         p.section_at<hsa_brig_operand_code_ref_t>(2, ref).ref = p.offset_of(p.variable("&shared"), 1);
       }},
      {"BRIG-18.6.8-type", [](Patch& p) { init_list(p, "&bits").type = HSA_BRIG_TYPE_U32; }},
      {"BRIG-18.6.8-type", [](Patch& p) { init_list(p, "&bits").type = 0x1ff; }},
      {"BRIG-18.6.8-list", [](Patch& p) { init_list(p, "&bits").elements += 4; }},
      {"BRIG-18.6.8-empty", [](Patch& p) { init_list(p, "&bits").elements = 0; }},
      {"BRIG-18.6.8-count", [](Patch& p) { init_list(p, "&packed").type = HSA_BRIG_TYPE_U32X4; }},
      {"BRIG-18.6.8-element",
       [](Patch& p) { p.element(init_list(p, "&bits").elements, 0) = p.operand_offset(reg); }},
      {"BRIG-18.6.8-element",  // the list contains itself, and walking it would never end
       [](Patch& p) { p.element(init_list(p, "&bits").elements, 0) = p.variable("&bits").init; }},
      {"BRIG-18.6.8-element",
       [](Patch& p) { p.element(init_list(p, "&addresses").elements, 1) = p.variable("&scalar").init; }},
      {"HSAIL-4.8.4-zero",
       [](Patch& p) {
         p.operand<hsa_brig_operand_zero_t>(HSA_BRIG_KIND_OPERAND_ZERO).zero_byte_count.hi = 1 << 30;
       }},
      {"BRIG-18.6.9-list",
       [](Patch& p) { p.operand<hsa_brig_operand_operand_list_t>(vector).elements += 4; }},
      {"BRIG-18.6.9-count",
       [](Patch& p) { p.operand<hsa_brig_operand_operand_list_t>(vector).elements = 0; }},
      {"BRIG-18.6.9-element",
       [](Patch& p) {
         p.element(p.operand<hsa_brig_operand_operand_list_t>(vector).elements, 1) = p.operand_offset(vector);
       }},
      {"BRIG-18.6.11-string", [](Patch& p) { p.operand<hsa_brig_operand_string_t>(string).string = 0; }},
      {"BRIG-18.6.14-type", [](Patch& p) { image(p).type = HSA_BRIG_TYPE_SAMP; }},
      {"BRIG-18.6.14-property", [](Patch& p) { image(p).geometry = 8; }},
      {"BRIG-18.6.14-property", [](Patch& p) { image(p).channel_order = 20; }},
      {"BRIG-18.6.14-property", [](Patch& p) { image(p).channel_type = 255; }},
      {"HSAIL-7.1.7-image-size", [](Patch& p) { image(p).depth.lo = 1; }},
      {"HSAIL-7.1.7-image-size", [](Patch& p) { image(p).width.lo = 0; }},
      {"BRIG-18.6.15-type", [](Patch& p) { sampler(p).type = HSA_BRIG_TYPE_ROIMG; }},
      {"BRIG-18.6.15-property", [](Patch& p) { sampler(p).coord = 2; }},
      {"BRIG-18.6.15-property", [](Patch& p) { sampler(p).filter = 2; }},
      {"BRIG-18.6.15-property", [](Patch& p) { sampler(p).addressing = 5; }},
      {"BRIG-18.6.15-addressing",
       [](Patch& p) { sampler(p).coord = HSA_EXT_BRIG_SAMPLER_COORD_NORMALIZATION_UNNORMALIZED; }},
  };
}

}  // namespace heddle::brig::test
