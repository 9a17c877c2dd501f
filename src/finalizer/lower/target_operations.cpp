// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "finalizer/lower/target_operations.h"

#include <array>
#include <cassert>
#include <string>

#include <hsa/hsa_brig_opcodes.h>

#include "hsail/isa/isa.h"

namespace heddle::finalizer {
namespace {

enum class Effect : uint8_t {
  pure,         // a value that depends on the arguments and the work-item only
  memory,       // reads or writes memory, for this work-item alone
  cross_lane,   // a value that depends on the arguments of the other lanes too
  communicate,  // other work-items see it or are seen
  stop,         // does not return
};

/// Translates what the instruction set says of an instruction (isa/*.isa) to LLVM's attributes.
Effect effect_of(hsa_brig_opcode_t opcode) {
  switch (isa::convergence(opcode)) {
    case isa::Convergence::none:
      return isa::memory_effect(opcode) == isa::MemoryEffect::none ? Effect::pure : Effect::memory;
    case isa::Convergence::cross_lane:
      return Effect::cross_lane;
    case isa::Convergence::communication:
    case isa::Convergence::wavebarrier:
    case isa::Convergence::barrier:
    case isa::Convergence::fbarrier:
      return Effect::communicate;
  }
  return Effect::communicate;
}

// The signature has a letter for the result and one for each argument: v void, i i32, l i64, F Float, D
// Double, H Half, p ptr, P a pointer to a segment.
struct Description {
  /// Describes an operation that represents an instruction and has its effect. If it represents several, the
  /// one with the widest effect is given.
  constexpr Description(const char* name, const char* signature, hsa_brig_opcode_t opcode)
      : name(name), signature(signature), instruction(opcode) {}
  /// Describes an operation that represents no instruction and states its effect.
  constexpr Description(const char* name, const char* signature, Effect effect)
      : name(name), signature(signature), stated_effect(effect) {}

  const char* name;
  const char* signature;
  std::optional<hsa_brig_opcode_t> instruction;
  Effect stated_effect = Effect::communicate;

