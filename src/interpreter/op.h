// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstdint>
#include <vector>

#include "hsail/brig/event_trigger.h"
#include "hsail/brig/module.h"
#include "hsail/isa/isa.h"
#include "interpreter/exact.h"
#include "interpreter/interpreter.h"

/// Decoded code, which is what the interpreter executes.
namespace heddle::interpreter {

struct Context;
struct Op;

/// A value of up to 128 bits, little-endian.
struct Value {
  uint64_t lo = 0;
  uint64_t hi = 0;
};

constexpr uint64_t low_mask(unsigned bits) { return bits >= 64 ? ~uint64_t{0} : (uint64_t{1} << bits) - 1; }
constexpr int64_t sign_extend(uint64_t value, unsigned bits) {
  return static_cast<int64_t>(value << (64 - bits)) >> (64 - bits);
}

/// Element `index` of a packed value with elements of `bits` bits; index 0 is the least significant.
constexpr uint64_t element(const Value& value, unsigned index, unsigned bits) {
  const unsigned at = index * bits;
  return (at < 64 ? value.lo >> at : value.hi >> (at - 64)) & low_mask(bits);
}
constexpr void set_element(Value& value, unsigned index, unsigned bits, uint64_t element) {
  const unsigned at = index * bits;
  uint64_t& word = at < 64 ? value.lo : value.hi;
  const uint64_t mask = low_mask(bits) << at % 64;
  word = (word & ~mask) | (element << at % 64 & mask);
}

enum class Kind : uint8_t { none, bit, unsigned_integer, signed_integer, floating };
Kind kind_of(isa::Type scalar);

/// What an elementary operation is applied to, and how: the type of one element, and the modifiers.
struct Shape {
  Kind kind = Kind::none;         ///< of the result
  Kind source_kind = Kind::none;  ///< of the source type if there is one, otherwise as `kind`
  uint8_t bits = 0;               ///< size of the result
  uint8_t source_bits = 0;
  bool saturate = false;
  bool flush = false;
  Rounding rounding = Rounding::near_even;
  uint8_t round = 0;    ///< hsa_brig_round_t as encoded: integer rounding of cvt
  uint8_t compare = 0;  ///< hsa_brig_compare_operation_t

