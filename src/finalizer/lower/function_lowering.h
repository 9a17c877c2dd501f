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

/// Takes the place of the registers when the lowering of a scalar instruction is used for its packed form
/// (PRM 4.14). The instruction's types are then those of an element, and its values are vectors with one
/// value for each element.
struct PackedOperands {
  std::array<llvm::Value*, 5> sources = {};  ///< by operand index; null: the operand itself
  llvm::Value* result = nullptr;             ///< set by the lowering
};

/// One decoded instruction.
struct Instruction {
  brig::Offset offset = 0;
  isa::Fields fields;
  std::span<const brig::Offset> operands;
  PackedOperands* packed = nullptr;
  unsigned exceptions = 0;  ///< to be reported when raised: mask of hsa_brig_exceptions_t

  unsigned opcode() const { return fields.opcode; }
  isa::Type type() const { return fields.type(); }
  isa::Type source_type() const { return fields.source_type(); }
  unsigned operator[](isa::Field field) const { return fields[field]; }
};

/// Lowers the code block of one kernel or function.
///
/// Registers are variables of the LLVM function (c: i1, s: i32, d: i64, q: i128). They start at zero, so that
/// no value is ever undefined, and LLVM turns them into SSA values. Labels are basic blocks.
///
/// Values of HSAIL types are represented as follows: integers, bits and opaque types as iN, where N is the
/// size of the type; f32 and f64 as float and double; f16 as an i16 with its bits, because a target need not
/// know `half`; packed types as vectors of these, with the lowest element first.
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

  /// Returns the value of a source operand, which has the type.
  llvm::Value* source(brig::Offset operand, isa::Type type);
  llvm::Value* source(const Instruction& instruction, unsigned index, isa::Type type) {
    llvm::Value* packed = instruction.packed ? instruction.packed->sources[index] : nullptr;
    return packed ? from_bits(packed, type) : source(instruction.operands[index], type);
  }
  llvm::Value* source(const Instruction& instruction, unsigned index) {
    return source(instruction, index, instruction.type());
  }
  /// Stores a value of the type to a destination register. Integers of 8 and 16 bits are sign- or
  /// zero-extended, as their type says.
  void set(brig::Offset destination, llvm::Value* value, isa::Type type);
  void set(const Instruction& instruction, llvm::Value* value) {
    if (instruction.packed) {
      instruction.packed->result = value;
    } else {
      set(instruction.operands[0], value, instruction.type());
    }
  }

  /// Reinterpret bits as iN, or as a value of the type. Both work on each element of a vector, except that
  /// from_bits() to a packed type takes all bits of the value.
  llvm::Value* as_bits(llvm::Value* value);
  llvm::Value* from_bits(llvm::Value* bits, isa::Type type);
  llvm::Type* llvm_type(isa::Type type);
  /// Returns iN, where N is the size of the type, packed or not.
  llvm::IntegerType* bits_type(isa::Type type);
  /// These return the type for values with as many elements as `like` has, which need not be a vector.
  llvm::Type* llvm_type(isa::Type type, const llvm::Value* like) {
    return like->getType()->getWithNewType(llvm_type(type));
  }
  llvm::Type* bits_type(isa::Type type, const llvm::Value* like) {
    return like->getType()->getWithNewType(bits_type(type));
  }

  /// Calls a target operation. If some arguments are vectors, it is called once for each of their elements,
  /// unless the operation takes vectors.
  llvm::Value* call(TargetOperation call, llvm::ArrayRef<llvm::Value*> arguments = {});
  /// Calls a target operation once. An argument may be a vector only if the operation takes vectors.
  llvm::CallInst* single_call(TargetOperation call, llvm::ArrayRef<llvm::Value*> arguments = {});
  llvm::Value* call(llvm::Intrinsic::ID intrinsic, llvm::ArrayRef<llvm::Value*> arguments);
  llvm::ConstantInt* i32(uint32_t value) { return ir_.getInt32(value); }
  llvm::ConstantInt* i64(uint64_t value) { return ir_.getInt64(value); }

  /// Address operands (PRM 4.18). `address` returns the segment address, an i32 or i64 depending on the
  /// segment; `place` returns the place in memory and what is known about its alignment.
  llvm::Value* address(const Instruction& instruction, unsigned index, unsigned segment);
  struct Place {
    llvm::Value* pointer = nullptr;
    unsigned segment = 0;        ///< hsa_brig_segment_t
    uint64_t known_align = 1;    ///< of the memory, whatever the instruction promises
    uint64_t align_limit = 256;  ///< alignment of segment addresses carries over up to this
    bool constant = false;       ///< nobody writes there during a dispatch
    bool on_stack = false;       ///< a variable on the stack of LLVM functions, perhaps uninitialised

    /// Returns the alignment of the memory `offset` bytes behind, if the address is a multiple of `promised`.
    llvm::Align alignment(uint64_t promised, uint64_t offset) const {
      const llvm::Align first(std::max(known_align, std::min(promised, align_limit)));
      return llvm::commonAlignment(first, offset);
    }
  };
  Place place(const Instruction& instruction, unsigned index, unsigned segment);
  /// Returns a pointer to the memory at a segment address, in the target's address space for the segment.
  llvm::Value* pointer_to(llvm::Value* address, unsigned segment);
  unsigned address_bits(unsigned segment) const {
    return isa::address_bits(segment, program_.program().options().machine_model);
  }

  /// The variables of this code block, including formal arguments.
  Variables& variables() { return variables_; }
  llvm::BasicBlock* label(brig::Offset directive);
  /// Starts a new block after a terminator. What follows up to the next label cannot be reached.
  void start_unreachable_block();
  /// Returns the first free byte of the private segment as an i32; the frame of a callee may begin there.
  llvm::Value* private_top();
  void set_private_top(llvm::Value* top);
  /// Traps at run time if the private segment has fewer than `bytes` bytes.
  void check_private(llvm::Value* bytes);
  llvm::Value* frame_base() { return frame_base_; }
  llvm::BasicBlock& entry() { return *entry_; }
  /// Returns the LLVM variable that holds a register. The first use adds it to the entry block and sets it to
  /// 0.
  llvm::AllocaInst* register_variable(brig::Register reg);
  /// Allocates memory of one activation in the entry block. LLVM turns only what is allocated there into
  /// values.
  llvm::AllocaInst* entry_alloca(llvm::Type* type, const llvm::Twine& name);
  llvm::AllocaInst* create_alloca(uint64_t size, uint32_t align, llvm::StringRef name);

  hsa_brig_round_t rounding(const Instruction& instruction) const;
  bool checks_exceptions() const { return program_.enabled_exceptions(instance_) != 0; }
  /// Returns those of the exceptions enabled here that, as the instruction set says, an instruction may
  /// raise.
  unsigned exceptions_to_tell(const isa::Fields& fields) const;
  /// Adds a call that reports which of Instruction::exceptions the instruction, which follows, will raise.
  void check_exceptions(const Instruction& instruction);
  /// Reports that this instruction cannot be compiled. Lowering goes on, to find further errors.
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
