// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Rules that the grammar does not show and that need names, types or the module header to be told.
#include <algorithm>

#include <fmt/format.h>

#include <hsa/hsa_brig_images.h>
#include <hsa/hsa_brig_opcodes.h>

#include "hsail/assemble/parser.h"
#include "hsail/isa/names.h"

namespace heddle::assemble {

bool Parser::check_type(const Token& at, isa::Type type) {
  isa::Type element = isa::array_element(type);
  if ((isa::is_image(element) || isa::is_sampler(element)) && !environment_.image_extension)
    return fail("HSAIL-13.1.2-image-extension", at,
                fmt::format("the type {} needs the extension \"IMAGE\"", isa::type_name(element)));
  bool is_double = element == HSA_BRIG_TYPE_F64 || element == HSA_BRIG_TYPE_F64X2;
  if (is_double && environment_.profile == HSA_BRIG_PROFILE_BASE)
    return fail("HSAIL-16.2.1-f64", at, "the base profile has no 64-bit floating-point types");
  isa::Type wrong_signal =
      environment_.machine_model == HSA_BRIG_MACHINE_MODEL_LARGE ? HSA_BRIG_TYPE_SIG32 : HSA_BRIG_TYPE_SIG64;
  if (element == wrong_signal)
    return fail("HSAIL-2.9-signal-size", at,
                fmt::format("the {} machine model has no {}",
                            isa::name(isa::Names::machine_model, environment_.machine_model),
                            isa::type_name(element)));
  return true;
}

/// Images and samplers live in memory that their agent prepares, or are passed as arguments
/// (PRM 7.1.7, 7.1.8).
bool Parser::check_variable_segment(const Token& at, const VariableHead& head) {
  if (!isa::is_image(head.type) && !isa::is_sampler(head.type)) return true;
  switch (head.segment) {
    case HSA_BRIG_SEGMENT_GLOBAL:
    case HSA_BRIG_SEGMENT_READONLY:
    case HSA_BRIG_SEGMENT_ARG:
    case HSA_BRIG_SEGMENT_KERNARG:
      return true;
    default:
      return fail("HSAIL-7.1.7-segment", at,
                  fmt::format("a {} cannot lie in the {} segment", isa::type_name(head.type),
                              isa::name(isa::Names::segment, head.segment)));
  }
}

/// Handles differ from agent to agent, so each needs its own copy of the variable (PRM 7.1.7, 7.1.8).
bool Parser::check_handle_initializer(const Token& at, const VariableHead& head, const Constant& value) {
  if (!value.has_image_or_sampler || head.segment == HSA_BRIG_SEGMENT_READONLY || head.agent) return true;
  return fail("HSAIL-7.1.7-allocation", at,
              "a global variable that is initialized with images or samplers needs alloc(agent)");
}

/// Depth geometries hold depth, the others colours (PRM Table 7-1).
bool Parser::check_image_order(const Token& at, unsigned geometry, unsigned order) {
  bool deep_geometry =
      geometry == HSA_EXT_BRIG_IMAGE_GEOMETRY_2DDEPTH || geometry == HSA_EXT_BRIG_IMAGE_GEOMETRY_2DADEPTH;
  bool deep_order = order == HSA_EXT_BRIG_IMAGE_CHANNEL_ORDER_DEPTH ||
                    order == HSA_EXT_BRIG_IMAGE_CHANNEL_ORDER_DEPTH_STENCIL;
  if (deep_geometry == deep_order) return true;
  return fail("HSAIL-7.1.3-channel-order", at,
              fmt::format("an image of geometry {} cannot have the channel order {}",
                          isa::name(isa::Names::image_geometry, geometry),
                          isa::name(isa::Names::channel_order, order)));
}

/// An extension that is named again has the same version; "CORE" stands alone (PRM 13.1, 13.1.1).
bool Parser::check_extension(const Token& at, std::string_view name, uint64_t major, uint64_t minor) {
  for (const Extension& other : extensions_) {
    if ((other.name == "CORE") != (name == "CORE"))
      return fail("HSAIL-13.1.1-alone", at, "with the extension \"CORE\" there are no others");
    if (!name.empty() && other.name == name && (other.major != major || other.minor != minor))
      return fail(
          "HSAIL-13.1-extension-version", at,
          fmt::format("the extension \"{}\" has version {}.{} already", name, other.major, other.minor));
  }
  extensions_.push_back({std::string(name), major, minor});
  if (name == "IMAGE") environment_.image_extension = true;
  return true;
}

bool Parser::check_access(const Token& at, const Entity& variable, const isa::Fields& fields) {
  unsigned opcode = fields.opcode;
  if (variable.role == FormalRole::input && opcode != HSA_BRIG_OPCODE_LD)
    return fail("HSAIL-10.2-formal-access", at,
                fmt::format("{} is an input argument: it can only be loaded", at.text));
  if (variable.role == FormalRole::output && opcode != HSA_BRIG_OPCODE_ST)
    return fail("HSAIL-10.2-formal-access", at,
                fmt::format("{} is the output argument: it can only be stored to", at.text));
  if (opcode != HSA_BRIG_OPCODE_LD && opcode != HSA_BRIG_OPCODE_ST) return true;
  isa::Type value = isa::array_element(variable.type);
  // Bytes of a structure may be a handle, so variables of bit types take part in everything.
  bool fits = value == fields.type() || isa::is_bit(value) ||
              (!isa::is_opaque(value) && !isa::is_opaque(fields.type()));
  return fits || fail("HSAIL-6.3.3-opaque-type", at,
                      fmt::format("{} holds {}, not {}", at.text, isa::type_name(value),
                                  isa::type_name(fields.type())));
}

/// What addr() can name, and where: the initial value of a variable that all agents share cannot be a value
/// of one agent (PRM 4.8.1).
bool Parser::check_address_target(const Token& at, const Entity& target) {
  bool is_variable = target.kind == EntityKind::variable;
  if (is_variable && target.segment != HSA_BRIG_SEGMENT_GLOBAL && target.segment != HSA_BRIG_SEGMENT_READONLY)
    return fail(
        "HSAIL-4.8.1-addr-target", at,
        fmt::format("{} lies in the {} segment: only global and readonly variables have constant addresses",
                    at.text, isa::name(isa::Names::segment, target.segment)));
  if (!initialized_by_program_ || (is_variable && !target.agent)) return true;
  return fail(
      "HSAIL-4.8.1-addr-of-agent", at,
      fmt::format("the address of {} differs from agent to agent: the variable needs alloc(agent)", at.text));
}

/// The registers of a code block share two pools, counted by the highest number of each kind (PRM 4.7).
bool Parser::check_register_count(const Token& executable) {
  auto count = [&](hsa_brig_register_kind_t kind) { return highest_register_[kind] + 1; };
  int control = count(HSA_BRIG_REGISTER_KIND_CONTROL);
  int words = count(HSA_BRIG_REGISTER_KIND_SINGLE) + 2 * count(HSA_BRIG_REGISTER_KIND_DOUBLE) +
              4 * count(HSA_BRIG_REGISTER_KIND_QUAD);
  if (control <= 128 && words <= 2048) return true;
  return fail("HSAIL-4.7-register-count", executable,
              control > 128 ? fmt::format("{} uses {} c registers, more than 128", executable.text, control)
                            : fmt::format("{} uses s, d and q registers of {} words, more than 2048",
                                          executable.text, words));
}

/// What a module declares for itself, it must define (PRM 4.12.2).
void Parser::check_declarations() {
  for (const Entity* entity : must_be_defined_) {
    if (entity->defined) continue;
    diagnostics_.error(
        "HSAIL-4.12.2-undefined", entity->first,
        fmt::format("this {} has module linkage, but no definition in the module; is prog missing?",
                    describe(entity->kind)));
  }
}

}  // namespace heddle::assemble
