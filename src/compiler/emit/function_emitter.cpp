// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/emit/function_emitter.h"

#include <array>

#include <fmt/format.h>
#include <llvm/ADT/PostOrderIterator.h>
#include <llvm/Analysis/ConstantFolding.h>
#include <llvm/IR/CFG.h>
#include <llvm/IR/DebugInfoMetadata.h>
#include <llvm/IR/IntrinsicsAMDGPU.h>

#include "compiler/emit/argument_variables.h"
#include "compiler/emit/handlers.h"
#include "compiler/emit/memory.h"

namespace heddle::compiler {

namespace {

struct HandlerRow {
  unsigned opcode;
  Handler handler;
};

using I = llvm::Instruction;

constexpr HandlerRow handler_rows[] = {
    {I::Add, emit_binary},
    {I::Sub, emit_binary},
    {I::Mul, emit_binary},
    {I::UDiv, emit_binary},
    {I::SDiv, emit_binary},
    {I::URem, emit_binary},
    {I::SRem, emit_binary},
    {I::Shl, emit_binary},
    {I::LShr, emit_binary},
    {I::AShr, emit_binary},
    {I::And, emit_binary},
    {I::Or, emit_binary},
    {I::Xor, emit_binary},
    {I::FAdd, emit_binary},
    {I::FSub, emit_binary},
    {I::FMul, emit_binary},
    {I::FDiv, emit_binary},
    {I::FNeg, emit_fneg},
    {I::ICmp, emit_icmp},
    {I::FCmp, emit_fcmp},
    {I::Trunc, emit_cast},
    {I::ZExt, emit_cast},
    {I::SExt, emit_cast},
    {I::FPTrunc, emit_cast},
    {I::FPExt, emit_cast},
    {I::FPToSI, emit_cast},
    {I::FPToUI, emit_cast},
    {I::SIToFP, emit_cast},
    {I::UIToFP, emit_cast},
    {I::PtrToInt, emit_cast},
    {I::PtrToAddr, emit_cast},
    {I::IntToPtr, emit_cast},
    {I::BitCast, emit_bitcast},
    {I::AddrSpaceCast, emit_address_space_cast},
    {I::GetElementPtr, emit_gep},
    {I::Alloca, emit_alloca},
    {I::Load, emit_load},
    {I::Store, emit_store},
    {I::AtomicRMW, emit_atomic_rmw},
    {I::AtomicCmpXchg, emit_cmpxchg},
    {I::Fence, emit_fence},
    {I::Select, emit_select},
    {I::Freeze, emit_freeze},
    {I::ExtractElement, emit_extract_element},
    {I::InsertElement, emit_insert_element},
    {I::ShuffleVector, emit_shuffle},
    {I::ExtractValue, emit_extract_value},
    {I::InsertValue, emit_insert_value},
    {I::Br, emit_branch},
    {I::Switch, emit_switch},
    {I::Ret, emit_return},
    {I::Unreachable, emit_unreachable},
    {I::Call, emit_call},
};

// Returns the most work-items of a work-group that a kernel is for, if its source says so: with
// __launch_bounds__ or the attribute amdgpu_flat_work_group_size. Where it says nothing, clang has sizes of
// its own for AMD's processors: 256 for OpenCL C, whose kernels the metadata tells, and 1,024, which is as
// many as agents allow, for HIP.
std::optional<unsigned> largest_group(const llvm::Function& kernel) {
  const auto [least, most] =
      kernel.getFnAttribute("amdgpu-flat-work-group-size").getValueAsString().split(',');
  unsigned number = 0;
  if (most.getAsInteger(10, number) || number == 0) return std::nullopt;
  const bool is_opencl = kernel.hasMetadata("kernel_arg_addr_space");
  if (least == "1" && number == (is_opencl ? 256 : 1024)) return std::nullopt;
  return number;
}

constexpr auto handlers = [] {
  std::array<Handler, 128> table{};
  for (const HandlerRow& row : handler_rows) table[row.opcode] = row.handler;
  return table;
}();

}  // namespace

Address::Segment segment_of(unsigned address_space) {
  switch (address_space) {
    case 1:
    case 4:
      return Address::Segment::global;
    case 3:
      return Address::Segment::group;
    case 5:
      return Address::Segment::private_;
    default:
      return Address::Segment::flat;
  }
}

FunctionEmitter::FunctionEmitter(ModuleContext& context, const llvm::Function& function)
    : context_(context),
      function_(function),
      builder_(code_, context.text),
      equivalence_(function),
      variables_(context.entities, context.layouts, builder_, *this) {}

Code FunctionEmitter::run() {
  make_blocks();
  make_phis();
  add_directives();
  define_allocas();
  load_formals();
  for (const llvm::BasicBlock* block : order_) emit_block(*block);
  return std::move(code_);
}

void FunctionEmitter::make_blocks() {
  for (const llvm::BasicBlock* block : llvm::ReversePostOrderTraversal<const llvm::Function*>(&function_)) {
    block_numbers_[block] = static_cast<uint32_t>(order_.size());
    order_.push_back(block);
  }
  code_.blocks.resize(order_.size());
}

void FunctionEmitter::make_phis() {
  for (const llvm::BasicBlock* block : order_) {
    for (const llvm::PHINode& phi : block->phis()) {
      if (!has_places_for(phi)) continue;
      Parts parts;
      for (const Type type : layout(phi).parts) parts.push_back(builder_.fresh(type));
      set(phi, std::move(parts));
    }
  }
}

// Whether the function has barriers of AMD's processors, which do not wait for work-items that have ended. A
// kernel may also reach those of the other functions of its module, indirect ones included.
static bool may_return_early(const llvm::Function& function) {
  const auto is_here = [&](const llvm::User* user) {
    const auto* call = llvm::dyn_cast<llvm::CallBase>(user);
    return call != nullptr && (is_kernel(function) || call->getFunction() == &function);
  };
  constexpr llvm::Intrinsic::ID barriers[] = {llvm::Intrinsic::amdgcn_s_barrier,
                                              llvm::Intrinsic::amdgcn_wave_barrier};
  return llvm::any_of(barriers, [&](llvm::Intrinsic::ID id) {
    const llvm::Function* barrier = llvm::Intrinsic::getDeclarationIfExists(function.getParent(), id);
    return barrier != nullptr && llvm::any_of(barrier->users(), is_here);
  });
}

void FunctionEmitter::add_directives() {
  if (may_return_early(function_)) code_.directives.emplace_back("pragma \"heddle.early_return\"");
  if (!is_kernel(function_)) return;
  if (context_.options.lockstep) code_.directives.emplace_back("pragma \"heddle.lockstep\", 32");
  const llvm::MDNode* size = function_.getMetadata("reqd_work_group_size");
  if (size == nullptr || size->getNumOperands() != 3) {
    if (const auto most = largest_group(function_))
      code_.directives.push_back(fmt::format("maxflatworkgroupsize {}", *most));
    return;
  }
  std::array<uint64_t, 3> sizes{};
  for (unsigned i = 0; i < 3; ++i) {
    sizes[i] = llvm::mdconst::extract<llvm::ConstantInt>(size->getOperand(i))->getZExtValue();
  }
  code_.directives.push_back(fmt::format("requiredworkgroupsize {}, {}, {}", sizes[0], sizes[1], sizes[2]));
}

void FunctionEmitter::define_allocas() {
  uint32_t number = 0;
  for (const llvm::Instruction& instruction : function_.getEntryBlock()) {
    const auto* variable = llvm::dyn_cast<llvm::AllocaInst>(&instruction);
    if (variable == nullptr || !variable->isStaticAlloca() || variable->getAddressSpace() != 5) continue;
    if (variable->getAlign().value() > most_alignment)
      unsupported(*variable, fmt::format("an alignment of {} bytes", variable->getAlign().value()));
    const uint64_t size =
        variable->getAllocationSize(data()).value_or(llvm::TypeSize::getFixed(0)).getFixedValue();
    const llvm::StringRef name = context_.text.keep(fmt::format("%variable{}.", number++));
    code_.definitions.push_back(fmt::format("align({}) private_u8 {}[{}]", variable->getAlign().value(),
                                            name.str(), std::max<uint64_t>(size, 1)));
    set_address(*variable, {Address::Segment::private_, false, name, no_register, 0});
  }
}

void FunctionEmitter::load_formals() {
  builder_.go_to(0);
  const bool kernel = is_kernel(function_);
  for (const llvm::Argument& argument : function_.args()) {
    const llvm::StringRef name = context_.text.keep(formal_name(argument));
    const Address place{kernel ? Address::Segment::kernarg : Address::Segment::arg, false, name, no_register,
                        0};
    if (kernel && argument.hasByRefAttr()) {
      set_address(argument, place);
    } else if (const auto opaque = kernel ? opaque_type(argument) : std::nullopt) {
      const Scalar handle = builder_.fresh(*opaque);
      builder_
          .append(fmt::format("ld_kernarg_align(8)_width(all)_{}", compiler::name(*opaque)),
                  {Operand::definition(handle.id, *opaque), builder_.address(place)})
          .removable = true;
      set(argument, handle);
    } else if (!argument.use_empty()) {
      const Layout& places = layout(argument);
      if (places.unsupported != nullptr || !can_be_passed(*argument.getType(), places, kernel)) {
        context_.unsupported(function_, "an argument of a type without registers or memory of its own");
        continue;
      }
      const AccessModifiers modifiers{.align = data().getABITypeAlign(argument.getType()), .uniform = kernel};
      set(argument, load_value(builder_, place, places, data(), modifiers));
    }
  }
}

void FunctionEmitter::emit_block(const llvm::BasicBlock& block) {
  builder_.go_to(block_number(block));
  for (const llvm::Instruction& instruction : block) {
    if (llvm::isa<llvm::PHINode>(instruction)) continue;
    if (context_.options.source_variables) emit_records(instruction);
    emit_location(instruction);
    emit(instruction);
  }
}

/// Records precede the instruction that they are attached to.
void FunctionEmitter::emit_records(const llvm::Instruction& instruction) {
  for (const llvm::DbgVariableRecord& record : llvm::filterDbgVars(instruction.getDbgRecordRange()))
    variables_.track(record);
}

std::optional<Parts> FunctionEmitter::known_parts(const llvm::Value& value) {
  if (const auto found = values_.find(&value); found != values_.end()) return found->second;
  if (!llvm::isa<llvm::ConstantInt, llvm::ConstantFP, llvm::ConstantPointerNull>(value) &&
      !llvm::isa<llvm::ConstantDataVector, llvm::ConstantAggregateZero>(value))
    return std::nullopt;
  Parts result;
  add_constant(llvm::cast<llvm::Constant>(value), result);
  return result;
}

Address FunctionEmitter::known_place(const llvm::Value& pointer) {
  const auto found = addresses_.find(&pointer);
  return found == addresses_.end() ? Address{} : found->second;
}

void FunctionEmitter::emit_location(const llvm::Instruction& instruction) {
  if (!context_.options.source_lines) return;
  const llvm::DILocation* location = instruction.getDebugLoc().get();
  if (location == nullptr || location == location_ || location->getLine() == 0) return;
  const bool same_place =
      location_ != nullptr && location->getLine() == location_->getLine() &&
      location->getColumn() == location_->getColumn() &&
      location->getFilename() == location_->getFilename() &&
      (!context_.options.source_variables || (location->getScope() == location_->getScope() &&
                                              location->getInlinedAt() == location_->getInlinedAt()));
  location_ = location;
  if (same_place) return;
  builder_.append(location_line(*location), {}, Instruction::Form::line);
}

std::string FunctionEmitter::location_line(const llvm::DILocation& location) {
  if (context_.options.source_variables)
    return fmt::format("pragma \"hsa.tools.debug.ref\", \"SourceLine\", {};",
                       context_.entities.location(location));
  std::string line = fmt::format("loc {}", location.getLine());
  if (location.getColumn() > 1) line += fmt::format(" {}", location.getColumn());
  if (location.getFilename() != location_file_) {
    location_file_ = location.getFilename();
    line += " " + string_literal(location_file_);
  }
  return line + ";";
}

bool FunctionEmitter::has_places_for(const llvm::Instruction& instruction) {
  auto check = [&](llvm::Type* type) {
    if (!type->isSized() || layout(type).unsupported == nullptr) return true;
    std::string text;
    llvm::raw_string_ostream(text) << *layout(type).unsupported;
    unsupported(instruction, fmt::format("a value of type {}", text));
    return false;
  };
  if (!check(instruction.getType())) return false;
  for (const llvm::Value* operand : instruction.operands()) {
    if (!check(operand->getType())) return false;
  }
  return true;
}

void FunctionEmitter::emit(const llvm::Instruction& instruction) {
  const Handler handler =
      instruction.getOpcode() < handlers.size() ? handlers[instruction.getOpcode()] : nullptr;
  if (handler == nullptr) {
    unsupported(instruction, fmt::format("the instruction {}", instruction.getOpcodeName()));
    return;
  }
  // Asked in the order of the code, so that the answer for each operand is there already and recursion stays
  // shallow.
  uniformity_.is_uniform(instruction);
  if (has_places_for(instruction)) handler(*this, instruction);
}

void FunctionEmitter::set(const llvm::Value& value, Parts parts) {
  assert(parts.size() == layout(value).parts.size());
  values_[&value] = std::move(parts);
}

Parts FunctionEmitter::parts(const llvm::Value& value) {
  Parts result;
  if (const auto found = values_.find(&value); found != values_.end()) return found->second;
  if (const auto* constant = llvm::dyn_cast<llvm::Constant>(&value)) {
    add_constant(*constant, result);
  } else if (const auto place = addresses_.find(&value); place != addresses_.end()) {
    result.push_back(address_value(place->second));
  } else {
    // What has no value has been reported as unsupported.
    result.assign(layout(value).parts.size(), Scalar::constant(0));
  }
  return result;
}

Scalar FunctionEmitter::scalar(const llvm::Value& value) {
  const Parts all = parts(value);
  assert(all.size() == 1);
  return all[0];
}

void FunctionEmitter::add_constant(const llvm::Constant& constant, Parts& parts) {
  if (const auto* number = llvm::dyn_cast<llvm::ConstantInt>(&constant);
      number && !constant.getType()->isVectorTy()) {
    const llvm::APInt& bits = number->getValue();
    for (size_t i = 0; i < layout(constant).parts.size(); ++i)
      parts.push_back(Scalar::constant(bits.getRawData()[i]));
  } else if (const auto* real = llvm::dyn_cast<llvm::ConstantFP>(&constant);
             real && !constant.getType()->isVectorTy()) {
    parts.push_back(Scalar::constant(real->getValueAPF().bitcastToAPInt().getZExtValue()));
  } else if (llvm::isa<llvm::UndefValue>(constant) || constant.isNullValue()) {
    parts.append(layout(constant).parts.size(), Scalar::constant(0));
  } else if (const auto* code = llvm::dyn_cast<llvm::Function>(constant.stripPointerCasts())) {
    parts.push_back(
        Scalar::verbatim(context_.text.keep(fmt::format("addr({})", context_.name(*code).str()))));
  } else if (llvm::isa<llvm::GlobalVariable, llvm::GlobalAlias>(constant)) {
    parts.push_back(address_value(address(constant)));
  } else if (const auto* sum = llvm::dyn_cast<llvm::ConstantExpr>(&constant)) {
    const llvm::Constant* folded = llvm::ConstantFoldConstant(sum, data());
    if (folded != sum) return add_constant(*folded, parts);
    parts.push_back(expression(*sum));
  } else if (constant.getType()->isAggregateType() || constant.getType()->isVectorTy()) {
    for (unsigned i = 0; const llvm::Constant* element = constant.getAggregateElement(i); ++i) {
      add_constant(*element, parts);
    }
  } else {
    // Addresses of blocks, functions that are chosen when a program is loaded, and whatever LLVM adds.
    parts.append(layout(constant).parts.size(), unsupported_constant(constant));
  }
}

/// Reports a constant that has no translation; the result stands for each of its parts.
Scalar FunctionEmitter::unsupported_constant(const llvm::Constant& constant) {
  std::string text;
  llvm::raw_string_ostream stream(text);
  constant.printAsOperand(stream, true);
  context_.unsupported(function_, fmt::format("the constant {}", text));
  return Scalar::constant(0);
}

// Expressions over variables have become instructions before (prepare/constants.h). These are left.
Scalar FunctionEmitter::expression(const llvm::ConstantExpr& expression) {
  const llvm::Constant& operand = *expression.getOperand(0);
  if (expression.getOpcode() == I::AddrSpaceCast && operand.isNullValue()) {
    const Address::Segment to = segment_of(expression.getType()->getPointerAddressSpace());
    const Address::Segment from = segment_of(operand.getType()->getPointerAddressSpace());
    const Address::Segment other = address_bits(to) == 32 ? to : from;
    if (address_bits(to) == 32) {
      return Scalar::verbatim(other == Address::Segment::group ? "nullptr_group" : "nullptr_private");
    }
    if (address_bits(from) == 64) return Scalar::constant(0);
    return builder_.compute(fmt::format("stof_{}_u64_u32", name(other)), Type::u64,
                            {{Scalar::constant(0), Type::u32}});
  }
  if (expression.isCast() && expression.getOpcode() != I::AddrSpaceCast) {
    const Scalar value = scalar(operand);
    const unsigned bits = width(expression.getType());
    if (value.is_number())
      return Scalar::constant(bits == 64 ? value.bits : value.bits & ((uint64_t{1} << bits) - 1));
    if (bits == width(operand.getType())) return value;
  }
  return unsupported_constant(expression);
}

Address FunctionEmitter::address(const llvm::Value& pointer) {
  if (const auto found = addresses_.find(&pointer); found != addresses_.end()) return found->second;
  llvm::APInt distance(data().getIndexTypeSizeInBits(pointer.getType()), 0);
  const llvm::Value* base = &pointer;
  if (const auto* alias = llvm::dyn_cast<llvm::GlobalAlias>(base))
    base = alias->getAliasee()->stripAndAccumulateConstantOffsets(data(), distance, true);
  const unsigned space = pointer.getType()->getPointerAddressSpace();
  Address result{segment_of(space), space == 4, {}, no_register, 0};
  // Such an address may be that of a copy, which has been written during the dispatch.
  if (space == 4 && context_.constant_is_flat) {
    result.segment = Address::Segment::flat;
    result.constant = false;
  }
  if (const auto* variable = llvm::dyn_cast_or_null<llvm::GlobalVariable>(base)) {
    if (space == 3 && variable->isDeclaration()) {
      result.id = builder_.in_register(dynamic_group_address(), Type::u32);
      return result;
    }
    result.segment = space == 3 ? Address::Segment::group : Address::Segment::global;
    result.symbol = context_.name(*variable);
    result.constant = variable->isConstant();
    result.offset = distance.getSExtValue();
    return result;
  }
  const Scalar value = scalar(pointer);
  result.id = builder_.in_register(value, unsigned_type(address_bits(result.segment)));
  return result;
}

// `extern __shared__` variables begin where the static group memory ends. Its size is a multiple of 16 in
// modules with such variables (see globals.cpp), so that the alignment is that of the base.
Scalar FunctionEmitter::dynamic_group_address() {
  const Scalar base = builder_.compute("groupbaseptr", Type::u32, {});
  const Scalar size = builder_.compute("groupstaticsize", Type::u32, {});
  return builder_.compute("add", Type::u32, {base, size});
}

Scalar FunctionEmitter::address_value(const Address& address) {
  const Type type = unsigned_type(address_bits(address.segment));
  if (!address.symbol.empty()) {
    const Scalar result = builder_.fresh(type);
    const std::string_view segment = name(address.segment);
    builder_
        .append(fmt::format("lda_{}_{}", segment, name(type)),
                {Operand::definition(result.id, type), builder_.address(address)})
        .removable = true;
    return result;
  }
  const Scalar base = Scalar::in(address.id);
  if (address.offset == 0) return base;
  return builder_.compute("add", type, {base, Scalar::constant(static_cast<uint64_t>(address.offset))});
}

}  // namespace heddle::compiler