  const Format& format() const { return format_of(bits); }
  const Format& source_format() const { return format_of(source_bits); }
  bool is_signed() const { return kind == Kind::signed_integer; }
  Mode mode() const { return {rounding, flush, 0}; }
};

/// An operation on single values without any other effect, used for scalars and for the elements of packed
/// values. Sources are zero-extended, and bits of the result above shape.bits are ignored. Exceptions are
/// or-ed into `raised`.
using Elementary = uint64_t (*)(const Shape& shape, const uint64_t* sources, uint32_t& raised);

/// Executes one instruction in the current work-item.
using Handler = void (*)(Context& context, const Op& op);

struct Operand {
  enum class Kind : uint8_t {
    none,
    reg,       ///< `index` is the first word in the register file of the activation
    constant,  ///< `index` in Function::constants
    symbolic,  ///< constant with addr() in it: `index` in Function::symbolic_constants
    vector,    ///< `count` operands from `index` in Function::operands
    address,   ///< `index` in Function::addresses
    fbarrier,  ///< `index` is a symbol: Kernel::group_offsets
    other,     ///< labels, functions, arguments: see Op::target
  };
  Kind kind = Kind::none;
  uint8_t count = 1;
  uint8_t bits = 0;    ///< of the register, or of the type for constants
  isa::Type type = 0;  ///< type that the instruction expects; 0 if it expects none
  uint32_t index = 0;
};

/// An immediate whose value, or some elements of whose packed value, are addr(symbol + addend).
struct SymbolicConstant {
  struct Piece {
    int32_t symbol = -1;
    uint64_t addend = 0;
    uint8_t element = 0;  ///< position in units of `bits`
    uint8_t bits = 64;
  };
  Value value;  ///< the value with zeros in place of the pieces
  std::vector<Piece> pieces;
};

/// An address expression: base + register + offset, modulo the size of addresses of the segment.
struct Address {
  enum class Base : uint8_t {
    none,
    symbol,          ///< global, readonly: `index` is a symbol
    kernarg,         ///< `index` is an offset in the kernarg segment
    group,           ///< `index` is a symbol: Kernel::group_offsets
    module_private,  ///< `index` is a symbol: Kernel::private_offsets
    frame,   ///< private, spill and arg variables of the activation: `index` is an offset in its memory
    formal,  ///< formal argument of a function: `index` in the bindings of the activation
  };
  Base base = Base::none;
  bool is_32bit = false;
  uint32_t index = 0;
  uint32_t size = 0;  ///< Base::frame: bytes of the variable
  int32_t reg = -1;   ///< first word in the register file; -1: none
  uint8_t reg_bits = 0;
  uint64_t offset = 0;
};

struct Op {
  Handler handler = nullptr;
  Elementary elementary = nullptr;
  Shape shape;
  uint16_t opcode = 0;
  isa::Type type = 0;
  isa::Type source_type = 0;
  uint8_t geometry = 0;  ///< of image instructions
  uint8_t detail = 0;    ///< of image instructions: type of the coordinates, or the property of a query
  uint8_t operand_count = 0;
  uint8_t exceptions = 0;  ///< hsa_brig_exceptions_t that the instruction may raise (PRM 12.2), or-ed
  uint8_t pack = 0;
  uint8_t segment = 0;
  uint8_t align = 0;  ///< log2 + 1 of the alignment of alloca
  uint8_t order = 0;
  uint8_t scope = 0;
  uint8_t atomic = 0;
  bool nonull = false;
  bool collective = false;  ///< executed once for all active lanes of a wavefront (Context::active)
  uint32_t operands = 0;    ///< first in Function::operands
  uint32_t target = 0;      ///< branch: op; sbr: Function::tables; calls: Function::calls; event triggers:
                            ///< Function::events
  brig::Offset offset = 0;  ///< of the instruction in hsa_code
};

/// An actual argument: memory of the caller's activation, or a formal argument of the caller that is passed
/// on.
struct Actual {
  bool is_formal = false;
  uint32_t index = 0;  ///< offset in the frame, or index in the bindings
  uint32_t size = 0;
};

struct CallSite {
  std::vector<const Function*> targets;  ///< call: one; scall: as listed; icall: none
  std::vector<Actual> actuals;           ///< outputs, then inputs
  uint32_t formal_count = 0;
};

/// A pragma that triggers a profile event.
struct EventSite {
  struct Value {
    brig::EventValue::Kind kind = brig::EventValue::Kind::number64;
    Operand operand;        ///< of a number
    std::string_view text;  ///< of a string: in the module, and not terminated by a null character
  };
  Operand event;
  std::vector<Value> values;
};

struct Function {
  const DecodedProgram* program = nullptr;
  link::Reference definition;
  std::vector<Op> ops;  ///< ends with ret
  std::vector<Operand> operands;
  std::vector<Value> constants;
  std::vector<SymbolicConstant> symbolic_constants;
  std::vector<Address> addresses;
  std::vector<std::vector<uint32_t>> tables;  ///< of sbr
  std::vector<CallSite> calls;
  std::vector<EventSite> events;
  std::vector<uint32_t> joins;  ///< by op; empty if waves have one lane (find_joins())
  uint32_t register_words = 0;
  uint32_t frame_size = 0;  ///< bytes of private, spill and arg-block variables
  uint32_t frame_align = 1;
  uint32_t formal_count = 0;
  uint32_t detect_exceptions = 0;  ///< enabledetectexceptions of the code block
  uint32_t break_exceptions = 0;   ///< enablebreakexceptions of the code block

  const brig::Module& module() const { return program->program().modules()[definition.module]; }
};

struct DecodedProgram::Parts {
  /// By symbol; null except for defined kernels and functions.
  std::vector<std::unique_ptr<Function>> functions;
  std::vector<std::unique_ptr<Kernel>> kernels;  ///< by symbol
};

/// Decodes the code block of `function` (definition and program are set) into it. `functions` may point to
/// functions that are not decoded yet.
void decode(Function& function, const DecodedProgram::Parts& parts);

/// Fills Function::joins: for each op at which work-items can diverge, the op at which all of them join
/// again.
void find_joins(Function& function);

/// Chooses handler and elementary operation for the op, from its opcode, types and shape. Leaves the handler
/// that faults if there is none.
void select(Op& op);
/// Triggers the event of Function::events[op.target].
void run_event(Context& context, const Op& op);
/// Whether select() found more than the handler that faults.
bool is_supported(const Op& op);

}  // namespace heddle::interpreter
