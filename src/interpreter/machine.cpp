// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "interpreter/machine.h"

#include <cassert>
#include <cstring>

#include <fmt/format.h>

#include "hsail/isa/names.h"
#include "hsail/isa/types.h"
#include "support/align.h"

namespace heddle::interpreter {
namespace {

/// Nothing of a program is ever placed below this address.
constexpr uint64_t null_page = 4096;

/// Names the kernel and the work-item, for messages.
std::string work_item(const Context& context) {
  const Group& group = context.group;
  const WorkItem& item = context.item;
  uint32_t absolute[3];
  for (unsigned i = 0; i < 3; ++i) absolute[i] = absolute_id(context, i);
  return fmt::format(
      "kernel {}, absolute work-item ({}, {}, {}), which is work-item ({}, {}, {}) of work-group ({}, {}, "
      "{})",
      group.kernel().name, absolute[0], absolute[1], absolute[2], item.id[0], item.id[1], item.id[2],
      group.id[0], group.id[1], group.id[2]);
}

/// Names the function and the instruction, for messages.
std::string position(const Context& context) {
  const brig::Module& module = context.function->module();
  std::string text = fmt::format("in {} of module {}", module.name(context.function->definition.offset),
                                 module.string(module.header().name));
  if (context.op != nullptr) {
    text += fmt::format(", {} at offset {} of hsa_code", isa::opcode_name(context.op->opcode),
                        context.op->offset);
  }
  return text;
}

/// Reports whether the words of a register operand lie in the register file of the function's activations.
[[maybe_unused]] bool is_register_of(const Function& function, const Operand& operand) {
  return operand.index + (operand.bits == 128 ? 2u : 1u) <= function.register_words;
}

}  // namespace

void fault(Context& context, std::string id, std::string message) {
  context.stop = true;
  if (context.group.fault) return;
  context.group.fault =
      Fault{std::move(id), fmt::format("{}: {}, {}", message, work_item(context), position(context))};
  if (context.op == nullptr) return;
  context.group.fault->module = &context.function->module();
  context.group.fault->instruction = context.op->offset;
}

void memory_fault(Context& context, uint64_t address, std::string message) {
  const bool is_first = !context.group.fault;
  fault(context, "INTERPRETER-memory-fault", std::move(message));
  if (is_first) context.group.fault->address = address;
}

std::string need_of_private_memory(std::string_view who, uint64_t needed, const WorkItem& item) {
  return fmt::format(
      "{} needs a private segment of {} bytes, but the work-item has {} (private_segment_size of the packet)",
      who, needed, item.memory_size);
}

Value read(const Context& context, const Operand& operand) {
  switch (operand.kind) {
    case Operand::Kind::reg:
      assert(is_register_of(*context.function, operand));
      return {context.registers[operand.index],
              operand.bits == 128 ? context.registers[operand.index + 1] : 0};
    case Operand::Kind::constant:
      assert(operand.index < context.function->constants.size());
      return context.function->constants[operand.index];
    case Operand::Kind::symbolic: {
      const SymbolicConstant& constant = context.function->symbolic_constants[operand.index];
      Value value = constant.value;
      for (const SymbolicConstant::Piece& piece : constant.pieces) {
        const uint64_t address = context.function->program->address(piece.symbol) + piece.addend;
        set_element(value, piece.element, piece.bits, address);
      }
      return value;
    }
    default:
      assert(false && "the operand has no value");
      return {};
  }
}

uint64_t read_scalar(const Context& context, const Operand& operand) {
  const unsigned bits = operand.type == 0 ? operand.bits : isa::bit_size(operand.type);
  return read(context, operand).lo & low_mask(bits);
}

void write(Context& context, const Operand& operand, isa::Type type, Value value) {
  assert(operand.kind == Operand::Kind::reg && is_register_of(*context.function, operand));
  const unsigned type_bits = isa::bit_size(type);
  if (type_bits < 64 && type_bits != 0) {
    value.lo &= low_mask(type_bits);
    if (isa::is_signed(type)) value.lo = static_cast<uint64_t>(sign_extend(value.lo, type_bits));
  }
  context.registers[operand.index] = value.lo & low_mask(operand.bits);
  if (operand.bits == 128) context.registers[operand.index + 1] = value.hi;
}

uint64_t effective_address(const Context& context, const Address& address) {
  uint64_t base = 0;
  switch (address.base) {
    case Address::Base::none:
      break;
    case Address::Base::symbol:
      base = context.function->program->address(static_cast<int32_t>(address.index));
      break;
    case Address::Base::kernarg:
      base = reinterpret_cast<uint64_t>(context.group.dispatch->kernarg) + address.index;
      break;
    case Address::Base::group:
      assert(address.index < context.group.kernel().group_offsets.size());
      base = context.group.kernel().group_offsets[address.index];
      break;
    case Address::Base::module_private:
      assert(address.index < context.group.kernel().private_offsets.size());
      base = context.group.kernel().private_offsets[address.index];
      break;
    case Address::Base::frame:
      base = context.frame->memory + address.index;
      break;
    case Address::Base::formal:
      assert(context.frame->bindings + address.index < context.item.bindings.size());
      base = context.item.bindings[context.frame->bindings + address.index].offset;
      break;
  }
  uint64_t offset = address.offset;
  if (address.reg >= 0) offset += context.registers[address.reg];
  const uint64_t result = base + offset;
  return address.is_32bit ? result & 0xffffffffu : result;
}

std::byte* locate_flat(Context& context, uint64_t address, uint64_t size, uint32_t align) {
  if (address < null_page) {
    memory_fault(context, address, fmt::format("access of {} bytes at address 0x{:x}", size, address));
    return nullptr;
  }
  if (address % align != 0) {
    fault(context, "INTERPRETER-unaligned-atomic",
          fmt::format("atomic access of {} bytes at address 0x{:x}, which is not a multiple of {}", size,
                      address, align));
    return nullptr;
  }
  return reinterpret_cast<std::byte*>(address);
}

std::byte* locate(Context& context, unsigned segment, const Address& address, uint64_t size, uint32_t align) {
  const uint64_t at = effective_address(context, address);
  // The access must lie within [begin, end) of `memory`.
  std::byte* memory = nullptr;
  uint64_t begin = 0, end = 0;
  switch (segment) {
    case HSA_BRIG_SEGMENT_GROUP:
      memory = context.group.memory;
      end = context.group.memory_size;
      break;
    case HSA_BRIG_SEGMENT_PRIVATE:
      memory = context.item.memory;
      end = context.item.top;
      break;
    case HSA_BRIG_SEGMENT_SPILL:
    case HSA_BRIG_SEGMENT_ARG:
      // These variables have no addresses that a program could compute with, so an access must stay inside
      // the variable that it names.
      memory = context.item.memory;
      if (address.base == Address::Base::formal) {
        const Binding& binding = context.item.bindings[context.frame->bindings + address.index];
        begin = binding.offset;
        end = begin + binding.size;
      } else {
        begin = context.frame->memory + address.index;
        end = begin + address.size;
      }
      break;
    default:
      return locate_flat(context, at, size, align);
  }
  if (at < begin || at > end || size > end - at) {
    fault(context, "INTERPRETER-out-of-bounds",
          fmt::format("access of {} bytes at offset {} of the {} segment, outside of [{}, {})", size, at,
                      isa::name(isa::Names::segment, segment), begin, end));
    return nullptr;
  }
  if (at % align != 0) {
    fault(
        context, "INTERPRETER-unaligned-atomic",
        fmt::format("atomic access of {} bytes at offset {} of the {} segment, which is not a multiple of {}",
                    size, at, isa::name(isa::Names::segment, segment), align));
    return nullptr;
  }
  return memory + at;
}

bool enter(Context& context, const Function& function, const CallSite* site) {
  assert((site == nullptr ? 0 : site->actuals.size()) == function.formal_count);
  WorkItem& item = context.item;
  Frame frame;
  frame.function = &function;
  frame.previous_top = item.top;
  frame.registers = static_cast<uint32_t>(item.registers.size());
  frame.bindings = static_cast<uint32_t>(item.bindings.size());
  const uint64_t memory = align_up(uint64_t{item.top}, function.frame_align);
  if (item.frames.size() >= context.group.options->call_depth) {
    fault(context, "INTERPRETER-stack-exhausted",
          fmt::format("{} activations of functions are as many as a work-item may have", item.frames.size()));
    return false;
  }
  if (memory + function.frame_size > item.memory_size) {
    const std::string who = fmt::format("activation {} of the work-item, of {},", item.frames.size() + 1,
                                        function.module().name(function.definition.offset));
    fault(context, "INTERPRETER-stack-exhausted",
          need_of_private_memory(who, memory + function.frame_size, item));
    return false;
  }
  frame.memory = static_cast<uint32_t>(memory);
  if (site != nullptr) {
    for (const Actual& actual : site->actuals) {
      item.bindings.push_back(actual.is_formal ? item.bindings[context.frame->bindings + actual.index]
                                               : Binding{context.frame->memory + actual.index, actual.size});
    }
  }
  item.top = static_cast<uint32_t>(memory + function.frame_size);
  // The contents are undefined, but zeroing makes them the same in every run.
  if (function.frame_size != 0) std::memset(item.memory + memory, 0, function.frame_size);
  item.registers.resize(item.registers.size() + function.register_words);
  item.frames.push_back(frame);
  context.load_frame();
  return true;
}

}  // namespace heddle::interpreter
