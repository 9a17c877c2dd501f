// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "host_rewrite.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <span>
#include <string_view>
#include <vector>

#include <llvm/IR/DebugInfo.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InlineAsm.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/ReplaceConstant.h>

#include "device_functions.h"
#include "support/align.h"

namespace heddle::cuda::fake {
namespace {

using llvm::Value;

constexpr unsigned shared_space = 3;
/// Where dynamic shared memory begins: as aligned as that of a GPU.
constexpr uint64_t dynamic_shared_alignment = 256;
constexpr auto order = llvm::AtomicOrdering::SequentiallyConsistent;

llvm::FunctionCallee device_function(llvm::Module& module, const std::string& name, llvm::Type* result,
                                     llvm::ArrayRef<llvm::Type*> parameters) {
  return module.getOrInsertFunction(device_prefix + name, llvm::FunctionType::get(result, parameters, false));
}

// ---- shared memory

/// Lets every use of a variable of shared memory be one of the place that it has in the shared memory of the
/// thread's own block.
void place(llvm::GlobalVariable& variable, uint64_t offset) {
  llvm::convertUsersOfConstantsToInstructions({&variable});
  llvm::Module& module = *variable.getParent();
  llvm::DenseMap<llvm::Function*, Value*> known;
  for (llvm::Use& use : llvm::make_early_inc_range(variable.uses())) {
    auto* const user = llvm::cast<llvm::Instruction>(use.getUser());
    Value*& address = known[user->getFunction()];
    if (!address) {
      llvm::IRBuilder<> ir(&*user->getFunction()->getEntryBlock().getFirstInsertionPt());
      Value* base = ir.CreateCall(device_function(module, "shared", ir.getPtrTy(), {}));
      address = ir.CreateAddrSpaceCast(ir.CreatePtrAdd(base, ir.getInt64(offset)), variable.getType());
    }
    use.set(address);
  }
  variable.eraseFromParent();
}

/// Returns the bytes of the static variables. The one without a size is the dynamic memory behind them.
uint32_t place_shared_memory(llvm::Module& module) {
  std::vector<llvm::GlobalVariable*> fixed, dynamic;
  for (llvm::GlobalVariable& variable : module.globals())
    if (variable.getAddressSpace() == shared_space)
      (variable.isDeclaration() ? dynamic : fixed).push_back(&variable);
  uint64_t size = 0;
  for (llvm::GlobalVariable* variable : fixed) {
    size = align_up(size, variable->getAlign().valueOrOne().value());
    const uint64_t bytes = module.getDataLayout().getTypeAllocSize(variable->getValueType());
    place(*variable, size);
    size += bytes;
  }
  size = align_up(size, dynamic_shared_alignment);
  for (llvm::GlobalVariable* variable : dynamic) place(*variable, size);
  return static_cast<uint32_t>(size);
}

// ---- intrinsic functions

/// Calls a device function with the arguments of a call, of which single bits become words.
Value* call_device(llvm::CallInst& call, const std::string& name) {
  llvm::IRBuilder<> ir(&call);
  llvm::SmallVector<Value*, 4> arguments;
  llvm::SmallVector<llvm::Type*, 4> types;
  for (Value* argument : call.args()) {
    if (argument->getType()->isIntegerTy(1)) argument = ir.CreateZExt(argument, ir.getInt32Ty());
    arguments.push_back(argument);
    types.push_back(argument->getType());
  }
  return ir.CreateCall(device_function(*call.getModule(), name, call.getType(), types), arguments);
}

void replace(llvm::CallInst& call, Value* value) {
  if (!call.getType()->isVoidTy()) call.replaceAllUsesWith(value);
  call.eraseFromParent();
}

/// Calls the device function of a minimum or maximum for each element.
Value* extreme_of(llvm::IRBuilder<>& ir, const std::string& name, Value* left, Value* right) {
  llvm::Type* type = left->getType();
  if (auto* vector = llvm::dyn_cast<llvm::FixedVectorType>(type)) {
    Value* result = llvm::PoisonValue::get(vector);
    for (unsigned i = 0; i < vector->getNumElements(); ++i) {
      Value* element =
          extreme_of(ir, name, ir.CreateExtractElement(left, i), ir.CreateExtractElement(right, i));
      result = ir.CreateInsertElement(result, element, i);
    }
    return result;
  }
  llvm::Module& module = *ir.GetInsertBlock()->getModule();
  return ir.CreateCall(device_function(module, name + (type->isDoubleTy() ? ".d" : ".f"), type, {type, type}),
                       {left, right});
}

/// LLVM makes its own minimum and maximum of those of the GPU, for which -0 is less than 0. On the host they
/// would give either.
void replace_extremes(llvm::Module& module) {
  for (llvm::Function& function : llvm::make_early_inc_range(module)) {
    const llvm::Intrinsic::ID id = function.getIntrinsicID();
    if (id != llvm::Intrinsic::minnum && id != llvm::Intrinsic::maxnum) continue;
    if (function.getReturnType()->getScalarType()->isHalfTy()) continue;
    for (llvm::User* user : llvm::make_early_inc_range(function.users())) {
      auto& call = llvm::cast<llvm::CallInst>(*user);
      llvm::IRBuilder<> ir(&call);
      replace(call, extreme_of(ir, id == llvm::Intrinsic::minnum ? "fmin" : "fmax", call.getArgOperand(0),
                               call.getArgOperand(1)));
    }
    function.eraseFromParent();
  }
}

Result<void, Error> replace_intrinsics(llvm::Module& module) {
  constexpr llvm::StringLiteral prefix = "llvm.nvvm.";
  for (llvm::Function& function : llvm::make_early_inc_range(module)) {
    if (!function.getName().starts_with(prefix)) continue;
    const std::string name = function.getName().drop_front(prefix.size()).str();
    if (!is_device_function(name)) return Error{fmt::format("the fake has no llvm.nvvm.{}", name)};
    for (llvm::User* user : llvm::make_early_inc_range(function.users())) {
      auto& call = llvm::cast<llvm::CallInst>(*user);
      replace(call, call_device(call, name));
    }
    function.eraseFromParent();
  }
  return {};
}

// ---- PTX in the text

struct Translation {
  bool known = false;
  Value* value = nullptr;
};
using Words = std::span<const std::string_view>;

/// Instructions that are calls of device functions, by their beginning.
struct TextRow {
  std::string_view begin;
  const char* function;
};
constexpr TextRow text_rows[] = {{"exit;", "exit"},
                                 {"nanosleep", "pause"},
                                 {"bar.warp.sync", "bar.warp.sync"},
                                 {"barrier.sync 0", "barrier.sync"},
                                 {"{ .reg .pred p; setp.eq.u32 p, 0, 0; vote.sync.ballot", "vote.alive"},
                                 {"mov.u32 $0, %laneid", "read.ptx.sreg.laneid"},
                                 {"mov.u64 $0, %globaltimer", "globaltimer"}};

struct OperationRow {
  std::string_view name;
  char type;  ///< 0: any
  llvm::AtomicRMWInst::BinOp operation;
};
constexpr OperationRow operation_rows[] = {
    {"add", 0, llvm::AtomicRMWInst::Add},     {"and", 0, llvm::AtomicRMWInst::And},
    {"or", 0, llvm::AtomicRMWInst::Or},       {"xor", 0, llvm::AtomicRMWInst::Xor},
    {"exch", 0, llvm::AtomicRMWInst::Xchg},   {"min", 's', llvm::AtomicRMWInst::Min},
    {"min", 'u', llvm::AtomicRMWInst::UMin},  {"max", 's', llvm::AtomicRMWInst::Max},
    {"max", 'u', llvm::AtomicRMWInst::UMax},  {"inc", 0, llvm::AtomicRMWInst::UIncWrap},
    {"dec", 0, llvm::AtomicRMWInst::UDecWrap}};

std::vector<std::string_view> split(std::string_view text, std::string_view separators) {
  std::vector<std::string_view> parts;
  while (true) {
    const size_t begin = text.find_first_not_of(separators);
    if (begin == std::string_view::npos) return parts;
    text.remove_prefix(begin);
    const size_t end = std::min(text.find_first_of(separators), text.size());
    parts.push_back(text.substr(0, end));
    text.remove_prefix(end);
  }
}

/// Translates one instruction that reads or writes memory.
class MemoryInstruction {
 public:
  MemoryInstruction(llvm::CallInst& call, std::string_view text)
      : call_(call), ir_(&call), words_(split(text, " ,;\t")), parts_(split(words_[0], ".")) {
    const std::string_view type = parts_.back();
    type_ = type[0];
    integer_ = ir_.getIntNTy(type.ends_with("32") ? 32 : 64);
    // A result comes first, and operands are counted behind it.
    results_ = call.getType()->isVoidTy() ? 0 : 1;
  }

