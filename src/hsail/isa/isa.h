// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include <hsa/hsa_brig_entries.h>
#include <hsa/hsa_brig_types.h>

#include "hsail/isa/names.h"
#include "hsail/isa/types.h"
#include "support/result.h"

/// The HSAIL instruction set as data (design D1). The tables behind this interface are generated from
/// isa/*.isa.
///
/// One instruction (an opcode) has one or more *variants*: sets of encodings with the same modifiers and
/// operands, for example the integer, packed and floating-point forms of add. A variant says in which BRIG
/// format it is encoded, which *slots* its mnemonic has (in the order of the text form), which *operands* it
/// takes (in the order of the BRIG operand list), and which *rules* it must keep beyond that.
///
///   text -> BRIG:  parse_mnemonic("ld_v2_global_align(8)_u32") gives Fields and the Variant; the operands of
///   the
///                  variant then say what to expect between the commas; encode() (hsail/isa/codec.h) makes
///                  the entry.
///   BRIG -> text:  decode() gives Fields; the caller sets Field::vector from the operand list
///   (vector_operand());
///                  match() finds the variant; print_mnemonic() writes the canonical mnemonic.
///   checking:      match() fails with the reason if no variant fits; check() then applies the rules.
///   consumers:     complete() fills in what InstBasic leaves out, so that they see one set of fields.
///
/// Nothing here touches operands or sections: only the fixed part of an instruction. All functions are thread
/// safe, accept any values (also from untrusted modules), and return references to static tables.
namespace heddle::isa {

/// Everything that a mnemonic can say. Values are the BRIG enumerators, except where noted.
enum class Field : uint8_t {
  type,         // hsa_brig_type_t; inst_base.type
  source_type,  // hsa_brig_type_t; also signal_type and image_type of the formats that have these instead
  coord_type,   // hsa_brig_type_t
  vector,       // number of elements of the vector operand: 1 (no vN), 2, 3, 4; 0 = not known. Not in BRIG
  ftz,          // 0, 1
  sat,          // 0, 1: HSA_BRIG_ALU_MODIFIER_INTEGER_SAT (not the _sat of packing controls and of roundings)
  round,        // hsa_brig_round_t
  pack,         // hsa_brig_pack_t
  segment,      // hsa_brig_segment_t
  align,        // hsa_brig_alignment_t
  constant,     // 0, 1: _const
  equiv_class,  // 0..255
  width,        // hsa_brig_width_t
  nontemporal,  // 0, 1: _nt
  nonull,       // 0, 1
  memory_order,      // hsa_brig_memory_order_t
  memory_scope,      // hsa_brig_memory_scope_t
  group_scope,       // hsa_brig_memory_scope_t: second scope of memfence; equal to memory_scope, not written
  atomic_operation,  // hsa_brig_atomic_operation_t; also the operation of signal instructions
  compare,           // hsa_brig_compare_operation_t
  geometry,          // hsa_ext_brig_image_geometry_t
  image_query,       // hsa_ext_brig_image_query_t
  sampler_query,     // hsa_ext_brig_sampler_query_t
};
inline constexpr size_t field_count = static_cast<size_t>(Field::sampler_query) + 1;

/// The fixed part of one instruction, independent of the BRIG format. A field that the instruction does not
/// have holds the value that "absent" has in BRIG: 0, except the widths that InstBr prescribes.
struct Fields {
  uint16_t opcode = 0;                       // hsa_brig_opcode_t; 0 is nop
  uint16_t kind = HSA_BRIG_KIND_INST_BASIC;  // format: HSA_BRIG_KIND_INST_*
  std::array<uint16_t, field_count> values{};

