// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <llvm/ADT/DenseMap.h>
#include <llvm/IR/Constants.h>
#include <llvm/IR/Function.h>
#include <llvm/IR/Instructions.h>

#include "compiler/debug/variables.h"
#include "compiler/emit/builder.h"
#include "compiler/emit/equivalence.h"
#include "compiler/emit/layout.h"
#include "compiler/emit/module_context.h"
#include "compiler/emit/uniformity.h"

namespace heddle::compiler {

/// Translates the body of one function. The families of instructions are translated by functions of other
/// files, which find and leave values here.
class FunctionEmitter : private KnownValues {
 public:
  FunctionEmitter(ModuleContext& context, const llvm::Function& function);

  /// Translates the body. What cannot be translated is reported to the context.
  Code run();

  Builder& builder() { return builder_; }
  ModuleContext& context() { return context_; }
  const llvm::Function& function() const { return function_; }
  const llvm::DataLayout& data() const { return context_.layouts.data(); }
  const Layout& layout(const llvm::Value& value) { return context_.layouts.of(value.getType()); }
  const Layout& layout(llvm::Type* type) { return context_.layouts.of(type); }
  unsigned width(llvm::Type* scalar) const { return compiler::width(scalar, data()); }

  /// The parts of a value; of a constant, as numbers.
  Parts parts(const llvm::Value& value);
  /// The only part of a value.
  Scalar scalar(const llvm::Value& value);
  /// Says what the parts of a value are from here on.
  void set(const llvm::Value& value, Parts parts);
  void set(const llvm::Value& value, Scalar part) { set(value, Parts{part}); }

  /// The address that a pointer holds, as far as possible as an address expression.
  Address address(const llvm::Value& pointer);
  /// An address as a value.
  Scalar address_value(const Address& address);
  /// Remembers what the result of a getelementptr is.
  void set_address(const llvm::Value& pointer, const Address& address) { addresses_[&pointer] = address; }

  /// What is known to be the same in all work-items of a work-group.
  Uniformity& uniformity() { return uniformity_; }
  /// Which accesses do not overlap.
  const Equivalence& equivalence() const { return equivalence_; }

  /// The number of a block of the IR. Only blocks that can be reached have one.
  uint32_t block_number(const llvm::BasicBlock& block) const { return block_numbers_.lookup(&block); }
  /// Writes the copies that the phis of a successor of the current block need.
  void copy_to_phis(const llvm::BasicBlock& from, const llvm::BasicBlock& to);

  void unsupported(const llvm::Instruction& instruction, const std::string& what) {
    context_.unsupported(instruction, what);
  }

 private:
  void make_blocks();
  void make_phis();
  void load_formals();
  void add_directives();
  void define_allocas();
  void emit_block(const llvm::BasicBlock& block);
  void emit_records(const llvm::Instruction& instruction);
  void emit_location(const llvm::Instruction& instruction);
  std::string location_line(const llvm::DILocation& location);
  std::optional<Parts> known_parts(const llvm::Value& value) override;
  Address known_place(const llvm::Value& pointer) override;
  void emit(const llvm::Instruction& instruction);
  bool has_places_for(const llvm::Instruction& instruction);

  void add_constant(const llvm::Constant& constant, Parts& parts);
  Scalar unsupported_constant(const llvm::Constant& constant);
  Scalar expression(const llvm::ConstantExpr& expression);
  Scalar dynamic_group_address();

  ModuleContext& context_;
  const llvm::Function& function_;
  Code code_;
  Builder builder_;
  Uniformity uniformity_;
  Equivalence equivalence_;
  VariableTracker variables_;
  std::vector<const llvm::BasicBlock*> order_;
  llvm::DenseMap<const llvm::BasicBlock*, uint32_t> block_numbers_;
  llvm::DenseMap<const llvm::Value*, Parts> values_;
  llvm::DenseMap<const llvm::Value*, Address>
      addresses_;  // of variables on the stack, structures among arguments, and sums
  const llvm::DILocation* location_ = nullptr;  // of the last directive for a line
  llvm::StringRef location_file_;
};

/// Translates one kind of instruction.
using Handler = void (*)(FunctionEmitter&, const llvm::Instruction&);

/// The segment that an address space of the IR is (triple amdgcn-amd-amdhsa).
Address::Segment segment_of(unsigned address_space);

}  // namespace heddle::compiler