  Translation translate() {
    constexpr std::string_view types[] = {"b32", "u32", "s32", "b64", "u64", "s64"};
    if (std::ranges::find(types, parts_.back()) == std::end(types)) return {};
    for (const std::string_view word : words_)
      if (word.starts_with('[') && (word.size() != 4 || word[1] != '$')) return {};  // with an offset
    const llvm::Align align(integer_->getBitWidth() / 8);
    if (parts_[0] == "ld") {
      auto* load = ir_.CreateAlignedLoad(integer_, operand(2), align);
      load->setAtomic(order);
      return {true, load};
    }
    if (parts_[0] == "st") {
      ir_.CreateAlignedStore(operand(2), operand(1), align)->setAtomic(order);
      return {true, nullptr};
    }
    const std::string_view name = parts_[parts_.size() - 2];
    if (name == "cas") {
      auto* swap = ir_.CreateAtomicCmpXchg(operand(2), operand(3), operand(4), align, order, order);
      return {true, ir_.CreateExtractValue(swap, 0)};
    }
    for (const OperationRow& row : operation_rows)
      if (row.name == name && (row.type == 0 || row.type == type_))
        return {true, ir_.CreateAtomicRMW(row.operation, operand(2), operand(3), align, order)};
    return {};
  }

 private:
  /// The operand that a word names: $N, [$N] or a number.
  Value* operand(size_t word) {
    std::string_view text = words_[word];
    const bool is_address = text[0] == '[';
    if (is_address) text = text.substr(1, text.size() - 2);
    if (text[0] != '$') return llvm::ConstantInt::get(integer_, std::stoull(std::string(text)));
    Value* value = call_.getArgOperand(static_cast<unsigned>(text[1] - '0') - results_);
    return is_address && value->getType()->isIntegerTy() ? ir_.CreateIntToPtr(value, ir_.getPtrTy()) : value;
  }

