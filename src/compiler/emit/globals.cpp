// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/emit/globals.h"

#include <fmt/format.h>
#include <llvm/ADT/DenseSet.h>
#include <llvm/ADT/SetVector.h>
#include <llvm/BinaryFormat/Dwarf.h>
#include <llvm/IR/Constants.h>
#include <llvm/IR/DebugInfoMetadata.h>
#include <llvm/IR/Operator.h>

#include "compiler/emit/argument_variables.h"

namespace heddle::compiler {

namespace {

// The elements of an aggregate constant (PRM 4.8.4), in the order of memory.
class Initialiser {
 public:
  Initialiser(ModuleContext& context, const llvm::GlobalVariable& variable)
      : context_(context), variable_(variable), data_(context.layouts.data()) {}

  std::string text() {
    add(*variable_.getInitializer());
    flush_bytes();
    if (zeros_ != 0) flush_zeros();
    return "{" + text_ + "}";
  }

 private:
  void add(const llvm::Constant& constant) {
    const uint64_t size = data_.getTypeAllocSize(constant.getType());
    if (llvm::isa<llvm::UndefValue>(constant) || constant.isNullValue()) {
      add_zeros(size);
    } else if (const auto* number = llvm::dyn_cast<llvm::ConstantInt>(&constant);
               number && !constant.getType()->isVectorTy()) {
      add_bits(number->getValue(), size);
    } else if (const auto* real = llvm::dyn_cast<llvm::ConstantFP>(&constant);
               real && !constant.getType()->isVectorTy()) {
      add_bits(real->getValueAPF().bitcastToAPInt(), size);
    } else if (const auto* structure = llvm::dyn_cast<llvm::ConstantStruct>(&constant)) {
      add_structure(*structure);
    } else if (constant.getType()->isArrayTy() || constant.getType()->isVectorTy()) {
      add_elements(constant, size);
    } else if (const llvm::ConstantInt* address = address_as_number(constant)) {
      add_bits(address->getValue(), size);
    } else if (!add_address(constant, size)) {
      report(constant);
    }
  }

  void report(const llvm::Constant& constant) {
    std::string said;
    llvm::raw_string_ostream(said) << constant;
    context_.unsupported(variable_, fmt::format("the initial value {}", said));
  }

  // Tables of virtual functions have distances where other entries are addresses.
  static const llvm::ConstantInt* address_as_number(const llvm::Constant& constant) {
    const auto* const cast = llvm::dyn_cast<llvm::ConstantExpr>(&constant);
    if (cast == nullptr || cast->getOpcode() != llvm::Instruction::IntToPtr) return nullptr;
    return llvm::dyn_cast<llvm::ConstantInt>(cast->getOperand(0));
  }

  void add_structure(const llvm::ConstantStruct& structure) {
    const llvm::StructLayout* layout = data_.getStructLayout(structure.getType());
    uint64_t done = 0;
    for (unsigned i = 0; i < structure.getNumOperands(); ++i) {
      add_zeros(layout->getElementOffset(i) - done);
      add(*structure.getOperand(i));
      done = layout->getElementOffset(i) + data_.getTypeAllocSize(structure.getOperand(i)->getType());
    }
    add_zeros(layout->getSizeInBytes() - done);
  }

  // The elements of a vector follow each other bit by bit.
  void add_packed(const llvm::Constant& constant, unsigned width, uint64_t size) {
    llvm::APInt bits(static_cast<unsigned>(size * 8), 0);
    for (unsigned i = 0; const llvm::Constant* element = constant.getAggregateElement(i); ++i) {
      if (const auto* number = llvm::dyn_cast<llvm::ConstantInt>(element)) {
        bits.insertBits(number->getValue(), i * width);
      } else if (!llvm::isa<llvm::UndefValue>(element)) {
        report(*element);
      }
    }
    add_bits(bits, size);
  }

  void add_elements(const llvm::Constant& constant, uint64_t size) {
    if (constant.getType()->isVectorTy()) {
      llvm::Type* element = constant.getType()->getScalarType();
      const uint64_t width = data_.getTypeSizeInBits(element);
      if (width != data_.getTypeAllocSizeInBits(element))
        return add_packed(constant, static_cast<unsigned>(width), size);
    }
    uint64_t done = 0;
    for (unsigned i = 0; const llvm::Constant* element = constant.getAggregateElement(i); ++i) {
      add(*element);
      done += data_.getTypeAllocSize(element->getType());
    }
    if (done < size) add_zeros(size - done);
  }

