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
/// operands, for example the integer, packed and floating-point forms of add. A variant determines the BRIG
/// format in which it is encoded, the *slots* of its mnemonic (in the order of the text form), the *operands*
/// it takes (in the order of the BRIG operand list), and further *rules* for its encodings.
///
///   text -> BRIG:  parse_mnemonic("ld_v2_global_align(8)_u32") returns Fields and the Variant; operands() of
///                  the variant then describes the operands to parse; encode() (hsail/isa/codec.h) makes the
///                  entry.
///   BRIG -> text:  decode() returns Fields; the caller sets Field::vector from the operand list (see
///                  vector_operand()); match() finds the variant; print_mnemonic() returns the canonical
///                  mnemonic.
///   checking:      match() returns the reason if no variant fits; if one does, check() applies its rules.
///   consumers:     complete() fills in the fields that InstBasic does not store, so that interpreter and
///                  compiler need not distinguish the formats.
///
/// Everything here concerns the fixed part of an instruction, not its operands or the sections of a module.
/// All functions are thread safe, accept any values (also from untrusted modules), and return references to
/// static tables.
namespace heddle::isa {

/// The properties that a mnemonic can express. Values are BRIG enumerators, except where noted.
enum class Field : uint8_t {
  type,         // hsa_brig_type_t; inst_base.type
  source_type,  // hsa_brig_type_t; also signal_type and image_type of the formats that have these instead
  coord_type,   // hsa_brig_type_t
  vector,       // number of elements of the vector operand: 1 (no vN), 2, 3, 4; 0 = unknown. Not in BRIG
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
  group_scope,       // hsa_brig_memory_scope_t: second scope of memfence; equals memory_scope, not in text
  atomic_operation,  // hsa_brig_atomic_operation_t; also the operation of signal instructions
  compare,           // hsa_brig_compare_operation_t
  geometry,          // hsa_ext_brig_image_geometry_t
  image_query,       // hsa_ext_brig_image_query_t
  sampler_query,     // hsa_ext_brig_sampler_query_t
};
inline constexpr size_t field_count = static_cast<size_t>(Field::sampler_query) + 1;

/// The fixed part of one instruction, independent of the BRIG format. A field that the instruction does not
/// have holds the value that BRIG prescribes for its absence: 0, except for the widths that InstBr
/// prescribes.
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

/// A range of consecutive elements of one of the generated tables.
struct Range {
  uint16_t first = 0;
  uint16_t count = 0;
};

/// A string in the generated string pool; see text().
struct Text {
  uint32_t offset = 0;
  uint16_t length = 0;
};
std::string_view text(Text text);

/// A set of field values below 128, which covers every field except equiv_class.
struct ValueSet {
  uint64_t low = 0;
  uint64_t high = 0;
  constexpr bool contains(unsigned value) const {
    return value < 64 ? (low >> value & 1) != 0 : value < 128 && (high >> (value - 64) & 1) != 0;
  }
};
const ValueSet& value_set(uint16_t index);

/// How a slot is written in text after its underscore.
enum class SlotForm : uint8_t {
  name,          // the spelling of the value: _global, _u32, _zeroi_sat, _v4
  flag,          // a fixed word that sets the field to 1: _ftz, _sat, _const, _nt, _nonull
  power_of_two,  // word(n), whose value is log2(n) + 1: _align(8)
  width,         // word(n), word(all), word(WAVESIZE): _width(all)
  number,        // word(n), n in 0..255: _equiv(3)
  literal,       // a fixed word that sets no field: _pp of packed cvt
};

/// One position in a mnemonic, which a modifier or a type can take.
struct Slot {
  Field field = Field::type;
  SlotForm form = SlotForm::name;
  bool optional = false;  // may be left out for default_value, as the canonical text does
  uint16_t default_value = 0;
  uint16_t domain = 0;  // value_set() of the legal values, including the default
  Text word;            // the fixed word, in all forms except name
};

/// What an operand may be. An immediate is a constant_bytes, constant_expression or constant_operand_list
/// that PRM 18.6.1 allows for the type of the operand.
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
  input_arguments,     // as output_arguments
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

/// Which other work-items the effect of an instruction depends on (PRM 2.12). For any class except none,
/// compilers must not change the conditions under which the instruction is executed.
enum class Convergence : uint8_t {
  none,
  communication,  // exchanges data with other work-items or observes their progress: atomics, fences,
                  // signals, queues, clock, exception state, state of an fbarrier, and calls, which may
                  // contain any instruction. Implies every effect on memory
  cross_lane,     // the result depends on all active lanes of the wavefront
  wavebarrier,    // all work-items of the wavefront execute it together
  barrier,        // all work-items of the work-group execute it
  fbarrier,       // the wavefront takes part in the fbarrier as one member
};

/// The effect on memory of an instruction that is not of class communication.
enum class MemoryEffect : uint8_t {
  none,
  load,   // reads from its address or image
  store,  // writes to its address or image
  stack,  // allocates private memory until the function returns
  call,   // has the effects of the called function
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
  Range where;    // conditions that distinguish this variant from others with the same fields
  Range rules;
  Text name;    // "float", for documentation and diagnostics
  Text clause;  // "5.11.1"
};

/// A field of the format that has a prescribed value because the mnemonic does not show it, such as the width
/// of br.
struct Implied {
  Field field = Field::type;
  uint16_t value = 0;     // canonical
  uint16_t accepted = 0;  // value_set() of the values that readers accept
  bool copies = false;    // instead, the value must equal that of the field same_as
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

/// Returns the instruction with this opcode or mnemonic, or null if there is none.
const Instruction* instruction(unsigned opcode);
const Instruction* instruction(std::string_view mnemonic);
/// Return what holds for all variants of the opcode, or none if there is no such opcode.
Convergence convergence(unsigned opcode);
MemoryEffect memory_effect(unsigned opcode);
/// Reports whether the work-items of a wavefront that reach an instruction of this class execute it together.
inline bool is_collective(Convergence convergence) {
  return convergence == Convergence::cross_lane || convergence == Convergence::wavebarrier ||
         convergence == Convergence::fbarrier;
}
inline bool is_call(unsigned opcode) { return memory_effect(opcode) == MemoryEffect::call; }
/// Returns all instructions. The one at index n has opcode n.
std::span<const Instruction> instructions();

std::span<const Variant> variants(const Instruction& instruction);
std::span<const Slot> slots(const Variant& variant);
std::span<const Operand> operands(const Variant& variant);
std::span<const Implied> implied(const Variant& variant);
std::span<const Rule> rules(const Variant& variant);

/// Returns the type of one element of the operand, or NONE if it has no type. `fields` must match the
/// variant.
Type operand_type(const Operand& operand, const Fields& fields);
/// Returns the number of elements of the operand. 1 means that it is not a vector, 0 that the number is
/// Field::vector and unknown.
unsigned operand_elements(const Operand& operand, const Fields& fields);
/// Reports whether the operand may be WAVESIZE: if it is a source of an integer or bit type of at most 64
/// bits other than b1 (PRM 4.8.5, 4.16.1).
bool accepts_wavesize(const Operand& operand, const Fields& fields);
bool accepts_register(const Operand& operand);
bool accepts_immediate(const Operand& operand);
/// Returns the index of the operand whose number of elements is Field::vector, or -1 if the instruction has
/// none. Before match(), a reader of BRIG sets Field::vector to the number of elements of that operand, 1 if
/// it is not an operand_list.
int vector_operand(unsigned opcode);

/// The reason why fields fit no variant or break a rule. `id` is stable and has the form
/// "HSAIL-<clause>-<what>".
struct Violation {
  std::string id;
  std::string message;
  Field field = Field::type;
};

/// Returns the variant of the instruction. If none fits, the violation concerns the variant that fits best.
Result<const Variant*, Violation> match(const Fields& fields);

/// What rules may depend on besides the instruction.
struct Environment {
  unsigned machine_model = HSA_BRIG_MACHINE_MODEL_LARGE;
  unsigned profile = HSA_BRIG_PROFILE_FULL;
  unsigned hsail_minor = HSA_BRIG_VERSION_HSAIL_MINOR;
  bool image_extension = true;
};

/// One requirement beyond the domains of the slots: if all conditions in `when` hold, all those in `require`
/// must hold.
struct Rule {
  Range when;
  Range require;
  bool warning = false;  // reported, but the module stays usable
  Text id;
  Text message;
};

/// A rule that check() found to be broken. `rule` is null for the requirements in Variant itself.
struct BrokenRule {
  const Rule* rule = nullptr;
  bool warning = false;
  Violation violation;
};

/// Calls `report(BrokenRule)` for every rule that the instruction breaks in this environment, in the order of
/// the tables. Returns true if there were no errors, only warnings or nothing.
template <typename Report>
bool check(const Variant& variant, const Fields& fields, const Environment& environment, Report&& report);

/// A parsed mnemonic.
struct Mnemonic {
  const Variant* variant = nullptr;
  Fields fields;  // with defaults and implied values, in the canonical format
};

/// `offset` and `length` give the position of the error, in bytes of the text given to parse_mnemonic().
struct MnemonicError {
  uint32_t offset = 0;
  uint32_t length = 0;
  std::string id;
  std::string message;
};

/// Parses a whole mnemonic: the opcode and all its modifiers and types, including the parentheses of align(),
/// equiv() and width() ("ld_v4_readonly_align(8)_width(all)_f32"). Modifiers must be in the order of the
/// syntax tables of the PRM. White space is accepted around parentheses.
Result<Mnemonic, MnemonicError> parse_mnemonic(std::string_view text);

/// Returns the canonical mnemonic, with modifiers in the order of the syntax tables and without those that
/// have their default value. Precondition: match() returned `variant` for `fields`. An unknown Field::vector
/// is printed as for a scalar.
std::string print_mnemonic(const Variant& variant, const Fields& fields);

/// Returns fields of the variant with all defaults and implied values. The fields of required slots are 0.
Fields default_fields(const Variant& variant);
/// Sets the modifiers that the format of `fields` does not store, as with InstBasic instead of InstMod, to
/// their defaults, and Field::vector of a variant without vector operand to 1. Results of parse_mnemonic()
/// are complete.
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
