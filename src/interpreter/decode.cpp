// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Decodes the BRIG of one code block into a Function.
#include <algorithm>
#include <cassert>
#include <cstring>
#include <unordered_map>

#include <hsa/hsa_brig_directives.h>
#include <hsa/hsa_brig_opcodes.h>

#include "hsail/brig/operands.h"
#include "hsail/isa/rounding.h"
#include "hsail/isa/types.h"
#include "interpreter/op.h"
#include "support/align.h"

namespace heddle::interpreter {
namespace {

using brig::Module;
using brig::Offset;
using isa::Field;

bool is_saturating(unsigned pack) { return pack >= HSA_BRIG_PACK_PPSAT && pack <= HSA_BRIG_PACK_PSAT; }

class Decoder {
 public:
  Decoder(Function& function, const DecodedProgram::Parts& parts)
      : function_(function),
        parts_(parts),
        program_(function.program->program()),
        module_(function.module()),
        executable_(module_.code_as<hsa_brig_directive_executable_t>(function.definition.offset)) {}

  void run() {
    lay_out_registers();
    lay_out_formals();
    lay_out_frame_and_labels();
    for (Offset at = executable_.first_code_block_entry; at < executable_.next_module_entry;
         at = module_.next_code(at)) {
      if (module_.is_instruction(at))
        function_.ops.push_back(instruction(at));
      else if (auto trigger = executed_trigger(at))
        function_.ops.push_back(event(at, *trigger));
    }
    Op ret;  // PRM 10.9: the end of a code block returns
    ret.opcode = HSA_BRIG_OPCODE_RET;
    ret.offset = executable_.next_module_entry;
    select(ret);
    function_.ops.push_back(ret);
    if (function_.program->wave_size() > 1) prepare_for_waves();
  }

 private:
  /// PRM 10.9.2: in divergent control flow `ret` is a jump to the end, where the lanes return together.
  void prepare_for_waves() {
    const auto last = static_cast<uint32_t>(function_.ops.size() - 1);
    for (uint32_t i = 0; i < last; ++i) {
      if (function_.ops[i].opcode == HSA_BRIG_OPCODE_RET) return_to(function_.ops[i], last);
    }
    find_joins(function_);
  }

  void return_to(Op& op, uint32_t last) {
    op.opcode = HSA_BRIG_OPCODE_BR;
    select(op);
    op.opcode = HSA_BRIG_OPCODE_RET;
    op.target = last;
  }

  // ---- layouts ----
  void lay_out_registers() {
    const brig::RegisterCounts counts = brig::register_counts(module_, function_.definition.offset);
    first_register_[HSA_BRIG_REGISTER_KIND_CONTROL] = 0;
    first_register_[HSA_BRIG_REGISTER_KIND_SINGLE] = counts.control;
    first_register_[HSA_BRIG_REGISTER_KIND_DOUBLE] = counts.control + counts.single;
    first_register_[HSA_BRIG_REGISTER_KIND_QUAD] = counts.control + counts.single + counts.wide;
    function_.register_words = counts.control + counts.single + counts.wide + 2 * counts.quad;
  }

  void lay_out_formals() {
    const std::vector<Offset> formals = link::formals(module_, function_.definition.offset);
    function_.formal_count = static_cast<uint32_t>(formals.size());
    for (uint32_t i = 0; i < formals.size(); ++i) formal_index_.emplace(formals[i], i);
    if (module_.code_entry(function_.definition.offset).kind != HSA_BRIG_KIND_DIRECTIVE_KERNEL) return;
    function_.formal_count = 0;
    for (const link::KernargSlot& slot : program_.kernarg_layout(function_.definition).slots) {
      kernarg_offset_.emplace(slot.variable, static_cast<uint32_t>(slot.offset));
    }
  }

