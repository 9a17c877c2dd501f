// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

/// Converts BRIG enumerators to and from their spelling in HSAIL text (PRM chapter 19). The tables are
/// generated from isa/names.isa. Views refer to static storage. Thread safe.
namespace heddle::isa {

/// The enumerations whose values have a spelling in text or, like kind, a name for diagnostics.
enum class Names : uint8_t {
  type,                // u32, u8x4, roimg, ... (not arrays: see type_name)
  segment,             // global, ...; flat and none have names for diagnostics but no token in text
  round,               // up, zeroi_sat, ...; float_default and none: diagnostics only
  pack,                // pp, pp_sat, ...
  memory_order,        // rlx, scacq, screl, scar
  memory_scope,        // wave, wg, agent, system
  atomic_operation,    // add, wait_eq, ...
  compare,             // eq, sequ, ...
  image_geometry,      // 1d, 2dadepth, ...
  image_query,         // width, channelorder, ...
  sampler_query,       // addressing, coord, filter
  channel_order,       // a, rgba, depth_stencil, ...
  channel_type,        // snorm_int8, ...
  sampler_addressing,  // undefined, clamp_to_edge, ...
  sampler_coord,       // unnormalized, normalized
  sampler_filter,      // nearest, linear
  control_directive,   // maxflatgridsize, ...
  allocation,          // program, agent, automatic
  linkage,             // program, module, ...
  machine_model,       // small, large (without the $)
  profile,             // base, full (without the $)
  null_address,        // expression_operation: nullptr, nullptr_group, ..., addr
  kind,                // directive_module, inst_basic, operand_register, ...: names of entries in diagnostics
};

/// Returns the spelling, or an empty view if the value has none.
std::string_view name(Names names, unsigned value);
/// Returns the value with exactly this spelling, or nothing if there is none.
std::optional<uint16_t> value(Names names, std::string_view spelling);

/// Returns the spelling of a type, with a suffix as in "u32[]" for arrays. Gives "none" for NONE and
/// "type(0x..)" for an unknown code, so that it can be used in diagnostics about any bytes.
std::string type_name(unsigned type);
/// Returns the type, which is not an array, with this spelling, or nothing if there is none.
std::optional<uint16_t> type_value(std::string_view spelling);

/// Returns the mnemonic of an opcode without modifiers ("ld"), or an empty view.
std::string_view opcode_name(unsigned opcode);
/// Returns the opcode with this mnemonic, or nothing if there is none.
std::optional<uint16_t> opcode_value(std::string_view mnemonic);

}  // namespace heddle::isa
