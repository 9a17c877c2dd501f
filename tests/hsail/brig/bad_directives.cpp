// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "sample.h"

#include <hsa/hsa_brig_directives.h>
#include <hsa/hsa_brig_modifiers.h>
#include <hsa/hsa_brig_opcodes.h>

namespace heddle::brig::test {
namespace {

using Executable = hsa_brig_directive_executable_t;
using Fbarrier = hsa_brig_directive_fbarrier_t;

hsa_brig_directive_module_t& module_of(Patch& p) {
  return p.code<hsa_brig_directive_module_t>(HSA_BRIG_KIND_DIRECTIVE_MODULE);
}
hsa_brig_directive_control_t& control(Patch& p, unsigned n) {
  return p.code<hsa_brig_directive_control_t>(HSA_BRIG_KIND_DIRECTIVE_CONTROL, n);
}
Executable& kernel(Patch& p) { return p.code<Executable>(HSA_BRIG_KIND_DIRECTIVE_KERNEL, 1); }
Executable& declared(Patch& p) { return p.code<Executable>(HSA_BRIG_KIND_DIRECTIVE_FUNCTION, 0); }
Executable& defined(Patch& p) { return p.code<Executable>(HSA_BRIG_KIND_DIRECTIVE_FUNCTION, 1); }

/// Returns the text of an entry's name.
char* name_text(Patch& p, Offset name) { return &p.section_at<char>(0, name + 4); }

}  // namespace

std::vector<BadModule> bad_directives() {
  constexpr unsigned loc = HSA_BRIG_KIND_DIRECTIVE_LOC;
  constexpr unsigned pragma = HSA_BRIG_KIND_DIRECTIVE_PRAGMA;
  constexpr unsigned label = HSA_BRIG_KIND_DIRECTIVE_LABEL;
  constexpr unsigned fbarrier = HSA_BRIG_KIND_DIRECTIVE_FBARRIER;
  constexpr unsigned comment = HSA_BRIG_KIND_DIRECTIVE_COMMENT;
  constexpr unsigned extension = HSA_BRIG_KIND_DIRECTIVE_EXTENSION;
  return {
      {"BRIG-18.5.1.3-string", [](Patch& p) { p.code<hsa_brig_directive_comment_t>(comment).name = 0; }},
      {"BRIG-18.5.1-string", [](Patch& p) { p.code<hsa_brig_directive_label_t>(label).name += 4; }},
      {"BRIG-4.6-name",
       [](Patch& p) { *name_text(p, p.code<hsa_brig_directive_label_t>(label).name) = '%'; }},
      {"BRIG-4.6-name", [](Patch& p) { name_text(p, module_of(p).name)[1] = '0'; }},
      {"BRIG-4.6-name", [](Patch& p) { name_text(p, module_of(p).name)[2] = ' '; }},
      {"HSAIL-4.6.2-name-scope", [](Patch& p) { *name_text(p, p.variable("&scalar").name) = '%'; }},
      {"HSAIL-4.6.2-name-scope", [](Patch& p) { *name_text(p, p.variable("%local").name) = '&'; }},
      {"HSAIL-4.6.2-name-scope", [](Patch& p) { *name_text(p, p.code<Fbarrier>(fbarrier, 0).name) = '%'; }},
      {"HSAIL-4.6.2-name-scope", [](Patch& p) { *name_text(p, p.code<Fbarrier>(fbarrier, 1).name) = '&'; }},
      {"HSAIL-4.6.2-name-scope", [](Patch& p) { p.variable("%a").name = 0; }},  // a formal of a function
      {"BRIG-18.5.1.11-version", [](Patch& p) { module_of(p).hsail_minor = 3; }},
      {"BRIG-18.5.1.11-version", [](Patch& p) { module_of(p).hsail_major = 0; }},
      {"BRIG-18.5.1.11-profile", [](Patch& p) { module_of(p).profile = 2; }},
      {"BRIG-18.5.1.11-machine-model", [](Patch& p) { module_of(p).machine_model = 2; }},
      {"BRIG-18.5.1.11-round",
       [](Patch& p) { module_of(p).default_float_round = HSA_BRIG_ROUND_FLOAT_PLUS_INFINITY; }},
      {"BRIG-18.5.1.5-modifier", [](Patch& p) { kernel(p).modifier = 3; }},
      {"BRIG-18.5.1.5-modifier",
       [](Patch& p) { p.code<Executable>(HSA_BRIG_KIND_DIRECTIVE_SIGNATURE).modifier = 0; }},
      {"BRIG-18.5.1.5-linkage", [](Patch& p) { kernel(p).linkage = HSA_BRIG_LINKAGE_FUNCTION; }},
      {"BRIG-18.5.1.5-linkage",
       [](Patch& p) {
         p.code<Executable>(HSA_BRIG_KIND_DIRECTIVE_SIGNATURE).linkage = HSA_BRIG_LINKAGE_MODULE;
       }},
      {"HSAIL-10.2-outputs",
       [](Patch& p) {
         kernel(p).out_arg_count = 1;
         kernel(p).in_arg_count = 1;
       }},
      {"HSAIL-10.2-outputs",
       [](Patch& p) {
         defined(p).out_arg_count = 2;
         defined(p).in_arg_count = 0;
       }},
      {"BRIG-18.5.1.5-formals", [](Patch& p) { declared(p).in_arg_count = 2; }},
      {"BRIG-18.5.1.5-formals", [](Patch& p) { kernel(p).in_arg_count = 0xffff; }},
      {"BRIG-18.5.1.5-first-in-arg", [](Patch& p) { kernel(p).first_in_arg += 4; }},
      {"BRIG-18.5.1.5-first-code-block-entry", [](Patch& p) { kernel(p).first_code_block_entry += 12; }},
      {"BRIG-18.5.1.5-first-code-block-entry",  // a declaration with a code block
       [](Patch& p) { declared(p).next_module_entry = defined(p).next_module_entry; }},
      {"BRIG-18.5.1.5-next-module-entry", [](Patch& p) { kernel(p).next_module_entry -= 2; }},
      {"BRIG-18.5.1.5-next-module-entry", [](Patch& p) { kernel(p).next_module_entry = 0; }},
      {"BRIG-18.5.1.5-next-module-entry", [](Patch& p) { kernel(p).next_module_entry += 64; }},
      {"HSAIL-10.2-formal", [](Patch& p) { p.variable("%out").segment = HSA_BRIG_SEGMENT_ARG; }},
      {"BRIG-18.5.1.14-string", [](Patch& p) { p.variable("&scalar").name += 4; }},
      {"HSAIL-4.13-b1-variable", [](Patch& p) { p.variable("&scalar").type = HSA_BRIG_TYPE_B1; }},
      {"BRIG-18.5.1.14-type", [](Patch& p) { p.variable("&scalar").type = 31; }},
      {"BRIG-18.5.1.14-segment", [](Patch& p) { p.variable("&external").segment = HSA_BRIG_SEGMENT_FLAT; }},
      {"BRIG-18.5.1.14-segment", [](Patch& p) { p.variable("&external").segment = 9; }},
      {"HSAIL-4.3.10-align", [](Patch& p) { p.variable("&scalar").align = HSA_BRIG_ALIGNMENT_2; }},
      {"HSAIL-4.3.10-align", [](Patch& p) { p.variable("&scalar").align = 255; }},
      {"BRIG-18.5.1.14-modifier", [](Patch& p) { p.variable("&scalar").modifier |= 4; }},
      {"HSAIL-4.3.10-const",
       [](Patch& p) { p.variable("&shared").modifier |= HSA_BRIG_VARIABLE_MODIFIER_CONST; }},
      {"BRIG-18.5.1.14-linkage", [](Patch& p) { p.variable("&scalar").linkage = 5; }},
      {"BRIG-18.5.1.14-linkage", [](Patch& p) { p.variable("&scalar").linkage = HSA_BRIG_LINKAGE_FUNCTION; }},
      {"BRIG-18.5.1.14-linkage", [](Patch& p) { p.variable("%local").linkage = HSA_BRIG_LINKAGE_MODULE; }},
      {"BRIG-18.5.1.14-linkage", [](Patch& p) { p.variable("%out").linkage = HSA_BRIG_LINKAGE_PROGRAM; }},
      {"BRIG-18.5.1.14-allocation",
       [](Patch& p) { p.variable("&scalar").allocation = HSA_BRIG_ALLOCATION_AUTOMATIC; }},
      {"BRIG-18.5.1.14-allocation",
       [](Patch& p) { p.variable("&image").allocation = HSA_BRIG_ALLOCATION_PROGRAM; }},
      {"BRIG-18.5.1.14-dim", [](Patch& p) { p.variable("&scalar").dim.lo = 1; }},
      {"HSAIL-4.3.8-array-size", [](Patch& p) { p.variable("&shared").dim.lo = 0; }},
      {"HSAIL-4.3.8-array-size", [](Patch& p) { p.variable("%local").dim.lo = 0; }},
      {"BRIG-18.5.1.14-size", [](Patch& p) { p.variable("&shared").dim.hi = 1; }},
      {"BRIG-18.5.1.14-size", [](Patch& p) { p.variable("&floats").dim.hi = 0x80000000; }},
      {"BRIG-18.5.1.14-init", [](Patch& p) { p.variable("&scalar").init = 4; }},
      {"BRIG-18.5.1.14-init", [](Patch& p) { p.variable("&scalar").init = p.operand_offset(0x300a); }},
      {"HSAIL-4.10-initializer-segment",
       [](Patch& p) { p.variable("&shared").init = p.variable("&scalar").init; }},
      {"HSAIL-4.10-initializer-declaration",
       [](Patch& p) { p.variable("&external").init = p.variable("&scalar").init; }},
      {"HSAIL-4.10-initializer-size", [](Patch& p) { p.variable("&floats").dim.lo = 3; }},
      {"HSAIL-4.10-initializer-size", [](Patch& p) { p.variable("&bits").dim.lo = 5; }},
      {"BRIG-18.6.1-type", [](Patch& p) { p.variable("&scalar").type = HSA_BRIG_TYPE_F32; }},
      {"BRIG-18.6.1-type", [](Patch& p) { p.variable("&sampler").init = p.variable("&image").init; }},
      {"HSAIL-4.3.10-const-initializer", [](Patch& p) { p.variable("&scalar").init = 0; }},
      {"HSAIL-4.8.1-addr-of-agent",
       [](Patch& p) { p.variable("&addresses").allocation = HSA_BRIG_ALLOCATION_PROGRAM; }},
      {"HSAIL-4.8.1-addr-of-agent",
       [](Patch& p) { p.variable("&scalar").allocation = HSA_BRIG_ALLOCATION_AGENT; }},
      {"HSAIL-4.8.1-addr-of-agent",
       [](Patch& p) {
         auto& scalar = p.variable("&scalar");
         scalar.allocation = HSA_BRIG_ALLOCATION_AGENT;
         scalar.name = 0x0d000058;  // nowhere near hsa_data
       }},
      {"BRIG-18.5.1.8-modifier", [](Patch& p) { p.code<Fbarrier>(fbarrier).modifier = 2; }},
      {"BRIG-18.5.1.8-linkage",
       [](Patch& p) { p.code<Fbarrier>(fbarrier, 0).linkage = HSA_BRIG_LINKAGE_FUNCTION; }},
      {"BRIG-18.5.1.8-linkage",
       [](Patch& p) { p.code<Fbarrier>(fbarrier, 1).linkage = HSA_BRIG_LINKAGE_MODULE; }},
      {"BRIG-18.5.1.10-string", [](Patch& p) { p.code<hsa_brig_directive_loc_t>(loc).filename = 0; }},
      {"HSAIL-13.2-loc", [](Patch& p) { p.code<hsa_brig_directive_loc_t>(loc).line = 0; }},
      {"BRIG-18.5.1.12-zero",
       [](Patch& p) { (&p.code<hsa_brig_directive_none_t>(HSA_BRIG_KIND_NONE))[1].base.kind = 1; }},
      {"BRIG-18.5.1.4-control", [](Patch& p) { control(p, 0).control = 12; }},
      {"BRIG-18.5.1.4-control", [](Patch& p) { control(p, 0).control = 0; }},
      {"BRIG-18.5.1.4-list", [](Patch& p) { control(p, 0).operands += 4; }},
      {"BRIG-18.5.1.4-operand",
       [](Patch& p) { control(p, 0).operands = control(p, 2).operands; }},  // WAVESIZE
      {"BRIG-13.5-count", [](Patch& p) { control(p, 0).operands = control(p, 1).operands; }},
      {"BRIG-13.5-value", [](Patch& p) { control(p, 0).control = HSA_BRIG_CONTROL_DIRECTIVE_REQUIREDDIM; }},
      {"BRIG-18.5.1.13-list", [](Patch& p) { p.code<hsa_brig_directive_pragma_t>(pragma).operands = 4; }},
      {"BRIG-18.5.1.13-operand",
       [](Patch& p) {
         p.element(p.code<hsa_brig_directive_pragma_t>(pragma).operands, 1) =
             p.operand_offset(HSA_BRIG_KIND_OPERAND_ADDRESS);
       }},
      {"HSAIL-13.4-name",
       [](Patch& p) {
         const Offset list = p.code<hsa_brig_directive_pragma_t>(pragma).operands;
         p.element(list, 0) = p.element(list, 1);
       }},
      {"BRIG-13.4-scope",  // a label, at module scope
       [](Patch& p) {
         const Offset list = p.code<hsa_brig_directive_pragma_t>(pragma).operands;
         p.element(list, 1) = p.instruction_operand(HSA_BRIG_OPCODE_CBR, 1);
       }},
      {"HSAIL-13.4-register",
       [](Patch& p) {
         p.element(p.code<hsa_brig_directive_pragma_t>(pragma).operands, 1) =
             p.operand_offset(HSA_BRIG_KIND_OPERAND_REGISTER);
       }},
      {"BRIG-18.5.1.6-string", [](Patch& p) { p.code<hsa_brig_directive_extension_t>(extension).name = 0; },
       "module &m:1:2:$full:$large:$default; extension \"x\";"},
      {"HSAIL-13.1.1-version",
       [](Patch& p) {
         auto& versioned =
             p.code<hsa_brig_directive_extension_version_t>(HSA_BRIG_KIND_DIRECTIVE_EXTENSION_VERSION);
         p.data_size(versioned.name) = 4;
         std::memset(&p.section_at<char>(0, versioned.name + 4), 0, 12);
         std::memcpy(&p.section_at<char>(0, versioned.name + 4), "CORE", 4);
         // The 8 bytes that are left become an entry of their own.
         p.data_size(versioned.name + 8) = 4;
       }},
  };
}

}  // namespace heddle::brig::test