  void add_bits(const llvm::APInt& value, uint64_t size) {
    for (uint64_t i = 0; i < size; ++i) {
      const bool inside = i * 8 < value.getBitWidth();
      const unsigned width =
          inside ? std::min<unsigned>(8, value.getBitWidth() - static_cast<unsigned>(i * 8)) : 0;
      add_byte(inside
                   ? static_cast<uint8_t>(value.extractBitsAsZExtValue(width, static_cast<unsigned>(i * 8)))
                   : 0);
    }
  }

  // The address of a variable or function, perhaps with an offset.
  bool add_address(const llvm::Constant& constant, uint64_t size) {
    const llvm::Constant* pointer = &constant;
    if (const auto* cast = llvm::dyn_cast<llvm::ConstantExpr>(pointer);
        cast && cast->getOpcode() == llvm::Instruction::PtrToInt) {
      pointer = cast->getOperand(0);
    }
    if (!pointer->getType()->isPointerTy()) return false;
    llvm::APInt offset(data_.getIndexTypeSizeInBits(pointer->getType()), 0);
    const llvm::Value* base = pointer->stripAndAccumulateConstantOffsets(data_, offset, true);
    const auto* object = llvm::dyn_cast<llvm::GlobalValue>(base);
    if (const auto* alias = llvm::dyn_cast_or_null<llvm::GlobalAlias>(object))
      object = alias->getAliaseeObject();
    if (object == nullptr) return add_null(*pointer, *base, size);
    if (object->getAddressSpace() == 3 || object->getAddressSpace() == 5) return false;
    flush();
    const int64_t distance = offset.getSExtValue();
    std::string place = context_.name(*object).str();
    if (distance != 0)
      place +=
          fmt::format("{}{}", distance < 0 ? '-' : '+',
                      distance < 0 ? 0 - static_cast<uint64_t>(distance) : static_cast<uint64_t>(distance));
    append(fmt::format("u{}(addr({}))", size * 8, place));
    return true;
  }

  // Null pointers of other address spaces than flat, cast to one of these.
  bool add_null(const llvm::Constant& pointer, const llvm::Value& base, uint64_t size) {
    const auto* constant = llvm::dyn_cast<llvm::Constant>(&base);
    if (constant == nullptr || !constant->isNullValue()) return false;
    const unsigned space = pointer.getType()->getPointerAddressSpace();
    if (space != 3 && space != 5) {
      add_zeros(size);
      return true;
    }
    flush();
    append(space == 3 ? "u32(nullptr_group)" : "u32(nullptr_private)");
    return true;
  }

  void add_zeros(uint64_t count) {
    if (count == 0) return;
    flush_bytes();
    zeros_ += count;
  }

  void add_byte(uint8_t byte) {
    if (zeros_ != 0) flush_zeros();
    bytes_.push_back(byte);
  }

  void flush() {
    flush_bytes();
    if (zeros_ != 0) flush_zeros();
  }

  void flush_zeros() {
    append(fmt::format("zero({})", zeros_));
    zeros_ = 0;
  }

  void flush_bytes() {
    if (bytes_.empty()) return;
    std::string array = "u8[](";
    for (size_t i = 0; i < bytes_.size(); ++i)
      fmt::format_to(std::back_inserter(array), "{}{}", i == 0 ? "" : ",", bytes_[i]);
    append(array + ")");
    bytes_.clear();
  }

  void append(const std::string& element) {
    if (!text_.empty()) text_ += ", ";
    text_ += element;
  }