  /// Lays out the private, spill and arg variables of the code block one after the other, and turns labels
  /// into indices of ops.
  void lay_out_frame_and_labels() {
    uint64_t size = 0;
    uint32_t ops = 0;
    for (Offset at = executable_.first_code_block_entry; at < executable_.next_module_entry;
         at = module_.next_code(at)) {
      if (module_.is_instruction(at) || executed_trigger(at)) {
        ++ops;
        continue;
      }
      switch (module_.code_entry(at).kind) {
        case HSA_BRIG_KIND_DIRECTIVE_LABEL:
          op_of_label_.emplace(at, ops);
          break;
        case HSA_BRIG_KIND_DIRECTIVE_CONTROL:
          control(at);
          break;
        case HSA_BRIG_KIND_DIRECTIVE_VARIABLE: {
          const unsigned segment = module_.code_as<hsa_brig_directive_variable_t>(at).segment;
          if (segment != HSA_BRIG_SEGMENT_PRIVATE && segment != HSA_BRIG_SEGMENT_SPILL &&
              segment != HSA_BRIG_SEGMENT_ARG) {
            break;
          }
          const uint64_t align = link::variable_align(module_, at);
          size = align_up(size, align);
          frame_offset_.emplace(at, static_cast<uint32_t>(std::min<uint64_t>(size, UINT32_MAX)));
          size += std::min<uint64_t>(link::variable_size(module_, at), UINT32_MAX);
          function_.frame_align = std::max(function_.frame_align, static_cast<uint32_t>(align));
          break;
        }
        default:
          break;
      }
    }
    // A frame that is too large is detected when it is entered, because private memory is smaller than this.
    function_.frame_size = static_cast<uint32_t>(std::min<uint64_t>(size, UINT32_MAX));
  }

  void control(Offset at) {
    const auto& directive = module_.code_as<hsa_brig_directive_control_t>(at);
    const bool detects = directive.control == HSA_BRIG_CONTROL_DIRECTIVE_ENABLEDETECTEXCEPTIONS;
    if (!detects && directive.control != HSA_BRIG_CONTROL_DIRECTIVE_ENABLEBREAKEXCEPTIONS) return;
    uint32_t& enabled = detects ? function_.detect_exceptions : function_.break_exceptions;
    for (Offset operand : module_.offsets(directive.operands)) {
      if (brig::is_constant_bytes(module_, operand)) {
        enabled |= static_cast<uint32_t>(brig::integer_value(module_, operand));
      }
    }
  }

  // ---- instructions ----
  Op instruction(Offset at) {
    const isa::Fields fields = brig::instruction_fields(module_, at);
    Op op;
    op.offset = at;
    op.opcode = fields.opcode;
    op.type = fields.type();
    op.source_type = fields.source_type();
    op.pack = static_cast<uint8_t>(fields[Field::pack]);
    op.segment = static_cast<uint8_t>(fields[Field::segment]);
    op.align = static_cast<uint8_t>(fields[Field::align]);
    op.order = static_cast<uint8_t>(fields[Field::memory_order]);
    op.scope = static_cast<uint8_t>(fields[Field::memory_scope]);
    op.atomic = static_cast<uint8_t>(fields[Field::atomic_operation]);
    op.geometry = static_cast<uint8_t>(fields[Field::geometry]);
    op.detail = static_cast<uint8_t>(op.opcode == HSA_BRIG_OPCODE_QUERYSAMPLER ? fields[Field::sampler_query]
                                     : op.opcode == HSA_BRIG_OPCODE_QUERYIMAGE ? fields[Field::image_query]
                                                                               : fields[Field::coord_type]);
    op.nonull = fields[Field::nonull] != 0;
    op.shape = shape(fields);
    const auto variant = isa::match(fields);
    if (variant) {
      op.exceptions = (*variant)->exceptions;
      operands(op, isa::operands(**variant), fields);
      references(op, at);
      select(op);
    } else {
      op.opcode = UINT16_MAX;  // no such instruction: select() then leaves the handler that faults
      select(op);
      op.opcode = fields.opcode;
    }
    return op;
  }

  // ---- event triggers ----
  /// Returns what a pragma triggers. One that is wrong triggers nothing, as finalization has said.
  std::optional<brig::EventTrigger> executed_trigger(Offset at) const {
    if (!brig::is_event_trigger(module_, at)) return std::nullopt;
    auto trigger = brig::event_trigger(module_, at);
    return trigger ? std::optional(std::move(*trigger)) : std::nullopt;
  }

