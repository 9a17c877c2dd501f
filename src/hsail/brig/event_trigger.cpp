// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "hsail/brig/event_trigger.h"

#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "hsail/brig/pragma_operands.h"
#include "hsail/isa/types.h"

namespace heddle::brig {
namespace {

using Kind = EventValue::Kind;

constexpr std::array<std::string_view, 3> pragma_names = {
    "hsa.tools.profile.event.trigger", "hsa.tools.profiling.event.trigger", "hsa.tools.prof.event.trigger"};

struct Placeholder {
  std::string_view text;
  Kind kind;
};
constexpr Placeholder placeholders[] = {
    {"&__hsa.tools.profile.workitemflatabsid", Kind::work_item},
    {"&__hsa.tools.profile.queueid", Kind::queue},
    {"&__hsa.tools.profile.packetid", Kind::packet},
    {"hsa.workitemflatabsid", Kind::work_item},
    {"hsa.queueid", Kind::queue},
    {"hsa.packetid", Kind::packet},
};

/// The kind of a number of this many bits; control registers are numbers of 32 bits.
std::optional<Kind> kind_of_number(unsigned bits) {
  if (bits == 1 || bits == 32) return Kind::number32;
  if (bits == 64) return Kind::number64;
  return std::nullopt;
}

std::optional<Kind> kind_of_constant(const Module& module, Offset operand) {
  const isa::Type type = constant_type(module, operand);
  if (type == HSA_BRIG_TYPE_NONE || isa::is_packed(type) || isa::is_array(type)) return std::nullopt;
  return isa::bit_size(type) == 1 ? std::nullopt : kind_of_number(isa::bit_size(type));
}

std::optional<EventValue> value_of(const Module& module, Offset operand) {
  const auto number = [&](std::optional<Kind> kind) -> std::optional<EventValue> {
    if (!kind) return std::nullopt;
    return EventValue{*kind, operand, {}};
  };
  switch (operand_kind(module, operand)) {
    case HSA_BRIG_KIND_OPERAND_REGISTER:
      return number(kind_of_number(isa::register_bits(register_of(module, operand).kind)));
    case HSA_BRIG_KIND_OPERAND_WAVESIZE:
      return number(Kind::number64);
    case HSA_BRIG_KIND_OPERAND_CONSTANT_BYTES:
      return number(kind_of_constant(module, operand));
    case HSA_BRIG_KIND_OPERAND_STRING: {
      const auto text = module.string(module.operand_as<hsa_brig_operand_string_t>(operand).string);
      return EventValue{event_placeholder(text).value_or(Kind::string), operand, text};
    }
    case HSA_BRIG_KIND_OPERAND_CODE_REF: {  // a producer of BRIG may have declared the identifier
      const auto kind = event_placeholder(module.name(code_ref(module, operand)));
      return kind ? std::optional(EventValue{*kind, operand, {}}) : std::nullopt;
    }
    default:
      return std::nullopt;
  }
}

/// Whether an operand can be the ID of an event.
bool is_event_id(const Module& module, const PragmaOperands& operands, Offset operand) {
  if (const auto reg = operands.reg(1)) return reg->kind == HSA_BRIG_REGISTER_KIND_DOUBLE;
  return operands.number(1).has_value() && isa::bit_size(constant_type(module, operand)) == 64;
}

}  // namespace

std::optional<Kind> event_placeholder(std::string_view text) {
  const auto* found = std::ranges::find(placeholders, text, &Placeholder::text);
  if (found == std::end(placeholders)) return std::nullopt;
  return found->kind;
}

bool is_event_trigger(const Module& module, Offset entry) {
  const auto name = PragmaOperands(module, entry).string(0);
  return name && std::ranges::find(pragma_names, *name) != pragma_names.end();
}

Result<EventTrigger> event_trigger(const Module& module, Offset pragma) {
  const PragmaOperands operands(module, pragma);
  const auto list = module.offsets(module.code_as<hsa_brig_directive_pragma_t>(pragma).operands);
  if (list.size() < 2 || !is_event_id(module, operands, list[1]))
    return Error{"the first operand of an event trigger is the ID of an event, an integer or a d register"};
  EventTrigger trigger;
  trigger.event = list[1];
  for (size_t i = 2; i < list.size(); ++i) {
    const auto value = value_of(module, list[i]);
    if (!value) return Error{fmt::format("value {} of an event trigger has no type of metadata", i - 1)};
    trigger.values.push_back(*value);
  }
  return trigger;
}

}  // namespace heddle::brig