  ModuleContext& context_;
  const llvm::GlobalVariable& variable_;
  const llvm::DataLayout& data_;
  std::string text_;
  std::vector<uint8_t> bytes_;  // not yet in the text
  uint64_t zeros_ = 0;          // the same; at most one of both has something
};

bool is_dynamic_group(const llvm::GlobalVariable& variable) {
  return variable.getAddressSpace() == 3 && variable.isDeclaration();
}

// Whether other modules and the host see the variable.
bool has_program_linkage(const llvm::GlobalVariable& variable) {
  return !variable.hasLocalLinkage() && !variable.hasLinkOnceLinkage() &&
         !variable.hasAvailableExternallyLinkage();
}

/// What a statement is for a variable that has a value: a name that others can refer to, or all of it.
enum class Statement : uint8_t { declaration, definition };

// Says which variables of the source a variable is.
void refer_to(ModuleContext& context, const llvm::GlobalVariable& variable) {
  llvm::SmallVector<llvm::DIGlobalVariableExpression*, 1> described;
  variable.getDebugInfo(described);
  for (const llvm::DIGlobalVariableExpression* description : described) {
    // The passes that take variables apart leave expressions that are not as simple.
    const llvm::DIExpression* expression = description->getExpression();
    const bool is_whole =
        expression == nullptr || !expression->isComplex() ||
        (expression->getNumElements() == 4 && expression->getElement(3) == llvm::dwarf::DW_OP_xderef);
    if (!is_whole || (expression != nullptr && expression->getFragmentInfo())) continue;
    SourceEntities& entities = context.entities;
    entities.add_reference(fmt::format("\"GlobalAddr\", {}, {}, 0",
                                       entities.global(*description->getVariable()),
                                       context.name(variable).str()));
  }
}

void emit_global(ModuleContext& context, const llvm::GlobalVariable& variable, bool round_group_sizes,
                 Statement statement, std::string& text) {
  const llvm::DataLayout& data = context.layouts.data();
  const bool group = variable.getAddressSpace() == 3;
  uint64_t size = std::max<uint64_t>(data.getTypeAllocSize(variable.getValueType()), 1);
  uint64_t align = data.getValueOrABITypeAlignment(variable.getAlign(), variable.getValueType()).value();
  if (variable.isThreadLocal()) return context.unsupported(variable, "a variable that each thread has");
  if (align > most_alignment)
    return context.unsupported(variable, fmt::format("an alignment of {} bytes", align));
  if (group && round_group_sizes) {
    align = std::max<uint64_t>(align, 16);
    size = llvm::alignTo(size, 16);
  }
  const bool declares = variable.isDeclaration() || statement == Statement::declaration;
  std::string declaration = declares ? "decl " : "";
  if (!group && has_program_linkage(variable)) declaration += "prog ";
  if (!group) declaration += "alloc(agent) ";
  // A value that is not all zero-fill says what the variable holds; all variables of HSAIL without one hold
  // anything.
  const bool has_value = !group && variable.hasInitializer();
  declaration +=
      fmt::format("align({}) {}{}_b8 {}[{}]", align, has_value && variable.isConstant() ? "const " : "",
                  group ? "group" : "global", context.name(variable).str(), size);
  if (has_value && !declares) {
    declaration += " = ";
    declaration += Initialiser(context, variable).text();
  }
  text += declaration + ";\n";
}

bool is_metadata(const llvm::GlobalVariable& variable) {
  return variable.getName().starts_with("llvm.") || variable.getSection() == "llvm.metadata";
}

/// Adds the variables that a constant refers to and that are not yet among `known`.
void add_unknown(const llvm::Constant& constant, const llvm::DenseSet<const llvm::GlobalVariable*>& known,
                 llvm::SetVector<const llvm::GlobalVariable*>& unknown) {
  if (const auto* variable = llvm::dyn_cast<llvm::GlobalVariable>(&constant)) {
    if (!known.contains(variable)) unknown.insert(variable);
    return;
  }
  if (llvm::isa<llvm::GlobalValue>(constant)) return;
  for (const llvm::Use& operand : constant.operands())
    add_unknown(*llvm::cast<llvm::Constant>(operand), known, unknown);
}

/// Returns the variables to whose addresses values of variables before them refer.
llvm::SetVector<const llvm::GlobalVariable*> mentioned_early(const llvm::Module& module) {
  llvm::DenseSet<const llvm::GlobalVariable*> known;
  llvm::SetVector<const llvm::GlobalVariable*> early;
  for (const llvm::GlobalVariable& variable : module.globals()) {
    known.insert(&variable);
    if (variable.hasInitializer() && !is_metadata(variable))
      add_unknown(*variable.getInitializer(), known, early);
  }
  return early;
}

}  // namespace

void emit_globals(ModuleContext& context, std::string& text) {
  const bool round_group_sizes = llvm::any_of(context.module.globals(), is_dynamic_group);
  // Values refer to other variables, in any order; a declaration makes a name known.
  for (const llvm::GlobalVariable* variable : mentioned_early(context.module))
    if (!is_dynamic_group(*variable))
      emit_global(context, *variable, round_group_sizes, Statement::declaration, text);
  for (const llvm::GlobalVariable& variable : context.module.globals()) {
    if (is_metadata(variable) || is_dynamic_group(variable)) continue;
    const unsigned space = variable.getAddressSpace();
    if (space != 0 && space != 1 && space != 3 && space != 4) {
      context.unsupported(variable, fmt::format("a variable in address space {}", space));
      continue;
    }
    emit_global(context, variable, round_group_sizes, Statement::definition, text);
    if (context.options.source_variables) refer_to(context, variable);
  }
}

}  // namespace heddle::compiler
