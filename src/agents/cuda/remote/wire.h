// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the types of parameters of the driver's functions are in messages: numbers and handles go to the
// process, structures that are read and names go with their contents, and what a pointer says where to
// store comes back.
#pragma once

#include <string>
#include <type_traits>

#include "agents/cuda/remote/message.h"
#include "agents/cuda/remote/protocol.h"

namespace heddle::cuda::remote {

template <typename T>
inline constexpr bool is_handle =
    std::is_same_v<T, Context> || std::is_same_v<T, Module> || std::is_same_v<T, Function> ||
    std::is_same_v<T, Stream> || std::is_same_v<T, Event> || std::is_same_v<T, Graph> ||
    std::is_same_v<T, GraphNode> || std::is_same_v<T, GraphExec>;

template <typename T>
inline constexpr bool is_number = std::is_arithmetic_v<T> || std::is_enum_v<T> || is_handle<T>;

/// A structure that the function reads.
template <typename T>
inline constexpr bool is_structure =
    std::is_same_v<T, const MemoryProperties*> || std::is_same_v<T, const MemoryAccess*>;

template <typename T>
inline constexpr bool is_name = std::is_same_v<T, const char*>;

/// Whether functions store values of this type where a pointer says.
template <typename T>
inline constexpr bool is_stored =
    (std::is_arithmetic_v<T> && !std::is_same_v<T, char> && !std::is_const_v<T>) || is_handle<T> ||
    std::is_same_v<T, DeviceUuid>;

/// A pointer to where the function stores one value.
template <typename T>
inline constexpr bool is_result = false;
template <typename T>
inline constexpr bool is_result<T*> = !is_handle<T*> && is_stored<T>;

/// Whether the types say all that has to be known of a function.
template <typename... Parameters>
inline constexpr bool is_plain =
    ((is_number<Parameters> || is_structure<Parameters> || is_name<Parameters> || is_result<Parameters>) &&
     ...);

/// The parameter of a function, in the process that calls it.
template <typename T>
class Parameter {
 public:
  void read(Reader& request) {
    if constexpr (is_number<T>)
      value_ = request.take<T>();
    else if constexpr (is_structure<T>)
      value_ = request.take<std::remove_const_t<std::remove_pointer_t<T>>>();
    else if constexpr (is_name<T>)
      value_ = request.take_text();
  }
  T get() {
    if constexpr (is_number<T>)
      return value_;
    else if constexpr (is_name<T>)
      return value_.c_str();
    else
      return &value_;
  }
  void write(Writer& answer) const {
    if constexpr (is_result<T>) answer.put(value_);
  }

 private:
  static auto storage() {
    if constexpr (is_number<T>)
      return T{};
    else if constexpr (is_name<T>)
      return std::string();
    else
      return std::remove_const_t<std::remove_pointer_t<T>>{};
  }
  decltype(storage()) value_{};
};

}  // namespace heddle::cuda::remote