  Effect effect() const { return instruction ? effect_of(*instruction) : stated_effect; }
};

constexpr std::array<Description, target_operation_count> descriptions = {{
    {"hsail.workitemid", "ii", HSA_BRIG_OPCODE_WORKITEMID},
    {"hsail.workgroupid", "ii", HSA_BRIG_OPCODE_WORKGROUPID},
    {"hsail.workgroupsize", "ii", HSA_BRIG_OPCODE_WORKGROUPSIZE},
    {"hsail.currentworkgroupsize", "ii", HSA_BRIG_OPCODE_CURRENTWORKGROUPSIZE},
    {"hsail.gridsize", "ii", HSA_BRIG_OPCODE_GRIDSIZE},
    {"hsail.gridgroups", "ii", HSA_BRIG_OPCODE_GRIDGROUPS},
    {"hsail.dim", "i", HSA_BRIG_OPCODE_DIM},
    {"hsail.packetid", "l", HSA_BRIG_OPCODE_PACKETID},
    {"hsail.packetcompletionsig", "l", HSA_BRIG_OPCODE_PACKETCOMPLETIONSIG},
    {"hsail.groupstaticsize", "i", HSA_BRIG_OPCODE_GROUPSTATICSIZE},
    {"hsail.grouptotalsize", "i", HSA_BRIG_OPCODE_GROUPTOTALSIZE},
    {"hsail.laneid", "i", HSA_BRIG_OPCODE_LANEID},
    {"hsail.waveid", "i", HSA_BRIG_OPCODE_WAVEID},
    {"hsail.maxwaveid", "i", HSA_BRIG_OPCODE_MAXWAVEID},
    {"hsail.cuid", "i", HSA_BRIG_OPCODE_CUID},
    {"hsail.maxcuid", "i", HSA_BRIG_OPCODE_MAXCUID},
    {"hsail.wavesize", "i", Effect::pure},
    {"hsail.kernarg.base", "P", HSA_BRIG_OPCODE_KERNARGBASEPTR},
    {"hsail.group.base", "P", HSA_BRIG_OPCODE_GROUPBASEPTR},
    {"hsail.private.base", "P", Effect::pure},
    {"hsail.private.size", "i", Effect::pure},
    {"hsail.null.address", "li", HSA_BRIG_OPCODE_NULLPTR},
    {"hsail.variable.address", "li", HSA_BRIG_OPCODE_LDA},
    {"hsail.kernel.handle", "li", Effect::pure},
    {"hsail.function.handle", "li", Effect::pure},
    {"hsail.barrier", "v", HSA_BRIG_OPCODE_BARRIER},
    {"hsail.wavebarrier", "v", HSA_BRIG_OPCODE_WAVEBARRIER},
    {"hsail.memfence", "vii", HSA_BRIG_OPCODE_MEMFENCE},
    {"hsail.atomic.i32", "iiiiiPii", HSA_BRIG_OPCODE_ATOMIC},
    {"hsail.atomic.i64", "liiiiPll", HSA_BRIG_OPCODE_ATOMIC},
    {"hsail.fbarrier", "vii", HSA_BRIG_OPCODE_WAITFBAR},
    {"hsail.signal", "lilll", HSA_BRIG_OPCODE_SIGNAL},
    {"hsail.signal.wait", "vilppp", HSA_BRIG_OPCODE_SIGNAL},
    {"hsail.queue.index", "Pli", HSA_BRIG_OPCODE_ADDQUEUEWRITEINDEX},
    {"hsail.exceptions", "villl", Effect::communicate},
    {"hsail.detected.get", "i", HSA_BRIG_OPCODE_GETDETECTEXCEPT},
    {"hsail.detected.clear", "vi", HSA_BRIG_OPCODE_CLEARDETECTEXCEPT},
    {"hsail.detected.set", "vi", HSA_BRIG_OPCODE_SETDETECTEXCEPT},
    {"hsail.image", "viiiillp", HSA_BRIG_OPCODE_STIMAGE},
    {"hsail.event", "vlip", Effect::memory},
    {"hsail.clock", "l", HSA_BRIG_OPCODE_CLOCK},
    {"hsail.yield", "vi", Effect::communicate},
    {"hsail.trap", "vii", Effect::stop},
    {"hsail.private.check", "vi", Effect::memory},
    {"hsail.activelanecount", "ii", HSA_BRIG_OPCODE_ACTIVELANECOUNT},
    {"hsail.activelaneid", "i", HSA_BRIG_OPCODE_ACTIVELANEID},
    {"hsail.activelanemask", "lii", HSA_BRIG_OPCODE_ACTIVELANEMASK},
    {"hsail.activelanepermute", "llili", HSA_BRIG_OPCODE_ACTIVELANEPERMUTE},
    {"hsail.arithmetic.f32", "FiiiFFF", Effect::pure},
    {"hsail.arithmetic.f64", "DiiiDDD", Effect::pure},
    {"hsail.narrow.ftz", "FiD", Effect::pure},
    {"hsail.flush.f32", "FF", Effect::pure},
    {"hsail.flush.f64", "DD", Effect::pure},
    {"hsail.min.f32", "FiFF", Effect::pure},
    {"hsail.min.f64", "DiDD", Effect::pure},
    {"hsail.max.f32", "FiFF", Effect::pure},
    {"hsail.max.f64", "DiDD", Effect::pure},
    {"hsail.f16.to.f32", "FH", Effect::pure},
    {"hsail.f32.to.f16", "HF", Effect::pure},
    {"hsail.native", "FiF", HSA_BRIG_OPCODE_NSIN},
}};

/// The letters of what is a vector in the vector form of an operation.
constexpr llvm::StringLiteral vector_letters = "FDH";

const Description& description_of(TargetOperation call) { return descriptions[static_cast<size_t>(call)]; }

llvm::Type* in_lanes(llvm::Type* type, unsigned lanes) {
  return lanes == 1 ? type : llvm::FixedVectorType::get(type, lanes);
}

llvm::Type* type_of(llvm::LLVMContext& context, char letter, const OperationForm& form) {
  switch (letter) {
    case 'i':
      return llvm::Type::getInt32Ty(context);
    case 'l':
      return llvm::Type::getInt64Ty(context);
    case 'H':
      return in_lanes(llvm::Type::getInt16Ty(context), form.lanes);
    case 'F':
      return in_lanes(llvm::Type::getFloatTy(context), form.lanes);
    case 'D':
      return in_lanes(llvm::Type::getDoubleTy(context), form.lanes);
    case 'p':
      return llvm::PointerType::getUnqual(context);
    case 'P':
      return llvm::PointerType::get(context, form.address_space);
    default:
      return llvm::Type::getVoidTy(context);
  }
}

void set_attributes(llvm::Function& function, Effect effect) {
  function.setDoesNotThrow();
  switch (effect) {
    case Effect::pure:
      function.setDoesNotAccessMemory();
      function.setWillReturn();
      function.addFnAttr(llvm::Attribute::Speculatable);
      break;
    case Effect::memory:
      break;
    case Effect::cross_lane:
      function.setConvergent();
      function.setDoesNotAccessMemory();
      function.setWillReturn();
      break;
    case Effect::communicate:
      function.setConvergent();
      break;
    case Effect::stop:
      function.setConvergent();
      function.setDoesNotReturn();
      break;
  }
}

}  // namespace

bool has_segment_pointer(TargetOperation call) {
  return llvm::StringRef(description_of(call).signature).contains('P');
}

bool has_vector_form(TargetOperation call) {
  return llvm::StringRef(description_of(call).signature).find_first_of(vector_letters) !=
         llvm::StringRef::npos;
}

bool is_vector_argument(TargetOperation call, unsigned index) {
  const llvm::StringRef arguments = llvm::StringRef(description_of(call).signature).drop_front();
  assert(has_vector_form(call) && index < arguments.size());
  return vector_letters.contains(arguments[index]);
}

llvm::Function* declare(llvm::Module& module, TargetOperation call, const OperationForm& form) {
  const Description& description = description_of(call);
  assert((form.address_space == 0 || has_segment_pointer(call)) &&
         "nothing of the call is in an address space");
  assert((form.lanes == 1 || has_vector_form(call)) && "the call takes no vectors");
  std::string name = description.name;
  if (form.address_space != 0) name += ".p" + std::to_string(form.address_space);
  if (form.lanes != 1) name += ".v" + std::to_string(form.lanes);
  if (llvm::Function* known = module.getFunction(name)) return known;
  llvm::LLVMContext& context = module.getContext();
  llvm::SmallVector<llvm::Type*, 8> arguments;
  for (const char* letter = description.signature + 1; *letter; ++letter)
    arguments.push_back(type_of(context, *letter, form));
  auto* result = type_of(context, description.signature[0], form);
  auto* type = llvm::FunctionType::get(result, arguments, false);
  auto* function = llvm::Function::Create(type, llvm::Function::ExternalLinkage, name, module);
  set_attributes(*function, description.effect());
  return function;
}

std::optional<TargetOperation> target_operation_named(llvm::StringRef name) {
  for (size_t i = 0; i < target_operation_count; ++i)
    if (name == descriptions[i].name) return static_cast<TargetOperation>(i);
  return std::nullopt;
}

std::optional<TargetOperation> target_operation_of(const llvm::Function& function) {
  llvm::StringRef name = function.getName();
  if (!function.isDeclaration() || !name.starts_with("hsail.")) return std::nullopt;
  for (const char* suffix : {".p", ".v"}) {
    const auto [base, form] = name.rsplit(suffix);
    if (unsigned number = 0; !form.getAsInteger(10, number)) name = base;
  }
  return target_operation_named(name);
}

uint64_t constant_argument(const llvm::CallInst& call, unsigned index) {
  return llvm::cast<llvm::ConstantInt>(call.getArgOperand(index))->getZExtValue();
}

}  // namespace heddle::finalizer
