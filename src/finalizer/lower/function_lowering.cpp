// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "finalizer/lower/function_lowering.h"

#include <cassert>

#include <fmt/format.h>

#include <hsa/hsa_brig_directives.h>

#include "finalizer/lower/debug_view.h"
#include "finalizer/lower/table.h"
#include "finalizer/unsupported.h"
#include "hsail/isa/names.h"

namespace heddle::finalizer {

using brig::Offset;

FunctionLowering::FunctionLowering(ProgramLowering& program, const Instance& instance,
                                   LoweredFunction& result)
    : program_(program),
      instance_(instance),
      result_(result),
      module_(program.program().modules()[instance.executable.module]),
      executable_(module_.code_as<hsa_brig_directive_executable_t>(instance.executable.offset)),
      function_(result.function),
      ir_(result.function->getContext()),
      entry_(llvm::BasicBlock::Create(result.function->getContext(), "entry", result.function)),
      variables_(module_, instance.executable.offset, program.target()) {
  ir_.SetInsertPoint(llvm::BasicBlock::Create(ir_.getContext(), "start", function_));
}

void FunctionLowering::run() {
  if (variables_.frame_too_large()) {
    program_.diagnostics().error("FINALIZER-private-size", location(instance_.executable.offset),
                                 fmt::format("the private and spill variables of '{}' need more than 2 GiB",
                                             module_.name(instance_.executable.offset)));
    return;
  }
  DebugView debug_view(*this);
  program_.debug().begin_function(debug_view);
  llvm::BasicBlock* const start = ir_.GetInsertBlock();
  prologue();
  program_.debug().end_prologue();
  for (Offset at = executable_.first_code_block_entry; at < executable_.next_module_entry;
       at = module_.next_code(at))
    lower_entry(at);
  if (!ir_.GetInsertBlock()->getTerminator()) ir_.CreateRetVoid();  // implicit ret (PRM 10.9)
  program_.debug().end_function();
  ir_.SetInsertPoint(entry_);
  ir_.CreateBr(start);
  assert(&function_->getEntryBlock() == entry_ && "LLVM makes values only of what the entry block allocates");
  result_.frame_size = variables_.frame_size();
  result_.frame_align = variables_.frame_align();
}

void FunctionLowering::prologue() {
  const bool is_kernel = executable_.base.kind == HSA_BRIG_KIND_DIRECTIVE_KERNEL;
  if (is_kernel) {
    frame_base_ = i32(program_.module_private_size());
  } else {
    assert(function_->arg_size() == 2u + executable_.out_arg_count + executable_.in_arg_count);
    Offset formal = module_.next_code(instance_.executable.offset);
    for (unsigned i = 0; i < unsigned{executable_.out_arg_count} + executable_.in_arg_count; ++i) {
      variables_.add_formal(formal, function_->getArg(2 + i));
      formal = module_.next_code(formal);
    }
    const uint32_t align = variables_.frame_align();
    frame_base_ = function_->getArg(1);
    if (align > 16)
      frame_base_ = ir_.CreateAnd(ir_.CreateAdd(frame_base_, i32(align - 1)), i32(~(align - 1)), "frame");
    if (variables_.frame_size() != 0) check_private(ir_.CreateAdd(frame_base_, i32(variables_.frame_size())));
  }
  if (variables_.has_alloca()) {
    private_top_ = entry_alloca(ir_.getInt32Ty(), "private_top");
    ir_.CreateStore(ir_.CreateAdd(frame_base_, i32(variables_.frame_size())), private_top_);
  }
}

void FunctionLowering::lower_entry(Offset at) {
  program_.debug().reach(at);
  if (module_.is_instruction(at)) {
    Instruction instruction = {at, brig::instruction_fields(module_, at), module_.instruction_operands(at)};
    instruction.exceptions = exceptions_to_tell(instruction.fields);
    program_.note(subnormals_in(instruction.fields));
    ++result_.instructions;
    const Lowering lower = lowering_of(instruction.opcode());
    if (!lower) {
      unsupported(instruction);
    } else if (is_elementwise(instruction)) {
      lower_packed(*this, instruction, lower);
    } else {
      check_exceptions(instruction);
      lower(*this, instruction);
    }
    return;
  }
  if (brig::is_event_trigger(module_, at)) {
    if (const auto trigger = brig::event_trigger(module_, at)) lower_event_trigger(*this, *trigger);
    return;
  }
  // Variables have been laid out already. Of the other directives only labels matter here.
  if (module_.code_kind(at) != HSA_BRIG_KIND_DIRECTIVE_LABEL) return;
  llvm::BasicBlock* block = label(at);
  if (!ir_.GetInsertBlock()->getTerminator()) ir_.CreateBr(block);
  block->moveAfter(ir_.GetInsertBlock());
  ir_.SetInsertPoint(block);
}

void FunctionLowering::unsupported(const Instruction& instruction, std::string_view why) {
  report_unsupported(module_, instance_.executable.offset, instruction.offset, why, program_.diagnostics());
}

// ---- types and values

llvm::IntegerType* FunctionLowering::bits_type(isa::Type type) { return ir_.getIntNTy(isa::bit_size(type)); }

llvm::Type* FunctionLowering::llvm_type(isa::Type type) {
  if (isa::is_packed(type))
    return llvm::FixedVectorType::get(llvm_type(isa::base_type(type)), isa::packed_dimension(type));
  if (type == HSA_BRIG_TYPE_F32) return ir_.getFloatTy();
  if (type == HSA_BRIG_TYPE_F64) return ir_.getDoubleTy();
  return bits_type(type);
}

llvm::Value* FunctionLowering::as_bits(llvm::Value* value) {
  auto* type = value->getType();
  if (type->isIntOrIntVectorTy()) return value;
  return ir_.CreateBitCast(value, type->getWithNewType(ir_.getIntNTy(type->getScalarSizeInBits())));
}

llvm::Value* FunctionLowering::from_bits(llvm::Value* bits, isa::Type type) {
  return ir_.CreateBitCast(bits, isa::is_packed(type) ? llvm_type(type) : llvm_type(type, bits));
}

llvm::AllocaInst* FunctionLowering::entry_alloca(llvm::Type* type, const llvm::Twine& name) {
  return llvm::IRBuilder<>(entry_).CreateAlloca(type, nullptr, name);
}

llvm::AllocaInst* FunctionLowering::create_alloca(uint64_t size, uint32_t align, llvm::StringRef name) {
  auto* variable = entry_alloca(llvm::ArrayType::get(ir_.getInt8Ty(), size), name);
  variable->setAlignment(llvm::Align(align));
  return variable;
}

llvm::AllocaInst* FunctionLowering::register_variable(brig::Register reg) {
  static constexpr char letters[] = {'c', 's', 'd', 'q'};
  assert(reg.kind < std::size(letters));
  auto& file = registers_[reg.kind];
  if (file.size() <= reg.number) file.resize(reg.number + 1u);
  if (!file[reg.number]) {
    auto* type = ir_.getIntNTy(isa::register_bits(reg.kind));
    file[reg.number] = entry_alloca(type, llvm::Twine(letters[reg.kind]) + llvm::Twine(reg.number));
    llvm::IRBuilder<>(entry_).CreateStore(llvm::ConstantInt::get(type, 0), file[reg.number]);
    program_.debug().declare_register(file[reg.number], reg);
  }
  return file[reg.number];
}

llvm::Value* FunctionLowering::source(Offset operand, isa::Type type) {
  if (!brig::is_register(module_, operand)) return immediate(operand, type);
  auto* variable = register_variable(brig::register_of(module_, operand));
  assert(isa::bit_size(type) <= variable->getAllocatedType()->getIntegerBitWidth());
  llvm::Value* bits = ir_.CreateLoad(variable->getAllocatedType(), variable);
  return from_bits(ir_.CreateTrunc(bits, bits_type(type)), type);
}

void FunctionLowering::set(Offset destination, llvm::Value* value, isa::Type type) {
  auto* variable = register_variable(brig::register_of(module_, destination));
  llvm::Value* bits = ir_.CreateBitCast(value, ir_.getIntNTy(value->getType()->getPrimitiveSizeInBits()));
  assert(bits->getType()->getIntegerBitWidth() <= variable->getAllocatedType()->getIntegerBitWidth());
  bits = isa::is_signed(type) ? ir_.CreateSExt(bits, variable->getAllocatedType())
                              : ir_.CreateZExt(bits, variable->getAllocatedType());
  ir_.CreateStore(bits, variable);
}

llvm::Value* FunctionLowering::immediate(Offset operand, isa::Type type) {
  auto* bits = bits_type(type);
  // WAVESIZE as a b1 is true because it is not zero; its lowest bit does not count (docs/spec-decisions.md).
  if (brig::is_wavesize(module_, operand) && type == HSA_BRIG_TYPE_B1) return ir_.getTrue();
  if (brig::is_wavesize(module_, operand))
    return ir_.CreateZExtOrTrunc(call(TargetOperation::wavesize), bits);
  if (brig::is_expression(module_, operand))
    return ir_.CreateZExtOrTrunc(expression(brig::expression_of(module_, operand)), bits);
  if (brig::is_constant_list(module_, operand)) {
    // This is a packed constant with expressions among its elements.
    llvm::Value* all = llvm::ConstantInt::get(bits, 0);
    brig::for_each_leaf(module_, operand, [&](uint64_t offset, Offset leaf) {
      llvm::Value* element = immediate(leaf, brig::constant_type(module_, leaf));
      element =
          ir_.CreateShl(ir_.CreateZExt(as_bits(element), bits), llvm::ConstantInt::get(bits, offset * 8));
      all = ir_.CreateOr(all, element);
    });
    return from_bits(all, type);
  }
  std::byte bytes[16];
  [[maybe_unused]] const bool known = brig::immediate_bits(module_, operand, type, bytes);
  assert(known && "what has no bytes was handled above");
  uint64_t words[2];
  std::memcpy(words, bytes, sizeof words);
  return constant(llvm::APInt(128, words).trunc(bits->getBitWidth()), type);
}

llvm::Constant* FunctionLowering::constant(const llvm::APInt& bits, isa::Type type) {
  if (!isa::is_packed(type))
    return llvm::cast<llvm::Constant>(from_bits(llvm::ConstantInt::get(ir_.getContext(), bits), type));
  const isa::Type element = isa::base_type(type);
  llvm::SmallVector<llvm::Constant*, 16> elements;
  for (unsigned at = 0; at < bits.getBitWidth(); at += isa::bit_size(element))
    elements.push_back(constant(bits.extractBits(isa::bit_size(element), at), element));
  return llvm::ConstantVector::get(elements);
}

llvm::Value* FunctionLowering::expression(const brig::Expression& expression) {
  switch (expression.operation) {
    case HSA_BRIG_EXPRESSION_OPERATION_ADDR:
      break;
    case HSA_BRIG_EXPRESSION_OPERATION_NULLPTR_GROUP:
      return call(TargetOperation::null_address, i32(HSA_BRIG_SEGMENT_GROUP));
    case HSA_BRIG_EXPRESSION_OPERATION_NULLPTR_PRIVATE:
      return call(TargetOperation::null_address, i32(HSA_BRIG_SEGMENT_PRIVATE));
    case HSA_BRIG_EXPRESSION_OPERATION_NULLPTR_KERNARG:
      return call(TargetOperation::null_address, i32(HSA_BRIG_SEGMENT_KERNARG));
    default:
      return call(TargetOperation::null_address, i32(HSA_BRIG_SEGMENT_FLAT));
  }
  const int32_t symbol = program_.program().symbol_of({instance_.executable.module, expression.symbol});
  assert(symbol >= 0 && "addr() takes what has a symbol");
  switch (module_.code_entry(expression.symbol).kind) {
    case HSA_BRIG_KIND_DIRECTIVE_KERNEL:
      return call(TargetOperation::kernel_handle, i32(symbol));
    case HSA_BRIG_KIND_DIRECTIVE_INDIRECT_FUNCTION:
      return call(TargetOperation::function_handle, i32(symbol));
    default:
      return ir_.CreateAdd(call(TargetOperation::variable_address, i32(symbol)),
                           i64(expression.displacement));
  }
}

/// Returns the address space of the pointer that a target operation takes or returns.
unsigned FunctionLowering::space_of(TargetOperation call, llvm::ArrayRef<llvm::Value*> arguments) const {
  if (!has_segment_pointer(call)) return 0;
  for (const llvm::Value* argument : arguments)
    if (argument->getType()->isPointerTy()) return argument->getType()->getPointerAddressSpace();
  const TargetTraits& target = program_.target();
  switch (call) {
    case TargetOperation::kernarg_base:
      return target.address_space(HSA_BRIG_SEGMENT_KERNARG);
    case TargetOperation::group_base:
      return target.address_space(HSA_BRIG_SEGMENT_GROUP);
    case TargetOperation::private_base:
      return target.address_space(HSA_BRIG_SEGMENT_PRIVATE);
    default:
      assert(call == TargetOperation::queue_index);
      return target.address_space(HSA_BRIG_SEGMENT_GLOBAL);
  }
}

llvm::CallInst* FunctionLowering::single_call(TargetOperation call, llvm::ArrayRef<llvm::Value*> arguments) {
  OperationForm form;
  form.address_space = space_of(call, arguments);
  for (const llvm::Value* argument : arguments)
    if (const auto* vector = llvm::dyn_cast<llvm::FixedVectorType>(argument->getType()))
      form.lanes = vector->getNumElements();
  return ir_.CreateCall(program_.call(call, form), arguments);
}

llvm::Value* FunctionLowering::call(TargetOperation call, llvm::ArrayRef<llvm::Value*> arguments) {
  const auto* vector = llvm::find_if(arguments, [](auto* value) { return value->getType()->isVectorTy(); });
  if (vector == arguments.end() || has_vector_form(call)) return single_call(call, arguments);
  const auto* shape = llvm::cast<llvm::FixedVectorType>((*vector)->getType());
  llvm::Value* result = nullptr;
  for (unsigned n = 0; n < shape->getNumElements(); ++n) {
    llvm::SmallVector<llvm::Value*, 8> of_element;
    for (llvm::Value* value : arguments)
      of_element.push_back(value->getType()->isVectorTy() ? ir_.CreateExtractElement(value, n) : value);
    llvm::Value* element = single_call(call, of_element);
    if (!result) result = llvm::PoisonValue::get(shape->getWithNewType(element->getType()));
    result = ir_.CreateInsertElement(result, element, n);
  }
  return result;
}

llvm::Value* FunctionLowering::call(llvm::Intrinsic::ID intrinsic, llvm::ArrayRef<llvm::Value*> arguments) {
  return ir_.CreateIntrinsic(intrinsic, {arguments[0]->getType()}, arguments);
}

hsa_brig_round_t FunctionLowering::rounding(const Instruction& instruction) const {
  const unsigned round = instruction[isa::Field::round];
  const bool is_default = round == HSA_BRIG_ROUND_NONE || round == HSA_BRIG_ROUND_FLOAT_DEFAULT;
  return is_default ? program_.program().default_rounding(module_) : static_cast<hsa_brig_round_t>(round);
}

// ---- control flow

llvm::BasicBlock* FunctionLowering::label(Offset directive) {
  llvm::BasicBlock*& block = labels_[directive];
  if (!block) {
    const auto name = module_.name(directive);
    block = llvm::BasicBlock::Create(ir_.getContext(), llvm::StringRef(name.data(), name.size()), function_);
  }
  return block;
}

void FunctionLowering::start_unreachable_block() {
  ir_.SetInsertPoint(llvm::BasicBlock::Create(ir_.getContext(), "", function_));
}

// ---- the private segment

llvm::Value* FunctionLowering::private_top() {
  if (private_top_) return ir_.CreateLoad(ir_.getInt32Ty(), private_top_);
  return ir_.CreateAdd(frame_base_, i32(variables_.frame_size()));
}

void FunctionLowering::set_private_top(llvm::Value* top) {
  assert(private_top_ && "only alloca moves the top");
  ir_.CreateStore(top, private_top_);
}

void FunctionLowering::check_private(llvm::Value* bytes) { call(TargetOperation::check_private, bytes); }

}  // namespace heddle::finalizer
