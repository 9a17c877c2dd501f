// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <span>
#include <string>
#include <unordered_map>

#include <hsa/hsa_brig_modifiers.h>

#include "finalizer/lower/program_lowering.h"
#include "finalizer/lower/variables.h"
#include "hsail/brig/operands.h"
#include "hsail/isa/isa.h"

namespace heddle::finalizer {

/// What takes the place of the registers when the lowering of a scalar instruction lowers the packed form of
/// it (PRM 4.14). The instruction's types are then those of an element, and values are vectors with as many.
struct PackedOperands {
  std::array<llvm::Value*, 5> sources = {};  ///< by operand index; null: the operand itself
  llvm::Value* result = nullptr;             ///< set by the lowering
};

/// One instruction, taken apart.
struct Instruction {
  brig::Offset offset = 0;
  isa::Fields fields;
  std::span<const brig::Offset> operands;
  PackedOperands* packed = nullptr;
  unsigned exceptions = 0;  ///< that it has to tell if it raises them: hsa_brig_exceptions_t, or-ed

  unsigned opcode() const { return fields.opcode; }
  isa::Type type() const { return fields.type(); }
  isa::Type source_type() const { return fields.source_type(); }
  unsigned operator[](isa::Field field) const { return fields[field]; }
};

/// Lowers the code block of one kernel or function.
///
/// Registers are variables of the LLVM function (c: i1, s: i32, d: i64, q: i128), zero at first, so that no
/// value is ever undefined; LLVM makes them SSA values. Labels are basic blocks.
///
/// Values of an HSAIL type: integers, bits and opaque types as iN with the N of the type; f32 and f64 as
/// float and double; f16 as the i16 of its bits, because no target need know `half`. Values of packed types
/// are vectors of these, the lowest element first.
class FunctionLowering {
 public:
  FunctionLowering(ProgramLowering& program, const Instance& instance, LoweredFunction& result);
  void run();

  // ---- what the lowerings of instructions use
  llvm::IRBuilder<>& ir() { return ir_; }
  const brig::Module& module() const { return module_; }
  ProgramLowering& program() { return program_; }
  const Instance& instance() const { return instance_; }
  LoweredFunction& result() { return result_; }

  /// The value of a source operand that has the type.
  llvm::Value* source(brig::Offset operand, isa::Type type);
  llvm::Value* source(const Instruction& instruction, unsigned index, isa::Type type) {
    llvm::Value* packed = instruction.packed ? instruction.packed->sources[index] : nullptr;
    return packed ? from_bits(packed, type) : source(instruction.operands[index], type);
  }
  llvm::Value* source(const Instruction& instruction, unsigned index) {
    return source(instruction, index, instruction.type());
  }
  /// Stores a value of the type to a destination register: 8- and 16-bit integers are extended by their
  /// signedness.
  void set(brig::Offset destination, llvm::Value* value, isa::Type type);
  void set(const Instruction& instruction, llvm::Value* value) {
    if (instruction.packed) {
      instruction.packed->result = value;
    } else {
      set(instruction.operands[0], value, instruction.type());
    }
  }

  /// The same bits as iN, or as a value of the type. Each element of a vector becomes an iN, or a value of
  /// the type; but a packed type takes all bits of the value.
  llvm::Value* as_bits(llvm::Value* value);
  llvm::Value* from_bits(llvm::Value* bits, isa::Type type);
  llvm::Type* llvm_type(isa::Type type);
  /// iN with the N of the type, packed or not.
  llvm::IntegerType* bits_type(isa::Type type);
  /// The same for values of as many elements as `like` has, which may be no vector.
  llvm::Type* llvm_type(isa::Type type, const llvm::Value* like) {
    return like->getType()->getWithNewType(llvm_type(type));
  }
  llvm::Type* bits_type(isa::Type type, const llvm::Value* like) {
    return like->getType()->getWithNewType(bits_type(type));
  }

  /// A call with vectors among its arguments is one call for each of their elements.
  llvm::Value* call(TargetOperation call, llvm::ArrayRef<llvm::Value*> arguments = {});
  /// A call of which no argument is a vector.
  llvm::CallInst* scalar_call(TargetOperation call, llvm::ArrayRef<llvm::Value*> arguments = {});
  llvm::Value* call(llvm::Intrinsic::ID intrinsic, llvm::ArrayRef<llvm::Value*> arguments);
  llvm::ConstantInt* i32(uint32_t value) { return ir_.getInt32(value); }
  llvm::ConstantInt* i64(uint64_t value) { return ir_.getInt64(value); }