  /// To everything else that looks at ops, a trigger is a nop.
  Op event(Offset at, const brig::EventTrigger& trigger) {
    Op op;
    op.offset = at;
    op.opcode = HSA_BRIG_OPCODE_NOP;
    op.handler = run_event;
    op.target = static_cast<uint32_t>(function_.events.size());
    EventSite site;
    site.event = number(trigger.event);
    for (const brig::EventValue& value : trigger.values) {
      using Kind = brig::EventValue::Kind;
      const bool is_number = value.kind == Kind::number32 || value.kind == Kind::number64;
      site.values.push_back({value.kind, is_number ? number(value.operand) : Operand(), value.text});
    }
    function_.events.push_back(std::move(site));
    return op;
  }

  /// A number of a pragma: a register, which is read as a whole, a constant, or WAVESIZE.
  Operand number(Offset entry) {
    isa::Type type = HSA_BRIG_TYPE_U64;
    if (brig::is_register(module_, entry)) type = HSA_BRIG_TYPE_NONE;
    if (brig::is_constant_bytes(module_, entry)) type = brig::constant_type(module_, entry);
    return operand(entry, type, HSA_BRIG_SEGMENT_NONE);
  }

  Shape shape(const isa::Fields& fields) const {
    Shape shape;
    const isa::Type type = isa::base_type(fields.type());
    const isa::Type source = fields.source_type() != 0 ? isa::base_type(fields.source_type()) : type;
    shape.kind = kind_of(type);
    shape.bits = static_cast<uint8_t>(isa::bit_size(type));
    shape.source_kind = kind_of(source);
    shape.source_bits = static_cast<uint8_t>(isa::bit_size(source));
    shape.saturate = fields[Field::sat] != 0 || is_saturating(fields[Field::pack]);
    shape.flush = fields[Field::ftz] != 0;
    shape.round = static_cast<uint8_t>(fields[Field::round]);
    shape.rounding = isa::float_rounding(fields[Field::round], program_.default_rounding(module_));
    shape.compare = static_cast<uint8_t>(fields[Field::compare]);
    return shape;
  }

  void operands(Op& op, std::span<const isa::Operand> specified, const isa::Fields& fields) {
    const std::span<const Offset> given = module_.instruction_operands(op.offset);
    const size_t count = std::min(given.size(), specified.size());
    op.operand_count = static_cast<uint8_t>(count);
    op.operands = static_cast<uint32_t>(function_.operands.size());
    function_.operands.resize(function_.operands.size() + count);
    for (size_t i = 0; i < count; ++i) {
      Operand decoded = operand(given[i], isa::operand_type(specified[i], fields), op.segment);
      function_.operands[op.operands + i] = decoded;
    }
  }

