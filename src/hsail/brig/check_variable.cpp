// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Variables and their initial values (PRM 4.3.10, 4.10, 7.1.7, 18.5.1.14).
#include <fmt/format.h>

#include <hsa/hsa_brig_directives.h>

#include "hsail/brig/checker.h"
#include "hsail/brig/operands.h"
#include "hsail/isa/names.h"

namespace heddle::brig {
namespace {

constexpr uint32_t initializer_operand = 1;  // counted from 1, as in Location::operand

}  // namespace

void Checker::check_variable(Offset at) {
  const auto& entry = module_.code_as<hsa_brig_directive_variable_t>(at);
  // A formal of a signature may have no name: 0, or an empty string in BRIG from 1.0 tools. check_formal()
  // checks that all other variables have one.
  const bool has_string = entry.name == 0 || check_string(at, entry.name, "BRIG-18.5.1.14-string");
  if (has_string && !module_.string(entry.name).empty()) check_name(at, "&%");
  const isa::Type element = isa::array_element(entry.type);
  if (element == HSA_BRIG_TYPE_B1)
    return code_error(at, "HSAIL-4.13-b1-variable", "a variable cannot have type b1");
  if (!isa::is_valid(entry.type) || entry.type == HSA_BRIG_TYPE_NONE) {
    code_error(at, "BRIG-18.5.1.14-type", fmt::format("no variable has type {}", isa::type_name(entry.type)));
    return;
  }
  if (entry.segment < HSA_BRIG_SEGMENT_GLOBAL || entry.segment > HSA_BRIG_SEGMENT_ARG) {
    code_error(at, "BRIG-18.5.1.14-segment", fmt::format("no variable is in segment {}", entry.segment));
    return;
  }
  const bool is_static =
      entry.segment == HSA_BRIG_SEGMENT_GLOBAL || entry.segment == HSA_BRIG_SEGMENT_READONLY;
  if (entry.align > HSA_BRIG_ALIGNMENT_MAX || entry.align == HSA_BRIG_ALIGNMENT_NONE ||
      (1u << (entry.align - 1)) < isa::natural_alignment(element)) {
    code_error(at, "HSAIL-4.3.10-align",
               fmt::format("alignment {} is not between the natural alignment of {} and 256", entry.align,
                           isa::type_name(element)));
  }
  constexpr unsigned modifiers = HSA_BRIG_VARIABLE_MODIFIER_DEFINITION | HSA_BRIG_VARIABLE_MODIFIER_CONST;
  if ((entry.modifier & ~modifiers) != 0)
    code_error(at, "BRIG-18.5.1.14-modifier", fmt::format("modifier 0x{:x}", entry.modifier));
  if ((entry.modifier & HSA_BRIG_VARIABLE_MODIFIER_CONST) != 0 && !is_static)
    code_error(at, "HSAIL-4.3.10-const", "const is for global and readonly variables only");
  if (entry.linkage > HSA_BRIG_LINKAGE_ARG) {
    code_error(at, "BRIG-18.5.1.14-linkage", fmt::format("{} is no linkage", entry.linkage));
  }
  const bool good_allocation =
      entry.segment == HSA_BRIG_SEGMENT_GLOBAL
          ? entry.allocation == HSA_BRIG_ALLOCATION_PROGRAM || entry.allocation == HSA_BRIG_ALLOCATION_AGENT
          : entry.allocation == (is_static ? HSA_BRIG_ALLOCATION_AGENT : HSA_BRIG_ALLOCATION_AUTOMATIC);
  if (!good_allocation) {
    code_error(at, "BRIG-18.5.1.14-allocation",
               fmt::format("allocation {} in segment {}", entry.allocation,
                           isa::name(isa::Names::segment, entry.segment)));
  }
  if (const auto violation = forbidden(entry.type)) code_error(at, violation->id, violation->message);
  const bool is_handle = isa::is_image(element) || isa::is_sampler(element);
  if (is_handle && !is_static && entry.segment != HSA_BRIG_SEGMENT_ARG &&
      entry.segment != HSA_BRIG_SEGMENT_KERNARG) {
    code_error(at, "HSAIL-7.1.7-segment",
               fmt::format("a {} cannot lie in the {} segment", isa::type_name(element),
                           isa::name(isa::Names::segment, entry.segment)));
  }
  if (!isa::is_array(entry.type) && u64(entry.dim) != 0) {
    code_error(at, "BRIG-18.5.1.14-dim", "a variable that is no array has no dimension");
    return;
  }
  check_variable_size(at);
  check_initializer(at);
}

/// Checks that addresses of the segment can span the variable; a larger size would overflow the arithmetic of
/// consumers.
void Checker::check_variable_size(Offset at) {
  const auto& entry = module_.code_as<hsa_brig_directive_variable_t>(at);
  const bool wide = entry.segment == HSA_BRIG_SEGMENT_GLOBAL || entry.segment == HSA_BRIG_SEGMENT_READONLY ||
                    entry.segment == HSA_BRIG_SEGMENT_KERNARG;
  const uint64_t most = wide ? UINT64_MAX : UINT32_MAX;
  if (u64(entry.dim) > most / isa::byte_size(entry.type)) {
    code_error(at, "BRIG-18.5.1.14-size",
               fmt::format("{} elements of type {} are larger than segment {}", u64(entry.dim),
                           isa::type_name(isa::array_element(entry.type)),
                           isa::name(isa::Names::segment, entry.segment)));
  }
}

void Checker::check_initializer(Offset at) {
  const auto& entry = module_.code_as<hsa_brig_directive_variable_t>(at);
  const bool is_definition = (entry.modifier & HSA_BRIG_VARIABLE_MODIFIER_DEFINITION) != 0;
  if (entry.init == 0) {
    if (is_definition && (entry.modifier & HSA_BRIG_VARIABLE_MODIFIER_CONST) != 0) {
      code_error(at, "HSAIL-4.3.10-const-initializer",
                 "the definition of a const variable needs an initializer");
    }
    return;
  }
  if (!is_definition) {
    return code_error(at, "HSAIL-4.10-initializer-declaration", "a declaration has no initializer",
                      initializer_operand);
  }
  if (entry.segment != HSA_BRIG_SEGMENT_GLOBAL && entry.segment != HSA_BRIG_SEGMENT_READONLY) {
    return code_error(at, "HSAIL-4.10-initializer-segment",
                      "only global and readonly variables have initializers", initializer_operand);
  }
  const isa::Type element = isa::array_element(entry.type);
  bool good = false;
  switch (operand_kind(entry.init)) {
    case HSA_BRIG_KIND_OPERAND_CONSTANT_BYTES:
    case HSA_BRIG_KIND_OPERAND_CONSTANT_EXPRESSION:
    case HSA_BRIG_KIND_OPERAND_CONSTANT_IMAGE:
    case HSA_BRIG_KIND_OPERAND_CONSTANT_OPERAND_LIST:
    case HSA_BRIG_KIND_OPERAND_CONSTANT_SAMPLER: {
      const isa::Type type = constant_type(module_, entry.init);
      const bool is_aggregate = operand_kind(entry.init) == HSA_BRIG_KIND_OPERAND_CONSTANT_OPERAND_LIST &&
                                type == HSA_BRIG_TYPE_NONE;
      // PRM 18.6.1. Sizes are compared below.
      if (isa::is_array(entry.type)) {
        good = isa::is_bit(element) ? is_aggregate || isa::is_array(type) : type == entry.type;
      } else if (isa::is_bit(entry.type)) {
        good = !isa::is_array(type) && (isa::is_integer(type) || isa::is_float(type) || isa::is_packed(type));
      } else {
        good = isa::is_integer(entry.type) ? isa::is_integer(type) : type == entry.type;
      }
      if (!good) {
        code_error(at, "BRIG-18.6.1-type",
                   fmt::format("a constant of type {} for a variable of type {}",
                               is_aggregate ? "aggregate" : isa::type_name(type), isa::type_name(entry.type)),
                   initializer_operand);
        return;
      }
      break;
    }
    default:
      code_error(at, "BRIG-18.5.1.14-init", "the initializer is no constant");
      return;
  }
  const uint64_t size = isa::byte_size(entry.type) * (isa::is_array(entry.type) ? u64(entry.dim) : 1);
  const uint64_t given = constant_size(entry.init);
  if (size != given) {
    code_error(at, "HSAIL-4.10-initializer-size",
               fmt::format("the initializer has {} bytes, the variable {}", given, size),
               initializer_operand);
    return;
  }
  if (entry.allocation == HSA_BRIG_ALLOCATION_PROGRAM) check_program_initializer(at);
}

/// Returns constant_byte_size() of a constant and remembers it by list, because many constants may share a
/// long list.
uint64_t Checker::constant_size(Offset constant) {
  if (!is_constant_list(module_, constant)) return constant_byte_size(module_, constant);
  const Offset list = module_.operand_as<hsa_brig_operand_constant_operand_list_t>(constant).elements;
  const auto [known, is_new] = sizes_of_lists_.try_emplace(list);
  if (is_new) known->second = constant_byte_size(module_, constant);  // the same for every type
  return known->second;
}

/// Returns why a leaf of an initial value cannot be the same for all agents, with an empty id if it can. The
/// addresses of code and of variables of which each agent has its own copy differ between agents, and so do
/// the null pointers of segments (PRM 4.8.1) and the handles of images and samplers (PRM 7.1.7, 7.1.8).
Checker::Difference Checker::difference_between_agents(Offset leaf) const {
  const unsigned kind = operand_kind(leaf);
  if (kind == HSA_BRIG_KIND_OPERAND_CONSTANT_IMAGE || kind == HSA_BRIG_KIND_OPERAND_CONSTANT_SAMPLER)
    return {"HSAIL-7.1.7-allocation", "the handle of an image or sampler"};
  if (kind != HSA_BRIG_KIND_OPERAND_CONSTANT_EXPRESSION) return {};
  const Expression expression = expression_of(module_, leaf);
  if (expression.operation == HSA_BRIG_EXPRESSION_OPERATION_NULLPTR_FLAT) return {};
  if (expression.operation != HSA_BRIG_EXPRESSION_OPERATION_ADDR)
    return {"HSAIL-4.8.1-null-of-agent", isa::name(isa::Names::null_address, expression.operation)};
  const bool is_variable = code_kind(expression.symbol) == HSA_BRIG_KIND_DIRECTIVE_VARIABLE;
  if (is_variable && module_.code_as<hsa_brig_directive_variable_t>(expression.symbol).allocation ==
                         HSA_BRIG_ALLOCATION_PROGRAM)
    return {};
  // The directive may stand behind the variable, where it has not been checked yet.
  const bool has_name = is_data(module_.name_offset(expression.symbol));
  return {"HSAIL-4.8.1-addr-of-agent",
          has_name ? module_.name(expression.symbol) : std::string_view("an address of code")};
}

/// Checks that the initial value of a variable that all agents share is the same for all of them.
void Checker::check_program_initializer(Offset at) {
  const Offset init = module_.code_as<hsa_brig_directive_variable_t>(at).init;
  const auto check = [&] {
    Difference found;
    for_each_leaf(module_, init, [&](uint64_t, Offset leaf) {
      if (found.id.empty()) found = difference_between_agents(leaf);
    });
    if (found.id.empty()) return;
    code_error(at, found.id,
               fmt::format("the initial value has {}, which differs from agent to agent: the variable needs "
                           "alloc(agent)",
                           found.what),
               initializer_operand);
  };
  if (!is_constant_list(module_, init)) return check();
  const Offset list = module_.operand_as<hsa_brig_operand_constant_operand_list_t>(init).elements;
  walk_once(Asked::program_initializer, 0, list, module_.offsets(list).size(), check);
}

}  // namespace heddle::brig
