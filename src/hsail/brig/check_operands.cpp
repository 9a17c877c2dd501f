// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Checks each entry of hsa_operand on its own (PRM 18.6): what it refers to exists and is of an allowed kind,
// and a constant has the size of its type. Whether an instruction may have the operand is checked with the
// instruction.
#include <algorithm>

#include <fmt/format.h>

#include <hsa/hsa_brig_directives.h>
#include <hsa/hsa_brig_images.h>

#include "hsail/brig/checker.h"
#include "hsail/brig/operands.h"
#include "hsail/isa/image_geometry.h"
#include "hsail/isa/names.h"

namespace heddle::brig {
namespace {

bool all_zero(std::span<const std::byte> bytes) {
  return std::all_of(bytes.begin(), bytes.end(), [](std::byte b) { return b == std::byte{}; });
}

/// Reports whether constant_bytes can have this type (PRM 18.6.6).
bool has_bytes(isa::Type element) {
  return isa::is_integer(element) || isa::is_float(element) || isa::is_packed(element) ||
         isa::is_signal(element);
}

}  // namespace

bool Checker::check_operands() {
  const size_t before = diagnostics_.error_count();
  for (Offset at = module_.operands_begin(); at < module_.operands_end() && !diagnostics_.limit_reached();
       at += module_.operand_entry(at).byte_count) {
    check_operand(at);
  }
  return clean_since(before);
}

void Checker::check_operand(Offset at) {
  switch (module_.operand_entry(at).kind) {
    case HSA_BRIG_KIND_OPERAND_ADDRESS:
      return check_address(at);
    case HSA_BRIG_KIND_OPERAND_CODE_LIST:
      return check_code_list(at);
    case HSA_BRIG_KIND_OPERAND_CODE_REF:
      return check_code_ref(at);
    case HSA_BRIG_KIND_OPERAND_CONSTANT_BYTES:
      return check_constant_bytes(at);
    case HSA_BRIG_KIND_OPERAND_CONSTANT_EXPRESSION:
      return check_expression(at);
    case HSA_BRIG_KIND_OPERAND_CONSTANT_IMAGE:
      return check_image(at);
    case HSA_BRIG_KIND_OPERAND_CONSTANT_OPERAND_LIST:
      return check_constant_list(at);
    case HSA_BRIG_KIND_OPERAND_CONSTANT_SAMPLER:
      return check_sampler(at);
    case HSA_BRIG_KIND_OPERAND_OPERAND_LIST:
      return check_vector(at);
    case HSA_BRIG_KIND_OPERAND_REGISTER:
      return check_register(at);
    case HSA_BRIG_KIND_OPERAND_ALIGN: {
      const auto& entry = module_.operand_as<hsa_brig_operand_align_t>(at);
      if (entry.align < HSA_BRIG_ALIGNMENT_1 || entry.align > HSA_BRIG_ALIGNMENT_MAX) {
        operand_error(at, "BRIG-18.6.3-align", fmt::format("{} is no alignment", entry.align));
      }
      return;
    }
    case HSA_BRIG_KIND_OPERAND_STRING:
      if (!is_data(module_.operand_as<hsa_brig_operand_string_t>(at).string)) {
        operand_error(at, "BRIG-18.6.11-string", "the string is no entry of hsa_data");
      }
      return;
    default:
      return;  // nothing in WAVESIZE and zero operands can be wrong
  }
}

void Checker::check_register(Offset at) {
  const auto& entry = module_.operand_as<hsa_brig_operand_register_t>(at);
  if (entry.reg_kind > HSA_BRIG_REGISTER_KIND_QUAD) {
    operand_error(at, "BRIG-18.6.10-kind", fmt::format("{} is no kind of register", entry.reg_kind));
  }
  // check_register_count() checks the number against the limits for a code block.
}

void Checker::check_address(Offset at) {
  const auto& entry = module_.operand_as<hsa_brig_operand_address_t>(at);
  if (entry.symbol != 0 && code_kind(entry.symbol) != HSA_BRIG_KIND_DIRECTIVE_VARIABLE) {
    operand_error(at, "BRIG-18.6.2-symbol", "the symbol is no variable");
  }
  // check_instruction_address() checks the kind of the register, for it depends on the segment.
  if (entry.reg != 0 && operand_kind(entry.reg) != HSA_BRIG_KIND_OPERAND_REGISTER)
    operand_error(at, "BRIG-18.6.2-register", "the register is no register operand");
}

bool Checker::is_list(Offset offset) const {
  return offset == 0 || (is_data(offset) && module_.data_bytes(offset).size() % sizeof(Offset) == 0);
}

bool Checker::check_list(Offset operand, Offset list, std::string_view id) {
  if (is_list(list)) return true;
  operand_error(operand, id, "the list is no entry of hsa_data that holds offsets");
  return false;
}

void Checker::check_code_list(Offset at) {
  const Offset list = module_.operand_as<hsa_brig_operand_code_list_t>(at).elements;
  if (!check_list(at, list, "BRIG-18.6.4-list")) return;
  const auto elements = module_.offsets(list);
  walk_once(Asked::code_list, 0, list, elements.size(), [&] {
    for (const Offset element : elements) {
      switch (code_kind(element)) {
        case HSA_BRIG_KIND_DIRECTIVE_VARIABLE:
        case HSA_BRIG_KIND_DIRECTIVE_FUNCTION:
        case HSA_BRIG_KIND_DIRECTIVE_INDIRECT_FUNCTION:
        case HSA_BRIG_KIND_DIRECTIVE_LABEL:
          continue;
        default:
          operand_error(at, "BRIG-18.6.4-element",
                        fmt::format("element 0x{:x} is no variable, function or label of hsa_code", element));
          return;
      }
    }
  });
}

void Checker::check_code_ref(Offset at) {
  const Offset ref = module_.operand_as<hsa_brig_operand_code_ref_t>(at).ref;
  switch (code_kind(ref)) {
    case HSA_BRIG_KIND_DIRECTIVE_FBARRIER:
    case HSA_BRIG_KIND_DIRECTIVE_FUNCTION:
    case HSA_BRIG_KIND_DIRECTIVE_INDIRECT_FUNCTION:
    case HSA_BRIG_KIND_DIRECTIVE_KERNEL:
    case HSA_BRIG_KIND_DIRECTIVE_LABEL:
    case HSA_BRIG_KIND_DIRECTIVE_MODULE:
    case HSA_BRIG_KIND_DIRECTIVE_SIGNATURE:
    case HSA_BRIG_KIND_DIRECTIVE_VARIABLE:
      return;
    default:
      operand_error(at, "BRIG-18.6.5-ref", fmt::format("0x{:x} is no directive with a name", ref));
  }
}

void Checker::check_constant_bytes(Offset at) {
  const auto& entry = module_.operand_as<hsa_brig_operand_constant_bytes_t>(at);
  const isa::Type element = isa::array_element(entry.type);
  if (!isa::is_valid(entry.type) || !has_bytes(element)) {
    operand_error(at, "BRIG-18.6.6-type", fmt::format("no constant has type {}", isa::type_name(entry.type)));
    return;
  }
  if (!is_data(entry.bytes)) {
    operand_error(at, "BRIG-18.6.6-bytes", "the bytes are no entry of hsa_data");
    return;
  }
  const auto bytes = module_.data_bytes(entry.bytes);
  check_constant_type(at, entry.type);
  const unsigned size = isa::byte_size(element);
  if (isa::is_array(entry.type) ? bytes.empty() || bytes.size() % size != 0 : bytes.size() != size) {
    operand_error(
        at, "BRIG-18.6.6-size",
        fmt::format("{} bytes for a constant of type {}", bytes.size(), isa::type_name(entry.type)));
    return;
  }
  if (!isa::is_signal(element)) return;
  walk_once(Asked::signals, 0, entry.bytes, bytes.size(), [&] {
    if (!all_zero(bytes)) operand_error(at, "BRIG-18.6.6-signal", "a signal constant is 0");
  });
}

void Checker::check_expression(Offset at) {
  const auto& entry = module_.operand_as<hsa_brig_operand_constant_expression_t>(at);
  if (!isa::is_integer(entry.type)) {
    operand_error(at, "BRIG-18.6.7-type",
                  fmt::format("an expression has an integer type, not {}", isa::type_name(entry.type)));
    return;
  }
  if (!check_list(at, entry.operands, "BRIG-18.6.7-list")) return;
  const auto operands = module_.offsets(entry.operands);
  if (entry.expression_operation < HSA_BRIG_EXPRESSION_OPERATION_ADDR) {
    if (!operands.empty())
      operand_error(at, "BRIG-18.6.7-operands", "a null pointer constant takes no operands");
    return;
  }
  if (entry.expression_operation > HSA_BRIG_EXPRESSION_OPERATION_ADDR) {
    operand_error(at, "BRIG-18.6.7-operation", fmt::format("{} is no operation", entry.expression_operation));
    return;
  }
  if (operands.empty() || operands.size() > 2 ||
      operand_kind(operands[0]) != HSA_BRIG_KIND_OPERAND_CODE_REF) {
    operand_error(at, "BRIG-18.6.7-operands", "addr takes a code_ref and at most one displacement");
    return;
  }
  const Offset target = module_.operand_as<hsa_brig_operand_code_ref_t>(operands[0]).ref;
  const unsigned kind = code_kind(target);
  const bool is_variable = kind == HSA_BRIG_KIND_DIRECTIVE_VARIABLE;
  if (is_variable) {
    const unsigned segment = module_.code_as<hsa_brig_directive_variable_t>(target).segment;
    if (segment != HSA_BRIG_SEGMENT_GLOBAL && segment != HSA_BRIG_SEGMENT_READONLY) {
      operand_error(at, "HSAIL-4.8.1-addr-target", "addr takes a variable of the global or readonly segment");
    }
  } else if (kind != HSA_BRIG_KIND_DIRECTIVE_KERNEL && kind != HSA_BRIG_KIND_DIRECTIVE_INDIRECT_FUNCTION) {
    operand_error(at, "HSAIL-4.8.1-addr-target", "addr takes a variable, a kernel or an indirect function");
  }
  if (operands.size() == 1) return;
  if (!is_variable) {
    operand_error(at, "HSAIL-4.8.1-addr-offset", "only the address of a variable takes an offset");
  } else if (operand_kind(operands[1]) != HSA_BRIG_KIND_OPERAND_CONSTANT_BYTES ||
             constant_type(module_, operands[1]) != HSA_BRIG_TYPE_U64) {
    operand_error(at, "BRIG-18.6.7-operands", "the displacement of addr is a constant of type u64");
  }
}

/// Reports whether a constant may be an element of an array or packed constant with elements of type
/// `expected`, which must be exactly its own type.
bool Checker::constant_fits(isa::Type expected, Offset constant) const {
  switch (operand_kind(constant)) {
    case HSA_BRIG_KIND_OPERAND_CONSTANT_BYTES:
    case HSA_BRIG_KIND_OPERAND_CONSTANT_EXPRESSION:
    case HSA_BRIG_KIND_OPERAND_CONSTANT_IMAGE:
    case HSA_BRIG_KIND_OPERAND_CONSTANT_SAMPLER:
      return constant_type(module_, constant) == expected;
    case HSA_BRIG_KIND_OPERAND_CONSTANT_OPERAND_LIST:
      return isa::is_packed(expected) && constant_type(module_, constant) == expected;
    default:
      return false;
  }
}

void Checker::check_constant_list(Offset at) {
  const auto& entry = module_.operand_as<hsa_brig_operand_constant_operand_list_t>(at);
  const bool is_aggregate = entry.type == HSA_BRIG_TYPE_NONE;
  const isa::Type element = isa::array_element(entry.type);
  const bool is_typed_list =
      isa::is_array(entry.type) && (isa::is_integer(element) || isa::is_packed(element) ||
                                    isa::is_image(element) || isa::is_sampler(element));
  if (!isa::is_valid(entry.type) && !is_aggregate) {
    operand_error(at, "BRIG-18.6.8-type", fmt::format("unknown type {}", isa::type_name(entry.type)));
    return;
  }
  if (!is_aggregate && !is_typed_list && !isa::is_packed(entry.type)) {
    operand_error(at, "BRIG-18.6.8-type",
                  fmt::format("a list of constants is an array, packed or an aggregate, not {}",
                              isa::type_name(entry.type)));
    return;
  }
  if (!is_aggregate) check_constant_type(at, entry.type);
  if (!check_list(at, entry.elements, "BRIG-18.6.8-list")) return;
  const auto elements = module_.offsets(entry.elements);
  if (elements.empty()) {
    operand_error(at, "BRIG-18.6.8-empty", "a list of constants has at least one element");
    return;
  }
  if (isa::is_packed(entry.type) && elements.size() != isa::packed_dimension(entry.type)) {
    operand_error(
        at, "BRIG-18.6.8-count",
        fmt::format("{} elements for a constant of type {}", elements.size(), isa::type_name(entry.type)));
    return;
  }
  const size_t before = diagnostics_.error_count();
  walk_once(Asked::constants, entry.type, entry.elements, elements.size(), [&] {
    for (const Offset constant : elements) {
      check_constant_list_element(at, entry.type, constant);
      if (!clean_since(before)) return;
    }
  });
  if (!is_aggregate || !clean_since(before)) return;
  // The values of all other elements have as many bytes in the module, so only align and zero elements can
  // make an aggregate too large.
  walk_once(Asked::sizes, 0, entry.elements, elements.size(), [&] {
    uint64_t size = 0;
    bool only_align = true;
    for (const Offset constant : elements) {
      only_align = only_align && operand_kind(constant) == HSA_BRIG_KIND_OPERAND_ALIGN;
      if (operand_kind(constant) != HSA_BRIG_KIND_OPERAND_ZERO) continue;
      const uint64_t more = u64(module_.operand_as<hsa_brig_operand_zero_t>(constant).zero_byte_count);
      constexpr uint64_t address_space = uint64_t{1} << 48;
      size += std::min(more, address_space + 1);
      if (size > address_space) {
        operand_error(at, "HSAIL-4.8.4-zero", "an aggregate has more zero bytes than any address space");
        return;
      }
    }
    if (only_align) operand_error(at, "HSAIL-4.8.4-aggregate", "an aggregate needs more than align()");
  });
}

void Checker::check_constant_list_element(Offset list, unsigned list_type, Offset element) {
  const unsigned kind = operand_kind(element);
  const auto type = static_cast<isa::Type>(list_type);
  bool good = false;
  if (type == HSA_BRIG_TYPE_NONE) {
    good = kind == HSA_BRIG_KIND_OPERAND_ALIGN || kind == HSA_BRIG_KIND_OPERAND_ZERO ||
           kind == HSA_BRIG_KIND_OPERAND_CONSTANT_BYTES ||
           kind == HSA_BRIG_KIND_OPERAND_CONSTANT_EXPRESSION ||
           kind == HSA_BRIG_KIND_OPERAND_CONSTANT_IMAGE || kind == HSA_BRIG_KIND_OPERAND_CONSTANT_SAMPLER ||
           // The only lists in an aggregate are packed constants, so the nesting of constants is finite.
           (kind == HSA_BRIG_KIND_OPERAND_CONSTANT_OPERAND_LIST &&
            isa::is_packed(constant_type(module_, element)));
  } else if (isa::is_array(type)) {
    good = constant_fits(isa::array_element(type), element);
  } else {
    good =
        (kind == HSA_BRIG_KIND_OPERAND_CONSTANT_BYTES || kind == HSA_BRIG_KIND_OPERAND_CONSTANT_EXPRESSION) &&
        constant_fits(isa::base_type(type), element);
  }
  if (good) return;
  operand_error(list, "BRIG-18.6.8-element",
                fmt::format("0x{:x} ({}) is no element of a constant of type {}", element,
                            isa::name(isa::Names::kind, kind), isa::type_name(type)));
}

void Checker::check_vector(Offset at) {
  const Offset list = module_.operand_as<hsa_brig_operand_operand_list_t>(at).elements;
  if (!check_list(at, list, "BRIG-18.6.9-list")) return;
  const auto elements = module_.offsets(list);
  if (elements.size() < 2 || elements.size() > 4) {
    operand_error(at, "BRIG-18.6.9-count",
                  fmt::format("a vector has 2 to 4 elements, not {}", elements.size()));
    return;
  }
  for (const Offset element : elements) {
    switch (operand_kind(element)) {
      case HSA_BRIG_KIND_OPERAND_REGISTER:
      case HSA_BRIG_KIND_OPERAND_CONSTANT_BYTES:
      case HSA_BRIG_KIND_OPERAND_CONSTANT_EXPRESSION:
      case HSA_BRIG_KIND_OPERAND_CONSTANT_OPERAND_LIST:
      case HSA_BRIG_KIND_OPERAND_WAVESIZE:
        continue;
      default:
        operand_error(at, "BRIG-18.6.9-element", "an element of a vector is a register or an immediate");
        return;
    }
  }
}

void Checker::check_image(Offset at) {
  const auto& entry = module_.operand_as<hsa_ext_brig_operand_constant_image_t>(at);
  if (!isa::is_image(entry.type)) {
    operand_error(at, "BRIG-18.6.14-type", fmt::format("{} is no image type", isa::type_name(entry.type)));
    return;
  }
  check_constant_type(at, entry.type);
  const isa::ImageGeometry* has = isa::image_geometry(entry.geometry);
  if (has == nullptr || isa::name(isa::Names::channel_order, entry.channel_order).empty() ||
      isa::name(isa::Names::channel_type, entry.channel_type).empty()) {
    operand_error(at, "BRIG-18.6.14-property", "unknown geometry, channel order or channel type");
    return;
  }
  if (u64(entry.width) == 0 || (u64(entry.height) != 0) != has->has_height ||
      (u64(entry.depth) != 0) != has->has_depth || (u64(entry.array) != 0) != has->has_array) {
    operand_error(
        at, "HSAIL-7.1.7-image-size",
        fmt::format("an image of geometry {} has exactly these sizes: width{}{}{}",
                    isa::name(isa::Names::image_geometry, entry.geometry), has->has_height ? ", height" : "",
                    has->has_depth ? ", depth" : "", has->has_array ? ", array" : ""));
  }
  // Images of depth geometries hold depth, all others colours (PRM Table 7-1).
  const bool deep_order = entry.channel_order == HSA_EXT_BRIG_IMAGE_CHANNEL_ORDER_DEPTH ||
                          entry.channel_order == HSA_EXT_BRIG_IMAGE_CHANNEL_ORDER_DEPTH_STENCIL;
  if (has->holds_depth != deep_order) {
    operand_error(at, "HSAIL-7.1.3-channel-order",
                  fmt::format("an image of geometry {} cannot have the channel order {}",
                              isa::name(isa::Names::image_geometry, entry.geometry),
                              isa::name(isa::Names::channel_order, entry.channel_order)));
  }
}

void Checker::check_sampler(Offset at) {
  const auto& entry = module_.operand_as<hsa_ext_brig_operand_constant_sampler_t>(at);
  if (!isa::is_sampler(entry.type)) {
    operand_error(at, "BRIG-18.6.15-type", fmt::format("{} is no sampler type", isa::type_name(entry.type)));
    return;
  }
  check_constant_type(at, entry.type);
  if (isa::name(isa::Names::sampler_coord, entry.coord).empty() ||
      isa::name(isa::Names::sampler_filter, entry.filter).empty() ||
      isa::name(isa::Names::sampler_addressing, entry.addressing).empty()) {
    operand_error(at, "BRIG-18.6.15-property", "unknown coordinate normalization, filter or addressing");
    return;
  }
  if (entry.coord == HSA_EXT_BRIG_SAMPLER_COORD_NORMALIZATION_UNNORMALIZED &&
      (entry.addressing == HSA_EXT_BRIG_SAMPLER_ADDRESSING_REPEAT ||
       entry.addressing == HSA_EXT_BRIG_SAMPLER_ADDRESSING_MIRRORED_REPEAT)) {
    operand_error(at, "BRIG-18.6.15-addressing", "repeat and mirrored_repeat need normalized coordinates");
  }
}

}  // namespace heddle::brig