  /// Address operands (PRM 4.18). `address` gives the segment address as i32 or i64 by the segment, `pointer`
  /// the place in memory and what is known about its alignment.
  llvm::Value* address(const Instruction& instruction, unsigned index, unsigned segment);
  struct Place {
    llvm::Value* pointer = nullptr;
    unsigned segment = 0;        ///< hsa_brig_segment_t
    uint64_t known_align = 1;    ///< of the memory, whatever the instruction says
    uint64_t align_limit = 256;  ///< what is promised of the segment address holds for the memory up to this
    bool constant = false;       ///< nobody writes there during a dispatch
    bool own = false;            ///< a variable of the LLVM function, perhaps uninitialised

    /// The alignment of what lies `offset` bytes behind, if the address is a multiple of `promised`.
    llvm::Align alignment(uint64_t promised, uint64_t offset) const {
      const llvm::Align first(std::max(known_align, std::min(promised, align_limit)));
      return llvm::commonAlignment(first, offset);
    }
  };
  Place place(const Instruction& instruction, unsigned index, unsigned segment);
  /// Memory of a segment address, in the address space that the target has for the segment.
  llvm::Value* pointer_to(llvm::Value* address, unsigned segment);
  unsigned address_bits(unsigned segment) const {
    return isa::address_bits(segment, program_.program().options().machine_model);
  }

  /// Variables of this code block; formals included.
  Variables& variables() { return variables_; }
  llvm::BasicBlock* label(brig::Offset directive);
  /// Ends the block after a terminator; what follows up to the next label cannot be reached.
  void start_unreachable_block();
  /// First free byte of the private segment, i32: where the frame of a callee may begin.
  llvm::Value* private_top();
  void set_private_top(llvm::Value* top);
  /// Traps at run time if the private segment has fewer than `bytes` bytes.
  void check_private(llvm::Value* bytes);
  llvm::Value* frame_base() { return frame_base_; }
  llvm::BasicBlock& entry() { return *entry_; }
  /// The LLVM variable that holds a register, made and set to 0 in the entry block at the first use.
  llvm::AllocaInst* register_variable(brig::Register reg);
  /// Memory of one activation, in the entry block. LLVM turns what is allocated there into values, and
  /// nothing that is allocated elsewhere.
  llvm::AllocaInst* entry_alloca(llvm::Type* type, const llvm::Twine& name);
  llvm::AllocaInst* create_alloca(uint64_t size, uint32_t align, llvm::StringRef name);

  hsa_brig_round_t rounding(const Instruction& instruction) const;
  bool checks_exceptions() const { return program_.enabled_exceptions(instance_) != 0; }
  /// Those of the exceptions enabled here that the instruction set says an instruction may raise.
  unsigned exceptions_to_tell(const isa::Fields& fields) const;
  /// Before the instruction: what it will raise of Instruction::exceptions.
  void check_exceptions(const Instruction& instruction);
  /// Reports that this instruction cannot be compiled, and gives poison-free code a chance to go on.
  void unsupported(const Instruction& instruction, std::string_view why = {});
  Location location(brig::Offset offset) const { return Location::binary("hsa_code", offset); }

 private:
  void prologue();
  unsigned space_of(TargetOperation call, llvm::ArrayRef<llvm::Value*> arguments) const;
  void lower_entry(brig::Offset at);
  llvm::Value* immediate(brig::Offset operand, isa::Type type);
  llvm::Constant* constant(const llvm::APInt& bits, isa::Type type);
  llvm::Value* expression(const brig::Expression& expression);
  llvm::Value* symbol_address(brig::Offset symbol, unsigned segment);
  uint64_t symbol_alignment(const brig::Address& parts, unsigned segment);

  ProgramLowering& program_;
  const Instance instance_;
  LoweredFunction& result_;
  const brig::Module& module_;
  const hsa_brig_directive_executable_t& executable_;
  llvm::Function* function_;
  llvm::IRBuilder<> ir_;
  llvm::BasicBlock* const entry_;  ///< allocations and the initial values of registers, nothing else
  Variables variables_;
  llvm::Value* frame_base_ = nullptr;
  llvm::AllocaInst* private_top_ = nullptr;
  std::vector<llvm::AllocaInst*> registers_[4];
  std::unordered_map<brig::Offset, llvm::BasicBlock*> labels_;
};

}  // namespace heddle::finalizer