  Operand operand(Offset entry, isa::Type type, unsigned segment) {
    Operand result;
    result.type = type;
    result.bits = static_cast<uint8_t>(isa::bit_size(type));
    switch (brig::operand_kind(module_, entry)) {
      case HSA_BRIG_KIND_OPERAND_REGISTER: {
        const brig::Register reg = brig::register_of(module_, entry);
        result.kind = Operand::Kind::reg;
        result.bits = static_cast<uint8_t>(isa::register_bits(reg.kind));
        result.index = register_word(reg);
        break;
      }
      case HSA_BRIG_KIND_OPERAND_ADDRESS:
        result.kind = Operand::Kind::address;
        result.index = static_cast<uint32_t>(function_.addresses.size());
        function_.addresses.push_back(address(entry, segment));
        break;
      case HSA_BRIG_KIND_OPERAND_OPERAND_LIST: {
        const std::span<const Offset> elements = brig::vector_elements(module_, entry);
        result.kind = Operand::Kind::vector;
        result.count = static_cast<uint8_t>(elements.size());
        result.index = static_cast<uint32_t>(function_.operands.size());
        function_.operands.resize(function_.operands.size() + elements.size());
        for (size_t i = 0; i < elements.size(); ++i) {
          Operand element = operand(elements[i], type, segment);
          function_.operands[result.index + i] = element;
        }
        break;
      }
      case HSA_BRIG_KIND_OPERAND_WAVESIZE:
        // WAVESIZE as a b1 is true because it is not zero; its lowest bit does not matter
        // (docs/spec-decisions.md).
        constant(result, {result.bits == 1 ? 1 : function_.program->wave_size(), 0});
        break;
      case HSA_BRIG_KIND_OPERAND_CONSTANT_BYTES: {
        Value value;
        std::byte bytes[16];
        if (brig::immediate_bits(module_, entry, type, bytes)) std::memcpy(&value, bytes, sizeof bytes);
        constant(result, value);
        break;
      }
      case HSA_BRIG_KIND_OPERAND_CONSTANT_EXPRESSION:
      case HSA_BRIG_KIND_OPERAND_CONSTANT_OPERAND_LIST:
        symbolic(result, entry);
        break;
      case HSA_BRIG_KIND_OPERAND_CODE_REF: {
        const Offset target = brig::code_ref(module_, entry);
        result.kind = Operand::Kind::other;
        if (module_.code_entry(target).kind != HSA_BRIG_KIND_DIRECTIVE_FBARRIER) break;
        result.kind = Operand::Kind::fbarrier;
        result.index = static_cast<uint32_t>(program_.symbol_of({function_.definition.module, target}));
        break;
      }
      default:
        result.kind = Operand::Kind::other;
        break;
    }
    return result;
  }

  uint32_t register_word(brig::Register reg) const {
    assert(reg.kind < std::size(first_register_));
    return first_register_[reg.kind] + reg.number * (reg.kind == HSA_BRIG_REGISTER_KIND_QUAD ? 2u : 1u);
  }

  void constant(Operand& result, Value value) {
    result.kind = Operand::Kind::constant;
    result.index = static_cast<uint32_t>(function_.constants.size());
    function_.constants.push_back(value);
  }

  /// addr() and nullptr, alone or as elements of a packed constant.
  void symbolic(Operand& result, Offset entry) {
    SymbolicConstant constant;
    brig::for_each_leaf(module_, entry, [&](uint64_t offset, Offset leaf) {
      if (!brig::is_expression(module_, leaf)) {
        const auto bytes = brig::constant_bytes(module_, leaf);
        if (offset + bytes.size() > sizeof constant.value) return;
        std::memcpy(reinterpret_cast<std::byte*>(&constant.value) + offset, bytes.data(), bytes.size());
        return;
      }
      const brig::Expression expression = brig::expression_of(module_, leaf);
      const unsigned bits = isa::bit_size(expression.type);
      const auto element = static_cast<uint8_t>(offset * 8 / bits);
      switch (expression.operation) {
        case HSA_BRIG_EXPRESSION_OPERATION_ADDR:
          constant.pieces.push_back({program_.symbol_of({function_.definition.module, expression.symbol}),
                                     expression.displacement, element, static_cast<uint8_t>(bits)});
          break;
        case HSA_BRIG_EXPRESSION_OPERATION_NULLPTR_GROUP:
          set_element(constant.value, element, bits, null_group);
          break;
        case HSA_BRIG_EXPRESSION_OPERATION_NULLPTR_PRIVATE:
          set_element(constant.value, element, bits, null_private);
          break;
        default:
          break;  // the null of flat, global and kernarg addresses is 0
      }
    });
    result.kind = Operand::Kind::symbolic;
    result.index = static_cast<uint32_t>(function_.symbolic_constants.size());
    function_.symbolic_constants.push_back(std::move(constant));
  }

  Address address(Offset entry, unsigned segment) {
    const brig::Address written = brig::address_of(module_, entry);
    Address result;
    result.offset = written.offset;
    if (written.reg != 0) {
      result.reg = static_cast<int32_t>(register_word(brig::register_of(module_, written.reg)));
    }
    if (written.symbol != 0) {
      segment = module_.code_as<hsa_brig_directive_variable_t>(written.symbol).segment;
      base(result, written.symbol, segment);
    }
    result.is_32bit = isa::address_bits(segment, program_.options().machine_model) == 32;
    return result;
  }

