// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "finalizer/lower/calls.h"

#include <array>
#include <cassert>
#include <string>

namespace heddle::finalizer {
namespace {

enum class Effect : uint8_t {
  pure,         // a value that depends on the arguments and the work-item only
  cross_lane,   // a value that depends on the arguments of the other lanes too
  communicate,  // other work-items see it or are seen
  stop,         // does not return
};

// Result and arguments as letters: v void, i i32, l i64, h i16, f float, d double, p ptr, P a pointer to a
// segment.
struct Description {
  const char* name;
  const char* signature;
  Effect effect;
};

constexpr std::array<Description, call_count> descriptions = {{
    {"hsail.workitemid", "ii", Effect::pure},
    {"hsail.workgroupid", "ii", Effect::pure},
    {"hsail.workgroupsize", "ii", Effect::pure},
    {"hsail.currentworkgroupsize", "ii", Effect::pure},
    {"hsail.gridsize", "ii", Effect::pure},
    {"hsail.gridgroups", "ii", Effect::pure},
    {"hsail.dim", "i", Effect::pure},
    {"hsail.packetid", "l", Effect::pure},
    {"hsail.packetcompletionsig", "l", Effect::pure},
    {"hsail.groupstaticsize", "i", Effect::pure},
    {"hsail.grouptotalsize", "i", Effect::pure},
    {"hsail.laneid", "i", Effect::pure},
    {"hsail.waveid", "i", Effect::pure},
    {"hsail.maxwaveid", "i", Effect::pure},
    {"hsail.cuid", "i", Effect::pure},
    {"hsail.maxcuid", "i", Effect::pure},
    {"hsail.wavesize", "i", Effect::pure},
    {"hsail.kernarg.base", "P", Effect::pure},
    {"hsail.group.base", "P", Effect::pure},
    {"hsail.private.base", "P", Effect::pure},
    {"hsail.private.size", "i", Effect::pure},
    {"hsail.null.address", "li", Effect::pure},
    {"hsail.variable.address", "li", Effect::pure},
    {"hsail.kernel.handle", "li", Effect::pure},
    {"hsail.function.handle", "li", Effect::pure},
    {"hsail.barrier", "v", Effect::communicate},
    {"hsail.wavebarrier", "v", Effect::communicate},
    {"hsail.memfence", "vii", Effect::communicate},
    {"hsail.atomic.i32", "iiiiiPii", Effect::communicate},
    {"hsail.atomic.i64", "liiiiPll", Effect::communicate},
    {"hsail.fbarrier", "vii", Effect::communicate},
    {"hsail.signal", "lilll", Effect::communicate},
    {"hsail.queue.index", "Pli", Effect::communicate},
    {"hsail.exceptions", "villl", Effect::communicate},
    {"hsail.detected.get", "i", Effect::communicate},
    {"hsail.detected.clear", "vi", Effect::communicate},
    {"hsail.detected.set", "vi", Effect::communicate},
    {"hsail.image", "viiiillp", Effect::communicate},
    {"hsail.clock", "l", Effect::communicate},
    {"hsail.yield", "vi", Effect::communicate},
    {"hsail.trap", "vii", Effect::stop},
    {"hsail.private.check", "vi", Effect::communicate},
    {"hsail.activelanecount", "ii", Effect::cross_lane},
    {"hsail.activelaneid", "i", Effect::cross_lane},
    {"hsail.activelanemask", "lii", Effect::cross_lane},
    {"hsail.activelanepermute", "llili", Effect::cross_lane},
    {"hsail.round.f32", "fiifff", Effect::pure},
    {"hsail.round.f64", "diiddd", Effect::pure},
    {"hsail.f16.to.f32", "fh", Effect::pure},
    {"hsail.f32.to.f16", "hf", Effect::pure},
    {"hsail.native", "fif", Effect::pure},
}};

const Description& description_of(Call call) { return descriptions[static_cast<size_t>(call)]; }

llvm::Type* type_of(llvm::LLVMContext& context, char letter, unsigned address_space) {
  switch (letter) {
    case 'i':
      return llvm::Type::getInt32Ty(context);
    case 'l':
      return llvm::Type::getInt64Ty(context);
    case 'h':
      return llvm::Type::getInt16Ty(context);
    case 'f':
      return llvm::Type::getFloatTy(context);
    case 'd':
      return llvm::Type::getDoubleTy(context);
    case 'p':
      return llvm::PointerType::getUnqual(context);
    case 'P':
      return llvm::PointerType::get(context, address_space);
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

bool has_segment_pointer(Call call) { return llvm::StringRef(description_of(call).signature).contains('P'); }

llvm::Function* declare(llvm::Module& module, Call call, unsigned address_space) {
  const Description& description = description_of(call);
  assert((address_space == 0 || has_segment_pointer(call)) && "nothing of the call is in an address space");
  std::string name = description.name;
  if (address_space != 0) name += ".p" + std::to_string(address_space);
  if (llvm::Function* known = module.getFunction(name)) return known;
  llvm::LLVMContext& context = module.getContext();
  llvm::SmallVector<llvm::Type*, 8> arguments;
  for (const char* letter = description.signature + 1; *letter; ++letter)
    arguments.push_back(type_of(context, *letter, address_space));
  auto* result = type_of(context, description.signature[0], address_space);
  auto* type = llvm::FunctionType::get(result, arguments, false);
  auto* function = llvm::Function::Create(type, llvm::Function::ExternalLinkage, name, module);
  set_attributes(*function, description.effect);
  return function;
}

std::optional<Call> call_of(const llvm::Function& function) {
  llvm::StringRef name = function.getName();
  if (!function.isDeclaration() || !name.starts_with("hsail.")) return std::nullopt;
  const auto [base, space] = name.rsplit(".p");
  if (unsigned number = 0; !space.getAsInteger(10, number)) name = base;
  for (size_t i = 0; i < call_count; ++i)
    if (name == descriptions[i].name) return static_cast<Call>(i);
  return std::nullopt;
}

}  // namespace heddle::finalizer
