// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "hsail/isa/spelling.h"

#include <optional>

#include <fmt/format.h>

#include <hsa/hsa_brig_modifiers.h>

namespace heddle::isa {
namespace {

constexpr std::string_view field_names[] = {
    "type",
    "source_type",
    "coord_type",
    "vector",
    "ftz",
    "sat",
    "round",
    "pack",
    "segment",
    "align",
    "const",
    "equiv_class",
    "width",
    "nt",
    "nonull",
    "memory_order",
    "memory_scope",
    "group_scope",
    "atomic_operation",
    "compare",
    "geometry",
    "image_query",
    "sampler_query",
};
static_assert(std::size(field_names) == field_count);

std::optional<Names> names_of(Field field) {
  switch (field) {
    case Field::type:
    case Field::source_type:
    case Field::coord_type:
      return Names::type;
    case Field::round:
      return Names::round;
    case Field::pack:
      return Names::pack;
    case Field::segment:
      return Names::segment;
    case Field::memory_order:
      return Names::memory_order;
    case Field::memory_scope:
    case Field::group_scope:
      return Names::memory_scope;
    case Field::atomic_operation:
      return Names::atomic_operation;
    case Field::compare:
      return Names::compare;
    case Field::geometry:
      return Names::image_geometry;
    case Field::image_query:
      return Names::image_query;
    case Field::sampler_query:
      return Names::sampler_query;
    default:
      return std::nullopt;
  }
}

/// Reports whether a value means that there is no token. The names of such values are for diagnostics only.
bool is_absence(Field field, unsigned value) {
  switch (field) {
    case Field::segment:
      return value == HSA_BRIG_SEGMENT_NONE || value == HSA_BRIG_SEGMENT_FLAT;
    case Field::round:
      return value == HSA_BRIG_ROUND_NONE || value == HSA_BRIG_ROUND_FLOAT_DEFAULT;
    case Field::pack:
      return value == HSA_BRIG_PACK_NONE;
    case Field::memory_order:
      return value == HSA_BRIG_MEMORY_ORDER_NONE;
    case Field::memory_scope:
      return value == HSA_BRIG_MEMORY_SCOPE_NONE;
    default:
      return false;
  }
}

}  // namespace

std::string_view field_name(Field field) { return field_names[static_cast<size_t>(field)]; }

std::string_view token(Field field, unsigned value) {
  if (field == Field::vector) {
    constexpr std::string_view vectors[] = {"", "", "v2", "v3", "v4"};
    return value < std::size(vectors) ? vectors[value] : std::string_view{};
  }
  const auto names = names_of(field);
  return !names || is_absence(field, value) ? std::string_view{} : name(*names, value);
}

std::string value_name(Field field, unsigned value) {
  const auto names = names_of(field);
  if (names == Names::type) return type_name(value);
  const std::string_view spelled = names ? name(*names, value) : std::string_view{};
  return spelled.empty() ? fmt::format("{}", value) : std::string(spelled);
}

std::string kind_name(unsigned kind) {
  const std::string_view spelled = name(Names::kind, kind);
  return spelled.empty() ? fmt::format("{:#x}", kind) : std::string(spelled);
}

}  // namespace heddle::isa