  void base(Address& result, Offset variable, unsigned segment) {
    const auto symbol = static_cast<uint32_t>(program_.symbol_of({function_.definition.module, variable}));
    const auto frame = frame_offset_.find(variable);
    if (frame != frame_offset_.end()) {
      result.base = Address::Base::frame;
      result.index = frame->second;
      result.size =
          static_cast<uint32_t>(std::min<uint64_t>(link::variable_size(module_, variable), UINT32_MAX));
    } else if (const auto kernarg = kernarg_offset_.find(variable); kernarg != kernarg_offset_.end()) {
      result.base = Address::Base::kernarg;
      result.index = kernarg->second;
    } else if (const auto formal = formal_index_.find(variable); formal != formal_index_.end()) {
      result.base = Address::Base::formal;
      result.index = formal->second;
    } else {
      assert(static_cast<int32_t>(symbol) >= 0 && "what is not in the activation has a symbol");
      result.index = symbol;
      result.base = segment == HSA_BRIG_SEGMENT_GROUP     ? Address::Base::group
                    : segment == HSA_BRIG_SEGMENT_PRIVATE ? Address::Base::module_private
                                                          : Address::Base::symbol;
    }
  }

  // ---- labels, functions, arguments ----
  void references(Op& op, Offset at) {
    const std::span<const Offset> given = module_.instruction_operands(at);
    switch (op.opcode) {
      case HSA_BRIG_OPCODE_BR:
        op.target = label(brig::code_ref(module_, given[0]));
        break;
      case HSA_BRIG_OPCODE_CBR:
        op.target = label(brig::code_ref(module_, given[1]));
        break;
      case HSA_BRIG_OPCODE_SBR: {
        std::vector<uint32_t> table;
        for (Offset directive : brig::code_list(module_, given[1])) table.push_back(label(directive));
        op.target = static_cast<uint32_t>(function_.tables.size());
        function_.tables.push_back(std::move(table));
        break;
      }
      case HSA_BRIG_OPCODE_CALL:
        call(op, given[0], given[2]);
        callee(brig::code_ref(module_, given[1]));
        break;
      case HSA_BRIG_OPCODE_SCALL:
        call(op, given[0], given[2]);
        for (Offset directive : brig::code_list(module_, given[3])) callee(directive);
        break;
      case HSA_BRIG_OPCODE_ICALL:
        call(op, given[0], given[2]);
        break;
      default:
        break;
    }
  }

  uint32_t label(Offset directive) const {
    const auto at = op_of_label_.find(directive);
    assert(at != op_of_label_.end() && "branches stay in their code block");
    return at->second;
  }

  void call(Op& op, Offset outputs, Offset inputs) {
    CallSite site;
    for (Offset list : {outputs, inputs}) {
      for (Offset variable : brig::code_list(module_, list)) {
        Address address;
        base(address, variable, HSA_BRIG_SEGMENT_ARG);
        site.actuals.push_back({address.base == Address::Base::formal, address.index, address.size});
      }
    }
    op.target = static_cast<uint32_t>(function_.calls.size());
    function_.calls.push_back(std::move(site));
  }

  void callee(Offset directive) {
    const int32_t symbol = program_.symbol_of({function_.definition.module, directive});
    assert(symbol >= 0 && "every function has a symbol, even one that no module defines");
    function_.calls.back().targets.push_back(parts_.functions[symbol].get());
  }

  Function& function_;
  const DecodedProgram::Parts& parts_;
  const link::Program& program_;
  const Module& module_;
  const hsa_brig_directive_executable_t& executable_;
  uint32_t first_register_[4] = {};
  std::unordered_map<Offset, uint32_t> formal_index_;
  std::unordered_map<Offset, uint32_t> kernarg_offset_;
  std::unordered_map<Offset, uint32_t> frame_offset_;
  std::unordered_map<Offset, uint32_t> op_of_label_;
};

}  // namespace

void decode(Function& function, const DecodedProgram::Parts& parts) { Decoder(function, parts).run(); }

}  // namespace heddle::interpreter
