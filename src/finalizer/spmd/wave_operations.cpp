// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "finalizer/spmd/wave_operations.h"

#include <fmt/format.h>

namespace heddle::finalizer::spmd {
namespace {

using llvm::Function;
using llvm::Type;

constexpr llvm::StringLiteral scalar_prefix = "hsail.";
constexpr llvm::StringLiteral part_prefix = "hsail.wave.";
constexpr llvm::StringLiteral lane_prefix = "hsail.lane.";

Function* declare(Function& scalar, const std::string& name, Type* result, llvm::ArrayRef<Type*> arguments) {
  llvm::Module& module = *scalar.getParent();
  if (Function* known = module.getFunction(name)) return known;
  auto* type = llvm::FunctionType::get(result, arguments, false);
  auto* function = Function::Create(type, Function::ExternalLinkage, name, module);
  function->setAttributes(llvm::AttributeList().addFnAttributes(
      scalar.getContext(), llvm::AttrBuilder(scalar.getContext(), scalar.getAttributes().getFnAttrs())));
  return function;
}

/// Returns the name of an operation behind the prefix that all have.
llvm::StringRef own_name(const Function& scalar) {
  llvm::StringRef name = scalar.getName();
  const bool is_operation = name.consume_front(scalar_prefix);
  assert(is_operation && "only target operations have forms for waves");
  (void)is_operation;
  return name;
}

}  // namespace

Function* declare_for_part(Function& scalar, const WaveShape& wave) {
  llvm::SmallVector<Type*, 4> arguments(scalar.getFunctionType()->params());
  arguments.push_back(Type::getInt32Ty(scalar.getContext()));
  const std::string name =
      fmt::format("{}{}.v{}", part_prefix.str(), own_name(scalar).str(), wave.part_lanes);
  return declare(scalar, name, part_type(*scalar.getReturnType(), wave), arguments);
}

Function* declare_for_lane(Function& scalar) {
  llvm::SmallVector<Type*, 8> arguments = {Type::getInt32Ty(scalar.getContext())};
  llvm::append_range(arguments, scalar.getFunctionType()->params());
  return declare(scalar, (lane_prefix + own_name(scalar)).str(), scalar.getReturnType(), arguments);
}

std::optional<WaveOperation> wave_operation_of(const Function& function) {
  llvm::StringRef name = function.getName();
  auto form = WaveOperation::Form::part;
  if (name.consume_front(part_prefix))
    name = name.rsplit(".v").first;
  else if (name.consume_front(lane_prefix))
    form = WaveOperation::Form::lane;
  else
    return std::nullopt;
  if (unsigned space = 0; !name.rsplit(".p").second.getAsInteger(10, space)) name = name.rsplit(".p").first;
  const auto operation = target_operation_named((scalar_prefix + name).str());
  if (!operation) return std::nullopt;
  return WaveOperation{*operation, form};
}

}  // namespace heddle::finalizer::spmd
