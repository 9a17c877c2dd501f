// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <array>

#include <hsa/hsa_brig_directives.h>
#include <hsa/hsa_brig_opcodes.h>

#include "sample.h"

namespace heddle::brig::test {
namespace {

using Executable = hsa_brig_directive_executable_t;

constexpr unsigned arg_start = HSA_BRIG_KIND_DIRECTIVE_ARG_BLOCK_START;
constexpr unsigned arg_end = HSA_BRIG_KIND_DIRECTIVE_ARG_BLOCK_END;

/// Turns the entry into padding, whose other bytes are 0.
void erase(hsa_brig_base_t& entry) {
  entry.kind = HSA_BRIG_KIND_NONE;
  std::memset(&entry + 1, 0, entry.byte_count - sizeof entry);
}

hsa_brig_operand_address_t& address(Patch& p, unsigned opcode, unsigned index, unsigned n = 0) {
  return p.section_at<hsa_brig_operand_address_t>(2, p.instruction_operand(opcode, index, n));
}

}  // namespace

std::vector<BadModule> bad_structures() {
  return {
      {"BRIG-18.5.1.11-missing",
       [](Patch& p) { erase(p.code<hsa_brig_base_t>(HSA_BRIG_KIND_DIRECTIVE_MODULE)); },
       "module &empty:1:2:$full:$large:$default;"},
      {"BRIG-18.5.1.11-first",
       [](Patch& p) { erase(p.code<hsa_brig_base_t>(HSA_BRIG_KIND_DIRECTIVE_MODULE)); },
       "module &late:1:2:$full:$large:$default; global_u32 &v;"},
      {"BRIG-18.5.1.11-twice",
       [](Patch& p) {  // over a variable, which is longer
         auto& variable = p.variable("&external");
         auto& module = p.code<hsa_brig_directive_module_t>(HSA_BRIG_KIND_DIRECTIVE_MODULE);
         const uint16_t size = variable.base.byte_count;
         std::memcpy(&variable, &module, sizeof module);
         variable.base.byte_count = size;
       }},
      {"HSAIL-13.1-extension-place",
       [](Patch& p) {
         auto& variable = p.variable("&later");
         const hsa_brig_directive_extension_t extension{
             {variable.base.byte_count, HSA_BRIG_KIND_DIRECTIVE_EXTENSION},
             p.code<hsa_brig_directive_extension_t>(HSA_BRIG_KIND_DIRECTIVE_EXTENSION).name};
         std::memcpy(&variable, &extension, sizeof extension);
       }},
      {"BRIG-18.5-module-scope",
       [](Patch& p) {
         auto& variable = p.variable("&external");
         const hsa_brig_directive_label_t label{
             {variable.base.byte_count, HSA_BRIG_KIND_DIRECTIVE_LABEL},
             p.code<hsa_brig_directive_label_t>(HSA_BRIG_KIND_DIRECTIVE_LABEL).name};
         std::memcpy(&variable, &label, sizeof label);
       }},
      {"BRIG-18.5-code-block",  // a kernel inside of a kernel
       [](Patch& p) {
         p.code<Executable>(HSA_BRIG_KIND_DIRECTIVE_INDIRECT_FUNCTION).next_module_entry =
             p.code<Executable>(HSA_BRIG_KIND_DIRECTIVE_KERNEL, 1).next_module_entry;
       }},
      {"BRIG-4.6.2-segment", [](Patch& p) { p.variable("&shared").segment = HSA_BRIG_SEGMENT_SPILL; }},
      {"BRIG-4.6.2-segment", [](Patch& p) { p.variable("%local").segment = HSA_BRIG_SEGMENT_KERNARG; }},
      {"BRIG-10.4-variadic",
       [](Patch& p) {
         auto& n = p.variable("%n");
         n.dim.lo = 0;
       },
       "module &m:1:2:$full:$large:$default; kernel &k(kernarg_u32 %n[2]) { };"},
      {"BRIG-4.3.6-nested", [](Patch& p) { p.code<hsa_brig_base_t>(arg_end).kind = arg_start; }},
      {"BRIG-4.3.6-end", [](Patch& p) { p.code<hsa_brig_base_t>(arg_start).kind = HSA_BRIG_KIND_NONE; }},
      {"BRIG-4.3.6-open", [](Patch& p) { p.code<hsa_brig_base_t>(arg_end, 2).kind = HSA_BRIG_KIND_NONE; }},
      {"BRIG-4.3.6-fbarrier",
       [](Patch& p) {
         auto& variable = p.variable("%argument");
         hsa_brig_directive_fbarrier_t fbarrier =
             p.code<hsa_brig_directive_fbarrier_t>(HSA_BRIG_KIND_DIRECTIVE_FBARRIER, 1);
         fbarrier.base.byte_count = variable.base.byte_count;
         std::memcpy(&variable, &fbarrier, sizeof fbarrier);
         address(p, HSA_BRIG_OPCODE_ST, 1, 2).symbol = p.offset_of(p.variable("%result"), 1);
         for (unsigned call : {0u, 1u}) {
           const unsigned opcode = call == 0 ? HSA_BRIG_OPCODE_CALL : HSA_BRIG_OPCODE_SCALL;
           const Offset inputs = p.instruction_operand(opcode, 2);
           p.element(p.section_at<hsa_brig_operand_code_list_t>(2, inputs).elements, 0) =
               p.offset_of(p.variable("%result"), 1);
         }
       }},
      {"HSAIL-4.3.5-order",  // a control directive after a definition
       [](Patch& p) {
         std::swap(p.code<std::array<uint32_t, 3>>(HSA_BRIG_KIND_DIRECTIVE_FBARRIER),
                   p.code<std::array<uint32_t, 3>>(HSA_BRIG_KIND_DIRECTIVE_CONTROL));
       },
       "module &m:1:2:$full:$large:$default; kernel &k() { requirenopartialworkgroups; fbarrier %f; };"},
      {"HSAIL-10.2-arg-block",  // no arg block
       [](Patch& p) { erase(p.instruction(HSA_BRIG_OPCODE_CALL).base); }},
      {"HSAIL-10.2-arg-block",  // two: the arg blocks around the first and the second call become one
       [](Patch& p) {
         p.code<hsa_brig_base_t>(arg_end).kind = HSA_BRIG_KIND_NONE;
         p.code<hsa_brig_base_t>(arg_start, 1).kind = HSA_BRIG_KIND_NONE;
       }},
      {"HSAIL-10.2-call",
       [](Patch& p) {
         p.code<hsa_brig_base_t>(arg_start, 2).kind = HSA_BRIG_KIND_NONE;
         p.code<hsa_brig_base_t>(arg_end, 2).kind = HSA_BRIG_KIND_NONE;
       }},
      {"HSAIL-10.2-arg-block",
       [](Patch& p) {
         auto& store = p.instruction(HSA_BRIG_OPCODE_ST, 2);
         const uint16_t size = store.base.byte_count;
         std::memset(&store, 0, size);
         std::memcpy(&store, &p.instruction(HSA_BRIG_OPCODE_RET), sizeof(hsa_brig_inst_basic_t));
         store.base.byte_count = size;
       }},
      {"HSAIL-4.6.2-redefinition", [](Patch& p) { p.variable("&floats").name = p.variable("&scalar").name; }},
      {"HSAIL-4.6.2-redefinition",
       [](Patch& p) { p.variable("&external").name = p.code<Executable>(0x1008).name; }},
      {"HSAIL-4.6.2-redefinition",
       [](Patch& p) {
         auto& first = p.code<hsa_brig_directive_label_t>(HSA_BRIG_KIND_DIRECTIVE_LABEL, 0);
         p.code<hsa_brig_directive_label_t>(HSA_BRIG_KIND_DIRECTIVE_LABEL, 1).name = first.name;
       }},
      {"HSAIL-4.6.2-redefinition", [](Patch& p) { p.variable("%local").name = p.variable("%out").name; }},
      {"BRIG-4.6.2-compatible", [](Patch& p) { p.variable("&later").type = HSA_BRIG_TYPE_S32; }},
      {"BRIG-4.6.2-compatible",
       [](Patch& p) {
         p.code<Executable>(HSA_BRIG_KIND_DIRECTIVE_FUNCTION, 0).linkage = HSA_BRIG_LINKAGE_PROGRAM;
       }},
      {"BRIG-18.5.1.1-reference",
       [](Patch& p) {
         const Offset ref = p.instruction_operand(HSA_BRIG_OPCODE_CALL, 1);
         p.section_at<hsa_brig_operand_code_ref_t>(2, ref).ref =
             p.code_offset(HSA_BRIG_KIND_DIRECTIVE_FUNCTION, 0);
       }},
  };
}

}  // namespace heddle::brig::test
