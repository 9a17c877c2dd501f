// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Calls the functions that ispc has compiled, with the arguments of a launch.
#pragma once

#include <functional>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "workloads/workload.h"

namespace comparison {

/// The addresses of a workload's buffers, by index.
using Addresses = std::vector<std::byte*>;
using Call = std::function<void(const bench::Launch&, const Addresses&)>;

/// Converts an argument to the parameter type P: a pointer or a number.
template <typename P>
P converted(const bench::Argument& argument, const Addresses& addresses) {
  if constexpr (std::is_pointer_v<P>) {
    return reinterpret_cast<P>(addresses[std::get<bench::BufferArgument>(argument).index]);
  } else if constexpr (std::is_floating_point_v<P>) {
    return std::get<float>(argument);
  } else {
    const auto* is_unsigned = std::get_if<uint32_t>(&argument);
    return is_unsigned != nullptr ? static_cast<P>(*is_unsigned)
                                  : static_cast<P>(std::get<int32_t>(argument));
  }
}

template <typename... P, size_t... I>
Call call_of(void (*function)(P...), std::index_sequence<I...>) {
  return [function](const bench::Launch& launch, const Addresses& addresses) {
    std::vector<bench::Argument> arguments = launch.arguments;
    // A function that divides its work as the HSAIL kernel does has the number of work-groups as its last
    // parameter.
    if (arguments.size() + 1 == sizeof...(P)) arguments.emplace_back(launch.grid.groups());
    if (arguments.size() != sizeof...(P))
      throw std::runtime_error(launch.kernel + " has other parameters in ispc");
    function(converted<P>(arguments[I], addresses)...);
  };
}

template <typename... P>
Call call_of(void (*function)(P...)) {
  return call_of(function, std::index_sequence_for<P...>());
}

/// Returns the call of the kernel with this name. Throws if there is none.
const Call& call_of(const std::string& kernel);

}  // namespace comparison