  llvm::CallInst& call_;
  llvm::IRBuilder<> ir_;
  std::vector<std::string_view> words_, parts_;
  llvm::IntegerType* integer_;
  char type_;
  unsigned results_;
};

/// Translates `and` or `xor` of an operand and a number, which the finalizer makes of signs.
Translation translate_bitwise(llvm::CallInst& call, std::string_view text) {
  const auto words = split(text, " ,;\t");
  if (words.size() < 4 || words[1] != "$0" || words[2] != "$1") return {};
  llvm::IRBuilder<> ir(&call);
  auto* const pattern =
      llvm::ConstantInt::get(call.getType(), std::stoull(std::string(words[3]), nullptr, 0));
  Value* const value = call.getArgOperand(0);
  return {true, text.starts_with("and") ? ir.CreateAnd(value, pattern) : ir.CreateXor(value, pattern)};
}

Translation translate(llvm::CallInst& call, std::string_view text) {
  for (const TextRow& row : text_rows)
    if (text.starts_with(row.begin)) return {true, call_device(call, row.function)};
  // Every access here is sequentially consistent anyway.
  while (text.starts_with("fence.")) {
    text.remove_prefix(std::min(text.find(';'), text.size() - 1) + 1);
    text.remove_prefix(std::min(text.find_first_not_of("\n\t "), text.size()));
  }
  if (text.empty()) return {true, nullptr};
  if (text.starts_with("ld.") || text.starts_with("st.") || text.starts_with("atom."))
    return MemoryInstruction(call, text).translate();
  if (text.starts_with("and.b") || text.starts_with("xor.b")) return translate_bitwise(call, text);
  return {};
}

Result<void, Error> replace_text(llvm::Module& module) {
  for (llvm::Function& function : module)
    for (llvm::Instruction& instruction : llvm::make_early_inc_range(llvm::instructions(function))) {
      auto* const call = llvm::dyn_cast<llvm::CallInst>(&instruction);
      if (!call || !call->isInlineAsm()) continue;
      const llvm::StringRef text = llvm::cast<llvm::InlineAsm>(call->getCalledOperand())->getAsmString();
      const Translation done = translate(*call, std::string_view(text.data(), text.size()));
      if (!done.known) return Error{fmt::format("the fake cannot execute {}", text.str())};
      replace(*call, done.value);
    }
  return {};
}

// ---- functions

void use_calling_convention_of_host(llvm::Function& function) {
  function.setCallingConv(llvm::CallingConv::C);
  for (const char* name : {"target-cpu", "target-features"}) function.removeFnAttr(name);
  for (unsigned i = 0; i < function.arg_size(); ++i) function.removeParamAttr(i, llvm::Attribute::ByVal);
  for (llvm::Instruction& instruction : llvm::instructions(function))
    if (auto* call = llvm::dyn_cast<llvm::CallBase>(&instruction)) call->setCallingConv(llvm::CallingConv::C);
}

}  // namespace

Result<uint32_t, Error> rewrite_for_host(llvm::Module& module) {
  llvm::StripDebugInfo(module);
  for (llvm::GlobalVariable& variable : module.globals()) variable.setConstant(false);
  const uint32_t shared = place_shared_memory(module);
  if (auto done = replace_intrinsics(module); !done) return done.error();
  replace_extremes(module);
  if (auto done = replace_text(module); !done) return done.error();
  for (llvm::Function& function : module) use_calling_convention_of_host(function);
  return shared;
}

}  // namespace heddle::cuda::fake