  uint16_t operator[](Field field) const { return values[static_cast<size_t>(field)]; }
  uint16_t& operator[](Field field) { return values[static_cast<size_t>(field)]; }
  Type type() const { return (*this)[Field::type]; }
  Type source_type() const { return (*this)[Field::source_type]; }
  bool operator==(const Fields&) const = default;
};

/// Consecutive elements of one of the generated tables.
struct Range {
  uint16_t first = 0;
  uint16_t count = 0;
};

/// Text inside the generated string pool; see text().
struct Text {
  uint32_t offset = 0;
  uint16_t length = 0;
};
std::string_view text(Text text);

/// A set of field values. Values below 128 only, which covers every field but equiv_class.
struct ValueSet {
  uint64_t low = 0;
  uint64_t high = 0;
  constexpr bool contains(unsigned value) const {
    return value < 64 ? (low >> value & 1) != 0 : value < 128 && (high >> (value - 64) & 1) != 0;
  }
};
const ValueSet& value_set(uint16_t index);

/// How a slot is written after its underscore.
enum class SlotForm : uint8_t {
  name,          // the spelling of the value: _global, _u32, _zeroi_sat, _v4
  flag,          // a fixed word that sets the field to 1: _ftz, _sat, _const, _nt, _nonull
  power_of_two,  // word(n), the value is log2(n) + 1: _align(8)
  width,         // word(n), word(all), word(WAVESIZE): _width(all)
  number,        // word(n), n in 0..255: _equiv(3)
  literal,       // a fixed word that has no field: _pp of packed cvt
};

/// One position of a mnemonic.
struct Slot {
  Field field = Field::type;
  SlotForm form = SlotForm::name;
  bool optional = false;  // absent = default_value, and the canonical text omits it when it has that value
  uint16_t default_value = 0;
  uint16_t domain = 0;  // value_set(): legal values, the default included
  Text word;            // flag, power_of_two, width, number, literal
};

/// What an operand may be. Immediates are any of constant_bytes, constant_expression and
/// constant_operand_list, within the rules of PRM 18.6.1 for the type of the operand.
enum class OperandKind : uint8_t {
  destination,      // register; with more than one element an operand_list of distinct registers
  source,           // register, immediate, or WAVESIZE; with more than one element an operand_list of these
  source_register,  // register only
  constant,         // constant_bytes only: no register, no WAVESIZE
  address,          // address expression; its type is that of the value in memory
  label,            // code_ref of a label
  labels,           // code_list of labels
  fbarrier,         // code_ref of an fbarrier
  fbarrier_or_source,  // code_ref of an fbarrier, or a register that holds its handle
  function,            // code_ref of a function or indirect function
  functions,           // code_list of functions and indirect functions
  signature,           // code_ref of a signature
  output_arguments,    // code_list of variables of the arg segment; in text between parentheses
  input_arguments,     // the same
};

/// How the type of an operand follows from the instruction.
enum class OperandType : uint8_t {
  none,           // labels, functions, lists of arguments
  type,           // Field::type
  source_type,    // Field::source_type: also the type of signal and image handles
  coord_type,     // Field::coord_type
  fixed,          // Operand::fixed_type
  unsigned_type,  // as_unsigned(Field::type): condition of packed cmov
};

/// How many elements an operand has; more than one means operand_list in BRIG and parentheses in text.
enum class OperandCount : uint8_t {
  fixed,   // Operand::elements
  vector,  // Field::vector
};

struct Operand {
  OperandKind kind = OperandKind::source;
  OperandType type_rule = OperandType::none;
  OperandCount count_rule = OperandCount::fixed;
  uint8_t elements = 1;
  uint8_t text_position = 0;  // position in the text form; differs from the BRIG position in calls only
  uint16_t fixed_type = 0;    // hsa_brig_type_t, for OperandType::fixed
  uint16_t maximum = 0xffff;  // largest value of a constant; 0xffff = no limit
  Text name;                  // as in the PRM: dest, src0, dimNumber
};

/// Which other work-items an instruction needs (PRM 2.12). Compilers ask: any class but none forbids them to
/// execute the instruction under other conditions than those that the program says.
enum class Convergence : uint8_t {
  none,
  communication,  // others see it or are seen: atomics, fences, signals, queues, clock, exception state, the
                  // state of an fbarrier, and calls, which may contain any instruction. Implies every effect
                  // on memory
  cross_lane,     // the active lanes of the wavefront give it its result, together
  wavebarrier,    // all work-items of the wavefront come here together
  barrier,        // all work-items of the work-group come here
  fbarrier,       // the wavefront takes part in the fbarrier, as one member
};

/// What an instruction that does not communicate does with memory.
enum class MemoryEffect : uint8_t {
  none,
  load,   // reads at its address or from its image
  store,  // writes there
  stack,  // takes private memory until the function returns
  call,   // whatever the function does
};

struct Rule;

struct Variant {
  uint16_t opcode = 0;
  uint16_t kind = 0;  // canonical format when a modifier is not default, or always
  bool basic_if_default =
      false;                // InstBasic also allowed (and canonical) when all modifiers have their defaults
  uint8_t exceptions = 0;   // hsa_brig_exceptions_t that it may raise (PRM 12.2), or-ed
  uint8_t since_minor = 0;  // HSAIL 1.n that introduced it
  bool full_profile_only = false;
  bool image_extension = false;  // needs extension "IMAGE"
  Range slots;
  Range operands;
  Range implied;  // implied(): fields of the format that the text does not show
  Range where;    // conditions that tell this variant from others with the same fields
  Range rules;
  Text name;    // "float", for documentation and diagnostics
  Text clause;  // "5.11.1"
};

/// A field of the format that has a prescribed value because the mnemonic does not show it: width of br, ...
struct Implied {
  Field field = Field::type;
  uint16_t value = 0;     // canonical
  uint16_t accepted = 0;  // value_set(): what readers accept
  bool copies = false;    // the value must be that of the field same_as instead
  Field same_as = Field::type;
};

struct Instruction {
  Text mnemonic;
  Text summary;
  Text clause;
  Range variants;
  Convergence convergence = Convergence::none;
  MemoryEffect memory = MemoryEffect::none;
};

/// The instruction with this opcode; null if there is none.
const Instruction* instruction(unsigned opcode);
const Instruction* instruction(std::string_view mnemonic);
/// What holds for all instructions of the opcode; none if there is no such opcode.
Convergence convergence(unsigned opcode);
MemoryEffect memory_effect(unsigned opcode);
/// Whether the work-items of a wavefront that come to an instruction execute it together, as one.
inline bool is_collective(Convergence convergence) {
  return convergence == Convergence::cross_lane || convergence == Convergence::wavebarrier ||
         convergence == Convergence::fbarrier;
}
inline bool is_call(unsigned opcode) { return memory_effect(opcode) == MemoryEffect::call; }
/// All instructions: the one at index n has opcode n.
std::span<const Instruction> instructions();

std::span<const Variant> variants(const Instruction& instruction);
std::span<const Slot> slots(const Variant& variant);
std::span<const Operand> operands(const Variant& variant);
std::span<const Implied> implied(const Variant& variant);
std::span<const Rule> rules(const Variant& variant);

/// Type of one element of the operand (NONE if it has no type), after the variant matched.
Type operand_type(const Operand& operand, const Fields& fields);
/// Number of elements; 1 = not a vector. With an unknown Field::vector: 0.
unsigned operand_elements(const Operand& operand, const Fields& fields);
/// WAVESIZE is allowed in sources of integer or bit type up to 64 bits, but not of b1 (PRM 4.8.5, 4.16.1).
bool accepts_wavesize(const Operand& operand, const Fields& fields);
bool accepts_register(const Operand& operand);
bool accepts_immediate(const Operand& operand);
/// Index of the operand whose element count is Field::vector; -1 if the instruction has none. A reader of
/// BRIG sets Field::vector to the number of elements of that operand (1 if it is not an operand_list) before
/// match().
int vector_operand(unsigned opcode);

/// Why fields fit no variant, or break a rule. `id` is stable: "HSAIL-<clause>-<what>".
struct Violation {
  std::string id;
  std::string message;
  Field field = Field::type;
};

/// The variant of the instruction. On failure the violation is that of the variant that fits best.
Result<const Variant*, Violation> match(const Fields& fields);

/// What rules may depend on beside the instruction.
struct Environment {
  unsigned machine_model = HSA_BRIG_MACHINE_MODEL_LARGE;
  unsigned profile = HSA_BRIG_PROFILE_FULL;
  unsigned hsail_minor = HSA_BRIG_VERSION_HSAIL_MINOR;
  bool image_extension = true;
};

/// One requirement beyond the domains of the slots: when all of `when` hold, all of `require` must.
struct Rule {
  Range when;
  Range require;
  bool warning = false;  // reported, but the module stays usable
  Text id;
  Text message;
};

/// Result of check(): a broken rule. `rule` is null for the requirements that stand in Variant itself.
struct BrokenRule {
  const Rule* rule = nullptr;
  bool warning = false;
  Violation violation;
};

/// Calls `report(BrokenRule)` for every rule that the instruction breaks in this environment, in the order of
/// the tables. Returns true if there was none but warnings.
template <typename Report>
bool check(const Variant& variant, const Fields& fields, const Environment& environment, Report&& report);

/// A mnemonic, taken apart.
struct Mnemonic {
  const Variant* variant = nullptr;
  Fields fields;  // complete: defaults and implied values filled in, canonical format chosen
};

/// `offset` and `length` are bytes of the text given to parse_mnemonic.
struct MnemonicError {
  uint32_t offset = 0;
  uint32_t length = 0;
  std::string id;
  std::string message;
};

/// Reads a whole mnemonic: the opcode and all its modifiers and types, as one run with the parentheses of
/// align(), equiv() and width() inside ("ld_v4_readonly_align(8)_width(all)_f32"). Modifiers must be in the
/// order of the syntax tables of the PRM. White space is accepted around parentheses.
Result<Mnemonic, MnemonicError> parse_mnemonic(std::string_view text);

/// The canonical text: modifiers in the order of the syntax tables, those with their default value omitted.
/// Prior condition: `variant` is what match() gave for `fields`. An unknown Field::vector prints as scalar.
std::string print_mnemonic(const Variant& variant, const Fields& fields);

/// Fields of the variant with all defaults and implied values; required slots are 0.
Fields default_fields(const Variant& variant);
/// Gives the modifiers that the format of `fields` does not store (InstBasic in place of InstMod) their
/// defaults, and an unknown Field::vector of a variant without vector operand the value 1. parse_mnemonic()
/// does it itself.
void complete(const Variant& variant, Fields& fields);
/// Chooses the canonical format: InstBasic if the variant allows it and every modifier has its default.
void canonicalize(const Variant& variant, Fields& fields);

namespace detail {
std::optional<Violation> misfit(const Variant& variant, const Fields& fields);
bool next_broken_rule(const Variant& variant, const Fields& fields, const Environment& environment,
                      size_t& position, BrokenRule& broken);
}  // namespace detail

template <typename Report>
bool check(const Variant& variant, const Fields& fields, const Environment& environment, Report&& report) {
  bool clean = true;
  BrokenRule broken;
  for (size_t position = 0; detail::next_broken_rule(variant, fields, environment, position, broken);) {
    clean = clean && broken.warning;
    report(broken);
  }
  return clean;
}

}  // namespace heddle::isa
