// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Rules of the language beyond single entries: types that a module must not name, formal arguments,
// registers, scopes. The assembler gets these diagnostics from the module reader.
#include <hsa/hsa_brig_images.h>
#include <hsa/hsa_brig_opcodes.h>

#include "sample.h"

namespace heddle::brig::test {
namespace {

using Register = hsa_brig_operand_register_t;
using Address = hsa_brig_operand_address_t;
using Pragma = hsa_brig_directive_pragma_t;
using CodeRef = hsa_brig_operand_code_ref_t;
using Variable = hsa_brig_directive_variable_t;

constexpr unsigned reg = HSA_BRIG_KIND_OPERAND_REGISTER;
constexpr unsigned address = HSA_BRIG_KIND_OPERAND_ADDRESS;
constexpr unsigned pragma = HSA_BRIG_KIND_DIRECTIVE_PRAGMA;
constexpr unsigned code_ref = HSA_BRIG_KIND_OPERAND_CODE_REF;

hsa_brig_directive_module_t& module_of(Patch& p) {
  return p.code<hsa_brig_directive_module_t>(HSA_BRIG_KIND_DIRECTIVE_MODULE);
}
void make_base(Patch& p) { module_of(p).profile = HSA_BRIG_PROFILE_BASE; }
void make_small(Patch& p) { module_of(p).machine_model = HSA_BRIG_MACHINE_MODEL_SMALL; }
/// Renames the first extension, so that the module no longer has it.
void rename_extension(Patch& p) {
  const auto& extension = p.code<hsa_brig_directive_extension_t>(HSA_BRIG_KIND_DIRECTIVE_EXTENSION);
  p.section_at<char>(0, extension.name + 4) = 'x';
}

std::vector<BadModule> bad_types() {
  return {
      {"HSAIL-13.1.2-image-extension", rename_extension,
       "module &m:1:2:$full:$large:$default; extension \"IMAGE\"; readonly_roimg &x;"},
      {"HSAIL-13.1.2-image-extension", rename_extension,
       "module &m:1:2:$full:$large:$default; extension \"IMAGE\"; signature &s()(arg_samp);"},
      {"HSAIL-13.1.2-image-extension", rename_extension,
       "module &m:1:2:$full:$large:$default; extension \"IMAGE\";"
       "pragma \"p\", samp(coord = normalized, filter = linear, addressing = repeat);"},
      {"HSAIL-13.1.2-image-extension", rename_extension,
       "module &m:1:2:$full:$large:$default; extension \"IMAGE\"; kernel &k() { mov_roimg $d0, $d1; };"},
      {"HSAIL-16.2.1-f64", make_base, "module &m:1:2:$full:$large:$default; global_f64 &x[4];"},
      {"HSAIL-16.2.1-f64", make_base, "module &m:1:2:$full:$large:$default; signature &s()(arg_f64x2);"},
      {"HSAIL-16.2.1-f64", make_base, "module &m:1:2:$full:$large:$default; global_b64 &x = 1.0;"},
      {"HSAIL-16.2.1-f64", make_base, "module &m:1:2:$full:$large:$default; pragma \"p\", f64[](1.0);"},
      {"HSAIL-2.9-signal-size", make_small, "module &m:1:2:$full:$large:$default; global_sig64 &x;"},
      {"HSAIL-2.9-signal-size", make_small, "module &m:1:2:$full:$large:$default; pragma \"p\", sig64(0);"},
      {"HSAIL-7.1.7-segment", [](Patch& p) { p.variable("&x").type = HSA_BRIG_TYPE_RWIMG; },
       "module &m:1:2:$full:$large:$default; extension \"IMAGE\"; group_b64 &x;"},
      {"HSAIL-7.1.7-segment", [](Patch& p) { p.variable("%x").type = HSA_BRIG_TYPE_SAMP_ARRAY; },
       "module &m:1:2:$full:$large:$default; extension \"IMAGE\"; kernel &k() { spill_b64 %x[2]; };"},
      {"HSAIL-7.1.7-allocation", [](Patch& p) { p.variable("&x").allocation = HSA_BRIG_ALLOCATION_PROGRAM; },
       "module &m:1:2:$full:$large:$default; extension \"IMAGE\"; alloc(agent) global_b64 &x[] = "
       "{samp(coord = normalized, filter = linear, addressing = repeat)};"},
      {"HSAIL-4.8.1-null-of-agent",
       [](Patch& p) { p.variable("&x").allocation = HSA_BRIG_ALLOCATION_PROGRAM; },
       "module &m:1:2:$full:$large:$default; alloc(agent) global_u32 &x = nullptr_group;"},
      {"HSAIL-7.1.3-channel-order",
       [](Patch& p) {
         p.operand<hsa_ext_brig_operand_constant_image_t>(HSA_BRIG_KIND_OPERAND_CONSTANT_IMAGE)
             .channel_order = HSA_EXT_BRIG_IMAGE_CHANNEL_ORDER_DEPTH;
       }},
      {"HSAIL-7.1.3-channel-order",
       [](Patch& p) {
         p.operand<hsa_ext_brig_operand_constant_image_t>(HSA_BRIG_KIND_OPERAND_CONSTANT_IMAGE).geometry =
             HSA_EXT_BRIG_IMAGE_GEOMETRY_2DDEPTH;
       }},
      {"HSAIL-13.1.1-alone",
       [](Patch& p) {
         const auto& extension = p.code<hsa_brig_directive_extension_t>(HSA_BRIG_KIND_DIRECTIVE_EXTENSION);
         p.section_at<char>(0, extension.name + 4 + 3) = 'E';
       },
       "module &m:1:2:$full:$large:$default; extension \"CORX\"; extension \"other\";"},
      {"HSAIL-13.1-extension-version",
       [](Patch& p) {
         p.code<hsa_brig_directive_extension_version_t>(HSA_BRIG_KIND_DIRECTIVE_EXTENSION_VERSION, 1)
             .extension_minor = 2;
       },
       "module &m:1:2:$full:$large:$default; extension \"a\":1:1; extension \"a\":1:1;"},
      {"HSAIL-4.8.4-aggregate",
       [](Patch& p) {
         const auto& list =
             p.operand<hsa_brig_operand_constant_operand_list_t>(HSA_BRIG_KIND_OPERAND_CONSTANT_OPERAND_LIST);
         p.element(list.elements, 1) = p.element(list.elements, 0);
       },
       "module &m:1:2:$full:$large:$default; pragma \"p\", {align(4), u8(1)};"},
      {"BRIG-13.4-empty", [](Patch& p) { p.code<Pragma>(pragma).operands = 0; },
       "module &m:1:0:$full:$large:$default; pragma 1;"},
  };
}

std::vector<BadModule> bad_code() {
  constexpr std::string_view opaque =
      "module &m:1:2:$full:$large:$default; global_u64 &x; kernel &k() { ld_global_u64 $d0, [&x]; };";
  return {
      {"HSAIL-10.2-formal-access",  // a store to the input
       [](Patch& p) {
         p.instruction_operand(HSA_BRIG_OPCODE_ST, 1) = p.instruction_operand(HSA_BRIG_OPCODE_LD, 1);
       }},
      {"HSAIL-10.2-formal-access",  // a load of the output
       [](Patch& p) {
         p.instruction_operand(HSA_BRIG_OPCODE_LD, 1) = p.instruction_operand(HSA_BRIG_OPCODE_ST, 1);
       }},
      {"HSAIL-6.3.3-opaque-type", [](Patch& p) { p.variable("&x").type = HSA_BRIG_TYPE_SIG64; }, opaque},
      {"HSAIL-6.3.3-opaque-type",
       [](Patch& p) { p.instruction(HSA_BRIG_OPCODE_LD).type = HSA_BRIG_TYPE_SIG64; }, opaque},
      // The registers of each kind are within the limit of that kind, but all kinds together are too many.
      {"HSAIL-4.7-register-count", [](Patch& p) { p.operand<Register>(reg, 0).reg_num = 2046; },
       "module &m:1:2:$full:$large:$default; kernel &k() { mov_b32 $s0, 1; mov_b64 $d0, 1; };"},
      {"HSAIL-4.7-register-count", [](Patch& p) { p.operand<Register>(reg, 0).reg_num = 2045; },
       "module &m:1:2:$full:$large:$default; kernel &k() { ld_global_u32 $s0, [$d1]; };"},
      {"HSAIL-4.7-register-count", [](Patch& p) { p.operand<Register>(reg, 0).reg_num = 511; },
       "module &m:1:2:$full:$large:$default; kernel &k() { pragma \"p\", $q0; mov_b32 $s0, 1; };"},
      {"HSAIL-4.7-register-count", [](Patch& p) { p.operand<Register>(reg, 0).reg_num = 128; },
       "module &m:1:2:$full:$large:$default; kernel &k() { mov_b1 $c0, 1; };"},
      {"HSAIL-4.12.2-undefined", [](Patch& p) { p.variable("&x").linkage = HSA_BRIG_LINKAGE_MODULE; },
       "module &m:1:2:$full:$large:$default; decl prog global_u32 &x;"},
      {"HSAIL-4.12.2-undefined",
       [](Patch& p) {
         p.code<hsa_brig_directive_fbarrier_t>(HSA_BRIG_KIND_DIRECTIVE_FBARRIER).linkage =
             HSA_BRIG_LINKAGE_MODULE;
       },
       "module &m:1:2:$full:$large:$default; decl prog fbarrier &x;"},
      {"HSAIL-4.12.2-undefined",
       [](Patch& p) {
         p.code<hsa_brig_directive_executable_t>(HSA_BRIG_KIND_DIRECTIVE_FUNCTION).linkage =
             HSA_BRIG_LINKAGE_MODULE;
       },
       "module &m:1:2:$full:$large:$default; decl prog function &x()();"},
  };
}

std::vector<BadModule> bad_scopes() {
  return {
      // The use of &early becomes a use of &late, which is declared after it.
      {"BRIG-4.6.2-declared",
       [](Patch& p) { p.operand<Address>(address).symbol = p.offset_of(p.variable("&late"), 1); },
       "module &m:1:2:$full:$large:$default; global_u32 &early;"
       "kernel &k() { ld_global_u32 $s0, [&early]; }; global_u32 &late;"},
      {"BRIG-4.6.2-declared",
       [](Patch& p) { p.operand<CodeRef>(code_ref).ref = p.offset_of(p.variable("&late"), 1); },
       "module &m:1:2:$full:$large:$default; global_u32 &early;"
       "kernel &k() { mov_b64 $d0, addr(&early); }; global_u32 &late;"},
      {"BRIG-4.6.2-declared",  // in a packed constant
       [](Patch& p) { p.operand<CodeRef>(code_ref).ref = p.offset_of(p.variable("&late"), 1); },
       "module &m:1:2:$full:$large:$default; global_u32 &early;"
       "kernel &k() { mov_b128 $q0, u64x2(addr(&early), 1); }; global_u32 &late;"},
      {"BRIG-4.6.2-declared",
       [](Patch& p) {
         p.operand<CodeRef>(code_ref).ref = p.code_offset(HSA_BRIG_KIND_DIRECTIVE_FUNCTION, 1);
       },
       "module &m:1:2:$full:$large:$default; function &early()() { };"
       "kernel &k() { { call &early () (); } }; function &late()() { };"},
      {"BRIG-4.6.2-declared",
       [](Patch& p) {
         auto& list = p.operand<hsa_brig_operand_code_list_t>(HSA_BRIG_KIND_OPERAND_CODE_LIST, 1);
         p.element(list.elements, 0) = p.code_offset(HSA_BRIG_KIND_DIRECTIVE_FUNCTION, 1);
       },
       "module &m:1:2:$full:$large:$default; function &early()() { };"
       "kernel &k() { { scall_u32 $s0 () () [&early]; } }; function &late()() { };"},
      {"BRIG-4.6.2-declared",
       [](Patch& p) {
         p.operand<CodeRef>(code_ref).ref = p.code_offset(HSA_BRIG_KIND_DIRECTIVE_SIGNATURE, 1);
       },
       "module &m:1:2:$full:$large:$default; signature &early()();"
       "kernel &k() { { icall_u64 $d0 () () &early; } }; signature &late()();"},
      {"BRIG-4.6.2-declared",
       [](Patch& p) {
         p.operand<CodeRef>(code_ref).ref = p.code_offset(HSA_BRIG_KIND_DIRECTIVE_FBARRIER, 1);
       },
       "module &m:1:2:$full:$large:$default; fbarrier &early; kernel &k() { initfbar &early; }; fbarrier "
       "&late;"},
      // Initial values and other references.
      {"BRIG-4.6.2-scope",  // the declaration that makes the variable known is renamed
       [](Patch& p) {
         const auto& name = p.operand<hsa_brig_operand_string_t>(HSA_BRIG_KIND_OPERAND_STRING);
         p.variable("&late").name = name.string;
       },
       "module &m:1:2:$full:$large:$default; pragma \"&other\"; decl prog global_u32 &late;"
       "global_u64 &x = addr(&late); prog global_u32 &late;"},
      {"BRIG-4.6.2-scope",  // a variable of a code block
       [](Patch& p) { p.operand<CodeRef>(code_ref).ref = p.offset_of(p.variable("%in"), 1); },
       "module &m:1:2:$full:$large:$default; global_u32 &out; kernel &k() { global_u32 %in; };"
       "global_u64 &x[] = u64[](addr(&out));"},
      {"BRIG-4.6.2-scope",  // of another code block, in an instruction
       [](Patch& p) { p.operand<CodeRef>(code_ref).ref = p.offset_of(p.variable("%in"), 1); },
       "module &m:1:2:$full:$large:$default; kernel &k() { global_u32 %in; };"
       "kernel &l() { global_u32 %here; mov_b64 $d0, addr(%here); };"},
      // A variable of the arg block gets the name of a variable around the block.
      {"BRIG-4.6.2-hidden", [](Patch& p) { p.variable("%b").name = p.variable("%a").name; },
       "module &m:1:2:$full:$large:$default; function &f()(arg_u32 %x) { };"
       "kernel &k() { private_u32 %a; { arg_u32 %b; st_private_u32 1, [%a]; call &f () (%b); } };"},
      {"BRIG-4.6.2-hidden", [](Patch& p) { p.variable("%b").name = p.variable("%a").name; },
       "module &m:1:2:$full:$large:$default; function &f()(arg_u32 %x) { };"
       "kernel &k() { global_u32 %a; { arg_u32 %b; mov_b64 $d0, addr(%a); call &f () (%b); } };"},
      {"BRIG-13.4-scope", [](Patch& p) { p.variable("%b").name = p.variable("%a").name; },
       "module &m:1:2:$full:$large:$default; function &f()(arg_u32 %x) { };"
       "kernel &k() { private_u32 %a; { arg_u32 %b; pragma \"p\", %a; call &f () (%b); } };"},
      {"BRIG-13.4-scope", [](Patch& p) { p.variable("%b").name = p.variable("%a").name; },
       "module &m:1:2:$full:$large:$default; function &f()(arg_u32 %x) { };"
       "kernel &k() { global_u32 %a; { arg_u32 %b; pragma \"p\", {u64(addr(%a))}; call &f () (%b); } };"},
      {"BRIG-13.4-scope",  // before the module directive
       [](Patch& p) { p.code<Pragma>(pragma, 0).operands = p.code<Pragma>(pragma, 1).operands; },
       "pragma \"p\"; module &m:1:2:$full:$large:$default; pragma \"p\", &m;"},
      {"BRIG-13.4-scope",
       [](Patch& p) { p.code<Pragma>(pragma, 0).operands = p.code<Pragma>(pragma, 1).operands; },
       "module &m:1:2:$full:$large:$default; pragma \"p\"; global_u32 &x; pragma \"p\", addr(&x);"},
  };
}

}  // namespace

std::vector<BadModule> bad_rules() {
  std::vector<BadModule> all = bad_types();
  for (auto* some : {bad_code, bad_scopes}) {
    auto more = some();
    all.insert(all.end(), more.begin(), more.end());
  }
  return all;
}

}  // namespace heddle::brig::test
