// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "finalizer/spmd/wave_functions.h"

#include <llvm/Transforms/Utils/Cloning.h>

#include "finalizer/spmd/lane_masks.h"

namespace heddle::finalizer::spmd {

using llvm::Function;
using llvm::FunctionType;
using llvm::Type;

FunctionType* wave_function_type(const FunctionType& scalar, const WidenRequest& request) {
  assert(scalar.getReturnType()->isVoidTy() && scalar.getNumParams() > 0 && "functions take a context");
  const LaneMasks masks(request.wave, request.machine.has_mask_registers);
  const unsigned parts = request.wave.parts();
  llvm::SmallVector<Type*, 16> types = {scalar.getParamType(0)};
  types.append(parts, masks.type(scalar.getContext()));
  for (Type* type : llvm::drop_begin(scalar.params())) types.append(parts, masks.kept_type(*type));
  return FunctionType::get(scalar.getReturnType(), types, false);
}

Function* declare_wave_function(const Function& scalar, const WidenRequest& request) {
  return create_wave_function(scalar, *wave_function_type(*scalar.getFunctionType(), request));
}

/// The attributes of arguments are not kept, because arguments become vectors. Nor is what the function does
/// to memory: LLVM does not look for pointers in vectors, so that "only through its arguments" would be taken
/// for "nowhere".
Function* create_wave_function(const Function& scalar, FunctionType& type) {
  auto* wide = Function::Create(&type, scalar.getLinkage(), scalar.getAddressSpace(),
                                scalar.getName() + ".wave", const_cast<llvm::Module*>(scalar.getParent()));
  llvm::AttrBuilder attributes(scalar.getContext(), scalar.getAttributes().getFnAttrs());
  attributes.removeAttribute(llvm::Attribute::Memory);
  wide->addFnAttrs(attributes);
  wide->setCallingConv(scalar.getCallingConv());
  return wide;
}

Function& clone_with_mask(Function& scalar) {
  assert(!scalar.isDeclaration() && scalar.arg_size() >= mask_argument && "functions take a context");
  llvm::SmallVector<Type*, 8> types(scalar.getFunctionType()->params());
  types.insert(types.begin() + mask_argument, Type::getInt1Ty(scalar.getContext()));
  auto* type = FunctionType::get(scalar.getReturnType(), types, false);
  auto* copy = Function::Create(type, llvm::GlobalValue::InternalLinkage, scalar.getAddressSpace(),
                                scalar.getName() + ".masked", scalar.getParent());
  llvm::ValueToValueMapTy map;
  for (llvm::Argument& argument : scalar.args()) {
    const unsigned place = argument.getArgNo();
    llvm::Argument* same = copy->getArg(place < mask_argument ? place : place + 1);
    same->setName(argument.getName());
    map[&argument] = same;
  }
  copy->getArg(mask_argument)->setName("active");
  llvm::SmallVector<llvm::ReturnInst*, 4> returns;
  llvm::CloneFunctionInto(copy, &scalar, map, llvm::CloneFunctionChangeType::LocalChangesOnly, returns);
  return *copy;
}

}  // namespace heddle::finalizer::spmd
