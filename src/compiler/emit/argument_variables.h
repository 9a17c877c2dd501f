// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Variables of the arg and kernarg segments: formals, actuals, results.
#pragma once

#include <optional>
#include <string>

#include <llvm/IR/Function.h>

#include "compiler/code/type.h"

namespace heddle::compiler {

struct Layout;
struct ModuleContext;

/// Reports whether a value of `type`, which has this layout, can be an argument or a result. Structures with
/// vectors whose elements share bytes cannot, and kernels cannot have such vectors, whose form in memory the
/// host would have to know.
bool can_be_passed(const llvm::Type& type, const Layout& layout, bool of_kernel);

/// Returns the declaration of a variable for a value of `type`, without semicolon: a scalar has its own type,
/// anything else is an array of bytes with the layout and alignment of the type in memory. `segment` is "arg"
/// or "kernarg".
std::string argument_variable(llvm::Type* type, std::string_view segment, std::string_view name,
                              ModuleContext& context);

/// Returns the formals of functions of a type, "(outputs)(inputs)", as a signature has them.
std::string signature_formals(const llvm::FunctionType& type, ModuleContext& context);

/// Returns the formals of a function or kernel in its parentheses, with the names that formal_name gives.
std::string formals(const llvm::Function& function, ModuleContext& context);

/// The name of a formal, with its sigil: that of the argument, or its number.
std::string formal_name(const llvm::Argument& argument);

/// The name of the output of functions that return a value.
inline constexpr std::string_view result_name = "%result.";

/// The type of an argument of a kernel that is an image or a sampler. In IR these are pointers.
std::optional<Type> opaque_type(const llvm::Argument& argument);

bool is_kernel(const llvm::Function& function);

}  // namespace heddle::compiler
