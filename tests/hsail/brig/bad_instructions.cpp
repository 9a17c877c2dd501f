// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "sample.h"

#include <hsa/hsa_brig_opcodes.h>

namespace heddle::brig::test {
namespace {

using CodeList = hsa_brig_operand_code_list_t;

hsa_brig_operand_address_t& address(Patch& p, unsigned opcode, unsigned index, unsigned n = 0) {
  return p.section_at<hsa_brig_operand_address_t>(2, p.instruction_operand(opcode, index, n));
}
CodeList& list(Patch& p, unsigned opcode, unsigned index, unsigned n = 0) {
  return p.section_at<CodeList>(2, p.instruction_operand(opcode, index, n));
}

}  // namespace

std::vector<BadModule> bad_instructions() {
  constexpr unsigned add = HSA_BRIG_OPCODE_ADD;
  constexpr unsigned call = HSA_BRIG_OPCODE_CALL;
  constexpr unsigned cbr = HSA_BRIG_OPCODE_CBR;
  constexpr unsigned ld = HSA_BRIG_OPCODE_LD;
  constexpr unsigned mov = HSA_BRIG_OPCODE_MOV;
  constexpr unsigned scall = HSA_BRIG_OPCODE_SCALL;
  constexpr unsigned st = HSA_BRIG_OPCODE_ST;
  return {
      {"BRIG-18.5.2-reserved", [](Patch& p) { p.instruction<hsa_brig_inst_mem_t>(ld).reserved[0] = 1; }},
      {"BRIG-18.5.2-reserved", [](Patch& p) { p.instruction<hsa_brig_inst_mem_t>(ld).modifier = 4; }},
      {"BRIG-18.5.2.1-operands", [](Patch& p) { p.instruction(ld).operands += 4; }},
      {"BRIG-18.5.2.1-operands", [](Patch& p) { p.instruction_operand(ld, 0) = 2; }},
      {"BRIG-18.7-count", [](Patch& p) { p.instruction(ld).operands = p.instruction(add).operands; }},
      {"BRIG-18.7-count", [](Patch& p) { list(p, HSA_BRIG_OPCODE_SBR, 1).elements = 0; }},
      {"BRIG-18.7-kind", [](Patch& p) { p.instruction_operand(ld, 1) = p.instruction_operand(add, 1); }},
      {"BRIG-18.7-kind", [](Patch& p) { p.instruction_operand(add, 0) = p.instruction_operand(add, 2); }},
      {"BRIG-18.7-kind", [](Patch& p) { p.instruction_operand(add, 1) = p.instruction_operand(ld, 1); }},
      {"BRIG-18.7-kind",  // dimension of workitemabsid
       [](Patch& p) {
         p.instruction_operand(HSA_BRIG_OPCODE_WORKITEMABSID, 1) =
             p.instruction_operand(HSA_BRIG_OPCODE_WORKITEMABSID, 0);
       }},
      {"HSAIL-4.16-constant-range",  // the same dimension as an address: u32(addr(&scalar))
       [](Patch& p) {
         p.instruction_operand(HSA_BRIG_OPCODE_WORKITEMABSID, 1) =
             p.operand_offset(HSA_BRIG_KIND_OPERAND_CONSTANT_EXPRESSION);
       }},
      {"BRIG-18.7-kind", [](Patch& p) { p.instruction_operand(cbr, 1) = p.instruction_operand(call, 1); }},
      {"BRIG-18.7-kind", [](Patch& p) { p.instruction_operand(call, 1) = p.instruction_operand(cbr, 1); }},
      {"BRIG-18.7-kind", [](Patch& p) { p.instruction_operand(call, 2) = p.instruction_operand(call, 1); }},
      {"BRIG-18.7-kind", [](Patch& p) { list(p, call, 0) = list(p, scall, 3); }},
      {"BRIG-18.7-kind", [](Patch& p) { list(p, scall, 3) = list(p, call, 0); }},
      {"BRIG-18.7-kind", [](Patch& p) { list(p, HSA_BRIG_OPCODE_SBR, 1) = list(p, scall, 3); }},
      {"BRIG-18.7-kind",
       [](Patch& p) { p.instruction_operand(HSA_BRIG_OPCODE_LDF, 1) = p.instruction_operand(cbr, 1); }},
      {"BRIG-18.7-elements",
       [](Patch& p) { p.instruction_operand(mov, 1) = p.instruction_operand(HSA_BRIG_OPCODE_COMBINE, 1); }},
      {"HSAIL-4.16-constant-range",
       [](Patch& p) {
         const Offset constant = p.instruction_operand(HSA_BRIG_OPCODE_WORKITEMABSID, 1);
         const Offset bytes = p.section_at<hsa_brig_operand_constant_bytes_t>(2, constant).bytes;
         p.section_at<uint32_t>(0, bytes + 4) = 3;
       }},
      {"HSAIL-4.16.2-register-kind",
       [](Patch& p) { p.instruction_operand(add, 0) = p.instruction_operand(HSA_BRIG_OPCODE_COMBINE, 0); }},
      {"HSAIL-4.17-vector-distinct",
       [](Patch& p) {
         const Offset vector = p.instruction_operand(ld, 0, 2);
         const Offset elements = p.section_at<hsa_brig_operand_operand_list_t>(2, vector).elements;
         p.element(elements, 1) = p.element(elements, 0);
       }},
      {"HSAIL-4.16.1-wavesize",  // packed
       [](Patch& p) { p.instruction_operand(add, 1) = p.instruction_operand(HSA_BRIG_OPCODE_CMP, 2); }},
      {"BRIG-18.6.1-type",  // f32 for a packed operand
       [](Patch& p) { p.instruction_operand(add, 2) = p.instruction_operand(HSA_BRIG_OPCODE_MAD, 2); }},
      {"BRIG-18.6.1-type",  // u32 for b1
       [](Patch& p) { p.instruction_operand(mov, 1) = p.instruction_operand(HSA_BRIG_OPCODE_ATOMIC, 2); }},
      {"BRIG-18.6.1-b1",
       [](Patch& p) {
         const Offset bytes =
             p.section_at<hsa_brig_operand_constant_bytes_t>(2, p.instruction_operand(mov, 1)).bytes;
         p.section_at<uint8_t>(0, bytes + 4) = 2;
       }},
      {"HSAIL-4.18-segment",
       [](Patch& p) { address(p, ld, 1, 1).symbol = p.offset_of(p.variable("&scalar"), 1); }},
      {"HSAIL-4.16.2-register-kind",
       [](Patch& p) {
         auto& store = address(p, st, 1, 4);  // [%local][$s2+4]
         store.reg = address(p, st, 1, 5).reg;
       }},
      {"BRIG-18.6.2-offset", [](Patch& p) { address(p, st, 1, 4).offset.hi = 1; }},
      {"BRIG-4.6.2-scope",  // the variable of another arg block
       [](Patch& p) {
         const Offset store = p.instruction_operand(st, 1, 2);
         p.instruction_operand(st, 1, 2) = p.instruction_operand(st, 1, 3);
         ASSERT_NE(store, p.instruction_operand(st, 1, 2));
       }},
      {"BRIG-4.6.2-scope",  // a formal of another function
       [](Patch& p) { p.instruction_operand(ld, 1, 0) = p.instruction_operand(st, 1, 1); }},
      {"BRIG-4.6.2-scope",  // an fbarrier of another kernel
       [](Patch& p) {
         p.instruction_operand(HSA_BRIG_OPCODE_INITFBAR, 0) =
             p.instruction_operand(HSA_BRIG_OPCODE_INITFBAR, 0, 1);
       },
       "module &m:1:2:$full:$large:$default; kernel &k() { fbarrier %f; initfbar %f; };"
       "kernel &l() { fbarrier %g; initfbar %g; };"},
      {"BRIG-18.6.5-label",
       [](Patch& p) {
         p.instruction_operand(HSA_BRIG_OPCODE_BR, 0) = p.instruction_operand(HSA_BRIG_OPCODE_BR, 0, 1);
       },
       "module &m:1:2:$full:$large:$default; kernel &k() { @a: br @a; }; kernel &l() { @b: br @b; };"},
      {"BRIG-10.2-branch",
       [](Patch& p) {
         const Offset ref = p.instruction_operand(cbr, 1);
         p.section_at<hsa_brig_operand_code_ref_t>(2, ref).ref =
             p.code_offset(HSA_BRIG_KIND_DIRECTIVE_LABEL, 1);
       }},
      {"BRIG-10.2-argument", [](Patch& p) { list(p, call, 2) = list(p, scall, 2); }},
      {"BRIG-10.2-count",
       [](Patch& p) { p.instruction_operand(call, 2) = p.instruction_operand(call, 0, 1); }},
      {"BRIG-10.2-compatible", [](Patch& p) { p.variable("%argument").type = HSA_BRIG_TYPE_F32; }},
      {"BRIG-10.2-compatible",  // only a formal without size takes any size
       [](Patch& p) {
         p.variable("%argument").type = HSA_BRIG_TYPE_U32_ARRAY;
         p.variable("%argument").dim.lo = 2;
       }},
      {"BRIG-10.2-once", [](Patch& p) { p.instruction_operand(call, 2) = p.instruction_operand(call, 0); }},
      {"BRIG-10.2-once",  // a variable that is not passed
       [](Patch& p) {
         const Offset ref = p.instruction_operand(call, 1);
         p.section_at<hsa_brig_operand_code_ref_t>(2, ref).ref =
             p.code_offset(HSA_BRIG_KIND_DIRECTIVE_FUNCTION, 0);
         const Offset first = p.element(list(p, call, 2).elements, 0);
         list(p, call, 2).elements = list(p, call, 2, 1).elements;
         p.element(list(p, call, 2).elements, 0) = first;
       },
       "module &m:1:2:$full:$large:$default; function &f()(arg_u32 %x) { }; function &g()(arg_u32 %x, "
       "arg_u32 %y) { };"
       "kernel &k() { { arg_u32 %a; arg_u32 %b; call &g () (%a, %b); } { arg_u32 %c; call &f () (%c); } };"},
      {"BRIG-10.7.2-functions",
       [](Patch& p) {
         p.element(list(p, scall, 3).elements, 1) = p.code_offset(HSA_BRIG_KIND_DIRECTIVE_FUNCTION, 2);
       }},
      // Errors that the instruction set tables find keep their own ids.
      {"HSAIL-13.1.2-image-extension",
       [](Patch& p) {
         auto& extension = p.code<hsa_brig_directive_extension_t>(HSA_BRIG_KIND_DIRECTIVE_EXTENSION);
         extension.name = p.code<hsa_brig_directive_loc_t>(HSA_BRIG_KIND_DIRECTIVE_LOC).filename;
       }},
  };
}

}  // namespace heddle::brig::test
